/* Amounts, times and names as people write them. */
#include "check.h"
#include "sales/sales.h"
#include <string.h>

static bool amount_is(const char *text, int64_t expected)
{
    int64_t amount = 0;
    return sales_amount(weft_text_of(text), &amount) && amount == expected;
}

static bool time_is(const char *text, int64_t expected)
{
    int64_t time_s = 0;
    return sales_time(weft_text_of(text), &time_s) && time_s == expected;
}

static bool is_no_amount(const char *text)
{
    int64_t amount;
    return !sales_amount(weft_text_of(text), &amount);
}

static bool is_no_time(const char *text)
{
    int64_t time_s;
    return !sales_time(weft_text_of(text), &time_s);
}

TEST(an_amount_is_a_whole_number_within_its_limits)
{
    assert_true(amount_is("1", 1));
    assert_true(amount_is("007", 7));
    assert_true(amount_is("-12", -12));
    assert_true(amount_is("1000000000000", SALES_AMOUNT_MAX));
    assert_true(amount_is("-1000000000000", -SALES_AMOUNT_MAX));
}

TEST(anything_else_is_no_amount)
{
    static const char *const texts[] = {"",
                                        "-",
                                        "+1",
                                        "1.0",
                                        "1e3",
                                        " 1",
                                        "1 ",
                                        "0x1",
                                        "--1",
                                        "0",
                                        "-0",
                                        "1000000000001",
                                        "-1000000000001",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "1,000",
                                        "NaN",
                                        "-9223372036854775809"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(is_no_amount(texts[i]));
}

TEST(a_time_is_rfc_3339_or_seconds)
{
    assert_true(time_is("1704067200", 1704067200));
    assert_true(time_is("-5", -5));
    assert_true(time_is("2024-01-01T00:00:00Z", 1704067200));
    assert_true(time_is("2024-01-01t00:00:00z", 1704067200));
    assert_true(time_is("2024-01-01T00:00:00.999999999Z", 1704067200));
    assert_true(time_is("2024-01-01T01:30:00+01:30", 1704067200));
    assert_true(time_is("2023-12-31T23:15:00-00:45", 1704067200));
    assert_true(time_is("1970-01-01T00:00:00Z", 0));
    assert_true(time_is("1969-12-31T23:59:59Z", -1));
    assert_true(time_is("2000-02-29T12:00:00Z", 951825600));
    assert_true(time_is("2016-12-31T23:59:60Z", 1483228800)); /* a leap second */
    assert_true(time_is("0000-01-01T00:00:00Z", -62167219200));
    assert_true(time_is("9999-12-31T23:59:59Z", 253402300799));
}

TEST(anything_else_is_no_time)
{
    static const char *const texts[] = {"",
                                        "now",
                                        "2024-01-01",
                                        "2024-01-01 00:00:00Z",
                                        "2024-01-01T00:00:00",
                                        "2024-01-01T00:00:00.Z",
                                        "2024-01-01T00:00Z",
                                        "2024-13-01T00:00:00Z",
                                        "2024-00-01T00:00:00Z",
                                        "2023-02-29T00:00:00Z",
                                        "1900-02-29T00:00:00Z",
                                        "2024-01-32T00:00:00Z",
                                        "2024-01-01T24:00:00Z",
                                        "2024-01-01T00:60:00Z",
                                        "2024-01-01T00:00:61Z",
                                        "2024-01-01T00:00:00+24:00",
                                        "2024-01-01T00:00:00+0100",
                                        "2024-01-01T00:00:00ZZ",
                                        "24-01-01T00:00:00Z"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(is_no_time(texts[i]));
}

static bool clean_is(const char *item, const char *expected)
{
    char clean[SALES_CLEAN_MAX];
    size_t size = sales_clean(weft_text_of(item), clean);
    return size == strlen(clean) && strcmp(clean, expected) == 0;
}

TEST(a_name_comes_out_as_utf8)
{
    assert_true(clean_is("book", "book"));
    assert_true(clean_is("", ""));
    assert_true(clean_is("b\xC3\xB6", "b\xC3\xB6"));
    assert_true(clean_is("a\xFF"
                         "b",
                         "a\xEF\xBF\xBD"
                         "b"));
    assert_true(clean_is("a\xC3", "a\xEF\xBF\xBD"));
    assert_true(clean_is("\xC3\xC3\xB6", "\xEF\xBF\xBD\xC3\xB6"));
}

TEST(the_worst_name_fits)
{
    char name[LEDGER_ITEM_MAX + 10], clean[SALES_CLEAN_MAX];
    memset(name, 0xFF, sizeof name);
    assert_int_equal(sales_clean(weft_text(name, sizeof name), clean), SALES_CLEAN_MAX - 1);
}
