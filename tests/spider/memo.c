/* Links that were followed before: recognised only if nothing about them is different.
 * ctest: shuffle=no */
#include "spider/memo.h"
#include "check.h"
#include "fault.h"
#include "scratch.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct weft_crawl crawl;
static struct memo memo;

static void up(void)
{
    char folder[SCRATCH_PATH];
    mkdir(scratch_path(folder, "memo"), 0777);
    crawl = (struct weft_crawl){0};
    memo = (struct memo){0};
    assert_int_equal(weft_crawl_open(&crawl, folder, NULL), 0);
}

static void down(void)
{
    memo_free(&memo);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    scratch_empty();
}

static struct memo_key key_of(const char *base)
{
    struct weft_url url = {0};
    struct memo_key key = {0};
    assert_int_equal(weft_url_parse(&url, weft_text_of(base), NULL), 0);
    memo_key_begin(&key, &crawl, &url);
    weft_url_free(&url);
    return key;
}

static struct memo_way way_of(const char *link)
{
    struct weft_text text = weft_text_of(link);
    return (struct memo_way){.link = text, .hash = memo_hash(text)};
}

/* Follows the link: was it known? */
static bool follow(const char *base, const char *link, bool requisite, unsigned depth,
                   unsigned round)
{
    struct memo_key key = key_of(base);
    struct memo_way way = way_of(link);
    way.requisite = requisite;
    way.depth = depth;
    way.round = round;
    if (memo_has(&memo, &key, &way))
        return true;
    memo_keep(&memo, &key, &way);
    return false;
}

TEST(a_link_is_known_the_second_time)
{
    up();
    assert_false(follow("http://a/x/1", "2.html", false, 3, 0));
    assert_true(follow("http://a/x/1", "2.html", false, 3, 0));
    assert_true(follow("http://a/x/other?q#f", "2.html", false, 3, 0)); /* from the same folder */
    down();
}

TEST(a_link_that_is_known_says_where_it_leads_to)
{
    up();
    struct memo_key key = key_of("http://a/x/1");
    struct memo_way way = way_of("2.html");
    way.to = 7;
    assert_false(memo_has(&memo, &key, &way));
    assert_int_equal(way.to, 7);
    memo_keep(&memo, &key, &way);
    way.to = 0;
    assert_true(memo_has(&memo, &key, &way));
    assert_int_equal(way.to, 7);
    down();
}

TEST(a_link_is_not_known_if_anything_else_is_different)
{
    up();
    assert_false(follow("http://a/x/1", "2.html", false, 3, 0));
    assert_false(follow("http://a/y/1", "2.html", false, 3, 0));  /* another folder */
    assert_false(follow("http://b/x/1", "2.html", false, 3, 0));  /* another host */
    assert_false(follow("https://a/x/1", "2.html", false, 3, 0)); /* another scheme */
    assert_false(follow("http://a/x/1", "3.html", false, 3, 0));
    assert_false(follow("http://a/x/1", "2.html", true, 3, 0));  /* of another kind */
    assert_false(follow("http://a/x/1", "2.html", false, 2, 0)); /* nearer */
    assert_true(follow("http://a/x/1", "2.html", false, 3, 0));  /* the nearer one counts */
    assert_false(follow("http://a/x/1", "2.html", false, 3, 1)); /* the scope has grown */
    assert_false(follow("http://a/", "x/2.html", false, 3, 0));  /* the same place, but */
    assert_false(follow("http://a/x", "2.html", false, 3, 0));   /* "x" is no folder here */
    down();
}

TEST(a_link_that_depends_on_the_whole_page_is_never_known)
{
    up();
    for (int i = 0; i < 2; i++) {
        assert_false(follow("http://a/x/1", "?page=2", false, 3, 0));
        assert_false(follow("http://a/x/1", "#part", false, 3, 0));
        assert_false(follow("http://a/x/1", "", false, 3, 0));
    }
    assert_null(memo.links);
    down();
}

TEST(a_link_that_is_too_long_or_too_deep_is_not_kept)
{
    up();
    char link[MEMO_TEXT + 2];
    memset(link, 'x', sizeof link);
    link[MEMO_TEXT] = '\0';
    assert_false(follow("http://a/", link, false, 1, 0));
    assert_true(follow("http://a/", link, false, 1, 0));
    link[MEMO_TEXT] = 'x';
    link[MEMO_TEXT + 1] = '\0';
    for (int i = 0; i < 2; i++) {
        assert_false(follow("http://a/", link, false, 1, 0));
        assert_false(follow("http://a/", "deep", false, 65535, 0));
    }
    down();
}

static bool becomes(struct memo_key *key, const char *link, const char *swap)
{
    struct memo_way way = way_of(link);
    memo_find(&memo, key, &way);
    return way.place != NULL && way.place->decided &&
           weft_text_is(memo_swap(&memo, way.place), swap);
}

static bool decide(struct memo_key *key, const char *link, const char *swap)
{
    struct memo_way way = way_of(link);
    memo_find(&memo, key, &way);
    return memo_decide(&memo, key, &way, weft_text_of(swap));
}

