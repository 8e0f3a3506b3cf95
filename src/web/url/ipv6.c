/* IPv6 addresses: read in every form, written in the shortest (RFC 5952).
 *
 * Eight pieces of 16 bits. "::" may stand once for a run of zeros; the last two pieces may be
 * written as an IPv4 address, in plain decimal. Zones (%eth0) are none of a URL. */
#include "parser.h"

enum { PIECES = 8 };

struct address {
    uint16_t pieces[PIECES];
    int count, gap; /* how many are read; before which of them "::" stands, -1: none does */
};

/* One number of the dotted form, 0 to 255 without zeros in front; -1: it is none. */
static int read_byte(const char **at, const char *end)
{
    int value = -1;
    while (*at < end && url_char(**at, URL_DIGIT)) {
        if (value == 0)
            return -1;
        value = (value < 0 ? 0 : value * 10) + (**at - '0');
        if (value > 255)
            return -1;
        ++*at;
    }
    return value;
}

/* a.b.c.d, up to the end. */
static int read_dotted(struct address *a, const char *at, const char *end)
{
    uint32_t whole = 0;
    if (a->count > PIECES - 2)
        return UV_EINVAL;
    for (int i = 0; i < 4; i++) {
        if (i > 0 && (at == end || *at++ != '.'))
            return UV_EINVAL;
        int byte = read_byte(&at, end);
        if (byte < 0)
            return UV_EINVAL;
        whole = whole << 8 | (uint32_t)byte;
    }
    a->pieces[a->count++] = (uint16_t)(whole >> 16);
    a->pieces[a->count++] = (uint16_t)whole;
    return at == end ? 0 : UV_EINVAL;
}

static uint16_t read_piece(const char **at, const char *end)
{
    unsigned value = 0;
    for (int i = 0; i < 4 && *at < end && url_char(**at, URL_HEX); i++)
        value = value << 4 | url_hex(*(*at)++);
    return (uint16_t)value;
}

/* Behind a piece: nothing, or ':' and more. */
static int read_colon(const char **at, const char *end)
{
    if (*at == end)
        return 0;
    return *(*at)++ == ':' && *at < end ? 0 : UV_EINVAL;
}

static int read_pieces(struct address *a, const char *at, const char *end)
{
    if (end - at >= 1 && *at == ':') {
        if (end - at < 2 || at[1] != ':')
            return UV_EINVAL;
        at++; /* the second is that of the gap */
    }
    while (at < end) {
        const char *piece = at;
        if (*at == ':') {
            if (a->gap >= 0)
                return UV_EINVAL;
            a->gap = a->count;
            at++;
            continue;
        }
        if (a->count == PIECES)
            return UV_EINVAL;
        uint16_t value = read_piece(&at, end);
        if (at == piece)
            return UV_EINVAL;
        if (at < end && *at == '.')
            return read_dotted(a, piece, end);
        a->pieces[a->count++] = value;
        if (read_colon(&at, end) != 0)
            return UV_EINVAL;
    }
    return 0;
}

/* Put the zeros where the gap is: at least one, as the standard has it. */
static int fill_gap(struct address *a)
{
    if (a->gap < 0)
        return a->count == PIECES ? 0 : UV_EINVAL;
    if (a->count == PIECES)
        return UV_EINVAL;
    size_t behind = (size_t)(a->count - a->gap);
    memmove(a->pieces + PIECES - behind, a->pieces + a->gap, behind * sizeof *a->pieces);
    memset(a->pieces + a->gap, 0, (size_t)(PIECES - a->count) * sizeof *a->pieces);
    return 0;
}

/* The first of the longest runs of zeros, if it is more than one: its length. */
static int longest_zeros(const uint16_t *pieces, int *begin)
{
    int longest = 1;
    *begin = PIECES;
    for (int i = 0; i < PIECES; i++) {
        int run = 0;
        while (i + run < PIECES && pieces[i + run] == 0)
            run++;
        if (run > longest) {
            longest = run;
            *begin = i;
        }
        i += run;
    }
    return longest;
}

static void put_address(struct url_parser *p, const uint16_t *pieces)
{
    int gap, zeros = longest_zeros(pieces, &gap);
    url_put_char(p, '[');
    for (int i = 0; i < PIECES; i++) {
        if (i == gap) {
            url_put(p, "::", i == 0 ? 2 : 1);
            i += zeros - 1;
            continue;
        }
        weft__url_put_number(p, pieces[i], 16);
        if (i < PIECES - 1)
            url_put_char(p, ':');
    }
    url_put_char(p, ']');
}

int weft__url_put_ipv6(struct url_parser *p, const char *begin, const char *end)
{
    struct address address = {.gap = -1};
    int err = read_pieces(&address, begin, end);
    if (err == 0)
        err = fill_gap(&address);
    if (err == 0)
        put_address(p, address.pieces);
    return err;
}
