/* weft/http_head.h: the head of an HTTP request, as it was read: method, target, fields.
 *
 * All texts point into the bytes that came; nothing is decoded or copied. */
#ifndef WEFT_HTTP_HEAD_H
#define WEFT_HTTP_HEAD_H

#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits, so that a set of them is a number too. */
enum weft_http_method {
    WEFT_HTTP_OTHER = 1 << 0, /* one that has no name here: see method_text */
    WEFT_HTTP_GET = 1 << 1,
    WEFT_HTTP_HEAD = 1 << 2,
    WEFT_HTTP_POST = 1 << 3,
    WEFT_HTTP_PUT = 1 << 4,
    WEFT_HTTP_DELETE = 1 << 5,
    WEFT_HTTP_OPTIONS = 1 << 6,
    WEFT_HTTP_PATCH = 1 << 7,
    WEFT_HTTP_TRACE = 1 << 8,
    WEFT_HTTP_CONNECT = 1 << 9
};

struct weft_http_field {
    struct weft_text name, value; /* value without the blanks around it */
};

struct weft_http_head {
    enum weft_http_method method;
    struct weft_text method_text;
    struct weft_text target; /* as it stands in the request line */
    struct weft_text path;   /* of target, not decoded: from the first '/' to the '?'; or "*".
                                "/" if http://host has none, empty for CONNECT */
    struct weft_text query;  /* what follows the '?'; data is NULL if there is none */
    struct weft_text host;   /* of target if it has one, otherwise of the Host field; or empty */
    unsigned minor;          /* HTTP/1.minor */
    const struct weft_http_field *fields;
    size_t count;
    uint64_t content_length; /* 0 if there is no body, or its length is not known (chunked) */
    bool chunked;            /* the body comes in chunks */
    bool has_length;         /* there is a Content-Length */
    bool keep_alive;         /* the client would like to use the connection again */
    bool expects_continue;   /* it waits for "100 Continue" before it sends the body */
};

/* The value of the first field of this name, whatever the case of its letters; data is NULL if
 * there is none. */
WEFT_API struct weft_text weft_http_head_get(const struct weft_http_head *head, const char *name);

/* The next field of this name from *at on, and move *at behind it: begin with 0. NULL: no more. */
WEFT_API const struct weft_http_field *weft_http_head_next(const struct weft_http_head *head,
                                                           const char *name, size_t *at);

#ifdef __cplusplus
}
#endif
#endif
