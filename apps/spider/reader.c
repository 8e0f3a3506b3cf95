/* A body, in three steps: taken, digested, followed. See reader.h.
 *
 * A link that is noted is a struct noted and its text, one behind the other, without gaps: they are
 * copied out, never pointed at. */
#include "spider/reader.h"
#include <string.h>
#include <weft.h>
#include <weft/http_message.h>

bool reader_type(struct weft_text content_type, struct weft_text name, enum weft_links_type *type,
                 struct weft_text *charset)
{
    struct weft_http_content_type parsed;
    if (weft_http_content_type_parse(content_type, &parsed) != 0) {
        const char *guess = weft_http_media_type(name);
        weft_http_content_type_parse(weft_text_of(guess), &parsed);
        parsed.charset = weft_text(NULL, 0); /* ours, not the server's */
    }
    *charset = parsed.charset;
    *type = WEFT_LINKS_HTML;
    if (weft_http_content_type_is(&parsed, "text/html"))
        return true;
    *type = WEFT_LINKS_XHTML;
    if (weft_http_content_type_is(&parsed, "application/xhtml+xml"))
        return true;
    *type = WEFT_LINKS_CSS;
    return weft_http_content_type_is(&parsed, "text/css");
}

bool reader_is_unknown(struct weft_text content_type, struct weft_text name)
{
    struct weft_http_content_type parsed;
    return weft_http_content_type_parse(content_type, &parsed) != 0 &&
           strcmp(weft_http_media_type(name), "application/octet-stream") == 0;
}

enum reader_look reader_look(const char *data, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t at = size >= 3 && memcmp(data, mark, 3) == 0 ? 3 : 0;
    while (at < size && data[at] != '\0' && strchr(" \t\r\n\f", data[at]) != NULL)
        at++;
    if (at == size)
        return READER_BLANK;
    return data[at] == '<' ? READER_PAGE : READER_NO_PAGE;
}

bool reader_type_of(struct weft_text content_type, struct weft_text name, struct weft_text body,
                    enum weft_links_type *type, struct weft_text *charset, bool *untold)
{
    *untold = false;
    if (reader_type(content_type, name, type, charset))
        return true;
    *untold =
        reader_is_unknown(content_type, name) && reader_look(body.data, body.size) == READER_PAGE;
    *type = WEFT_LINKS_HTML;
    return *untold;
}

/* ---- buffers -------------------------------------------------------------------------------- */

/* Room for size bytes more. Doubled, so that n bytes are not copied more than twice. */
static bool reserve(struct reader_buffer *buffer, size_t size)
{
    size_t wanted = buffer->used + size, room = buffer->room < 4096 ? 4096 : buffer->room;
    if (wanted <= buffer->room)
        return true;
    while (room < wanted)
        room *= 2;
    if (buffer->used == 0) { /* what was in it before need not come along */
        weft_free(buffer->data);
        *buffer = (struct reader_buffer){0};
    }
    char *data = weft_realloc(buffer->data, room);
    if (data == NULL)
        return false;
    buffer->data = data;
    buffer->room = room;
    return true;
}

/* Where size bytes more go; NULL: no memory. */
static char *append(struct reader_buffer *buffer, size_t size)
{
    if (!reserve(buffer, size))
        return NULL;
    buffer->used += size;
    return buffer->data + buffer->used - size;
}

static void shrink(struct reader_buffer *buffer)
{
    buffer->used = 0;
    if (buffer->room <= READER_IDLE)
        return;
    weft_free(buffer->data);
    *buffer = (struct reader_buffer){0};
}

/* ---- taken ---------------------------------------------------------------------------------- */

int reader_begin(struct reader *reader, const struct weft_crawl *state, const struct weft_url *url)
{
    reader->linked = reader->places = false;
    reader->size = 0;
    reader->body.used = reader->found.used = 0;
    swaps_begin(&reader->swaps, 0);
    reader->moved.size = 0;
    reader->moved.failed = false;
    reader->number = 0;
    reader->digested = 0;
    weft_crawl_hash_begin_light(state, &reader->hash);
    reader->memo.file = 0;
    memo_key_begin(&reader->memo, state, url);
    return weft_url_copy(&reader->base, url);
}

int reader_expect(struct reader *reader, uint64_t size)
{
    return reserve(&reader->body, size < READER_IDLE ? (size_t)size : READER_IDLE) ? 0 : UV_ENOMEM;
}

int reader_take(struct reader *reader, const char *data, size_t size)
{
    char *to = append(&reader->body, size);
    if (to == NULL)
        return UV_ENOMEM;
    if (size > 0)
        memcpy(to, data, size);
    reader->size += size;
    return 0;
}

void reader_empty(struct reader *reader)
{
    reader->body.used = 0;
    reader->digested = 0;
}

/* ---- digested ------------------------------------------------------------------------------- */

struct noted {
    uint32_t size;  /* of the text behind it, */
    uint32_t plain; /* and without its fragment */
    uint64_t hash;  /* of that */
    uint64_t start, end;
    enum weft_link_kind kind;
    enum weft_link_from from;
    bool nofollow, in_attribute;
    char quote;
};

