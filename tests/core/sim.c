/* The simulation: virtual time, seeded order, one event at a time.
 * ctest: labels=valgrind shuffle=no */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/queue.h>
#include <weft/timer.h>

/* ---- the clock ------------------------------------------------------------------------------ */

TEST(a_year_passes_in_no_time)
{
    struct world w;
    world_up_sim(&w, 0);
    const uint64_t year = 365ULL * 24 * 60 * 60 * 1000;
    struct weft_sleep nap = {.ms = 0};
    weft_sleep(weft_root(&w.loop), &nap, year, noted);
    uint64_t begun = uv_hrtime();
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(w.sim.now_, year);
    assert_true(uv_hrtime() - begun < 10000000000ULL);
}

TEST(the_clock_starts_at_0_and_moves_only_when_nothing_else_can)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_op ops[3] = {0};
    assert_int_equal(weft_now(&w.loop), 0);
    weft_sleep(weft_root(&w.loop), &nap, 10, noted);
    for (int i = 0; i < 3; i++)
        weft_run(weft_root(&w.loop), &ops[i], finish_at_once, noted);
    for (unsigned i = 1; i <= 3; i++) {
        assert_true(weft_sim_step(&w.sim));
        assert_int_equal(seen.calls, i);
        assert_int_equal(weft_now(&w.loop), 0);
    }
    assert_true(weft_sim_step(&w.sim));
    assert_int_equal(weft_now(&w.loop), 10);
    assert_int_equal(seen.calls, 3);
    assert_true(weft_sim_step(&w.sim));
    assert_int_equal(seen.calls, 4);
    assert_false(weft_sim_step(&w.sim));
    assert_int_equal(w.sim.steps, 5);
    world_down(&w);
}

TEST(advance_goes_as_far_as_it_is_told)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep naps[3] = {{.ms = 0}, {.ms = 0}, {.ms = 0}};
    for (unsigned i = 0; i < 3; i++)
        weft_sleep(weft_root(&w.loop), &naps[i], 10 * (i + 1), noted);
    weft_sim_advance(&w.sim, 9);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(weft_now(&w.loop), 9);
    weft_sim_advance(&w.sim, 0);
    assert_int_equal(seen.calls, 0);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(seen.calls, 1);
    weft_sim_advance(&w.sim, 15);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(weft_now(&w.loop), 25);
    world_down(&w);
    assert_int_equal(w.sim.now_, 30);
}

TEST(advance_saturates_and_the_clock_does_not_go_back)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    weft_sim_advance(&w.sim, 1000);
    weft_sleep(weft_root(&w.loop), &nap, 10, noted);
    weft_sim_advance(&w.sim, UINT64_MAX);
    assert_int_equal(seen.calls, 1);
    assert_true(weft_now(&w.loop) >= 1010);
    world_down(&w);
}

TEST(real_time_comes_back_when_the_simulation_is_closed)
{
    struct world w;
    world_up_sim(&w, 5);
    struct weft_sleep nap = {.ms = 0};
    struct weft_op ready = {0}, immediate = {0};
    weft_run(weft_root(&w.loop), &ready, finish_at_once, noted);
    weft_immediate(weft_root(&w.loop), &immediate, noted);
    assert_int_equal(weft_sim_close(&w.sim), 0);
    w.simulated = false;
    assert_int_equal(weft_now(&w.loop), uv_now(&w.uv));
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(seen.calls, 2);
    weft_sleep(weft_root(&w.loop), &nap, 1, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
}

TEST(a_loop_wakes_up_again_after_a_simulation)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
    w.simulated = false;
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
}

TEST(ages_are_told_in_virtual_time)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_sleep nap = {.ms = 0};
    struct weft_op op = {0};
    weft_sleep(weft_root(&w.loop), &nap, 70, noted);
    assert_int_equal(world_run(&w), 0);
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    weft_sleep(weft_root(&w.loop), &nap, 30, noted);
    assert_true(weft_sim_step(&w.sim));
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_stack(&op, file);
    char *text = text_of(file);
    assert_non_null(strstr(text, "NULL [waits for somebody's weft_finish, 30 ms]"));
    free(text);
    fclose(file);
    weft_finish(&op, 0);
    world_down(&w);
}

TEST(a_loop_with_timers_cannot_change_its_clock)
{
    struct world w;
    world_up(&w);
    struct weft_sleep nap = {.ms = 0};
    weft_sleep(weft_root(&w.loop), &nap, 1, noted);
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, 1), UV_EBUSY);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, 1), 0);
    w.simulated = true;
    struct weft_sim second;
    assert_int_equal(weft_sim_init(&second, &w.loop, 1), UV_EBUSY);
    weft_sleep(weft_root(&w.loop), &nap, 1, noted);
    assert_int_equal(weft_sim_close(&w.sim), UV_EBUSY);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
}

