/* Entity tags, conditional requests, ranges. */
/* ctest: labels=valgrind-long shuffle=no */
#include "check.h"
#include "message_heads.h"
#include <uv.h>
#include <weft/http_message.h>

#define T weft_text_of

static const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
static const char date_before[] = "Sun, 06 Nov 1994 08:49:36 GMT";
static const char date_after[] = "Sun, 06 Nov 1994 08:49:38 GMT";
enum { DATE = 784111777 };
static const int64_t now = 1767225600;

/* ---- entity tags ---------------------------------------------------------------------------- */

TEST(an_entity_tag_is_a_quoted_text_without_escapes)
{
    static const char *const good[] = {"\"\"",         "\"xyzzy\"",    "W/\"xyzzy\"", "W/\"\"",
                                       "\"a,b;c'\\\"", "\"\xc3\xa4\"", "\"!#~\""};
    static const char *const bad[] = {
        "",        "xyzzy",    "\"",      "\"xyzzy",   "xyzzy\"",    "w/\"xyzzy\"", "W\"xyzzy\"",
        "W/xyzzy", "\"a\"b\"", "\"a b\"", "\"a\tb\"",  "\"a\r\n\"",  "\"a\x7f\"",   " \"a\"",
        "\"a\" ",  "*",        "W/",      "W/W/\"a\"", "\"a\",\"b\""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!weft_http_etag_ok(T(good[i])))
            fail_msg("%s was refused", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (weft_http_etag_ok(T(bad[i])))
            fail_msg("%s was taken", bad[i]);
    }
    assert_false(weft_http_etag_ok(weft_text("\"a\0b\"", 5)));
}

