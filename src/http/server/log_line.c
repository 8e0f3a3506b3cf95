/* The lines of the access log, put together by hand: a stranger chose most of what is in them.
 *
 * Nothing a client sends gets out of its place. In CLF everything but visible ASCII and the blank
 * becomes \xhh, as do quotes and backslashes get a backslash; in JSON control characters (those
 * of C1 too, terminals obey them) become \u00hh and what is not UTF-8 U+FFFD. So a line has one
 * end, and a quote ends a text only where we put it.
 *
 * Each text has a share of the line, counted after escaping; what does not fit is cut at a whole
 * character and ends in "...". The shares, and what stands between them, are less than
 * WEFT_HTTP_LOG_LINE together: that is why nothing here asks for room. */
#include "log.h"

enum { METHOD_MOST = 64, TARGET_MOST = 2048, REFERER_MOST = 1024, AGENT_MOST = 512 };
_Static_assert(METHOD_MOST + TARGET_MOST + REFERER_MOST + AGENT_MOST + 400 <= WEFT_HTTP_LOG_LINE,
               "the parts of a line do not fit it");

/* ---- pieces: each writes at `to` and returns where it stopped
 * --------------------------------- */

/* And a NUL behind it, that is overwritten or left behind the end. */
static char *put(char *to, const char *text)
{
    return stpcpy(to, text);
}

static char *put_number(char *to, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

/* With zeros in front. */
static char *put_digits(char *to, unsigned number, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        to[i] = (char)('0' + number % 10);
        number /= 10;
    }
    return to + count;
}

static char *put_hex(char *to, const char *mark, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    to = put(to, mark);
    *to++ = hex[byte >> 4];
    *to++ = hex[byte & 15];
    return to;
}

/* ---- escaping
 * --------------------------------------------------------------------------------- */

/* Writes one character, escaped: at most UNIT_MOST bytes. *from moves behind it. */
typedef char *escape_fn(char *to, const unsigned char **from, const unsigned char *end);
enum { UNIT_MOST = 6 };

