/* Timers and sleep: order, stopping and starting from anywhere, and a long comparison with a model.
 * ctest: labels=valgrind,model */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/timer.h>

static char trace[64];

static void happens(char what)
{
    size_t length = strlen(trace);
    assert_true(length + 1 < sizeof trace);
    trace[length] = what;
    trace[length + 1] = '\0';
}

/* A timer with a letter, and what else it does when it fires. */
struct bell {
    struct weft_timer timer;
    char name;
    struct weft_loop *loop;
    struct weft_timer *stops, *starts;
    uint64_t starts_in;
    unsigned again;
};

static void ring(struct weft_timer *timer)
{
    struct bell *bell = weft_owner(timer, struct bell, timer);
    happens(bell->name);
    if (bell->stops != NULL)
        weft_timer_stop(bell->loop, bell->stops);
    if (bell->starts != NULL && bell->again-- > 0)
        weft_timer_start(bell->loop, bell->starts, bell->starts_in, ring);
}

/* ---- order ---------------------------------------------------------------------------------- */

TEST(timers_fire_in_the_order_of_their_time)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell bells[4] = {{.name = 'c'}, {.name = 'a'}, {.name = 'd'}, {.name = 'b'}};
    const uint64_t ms[4] = {30, 10, 40, 20};
    for (int i = 0; i < 4; i++)
        weft_timer_start(&w.loop, &bells[i].timer, ms[i], ring);
    world_down(&w);
    assert_string_equal(trace, "abcd");
    assert_int_equal(w.sim.now_, 40);
}

TEST(timers_of_the_same_time_fire_in_the_order_in_which_they_were_started)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell bells[6];
    memset(bells, 0, sizeof bells);
    for (int i = 0; i < 6; i++) {
        bells[i].name = (char)('a' + i);
        weft_timer_start(&w.loop, &bells[i].timer, 10, ring);
    }
    weft_timer_start(&w.loop, &bells[1].timer, 10, ring); /* moved: the last one now */
    world_down(&w);
    assert_string_equal(trace, "acdefb");
}

TEST(the_order_survives_a_count_that_starts_over)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell bells[3] = {{.name = 'a'}, {.name = 'b'}, {.name = 'c'}};
    w.loop.timer_count_ = UINT32_MAX - 1;
    for (int i = 0; i < 3; i++)
        weft_timer_start(&w.loop, &bells[i].timer, 5, ring);
    world_down(&w);
    assert_string_equal(trace, "abc");
}

TEST(starting_a_timer_that_runs_moves_it)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell a = {.name = 'a'}, b = {.name = 'b'};
    weft_timer_start(&w.loop, &a.timer, 10, ring);
    weft_timer_start(&w.loop, &b.timer, 20, ring);
    weft_timer_start(&w.loop, &a.timer, 30, ring);
    world_down(&w);
    assert_string_equal(trace, "ba");
    assert_int_equal(w.sim.now_, 30);
}

TEST(a_timer_of_0_ms_fires_from_the_loop_and_not_at_once)
{
    struct world w;
    world_up(&w);
    trace[0] = '\0';
    struct bell a = {.name = 'a'};
    weft_timer_start(&w.loop, &a.timer, 0, ring);
    assert_string_equal(trace, "");
    world_down(&w);
    assert_string_equal(trace, "a");
}

TEST(a_timer_for_ever_comes_after_all_others)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell a = {.name = 'a'}, b = {.name = 'b'}, c = {.name = 'c'};
    weft_sim_advance(&w.sim, 1000);
    weft_timer_start(&w.loop, &a.timer, UINT64_MAX, ring);
    weft_timer_start(&w.loop, &b.timer, 1000ULL * 60 * 60 * 24 * 365 * 1000000, ring);
    weft_timer_start(&w.loop, &c.timer, 1, ring);
    world_down(&w);
    assert_string_equal(trace, "cba");
}

