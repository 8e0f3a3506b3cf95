/* A million synchronous completions, and trees as deep: on a stack of 64 KiB, and with a timer and
 * a socket beside them that must not starve.
 * ctest: labels=stress,valgrind-long */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/timer.h>

enum { MILLION = 1000000 };

/* ---- a socket that talks to itself, and a timer --------------------------------------------- */

struct company {
    uv_pipe_t ends[2];
    uv_timer_t timer;
    unsigned echoes, ticks;
    bool closing;
};

static void say(uv_pipe_t *end)
{
    char byte = 'x';
    uv_buf_t text = uv_buf_init(&byte, 1);
    assert_int_equal(uv_try_write((uv_stream_t *)end, &text, 1), 1);
}

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *room)
{
    static char storage[64];
    (void)handle;
    (void)wanted;
    *room = uv_buf_init(storage, sizeof storage);
}

/* What one end hears it says back to the other. */
static void heard(uv_stream_t *stream, ssize_t length, const uv_buf_t *text)
{
    struct company *c = stream->data;
    (void)text;
    if (length <= 0 || c->closing)
        return;
    c->echoes++;
    say((uv_pipe_t *)stream);
}

static void ticked(uv_timer_t *timer)
{
    ((struct company *)timer->data)->ticks++;
}

static void company_up(struct company *c, uv_loop_t *uv)
{
    uv_os_sock_t sockets[2];
    memset(c, 0, sizeof *c);
    assert_int_equal(uv_socketpair(SOCK_STREAM, 0, sockets, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(uv_pipe_init(uv, &c->ends[i], 0), 0);
        assert_int_equal(uv_pipe_open(&c->ends[i], sockets[i]), 0);
        c->ends[i].data = c;
        assert_int_equal(uv_read_start((uv_stream_t *)&c->ends[i], give_room, heard), 0);
    }
    uv_timer_init(uv, &c->timer);
    c->timer.data = c;
    uv_timer_start(&c->timer, ticked, 1, 1);
    say(&c->ends[0]);
}

static void company_down(struct company *c)
{
    if (c->closing)
        return;
    c->closing = true;
    uv_close((uv_handle_t *)&c->ends[0], NULL);
    uv_close((uv_handle_t *)&c->ends[1], NULL);
    uv_close((uv_handle_t *)&c->timer, NULL);
}

/* Nobody is starved if everybody has had many turns. How many completions that takes is up to the
 * machine; with one that starves them, all of these would go by without a single turn. */
static bool content(const struct company *c)
{
    return c->echoes >= 100 && c->ticks >= 3;
}

enum { PATIENCE = 200 * MILLION };

/* ---- an op that runs again and again -------------------------------------------------------- */

struct runner {
    struct weft_op op;
    struct company company;
    unsigned long times;
};

static void run_again(struct weft_op *root, struct weft_op *op)
{
    struct runner *r = weft_owner(op, struct runner, op);
    r->times++;
    if ((r->times >= MILLION && content(&r->company)) || r->times == PATIENCE)
        company_down(&r->company);
    else
        weft_run(root, op, finish_at_once, run_again);
}

static void run_a_million_times(void)
{
    struct world w;
    world_up(&w);
    struct runner r = {.times = 0};
    company_up(&r.company, &w.uv);
    weft_run(weft_root(&w.loop), &r.op, finish_at_once, run_again);
    world_down(&w);
    assert_true(r.times >= MILLION);
    assert_true(content(&r.company));
}

TEST(a_million_synchronous_completions_starve_nobody_on_a_small_stack)
{
    on_a_small_stack(run_a_million_times);
}

static void immediate_again(struct weft_op *root, struct weft_op *op)
{
    struct runner *r = weft_owner(op, struct runner, op);
    r->times++;
    if ((r->times >= 10000 && content(&r->company)) || r->times == PATIENCE)
        company_down(&r->company);
    else
        weft_immediate(root, op, immediate_again);
}

TEST(a_long_chain_of_immediates_starves_nobody)
{
    struct world w;
    world_up(&w);
    struct runner r = {.times = 0};
    company_up(&r.company, &w.uv);
    weft_immediate(weft_root(&w.loop), &r.op, immediate_again);
    world_down(&w);
    assert_true(content(&r.company));
    assert_true(r.company.echoes >= 1000); /* one link an iteration */
}

/* ---- many children -------------------------------------------------------------------------- */

struct crowd {
    struct weft_op op;
    struct weft_op *kids;
};

static void crowd_begin(struct weft_op *op)
{
    struct crowd *c = weft_owner(op, struct crowd, op);
    for (int i = 0; i < MILLION; i++)
        weft_run(op, &c->kids[i], finish_at_once, noted);
    weft_join(op);
}

static void run_a_crowd(void)
{
    struct world w;
    world_up(&w);
    struct crowd c = {.kids = calloc(MILLION, sizeof *c.kids)};
    weft_run(weft_root(&w.loop), &c.op, crowd_begin, noted);
    world_down(&w);
    assert_int_equal(seen.calls, MILLION + 1);
    assert_ptr_equal(seen.op, &c.op);
    free(c.kids);
}

TEST(a_million_children_finish_at_once_on_a_small_stack)
{
    on_a_small_stack(run_a_crowd);
}

/* ---- deep trees ----------------------------------------------------------------------------- */

struct link {
    struct weft_op op;
    struct link *next;
};

static struct link *chain_of(size_t count)
{
    struct link *links = calloc(count, sizeof *links);
    assert_non_null(links);
    for (size_t i = 0; i + 1 < count; i++)
        links[i].next = &links[i + 1];
    return links;
}

static void nest(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL)
        weft_run(op, &link->next->op, nest, NULL);
    else
        seen.begun++;
    weft_join(op);
}

