/* Time is up: leases that run out and leases that are kept, poison, cancels that nobody hears, producers that have
 * vanished. Redis has a clock of its own, so this is real time; mostly spent waiting.
 * ctest: shuffle=no timeout=120 */
#include "jobs_kit.h"

/* Somebody else has the part, and has not been heard of for long. */
static void give_to_a_ghost(void)
{
    char entry[64];
    snprintf(entry, sizeof entry, "%s",
             entry_in(redis_server_say(&s.server, "XPENDING {test}:parts workers - + 1")));
    redis_server_say(&s.server, "XCLAIM {test}:parts workers ghost 0 %s IDLE 1000000 JUSTID",
                     entry);
}

TEST(a_part_whose_worker_is_gone_is_claimed_and_what_that_says_is_late)
{
    scene_prepare();
    s.one.lease_ms = 60000; /* hears nothing, and believes that it has the part */
    s.other.lease_ms = 120;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 3, 600);
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks == 1);
    give_to_a_ghost();
    worker_up(&s.other);
    order_is_complete(&s.order, 3);
    assert_int_equal(s.begun, 2);
    assert_int_equal(s.other.stats.claimed, 1);
    until(&s.w, s.one.stats.lost == 1);
    assert_int_equal(s.one.stats.finished, 0);
    scene_down();
}

/* The answer that gave it to the worker was lost with a connection, say. */
TEST(a_part_that_a_worker_does_not_know_it_has_is_put_back)
{
    scene_prepare();
    s.one.lease_ms = 150;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 2, 1, 50);
    order_begin(&s.order);
    until(&s.w, s.begun == 1);
    const char *answer = redis_server_say(
        &s.server, "XREADGROUP GROUP workers %s COUNT 1 STREAMS {test}:parts >", s.one.id);
    assert_non_null(strstr(answer, s.order.run.id));
    order_is_complete(&s.order, 1);
    assert_int_equal(s.begun, 2);
    assert_int_equal(s.one.stats.claimed, 0);
    scene_down_clean();
}

TEST(signs_of_life_keep_a_part_that_takes_longer_than_its_lease)
{
    scene_prepare();
    s.one.lease_ms = s.other.lease_ms = 500;
    jobs_up();
    worker_up(&s.one);
    worker_up(&s.other);
    order_set(&s.order, 1, 1, 1300);
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    assert_int_equal(s.begun, 1);
    scene_down_clean();
}

TEST(a_poison_part_goes_to_the_dead_letters_and_the_job_is_told)
{
    scene_prepare();
    s.one.lease_ms = 60000; /* gives no sign of life meanwhile */
    s.other.lease_ms = 100;
    s.other.deliveries = 2;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 1, 60000);
    order_begin(&s.order);
    until(&s.w, s.begun == 1);
    redis_server_say(&s.server, "HSET {test}:j:%s k:0 1",
                     s.order.run.id); /* as if it had died once */
    give_to_a_ghost();
    worker_up(&s.other);
    order_fails(&s.order, WEFT_EPOISON);
    assert_int_equal(s.order.run.part, 0);
    assert_string_equal(s.order.run.why, "lost");
    assert_int_equal(s.other.stats.dead, 1);
    assert_int_equal(s.begun, 1);
    until(&s.w, s.one.stats.lost == 1);
    const char *letters = redis_server_say(&s.server, "XRANGE {test}:dead - +");
    assert_non_null(strstr(letters, "lost"));
    assert_non_null(strstr(letters, s.order.run.id));
    assert_non_null(strstr(letters, "1 60000 0"));
    scene_down(); /* the ghost stays in the group for a while */
}

TEST(a_payload_that_is_too_large_for_a_worker_is_poison)
{
    static char large[4000];
    scene_prepare();
    s.one.redis.reply_max = 4096;
    jobs_up();
    worker_up(&s.one);
    memset(large, ' ', sizeof large);
    order_set(&s.order, 2, 1, 0);
    s.order.payloads[1] = weft_text(large, sizeof large);
    order_begin(&s.order);
    order_fails(&s.order, WEFT_EPOISON);
    assert_int_equal(s.order.run.part, 1);
    assert_string_equal(s.order.run.why, "too large");
    until(&s.w, s.one.stats.dead == 1);
    redis_server_say(&s.server, "DEL {test}:dead");
    scene_down_clean();
}

TEST(a_job_whose_producer_has_vanished_is_discarded)
{
    scene_prepare();
    s.one.lease_ms = 100;
    s.jobs.keep_ms = 600;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 3, 1, 60000);
    order_begin(&s.order);
    until(&s.w, s.begun == 1);
    until(&s.w, s.one.stats.discarded > 0 || redis_server_say(&s.server, "ZADD {test}:jobs XX 1 %s",
                                                              s.order.run.id) == NULL);
    until(&s.w, s.one.stats.lost == 1);
    order_fails(&s.order, UV_ENOENT);
    scene_down_clean();
}

TEST(a_cancel_that_nobody_hears_is_found_by_the_next_sign_of_life)
{
    scene_prepare();
    s.one.lease_ms = 150;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 1, 60000);
    order_begin(&s.order);
    until(&s.w, s.begun == 1);
    redis_server_say(&s.server, "DEL {test}:j:%s", s.order.run.id);
    until(&s.w, s.one.stats.lost == 1 && s.one.running == 0);
    order_fails(&s.order, UV_ENOENT);
    scene_down();
}

TEST(a_paused_run_keeps_its_job_alive)
{
    scene_prepare();
    s.jobs.keep_ms = 400;
    s.one.lease_ms = 100;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 3, 0);
    s.order.pause_at = 1;
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks == 1);
    run_for(&s.w, 900);
    s.order.pause_at = 0;
    weft_jobs_resume(&s.order.run);
    order_is_complete(&s.order, 3);
    scene_down_clean();
}
