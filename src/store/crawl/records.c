/* What is written down, byte by byte.
 *
 * A change is
 *
 *     size      4   of what follows the head
 *     ~size     4   so that a size that was scribbled over is not taken for one that was cut off
 *     checksum  8   of what follows
 *     kind      1
 *     id        4   (URL, RESULT, MARK), or the size of the key, 2, and the key (THING)
 *     value         what the record in the database holds, after its own checksum
 *
 * A journal is written front to back, so what a killed process leaves behind is a part of its last
 * change: less than a head, or a good head with too little behind it. Everything else that does not
 * fit is damage. Whatever has the right checksum was written here, but values are looked at all the
 * same: nothing that is read leads outside of what was read. */
#include "records.h"
#include "wire.h"

enum { KIND = 1, ID = 4, KEY_SIZE = 2, BATCH_SIZE = 8 };

/* The fields of a result, as they lie. */
enum {
    AT_WHAT = 0,
    AT_DEPTH = 1,
    AT_STATUS = 3,
    AT_HTTP = 7,
    AT_ATTEMPTS = 11,
    AT_REDIRECT = 15,
    AT_SIZE = 19,
    AT_HASH = 27,
    AT_FETCHED = 43,
    AT_TEXT_SIZES = 51,
    TEXTS = 5,
    AT_TEXTS = AT_TEXT_SIZES + 2 * TEXTS,
    TEXT_MAX = UINT16_MAX
};

static size_t body_size(const struct weft__crawl_change *change)
{
    switch (change->kind) {
    case WEFT__CRAWL_BATCH:
        return KIND + BATCH_SIZE;
    case WEFT__CRAWL_THING:
        return KIND + KEY_SIZE + change->key.size + change->value.size;
    default:
        return KIND + ID + change->value.size;
    }
}

size_t weft__crawl_change_size(const struct weft__crawl_change *change)
{
    return WEFT__CRAWL_CHANGE_HEAD + body_size(change);
}

static char *append(char *at, struct weft_text text)
{
    if (text.size > 0)
        memcpy(at, text.data, text.size);
    return at + text.size;
}

void weft__crawl_change_write(const struct weft__crawl_key *key,
                              const struct weft__crawl_change *change, char *at)
{
    size_t size = body_size(change);
    char *body = at + WEFT__CRAWL_CHANGE_HEAD, *rest = body + KIND;
    body[0] = (char)change->kind;
    if (change->kind == WEFT__CRAWL_BATCH) {
        wire_put(rest, change->batch, BATCH_SIZE);
    } else if (change->kind == WEFT__CRAWL_THING) {
        wire_put(rest, change->key.size, KEY_SIZE);
        append(append(rest + KEY_SIZE, change->key), change->value);
    } else {
        wire_put(rest, change->id, ID);
        append(rest + ID, change->value);
    }
    wire_put(at, size, 4);
    wire_put(at + 4, ~size, 4);
    wire_put(at + 8, weft__crawl_checksum(key, 0, weft_text(NULL, 0), weft_text(body, size)), 8);
}

static struct weft_text behind(struct weft_text text, size_t bytes)
{
    return weft_text(text.data + bytes, text.size - bytes);
}

/* Take the body apart. false: it is too short for its kind, or of no kind. */
static bool split(struct weft_text body, struct weft__crawl_change *change)
{
    *change = (struct weft__crawl_change){0};
    if (body.size < KIND)
        return false;
    change->kind = (enum weft__crawl_kind)body.data[0];
    body = behind(body, KIND);
    switch (change->kind) {
    case WEFT__CRAWL_BATCH:
        if (body.size != BATCH_SIZE)
            return false;
        change->batch = wire_get64(body.data);
        return true;
    case WEFT__CRAWL_THING:
        if (body.size < KEY_SIZE || body.size - KEY_SIZE < wire_get16(body.data))
            return false;
        change->key = weft_text(body.data + KEY_SIZE, wire_get16(body.data));
        change->value = behind(body, KEY_SIZE + change->key.size);
        return true;
    case WEFT__CRAWL_URL:
    case WEFT__CRAWL_RESULT:
    case WEFT__CRAWL_MARK:
        if (body.size < ID)
            return false;
        change->id = wire_get32(body.data);
        change->value = behind(body, ID);
        return change->id != 0;
    }
    return false;
}

