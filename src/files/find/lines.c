/* The lines of a file that hold a keyword.
 *
 * Keywords are looked for, not lines: only where one is found, its line is. Line numbers are counted from one
 * place to the next, and the rest of a line that was told is skipped.
 *
 *        at: here the line begins, or what is left of it
 *        ▼
 *     ───┬──────────────────[keyword]─────────┬───────┬──────────┐
 *        │    before          m               │ end   │ edge     │ held
 *
 * A line that does not end in the window is waited for, by reading on behind it, unless it is longer than
 * what is told of lines: then what is around the keyword is waited for, and told. So what is told does not
 * depend on where a window ends. Behind the edge a keyword could begin that is not all
 * there yet; so nothing is decided of what begins there, unless the file has ended. */
#include "find.h"
#include <string.h>

/* ---- newlines ------------------------------------------------------------------------------- */

static uint64_t eight_bytes(const char *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof word);
    return word;
}

/* Eight at a time: of each byte that was a newline, the highest bit is left. */
static uint64_t count_newlines(const char *data, size_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = ones * 0x7f;
    uint64_t count = 0;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t word = eight_bytes(data) ^ (ones * '\n');
        uint64_t others = ((word & low) + low) | word | low;
        count += (uint64_t)__builtin_popcountll(~others);
    }
    for (; size > 0; data++, size--)
        count += *data == '\n';
    return count;
}

/* Where in the window the last newline before to is, but not before from; SIZE_MAX: there is none. */
static size_t last_newline(const struct finder *finder, size_t from, size_t to)
{
    while (to > from && finder->window[to - 1] != '\n')
        to--;
    return to > from ? to - 1 : SIZE_MAX;
}

/* ---- where we are --------------------------------------------------------------------------- */

/* Move on to the beginning of the line that the byte at `to` is in. */
static void move_to_line_of(struct finder *finder, size_t to)
{
    size_t last = last_newline(finder, finder->at, to);
    if (last == SIZE_MAX)
        return;
    if (plan_of(finder)->what == WEFT_FIND_LINES)
        finder->line += count_newlines(finder->window + finder->at, last + 1 - finder->at);
    finder->at = last + 1;
    finder->line_offset = finder->offset + finder->at;
}

/* Behind the end of the line that was told; false: it does not end in the window. */
static bool skip_line(struct finder *finder)
{
    const char *from = finder->window + finder->at;
    const char *end = memchr(from, '\n', finder->held - finder->at);
    finder->at = end != NULL ? (size_t)(end - finder->window) + 1 : finder->held;
    if (end == NULL)
        return false;
    finder->line++;
    finder->line_offset = finder->offset + finder->at;
    finder->told = false;
    return true;
}

/* Nothing of what begins before edge is needed any more but the beginning of a line whose keyword may
 * still come, and of that no more than would be told. */
static void let_go(struct finder *finder, size_t edge)
{
    move_to_line_of(finder, edge);
    if (edge > finder->at + WEFT_FIND_LINE_SIZE)
        finder->at = edge - WEFT_FIND_LINE_SIZE;
}

static size_t edge_of(const struct finder *finder)
{
    size_t reach = plan_of(finder)->reach - 1;
    if (finder->ended)
        return finder->held;
    return finder->held > finder->at + reach ? finder->held - reach : finder->at;
}

/* ---- a line --------------------------------------------------------------------------------- */

/* Within a character of UTF-8 there are at most three bytes that continue it. Where there are more, it is
 * no UTF-8, and any place is as good. */
static bool is_within_character(const struct finder *finder, size_t at)
{
    return ((unsigned char)finder->window[at] & 0xC0) == 0x80;
}

/* The part of a long line that is told begins here, before the keyword at m. */
static size_t cut_before(const struct finder *finder, size_t m)
{
    if (m <= finder->at + SEARCH_BEFORE)
        return finder->at;
    size_t from = m - SEARCH_BEFORE;
    for (int i = 0; i < 3 && is_within_character(finder, from); i++)
        from++;
    return from;
}

/* And ends here. */
static size_t cut_behind(const struct finder *finder, size_t end)
{
    if (end - finder->at <= WEFT_FIND_LINE_SIZE)
        return end;
    end = finder->at + WEFT_FIND_LINE_SIZE;
    for (int i = 0; i < 3 && is_within_character(finder, end); i++)
        end--;
    return end;
}

/* The keyword begins at m, the line ends at end; complete: that is its end indeed. 1: not enough of it is
 * there yet; 0: it was told; a negative status. */
static int tell_line(struct finder *finder, size_t m, size_t end, bool complete)
{
    bool cut = end - finder->at > WEFT_FIND_LINE_SIZE ||
               finder->offset + finder->at != finder->line_offset;
    if (cut)
        finder->at = cut_before(finder, m);
    if (!complete && end - finder->at <= WEFT_FIND_LINE_SIZE)
        return 1;
    size_t from = finder->at;
    end = cut_behind(finder, end);
    return weft__search_tell(
        finder, &(struct weft_find_match){.line = finder->line,
                                          .offset = finder->line_offset,
                                          .text = weft_text(finder->window + from, end - from),
                                          .at = m - from,
                                          .cut = cut});
}

/* The same results. */
static int take_line(struct finder *finder, size_t m)
{
    move_to_line_of(finder, m);
    if (plan_of(finder)->what == WEFT_FIND_LINES) {
        const char *newline = memchr(finder->window + m, '\n', finder->held - m);
        size_t end = newline != NULL ? (size_t)(newline - finder->window) : finder->held;
        int more = tell_line(finder, m, end, newline != NULL || finder->ended);
        if (more != 0)
            return more;
    }
    finder->matched++;
    finder->told = true;
    finder->at = m;
    return 0;
}

int weft__lines_look(struct finder *finder)
{
    const struct matcher *any = plan_of(finder)->any;
    for (;;) {
        struct match match;
        if (finder->told && !skip_line(finder))
            return 1;
        if (weft__block_full(&finder->explorer.block))
            return 0;
        size_t edge = edge_of(finder), left = finder->held - finder->at;
        bool found = weft__matcher_find(any, finder->window + finder->at, left, &match);
        size_t m = found ? (size_t)(match.at - finder->window) : edge;
        if (!found || (m >= edge && !finder->ended)) {
            let_go(finder, edge);
            return 1;
        }
        int more = take_line(finder, m);
        if (more != 0)
            return more;
    }
}
