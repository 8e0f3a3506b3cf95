/* A megabyte of the worst takes no longer than a megabyte of anything. A reader that begins anew at
 * every character would need a minute for one of these, not a part of a second. */
/* ctest: shuffle=no */
#include "check.h"
#include "message_heads.h"
#include <stdlib.h>
#include <time.h>
#include <weft/http_message.h>

enum { MEGABYTE = 1 << 20 };

static char text_bytes[MEGABYTE], out[3 * MEGABYTE + 1];

static struct weft_text repeat(const char *pattern)
{
    size_t size = strlen(pattern);
    for (size_t i = 0; i < MEGABYTE; i++)
        text_bytes[i] = pattern[i % size];
    return weft_text(text_bytes, MEGABYTE);
}

static void walk(struct weft_text text)
{
    struct weft_text rest, piece, value;
    struct weft_http_parameter parameter;
    struct weft_http_link link;
    for (rest = text; weft_http_list_next(&rest, &piece) != 0;)
        ;
    for (rest = text; weft_http_parameter_next(&rest, &parameter) != 0;)
        ;
    for (rest = text; weft_http_directive_next(&rest, &parameter) != 0;)
        ;
    for (rest = text; weft_http_link_next(&rest, &link) != 0;)
        weft_http_link_is(&link, "next");
    for (rest = text; weft_http_form_next(&rest, &piece, &value) != 0;)
        ;
}

static void read_as_head(struct weft_text text)
{
    static const char *const names[] = {"If-Match", "If-None-Match",   "If-Modified-Since",
                                        "If-Range", "Accept-Encoding", "Accept"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct weft_http_head head = HEAD(WEFT_HTTP_GET, names[i], "", "Range", "bytes=0-");
        struct weft_http_field fields[2] = {head.fields[0], head.fields[1]};
        fields[0].value = text;
        head.fields = fields;
        weft_http_conditional(&head, weft_text_of("\"a\""), 0, 0);
        weft_http_range_applies(&head, weft_text_of("\"a\""), 0, 0);
        weft_http_accepts_encoding(&head, "gzip");
        weft_http_accept_quality(&head, "text/html");
    }
}

static void read_at_once(struct weft_text text)
{
    struct weft_http_content_type type;
    struct weft_http_ranges ranges;
    struct weft_text host;
    int64_t time, number;
    uint32_t seconds;
    int port;
    weft_http_name_ok(text);
    weft_http_value_ok(text);
    weft_http_date_parse(text, 0, &time);
    weft_http_retry_after(text, 0, 1, &seconds);
    weft_http_etag_weak_same(text, text);
    weft_http_range_parse(text, 1000, &ranges);
    weft_http_media_type(text);
    weft_http_content_type_parse(text, &type);
    weft_http_host_split(text, &host, &port);
    weft_http_percent_decode(text, out, sizeof out, NULL);
    weft_http_percent_encode(text, WEFT_HTTP_ESCAPE_QUERY, out, sizeof out, NULL);
    weft_http_form_get(text, "n", out, sizeof out, NULL);
    weft_http_form_number(text, "n", 0, 1, &number);
    weft_http_path_clean(text, out, sizeof out, NULL);
}

TEST(a_megabyte_of_anything_is_read_in_linear_time)
{
    static const char *const patterns[] = {
        "a",        ",",       ";",     "=",      "\"",       "\\",         "%",     "/",
        "&",        " ",       "\t ",   "<",      ">",        "*",          "-",     ".",
        "1",        "[",       ":",     "W/\"",   "\"a\",",   "\"a,",       "<a>,",  "<a>;",
        "<,",       ",<",      "a=\",", "a=\";",  "a;",       "a=b;",       ";a=\\", "%41",
        "/a/..",    "/../",    "/./",   "/a",     "n=",       "n=1&",       "&n",    "bytes=0-,",
        "a/b;",     "gzip;q,", "gzip,", "*;q=0,", "\"\\\"",   "<a>;rel=a ", "a ",    " ,",
        "<a>;b=\"", "a\"b;",   "a\"b,", "\r\n",   "\"\\\\\"", "+",          "%2",    "a.b",
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        clock_t begin = clock();
        struct weft_text text = repeat(patterns[i]);
        walk(text);
        read_as_head(text);
        read_at_once(text);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds > 10)
            fail_msg("'%s' took %.1f s", patterns[i], seconds);
    }
}

TEST(the_right_beginning_does_not_help)
{
    static const struct {
        const char *begin, *rest;
    } table[] = {
        {"bytes=", "99-,"}, {"bytes=0-", "1"}, {"text/html;", "a=\""}, {"text/html;", "a=b;"},
        {"/a", "/b/.."},    {"/a/", "b/../"},  {"n=", "%41"},          {"\"", "a,\\"},
        {"<a>;", "rel=a;"}, {"<a>;b=\"", ","}, {"Sun, 06 Nov ", "1"},  {"[::", "1"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        clock_t begin = clock();
        struct weft_text text = repeat(table[i].rest);
        memcpy(text_bytes, table[i].begin, strlen(table[i].begin));
        walk(text);
        read_at_once(text);
        assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
    }
}
