/* The head of a request: what is accepted and what it says, what is refused and how, and that it
 * does not matter in which pieces it comes.
 * ctest: labels=valgrind shuffle=no */
#include "check.h"
#include "readings.h"
#include <stdio.h>

/* ---- what is accepted ----------------------------------------------------------------------- */

static struct reading now;
static const struct weft_http_head *const head = &now.parser.head;

static int answer(const char *bytes, size_t size)
{
    reading_end(&now);
    reading_begin(&now);
    return reading_go_on(&now, bytes, size);
}

static void accepted(const char *bytes)
{
    int status = answer(bytes, strlen(bytes));
    if (status != HTTP_DONE)
        fail_msg("%d: %s", status, bytes);
    assert_int_equal(now.parser.line, strlen(bytes));
}

static void refused(int status, const char *bytes)
{
    int got = answer(bytes, strlen(bytes));
    if (got != status)
        fail_msg("%d instead of %d: %s", got, status, bytes);
}

#define assert_text(text, string) assert_true(weft_text_is(text, string))

TEST(a_small_request_is_read)
{
    accepted("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n");
    assert_int_equal(head->method, WEFT_HTTP_GET);
    assert_text(head->method_text, "GET");
    assert_text(head->target, "/");
    assert_text(head->path, "/");
    assert_null(head->query.data);
    assert_text(head->host, "127.0.0.1:8080");
    assert_int_equal(head->minor, 1);
    assert_int_equal(head->count, 1);
    assert_text(head->fields[0].name, "Host");
    assert_false(head->chunked || head->has_length || head->expects_continue);
    assert_int_equal(head->content_length, 0);
    assert_true(head->keep_alive);
}

TEST(what_follows_the_head_is_left_alone)
{
    static const char bytes[] = "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /next";
    assert_int_equal(answer(BYTES(bytes)), HTTP_DONE);
    assert_int_equal(now.parser.line, sizeof bytes - 1 - strlen("GET /next"));
}

TEST(nothing_is_not_enough)
{
    assert_int_equal(answer("", 0), HTTP_MORE);
    assert_int_equal(answer(BYTES("GET / HTTP/1.1\r\nHost: h\r\n")), HTTP_MORE);
    assert_int_equal(answer(BYTES("GET / HTTP/1.1\r\nHost: h\r\n\r")), HTTP_MORE);
}

TEST(methods_are_known_by_their_exact_letters)
{
    static const struct {
        const char *text;
        enum weft_http_method method;
    } methods[] = {
        {"GET", WEFT_HTTP_GET},        {"HEAD", WEFT_HTTP_HEAD},
        {"POST", WEFT_HTTP_POST},      {"PUT", WEFT_HTTP_PUT},
        {"DELETE", WEFT_HTTP_DELETE},  {"OPTIONS", WEFT_HTTP_OPTIONS},
        {"PATCH", WEFT_HTTP_PATCH},    {"TRACE", WEFT_HTTP_TRACE},
        {"get", WEFT_HTTP_OTHER},      {"GETS", WEFT_HTTP_OTHER},
        {"GE", WEFT_HTTP_OTHER},       {"X", WEFT_HTTP_OTHER},
        {"PROPFIND", WEFT_HTTP_OTHER}, {"OPTIONSX", WEFT_HTTP_OTHER},
        {"M-SEARCH", WEFT_HTTP_OTHER}, {"!#$%&'*+-.^_`|~", WEFT_HTTP_OTHER},
        {"connect", WEFT_HTTP_OTHER},
    };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        char bytes[100];
        snprintf(bytes, sizeof bytes, "%s /x HTTP/1.1\r\nHost: h\r\n\r\n", methods[i].text);
        accepted(bytes);
        assert_int_equal(head->method, methods[i].method);
        assert_text(head->method_text, methods[i].text);
    }
}

