/* A shared cache with a real server: who loads, who finds, who is told to forget.
 * ctest: labels=valgrind-long */
#include "shared_kit.h"
#include <weft/context.h>

TEST(what_one_has_loaded_the_other_finds)
{
    scene_up();
    assert_string_equal(get(&s.one, "a"), "one 1");
    stored(&s.one, 1);
    assert_string_equal(get(&s.other, "a"), "one 1");
    assert_int_equal(s.other.loads, 0);
    assert_int_equal(s.one.shared.stats.remote_misses, 1);
    assert_int_equal(s.one.shared.stats.leases, 1);
    assert_int_equal(s.other.shared.stats.remote_hits, 1);
    assert_string_equal(get(&s.other, "a"), "one 1"); /* from here */
    assert_int_equal(s.other.shared.stats.remote_hits, 1);
    assert_int_equal(s.other.shared.cache.stats.hits, 1);
    assert_int_equal(s.one.shared.stats.remote_errors + s.other.shared.stats.remote_errors, 0);
    scene_down();
}

TEST(both_ask_at_once_and_one_loads)
{
    scene_prepare();
    s.one.load_takes_ms = s.other.load_takes_ms = 40;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    request_begin(&s.other, &s.more[1], "a");
    request_begin(&s.one, &s.more[2], "a");
    request_begin(&s.other, &s.more[3], "b");
    request_end(&s.more[0]);
    assert_string_equal(request_end(&s.more[1]), s.more[0].value);
    assert_string_equal(request_end(&s.more[2]), s.more[0].value);
    request_end(&s.more[3]);
    assert_int_equal(s.one.loads + s.other.loads, 2);
    assert_int_equal(s.one.shared.stats.waits + s.other.shared.stats.waits, 1);
    scene_down();
}

/* ---- context -------------------------------------------------------------------------------- */

static struct weft_key who_asks = {.name = "who asks"};
static const char *told_to_load;

static void note_who_asks(struct weft_op *op)
{
    told_to_load = weft_context_get(op, &who_asks);
    job_begin(op);
}

/* Redis is asked first, and gives the lease. */
TEST(a_load_has_the_context_of_who_asks_through_redis)
{
    struct weft_op asker = {0};
    scene_prepare();
    s.one.shared.load = note_who_asks;
    scene_start();
    weft_run(weft_root(&s.w.loop), &asker, NULL, weft_ignore);
    assert_int_equal(weft_context_set(&asker, &who_asks, (void *)"somebody"), 0);
    weft_shared_get(&asker, &s.request.get, &s.one.shared, weft_text_of("a"), request_told);
    assert_string_equal(request_end(&s.request), "one 1");
    assert_string_equal(told_to_load, "somebody");
    assert_int_equal(s.one.shared.stats.leases, 1);
    weft_finish(&asker, 0);
    scene_down();
}

TEST(an_empty_value_is_a_value)
{
    scene_up();
    redis_server_say(&s.server, "SET test:g 0123456789abcdef");
    redis_server_say(&s.server, "SET test:v:empty W10123456789abcdefffffffffffffff");
    assert_string_equal(get(&s.other, "empty"), "");
    assert_int_equal(s.other.loads, 0);
    assert_int_equal(s.other.shared.stats.remote_hits, 1);
    scene_down();
}

TEST(what_the_load_says_of_its_time_holds_there_and_here)
{
    scene_prepare();
    s.one.ttl_ms = 250;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    int left = atoi(redis_server_say(&s.server, "PTTL test:v:a") + 1);
    assert_in_range(left, 1, 250);
    assert_string_equal(get(&s.other, "a"), "one 1");
    run_for(&s.w, 300);
    assert_string_equal(get(&s.other, "a"), "other 1"); /* not for another minute from then */
    scene_down();
}

TEST(what_is_kept_for_ever_is_kept_for_ever_there_and_here)
{
    scene_prepare();
    s.one.ttl_ms = WEFT_CACHE_FOREVER;
    s.other.shared.cache.ttl_ms = 20;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    assert_int_equal(atoi(redis_server_say(&s.server, "PTTL test:v:a") + 1), -1);
    assert_string_equal(get(&s.other, "a"), "one 1");
    run_for(&s.w, 40);
    assert_string_equal(get(&s.other, "a"), "one 1");
    assert_int_equal(s.other.shared.cache.stats.hits, 1);
    scene_down();
}

/* The one keeps it for a minute, the other does not keep anything for so long. */
TEST(what_is_too_old_for_one_is_loaded_again)
{
    scene_prepare();
    s.other.shared.cache.ttl_ms = 40;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    run_for(&s.w, 50);
    assert_string_equal(get(&s.other, "a"), "other 1");
    stored(&s.other, 1);
    assert_in_range(atoi(redis_server_say(&s.server, "PTTL test:v:a") + 1), 0, 40);
    scene_down();
}

