/* weft_go: main() in one line.
 * ctest: labels=valgrind */
#include "loop.h"
#include "fault.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <weft/cargo.h>
#include <weft/timer.h>

struct job {
    struct weft_op op;
    struct weft_op kids[2];
    struct weft_sleep nap;
};

static void napped(struct weft_op *op, struct weft_op *nap)
{
    weft_finish(op, nap->status != 0 ? nap->status : UV_ENOENT);
}

static void nap_then_fail(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct job, op)->nap, 1, napped);
}

TEST(go_runs_an_op_to_its_end_and_returns_its_status)
{
    struct job job = {.op = {0}};
    assert_int_equal(weft_go(&job.op, finish_at_once), 0);
    assert_int_equal(weft_go(&job.op, fail_at_once), UV_EIO);
    assert_int_equal(weft_go(&job.op, nap_then_fail), UV_ENOENT);
}

TEST(go_needs_an_op_and_a_begin)
{
    struct weft_op op = {0};
    assert_int_equal(weft_go(NULL, finish_at_once), UV_EINVAL);
    assert_int_equal(weft_go(&op, NULL), UV_EINVAL);
    assert_int_equal(weft_go(&op, finish_at_once), 0);
}

static void leave_a_nap_beside(struct weft_op *op)
{
    struct job *job = weft_owner(op, struct job, op);
    weft_sleep(weft_root(weft_loop_of(op)), &job->nap, 2, noted);
    weft_finish(op, 0);
}

TEST(go_waits_for_what_was_begun_beside_the_op)
{
    struct job job = {.op = {0}};
    seen = (struct seen){.status = 1};
    assert_int_equal(weft_go(&job.op, leave_a_nap_beside), 0);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(go_reports_what_libuv_lacks)
{
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    struct weft_op op = {0};
    int status = weft_go(&op, finish_at_once);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, UV_EMFILE);
}

/* ---- stuck ---------------------------------------------------------------------------------- */

/* What is stuck is told on stderr, so each of these is run in a process that ends by saying what
 * came out of it. */
static void tell(int status)
{
    fprintf(stderr, "go returned %s\n", weft_error_name(status));
    abort();
}

static void go_with_an_op_that_obeys(void)
{
    struct weft_op op = {0};
    tell(weft_go(&op, wait_for_cancel));
}

TEST(go_names_what_is_stuck_and_returns)
{
    dies(go_with_an_op_that_obeys, "nothing can finish these", "wait_for_cancel [waiting",
         "go_with_an_op_that_obeys()", "go returned ESTUCK");
}

static void forget_to_finish(struct weft_op *op)
{
    struct job *job = weft_owner(op, struct job, op);
    weft_run(op, &job->kids[0], NULL, NULL);
    weft_run(op, &job->kids[1], NULL, NULL);
}

static void go_with_ops_that_nobody_finishes(void)
{
    struct job job = {.op = {0}};
    tell(weft_go(&job.op, forget_to_finish));
}

TEST(go_gives_up_on_ops_that_nobody_finishes)
{
    dies(go_with_ops_that_nobody_finishes, "nothing can finish these", "forget_to_finish [waiting",
         "NULL [waits for somebody's weft_finish, ", "go returned ESTUCK");
}

static void finish_well(struct weft_op *op, int reason)
{
    (void)reason;
    weft_finish(op, 0);
}

static void wait_and_finish_well(struct weft_op *op)
{
    weft_on_cancel(op, finish_well);
}

static void go_with_an_op_that_makes_light_of_it(void)
{
    struct weft_op op = {0};
    tell(weft_go(&op, wait_and_finish_well));
}

static void leave_one_beside(struct weft_op *op)
{
    static struct weft_op beside;
    weft_run(weft_root(weft_loop_of(op)), &beside, wait_for_cancel, NULL);
    weft_finish(op, 0);
}

