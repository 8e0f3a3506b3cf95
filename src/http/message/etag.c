/* Entity tags (RFC 9110, 8.8.3): "opaque", or W/"opaque" if equal tags do not promise equal bytes.
 *
 * Within the quotes there are no escapes: a '\' is a character like others, and a comma does not
 * end an element. So a list of them is walked through tag by tag and not cut at commas. */
#include "scan.h"
#include <inttypes.h>
#include <stdio.h>

static bool is_etag(char c)
{
    return is_value(c) && !is_blank(c) && c != '"';
}

struct etag {
    struct weft_text opaque; /* with its quotes */
    bool weak;
};

static bool scan_etag(struct weft_text *rest, struct etag *etag)
{
    etag->weak = weft_text_starts(*rest, "W/");
    scan_skip(rest, etag->weak ? 2 : 0);
    struct weft_text begin = *rest;
    if (!scan_char(rest, '"'))
        return false;
    scan_while(rest, is_etag);
    if (!scan_char(rest, '"'))
        return false;
    etag->opaque = weft_text(begin.data, begin.size - rest->size);
    return true;
}

static bool whole_etag(struct weft_text text, struct etag *etag)
{
    return scan_etag(&text, etag) && text.size == 0;
}

static bool same(const struct etag *one, const struct etag *other, bool weak)
{
    return (weak || (!one->weak && !other->weak)) && weft_text_equal(one->opaque, other->opaque);
}

static bool texts_same(struct weft_text one, struct weft_text other, bool weak)
{
    struct etag a, b;
    return whole_etag(one, &a) && whole_etag(other, &b) && same(&a, &b, weak);
}

bool weft_http_etag_ok(struct weft_text etag)
{
    struct etag parsed;
    return whole_etag(etag, &parsed);
}

bool weft_http_etag_strong_same(struct weft_text one, struct weft_text other)
{
    return texts_same(one, other, false);
}

bool weft_http_etag_weak_same(struct weft_text one, struct weft_text other)
{
    return texts_same(one, other, true);
}

/* The list is read to its end also when the tag was found: what is malformed has to be told. */
int weft_http_etag_list_has(struct weft_text list, struct weft_text etag, bool weak)
{
    struct etag wanted, next;
    bool valid = whole_etag(etag, &wanted), found = false, any = false;
    list = weft_text_trim(list);
    if (weft_text_is(list, "*"))
        return 1;
    while (list.size > 0) {
        if (scan_char(&list, ',')) {
            scan_blanks(&list);
            continue;
        }
        if (!scan_etag(&list, &next))
            return UV_EINVAL;
        any = true;
        found = found || (valid && same(&wanted, &next, weak));
        scan_blanks(&list);
        if (list.size > 0 && list.data[0] != ',')
            return UV_EINVAL;
    }
    return any ? found : UV_EINVAL;
}

void weft_http_etag_format(char text[WEFT_HTTP_ETAG_SIZE], uint64_t size, int64_t modified_ns,
                           bool weak)
{
    snprintf(text, WEFT_HTTP_ETAG_SIZE, "%s\"%" PRIx64 "-%" PRIx64 "\"", weak ? "W/" : "", size,
             (uint64_t)modified_ns);
}
