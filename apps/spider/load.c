/* From what is known to what is to be done: when a crawl begins, or goes on.
 *
 *   - What waits, waits on. What failed for a reason that may pass is tried again; a 404 is not.
 *   - With another nesting than before the pages at the edge are looked through again, from the
 *     disk; with other rules all of them are. What waits beyond the edge stays out, unless a page
 *     is shown with it: that is found when the page is looked through.
 *   - The start URLs are seen at depth 0.
 *
 * The rules and the nesting of the last time are kept in the state, and so are the hosts that start
 * URLs were redirected to, because those are part of the scope. */
#include "command.h"
#include "spider/crawl.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key_rules[] = "crawl/rules", key_nesting[] = "crawl/nesting",
                  key_deepest[] = "crawl/deepest", key_scope[] = "crawl/scope",
                  key_adopt[] = "crawl/adopt";
static const char places_line[] = "places "; /* of the rules: how it begins */

enum { NESTING_ENDLESS = 1000000 };

/* ---- things that are kept ------------------------------------------------------------------- */

static int kept(struct crawl *crawl, const char *key, struct weft_text *value)
{
    return weft_crawl_get(&crawl->state, weft_text_of(key), value);
}

/* *number stays as it is if nothing was kept. */
static int kept_number(struct crawl *crawl, const char *key, unsigned *number)
{
    struct weft_text value;
    int err = kept(crawl, key, &value);
    if (err == 0 && value.data != NULL)
        *number = (unsigned)strtoul(value.data, NULL, 10);
    return err;
}

static int keep_number(struct crawl *crawl, const char *key, unsigned number)
{
    char text[16];
    int size = snprintf(text, sizeof text, "%u", number);
    return weft_crawl_put(&crawl->state, weft_text_of(key), weft_text(text, (size_t)size + 1));
}

static unsigned nesting_of(const struct settings *settings)
{
    return settings->endless ? NESTING_ENDLESS : settings->nesting;
}

int crawl_remember_scope(struct crawl *crawl, const struct weft_url *url)
{
    struct weft_text before;
    int err = kept(crawl, key_scope, &before);
    if (err != 0)
        return err;
    size_t size = before.size + url->href.size + 1;
    char *text = weft_alloc(size + 1);
    if (text == NULL)
        return UV_ENOMEM;
    snprintf(text, size + 1, "%.*s%s\n", WEFT_TEXT_ARGS(before), url->href.data);
    err = weft_crawl_put(&crawl->state, weft_text_of(key_scope), weft_text(text, size));
    weft_free(text);
    return err;
}

int crawl_recall_scope(struct crawl *crawl)
{
    struct weft_text value;
    int err = kept(crawl, key_scope, &value);
    while (err == 0 && value.size > 0) {
        struct weft_text line = weft_text_cut(&value, '\n');
        if (line.size > 0)
            err = weft_url_parse(&crawl->other, line, NULL);
        if (err == 0 && line.size > 0)
            err = scope_add_start(&crawl->scope, &crawl->other);
    }
    return err;
}

/* Files that were there before the state: once they are looked for, they always are. */
static int recall_adopt(struct crawl *crawl)
{
    struct weft_text value;
    if (crawl->adopt)
        return weft_crawl_put(&crawl->state, weft_text_of(key_adopt), weft_text_of("yes"));
    int err = kept(crawl, key_adopt, &value);
    crawl->adopt = err == 0 && value.data != NULL;
    return err;
}

/* ---- what changed since the last time ------------------------------------------------------- */

struct changes {
    struct crawl *crawl;
    bool rules;      /* other ones: look at everything again */
    bool links;      /* who links to whom was not kept until now: the same, from the disk */
    unsigned before; /* the nesting; nothing nearer than that needs a look */
    unsigned now;
    unsigned deepest; /* of all times: what waits was found with that */
    char *text;       /* of the rules */
};

