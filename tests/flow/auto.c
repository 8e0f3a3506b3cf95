/* Auto: tasks that wait for one another.
 * ctest: labels=valgrind */
#include "model.h"
#include "provider.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <weft/flow.h>
#include <weft/queue.h>

enum { CONFIG, PEOPLE, ORDERS, REPORT, TASKS };

static struct world w;
static struct weft_auto graph;
static struct weft_auto_node nodes[TASKS];
static struct job below[TASKS]; /* what each task runs */

static void up(void)
{
    model_up(&w);
    memset(&graph, 0, sizeof graph);
    memset(nodes, 0, sizeof nodes);
    memset(below, 0, sizeof below);
    graph.culprit = 77; /* garbage of an earlier life */
    for (int i = 0; i < TASKS; i++)
        nodes[i].done = nodes[i].begun_ = true;
}

static void job_ended(struct weft_op *task, struct weft_op *job)
{
    weft_finish(task, job->status);
}

static void run_job(struct weft_op *task)
{
    size_t number = weft_index(task);
    assert_ptr_equal(task, &nodes[number].op);
    assert_ptr_equal(task->parent, &graph.op);
    leave("%zu", number);
    weft_run(task, &below[number].op, job_begin, job_ended);
}

static const struct weft_auto_task report[TASKS] = {
    [CONFIG] = {.begin = run_job},
    [PEOPLE] = {.begin = run_job, WEFT_AFTER(CONFIG)},
    [ORDERS] = {.begin = run_job, WEFT_AFTER(CONFIG)},
    [REPORT] = {.begin = run_job, WEFT_AFTER(PEOPLE, ORDERS)},
};

/* The same backwards: each task stands before those it waits for. */
static const struct weft_auto_task reversed[TASKS] = {
    {.begin = run_job, WEFT_AFTER(1, 2)},
    {.begin = run_job, WEFT_AFTER(3)},
    {.begin = run_job, WEFT_AFTER(3)},
    {.begin = run_job},
};

static const struct weft_auto_task loose[TASKS] = {
    {.begin = run_job}, {.begin = run_job}, {.begin = run_job}, {.begin = run_job}};

static void begin_table(const struct weft_auto_task *tasks, size_t count, unsigned limit)
{
    weft_auto_at(WEFT_HERE("auto", WEFT_FLOW), NULL, weft_root(&w.loop), &graph, tasks, nodes,
                 count, limit, noted);
    assert_int_equal(seen.calls, 0);
}

static void down(void)
{
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(jobs.running, 0);
}

static void run_table(const struct weft_auto_task *tasks, size_t count, unsigned limit)
{
    begin_table(tasks, count, limit);
    down();
}

static void assert_done(const char *expected)
{
    char done[TASKS + 1] = "";
    for (int i = 0; i < TASKS; i++)
        strcat(done, nodes[i].done ? "+" : "-");
    assert_string_equal(done, expected);
}

/* ---- order and limit ------------------------------------------------------------------------ */

TEST(each_task_begins_when_those_it_waits_for_have_succeeded)
{
    up();
    below[CONFIG].ms = 5;
    below[PEOPLE].ms = 3;
    below[ORDERS].ms = 8;
    below[REPORT].ms = 2;
    weft_auto(weft_root(&w.loop), &graph, report, nodes, UINT_MAX, noted);
    weft_sim_advance(&w.sim, 4);
    assert_string_equal(trail, "0 ");
    weft_sim_advance(&w.sim, 1);
    assert_string_equal(trail, "0 1 2 ");
    weft_sim_advance(&w.sim, 7);
    assert_string_equal(trail, "0 1 2 ");
    assert_done("++--");
    down();
    assert_string_equal(trail, "0 1 2 3 ");
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 5 + 8 + 2);
    assert_true(graph.culprit == WEFT_NONE);
    assert_done("++++");
}

TEST(a_table_in_reverse_order_runs_too)
{
    up();
    run_table(reversed, TASKS, UINT_MAX);
    assert_string_equal(trail, "3 1 2 0 ");
    assert_int_equal(seen.status, 0);
}

