/* Resolving against a base: what the input does not have is copied from there, as it stands. */
#include "parser.h"

/* Offsets and all, up to this byte of its href. */
static void copy_base(struct url_parser *p, size_t size)
{
    struct weft_url *url = p->url;
    const struct weft_url *base = p->base;
    p->size = 0;
    url_put(p, base->href.data, size);
    url->scheme_end = base->scheme_end;
    url->user_begin = base->user_begin;
    url->user_end = base->user_end;
    url->host_begin = base->host_begin;
    url->host_end = base->host_end;
    url->path_begin = base->path_begin;
    url->query_begin = base->query_begin;
    url->port = base->port;
    url->kind = base->kind;
    url->has_host = base->has_host;
    url->opaque = base->opaque;
}

void weft__url_copy_authority(struct url_parser *p)
{
    /* Without a host, there may be a "/." before the path, that is not part of it. */
    copy_base(p, p->base->has_host ? p->base->path_begin : p->base->scheme_end + 1);
    p->url->path_begin = (uint32_t)p->size;
}

int weft__url_relative_path(struct url_parser *p)
{
    const struct weft_url *base = p->base;
    if (p->at == p->end || *p->at == '#') {
        copy_base(p, base->fragment_begin);
        return 0;
    }
    if (*p->at == '?') {
        copy_base(p, base->query_begin);
        return 0;
    }
    weft__url_copy_authority(p);
    if (base->kind != WEFT_URL_FILE || !weft__url_starts_with_drive(p->at, p->end)) {
        url_put(p, base->href.data + base->path_begin, base->query_begin - base->path_begin);
        weft__url_shorten(p);
    }
    weft__url_path(p);
    return 0;
}

int weft__url_relative(struct url_parser *p)
{
    p->url->kind = p->base->kind;
    if (!url_at_slash(p))
        return weft__url_relative_path(p);
    p->at++;
    if (!url_at_slash(p)) {
        weft__url_copy_authority(p);
        weft__url_path(p);
        return 0;
    }
    p->at++;
    copy_base(p, p->base->scheme_end + 1);
    p->url->port = -1;
    while (url_special(p) && url_at_slash(p))
        p->at++;
    return weft__url_authority(p);
}