TEST(a_loop_with_ready_ops_may_be_simulated)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0}, immediate = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    weft_immediate(weft_root(&w.loop), &immediate, noted);
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, 0), 0);
    w.simulated = true;
    assert_true(weft_sim_step(&w.sim));
    assert_int_equal(seen.calls, 1);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
}

/* ---- steps ---------------------------------------------------------------------------------- */

TEST(a_stuck_simulation_says_so)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op op = {0};
    w.loop.stuck_to = tmpfile();
    assert_non_null(w.loop.stuck_to);
    weft_run(weft_root(&w.loop), &op, begin_counted, noted);
    assert_false(weft_sim_step(&w.sim));
    assert_int_equal(weft_sim_run(&w.sim), WEFT_ESTUCK);
    char *text = text_of(w.loop.stuck_to);
    assert_non_null(strstr(text, "begin_counted [waits"));
    free(text);
    fclose(w.loop.stuck_to);
    weft_finish(&op, 0);
    world_down(&w);
}

static uint64_t invariants;
static unsigned calls_before;
static bool more_than_one;

static void check_one_event(struct weft_sim *sim)
{
    invariants++;
    assert_int_equal(sim->steps, invariants);
    more_than_one = more_than_one || seen.calls > calls_before + 1;
    calls_before = seen.calls;
}

TEST(the_invariant_is_checked_after_each_step)
{
    struct world w;
    world_up_sim(&w, 3);
    struct weft_op ops[20];
    struct weft_sleep naps[3] = {{.ms = 0}, {.ms = 0}, {.ms = 0}};
    memset(ops, 0, sizeof ops);
    invariants = calls_before = more_than_one = 0;
    assert_null(w.sim.invariant);
    w.sim.invariant = check_one_event;
    for (int i = 0; i < 20; i++)
        weft_run(weft_root(&w.loop), &ops[i], finish_at_once, noted);
    for (int i = 0; i < 3; i++)
        weft_sleep(weft_root(&w.loop), &naps[i], 10, noted); /* all due at once: one event */
    world_down(&w);
    assert_int_equal(seen.calls, 23);
    assert_int_equal(invariants, 20 + 1 + 3);
    assert_false(more_than_one);
}

/* ---- the order ------------------------------------------------------------------------------ */

struct letter {
    struct weft_op op;
    char name;
};

static char trace[16];

static void write_letter(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    size_t length = strlen(trace);
    assert_true(length + 1 < sizeof trace);
    trace[length] = weft_owner(op, struct letter, op)->name;
    trace[length + 1] = '\0';
}

/* In which order do so many ready ops report under seed? */
static const char *order_of(unsigned count, uint64_t seed)
{
    struct world w;
    world_up_sim(&w, seed);
    struct letter letters[10];
    memset(letters, 0, sizeof letters);
    trace[0] = '\0';
    for (unsigned i = 0; i < count; i++) {
        letters[i].name = (char)('a' + i);
        weft_run(weft_root(&w.loop), &letters[i].op, finish_at_once, write_letter);
    }
    world_down(&w);
    return trace;
}

TEST(seed_0_is_first_in_first_out)
{
    assert_string_equal(order_of(10, 0), "abcdefghij");
}

TEST(the_same_seed_gives_the_same_order)
{
    for (uint64_t seed = 1; seed < 50; seed++) {
        char first[16];
        snprintf(first, sizeof first, "%s", order_of(10, seed));
        assert_string_equal(order_of(10, seed), first);
    }
}

TEST(other_seeds_give_other_orders)
{
    char first[16];
    unsigned same = 0;
    snprintf(first, sizeof first, "%s", order_of(10, 1));
    for (uint64_t seed = 2; seed < 100; seed++)
        same += strcmp(order_of(10, seed), first) == 0;
    assert_true(same < 3);
}

TEST(every_order_of_four_ops_comes_out)
{
    bool met[256] = {false};
    unsigned orders = 0;
    for (uint64_t seed = 1; seed <= 2000 && orders < 24; seed++) {
        const char *order = order_of(4, seed);
        unsigned key = 0;
        for (int i = 0; i < 4; i++)
            key = key << 2 | (unsigned)(order[i] - 'a');
        orders += !met[key];
        met[key] = true;
    }
    assert_int_equal(orders, 24);
}

TEST(a_loop_without_a_simulation_may_be_shuffled_too)
{
    struct world w;
    unsigned shuffled = 0;
    for (uint64_t seed = 1; seed < 20; seed++) {
        world_up(&w);
        weft_loop_shuffle(&w.loop, seed);
        struct letter letters[6];
        memset(letters, 0, sizeof letters);
        trace[0] = '\0';
        for (unsigned i = 0; i < 6; i++) {
            letters[i].name = (char)('a' + i);
            weft_run(weft_root(&w.loop), &letters[i].op, finish_at_once, write_letter);
        }
        world_down(&w);
        assert_int_equal(strlen(trace), 6);
        shuffled += strcmp(trace, "abcdef") != 0;
    }
    assert_true(shuffled > 10);
}

