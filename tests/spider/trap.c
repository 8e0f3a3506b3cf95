/* Traps: what can be seen in a URL, and what is counted.
 * ctest: shuffle=no */
#include "spider/trap.h"
#include "check.h"
#include "fault.h"
#include "scratch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <weft/alloc.h>

static struct weft_crawl state;
static struct trap trap;
static struct weft_url url;

static void up(struct trap_limits limits)
{
    char folder[SCRATCH_PATH];
    mkdir(scratch_path(folder, "trap"), 0777);
    state = (struct weft_crawl){0};
    assert_int_equal(weft_crawl_open(&state, folder, NULL), 0);
    trap = (struct trap){.limits = limits, .state = &state};
    assert_int_equal(trap_open(&trap), 0);
}

static void down(void)
{
    trap_close(&trap);
    trap_close(&trap);
    weft_url_free(&url);
    url = (struct weft_url){0};
    assert_int_equal(weft_crawl_close(&state), 0);
    scratch_empty();
}

static const struct weft_url *parsed(const char *text)
{
    assert_int_equal(weft_url_parse(&url, weft_text_of(text), NULL), 0);
    return &url;
}

/* Found at depth: followed and counted, or a trap. */
static enum trap_kind find_at(const char *text, unsigned depth)
{
    enum trap_kind kind = trap_ask(&trap, parsed(text), depth);
    if (kind == TRAP_NONE)
        trap_seen(&trap, url.href, depth, 1);
    return kind;
}

/* ---- what can be seen ----------------------------------------------------------------------- */

static enum trap_kind looks(struct trap_limits limits, const char *text)
{
    enum trap_kind kind = trap_of_url(&limits, parsed(text));
    weft_url_free(&url);
    url = (struct weft_url){0};
    return kind;
}

