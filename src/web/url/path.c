/* The path, segment by segment.
 *
 * Each segment is written as '/' and its bytes, percent-encoded; only then it is looked at. "." is
 * taken back, ".." takes the one before it back as well, in all the ways that they can be written;
 * as the last one they leave a '/'. Every byte is written and taken back at most once.
 *
 * Before that, a path that needs none of this is copied as a whole.
 *
 * Invariant: out[path_begin..size) is empty, or segments that each begin with '/'. */
#include "parser.h"

/* '.' or "%2e": its length; 0: it is neither. */
static size_t dot_size(const char *at, const char *end)
{
    if (at < end && *at == '.')
        return 1;
    if (end - at >= 3 && at[0] == '%' && at[1] == '2' && (at[2] == 'e' || at[2] == 'E'))
        return 3;
    return 0;
}

/* How many dots the segment consists of: 1 or 2; 0: it is another. */
static int count_dots(const char *at, const char *end)
{
    size_t first = dot_size(at, end);
    if (first == 0)
        return 0;
    at += first;
    if (at == end)
        return 1;
    size_t second = dot_size(at, end);
    return second > 0 && at + second == end ? 2 : 0;
}

bool weft__url_starts_with_drive(const char *at, const char *end)
{
    return end - at >= 2 && url_is_drive(at) &&
           (end - at == 2 || url_char(at[2], URL_ENDS_SEGMENT));
}

void weft__url_shorten(struct url_parser *p)
{
    size_t begin = p->url->path_begin;
    if (p->url->kind == WEFT_URL_FILE && p->size - begin == 3 && p->out[begin + 2] == ':' &&
        url_char(p->out[begin + 1], URL_ALPHA))
        return;
    while (p->size > begin && p->out[--p->size] != '/')
        continue;
}

/* One segment, with what of it has to be encoded; at is moved to what ends it. */
static void put_segment(struct url_parser *p)
{
    const char *run = p->at;
    while (p->at < p->end) {
        if (!url_char(*p->at, URL_IN_PATH | URL_ENDS_SEGMENT)) {
            p->at++;
            continue;
        }
        if (url_char(*p->at, URL_ENDS_SEGMENT)) {
            if (*p->at != '\\' || url_special(p))
                break;
            p->at++;
            continue;
        }
        url_put(p, run, (size_t)(p->at - run));
        weft__url_put_percent(p, &p->at, p->end);
        run = p->at;
    }
    url_put(p, run, (size_t)(p->at - run));
}

/* The segment that is written from begin on, behind its '/', is complete. */
static void settle_segment(struct url_parser *p, size_t begin, bool last)
{
    char *segment = p->out + begin + 1;
    size_t size = p->size - begin - 1;
    int dots = count_dots(segment, segment + size);
    if (dots > 0) {
        p->size = begin;
        if (dots == 2)
            weft__url_shorten(p);
        if (last)
            url_put_char(p, '/');
    } else if (size == 2 && begin == p->url->path_begin && p->url->kind == WEFT_URL_FILE &&
               url_is_drive(segment)) {
        segment[1] = ':';
    }
}

/* A path that begins with "//" would be taken for a host where there is none. */
static void guard_empty_segment(struct url_parser *p)
{
    size_t begin = p->url->path_begin;
    if (p->url->has_host || p->size - begin < 2 || memcmp(p->out + begin, "//", 2) != 0)
        return;
    url_put(p, "/.", 2);
    if (p->err != 0)
        return;
    memmove(p->out + begin + 2, p->out + begin, p->size - 2 - begin);
    memcpy(p->out + begin, "/.", 2);
    p->url->path_begin += 2;
}

/* Which bytes of the word are c? The top bit of each such byte is set, and perhaps of more. */
static uint64_t bytes_like(uint64_t word, char c)
{
    const uint64_t ones = UINT64_MAX / 255;
    word ^= ones * (unsigned char)c;
    return (word - ones) & ~word & ones * 0x80;
}

/* Among the nine bytes here, is there a '/' with a '.' or '%' behind it? No is certain. */
static bool may_have_dots_at(const char *nine)
{
    uint64_t word, next; /* next is one byte further */
    memcpy(&word, nine, sizeof word);
    memcpy(&next, nine + 1, sizeof next);
    return (bytes_like(word, '/') & (bytes_like(next, '.') | bytes_like(next, '%'))) != 0;
}

/* Can there be a segment that begins with '.' or '%'? No is certain; short paths are not worth the
 * question. */
static bool may_have_dots(const char *at, const char *end)
{
    if (at == end)
        return false;
    if (end - at < 9 || *at == '.' || *at == '%')
        return true;
    for (; end - at >= 9; at += 8) {
        if (may_have_dots_at(at))
            return true;
    }
    return may_have_dots_at(end - 9);
}

/* Most paths are in their final form: two passes say so, and they are copied. */
static bool take_plain(struct url_parser *p)
{
    const char *end = url_find(p->at, p->end, URL_PATH_WORK);
    if ((end < p->end && *end != '?' && *end != '#') || p->url->kind == WEFT_URL_FILE)
        return false;
    if (may_have_dots(p->at, end))
        return false;
    url_put_char(p, '/');
    url_put(p, p->at, (size_t)(end - p->at));
    p->at = end;
    return true;
}

static void take_segments(struct url_parser *p)
{
    bool last;
    do {
        size_t begin = p->size;
        url_put_char(p, '/');
        put_segment(p);
        last = !url_at_slash(p);
        if (p->err != 0)
            return;
        settle_segment(p, begin, last);
        p->at += !last;
    } while (!last);
}

void weft__url_path(struct url_parser *p)
{
    if (!take_plain(p))
        take_segments(p);
    if (p->err != 0)
        return;
    guard_empty_segment(p);
    p->url->query_begin = (uint32_t)p->size;
}

void weft__url_path_start(struct url_parser *p)
{
    p->url->path_begin = p->url->query_begin = (uint32_t)p->size;
    if (!url_special(p) && (p->at == p->end || *p->at == '?' || *p->at == '#'))
        return;
    p->at += url_at_slash(p);
    weft__url_path(p);
}