/* The table of RFC 9110, 8.8.3.2. */
TEST(tags_compare_as_in_the_table_of_the_rfc)
{
    static const struct {
        const char *one, *other;
        bool strong, weak;
    } table[] = {
        {"W/\"1\"", "W/\"1\"", false, true},
        {"W/\"1\"", "W/\"2\"", false, false},
        {"W/\"1\"", "\"1\"", false, true},
        {"\"1\"", "\"1\"", true, true},
        {"\"1\"", "\"11\"", false, false},
        {"\"a\"", "\"A\"", false, false},
        {"a", "a", false, false},
        {"", "", false, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct weft_text one = T(table[i].one), other = T(table[i].other);
        assert_int_equal(weft_http_etag_strong_same(one, other), table[i].strong);
        assert_int_equal(weft_http_etag_strong_same(other, one), table[i].strong);
        assert_int_equal(weft_http_etag_weak_same(one, other), table[i].weak);
        assert_int_equal(weft_http_etag_weak_same(other, one), table[i].weak);
    }
}

TEST(a_files_tag_is_its_size_and_time)
{
    char text[WEFT_HTTP_ETAG_SIZE];
    weft_http_etag_format(text, 6144, 0x123456789abcdef0, false);
    assert_string_equal(text, "\"1800-123456789abcdef0\"");
    weft_http_etag_format(text, 0, 0, true);
    assert_string_equal(text, "W/\"0-0\"");
    weft_http_etag_format(text, UINT64_MAX, -1, true);
    assert_string_equal(text, "W/\"ffffffffffffffff-ffffffffffffffff\"");
    assert_true(weft_http_etag_ok(T(text)));
}

TEST(a_list_of_tags_is_searched)
{
    static const struct {
        const char *list;
        int strong, weak;
    } table[] = {
        {"\"a\"", 1, 1},
        {"*", 1, 1},
        {" * ", 1, 1},
        {"\"x\", \"a\"", 1, 1},
        {"\"x\",\"y\"", 0, 0},
        {"W/\"a\"", 0, 1},
        {"W/\"a\", \"a\"", 1, 1},
        {",, \"x\" , ,\t\"a\",", 1, 1},
        {"\"x,\\\", \"a\"", 1, 1}, /* neither the comma nor the '\' means anything */
        {"\"x, a\"", UV_EINVAL, UV_EINVAL},
        {"", UV_EINVAL, UV_EINVAL},
        {" , ", UV_EINVAL, UV_EINVAL},
        {"a", UV_EINVAL, UV_EINVAL},
        {"\"a", UV_EINVAL, UV_EINVAL},
        {"\"a\" \"b\"", UV_EINVAL, UV_EINVAL},
        {"\"a\"\"b\"", UV_EINVAL, UV_EINVAL},
        {"\"a\", *", UV_EINVAL, UV_EINVAL},
        {"\"a\", junk", UV_EINVAL, UV_EINVAL},
        {"**", UV_EINVAL, UV_EINVAL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int strong = weft_http_etag_list_has(T(table[i].list), T("\"a\""), false);
        int weak = weft_http_etag_list_has(T(table[i].list), T("\"a\""), true);
        if (strong != table[i].strong || weak != table[i].weak)
            fail_msg("%s: %d, %d", table[i].list, strong, weak);
    }
    assert_int_equal(weft_http_etag_list_has(T("\"\""), T(""), true), 0);
}

/* ---- conditions ----------------------------------------------------------------------------- */

#define OK WEFT_HTTP_PROCEED
#define SAME WEFT_HTTP_NOT_MODIFIED
#define FAIL WEFT_HTTP_PRECONDITION_FAILED

static enum weft_http_verdict verdict(struct weft_http_head head)
{
    return weft_http_conditional(&head, T("\"a\""), DATE, now);
}

TEST(a_request_without_conditions_proceeds)
{
    assert_int_equal(verdict(HEAD(WEFT_HTTP_GET, "Host", "x")), OK);
    assert_int_equal(verdict(HEAD(WEFT_HTTP_PUT, "Host", "x")), OK);
}

TEST(if_none_match_saves_a_get_and_stops_a_put)
{
    static const struct {
        const char *list;
        enum weft_http_verdict get, put;
    } table[] = {
        {"\"a\"", SAME, FAIL},        {"W/\"a\"", SAME, FAIL}, {"*", SAME, FAIL},
        {"\"x\", \"a\"", SAME, FAIL}, {"\"x\"", OK, OK},       {"\"x\", junk", OK, FAIL},
        {"\"a\", junk", OK, FAIL},    {"", OK, FAIL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *list = table[i].list;
        enum weft_http_verdict get = verdict(HEAD(WEFT_HTTP_GET, "If-None-Match", list));
        enum weft_http_verdict head = verdict(HEAD(WEFT_HTTP_HEAD, "if-none-match", list));
        enum weft_http_verdict put = verdict(HEAD(WEFT_HTTP_PUT, "If-None-Match", list));
        if (get != table[i].get || head != get || put != table[i].put)
            fail_msg("%s: %d %d %d", list, get, head, put);
    }
}

TEST(if_match_guards_every_method_and_compares_strongly)
{
    static const struct {
        const char *list;
        enum weft_http_verdict expected;
    } table[] = {
        {"\"a\"", OK},   {"*", OK},      {"\"x\", \"a\"", OK}, {"W/\"a\"", FAIL},
        {"\"x\"", FAIL}, {"junk", FAIL}, {"", FAIL},           {"\"a\", junk", FAIL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *list = table[i].list;
        assert_int_equal(verdict(HEAD(WEFT_HTTP_PUT, "If-Match", list)), table[i].expected);
        assert_int_equal(verdict(HEAD(WEFT_HTTP_GET, "If-Match", list)), table[i].expected);
    }
}

TEST(several_fields_are_one_list)
{
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_GET, "If-None-Match", "\"x\"", "If-None-Match", "\"a\"")), SAME);
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_GET, "If-None-Match", "\"a\"", "If-None-Match", "\"x\"")), SAME);
    assert_int_equal(verdict(HEAD(WEFT_HTTP_GET, "If-None-Match", "\"a\"", "If-None-Match", "x")),
                     OK);
    assert_int_equal(verdict(HEAD(WEFT_HTTP_PUT, "If-Match", "\"x\"", "If-Match", "\"a\"")), OK);
}

TEST(what_does_not_exist_matches_nothing_not_even_a_star)
{
    struct weft_http_head put_new = HEAD(WEFT_HTTP_PUT, "If-None-Match", "*");
    struct weft_http_head put_old = HEAD(WEFT_HTTP_PUT, "If-Match", "*");
    struct weft_text none = weft_text(NULL, 0);
    assert_int_equal(weft_http_conditional(&put_new, none, WEFT_HTTP_NO_TIME, now), OK);
    assert_int_equal(weft_http_conditional(&put_old, none, WEFT_HTTP_NO_TIME, now), FAIL);
    assert_int_equal(weft_http_conditional(&put_old, none, DATE, now), OK);
}