/* Bytes that need no escape. */
static const bool plain[256] = {[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true};

static char *put_backslashed(char *to, unsigned char c)
{
    *to++ = '\\';
    *to++ = (char)c;
    return to;
}

static char *escape_clf(char *to, const unsigned char **from, const unsigned char *end)
{
    (void)end;
    unsigned char c = *(*from)++;
    return c == '"' || c == '\\' ? put_backslashed(to, c) : put_hex(to, "\\x", c);
}

/* How long the UTF-8 character is that begins here; 0: there is none. */
static size_t utf8_size(const unsigned char *at, size_t left)
{
    unsigned char c = at[0];
    size_t size = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : 4;
    if (c > 0xf4 || (c >= 0x80 && c < 0xc2) || size > left)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Too long for what it is, half of a pair of UTF-16, or beyond U+10FFFF. */
    if ((c == 0xe0 && at[1] < 0xa0) || (c == 0xed && at[1] > 0x9f) || (c == 0xf0 && at[1] < 0x90) ||
        (c == 0xf4 && at[1] > 0x8f))
        return 0;
    return size;
}

static char *escape_json(char *to, const unsigned char **from, const unsigned char *end)
{
    const unsigned char *at = *from;
    size_t size = utf8_size(at, (size_t)(end - at));
    *from += size > 0 ? size : 1;
    if (size == 0)
        return put(to, "\\ufffd");
    if (*at == '"' || *at == '\\')
        return put_backslashed(to, *at);
    if (size == 1)
        return put_hex(to, "\\u00", *at);
    if (at[0] == 0xc2 && at[1] < 0xa0)
        return put_hex(to, "\\u00", at[1]);
    memcpy(to, at, size);
    return to + size;
}

/* The bytes up to end, or room, that are plain. */
static size_t plain_size(const unsigned char *from, const unsigned char *end, size_t room)
{
    size_t size = 0, most = (size_t)(end - from) < room ? (size_t)(end - from) : room;
    while (size < most && plain[from[size]])
        size++;
    return size;
}

/* At most `most` bytes, which are more than 3. */
static char *put_escaped(char *to, struct weft_text text, size_t most, escape_fn *escape)
{
    if (text.size == 0)
        return to;
    const unsigned char *from = (const unsigned char *)text.data, *end = from + text.size;
    char *limit = to + most, *last = limit - 3;
    char *cut = to; /* the end of the last character that leaves room for "..." */
    for (;;) {
        size_t size = plain_size(from, end, (size_t)(limit - to));
        memcpy(to, from, size);
        from += size;
        to += size;
        if (size > 0)
            cut = to <= last ? to : to - size <= last ? last : cut;
        if (from == end)
            return to;
        char unit[UNIT_MOST + 1];
        size = (size_t)(escape(unit, &from, end) - unit);
        if (size > (size_t)(limit - to))
            return put(cut, "...");
        memcpy(to, unit, size);
        to += size;
        if (to <= last)
            cut = to;
    }
}

/* ---- dates
 * ------------------------------------------------------------------------------------ */

static char *put_clf_date(char *to, const struct tm *tm)
{
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    to = put_digits(to, (unsigned)tm->tm_mday, 2);
    *to++ = '/';
    to = put(to, months[tm->tm_mon]);
    *to++ = '/';
    to = put_digits(to, (unsigned)tm->tm_year + 1900, 4);
    return put(to, ":");
}

static char *put_iso_date(char *to, const struct tm *tm)
{
    to = put_digits(to, (unsigned)tm->tm_year + 1900, 4);
    *to++ = '-';
    to = put_digits(to, (unsigned)tm->tm_mon + 1, 2);
    *to++ = '-';
    to = put_digits(to, (unsigned)tm->tm_mday, 2);
    return put(to, "T");
}

void weft__http_log_date(enum weft_http_log_format format, int64_t seconds,
                         char date[LOG_DATE_SIZE])
{
    time_t time = (time_t)seconds;
    struct tm tm;
    memset(&tm, 0, sizeof tm);
    gmtime_r(&time, &tm);
    char *to = format == WEFT_HTTP_LOG_JSON ? put_iso_date(date, &tm) : put_clf_date(date, &tm);
    to = put_digits(to, (unsigned)tm.tm_hour, 2);
    *to++ = ':';
    to = put_digits(to, (unsigned)tm.tm_min, 2);
    *to++ = ':';
    to = put_digits(to, (unsigned)tm.tm_sec, 2);
    *to = '\0';
}

/* ---- CLF
 * -------------------------------------------------------------------------------------- */

static char *put_clf_head(char *to, const char *remote, const char *date)
{
    to = put(to, remote);
    to = put(to, " - - [");
    to = put(to, date);
    return put(to, " +0000] \"");
}

static char *put_clf_text(char *to, struct weft_text text, size_t most)
{
    return text.size == 0 ? put(to, "-") : put_escaped(to, text, most, escape_clf);
}

static char *put_request_line(char *to, const struct weft_http_head *head)
{
    if (head->method_text.size == 0)
        return put(to, "-");
    to = put_escaped(to, head->method_text, METHOD_MOST, escape_clf);
    *to++ = ' ';
    to = put_clf_text(to, head->target, TARGET_MOST);
    to = put(to, " HTTP/1.");
    return put_number(to, head->minor);
}

static char *put_clf(char *to, const struct http_log_entry *entry, bool combined)
{
    to = put_clf_head(to, entry->remote, entry->date);
    to = put_request_line(to, entry->head);
    to = put(to, "\" ");
    to = put_number(to, (unsigned)entry->status);
    *to++ = ' ';
    to = put_number(to, entry->bytes);
    if (!combined)
        return to;
    to = put(to, " \"");
    to = put_clf_text(to, weft_http_head_get(entry->head, "Referer"), REFERER_MOST);
    to = put(to, "\" \"");
    to = put_clf_text(to, weft_http_head_get(entry->head, "User-Agent"), AGENT_MOST);
    return put(to, "\"");
}

/* ---- JSON
 * ------------------------------------------------------------------------------------- */

static char *put_json_time(char *to, const char *date, unsigned millisecond)
{
    to = put(to, "{\"time\":\"");
    to = put(to, date);
    *to++ = '.';
    to = put_digits(to, millisecond, 3);
    return put(to, "Z\"");
}

static char *put_json_text(char *to, const char *name, struct weft_text text, size_t most)
{
    to = put(to, ",\"");
    to = put(to, name);
    to = put(to, "\":\"");
    to = put_escaped(to, text, most, escape_json);
    return put(to, "\"");
}

static char *put_json_field(char *to, const char *name, struct weft_text value, size_t most)
{
    return value.size > 0 ? put_json_text(to, name, value, most) : to;
}

static char *put_json(char *to, const struct http_log_entry *entry)
{
    const struct weft_http_head *head = entry->head;
    uint64_t us = entry->duration_ns / 1000;
    to = put_json_time(to, entry->date, entry->millisecond);
    to = put(to, ",\"remote\":\"");
    to = put(to, entry->remote);
    to = put(to, "\"");
    to = put_json_text(to, "method", head->method_text, METHOD_MOST);
    to = put_json_text(to, "target", head->target, TARGET_MOST);
    to = put(to, ",\"status\":");
    to = put_number(to, (unsigned)entry->status);
    to = put(to, ",\"bytes\":");
    to = put_number(to, entry->bytes);
    to = put(to, ",\"duration_ms\":");
    to = put_number(to, us / 1000);
    *to++ = '.';
    to = put_digits(to, (unsigned)(us % 1000), 3);
    to = put_json_field(to, "user_agent", weft_http_head_get(head, "User-Agent"), AGENT_MOST);
    to = put_json_field(to, "referer", weft_http_head_get(head, "Referer"), REFERER_MOST);
    return put(to, "}");
}

/* ---- lines
 * ------------------------------------------------------------------------------------ */

size_t weft__http_log_line(enum weft_http_log_format format, const struct http_log_entry *entry,
                           char *line)
{
    char *end = format == WEFT_HTTP_LOG_JSON
                    ? put_json(line, entry)
                    : put_clf(line, entry, format == WEFT_HTTP_LOG_COMBINED);
    *end++ = '\n';
    return (size_t)(end - line);
}

size_t weft__http_log_lost(enum weft_http_log_format format, const char *date, unsigned millisecond,
                           uint64_t count, char *line)
{
    char *to = line;
    if (format == WEFT_HTTP_LOG_JSON) {
        to = put_json_time(to, date, millisecond);
        to = put(to, ",\"lost_lines\":");
        to = put_number(to, count);
        to = put(to, "}\n");
        return (size_t)(to - line);
    }
    /* In the shape of a request, so that nobody who reads logs stumbles over it. */
    to = put_clf_head(to, "-", date);
    to = put_number(to, count);
    to = put(to, " lines lost\" 0 0");
    to = put(to, format == WEFT_HTTP_LOG_COMBINED ? " \"-\" \"-\"\n" : "\n");
    return (size_t)(to - line);
}
