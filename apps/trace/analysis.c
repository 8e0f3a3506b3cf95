/* The whole of an analysis, and what its parts share. */
#include "trace/analysis_inside.h"
#include <weft/alloc.h>

int64_t time_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t analysis_length(const struct trace_op *op)
{
    return op->end - op->begin;
}

/* A callback may run before its operation is on record, or on two threads at once: never below 0. */
int64_t analysis_waited(const struct trace_op *op)
{
    int64_t length = analysis_length(op);
    return op->running < length ? length - op->running : 0;
}

int analysis_make(struct analysis *analysis, const struct trace *trace)
{
    int status = analysis_types(analysis, trace);
    if (status == 0)
        status = analysis_sites(analysis, trace);
    if (status == 0)
        status = analysis_chains(analysis, trace);
    if (status == 0)
        status = analysis_blocking(analysis, trace);
    return status;
}

void analysis_free(struct analysis *analysis)
{
    weft_free(analysis->types);
    weft_free(analysis->sites);
    weft_free(analysis->chains);
    weft_free(analysis->blocking);
    *analysis = (struct analysis){0};
}