TEST(dates_save_a_get_and_guard_a_change)
{
    static const struct {
        const char *name, *value;
        enum weft_http_verdict get, put;
    } table[] = {
        {"If-Modified-Since", date, SAME, OK},
        {"If-Modified-Since", date_after, SAME, OK},
        {"If-Modified-Since", date_before, OK, OK},
        {"If-Modified-Since", "Sunday, 06-Nov-94 08:49:37 GMT", SAME, OK},
        {"If-Modified-Since", "Sun Nov  6 08:49:37 1994", SAME, OK},
        {"If-Modified-Since", "yesterday", OK, OK},
        {"If-Modified-Since", "", OK, OK},
        {"If-Unmodified-Since", date, OK, OK},
        {"If-Unmodified-Since", date_after, OK, OK},
        {"If-Unmodified-Since", date_before, FAIL, FAIL},
        {"If-Unmodified-Since", "yesterday", OK, OK},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *name = table[i].name, *value = table[i].value;
        assert_int_equal(verdict(HEAD(WEFT_HTTP_GET, name, value)), table[i].get);
        assert_int_equal(verdict(HEAD(WEFT_HTTP_PUT, name, value)), table[i].put);
    }
}

TEST(a_date_is_ignored_without_a_time_to_compare_it_with)
{
    struct weft_http_head get = HEAD(WEFT_HTTP_GET, "If-Modified-Since", date);
    struct weft_http_head put = HEAD(WEFT_HTTP_PUT, "If-Unmodified-Since", date_before);
    assert_int_equal(weft_http_conditional(&get, T("\"a\""), WEFT_HTTP_NO_TIME, now), OK);
    assert_int_equal(weft_http_conditional(&put, T("\"a\""), WEFT_HTTP_NO_TIME, now), OK);
}

TEST(the_first_second_of_1970_is_a_time)
{
    static const char epoch[] = "Thu, 01 Jan 1970 00:00:00 GMT";
    struct weft_http_head since = HEAD(WEFT_HTTP_GET, "If-Modified-Since", epoch);
    struct weft_http_head match = HEAD(WEFT_HTTP_PUT, "If-Match", "*");
    struct weft_http_head part = HEAD(WEFT_HTTP_GET, "Range", "bytes=0-", "If-Range", epoch);
    assert_int_equal(weft_http_conditional(&since, weft_text(NULL, 0), 0, now), SAME);
    assert_int_equal(weft_http_conditional(&match, weft_text(NULL, 0), 0, now), OK);
    assert_true(weft_http_range_applies(&part, weft_text(NULL, 0), 0, now));
}

TEST(two_dates_are_as_good_as_none)
{
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_GET, "If-Modified-Since", date, "If-Modified-Since", date)), OK);
}

TEST(a_tag_is_better_than_a_date)
{
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_GET, "If-Modified-Since", date, "If-None-Match", "\"x\"")), OK);
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_GET, "If-Modified-Since", date_before, "If-None-Match", "\"a\"")),
        SAME);
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_PUT, "If-Unmodified-Since", date_before, "If-Match", "\"a\"")), OK);
    assert_int_equal(verdict(HEAD(WEFT_HTTP_PUT, "If-Unmodified-Since", date, "If-Match", "\"x\"")),
                     FAIL);
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_GET, "If-Modified-Since", date, "If-None-Match", "junk")), OK);
}

TEST(what_guards_comes_before_what_saves)
{
    assert_int_equal(verdict(HEAD(WEFT_HTTP_GET, "If-None-Match", "\"a\"", "If-Match", "\"x\"")),
                     FAIL);
    assert_int_equal(verdict(HEAD(WEFT_HTTP_GET, "If-None-Match", "\"a\"", "If-Match", "\"a\"")),
                     SAME);
    assert_int_equal(
        verdict(HEAD(WEFT_HTTP_GET, "If-Modified-Since", date, "If-Unmodified-Since", date_before)),
        FAIL);
}

TEST(methods_without_a_resource_have_no_conditions)
{
    static const enum weft_http_method methods[] = {WEFT_HTTP_CONNECT, WEFT_HTTP_OPTIONS,
                                                    WEFT_HTTP_TRACE};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(verdict(HEAD(methods[i], "If-Match", "\"x\"")), OK);
}

/* ---- If-Range ------------------------------------------------------------------------------- */

static bool applies(struct weft_http_head head)
{
    return weft_http_range_applies(&head, T("\"a\""), DATE, now);
}

