/* An analysis for people: what there is, what is slow, what is in the way, what was left behind. */
#include "trace/show.h"
#include <inttypes.h>
#include <stdio.h>

enum { TYPE_WIDTH = 28 };

/* Who was in a queue for less than that has gone straight through it. */
enum { QUEUED_LEAST = 100000 };

/* ---- pieces --------------------------------------------------------------------------------- */

/* 1,234,567 */
static void put_count(struct out *out, uint64_t number)
{
    char digits[32], text[48];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[size++] = ',';
        text[size++] = digits[i];
    }
    out_text(out, weft_text(text, size));
}

static void put_counted(struct out *out, uint64_t number, const char *one, const char *many)
{
    put_count(out, number);
    out_format(out, " %s", number == 1 ? one : many);
}

static void put_time(struct out *out, int64_t ns, int width)
{
    char buffer[OUT_TIME_SIZE];
    out_format(out, "%*s", width, out_show_time(ns, buffer));
}

/* Text in a column: its characters count, not its bytes. */
static void put_column(struct out *out, struct weft_text text, size_t width)
{
    size_t characters = 0;
    for (size_t i = 0; i < text.size; i++)
        characters += (text.data[i] & 0xc0) != 0x80;
    out_text(out, text);
    for (; characters < width; characters++)
        out_string(out, " ");
}

static struct weft_text or_unknown(struct weft_text text)
{
    return text.size > 0 ? text : weft_text_of("(unknown)");
}

static void put_rest(const struct view *view, uint64_t all, uint64_t shown)
{
    if (all <= shown)
        return;
    out_string(view->out, "  and ");
    put_count(view->out, all - shown);
    out_string(view->out, " more: --top 0 shows all\n");
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void put_losses(const struct view *view)
{
    const struct trace *trace = view->trace;
    if (trace->lost > 0) {
        put_counted(view->out, trace->lost, "event was", "events were");
        out_string(view->out, " lost: the ring was full, and the oldest are gone\n");
    }
    if (trace->unrecorded > 0) {
        put_counted(view->out, trace->unrecorded, "loop was", "loops were");
        out_string(view->out, " not recorded: there were too many at a time\n");
    }
    if (trace->odd > 0) {
        put_counted(view->out, trace->odd, "event was", "events were");
        out_format(view->out,
                   " not understood; the first at line %" PRIu64 ", column %" PRIu64 ": %s\n",
                   trace->odd_line, trace->odd_column, trace->odd_reason);
    }
    if (trace->op_count == 0)
        out_string(view->out, "this trace has no weft operations\n");
}

static void put_head(const struct view *view)
{
    const struct trace *trace = view->trace;
    out_text(view->out, view->file);
    if (trace->command != 0) {
        out_string(view->out, ": ");
        out_text(view->out, trace_text(trace, trace->command));
    }
    out_string(view->out, "\n");
    put_counted(view->out, trace->events, "event", "events");
    out_string(view->out, " in ");
    put_time(view->out, trace->span, 0);
    out_string(view->out, ": ");
    put_counted(view->out, trace->op_count, "operation", "operations");
    out_string(view->out, ", ");
    put_counted(view->out, trace->call_count, "callback", "callbacks");
    out_string(view->out, " on ");
    put_counted(view->out, trace->thread_count, "thread", "threads");
    out_string(view->out, "\n");
    put_losses(view);
}

static void put_type(const struct view *view, const struct analysis_type *type)
{
    struct out *out = view->out;
    struct weft_text name = trace_type_name(view->trace, type->type);
    struct weft_text group = trace_group_name(view->trace, type->type);
    struct out both = {0};
    out_text(&both, or_unknown(name));
    if (group.size > 0) {
        out_string(&both, " (");
        out_text(&both, group);
        out_string(&both, ")");
    }
    out->failed = out->failed || both.failed;
    out_string(out, "  ");
    put_column(out, weft_text(both.data, both.size), TYPE_WIDTH);
    out_free(&both);
    out_format(out, "%9" PRIu64 " %6" PRIu64 " ", type->count, type->open);
    put_time(out, type->total, 9);
    put_time(out, type->waiting.p50, 11);
    put_time(out, type->waiting.p99, 9);
    put_time(out, type->waiting.most, 9);
    put_time(out, type->running.total, 11);
    put_time(out, type->running.p50, 9);
    put_time(out, type->running.p99, 9);
    out_string(out, "\n");
}

static void put_types(const struct view *view)
{
    const struct analysis *analysis = view->analysis;
    if (analysis->type_count == 0)
        return;
    out_format(view->out, "\n%-*s%9s %6s %9s%11s%9s%9s%11s\n", TYPE_WIDTH + 2, "types", "count",
               "open", "total", "waiting", "", "", "running");
    out_format(view->out, "%-*s%9s %6s %9s%11s%9s%9s%11s%9s%9s\n", TYPE_WIDTH + 2, "", "", "", "",
               "p50", "p99", "max", "total", "p50", "p99");
    for (size_t i = 0; i < view_size(view, analysis->type_count); i++)
        put_type(view, &analysis->types[i]);
    put_rest(view, analysis->type_count, view_size(view, analysis->type_count));
}

static void put_link(const struct view *view, const struct trace_op *op, size_t depth)
{
    struct out *out = view->out;
    if (depth > 0)
        out_format(out, "%*s└ ", (int)(4 + 2 * depth), "");
    put_time(out, analysis_length(op), depth > 0 ? 0 : 9);
    out_string(out, "  ");
    out_text(out, or_unknown(trace_type_name(view->trace, op->type)));
    out_string(out, "  ");
    out_text(out, trace_text(view->trace, op->site));
    if (op->promise != TRACE_NONE) {
        const struct trace_op *promise = &view->trace->ops[op->promise];
        out_string(out, ", for ");
        out_text(out, or_unknown(trace_type_name(view->trace, promise->type)));
        out_string(out, "  ");
        out_text(out, trace_text(view->trace, promise->site));
    }
    if (op->queued >= QUEUED_LEAST) {
        out_string(out, "  (");
        put_time(out, op->queued, 0);
        out_string(out, " of it queued)");
    }
    if (op->status != 0) {
        out_string(out, "  ");
        out_text(out, trace_text(view->trace, op->status));
    }
}

static void put_chain(const struct view *view, const struct analysis_chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        put_link(view, &view->trace->ops[chain->ops[i]], i);
        if (i == 0 && chain->like > 1) {
            out_string(view->out, "  (the slowest of ");
            put_count(view->out, chain->like);
            out_string(view->out, " from there)");
        }
        out_string(view->out, "\n");
    }
}

