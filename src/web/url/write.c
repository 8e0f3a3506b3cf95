/* Writing: the buffer that grows, and percent-encoding.
 *
 * Input is UTF-8 from anywhere. What is well-formed is encoded byte by byte; what is not counts as
 * U+FFFD, once for each longest piece that could have begun a character (Unicode, 3.9: the practice
 * that the Encoding standard made law). So nothing outside ASCII is ever written. */
#include "parser.h"
#include <weft/alloc.h>

enum { LEAST_ROOM = 128 };

bool weft__url_grow(struct url_parser *p, size_t more)
{
    size_t room = p->room + p->room / 2;
    if (p->err != 0)
        return false;
    if (p->size + more > WEFT_URL_MAX) {
        p->err = UV_E2BIG;
        return false;
    }
    if (room < LEAST_ROOM)
        room = LEAST_ROOM;
    if (room < p->size + more)
        room = p->size + more;
    if (room > WEFT_URL_MAX)
        room = WEFT_URL_MAX;
    char *out = weft_realloc(p->url->buffer_, room + 1);
    if (out == NULL) {
        p->err = UV_ENOMEM;
        return false;
    }
    p->out = p->url->buffer_ = out;
    p->room = room;
    p->url->room_ = room + 1;
    return true;
}

static bool is_tail(const char *at, const char *end, unsigned least, unsigned most)
{
    return at < end && (unsigned char)*at >= least && (unsigned char)*at <= most;
}

/* The length of the character at `at`, which is outside ASCII; *valid: is it one? If not, the
 * length is that of what one U+FFFD stands for. */
static size_t character(const char *at, const char *end, bool *valid)
{
    unsigned lead = (unsigned char)*at;
    size_t tails = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    *valid = false;
    if (lead < 0xc2 || lead > 0xf4)
        return 1;
    for (size_t i = 1; i <= tails; i++) {
        if (!is_tail(at + i, end, least, most))
            return i;
        least = 0x80;
        most = 0xbf;
    }
    *valid = true;
    return tails + 1;
}

static void put_byte(struct url_parser *p, char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    const char text[3] = {'%', digits[(unsigned char)byte >> 4], digits[byte & 15]};
    url_put(p, text, sizeof text);
}

void weft__url_put_percent(struct url_parser *p, const char **at, const char *end)
{
    bool valid = true;
    size_t size = (unsigned char)**at < 0x80 ? 1 : character(*at, end, &valid);
    if (valid) {
        for (size_t i = 0; i < size; i++)
            put_byte(p, (*at)[i]);
    } else {
        url_put(p, "%EF%BF%BD", 9);
    }
    *at += size;
}

void weft__url_put_encoded(struct url_parser *p, const char *begin, const char *end, unsigned kinds)
{
    while (begin < end) {
        const char *run = url_find(begin, end, kinds);
        url_put(p, begin, (size_t)(run - begin));
        begin = run;
        if (begin < end)
            weft__url_put_percent(p, &begin, end);
    }
}

void weft__url_put_number(struct url_parser *p, uint32_t number, uint32_t base)
{
    static const char digits[] = "0123456789abcdef";
    char text[10]; /* of 32 bits */
    size_t size = 0;
    do {
        text[sizeof text - ++size] = digits[number % base];
        number /= base;
    } while (number > 0);
    url_put(p, text + sizeof text - size, size);
}