TEST(a_range_applies_to_a_get_that_has_exactly_one)
{
    assert_true(applies(HEAD(WEFT_HTTP_GET, "Range", "bytes=0-1")));
    assert_false(applies(HEAD(WEFT_HTTP_GET, "Host", "x")));
    assert_false(applies(HEAD(WEFT_HTTP_HEAD, "Range", "bytes=0-1")));
    assert_false(applies(HEAD(WEFT_HTTP_POST, "Range", "bytes=0-1")));
    assert_false(applies(HEAD(WEFT_HTTP_GET, "Range", "bytes=0-1", "Range", "bytes=2-3")));
}

TEST(if_range_wants_the_same_strong_tag_or_exactly_the_date)
{
    static const struct {
        const char *value;
        bool expected;
    } table[] = {
        {"\"a\"", true},     {"W/\"a\"", false},      {"\"x\"", false},  {"*", false},
        {"", false},         {"\"a\", \"a\"", false}, {date, true},      {date_before, false},
        {date_after, false}, {"yesterday", false},    {"\"a\" ", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool got = applies(HEAD(WEFT_HTTP_GET, "Range", "bytes=0-1", "If-Range", table[i].value));
        if (got != table[i].expected)
            fail_msg("If-Range: %s", table[i].value);
    }
    assert_false(applies(
        HEAD(WEFT_HTTP_GET, "Range", "bytes=0-1", "If-Range", "\"a\"", "If-Range", "\"a\"")));
}

TEST(if_range_fails_when_the_file_has_neither_tag_nor_time)
{
    struct weft_http_head by_tag = HEAD(WEFT_HTTP_GET, "Range", "bytes=0-", "If-Range", "\"a\"");
    struct weft_http_head by_date = HEAD(WEFT_HTTP_GET, "Range", "bytes=0-", "If-Range", date);
    assert_false(weft_http_range_applies(&by_tag, weft_text(NULL, 0), WEFT_HTTP_NO_TIME, now));
    assert_false(weft_http_range_applies(&by_date, weft_text(NULL, 0), WEFT_HTTP_NO_TIME, now));
    assert_false(weft_http_range_applies(&by_tag, T("W/\"a\""), DATE, now));
}

/* ---- ranges --------------------------------------------------------------------------------- */

static enum weft_http_part range(const char *value, uint64_t size, struct weft_http_ranges *ranges)
{
    ranges->count = 99;
    enum weft_http_part part = weft_http_range_parse(T(value), size, ranges);
    assert_int_equal(ranges->count > 0, part == WEFT_HTTP_PARTIAL);
    return part;
}

static void check_one(const char *value, uint64_t size, uint64_t first, uint64_t length)
{
    struct weft_http_ranges ranges;
    if (range(value, size, &ranges) != WEFT_HTTP_PARTIAL || ranges.count != 1 ||
        ranges.range[0].first != first || ranges.range[0].size != length)
        fail_msg("%s of %llu", value, (unsigned long long)size);
}

/* The examples of RFC 9110, 14.1.2, and the edges. */
TEST(one_range_is_a_part_of_the_file)
{
    check_one("bytes=0-499", 10000, 0, 500);
    check_one("bytes=500-999", 10000, 500, 500);
    check_one("bytes=-500", 10000, 9500, 500);
    check_one("bytes=9500-", 10000, 9500, 500);
    check_one("bytes=0-0", 10000, 0, 1);
    check_one("bytes=0-", 1, 0, 1);
    check_one("bytes=-1", 1, 0, 1);
    check_one("BYTES=0-0", 1, 0, 1);
    check_one("bytes=9999-20000", 10000, 9999, 1);
    check_one("bytes=-20000", 10000, 0, 10000);
    check_one("bytes=0-99999999999999999999999999", 10000, 0, 10000);
    check_one("bytes=-99999999999999999999999999", 10000, 0, 10000);
    check_one("bytes=0000000000000000000000001-0002", 10000, 1, 2);
    check_one("bytes=18446744073709551614-", UINT64_MAX, UINT64_MAX - 1, 1);
    check_one("bytes=0-", UINT64_MAX, 0, UINT64_MAX);
    check_one("bytes= 0-1 ", 10, 0, 2);
}

TEST(several_ranges_keep_their_order)
{
    struct weft_http_ranges ranges;
    assert_int_equal(range("bytes=0-0,-1", 10000, &ranges), WEFT_HTTP_PARTIAL);
    assert_int_equal(ranges.count, 2);
    assert_int_equal(ranges.range[1].first, 9999);
    assert_int_equal(range("bytes= 500-600 ,, 0-9 ,", 10000, &ranges), WEFT_HTTP_PARTIAL);
    assert_int_equal(ranges.count, 2);
    assert_int_equal(ranges.range[0].first, 500);
    assert_int_equal(ranges.range[0].size, 101);
    assert_int_equal(ranges.range[1].first, 0);
}

TEST(ranges_outside_are_left_out)
{
    struct weft_http_ranges ranges;
    assert_int_equal(range("bytes=10-20,0-4,-0", 10, &ranges), WEFT_HTTP_PARTIAL);
    assert_int_equal(ranges.count, 1);
    assert_int_equal(ranges.range[0].size, 5);
}

TEST(nothing_but_ranges_outside_is_416)
{
    struct weft_http_ranges ranges;
    static const char *const outside[] = {"bytes=10-", "bytes=10-20", "bytes=-0", "bytes=10-,99-",
                                          "bytes=99999999999999999999999999-"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_int_equal(range(outside[i], 10, &ranges), WEFT_HTTP_UNSATISFIABLE);
    assert_int_equal(range("bytes=0-", 0, &ranges), WEFT_HTTP_UNSATISFIABLE);
}

TEST(the_last_bytes_of_an_empty_file_are_the_whole_file)
{
    struct weft_http_ranges ranges;
    assert_int_equal(range("bytes=-5", 0, &ranges), WEFT_HTTP_WHOLE);
}

TEST(what_is_no_range_is_ignored)
{
    static const char *const bad[] = {
        "",           "bytes",       "bytes=",      "bytes=,",        "bytes=-",
        "bytes=0",    "bytes=a-b",   "bytes=5-4",   "bytes=0-1-2",    "bytes=--1",
        "bytes=+1-2", "bytes=0 - 1", "bytes=0-1;",  "bytes=0-1,x",    "bytes=99-,x",
        "byte=0-1",   "lines=0-1",   "bytes =0-1",  "bytes=0x0-0x1",  "bytes=\"0-1\"",
        "bytes:0-1",  "0-1",         "bytes=0-1 2", "bytes=0-1,,5-4", "bytes==0-1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct weft_http_ranges ranges;
        if (range(bad[i], 10, &ranges) != WEFT_HTTP_WHOLE)
            fail_msg("%s was taken", bad[i]);
    }
}

TEST(ranges_that_are_more_than_the_whole_are_ignored)
{
    struct weft_http_ranges ranges;
    assert_int_equal(range("bytes=0-,0-", 10, &ranges), WEFT_HTTP_WHOLE);
    assert_int_equal(range("bytes=0-9,-1", 10, &ranges), WEFT_HTTP_WHOLE);
    assert_int_equal(range("bytes=0-4,5-9", 10, &ranges), WEFT_HTTP_PARTIAL);
    assert_int_equal(range("bytes=0-,0-", UINT64_MAX, &ranges), WEFT_HTTP_WHOLE);
}

TEST(more_ranges_than_there_is_room_for_are_ignored)
{
    char text[256] = "bytes=0-0";
    struct weft_http_ranges ranges;
    for (int i = 1; i < WEFT_HTTP_RANGES; i++)
        strcat(text, ",0-0");
    assert_int_equal(range(text, 1000, &ranges), WEFT_HTTP_PARTIAL);
    assert_int_equal(ranges.count, WEFT_HTTP_RANGES);
    strcat(text, ",0-0");
    assert_int_equal(range(text, 1000, &ranges), WEFT_HTTP_WHOLE);
}

TEST(content_range_names_the_bytes_or_only_the_size)
{
    char text[WEFT_HTTP_CONTENT_RANGE_SIZE];
    weft_http_content_range_format(text, &(struct weft_http_range){0, 500}, 1234);
    assert_string_equal(text, "bytes 0-499/1234");
    weft_http_content_range_format(text, NULL, 1234);
    assert_string_equal(text, "bytes */1234");
    weft_http_content_range_format(text, &(struct weft_http_range){UINT64_MAX - 1, 1}, UINT64_MAX);
    assert_string_equal(text,
                        "bytes 18446744073709551614-18446744073709551614/18446744073709551615");
}