static void put_chains(const struct view *view)
{
    if (view->analysis->chain_count == 0)
        return;
    out_string(view->out, "\nslowest chains: an operation, and what it waited for\n");
    bool idle = false;
    for (size_t i = 0; i < view->analysis->chain_count; i++) {
        const struct analysis_chain *chain = &view->analysis->chains[i];
        if (chain->idle && !idle)
            out_string(view->out,
                       "idle: waited for a client or a signal, or is what the program runs in\n");
        idle = chain->idle;
        put_chain(view, chain);
    }
}

static void put_blocking(const struct view *view)
{
    const struct analysis *analysis = view->analysis;
    const struct trace *trace = view->trace;
    struct out *out = view->out;
    out_string(out, "\nblocked the loop for more than ");
    out_format(out, "%" PRId64 " ms: ", analysis->limit / 1000000);
    put_counted(out, analysis->blocked, "callback", "callbacks");
    out_string(out, "\n");
    for (size_t i = 0; i < analysis->blocking_count; i++) {
        const struct trace_call *call = &trace->calls[analysis->blocking[i]];
        put_time(out, call->end - call->begin, 9);
        out_string(out, "  ");
        out_text(out, or_unknown(trace_text(trace, call->entry)));
        out_string(out, "  of ");
        out_text(out, or_unknown(trace_type_name(trace, call->type)));
        if (call->op != TRACE_NONE) {
            out_string(out, "  ");
            out_text(out, trace_text(trace, trace->ops[call->op].site));
        }
        out_string(out, "  at ");
        put_time(out, call->begin, 0);
        out_string(out, "\n");
    }
    put_rest(view, analysis->blocked, analysis->blocking_count);
}

static void put_open(const struct view *view)
{
    const struct analysis *analysis = view->analysis;
    struct out *out = view->out;
    size_t shown = view_size(view, analysis->open_site_count);
    out_string(out, "\nnever destroyed: ");
    put_count(out, analysis->open);
    out_string(out, "\n");
    for (size_t i = 0; i < shown; i++) {
        const struct analysis_site *site = &analysis->sites[i];
        out_format(out, "%9" PRIu64 "  ", site->open);
        out_text(out, or_unknown(trace_type_name(view->trace, site->type)));
        out_string(out, "  ");
        out_text(out, trace_text(view->trace, site->site));
        out_string(out, site->open == 1 ? "  (" : "  (the oldest ");
        put_time(out, site->oldest, 0);
        out_string(out, " old)\n");
    }
    put_rest(view, analysis->open_site_count, shown);
}

void show_people(const struct view *view)
{
    put_head(view);
    put_types(view);
    put_chains(view);
    put_blocking(view);
    put_open(view);
}
