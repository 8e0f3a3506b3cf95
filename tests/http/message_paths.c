/* Percent signs, forms, paths, and what a file is by its name. */
/* ctest: labels=valgrind-long shuffle=no */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>
#include <weft/http_message.h>

#define T weft_text_of

/* ---- percent signs -------------------------------------------------------------------------- */

TEST(percent_signs_are_decoded_once)
{
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"", ""},         {"abc", "abc"},         {"%41%7a", "Az"}, {"a%20b+c", "a b+c"},
        {"%2525", "%25"}, {"%c3%A4", "\xc3\xa4"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char buffer[32];
        struct weft_text decoded;
        assert_int_equal(
            weft_http_percent_decode(T(table[i].text), buffer, sizeof buffer, &decoded), 0);
        assert_string_equal(buffer, table[i].expected);
        assert_int_equal(decoded.size, strlen(table[i].expected));
        assert_ptr_equal(decoded.data, buffer);
    }
}

TEST(a_percent_sign_without_two_hex_digits_is_an_error)
{
    static const char *const bad[] = {"%", "%4", "a%", "%4g", "%g4", "%%41", "% 1", "%-1", "%0x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char buffer[32] = "x";
        struct weft_text decoded = T("x");
        assert_int_equal(weft_http_percent_decode(T(bad[i]), buffer, sizeof buffer, &decoded),
                         UV_EINVAL);
        assert_string_equal(buffer, "");
        assert_int_equal(decoded.size, 0);
    }
    char buffer[8]; /* the digits that follow are not part of the text */
    assert_int_equal(weft_http_percent_decode(weft_text("%41", 2), buffer, sizeof buffer, NULL),
                     UV_EINVAL);
}

TEST(a_decoded_zero_is_told)
{
    char buffer[8];
    struct weft_text decoded;
    assert_int_equal(weft_http_percent_decode(T("a%00b"), buffer, sizeof buffer, &decoded),
                     UV_EILSEQ);
    assert_true(weft_text_equal(decoded, weft_text("a\0b", 3)));
    assert_int_equal(weft_http_percent_decode(weft_text("\0", 1), buffer, sizeof buffer, NULL),
                     UV_EILSEQ);
}

TEST(a_buffer_that_is_too_small_stays_empty)
{
    char buffer[4];
    struct weft_text text = T("x");
    assert_int_equal(weft_http_percent_decode(T("%41bc"), buffer, 4, &text), 0);
    assert_int_equal(weft_http_percent_decode(T("%41bc"), buffer, 3, &text), UV_ENOBUFS);
    assert_string_equal(buffer, "");
    assert_int_equal(text.size, 0);
    text = T("x");
    assert_int_equal(weft_http_percent_decode(T(""), NULL, 0, &text), UV_ENOBUFS);
    assert_int_equal(text.size, 0);
    assert_int_equal(weft_http_percent_encode(T("/"), WEFT_HTTP_ESCAPE_SEGMENT, buffer, 4, &text),
                     0);
    assert_int_equal(weft_http_percent_encode(T("/"), WEFT_HTTP_ESCAPE_SEGMENT, buffer, 3, &text),
                     UV_ENOBUFS);
    assert_string_equal(buffer, "");
    assert_int_equal(weft_http_percent_encode(T(""), WEFT_HTTP_ESCAPE_QUERY, NULL, 0, &text),
                     UV_ENOBUFS);
}

TEST(segments_and_query_values_are_encoded_as_they_need_it)
{
    char buffer[128];
    const char *marks = "a/b?c#d e%f:g&h'i\"j<k>l+m;n=o@p.q-r_s~t\\u";
    weft_http_percent_encode(T(marks), WEFT_HTTP_ESCAPE_SEGMENT, buffer, sizeof buffer, NULL);
    assert_string_equal(buffer,
                        "a%2Fb%3Fc%23d%20e%25f%3Ag%26h%27i%22j%3Ck%3El+m;n=o@p.q-r_s~t%5Cu");
    weft_http_percent_encode(T(marks), WEFT_HTTP_ESCAPE_QUERY, buffer, sizeof buffer, NULL);
    assert_string_equal(
        buffer, "a%2Fb%3Fc%23d%20e%25f%3Ag%26h%27i%22j%3Ck%3El%2Bm%3Bn%3Do%40p.q-r_s~t%5Cu");
}

