/* Jobs as they should be: parts and their results, errors, cancels, backpressure, strangers.
 * ctest: timeout=120 */
#include "jobs_kit.h"
#include "port.h"

/* ---- results -------------------------------------------------------------------------------- */

TEST(all_results_come_in_order_and_nothing_is_left)
{
    scene_prepare();
    s.one.concurrency = s.other.concurrency = 3;
    jobs_up();
    worker_up(&s.one);
    worker_up(&s.other);
    order_set(&s.order, 20, 5, 0);
    order_set(&s.second, 7, 3, 1);
    order_begin(&s.order);
    order_begin(&s.second);
    order_is_complete(&s.order, 5);
    order_is_complete(&s.second, 3);
    assert_int_equal(s.begun, 27);
    assert_true(s.one.stats.taken > 0 && s.other.stats.taken > 0);
    assert_int_equal(s.jobs.stats.ended, 2);
    assert_int_equal(s.jobs.stats.garbage + s.one.stats.garbage + s.other.stats.garbage, 0);
    scene_down_clean();
}

TEST(a_run_may_begin_before_there_is_a_redis_or_a_worker)
{
    scene_prepare();
    jobs_up();
    order_set(&s.order, 3, 1, 0);
    order_begin(&s.order);
    assert_false(s.jobs.redis.connected);
    until(&s.w, s.jobs.stats.parts == 3);
    worker_up(&s.one);
    order_is_complete(&s.order, 1);
    scene_down_clean();
}

static int make_payload(struct weft_jobs_run *run, size_t part, struct weft_text *payload)
{
    struct order *order = weft_owner(run, struct order, run);
    static char text[JOBS_PAYLOAD];
    assert_int_equal(part, order->asked++);
    assert_true(part < order->run.ended + s.jobs.window);
    snprintf(text, sizeof text, "1 0 0");
    *payload = weft_text_of(text);
    return 0;
}

TEST(payloads_are_asked_for_as_parts_end)
{
    scene_prepare();
    s.jobs.window = 4;
    s.one.concurrency = 2;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 60, 1, 0);
    s.order.run.payloads = NULL;
    s.order.run.payload = make_payload;
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    assert_int_equal(s.order.asked, 60);
    scene_down_clean();
}

static int refuse_payload(struct weft_jobs_run *run, size_t part, struct weft_text *payload)
{
    (void)run;
    *payload = weft_text_of("0 60000 0");
    return part == 5 ? UV_ERANGE : 0;
}

TEST(a_payload_that_cannot_be_made_ends_the_run)
{
    scene_prepare();
    s.jobs.window = 2;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 10, 1, 0);
    s.order.run.payloads = NULL;
    s.order.run.payload = refuse_payload;
    order_begin(&s.order);
    order_fails(&s.order, UV_ERANGE);
    assert_int_equal(s.order.run.part, 5);
    scene_down_clean();
}

TEST(large_payloads_and_chunks_arrive_whole)
{
    static char large[WEFT_JOBS_PAYLOAD_MAX + 1];
    scene_prepare();
    jobs_up();
    worker_up(&s.one);
    memset(large, ' ', sizeof large);
    memcpy(large, "2 0 0", 5);
    order_set(&s.order, 6, 2, 0);
    for (size_t i = 0; i < 6; i++)
        s.order.payloads[i] = weft_text(large, WEFT_JOBS_PAYLOAD_MAX);
    order_begin(&s.order);
    order_is_complete(&s.order, 2);
    assert_int_equal(s.chore == NULL, 0);
    order_set(&s.order, 1, 2, 0);
    s.order.payloads[0] = weft_text(large, sizeof large);
    order_begin(&s.order);
    order_fails(&s.order, UV_E2BIG);
    assert_int_equal(s.order.run.part, 0);
    scene_down_clean();
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(a_task_that_fails_ends_the_run_with_its_error_and_its_words)
{
    scene_prepare();
    s.one.concurrency = 4;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 4, 1, 60000);
    snprintf(s.order.texts[2], JOBS_PAYLOAD, "0 0 %d", UV_ENOSPC);
    s.order.payloads[2] = weft_text_of(s.order.texts[2]);
    order_begin(&s.order);
    order_fails(&s.order, UV_ENOSPC);
    assert_int_equal(s.order.run.part, 2);
    assert_string_equal(s.order.run.why, "part 2 says no");
    until(&s.w, s.one.running == 0); /* the others were cancelled */
    scene_down_clean();
}

