/* ctest: shuffle=no */
/* Problems that are read, and subsets that are written. */
#include "kit.h"

static struct subset_problem problem;
static char why[SUBSET_WHY];

static int parse(const char *text)
{
    return subset_parse_values(&problem, weft_text_of(text), why);
}

static void refused(const char *text, const char *sentence)
{
    struct subset_problem before = problem;
    int err = parse(text);
    if (err != UV_EINVAL || strcmp(why, sentence) != 0)
        fail_msg("%s: %d, %s", text, err, why);
    assert_memory_equal(&problem, &before, sizeof before);
}

TEST(an_array_of_integers_is_read)
{
    problem = (struct subset_problem){.sum = 77};
    assert_int_equal(parse("[1,2,-4,0,-0]"), 0);
    assert_int_equal(problem.count, 5);
    assert_int_equal(problem.values[0], 1);
    assert_int_equal(problem.values[2], -4);
    assert_int_equal(problem.values[4], 0);
    assert_true(problem.sum == 77);
    assert_int_equal(parse(" [\t9223372036854775807 ,\r\n-9223372036854775808 ] \n"), 0);
    assert_int_equal(problem.count, 2);
    assert_true(problem.values[0] == INT64_MAX && problem.values[1] == INT64_MIN);
    assert_int_equal(parse("[]"), 0);
    assert_int_equal(problem.count, 0);
    assert_int_equal(parse("[ ]"), 0);
}

TEST(what_is_no_array_of_integers_is_refused_with_what_stands_where)
{
    problem = (struct subset_problem){.count = 1, .values = {9}};
    refused("", "an array of integers begins with '[', at byte 1");
    refused("5", "an array of integers begins with '[', at byte 1");
    refused("  {}", "an array of integers begins with '[', at byte 3");
    refused("\xef\xbb\xbf[]", "an array of integers begins with '[', at byte 1");
    refused("[", "the text ends where an integer should stand, at byte 2");
    refused("[1", "a comma or ']' is missing, at byte 3");
    refused("[1 2]", "a comma or ']' is missing, at byte 4");
    refused("[1,]", "a comma stands behind the last integer, at byte 4");
    refused("[1, ]", "a comma stands behind the last integer, at byte 5");
    refused("[,1]", "an integer is missing before a comma, at byte 2");
    refused("[1,,2]", "an integer is missing before a comma, at byte 4");
    refused("[1] ,", "something stands behind the array, at byte 5");
    refused("[1][2]", "something stands behind the array, at byte 4");
    refused("[1.0]", "a number is written with a fraction or an exponent, at byte 2");
    refused("[7,1e3]", "a number is written with a fraction or an exponent, at byte 4");
    refused("[1E3]", "a number is written with a fraction or an exponent, at byte 2");
    refused("[\"1\"]", "a string stands where an integer should, at byte 2");
    refused("[null]", "this is no integer, at byte 2");
    refused("[1,NaN]", "this is no integer, at byte 4");
    refused("[[1]]", "an array or object stands where an integer should, at byte 2");
    refused("[{}]", "an array or object stands where an integer should, at byte 2");
    refused("[01]", "an integer begins with a zero, at byte 2");
    refused("[-01]", "an integer begins with a zero, at byte 3");
    refused("[-]", "no digit stands behind a minus sign, at byte 3");
    refused("[--1]", "no digit stands behind a minus sign, at byte 3");
    refused("[+1]", "a plus sign is no part of an integer, at byte 2");
    refused("[0x10]", "a comma or ']' is missing, at byte 3");
    refused("[1,9223372036854775808]", "an integer is beyond the range of 64 bits, at byte 4");
    refused("[-9223372036854775809]", "an integer is beyond the range of 64 bits, at byte 2");
    refused("[99999999999999999999999999999999999999999999999999]",
            "an integer is beyond the range of 64 bits, at byte 2");
    assert_int_equal(subset_parse_values(&problem, weft_text("[1\0,2]", 6), why), UV_EINVAL);
    assert_int_equal(subset_parse_values(&problem, weft_text(NULL, 0), why), UV_EINVAL);
}

