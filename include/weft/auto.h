/* weft/auto.h: tasks that wait for one another: a graph of dependencies.
 *
 *     enum { CONFIG, PEOPLE, ORDERS, REPORT, TASKS };
 *     static const struct weft_auto_task tasks[TASKS] = {
 *         [CONFIG] = {.begin = read_config},
 *         [PEOPLE] = {.begin = load_people, WEFT_AFTER(CONFIG)},
 *         [ORDERS] = {.begin = load_orders, WEFT_AFTER(CONFIG)},
 *         [REPORT] = {.begin = write_report, WEFT_AFTER(PEOPLE, ORDERS)},
 *     };
 *
 * See weft/flow.h for what all of control flow has in common. */
#ifndef WEFT_AUTO_H
#define WEFT_AUTO_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task: begun when all tasks in `after` have succeeded. It is the begin of an op of its own, that
 * of its node, and finishes that; op->parent is the graph's op, weft_index(op) the task's number.
 * A table of these outlives the run, and so do its lists: those of WEFT_AFTER at file scope do. */
struct weft_auto_task {
    weft_begin_fn *begin;
    const size_t *after;
    size_t after_count;
};
#define WEFT_AFTER(...)                                                                            \
    .after = (const size_t[]){__VA_ARGS__},                                                        \
    .after_count = sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t)

/* Where a task runs: one for each, in storage of yours, zeroed before its first run. */
struct weft_auto_node {
    struct weft_op op;
    bool done; /* read only: the task has succeeded */
    bool begun_;
};

/* Runs every task, at most limit at once (UINT_MAX: as many as can), in the order of the table
 * where there is a choice. The first error ends it: what runs is cancelled, what waits is never
 * begun, and nodes[i].done tells what was complete by then. weft_end(graph, 0) is an early exit.
 * WEFT_ECYCLE: tasks wait for one another in a circle; culprit is one of them, and nothing was
 * begun. UV_EINVAL: limit is 0, there are no nodes, a begin is NULL, or a task waits for a number
 * that is none; culprit is the task's number, WEFT_NONE if it was no task. Looking for what may
 * begin costs a walk over the table for each task that ends: meant for hundreds of tasks, not for
 * millions. */
struct weft_auto {
    struct weft_op op;
    const struct weft_auto_task *tasks;
    struct weft_auto_node *nodes;
    size_t count;
    unsigned limit;
    size_t culprit;
    const struct weft_site *task_site_;
};
/* tasks is an array; nodes has as many elements. */
#define weft_auto(parent, graph, tasks, nodes, limit, then)                                        \
    weft_auto_at(WEFT_HERE("auto", WEFT_FLOW), WEFT_HERE("auto task", WEFT_USER), parent, graph,   \
                 tasks, nodes, sizeof(tasks) / sizeof(tasks)[0], limit, then)
WEFT_API void weft_auto_at(const struct weft_site *site, const struct weft_site *task_site,
                           struct weft_op *parent, struct weft_auto *graph,
                           const struct weft_auto_task *tasks, struct weft_auto_node *nodes,
                           size_t count, unsigned limit, weft_then_fn *then);
WEFT_API void weft_auto_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