/* Equal texts are equal rules; what else decides which links count is part of it. */
static char *rules_text(const struct crawl *crawl)
{
    char *scope = scope_text(&crawl->scope);
    if (scope == NULL)
        return NULL;
    const struct settings *settings = crawl->settings;
    const struct trap_limits *traps = &settings->traps;
    size_t size = strlen(scope) + 320;
    char *text = weft_alloc(size);
    if (text != NULL)
        snprintf(text, size,
                 "robots %d\nmax-file %" PRIu64 "\n%s%" PRIx64 "\n"
                 "traps %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                 " %" PRIu64 " %" PRIu64 "\n%s",
                 !settings->no_robots, settings->max_file, places_line, crawl->places, traps->url,
                 traps->repeats, traps->params, traps->hosts, traps->per_host, traps->like,
                 traps->chain, traps->same, scope);
    weft_free(scope);
    return text;
}

static int find_changes(struct crawl *crawl, struct changes *changes)
{
    struct weft_text value;
    *changes =
        (struct changes){.crawl = crawl,
                         .now = nesting_of(crawl->settings),
                         .links = (crawl->settings->report != NULL || crawl->settings->check) &&
                                  !edges_exist(crawl->folder_path)};
    changes->before = changes->now;
    changes->text = rules_text(crawl);
    if (changes->text == NULL)
        return UV_ENOMEM;
    int err = kept(crawl, key_rules, &value);
    if (err != 0)
        return err;
    changes->rules = value.data != NULL && !weft_text_is(value, changes->text);
    err = kept_number(crawl, key_nesting, &changes->before);
    changes->deepest = changes->now;
    crawl->update.look_through |= changes->rules || changes->now != changes->before;
    unsigned deepest = 0;
    if (err == 0)
        err = kept_number(crawl, key_deepest, &deepest);
    if (deepest > changes->now)
        changes->deepest = deepest;
    return err;
}

/* Only when everything that follows from them is in the state: whoever is killed before that finds
 * the changes once more. */
static int keep_changes(struct crawl *crawl, const struct changes *changes)
{
    int err = weft_crawl_put(&crawl->state, weft_text_of(key_rules), weft_text_of(changes->text));
    if (err == 0)
        err = keep_number(crawl, key_nesting, changes->now);
    if (err == 0)
        err = keep_number(crawl, key_deepest, changes->deepest);
    return err;
}

/* Who links to whom. Once it is kept it always is, or it would have gaps; and the file is made only
 * when it is in the state that pages have to be looked through for it. */
static int open_edges(struct crawl *crawl, const struct changes *changes)
{
    if (!changes->links && !edges_exist(crawl->folder_path))
        return 0;
    int err = weft_crawl_flush(&crawl->state);
    if (err == 0)
        err = edges_open(&crawl->edges, crawl->folder_path, crawl->state.known);
    edges_tidy(&crawl->edges, crawl->folder_path);
    return err;
}

/* ---- what is left --------------------------------------------------------------------------- */

/* Refused, reset, timed out, too busy, or a good answer that could not be saved: the next time may be
 * better. "Not found" will not. */
static bool may_pass(const struct weft_crawl_result *result)
{
    int status = result->http_status;
    return status < 300 || status == 304 || status == 408 || status == 425 || status == 429 ||
           status >= 500;
}

static bool is_near(const struct changes *changes, unsigned depth)
{
    return changes->now == changes->deepest || follow_is_near(changes->crawl, depth, false);
}

static bool is_asked_again(const struct changes *changes, unsigned depth,
                           const struct weft_crawl_result *result)
{
    return !update_is_done(changes->crawl, result) && result->what != WEFT_CRAWL_SKIPPED &&
           is_near(changes, depth);
}

/* What is beyond the edge is left out by an update, unless a page is shown with it, or leads to it from nearer:
 * all links count anew then, so that they find it. So they do if a page was to be looked through before it is
 * asked for. */