enum { DEEP = 200000 };

static void nest_deep(void)
{
    struct world w;
    world_up(&w);
    struct link *links = chain_of(DEEP);
    weft_run(weft_root(&w.loop), &links[0].op, nest, noted);
    world_down(&w);
    assert_int_equal(seen.begun, 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    free(links);
}

TEST(begins_nest_200000_deep_on_a_small_stack)
{
    on_a_small_stack(nest_deep);
}

static void nest_and_wait(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL) {
        weft_run(op, &link->next->op, nest_and_wait, NULL);
        weft_join(op);
    } else {
        wait_for_cancel(op);
    }
}

static void cancel_deep(void)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct link *links = chain_of(MILLION);
    weft_run(weft_root(&w.loop), &links[0].op, nest_and_wait, noted);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    weft_cancel(&links[0].op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(links[0].op.status, UV_ETIMEDOUT);
    assert_int_equal(links[MILLION - 1].op.status, UV_ETIMEDOUT);
    free(links);
}

TEST(a_tree_a_million_deep_is_cancelled_on_a_small_stack)
{
    on_a_small_stack(cancel_deep);
}

static void fail_deep(void)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = NULL;
    struct link *links = chain_of(DEEP);
    weft_run(weft_root(&w.loop), &links[0].op, nest_and_wait, noted);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    weft_finish(&links[DEEP - 1].op, UV_EIO);
    world_down(&w);
    assert_int_equal(seen.status, UV_EIO);
    free(links);
}

TEST(an_error_climbs_out_of_a_deep_tree_on_a_small_stack)
{
    on_a_small_stack(fail_deep);
}

/* ---- 100,000 timers ------------------------------------------------------------------------- */

enum { TIMERS = 100000 };

static void arm_many(void)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep *naps = calloc(TIMERS, sizeof *naps);
    assert_non_null(naps);
    for (int i = 0; i < TIMERS; i++)
        weft_sleep(weft_root(&w.loop), &naps[i], weft_sim_random(&w.sim, 1000), noted);
    for (int i = 0; i < TIMERS; i += 2)
        weft_cancel(&naps[i].op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, TIMERS);
    for (int i = 0; i < TIMERS; i++)
        assert_int_equal(naps[i].op.status, i % 2 == 0 ? UV_ECANCELED : 0);
    free(naps);
}

TEST(a_hundred_thousand_sleeps_half_of_them_cancelled_on_a_small_stack)
{
    on_a_small_stack(arm_many);
}
