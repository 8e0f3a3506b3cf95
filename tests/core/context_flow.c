/* Context through control flow, timers and queues: what is begun for a request has its value,
 * however many requests share the loop, the queue or the promise.
 * ctest: labels=valgrind-long needs=hooks */
#include "context_kit.h"
#include <string.h>
#include <weft/cargo.h>
#include <weft/flow.h>
#include <weft/post.h>
#include <weft/priority.h>
#include <weft/queue.h>

enum { SLOTS = 2, ITEMS = 5, TASKS = 3, TRIES = 3, DEEP = 100 };

struct flow {
    struct request request;
    struct weft_series series;
    struct weft_waterfall waterfall;
    struct weft_each each;
    struct weft_race race;
    struct weft_retry retry;
    struct weft_timeout timeout;
    struct weft_sleep sleep, sleeps[2];
    struct weft_ticker ticker;
    struct weft_deadline deadline;
    struct weft_op task, slots[SLOTS], tasks[TASKS], deep[DEEP];
    struct weft_urgent urgent[TASKS];
    struct weft_item items[TASKS];
    struct weft_await awaits[TASKS];
    struct weft_memoize ask;
    struct weft_post post;
    int key;
};
static struct flow flows[REQUESTS];

/* Where an op belongs by its storage, which context has nothing to do with. */
static struct flow *flow_at(const struct weft_op *op)
{
    for (int i = 0; i < REQUESTS; i++) {
        if ((const char *)op >= (const char *)&flows[i] &&
            (const char *)op < (const char *)&flows[i + 1])
            return &flows[i];
    }
    fail_msg("an op that is nobody's");
    return NULL;
}

static void look_at(const struct weft_op *op)
{
    look(&flow_at(op)->request, op);
}

/* A begin and a then that look. */
static void looking_begin(struct weft_op *op)
{
    look_at(op);
    weft_finish(op, 0);
}

static void looking_then(struct weft_op *parent, struct weft_op *op)
{
    look_at(parent);
    if (op->status != 0)
        weft_end(parent, op->status);
}

static void looking_end(struct weft_op *parent, struct weft_op *op)
{
    look_at(parent);
    weft_end(parent, op->status);
}

static void run_flows(weft_begin_fn *body, unsigned looks)
{
    requests_run(flows, sizeof flows[0], body, looks);
}

static void run_and_close(weft_begin_fn *body, unsigned looks)
{
    model_up(&w);
    run_flows(body, looks);
    world_down(&w);
}

/* ---- flow ----------------------------------------------------------------------------------- */

static void sleeping_step(struct weft_op *op)
{
    look_at(op);
    weft_sleep(op, &flow_at(op)->sleep, 3, looking_then);
}

static void ticking_step(struct weft_op *op)
{
    look_at(op);
    weft_immediate(op, &flow_at(op)->task, looking_then);
}

static void begin_series(struct weft_op *op)
{
    weft_series(op, &flow_at(op)->series, looking_end, sleeping_step, ticking_step, sleeping_step);
}

TEST(a_series_has_it_in_every_step)
{
    run_and_close(begin_series, 7);
}

static void value_step(struct weft_op *op, void *value)
{
    look_at(op);
    assert_ptr_equal(value, flow_at(op));
    weft_hand_on(op, value);
    weft_sleep(op, &flow_at(op)->sleep, 2, looking_then);
}

static void begin_waterfall(struct weft_op *op)
{
    weft_waterfall(op, &flow_at(op)->waterfall, flow_at(op), looking_end, value_step, value_step);
}

TEST(a_waterfall_has_it_beside_its_value)
{
    run_and_close(begin_waterfall, 5);
}

static void begin_each(struct weft_op *op)
{
    struct flow *flow = flow_at(op);
    weft_each(op, &flow->each, weft_slots(flow->slots, sizeof flow->slots[0], SLOTS), ITEMS,
              looking_begin, looking_then, looking_end);
}

TEST(each_item_of_a_collection_has_it)
{
    run_and_close(begin_each, 2 * ITEMS + 1);
}

static void loser_cancelled(struct weft_op *op, int reason)
{
    assert_ptr_equal(asked_by(op), flow_at(op)); /* whoever it is that cancels */
    flow_at(op)->request.looks++;
    weft_finish(op, reason);
}

static void loser_begin(struct weft_op *op)
{
    look_at(op);
    weft_on_cancel(op, loser_cancelled);
}

static void runner_in(struct weft_op *race, struct weft_op *runner)
{
    look_at(race);
    weft_race_first(race, runner);
}

