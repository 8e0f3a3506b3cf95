/* weft/url.h: URLs as browsers read them (the WHATWG URL standard): parsed, resolved, serialised.
 *
 *     struct weft_url page = {0}, link = {0};
 *     weft_url_parse(&page, weft_text_of("https://Example.org/a/b.html"), NULL);
 *     weft_url_parse(&link, weft_text_of("../c d"), &page);
 *     puts(link.href.data);                                  // https://example.org/c%20d
 *     weft_url_free(&link);
 *     weft_url_free(&page);
 *
 * A URL is one text, href, and where its parts lie in it. Equal URLs have equal texts, and a text
 * parses to itself. What comes out of the functions here points into it, until the URL is parsed
 * again, changed or freed.
 *
 * Everything here may be fed with what a stranger sent. Pure functions, time linear in the input;
 * any thread, but one URL is used by one at a time. Pointers are not NULL, unless it says so. */
#ifndef WEFT_URL_H
#define WEFT_URL_H

#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest text that is parsed, and the longest URL that comes out. */
enum { WEFT_URL_MAX = 64 * 1024 };

/* The longest host outside ASCII, in bytes, before and after. DNS takes 253; ICU may refuse a label
 * that is shorter than this in the same way. */
enum { WEFT_URL_IDNA_MAX = 2048 };

/* The schemes that the standard treats specially: they have a host, and '\' is as good as '/'. */
enum weft_url_kind {
    WEFT_URL_OTHER,
    WEFT_URL_HTTP,
    WEFT_URL_HTTPS,
    WEFT_URL_WS,
    WEFT_URL_WSS,
    WEFT_URL_FTP,
    WEFT_URL_FILE
};

/* Zeroed storage is an empty URL. Fields without _ are to be read. Offsets are into href:
 *
 *     https://user:secret@example.org:8080/a/b?c#d
 *          |  |   |       |          |    |   | |
 *          |  |   |       |          |    |   | fragment_begin (or the end)
 *          |  |   |       |          |    |   query_begin (or fragment_begin)
 *          |  |   |       host_begin host_end path_begin
 *          |  user_begin, user_end
 *          scheme_end
 */
struct weft_url {
    struct weft_text href; /* the whole URL, with a NUL behind it; empty: there is none */
    uint32_t scheme_end;   /* where its ':' is */
    uint32_t user_begin, user_end;
    uint32_t host_begin, host_end;
    uint32_t path_begin, query_begin, fragment_begin;
    int32_t port; /* as written; -1: none, or the one that the scheme has anyway */
    enum weft_url_kind kind;
    bool has_host; /* "//" follows the scheme; the host may be empty all the same, as in file:/// */
    bool opaque;   /* the path is only a text, as in mailto:somebody: nothing resolves against it */

    char *buffer_;
    size_t room_;
};

/* Parse input, resolved against base if it is relative. base may be NULL or empty: then it has to be
 * absolute. url is empty or any URL parsed before, whose memory is used again: parsing in a row
 * allocates nothing once the longest has been seen (only a text of more than 1 KB with tabs or line
 * ends in it needs memory for a moment). input may lie in base, but not in url.
 *
 * What is not UTF-8 counts as U+FFFD, as everywhere in browsers. A host outside ASCII
 * becomes its xn-- form by UTS 46 (ICU); one in ASCII is only put into lower case.
 *
 * UV_EINVAL: it is no URL; UV_E2BIG: longer than WEFT_URL_MAX, before or after, or a host longer
 * than WEFT_URL_IDNA_MAX; UV_ENOSYS: a host outside ASCII, and ICU, which is loaded by the first of
 * them, is not there; UV_ENOMEM. After an error url is empty, but keeps its memory for the next:
 * weft_url_free it all the same. url may not be base: UV_EINVAL, and nothing is changed. */
WEFT_API int weft_url_parse(struct weft_url *url, struct weft_text input,
                            const struct weft_url *base);

/* Give the memory back, once a URL is not parsed or copied into any more, however that went; url is
 * empty afterwards. Takes NULL and an empty one. */
WEFT_API void weft_url_free(struct weft_url *url);

/* to becomes the same; its own memory is used again. UV_ENOMEM, and to is empty, as after a parse. */
WEFT_API int weft_url_copy(struct weft_url *to, const struct weft_url *from);

/* The parts, under the names that scripts have for them. Empty if there is no such part, and of an
 * empty URL. Everything is as it stands in href: percent-encoded. */
WEFT_API struct weft_text weft_url_protocol(const struct weft_url *url); /* "https:" */
WEFT_API struct weft_text weft_url_scheme(const struct weft_url *url);   /* "https" */
WEFT_API struct weft_text weft_url_username(const struct weft_url *url);
WEFT_API struct weft_text weft_url_password(const struct weft_url *url);
WEFT_API struct weft_text weft_url_host(const struct weft_url *url); /* "example.org:8080" */
WEFT_API struct weft_text weft_url_hostname(
    const struct weft_url *url);                                     /* "example.org", "[::1]" */
WEFT_API struct weft_text weft_url_port(const struct weft_url *url); /* "8080" */
WEFT_API struct weft_text weft_url_pathname(const struct weft_url *url); /* "/a/b" */
WEFT_API struct weft_text weft_url_search(const struct weft_url *url);   /* "?c"; not a bare "?" */
WEFT_API struct weft_text weft_url_hash(const struct weft_url *url);     /* "#d"; not a bare "#" */

/* Without the '?'. data is NULL if there is none at all, so that "/a" and "/a?" differ. */
WEFT_API struct weft_text weft_url_query(const struct weft_url *url);

/* The path and the query as an HTTP request asks for them: "/a/b?c". */
WEFT_API struct weft_text weft_url_target(const struct weft_url *url);

/* Scheme, host and port, "https://example.org:8080", into buffer, with a NUL behind it; "null" if
 * it has none to share, as file: and data: have not. That of a blob: is that of the URL in it.
 * *origin is where it is then, and may be NULL. UV_ENOBUFS; UV_ENOMEM for a blob:. After an error
 * it is empty. */
WEFT_API int weft_url_origin(const struct weft_url *url, char *buffer, size_t size,
                             struct weft_text *origin);

/* The port to connect to: as written, or the one that the scheme has; 0: none. */
WEFT_API uint16_t weft_url_port_number(const struct weft_url *url);

/* http: or https:. */
WEFT_API bool weft_url_is_http(const struct weft_url *url);

/* Without "#d", as it is asked for; and without "user:secret@". */
WEFT_API void weft_url_drop_fragment(struct weft_url *url);
WEFT_API void weft_url_drop_credentials(struct weft_url *url);

#ifdef __cplusplus
}
#endif
#endif
