/* Tags that are of no interest to anybody who looks for links: passed over, not taken apart. Nine of
 * ten are, and what the tenth costs is small beside looking for it.
 *
 * A name of up to seven letters is read as one number, its first letter lowest, without a loop: where
 * tags and names end cannot be guessed, and a processor that guesses wrong waits for as long as it
 * would take to read the whole tag. So there is no branch for each letter, and the number is looked
 * up in a table in which each name has a place of its own.
 *
 * In doubt a tag is of interest: then the states of the tokenizer read it. */
#include "chars.h"
#include "tokenizer.h"
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { WORD = 8, PLACE_BITS = 7 };
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define HIGH EACH(0x80)

static inline uint64_t read_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The high bit of each byte that is at least this; all bytes are below 0x80, and so is least. */
static inline uint64_t at_least(uint64_t word, unsigned least)
{
    return word + EACH(0x80 - least);
}

/* The name that begins here, in small letters, and its size; WORD: it is longer, or that cannot be
 * seen. There are WORD bytes. */
static inline uint64_t read_name(const char *at, unsigned *size)
{
    uint64_t word = read_word(at), small = word | EACH(0x20);
    uint64_t low = word & ~HIGH, small_low = small & ~HIGH;
    uint64_t letters = at_least(small_low, 'a') & ~at_least(small_low, 'z' + 1);
    uint64_t digits = at_least(low, '0') & ~at_least(low, '9' + 1);
    uint64_t ends = ~((letters | digits) & ~word) & HIGH;
    *size = ends == 0 ? WORD : (unsigned)__builtin_ctzll(ends) / 8;
    return ends == 0 ? 0 : small & ((UINT64_C(1) << *size * 8) - 1);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Names as numbers; the factor was found by trying, and compilers warn if two names meet. */
#define NAME(...) NAME_OF(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define NAME_OF(a, b, c, d, e, f, g, ...)                                                          \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 |              \
     (uint64_t)(e) << 32 | (uint64_t)(f) << 40 | (uint64_t)(g) << 48)
#define PLACE(name) ((name)*UINT64_C(0x267cf83e1377c639) >> (64 - PLACE_BITS))
#define DULL(...) [PLACE(NAME(__VA_ARGS__))] = NAME(__VA_ARGS__)

/* Elements that change nothing, and have no links but in a style or a background: those that most
 * tags are of. */
static const uint64_t dull[1 << PLACE_BITS] = {
    DULL('p'),
    DULL('b'),
    DULL('i'),
    DULL('u'),
    DULL('l', 'i'),
    DULL('e', 'm'),
    DULL('d', 't'),
    DULL('d', 'd'),
    DULL('u', 'l'),
    DULL('o', 'l'),
    DULL('d', 'l'),
    DULL('b', 'r'),
    DULL('t', 'd'),
    DULL('t', 'h'),
    DULL('t', 'r'),
    DULL('h', 'r'),
    DULL('h', '1'),
    DULL('h', '2'),
    DULL('h', '3'),
    DULL('h', '4'),
    DULL('d', 'i', 'v'),
    DULL('p', 'r', 'e'),
    DULL('v', 'a', 'r'),
    DULL('k', 'b', 'd'),
    DULL('s', 'u', 'b'),
    DULL('s', 'u', 'p'),
    DULL('n', 'a', 'v'),
    DULL('c', 'o', 'l'),
    DULL('s', 'p', 'a', 'n'),
    DULL('c', 'o', 'd', 'e'),
    DULL('c', 'i', 't', 'e'),
    DULL('a', 'b', 'b', 'r'),
    DULL('t', 'b', 'o', 'd', 'y'),
    DULL('t', 'h', 'e', 'a', 'd'),
    DULL('t', 'a', 'b', 'l', 'e'),
    DULL('s', 'm', 'a', 'l', 'l'),
    DULL('l', 'a', 'b', 'e', 'l'),
    DULL('s', 't', 'r', 'o', 'n', 'g'),
    DULL('h', 'e', 'a', 'd', 'e', 'r'),
    DULL('f', 'o', 'o', 't', 'e', 'r'),
    DULL('a', 'c', 'r', 'o', 'n', 'y', 'm'),
    DULL('s', 'e', 'c', 't', 'i', 'o', 'n'),
    DULL('a', 'r', 't', 'i', 'c', 'l', 'e'),
};

