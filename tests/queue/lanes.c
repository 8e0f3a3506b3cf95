/* Lanes: a limit for each, turns between them, ranks above them.
 * ctest: labels=valgrind */
#include "tasks.h"
#include <limits.h>
#include <stdlib.h>

static struct weft_lane a, b, c;

static void lanes_up(unsigned limit, unsigned lane_limit)
{
    up(limit);
    assert_int_equal(weft_lane_init(&a, &queue, lane_limit, WEFT_RANK_NORMAL), 0);
    assert_int_equal(weft_lane_init(&b, &queue, lane_limit, WEFT_RANK_NORMAL), 0);
    assert_int_equal(weft_lane_init(&c, &queue, lane_limit, WEFT_RANK_NORMAL), 0);
}

/* Tasks number from, from + 1 ... to lane. */
static void fill(struct weft_lane *lane, int from, int count)
{
    for (int i = 0; i < count; i++)
        push_to(lane, from + i);
}

TEST(a_lane_needs_a_place_a_queue_a_rank_and_storage)
{
    up(1);
    assert_int_equal(weft_lane_init(&a, &queue, 0, 0), UV_EINVAL);
    assert_int_equal(weft_lane_init(&a, NULL, 1, 0), UV_EINVAL);
    assert_int_equal(weft_lane_init(NULL, &queue, 1, 0), UV_EINVAL);
    assert_int_equal(weft_lane_init(&a, &queue, 1, WEFT_RANKS), UV_EINVAL);
    assert_int_equal(weft_lane_init(&a, &queue, 1, UINT_MAX), UV_EINVAL);
    assert_int_equal(weft_lane_init(&a, &queue, UINT_MAX, WEFT_RANKS - 1), 0);
    down();
}

TEST(the_main_lane_has_normal_rank_and_no_limit_of_its_own)
{
    up(1);
    assert_int_equal(queue.main.rank, WEFT_RANK_NORMAL);
    assert_int_equal(queue.main.limit, UINT_MAX);
    assert_ptr_equal(queue.main.queue, &queue);
    down();
}

TEST(a_lane_runs_no_more_than_its_limit)
{
    lanes_up(10, 2);
    all_take(5);
    fill(&a, 0, 6);
    let_pass(0);
    assert_int_equal(a.running, 2);
    assert_int_equal(a.waiting, 4);
    assert_int_equal(queue.running, 2);
    assert_int_equal(queue.waiting, 4);
    down();
    assert_int_equal(jobs.most, 2);
    assert_int_equal(w.sim.now_, 15);
}

TEST(a_full_lane_does_not_hold_up_the_others)
{
    lanes_up(4, 1);
    all_take(5);
    fill(&a, 0, 3);
    fill(&b, 10, 1);
    fill(&c, 20, 1);
    let_pass(0);
    assert_string_equal(trail, "0 10 20 ");
    down();
}

TEST(lanes_with_something_to_do_take_turns_exactly)
{
    lanes_up(1, UINT_MAX);
    fill(&a, 0, 5);
    fill(&b, 10, 3);
    fill(&c, 20, 4);
    down();
    assert_string_equal(trail, "0 10 20 1 11 21 2 12 22 3 23 4 ");
}

TEST(the_main_lane_takes_its_turn_with_the_others)
{
    lanes_up(1, UINT_MAX);
    fill(&a, 0, 3);
    push_some(10, 12);
    fill(&b, 20, 2);
    down();
    assert_string_equal(trail, "0 10 20 1 11 21 2 12 ");
}

TEST(turns_are_taken_whatever_the_number_of_places)
{
    lanes_up(3, UINT_MAX);
    all_take(5);
    fill(&a, 0, 6);
    fill(&b, 10, 2);
    down();
    assert_string_equal(trail, "0 10 1 11 2 3 4 5 ");
}

TEST(a_lane_that_becomes_busy_again_waits_for_its_turn)
{
    lanes_up(1, UINT_MAX);
    all_take(1);
    fill(&a, 0, 1);
    fill(&b, 10, 3);
    let_pass(0); /* 0 runs; b is next */
    fill(&a, 1, 2);
    down();
    assert_string_equal(trail, "0 10 1 11 2 12 ");
}