TEST(more_integers_than_bits_are_refused)
{
    enum { END = 2 * 65 };
    char text[END + 2];
    for (size_t i = 0; i < END; i += 2) {
        text[i] = i == 0 ? '[' : ',';
        text[i + 1] = '1';
    }
    memcpy(text + END, "]", 2);
    assert_int_equal(parse(text), UV_E2BIG);
    assert_string_equal(why, "there are more than 64 integers, at byte 130");
    memcpy(text + END - 2, "]", 2);
    assert_int_equal(parse(text), 0);
    assert_int_equal(problem.count, 64);
}

static int parse_sum(const char *text)
{
    return subset_parse_sum(&problem, weft_text_of(text), why);
}

TEST(a_sum_may_be_wider_than_a_number)
{
    problem = (struct subset_problem){0};
    assert_int_equal(parse_sum("-12"), 0);
    assert_true(problem.sum == -12);
    assert_int_equal(parse_sum("590295810358705651712"), 0); /* 2^69 */
    assert_true(problem.sum == (subset_wide)1 << 69);
    assert_int_equal(parse_sum("-170141183460469231731687303715884105728"), 0);
    assert_int_equal(parse_sum("170141183460469231731687303715884105728"), UV_EINVAL);
    assert_string_equal(why, "an integer is beyond the range of 128 bits, at byte 1");
    assert_int_equal(parse_sum(""), UV_EINVAL);
    assert_string_equal(why, "the text ends where an integer should stand, at byte 1");
    assert_int_equal(parse_sum("5 "), UV_EINVAL);
    assert_string_equal(why, "something stands behind the integer, at byte 2");
    assert_int_equal(parse_sum("1.5"), UV_EINVAL);
    assert_int_equal(parse_sum(" 5"), UV_EINVAL);
    assert_int_equal(parse_sum("]"), UV_EINVAL);
    assert_string_equal(why, "this is no integer, at byte 1");
    assert_true(problem.sum == (subset_wide)((~(unsigned __int128)0 >> 1) + 1));
}

/* ---- writing -------------------------------------------------------------------------------- */

static void written(uint64_t mask, const char *expected)
{
    struct subset_writer writer;
    char text[SUBSET_TEXT_MAX];
    subset_writer_init(&writer, &problem);
    size_t size = subset_write(&writer, mask, text);
    assert_true(weft_text_is(weft_text(text, size), expected));
}

TEST(a_subset_is_written_as_json_in_the_order_of_its_indexes)
{
    assert_int_equal(parse("[1,2,-4,5,-3]"), 0);
    written(0x13, "[1,2,-3]");
    written(0x1e, "[2,-4,5,-3]");
    written(0x10, "[-3]");
    written(0, "[]");
    written(UINT64_MAX, "[1,2,-4,5,-3]"); /* bits without a number */
}

TEST(the_longest_text_fits)
{
    struct subset_writer writer;
    char text[SUBSET_TEXT_MAX];
    problem = (struct subset_problem){.count = 64};
    for (unsigned i = 0; i < 64; i++)
        problem.values[i] = INT64_MIN;
    subset_writer_init(&writer, &problem);
    assert_int_equal(subset_write(&writer, UINT64_MAX, text), 64 * 21 + 1);
    struct subset_problem again = {0};
    assert_int_equal(subset_parse_values(&again, weft_text(text, 64 * 21 + 1), why), 0);
    assert_memory_equal(again.values, problem.values, sizeof problem.values);
}

TEST(a_sum_is_written_as_it_is_read)
{
    static const char *const sums[] = {"0",
                                       "-1",
                                       "10",
                                       "-9223372036854775808",
                                       "590295810358705651712",
                                       "170141183460469231731687303715884105727",
                                       "-170141183460469231731687303715884105728"};
    for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        char text[SUBSET_SUM_MAX];
        assert_int_equal(parse_sum(sums[i]), 0);
        size_t size = subset_write_sum(&problem, text);
        assert_true(weft_text_is(weft_text(text, size), sums[i]));
    }
}
