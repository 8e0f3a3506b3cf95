/* Jobs in trouble: Redis is killed, hangs, forgets; connections are cut all the time. What Redis keeps on disk is
 * never lost, and no chunk comes twice: order_result looks at each.
 * ctest: shuffle=no timeout=180 */
#include "jobs_kit.h"

static void workers_up(uint64_t lease_ms)
{
    s.one.concurrency = s.other.concurrency = 2;
    s.one.lease_ms = s.other.lease_ms = lease_ms;
    worker_up(&s.one);
    worker_up(&s.other);
}

static void trouble_up(uint64_t lease_ms)
{
    s.jobs.unread_max = 4000;
    jobs_up();
    workers_up(lease_ms);
}

TEST(redis_is_killed_again_and_again_and_nothing_is_lost)
{
    scene_prepare_kept();
    trouble_up(2000);
    until(&s.w, s.one.ready && s.other.ready);
    order_set(&s.order, 8, 20, 4);
    order_set(&s.second, 3, 30, 4);
    order_begin(&s.order);
    order_begin(&s.second);
    for (unsigned long i = 0; i < check_scale(3); i++) {
        run_for(&s.w, 60);
        redis_server_down(&s.server);
        run_for(&s.w, 20);
        redis_server_again(&s.server);
    }
    order_is_complete(&s.order, 20);
    order_is_complete(&s.second, 30);
    assert_true(s.one.redis.connects > 1);
    assert_int_equal(s.jobs.stats.garbage, 0);
    scene_down_clean();
}

TEST(connections_are_cut_all_the_time_and_nothing_is_lost)
{
    scene_prepare_kept();
    trouble_up(500);
    for (unsigned long i = 0; i < check_scale(2); i++) {
        order_set(&s.order, 6, 15, 3);
        order_begin(&s.order);
        for (unsigned k = 0; !is_over(&s.order.run.op) && k < 15; k++) {
            redis_server_say(&s.server, "CLIENT KILL TYPE %s", k % 3 == 0 ? "pubsub" : "normal");
            run_for(&s.w, 10 + 7 * k % 30);
        }
        order_is_complete(&s.order, 15);
    }
    assert_true(s.jobs.redis.connects > 3);
    scene_down_clean();
}

/* Results may come before it is known that their parts went out. */
TEST(connections_are_cut_while_parts_go_out)
{
    scene_prepare_kept();
    s.jobs.window = 8;
    trouble_up(1000);
    until(&s.w, s.one.ready && s.jobs.listening);
    order_set(&s.order, 400, 1, 0);
    order_begin(&s.order);
    while (!is_over(&s.order.run.op)) {
        redis_server_say(&s.server, "CLIENT KILL TYPE normal");
        run_for(&s.w, 25);
    }
    order_is_complete(&s.order, 1);
    assert_int_equal(s.jobs.stats.parts, 400);
    scene_down_clean();
}

/* What it was told before it hung it does when it wakes up, and by then it was told again. */
TEST(a_redis_that_hangs_is_told_twice_and_records_once)
{
    scene_prepare_kept();
    s.jobs.redis.command_ms = s.one.redis.command_ms = s.other.redis.command_ms = 60;
    jobs_up();
    until(&s.w, s.jobs.listening);
    kill(s.server.pid, SIGSTOP);
    order_set(&s.order, 6, 10, 2);
    order_begin(&s.order);
    run_for(&s.w, 150);
    kill(s.server.pid, SIGCONT);
    until(&s.w, s.jobs.stats.parts == 6);
    assert_string_equal(redis_server_say(&s.server, "XLEN {test}:parts"), ":6\r\n");
    workers_up(3000);
    for (unsigned k = 0; k < 3; k++) {
        run_for(&s.w, 15);
        kill(s.server.pid, SIGSTOP);
        run_for(&s.w, 120);
        kill(s.server.pid, SIGCONT);
    }
    order_is_complete(&s.order, 10);
    assert_int_equal(s.begun, 6); /* what was repeated was known, and cost nobody his part */
    assert_int_equal(s.one.stats.lost + s.other.stats.lost, 0);
    scene_down_clean();
}

