/* The JSON reader: every kind of token, what is refused and where, texts that are no UTF-8, depth,
 * length, pieces of any size.
 * ctest: labels=valgrind shuffle=no */
#include "check.h"
#include "fault.h"
#include "trace/json.h"
#include "trace_feed.h"
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

/* ---- what comes out, as text: "{ name:a 1 }" ------------------------------------------------ */

static void append(char *into, size_t size, const char *format, struct weft_text text)
{
    size_t used = strlen(into);
    snprintf(into + used, size - used, format, WEFT_TEXT_ARGS(text));
}

static enum json_token read_all(struct json_reader *reader, char *into, size_t size)
{
    static const char *const marks[] = {"", "{ ", "} ",    "[ ",     "] ",    "",
                                        "", "",   "true ", "false ", "null ", ""};
    into[0] = '\0';
    for (;;) {
        enum json_token token = json_reader_next(reader);
        if (token == JSON_TOKEN_END || token == JSON_TOKEN_ERROR)
            return token;
        if (token == JSON_TOKEN_NAME)
            append(into, size, "%.*s:", reader->text);
        else if (token == JSON_TOKEN_STRING)
            append(into, size, "'%.*s' ", reader->text);
        else if (token == JSON_TOKEN_NUMBER)
            append(into, size, "%.*s ", reader->text);
        else
            append(into, size, "%.*s", weft_text_of(marks[token]));
    }
}

static void reads_in_pieces(const char *text, const char *expected, size_t piece)
{
    char got[1024];
    struct feed feed = feed_of(text);
    struct json_reader reader;
    feed.piece = piece;
    assert_int_equal(json_reader_open(&reader, feed_fill, &feed), 0);
    enum json_token token = read_all(&reader, got, sizeof got);
    if (token == JSON_TOKEN_ERROR)
        fail_msg("%s: %s", text, reader.problem);
    assert_string_equal(got, expected);
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_END);
    json_reader_close(&reader);
}

static void reads(const char *text, const char *expected)
{
    reads_in_pieces(text, expected, 1 << 16);
    reads_in_pieces(text, expected, 1);
    reads_in_pieces(text, expected, 3);
}

static void refuses_text(struct weft_text text, const char *problem, uint64_t line, uint64_t column)
{
    for (size_t piece = 1; piece < 8; piece += 3) {
        char got[1024];
        struct feed feed = {text, piece, 0};
        struct json_reader reader;
        assert_int_equal(json_reader_open(&reader, feed_fill, &feed), 0);
        assert_int_equal(read_all(&reader, got, sizeof got), JSON_TOKEN_ERROR);
        assert_string_equal(reader.problem, problem);
        assert_int_equal(reader.status, UV_EINVAL);
        assert_int_equal(reader.line, line);
        assert_int_equal(reader.column, column);
        assert_int_equal(json_reader_next(&reader), JSON_TOKEN_ERROR);
        assert_int_equal(reader.column, column);
        json_reader_close(&reader);
    }
}

static void refuses(const char *text, const char *problem, uint64_t line, uint64_t column)
{
    refuses_text(weft_text_of(text), problem, line, column);
}

static const char cut_off[] = "it ends too early: the file is cut off";

/* ---- what there is -------------------------------------------------------------------------- */

TEST(values_of_every_kind_are_read)
{
    reads("{}", "{ } ");
    reads("[]", "[ ] ");
    reads(" \t\r\n[ 1 , 2 ] \n", "[ 1 2 ] ");
    reads("{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}",
          "{ a:1 b:[ true false null ] c:{ d:'e' } } ");
    reads("\"x\"", "'x' ");
    reads("-0", "-0 ");
    reads("[[],[[]],{}]", "[ [ ] [ [ ] ] { } ] ");
}

TEST(numbers_come_as_they_stand)
{
    reads("[0,-1,12.5,1e5,1E+5,2.25e-7,18446744073709551616]",
          "[ 0 -1 12.5 1e5 1E+5 2.25e-7 18446744073709551616 ] ");
}

TEST(escapes_become_what_they_stand_for)
{
    reads("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t' ");
    reads("\"\\u0041\\u00e4\\u20ac\\uD83D\\uDE00\"", "'A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80' ");
}

TEST(half_of_a_surrogate_pair_is_replaced)
{
    reads("\"\\ud83d\"", "'\xef\xbf\xbd' ");
    reads("\"\\ud83dx\"", "'\xef\xbf\xbdx' ");
    reads("\"\\ud83d\\n\"", "'\xef\xbf\xbd\n' ");
    reads("\"\\ude00\"", "'\xef\xbf\xbd' ");
    reads("\"\\ud83d\\ud83d\\ude00\"", "'\xef\xbf\xbd\xf0\x9f\x98\x80' ");
    reads("\"\\ud83d\\u0041\"", "'\xef\xbf\xbd"
                                "A' ");
}