TEST(a_url_has_so_many_bytes_at_most)
{
    struct trap_limits limits = {.url = 20};
    assert_int_equal(looks(limits, "http://a/34567890123"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/345678901234"), TRAP_LONG);
    limits.url = 0;
    assert_int_equal(looks(limits, "http://a/345678901234"), TRAP_NONE);
}

TEST(a_part_of_a_path_comes_only_so_often)
{
    struct trap_limits limits = {.repeats = 3};
    assert_int_equal(looks(limits, "http://a/x/x/x"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/x/x/x/x"), TRAP_REPEATS);
    assert_int_equal(looks(limits, "http://a/x/y/x/y/x/y/"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/x/y/x/y/x/y/x"), TRAP_REPEATS);
    assert_int_equal(looks(limits, "http://a/x/xx/xxx/xxxx/xxxxx"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/x////y"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/x/////y"), TRAP_REPEATS);
    assert_int_equal(looks(limits, "http://a/?/x/x/x/x/x/x"), TRAP_NONE); /* that is no path */
    limits.repeats = 0;
    assert_int_equal(looks(limits, "http://a/x/x/x/x/x/x"), TRAP_NONE);
}

TEST(a_path_of_very_many_parts_is_a_trap_by_itself)
{
    char text[1024] = "http://a";
    struct trap_limits limits = {.repeats = 3};
    for (unsigned i = 0; i < TRAP_PARTS; i++)
        snprintf(text + strlen(text), 16, "/p%u", i);
    assert_int_equal(looks(limits, text), TRAP_NONE);
    strcat(text, "/one-more");
    assert_int_equal(looks(limits, text), TRAP_REPEATS);
}

TEST(a_query_has_so_many_parameters_at_most)
{
    struct trap_limits limits = {.params = 2};
    assert_int_equal(looks(limits, "http://a/"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/?"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/?a=1&b=2"), TRAP_NONE);
    assert_int_equal(looks(limits, "http://a/?a=1&b=2&c"), TRAP_PARAMS);
    assert_int_equal(looks(limits, "http://a/?a;b;c"), TRAP_PARAMS);
    limits.params = 0;
    assert_int_equal(looks(limits, "http://a/?a&b&c&d"), TRAP_NONE);
}

/* ---- what is counted ------------------------------------------------------------------------ */

TEST(urls_that_differ_in_numbers_only_are_alike)
{
    up((struct trap_limits){.like = 3});
    assert_int_equal(find_at("http://a/cal/2031/05?d=1", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/cal/2031/06?d=22", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/cal/1/1?d=0", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/cal/2031/07?d=1", 1), TRAP_LIKE);
    assert_int_equal(find_at("http://a/cal/2031/x?d=1", 1), TRAP_NONE);  /* a word is none, */
    assert_int_equal(find_at("http://a/cal/2031/07?e=1", 1), TRAP_NONE); /* nor another name, */
    assert_int_equal(find_at("http://b/cal/2031/07?d=1", 1), TRAP_NONE); /* nor another host, */
    assert_int_equal(find_at("http://a:81/cal/2031/07?d=1", 1), TRAP_NONE);
    down();
}

TEST(a_long_word_with_a_digit_is_a_number)
{
    up((struct trap_limits){.like = 1});
    assert_int_equal(find_at("http://a/?sid=9f86d081884c7d659a2feaa0c55ad015", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/?sid=60303ae22b998861bce3b28f33eec1be", 1), TRAP_LIKE);
    assert_int_equal(find_at("http://a/v2a", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/v2b", 1), TRAP_NONE); /* a short one is what it says */
    assert_int_equal(find_at("http://a/internationalisation", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/internationalization", 1), TRAP_NONE);
    down();
}

TEST(a_chain_of_them_has_an_end)
{
    char text[64];
    up((struct trap_limits){.chain = 10});
    for (unsigned depth = 5; depth <= 15; depth++) {
        snprintf(text, sizeof text, "http://a/cal?month=%u", depth);
        assert_int_equal(find_at(text, depth), TRAP_NONE);
    }
    assert_int_equal(find_at("http://a/cal?month=16", 16), TRAP_CHAIN);
    assert_int_equal(find_at("http://a/cal?month=17", 15), TRAP_NONE); /* wide is not deep */
    trap_seen(&trap, parsed("http://a/cal?month=8")->href, 2, 0); /* the nearest is nearer now */
    assert_int_equal(find_at("http://a/cal?month=18", 13), TRAP_CHAIN);
    down();
}

TEST(how_far_away_one_may_be_follows_from_the_nearest_that_is_like_it)
{
    struct weft_text next = weft_text_of("http://a.example/month/9");
    up((struct trap_limits){.chain = 10});
    assert_true(trap_farthest(&trap, next) == UINT64_MAX);
    assert_int_equal(find_at("http://a.example/month/1", 5), TRAP_NONE);
    assert_int_equal(trap_farthest(&trap, next), 15);
    assert_int_equal(find_at("http://a.example/month/2", 3), TRAP_NONE);
    assert_int_equal(trap_farthest(&trap, next), 13);
    trap.limits.chain = 0;
    assert_true(trap_farthest(&trap, next) == UINT64_MAX);
    down();
}

TEST(urls_of_a_host_have_its_number)
{
    up((struct trap_limits){0});
    uint64_t host = trap_host(&trap, weft_text_of("http://a.example/"));
    assert_true(trap_host(&trap, weft_text_of("http://a.example/b?c")) == host);
    assert_true(trap_host(&trap, weft_text_of("http://b.example/")) != host);
    assert_true(trap_host(&trap, weft_text_of("http://a.example:81/")) != host);
    down();
}

TEST(a_host_has_so_many_urls_at_most)
{
    up((struct trap_limits){.per_host = 2});
    assert_int_equal(find_at("http://a/x", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/y", 1), TRAP_NONE);
    assert_int_equal(find_at("http://a/z", 1), TRAP_HOST);
    assert_int_equal(find_at("http://b/z", 1), TRAP_NONE);
    down();
}

TEST(so_many_pages_of_a_host_may_be_the_same)
{
    const uint64_t one[2] = {1, 2}, other[2] = {1, 3};
    struct weft_text a = weft_text_of("http://a/x"), b = weft_text_of("http://b/x");
    up((struct trap_limits){.same = 2});
    assert_false(trap_body(&trap, a, one));
    assert_false(trap_body(&trap, a, one));
    assert_false(trap_body(&trap, a, other));
    assert_false(trap_body(&trap, b, one));
    assert_true(trap_body(&trap, a, one));
    trap.limits.same = 0;
    assert_false(trap_body(&trap, a, one));
    down();
}

TEST(what_is_left_out_is_counted_and_told_once_for_each_pattern)
{
    up((struct trap_limits){.like = 1, .url = 100});
    assert_int_equal(find_at("http://a/1", 1), TRAP_NONE);
    assert_true(trap_leave_out(&trap, parsed("http://a/2"), TRAP_LIKE));
    assert_false(trap_leave_out(&trap, parsed("http://a/3"), TRAP_LIKE));
    assert_int_equal(find_at("http://a/x1", 1), TRAP_NONE);
    assert_true(trap_leave_out(&trap, parsed("http://a/x2"), TRAP_LIKE));
    assert_false(trap_leave_out(&trap, parsed("http://a/long"), TRAP_LONG)); /* it has none */
    assert_int_equal(trap.left_out[TRAP_LIKE], 3);
    assert_int_equal(trap.left_out[TRAP_LONG], 1);
    for (enum trap_kind kind = TRAP_LONG; kind < TRAP_KINDS; kind++) {
        assert_true(strlen(trap_reason(kind)) > 0);
        assert_memory_equal(trap_option(kind), "--max-", 6);
    }
    down();
}

/* ---- the table ------------------------------------------------------------------------------ */

TEST(what_comes_often_is_remembered_among_very_many_that_come_once)
{
    char text[64];
    up((struct trap_limits){.like = 100});
    enum trap_kind kind = TRAP_NONE;
    unsigned found = 0;
    for (unsigned i = 0; i < 400000; i++) { /* six times as many as there are places */
        char word[8];
        for (unsigned j = 0, rest = i; j < 7; j++, rest /= 26)
            word[j] = (char)('a' + rest % 26);
        word[7] = '\0';
        snprintf(text, sizeof text, "http://a/%s", word);
        assert_int_equal(find_at(text, 1), TRAP_NONE);
        if (i % 100 == 0) {
            snprintf(text, sizeof text, "http://a/cal/%u", i);
            kind = find_at(text, 1);
            found += kind == TRAP_NONE;
        }
    }
    assert_int_equal(kind, TRAP_LIKE);
    assert_in_range(found, 100, 200); /* one or two may be forgotten while they are few */
    down();
}

/* Others that come once, so many. */
static void find_others(unsigned count)
{
    char text[64];
    for (unsigned i = 0; i < count; i++) {
        snprintf(text, sizeof text, "http://a/%c%c%c%c/", 'a' + i / 17576 % 26, 'a' + i / 676 % 26,
                 'a' + i / 26 % 26, 'a' + i % 26);
        assert_int_equal(find_at(text, 1), TRAP_NONE);
    }
}

TEST(counts_stay_while_the_table_grows)
{
    up((struct trap_limits){.like = 3});
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(find_at(i == 0   ? "http://a/1"
                                 : i == 1 ? "http://a/2"
                                          : "http://a/3",
                                 1),
                         TRAP_NONE);
    find_others(20000);
    assert_int_equal(trap.buckets, TRAP_BUCKETS_MAX);
    assert_int_equal(find_at("http://a/4", 1), TRAP_LIKE);
    down();
}

TEST(without_memory_it_grows_later)
{
    weft_fault_install();
    up((struct trap_limits){.like = 3});
    find_others(1); /* the URL has its room now */
    weft_fault_fail_at(1);
    find_others(2000);
    assert_true(weft_fault_hit());
    assert_true(trap.buckets > TRAP_BUCKETS);
    down();
    assert_int_equal(weft_fault_live(), 0);
    fault_remove();
}

TEST(without_memory_it_is_not_opened)
{
    struct trap none = {0};
    weft_fault_install();
    weft_fault_fail_at(1);
    assert_int_equal(trap_open(&none), UV_ENOMEM);
    weft_fault_fail_at(0);
    trap_close(&none);
    assert_int_equal(weft_fault_live(), 0);
    fault_remove();
}