TEST(a_redis_that_forgets_all_costs_the_jobs_and_no_more)
{
    scene_prepare_kept();
    trouble_up(200);
    order_set(&s.order, 4, 10, 20);
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks > 2);
    redis_server_say(&s.server, "FLUSHALL");
    order_fails(&s.order, UV_ENOENT);
    until(&s.w, s.one.running + s.other.running == 0);
    order_set(&s.order, 4, 10, 0);
    order_begin(&s.order);
    order_is_complete(&s.order, 10);
    scene_down_clean();
}

TEST(a_script_that_redis_has_forgotten_is_sent_again)
{
    scene_prepare_kept();
    trouble_up(1000);
    order_set(&s.order, 4, 10, 5);
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks > 2);
    redis_server_say(&s.server, "SCRIPT FLUSH");
    order_is_complete(&s.order, 10);
    assert_int_equal(s.one.stats.garbage + s.other.stats.garbage, 0);
    scene_down_clean();
}

TEST(a_close_waits_for_redis_to_record_what_was_done)
{
    scene_prepare_kept();
    s.one.lease_ms = 5000;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 1, 60);
    order_begin(&s.order);
    until(&s.w, s.begun == 1);
    redis_server_down(&s.server);
    weft_jobs_worker_close(&s.one);
    run_for(&s.w, 150);
    assert_false(is_over(&s.one.op));
    redis_server_again(&s.server);
    until(&s.w, is_over(&s.one.op));
    assert_int_equal(s.one.op.status, 0);
    assert_int_equal(s.one.stats.finished, 1);
    order_is_complete(&s.order, 1);
    scene_down_clean();
}

/* Nobody was told, so the other one has to wait for the lease. */
TEST(what_a_worker_could_not_give_back_is_claimed)
{
    scene_prepare_kept();
    s.one.lease_ms = s.other.lease_ms = 300;
    s.one.redis.command_ms = 50;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 3, 30);
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks == 1);
    redis_server_down(&s.server);
    weft_cancel(&s.one.op, UV_EINTR);
    until(&s.w, is_over(&s.one.op));
    assert_int_equal(s.one.op.status, UV_EINTR);
    assert_int_equal(s.one.stats.returned, 0);
    redis_server_again(&s.server);
    worker_up(&s.other);
    order_is_complete(&s.order, 3);
    assert_int_equal(s.other.stats.claimed, 1);
    scene_down();
}

/* All leases have run out when it is back, by the clock, and the one who has the part is late to come back. But who
 * has just come back himself claims nothing. */
TEST(a_redis_that_was_away_for_long_costs_no_lease)
{
    scene_prepare_kept();
    s.one.lease_ms = s.other.lease_ms = 1200;
    s.one.redis.backoff_ms = s.one.redis.backoff_max_ms = 450;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 1, 2600);
    order_begin(&s.order);
    until(&s.w, s.begun == 1);
    worker_up(&s.other);
    until(&s.w, s.other.ready);
    redis_server_down(&s.server);
    run_for(&s.w, 1300);
    redis_server_again(&s.server);
    order_is_complete(&s.order, 1);
    assert_int_equal(s.begun, 1);
    assert_int_equal(s.other.stats.claimed, 0);
    scene_down_clean();
}

/* ---- a chunk of which nobody knows ---------------------------------------------------------- */

static int emitted_with;

static void left_alone(struct weft_op *op, struct weft_op *emit)
{
    emitted_with = emit->status;
    weft_finish(op, 0); /* as if nothing had happened */
}

static void emit_and_cancel(struct weft_op *op)
{
    struct chore *chore = weft_owner(op, struct chore, task.op);
    s.begun++;
    kill(s.server.pid, SIGSTOP);
    weft_jobs_emit(op, &chore->emit, &chore->task, weft_text_of("0.0"), weft_text(NULL, 0),
                   left_alone);
    weft_cancel(&chore->emit.op, UV_EINTR);
}

TEST(a_task_that_hides_a_chunk_of_which_nobody_knows_has_failed)
{
    scene_prepare_kept();
    jobs_up();
    set_redis(&s.one.redis);
    s.one.redis.command_ms = 60;
    s.one.queue = "test";
    s.one.begin = emit_and_cancel;
    s.one.task_size = WEFT_JOBS_TASK(struct chore, task);
    weft_jobs_worker(weft_root(&s.w.loop), &s.one, weft_ignore);
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    until(&s.w, s.begun == 1 && emitted_with != 0);
    assert_int_equal(emitted_with, UV_EINTR);
    kill(s.server.pid, SIGCONT);
    order_fails(&s.order, UV_EINTR);
    scene_down_clean();
}