TEST(a_timer_for_ever_can_be_armed_and_stopped_in_real_time)
{
    struct world w;
    world_up(&w);
    trace[0] = '\0';
    struct bell a = {.name = 'a'}, b = {.name = 'b'};
    weft_timer_start(&w.loop, &a.timer, UINT64_MAX, ring);
    weft_timer_start(&w.loop, &b.timer, 1, ring);
    b.stops = &a.timer;
    b.loop = &w.loop;
    world_down(&w);
    assert_string_equal(trace, "b");
}

TEST(even_the_end_of_time_does_not_turn_the_clock_back)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell a = {.name = 'a', .loop = &w.loop};
    a.starts = &a.timer;
    a.starts_in = UINT64_MAX;
    a.again = 9;
    weft_timer_start(&w.loop, &a.timer, UINT64_MAX, ring);
    uint64_t before = 0;
    while (weft_sim_step(&w.sim)) {
        assert_true(weft_now(&w.loop) >= before);
        before = weft_now(&w.loop);
    }
    world_down(&w);
    assert_string_equal(trace, "aaaaaaaaaa");
}

/* ---- stop and start ------------------------------------------------------------------------- */

TEST(a_stopped_timer_does_not_fire_and_is_yours_at_once)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell *a = calloc(1, sizeof *a), b = {.name = 'b'};
    a->name = 'a';
    weft_timer_start(&w.loop, &a->timer, 10, ring);
    weft_timer_start(&w.loop, &b.timer, 20, ring);
    weft_timer_stop(&w.loop, &a->timer);
    memset(a, 0xa5, sizeof *a);
    free(a);
    world_down(&w);
    assert_string_equal(trace, "b");
}

TEST(stopping_a_stopped_timer_is_safe)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell a = {.name = 'a'};
    weft_timer_stop(&w.loop, &a.timer);
    weft_timer_start(&w.loop, &a.timer, 1, ring);
    weft_timer_stop(&w.loop, &a.timer);
    weft_timer_stop(&w.loop, &a.timer);
    assert_int_equal(world_run(&w), 0);
    weft_timer_start(&w.loop, &a.timer, 1, ring);
    assert_int_equal(world_run(&w), 0);
    weft_timer_stop(&w.loop, &a.timer);
    world_down(&w);
    assert_string_equal(trace, "a");
}

TEST(a_timer_may_start_itself_again_when_it_fires)
{
    struct world w;
    world_up_sim(&w, 0);
    trace[0] = '\0';
    struct bell a = {.name = 'a', .loop = &w.loop, .starts_in = 10, .again = 3};
    a.starts = &a.timer;
    weft_timer_start(&w.loop, &a.timer, 10, ring);
    world_down(&w);
    assert_string_equal(trace, "aaaa");
    assert_int_equal(w.sim.now_, 40);
}

TEST(a_timer_that_fires_may_stop_another_that_is_due_too)
{
    for (int real = 0; real < 2; real++) {
        struct world w;
        if (real)
            world_up(&w);
        else
            world_up_sim(&w, 0);
        trace[0] = '\0';
        struct bell a = {.name = 'a', .loop = &w.loop}, b = {.name = 'b'}, c = {.name = 'c'};
        weft_timer_start(&w.loop, &a.timer, 1, ring);
        weft_timer_start(&w.loop, &b.timer, 1, ring);
        weft_timer_start(&w.loop, &c.timer, 1, ring);
        a.stops = &b.timer;
        world_down(&w);
        assert_string_equal(trace, "ac");
    }
}

static void free_bell(struct weft_timer *timer)
{
    struct bell *bell = weft_owner(timer, struct bell, timer);
    happens(bell->name);
    memset(bell, 0xa5, sizeof *bell);
    free(bell);
}

TEST(a_timer_may_be_freed_when_it_fires)
{
    struct world w;
    world_up(&w);
    trace[0] = '\0';
    for (int i = 0; i < 3; i++) {
        struct bell *bell = calloc(1, sizeof *bell);
        bell->name = (char)('a' + i);
        weft_timer_start(&w.loop, &bell->timer, 1, free_bell);
    }
    world_down(&w);
    assert_string_equal(trace, "abc");
}

