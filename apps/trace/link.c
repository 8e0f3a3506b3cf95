/* What was read becomes one whole: times from zero, operations by their begin, each with its end,
 * its parent and its callbacks.
 *
 * An id that two operations claim belongs to the one that began last: ends and callbacks of others
 * are theirs alone in no trace of ours. A parent that is its own descendant is nobody's parent:
 * the link that closes the circle is cut, so that who follows parents comes to an end. */
#include "trace/model_inside.h"
#include <stdlib.h>
#include <uv.h>
#include <weft/alloc.h>

/* ---- times ---------------------------------------------------------------------------------- */

static int64_t earlier(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static void start_at_zero(struct trace *trace)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < trace->op_count; i++) {
        first = earlier(first, trace->ops[i].begin);
        last = later(last, trace->ops[i].begin);
    }
    for (size_t i = 0; i < trace->call_count; i++) {
        first = earlier(first, trace->calls[i].begin);
        last = later(last, trace->calls[i].end);
    }
    for (size_t i = 0; i < trace->end_count_; i++) {
        first = earlier(first, trace->ends_[i].time);
        last = later(last, trace->ends_[i].time);
    }
    for (size_t i = 0; i < trace->turn_count_; i++) {
        first = earlier(first, trace->turns_[i].time);
        last = later(last, trace->turns_[i].time);
    }
    if (first > last)
        return; /* there is nothing */
    trace->span = last - first;
    for (size_t i = 0; i < trace->op_count; i++)
        trace->ops[i].begin -= first;
    for (size_t i = 0; i < trace->end_count_; i++)
        trace->ends_[i].time -= first;
    for (size_t i = 0; i < trace->turn_count_; i++)
        trace->turns_[i].time -= first;
    for (size_t i = 0; i < trace->call_count; i++) {
        trace->calls[i].begin -= first;
        trace->calls[i].end -= first;
    }
}

/* ---- order ---------------------------------------------------------------------------------- */

static int compare(int64_t one, int64_t other)
{
    return (one > other) - (one < other);
}

/* running holds the place in the file until the callbacks are counted: qsort keeps no order. */
static int by_begin(const void *one, const void *other)
{
    const struct trace_op *a = one, *b = other;
    int order = compare(a->begin, b->begin);
    return order != 0 ? order : compare(a->running, b->running);
}

/* self holds the place in the file. Of two that begin at once the longer is the outer. */
static int by_thread(const void *one, const void *other)
{
    const struct trace_call *a = one, *b = other;
    int order = compare(a->thread, b->thread);
    if (order == 0)
        order = compare(a->begin, b->begin);
    if (order == 0)
        order = compare(b->end, a->end);
    return order != 0 ? order : compare(a->self, b->self);
}

static void sort(struct trace *trace)
{
    for (size_t i = 0; i < trace->op_count; i++)
        trace->ops[i].running = (int64_t)i;
    for (size_t i = 0; i < trace->call_count; i++)
        trace->calls[i].self = (int64_t)i;
    if (trace->op_count > 0)
        qsort(trace->ops, trace->op_count, sizeof *trace->ops, by_begin);
    if (trace->call_count > 0)
        qsort(trace->calls, trace->call_count, sizeof *trace->calls, by_thread);
    for (size_t i = 0; i < trace->op_count; i++)
        trace->ops[i].running = 0;
}

/* ---- who belongs to whom -------------------------------------------------------------------- */

static uint64_t owner_key(struct trace_id id)
{
    return (uint64_t)id.process << 32 | id.text;
}

static uint32_t find(const struct table *table, struct trace_id id)
{
    return table_get(table, id.value, owner_key(id));
}

static int number_ops(const struct trace *trace, struct table *table)
{
    for (uint32_t i = 0; i < trace->op_count; i++) {
        struct trace_id id = trace->ops[i].id;
        uint32_t *number = table_put(table, id.value, owner_key(id));
        if (number == NULL)
            return UV_ENOMEM;
        *number = i;
    }
    return 0;
}

static void find_ends(struct trace *trace, const struct table *table)
{
    for (size_t i = 0; i < trace->op_count; i++)
        trace->ops[i].end = trace->span;
    for (size_t i = 0; i < trace->end_count_; i++) {
        const struct trace_end *end = &trace->ends_[i];
        uint32_t number = find(table, end->id);
        if (number == TRACE_NONE || trace->ops[number].ended)
            continue;
        struct trace_op *op = &trace->ops[number];
        op->ended = true;
        op->end = later(op->begin, end->time);
        op->status = end->status;
    }
}

