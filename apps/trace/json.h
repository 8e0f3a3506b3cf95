/* apps/trace/json.h: JSON (RFC 8259), read piece by piece from anywhere.
 *
 *     struct json_reader reader;
 *     if (json_reader_open(&reader, fill, file) != 0) ...
 *     while ((token = json_reader_next(&reader)) != JSON_TOKEN_END) {
 *         if (token == JSON_TOKEN_ERROR) ... reader.problem, reader.line, reader.column ...
 *     }
 *     json_reader_close(&reader);
 *
 * The input is not trusted: grammar and nesting are checked, and the memory is the same for every
 * input, however large. Strings come out as UTF-8 that is well formed: what is not, and half of a
 * surrogate pair, becomes U+FFFD. One longer than JSON_TEXT_MAX is read to its end and cut. */
#ifndef WEFT_TRACE_JSON_H
#define WEFT_TRACE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/text.h>

enum { JSON_DEPTH_MAX = 256, JSON_TEXT_MAX = 16 * 1024, JSON_PIECE = 64 * 1024 };

enum json_token {
    JSON_TOKEN_END, /* the one value is complete, and so is the input; comes again and again */
    JSON_TOKEN_OBJECT,
    JSON_TOKEN_OBJECT_END,
    JSON_TOKEN_ARRAY,
    JSON_TOKEN_ARRAY_END,
    JSON_TOKEN_NAME, /* of a member; its value comes next */
    JSON_TOKEN_STRING,
    JSON_TOKEN_NUMBER, /* text is as it stands in the input */
    JSON_TOKEN_TRUE,
    JSON_TOKEN_FALSE,
    JSON_TOKEN_NULL,
    JSON_TOKEN_ERROR /* see problem and status; comes again and again */
};

/* At most size bytes more into buffer: how many; 0: there are no more; negative: a status. */
typedef int json_fill_fn(void *context, char *buffer, size_t size);

/* Zeroed, or filled by open. Read only. */
struct json_reader {
    struct weft_text text; /* of the last name, string or number; valid until the next call */
    uint64_t line, column; /* where the last token begins, or what is wrong stands; both from 1, */
    uint64_t offset;       /* column in bytes; and in bytes from the beginning, from 0 */
    const char *problem;   /* of an error: what is wrong, static text; */
    int status;            /* UV_EINVAL: it is not JSON; otherwise what fill returned */

    json_fill_fn *fill_;
    void *context_;
    char *buffer_, *text_;
    size_t at_, end_, size_;
    uint64_t before_, lines_, line_begin_; /* bytes before buffer_; newlines; where the last ends */
    unsigned depth_, expect_;
    uint8_t nesting_[JSON_DEPTH_MAX / 8]; /* a bit a level: it is an object */
};

/* For what is in memory: context is a struct weft_text, which becomes what is left of it. */
json_fill_fn json_fill_text;

/* UV_ENOMEM: and there is nothing to close. context is passed to fill. */
int json_reader_open(struct json_reader *reader, json_fill_fn *fill, void *context);
void json_reader_close(struct json_reader *reader);

enum json_token json_reader_next(struct json_reader *reader);

/* Pass over the rest of the value that token began: nothing for a string, all that is inside for an
 * object or an array. False: there is an error in it. */
bool json_reader_skip(struct json_reader *reader, enum json_token token);

#endif