TEST(what_is_impossible_is_refused)
{
    scene_prepare();
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    order_fails(&s.order, UV_EINVAL); /* not open */
    s.jobs.limit = 1;
    jobs_up();
    order_set(&s.order, 1, 1, 0);
    s.order.run.parts = 0;
    order_begin(&s.order);
    order_fails(&s.order, UV_EINVAL);
    order_set(&s.order, 1, 1, 0);
    s.order.run.payloads = NULL;
    order_begin(&s.order);
    order_fails(&s.order, UV_EINVAL);
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    order_set(&s.second, 1, 1, 0);
    order_begin(&s.second);
    order_fails(&s.second, UV_ENOBUFS);
    weft_cancel(&s.order.run.op, UV_ECANCELED);
    scene_down_clean();
}

static void is_wrong(struct weft_jobs *jobs, int status, const char *why)
{
    weft_jobs(weft_root(&s.w.loop), jobs, weft_ignore);
    until(&s.w, is_over(&jobs->op));
    assert_string_equal(weft_error_name(jobs->op.status), weft_error_name(status));
    assert_non_null(strstr(jobs->redis.why, why));
}

TEST(settings_that_are_wrong_are_named)
{
    char name[WEFT_JOBS_QUEUE_MAX + 2] = "";
    scene_prepare();
    memset(name, 'a', sizeof name - 1);
    set_redis(&s.jobs.redis);
    is_wrong(&s.jobs, UV_EINVAL, "no name");
    s.jobs.queue = "a{b";
    is_wrong(&s.jobs, UV_EINVAL, "'{'");
    s.jobs.queue = name;
    is_wrong(&s.jobs, UV_ENAMETOOLONG, "too long");
    s.jobs.queue = "test";
    s.jobs.keep_ms = 1;
    is_wrong(&s.jobs, UV_EINVAL, "keep_ms");
    s.jobs.keep_ms = 0;
    s.jobs.window = WEFT_JOBS_WINDOW_MAX + 1;
    is_wrong(&s.jobs, UV_EINVAL, "window");
    s.jobs.window = 0;
    s.jobs.redis.url = "http://example.com";
    is_wrong(&s.jobs, UV_EINVAL, "");
    scene_down();
}

/* ---- cancels -------------------------------------------------------------------------------- */

TEST(a_cancel_reaches_the_tasks_at_once)
{
    scene_prepare();
    s.one.concurrency = 2;
    s.one.lease_ms = 60000;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 10, 1, 60000);
    order_begin(&s.order);
    until(&s.w, s.begun == 2 && s.one.listening);
    uint64_t since = weft_now(&s.w.loop);
    weft_cancel(&s.order.run.op, UV_EINTR);
    order_fails(&s.order, UV_EINTR);
    until(&s.w, s.one.stats.lost == 2 && s.one.running == 0);
    assert_true(weft_now(&s.w.loop) - since < 5000);
    order_set(&s.order, 2, 1, 0); /* and the worker is free for others */
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    assert_int_equal(s.begun, 4);
    scene_down_clean();
}

TEST(closing_the_producer_ends_its_runs_everywhere)
{
    scene_prepare();
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 3, 1, 60000);
    order_begin(&s.order);
    until(&s.w, s.begun == 1);
    weft_jobs_close(&s.jobs);
    order_fails(&s.order, UV_ECANCELED);
    until(&s.w, is_over(&s.jobs.op));
    assert_int_equal(s.jobs.op.status, 0);
    until(&s.w, s.one.stats.lost == 1);
    scene_down_clean();
}

static bool cancel_there(struct weft_jobs_run *run, size_t part, struct weft_text data)
{
    (void)part;
    (void)data;
    weft_cancel(&run->op, UV_EINTR);
    return true;
}

TEST(a_callback_may_cancel_its_run)
{
    scene_prepare();
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 3, 3, 0);
    s.order.run.on_result = cancel_there;
    order_begin(&s.order);
    order_fails(&s.order, UV_EINTR);
    assert_int_equal(s.order.run.chunks, 1);
    scene_down_clean();
}