/* The first turn counts: there is one only in a trace of ours. */
static void find_turns(struct trace *trace, const struct table *table)
{
    for (size_t i = 0; i < trace->turn_count_; i++) {
        const struct trace_end *turn = &trace->turns_[i];
        uint32_t number = find(table, turn->id);
        if (number == TRACE_NONE || trace->ops[number].queued != 0)
            continue;
        struct trace_op *op = &trace->ops[number];
        op->queued = later(0, earlier(turn->time, op->end) - op->begin);
    }
}

static void find_parents(struct trace *trace, const struct table *table)
{
    for (size_t i = 0; i < trace->op_count; i++) {
        struct trace_op *op = &trace->ops[i];
        if (op->parent != TRACE_NONE)
            op->parent = find(table, op->parent_id);
        if (op->promise != TRACE_NONE)
            op->promise = find(table, op->promise_id);
        if (op->promise == i)
            op->promise = TRACE_NONE;
    }
}

/* Each is walked up from once; walk says in which walk an operation was met. */
static int cut_circles(struct trace *trace)
{
    uint32_t *walk = weft_calloc(trace->op_count + 1, sizeof *walk);
    if (walk == NULL)
        return UV_ENOMEM;
    for (uint32_t i = 0; i < trace->op_count; i++) {
        uint32_t at = i;
        while (walk[at] == 0) {
            walk[at] = i + 1;
            uint32_t parent = trace->ops[at].parent;
            if (parent == TRACE_NONE)
                break;
            if (walk[parent] == i + 1)
                trace->ops[at].parent = TRACE_NONE; /* it was met on this walk: a circle */
            else
                at = parent;
        }
    }
    weft_free(walk);
    return 0;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

/* One is inside of another if it begins before that ends. Its own time is that of the inner ones
 * taken off; stack: those that have not ended, the innermost last. */
static void nest(struct trace *trace, uint32_t *stack)
{
    size_t depth = 0;
    for (uint32_t i = 0; i < trace->call_count; i++) {
        struct trace_call *call = &trace->calls[i];
        call->self = call->end - call->begin;
        while (depth > 0 && (trace->calls[stack[depth - 1]].thread != call->thread ||
                             trace->calls[stack[depth - 1]].end <= call->begin))
            depth--;
        if (depth > 0) {
            struct trace_call *outer = &trace->calls[stack[depth - 1]];
            int64_t inside = earlier(call->end, outer->end) - call->begin;
            outer->self = later(0, outer->self - inside);
            outer->longest = later(outer->longest, call->end - call->begin);
        }
        stack[depth++] = i;
    }
}

static int find_callers(struct trace *trace, const struct table *table)
{
    uint32_t *stack = weft_calloc(trace->call_count + 1, sizeof *stack);
    if (stack == NULL)
        return UV_ENOMEM;
    nest(trace, stack);
    weft_free(stack);
    for (size_t i = 0; i < trace->op_count; i++)
        trace->ops[i].back = trace->ops[i].end;
    for (size_t i = 0; i < trace->call_count; i++) {
        struct trace_call *call = &trace->calls[i];
        if (call->op != TRACE_NONE)
            call->op = find(table, call->id);
        if (call->op == TRACE_NONE)
            continue;
        struct trace_op *op = &trace->ops[call->op];
        op->calls++;
        if (__builtin_add_overflow(op->running, call->self, &op->running))
            op->running = INT64_MAX;
        if (op->status == 0)
            op->status = call->status;
        if (op->ended && op->calls == 1)
            op->back = op->begin;
        if (op->ended && call->begin > op->back && call->begin <= op->end)
            op->back = call->begin;
    }
    return 0;
}

int trace_link(struct trace *trace)
{
    struct table table = {0};
    start_at_zero(trace);
    sort(trace);
    int status = number_ops(trace, &table);
    if (status == 0) {
        find_ends(trace, &table);
        find_turns(trace, &table);
        find_parents(trace, &table);
        status = cut_circles(trace);
    }
    if (status == 0)
        status = find_callers(trace, &table);
    table_free(&table);
    weft_free(trace->ends_);
    weft_free(trace->turns_);
    trace->ends_ = trace->turns_ = NULL;
    return status;
}
