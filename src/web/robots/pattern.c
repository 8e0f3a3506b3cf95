/* Paths and the patterns of rules, as octets that can be compared.
 *
 * RFC 9309, 2.2.2: what is not ASCII is percent-encoded before the comparison, and what is encoded
 * without need is decoded. A path comes here as it stands in a URL, so the first is done to
 * patterns; the second is left out where it would open something (see weft_robots_allows). A '*' or
 * '$' in a path is escaped, as it is in a pattern that means the character itself.
 *
 * A pattern is matched piece by piece between its stars, each at the first place where it is found:
 * a later one would only leave less for the pieces behind it. So nothing is tried twice. */
#include "robots.h"
#include "web/octets.h"

static bool is_unreserved(unsigned char c)
{
    unsigned char small = c | 0x20;
    return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("-._~", c) != NULL);
}

/* May stand in a URL as it is, and is no star or dollar. */
static bool is_plain(unsigned char c)
{
    return is_unreserved(c) || (c != 0 && strchr(":/?#[]@!&'()+,;=", c) != NULL);
}

bool weft__robots_is_plain(struct weft_text path)
{
    for (size_t i = 0; i < path.size; i++) {
        if (!is_plain((unsigned char)path.data[i]))
            return false;
    }
    return true;
}

/* The octet that "%XX" at i stands for; -1: it is none. */
static int escape_at(struct weft_text text, size_t i)
{
    if (text.data[i] != '%' || text.size - i < 3)
        return -1;
    int high = octets_hex(text.data[i + 1]), low = octets_hex(text.data[i + 2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static size_t put(char *out, size_t at, unsigned char c)
{
    if (out != NULL)
        out[at] = (char)c;
    return at + 1;
}

static size_t put_escape(char *out, size_t at, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    at = put(out, at, '%');
    at = put(out, at, (unsigned char)digits[c >> 4]);
    return put(out, at, (unsigned char)digits[c & 15]);
}

/* A '%' that begins no escape stays one. */
static bool stays(unsigned char c, unsigned how)
{
    return is_plain(c) || c == '%' || (c == '*' && (how & ROBOTS_PATTERN) != 0) ||
           (c >= 0x80 && (how & ROBOTS_KEEP_HIGH) != 0);
}

size_t weft__robots_normalise(char *out, struct weft_text text, unsigned how)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        int escaped = escape_at(text, i);
        if (escaped >= 0)
            i += 2;
        if (escaped >= 0 && (how & ROBOTS_UNESCAPE) != 0 && is_unreserved((unsigned char)escaped))
            size = put(out, size, (unsigned char)escaped);
        else if (escaped >= 0)
            size = put_escape(out, size, (unsigned char)escaped);
        else if (stays(c, how))
            size = put(out, size, c);
        else
            size = put_escape(out, size, c);
    }
    return size;
}

static bool ends_with(struct weft_text path, struct weft_text piece)
{
    return path.size >= piece.size &&
           weft_text_equal(weft_text(path.data + (path.size - piece.size), piece.size), piece);
}

/* Behind the first place in path where piece is; false: there is none. */
static bool find(struct weft_text *path, struct weft_text piece)
{
    if (piece.size == 0)
        return true;
    if (piece.size > path->size)
        return false;
    const char *found = memmem(path->data, path->size, piece.data, piece.size);
    if (found == NULL)
        return false;
    size_t used = (size_t)(found - path->data) + piece.size;
    *path = weft_text(path->data + used, path->size - used);
    return true;
}

bool weft__robots_match(const struct weft__robots_rule *rule, struct weft_text path)
{
    struct weft_text rest = rule->pattern;
    struct weft_text piece = weft_text_cut(&rest, '*');
    if (path.size < piece.size || !weft_text_equal(weft_text(path.data, piece.size), piece))
        return false;
    path = weft_text(path.data + piece.size, path.size - piece.size);
    if (rest.data == NULL)
        return !rule->anchored || path.size == 0;
    while (rest.data != NULL) {
        piece = weft_text_cut(&rest, '*');
        if (rest.data == NULL && rule->anchored)
            return ends_with(path, piece);
        if (!find(&path, piece))
            return false;
    }
    return true;
}
