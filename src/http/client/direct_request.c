/* Which requests go over connections of our own, and what they look like.
 *
 * Ours are those whose meaning is beyond doubt: GET and HEAD by plain HTTP/1, a URL that has to be
 * changed in no way before it is sent, no field that says how the connection is used, nobody to be
 * told who we are. Everything else, and everything that is wrong, is left to curl and to the
 * checks in fetch_request.c, so that there is one place that says what is refused.
 *
 * The fields come in the order in which curl sends them; one that the caller gives takes the place
 * of ours. */
#include "direct.h"
#include "weft/alloc.h"
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

/* ---- the URL -------------------------------------------------------------------------------- */

static bool host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

/* 0: there is none that we take. */
static size_t read_host(const char *text, struct direct_url *url)
{
    size_t size = 0;
    char c;
    while (host_char(c = weft_text_lower(text[size])) && size < HOST_TEXT - 1)
        url->host[size++] = c;
    url->host[size] = '\0';
    if (size == 0 || url->host[0] == '.' || url->host[size - 1] == '.')
        return 0;
    const char *dot = strrchr(url->host, '.');
    const char *last = dot != NULL ? dot + 1 : url->host;
    struct in_addr address;
    if (*last < '0' || *last > '9')
        return size;
    url->number = inet_pton(AF_INET, url->host, &address) == 1;
    return url->number ? size : 0;
}

/* The bytes of ":port", 0 for none; SIZE_MAX: not one that we take. */
static size_t read_port(const char *text, struct direct_url *url)
{
    size_t size = 1;
    url->port = 80;
    if (text[0] != ':')
        return 0;
    if (text[1] < '1' || text[1] > '9')
        return SIZE_MAX;
    for (url->port = 0; text[size] >= '0' && text[size] <= '9' && size < 7; size++)
        url->port = url->port * 10 + (unsigned)(text[size] - '0');
    return url->port <= UINT16_MAX ? size : SIZE_MAX;
}

bool weft__http_is_dots(const char *part)
{
    const char *at = part;
    while (*at == '.' || strncasecmp(at, "%2e", 3) == 0)
        at += *at == '.' ? 1 : 3;
    return at > part && strchr("/?#", *at) != NULL;
}

/* What follows the host, up to the fragment. "." and ".." between slashes would be taken out, also
 * if they are written with percent signs: not by us. */
static bool read_target(const char *text, struct direct_url *url)
{
    size_t size = 0;
    bool in_path = true;
    if (text[0] != '\0' && text[0] != '/')
        return false;
    for (; text[size] != '\0' && text[size] != '#'; size++) {
        char c = text[size];
        in_path = in_path && c != '?';
        if (c <= ' ' || c >= 0x7f || (c == '\\' && in_path))
            return false;
        if (c == '/' && in_path && weft__http_is_dots(text + size + 1))
            return false;
    }
    url->target = weft_text(text, size);
    return true;
}

size_t weft__http_direct_place(const char *text, struct direct_url *url)
{
    url->number = false;
    size_t host = read_host(text, url);
    size_t port = host != 0 ? read_port(text + host, url) : SIZE_MAX;
    return port != SIZE_MAX ? host + port : 0;
}

static bool read_url(const char *text, struct direct_url *url)
{
    if (text == NULL || strncmp(text, "http://", 7) != 0)
        return false;
    size_t place = weft__http_direct_place(text + 7, url);
    return place != 0 && read_target(text + 7 + place, url);
}

/* ---- is it one of ours? --------------------------------------------------------------------- */

static bool one_of(struct weft_text name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (weft_text_same(name, weft_text_of(*names)))
            return true;
    }
    return false;
}

static bool fields_fit(const struct weft_http_fetch *fetch)
{
    static const char *const special[] = {"Connection", "Keep-Alive", "Upgrade", "TE",
                                          "Trailer",    "Expect",     NULL};
    if (fetch->fields == NULL && fetch->fields_count > 0)
        return false;
    for (size_t i = 0; i < fetch->fields_count; i++) {
        struct weft_text name, value;
        int read = weft__http_field_read(fetch, fetch->fields[i], &name, &value);
        if (read < 0 || (read == 0 && (one_of(name, special) || weft_text_starts(name, "Proxy-"))))
            return false;
    }
    return true;
}

/* Can we unpack all that this asks for? */
static bool encodings_fit(const char *accept)
{
    static const char *const known[] = {"gzip", "deflate", "identity", NULL};
    struct weft_text rest = weft_text_of(accept);
    while (rest.size > 0) {
        struct weft_text one = weft_text_cut(&rest, ',');
        if (!one_of(weft_text_trim(weft_text_cut(&one, ';')), known))
            return false;
    }
    return true;
}

