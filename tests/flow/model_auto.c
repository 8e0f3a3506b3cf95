/* Auto against a model of it, under thousands of seeded schedules: graphs with and without circles,
 * with tasks that fail, end the whole or take their time, with limits and cancels.
 *
 * The model knows who waits for whom, also through others: a circle is a task that waits for
 * itself. A task begins as soon as it may, and who stands earlier in the table begins earlier. The
 * outcome is what was decided first; what the loop is about to deliver is looked up.
 * ctest: labels=model timeout=120 shuffle=no */
#include "model.h"
#include "core/op.h"
#include <limits.h>
#include <string.h>
#include <weft/flow.h>

enum { TASKS = 9, WAITS = 12, SCHEDULES = 25000 };

enum flaw { NO_FLAW, NO_LIMIT, NO_BEGIN, NO_SUCH_TASK };

static struct world w;
static struct dice dice;

static struct plan {
    struct weft_auto graph;
    struct weft_auto_node nodes[TASKS];
    struct weft_auto_task tasks[TASKS];
    size_t lists[TASKS][WAITS];
    struct job below[TASKS];

    /* what is drawn */
    size_t count, ends_at; /* ends_at: the task whose begin ends the graph */
    unsigned limit;
    int ends_with;
    uint64_t cancel_at;
    enum flaw flaw;
    size_t flawed;

    /* what the model says */
    bool waits[TASKS][TASKS];     /* for whom, directly */
    bool waits_far[TASKS][TASKS]; /* also through others */
    bool circle, begun[TASKS], done[TASKS];
    size_t running;
    bool told, decided;
    int status, reason; /* reason: of the cancel that came before the decision */
} plan;

/* ---- the model ------------------------------------------------------------------------------ */

static bool is_open(void)
{
    return !plan.decided && plan.reason == 0;
}

/* The first word stands; a cancel before it makes a success incomplete. */
static void decide(int status)
{
    if (plan.decided)
        return;
    plan.decided = true;
    plan.status = status != 0 ? status : plan.reason;
}

static bool may_begin(size_t task)
{
    bool may = is_open() && !plan.begun[task] && plan.running < plan.limit;
    for (size_t i = 0; i < plan.count; i++)
        may = may && (!plan.waits[task][i] || plan.done[i]);
    return may;
}

static bool somebody_may_begin(size_t before)
{
    for (size_t i = 0; i < before; i++) {
        if (may_begin(i))
            return true;
    }
    return false;
}

static void find_circles(void)
{
    memcpy(plan.waits_far, plan.waits, sizeof plan.waits);
    for (size_t via = 0; via < plan.count; via++) {
        for (size_t i = 0; i < plan.count; i++) {
            for (size_t j = 0; j < plan.count; j++)
                plan.waits_far[i][j] |= plan.waits_far[i][via] && plan.waits_far[via][j];
        }
    }
    for (size_t i = 0; i < plan.count; i++)
        plan.circle |= plan.waits_far[i][i];
}

/* ---- what the graph calls ------------------------------------------------------------------- */

static void job_ended(struct weft_op *task, struct weft_op *job)
{
    weft_finish(task, job->status);
}

static void task_begin(struct weft_op *task)
{
    size_t number = weft_index(task);
    agree(number < plan.count && task == &plan.nodes[number].op);
    agree(task->parent == &plan.graph.op);
    agree(may_begin(number) && !somebody_may_begin(number));
    plan.begun[number] = true;
    plan.running++;
    if (number == plan.ends_at) {
        decide(plan.ends_with);
        weft_end(task->parent, plan.ends_with);
    }
    weft_run(task, &plan.below[number].op, job_begin, job_ended);
}

static int refused_with(void)
{
    if (plan.flaw != NO_FLAW)
        return UV_EINVAL;
    return plan.circle ? WEFT_ECYCLE : 0;
}

static void check_culprit(void)
{
    size_t culprit = plan.graph.culprit;
    if (plan.flaw == NO_BEGIN || plan.flaw == NO_SUCH_TASK)
        agree(culprit == plan.flawed);
    else if (plan.flaw == NO_FLAW && plan.circle)
        agree(culprit < plan.count && plan.waits_far[culprit][culprit]);
    else
        agree(culprit == WEFT_NONE);
}

static void graph_over(struct weft_op *parent, struct weft_op *op)
{
    agree(parent == weft_root(&w.loop) && op == &plan.graph.op && !plan.told);
    plan.told = true;
    agree(plan.running == 0 && jobs.running == 0);
    check_culprit();
    if (refused_with() != 0) {
        agree(op->status == refused_with() && jobs.begun == 0);
        return;
    }
    agree(op->status == (plan.decided ? plan.status : plan.reason));
    for (size_t i = 0; i < plan.count; i++)
        agree(plan.done[i] || plan.decided || plan.reason != 0);
}

