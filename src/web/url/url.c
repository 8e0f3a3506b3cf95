/* What a parsed URL consists of: pieces of its href. */
#include "parser.h"
#include <weft/alloc.h>

void weft_url_free(struct weft_url *url)
{
    if (url == NULL)
        return;
    weft_free(url->buffer_);
    *url = (struct weft_url){0};
}

int weft_url_copy(struct weft_url *to, const struct weft_url *from)
{
    if (to == from)
        return 0;
    char *buffer = to->buffer_;
    size_t room = to->room_;
    if (from->href.size == 0) {
        *to = (struct weft_url){.buffer_ = buffer, .room_ = room};
        return 0;
    }
    if (room < from->href.size + 1) {
        buffer = weft_realloc(to->buffer_, from->href.size + 1);
        if (buffer == NULL) {
            *to = (struct weft_url){.buffer_ = to->buffer_, .room_ = room};
            return UV_ENOMEM;
        }
        room = from->href.size + 1;
    }
    *to = *from;
    to->buffer_ = buffer;
    to->room_ = room;
    to->href.data = buffer;
    memcpy(buffer, from->href.data, from->href.size + 1);
    return 0;
}

/* ---- the parts ------------------------------------------------------------------------------ */

static struct weft_text piece(const struct weft_url *url, size_t begin, size_t end)
{
    if (url->href.size == 0 || begin >= end)
        return weft_text(url->href.data, 0);
    return weft_text(url->href.data + begin, end - begin);
}

struct weft_text weft_url_protocol(const struct weft_url *url)
{
    return piece(url, 0, url->scheme_end + 1);
}

struct weft_text weft_url_scheme(const struct weft_url *url)
{
    return piece(url, 0, url->scheme_end);
}

struct weft_text weft_url_username(const struct weft_url *url)
{
    return piece(url, url->user_begin, url->user_end);
}

/* Between the ':' behind the user and the '@' before the host. */
struct weft_text weft_url_password(const struct weft_url *url)
{
    return piece(url, url->user_end + 1, url->host_begin - 1);
}

struct weft_text weft_url_host(const struct weft_url *url)
{
    return piece(url, url->host_begin, url->has_host ? url->path_begin : url->host_end);
}

struct weft_text weft_url_hostname(const struct weft_url *url)
{
    return piece(url, url->host_begin, url->host_end);
}

struct weft_text weft_url_port(const struct weft_url *url)
{
    return piece(url, url->host_end + 1, url->has_host ? url->path_begin : 0);
}

struct weft_text weft_url_pathname(const struct weft_url *url)
{
    return piece(url, url->path_begin, url->query_begin);
}

struct weft_text weft_url_search(const struct weft_url *url)
{
    bool bare = url->fragment_begin - url->query_begin < 2;
    return piece(url, url->query_begin, bare ? 0 : url->fragment_begin);
}

struct weft_text weft_url_hash(const struct weft_url *url)
{
    bool bare = url->href.size - url->fragment_begin < 2;
    return piece(url, url->fragment_begin, bare ? 0 : url->href.size);
}

struct weft_text weft_url_query(const struct weft_url *url)
{
    if (url->query_begin == url->fragment_begin)
        return weft_text(NULL, 0);
    return weft_text(url->href.data + url->query_begin + 1,
                     url->fragment_begin - url->query_begin - 1);
}

struct weft_text weft_url_target(const struct weft_url *url)
{
    return piece(url, url->path_begin, url->fragment_begin);
}

bool weft_url_is_http(const struct weft_url *url)
{
    return url->kind == WEFT_URL_HTTP || url->kind == WEFT_URL_HTTPS;
}

/* ---- less of it ----------------------------------------------------------------------------- */

void weft_url_drop_fragment(struct weft_url *url)
{
    if (url->href.size == 0)
        return;
    url->href.size = url->fragment_begin;
    url->buffer_[url->href.size] = '\0';
}

void weft_url_drop_credentials(struct weft_url *url)
{
    uint32_t less = url->host_begin - url->user_begin;
    if (less == 0)
        return;
    memmove(url->buffer_ + url->user_begin, url->buffer_ + url->host_begin,
            url->href.size + 1 - url->host_begin);
    url->href.size -= less;
    url->user_end = url->user_begin;
    url->host_begin -= less;
    url->host_end -= less;
    url->path_begin -= less;
    url->query_begin -= less;
    url->fragment_begin -= less;
}
