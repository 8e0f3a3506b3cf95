/* Refresh: the standard's rules for "5; url=/next", which are far more tolerant than any grammar.
 *
 * A time: digits, then digits and dots that do not count. Then blanks, ';' or ','. Then perhaps
 * "url" and '=', and the URL, perhaps in quotes, which then end it. */
#include "chars.h"
#include <weft/links.h>
#include <uv.h>

struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && html_char(*scan->at, HTML_SPACE))
        scan->at++;
}

static bool take_time(struct scan *scan, uint32_t *seconds)
{
    const char *begin = scan->at;
    uint64_t time = 0;
    for (; scan->at < scan->end && html_char(*scan->at, HTML_DIGIT); scan->at++) {
        time = time * 10 + (uint64_t)(*scan->at - '0');
        if (time > UINT32_MAX)
            time = UINT32_MAX;
    }
    if (scan->at == begin && (scan->at == scan->end || *scan->at != '.'))
        return false;
    while (scan->at < scan->end && (html_char(*scan->at, HTML_DIGIT) || *scan->at == '.'))
        scan->at++;
    *seconds = (uint32_t)time;
    return true;
}

/* What stands between the time and the URL; false: something else does. */
static bool take_separator(struct scan *scan)
{
    if (scan->at < scan->end && !html_char(*scan->at, HTML_SPACE) && *scan->at != ';' &&
        *scan->at != ',')
        return false;
    skip_blanks(scan);
    if (scan->at < scan->end && (*scan->at == ';' || *scan->at == ','))
        scan->at++;
    skip_blanks(scan);
    return true;
}

/* "url =": or the URL begins where that would. */
static void take_label(struct scan *scan)
{
    struct scan ahead = *scan;
    if (ahead.end - ahead.at < 3 || !weft_text_same(weft_text(ahead.at, 3), weft_text_of("url")))
        return;
    ahead.at += 3;
    skip_blanks(&ahead);
    if (ahead.at == ahead.end || *ahead.at != '=')
        return;
    ahead.at++;
    skip_blanks(&ahead);
    *scan = ahead;
}

int weft_links_refresh(struct weft_text value, struct weft_text *url, uint32_t *seconds)
{
    struct scan scan = {value.data, value.data + value.size};
    *url = weft_text(NULL, 0);
    *seconds = 0;
    skip_blanks(&scan);
    if (!take_time(&scan, seconds))
        return UV_EINVAL;
    if (!take_separator(&scan))
        return UV_EINVAL;
    take_label(&scan);
    if (scan.at < scan.end && (*scan.at == '"' || *scan.at == '\'')) {
        char quote = *scan.at++;
        const char *end = memchr(scan.at, quote, (size_t)(scan.end - scan.at));
        if (end != NULL)
            scan.end = end;
    }
    *url = weft_text(scan.at, (size_t)(scan.end - scan.at));
    return 0;
}
