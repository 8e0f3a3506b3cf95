/* Two bytes that say where to cut, then the head of a request: whole, cut there and byte by byte it
 * gets the same answer, and its texts lie where they should. */
#include "../http/readings.h"
#include "http/message/target.h"
#include <stdint.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds))                                                                              \
            abort();                                                                               \
    } while (0)

static bool inside(struct weft_text outer, struct weft_text inner)
{
    return inner.data >= outer.data && inner.size <= outer.size &&
           inner.data + inner.size <= outer.data + outer.size;
}

/* No text holds what could end a line, or more than it should. */
static void check_texts(const struct weft_http_head *head, struct weft_text bytes)
{
    CHECK(inside(bytes, head->method_text) && head->method_text.size > 0);
    CHECK(inside(bytes, head->target) && head->target.size > 0);
    CHECK(head->path.data == weft__http_root || head->method == WEFT_HTTP_CONNECT ||
          inside(head->target, head->path));
    CHECK((head->path.size > 0) == (head->method != WEFT_HTTP_CONNECT));
    CHECK(head->query.data == NULL || inside(head->target, head->query));
    CHECK(head->host.data == NULL || inside(bytes, head->host));
    for (size_t i = 0; i < head->count; i++) {
        struct weft_text name = head->fields[i].name, value = head->fields[i].value;
        CHECK(inside(bytes, name) && name.size > 0 && inside(bytes, value));
        CHECK(weft_text_equal(weft_text_trim(value), value));
        for (size_t at = 0; at < value.size; at++)
            CHECK((unsigned char)value.data[at] >= 0x20 || value.data[at] == '\t');
        CHECK(memchr(name.data, ' ', name.size) == NULL &&
              memchr(name.data, ':', name.size) == NULL);
    }
}

static void check_head(const struct reading *r, size_t size)
{
    const struct weft_http_head *head = &r->parser.head;
    size_t at = 0;
    CHECK(r->parser.line <= size && memcmp(r->block + r->parser.line - 4, "\r\n\r\n", 4) == 0);
    CHECK(r->parser.line <= r->limits.head && head->count <= READING_FIELDS);
    check_texts(head, weft_text(r->block, r->parser.line));
    CHECK(!(head->chunked && head->has_length) && head->content_length <= INT64_MAX);
    CHECK(!head->chunked || head->minor > 0);
    CHECK(head->minor == 0 || head->host.size > 0);
    bool host = weft_http_head_next(head, "host", &at) != NULL;
    CHECK((host || head->minor == 0) && weft_http_head_next(head, "host", &at) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading whole;
    if (size < 2)
        return 0;
    size_t first = data[0], second = data[1];
    const char *bytes = (const char *)data + 2;
    size -= 2;
    reading_begin(&whole);
    reading_go_on(&whole, bytes, size);
    CHECK(whole.status == HTTP_MORE || whole.status == HTTP_DONE || whole.status == -400 ||
          whole.status == -414 || whole.status == -417 || whole.status == -431 ||
          whole.status == -501 || whole.status == -505);
    if (whole.status == HTTP_DONE)
        check_head(&whole, size);
    CHECK(same_in_two(&whole, bytes, size, first < size ? first : size));
    CHECK(same_in_two(&whole, bytes, size, second < size ? size - second : size));
    if (size < 300)
        CHECK(same_byte_by_byte(&whole, bytes, size));
    reading_end(&whole);
    return 0;
}
