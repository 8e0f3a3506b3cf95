/* What the parts of the parser share: what is left of the input, what is written of the URL.
 *
 * The URL is written into its buffer from left to right, in its final form; a part that was wrong
 * is taken back by setting size. When there is no memory, err is set and nothing more is written;
 * what was written stays, so everybody may go on until the end and only then look at err. */
#ifndef WEFT_URL_PARSER_H
#define WEFT_URL_PARSER_H

#include "chars.h"
#include <string.h>
#include <uv.h>
#include <weft/url.h>

struct url_parser {
    struct weft_url *url;
    const struct weft_url *base; /* NULL: none */
    const char *at, *end;        /* the input that is left */
    char *out;                   /* the buffer of url */
    size_t size, room;           /* what is written, what fits; a NUL fits too */
    int err;
};

/* ---- write.c -------------------------------------------------------------------------------- */

/* Room for so many bytes more. false: err is set. */
bool weft__url_grow(struct url_parser *p, size_t more);

/* A text, percent-encoded where it is of one of these kinds. */
void weft__url_put_encoded(struct url_parser *p, const char *begin, const char *end,
                           unsigned kinds);

/* One code point at *at as %XX each byte; *at is moved behind it. */
void weft__url_put_percent(struct url_parser *p, const char **at, const char *end);

/* In base 10 or 16, without zeros in front. */
void weft__url_put_number(struct url_parser *p, uint32_t number, uint32_t base);

static inline void url_put(struct url_parser *p, const char *bytes, size_t size)
{
    if (size > p->room - p->size && !weft__url_grow(p, size))
        return;
    memcpy(p->out + p->size, bytes, size);
    p->size += size;
}

static inline void url_put_char(struct url_parser *p, char c)
{
    if (p->size == p->room && !weft__url_grow(p, 1))
        return;
    p->out[p->size++] = c;
}

/* ---- the parts of a URL --------------------------------------------------------------------- */

/* "//", user, password, host and port, from the input. */
int weft__url_authority(struct url_parser *p);

/* A host behind what is written: 0 or UV_EINVAL, UV_E2BIG, UV_ENOMEM. */
int weft__url_put_host(struct url_parser *p, const char *begin, const char *end);
int weft__url_put_ipv6(struct url_parser *p, const char *begin, const char *end);

/* The same for one that is plain: nothing in it is URL_DOMAIN_WORK, and it is not empty. */
int weft__url_put_plain_domain(struct url_parser *p, const char *begin, const char *end);

/* Is the last label of the domain a number? Then the whole has to be an IPv4 address: it is put in
 * the place of what is written from begin on. 0 or UV_EINVAL. */
bool weft__url_ends_in_number(const char *begin, const char *end);
int weft__url_to_ipv4(struct url_parser *p, size_t begin);

/* The domain that is written from begin on, to ASCII: 0 or UV_EINVAL, UV_E2BIG, UV_ENOMEM. */
int weft__url_to_ascii(struct url_parser *p, size_t begin);

/* The file: scheme, behind its ':' or relative to a base with that scheme. */
int weft__url_file(struct url_parser *p);

/* The path behind what is written, segment by segment, until '?', '#' or the end; the first of
 * them begins here, so a '/' before it is taken already. */
void weft__url_path(struct url_parser *p);

/* The same behind an authority, where there may be a '/', and there may be no path at all. */
void weft__url_path_start(struct url_parser *p);

/* Take the last segment of what is written of the path back; the drive of file:///C: stays. */
void weft__url_shorten(struct url_parser *p);

/* "C:" or "C|", and nothing behind it but a new part. */
bool weft__url_starts_with_drive(const char *at, const char *end);

/* ---- relative.c ----------------------------------------------------------------------------- */

int weft__url_relative(struct url_parser *p);
/* The same for an input that begins with neither '/' nor '\'. */
int weft__url_relative_path(struct url_parser *p);
/* Scheme, user, host and port of the base, in the place of all that is written. */
void weft__url_copy_authority(struct url_parser *p);

/* ---- looking ahead -------------------------------------------------------------------------- */

static inline bool url_special(const struct url_parser *p)
{
    return p->url->kind != WEFT_URL_OTHER;
}

static inline bool url_at(const struct url_parser *p, char c)
{
    return p->at < p->end && *p->at == c;
}

/* At a '/', or at a '\' that is as good? */
static inline bool url_at_slash(const struct url_parser *p)
{
    return url_at(p, '/') || (url_at(p, '\\') && url_special(p));
}

/* Where the segment, or the authority, that begins at p->at ends. */
static inline const char *url_segment_end(const struct url_parser *p)
{
    const char *at = p->at;
    while (at < p->end && !(url_char(*at, URL_ENDS_SEGMENT) && (*at != '\\' || url_special(p))))
        at++;
    return at;
}

/* Are the two bytes here a letter with ':' or '|'? */
static inline bool url_is_drive(const char *two)
{
    return url_char(two[0], URL_ALPHA) && (two[1] == ':' || two[1] == '|');
}

#endif