static bool close_there(struct weft_jobs_run *run, size_t part, struct weft_text data)
{
    (void)part;
    (void)data;
    weft_jobs_close(run->jobs);
    return false;
}

TEST(a_callback_may_close_its_producer)
{
    scene_prepare();
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 3, 3, 0);
    s.order.run.on_result = close_there;
    order_begin(&s.order);
    order_fails(&s.order, UV_ECANCELED);
    until(&s.w, is_over(&s.jobs.op));
    scene_down_clean();
}

/* ---- backpressure --------------------------------------------------------------------------- */

static long recorded(void)
{
    const char *answer = redis_server_say(&s.server, "XLEN {test}:r:%s", s.order.run.id);
    return strtol(answer + 1, NULL, 10);
}

TEST(a_consumer_that_says_no_holds_the_workers_back)
{
    scene_prepare();
    s.jobs.unread_max = 2000; /* some thirty chunks: each costs 64 bytes more than it has */
    s.one.concurrency = 2;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 2, 200, 0);
    s.order.pause_at = 1;
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks == 1 && recorded() >= 20);
    run_for(&s.w, 100); /* for what may not happen */
    assert_int_equal(s.order.run.chunks, 1);
    assert_in_range(recorded(), 20, 40);
    s.order.pause_at = 0;
    weft_jobs_resume(&s.order.run);
    assert_int_equal(s.order.run.chunks, 1); /* not from inside it */
    order_is_complete(&s.order, 200);
    scene_down_clean();
}

TEST(what_was_delivered_is_removed)
{
    scene_prepare();
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 300, 0);
    s.order.pause_at = 280;
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks == 280);
    assert_in_range(recorded(), 0, 200); /* what was read in one go is removed with the next */
    s.order.pause_at = 0;
    weft_jobs_resume(&s.order.run);
    order_is_complete(&s.order, 300);
    scene_down_clean();
}

TEST(a_deadline_ends_a_run_that_waits)
{
    struct weft_deadline deadline = {0};
    scene_prepare();
    jobs_up();
    order_set(&s.order, 1, 3, 0);
    order_begin(&s.order);
    weft_deadline(&s.order.run.op, &deadline, 50);
    order_fails(&s.order, UV_ETIMEDOUT);
    scene_down_clean();
}

/* ---- leaving -------------------------------------------------------------------------------- */

TEST(a_worker_that_closes_finishes_what_it_has_and_takes_no_more)
{
    scene_prepare();
    s.one.concurrency = 2;
    s.one.lease_ms = 60000;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 5, 3, 20);
    order_begin(&s.order);
    until(&s.w, s.begun == 2);
    weft_jobs_worker_close(&s.one);
    until(&s.w, is_over(&s.one.op));
    assert_int_equal(s.one.op.status, 0);
    assert_int_equal(s.one.stats.finished, 2);
    assert_int_equal(s.begun, 2);
    worker_up(&s.other);
    order_is_complete(&s.order, 3);
    assert_int_equal(s.begun, 5);
    scene_down_clean();
}

/* The other one has to wait neither for a lease nor for what was done before. */
TEST(a_worker_that_is_cancelled_gives_its_parts_back_at_once)
{
    scene_prepare();
    s.one.concurrency = 2;
    s.one.lease_ms = s.other.lease_ms = 60000;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 2, 6, 10);
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks >= 4);
    uint64_t since = weft_now(&s.w.loop);
    weft_cancel(&s.one.op, UV_EINTR);
    until(&s.w, is_over(&s.one.op));
    assert_int_equal(s.one.op.status, UV_EINTR);
    assert_int_equal(s.one.stats.returned, 2);
    worker_up(&s.other);
    order_is_complete(&s.order, 6);
    assert_true(weft_now(&s.w.loop) - since < 10000);
    assert_int_equal(s.other.stats.claimed, 0);
    scene_down_clean();
}

TEST(a_worker_ends_also_without_redis)
{
    scene_prepare();
    snprintf(s.server.url, sizeof s.server.url, "redis://127.0.0.1:%u", free_port());
    s.one.redis.command_ms = s.jobs.redis.command_ms = 50;
    worker_up(&s.one);
    jobs_up();
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    run_for(&s.w, 20);
    weft_jobs_worker_close(&s.one);
    weft_jobs_close(&s.jobs);
    until(&s.w, is_over(&s.one.op) && is_over(&s.jobs.op));
    order_fails(&s.order, UV_ECANCELED);
    assert_int_equal(s.one.op.status, 0);
    scene_down();
}

