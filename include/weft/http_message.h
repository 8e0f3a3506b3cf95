/* weft/http_message.h: what stands in HTTP messages: dates, entity tags, ranges, media types,
 * paths, forms, and the fields that carry them.
 *
 * Pure functions over texts: no memory, no loop, no locale, time linear in the input. Texts that
 * come out point into those that went in, or into a buffer of the caller's. Everything here may be
 * fed with what a stranger sent. Pointers are not NULL, unless it says so; texts may be empty.
 *
 * Times are seconds since 1970 in UTC. Functions that return an int return 0 or a status:
 * UV_EINVAL for what is not well-formed, UV_ENOBUFS for a buffer that is too small, others where
 * they are named. Those called ..._next walk through a text: `rest` begins as the whole, and
 * shrinks; they return 1 for a piece, 0 at the end and UV_EINVAL for a piece that is malformed,
 * after which they may be called on for the next, so that a reader may skip it or give up. */
#ifndef WEFT_HTTP_MESSAGE_H
#define WEFT_HTTP_MESSAGE_H

#include "http_head.h"
#include "text.h"
#include "version.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- names, values, lists ------------------------------------------------------------------- */

/* May it be the name of a field (a token, not empty), or a value? A value has no control
 * characters but the tab: no CR, LF or NUL that could begin a field or a message of its own. */
WEFT_API bool weft_http_name_ok(struct weft_text name);
WEFT_API bool weft_http_value_ok(struct weft_text value);

/* The next element of a list with commas; those in quoted strings do not count. Without the blanks
 * around it; empty elements are passed over. 1 or 0. */
WEFT_API int weft_http_list_next(struct weft_text *rest, struct weft_text *element);

/* One of "; name=value" in Content-Type, Link and others, or one directive of Cache-Control. */
struct weft_http_parameter {
    struct weft_text name;
    struct weft_text value; /* without its quotes; data is NULL if there is no '=' */
    bool quoted;            /* it stood in quotes */
    bool escaped;           /* there is a '\' in value: see weft_http_unescape */
};

/* The next of "; name=value; name=value"; the first ';' may be missing. Taken as well, because they
 * are common: blanks around '=', empty parameters, and values without quotes that are more than a
 * token, as in type=text/html. */
WEFT_API int weft_http_parameter_next(struct weft_text *rest,
                                      struct weft_http_parameter *parameter);

/* The value without its escapes, into buffer, with a NUL behind it; *plain is where it is then, and
 * may be NULL. UV_ENOBUFS. */
WEFT_API int weft_http_unescape(const struct weft_http_parameter *parameter, char *buffer,
                                size_t size, struct weft_text *plain);

/* ---- status and dates ----------------------------------------------------------------------- */

/* "Not Found" for 404; "" for a status that has no name. Static storage. */
WEFT_API const char *weft_http_reason(int status);

/* Room for a date with its NUL; and the time that stands for none. */
enum { WEFT_HTTP_DATE_SIZE = 30 };
enum { WEFT_HTTP_NO_TIME = -1 };

/* "Sun, 06 Nov 1994 08:49:37 GMT". UV_EINVAL: before 1970 or after 9999, and text is "". */
WEFT_API int weft_http_date_format(char text[WEFT_HTTP_DATE_SIZE], int64_t time);

/* Read a date in any of the three forms of RFC 9110, 5.6.7, strictly: the day of the week has to be
 * right. now: for the form that has only two digits of the year, which is taken as at most 50
 * years from now. UV_EINVAL: it is none, or a year before 1970; *time is WEFT_HTTP_NO_TIME. */
WEFT_API int weft_http_date_parse(struct weft_text text, int64_t now, int64_t *time);

/* A number of seconds, as in max-age: digits only. One above 2^31 is 2^31, as RFC 9111, 1.2.2 has
 * it: for ever. UV_EINVAL, and *seconds is 0. */
WEFT_API int weft_http_seconds(struct weft_text text, uint32_t *seconds);

/* Retry-After, seconds or a date, as seconds from now: 0 for a date that is past, never above most.
 * UV_EINVAL, and *seconds is 0. */
WEFT_API int weft_http_retry_after(struct weft_text value, int64_t now, uint32_t most,
                                   uint32_t *seconds);

/* ---- entity tags and conditions ------------------------------------------------------------- */

/* Room for what weft_http_etag_format writes, with its NUL. */
enum { WEFT_HTTP_ETAG_SIZE = 40 };

/* The tag of a file of this size and time: "size-time" in hex, behind W/ if it is weak. A strong
 * tag promises that equal tags are equal bytes: not so for a file changed within the grain of its
 * file system's clock. */
WEFT_API void weft_http_etag_format(char text[WEFT_HTTP_ETAG_SIZE], uint64_t size,
                                    int64_t modified_ns, bool weak);

/* Is it one entity tag, quotes included? */
WEFT_API bool weft_http_etag_ok(struct weft_text etag);

/* RFC 9110, 8.8.3.2: strongly the same if both are strong and equal; weakly if equal but for W/.
 * What is not well-formed is never the same. */