TEST(tasks_that_wait_for_nobody_begin_at_once_in_the_order_of_the_table)
{
    up();
    begin_table(loose, TASKS, UINT_MAX);
    assert_string_equal(trail, "0 1 2 3 ");
    down();
    assert_int_equal(jobs.most, 1); /* each ends in its begin */
}

TEST(no_more_than_limit_run_at_once)
{
    for (unsigned limit = 1; limit <= TASKS + 1; limit++) {
        up();
        for (size_t i = 0; i < TASKS; i++)
            below[i].ms = 5;
        run_table(loose, TASKS, limit);
        assert_int_equal(jobs.most, limit < TASKS ? limit : TASKS);
        assert_string_equal(trail, "0 1 2 3 ");
        assert_int_equal(seen.status, 0);
        assert_int_equal(w.sim.now_, 5 * ((TASKS + limit - 1) / limit));
    }
}

TEST(where_there_is_a_choice_the_earlier_in_the_table_goes_first)
{
    const struct weft_auto_task tasks[TASKS] = {{.begin = run_job, WEFT_AFTER(1)},
                                                {.begin = run_job},
                                                {.begin = run_job},
                                                {.begin = run_job}};
    up();
    run_table(tasks, TASKS, 1);
    assert_string_equal(trail, "1 0 2 3 ");
}

TEST(an_empty_graph_finishes_with_0)
{
    up();
    weft_auto_at(WEFT_HERE("auto", WEFT_FLOW), NULL, weft_root(&w.loop), &graph, NULL, NULL, 0, 1,
                 noted);
    assert_int_equal(seen.calls, 0);
    down();
    assert_int_equal(seen.status, 0);
}

