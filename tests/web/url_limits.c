/* ctest: labels=threads shuffle=no */
/* What a URL may take: memory, length, time, threads. */
#include "check.h"
#include "fault.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <weft/url.h>

/* before, then piece as often as it fits into size. The caller frees it. */
static struct weft_text repeated(const char *before, const char *piece, size_t size)
{
    struct weft_text first = weft_text_of(before), next = weft_text_of(piece);
    size_t at = first.size;
    char *text = malloc(size + first.size);
    assert_non_null(text);
    memcpy(text, first.data, first.size);
    for (; at + next.size <= size; at += next.size)
        memcpy(text + at, next.data, next.size);
    return weft_text(text, at);
}

static void drop(struct weft_text text)
{
    free((char *)(uintptr_t)text.data);
}

static int parse_repeated(struct weft_url *url, const char *before, const char *piece, size_t size)
{
    struct weft_text text = repeated(before, piece, size);
    int err = weft_url_parse(url, text, NULL);
    drop(text);
    return err;
}

TEST(a_url_is_as_long_as_the_limit_and_no_longer)
{
    struct weft_url url = {0};
    assert_int_equal(parse_repeated(&url, "http://x/", "a", WEFT_URL_MAX), 0);
    assert_int_equal(url.href.size, WEFT_URL_MAX);
    assert_int_equal(url.href.data[WEFT_URL_MAX], '\0');
    assert_int_equal(parse_repeated(&url, "http://x/", "a", WEFT_URL_MAX + 1), UV_E2BIG);
    assert_int_equal(url.href.size, 0);
    assert_int_equal(parse_repeated(&url, "http://x/", "a", 10), 0);
    assert_int_equal(parse_repeated(&url, "http://x/", " ", WEFT_URL_MAX), 0);
    assert_int_equal(parse_repeated(&url, "http://x/", " ", WEFT_URL_MAX + 1), UV_E2BIG);
    weft_url_free(&url);
}

TEST(a_url_that_grows_beyond_the_limit_is_refused)
{
    static const char *befores[] = {"http://x/", "http://x/?", "http://x/#", "http://", "foo://x"};
    struct weft_url url = {0};
    for (size_t i = 0; i < sizeof befores / sizeof *befores; i++) {
        assert_int_equal(parse_repeated(&url, befores[i], "\x01z", WEFT_URL_MAX - 1),
                         i == 3 ? UV_EINVAL : UV_E2BIG);
        assert_int_equal(url.href.size, 0);
    }
    assert_int_equal(parse_repeated(&url, "foo:", "\x01z", WEFT_URL_MAX / 2 + 99), UV_E2BIG);
    assert_int_equal(parse_repeated(&url, "foo:/..//", "a", WEFT_URL_MAX), 0);
    assert_int_equal(parse_repeated(&url, "foo:/./", "/", WEFT_URL_MAX), 0);
    assert_int_equal(parse_repeated(&url, "foo:/.//", "a", WEFT_URL_MAX), 0);
    weft_url_free(&url);
}

/* "/." is put before a path that begins with "//", and makes it longer at last. */
TEST(what_keeps_a_path_from_being_a_host_counts_too)
{
    struct weft_url url = {0};
    assert_int_equal(parse_repeated(&url, "foo:/..//zz", "\x01z", 11 + 2 * 16381), 0);
    assert_int_equal(url.href.size, WEFT_URL_MAX - 2);
    assert_int_equal(parse_repeated(&url, "foo:/..//zz", "\x01z", 11 + 2 * 16382), UV_E2BIG);
    weft_url_free(&url);
}

TEST(a_link_and_its_base_may_be_too_long_together)
{
    struct weft_url base = {0}, url = {0};
    assert_int_equal(parse_repeated(&base, "http://x/", "a/", WEFT_URL_MAX - 1), 0);
    struct weft_text link = repeated("", "b", 100);
    assert_int_equal(weft_url_parse(&url, link, &base), UV_E2BIG);
    assert_int_equal(url.href.size, 0);
    assert_int_equal(weft_url_parse(&url, weft_text_of("/b"), &base), 0);
    assert_string_equal(url.href.data, "http://x/b");
    drop(link);
    weft_url_free(&base);
    weft_url_free(&url);
}