/* Is the value one that this kind can have? */
static bool plausible(const struct weft__crawl_change *change)
{
    struct weft__crawl_url url;
    struct weft_crawl_result result;
    enum weft_crawl_what what;
    uint16_t depth;
    switch (change->kind) {
    case WEFT__CRAWL_BATCH:
        return true;
    case WEFT__CRAWL_URL:
        return weft__crawl_url_read(change->value, &url) == 0;
    case WEFT__CRAWL_RESULT:
        return weft__crawl_result_read(change->value, &result, &depth) == 0;
    case WEFT__CRAWL_MARK:
        return weft__crawl_mark_read(change->value, &what, &depth) == 0;
    case WEFT__CRAWL_THING:
        return change->key.size > 0 && change->key.size <= WEFT__CRAWL_THING_KEY_MAX &&
               change->value.size <= WEFT__CRAWL_THING_MAX;
    }
    return false;
}

int weft__crawl_change_read(const struct weft__crawl_key *key, struct weft_text *rest,
                            struct weft__crawl_change *change)
{
    if (rest->size < WEFT__CRAWL_CHANGE_HEAD) {
        /* Less than a head; but as far as it goes, it must look like one. */
        return rest->size >= 8 && wire_get32(rest->data) != (uint32_t)~wire_get32(rest->data + 4)
                   ? WEFT_EDAMAGED
                   : 0;
    }
    size_t size = wire_get32(rest->data);
    if ((uint32_t)size != (uint32_t)~wire_get32(rest->data + 4))
        return WEFT_EDAMAGED;
    if (rest->size - WEFT__CRAWL_CHANGE_HEAD < size)
        return 0;
    struct weft_text body = weft_text(rest->data + WEFT__CRAWL_CHANGE_HEAD, size);
    if (weft__crawl_checksum(key, 0, weft_text(NULL, 0), body) != wire_get64(rest->data + 8) ||
        !split(body, change) || !plausible(change))
        return WEFT_EDAMAGED;
    *rest = behind(*rest, WEFT__CRAWL_CHANGE_HEAD + size);
    return 1;
}

size_t weft__crawl_change_peek(const char *at, struct weft__crawl_change *change)
{
    size_t size = wire_get32(at);
    split(weft_text(at + WEFT__CRAWL_CHANGE_HEAD, size), change);
    return WEFT__CRAWL_CHANGE_HEAD + size;
}

/* ---- the values ----------------------------------------------------------------------------- */

static bool is_what(unsigned what)
{
    return what >= WEFT_CRAWL_WAITING && what <= WEFT_CRAWL_SKIPPED;
}

void weft__crawl_url_head(char at[WEFT__CRAWL_URL_HEAD], weft_crawl_id referrer, uint16_t depth)
{
    wire_put(at, referrer, 4);
    wire_put(at + 4, depth, 2);
}

int weft__crawl_url_read(struct weft_text value, struct weft__crawl_url *url)
{
    if (value.size < WEFT__CRAWL_URL_HEAD || value.size - WEFT__CRAWL_URL_HEAD > WEFT_CRAWL_URL_MAX)
        return WEFT_EDAMAGED;
    url->referrer = wire_get32(value.data);
    url->depth = wire_get16(value.data + 4);
    url->text = behind(value, WEFT__CRAWL_URL_HEAD);
    return 0;
}

void weft__crawl_mark_write(char at[WEFT__CRAWL_MARK_SIZE], enum weft_crawl_what what,
                            uint16_t depth)
{
    at[0] = (char)what;
    wire_put(at + 1, depth, 2);
}