WEFT_API bool weft_http_etag_strong_same(struct weft_text one, struct weft_text other);
WEFT_API bool weft_http_etag_weak_same(struct weft_text one, struct weft_text other);

/* Look for etag in a list of tags, as in If-None-Match: 1 if it is there or the list is "*", 0 if
 * not, UV_EINVAL if anything in the list is malformed. */
WEFT_API int weft_http_etag_list_has(struct weft_text list, struct weft_text etag, bool weak);

enum weft_http_verdict {
    WEFT_HTTP_PROCEED,            /* as if there was no condition */
    WEFT_HTTP_NOT_MODIFIED,       /* 304: the client has it already */
    WEFT_HTTP_PRECONDITION_FAILED /* 412 */
};

/* What the conditions of a request say about a resource with this entity tag (or empty) and this
 * time of modification (or WEFT_HTTP_NO_TIME); with neither, it does not exist. In the order of RFC
 * 9110, 13.2.2. A date that is malformed is ignored, as the RFC says. A list of tags that is
 * malformed never leads to 304, and stops (412) what would change something: GET and HEAD proceed
 * with a bad If-None-Match, nothing proceeds with a bad If-Match. Call it only when the answer
 * without conditions would be 2xx. */
WEFT_API enum weft_http_verdict weft_http_conditional(const struct weft_http_head *head,
                                                      struct weft_text etag, int64_t modified,
                                                      int64_t now);

/* ---- ranges --------------------------------------------------------------------------------- */

struct weft_http_range {
    uint64_t first, size; /* never empty, never beyond the end */
};

enum { WEFT_HTTP_RANGES = 16 };

struct weft_http_ranges {
    size_t count;
    struct weft_http_range range[WEFT_HTTP_RANGES]; /* in the order in which they were asked for */
};

enum weft_http_part {
    WEFT_HTTP_WHOLE,        /* 200: there is no range, or it is to be ignored */
    WEFT_HTTP_PARTIAL,      /* 206: those in ranges, at least one */
    WEFT_HTTP_UNSATISFIABLE /* 416 */
};

/* Is a range asked for, and is the file still the one it was asked of? True for a GET with exactly
 * one Range field, and no If-Range or one that holds: the same strong tag, or exactly the date. */
WEFT_API bool weft_http_range_applies(const struct weft_http_head *head, struct weft_text etag,
                                      int64_t modified, int64_t now);

/* The value of a Range field, for a resource of this size: "bytes=0-499", "bytes=500-",
 * "bytes=-500", or several. Ranges outside of the resource are left out, unless all are.
 * Ignored: other units, what is malformed, more than WEFT_HTTP_RANGES ranges, and ranges that
 * together are more than the whole, because they overlap. ranges->count is 0 unless PARTIAL. */
WEFT_API enum weft_http_part weft_http_range_parse(struct weft_text value, uint64_t size,
                                                   struct weft_http_ranges *ranges);

/* Room for the value of a Content-Range, with its NUL. */
enum { WEFT_HTTP_CONTENT_RANGE_SIZE = 72 };

/* "bytes 0-499/1234"; with range NULL there is a star for the range, as 416 wants it. */
WEFT_API void weft_http_content_range_format(char text[WEFT_HTTP_CONTENT_RANGE_SIZE],
                                             const struct weft_http_range *range, uint64_t size);

/* ---- media types ---------------------------------------------------------------------------- */

/* What a file is by the ending of its name, as a Content-Type: "text/html; charset=utf-8".
 * "application/octet-stream" if nothing is known. Static storage. */
WEFT_API const char *weft_http_media_type(struct weft_text path);

struct weft_http_content_type {
    struct weft_text type, subtype;
    struct weft_text parameters; /* for weft_http_parameter_next; or empty */
    struct weft_text charset;    /* the first of that name, without quotes; data NULL: none */
    struct weft_text boundary;   /* the same */
};

/* "text/html; charset=utf-8". Parameters that are malformed are passed over, as browsers do, and so
 * is a charset or boundary with escapes, which nobody sends in earnest. UV_EINVAL: there is no
 * well-formed type; everything in *parsed is empty then. */
WEFT_API int weft_http_content_type_parse(struct weft_text value,
                                          struct weft_http_content_type *parsed);

/* Is it this type, whatever the case of its letters: "text/html"? */
WEFT_API bool weft_http_content_type_is(const struct weft_http_content_type *parsed,
                                        const char *type);

/* ---- percent signs, forms, paths ------------------------------------------------------------ */

/* %XX to bytes, into buffer, with a NUL behind; *decoded is where it is then, and may be NULL.
 * It needs at most text.size + 1 bytes. UV_EINVAL: a '%' without two hex digits. UV_ENOBUFS.
 * UV_EILSEQ: all is decoded, but there is a byte 0 in it, so that it cannot be taken for a string.
 * On other errors buffer is "" and *decoded empty. */
WEFT_API int weft_http_percent_decode(struct weft_text text, char *buffer, size_t size,
                                      struct weft_text *decoded);

