/* Dates as they are written and read, and what is made of them. */
/* ctest: shuffle=no */
#include "check.h"
#include <stdio.h>
#include <time.h>
#include <uv.h>
#include <weft/http_message.h>

enum { RFC_EXAMPLE = 784111777 };         /* Sun, 06 Nov 1994 08:49:37 GMT */
static const int64_t now = 1767225600;    /* 2026-01-01 */
static const int64_t last = 253402300799; /* Fri, 31 Dec 9999 23:59:59 GMT */

static int64_t parsed_at(const char *text, int64_t at)
{
    int64_t time = 42;
    int err = weft_http_date_parse(weft_text_of(text), at, &time);
    assert_int_equal(err, time >= 0 ? 0 : UV_EINVAL);
    return time;
}

static int64_t parsed(const char *text)
{
    return parsed_at(text, now);
}

TEST(a_date_is_written_in_the_preferred_form)
{
    char text[WEFT_HTTP_DATE_SIZE];
    assert_int_equal(weft_http_date_format(text, RFC_EXAMPLE), 0);
    assert_string_equal(text, "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_int_equal(weft_http_date_format(text, 0), 0);
    assert_string_equal(text, "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_int_equal(weft_http_date_format(text, last), 0);
    assert_string_equal(text, "Fri, 31 Dec 9999 23:59:59 GMT");
}

TEST(a_date_outside_of_1970_to_9999_is_not_written)
{
    const int64_t times[] = {-1, INT64_MIN, last + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char text[WEFT_HTTP_DATE_SIZE] = "x";
        assert_int_equal(weft_http_date_format(text, times[i]), UV_EINVAL);
        assert_string_equal(text, "");
    }
}

TEST(all_three_forms_are_read)
{
    assert_int_equal(parsed("Sun, 06 Nov 1994 08:49:37 GMT"), RFC_EXAMPLE);
    assert_int_equal(parsed("Sunday, 06-Nov-94 08:49:37 GMT"), RFC_EXAMPLE);
    assert_int_equal(parsed("Sun Nov  6 08:49:37 1994"), RFC_EXAMPLE);
    assert_int_equal(parsed("Wed Nov 16 08:49:37 1994"), RFC_EXAMPLE + 10 * 86400);
}

/* gmtime is the other opinion here. */
TEST(every_day_of_800_years_is_the_c_librarys_day_and_reads_back)
{
    for (int64_t day = 0; day < 800 * 365; day++) {
        time_t time = (time_t)(day * 86400 + day * 7919 % 86400);
        struct tm tm;
        char text[WEFT_HTTP_DATE_SIZE], expected[64];
        assert_non_null(gmtime_r(&time, &tm));
        strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &tm);
        assert_int_equal(weft_http_date_format(text, time), 0);
        if (strcmp(text, expected) != 0)
            assert_string_equal(text, expected);
        int64_t back;
        if (weft_http_date_parse(weft_text_of(text), now, &back) != 0 || back != time)
            fail_msg("%s is read as %lld", text, (long long)back);
        strftime(expected, sizeof expected, "%a %b %e %H:%M:%S %Y", &tm);
        if (weft_http_date_parse(weft_text_of(expected), now, &back) != 0 || back != time)
            fail_msg("%s is read as %lld", expected, (long long)back);
    }
}

TEST(the_last_second_of_9999_reads_back)
{
    assert_int_equal(parsed("Fri, 31 Dec 9999 23:59:59 GMT"), last);
    assert_int_equal(parsed("Fri, 31 Dec 9999 23:59:60 GMT"), last);
}

TEST(two_digits_of_a_year_mean_the_last_such_year_at_most_50_years_ahead)
{
    assert_int_equal(parsed("Tuesday, 31-Dec-75 23:59:59 GMT"), 3345062399);   /* 2075: 50 ahead */
    assert_int_equal(parsed("Wednesday, 01-Jan-76 00:00:00 GMT"), 3345062400); /* exactly 50 */
    assert_int_equal(parsed("Thursday, 01-Jan-76 00:00:01 GMT"), 189302401);   /* 1976 */
    assert_int_equal(parsed("Thursday, 01-Jan-70 00:00:00 GMT"),
                     WEFT_HTTP_NO_TIME); /* 2070 begins on a Wednesday */
    assert_int_equal(parsed_at("Thursday, 01-Jan-70 00:00:00 GMT", 0), 0);
    /* The century of now is not always the right one. */
    int64_t in_2090 = 3786912000;
    assert_int_equal(parsed_at("Wednesday, 01-Jan-10 00:00:00 GMT", in_2090), 4417977600);
}

TEST(now_may_be_anything)
{
    parsed_at("Sunday, 06-Nov-94 08:49:37 GMT", INT64_MIN);
    parsed_at("Sunday, 06-Nov-94 08:49:37 GMT", INT64_MAX);
    assert_int_equal(parsed_at("Sunday, 06-Nov-94 08:49:37 GMT", last),
                     parsed("Sun, 06 Nov 9994 08:49:37 GMT"));
    assert_int_equal(parsed_at("Monday, 06-Nov-05 08:49:37 GMT", last),
                     parsed("Mon, 06 Nov 9905 08:49:37 GMT"));
    assert_true(parsed("Mon, 06 Nov 9905 08:49:37 GMT") > 0);
}

TEST(what_is_not_exactly_a_date_is_refused)
{
    static const char *const bad[] = {
        "",
        "0",
        "Sun",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMTx",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun,  6 Nov 1994 08:49:37 GMT",
        "Sun, 06  Nov 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nox 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 1995 08:49:37 GMT",
        "Mon, 29 Feb 2100 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 -8:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT",
        "Wed, 31 Dec 1969 23:59:59 GMT",
        "Sun, 06 Nov 0094 08:49:37 GMT",
        "Sun, 06 Nov 11994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06 Nov 94 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994 GMT",
        "Sun Nov   6 08:49:37 1994",
        "1994-11-06T08:49:37Z",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (parsed(bad[i]) != WEFT_HTTP_NO_TIME)
            fail_msg("'%s' was read", bad[i]);
    }
}

TEST(a_leap_second_is_the_second_before_it)
{
    assert_int_equal(parsed("Sat, 31 Dec 2016 23:59:60 GMT"),
                     parsed("Sat, 31 Dec 2016 23:59:59 GMT"));
}

TEST(no_prefix_of_a_date_is_a_date)
{
    static const char *const dates[] = {"Sun, 06 Nov 1994 08:49:37 GMT",
                                        "Sunday, 06-Nov-94 08:49:37 GMT",
                                        "Sun Nov  6 08:49:37 1994"};
    for (size_t i = 0; i < 3; i++) {
        for (size_t size = 0; size < strlen(dates[i]); size++) {
            int64_t time;
            assert_int_equal(weft_http_date_parse(weft_text(dates[i], size), now, &time),
                             UV_EINVAL);
        }
    }
}

/* ---- seconds and Retry-After ---------------------------------------------------------------- */

TEST(seconds_are_digits_and_too_many_are_for_ever)
{
    uint32_t seconds;
    assert_int_equal(weft_http_seconds(weft_text_of("0"), &seconds), 0);
    assert_int_equal(seconds, 0);
    assert_int_equal(weft_http_seconds(weft_text_of("0060"), &seconds), 0);
    assert_int_equal(seconds, 60);
    assert_int_equal(weft_http_seconds(weft_text_of("2147483648"), &seconds), 0);
    assert_int_equal(seconds, 2147483648U);
    assert_int_equal(weft_http_seconds(weft_text_of("99999999999999999999999"), &seconds), 0);
    assert_int_equal(seconds, 2147483648U);
    static const char *const bad[] = {"",    "-1", "+1",  " 1", "1 ",
                                      "1.5", "1s", "0x1", "９", "99999999999999999999999x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        seconds = 7;
        assert_int_equal(weft_http_seconds(weft_text_of(bad[i]), &seconds), UV_EINVAL);
        assert_int_equal(seconds, 0);
    }
}

static uint32_t retry(const char *text, int64_t at, uint32_t most)
{
    uint32_t seconds = 7;
    assert_int_equal(weft_http_retry_after(weft_text_of(text), at, most, &seconds), 0);
    return seconds;
}

TEST(retry_after_takes_seconds_and_dates)
{
    assert_int_equal(retry("120", now, 3600), 120);
    assert_int_equal(retry("Sun, 06 Nov 1994 08:49:37 GMT", RFC_EXAMPLE - 30, 3600), 30);
    assert_int_equal(retry("Sun, 06 Nov 1994 08:49:37 GMT", RFC_EXAMPLE, 3600), 0);
    assert_int_equal(retry("Sun, 06 Nov 1994 08:49:37 GMT", RFC_EXAMPLE + 1, 3600), 0);
}

TEST(retry_after_is_never_longer_than_we_allow)
{
    assert_int_equal(retry("3601", now, 3600), 3600);
    assert_int_equal(retry("99999999999999999999999", now, 3600), 3600);
    assert_int_equal(retry("1", now, 0), 0);
    assert_int_equal(retry("Fri, 31 Dec 9999 23:59:59 GMT", now, 3600), 3600);
    assert_int_equal(retry("Fri, 31 Dec 9999 23:59:59 GMT", now, UINT32_MAX), UINT32_MAX);
    assert_int_equal(retry("Fri, 31 Dec 9999 23:59:59 GMT", INT64_MIN, 5), 5);
}

TEST(a_retry_after_that_is_neither_is_an_error)
{
    static const char *const bad[] = {"", "soon", "-5", "1.5", "Sun, 06 Nov 1994"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t seconds = 7;
        assert_int_equal(weft_http_retry_after(weft_text_of(bad[i]), now, 60, &seconds), UV_EINVAL);
        assert_int_equal(seconds, 0);
    }
}
