/* Callbacks that blocked a loop: nothing else could run there meanwhile.
 *
 * Of callbacks inside of one another the one to blame is the innermost that is still too long, and
 * an outer one only if it is so without the inner. What ran on a thread of the pool blocked no
 * loop. */
#include "trace/analysis_inside.h"
#include <stdlib.h>
#include <uv.h>
#include <weft/alloc.h>

struct entry {
    int64_t length;
    uint32_t call;
};

static int by_length_falling(const void *one, const void *other)
{
    const struct entry *a = one, *b = other;
    if (a->length != b->length)
        return a->length < b->length ? 1 : -1;
    return (a->call > b->call) - (a->call < b->call);
}

static bool has_blocked(const struct analysis *analysis, const struct trace_call *call)
{
    int64_t length = call->end - call->begin;
    return length > analysis->limit && !call->work &&
           (call->self > analysis->limit || call->longest <= analysis->limit);
}

int analysis_blocking(struct analysis *analysis, const struct trace *trace)
{
    struct entry *entries = weft_calloc(trace->call_count + 1, sizeof *entries);
    size_t count = 0;
    if (entries == NULL)
        return UV_ENOMEM;
    for (uint32_t i = 0; i < trace->call_count; i++) {
        const struct trace_call *call = &trace->calls[i];
        if (has_blocked(analysis, call))
            entries[count++] = (struct entry){call->end - call->begin, i};
    }
    qsort(entries, count, sizeof *entries, by_length_falling);
    analysis->blocked = count;
    if (analysis->top != 0 && count > analysis->top)
        count = analysis->top;
    analysis->blocking = weft_calloc(count + 1, sizeof *analysis->blocking);
    if (analysis->blocking != NULL) {
        analysis->blocking_count = count;
        for (size_t i = 0; i < count; i++)
            analysis->blocking[i] = entries[i].call;
    }
    weft_free(entries);
    return analysis->blocking != NULL ? 0 : UV_ENOMEM;
}
