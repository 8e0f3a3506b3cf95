/* The reader of test data is strict, and loses nothing. */
/* ctest: shuffle=no */
#include "check.h"
#include "json.h"
#include "scratch.h"
#include <stdio.h>
#include <stdlib.h>

static struct json *read_text(const char *text)
{
    struct json *json = json_parse(weft_text_of(text), NULL);
    if (json == NULL)
        fail_msg("not read: %s", text);
    return json;
}

static void string_is(const char *text, const char *bytes, size_t size)
{
    struct json *json = read_text(text);
    assert_int_equal(json->kind, JSON_STRING);
    assert_int_equal(json->text.size, size);
    assert_memory_equal(json->text.data, bytes, size);
    assert_int_equal(json->text.data[size], '\0');
    json_free(json);
}

TEST(values_of_every_kind_are_read)
{
    struct json *json = read_text(" {\"a\": [null, true, false, -1.5e2, \"x\", {}, []], \"b\":0} ");
    const struct json *a = json_get(json, "a");
    assert_int_equal(json->kind, JSON_OBJECT);
    assert_int_equal(json->count, 2);
    assert_int_equal(a->count, 7);
    assert_int_equal(json_at(a, 0)->kind, JSON_NULL);
    assert_true(json_at(a, 1)->kind == JSON_BOOL && json_at(a, 1)->truth);
    assert_true(json_at(a, 2)->kind == JSON_BOOL && !json_at(a, 2)->truth);
    assert_true(json_at(a, 3)->kind == JSON_NUMBER && json_at(a, 3)->number == -150);
    assert_true(weft_text_is(json_at(a, 4)->text, "x"));
    assert_int_equal(json_at(a, 5)->kind, JSON_OBJECT);
    assert_int_equal(json_at(a, 6)->kind, JSON_ARRAY);
    assert_null(json_at(a, 7));
    assert_true(json_get(json, "b")->number == 0);
    json_free(json);
}

TEST(members_are_looked_up_by_name)
{
    struct json *json = read_text("{\"a\":1,\"s\":\"t\",\"a\":2}");
    assert_true(json_get(json, "a")->number == 2);
    assert_null(json_get(json, "b"));
    assert_null(json_get(json_get(json, "a"), "a"));
    assert_null(json_get(NULL, "a"));
    assert_true(weft_text_is(json_text(json, "s"), "t"));
    assert_null(json_text(json, "a").data);
    json_free(json);
    json_free(NULL);
}

TEST(escapes_become_the_bytes_they_stand_for)
{
    string_is("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
    string_is("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
              10);
    string_is("\"a\\u0000b\"", "a\0b", 3);
    string_is("\"\xc3\xa9\"", "\xc3\xa9", 2);
    string_is("\"\"", "", 0);
}

TEST(half_a_surrogate_pair_is_kept_as_three_bytes)
{
    string_is("\"\\ud800\"", "\xed\xa0\x80", 3);
    string_is("\"\\udfff!\"", "\xed\xbf\xbf!", 4);
    string_is("\"\\ud800\\u0041\"",
              "\xed\xa0\x80"
              "A",
              4);
    string_is("\"\\ud800\\ud83d\\ude00\"", "\xed\xa0\x80\xf0\x9f\x98\x80", 7);
}

TEST(what_is_not_json_is_refused)
{
    static const char *wrong[] = {"",           " ",           "nul",     "tru",          "[1,]",
                                  "[,1]",       "[1 2]",       "{\"a\"}", "{\"a\":}",     "{a:1}",
                                  "{\"a\":1,}", "[1",          "{",       "\"a",          "\"\\x\"",
                                  "\"\\u12\"",  "\"\\u12g4\"", "\"\n\"",  "01",           "1.",
                                  ".5",         "-",           "1e",      "+1",           "1 2",
                                  "[1]]",       "'a'",         "//",      "\"\\",         "\"\\\"",
                                  "NaN",        "\"\\ud800",   "{1:2}",   "[\"a\" \"b\"]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct json *json = json_parse(weft_text_of(wrong[i]), NULL);
        if (json != NULL)
            fail_msg("taken: %s", wrong[i]);
    }
    assert_null(json_parse(weft_text(NULL, 0), NULL));
    assert_null(json_parse(weft_text("1\0", 2), NULL));
}

TEST(the_place_of_a_mistake_is_told)
{
    size_t at = 0;
    assert_null(json_parse(weft_text_of("[1, x]"), &at));
    assert_int_equal(at, 4);
}

TEST(nesting_has_an_end)
{
    char deep[2048];
    memset(deep, '[', 1024);
    memset(deep + 1024, ']', 1024);
    assert_null(json_parse(weft_text(deep, 2048), NULL));
    struct json *json = json_parse(weft_text(deep + 1024 - 512, 1024), NULL);
    assert_non_null(json);
    json_free(json);
}

TEST(a_file_is_read_whole)
{
    static char text[200001];
    char path[SCRATCH_PATH];
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 2] = '7';
    struct json *json = json_load(scratch_file(path, "big.json", text));
    assert_true(json != NULL && json->number == 7);
    json_free(json);
    assert_null(json_load("/there/is/no/such.json"));
}

TEST(a_suite_that_is_not_there_is_no_error)
{
    char path[SCRATCH_PATH], *before = getenv("WEFT_CONFORMANCE");
    before = before != NULL ? strdup(before) : NULL;
    scratch_file(path, "found.json", "[]");
    setenv("WEFT_CONFORMANCE", scratch_dir(), 1);
    struct json *json = json_conformance("found.json");
    assert_non_null(json);
    json_free(json);
    assert_null(json_conformance("missing.json"));
    if (before != NULL)
        setenv("WEFT_CONFORMANCE", before, 1);
    else
        unsetenv("WEFT_CONFORMANCE");
    free(before);
}
