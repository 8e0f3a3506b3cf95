/* A robots.txt, read for one agent.
 *
 * Groups: one or more User-agent lines, and the rules behind them up to the next User-agent line.
 * Lines of other kinds do not end a group, as the RFC wants it. Whether '*' counts is known only at
 * the end, when no group was for us; so the body is walked through three times: is there a group of
 * ours, how much memory do the rules need, and then they are written. It is one block, and what is
 * not for us takes nothing. */
#include "robots.h"
#include <uv.h>
#include <weft/alloc.h>

struct walk {
    struct weft_text rest, agent;
    bool naming;          /* the group has no rules yet: a User-agent line belongs to it */
    bool ours, everybody; /* whom the group is for */
    bool named;           /* there was a group of ours */
};

/* ---- groups ---------------------------------------------------------------------------------- */

/* The product token that a User-agent line begins with. */
static struct weft_text token_of(struct weft_text value)
{
    size_t size = 0;
    for (; size < value.size; size++) {
        char c = weft_text_lower(value.data[size]);
        if ((c < 'a' || c > 'z') && c != '-' && c != '_')
            break;
    }
    return weft_text(value.data, size);
}

static bool is_star(struct weft_text value)
{
    return value.size > 0 && value.data[0] == '*' &&
           (value.size == 1 || value.data[1] == ' ' || value.data[1] == '\t');
}

static void take_agent(struct walk *walk, struct weft_text value)
{
    if (!walk->naming) {
        walk->naming = true;
        walk->ours = walk->everybody = false;
    }
    if (is_star(value)) {
        walk->everybody = true;
    } else if (walk->agent.size > 0 && weft_text_same(token_of(value), walk->agent)) {
        walk->ours = true;
        walk->named = true;
    }
}

static bool next_line(struct walk *walk, struct robots_line *line)
{
    if (!weft__robots_line(&walk->rest, line))
        return false;
    if (line->key == ROBOTS_AGENT)
        take_agent(walk, line->value);
    else if (line->key == ROBOTS_ALLOW || line->key == ROBOTS_DISALLOW)
        walk->naming = false;
    return true;
}