TEST(what_one_keeps_for_long_the_other_keeps_as_long_as_it_would_its_own)
{
    scene_prepare();
    s.other.shared.cache.ttl_ms = 500;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    assert_string_equal(get(&s.other, "a"), "one 1");
    run_for(&s.w, 510);
    assert_string_equal(get(&s.other, "a"), "other 1");
    scene_down();
}

TEST(what_one_keeps_for_ever_is_too_old_for_one_who_does_not)
{
    scene_prepare();
    s.one.shared.cache.ttl_ms = WEFT_CACHE_FOREVER;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    assert_int_equal(atoi(redis_server_say(&s.server, "PTTL test:v:a") + 1), -1);
    assert_string_equal(get(&s.other, "a"), "other 1");
    scene_down();
}

TEST(a_time_that_redis_cannot_count_is_for_ever)
{
    scene_prepare();
    s.one.ttl_ms = (uint64_t)INT64_MAX;
    s.one.shared.lease_ms = UINT64_MAX / 2 + 1;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    assert_string_equal(get(&s.other, "a"), "one 1");
    scene_down();
}

TEST(what_is_forgotten_is_forgotten_by_both)
{
    scene_up();
    get(&s.one, "a");
    get(&s.one, "b");
    stored(&s.one, 2);
    get(&s.other, "a");
    get(&s.other, "b");
    assert_int_equal(forget(&s.one, "a"), 0);
    until(&s.w, s.other.shared.stats.forgets == 1);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_string_equal(get(&s.other, "b"), "one 2");
    assert_int_equal(s.one.shared.stats.forgets, 0); /* its own word is no news */
    stored(&s.other, 1);
    assert_string_equal(get(&s.one, "a"), "other 1");
    assert_int_equal(s.one.shared.stats.flushes, 1); /* when the channel was there, and no more */
    scene_down();
}

TEST(all_is_forgotten_by_both)
{
    scene_up();
    get(&s.one, "a");
    get(&s.one, "b");
    stored(&s.one, 2);
    get(&s.other, "a");
    weft_shared_forget_all(weft_root(&s.w.loop), &s.forget, &s.one.shared, weft_ignore);
    until(&s.w, is_over(&s.forget.op));
    assert_int_equal(s.forget.op.status, 0);
    until(&s.w, s.other.shared.stats.forgets == 1);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_string_equal(get(&s.other, "b"), "other 2"); /* not the one that is left in Redis */
    scene_down();
}

/* As many begins as one stack holds: the last of them forgets. */
static struct weft_op deep[32];

static void forget_deep_down(struct weft_op *op)
{
    if (op < &deep[31])
        weft_run(op, op + 1, forget_deep_down, weft_pass);
    else
        weft_shared_forget(op, &s.forget, &s.one.shared, weft_text_of("a"), weft_pass);
}

TEST(no_get_overtakes_a_forget_from_deep_down)
{
    scene_up();
    get(&s.one, "a");
    stored(&s.one, 1);
    memset(deep, 0, sizeof deep);
    weft_run(weft_root(&s.w.loop), &deep[0], forget_deep_down, weft_ignore);
    assert_int_equal(s.one.shared.cache.entries, 0);
    request_begin(&s.one, &s.more[0], "a");
    assert_string_equal(request_end(&s.more[0]), "one 2");
    until(&s.w, is_over(&deep[0]));
    assert_int_equal(s.forget.op.status, 0);
    scene_down();
}

/* While one loads, somebody forgets. */
static void forgotten_during_a_load(struct side *by, bool all)
{
    scene_prepare();
    s.one.load_takes_ms = 60;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.loads == 1);
    if (all)
        weft_shared_forget_all(weft_root(&s.w.loop), &s.forget, &by->shared, weft_ignore);
    else
        weft_shared_forget(weft_root(&s.w.loop), &s.forget, &by->shared, weft_text_of("a"),
                           weft_ignore);
    assert_string_equal(request_end(&s.more[0]), "one 1"); /* who waited gets it */
    until(&s.w, s.one.shared.stats.refused_sets == 1);
    assert_non_null(strstr(redis_server_say(&s.server, "GET test:v:a"), "$-1"));
    assert_int_equal(s.one.shared.stats.sets, 0);
    assert_string_equal(get(&s.one, "a"), "one 2"); /* nobody keeps it */
    scene_down();
}