int weft__crawl_mark_read(struct weft_text value, enum weft_crawl_what *what, uint16_t *depth)
{
    if (value.size != WEFT__CRAWL_MARK_SIZE || !is_what((unsigned char)value.data[0]))
        return WEFT_EDAMAGED;
    *what = (enum weft_crawl_what)value.data[0];
    *depth = wire_get16(value.data + 1);
    return 0;
}

static void texts_of(const struct weft_crawl_result *result, struct weft_text texts[TEXTS])
{
    texts[0] = result->etag;
    texts[1] = result->last_modified;
    texts[2] = result->media_type;
    texts[3] = result->file;
    texts[4] = result->note;
}

int weft__crawl_result_size(const struct weft_crawl_result *result, size_t *size)
{
    struct weft_text texts[TEXTS];
    if (!is_what(result->what))
        return UV_EINVAL;
    texts_of(result, texts);
    *size = AT_TEXTS;
    for (unsigned i = 0; i < TEXTS; i++) {
        if (texts[i].size > TEXT_MAX)
            return UV_E2BIG;
        *size += texts[i].size;
    }
    return 0;
}

void weft__crawl_result_write(const struct weft_crawl_result *result, uint16_t depth, char *at)
{
    struct weft_text texts[TEXTS];
    at[AT_WHAT] = (char)result->what;
    wire_put(at + AT_DEPTH, depth, 2);
    wire_put(at + AT_STATUS, (uint32_t)result->status, 4);
    wire_put(at + AT_HTTP, (uint32_t)result->http_status, 4);
    wire_put(at + AT_ATTEMPTS, result->attempts, 4);
    wire_put(at + AT_REDIRECT, result->redirect, 4);
    wire_put(at + AT_SIZE, result->size, 8);
    wire_put(at + AT_HASH, result->hash[0], 8);
    wire_put(at + AT_HASH + 8, result->hash[1], 8);
    wire_put(at + AT_FETCHED, (uint64_t)result->fetched, 8);
    texts_of(result, texts);
    char *end = at + AT_TEXTS;
    for (unsigned i = 0; i < TEXTS; i++) {
        wire_put(at + AT_TEXT_SIZES + (size_t)2 * i, texts[i].size, 2);
        end = append(end, texts[i]);
    }
}

int weft__crawl_result_read(struct weft_text value, struct weft_crawl_result *result,
                            uint16_t *depth)
{
    struct weft_text texts[TEXTS];
    if (value.size < AT_TEXTS || !is_what((unsigned char)value.data[AT_WHAT]))
        return WEFT_EDAMAGED;
    size_t at = AT_TEXTS;
    for (unsigned i = 0; i < TEXTS; i++) {
        size_t size = wire_get16(value.data + AT_TEXT_SIZES + (size_t)2 * i);
        if (value.size - at < size)
            return WEFT_EDAMAGED;
        texts[i] = weft_text(value.data + at, size);
        at += size;
    }
    if (at != value.size)
        return WEFT_EDAMAGED;
    *result = (struct weft_crawl_result){
        .what = (enum weft_crawl_what)value.data[AT_WHAT],
        .status = (int32_t)wire_get32(value.data + AT_STATUS),
        .http_status = (int32_t)wire_get32(value.data + AT_HTTP),
        .attempts = wire_get32(value.data + AT_ATTEMPTS),
        .redirect = wire_get32(value.data + AT_REDIRECT),
        .size = wire_get64(value.data + AT_SIZE),
        .hash = {wire_get64(value.data + AT_HASH), wire_get64(value.data + AT_HASH + 8)},
        .fetched = (int64_t)wire_get64(value.data + AT_FETCHED),
        .etag = texts[0],
        .last_modified = texts[1],
        .media_type = texts[2],
        .file = texts[3],
        .note = texts[4]};
    *depth = wire_get16(value.data + AT_DEPTH);
    return 0;
}
