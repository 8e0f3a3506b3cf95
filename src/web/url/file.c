/* file: URLs, which have drives: "C:" and "C|" as a first segment, or in the place of a host.
 *
 * There is always a host, mostly the empty one; "localhost" is the same as none. */
#include "parser.h"

static void put_empty_authority(struct url_parser *p)
{
    struct weft_url *url = p->url;
    p->size = 0;
    url_put(p, "file://", 7);
    url->kind = WEFT_URL_FILE;
    url->has_host = true;
    url->scheme_end = 4;
    url->user_begin = url->user_end = url->host_begin = url->host_end = 7;
    url->path_begin = 7;
}

/* Behind "//". */
static int file_host(struct url_parser *p)
{
    put_empty_authority(p);
    const char *end = url_segment_end(p);
    if (end - p->at == 2 && url_is_drive(p->at)) {
        weft__url_path(p);
        return 0;
    }
    size_t begin = p->size;
    int err = end > p->at ? weft__url_put_host(p, p->at, end) : 0;
    if (err != 0)
        return err;
    if (weft_text_is(weft_text(p->out + begin, p->size - begin), "localhost"))
        p->size = begin;
    p->url->host_end = (uint32_t)p->size;
    p->at = end;
    weft__url_path_start(p);
    return 0;
}

/* Behind one '/': at the root of the host of the base, and on its drive. */
static void from_root(struct url_parser *p, const struct weft_url *base)
{
    weft__url_copy_authority(p);
    struct weft_text path = weft_url_pathname(base);
    const char *drive = path.data + 1;
    if (path.size >= 3 && !weft__url_starts_with_drive(p->at, p->end) &&
        weft__url_starts_with_drive(drive, path.data + path.size))
        url_put(p, path.data, 3);
    weft__url_path(p);
}

int weft__url_file(struct url_parser *p)
{
    const struct weft_url *base = p->base;
    if (base != NULL && base->kind != WEFT_URL_FILE)
        base = NULL;
    p->url->kind = WEFT_URL_FILE;
    bool slash = url_at_slash(p);
    p->at += slash;
    if (slash && url_at_slash(p)) {
        p->at++;
        return file_host(p);
    }
    if (base == NULL) {
        put_empty_authority(p);
        weft__url_path(p);
    } else if (slash) {
        from_root(p, base);
    } else {
        return weft__url_relative_path(p);
    }
    return 0;
}