TEST(a_lane_that_was_full_comes_back_at_the_end_of_the_line)
{
    lanes_up(2, 1);
    all_take(4);
    tasks[0].ms = 2;
    fill(&a, 0, 3);
    fill(&b, 10, 2);
    fill(&c, 20, 1);
    let_pass(1);
    assert_string_equal(trail, "0 10 ");
    down(); /* a is free at 2, but c has waited longer */
    assert_string_equal(trail, "0 10 20 1 11 2 ");
}

TEST(lanes_of_a_smaller_rank_go_first_always)
{
    struct weft_lane ranked[WEFT_RANKS];
    up(1);
    for (unsigned rank = 0; rank < WEFT_RANKS; rank++)
        assert_int_equal(weft_lane_init(&ranked[rank], &queue, UINT_MAX, rank), 0);
    for (int rank = WEFT_RANKS - 1; rank >= 0; rank--) {
        push_to(&ranked[rank], 2 * rank);
        push_to(&ranked[rank], 2 * rank + 1);
    }
    down();
    assert_string_equal(trail, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ");
}

TEST(a_task_of_a_smaller_rank_overtakes_those_that_wait_but_not_those_that_run)
{
    struct weft_lane urgent;
    up(1);
    all_take(10);
    assert_int_equal(weft_lane_init(&urgent, &queue, UINT_MAX, 0), 0);
    push_some(0, 2);
    let_pass(1);
    push_to(&urgent, 3);
    down();
    assert_string_equal(trail, "0 3 1 2 ");
}

TEST(a_full_lane_of_a_smaller_rank_lets_the_next_rank_begin)
{
    struct weft_lane urgent;
    up(3);
    all_take(10);
    assert_int_equal(weft_lane_init(&urgent, &queue, 1, 0), 0);
    tasks[10].ms = 11;
    tasks[11].ms = 12;
    fill(&urgent, 0, 3);
    push_some(10, 13);
    down();
    assert_string_equal(trail, "0 10 11 1 12 13 2 ");
}

TEST(lanes_of_the_same_rank_take_turns_below_a_smaller_one)
{
    struct weft_lane urgent;
    lanes_up(1, UINT_MAX);
    assert_int_equal(weft_lane_init(&urgent, &queue, UINT_MAX, 1), 0);
    fill(&a, 0, 2);
    fill(&b, 10, 2);
    fill(&urgent, 20, 2);
    down();
    assert_string_equal(trail, "20 21 0 10 1 11 ");
}

TEST(push_front_is_the_front_of_its_lane)
{
    lanes_up(1, UINT_MAX);
    fill(&a, 0, 2);
    fill(&b, 10, 2);
    weft_lane_push_front(&b, weft_root(&w.loop), &tasks[20].op, work, job_over);
    down();
    assert_string_equal(trail, "0 20 1 10 11 ");
}

TEST(a_limit_of_a_lane_can_be_raised_while_it_runs)
{
    lanes_up(10, 1);
    all_take(10);
    fill(&a, 0, 6);
    let_pass(1);
    assert_int_equal(a.running, 1);
    assert_int_equal(weft_lane_limit(&a, 4), 0);
    assert_int_equal(a.limit, 4);
    assert_int_equal(a.running, 1); /* not from inside the call */
    let_pass(0);
    assert_int_equal(a.running, 4);
    down();
    assert_int_equal(jobs.most, 4);
}

TEST(a_limit_of_a_lane_can_be_lowered_while_it_runs_and_stops_nothing)
{
    lanes_up(10, 4);
    all_take(10);
    fill(&a, 0, 8);
    let_pass(1);
    assert_int_equal(weft_lane_limit(&a, 2), 0);
    let_pass(1);
    assert_int_equal(a.running, 4);
    let_pass(8);
    assert_int_equal(a.running, 2);
    down();
    assert_int_equal(jobs.cancelled, 0);
    assert_int_equal(jobs.reported, 8);
}

TEST(a_lane_needs_at_least_one_place)
{
    lanes_up(1, 3);
    assert_int_equal(weft_lane_limit(&a, 0), UV_EINVAL);
    assert_int_equal(a.limit, 3);
    down();
}

TEST(nothing_of_a_paused_lane_begins_and_what_runs_goes_on)
{
    lanes_up(1, UINT_MAX);
    all_take(5);
    fill(&a, 0, 3);
    fill(&b, 10, 2);
    let_pass(1);
    weft_lane_pause(&a);
    weft_lane_pause(&a); /* idempotent */
    let_pass(100);
    assert_string_equal(trail, "0 10 11 ");
    assert_int_equal(tasks[0].op.status, 0);
    assert_int_equal(a.waiting, 2);
    weft_lane_resume(&a);
    weft_lane_resume(&a);
    assert_string_equal(trail, "0 10 11 ");
    down();
    assert_string_equal(trail, "0 10 11 1 2 ");
}

TEST(a_lane_that_is_paused_before_its_turn_is_passed_over)
{
    lanes_up(1, UINT_MAX);
    all_take(5);
    fill(&b, 10, 2);
    fill(&a, 0, 2);
    let_pass(1);
    weft_lane_pause(&a); /* its turn would be next */
    let_pass(100);
    assert_string_equal(trail, "10 11 ");
    weft_lane_resume(&a);
    down();
    assert_string_equal(trail, "10 11 0 1 ");
}

TEST(a_task_may_be_pushed_to_a_paused_lane_and_waits)
{
    lanes_up(5, UINT_MAX);
    weft_lane_pause(&a);
    fill(&a, 0, 2);
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_string_equal(trail, "");
    weft_lane_resume(&a);
    down();
    assert_string_equal(trail, "0 1 ");
}

TEST(a_waiting_task_of_a_paused_lane_can_be_cancelled)
{
    lanes_up(5, UINT_MAX);
    weft_lane_pause(&a);
    fill(&a, 0, 2);
    weft_cancel(&tasks[0].op, UV_ECANCELED);
    weft_cancel(&tasks[1].op, UV_ECANCELED);
    weft_lane_resume(&a);
    down();
    assert_string_equal(trail, "");
}

TEST(a_lane_cannot_be_closed_while_tasks_of_it_wait_or_run)
{
    lanes_up(1, UINT_MAX);
    all_take(5);
    push(20);
    fill(&a, 0, 1);
    let_pass(1);
    assert_int_equal(a.waiting, 1);
    assert_int_equal(weft_lane_close(&a), UV_EBUSY);
    let_pass(5);
    assert_int_equal(a.running, 1);
    assert_int_equal(weft_lane_close(&a), UV_EBUSY);
    let_pass(5);
    assert_int_equal(weft_lane_close(&a), 0);
    assert_int_equal(weft_lane_close(&a), 0);
    down();
}

TEST(the_others_go_on_without_a_lane_that_was_closed)
{
    lanes_up(1, UINT_MAX);
    assert_int_equal(weft_lane_close(&b), 0);
    memset(&b, 0xdd, sizeof b);
    fill(&a, 0, 2);
    fill(&c, 20, 2);
    down();
    assert_string_equal(trail, "0 20 1 21 ");
}

TEST(every_lane_can_be_closed_and_made_again_in_any_order)
{
    for (int order = 0; order < 6; order++) {
        static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        struct weft_lane *lanes[] = {&a, &b, &c};
        lanes_up(1, UINT_MAX);
        for (int i = 0; i < 3; i++) {
            struct weft_lane *lane = lanes[orders[order][i]];
            assert_int_equal(weft_lane_close(lane), 0);
            memset(lane, 0xdd, sizeof *lane);
            assert_int_equal(weft_lane_init(lane, &queue, 1, 2), 0);
            push_to(lane, i);
        }
        down();
        assert_string_equal(trail, "0 1 2 ");
    }
}

struct host {
    struct weft_lane lane;
    struct job job;
};

static void free_host(struct weft_op *parent, struct weft_op *op)
{
    job_over(parent, op);
    struct host *host = weft_owner(op, struct host, job.op);
    assert_int_equal(weft_lane_close(&host->lane), 0);
    memset(host, 0xdd, sizeof *host);
    free(host);
}

TEST(a_lane_may_be_closed_and_freed_in_the_then_of_its_last_task)
{
    up(2);
    for (int i = 0; i < 6; i++) {
        struct host *host = calloc(1, sizeof *host);
        host->job = (struct job){.ms = (uint64_t)i % 3, .status = i == 2 ? UV_EIO : 0};
        assert_int_equal(weft_lane_init(&host->lane, &queue, 1, (unsigned)i), 0);
        weft_lane_push(&host->lane, weft_root(&w.loop), &host->job.op, job_begin, free_host);
    }
    down();
    assert_int_equal(jobs.reported, 6);
}

static void close_lane_on_error(struct weft_listener *listener, void *about)
{
    (void)listener;
    struct host *host = weft_owner((struct weft_op *)about, struct host, job.op);
    leave("%s", weft_error_name(weft_lane_close(&host->lane)));
}

TEST(a_lane_is_busy_until_the_task_that_failed_has_been_told)
{
    up(2);
    struct weft_listener on_error = {0};
    weft_on(&queue.events, WEFT_QUEUE_ERROR, &on_error, close_lane_on_error);
    struct host *host = calloc(1, sizeof *host);
    host->job.status = UV_EIO;
    assert_int_equal(weft_lane_init(&host->lane, &queue, 1, 0), 0);
    weft_lane_push(&host->lane, weft_root(&w.loop), &host->job.op, job_begin, free_host);
    down();
    assert_string_equal(trail, "EBUSY ");
}

TEST(closing_the_queue_lets_go_of_every_lane)
{
    lanes_up(1, 1);
    assert_int_equal(weft_queue_close(&queue), 0);
    assert_null(a.queue);
    assert_null(b.queue);
    assert_null(c.queue);
    assert_null(queue.main.queue);
    assert_int_equal(weft_lane_close(&a), 0);
    world_down(&w);
}

static void push_to_let_go(void)
{
    lanes_up(1, 1);
    weft_queue_close(&queue);
    push_to(&a, 0);
}

TEST(a_task_cannot_be_pushed_to_a_lane_of_a_closed_queue)
{
    dies(push_to_let_go, "rule 1", "closed");
}

static void limit_of_let_go(void)
{
    lanes_up(1, 1);
    weft_queue_close(&queue);
    weft_lane_limit(&a, 3);
}

static void rate_of_let_go(void)
{
    lanes_up(1, 1);
    weft_queue_close(&queue);
    weft_lane_rate(&a, 1, 1, 1);
}

static void resume_of_let_go(void)
{
    lanes_up(1, 1);
    weft_lane_close(&a);
    weft_lane_resume(&a);
}

static void resume_of_closed(void)
{
    lanes_up(1, 1);
    weft_queue_close(&queue);
    weft_queue_resume(&queue);
}

static void lane_of_closed(void)
{
    lanes_up(1, 1);
    weft_queue_close(&queue);
    weft_lane_init(&a, &queue, 1, 1);
    push_to(&a, 0);
}

TEST(using_a_closed_lane_or_queue_breaks_rule_1)
{
    dies(limit_of_let_go, "rule 1", "closed");
    dies(rate_of_let_go, "rule 1", "closed");
    dies(resume_of_let_go, "rule 1", "closed");
    dies(resume_of_closed, "rule 1", "closed");
    dies(lane_of_closed, "rule 1", "closed");
}

TEST(a_thousand_lanes_take_turns)
{
    enum { LANES = 1000 };
    up(1);
    struct weft_lane *lanes = calloc(LANES, sizeof *lanes);
    struct job *many = calloc(2 * LANES, sizeof *many);
    for (int i = 0; i < LANES; i++)
        assert_int_equal(weft_lane_init(&lanes[i], &queue, 1, WEFT_RANK_NORMAL), 0);
    for (int i = 0; i < 2 * LANES; i++)
        weft_lane_push(&lanes[i / 2], weft_root(&w.loop), &many[i].op, job_begin, job_over);
    while (jobs.begun < LANES)
        assert_true(weft_sim_step(&w.sim));
    for (int i = 0; i < LANES; i++)
        assert_int_equal(many[2 * i].begun, 1); /* the first of each before the second of any */
    down();
    assert_int_equal(jobs.reported, 2 * LANES);
    free(lanes);
    free(many);
}

TEST(a_lane_of_a_closed_queue_is_invalid)
{
    struct weft_lane lane;
    up(1);
    assert_int_equal(weft_queue_close(&queue), 0);
    assert_int_equal(weft_lane_init(&lane, &queue, 1, WEFT_RANK_NORMAL), UV_EINVAL);
    world_down(&w);
}