TEST(what_is_not_visible_is_encoded)
{
    char buffer[32];
    weft_http_percent_encode(weft_text("\0\nzZ\x7f\xff", 6), WEFT_HTTP_ESCAPE_SEGMENT, buffer,
                             sizeof buffer, NULL);
    assert_string_equal(buffer, "%00%0AzZ%7F%FF");
}

TEST(what_was_encoded_decodes_to_the_same)
{
    char bytes[256], encoded[3 * 256 + 1], decoded[257];
    struct weft_text text, back;
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    weft_http_percent_encode(weft_text(bytes, 256), WEFT_HTTP_ESCAPE_SEGMENT, encoded,
                             sizeof encoded, &text);
    assert_int_equal(weft_http_percent_decode(text, decoded, sizeof decoded, &back), UV_EILSEQ);
    assert_true(weft_text_equal(back, weft_text(bytes, 256)));
    weft_http_percent_encode(weft_text(bytes, 256), WEFT_HTTP_ESCAPE_QUERY, encoded, sizeof encoded,
                             &text);
    assert_int_equal(weft_http_form_decode(text, decoded, sizeof decoded, &back), UV_EILSEQ);
    assert_true(weft_text_equal(back, weft_text(bytes, 256)));
}

/* ---- forms ---------------------------------------------------------------------------------- */

static const char *pairs(const char *form)
{
    static char joined[256];
    struct weft_text rest = T(form), name, value;
    joined[0] = '\0';
    while (weft_http_form_next(&rest, &name, &value) == 1) {
        size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%.*s%s%.*s|", WEFT_TEXT_ARGS(name),
                 value.data != NULL ? ":" : "", WEFT_TEXT_ARGS(value));
    }
    return joined;
}

TEST(a_form_is_names_and_values)
{
    assert_string_equal(pairs(""), "");
    assert_string_equal(pairs("&&"), "");
    assert_string_equal(pairs("a=b"), "a:b|");
    assert_string_equal(pairs("a=b&c&d=&=e&=&f=g=h&"), "a:b|c|d:|:e|:|f:g=h|");
    assert_string_equal(pairs("a%26=b+c;d"), "a%26:b+c;d|");
}