static bool is_dull(uint64_t name)
{
    return dull[PLACE(name)] == name;
}

/* ---- attributes ----------------------------------------------------------------------------- */

/* At a quote: does it begin a value, beyond doubt? Elsewhere it is a letter like others: in a=b="c> it is one
 * of the value b="c, and so it is in a= b="c>. */
static bool begins_value(const char *quote, const char *begin)
{
    const char *at = quote;
    while (at > begin && html_char(at[-1], HTML_SPACE))
        at--;
    if (at == begin || *--at != '=')
        return false;
    const char *name_end = at;
    while (at > begin && (html_char(at[-1], HTML_ALPHA | HTML_DIGIT) || at[-1] == '-'))
        at--;
    const char *name = at;
    while (at > begin && html_char(at[-1], HTML_SPACE))
        at--;
    return name < name_end && (at == begin || (at < name && at[-1] != '='));
}

static bool is_word(const char *at, const char *end, const char *word)
{
    struct weft_text wanted = weft_text_of(word);
    return (*at | 0x20) == *word && (size_t)(end - at) > wanted.size &&
           weft_text_same(weft_text(at, wanted.size), wanted);
}

/* From the end of a tag's name, or of a value, to behind the '>' of the tag, if there is no style
 * and no background on the way; NULL: there may be, or it has to be looked at more closely. */
static const char *any_attributes_end(const char *begin, const char *end)
{
    for (const char *at = begin; at < end; at++) {
        if (*at == '>')
            return at + 1;
        if (is_word(at, end, "style") || is_word(at, end, "background"))
            return NULL;
        if (*at != '"' && *at != '\'')
            continue;
        if (!begins_value(at, begin))
            return NULL;
        at = memchr(at + 1, *at, (size_t)(end - at - 1));
        if (at == NULL)
            return NULL;
    }
    return NULL;
}

/* The same, by whole attributes as long as they are of the form that most are of: name="value". */
static const char *attributes_end(const char *at, const char *end)
{
    while (end - at > WORD + 3 && *at != '>') {
        unsigned size;
        uint64_t name = read_name(at + 1, &size);
        if (!html_char(*at, HTML_SPACE) || size == 0 || size == WORD || at[1 + size] != '=' ||
            at[2 + size] != '"' || name == NAME('s', 't', 'y', 'l', 'e'))
            return any_attributes_end(at, end);
        at = memchr(at + 3 + size, '"', (size_t)(end - at) - 3 - size);
        if (at == NULL)
            return NULL;
        at++;
    }
    return any_attributes_end(at, end);
}

/* ---- tags ----------------------------------------------------------------------------------- */

/* Behind any other character the name of the element goes on, quotes and all: <p#a="b> is a tag. */
static bool ends_name(char c)
{
    return c == '>' || c == '/' || html_char(c, HTML_SPACE);
}

/* At '<': where the tag ends if it is dull, or NULL if it may not be. Of the elements that change how
 * to go on, none has a name of up to three letters but svg and xmp. */
static const char *dull_tag_end(const char *at, const char *end)
{
    unsigned size;
    if ((size_t)(end - at) < (size_t)2 * WORD)
        return NULL;
    bool is_end = at[1] == '/';
    at += 1 + is_end;
    uint64_t name = read_name(at, &size);
    if (!html_char(*at, HTML_ALPHA) || size == WORD)
        return NULL;
    at += size;
    if (is_end)
        return *at == '>' ? at + 1 : NULL;
    if (is_dull(name))
        return ends_name(*at) ? attributes_end(at, end) : NULL;
    bool is_short = size < 3 || (size == 3 && (at[-1] | 0x20) != 'g' && (at[-1] | 0x20) != 'p');
    return *at == '>' && is_short ? at + 1 : NULL;
}

/* The next '<', or NULL. Most texts are short: to call memchr would take longer than to look. */
static inline const char *next_tag(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i less = _mm_set1_epi8('<');
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        unsigned found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, less));
        if (found != 0)
            return at + __builtin_ctz(found);
    }
#endif
    return memchr(at, '<', (size_t)(end - at));
}

const char *weft__html_skip_dull(const char *at, const char *end)
{
    while (at < end) {
        const char *behind = dull_tag_end(at, end);
        if (behind == NULL)
            return at;
        at = next_tag(behind, end);
        if (at == NULL)
            return end;
    }
    return at;
}