/* Without its fragment: that is a place in a page, and makes one page look like many. Only who writes
 * the link anew needs it. */
static int note(struct weft_links *links, const struct weft_link *link)
{
    struct reader *reader = links->context;
    struct weft_text rest = link->url, plain = weft_text_cut(&rest, '#');
    struct weft_text url = reader->places ? link->url : plain;
    struct noted noted = {.size = (uint32_t)url.size,
                          .plain = (uint32_t)plain.size,
                          .hash = memo_hash(plain),
                          .start = link->start,
                          .end = link->end,
                          .kind = link->kind,
                          .from = link->from,
                          .nofollow = link->nofollow,
                          .in_attribute = link->in_attribute,
                          .quote = link->quote};
    char *to = append(&reader->found, sizeof noted + url.size);
    if (to == NULL)
        return UV_ENOMEM;
    memcpy(to, &noted, sizeof noted);
    if (url.size > 0)
        memcpy(to + sizeof noted, url.data, url.size);
    return 0;
}

int reader_links(struct reader *reader, enum weft_links_type type, struct weft_text charset)
{
    reader->links.on_link = note;
    reader->links.context = reader;
    reader->links.guards = reader->places;
    reader->linked = true;
    return weft_links_begin(&reader->links, type, charset);
}

int reader_digest(struct reader *reader)
{
    size_t size = reader->body.used - reader->digested;
    if (size == 0)
        return 0; /* there may be no body.data at all */
    const char *data = reader->body.data + reader->digested;
    reader->digested = reader->body.used;
    weft_crawl_hash_add(&reader->hash, data, size);
    return reader->linked ? weft_links_feed(&reader->links, data, size) : 0;
}

int reader_end(struct reader *reader, uint64_t hash[2])
{
    int err = reader_digest(reader);
    weft_crawl_hash_end(&reader->hash, hash);
    return err == 0 && reader->linked ? weft_links_end(&reader->links) : err;
}

int reader_scan(struct reader *reader, const char *data, size_t size)
{
    return size > 0 ? weft_links_feed(&reader->links, data, size) : weft_links_end(&reader->links);
}

/* ---- followed ------------------------------------------------------------------------------- */

enum { SOON = 4 };

/* The link at `at` is followed soon; where the next one is. The table that it is looked for in is larger than
 * what is near to the processor. */
static size_t announce(const struct reader *reader, const struct memo *memo, size_t at)
{
    struct noted noted;
    if (at >= reader->found.used)
        return at;
    memcpy(&noted, reader->found.data + at, sizeof noted);
    memo_soon(memo, &reader->memo, noted.hash);
    return at + sizeof noted + noted.size;
}

/* A form leads to the network in a copy, whatever a link with its text does. */
static int follow_noted(const struct noted *noted, const char *text, reader_follow_fn *follow,
                        void *context)
{
    struct weft_link link = {.url = weft_text(text, noted->size),
                             .kind = noted->kind,
                             .from = noted->from,
                             .nofollow = noted->nofollow,
                             .start = noted->start,
                             .end = noted->end,
                             .in_attribute = noted->in_attribute,
                             .quote = noted->quote};
    struct memo_way way = {.link = weft_text(text, noted->plain),
                           .hash = noted->hash,
                           .requisite = noted->kind == WEFT_LINK_REQUISITE,
                           .form = noted->from == WEFT_LINK_FORM};
    return follow(context, &link, &way);
}

int reader_follow(struct reader *reader, const struct memo *memo, reader_follow_fn *follow,
                  void *context)
{
    size_t soon = 0;
    int err = 0;
    for (int i = 0; i < SOON; i++)
        soon = announce(reader, memo, soon);
    for (size_t at = 0; err == 0 && at < reader->found.used;) {
        struct noted noted;
        soon = announce(reader, memo, soon);
        memcpy(&noted, reader->found.data + at, sizeof noted);
        at += sizeof noted + noted.size;
        reader->number += noted.kind == WEFT_LINK_NAVIGATION || noted.kind == WEFT_LINK_REQUISITE;
        err = follow_noted(&noted, reader->found.data + at - noted.size, follow, context);
    }
    reader->found.used = 0;
    return err;
}

/* ---- the end -------------------------------------------------------------------------------- */

void reader_rest(struct reader *reader)
{
    shrink(&reader->body);
    shrink(&reader->found);
    if (reader->swaps.list.capacity > READER_IDLE)
        swaps_free(&reader->swaps);
    if (reader->moved.capacity > READER_IDLE)
        out_free(&reader->moved);
    if (reader->rewritten.capacity > READER_IDLE)
        out_free(&reader->rewritten);
}

void reader_free(struct reader *reader)
{
    weft_links_free(&reader->links);
    weft_url_free(&reader->base);
    weft_free(reader->body.data);
    weft_free(reader->found.data);
    swaps_free(&reader->swaps);
    out_free(&reader->moved);
    out_free(&reader->rewritten);
    weft_free(reader);
}