TEST(what_is_forgotten_during_its_load_is_not_stored)
{
    forgotten_during_a_load(&s.one, false);
    forgotten_during_a_load(&s.one, true);
}

TEST(what_the_other_forgets_during_a_load_is_not_stored)
{
    forgotten_during_a_load(&s.other, false);
    forgotten_during_a_load(&s.other, true);
}

TEST(a_load_that_is_begun_after_a_forget_is_stored)
{
    scene_prepare();
    s.one.load_takes_ms = s.other.load_takes_ms = 60;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.loads == 1);
    assert_int_equal(forget(&s.other, "a"), 0);
    request_begin(&s.other, &s.more[1], "a");
    assert_string_equal(request_end(&s.more[1]), "other 1");
    stored(&s.other, 1);
    until(&s.w, s.one.shared.stats.refused_sets == 1);
    assert_string_equal(get(&s.one, "a"), "other 1");
    scene_down();
}

TEST(who_asks_after_a_forget_does_not_join_the_load_before_it)
{
    scene_prepare();
    s.one.load_takes_ms = 60;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.loads == 1);
    assert_int_equal(forget(&s.one, "a"), 0);
    request_begin(&s.one, &s.more[1], "a");
    until(&s.w, s.one.loads == 2);
    assert_false(is_over(&s.more[0].get.await.op));
    assert_string_equal(request_end(&s.more[1]), "one 2");
    stored(&s.one, 1);
    assert_string_equal(get(&s.other, "a"), "one 2");
    scene_down();
}

TEST(a_load_that_fails_gives_its_lease_back)
{
    scene_prepare();
    s.one.shared.lease_ms = s.other.shared.lease_ms = 2 * PATIENCE_MS;
    scene_start();
    s.one.fails = UV_EIO;
    request_begin(&s.one, &s.request, "a");
    until(&s.w, is_over(&s.request.get.await.op));
    assert_int_equal(s.request.get.await.op.status, UV_EIO);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_int_equal(s.other.shared.stats.gave_up, 0);
    scene_down();
}

TEST(a_get_that_is_cancelled_gives_its_lease_back)
{
    scene_prepare();
    s.one.shared.lease_ms = s.other.shared.lease_ms = 2 * PATIENCE_MS;
    s.one.load_takes_ms = 60000;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.loads == 1);
    weft_cancel(&s.more[0].get.await.op, UV_ECANCELED);
    until(&s.w, is_over(&s.more[0].get.await.op));
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_int_equal(s.other.shared.stats.gave_up, 0);
    scene_down();
}

TEST(a_get_that_is_cancelled_before_it_has_the_lease_does_not_leave_it_behind)
{
    scene_up();
    request_begin(&s.one, &s.more[0], "a"); /* sent, and not answered */
    weft_cancel(&s.more[0].get.await.op, UV_ECANCELED);
    until(&s.w, is_over(&s.more[0].get.await.op));
    assert_int_equal(s.one.loads, 0);
    uint64_t since = weft_now(&s.w.loop);
    assert_string_equal(get(&s.other, "a"), "other 1");
    assert_true(weft_now(&s.w.loop) - since < WEFT_SHARED_LEASE_MS / 2);
    scene_down();
}

TEST(a_get_that_waits_for_another_process_can_be_cancelled)
{
    scene_up();
    redis_server_say(&s.server, "SET test:l:a somebody PX 60000");
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.shared.stats.waits == 1);
    run_for(&s.w, 20);
    weft_cancel(&s.more[0].get.await.op, UV_ECANCELED);
    until(&s.w, is_over(&s.more[0].get.await.op));
    assert_int_equal(s.one.loads, 0);
    scene_down();
}

TEST(a_lease_whose_holder_is_gone_ends_by_itself)
{
    scene_up();
    redis_server_say(&s.server, "SET test:l:a somebody PX 50");
    assert_string_equal(get(&s.one, "a"), "one 1");
    assert_int_equal(s.one.shared.stats.waits, 1);
    assert_int_equal(s.one.shared.stats.leases, 1);
    scene_down();
}

TEST(nobody_waits_longer_than_two_leases_last)
{
    scene_prepare();
    s.one.shared.lease_ms = 60;
    scene_start();
    redis_server_say(&s.server, "SET test:l:a somebody PX 60000");
    assert_string_equal(get(&s.one, "a"), "one 1");
    assert_int_equal(s.one.shared.stats.gave_up, 1);
    assert_int_equal(s.one.shared.stats.leases, 0);
    scene_down();
}

