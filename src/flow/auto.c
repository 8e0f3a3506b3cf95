/* Auto: a graph of tasks, each begun when those it waits for have succeeded.
 *
 * One question decides everything: is every task done that this one waits for? Before the first
 * task begins, the graph is run in the mind: `done` is given to whoever may have it, until nobody
 * may. Who is without it then waits in a circle, or for one. Then all of it is taken back, and the
 * same question, asked for the whole table each time a task has ended, begins what may begin.
 *
 * Nothing is stuck at the end: when nothing runs, either a task may begin or all are done. */
#include "core/op.h"
#include "weft/auto.h"

/* A task that number waits for and that is not done; WEFT_NONE: it waits for nobody. */
static size_t waits_for(const struct weft_auto *graph, size_t number)
{
    const struct weft_auto_task *task = &graph->tasks[number];
    for (size_t i = 0; i < task->after_count; i++) {
        if (!graph->nodes[task->after[i]].done)
            return task->after[i];
    }
    return WEFT_NONE;
}

/* ---- before anything runs ------------------------------------------------------------------- */

static void nothing_done(struct weft_auto *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        graph->nodes[i].done = false;
        graph->nodes[i].begun_ = false;
    }
}

static void forget(struct weft_auto *graph)
{
    graph->culprit = WEFT_NONE;
    if (graph->nodes != NULL)
        nothing_done(graph);
}

static bool task_valid(const struct weft_auto *graph, const struct weft_auto_task *task)
{
    if (task->begin == NULL || (task->after == NULL && task->after_count != 0))
        return false;
    for (size_t i = 0; i < task->after_count; i++) {
        if (task->after[i] >= graph->count)
            return false;
    }
    return true;
}

static bool graph_valid(struct weft_auto *graph)
{
    if (graph->limit == 0 || (graph->count != 0 && (graph->tasks == NULL || graph->nodes == NULL)))
        return false;
    for (size_t i = 0; i < graph->count; i++) {
        if (!task_valid(graph, &graph->tasks[i])) {
            graph->culprit = i;
            return false;
        }
    }
    return true;
}

/* One walk over the table; how many have become done. */
static size_t imagine(struct weft_auto *graph)
{
    size_t more = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (!graph->nodes[i].done && waits_for(graph, i) == WEFT_NONE) {
            graph->nodes[i].done = true;
            more++;
        }
    }
    return more;
}

/* Who is not done waits for another who is not. Going that way from anyone leads into a circle, in
 * fewer steps than there are tasks, and never out of it. */
static size_t circle_member(const struct weft_auto *graph)
{
    size_t number = 0;
    while (graph->nodes[number].done)
        number++;
    for (size_t i = 0; i < graph->count; i++)
        number = waits_for(graph, number);
    return number;
}

static bool has_circle(struct weft_auto *graph)
{
    size_t left = graph->count, more = 1;
    for (; left != 0 && more != 0; left -= more)
        more = imagine(graph);
    if (left != 0)
        graph->culprit = circle_member(graph);
    nothing_done(graph);
    return left != 0;
}

/* ---- running -------------------------------------------------------------------------------- */

static void task_over(struct weft_op *op, struct weft_op *task);

static bool may_begin(const struct weft_auto *graph)
{
    const struct weft_op *op = &graph->op;
    return op->state_ == OP_RUNNING && !(op->flags_ & OP_REFUSE) && op->running_ < graph->limit;
}

static void begin_tasks(struct weft_auto *graph)
{
    const struct weft_site *site = graph->task_site_ != NULL ? graph->task_site_ : graph->op.site_;
    for (size_t i = 0; i < graph->count && may_begin(graph); i++) {
        struct weft_auto_node *node = &graph->nodes[i];
        if (node->begun_ || waits_for(graph, i) != WEFT_NONE)
            continue;
        node->begun_ = true;
        node->op.place_.index = i;
        weft_run_at(site, &graph->op, &node->op, graph->tasks[i].begin, task_over);
    }
}

static void task_over(struct weft_op *op, struct weft_op *task)
{
    if (task->status != 0) {
        weft_end(op, task->status);
        return;
    }
    weft_owner(task, struct weft_auto_node, op)->done = true;
    begin_tasks(weft_owner(op, struct weft_auto, op));
}

/* Nothing runs, also nothing else that somebody began under the graph's op. */
static void when_idle(struct weft_op *op)
{
    begin_tasks(weft_owner(op, struct weft_auto, op));
    if (op->state_ == OP_RUNNING && op->running_ == 0)
        weft_finish(op, op->reason_);
}

void weft_auto_begin(struct weft_op *op)
{
    struct weft_auto *graph = weft_owner(op, struct weft_auto, op);
    forget(graph);
    if (!graph_valid(graph)) {
        weft_finish(op, UV_EINVAL);
    } else if (has_circle(graph)) {
        weft_finish(op, WEFT_ECYCLE);
    } else {
        op_when_idle(op, when_idle);
        when_idle(op);
    }
}

void weft_auto_at(const struct weft_site *site, const struct weft_site *task_site,
                  struct weft_op *parent, struct weft_auto *graph,
                  const struct weft_auto_task *tasks, struct weft_auto_node *nodes, size_t count,
                  unsigned limit, weft_then_fn *then)
{
    op_check_start(parent, &graph->op);
    graph->tasks = tasks;
    graph->nodes = nodes;
    graph->count = count;
    graph->limit = limit;
    graph->task_site_ = task_site;
    forget(graph); /* under a cancelled parent nothing begins */
    weft_run_at(site, parent, &graph->op, weft_auto_begin, then);
}