TEST(a_host_outside_ascii_is_limited)
{
    struct weft_url url = {0};
    assert_int_equal(parse_repeated(&url, "http://", "\xc3\xa9.", 7 + 300), 0);
    assert_int_equal(parse_repeated(&url, "http://", "\xc3\xa9", 7 + WEFT_URL_IDNA_MAX + 2),
                     UV_E2BIG);
    assert_int_equal(url.href.size, 0);
    /* Long before, short after: full-width letters. */
    assert_int_equal(parse_repeated(&url, "http://", "\xef\xbd\x81", 7 + 900), 0);
    assert_int_equal(parse_repeated(&url, "http://", "\xef\xbd\x81.", 7 + WEFT_URL_IDNA_MAX + 4),
                     UV_E2BIG);
    /* Short before, long after: one character that becomes four. */
    assert_int_equal(parse_repeated(&url, "http://", "\xe3\x8c\x80", 7 + 1800), UV_E2BIG);
    assert_int_equal(parse_repeated(&url, "http://", "\xe3\x8c\x80.", 7 + 1800), UV_E2BIG);
    assert_int_equal(parse_repeated(&url, "http://", "a", 7 + 10 * WEFT_URL_IDNA_MAX), 0);
    weft_url_free(&url);
}

/* Each of these would take minutes if any part of the parser was worse than linear. */
TEST(long_input_of_any_shape_takes_no_time)
{
    static const char *befores[] = {
        "http://x/", "http://", "http://x/?", "foo:", "file:///", "http://[", "a", "http://u:"};
    static const char *pieces[] = {"../", "a/../", "%2e%2e/", "@", ":",  "/",    "\\",
                                   "1.",  "0x1.",  "[",       " ", "\n", "\xff", "\xe2\x98",
                                   "%41", "C|/",   "..",      "#", "?",  "."};
    struct weft_url url = {0}, link = {0}, base = {0};
    assert_int_equal(parse_repeated(&base, "http://x/", "a/", 30000), 0);
    uint64_t begun = uv_hrtime();
    for (size_t i = 0; i < sizeof befores / sizeof *befores; i++) {
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            struct weft_text text = repeated(befores[i], pieces[k], WEFT_URL_MAX);
            weft_url_parse(&url, text, NULL);
            weft_url_parse(&link, weft_text(text.data, 30000), &base);
            drop(text);
        }
    }
    assert_true(uv_hrtime() - begun < UINT64_C(20000000000));
    weft_url_free(&url);
    weft_url_free(&link);
    weft_url_free(&base);
}

TEST(parsing_in_a_row_allocates_nothing)
{
    struct weft_url url = {0}, base = {0};
    weft_fault_install();
    assert_int_equal(parse_repeated(&url, "http://x/", "a", 500), 0);
    assert_int_equal(weft_url_parse(&base, weft_text_of("http://x/a/b"), NULL), 0);
    unsigned long before = weft_fault_allocations();
    for (int i = 0; i < 100; i++) {
        weft_url_parse(&url, weft_text_of("http://u:p@EXAMPLE.org:81/a/../b c?d#e"), NULL);
        weft_url_parse(&url, weft_text_of("../c\td"), &base);
        weft_url_parse(&url,
                       weft_text_of("http://b\xc3\xbc"
                                    "cher.example/"),
                       NULL);
        weft_url_parse(&url, weft_text_of("http://no no/"), NULL);
    }
    assert_int_equal(weft_fault_allocations(), before);
    weft_url_free(&url);
    weft_url_free(&base);
    fault_remove();
}

static void fine_or_no_memory(const struct weft_url *url, int err, const char *href)
{
    if (err == 0) {
        assert_true(weft_text_is(url->href, href));
        return;
    }
    assert_int_equal(err, UV_ENOMEM);
    assert_int_equal(url->href.size, 0);
}