/* ---- strangers ------------------------------------------------------------------------------ */

TEST(entries_that_are_none_of_ours_are_buried)
{
    scene_prepare();
    jobs_up();
    worker_up(&s.one);
    until(&s.w, s.one.ready);
    redis_server_say(&s.server, "XADD {test}:parts * colour red");
    redis_server_say(&s.server, "XADD {test}:parts * job short part 1");
    redis_server_say(&s.server, "XADD {test}:parts * job 0123456789abcdef0123456789abcdef part -1");
    redis_server_say(&s.server, /* as if from a job that is over */
                     "XADD {test}:parts * job 0123456789abcdef0123456789abcdef part 1");
    order_set(&s.order, 2, 1, 0);
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    assert_int_equal(s.one.stats.garbage, 3);
    assert_string_equal(redis_server_say(&s.server, "XLEN {test}:dead"), ":3\r\n");
    redis_server_say(&s.server, "DEL {test}:dead");
    scene_down_clean();
}

#define STRANGER "0123456789abcdef0123456789abcdef"

/* Each is in the line as if it were a job's, and something about it is no number. */
static void put_stranger(const char *fields)
{
    redis_server_say(&s.server, "HSET {test}:j:" STRANGER " e:0 1-1 owner x keep 1000 %s", fields);
    redis_server_say(&s.server, "XADD {test}:parts 1-1 job " STRANGER " part 0");
}

static void is_buried(const char *fields)
{
    scene_prepare();
    jobs_up();
    put_stranger(fields);
    worker_up(&s.one);
    until(&s.w, s.one.stats.garbage == 1);
    order_set(&s.order, 2, 1, 0);
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    assert_string_equal(redis_server_say(&s.server, "XLEN {test}:dead"), ":1\r\n");
    redis_server_say(&s.server, "DEL {test}:dead {test}:j:" STRANGER);
    scene_down_clean();
}

TEST(parts_with_numbers_that_are_none_are_buried)
{
    is_buried("d:0 x a:0 many n:0 0");
    is_buried("d:0 x a:0 1 n:0 some");
    is_buried("d:0 x k:0 few n:0 0");
    is_buried("d:0 x");
}

TEST(dead_letters_that_cannot_be_written_stop_nobody)
{
    scene_prepare();
    jobs_up();
    redis_server_say(&s.server, "SET {test}:dead x");
    redis_server_say(&s.server, "XADD {test}:parts * colour red");
    worker_up(&s.one);
    order_set(&s.order, 2, 1, 0);
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    redis_server_say(&s.server, "DEL {test}:dead");
    scene_down_clean();
}

/* A job that is over for its owner is kept until Redis was told: but not without end. */
TEST(jobs_that_cannot_be_discarded_do_not_pile_up)
{
    enum { LIMIT = 3, RUNS = 4 * LIMIT };
    static struct order orders[RUNS];
    scene_prepare();
    s.jobs.limit = LIMIT;
    snprintf(s.server.url, sizeof s.server.url, "redis://127.0.0.1:1");
    jobs_up();
    for (int i = 0; i < RUNS; i++) {
        order_set(&orders[i], 1, 1, 0);
        order_begin(&orders[i]);
        weft_cancel(&orders[i].run.op, UV_ECANCELED);
        until(&s.w, is_over(&orders[i].run.op));
        assert_int_equal(orders[i].run.op.status, UV_ECANCELED);
    }
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    until(&s.w, is_over(&s.order.run.op));
    assert_int_equal(s.order.run.op.status, UV_ENOBUFS);
    weft_jobs_close(&s.jobs);
    world_down(&s.w);
}