TEST(a_task_may_name_one_it_waits_for_twice)
{
    const struct weft_auto_task tasks[] = {{.begin = run_job, WEFT_AFTER(1, 1, 1)},
                                           {.begin = run_job}};
    up();
    below[1].ms = 3;
    run_table(tasks, 2, 5);
    assert_string_equal(trail, "1 0 ");
    assert_int_equal(seen.status, 0);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refused(const struct weft_auto_task *tasks, size_t count, int status)
{
    up();
    run_table(tasks, count, 2);
    assert_int_equal(seen.status, status);
    assert_string_equal(trail, "");
    for (size_t i = 0; i < count; i++)
        assert_false(nodes[i].done);
}

TEST(a_limit_of_0_is_invalid)
{
    up();
    run_table(report, TASKS, 0);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_string_equal(trail, "");
    assert_true(graph.culprit == WEFT_NONE);
}

TEST(tasks_without_a_table_or_nodes_are_invalid)
{
    up();
    run_table(NULL, TASKS, 1);
    assert_int_equal(seen.status, UV_EINVAL);
    up();
    weft_auto_at(WEFT_HERE("auto", WEFT_FLOW), NULL, weft_root(&w.loop), &graph, report, NULL,
                 TASKS, 1, noted);
    down();
    assert_int_equal(seen.status, UV_EINVAL);
    assert_true(graph.culprit == WEFT_NONE);
}

TEST(a_task_without_a_begin_is_invalid_and_named)
{
    const struct weft_auto_task tasks[] = {{.begin = run_job}, {.begin = run_job}, {.begin = NULL}};
    refused(tasks, 3, UV_EINVAL);
    assert_int_equal(graph.culprit, 2);
}

TEST(a_task_that_waits_for_a_number_that_is_none_is_invalid_and_named)
{
    const struct weft_auto_task tasks[] = {{.begin = run_job},
                                           {.begin = run_job, WEFT_AFTER(0, 2)}};
    refused(tasks, 2, UV_EINVAL);
    assert_int_equal(graph.culprit, 1);
    const struct weft_auto_task far[] = {{.begin = run_job, WEFT_AFTER(SIZE_MAX)},
                                         {.begin = run_job}};
    refused(far, 2, UV_EINVAL);
    assert_int_equal(graph.culprit, 0);
}

TEST(a_count_without_a_list_is_invalid_and_named)
{
    const struct weft_auto_task tasks[] = {{.begin = run_job},
                                           {.begin = run_job, .after_count = 1}};
    refused(tasks, 2, UV_EINVAL);
    assert_int_equal(graph.culprit, 1);
}

TEST(a_task_that_waits_for_itself_is_a_circle)
{
    const struct weft_auto_task tasks[] = {{.begin = run_job},
                                           {.begin = run_job, WEFT_AFTER(0, 1)}};
    refused(tasks, 2, WEFT_ECYCLE);
    assert_int_equal(graph.culprit, 1);
}

TEST(two_that_wait_for_one_another_are_a_circle)
{
    const struct weft_auto_task tasks[] = {{.begin = run_job},
                                           {.begin = run_job, WEFT_AFTER(2)},
                                           {.begin = run_job, WEFT_AFTER(0, 1)}};
    refused(tasks, 3, WEFT_ECYCLE);
    assert_true(graph.culprit == 1 || graph.culprit == 2);
}

TEST(the_culprit_is_in_the_circle_and_not_behind_it)
{
    const struct weft_auto_task behind[] = {
        {.begin = run_job, WEFT_AFTER(1)}, /* waits for the circle */
        {.begin = run_job, WEFT_AFTER(2)},
        {.begin = run_job, WEFT_AFTER(3)},
        {.begin = run_job, WEFT_AFTER(3)}, /* is the circle */
    };
    refused(behind, TASKS, WEFT_ECYCLE);
    assert_int_equal(graph.culprit, 3);
    const struct weft_auto_task between[] = {
        {.begin = run_job, WEFT_AFTER(3, 2)},
        {.begin = run_job, WEFT_AFTER(2)},
        {.begin = run_job, WEFT_AFTER(3, 1)},
        {.begin = run_job}, /* before the circle of 1 and 2; 0 is behind it */
    };
    refused(between, TASKS, WEFT_ECYCLE);
    assert_true(graph.culprit == 1 || graph.culprit == 2);
}

/* ---- what ends it early --------------------------------------------------------------------- */

TEST(the_first_error_ends_it_and_tells_what_was_complete)
{
    up();
    below[PEOPLE] = (struct job){.ms = 3, .status = UV_EIO};
    below[ORDERS] = (struct job){.ms = 9, .linger_ms = 4};
    run_table(report, TASKS, UINT_MAX);
    assert_string_equal(trail, "0 1 2 ");
    assert_int_equal(seen.status, UV_EIO);
    assert_int_equal(below[ORDERS].cancelled, 1);
    assert_int_equal(w.sim.now_, 7);
    assert_done("+---");
}

TEST(a_second_error_changes_nothing)
{
    up();
    below[0] = (struct job){.ms = 1, .status = UV_EIO};
    below[1] = (struct job){.ms = 2, .linger_ms = 1, .status = UV_ENOENT};
    below[2] = (struct job){.ms = 1, .status = UV_EIO};
    below[3].ms = 9;
    run_table(loose, TASKS, UINT_MAX);
    assert_int_equal(seen.status, UV_EIO);
    assert_done("----");
}

TEST(an_error_at_once_begins_nothing_that_waits)
{
    up();
    below[CONFIG].status = UV_EIO;
    run_table(report, TASKS, 1);
    assert_string_equal(trail, "0 ");
    assert_int_equal(seen.status, UV_EIO);
}

TEST(a_success_that_was_ready_when_the_error_came_counts_as_complete)
{
    up();
    below[0].status = UV_EIO; /* 0 and 1 are ready together, in any order */
    run_table(loose, TASKS, 2);
    assert_int_equal(seen.status, UV_EIO);
    assert_false(nodes[0].done);
    assert_true(nodes[1].done);
}

static void end_well(struct weft_op *task)
{
    leave("end");
    weft_end(task->parent, 0);
    weft_finish(task, 0);
}

TEST(a_task_may_end_it_early_and_well)
{
    const struct weft_auto_task tasks[] = {{.begin = run_job},
                                           {.begin = end_well, WEFT_AFTER(0)},
                                           {.begin = run_job, WEFT_AFTER(1)},
                                           {.begin = run_job}};
    up();
    below[3].ms = 50;
    run_table(tasks, TASKS, UINT_MAX);
    assert_string_equal(trail, "0 3 end ");
    assert_int_equal(seen.status, 0);
    assert_int_equal(below[3].cancelled, 1);
    assert_done("++--");
}

TEST(a_task_that_ends_it_in_the_begin_keeps_the_others_from_beginning)
{
    const struct weft_auto_task tasks[] = {
        {.begin = end_well}, {.begin = run_job}, {.begin = run_job}};
    up();
    run_table(tasks, 3, UINT_MAX);
    assert_string_equal(trail, "end ");
    assert_int_equal(seen.status, 0);
}

TEST(a_cancel_midway_stops_what_runs_and_begins_no_other)
{
    up();
    below[PEOPLE] = (struct job){.ms = 100, .linger_ms = 3};
    below[ORDERS].ms = 5;
    begin_table(report, TASKS, UINT_MAX);
    weft_sim_advance(&w.sim, 10);
    weft_cancel(&graph.op, UV_ETIMEDOUT);
    weft_sim_advance(&w.sim, 2);
    assert_int_equal(seen.calls, 0);
    down();
    assert_string_equal(trail, "0 1 2 ");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_done("+-+-");
}

TEST(a_cancel_while_a_success_is_ready_begins_no_other)
{
    up();
    const struct weft_auto_task tasks[] = {{.begin = finish_at_once},
                                           {.begin = run_job, WEFT_AFTER(0)}};
    begin_table(tasks, 2, 1);
    weft_cancel(&graph.op, UV_ETIMEDOUT);
    down();
    assert_string_equal(trail, "");
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_true(nodes[0].done);
    assert_false(nodes[1].done);
}

TEST(under_a_cancelled_parent_nothing_begins)
{
    up();
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_EACCES);
    weft_auto(&parent, &graph, report, nodes, 2, noted);
    weft_join(&parent);
    world_down(&w);
    assert_string_equal(trail, "");
    assert_int_equal(graph.op.status, UV_EACCES);
}

