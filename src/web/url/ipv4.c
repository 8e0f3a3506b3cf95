/* IPv4 addresses as browsers have always taken them: up to four numbers, decimal, octal (0...) or
 * hex (0x...); the last of them fills all the bytes that are left. So 1.2.3.4, 0x1020304 and
 * 1.2.772 are one address. A domain whose last label looks like a number is one of these or
 * nothing. */
#include "parser.h"

static const char *label_begin(const char *begin, const char *end)
{
    while (end > begin && end[-1] != '.')
        end--;
    return end;
}

static bool all(const char *begin, const char *end, unsigned kinds)
{
    while (begin < end && url_char(*begin, kinds))
        begin++;
    return begin == end;
}

static bool is_hex(const char *begin, const char *end)
{
    return end - begin >= 2 && begin[0] == '0' && (begin[1] | 0x20) == 'x';
}

bool weft__url_ends_in_number(const char *begin, const char *end)
{
    if (end - begin > 1 && end[-1] == '.')
        end--;
    if (end == begin || !(url_char(end[-1], URL_HEX) || (end[-1] | 0x20) == 'x'))
        return false; /* as most do: .com, .org */
    const char *label = label_begin(begin, end);
    return all(label, end, URL_DIGIT) || (is_hex(label, end) && all(label + 2, end, URL_HEX));
}

/* One number; anything above 32 bits is UINT64_MAX. */
static int read_number(const char *begin, const char *end, uint64_t *number)
{
    unsigned base = 10;
    if (begin == end)
        return UV_EINVAL;
    if (is_hex(begin, end)) {
        base = 16;
        begin += 2;
    } else if (*begin == '0') {
        base = 8;
        begin++;
    }
    *number = 0;
    for (; begin < end; begin++) {
        if (!url_char(*begin, URL_HEX) || url_hex(*begin) >= base)
            return UV_EINVAL;
        if (*number <= UINT32_MAX)
            *number = *number * base + url_hex(*begin);
    }
    if (*number > UINT32_MAX)
        *number = UINT64_MAX;
    return 0;
}

static int read_address(const char *begin, const char *end, uint32_t *address)
{
    uint64_t number = 0, whole = 0;
    unsigned count = 0;
    if (end[-1] == '.')
        end--;
    for (bool more = true; more; begin++) {
        const char *dot = memchr(begin, '.', (size_t)(end - begin));
        more = dot != NULL;
        if (count == 4 || read_number(begin, more ? dot : end, &number) != 0)
            return UV_EINVAL;
        if (more && number > 255)
            return UV_EINVAL;
        if (more)
            whole |= number << (24 - 8 * count);
        count++;
        begin = more ? dot : end;
    }
    if (number >= UINT64_C(1) << (8 * (5 - count)))
        return UV_EINVAL;
    *address = (uint32_t)(whole | number);
    return 0;
}

int weft__url_to_ipv4(struct url_parser *p, size_t begin)
{
    uint32_t address;
    int err = read_address(p->out + begin, p->out + p->size, &address);
    if (err != 0)
        return err;
    p->size = begin;
    for (int shift = 24; shift >= 0; shift -= 8) {
        weft__url_put_number(p, address >> shift & 255, 10);
        if (shift > 0)
            url_put_char(p, '.');
    }
    return 0;
}
