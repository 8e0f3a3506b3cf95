/* Batch: an ask in other flows, without memory, and in the conformance suite.
 * ctest: labels=valgrind-long */
#include "batch_kit.h"
#include "fault.h"
#include "provider.h"
#include <weft/queue.h>
#include <weft/retry.h>

/* ---- in other flows ------------------------------------------------------------------------- */

static unsigned rounds;

static void ask_with_the_same_storage(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    if (++rounds < 1000)
        ask_under(parent, 0, rounds % 2 != 0 ? "book" : "game", ask_with_the_same_storage);
}

static void ask_again_and_again(void)
{
    up();
    rounds = 0;
    batch.load = load_at_once;
    ask_under(root(), 0, "game", ask_with_the_same_storage);
    run_down();
    assert_int_equal(load_count, 1000);
}

TEST(an_ask_may_be_used_again_in_its_then_on_a_small_stack)
{
    on_a_small_stack(ask_again_and_again);
}

static struct weft_batch_ask *on_the_heap;

static void there_and_free(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(op->status, 0);
    memset(on_the_heap, 0xff, sizeof *on_the_heap);
    free(on_the_heap);
}

TEST(an_ask_may_be_freed_in_its_then)
{
    up();
    on_the_heap = calloc(1, sizeof *on_the_heap);
    assert_non_null(on_the_heap);
    weft_batch_ask(root(), on_the_heap, &batch, weft_text_of("book"), there_and_free);
    run_down();
}

static void load_better_each_time(struct weft_op *op)
{
    next_job.status = load_count < 2 ? UV_EIO : 0;
    load(op);
}

TEST(an_ask_is_tried_again)
{
    up();
    struct weft_retry retry = {0};
    batch.load = load_better_each_time;
    asks[0].it.batch = &batch;
    asks[0].it.key = weft_text_of("book");
    weft_retry(root(), &retry, &asks[0].it.await.op, weft_batch_ask_begin, 5, 1, noted);
    run_down();
    assert_int_equal(seen.status, 0);
    assert_int_equal(load_count, 3);
}

TEST(asks_can_be_tasks_of_a_queue)
{
    up();
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 2), 0);
    for (int i = 0; i < 4; i++) {
        asks[i].it.batch = &batch;
        asks[i].it.key = weft_text_of("book");
        weft_queue_push(&queue, root(), &asks[i].it.await.op, weft_batch_ask_begin, there);
    }
    run_on();
    for (int i = 0; i < 4; i++)
        assert_int_equal(status_of(i), 0);
    assert_true(load_count >= 2);
    assert_int_equal(weft_queue_close(&queue), 0);
    run_down();
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool is_answer_or_no_memory(int status)
{
    return status == 0 || status == UV_ENOMEM;
}

static void ask_some(unsigned long n)
{
    (void)n;
    uv_loop_t uv;
    assert_int_equal(uv_loop_init(&uv), 0);
    w = (struct world){0};
    int err = weft_loop_init(&w.loop, &uv);
    if (err == 0) {
        jobs = (struct jobs){0};
        forget_all();
        next_job.ms = 0;
        batch = (struct weft_batch){
            .owner = root(), .load = load, .flight_size = WEFT_FLIGHT(struct loading, flight)};
        err = weft_batch_open(&batch);
        assert_true(is_answer_or_no_memory(err));
        for (int i = 0; i < 4 && err == 0; i++)
            ask(i, i % 2 == 0 ? "book" : "game");
        assert_int_equal(weft_loop_run(&w.loop), 0);
        for (int i = 0; i < 4 && err == 0; i++)
            assert_true(is_answer_or_no_memory(status_of(i)));
        assert_int_equal(weft_batch_close(&batch), 0);
        assert_int_equal(weft_loop_close(&w.loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

TEST(running_out_of_memory_is_told_to_those_who_ask)
{
    fault_ladder(ask_some);
    assert_true(fault_ladder_height() >= 5);
}

/* ---- the conformance suite ------------------------------------------------------------------ */

static struct weft_batch stage;
static unsigned next_key;

/* Keys that end in ! fail. */
static void stage_load(struct weft_op *op)
{
    struct weft_flight *flight = weft_owner(op, struct weft_flight, promise.op);
    int err = weft_flight_set(flight, flight->key.data, flight->key.size);
    if (flight->key.data[flight->key.size - 1] == '!')
        err = UV_EIO;
    if (err != 0)
        weft_finish(op, err);
    else
        weft_immediate_begin(op);
}

static void stage_up(struct weft_loop *loop)
{
    stage = (struct weft_batch){.owner = weft_root(loop), .load = stage_load};
    (void)weft_batch_open(&stage); /* without memory it stays closed, and asks are invalid */
}

/* A load whose only waiter was cancelled may still be on its way out. */
static void close_stage(struct weft_op *parent, struct weft_op *op)
{
    if (weft_batch_close(&stage) == UV_EBUSY)
        weft_tick(parent, op, close_stage);
}

static void stage_down(struct weft_loop *loop)
{
    static struct weft_op closing;
    weft_tick(weft_root(loop), &closing, close_stage);
}

struct asking {
    struct weft_batch_ask it;
    char key[16];
};

static void fill_in(struct asking *asking, const char *end)
{
    asking->it.batch = &stage;
    snprintf(asking->key, sizeof asking->key, "%u%s", next_key++, end);
    asking->it.key = weft_text_of(asking->key);
}

static void good_ask(void *storage)
{
    fill_in(storage, "");
}

static void bad_ask(void *storage)
{
    fill_in(storage, "!");
}

static void verify_ask(void *storage)
{
    const struct asking *asking = storage;
    assert_true(weft_text_is(asking->it.value, asking->key));
}

static const struct weft_provider ask_provider = {
    .name = "batch_ask",
    WEFT_PROVIDER_OP(struct asking, it.await.op),
    .begin = weft_batch_ask_begin,
    .up = stage_up,
    .down = stage_down,
    .good = good_ask,
    .bad = bad_ask,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .verify = verify_ask,
};

TEST(batch_ask_conforms)
{
    provider_check(&ask_provider);
}