static void begin_runners(struct weft_op *op)
{
    look_at(op);
    weft_run(op, &flow_at(op)->task, loser_begin, weft_race_first);
    weft_sleep(op, &flow_at(op)->sleep, 5, runner_in);
}

static void begin_race(struct weft_op *op)
{
    weft_race(op, &flow_at(op)->race, begin_runners, looking_end);
}

TEST(the_runners_of_a_race_have_it_winners_and_losers)
{
    run_and_close(begin_race, 5);
}

static void failing_task(struct weft_op *op)
{
    look_at(op);
    weft_finish(op, flow_at(op)->retry.tries < TRIES ? UV_EAGAIN : 0);
}

static void begin_retry(struct weft_op *op)
{
    weft_retry(op, &flow_at(op)->retry, &flow_at(op)->task, failing_task, TRIES, 10, looking_end);
}

TEST(every_attempt_of_a_retry_has_it)
{
    run_and_close(begin_retry, TRIES + 1);
}

static void timed_out(struct weft_op *parent, struct weft_op *op)
{
    look_at(parent);
    assert_int_equal(op->status, UV_ETIMEDOUT);
    weft_finish(parent, 0);
}

static void begin_timeout(struct weft_op *op)
{
    weft_timeout(op, &flow_at(op)->timeout, &flow_at(op)->task, loser_begin, 5, timed_out);
}

TEST(a_task_with_a_time_limit_has_it)
{
    run_and_close(begin_timeout, 3);
}

static void deep_begin(struct weft_op *op)
{
    struct flow *flow = flow_at(op);
    size_t next = (size_t)(op - flow->deep) + 1;
    look_at(op);
    if (next < DEEP)
        weft_run(op, &flow->deep[next], deep_begin, NULL);
    weft_join(op);
}

static void begin_deep(struct weft_op *op)
{
    weft_run(op, &flow_at(op)->deep[0], deep_begin, looking_end);
}

TEST(a_begin_that_comes_from_the_ready_queue_has_it)
{
    run_and_close(begin_deep, DEEP + 1);
}

/* ---- timers and posts ----------------------------------------------------------------------- */

static void ticked(struct weft_op *op)
{
    look_at(op);
    if (weft_owner(op, struct weft_ticker, op)->ticks == 3)
        weft_end(op, 0);
}

static void begin_ticker(struct weft_op *op)
{
    weft_ticker(op, &flow_at(op)->ticker, 10, ticked, looking_end);
}

TEST(every_tick_has_it)
{
    run_and_close(begin_ticker, 4);
}

static void begin_deadline(struct weft_op *op)
{
    weft_run(op, &flow_at(op)->task, loser_begin, timed_out);
    weft_deadline(&flow_at(op)->task, &flow_at(op)->deadline, 20);
}

TEST(a_deadline_finds_it_where_it_was)
{
    run_and_close(begin_deadline, 3);
}

/* A post is nobody's: it runs for the root. The op that it finishes has its own value. */
static void posted(struct weft_post *post)
{
    assert_ptr_equal(weft_current(), weft_root(&w.loop));
    assert_null(asked_by(weft_current()));
    weft_finish(&weft_owner(post, struct flow, post)->task, 0);
}

static void begin_post(struct weft_op *op)
{
    weft_run(op, &flow_at(op)->task, NULL, looking_end);
    weft_post_init(&w.loop, &flow_at(op)->post, posted);
    weft_post(&flow_at(op)->post);
}

TEST(what_a_post_finishes_has_it)
{
    run_and_close(begin_post, 1);
}

/* ---- bare timers and posts ------------------------------------------------------------------- */

/* They are begun under a loop: there is nobody to inherit from, and nobody's value in them. Who makes
 * ops of them says for which one they act. */
static struct bare {
    struct request request;
    struct weft_timer timer;
    struct weft_post post;
    unsigned left;
} bares[REQUESTS];

static void act(struct bare *bare, weft_entry_fn *entry)
{
    struct weft_frame frame;
    assert_ptr_equal(weft_current(), weft_root(&w.loop));
    assert_null(asked_by(weft_current()));
    weft_enter(&frame, &bare->request.op, entry);
    look(&bare->request, &bare->request.op);
    weft_leave(&frame);
    assert_null(asked_by(weft_current()));
    if (--bare->left == 0)
        weft_finish(&bare->request.op, 0);
}

static void fired(struct weft_timer *timer)
{
    act(weft_owner(timer, struct bare, timer), (weft_entry_fn *)fired);
}

static void arrived(struct weft_post *post)
{
    act(weft_owner(post, struct bare, post), (weft_entry_fn *)arrived);
}