enum weft_http_escape {
    WEFT_HTTP_ESCAPE_SEGMENT, /* one segment of a path: also '/', ':', '&' and quotes are escaped */
    WEFT_HTTP_ESCAPE_QUERY /* a name or a value in a query or form: all but A-Z a-z 0-9 - . _ ~ */
};

/* The other way. At most 3 * text.size + 1 bytes. UV_ENOBUFS: buffer is "". */
WEFT_API int weft_http_percent_encode(struct weft_text text, enum weft_http_escape escape,
                                      char *buffer, size_t size, struct weft_text *encoded);

/* The next "name=value" of a query or a form (application/x-www-form-urlencoded), not decoded.
 * Empty pieces ("&&") are passed over; value's data is NULL if there is no '='. 1 or 0. */
WEFT_API int weft_http_form_next(struct weft_text *rest, struct weft_text *name,
                                 struct weft_text *value);

/* Is this, decoded, the same as plain? Not if there is a '%' without two hex digits in it. */
WEFT_API bool weft_http_form_is(struct weft_text name, const char *plain);

/* As weft_http_percent_decode, and '+' is a space. */
WEFT_API int weft_http_form_decode(struct weft_text text, char *buffer, size_t size,
                                   struct weft_text *decoded);

/* The first value of this name, decoded into buffer. UV_ENOENT: there is none, and buffer is "";
 * or an error of weft_http_form_decode. A name without '=' has the value "". */
WEFT_API int weft_http_form_get(struct weft_text form, const char *name, char *buffer, size_t size,
                                struct weft_text *value);

/* The first value of this name as a decimal number, from least to most. UV_ENOENT: there is none;
 * UV_EINVAL: it is no number; UV_ERANGE: it is outside. On an error *number stays as it was, so it
 * may hold the default. */
WEFT_API int weft_http_form_number(struct weft_text form, const char *name, int64_t least,
                                   int64_t most, int64_t *number);

/* From the path of a request to one below a folder: decoded, relative, without ".", ".." and empty
 * segments, with a NUL behind. "/" is "", "/a/./b/../c%20d" is "a/c d"; a '/' at the end stays, so
 * that "/a/" names a folder. It needs at most path.size + 1 bytes.
 * UV_EINVAL: it does not begin with '/', has a bad escape, a byte 0, a '\' or an encoded '/':
 * nobody has such files, and others would take them for separators. UV_EACCES: it would leave the
 * folder; it is not bent back into it, because honest clients send no such paths. UV_ENAMETOOLONG:
 * it does not fit buffer, or a segment has more than 255 bytes. On an error buffer is "".
 * Links in the file system are not looked at, and names that begin with a dot are as others. */
WEFT_API int weft_http_path_clean(struct weft_text path, char *buffer, size_t size,
                                  struct weft_text *clean);

/* ---- what the client likes ------------------------------------------------------------------ */

/* Which of count media types ("text/html") it likes best (Accept; RFC 9110, 12.5.1): its index, or
 * count if it takes none of them. For each type the range that names it most exactly counts,
 * wherever it stands; the first of several. Of types that are liked as much the one that is named
 * more exactly is taken, then the first in types. Without an Accept, or with an empty one, all are
 * liked. Parameters but q are passed over, and so are elements that are malformed. */
WEFT_API size_t weft_http_accept_best(const struct weft_http_head *head, const char *const *types,
                                      size_t count);

/* How much it likes one media type: 0 (not at all) to 1000. */
WEFT_API unsigned weft_http_accept_quality(const struct weft_http_head *head, const char *type);

/* How much it likes a content coding ("gzip", "br", "identity"): 0 (not at all) to 1000.
 * Without an Accept-Encoding only identity is taken, although the RFC allows all. Elements that are
 * malformed count as not accepted. */
WEFT_API unsigned weft_http_encoding_quality(const struct weft_http_head *head, const char *coding);

/* Whether it takes it at all. */
WEFT_API bool weft_http_accepts_encoding(const struct weft_http_head *head, const char *coding);

/* ---- other fields --------------------------------------------------------------------------- */

struct weft_http_link {
    struct weft_text target;     /* what stands in <>; not decoded, may be relative or empty */
    struct weft_text rel;        /* the first of that name: one or more words */
    struct weft_text parameters; /* all, for weft_http_parameter_next */
};

/* The next link of a Link field (RFC 8288). */
WEFT_API int weft_http_link_next(struct weft_text *rest, struct weft_http_link *link);

/* Is this one of the words in rel, whatever the case of its letters? */
WEFT_API bool weft_http_link_is(const struct weft_http_link *link, const char *rel);

/* The next directive of a Cache-Control field: "max-age=60", "no-store". */
WEFT_API int weft_http_directive_next(struct weft_text *rest,
                                      struct weft_http_parameter *directive);

/* "example.org:8080" or "[::1]:80" in two: host without brackets, port -1 if there is none.
 * UV_EINVAL: there is no host, or what is there is no host or no port (0 to 65535). */
WEFT_API int weft_http_host_split(struct weft_text authority, struct weft_text *host, int *port);

#ifdef __cplusplus
}
#endif
#endif