static void widen_update(const struct changes *changes, const struct weft_crawl_result *result,
                         bool asked, enum weft_crawl_what what)
{
    struct update *update = &changes->crawl->update;
    if (update_is_done(changes->crawl, result) || result->what == WEFT_CRAWL_SKIPPED)
        return;
    update->beyond |= !asked;
    update->look_through |= !asked || what == WEFT_CRAWL_AGAIN;
}

/* With --warc-only there is no file of it, and now one is wanted. */
static bool lacks_file(const struct crawl *crawl, const struct weft_crawl_result *result)
{
    bool there = result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN;
    return there && !crawl->settings->warc_only && archive_has_name(result->file);
}

static enum weft_crawl_what next_for(const struct changes *changes, unsigned depth,
                                     const struct weft_crawl_result *result)
{
    bool shallow = changes->now < changes->deepest && depth >= changes->now;
    bool moved_edge = shallow || (changes->now > changes->before && depth >= changes->before);
    switch (result->what) {
    case WEFT_CRAWL_FAILED:
        return may_pass(result) ? WEFT_CRAWL_WAITING : result->what;
    case WEFT_CRAWL_SKIPPED: /* robots.txt may say something else today */
        return changes->rules || weft_text_is(result->note, robots_note) ? WEFT_CRAWL_WAITING
                                                                         : result->what;
    case WEFT_CRAWL_MOVED:
        return changes->rules && result->redirect == 0 ? WEFT_CRAWL_WAITING : result->what;
    case WEFT_CRAWL_DONE:
        return changes->rules || changes->links || moved_edge ? WEFT_CRAWL_AGAIN : result->what;
    default:
        return result->what;
    }
}

/* Under other rules than those it was found under: does it still belong to the crawl? What it was
 * needed for is not known any more; its name tells. */
static bool is_wanted(struct crawl *crawl)
{
    bool requisite = follow_is_requisite(&crawl->other);
    return scope_check(&crawl->scope, &crawl->other, requisite) == SCOPE_IN;
}

/* What is not wanted now stays as it is, or is skipped, until rules want it again. */
static enum weft_crawl_what without(enum weft_crawl_what before)
{
    return before == WEFT_CRAWL_DONE || before == WEFT_CRAWL_AGAIN || before == WEFT_CRAWL_MOVED
               ? before
               : WEFT_CRAWL_SKIPPED;
}

bool crawl_has_body(const struct weft_crawl_result *result)
{
    return result->size > 0 && (result->hash[0] | result->hash[1]) != 0;
}

bool crawl_counts_body(const struct weft_crawl_result *result)
{
    return crawl_has_body(result) && !weft_text_is(result->note, same_note);
}

/* What counts against traps is not kept: it follows from what is known. */
void crawl_count_again(struct crawl *crawl, struct weft_text url, unsigned depth,
                       const struct weft_crawl_result *result)
{
    bool page = result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN ||
                result->what == WEFT_CRAWL_WAITING; /* for another time */
    trap_seen(&crawl->trap, url, depth, 1);
    if (page && crawl_counts_body(result))
        trap_body(&crawl->trap, url, result->hash);
}

/* Its URL is crawl->other. */
static int wait_on(const struct changes *changes, weft_crawl_id id, unsigned depth,
                   const struct weft_crawl_result *result)
{
    struct crawl *crawl = changes->crawl;
    bool near = is_near(changes, depth);
    update_waits(crawl, id, result, near);
    /* What was asked for before, and failed, comes last: or a limit may stop each run among that. An update knows
     * what comes first. */
    if (near && result->fetched != 0 && crawl->update.since == 0)
        return follow_last(crawl, &crawl->other, id);
    if (near)
        return follow_again(crawl, &crawl->other, id);
    crawl->left_out = true; /* until a page needs it, or the nesting is larger */
    return 0;
}

