/* An analysis as JSON, for machines and for the page of a report: exact numbers, lengths and times
 * in nanoseconds. docs/man/weft-trace.1 says what is in it. */
#include "trace/show.h"

static void put_times(struct out *out, const char *name, const struct analysis_times *times)
{
    out_json_name(out, name);
    out_string(out, "{");
    out_json_number(out, "total", times->total);
    out_json_number(out, "p50", times->p50);
    out_json_number(out, "p99", times->p99);
    out_json_number(out, "max", times->most);
    out_string(out, "}");
}

static void put_type(const struct view *view, uint32_t type)
{
    out_json_member(view->out, "type", trace_type_name(view->trace, type));
    out_json_member(view->out, "group", trace_group_name(view->trace, type));
}

static void put_types(const struct view *view)
{
    struct out *out = view->out;
    out_json_name(out, "types");
    out_string(out, "[");
    for (size_t i = 0; i < view_size(view, view->analysis->type_count); i++) {
        const struct analysis_type *type = &view->analysis->types[i];
        out_json_comma(out);
        out_string(out, "\n{");
        put_type(view, type->type);
        out_json_flag(out, "handle", type->handle);
        out_json_number(out, "count", (int64_t)type->count);
        out_json_number(out, "open", (int64_t)type->open);
        out_json_number(out, "callbacks", (int64_t)type->calls);
        out_json_number(out, "total", type->total);
        out_json_number(out, "queued", type->queued);
        put_times(out, "waiting", &type->waiting);
        put_times(out, "running", &type->running);
        out_string(out, "}");
    }
    out_string(out, "]");
}

static void put_op(const struct view *view, uint32_t number)
{
    const struct trace_op *op = &view->trace->ops[number];
    char id[TRACE_ID_SIZE];
    out_json_member(view->out, "id", trace_show_id(view->trace, op->id, id));
    if (view->numbers)
        out_json_number(view->out, "op", number);
    put_type(view, op->type);
    out_json_member(view->out, "site", trace_text(view->trace, op->site));
}

static void put_promise(const struct view *view, const struct trace_op *op)
{
    if (op->promise == TRACE_NONE)
        return;
    out_json_name(view->out, "for");
    out_string(view->out, "{");
    put_op(view, op->promise);
    out_string(view->out, "}");
}

static void put_chain(const struct view *view, const struct analysis_chain *chain)
{
    struct out *out = view->out;
    out_json_comma(out);
    out_string(out, "\n{");
    out_json_number(out, "length", analysis_length(&view->trace->ops[chain->ops[0]]));
    out_json_number(out, "like", (int64_t)chain->like);
    out_json_flag(out, "idle", chain->idle);
    out_json_name(out, "links");
    out_string(out, "[");
    for (size_t i = 0; i < chain->count; i++) {
        const struct trace_op *op = &view->trace->ops[chain->ops[i]];
        out_json_comma(out);
        out_string(out, "{");
        put_op(view, chain->ops[i]);
        out_json_number(out, "begin", op->begin);
        out_json_number(out, "length", analysis_length(op));
        out_json_number(out, "waiting", analysis_waited(op));
        out_json_number(out, "running", op->running);
        out_json_number(out, "queued", op->queued);
        put_promise(view, op);
        out_json_flag(out, "ended", op->ended);
        out_json_member(out, "status", trace_text(view->trace, op->status));
        out_string(out, "}");
    }
    out_string(out, "]}");
}

static void put_chains(const struct view *view)
{
    out_json_name(view->out, "chains");
    out_string(view->out, "[");
    for (size_t i = 0; i < view->analysis->chain_count; i++)
        put_chain(view, &view->analysis->chains[i]);
    out_string(view->out, "]");
}

static void put_call(const struct view *view, uint32_t number)
{
    const struct trace_call *call = &view->trace->calls[number];
    struct out *out = view->out;
    out_json_comma(out);
    out_string(out, "\n{");
    out_json_number(out, "begin", call->begin);
    out_json_number(out, "length", call->end - call->begin);
    out_json_number(out, "self", call->self);
    out_json_member(out, "entry", trace_text(view->trace, call->entry));
    out_json_member(out, "thread",
                    trace_text(view->trace, view->trace->threads[call->thread].name));
    if (call->op != TRACE_NONE)
        put_op(view, call->op);
    else
        put_type(view, call->type);
    out_string(out, "}");
}

static void put_blocking(const struct view *view)
{
    struct out *out = view->out;
    out_json_name(out, "blocking");
    out_string(out, "{");
    out_json_number(out, "limit", view->analysis->limit);
    out_json_number(out, "count", (int64_t)view->analysis->blocked);
    out_json_name(out, "callbacks");
    out_string(out, "[");
    for (size_t i = 0; i < view->analysis->blocking_count; i++)
        put_call(view, view->analysis->blocking[i]);
    out_string(out, "]}");
}

static void put_open(const struct view *view)
{
    struct out *out = view->out;
    out_json_name(out, "open");
    out_string(out, "{");
    out_json_number(out, "count", (int64_t)view->analysis->open);
    out_json_name(out, "sites");
    out_string(out, "[");
    for (size_t i = 0; i < view_size(view, view->analysis->open_site_count); i++) {
        const struct analysis_site *site = &view->analysis->sites[i];
        out_json_comma(out);
        out_string(out, "\n{");
        put_type(view, site->type);
        out_json_member(out, "site", trace_text(view->trace, site->site));
        out_json_flag(out, "handle", site->handle);
        out_json_number(out, "count", (int64_t)site->open);
        out_json_number(out, "oldest", site->oldest);
        out_string(out, "}");
    }
    out_string(out, "]}");
}

void show_machine(const struct view *view)
{
    const struct trace *trace = view->trace;
    struct out *out = view->out;
    out_string(out, "{");
    out_json_member(out, "file", view->file);
    out_json_member(out, "weft", trace_text(trace, trace->weft));
    out_json_member(out, "command", trace_text(trace, trace->command));
    out_json_number(out, "events", (int64_t)trace->events);
    out_json_number(out, "lost", (int64_t)trace->lost);
    out_json_number(out, "unrecorded", (int64_t)trace->unrecorded);
    out_json_number(out, "odd", (int64_t)trace->odd);
    out_json_number(out, "operations", (int64_t)trace->op_count);
    out_json_number(out, "callbacks", (int64_t)trace->call_count);
    out_json_number(out, "threads", (int64_t)trace->thread_count);
    out_json_number(out, "span", trace->span);
    put_types(view);
    put_chains(view);
    put_blocking(view);
    put_open(view);
    out_string(out, "}");
}