static void go_with_one_beside(void)
{
    struct weft_op op = {0};
    tell(weft_go(&op, leave_one_beside));
}

TEST(go_that_was_stuck_says_so_whatever_the_op_says)
{
    dies(go_with_an_op_that_makes_light_of_it, "go returned ESTUCK");
    dies(go_with_one_beside, "wait_for_cancel [waiting", "go returned ESTUCK");
}

/* Its work has not let go: the storage is in use, and nothing will ever change that. */
static void never_let_go(struct weft_op *op, int reason)
{
    (void)op;
    (void)reason;
}

static void hold_on(struct weft_op *op)
{
    weft_on_cancel(op, never_let_go);
}

static void go_with_work_that_never_lets_go(void)
{
    struct weft_op op = {0};
    weft_go(&op, hold_on);
}

TEST(go_with_work_that_never_lets_go_breaks_a_rule)
{
    dies(go_with_work_that_never_lets_go, "nothing can finish these", "rule 2 (once)",
         "hold_on [waiting, cancelled (ESTUCK)", "go_with_work_that_never_lets_go()");
}

/* ---- memory --------------------------------------------------------------------------------- */

static void go_once(unsigned long n)
{
    struct job job = {.op = {0}};
    int status = weft_go(&job.op, nap_then_fail);
    assert_true(status == UV_ENOENT || status == UV_ENOMEM);
    assert_int_equal(status == UV_ENOMEM, weft_fault_hit());
    (void)n;
}

TEST(go_survives_running_out_of_memory)
{
    fault_ladder(go_once);
    assert_int_equal(fault_ladder_height(), 1);
}

static void nap_for_a_day(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct job, op)->nap, 24 * 3600 * 1000, weft_pass);
}

static void wait_for_nothing(struct weft_op *op)
{
    weft_run(op, &weft_owner(op, struct job, op)->kids[0], NULL, weft_pass);
}

TEST(go_in_a_simulation_sleeps_a_day_at_once)
{
    struct job job = {.op = {0}};
    uint64_t before = uv_hrtime();
    assert_int_equal(weft_sim_go(&job.op, nap_for_a_day, 0), 0);
    assert_int_equal(weft_sim_go(&job.op, nap_for_a_day, 7), 0);
    assert_true(uv_hrtime() - before < UINT64_C(30) * 1000 * 1000 * 1000);
    assert_int_equal(weft_sim_go(&job.op, nap_then_fail, 7), UV_ENOENT);
    assert_int_equal(weft_sim_go(NULL, finish_at_once, 0), UV_EINVAL);
    assert_int_equal(weft_sim_go(&job.op, NULL, 0), UV_EINVAL);
}

TEST(go_in_a_simulation_tells_what_is_stuck)
{
    struct job job = {.op = {0}};
    assert_int_equal(weft_sim_go(&job.op, wait_for_nothing, 0), WEFT_ESTUCK);
}

/* An item on a load has work of its own, but it is its worker that nothing finishes. */
static struct freight {
    struct weft_op op, owner, sender;
    struct weft_cargo cargo;
    struct weft_load loads[1];
    struct weft_item item;
} freight;

static void never_come_back(struct weft_op *op)
{
    (void)op;
}

static void send_it(struct weft_op *op)
{
    weft_cargo_push(&freight.cargo, op, &freight.item, NULL);
    weft_join(op);
}

static void lose_a_load(struct weft_op *op)
{
    weft_run(op, &freight.owner, NULL, noted);
    weft_cargo_init(&freight.cargo, &freight.owner, WEFT_SLOTS(freight.loads, op), 1,
                    never_come_back);
    weft_run(op, &freight.sender, send_it, noted);
    weft_join(op);
}

TEST(go_finishes_whatever_can_be_finished_and_frees_what_hangs_on_it)
{
    assert_int_equal(weft_sim_go(&freight.op, lose_a_load, 0), WEFT_ESTUCK);
}