static bool names_us(struct weft_text body, struct weft_text agent)
{
    struct walk walk = {.rest = body, .agent = agent};
    struct robots_line line;
    while (!walk.named && next_line(&walk, &line)) {
    }
    return walk.named;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* Where it goes; while it is only counted, rules is NULL. */
struct keep {
    struct weft__robots_rule *rules;
    struct weft_text *sitemaps;
    char *text;
    size_t rule_count, sitemap_count, text_size;
    uint32_t delay_ms;
};

static char *text_end(const struct keep *keep)
{
    return keep->rules != NULL ? keep->text + keep->text_size : NULL;
}

static void keep_rule(struct keep *keep, struct weft_text pattern, bool allow, bool anchored)
{
    unsigned how = allow ? ROBOTS_PATTERN : ROBOTS_PATTERN | ROBOTS_UNESCAPE;
    char *text = text_end(keep);
    size_t size = weft__robots_normalise(text, pattern, how);
    if (keep->rules != NULL) {
        keep->rules[keep->rule_count] = (struct weft__robots_rule){
            .pattern = {text, size},
            .length = weft__robots_normalise(NULL, pattern, ROBOTS_PATTERN | ROBOTS_UNESCAPE) +
                      (anchored ? 1 : 0),
            .anchored = anchored,
            .allow = allow,
            .wild = memchr(text, '*', size) != NULL,
        };
    }
    keep->rule_count++;
    keep->text_size += size;
}

/* A page that is allowed as ".../index.html" may also be asked for as ".../". */
static void keep_folder(struct keep *keep, struct weft_text pattern)
{
    size_t size = pattern.size;
    while (size > 0 && pattern.data[size - 1] != '/')
        size--;
    struct weft_text name = weft_text(pattern.data + size, pattern.size - size);
    if (size > 0 && weft_text_starts(name, "index.htm"))
        keep_rule(keep, weft_text(pattern.data, size), true, true);
}

static void keep_pattern(struct keep *keep, struct weft_text pattern, bool allow)
{
    if (pattern.size == 0)
        return;
    bool anchored = pattern.data[pattern.size - 1] == '$';
    if (allow)
        keep_folder(keep, pattern);
    keep_rule(keep, weft_text(pattern.data, pattern.size - anchored), allow, anchored);
}

static void keep_sitemap(struct keep *keep, struct weft_text url)
{
    char *text = text_end(keep);
    if (url.size == 0)
        return;
    if (text != NULL) {
        memcpy(text, url.data, url.size);
        text[url.size] = 0;
        keep->sitemaps[keep->sitemap_count] = weft_text(text, url.size);
    }
    keep->sitemap_count++;
    keep->text_size += url.size + 1;
}

/* "10" or "0.5", in ms; WEFT_ROBOTS_NO_DELAY for what is no such number. */
static uint32_t delay_of(struct weft_text value)
{
    uint64_t ms = 0, unit = 1000;
    bool fraction = false, digits = false;
    for (size_t i = 0; i < value.size; i++) {
        char c = value.data[i];
        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (c < '0' || c > '9')
            return WEFT_ROBOTS_NO_DELAY;
        digits = true;
        if (fraction)
            ms += (uint64_t)(c - '0') * (unit /= 10);
        else if (ms < WEFT_ROBOTS_DELAY_MAX_MS)
            ms = ms * 10 + (uint64_t)(c - '0') * 1000;
    }
    if (!digits)
        return WEFT_ROBOTS_NO_DELAY;
    return ms < WEFT_ROBOTS_DELAY_MAX_MS ? (uint32_t)ms : WEFT_ROBOTS_DELAY_MAX_MS;
}

static void keep_delay(struct keep *keep, struct weft_text value)
{
    uint32_t ms = delay_of(value);
    if (ms == WEFT_ROBOTS_NO_DELAY)
        return;
    if (keep->delay_ms == WEFT_ROBOTS_NO_DELAY || ms > keep->delay_ms)
        keep->delay_ms = ms;
}

static void keep_all(struct keep *keep, struct weft_text body, struct weft_text agent, bool named)
{
    struct walk walk = {.rest = body, .agent = agent};
    struct robots_line line;
    while (next_line(&walk, &line)) {
        bool for_us = named ? walk.ours : walk.everybody;
        if (line.key == ROBOTS_SITEMAP)
            keep_sitemap(keep, line.value);
        else if (for_us && line.key == ROBOTS_DELAY)
            keep_delay(keep, line.value);
        else if (for_us && (line.key == ROBOTS_ALLOW || line.key == ROBOTS_DISALLOW))
            keep_pattern(keep, line.value, line.key == ROBOTS_ALLOW);
    }
}

/* ---- parsing and asking ---------------------------------------------------------------------- */

int weft_robots_parse(struct weft_robots *robots, struct weft_text body, struct weft_text agent)
{
    struct keep count = {.delay_ms = WEFT_ROBOTS_NO_DELAY}, keep = count;
    *robots = (struct weft_robots){.crawl_delay_ms = WEFT_ROBOTS_NO_DELAY};
    body = weft__robots_body(body);
    bool named = names_us(body, agent);
    keep_all(&count, body, agent, named);
    robots->crawl_delay_ms = count.delay_ms;
    if (count.rule_count + count.sitemap_count == 0)
        return 0;
    keep.rules = weft_alloc(count.rule_count * sizeof *keep.rules +
                            count.sitemap_count * sizeof *keep.sitemaps + count.text_size);
    if (keep.rules == NULL) {
        robots->closed_ = true;
        return UV_ENOMEM;
    }
    keep.sitemaps = (struct weft_text *)(keep.rules + count.rule_count);
    keep.text = (char *)(keep.sitemaps + count.sitemap_count);
    keep_all(&keep, body, agent, named);
    robots->rules_ = keep.rules;
    robots->rule_count_ = keep.rule_count;
    robots->sitemaps = keep.sitemaps;
    robots->sitemap_count = keep.sitemap_count;
    return 0;
}

/* Bytes of a path that rules with a '*' may look through, all together. What was written in earnest needs a
 * hundredth of that. */
enum { WORK = 1 << 20 };

/* exact: as it is written; open: with all that can be unescaped so. */
static bool rules_allow(const struct weft_robots *robots, struct weft_text exact,
                        struct weft_text open)
{
    size_t best = 0, work = 0;
    bool allowed = true;
    for (size_t i = 0; i < robots->rule_count_; i++) {
        const struct weft__robots_rule *rule = &robots->rules_[i];
        if (rule->length < best || (rule->length == best && (allowed || !rule->allow)))
            continue;
        work += rule->wild ? open.size : 0;
        if (work > WORK)
            return false;
        if (weft__robots_match(rule, rule->allow ? exact : open)) {
            best = rule->length;
            allowed = rule->allow;
        }
    }
    return allowed;
}

/* A path that has to be written differently first. */
static bool rules_allow_escaped(const struct weft_robots *robots, struct weft_text path)
{
    enum { STACK = 512, BOTH = 2 * ROBOTS_GROWTH };
    char stack[BOTH * STACK];
    char *block = path.size > STACK ? weft_calloc(path.size, BOTH) : stack;
    if (block == NULL)
        return false;
    size_t exact = weft__robots_normalise(block, path, ROBOTS_KEEP_HIGH);
    size_t open = weft__robots_normalise(block + exact, path, ROBOTS_UNESCAPE);
    bool allowed = rules_allow(robots, weft_text(block, exact), weft_text(block + exact, open));
    if (block != stack)
        weft_free(block);
    return allowed;
}

bool weft_robots_allows(const struct weft_robots *robots, struct weft_text path)
{
    path = weft_text_cut(&path, '#');
    if (path.size == 0)
        path = weft_text_of("/");
    struct weft_text query = path;
    if (weft_text_is(weft_text_cut(&query, '?'), "/robots.txt"))
        return true;
    if (robots->closed_)
        return false;
    if (robots->rule_count_ == 0)
        return true;
    if (weft__robots_is_plain(path))
        return rules_allow(robots, path, path);
    return rules_allow_escaped(robots, path);
}

void weft_robots_free(struct weft_robots *robots)
{
    weft_free(robots->rules_);
    *robots = (struct weft_robots){.crawl_delay_ms = WEFT_ROBOTS_NO_DELAY};
}
