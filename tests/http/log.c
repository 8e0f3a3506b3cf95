/* The lines of the access log: their forms, their escapes, their length.
 * ctest: labels=valgrind-long */
#include "check.h"
#include "http/server/log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making a line -------------------------------------------------------------------------- */

static char line[WEFT_HTTP_LOG_LINE + 1];

static struct weft_http_head head_of(const char *target, const char *referer, const char *agent)
{
    static struct weft_http_field fields[2];
    size_t count = 0;
    if (referer != NULL)
        fields[count++] = (struct weft_http_field){weft_text_of("rEFERER"), weft_text_of(referer)};
    if (agent != NULL)
        fields[count++] = (struct weft_http_field){weft_text_of("user-agent"), weft_text_of(agent)};
    return (struct weft_http_head){.method = WEFT_HTTP_GET,
                                   .method_text = weft_text_of("GET"),
                                   .target = weft_text_of(target),
                                   .minor = 1,
                                   .fields = fields,
                                   .count = count};
}

static const char *line_of(enum weft_http_log_format format, const struct weft_http_head *head)
{
    char date[LOG_DATE_SIZE];
    weft__http_log_date(format, 784111777, date);
    struct http_log_entry entry = {.head = head,
                                   .remote = "192.0.2.1",
                                   .date = date,
                                   .millisecond = 42,
                                   .status = 200,
                                   .bytes = 1234,
                                   .duration_ns = 12345678};
    size_t size = weft__http_log_line(format, &entry, line);
    assert_in_range(size, 1, WEFT_HTTP_LOG_LINE);
    assert_int_equal(line[size - 1], '\n');
    line[size] = '\0';
    return line;
}

/* ---- forms ---------------------------------------------------------------------------------- */

TEST(a_common_line_is_clf)
{
    struct weft_http_head head = head_of("/a?b=c", "http://r/", "agent/1.0");
    assert_string_equal(line_of(WEFT_HTTP_LOG_COMMON, &head),
                        "192.0.2.1 - - [06/Nov/1994:08:49:37 +0000] \"GET /a?b=c HTTP/1.1\" 200 "
                        "1234\n");
}

TEST(a_combined_line_has_referer_and_agent)
{
    struct weft_http_head head = head_of("/", "http://r/", "agent/1.0 (x)");
    assert_string_equal(line_of(WEFT_HTTP_LOG_COMBINED, &head),
                        "192.0.2.1 - - [06/Nov/1994:08:49:37 +0000] \"GET / HTTP/1.1\" 200 1234 "
                        "\"http://r/\" \"agent/1.0 (x)\"\n");
    head = head_of("/", NULL, NULL);
    assert_non_null(strstr(line_of(WEFT_HTTP_LOG_COMBINED, &head), " 1234 \"-\" \"-\"\n"));
}

TEST(a_json_line_is_one_object)
{
    struct weft_http_head head = head_of("/a?b=c", "http://r/", "agent/1.0");
    assert_string_equal(line_of(WEFT_HTTP_LOG_JSON, &head),
                        "{\"time\":\"1994-11-06T08:49:37.042Z\",\"remote\":\"192.0.2.1\","
                        "\"method\":\"GET\",\"target\":\"/a?b=c\",\"status\":200,\"bytes\":1234,"
                        "\"duration_ms\":12.345,\"user_agent\":\"agent/1.0\","
                        "\"referer\":\"http://r/\"}\n");
    head = head_of("/", NULL, NULL);
    assert_non_null(strstr(line_of(WEFT_HTTP_LOG_JSON, &head), "\"duration_ms\":12.345}\n"));
}

TEST(a_request_that_could_not_be_read_has_a_line_too)
{
    struct weft_http_head head = {.minor = 0};
    assert_non_null(strstr(line_of(WEFT_HTTP_LOG_COMMON, &head), "] \"-\" 200 1234\n"));
    assert_non_null(strstr(line_of(WEFT_HTTP_LOG_JSON, &head), "\"method\":\"\",\"target\":\"\""));
}