static bool method_fits(const struct weft_http_fetch *fetch)
{
    bool has_body = fetch->data != NULL || fetch->pull != NULL;
    if (fetch->as_get_)
        return fetch->method == NULL || strcmp(fetch->method, "HEAD") != 0;
    return !has_body && (fetch->method == NULL || strcmp(fetch->method, "GET") == 0 ||
                         strcmp(fetch->method, "HEAD") == 0);
}

bool weft__http_direct_fits(const struct weft_http_fetch *fetch, struct direct_url *url)
{
    const struct weft_http_client *client = fetch->client;
    bool named = fetch->user != NULL || fetch->password != NULL;
    return !client->no_direct && client->netrc_file == NULL && !client->cookies &&
           client->cookie_file == NULL && method_fits(fetch) && !named &&
           fetch->version <= WEFT_FETCH_1_1 && weft__http_inputs_ok(fetch) && fields_fit(fetch) &&
           encodings_fit(fetch->accept_encoding) &&
           read_url(fetch->target_ != NULL ? fetch->target_ : fetch->url, url) &&
           !weft__http_proxy_used(fetch->engine_, url->host);
}

/* ---- writing -------------------------------------------------------------------------------- */

struct writer {
    struct weft_http_direct *direct;
    bool starved;
};

static void add(struct writer *to, struct weft_text text)
{
    struct weft_http_direct *direct = to->direct;
    if (text.size > direct->request_room - direct->request_size) {
        size_t room = direct->request_room + direct->request_room / 2 + text.size + 512;
        char *grown = weft_realloc(direct->request, room);
        to->starved |= grown == NULL;
        if (grown == NULL)
            return;
        direct->request = grown;
        direct->request_room = room;
    }
    if (text.size > 0)
        memcpy(direct->request + direct->request_size, text.data, text.size);
    direct->request_size += text.size;
}

static void add_string(struct writer *to, const char *string)
{
    add(to, weft_text_of(string));
}

/* Does the caller say this itself? */
static bool given(const struct weft_http_fetch *fetch, const char *name)
{
    struct weft_text wanted = weft_text_of(name);
    for (size_t i = 0; i < fetch->fields_count; i++) {
        struct weft_text its, value;
        if (strncasecmp(fetch->fields[i], name, wanted.size) == 0 &&
            weft__http_field_read(fetch, fetch->fields[i], &its, &value) == 0 &&
            weft_text_same(its, wanted))
            return true;
    }
    return false;
}

/* A field of ours: there is none without a value, nor beside the caller's. */
static void add_ours(struct writer *to, const char *name, const char *before, const char *value)
{
    if (value == NULL || given(to->direct->fetch, name))
        return;
    add_string(to, name);
    add_string(to, before);
    add_string(to, value);
    add_string(to, "\r\n");
}

static void add_host(struct writer *to, const struct direct_url *url)
{
    char digits[16];
    size_t at = sizeof digits;
    if (given(to->direct->fetch, "Host"))
        return;
    add_string(to, "Host: ");
    add_string(to, url->host);
    for (unsigned port = url->port; port != 0; port /= 10)
        digits[--at] = (char)('0' + port % 10);
    digits[--at] = ':';
    if (url->port != 80)
        add(to, weft_text(digits + at, sizeof digits - at));
    add_string(to, "\r\n");
}

static void add_fields(struct writer *to, const struct weft_http_fetch *fetch)
{
    for (size_t i = 0; i < fetch->fields_count; i++) {
        struct weft_text name, value;
        if (weft__http_field_read(fetch, fetch->fields[i], &name, &value) != 0)
            continue;
        add(to, name);
        add_string(to, value.size > 0 ? ": " : ":");
        add(to, value);
        add_string(to, "\r\n");
    }
}

static const char *encodings(const struct weft_http_fetch *fetch)
{
    const char *accept = fetch->accept_encoding;
    return accept != NULL && accept[0] == '\0' ? "deflate, gzip" : accept;
}

int weft__http_direct_write(struct weft_http_direct *direct, const struct direct_url *url)
{
    const struct weft_http_fetch *fetch = direct->fetch;
    struct writer to = {direct, false};
    direct->request_size = 0;
    add_string(&to, direct->is_head ? "HEAD " : "GET ");
    if (url->target.size == 0)
        add_string(&to, "/");
    add(&to, url->target);
    add_string(&to, direct->old ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
    add_host(&to, url);
    add_ours(&to, "Range", ": bytes=", fetch->range);
    add_ours(&to, "User-Agent", ": ", fetch->client->user_agent);
    add_ours(&to, "Accept", ": ", "*/*");
    add_ours(&to, "Accept-Encoding", ": ", encodings(fetch));
    add_ours(&to, "Referer", ": ", fetch->referer);
    add_fields(&to, fetch);
    add_string(&to, "\r\n");
    return to.starved ? UV_ENOMEM : 0;
}
