/* Traps: what can be seen in a URL, and what is counted.
 *
 * A pattern is a URL with "#" for every number, and for every long word with a digit in it, which is
 * the number of a session or the like.
 *
 * The counts of hosts, patterns and bodies are in one table, told apart by a first byte that goes
 * into their hashes. A key has four places, which are one line of the cache. */
#include "spider/trap.h"
#include <weft.h>

int trap_open(struct trap *trap)
{
    trap->slots = weft_calloc((size_t)TRAP_BUCKETS * TRAP_WAYS, sizeof *trap->slots);
    trap->buckets = TRAP_BUCKETS;
    return trap->slots != NULL ? 0 : UV_ENOMEM;
}

void trap_close(struct trap *trap)
{
    weft_free(trap->slots);
    trap->slots = NULL;
}

/* ---- what can be seen ----------------------------------------------------------------------- */

/* Few enough are compared that the square of it is nothing. */
static bool has_repeats(struct weft_text path, uint64_t most)
{
    struct weft_text parts[TRAP_PARTS];
    size_t count = 0;
    weft_text_cut(&path, '/');
    while (path.data != NULL) {
        struct weft_text part = weft_text_cut(&path, '/');
        uint64_t times = 1;
        if (count == TRAP_PARTS)
            return true;
        for (size_t i = 0; i < count; i++)
            times += weft_text_equal(parts[i], part);
        if (times > most)
            return true;
        parts[count++] = part;
    }
    return false;
}

static bool has_params(struct weft_text query, uint64_t most)
{
    uint64_t count = query.size > 0;
    for (size_t i = 0; i < query.size; i++)
        count += query.data[i] == '&' || query.data[i] == ';';
    return count > most;
}

