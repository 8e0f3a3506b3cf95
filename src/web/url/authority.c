/* "//user:secret@host:80", as far as '/', '?', '#' or the end.
 *
 * Everything before the last '@' is user and password, also further '@'; the first ':' in it
 * separates them. Both empty: there are none, and no '@' is written. */
#include "parser.h"

enum { MOST_PORT = 65535 };

static void put_credentials(struct url_parser *p, const char *begin, const char *end)
{
    const char *colon = memchr(begin, ':', (size_t)(end - begin));
    weft__url_put_encoded(p, begin, colon != NULL ? colon : end, URL_IN_USER);
    p->url->user_end = (uint32_t)p->size;
    if (colon != NULL && colon + 1 < end) {
        url_put_char(p, ':');
        weft__url_put_encoded(p, colon + 1, end, URL_IN_USER);
    }
    if (p->size > p->url->user_begin)
        url_put_char(p, '@');
}

/* The ':' before the port, not one of those in [::1]; end: there is none. */
static const char *find_port(const char *begin, const char *end)
{
    bool inside = false;
    for (; begin < end; begin++) {
        if (*begin == ':' && !inside)
            break;
        if (*begin == '[')
            inside = true;
        else if (*begin == ']')
            inside = false;
    }
    return begin;
}

static int32_t usual_port(enum weft_url_kind kind)
{
    static const uint16_t usual[] = {
        [WEFT_URL_OTHER] = 0, [WEFT_URL_HTTP] = 80, [WEFT_URL_HTTPS] = 443, [WEFT_URL_WS] = 80,
        [WEFT_URL_WSS] = 443, [WEFT_URL_FTP] = 21,  [WEFT_URL_FILE] = 0,
    };
    return usual[kind];
}

uint16_t weft_url_port_number(const struct weft_url *url)
{
    if (url->href.size == 0)
        return 0;
    return (uint16_t)(url->port >= 0 ? url->port : usual_port(url->kind));
}

/* Behind the ':'. */
static int put_port(struct url_parser *p, const char *begin, const char *end)
{
    uint32_t port = 0;
    for (const char *at = begin; at < end; at++) {
        if (!url_char(*at, URL_DIGIT))
            return UV_EINVAL;
        port = port * 10 + (uint32_t)(*at - '0');
        if (port > MOST_PORT)
            return UV_EINVAL;
    }
    if (begin == end || (url_special(p) && (int32_t)port == usual_port(p->url->kind)))
        return 0;
    p->url->port = (int32_t)port;
    url_put_char(p, ':');
    weft__url_put_number(p, port, 10);
    return 0;
}

static int put_host_and_port(struct url_parser *p, const char *begin, const char *end)
{
    const char *colon = find_port(begin, end);
    if (colon == begin && (colon < end || url_special(p)))
        return UV_EINVAL;
    p->url->host_begin = (uint32_t)p->size;
    int err = weft__url_put_host(p, begin, colon);
    p->url->host_end = (uint32_t)p->size;
    return err == 0 && colon < end ? put_port(p, colon + 1, end) : err;
}

/* Most are a plain domain and nothing more: one pass says so. false: there is more to it. */
static bool take_plain(struct url_parser *p, int *err)
{
    const char *at = url_find(p->at, p->end, URL_DOMAIN_WORK);
    if (!url_special(p) || at == p->at || (at < p->end && !url_char(*at, URL_ENDS_SEGMENT)))
        return false;
    p->url->host_begin = (uint32_t)p->size;
    *err = weft__url_put_plain_domain(p, p->at, at);
    p->url->host_end = (uint32_t)p->size;
    p->at = at;
    return true;
}

static int take_credentials_and_host(struct url_parser *p)
{
    const char *end = url_segment_end(p), *host = end;
    while (host > p->at && host[-1] != '@')
        host--;
    if (host > p->at) {
        if (host == end)
            return UV_EINVAL;
        put_credentials(p, p->at, host - 1);
    }
    p->at = end;
    return put_host_and_port(p, host, end);
}

int weft__url_authority(struct url_parser *p)
{
    int err;
    url_put(p, "//", 2);
    p->url->has_host = true;
    p->url->user_begin = p->url->user_end = (uint32_t)p->size;
    if (!take_plain(p, &err))
        err = take_credentials_and_host(p);
    if (err != 0)
        return err;
    weft__url_path_start(p);
    return 0;
}