/* A chain of timers for "now" is not allowed to keep the loop from everything else. */
static unsigned restarts, left_when_stopped;
static uv_idle_t idle;

static void restart(struct weft_timer *timer)
{
    struct bell *bell = weft_owner(timer, struct bell, timer);
    if (restarts == 0)
        return;
    restarts--;
    weft_timer_start(bell->loop, timer, 0, restart);
}

static void stop_restarting(uv_idle_t *handle)
{
    left_when_stopped = restarts;
    restarts = 0;
    uv_close((uv_handle_t *)handle, NULL);
}

TEST(what_is_started_for_now_waits_for_the_next_turn)
{
    struct world w;
    world_up(&w);
    struct bell a = {.loop = &w.loop};
    restarts = 10000000;
    uv_idle_init(&w.uv, &idle);
    uv_idle_start(&idle, stop_restarting);
    weft_timer_start(&w.loop, &a.timer, 0, restart);
    world_down(&w);
    assert_true(left_when_stopped > 9999000);
}

TEST(a_timer_that_is_started_for_now_keeps_the_loop_alive)
{
    struct world w;
    world_up(&w);
    trace[0] = '\0';
    struct bell a = {.name = 'a', .loop = &w.loop, .again = 3};
    a.starts = &a.timer;
    weft_timer_start(&w.loop, &a.timer, 0, ring);
    while (uv_run(&w.uv, UV_RUN_ONCE) != 0)
        continue;
    assert_string_equal(trace, "aaaa");
    world_down(&w);
}

static int close_status;

static void close_in_fire(struct weft_timer *timer)
{
    close_status = weft_loop_close(weft_owner(timer, struct bell, timer)->loop);
}

TEST(a_loop_is_busy_while_a_timer_fires)
{
    for (int real = 0; real < 2; real++) {
        struct world w;
        if (real)
            world_up(&w);
        else
            world_up_sim(&w, 0);
        struct bell a = {.loop = &w.loop};
        close_status = 0;
        weft_timer_start(&w.loop, &a.timer, 0, close_in_fire);
        world_down(&w);
        assert_int_equal(close_status, UV_EBUSY);
    }
}

/* The handle below is armed for the first timer: these change which one that is. */
TEST(in_real_time_the_first_timer_may_change_at_any_moment)
{
    struct world w;
    world_up(&w);
    trace[0] = '\0';
    struct bell a = {.name = 'a'}, b = {.name = 'b'}, c = {.name = 'c'}, d = {.name = 'd'};
    weft_timer_start(&w.loop, &d.timer, 5, ring);
    weft_timer_start(&w.loop, &b.timer, 2, ring); /* earlier than what is armed */
    weft_timer_start(&w.loop, &a.timer, 1, ring);
    weft_timer_stop(&w.loop, &a.timer); /* the first one goes: the handle is early */
    weft_timer_start(&w.loop, &c.timer, 3, ring);
    uint64_t begun = weft_now(&w.loop);
    world_down(&w);
    assert_string_equal(trace, "bcd");
    assert_true(weft_now(&w.loop) >= begun + 5);
}

TEST(in_real_time_no_timer_fires_early)
{
    struct world w;
    world_up(&w);
    for (uint64_t ms = 0; ms < 5; ms++) {
        struct weft_sleep nap = {.ms = 0};
        uv_update_time(&w.uv);
        uint64_t begun = uv_hrtime();
        weft_sleep(weft_root(&w.loop), &nap, ms, noted);
        assert_int_equal(world_run(&w), 0);
        assert_true(uv_hrtime() - begun + 1000000 >= ms * 1000000);
    }
    world_down(&w);
}

/* ---- sleep ---------------------------------------------------------------------------------- */

TEST(a_sleep_takes_its_time_and_no_more)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    weft_sleep(weft_root(&w.loop), &nap, 86400000, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 86400000);
}