TEST(a_deadline_ends_it)
{
    up();
    static struct weft_deadline deadline;
    below[ORDERS].ms = 100;
    begin_table(report, TASKS, UINT_MAX);
    weft_deadline(&graph.op, &deadline, 10);
    down();
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(w.sim.now_, 10);
    assert_done("++--");
}

/* ---- begun again, nested, beside others ----------------------------------------------------- */

TEST(it_can_be_begun_again)
{
    up();
    below[ORDERS].status = UV_EIO;
    begin_table(report, TASKS, 1);
    world_run(&w);
    assert_int_equal(seen.status, UV_EIO);
    assert_done("++--");
    below[ORDERS].status = 0;
    seen.calls = 0;
    run_table(report, TASKS, 1);
    assert_string_equal(trail, "0 1 2 0 1 2 3 ");
    assert_int_equal(seen.status, 0);
    assert_done("++++");
}

TEST(it_can_be_tried_again_as_a_whole)
{
    up();
    static struct weft_retry retry;
    memset(&retry, 0, sizeof retry);
    below[ORDERS].status = UV_EIO;
    graph = (struct weft_auto){.tasks = report, .nodes = nodes, .count = TASKS, .limit = 1};
    weft_retry(weft_root(&w.loop), &retry, &graph.op, weft_auto_begin, 2, 5, noted);
    down();
    assert_string_equal(trail, "0 1 2 0 1 2 ");
    assert_int_equal(seen.status, UV_EIO);
}

TEST(it_waits_for_its_place_in_a_queue)
{
    up();
    struct weft_queue queue;
    struct job first = {.ms = 5};
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    graph = (struct weft_auto){.tasks = report, .nodes = nodes, .count = TASKS, .limit = 2};
    weft_queue_push(&queue, weft_root(&w.loop), &first.op, job_begin, job_over);
    weft_queue_push(&queue, weft_root(&w.loop), &graph.op, weft_auto_begin, noted);
    assert_string_equal(trail, "");
    world_run(&w);
    weft_queue_close(&queue);
    down();
    assert_string_equal(trail, "0 1 2 3 ");
    assert_int_equal(seen.status, 0);
}

