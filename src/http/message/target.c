/* The target of a request has four forms (RFC 9112, 3.2), and each has its methods:
 *
 *     /path?query               origin-form: any but CONNECT
 *     http://host/path?query    absolute-form: any but CONNECT; also https
 *     host:port                 authority-form: CONNECT, and nothing else
 *     *                         asterisk-form: OPTIONS
 *
 * The texts are only told apart; nothing is decoded, and dots are left where they are. A host is
 * checked, because others build links, redirects and file names from it. User names are refused in
 * it, as RFC 9110 (4.2.4) asks for; host.c has the rules. */
#include "target.h"
#include "chars.h"
#include "weft/http_message.h"

const char weft__http_root[] = "/";

static struct weft_text from(struct weft_text text, size_t at)
{
    return weft_text(text.data + at, text.size - at);
}

/* Most hosts are a plain name, and most ports have less than five digits: these are seen here. */
bool weft__http_host(struct weft_text host)
{
    size_t size = http_span(host.data, HTTP_HOST);
    if (size > 0 && size == host.size)
        return true;
    if (size > 0 && host.data[size] == ':') {
        size_t digits = http_span(host.data + size + 1, HTTP_DIGIT);
        if (digits < 5 && size + 1 + digits == host.size)
            return true;
    }
    struct weft_text name;
    int port;
    return weft_http_host_split(host, &name, &port) == 0;
}

/* A path that may be empty, and a query. */
static bool path_and_query(struct weft_http_head *head, struct weft_text rest)
{
    size_t size = http_span(rest.data, HTTP_PATH);
    head->path = size > 0 ? weft_text(rest.data, size) : weft_text(weft__http_root, 1);
    if (size == rest.size)
        return true;
    if (rest.data[size] != '?')
        return false;
    head->query = from(rest, size + 1);
    return http_span(head->query.data, HTTP_QUERY) == head->query.size;
}

/* How long the "http://" or "https://" is that text begins with; 0: there is none. */
static size_t scheme_size(struct weft_text text)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        struct weft_text scheme = weft_text_of(schemes[i]);
        if (text.size >= scheme.size && weft_text_same(weft_text(text.data, scheme.size), scheme))
            return scheme.size;
    }
    return 0;
}

static bool absolute_form(struct weft_http_head *head)
{
    size_t scheme = scheme_size(head->target);
    if (scheme == 0)
        return false;
    struct weft_text rest = from(head->target, scheme);
    size_t size = 0;
    while (size < rest.size && rest.data[size] != '/' && rest.data[size] != '?')
        size++;
    head->host = weft_text(rest.data, size);
    return weft__http_host(head->host) && path_and_query(head, from(rest, size));
}

/* RFC 9110 (9.3.6): the port is never left out. */
static bool authority_form(struct weft_http_head *head)
{
    struct weft_text name;
    int port;
    head->host = head->target;
    return weft_http_host_split(head->host, &name, &port) == 0 && port >= 0;
}

bool weft__http_target(struct weft_http_head *head)
{
    if (head->method == WEFT_HTTP_CONNECT)
        return authority_form(head);
    if (head->target.data[0] == '/')
        return path_and_query(head, head->target);
    if (head->target.data[0] != '*')
        return absolute_form(head);
    head->path = head->target;
    return head->method == WEFT_HTTP_OPTIONS && head->target.size == 1;
}