TEST(a_refresh_ahead_is_done_by_one_and_for_both)
{
    scene_prepare();
    s.one.shared.cache.ahead_ms = s.other.shared.cache.ahead_ms = 59900;
    scene_start();
    get(&s.one, "a");
    stored(&s.one, 1);
    run_for(&s.w, 150);
    assert_string_equal(get(&s.one, "a"), "one 1"); /* and a refresh behind it */
    stored(&s.one, 2);
    assert_int_equal(s.one.loads, 2);
    assert_string_equal(get(&s.other, "a"), "one 2");
    scene_down();
}

TEST(a_value_that_is_too_large_to_be_read_back_is_not_stored)
{
    scene_prepare();
    s.one.size = 9 * 1024 * 1024;
    scene_start();
    get(&s.one, "a");
    assert_int_equal(s.request.size, s.one.size);
    until(&s.w, s.one.shared.stats.refused_sets == 1);
    assert_string_equal(get(&s.other, "a"), "other 1"); /* and the lease is back */
    assert_int_equal(s.other.shared.redis.failures, 0);
    scene_down();
}

static int calls_of(const char *command)
{
    char name[64];
    snprintf(name, sizeof name, "cmdstat_%s:calls=", command);
    const char *found = strstr(redis_server_say(&s.server, "INFO commandstats"), name);
    return found != NULL ? atoi(found + strlen(name)) : 0;
}

TEST(scripts_are_taught_once_and_again_when_they_are_forgotten)
{
    scene_up();
    for (char key[] = "a"; key[0] <= 'j'; key[0]++)
        get(&s.one, key);
    stored(&s.one, 10);
    assert_int_equal(calls_of("eval"), 0);
    assert_int_equal(calls_of("evalsha"), 20);
    redis_server_say(&s.server, "SCRIPT FLUSH");
    for (char key[] = "k"; key[0] <= 'p'; key[0]++)
        get(&s.one, key);
    stored(&s.one, 16);
    assert_int_equal(calls_of("eval"), 2);
    assert_int_equal(s.one.shared.stats.remote_errors, 0);
    scene_down();
}

TEST(closing_cancels_a_load_and_tells_who_waits)
{
    scene_prepare();
    s.one.load_takes_ms = 60000;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    request_begin(&s.one, &s.more[1], "a");
    until(&s.w, s.one.loads == 1);
    weft_shared_close(&s.one.shared);
    until(&s.w, is_over(&s.one.shared.op));
    assert_int_equal(s.one.shared.op.status, 0);
    assert_int_equal(s.more[0].get.await.op.status, UV_ECANCELED);
    assert_int_equal(s.more[1].get.await.op.status, UV_ECANCELED);
    assert_int_equal(forget(&s.one, "a"), UV_EINVAL);
    s.one.load_takes_ms = 0;
    side_up(&s.one, "again"); /* the same storage */
    both_ready();
    until(&s.w, strcmp(get(&s.one, "b"), "again 2") == 0);
    scene_down();
}

TEST(who_asks_at_once_finds_what_redis_has)
{
    scene_prepare();
    side_up(&s.one, "one");
    until(&s.w, side_ready(&s.one));
    get(&s.one, "a");
    stored(&s.one, 1);
    side_up(&s.other, "other");
    assert_string_equal(get(&s.other, "a"), "one 1");
    assert_int_equal(s.other.loads, 0);
    assert_int_equal(s.other.shared.stats.remote_errors, 0);
    scene_down();
}

TEST(what_is_forgotten_at_once_is_forgotten)
{
    scene_prepare();
    side_up(&s.one, "one");
    assert_int_equal(forget(&s.one, "a"), 0);
    scene_down();
}

static bool is_leased(const char *key)
{
    return strstr(redis_server_say(&s.server, "EXISTS test:l:%s", key), ":1") != NULL;
}

TEST(closing_gives_leases_back)
{
    scene_prepare();
    s.one.load_takes_ms = 60000;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    request_begin(&s.one, &s.more[1], "b");
    until(&s.w, s.one.loads == 2);
    assert_true(is_leased("a"));
    request_begin(&s.one, &s.more[2], "c"); /* sent, and not answered */
    request_begin(&s.other, &s.more[3], "a");
    until(&s.w, s.other.shared.stats.waits == 1);
    weft_shared_close(&s.one.shared);
    weft_shared_close(&s.one.shared);
    until(&s.w, is_over(&s.one.shared.op));
    assert_int_equal(s.one.shared.op.status, 0);
    assert_int_equal(s.more[0].get.await.op.status, UV_ECANCELED);
    assert_int_equal(s.more[2].get.await.op.status, UV_ECANCELED);
    assert_false(is_leased("b"));
    assert_false(is_leased("c"));
    assert_string_equal(request_end(&s.more[3]), "other 1");
    assert_int_equal(s.other.shared.stats.gave_up, 0);
    scene_down();
}

