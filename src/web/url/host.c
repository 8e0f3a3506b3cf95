/* Hosts: a domain, an IPv4 address in any of its forms, [IPv6], or, where the scheme is not special,
 * whatever does not break the URL.
 *
 * Most domains are plain: lower-case ASCII without '%'. One pass over them says so, and they are
 * copied. Others are decoded into the URL first and treated there. */
#include "parser.h"

static bool any(const char *begin, const char *end, unsigned kinds)
{
    return url_find(begin, end, kinds) < end;
}

static bool any_outside_ascii(const char *begin, const char *end)
{
    unsigned found = 0;
    for (; begin < end; begin++)
        found |= (unsigned char)*begin;
    return found >= 0x80;
}

/* Without percent-encoding, letters of ASCII in lower case. */
static void put_decoded(struct url_parser *p, const char *begin, const char *end)
{
    while (begin < end) {
        char c = *begin++;
        if (c == '%' && end - begin >= 2 && url_char(begin[0], URL_HEX) &&
            url_char(begin[1], URL_HEX)) {
            c = (char)(url_hex(begin[0]) << 4 | url_hex(begin[1]));
            begin += 2;
        }
        url_put_char(p, weft_text_lower(c));
    }
}

static int put_strange_domain(struct url_parser *p, const char *begin, const char *end)
{
    size_t from = p->size;
    put_decoded(p, begin, end);
    if (p->err == 0 && any_outside_ascii(p->out + from, p->out + p->size)) {
        int err = weft__url_to_ascii(p, from);
        if (err != 0)
            return err;
    }
    return any(p->out + from, p->out + p->size, URL_NO_DOMAIN) ? UV_EINVAL : 0;
}

/* What is written from here on is a domain in its final form, unless it is an address. */
static int settle_domain(struct url_parser *p, size_t from)
{
    if (p->err != 0)
        return p->err;
    if (p->size == from)
        return UV_EINVAL;
    return weft__url_ends_in_number(p->out + from, p->out + p->size) ? weft__url_to_ipv4(p, from)
                                                                     : 0;
}

int weft__url_put_plain_domain(struct url_parser *p, const char *begin, const char *end)
{
    size_t from = p->size;
    url_put(p, begin, (size_t)(end - begin));
    return settle_domain(p, from);
}

static int put_domain(struct url_parser *p, const char *begin, const char *end)
{
    if (!any(begin, end, URL_DOMAIN_WORK))
        return weft__url_put_plain_domain(p, begin, end);
    size_t from = p->size;
    int err = put_strange_domain(p, begin, end);
    return err != 0 ? err : settle_domain(p, from);
}

int weft__url_put_host(struct url_parser *p, const char *begin, const char *end)
{
    if (begin < end && *begin == '[')
        return end[-1] == ']' ? weft__url_put_ipv6(p, begin + 1, end - 1) : UV_EINVAL;
    if (url_special(p))
        return put_domain(p, begin, end);
    if (any(begin, end, URL_NO_HOST))
        return UV_EINVAL;
    weft__url_put_encoded(p, begin, end, URL_IN_OPAQUE);
    return 0;
}