TEST(dates_are_those_of_utc)
{
    static const struct {
        int64_t seconds;
        const char *clf, *iso;
    } cases[] = {{0, "01/Jan/1970:00:00:00", "1970-01-01T00:00:00"},
                 {951782399, "28/Feb/2000:23:59:59", "2000-02-28T23:59:59"},
                 {951782400, "29/Feb/2000:00:00:00", "2000-02-29T00:00:00"},
                 {4102444799, "31/Dec/2099:23:59:59", "2099-12-31T23:59:59"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char date[LOG_DATE_SIZE];
        weft__http_log_date(WEFT_HTTP_LOG_COMMON, cases[i].seconds, date);
        assert_string_equal(date, cases[i].clf);
        weft__http_log_date(WEFT_HTTP_LOG_JSON, cases[i].seconds, date);
        assert_string_equal(date, cases[i].iso);
    }
}

TEST(a_line_tells_of_lost_ones)
{
    size_t size =
        weft__http_log_lost(WEFT_HTTP_LOG_COMMON, "06/Nov/1994:08:49:37", 42, UINT64_MAX, line);
    line[size] = '\0';
    assert_string_equal(line, "- - - [06/Nov/1994:08:49:37 +0000] \"18446744073709551615 lines "
                              "lost\" 0 0\n");
    size =
        weft__http_log_lost(WEFT_HTTP_LOG_COMBINED, "06/Nov/1994:08:49:37", 42, UINT64_MAX, line);
    line[size] = '\0';
    assert_non_null(strstr(line, "lost\" 0 0 \"-\" \"-\"\n"));
    assert_in_range(size, 1, LOG_LOST_SIZE);
    size = weft__http_log_lost(WEFT_HTTP_LOG_JSON, "1994-11-06T08:49:37", 42, 7, line);
    line[size] = '\0';
    assert_string_equal(line, "{\"time\":\"1994-11-06T08:49:37.042Z\",\"lost_lines\":7}\n");
}

/* ---- escapes -------------------------------------------------------------------------------- */

TEST(clf_escapes_what_could_forge_a_line)
{
    struct weft_http_head head = head_of("/\"\\\n\r\t\x1b[31m\x7f\xc3\xa9", NULL, NULL);
    assert_non_null(strstr(line_of(WEFT_HTTP_LOG_COMMON, &head),
                           "\"GET /\\\"\\\\\\x0a\\x0d\\x09\\x1b[31m\\x7f\\xc3\\xa9 HTTP/1.1\" "));
    head = head_of("/", "\" 200 0\n192.0.2.2 - -", "\x80");
    assert_non_null(strstr(line_of(WEFT_HTTP_LOG_COMBINED, &head),
                           " \"\\\" 200 0\\x0a192.0.2.2 - -\" \"\\x80\"\n"));
}

TEST(json_escapes_what_is_not_text)
{
    struct weft_http_head head = head_of("/\"\\\n\x1b\x7f", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                                         "a\xff\xc2\x9b\xed\xa0\x80z\xf0\x9f\x98");
    line_of(WEFT_HTTP_LOG_JSON, &head);
    assert_non_null(strstr(line, "\"target\":\"/\\\"\\\\\\u000a\\u001b\\u007f\""));
    assert_non_null(strstr(line, "\"referer\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""));
    assert_non_null(strstr(
        line, "\"user_agent\":\"a\\ufffd\\u009b\\ufffd\\ufffd\\ufffdz\\ufffd\\ufffd\\ufffd\""));
}

TEST(only_utf8_that_is_well_formed_stays)
{
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xc2\x41",
                                      "\xe0\x9f\xbf",
                                      "\xed\xbf\xbf",
                                      "\xe1\x80",
                                      "\xe1\x80\x41",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff"};
    static const char *const good[] = {"\xc2\xa0",         "\xdf\xbf",         "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",     "\xee\x80\x80",     "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\x7e"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct weft_http_head head = head_of(bad[i], NULL, NULL);
        assert_non_null(strstr(line_of(WEFT_HTTP_LOG_JSON, &head), "\"target\":\"\\ufffd"));
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char expected[40];
        snprintf(expected, sizeof expected, "\"target\":\"%s\"", good[i]);
        struct weft_http_head head = head_of(good[i], NULL, NULL);
        assert_non_null(strstr(line_of(WEFT_HTTP_LOG_JSON, &head), expected));
    }
}

/* ---- length --------------------------------------------------------------------------------- */

TEST(texts_that_are_too_long_are_cut_at_a_whole_character)
{
    static char target[3000];
    for (int width = 1; width <= 4; width++) {
        memset(target, 'a', sizeof target - 1);
        target[2040] = '\0'; /* right before the target's share is used up */
        for (int i = 0; i < width; i++)
            strcat(target, "a");
        strcat(target, "\"\"\"\"\"\"\"\"");
        struct weft_http_head head = head_of(target, NULL, NULL);
        line_of(WEFT_HTTP_LOG_COMMON, &head);
        const char *end = strstr(line, "... HTTP/1.1\" 200"), *begin = strstr(line, "GET ") + 4;
        assert_non_null(end);
        assert_in_range(end + 3 - begin, 2048 - 4, 2048);
        size_t backslashes = 0;
        while (end[-1] == '\\' || end[-1] == '"')
            backslashes += *--end == '\\';
        const char *quotes = strchr(end, '.');
        assert_int_equal((size_t)(quotes - end), 2 * backslashes);
    }
}

TEST(a_text_that_just_fits_is_whole)
{
    static char target[2050];
    memset(target, 'a', sizeof target - 1);
    target[2048] = '\0';
    struct weft_http_head head = head_of(target, NULL, NULL);
    assert_null(strstr(line_of(WEFT_HTTP_LOG_COMMON, &head), "..."));
    target[2048] = 'a';
    head = head_of(target, NULL, NULL);
    assert_non_null(strstr(line_of(WEFT_HTTP_LOG_COMMON, &head), "a... HTTP"));
}

/* ---- any bytes ------------------------------------------------------------------------------ */

/* A JSON text; behind it. A strict reader: fails on what is none. */
static const char *json_text(const char *at)
{
    assert_int_equal(*at++, '"');
    while (*at != '"') {
        unsigned char c = (unsigned char)*at;
        assert_true(c >= ' ' && c != 0x7f);
        if (c == '\\') {
            at++;
            assert_true(*at == '"' || *at == '\\' || *at == 'u');
            if (*at == 'u') {
                assert_int_equal(strspn(at + 1, "0123456789abcdef") >= 4, 1);
                at += 4;
            }
        }
        at++;
    }
    return at + 1;
}

static const char *json_number(const char *at)
{
    size_t digits = strspn(at, "0123456789");
    assert_true(digits > 0 && (digits == 1 || *at != '0'));
    at += digits;
    if (*at == '.') {
        digits = strspn(++at, "0123456789");
        assert_true(digits > 0);
        at += digits;
    }
    return at;
}

static void assert_json_line(const char *at)
{
    assert_int_equal(*at++, '{');
    for (;;) {
        at = json_text(at);
        assert_int_equal(*at++, ':');
        at = *at == '"' ? json_text(at) : json_number(at);
        if (*at != ',')
            break;
        at++;
    }
    assert_string_equal(at, "}\n");
}

/* A CLF line, as those who read logs take it apart. */
static void assert_clf_line(const char *at, int quoted)
{
    for (const char *byte = at; byte[1] != '\0'; byte++)
        assert_true(*byte >= ' ' && *byte < 0x7f);
    at = strchr(at, ']') + 2;
    for (int i = 0; i < quoted; i++) {
        assert_int_equal(*at++, '"');
        for (; *at != '"'; at++)
            at += *at == '\\';
        at++;
        assert_int_equal(*at++, i + 1 < quoted || quoted == 1 ? ' ' : '\n');
        if (i == 0) {
            at += strspn(at, "0123456789");
            at++;
            at += strspn(at, "0123456789");
            at++;
        }
    }
    assert_int_equal(*at, '\0');
}

static struct weft_text random_text(uint64_t *random, size_t most)
{
    static char bytes[4][8192];
    static unsigned next;
    char *text = bytes[next++ % 4];
    size_t size = 0;
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    size_t wanted = (size_t)(*random >> 33) % most;
    unsigned kind = (unsigned)(*random >> 60) % 4;
    for (; size < wanted; size++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        unsigned char c = (unsigned char)(*random >> 56);
        text[size] = (char)(kind == 0   ? c
                            : kind == 1 ? "\"\\\n"[c % 3]
                            : kind == 2 ? c | 0x80
                                        : 0x1f);
    }
    return weft_text(text, size);
}

TEST(whatever_clients_send_a_line_is_a_line)
{
    uint64_t random = check_seed();
    for (unsigned long i = check_scale(3000); i > 0; i--) {
        struct weft_http_field fields[] = {
            {weft_text_of("Referer"), random_text(&random, 5000)},
            {weft_text_of("User-Agent"), random_text(&random, i % 2 ? 100 : 5000)}};
        struct weft_http_head head = {.method_text = random_text(&random, 200),
                                      .target = random_text(&random, 8192),
                                      .minor = 1,
                                      .fields = fields,
                                      .count = 2};
        assert_json_line(line_of(WEFT_HTTP_LOG_JSON, &head));
        assert_clf_line(line_of(WEFT_HTTP_LOG_COMMON, &head), 1);
        assert_clf_line(line_of(WEFT_HTTP_LOG_COMBINED, &head), 3);
    }
}