static int sort_out(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
                    const struct weft_crawl_result *result, void *context)
{
    struct changes *changes = context;
    struct crawl *crawl = changes->crawl;
    unsigned depth = weft_crawl_depth(state, id);
    crawl_count_again(crawl, url, depth, result);
    enum weft_crawl_what what = next_for(changes, depth, result);
    bool asked = is_asked_again(changes, depth, result);
    widen_update(changes, result, asked, what);
    if (asked || lacks_file(crawl, result))
        what = WEFT_CRAWL_WAITING;
    if (what != WEFT_CRAWL_WAITING && what != WEFT_CRAWL_AGAIN)
        return 0;
    int err = weft_url_parse(&crawl->other, url, NULL);
    if (err != 0)
        return err;
    bool wanted = !changes->rules || is_wanted(crawl);
    if (!wanted)
        what = without(result->what);
    if (what != result->what)
        err = weft_crawl_set(state, id, what);
    if (err != 0 || !wanted)
        return err;
    if (what == WEFT_CRAWL_WAITING)
        return wait_on(changes, id, depth, result);
    weft_crawl_line_push(state, &crawl->again, id);
    return 0;
}

static int look_again(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
                      const struct weft_crawl_result *result, void *context)
{
    struct crawl *crawl = context;
    if (result->what == WEFT_CRAWL_MOVED && result->redirect == 0) {
        int err = weft_url_parse(&crawl->other, url, NULL);
        return err == 0 ? follow_again(crawl, &crawl->other, id) : err;
    }
    if (result->what != WEFT_CRAWL_DONE)
        return 0;
    int err = weft_crawl_set(state, id, WEFT_CRAWL_AGAIN);
    if (err == 0)
        weft_crawl_line_push(state, &crawl->again, id);
    return err;
}

int crawl_look_again(struct crawl *crawl)
{
    crawl->scope_round++;
    return weft_crawl_each(&crawl->state, look_again, crawl);
}

/* ---- where it begins ------------------------------------------------------------------------ */

/* "example.org/a" is a URL to people. */
int crawl_parse_start(struct crawl *crawl, const char *text)
{
    struct weft_url *url = &crawl->link;
    int err = weft_url_parse(url, weft_text_of(text), NULL);
    bool short_form = strstr(text, "://") == NULL;
    if (short_form && (err == UV_EINVAL || (err == 0 && !weft_url_is_http(url)))) {
        char *longer = weft_alloc(strlen(text) + sizeof "http://");
        if (longer == NULL)
            return UV_ENOMEM;
        snprintf(longer, strlen(text) + sizeof "http://", "http://%s", text);
        err = weft_url_parse(url, weft_text_of(longer), NULL);
        weft_free(longer);
    }
    if (err == 0 && !weft_url_is_http(url))
        return UV_EINVAL;
    weft_url_drop_fragment(url);
    return err;
}

static int add_scope(struct crawl *crawl, const char *text)
{
    int err = crawl_parse_start(crawl, text);
    if (err == UV_EINVAL || err == UV_E2BIG) {
        complain("'%.200s' is no http or https URL%s", text,
                 err == UV_E2BIG ? ": it is too long" : "");
        return UV_EINVAL;
    }
    if (err == UV_ENOSYS) {
        complain("'%.200s' cannot be read: ICU is not there for a host outside ASCII", text);
        return UV_EINVAL;
    }
    if (err == 0 && crawl->link.kind == WEFT_URL_HTTP)
        crawl->in_clear = true;
    if (err != 0)
        return err;
    if (crawl->link.user_begin != crawl->link.host_begin) {
        complain("there is a password in a start URL: use --user and --password-file");
        return UV_EINVAL;
    }
    bool path = crawl->settings->scope_kind == SCOPE_PATH;
    crawl->places += name_hash(path ? crawl->link.href : weft_url_host(&crawl->link));
    err = scope_add_start(&crawl->trusted, &crawl->link);
    return err == 0 ? scope_add_start(&crawl->scope, &crawl->link) : err;
}