TEST(what_a_link_becomes_is_kept_beside_where_it_leads_to)
{
    up();
    struct memo_key key = key_of("http://a/x/1"), other = key;
    memo_key_add(&other, 5); /* in another file */
    assert_false(follow("http://a/x/1", "/x/2.html", false, 3, 0));
    assert_false(becomes(&key, "/x/2.html", "2.html"));
    assert_true(decide(&key, "/x/2.html", "2.html"));
    assert_true(decide(&key, "3.html", "3.html"));
    assert_true(becomes(&key, "/x/2.html", "2.html"));
    assert_true(becomes(&key, "3.html", "3.html"));
    assert_false(becomes(&other, "3.html", "3.html"));
    assert_true(follow("http://a/x/1", "/x/2.html", false, 3, 0));
    assert_false(follow("http://a/x/1", "3.html", false, 3, 0)); /* that was not followed */
    assert_true(becomes(&key, "3.html", "3.html"));
    down();
}

TEST(what_a_link_becomes_moves_with_it_or_is_not_kept)
{
    up();
    struct memo_key key = key_of("http://a/x/1");
    char link[32], swap[MEMO_SWAP + 2];
    unsigned kept = 0;
    for (unsigned i = 0; i < MEMO_LINKS; i++) {
        snprintf(link, sizeof link, "%u", i);
        snprintf(swap, sizeof swap, "../%u.html", i);
        assert_true(decide(&key, link, swap));
    }
    for (unsigned i = 0; i < MEMO_LINKS; i++) {
        snprintf(link, sizeof link, "%u", i);
        snprintf(swap, sizeof swap, "../%u.html", i);
        struct memo_way way = way_of(link);
        memo_find(&memo, &key, &way);
        assert_true(way.place == NULL || becomes(&key, link, swap));
        kept += way.place != NULL;
    }
    assert_in_range(kept, MEMO_LINKS / 2, MEMO_LINKS);
    memset(swap, 'x', sizeof swap - 1);
    swap[sizeof swap - 1] = '\0';
    assert_false(
        decide(&key, link, swap)); /* too long: what was decided before does not count either */
    assert_false(becomes(&key, link, "../32767.html"));
    down();
}

/* It grows when it is half full. */
static void fill(struct memo_key *key, unsigned from, unsigned to)
{
    char link[32];
    for (unsigned i = from; i < to; i++) {
        snprintf(link, sizeof link, "%u", i);
        assert_true(decide(key, link, i % 2 == 0 ? link : "short"));
    }
}

/* Of those that are kept: a fifth one in four places pushes the oldest out, before it grows and after. */
TEST(a_table_that_grows_keeps_its_links_and_forgets_only_what_long_ones_become)
{
    up();
    static const char swap[] = "../../../a/place/that/is/even/farther/away.html";
    struct memo_key key = key_of("http://a/x/1");
    unsigned count = 0, kept = 0;
    fill(&key, count++, 1);
    size_t room = memo.room;
    for (; memo.taken < room / 2; count++)
        fill(&key, count, count + 1);
    assert_int_equal(memo.room, room);
    assert_true(decide(&key, "long", swap)); /* it is full now: this one makes it grow */
    assert_int_equal(memo.room, 2 * room);
    assert_in_range(memo.taken, room / 2 - 1, count + 1);
    assert_true(becomes(&key, "long", swap));
    for (unsigned i = 0; i < count; i++) {
        char link[32];
        snprintf(link, sizeof link, "%u", i);
        struct memo_way way = way_of(link);
        memo_find(&memo, &key, &way);
        assert_true(way.place == NULL || becomes(&key, link, i % 2 == 0 ? link : "short"));
        kept += way.place != NULL;
    }
    assert_in_range(kept, count * 3 / 4, count);
    down();
}

TEST(what_long_links_become_is_forgotten_when_the_table_grows)
{
    up();
    static const char swap[] = "../../../a/place/that/is/even/farther/away.html";
    struct memo_key key = key_of("http://a/x/1");
    char link[32];
    unsigned kept = 0;
    for (unsigned i = 0; i == 0 || memo.room < MEMO_LINKS; i++) {
        snprintf(link, sizeof link, "%u", i);
        assert_true(decide(&key, link, swap));
    }
    assert_true(becomes(&key, link, swap));
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(link, sizeof link, "%u", i);
        struct memo_way way = way_of(link);
        memo_find(&memo, &key, &way);
        assert_false(way.place != NULL && way.place->decided);
        kept += way.place != NULL;
    }
    assert_in_range(kept, 500, 1000);
    down();
}

TEST(a_table_that_cannot_grow_goes_on_as_it_is)
{
    weft_fault_install();
    up();
    struct memo_key key = key_of("http://a/x/1");
    fill(&key, 0, 1);
    size_t room = memo.room;
    for (unsigned i = 1; i < room; i++) {
        weft_fault_fail_at(1);
        fill(&key, i, i + 1);
    }
    assert_true(weft_fault_hit());
    weft_fault_fail_at(0);
    assert_int_equal(memo.room, room);
    down();
    fault_remove();
}

TEST(what_is_forgotten_is_only_done_again)
{
    up();
    char link[32];
    unsigned known = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 2 * MEMO_LINKS; i++) {
            snprintf(link, sizeof link, "%u.html", i);
            known += follow("http://a/", link, false, 1, 0);
        }
    }
    assert_in_range(known, 1, 2 * MEMO_LINKS - 1);
    down();
}

TEST(without_memory_nothing_is_kept_and_nothing_breaks)
{
    weft_fault_install();
    up();
    weft_fault_fail_at(1);
    struct memo_key key = {.folder = 1};
    struct memo_way way = way_of("a");
    memo_keep(&memo, &key, &way);
    assert_true(weft_fault_hit());
    assert_false(memo_has(&memo, &key, &way));
    weft_fault_fail_at(1);
    assert_false(memo_decide(&memo, &key, &way, weft_text_of("b")));
    weft_fault_fail_at(0);
    down();
    fault_remove();
}