/* ---- a schedule ----------------------------------------------------------------------------- */

static void look_ahead(void)
{
    const struct weft_op *next = w.loop.ready_;
    for (size_t i = 0; i < plan.count; i++) {
        if (next != &plan.nodes[i].op || next->state_ != OP_READY)
            continue;
        agree(plan.begun[i] && !plan.done[i]);
        plan.running--;
        plan.done[i] = next->status == 0;
        if (next->status != 0)
            decide(next->status);
    }
}

static void compare(void)
{
    for (size_t i = 0; i < plan.count; i++)
        agree(plan.nodes[i].done == plan.done[i]);
    if (plan.told || refused_with() != 0)
        return;
    agree(weft_running(&plan.graph.op) == plan.running && plan.running <= plan.limit);
    agree(!somebody_may_begin(plan.count));
}

static void run_to_the_end(void)
{
    struct weft_op *op = &plan.graph.op;
    compare();
    for (;;) {
        if (schedule.steps == plan.cancel_at && op->state_ == OP_RUNNING) {
            if (is_open())
                plan.reason = UV_ETIMEDOUT;
            weft_cancel(op, UV_ETIMEDOUT);
        }
        look_ahead();
        model_tell_next(&w);
        if (!weft_sim_step(&w.sim))
            return;
        schedule.steps++;
        compare();
        agree(schedule.steps < 100000);
    }
}

/* Without circles everybody waits only for those that come before in an order that is drawn. */
static void draw_waits(void)
{
    size_t order[TASKS];
    bool free_for_all = chance(&dice, 5);
    unsigned one_in = 2 + (unsigned)roll(&dice, 6);
    for (size_t i = 0; i < plan.count; i++) {
        size_t at = roll(&dice, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; i < plan.count; i++) {
        for (size_t j = 0; j < plan.count; j++) {
            bool allowed = free_for_all || order[j] < order[i];
            plan.waits[i][j] = allowed && chance(&dice, free_for_all ? 2 * one_in : one_in);
        }
    }
}

static void list_waits(size_t task)
{
    struct weft_auto_task *entry = &plan.tasks[task];
    size_t *list = plan.lists[task];
    entry->begin = task_begin;
    entry->after = list;
    for (size_t j = 0; j < plan.count; j++) {
        if (!plan.waits[task][j])
            continue;
        list[entry->after_count++] = j;
        if (entry->after_count + TASKS < WAITS && chance(&dice, 4))
            list[entry->after_count++] = j; /* twice */
    }
}

static void draw_flaw(void)
{
    if (plan.count == 0 || !chance(&dice, 20))
        return;
    plan.flaw = (enum flaw)between(&dice, NO_LIMIT, NO_SUCH_TASK);
    plan.flawed = roll(&dice, plan.count);
    struct weft_auto_task *task = &plan.tasks[plan.flawed];
    if (plan.flaw == NO_LIMIT)
        plan.limit = 0;
    else if (plan.flaw == NO_BEGIN)
        task->begin = NULL;
    else
        plan.lists[plan.flawed][task->after_count++] = plan.count + roll(&dice, 3);
}

static void draw_plan(void)
{
    memset(&plan, 0, sizeof plan);
    plan.count = roll(&dice, TASKS + 1);
    plan.limit = chance(&dice, 3) ? UINT_MAX : 1 + (unsigned)roll(&dice, 4);
    plan.ends_at = chance(&dice, 5) ? roll(&dice, TASKS) : TASKS;
    plan.ends_with = chance(&dice, 2) ? 0 : UV_EACCES;
    plan.cancel_at = chance(&dice, 2) ? UINT64_MAX : roll(&dice, 40);
    draw_waits();
    bool failures = chance(&dice, 2);
    for (size_t i = 0; i < plan.count; i++) {
        list_waits(i);
        plan.nodes[i].done = plan.nodes[i].begun_ = chance(&dice, 2); /* of an earlier run */
        plan.below[i].ms = chance(&dice, 3) ? 0 : roll(&dice, 6);
        plan.below[i].linger_ms = chance(&dice, 3) ? roll(&dice, 4) : 0;
        plan.below[i].status = failures && chance(&dice, 6) ? UV_EIO - (int)roll(&dice, 3) : 0;
    }
    draw_flaw();
    find_circles();
}

static void one_graph(uint64_t seed)
{
    model_begin("auto", seed);
    dice.state = seed;
    jobs = (struct jobs){0};
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
    draw_plan();
    weft_auto_at(WEFT_HERE("auto", WEFT_FLOW), WEFT_HERE("task", WEFT_USER), weft_root(&w.loop),
                 &plan.graph, plan.tasks, plan.nodes, plan.count, plan.limit, graph_over);
    run_to_the_end();
    agree(plan.told && w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(auto_agrees_with_its_model)
{
    model_schedules(&w, one_graph, SCHEDULES);
}