/* The generator passes its state through 0 once in 2^64 numbers; that must not end the shuffle. */
TEST(a_shuffle_never_ends_by_itself)
{
    struct world w;
    world_up(&w);
    weft_loop_shuffle(&w.loop, (uint64_t)0 - 0x9e3779b97f4a7c15U);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    assert_int_not_equal(w.loop.shuffle_, 0);
    world_down(&w);
}

TEST(random_numbers_come_from_the_seed_and_stay_below_their_limit)
{
    struct world w;
    uint64_t first[20];
    for (int round = 0; round < 2; round++) {
        world_up_sim(&w, 77);
        for (unsigned i = 0; i < 20; i++) {
            uint64_t number = weft_sim_random(&w.sim, 1000);
            assert_true(number < 1000);
            if (round == 1)
                assert_int_equal(number, first[i]);
            first[i] = number;
        }
        assert_int_equal(weft_sim_random(&w.sim, 0), 0);
        assert_int_equal(weft_sim_random(&w.sim, 1), 0);
        world_down(&w);
    }
    world_up_sim(&w, 78);
    unsigned same = 0;
    for (unsigned i = 0; i < 20; i++)
        same += weft_sim_random(&w.sim, 1000) == first[i];
    assert_true(same < 5);
    world_down(&w);
}

/* ---- real I/O ------------------------------------------------------------------------------- */

struct stat_op {
    struct weft_op op;
    uv_fs_t request;
};

static void stat_over(uv_fs_t *request)
{
    struct stat_op *s = weft_owner(request, struct stat_op, request);
    int status = (int)request->result;
    uv_fs_req_cleanup(request);
    weft_finish(&s->op, status < 0 ? status : 0);
}

static void stat_begin(struct weft_op *op)
{
    struct stat_op *s = weft_owner(op, struct stat_op, op);
    assert_int_equal(uv_fs_stat(weft_loop_of(op)->uv, &s->request, "/", stat_over), 0);
}

TEST(virtual_time_stands_still_while_a_request_is_under_way)
{
    struct world w;
    world_up_sim(&w, 0);
    struct stat_op s = {.op = {0}};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_run(weft_root(&w.loop), &s.op, stat_begin, noted);
    weft_deadline(&s.op, &deadline, 1);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 0);
}

struct reader {
    struct weft_op op;
    uv_poll_t poll;
};

static void reader_closed(uv_handle_t *handle)
{
    weft_finish(&weft_owner((uv_poll_t *)handle, struct reader, poll)->op, 0);
}

static void reader_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    uv_close((uv_handle_t *)poll, reader_closed);
}

struct writer {
    struct weft_op op;
    int to;
};

static void write_a_byte(struct weft_op *root, struct weft_op *op)
{
    noted(root, op);
    assert_int_equal(write(weft_owner(op, struct writer, op)->to, "x", 1), 1);
}

/* A handle may never have an event: time goes on beside it. */
TEST(virtual_time_goes_on_beside_a_handle_that_only_waits)
{
    struct world w;
    int ends[2];
    world_up_sim(&w, 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct reader r = {.op = {0}};
    struct writer tick = {.to = ends[1]};
    struct weft_sleep nap = {.ms = 0};
    weft_run(weft_root(&w.loop), &r.op, NULL, noted);
    assert_int_equal(uv_poll_init(&w.uv, &r.poll, ends[0]), 0);
    assert_int_equal(uv_poll_start(&r.poll, UV_READABLE, reader_ready), 0);
    weft_sleep(weft_root(&w.loop), &nap, 1000, noted);
    weft_sim_advance(&w.sim, 1000);
    assert_int_equal(seen.calls, 1);
    weft_tick(weft_root(&w.loop), &tick.op, write_a_byte);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(w.sim.now_, 1000);
    close(ends[0]);
    close(ends[1]);
}

static void write_later(void *fd)
{
    assert_int_equal(write(*(int *)fd, "x", 1), 1);
}

TEST(with_nothing_but_handles_left_the_outside_is_awaited)
{
    struct world w;
    int ends[2];
    uv_thread_t thread;
    world_up_sim(&w, 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct reader r = {.op = {0}};
    weft_run(weft_root(&w.loop), &r.op, NULL, noted);
    assert_int_equal(uv_poll_init(&w.uv, &r.poll, ends[0]), 0);
    assert_int_equal(uv_poll_start(&r.poll, UV_READABLE, reader_ready), 0);
    assert_int_equal(uv_thread_create(&thread, write_later, &ends[1]), 0);
    world_down(&w);
    uv_thread_join(&thread);
    assert_int_equal(seen.calls, 1);
    close(ends[0]);
    close(ends[1]);
}
