/* Wildcards.
 *
 * One walk over both texts. When they disagree, only the last '*' is tried again, one character
 * further on: what stands before it has matched as early as it can, and no other way to match it
 * would leave more of the text. So there is no recursion, and each '*' costs at most one pass.
 * The walk goes from character to character: none is taken in part.
 *
 * A pattern for the end of a path is one with a '*' before it that may only stop behind a '/' of
 * the path: that star has a limit and looks for slashes, the others have none. */
#include "glob.h"
#include "trace/utf8.h"

/* ---- one character -------------------------------------------------------------------------- */

enum { STRAY = 0x110000 }; /* added to a byte that is in no character: behind all code points */

struct character {
    uint32_t code;
    size_t size; /* how many bytes it takes in the text */
};

static struct character character_at(struct weft_text text, size_t at)
{
    unsigned char first = (unsigned char)text.data[at];
    if (first < 0x80)
        return (struct character){first, 1};
    struct utf8_state state = {0};
    enum utf8_step step = UTF8_MORE;
    for (size_t end = at; step == UTF8_MORE && end < text.size;) {
        step = utf8_step(&state, (unsigned char)text.data[end++]);
        if (step == UTF8_DONE)
            return (struct character){state.code, end - at};
    }
    return (struct character){STRAY + first, 1};
}

/* Where the set that begins at '[' ends: behind its ']'; 0: nothing closes it. A ']' that stands
 * first is one of its characters. */
static size_t set_end(struct weft_text pattern, size_t at)
{
    at++;
    if (at < pattern.size && (pattern.data[at] == '!' || pattern.data[at] == '^'))
        at++;
    for (size_t first = at; at < pattern.size; at++) {
        if (pattern.data[at] == '\\')
            at++;
        else if (pattern.data[at] == ']' && at > first)
            return at + 1;
    }
    return 0;
}

static uint32_t set_char(struct weft_text pattern, size_t *at)
{
    if (pattern.data[*at] == '\\')
        ++*at;
    struct character it = character_at(pattern, *at);
    *at += it.size;
    return it.code;
}

/* The set lies from at to end. */
static bool set_has(struct weft_text pattern, size_t at, size_t end, uint32_t code)
{
    bool negated = pattern.data[at + 1] == '!' || pattern.data[at + 1] == '^';
    bool found = false;
    at += negated ? 2 : 1;
    while (at < end - 1) {
        uint32_t low = set_char(pattern, &at), high = low;
        if (at + 1 < end - 1 && pattern.data[at] == '-') {
            at++;
            high = set_char(pattern, &at);
        }
        found = found || (low <= code && code <= high);
    }
    return found != negated;
}

/* Is code what the pattern has at *at (not a '*')? Then *at is behind it. */
static bool takes(struct weft_text pattern, size_t *at, uint32_t code)
{
    size_t end;
    char p = pattern.data[*at];
    if (p == '[' && (end = set_end(pattern, *at)) != 0) {
        if (!set_has(pattern, *at, end, code))
            return false;
        *at = end;
        return true;
    }
    size_t escaped = p == '\\' && *at + 1 < pattern.size;
    struct character meant = character_at(pattern, *at + escaped);
    if (p != '?' && meant.code != code)
        return false;
    *at += escaped + meant.size;
    return true;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Where to go on when it goes wrong. */
struct star {
    bool set;
    size_t pattern, text; /* behind the star, and where that was tried last */
    size_t slashes; /* the star of a path's end: it stops behind slashes before this; else 0 */
};

static bool try_again(struct star *star, struct weft_text text)
{
    if (!star->set)
        return false;
    if (star->slashes == 0) {
        if (star->text == text.size)
            return false;
        star->text += character_at(text, star->text).size;
        return true;
    }
    while (star->text < star->slashes) {
        if (text.data[star->text++] == '/')
            return true;
    }
    return false;
}

/* below: all that begins like the pattern is fine, too. */
static bool walk(struct weft_text pattern, struct weft_text text, struct star star, bool below)
{
    size_t p = 0, t = 0;
    for (;;) {
        if (p < pattern.size && pattern.data[p] == '*') {
            p++;
            star = (struct star){.set = true, .pattern = p, .text = t};
            continue;
        }
        if (p == pattern.size && (t == text.size || below))
            return true;
        if (p < pattern.size && t < text.size) {
            struct character next = character_at(text, t);
            if (takes(pattern, &p, next.code)) {
                t += next.size;
                continue;
            }
        }
        if (!try_again(&star, text))
            return false;
        p = star.pattern;
        t = star.text;
    }
}

bool glob_matches(struct weft_text pattern, struct weft_text text)
{
    return walk(pattern, text, (struct star){.set = false}, false);
}

static bool is_whole(struct weft_text pattern)
{
    if (weft_text_starts(pattern, "*"))
        return true;
    for (struct weft_text rest = pattern; rest.size >= 3; rest.data++, rest.size--) {
        if (weft_text_starts(rest, "://"))
            return true;
    }
    return false;
}

bool glob_matches_url(struct weft_text pattern, struct weft_text url, size_t path, size_t query)
{
    struct star star = {.set = false};
    size_t begin = is_whole(pattern) ? 0 : path;
    if (begin > 0 && begin < query && !weft_text_starts(pattern, "/")) {
        begin++; /* the path's first segment */
        star = (struct star){.set = true, .slashes = query - begin};
    }
    struct weft_text with = weft_text(url.data + begin, url.size - begin);
    struct weft_text without = weft_text(url.data + begin, query - begin);
    bool below = pattern.size > 0 && pattern.data[pattern.size - 1] == '/';
    return walk(pattern, without, star, below) ||
           (query < url.size && walk(pattern, with, star, below));
}
