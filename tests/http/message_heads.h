/* tests/http/message_heads.h: a request's head made of strings. */
#ifndef TESTS_MESSAGE_HEADS_H
#define TESTS_MESSAGE_HEADS_H

#include <weft/http_head.h>

enum { HEADS_FIELDS = 8 };

/* HEAD(WEFT_HTTP_GET, "Host", "x", "Range", "bytes=0-"): valid until the end of the block. */
#define HEAD(method, ...)                                                                          \
    heads_make(method, (struct weft_http_field[HEADS_FIELDS]){{{NULL, 0}, {NULL, 0}}},             \
               (const char *const[]){__VA_ARGS__, NULL})

static inline struct weft_http_head heads_make(enum weft_http_method method,
                                               struct weft_http_field *fields,
                                               const char *const *strings)
{
    struct weft_http_head head = {.method = method, .fields = fields};
    for (; strings[0] != NULL && head.count < HEADS_FIELDS; strings += 2) {
        fields[head.count].name = weft_text_of(strings[0]);
        fields[head.count++].value = weft_text_of(strings[1]);
    }
    return head;
}

#endif
