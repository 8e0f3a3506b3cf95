/* Figures a type. The lengths of one type lie side by side in one array: first all are counted,
 * then each type gets its part of it, and the parts are sorted. */
#include "trace/analysis_inside.h"
#include <stdlib.h>
#include <uv.h>
#include <weft/alloc.h>

static int by_value(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* What lives long has waited longest and says least: it comes last. */
static int by_total(const void *one, const void *other)
{
    const struct analysis_type *a = one, *b = other;
    int64_t times[2] = {a->total, b->total};
    if (a->handle != b->handle)
        return a->handle ? 1 : -1;
    if (times[0] == times[1]) { /* only callbacks: by what these took */
        times[0] = a->running.total;
        times[1] = b->running.total;
    }
    if (times[0] != times[1])
        return times[0] < times[1] ? 1 : -1;
    return (a->type > b->type) - (a->type < b->type);
}

static void count(struct analysis *analysis, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->type_count; i++)
        analysis->types[i].type = i;
    for (size_t i = 0; i < trace->op_count; i++) {
        const struct trace_op *op = &trace->ops[i];
        struct analysis_type *type = &analysis->types[op->type];
        type->count++;
        type->open += !op->ended;
        type->handle = type->handle || op->handle;
        type->calls += op->calls;
        if (op->ended)
            type->total = time_sum(type->total, analysis_length(op));
        if (op->ended)
            type->queued = time_sum(type->queued, op->queued);
    }
    /* What an operation has run counts for its type; what nobody owns, for the callback's own. */
    for (size_t i = 0; i < trace->call_count; i++) {
        const struct trace_call *call = &trace->calls[i];
        struct analysis_type *type = &analysis->types[call->type];
        if (call->op != TRACE_NONE)
            continue;
        type->calls++;
        type->running.total = time_sum(type->running.total, call->self);
        if (call->self > type->running.most)
            type->running.most = call->self;
    }
}

/* values are sorted. Nearest rank. */
static void measure(struct analysis_times *times, int64_t *values, size_t size)
{
    if (size == 0)
        return;
    qsort(values, size, sizeof *values, by_value);
    for (size_t i = 0; i < size; i++)
        times->total = time_sum(times->total, values[i]);
    times->p50 = values[(size + 1) / 2 - 1];
    times->p99 = values[size - size / 100 - 1];
    times->most = values[size - 1] > times->most ? values[size - 1] : times->most;
}

static void measure_types(struct analysis *analysis, const struct trace *trace, int64_t *values,
                          size_t *ends, bool running)
{
    size_t next = 0;
    for (size_t i = 0; i < trace->type_count; i++) {
        ends[i] = next; /* where it begins; it grows to its end as values come in */
        next += analysis->types[i].count - analysis->types[i].open;
    }
    for (size_t i = 0; i < trace->op_count; i++) {
        const struct trace_op *op = &trace->ops[i];
        if (op->ended)
            values[ends[op->type]++] = running ? op->running : analysis_waited(op);
    }
    for (size_t i = 0; i < trace->type_count; i++) {
        struct analysis_type *type = &analysis->types[i];
        size_t size = type->count - type->open;
        measure(running ? &type->running : &type->waiting, values + ends[i] - size, size);
    }
}

/* Work on the pool has a group of its own, but it belongs to an operation: no row for that. */
static void drop_empty(struct analysis *analysis)
{
    size_t kept = 0;
    for (size_t i = 0; i < analysis->type_count; i++) {
        if (analysis->types[i].count > 0 || analysis->types[i].calls > 0)
            analysis->types[kept++] = analysis->types[i];
    }
    analysis->type_count = kept;
}

int analysis_types(struct analysis *analysis, const struct trace *trace)
{
    int status = UV_ENOMEM;
    int64_t *values = weft_calloc(trace->op_count + 1, sizeof *values);
    size_t *ends = weft_calloc(trace->type_count + 1, sizeof *ends);
    analysis->types = weft_calloc(trace->type_count + 1, sizeof *analysis->types);
    if (values != NULL && ends != NULL && analysis->types != NULL) {
        analysis->type_count = trace->type_count;
        count(analysis, trace);
        measure_types(analysis, trace, values, ends, false);
        measure_types(analysis, trace, values, ends, true);
        drop_empty(analysis);
        qsort(analysis->types, analysis->type_count, sizeof *analysis->types, by_total);
        status = 0;
    }
    weft_free(values);
    weft_free(ends);
    return status;
}
