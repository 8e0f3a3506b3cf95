/* Columns of UTF-8.
 *
 * The C library could tell (wcwidth), but only in a locale that was set, and as it was when the library
 * was made. Three kinds are enough: what has no width because it stands on its neighbour, what is wide
 * (East Asia, pictures), and everything else. A mistake costs a column, never more: a line is cut with
 * one to spare.
 *
 * What a terminal would obey never gets there: controls of both sets, and the marks that turn the
 * direction of writing, with which a name can be made to look like another. */
#include "spider/columns.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct range {
    uint32_t first, last;
};

static const struct range narrowless[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff},
    {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},
    {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2795, 0x2797},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff},
    {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f19a}, {0x1f1e6, 0x1f202},
    {0x1f210, 0x1f265}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
    {0x1f90c, 0x1faff}, {0x20000, 0x3fffd},
};
static const struct range obeyed[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad},   {0x061c, 0x061c},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfeff, 0xfeff},
    {0xfff9, 0xfffb}, {0xd800, 0xdfff}, {0xe0000, 0xe00ff}, {0x110000, UINT32_MAX},
};

#define IN(ranges, code) is_in(ranges, sizeof(ranges) / sizeof(ranges)[0], code)

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

/* The bytes of the character at text, 0 if there is none. */
static size_t decode(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || length > size || lead >= 0xf8)
        return 0;
    *code = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    return *code >= least[length] ? length : 0;
}

struct glyph {
    const char *text;
    size_t size, taken; /* bytes of it, bytes that it stands for */
    unsigned columns;
};

static struct glyph glyph_at(const char *text, size_t size)
{
    uint32_t code = 0;
    size_t length = decode(text, size, &code);
    if (length == 1 && code >= 0x20 && code < 0x7f)
        return (struct glyph){text, 1, 1, 1};
    if (length == 0 || IN(obeyed, code))
        return (struct glyph){"?", 1, length == 0 ? 1 : length, 1};
    return (struct glyph){text, length, length, IN(narrowless, code) ? 0 : IN(wide, code) ? 2 : 1};
}

unsigned columns_of(const char *text, size_t size)
{
    unsigned columns = 0;
    while (size > 0) {
        struct glyph glyph = glyph_at(text, size);
        columns += glyph.columns;
        text += glyph.taken;
        size -= glyph.taken;
    }
    return columns;
}

/* Where the mark would have to stand is remembered on the way: it is needed only at the end. */
unsigned columns_cut(char *to, size_t room, const char *text, size_t size, unsigned columns,
                     const char *mark, size_t *bytes)
{
    size_t used = 0, cut_used = 0, mark_size = strlen(mark);
    unsigned at = 0, cut_at = 0;
    while (size > 0) {
        struct glyph glyph = glyph_at(text, size);
        if (at + glyph.columns > columns || used + glyph.size >= room)
            break;
        memcpy(to + used, glyph.text, glyph.size);
        used += glyph.size;
        at += glyph.columns;
        text += glyph.taken;
        size -= glyph.taken;
        if (at < columns && used + mark_size < room) {
            cut_used = used;
            cut_at = at;
        }
    }
    if (size > 0) {
        bool fits = columns > 0 && cut_used + mark_size < room;
        used = fits ? cut_used + mark_size : cut_used;
        at = fits ? cut_at + 1 : cut_at;
        memcpy(to + cut_used, mark, fits ? mark_size : 0);
    }
    if (room > 0)
        to[used] = '\0';
    if (bytes != NULL)
        *bytes = used;
    return at;
}

const char *columns_plain(char *to, size_t room, const char *text, size_t size)
{
    columns_cut(to, room, text, size, UINT_MAX, "~", NULL);
    return to;
}