static int see_start(struct crawl *crawl, const char *text)
{
    weft_crawl_id id = 0;
    int err = crawl_parse_start(crawl, text);
    if (err == 0)
        err = follow_see(crawl, &crawl->link, 0, 0, &id);
    /* Rules do not apply to what the user names. */
    if (err == 0 && weft_crawl_what(&crawl->state, id) == WEFT_CRAWL_SKIPPED)
        err = follow_again(crawl, &crawl->link, id);
    if (err != 0)
        return err;
    bool there = weft_crawl_what(&crawl->state, id) != WEFT_CRAWL_WAITING;
    crawl->starts[crawl->starts_count++] = (struct start){.id = id, .there = there};
    return 0;
}

int crawl_open_scope(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    char message[SCOPE_MESSAGE_MAX];
    struct scope_rules rules = {.kind = settings->scope_kind,
                                .page_requisites = settings->requisites,
                                .hosts = &settings->hosts,
                                .include = &settings->include,
                                .exclude = &settings->exclude,
                                .include_regex = &settings->include_regex,
                                .exclude_regex = &settings->exclude_regex};
    int err = scope_init(&crawl->scope, &rules, message);
    if (err == 0)
        err = scope_init(&crawl->trusted, &rules, message);
    if (err != 0)
        complain("%s", message);
    for (size_t i = 0; err == 0 && i < settings->urls_count; i++)
        err = add_scope(crawl, settings->urls[i]);
    return err;
}

/* All lines, but for where the crawl began: who only asks need not say that again. */
static bool same_rules(struct weft_text one, struct weft_text other)
{
    while (one.size > 0 && other.size > 0) {
        struct weft_text line = weft_text_cut(&one, '\n'), its = weft_text_cut(&other, '\n');
        bool places = weft_text_starts(line, places_line) && weft_text_starts(its, places_line);
        if (!places && !weft_text_equal(line, its))
            return false;
    }
    return one.size == other.size;
}

bool crawl_has_rules(struct crawl *crawl)
{
    struct weft_text value;
    char *text = rules_text(crawl);
    bool same = text == NULL || kept(crawl, key_rules, &value) != 0 || value.data == NULL ||
                same_rules(value, weft_text_of(text));
    weft_free(text);
    return same;
}

const char *crawl_nesting_text(struct crawl *crawl)
{
    static char text[48];
    unsigned nesting = nesting_of(crawl->settings);
    if (!crawl->settings->nesting_given)
        kept_number(crawl, key_nesting, &nesting);
    if (nesting >= NESTING_ENDLESS)
        return "as far as they lead";
    snprintf(text, sizeof text, "%u away from a start URL", nesting);
    return text;
}

int crawl_load(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    struct changes changes = {0};
    int err = crawl_open_scope(crawl);
    if (err != 0)
        return err;
    crawl->starts = weft_calloc(settings->urls_count, sizeof *crawl->starts);
    crawl->trap = (struct trap){.limits = settings->traps, .state = &crawl->state};
    err = crawl->starts == NULL ? UV_ENOMEM : trap_open(&crawl->trap);
    if (err == 0)
        err = crawl_recall_scope(crawl);
    if (err == 0)
        err = recall_adopt(crawl);
    if (err == 0)
        err = offline_load(crawl);
    if (err == 0)
        err = update_load(crawl);
    if (err == 0)
        err = find_changes(crawl, &changes);
    if (err == 0)
        err = weft_crawl_each(&crawl->state, sort_out, &changes);
    if (crawl->update.since == 0)
        hosts_take_held(crawl);
    if (err == 0)
        err = keep_changes(crawl, &changes);
    if (err == 0)
        err = open_edges(crawl, &changes);
    weft_free(changes.text);
    for (size_t i = 0; err == 0 && i < settings->urls_count; i++)
        err = see_start(crawl, settings->urls[i]);
    if (err != 0)
        complain("cannot go on with the crawl in '%s': %s", crawl->folder_path, weft_strerror(err));
    return err;
}
