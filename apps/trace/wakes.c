/* Who let an operation go on?
 *
 * Mostly one of its own children. But a name is looked up once for all who want it, and a thing that
 * is made once is waited for by many: then it goes on in a callback of an operation that belongs to
 * somebody else. That shows in the trace: inside of that callback something is begun below it, or a
 * callback of its own runs.
 *
 * Only what explains at least half of an operation's life counts. Otherwise everything would have
 * waited for whatever happened to run when its turn came. For the same reason one of the same type
 * and place does not count: those stand in a line, and the line is what is slow.
 *
 * Operations are gone through by their begin, and the callbacks of their thread beside them: `top` is
 * the innermost that is open there, `outer` leads from each to the one around it. */
#include "trace/wakes.h"
#include <uv.h>
#include <weft/alloc.h>

/* Whoever is further above or below than that is taken for a stranger. */
enum { RELATIVES = 64 };

struct sweep {
    const struct trace *trace;
    uint32_t *next, *top; /* of each thread, in calls */
    uint32_t *outer;      /* of each call that was reached */
};

/* ---- which callback runs -------------------------------------------------------------------- */

static void enter(struct sweep *sweep, uint32_t call)
{
    const struct trace_call *calls = sweep->trace->calls;
    uint32_t *top = &sweep->top[calls[call].thread];
    while (*top != TRACE_NONE && calls[*top].end <= calls[call].begin)
        *top = sweep->outer[*top];
    sweep->outer[call] = *top;
    *top = call;
}

/* The innermost callback on a thread at a time, which only grows; TRACE_NONE: none runs. */
static uint32_t running(struct sweep *sweep, uint32_t thread, int64_t time)
{
    const struct trace *trace = sweep->trace;
    uint32_t *next = &sweep->next[thread], *top = &sweep->top[thread];
    for (; *next < trace->call_count && trace->calls[*next].thread == thread &&
           trace->calls[*next].begin <= time;
         ++*next)
        enter(sweep, *next);
    while (*top != TRACE_NONE && trace->calls[*top].end < time)
        *top = sweep->outer[*top];
    return *top;
}

/* ---- who waited ----------------------------------------------------------------------------- */

static bool is_below(const struct trace *trace, uint32_t op, uint32_t above)
{
    for (int i = 0; op != TRACE_NONE && i < RELATIVES; i++) {
        if (op == above)
            return true;
        op = trace->ops[op].parent;
    }
    return false;
}

/* Has op waited for by, until then, for most of its life? */
static bool has_waited(const struct trace *trace, uint32_t op, uint32_t by, int64_t until)
{
    const struct trace_op *it = &trace->ops[op], *other = &trace->ops[by];
    int64_t since = it->begin > other->begin ? it->begin : other->begin;
    return !it->handle && !other->handle && until > since &&
           until - since >= (it->end - it->begin) / 2 &&
           (it->type != other->type || it->site != other->site) && !is_below(trace, op, by) &&
           !is_below(trace, by, op);
}

/* op goes on inside of call. */
static int add(struct wakes *wakes, const struct trace *trace, uint32_t op, uint32_t call)
{
    if (op == TRACE_NONE || call == TRACE_NONE)
        return 0;
    uint32_t by = trace->calls[call].op;
    int64_t time = trace->calls[call].begin;
    if (by == TRACE_NONE || !has_waited(trace, op, by, time))
        return 0;
    struct wake *all = grow(wakes->all, wakes->count, &wakes->capacity, sizeof *all);
    if (all == NULL)
        return UV_ENOMEM;
    wakes->all = all;
    all[wakes->count++] = (struct wake){op, by, time};
    return 0;
}

static int find(struct wakes *wakes, struct sweep *sweep)
{
    const struct trace *trace = sweep->trace;
    int status = 0;
    for (uint32_t i = 0; i < trace->thread_count; i++)
        sweep->top[i] = TRACE_NONE;
    for (uint32_t i = (uint32_t)trace->call_count; i-- > 0;)
        sweep->next[trace->calls[i].thread] = i;
    for (uint32_t i = 0; status == 0 && i < trace->op_count; i++) {
        const struct trace_op *op = &trace->ops[i];
        status = add(wakes, trace, op->parent, running(sweep, op->thread, op->begin));
    }
    for (uint32_t i = 0; i < trace->thread_count; i++)
        running(sweep, i, trace->span);
    for (uint32_t i = 0; status == 0 && i < trace->call_count; i++)
        status = add(wakes, trace, trace->calls[i].op, sweep->outer[i]);
    return status;
}

int wakes_find(struct wakes *wakes, const struct trace *trace)
{
    struct sweep sweep = {.trace = trace};
    sweep.next = weft_calloc(trace->thread_count + 1, sizeof *sweep.next);
    sweep.top = weft_calloc(trace->thread_count + 1, sizeof *sweep.top);
    sweep.outer = weft_calloc(trace->call_count + 1, sizeof *sweep.outer);
    int status = UV_ENOMEM;
    if (sweep.next != NULL && sweep.top != NULL && sweep.outer != NULL)
        status = find(wakes, &sweep);
    weft_free(sweep.next);
    weft_free(sweep.top);
    weft_free(sweep.outer);
    return status;
}
