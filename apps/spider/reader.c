/* One walk over the bytes: hashed, searched for links, and kept until they can be saved. */
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
    if (weft_http_content_type_is(&parsed, "text/html") ||
        weft_http_content_type_is(&parsed, "application/xhtml+xml"))
        return true;
    *type = WEFT_LINKS_CSS;
    return weft_http_content_type_is(&parsed, "text/css");
}

int reader_begin(struct reader *reader, const struct weft_crawl *state, const struct weft_url *url,
                 weft_links_fn *on_link, void *context)
{
    reader->links.on_link = on_link;
    reader->links.context = context;
    reader->linked = false;
    reader->size = 0;
    reader->used = 0;
    weft_crawl_hash_begin(state, &reader->hash);
    memo_key_begin(&reader->memo, state, url);
    return weft_url_copy(&reader->base, url);
}

int reader_links(struct reader *reader, enum weft_links_type type, struct weft_text charset)
{
    reader->linked = true;
    return weft_links_begin(&reader->links, type, charset);
}

/* Doubled, so that a body of n bytes is not copied more than twice. */
static int make_room(struct reader *reader, size_t size)
{
    size_t wanted = reader->used + size;
    if (wanted <= reader->room)
        return 0;
    size_t room = reader->room < 4096 ? 4096 : reader->room;
    while (room < wanted)
        room *= 2;
    char *data = weft_realloc(reader->data, room);
    if (data == NULL)
        return UV_ENOMEM;
    reader->data = data;
    reader->room = room;
    return 0;
}

int reader_take(struct reader *reader, const char *data, size_t size)
{
    int err = make_room(reader, size);
    if (err != 0)
        return err;
    memcpy(reader->data + reader->used, data, size);
    reader->used += size;
    reader->size += size;
    weft_crawl_hash_add(&reader->hash, data, size);
    return reader->linked ? weft_links_feed(&reader->links, data, size) : 0;
}

int reader_end(struct reader *reader, uint64_t hash[2])
{
    weft_crawl_hash_end(&reader->hash, hash);
    return reader->linked ? weft_links_end(&reader->links) : 0;
}

void reader_rest(struct reader *reader)
{
    reader->used = 0;
    if (reader->room <= READER_IDLE)
        return;
    weft_free(reader->data);
    reader->data = NULL;
    reader->room = 0;
}

void reader_free(struct reader *reader)
{
    weft_links_free(&reader->links);
    weft_url_free(&reader->base);
    weft_free(reader->data);
    weft_free(reader);
}