TEST(results_and_messages_that_are_none_of_ours_are_counted)
{
    scene_prepare();
    jobs_up();
    order_set(&s.order, 2, 2, 0);
    order_begin(&s.order);
    until(&s.w, s.jobs.stats.parts == 2 && s.jobs.listening);
    const char *id = s.order.run.id;
    redis_server_say(&s.server, "XADD {test}:r:%s * colour red", id);
    redis_server_say(&s.server, "XADD {test}:r:%s * part 9 chunk 0 total 1 data x", id);
    redis_server_say(&s.server, "XADD {test}:r:%s * part 0 chunk 0 total 1 status 7 why x", id);
    worker_up(&s.one);
    until(&s.w, s.one.listening);
    redis_server_say(&s.server, "PUBLISH {test}:w nonsense");
    redis_server_say(&s.server, "PUBLISH {test}:w c0123456789abcdef0123456789abcdef");
    order_is_complete(&s.order, 2);
    assert_int_equal(s.jobs.stats.garbage, 3);
    until(&s.w, s.one.stats.garbage == 1);
    scene_down_clean();
}

/* Fifty chunks are recorded, and no more than a few of the first were read. */
static const char *last_results(void)
{
    scene_prepare();
    s.jobs.unread_max = 100000;
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 50, 0);
    s.order.pause_at = 1;
    order_begin(&s.order);
    until(&s.w, s.order.run.chunks == 1 && s.one.stats.finished == 1);
    return redis_server_say(&s.server, "XREVRANGE {test}:r:%s + - COUNT 2", s.order.run.id);
}

static void is_missed(const char *entry, const char *why)
{
    redis_server_say(&s.server, "XDEL {test}:r:%s %s", s.order.run.id, entry);
    weft_jobs_resume(&s.order.run);
    order_fails(&s.order, WEFT_EDAMAGED);
    assert_string_equal(s.order.run.why, why);
    scene_down_clean();
}

TEST(a_chunk_that_somebody_removed_is_missed)
{
    const char *results = last_results();
    is_missed(entry_in(strchr(results, '-') + 1), "chunks of its result are missing");
}

TEST(an_end_that_somebody_removed_is_missed)
{
    is_missed(entry_in(last_results()), "ends of its parts are missing");
}

TEST(a_key_of_the_wrong_kind_is_an_error_and_no_crash)
{
    scene_prepare();
    redis_server_say(&s.server, "SET {test}:parts nonsense");
    jobs_up();
    worker_up(&s.one);
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    order_fails(&s.order, WEFT_ESTATUS);
    assert_non_null(strstr(s.order.run.why, "WRONGTYPE"));
    redis_server_say(&s.server, "DEL {test}:parts");
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    scene_down();
}

/* ---- emits ---------------------------------------------------------------------------------- */

static struct {
    struct weft_jobs_emit first, second;
    int statuses[4];
} twice;

static void emitted_second(struct weft_op *op, struct weft_op *emit)
{
    (void)op;
    twice.statuses[1] = emit->status;
}

static void emitted_third(struct weft_op *op, struct weft_op *emit)
{
    (void)op;
    twice.statuses[2] = emit->status;
}

static void emitted_first(struct weft_op *op, struct weft_op *emit)
{
    twice.statuses[0] = emit->status;
    weft_finish(op, 0);
}

static void emit_twice(struct weft_op *op)
{
    static char large[WEFT_JOBS_CHUNK_MAX + 1];
    struct chore *chore = weft_owner(op, struct chore, task.op);
    struct weft_text none = weft_text(NULL, 0);
    weft_jobs_emit(op, &twice.second, &chore->task, weft_text(large, sizeof large), none,
                   emitted_second);
    weft_jobs_emit(op, &twice.first, &chore->task, weft_text_of("0.0"), none, emitted_first);
    weft_jobs_emit(op, &chore->emit, &chore->task, weft_text_of("x"), none, emitted_third);
}

TEST(one_emit_at_a_time_and_not_too_large)
{
    scene_prepare();
    memset(&twice, 0, sizeof twice);
    jobs_up();
    set_redis(&s.one.redis);
    s.one.queue = "test";
    s.one.begin = emit_twice;
    s.one.task_size = WEFT_JOBS_TASK(struct chore, task);
    weft_jobs_worker(weft_root(&s.w.loop), &s.one, weft_ignore);
    order_set(&s.order, 1, 1, 0);
    order_begin(&s.order);
    order_is_complete(&s.order, 1);
    assert_int_equal(twice.statuses[0], 0);
    assert_int_equal(twice.statuses[1], UV_E2BIG);
    assert_int_equal(twice.statuses[2], UV_EBUSY);
    scene_down_clean();
}