static void parse_resolve_and_copy(unsigned long n)
{
    (void)n;
    struct weft_url base = {0}, url = {0}, copy = {0};
    static const char page[] = "http://\x01\x02\x03@\xc3\xbc/\x01\x01\x01\x01/\x01?\x01#\x01z";
    static const char whole[] = "http://%01%02%03@xn--tda/%01%01%01%01/%01?%01#%01z";
    fine_or_no_memory(&base, weft_url_parse(&base, weft_text_of(page), NULL), whole);
    fine_or_no_memory(&copy, weft_url_copy(&copy, &base), base.href.data ? base.href.data : "");
    int err = weft_url_parse(&url, weft_text_of("//x/a\nb"), &base);
    if (base.href.size > 0)
        fine_or_no_memory(&url, err, "http://x/ab");
    else
        assert_true(err == UV_EINVAL || err == UV_ENOMEM);
    weft_url_free(&base);
    weft_url_free(&url);
    weft_url_free(&copy);
}

TEST(running_out_of_memory_is_an_error_and_no_more)
{
    fault_ladder(parse_resolve_and_copy);
    assert_true(fault_ladder_height() >= 3);
}

/* The buffer has to grow in the middle of each part; and a long text with line ends needs a copy. */
static void grow_everywhere(unsigned long n)
{
    (void)n;
    static const struct {
        const char *before, *piece;
    } shapes[] = {{"http://x/", "\x01/"},  {"http://x/?", "\x01/"}, {"http://x/#", "\x01/"},
                  {"foo:", "\x01/"},       {"http://", "\x01@z"},   {"foo://", "\x01z"},
                  {"foo:/.//", "\x01/"},   {"file:///", "\x01/"},   {"blob:h", "\x01/"},
                  {"http://x/\n", "\x01/"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct weft_url url = {0};
        char origin[16];
        struct weft_text text = repeated(shapes[i].before, shapes[i].piece, 3000);
        int err = weft_url_parse(&url, text, NULL);
        assert_true(err == 0 || err == UV_ENOMEM);
        assert_true((err == 0) == (url.href.size > 0));
        if (err == 0)
            assert_true((err = weft_url_origin(&url, origin, sizeof origin, NULL)) == 0 ||
                        err == UV_ENOMEM);
        weft_url_free(&url);
        drop(text);
    }
}

TEST(running_out_of_memory_within_any_part_is_an_error_and_no_more)
{
    fault_ladder(grow_everywhere);
    assert_true(fault_ladder_height() >= 20);
}

TEST(a_failed_parse_keeps_the_memory_for_the_next)
{
    struct weft_url url = {0};
    weft_fault_install();
    assert_int_equal(weft_url_parse(&url, weft_text_of("http://x/"), NULL), 0);
    weft_fault_fail_at(1);
    assert_int_equal(parse_repeated(&url, "http://x/", "a", 5000), UV_ENOMEM);
    assert_true(weft_fault_hit());
    assert_int_equal(url.href.size, 0);
    weft_fault_fail_at(1);
    assert_int_equal(weft_url_parse(&url, weft_text_of("http://y/"), NULL), 0);
    assert_string_equal(url.href.data, "http://y/");
    weft_fault_fail_at(0);
    weft_url_free(&url);
    fault_remove();
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200 };

static void parse_many(void *wrong)
{
    struct weft_url url = {0};
    for (int i = 0; i < ROUNDS; i++) {
        int err = weft_url_parse(&url,
                                 weft_text_of("http://b\xc3\xbc"
                                              "cher.example/"),
                                 NULL);
        if (err != 0 || !weft_text_is(url.href, "http://xn--bcher-kva.example/"))
            *(bool *)wrong = true;
    }
    weft_url_free(&url);
}

TEST(threads_parse_hosts_outside_ascii_at_the_same_time)
{
    uv_thread_t threads[THREADS];
    bool wrong[THREADS] = {false};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(uv_thread_create(&threads[i], parse_many, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        uv_thread_join(&threads[i]);
        assert_false(wrong[i]);
    }
}