static void start_bare(struct weft_op *op)
{
    struct bare *bare = weft_owner(op, struct bare, request.op);
    bare->left = 2;
    weft_timer_start(&w.loop, &bare->timer, 1, fired);
    weft_post_init(&w.loop, &bare->post, arrived);
    weft_post(&bare->post);
}

TEST(a_bare_timer_and_a_post_are_the_roots_until_they_say_for_whom_they_act)
{
    world_up(&w);
    requests_run(bares, sizeof bares[0], start_bare, 2);
    world_close(&w);
}

/* ---- queues --------------------------------------------------------------------------------- */

static struct weft_queue queue;
static struct weft_priority urgent;

static void queued_begin(struct weft_op *op)
{
    look_at(op);
    weft_sleep(op, &flow_at(op)->sleep, 1, looking_end); /* one place: so nobody else's */
}

static void queue_up(void)
{
    model_up(&w);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
}

static void queue_down(void)
{
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

static void begin_queued(struct weft_op *op)
{
    for (int i = 0; i < TASKS; i++)
        weft_queue_push(&queue, op, &flow_at(op)->tasks[i], queued_begin, looking_then);
    weft_join(op);
}

TEST(a_task_has_it_whoever_lets_it_begin)
{
    queue_up();
    run_flows(begin_queued, 3 * TASKS);
    queue_down();
}

static void begin_urgent(struct weft_op *op)
{
    struct flow *flow = flow_at(op);
    for (int i = 0; i < TASKS; i++) { /* so that those of all requests are mixed */
        weft_priority_push(&urgent, op, &flow->urgent[i], -i * REQUESTS + (flow - flows),
                           queued_begin, looking_then);
    }
    weft_join(op);
}

TEST(an_urgent_task_has_it)
{
    queue_up();
    assert_int_equal(weft_priority_init(&urgent, &queue, 1, 0), 0);
    run_flows(begin_urgent, 3 * TASKS);
    assert_int_equal(weft_priority_close(&urgent), 0);
    queue_down();
}

/* What counts is when it was pushed, not when it begins. */
static struct weft_key color = {.name = "color"};

static void colored_begin(struct weft_op *op)
{
    leave("%s", (const char *)weft_context_get(op, &color));
    assert_ptr_equal(weft_context_get(op, &color), weft_context_get(weft_current(), &color));
    weft_finish(op, 0);
}

TEST(a_task_has_what_was_set_when_it_was_pushed)
{
    static char red[] = "red", green[] = "green";
    struct weft_op owner = {0}, tasks[3] = {{0}};
    model_up_seeded(&w, 0);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    weft_run(weft_root(&w.loop), &owner, NULL, noted);
    assert_int_equal(weft_context_set(&owner, &color, red), 0);
    weft_queue_push(&queue, &owner, &tasks[0], colored_begin, NULL);
    weft_queue_push(&queue, &owner, &tasks[1], colored_begin, NULL);
    assert_int_equal(weft_context_set(&owner, &color, green), 0);
    weft_queue_push(&queue, &owner, &tasks[2], colored_begin, NULL);
    weft_join(&owner);
    assert_int_equal(world_run(&w), 0);
    assert_string_equal(trail, "red red green ");
    queue_down();
}

/* ---- cargo: items are the requests', loads the owner's -------------------------------------- */

static struct carrier {
    struct weft_load load;
    struct weft_sleep sleep;
} carriers[2];
static struct weft_cargo cargo;
static struct request owner;
static unsigned loads;

/* Something that belongs to all requests, with a value of its own. */
static void owner_up(void)
{
    owner = (struct request){.status = 1};
    weft_run(weft_root(&w.loop), &owner.op, NULL, noted);
    assert_int_equal(weft_context_set(&owner.op, &request_key, &owner), 0);
}

/* It is there until everything else is over. */
static void owner_leaves(struct weft_op *root, struct weft_op *last)
{
    (void)root;
    (void)last;
    assert_int_equal(weft_cargo_close(&cargo), 0);
    weft_finish(&owner.op, 0);
}

static void load_slept(struct weft_op *op, struct weft_op *sleep)
{
    look(&owner, op);
    weft_finish(op, sleep->status);
}

static void load_begin(struct weft_op *op)
{
    struct carrier *carrier = weft_owner(op, struct carrier, load.op);
    look(&owner, op);
    loads++;
    for (struct weft_item *item = carrier->load.first; item != NULL; item = weft_item_next(item))
        assert_ptr_equal(asked_by(&item->op), flow_at(&item->op));
    weft_sleep(op, &carrier->sleep, 4, load_slept);
}

static void begin_items(struct weft_op *op)
{
    for (int i = 0; i < TASKS; i++)
        weft_cargo_push(&cargo, op, &flow_at(op)->items[i], looking_then);
    weft_join(op);
}

TEST(the_items_of_a_load_keep_theirs_and_the_load_has_its_owner_s)
{
    struct weft_sleep all = {{0}, 0, {0}};
    model_up(&w);
    memset(carriers, 0, sizeof carriers);
    loads = 0;
    owner_up();
    assert_int_equal(
        weft_cargo_init(&cargo, &owner.op, WEFT_SLOTS(carriers, load.op), 2, load_begin), 0);
    weft_sleep(weft_root(&w.loop), &all, 1000, owner_leaves);
    run_flows(begin_items, TASKS);
    assert_int_equal(loads, (REQUESTS * TASKS + 1) / 2);
    assert_int_equal(owner.looks, 2 * loads);
    assert_int_equal(owner.released, 1);
    world_down(&w);
}

/* ---- promises ------------------------------------------------------------------------------- */

static struct promised {
    struct weft_promise promise;
    struct weft_sleep sleep;
    int key;
} promised[2];

static void work_begin(struct weft_op *op)
{
    look(&owner, op);
    weft_sleep(op, &weft_owner(op, struct promised, promise.op)->sleep, 5, load_slept);
}

static void begin_awaits(struct weft_op *op)
{
    if (flow_at(op) == &flows[0]) /* who asks first is not who owns it */
        weft_promise(&owner.op, &promised[0].promise, work_begin);
    for (int i = 0; i < TASKS; i++)
        weft_await(op, &flow_at(op)->awaits[i], &promised[0].promise, looking_then);
    weft_join(op);
}

TEST(who_awaits_a_promise_keeps_his_and_its_work_has_its_owner_s)
{
    struct weft_sleep all = {{0}, 0, {0}};
    model_up(&w);
    memset(promised, 0, sizeof promised);
    owner_up();
    weft_sleep(weft_root(&w.loop), &all, 1000, owner_leaves);
    run_flows(begin_awaits, TASKS);
    assert_int_equal(owner.looks, 2);
    assert_int_equal(weft_promise_close(&promised[0].promise), 0);
    world_down(&w);
}

static bool is_key(const struct weft_op *entry, const void *key)
{
    return weft_owner(entry, const struct promised, promise.op)->key == *(const int *)key;
}

static void take_key(struct weft_op *entry, const void *key)
{
    weft_owner(entry, struct promised, promise.op)->key = *(const int *)key;
}

static void begin_asking(struct weft_op *op)
{
    struct flow *flow = flow_at(op);
    struct weft_memo *memo = weft_context_get(weft_root(&w.loop), &color);
    flow->key = 1 + (int)(flow - flows) % 2;
    weft_memoize(op, &flow->ask, memo, &flow->key, looking_end);
}

static unsigned memo_looks;

/* The first one to ask for a key starts it. */
static void look_as_the_starter(const struct weft_op *op)
{
    struct request *starter =
        &flows[weft_owner(op, const struct promised, promise.op)->key - 1].request;
    assert_ptr_equal(asked_by(op), starter);
    assert_ptr_equal(asked_by(weft_current()), starter);
    memo_looks++;
}

static void memo_slept(struct weft_op *op, struct weft_op *sleep)
{
    look_as_the_starter(op);
    weft_finish(op, sleep->status);
}

static void memo_begin(struct weft_op *op)
{
    look_as_the_starter(op);
    weft_sleep(op, &weft_owner(op, struct promised, promise.op)->sleep, 5, memo_slept);
}

TEST(who_asks_a_memo_keeps_his_and_the_work_has_that_of_the_one_who_started_it)
{
    struct weft_memo memo = {.entries = WEFT_SLOTS(promised, promise.op),
                             .owner = &owner.op,
                             .begin = memo_begin,
                             .is = is_key,
                             .take = take_key};
    struct weft_sleep all = {{0}, 0, {0}};
    model_up(&w);
    memset(promised, 0, sizeof promised);
    owner_up();
    memo_looks = 0;
    assert_int_equal(weft_context_set(weft_root(&w.loop), &color, &memo), 0);
    weft_sleep(weft_root(&w.loop), &all, 1000, owner_leaves);
    run_flows(begin_asking, 1);
    assert_int_equal(memo_looks, 4); /* two keys, each begun and slept once */
    assert_int_equal(memo.misses, 2);
    assert_int_equal(weft_memo_close(&memo), 0);
    world_down(&w);
}