/* A task leaves something behind that runs under the graph and takes a place. */
static struct job left_behind;

static void leave_behind(struct weft_op *task)
{
    leave("behind");
    weft_run(task->parent, &left_behind.op, job_begin, job_over);
    weft_finish(task, 0);
}

TEST(what_else_runs_under_its_op_takes_a_place_and_is_awaited)
{
    const struct weft_auto_task tasks[] = {{.begin = leave_behind}, {.begin = run_job}};
    up();
    left_behind = (struct job){.ms = 7};
    begin_table(tasks, 2, 1);
    weft_sim_advance(&w.sim, 6);
    assert_string_equal(trail, "behind ");
    down();
    assert_string_equal(trail, "behind 1 ");
    assert_int_equal(seen.status, 0);
}

TEST(the_sites_name_the_users_line)
{
    up();
    int line = __LINE__ + 1;
    weft_auto(weft_root(&w.loop), &graph, report, nodes, 1, noted);
    assert_string_equal(graph.op.site_->type, "auto");
    assert_int_equal(graph.op.site_->line, line);
    assert_int_equal(graph.op.site_->group, WEFT_FLOW);
    assert_string_equal(nodes[0].op.site_->type, "auto task");
    assert_int_equal(nodes[0].op.site_->line, line);
    down();
}

/* ---- many ----------------------------------------------------------------------------------- */

/* Each waits for the one behind it: the worst order. */
enum { MANY = 1000 };
static size_t finished;

static void finish_counted(struct weft_op *task)
{
    assert_int_equal(weft_index(task), MANY - 1 - finished);
    finished++;
    weft_finish(task, 0);
}

static void chain(void)
{
    struct weft_auto_task *tasks = calloc(MANY, sizeof *tasks);
    struct weft_auto_node *many = calloc(MANY, sizeof *many);
    size_t *after = calloc(MANY, sizeof *after);
    for (size_t i = 0; i < MANY; i++) {
        after[i] = i + 1;
        tasks[i] = (struct weft_auto_task){finish_counted, &after[i], i + 1 < MANY};
    }
    up();
    finished = 0;
    weft_auto_at(WEFT_HERE("auto", WEFT_FLOW), NULL, weft_root(&w.loop), &graph, tasks, many, MANY,
                 3, noted);
    down();
    free(tasks);
    free(many);
    free(after);
}

TEST(a_long_chain_in_reverse_order_uses_the_stack_of_one)
{
    on_a_small_stack(chain);
    assert_int_equal(finished, MANY);
    assert_int_equal(seen.status, 0);
}

/* ---- the contract --------------------------------------------------------------------------- */

struct plan {
    struct weft_auto graph;
    struct weft_auto_node nodes[3];
    struct job job;
};

static void plan_job_over(struct weft_op *task, struct weft_op *job)
{
    weft_finish(task, job->status);
}

static void plan_job(struct weft_op *task)
{
    struct plan *plan = weft_owner(task->parent, struct plan, graph.op);
    weft_run(task, &plan->job.op, job_begin, plan_job_over);
}

static const struct weft_auto_task steps[3] = {{.begin = plan_job, WEFT_AFTER(2)},
                                               {.begin = finish_at_once, WEFT_AFTER(0, 2)},
                                               {.begin = finish_at_once}};

static void good(void *storage)
{
    struct plan *plan = storage;
    plan->graph.tasks = steps;
    plan->graph.nodes = plan->nodes;
    plan->graph.count = 3;
    plan->graph.limit = 1;
    plan->job.ms = 2;
    plan->job.status = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct plan *)storage)->job.status = UV_EIO;
}

static void verify(void *storage)
{
    for (int i = 0; i < 3; i++)
        assert_true(((struct plan *)storage)->nodes[i].done);
}

TEST(an_auto_conforms)
{
    static const struct weft_provider provider = {
        .name = "auto",
        WEFT_PROVIDER_OP(struct plan, graph.op),
        .begin = weft_auto_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_EIO,
        .nothing_status = UV_EINVAL,
        .verify = verify,
    };
    provider_check(&provider);
}
