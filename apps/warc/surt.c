/* From a URL to its key: see surt.h. */
#include "warc/surt.h"
#include <stdlib.h>

static void add_lower(struct warc_buffer *buffer, struct weft_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = weft_text_lower(text.data[i]);
        if ((unsigned char)c > ' ' && c != 0x7f)
            warc_add(buffer, &c, 1);
    }
}

/* "www." and "www2." are decoration. */
static struct weft_text without_www(struct weft_text host)
{
    size_t at = 3;
    if (host.size < 5 || !weft_text_same(weft_text(host.data, 3), weft_text_of("www")))
        return host;
    while (at < host.size && host.data[at] >= '0' && host.data[at] <= '9')
        at++;
    if (at + 1 >= host.size || host.data[at] != '.')
        return host;
    return weft_text(host.data + at + 1, host.size - at - 1);
}

static void add_host(struct warc_buffer *buffer, struct weft_text host)
{
    if (host.size > 0 && host.data[0] == '[') { /* an address of IPv6 has no parts */
        add_lower(buffer, host);
        return;
    }
    host = without_www(host);
    size_t end = host.size;
    for (size_t at = host.size; at > 0; at--) {
        if (host.data[at - 1] != '.')
            continue;
        add_lower(buffer, weft_text(host.data + at, end - at));
        warc_add(buffer, ",", 1);
        end = at - 1;
    }
    add_lower(buffer, weft_text(host.data, end));
}

enum { PARTS_SORTED = 64 };

static int in_order(const void *one, const void *other)
{
    const struct weft_text *a = one, *b = other;
    for (size_t i = 0; i < a->size && i < b->size; i++) {
        int difference =
            (unsigned char)weft_text_lower(a->data[i]) - (unsigned char)weft_text_lower(b->data[i]);
        if (difference != 0)
            return difference;
    }
    return a->size < b->size ? -1 : a->size > b->size;
}

/* A query of very many parts stays as it is. */
static void add_query(struct warc_buffer *buffer, struct weft_text query)
{
    struct weft_text parts[PARTS_SORTED], rest = query;
    size_t count = 0;
    while (rest.data != NULL && count < PARTS_SORTED)
        parts[count++] = weft_text_cut(&rest, '&');
    warc_add(buffer, "?", 1);
    if (rest.data != NULL) {
        add_lower(buffer, query);
        return;
    }
    qsort(parts, count, sizeof *parts, in_order);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            warc_add(buffer, "&", 1);
        add_lower(buffer, parts[i]);
    }
}

static struct weft_text own_port(struct weft_text scheme)
{
    return weft_text_of(weft_text_same(scheme, weft_text_of("https")) ? "443" : "80");
}

static size_t authority_end(struct weft_text text)
{
    size_t at = 0;
    while (at < text.size && text.data[at] != '/' && text.data[at] != '?')
        at++;
    return at;
}

static void add_authority(struct warc_buffer *buffer, struct weft_text host,
                          struct weft_text scheme)
{
    size_t colon = host.size;
    struct weft_text port = weft_text(NULL, 0);
    while (colon > 0 && host.data[colon - 1] >= '0' && host.data[colon - 1] <= '9')
        colon--;
    if (colon > 0 && host.data[colon - 1] == ':') {
        port = weft_text(host.data + colon, host.size - colon);
        host.size = colon - 1;
    }
    add_host(buffer, host);
    if (port.size > 0 && !weft_text_equal(port, own_port(scheme))) {
        warc_add(buffer, ":", 1);
        warc_add_text(buffer, port);
    }
    warc_add(buffer, ")", 1);
}

void warc_add_surt(struct warc_buffer *buffer, struct weft_text url)
{
    struct weft_text rest = url;
    struct weft_text scheme = weft_text_cut(&rest, ':');
    rest = weft_text_cut(&rest, '#');
    if (rest.size < 3 || memcmp(rest.data, "//", 2) != 0) {
        add_lower(buffer, url);
        return;
    }
    rest = weft_text(rest.data + 2, rest.size - 2);
    size_t end = authority_end(rest);
    struct weft_text query = weft_text(rest.data + end, rest.size - end);
    struct weft_text path = weft_text_cut(&query, '?');
    while (path.size > 0 && path.data[path.size - 1] == '/')
        path.size--;
    add_authority(buffer, weft_text(rest.data, end), scheme);
    if (path.size == 0)
        warc_add(buffer, "/", 1);
    add_lower(buffer, path);
    if (query.size > 0)
        add_query(buffer, query);
}
