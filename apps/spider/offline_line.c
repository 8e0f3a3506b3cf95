/* The last line of a file of a copy: where it was taken from, and what its links do not say any more.
 *
 *     <!-- weft: taken from http://example.org/ [5f0c2d1e8a9b7c34 4:17:42 9:17:42#] -->
 *
 * In brackets is what means something to the state of this crawl alone. First a sign, which nobody else can make:
 * so the links of this file are a copy's. Then the links that go through a redirect: the fourth leads to URL 17,
 * which was redirected to 42 when this was written. The file only says 42: if 17 leads elsewhere one day, nobody
 * would know that this link has to follow. The third number is for files that somebody has changed since: a link
 * that does not lead to 42 is not the one that was meant. '#': the fragment that it has is the redirect's. */
#include "spider/crawl.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MOVED_MAX = 32 * 1024,            /* bytes: links that are too many are not noted, */
    URL_SHOWN = 2048,                 /* and of a URL that is too long only so many */
    LINE_MAX_SIZE = MOVED_MAX + 16384 /* with the URL, and what somebody has put behind it */
};

static const char mark[] = "weft: taken from ";

/* ---- written -------------------------------------------------------------------------------- */

static void put_sign(const struct crawl *crawl, struct weft_text url, char sign[OFFLINE_SIGN + 2])
{
    snprintf(sign, OFFLINE_SIGN + 2, "[%016" PRIx64, offline_hash(crawl, url));
}

/* A URL must not end the comment that it stands in. */
static void put_harmless(struct out *out, struct weft_text url)
{
    size_t from = 0;
    for (size_t i = 0; i < url.size; i++) {
        char c = url.data[i];
        if (c != '*' && c != '>' && !(c == '-' && i > 0 && url.data[i - 1] == '-'))
            continue;
        out_text(out, weft_text(url.data + from, i - from));
        out_format(out, "%%%02X", (unsigned char)c);
        from = i + 1;
    }
    out_text(out, weft_text(url.data + from, url.size - from));
}

void offline_put_line(const struct crawl *crawl, struct weft_text url, struct weft_text moved,
                      bool css, struct out *out)
{
    char sign[OFFLINE_SIGN + 2];
    put_sign(crawl, url, sign);
    out_string(out, css ? "\n/* " : "\n<!-- ");
    out_string(out, mark);
    put_harmless(out, weft_text(url.data, url.size < URL_SHOWN ? url.size : URL_SHOWN));
    out_string(out, url.size > URL_SHOWN ? "... " : " ");
    out_string(out, sign);
    out_text(out, moved);
    out_string(out, css ? "] */\n" : "] -->\n");
}

void offline_note_moved(struct out *moved, unsigned link, weft_crawl_id from, weft_crawl_id to,
                        bool part)
{
    if (moved->size < MOVED_MAX)
        out_format(moved, " %u:%" PRIu32 ":%" PRIu32 "%s", link, from, to, part ? "#" : "");
}

/* ---- read ----------------------------------------------------------------------------------- */

static struct weft_text end_of(struct weft_text file)
{
    size_t size = file.size < LINE_MAX_SIZE ? file.size : LINE_MAX_SIZE;
    return size > 0 ? weft_text(file.data + (file.size - size), size) : weft_text("", 0);
}

/* Ours is the last: somebody who has seen one may have put it into the page. */
static const char *last_of(struct weft_text text, const char *sign)
{
    const char *found = NULL, *at = text.data, *end = text.data + text.size;
    while ((at = memmem(at, (size_t)(end - at), sign, strlen(sign))) != NULL)
        found = at++;
    return found;
}

bool offline_is_copy(struct weft_text file)
{
    struct weft_text end = end_of(file);
    return memmem(end.data, end.size, mark, sizeof mark - 1) != NULL;
}

bool offline_find_line(const struct crawl *crawl, struct weft_text url, struct weft_text file,
                       struct offline_line *line)
{
    char sign[OFFLINE_SIGN + 2];
    struct weft_text end = end_of(file);
    put_sign(crawl, url, sign);
    *line = (struct offline_line){.begin = file.size, .end = file.size};
    const char *at = last_of(end, sign);
    if (at == NULL)
        return false;
    struct weft_text before = weft_text(end.data, (size_t)(at - end.data));
    const char *begin = memrchr(before.data, '\n', before.size);
    at += OFFLINE_SIGN + 1;
    const char *bracket = memchr(at, ']', (size_t)(end.data + end.size - at));
    if (begin == NULL || bracket == NULL)
        return false;
    const char *after = memchr(bracket, '\n', (size_t)(end.data + end.size - bracket));
    line->begin = (size_t)(begin - file.data);
    line->end = after != NULL ? (size_t)(after + 1 - file.data) : file.size;
    line->moved = weft_text(at, (size_t)(bracket - at));
    return true;
}

struct moved {
    uint32_t link, from, to;
    bool part;
};

/* Digits, and what stands behind them has to be `end`, or nothing. */
static bool take_number(struct weft_text *text, char end, uint32_t *number)
{
    struct weft_text digits = weft_text_cut(text, end);
    uint64_t value = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9' || value > UINT32_MAX / 10)
            return false;
        value = value * 10 + (uint64_t)(digits.data[i] - '0');
    }
    *number = (uint32_t)value;
    return digits.size > 0;
}

/* They are in the order of links, and so are the questions: what was passed by is not looked at again. */
static bool find_moved(struct offline_line *line, unsigned link, struct moved *moved)
{
    while (line->moved.size > 0) {
        struct weft_text rest = line->moved, word = weft_text_cut(&rest, ' ');
        moved->part = word.size > 0 && word.data[word.size - 1] == '#';
        word.size -= moved->part;
        bool known = take_number(&word, ':', &moved->link) &&
                     take_number(&word, ':', &moved->from) && take_number(&word, ':', &moved->to);
        if (known && moved->link >= link)
            return moved->link == link;
        line->moved = rest;
    }
    return false;
}

bool offline_was_moved(struct offline_line *line, unsigned link)
{
    struct moved moved;
    return find_moved(line, link, &moved);
}

bool offline_part_is_moved(struct offline_line *line, unsigned link)
{
    struct moved moved;
    return find_moved(line, link, &moved) && moved.part;
}

weft_crawl_id offline_before_moved(struct offline_line *line, unsigned link, weft_crawl_id to)
{
    struct moved moved;
    return find_moved(line, link, &moved) && moved.to == to ? moved.from : to;
}