TEST(bytes_that_are_no_utf_8_are_replaced)
{
    reads("\"\xc3\xa4\xe2\x82\xac\"", "'\xc3\xa4\xe2\x82\xac' ");
    reads("\"a\xff"
          "b\"",
          "'a\xef\xbf\xbd"
          "b' ");
    reads("\"\xc3\"", "'\xef\xbf\xbd' ");                 /* a character that is cut off */
    reads("\"\xc0\xaf\"", "'\xef\xbf\xbd\xef\xbf\xbd' "); /* overlong */
    reads("\"\xed\xa0\x80\"", "'\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' "); /* a surrogate */
    reads("\"\xf4\x90\x80\x80\"", "'\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' ");
    reads("\"\xe2\x82\xc3\xa4\"", "'\xef\xbf\xbd\xc3\xa4' ");
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(what_is_cut_off_is_said_to_be)
{
    static const char whole[] = "{\"a\":[1.5,\"x\\u00e4\",true],\"b\":{}}";
    for (size_t size = 0; size < sizeof whole - 1; size++)
        refuses_text(weft_text(whole, size), cut_off, 1, size + 1);
}

TEST(an_error_has_a_line_and_a_column)
{
    refuses("{\n  \"a\": 1,\n  \"b\": ?\n}", "a value should stand here", 3, 8);
    refuses("[1 2]", "a ',' or a ']' should stand here", 1, 4);
    refuses("{\"a\":1 \"b\":2}", "a ',' or a '}' should stand here", 1, 8);
    refuses("{\"a\" 1}", "a ':' should stand here", 1, 6);
    refuses("{a:1}", "a name in quotes should stand here", 1, 2);
    refuses("{\"a\":1,}", "a name in quotes should stand here", 1, 8);
    refuses("[1,]", "a value should stand here", 1, 4);
    refuses("[1}", "a ',' or a ']' should stand here", 1, 3);
    refuses("{} {}", "something stands behind the end", 1, 4);
    refuses("]", "a value should stand here", 1, 1);
}

TEST(words_and_numbers_that_are_none_are_refused)
{
    refuses("nul!", "a value should stand here", 1, 4);
    refuses("NaN", "a value should stand here", 1, 1);
    refuses("[-Infinity]", "this is no number", 1, 3);
    refuses("01", "something stands behind the end", 1, 2);
    refuses("[1.]", "this is no number", 1, 4);
    refuses("[.5]", "a value should stand here", 1, 2);
    refuses("[1e]", "this is no number", 1, 4);
    refuses("+1", "a value should stand here", 1, 1);
}

TEST(controls_and_unknown_escapes_in_strings_are_refused)
{
    refuses("\"a\nb\"", "a control character stands in a string", 1, 3);
    refuses_text(weft_text("\"a\0b\"", 5), "a control character stands in a string", 1, 3);
    refuses("\"\\x\"", "there is no such escape in a string", 1, 3);
    refuses("\"\\un\"", "there is no such escape in a string", 1, 4);
    refuses("\"\\u12g4\"", "there is no such escape in a string", 1, 6);
    refuses("\"\\ud83d\\x\"", "there is no such escape in a string", 1, 9);
    refuses_text(weft_text("[\0]", 3), "a value should stand here", 1, 2);
}

TEST(nesting_has_a_limit)
{
    char text[2 * JSON_DEPTH_MAX + 2];
    memset(text, '[', JSON_DEPTH_MAX);
    memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    text[sizeof text - 2] = '\0';
    struct feed feed = feed_of(text);
    struct json_reader reader;
    assert_int_equal(json_reader_open(&reader, feed_fill, &feed), 0);
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_ARRAY);
    assert_true(json_reader_skip(&reader, JSON_TOKEN_ARRAY));
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_END);
    json_reader_close(&reader);

    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    refuses(text, "it is nested too deeply", 1, JSON_DEPTH_MAX + 1);
}

TEST(a_long_string_is_cut_and_a_long_number_refused)
{
    static char text[3 * JSON_TEXT_MAX];
    memset(text, 'x', sizeof text - 1);
    text[0] = '"';
    text[sizeof text - 2] = '"';
    struct feed feed = feed_of(text);
    struct json_reader reader;
    assert_int_equal(json_reader_open(&reader, feed_fill, &feed), 0);
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_STRING);
    assert_int_equal(reader.text.size, JSON_TEXT_MAX);
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_END);
    json_reader_close(&reader);

    memset(text, '1', 5000);
    text[5000] = '\0';
    refuses(text, "a number has too many digits", 1, 1025);
}

TEST(a_value_can_be_skipped)
{
    struct feed feed = feed_of("{\"a\":{\"b\":[1,{}]},\"c\":2}");
    struct json_reader reader;
    assert_int_equal(json_reader_open(&reader, feed_fill, &feed), 0);
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_OBJECT);
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_NAME);
    assert_true(json_reader_skip(&reader, json_reader_next(&reader)));
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_NAME);
    assert_true(weft_text_is(reader.text, "c"));
    assert_true(json_reader_skip(&reader, json_reader_next(&reader)));
    assert_int_equal(json_reader_next(&reader), JSON_TOKEN_OBJECT_END);
    json_reader_close(&reader);
}

TEST(an_error_of_the_source_is_passed_on)
{
    struct feed feed = {weft_text_of("{\"a\":"), 2, UV_EIO};
    struct json_reader reader;
    char got[64];
    assert_int_equal(json_reader_open(&reader, feed_fill, &feed), 0);
    assert_int_equal(read_all(&reader, got, sizeof got), JSON_TOKEN_ERROR);
    assert_int_equal(reader.status, UV_EIO);
    assert_string_equal(reader.problem, "it cannot be read");
    json_reader_close(&reader);
}

static void open_one(unsigned long n)
{
    struct feed feed = feed_of("[]");
    struct json_reader reader;
    (void)n;
    int status = json_reader_open(&reader, feed_fill, &feed);
    if (status == 0)
        json_reader_close(&reader);
    else
        assert_int_equal(status, UV_ENOMEM);
}

TEST(a_reader_without_memory_is_not_opened)
{
    fault_ladder(open_one);
}