TEST(a_method_has_at_most_32_letters)
{
    accepted("ABCDEFGHIJKLMNOPQRSTUVWXYZ012345 / HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456 / HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(an_origin_form_is_a_path_and_a_query)
{
    accepted("GET /a/%7Eb;c=1/@x?q=1&r=%20?/ HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_text(head->target, "/a/%7Eb;c=1/@x?q=1&r=%20?/");
    assert_text(head->path, "/a/%7Eb;c=1/@x");
    assert_text(head->query, "q=1&r=%20?/");
    accepted("GET //a/../b? HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_text(head->path, "//a/../b");
    assert_non_null(head->query.data);
    assert_int_equal(head->query.size, 0);
}

TEST(an_absolute_form_names_the_host)
{
    accepted("GET http://a.example:81/x?y HTTP/1.1\r\nHost: b.example\r\n\r\n");
    assert_text(head->target, "http://a.example:81/x?y");
    assert_text(head->host, "a.example:81");
    assert_text(head->path, "/x");
    assert_text(head->query, "y");
    accepted("GET HTTPS://a.example HTTP/1.1\r\nHost:\r\n\r\n");
    assert_text(head->host, "a.example");
    assert_text(head->path, "/");
    assert_null(head->query.data);
    accepted("OPTIONS hTTp://[::1]:81?q HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_text(head->host, "[::1]:81");
    assert_text(head->path, "/");
    assert_text(head->query, "q");
}

TEST(an_asterisk_is_for_options)
{
    accepted("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_text(head->path, "*");
    assert_null(head->query.data);
    refused(-400, "GET * HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "OPTIONS *x HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "OPTIONS *?x HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(an_authority_is_for_connect)
{
    accepted("CONNECT a.example:443 HTTP/1.1\r\nHost: b.example\r\n\r\n");
    assert_int_equal(head->method, WEFT_HTTP_CONNECT);
    assert_text(head->host, "a.example:443");
    assert_int_equal(head->path.size, 0);
    accepted("CONNECT [::1]:443 HTTP/1.1\r\nHost:\r\n\r\n");
    refused(-400, "CONNECT a.example HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "CONNECT a.example: HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "CONNECT /x HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "CONNECT http://a.example:80/ HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "CONNECT u@a.example:443 HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET a.example:443 HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(a_target_has_only_the_characters_that_belong_there)
{
    static const char path[] = "-._~!$&'()*+,;=:@/%[]^|";
    static const char query[] = "-._~!$&'()*+,;=:@/%?[]\\^`{|}";
    for (int c = 0x21; c < 0x100; c++) {
        char bytes[100];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        bool plain = c < 0x80 && (letter || (c >= '0' && c <= '9'));
        snprintf(bytes, sizeof bytes, "GET /a%cb HTTP/1.1\r\nHost: h\r\n\r\n", c);
        bool ok = plain || c == '?' || strchr(path, c) != NULL;
        assert_int_equal(answer(bytes, strlen(bytes)), ok ? HTTP_DONE : -400);
        snprintf(bytes, sizeof bytes, "GET /a?b%cc HTTP/1.1\r\nHost: h\r\n\r\n", c);
        ok = plain || strchr(query, c) != NULL;
        assert_int_equal(answer(bytes, strlen(bytes)), ok ? HTTP_DONE : -400);
    }
}

TEST(other_targets_are_refused)
{
    refused(-400, "GET index.html HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET ?x HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET http:/h/ HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET http://:80/x HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET http://u:p@h/ HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET http://h#x HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET http://h:99999/ HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(a_request_line_has_two_spaces_and_a_version)
{
    refused(-400, "GET  / HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET /  HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTP/1.1 \r\nHost: h\r\n\r\n");
    refused(-400, " GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "G(T / HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET /\r\n\r\n");
    refused(-400, "GET\r\n\r\n");
    refused(-400, "GET HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET  HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET /a/longer/path/without/version\r\n\r\n");
}

TEST(versions_are_told_apart)
{
    accepted("GET / HTTP/1.0\r\n\r\n");
    assert_int_equal(head->minor, 0);
    accepted("GET / HTTP/1.2\r\nHost: h\r\n\r\n");
    assert_int_equal(head->minor, 2);
    assert_true(head->keep_alive);
    refused(-400, "GET / HTTP/1.9\r\n\r\n"); /* Host, as in 1.1 */
    refused(-505, "GET / HTTP/2.0\r\nHost: h\r\n\r\n");
    refused(-505, "GET / HTTP/0.9\r\n\r\n");
    refused(-505, "PRI * HTTP/2.0\r\n\r\n");
    refused(-400, "GET / http/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / Http/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTP/1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTP/1.10\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTP/11.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTP/1,1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTP/+.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTPS/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "GET / XTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(one_empty_line_may_come_first)
{
    accepted("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_text(head->method_text, "GET");
    refused(-400, "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
    refused(-400, "\r\n GET / HTTP/1.1\r\nHost: h\r\n\r\n");
}

/* ---- fields --------------------------------------------------------------------------------- */

TEST(values_lose_the_blanks_around_them)
{
    accepted("GET / HTTP/1.1\r\nHost:h\r\nA: \t b\tc  d \t\r\nB:\r\nC: \t \r\nD:\x80\xff\r\n\r\n");
    assert_text(weft_http_head_get(head, "a"), "b\tc  d");
    assert_text(weft_http_head_get(head, "B"), "");
    assert_non_null(weft_http_head_get(head, "B").data);
    assert_text(weft_http_head_get(head, "c"), "");
    assert_text(weft_http_head_get(head, "D"), "\x80\xff");
    assert_null(weft_http_head_get(head, "E").data);
    assert_null(weft_http_head_get(head, "").data);
    assert_null(weft_http_head_get(head, "Hos").data);
}

TEST(fields_of_one_name_are_found_one_after_the_other)
{
    size_t at = 0;
    accepted("GET / HTTP/1.1\r\nX: 1\r\nHost: h\r\nx: 2\r\nxx: 3\r\nX: 4\r\n\r\n");
    assert_text(weft_http_head_get(head, "X"), "1");
    assert_text(weft_http_head_next(head, "x", &at)->value, "1");
    assert_text(weft_http_head_next(head, "x", &at)->value, "2");
    assert_text(weft_http_head_next(head, "x", &at)->value, "4");
    assert_null(weft_http_head_next(head, "x", &at));
    assert_null(weft_http_head_next(head, "x", &at));
}

TEST(names_are_tokens)
{
    accepted("GET / HTTP/1.1\r\nHost: h\r\n!#$%&'*+-.^_`|~09AZaz: x\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nname\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nna me: x\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nname : x\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nname\t: x\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\n(name): x\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nn\xc3\xa4me: x\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\n Host: h\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nA: x\r\n y\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nA: x\r\n\ty\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nA: x\r\n \r\n\r\n");
}

/* At every place of a line, and so at every place of the words in which it is searched. */
TEST(control_characters_are_refused_wherever_they_are)
{
    static const char good[] =
        "GET /abcdefgh HTTP/1.1\r\nHost: h\r\nName: 0123456789abcdefghij\r\n\r\n";
    size_t value = (size_t)(strstr(good, "0123") - good);
    for (int c = 0; c < 0x100; c++) {
        bool ok = (c >= 0x20 && c != 0x7f) || c == '\t';
        for (size_t at = value; at < value + 20; at++) {
            char bytes[sizeof good];
            memcpy(bytes, good, sizeof good);
            bytes[at] = (char)c;
            assert_int_equal(answer(bytes, sizeof good - 1), ok ? HTTP_DONE : -400);
        }
    }
    for (size_t at = 0; at < sizeof good - 1; at++) {
        char bytes[sizeof good];
        memcpy(bytes, good, sizeof good);
        bytes[at] = '\0';
        assert_int_equal(answer(bytes, sizeof good - 1), -400);
    }
}

TEST(a_bad_byte_is_refused_as_soon_as_it_is_there)
{
    assert_int_equal(answer(BYTES("\x16\x03\x01")), -400); /* a TLS handshake */
    assert_int_equal(answer(BYTES("GET /\n")), -400);
    assert_int_equal(answer(BYTES("GET /\rx")), -400);
    assert_int_equal(answer(BYTES("GET / HTTP/1.1\r\nHost\x7f")), -400);
}

TEST(host_is_there_once_in_1_1)
{
    refused(-400, "GET / HTTP/1.1\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n");
    refused(-400, "GET / HTTP/1.1\r\nHost: h\r\nhOST:\r\n\r\n");
    refused(-400, "GET http://h/ HTTP/1.1\r\n\r\n");
    refused(-400, "GET / HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n");
    accepted("GET / HTTP/1.0\r\n\r\n");
    assert_int_equal(head->host.size, 0);
    accepted("GET / HTTP/1.0\r\nHost: h\r\n\r\n");
    assert_text(head->host, "h");
}

TEST(host_may_be_empty_if_the_target_has_one)
{
    refused(-400, "GET / HTTP/1.1\r\nHost:\r\n\r\n");
    refused(-400, "OPTIONS * HTTP/1.1\r\nHost: \r\n\r\n");
    accepted("GET http://h/ HTTP/1.1\r\nHost: \r\n\r\n");
    assert_text(head->host, "h");
    accepted("GET / HTTP/1.0\r\nHost:\r\n\r\n");
}

TEST(a_host_is_a_name_or_an_address_and_a_port)
{
    static const char good[][24] = {"a",           "A.b-c_d.example",
                                    "1.2.3.4",     "1.2.3.4:0",
                                    "h:80",        "h:65535",
                                    "h:",          "[::1]",
                                    "[::1]:443",   "[fe80::1:2:3:4]:1",
                                    "h%c3%bc",     "h%C3%BC:80",
                                    "x~!$&'()",    "a*+,;=",
                                    "[::1.2.3.4]", "h:00080",
                                    "localhost."};
    static const char *const bad[] = {"a b",         "a/b",         "a@b",
                                      "u:p@b",       "a:b",         "a:80x",
                                      "a:-1",        "a:65536",     "a:100000000000",
                                      "a:80:80",     ":80",         "[::1",
                                      "::1",         "[::1]x",      "[::1]:x",
                                      "[]",          "[1]",         "[g::]",
                                      "a%",          "a%2",         "a%zz",
                                      "[fe80::1%1]", "[v7.x]",      "\"a\"",
                                      "a?b",         "a#b",         "a\\b",
                                      "<a>",         "\xc3\xa4.de", "a|b",
                                      "a^b",         "a,b:c",       "a{b}",
                                      "[::1]]",      "h:8 0",       "h\t:80"};
    char bytes[600];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        snprintf(bytes, sizeof bytes, "GET / HTTP/1.1\r\nHost: %s \r\n\r\n", good[i]);
        accepted(bytes);
        assert_text(head->host, good[i]);
        snprintf(bytes, sizeof bytes, "GET http://%s/x HTTP/1.1\r\nHost: o\r\n\r\n", good[i]);
        accepted(bytes);
        assert_text(head->host, good[i]);
        assert_text(head->path, "/x");
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(bytes, sizeof bytes, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", bad[i]);
        refused(-400, bytes);
    }
}

TEST(a_content_length_is_digits)
{
    accepted("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    assert_true(head->has_length);
    assert_int_equal(head->content_length, 0);
    accepted("POST / HTTP/1.1\r\nHost: h\r\ncontent-LENGTH:  0042\t\r\n\r\n");
    assert_int_equal(head->content_length, 42);
    accepted("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9223372036854775807\r\n\r\n");
    assert_true(head->content_length == INT64_MAX);
    static const char *const bad[] = {"",
                                      "+1",
                                      "-1",
                                      "1 2",
                                      "1,1",
                                      "1, 1",
                                      "0x10",
                                      "1.0",
                                      "1e3",
                                      "a",
                                      "1;a",
                                      "\"1\"",
                                      "1\xa0",
                                      "9223372036854775808",
                                      "18446744073709551616",
                                      "18446744073709551617",
                                      "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char bytes[200];
        snprintf(bytes, sizeof bytes, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %s\r\n\r\n",
                 bad[i]);
        refused(-400, bytes);
    }
    refused(-400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n");
    refused(-400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n");
}

TEST(a_transfer_encoding_is_chunked)
{
    accepted("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_true(head->chunked);
    assert_false(head->has_length);
    accepted("POST / HTTP/1.1\r\nHost: h\r\ntransfer-encoding:CHUNKED \r\n\r\n");
    assert_true(head->chunked);
    static const struct {
        int status;
        const char *value;
    } bad[] = {
        {-501, "gzip, chunked"},
        {-501, "gzip;q=1,chunked"},
        {-501, "a, b, Chunked"},
        {-400, ""},
        {-400, "gzip"},
        {-400, "deflate"},
        {-400, "identity"},
        {-400, "chunked, gzip"},
        {-400, "chunked, chunked"},
        {-400, "chunked,"},
        {-400, ",chunked"},
        {-400, "gzip,,chunked"},
        {-400, "xchunked"},
        {-400, "chunkedx"},
        {-400, "chunked;q=1"},
        {-400, "chunked ;"},
        {-400, "chunked x"},
        {-400, "\"chunked\""},
        {-400, "gzip chunked"},
        {-400, "ch\xfcnked"},
        {-400, "gzip, chunked;q"},
        {-400, "chunke"},
        {-400, "gzip, chunked;q=1"},
        {-400, "(x), chunked"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char bytes[200];
        snprintf(bytes, sizeof bytes, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: %s\r\n\r\n",
                 bad[i].value);
        refused(bad[i].status, bytes);
    }
    refused(-400, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n");
    refused(-400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST(both_lengths_are_refused_in_either_order)
{
    refused(-400, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                  "Content-Length: 5\r\n\r\n");
    refused(-400, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n");
}

static void connection(const char *version, const char *fields, bool keep_alive)
{
    char bytes[200];
    snprintf(bytes, sizeof bytes, "GET / HTTP/%s\r\nHost: h\r\n%s\r\n", version, fields);
    accepted(bytes);
    if (head->keep_alive != keep_alive)
        fail_msg("keep_alive %d: %s", head->keep_alive, bytes);
}

TEST(a_connection_is_kept_or_closed)
{
    connection("1.1", "", true);
    connection("1.0", "", false);
    connection("1.1", "Connection: close\r\n", false);
    connection("1.1", "Connection: CLOSE\r\n", false);
    connection("1.1", "Connection: keep-alive\r\n", true);
    connection("1.0", "Connection: keep-alive\r\n", true);
    connection("1.0", "Connection: Keep-Alive, x\r\n", true);
    connection("1.0", "connection: close, keep-alive\r\n", false);
    connection("1.1", "Connection: , upgrade ,\tclose ,\r\n", false);
    connection("1.1", "Connection: closed, xclose, clos\r\n", true);
    connection("1.1", "Connection: x\r\nConnection: close\r\nConnection: keep-alive\r\n", false);
    connection("1.1", "Connection:\r\n", true);
    connection("1.1", "Connexions: close\r\n", true);
}

TEST(a_body_may_wait_for_100_continue)
{
    accepted("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n");
    assert_true(head->expects_continue);
    accepted("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
             "expect:100-continue\r\n\r\n");
    assert_true(head->expects_continue);
    accepted("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n");
    assert_false(head->expects_continue);
    accepted("PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
    assert_false(head->expects_continue);
    refused(-417, "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 200-ok\r\n\r\n");
    refused(-417, "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue, x\r\n\r\n");
    refused(-417, "PUT / HTTP/1.1\r\nHost: h\r\nExpect:\r\n\r\n");
}

/* ---- limits --------------------------------------------------------------------------------- */

/* A request whose line has this many bytes; how many it has in all. */
static size_t request_of(char *bytes, size_t room, size_t line)
{
    int digits = (int)(line - strlen("GET / HTTP/1.1"));
    return (size_t)snprintf(bytes, room, "GET /%0*d HTTP/1.1\r\nHost: h\r\n\r\n", digits, 1);
}

TEST(a_request_line_has_a_limit)
{
    static char bytes[2000];
    size_t size = request_of(bytes, sizeof bytes, 1000); /* the limit */
    assert_int_equal(answer(bytes, size), HTTP_DONE);
    size = request_of(bytes, sizeof bytes, 1001);
    assert_int_equal(answer(bytes, size), -414);
    memset(bytes, 'a', sizeof bytes);
    assert_int_equal(answer(bytes, 1000), HTTP_MORE);
    assert_int_equal(answer(bytes, 1001), -414);
}

TEST(an_empty_line_first_does_not_count_for_the_request_line)
{
    static char bytes[2000] = "\r\n";
    size_t size = request_of(bytes + 2, sizeof bytes - 2, 1000);
    assert_int_equal(answer(bytes, size + 2), HTTP_DONE);
    size = request_of(bytes + 2, sizeof bytes - 2, 1001);
    assert_int_equal(answer(bytes, size + 2), -414);
}

/* A head of this many bytes, with one long field. */
static size_t head_of(char *bytes, size_t room, size_t size)
{
    int digits = (int)(size - strlen("GET / HTTP/1.1\r\nHost: h\r\nLong: \r\n\r\n"));
    return (size_t)snprintf(bytes, room, "GET / HTTP/1.1\r\nHost: h\r\nLong: %0*d\r\n\r\n", digits,
                            1);
}

TEST(a_head_has_a_limit)
{
    static char bytes[3001];
    assert_int_equal(answer(bytes, head_of(bytes, sizeof bytes, 2000)), HTTP_DONE);
    assert_int_equal(answer(bytes, head_of(bytes, sizeof bytes, 2001)), -431);
    head_of(bytes, sizeof bytes, 3000);
    assert_int_equal(answer(bytes, 1998), HTTP_MORE);
    assert_int_equal(answer(bytes, 1999), -431); /* with its CRLF it would be 2001 */
}

/* A request with this many fields. */
static void fields_of(char *bytes, size_t room, int count)
{
    int size = snprintf(bytes, room, "GET / HTTP/1.1\r\nHost: h\r\n");
    for (int i = 1; i < count; i++)
        size += snprintf(bytes + size, room - (size_t)size, "A: b\r\n");
    snprintf(bytes + size, room - (size_t)size, "\r\n");
}

TEST(fields_have_a_limit)
{
    char bytes[1000];
    fields_of(bytes, sizeof bytes, READING_FIELDS);
    accepted(bytes);
    assert_int_equal(head->count, READING_FIELDS);
    fields_of(bytes, sizeof bytes, READING_FIELDS + 1);
    refused(-431, bytes);
}

/* ---- pieces --------------------------------------------------------------------------------- */

static const struct {
    const char *bytes;
    size_t size;
} corpus[] = {
    {BYTES("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")},
    {BYTES("\r\nGET /a?b HTTP/1.1\r\nHost: h\r\nA: \tb c\t\r\nB:\r\n\r\nGET / HTTP/1.1\r\n")},
    {BYTES("POST http://h:1?x HTTP/1.1\r\nHost:\r\nContent-Length: 12\r\n\r\nhello")},
    {BYTES("POST HTTPS://h HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: chunked\r\nTE: x\r\n\r\n")},
    {BYTES("OPTIONS * HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")},
    {BYTES("CONNECT [::1]:443 HTTP/1.1\r\nHost: h\r\nConnection: x, close\r\n\r\n")},
    {BYTES("PUT /%7e HTTP/1.7\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx")},
    {BYTES("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")},
    {BYTES("\r\rGET / HTTP/1.1\r\nHost: h\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\nHost: h\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\rHost: h\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\r\nHost: h\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\n\r\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nA: b\0c\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")},
    {BYTES("GET / HTTP/2.0\r\nHost: h\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n")},
    {BYTES("GET /#x HTTP/1.1\r\nHost: h\r\n\r\n")},
    {BYTES("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n")},
    {BYTES("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")},
};

TEST(pieces_do_not_matter)
{
    for (size_t i = 0; i < sizeof corpus / sizeof corpus[0]; i++) {
        struct reading whole;
        reading_begin(&whole);
        reading_go_on(&whole, corpus[i].bytes, corpus[i].size);
        if (!same_in_pieces(&whole, corpus[i].bytes, corpus[i].size))
            fail_msg("%zu: %s", i, corpus[i].bytes);
        reading_end(&whole);
    }
}

/* The same requests, with limits that end in the middle of them. */
TEST(pieces_do_not_matter_at_the_limits)
{
    for (size_t i = 0; i < sizeof corpus / sizeof corpus[0]; i++) {
        for (size_t limit = 4; limit < corpus[i].size + 2; limit++) {
            struct reading whole;
            reading_begin(&whole);
            whole.limits = (struct http_limits){.line = limit % 24, .head = limit};
            if (whole.limits.line + 4 > limit)
                whole.limits.line = limit - 4;
            reading_go_on(&whole, corpus[i].bytes, corpus[i].size);
            if (!same_in_pieces(&whole, corpus[i].bytes, corpus[i].size))
                fail_msg("%zu: %s", i, corpus[i].bytes);
            reading_end(&whole);
        }
    }
}

TEST(a_parser_can_be_used_again)
{
    accepted(
        "POST http://h?x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nConnection: close\r\n\r\n");
    static const char next[] = "GET / HTTP/1.1\r\nHost: i\r\n\r\n";
    weft__http_parse_begin(&now.parser);
    assert_int_equal(weft__http_parse(&now.parser, &now.limits, BYTES(next)), HTTP_DONE);
    assert_int_equal(head->count, 1);
    assert_text(head->host, "i");
    assert_null(head->query.data);
    assert_false(head->has_length);
    assert_true(head->keep_alive);
    assert_int_equal(now.parser.capacity, READING_FIELDS);
}

TEST(nothing_is_left_behind)
{
    reading_end(&now);
    memset(&now, 0, sizeof now);
}