TEST(a_sleep_of_0_ms_is_deferred_too)
{
    struct world w;
    world_up(&w);
    struct weft_sleep nap = {.ms = 0};
    weft_sleep(weft_root(&w.loop), &nap, 0, noted);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

static void sleep_again(struct weft_op *root, struct weft_op *op)
{
    if (++seen.calls < 5)
        weft_sleep(root, weft_owner(op, struct weft_sleep, op), 10, sleep_again);
}

TEST(a_sleep_may_be_used_again_in_its_own_then)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    weft_sleep(weft_root(&w.loop), &nap, 10, sleep_again);
    world_down(&w);
    assert_int_equal(seen.calls, 5);
    assert_int_equal(w.sim.now_, 50);
}

static void free_sleep(struct weft_op *root, struct weft_op *op)
{
    noted(root, op);
    struct weft_sleep *nap = weft_owner(op, struct weft_sleep, op);
    memset(nap, 0xa5, sizeof *nap);
    free(nap);
}

TEST(a_cancelled_sleep_may_be_freed_in_its_then)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep *naps[3];
    for (int i = 0; i < 3; i++) {
        naps[i] = calloc(1, sizeof *naps[i]);
        weft_sleep(weft_root(&w.loop), naps[i], 10, free_sleep);
    }
    weft_cancel(&naps[1]->op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
}

/* ---- the model ------------------------------------------------------------------------------ */

/* As simple as can be: every timer, whether it runs, for when and since when; what fires next is
 * looked for. */
enum { TIMERS = 100 };

struct model {
    struct world w;
    struct wound {
        struct weft_timer timer;
        bool running;
        uint64_t due, order;
    } timers[TIMERS];
    uint64_t started, seed;
    unsigned long left, fired;
};
static struct model model;

static struct wound *model_next(void)
{
    struct wound *next = NULL;
    for (int i = 0; i < TIMERS; i++) {
        struct wound *t = &model.timers[i];
        if (t->running &&
            (next == NULL || t->due < next->due || (t->due == next->due && t->order < next->order)))
            next = t;
    }
    return next;
}

static void model_act(void);

static void model_fired(struct weft_timer *timer)
{
    struct wound *t = weft_owner(timer, struct wound, timer);
    model.fired++;
    if (t != model_next() || weft_now(&model.w.loop) != t->due)
        fail_msg("seed %llu: the wrong timer fired", (unsigned long long)model.seed);
    t->running = false;
    for (uint64_t n = weft_sim_random(&model.w.sim, 3); n > 0; n--)
        model_act();
}

static void model_act(void)
{
    struct wound *t = &model.timers[weft_sim_random(&model.w.sim, TIMERS)];
    if (model.left == 0)
        return;
    model.left--;
    if (weft_sim_random(&model.w.sim, 3) == 0) {
        weft_timer_stop(&model.w.loop, &t->timer);
        t->running = false;
        return;
    }
    uint64_t ms = weft_sim_random(&model.w.sim, weft_sim_random(&model.w.sim, 4) == 0 ? 1000 : 8);
    weft_timer_start(&model.w.loop, &t->timer, ms, model_fired);
    t->running = true;
    t->due = weft_now(&model.w.loop) + ms;
    t->order = model.started++;
}

TEST(timers_agree_with_a_model)
{
    memset(&model, 0, sizeof model);
    model.seed = check_seed();
    model.left = check_scale(100000);
    world_up_sim(&model.w, model.seed);
    while (model.left > 0) {
        for (uint64_t n = weft_sim_random(&model.w.sim, 20); n > 0; n--)
            model_act();
        weft_sim_advance(&model.w.sim, weft_sim_random(&model.w.sim, 20));
        const struct wound *next = model_next();
        assert_true(next == NULL || next->due > weft_now(&model.w.loop));
    }
    world_down(&model.w);
    assert_null(model_next());
    assert_true(model.fired > 10000);
}
