/* Reading the head of a request and the framing of its body. Pure functions over bytes: no I/O, no
 * memory. parse.c and chunked.c tell the rules. */
#ifndef WEFT_HTTP_PARSE_H
#define WEFT_HTTP_PARSE_H

#include "weft/http_head.h"

/* What a parser says: more bytes are needed, it is done, or the HTTP status that refuses the
 * request, negative (-400). */
enum { HTTP_MORE = 0, HTTP_DONE = 1 };

/* ---- the head (parse.c) --------------------------------------------------------------------- */

struct http_limits {
    size_t line; /* bytes of the request line, without its CRLF: 414 */
    size_t head; /* bytes of the whole head, with all of its CRLFs: 431 */
};

/* A head that is being read. It resumes where it stopped: what was looked at is not looked at
 * again, however small the pieces come. */
struct http_parser {
    struct weft_http_head head;
    struct weft_http_field *fields; /* the caller's; as many as there may be: 431 */
    size_t capacity;
    size_t line;    /* where the line begins that is not complete yet */
    size_t scanned; /* how far that line was searched for its end */
    unsigned state;
    unsigned seen; /* fields that may come only once */
};

/* Begin a new head. fields and capacity stay as they are. */
void weft__http_parse_begin(struct http_parser *parser);

/* data[0..size) is everything from the first byte of the request on; each call has the same bytes
 * and more behind them. HTTP_DONE: parser->line is the length of the head, the body or the next
 * request follows. HTTP_MORE, or a refusal. */
int weft__http_parse(struct http_parser *parser, const struct http_limits *limits, const char *data,
                     size_t size);

/* The bytes have moved from one place to another: so do the texts. */
void weft__http_parse_moved(struct http_parser *parser, const char *from, const char *to);

/* ---- chunks (chunked.c) --------------------------------------------------------------------- */

/* Bytes of extensions and trailers, all of a body's together. */
enum { HTTP_CHUNKED_EXTRA_MAX = 8192 };

struct http_chunked {
    uint64_t left; /* bytes of the chunk that is being read */
    unsigned state;
    unsigned digits;  /* of its size */
    unsigned trailer; /* bytes of extensions and trailers so far: bounded */
    bool loose;       /* a trailer may be any line: it is thrown away. Set it after begin */
};

void weft__http_chunked_begin(struct http_chunked *chunked);

/* Take from data[*used..size) what is framing, and say which part of it is body: part points into
 * data and may be empty. *used moves behind what was taken, the part included. HTTP_MORE: call it
 * again, with the rest if *used < size, otherwise with new bytes. HTTP_DONE: the body is complete;
 * what follows *used is not part of it. -400: it is malformed. */
int weft__http_chunked(struct http_chunked *chunked, const char *data, size_t size, size_t *used,
                       struct weft_text *part);

#endif