TEST(a_value_is_found_by_its_decoded_name)
{
    static const char form[] = "q=first&q=second&na%6De+x=a+b%2Bc&empty=&flag&bad=%4&zero=%00&=x";
    static const struct {
        const char *name;
        int err;
        const char *expected;
    } table[] = {
        {"q", 0, "first"},      {"name x", 0, "a b+c"},   {"empty", 0, ""},
        {"flag", 0, ""},        {"none", UV_ENOENT, ""},  {"Q", UV_ENOENT, ""},
        {"bad", UV_EINVAL, ""}, {"zero", UV_EILSEQ, ""},  {"", 0, "x"},
        {"fla", UV_ENOENT, ""}, {"flagg", UV_ENOENT, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char buffer[16] = "?";
        struct weft_text value;
        int err = weft_http_form_get(T(form), table[i].name, buffer, sizeof buffer, &value);
        if (err != table[i].err || strcmp(buffer, table[i].expected) != 0)
            fail_msg("%s: %d '%s'", table[i].name, err, buffer);
    }
    char small[3];
    assert_int_equal(weft_http_form_get(T(form), "q", small, sizeof small, NULL), UV_ENOBUFS);
    assert_string_equal(small, "");
    assert_int_equal(weft_http_form_get(weft_text(NULL, 0), "q", small, sizeof small, NULL),
                     UV_ENOENT);
}

TEST(a_name_is_compared_as_it_is_decoded)
{
    assert_true(weft_http_form_is(T("a+b"), "a b"));
    assert_true(weft_http_form_is(T("%61%2Bb"), "a+b"));
    assert_true(weft_http_form_is(weft_text(NULL, 0), ""));
    assert_false(weft_http_form_is(T("a"), "ab"));
    assert_false(weft_http_form_is(T("ab"), "a"));
    assert_false(weft_http_form_is(T("a%00"), "a"));
    assert_false(weft_http_form_is(T("a%"), "a%"));
}

TEST(a_name_with_a_bad_escape_is_nobodys)
{
    char buffer[8];
    assert_int_equal(weft_http_form_get(T("a%=1&a=2"), "a%", buffer, sizeof buffer, NULL),
                     UV_ENOENT);
    assert_int_equal(weft_http_form_get(T("%ff=1"), "\xff", buffer, sizeof buffer, NULL), 0);
}

TEST(a_number_in_a_form_has_a_range)
{
    static const struct {
        const char *form;
        int err;
        int64_t expected;
    } table[] = {
        {"n=5", 0, 5},
        {"n=%35", 0, 5},
        {"n=005", 0, 5},
        {"n=-10", 0, -10},
        {"n=100", 0, 100},
        {"n=101", UV_ERANGE, 42},
        {"n=-11", UV_ERANGE, 42},
        {"n=99999999999999999999", UV_ERANGE, 42},
        {"m=5", UV_ENOENT, 42},
        {"n", UV_EINVAL, 42},
        {"n=", UV_EINVAL, 42},
        {"n=-", UV_EINVAL, 42},
        {"n=+5", UV_EINVAL, 42},
        {"n=5x", UV_EINVAL, 42},
        {"n=5%00", UV_EINVAL, 42},
        {"n=%3", UV_EINVAL, 42},
        {"n=1e3", UV_EINVAL, 42},
        {"n=5&n=6", 0, 5},
        {"n=0000000000000000000000000000000000000000000000000000000000000000005", UV_EINVAL, 42},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t number = 42;
        int err = weft_http_form_number(T(table[i].form), "n", -10, 100, &number);
        if (err != table[i].err || number != table[i].expected)
            fail_msg("%s: %d, %lld", table[i].form, err, (long long)number);
    }
}

TEST(the_largest_and_smallest_numbers_are_read)
{
    int64_t number;
    assert_int_equal(
        weft_http_form_number(T("n=9223372036854775807"), "n", INT64_MIN, INT64_MAX, &number), 0);
    assert_true(number == INT64_MAX);
    assert_int_equal(
        weft_http_form_number(T("n=-9223372036854775808"), "n", INT64_MIN, INT64_MAX, &number), 0);
    assert_true(number == INT64_MIN);
    assert_int_equal(
        weft_http_form_number(T("n=9223372036854775808"), "n", INT64_MIN, INT64_MAX, &number),
        UV_ERANGE);
    assert_int_equal(
        weft_http_form_number(T("n=-9223372036854775809"), "n", INT64_MIN, INT64_MAX, &number),
        UV_ERANGE);
}

/* ---- paths ---------------------------------------------------------------------------------- */

TEST(a_path_becomes_one_below_a_folder)
{
    static const struct {
        const char *path, *expected;
    } table[] = {
        {"/", ""},
        {"/a", "a"},
        {"/a/", "a/"},
        {"//", ""},
        {"///a//b///", "a/b/"},
        {"/./a/./b/.", "a/b/"},
        {"/.", ""},
        {"/a/..", ""},
        {"/a/../b", "b"},
        {"/a/b/../../c", "c"},
        {"/a/b/..", "a/"},
        {"/a/b/../", "a/"},
        {"/a/./b/../c%20d", "a/c d"},
        {"/%61", "a"},
        {"/a/%2e%2E/b", "b"},
        {"/a/%2e/b", "a/b"},
        {"/%252e%252e/a", "%2e%2e/a"},
        {"/...", "..."},
        {"/..a/b..", "..a/b.."},
        {"/.git/config", ".git/config"},
        {"/a+b", "a+b"},
        {"/a?b", "a?b"}, /* a query is not part of a path, so this is a name */
        {"/%c3%a4", "\xc3\xa4"},
        {"/a%0Ab", "a\nb"},
        {"/a//../b", "b"}, /* an empty segment is none, as for the file system */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char buffer[64];
        struct weft_text clean;
        int err = weft_http_path_clean(T(table[i].path), buffer, sizeof buffer, &clean);
        if (err != 0 || strcmp(buffer, table[i].expected) != 0)
            fail_msg("%s: %d '%s'", table[i].path, err, buffer);
        assert_int_equal(clean.size, strlen(table[i].expected));
    }
}

TEST(a_path_that_leaves_the_folder_is_refused)
{
    static const char *const bad[] = {
        "/..",         "/../",    "/../a",           "/a/../..",
        "/a/../../a",  "/%2e%2e", "/.%2e/a",         "/%2E./a",
        "/./../a",     "//../a",  "/a/b/../../../c", "/../../../../../etc/passwd",
        "/a/../../a/b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char buffer[64] = "x";
        struct weft_text clean = T("x");
        int err = weft_http_path_clean(T(bad[i]), buffer, sizeof buffer, &clean);
        if (err != UV_EACCES)
            fail_msg("%s: %d", bad[i], err);
        assert_string_equal(buffer, "");
        assert_int_equal(clean.size, 0);
    }
}

TEST(what_is_no_path_is_refused)
{
    static const char *const bad[] = {
        "",          "a",      "*",      "./a",   "../a",   "http://a/", "/a%2Fb",
        "/a%2fb",    "/..%2f", "/%2f..", "/a\\b", "/a%5cb", "/..\\a",    "/..%5C..",
        "/a%00.txt", "/%00",   "/%",     "/a%2",  "/%zz",   "/%2",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char buffer[64] = "x";
        int err = weft_http_path_clean(T(bad[i]), buffer, sizeof buffer, NULL);
        if (err != UV_EINVAL)
            fail_msg("%s: %d", bad[i], err);
        assert_string_equal(buffer, "");
    }
    char buffer[8];
    assert_int_equal(weft_http_path_clean(weft_text("/a\0b", 4), buffer, 8, NULL), UV_EINVAL);
    assert_int_equal(weft_http_path_clean(weft_text(NULL, 0), buffer, 8, NULL), UV_EINVAL);
}

TEST(a_path_that_is_too_long_is_refused)
{
    char buffer[1024], path[300];
    assert_int_equal(weft_http_path_clean(T("/abc/"), buffer, 5, NULL), 0);
    assert_int_equal(weft_http_path_clean(T("/abc/"), buffer, 4, NULL), UV_ENAMETOOLONG);
    assert_string_equal(buffer, "");
    assert_int_equal(weft_http_path_clean(T("/abc"), buffer, 4, NULL), 0);
    assert_int_equal(weft_http_path_clean(T("/abc"), buffer, 3, NULL), UV_ENAMETOOLONG);
    buffer[0] = 'x';
    assert_int_equal(weft_http_path_clean(T("/a"), buffer, 1, NULL), UV_ENAMETOOLONG);
    assert_string_equal(buffer, "");
    buffer[0] = 'x';
    assert_int_equal(weft_http_path_clean(T("/"), buffer, 1, NULL), 0);
    assert_string_equal(buffer, "");
    assert_int_equal(weft_http_path_clean(T("/"), NULL, 0, NULL), UV_ENAMETOOLONG);
    memset(path, 'a', sizeof path);
    path[0] = '/';
    assert_int_equal(weft_http_path_clean(weft_text(path, 256), buffer, sizeof buffer, NULL), 0);
    assert_int_equal(weft_http_path_clean(weft_text(path, 257), buffer, sizeof buffer, NULL),
                     UV_ENAMETOOLONG);
}

/* ---- media types ---------------------------------------------------------------------------- */

TEST(a_file_is_what_its_ending_says)
{
    static const struct {
        const char *path, *type;
    } table[] = {
        {"index.html", "text/html; charset=utf-8"},
        {"/a/b.d/INDEX.HTM", "text/html; charset=utf-8"},
        {"a.css", "text/css; charset=utf-8"},
        {"a.js", "text/javascript; charset=utf-8"},
        {"a.mjs", "text/javascript; charset=utf-8"},
        {"a.min.js.map", "application/json"},
        {"a.json", "application/json"},
        {"a.svg", "image/svg+xml"},
        {"a.jpeg", "image/jpeg"},
        {"a.webp", "image/webp"},
        {"a.ico", "image/x-icon"},
        {"a.woff2", "font/woff2"},
        {"a.wasm", "application/wasm"},
        {"a.tar.gz", "application/gzip"},
        {"a.webmanifest", "application/manifest+json"},
        {"a.7z", "application/x-7z-compressed"},
        {"a.zst", "application/zstd"},
        {"README.md", "text/markdown; charset=utf-8"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(weft_http_media_type(T(table[i].path)), table[i].type);
}

TEST(a_file_without_a_known_ending_is_bytes)
{
    static const char *const paths[] = {
        "",
        "a",
        "a.",
        ".html",
        "/a/.html",
        "a.html/b",
        "a.html/",
        ".",
        "..",
        "/",
        "a.hml",
        "a.htmlx",
        "a.html ",
        "html",
        "a.h\xc3\xa4",
        "a.../",
        "a.b.",
        "a.x/.",
        "a.verylongendingindeed",
        "a.zzz",
        "a.0",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *type = weft_http_media_type(T(paths[i]));
        if (strcmp(type, "application/octet-stream") != 0)
            fail_msg("'%s' is %s", paths[i], type);
    }
    assert_string_equal(weft_http_media_type(weft_text("a.html\0x", 8)),
                        "application/octet-stream");
    assert_string_equal(weft_http_media_type(weft_text("a.html\0", 7)), "application/octet-stream");
    assert_string_equal(weft_http_media_type(weft_text(NULL, 0)), "application/octet-stream");
}
