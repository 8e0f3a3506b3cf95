/* Old answers: served while they are refreshed, and in place of errors.
 * ctest: labels=valgrind-long */
#include "cache_kit.h"

/* ---- stale ---------------------------------------------------------------------------------- */

static void up_stale(void)
{
    up();
    cache.ttl_ms = 100;
    cache.stale_ms = 50;
    open_cache();
    have("a");
}

TEST(a_stale_answer_is_served_and_refreshed_behind)
{
    up_stale();
    pass(100);
    ask(0, "a");
    ask(1, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    assert_got(&askers[1], WEFT_CACHE_STALE, "a#1");
    assert_int_equal(load_count, 2); /* one refresh, however many ask */
    pass(5);
    ask(0, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_HIT, "a#2");
    assert_int_equal(cache.stats.stale, 2);
    assert_int_equal(cache.stats.refreshes, 1);
    assert_int_equal(cache.stats.loads, 2);
    assert_int_equal(cache.stats.misses, 1);
    assert_int_equal(cache.stats.replaced, 1);
    down();
}

TEST(a_refresh_goes_on_when_who_asked_is_cancelled)
{
    up_stale();
    pass(100);
    struct asker *asker = ask(0, "a");
    weft_cancel(&asker->get.await.op, UV_EINTR);
    pass(5);
    assert_true(has("a", "a#2"));
    down();
}

TEST(a_refresh_that_fails_leaves_the_old_answer_and_is_tried_again)
{
    up_stale();
    cache.error_ttl_ms = 1000; /* an error never takes the place of an answer */
    pass(100);
    next_job.status = UV_EIO;
    ask(0, "a");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    next_job.status = 0;
    ask(0, "a");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    assert_true(has("a", "a#3"));
    assert_int_equal(cache.stats.errors, 1);
    assert_int_equal(cache.stats.rescued, 0);
    down();
}

TEST(a_refresh_that_hangs_makes_nobody_get_what_is_too_old)
{
    up_stale();
    pass(100);
    next_job.ms = BY_HAND;
    ask(0, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    pass(50); /* ttl + stale */
    ask(0, "a");
    ask(1, "a");
    pass(1000);
    assert_int_equal(askers[0].told, 0); /* they wait for the refresh */
    assert_int_equal(load_count, 2);
    weft_finish(&latest->job.op, 0);
    settle();
    assert_got(&askers[0], WEFT_CACHE_JOINED, "a#2");
    assert_got(&askers[1], WEFT_CACHE_JOINED, "a#2");
    assert_int_equal(cache.stats.joined, 2);
    down();
}

TEST(a_stale_answer_is_served_also_if_no_refresh_can_be_begun)
{
    up();
    cache.ttl_ms = 100;
    cache.stale_ms = 50;
    cache.loads_limit = 1;
    open_cache();
    have("a");
    pass(100);
    next_job.ms = 20;
    ask(1, "b");
    ask(0, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    assert_int_equal(cache.stats.refreshes, 0);
    assert_int_equal(cache.stats.stale, 1);
    down();
}

TEST(a_hit_shortly_before_the_end_refreshes_ahead)
{
    up();
    cache.ttl_ms = 100;
    cache.ahead_ms = 20;
    open_cache();
    have("a");
    pass(79);
    ask(0, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_HIT, "a#1");
    assert_int_equal(load_count, 1);
    pass(1);
    ask(0, "a");
    ask(1, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_HIT, "a#1");
    assert_got(&askers[1], WEFT_CACHE_HIT, "a#1");
    assert_int_equal(load_count, 2);
    pass(25); /* the first one would be gone */
    ask(0, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_HIT, "a#2");
    assert_int_equal(cache.stats.refreshes, 1);
    assert_int_equal(cache.stats.hits, 4);
    down();
}

TEST(a_forgotten_refresh_is_not_stored)
{
    up_stale();
    pass(100);
    ask(0, "a");
    settle();
    assert_int_equal(weft_cache_forget(&cache, key("a")), 1);
    pass(5);
    assert_true(has_not("a"));
    down();
}

/* ---- stale if error ------------------------------------------------------------------------- */

static void up_if_error(void)
{
    up();
    cache.ttl_ms = 100;
    cache.stale_if_error_ms = 50;
    open_cache();
    have("a");
    pass(100);
}

TEST(an_old_answer_stands_for_a_load_that_fails)
{
    up_if_error();
    next_job.status = UV_EIO;
    ask(0, "a");
    ask(1, "a");
    settle();
    assert_int_equal(askers[0].told, 0); /* first it is tried */
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    assert_got(&askers[1], WEFT_CACHE_STALE, "a#1");
    assert_int_equal(cache.stats.errors, 1);
    assert_int_equal(cache.stats.rescued, 1);
    assert_int_equal(cache.stats.misses, 2);
    assert_int_equal(cache.stats.joined, 1);
    next_job.status = 0;
    ask(0, "a");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#3");
    down();
}

TEST(an_old_answer_stands_for_a_load_that_takes_too_long)
{
    up();
    cache.ttl_ms = 100;
    cache.stale_if_error_ms = 50;
    cache.load_ms = 20;
    cache.error_ttl_ms = 1000;
    open_cache();
    have("a");
    pass(100);
    next_job.ms = BY_HAND;
    ask(0, "a");
    pass(20);
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    down();
}

TEST(an_answer_that_is_too_old_when_the_load_fails_stands_for_nothing)
{
    up_if_error();
    next_job.status = UV_EIO;
    next_job.ms = 50;
    ask(0, "a");
    pass(50);
    assert_failed(&askers[0], UV_EIO);
    assert_int_equal(cache.entries, 0);
    assert_int_equal(cache.stats.expired, 1);
    assert_int_equal(cache.stats.rescued, 0);
    down();
}

TEST(an_old_answer_stands_for_a_load_that_cannot_be_begun)
{
    up_if_error();
    weft_cancel(&owner, UV_EINTR);
    ask(0, "a");
    settle();
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#1");
    assert_int_equal(cache.stats.stale, 1);
    assert_int_equal(cache.stats.failed, 0);
    down();
}

TEST(a_forgotten_answer_stands_for_nothing)
{
    up_if_error();
    next_job.status = UV_EIO;
    ask(0, "a");
    weft_cache_forget(&cache, key("a"));
    pass(5);
    assert_failed(&askers[0], UV_EIO);
    down();
}