TEST(what_is_under_way_to_redis_arrives_there_before_the_close)
{
    scene_up();
    get(&s.one, "a");
    stored(&s.one, 1);
    get(&s.other, "a");
    weft_shared_forget(weft_root(&s.w.loop), &s.forget, &s.one.shared, weft_text_of("a"),
                       weft_ignore);
    weft_shared_close(&s.one.shared);
    until(&s.w, is_over(&s.forget.op));
    assert_int_equal(s.forget.op.status, 0);
    until(&s.w, s.other.shared.stats.forgets == 1);
    scene_down();
}

TEST(a_cancel_does_not_wait_for_redis)
{
    scene_prepare();
    s.one.load_takes_ms = 60000;
    scene_start();
    request_begin(&s.one, &s.more[0], "a");
    until(&s.w, s.one.loads == 1);
    weft_shared_close(&s.one.shared);
    weft_cancel(&s.one.shared.op, UV_EINTR);
    until(&s.w, is_over(&s.one.shared.op));
    assert_int_equal(s.one.shared.op.status, UV_EINTR);
    assert_int_equal(s.more[0].get.await.op.status, UV_ECANCELED);
    scene_down();
}

/* With something under way, and with nothing. */
static void asked_after_a_close(bool busy)
{
    scene_up();
    get(&s.one, "a");
    stored(&s.one, 1);
    s.one.load_takes_ms = 60000;
    if (busy) {
        request_begin(&s.one, &s.more[3], "c");
        until(&s.w, s.one.loads == 2);
    }
    weft_shared_close(&s.one.shared);
    request_begin(&s.one, &s.more[0], "a");
    request_begin(&s.one, &s.more[1], "b");
    assert_int_equal(forget(&s.one, "b"), UV_EINVAL);
    until(&s.w, is_over(&s.one.shared.op));
    assert_string_equal(request_end(&s.more[0]), "one 1");
    assert_int_equal(s.more[1].get.await.op.status, UV_ECANCELED);
    request_begin(&s.one, &s.more[2], "a");
    until(&s.w, is_over(&s.more[2].get.await.op));
    assert_int_equal(s.more[2].get.await.op.status, UV_EINVAL);
    assert_int_equal(s.one.loads, busy ? 2 : 1);
    scene_down();
}

TEST(after_a_close_only_what_is_here_answers_until_it_is_over)
{
    asked_after_a_close(false);
    asked_after_a_close(true);
}

static void is_refused(int status, const char *why)
{
    weft_shared(weft_root(&s.w.loop), &s.one.shared, noted);
    world_run(&s.w);
    assert_int_equal(seen.status, status);
    if (strstr(s.one.shared.redis.why, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", s.one.shared.redis.why, why);
}

TEST(bad_settings_have_an_answer)
{
    char prefix[WEFT_SHARED_PREFIX_MAX + 2];
    memset(prefix, 'p', sizeof prefix - 1);
    prefix[sizeof prefix - 1] = '\0';
    memset(&s, 0, sizeof s);
    world_up(&s.w);
    struct weft_shared *shared = &s.one.shared;
    shared->redis.url = "redis://127.0.0.1:1";
    shared->prefix = "p";
    is_refused(UV_EINVAL, "no load");
    shared->cache.load = job_begin;
    is_refused(UV_EINVAL, "not in its cache");
    shared->cache.load = NULL;
    shared->cache.load_ms = 1;
    is_refused(UV_EINVAL, "not in its cache");
    shared->cache.load_ms = 0;
    shared->cache.owner = weft_root(&s.w.loop);
    is_refused(UV_EINVAL, "not in its cache");
    shared->cache.owner = NULL;
    shared->cache.flight_size = sizeof(struct job);
    is_refused(UV_EINVAL, "not in its cache");
    shared->cache.flight_size = 0;
    shared->load = job_begin;
    shared->prefix = NULL;
    is_refused(UV_EINVAL, "no prefix");
    shared->prefix = prefix;
    is_refused(UV_ENAMETOOLONG, "prefix");
    shared->prefix = "p";
    shared->redis.url = "nowhere";
    is_refused(UV_EINVAL, "redis://");
    shared->redis.url = "redis://127.0.0.1:1";
    shared->redis.limit = SIZE_MAX;
    is_refused(UV_EINVAL, "limit");
    shared->redis.limit = 0;
    shared->flight_size = 1;
    is_refused(UV_EINVAL, "flight_size");
    shared->flight_size = 0;
    shared->cache.jitter_percent = 101;
    is_refused(UV_EINVAL, "cache");
    world_down(&s.w);
}