enum trap_kind trap_of_url(const struct trap_limits *limits, const struct weft_url *url)
{
    if (limits->url > 0 && url->href.size > limits->url)
        return TRAP_LONG;
    if (limits->repeats > 0 && has_repeats(weft_url_pathname(url), limits->repeats))
        return TRAP_REPEATS;
    if (limits->params > 0 && has_params(weft_url_query(url), limits->params))
        return TRAP_PARAMS;
    return TRAP_NONE;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static bool is_last(const struct trap_key *last, struct weft_text text)
{
    return last->size > 0 && weft_text_equal(weft_text(last->text, last->size), text);
}

static void keep_last(struct trap_key *last, struct weft_text text, uint64_t key)
{
    last->size = text.size <= sizeof last->text ? text.size : 0;
    if (last->size > 0)
        memcpy(last->text, text.data, text.size);
    last->key = key;
}

static uint64_t key_end(struct weft_crawl_hash *hash)
{
    uint64_t out[2];
    weft_crawl_hash_end(hash, out);
    return out[0];
}

/* "http://example.org:8080" */
static struct weft_text origin_of(struct weft_text href)
{
    size_t at = 0;
    for (unsigned slashes = 0; at < href.size; at++) {
        slashes += href.data[at] == '/';
        if (slashes == 3)
            break;
    }
    return weft_text(href.data, at);
}

static uint64_t host_key(struct trap *trap, struct weft_text origin)
{
    struct weft_crawl_hash hash;
    if (!is_last(&trap->host, origin)) {
        weft_crawl_hash_begin(trap->state, &hash);
        weft_crawl_hash_add(&hash, "h", 1);
        weft_crawl_hash_add(&hash, origin.data, origin.size);
        keep_last(&trap->host, origin, key_end(&hash));
    }
    return trap->host.key;
}

static uint64_t body_key(struct trap *trap, struct weft_text href, const uint64_t body[2])
{
    struct weft_crawl_hash hash;
    uint64_t words[] = {'b', host_key(trap, origin_of(href)), body[0], body[1]};
    weft_crawl_hash_begin(trap->state, &hash);
    weft_crawl_hash_add(&hash, words, sizeof words);
    return key_end(&hash);
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* What goes into a hash, in a few large pieces. */
struct pen {
    struct weft_crawl_hash hash;
    size_t used;
    char text[256];
};

static void put(struct pen *pen, const char *text, size_t size)
{
    if (size > sizeof pen->text - pen->used) {
        weft_crawl_hash_add(&pen->hash, pen->text, pen->used);
        pen->used = 0;
    }
    if (size > sizeof pen->text) {
        weft_crawl_hash_add(&pen->hash, text, size);
    } else {
        memcpy(pen->text + pen->used, text, size);
        pen->used += size;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A word, with "#" for the numbers in it. */
static void put_word(struct pen *pen, struct weft_text word)
{
    for (size_t at = 0, end; at < word.size; at = end) {
        bool digits = is_digit(word.data[at]);
        for (end = at + 1; end < word.size && is_digit(word.data[end]) == digits;)
            end++;
        put(pen, digits ? "#" : word.data + at, digits ? 1 : end - at);
    }
}

/* Words without a number go together with what is around them. */
static void put_words(struct pen *pen, struct weft_text text)
{
    size_t plain = 0; /* from here on nothing was put */
    for (size_t at = 0, end; at < text.size; at = end) {
        bool digits = false;
        for (end = at; end < text.size && is_of_word(text.data[end]); end++)
            digits |= is_digit(text.data[end]);
        if (digits) {
            put(pen, text.data + plain, at - plain);
            if (end - at >= TRAP_WORD)
                put(pen, "#", 1);
            else
                put_word(pen, weft_text(text.data + at, end - at));
            plain = end;
        }
        end += end == at;
    }
    put(pen, text.data + plain, text.size - plain);
}

static uint64_t pattern_key(struct trap *trap, struct weft_text href)
{
    if (is_last(&trap->pattern, href))
        return trap->pattern.key;
    struct weft_text origin = origin_of(href);
    uint64_t words[] = {'p', host_key(trap, origin)};
    struct pen pen = {.used = 0};
    weft_crawl_hash_begin(trap->state, &pen.hash);
    put(&pen, (const char *)words, sizeof words);
    put_words(&pen, weft_text(href.data + origin.size, href.size - origin.size));
    weft_crawl_hash_add(&pen.hash, pen.text, pen.used);
    keep_last(&trap->pattern, href, key_end(&pen.hash));
    return trap->pattern.key;
}

/* ---- the table ------------------------------------------------------------------------------ */

static struct trap_slot *bucket_of(const struct trap *trap, uint64_t key)
{
    return trap->slots + TRAP_WAYS * (size_t)(key % trap->buckets);
}

/* NULL: it was never counted, or is forgotten. */
static struct trap_slot *find(const struct trap *trap, uint64_t key)
{
    struct trap_slot *slot = bucket_of(trap, key);
    for (size_t i = 0; i < TRAP_WAYS; i++) {
        if (slot[i].count > 0 && slot[i].key == key)
            return &slot[i];
    }
    return NULL;
}

/* The place of a new key: the emptiest. */
static struct trap_slot *place_for(const struct trap *trap, uint64_t key)
{
    struct trap_slot *slots = bucket_of(trap, key), *least = slots;
    for (size_t i = 1; i < TRAP_WAYS; i++) {
        if (slots[i].count < least->count)
            least = &slots[i];
    }
    return least;
}

/* A bucket's keys go to four that nobody else's do: there is room for all of them. */
static bool grow(struct trap *trap)
{
    size_t count = trap->buckets * TRAP_WAYS;
    struct trap_slot *before = trap->slots, *slots = NULL;
    if (trap->buckets < TRAP_BUCKETS_MAX)
        slots = weft_calloc(4 * count, sizeof *slots);
    if (slots == NULL)
        return false;
    trap->slots = slots;
    trap->buckets *= 4;
    for (size_t i = 0; i < count; i++) {
        if (before[i].count > 0)
            *place_for(trap, before[i].key) = before[i];
    }
    weft_free(before);
    return true;
}

/* Nothing is forgotten as long as the table can grow. */
static struct trap_slot *make(struct trap *trap, uint64_t key, uint16_t depth)
{
    struct trap_slot *slot = place_for(trap, key);
    while (slot->count > 0 && grow(trap))
        slot = place_for(trap, key);
    *slot = (struct trap_slot){.key = key, .depth = depth};
    return slot;
}

static const struct trap_slot *count(struct trap *trap, uint64_t key, unsigned depth, unsigned more)
{
    uint16_t near = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX;
    struct trap_slot *slot = find(trap, key);
    if (slot == NULL && more == 0)
        return NULL;
    if (slot == NULL)
        slot = make(trap, key, near);
    if (slot->count <= UINT32_MAX - more)
        slot->count += more;
    if (near < slot->depth)
        slot->depth = near;
    return slot;
}

/* ---- counted -------------------------------------------------------------------------------- */

void trap_seen(struct trap *trap, struct weft_text href, unsigned depth, unsigned more)
{
    count(trap, pattern_key(trap, href), depth, more);
    count(trap, host_key(trap, origin_of(href)), depth, more);
}

uint64_t trap_host(struct trap *trap, struct weft_text href)
{
    return host_key(trap, origin_of(href));
}

static uint64_t farthest_of(const struct trap *trap, const struct trap_slot *pattern)
{
    bool bounded = pattern != NULL && trap->limits.chain > 0;
    return bounded ? pattern->depth + trap->limits.chain : UINT64_MAX;
}

uint64_t trap_farthest(struct trap *trap, struct weft_text href)
{
    return farthest_of(trap, find(trap, pattern_key(trap, href)));
}

enum trap_kind trap_ask(struct trap *trap, const struct weft_url *url, unsigned depth)
{
    const struct trap_limits *limits = &trap->limits;
    enum trap_kind kind = trap_of_url(limits, url);
    if (kind != TRAP_NONE)
        return kind;
    const struct trap_slot *host = find(trap, host_key(trap, origin_of(url->href)));
    if (host != NULL && limits->per_host > 0 && host->count >= limits->per_host)
        return TRAP_HOST;
    const struct trap_slot *pattern = find(trap, pattern_key(trap, url->href));
    if (pattern != NULL && limits->like > 0 && pattern->count >= limits->like)
        return TRAP_LIKE;
    return depth > farthest_of(trap, pattern) ? TRAP_CHAIN : TRAP_NONE;
}

bool trap_body(struct trap *trap, struct weft_text href, const uint64_t hash[2])
{
    const struct trap_slot *slot = count(trap, body_key(trap, href, hash), 0, 1);
    return trap->limits.same > 0 && slot->count > trap->limits.same;
}

bool trap_leave_out(struct trap *trap, const struct weft_url *url, enum trap_kind kind)
{
    struct trap_slot *slot = NULL;
    trap->left_out[kind]++;
    if (kind == TRAP_HOSTS)
        return trap->left_out[kind] == 1;
    if (kind == TRAP_HOST)
        slot = find(trap, host_key(trap, origin_of(url->href)));
    else if (kind == TRAP_LIKE || kind == TRAP_CHAIN)
        slot = find(trap, pattern_key(trap, url->href));
    if (slot == NULL || slot->told)
        return false;
    slot->told = true;
    return true;
}

/* ---- words ---------------------------------------------------------------------------------- */

static const char *const words[TRAP_KINDS][2] = {
    [TRAP_NONE] = {"", ""},
    [TRAP_LONG] = {"the URL is too long", "--max-url"},
    [TRAP_REPEATS] = {"its path goes round in circles", "--max-repeats"},
    [TRAP_PARAMS] = {"it has too many parameters", "--max-params"},
    [TRAP_HOSTS] = {"there are more hosts than that", "--max-hosts"},
    [TRAP_HOST] = {"its host has more URLs than that", "--max-per-host"},
    [TRAP_LIKE] = {"too many differ from it in numbers only", "--max-like"},
    [TRAP_CHAIN] = {"it is too far from the first that differs in numbers only", "--max-chain"},
    [TRAP_SAME] = {"too many pages are the same", "--max-same"},
};

const char *trap_reason(enum trap_kind kind)
{
    return words[kind][0];
}

const char *trap_option(enum trap_kind kind)
{
    return words[kind][1];
}
