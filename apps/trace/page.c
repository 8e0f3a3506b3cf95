/* The page of a report: the files of apps/trace/report/, put together, and the trace in them.
 *
 * page.html is the frame; {{name}} in it stands for another file, or for a part of the trace:
 * what the analysis says, as the JSON of `summary --json`; the texts, types and threads, as JSON;
 * operations and callbacks, as numbers packed by out_varint, in base64. Everything that comes from
 * the trace is in one of the last two forms, in <script> elements that are data and not run, with
 * nothing in it that ends them. data.js reads it; the order of the numbers is here and there. */
#include "trace/page.h"
#include "embedded.h"
#include "template.h"
#include <inttypes.h>

typedef void part_fn(const struct view *view, struct out *out);

/* ---- data ----------------------------------------------------------------------------------- */

static uint64_t zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static void put_op(struct out *out, const struct trace *trace, uint32_t number, int64_t before)
{
    const struct trace_op *op = &trace->ops[number];
    out_varint(out, (uint64_t)(op->begin - before));
    out_varint(out, (uint64_t)(op->end - op->begin));
    out_varint(out, (uint64_t)op->running);
    out_varint(out, (uint64_t)op->queued);
    out_varint(out, op->promise == TRACE_NONE ? 0 : (uint64_t)op->promise + 1);
    out_varint(out, op->parent == TRACE_NONE ? 0 : zigzag((int64_t)number - op->parent));
    out_varint(out, op->type);
    out_varint(out, op->site);
    out_varint(out, op->status);
    out_varint(out, op->thread);
    out_varint(out, op->calls);
    out_varint(out, (op->ended ? 1u : 0u) | (op->handle ? 2u : 0u) | (op->id.text != 0 ? 4u : 0u));
    out_varint(out, op->id.value >> 32);
    out_varint(out, op->id.text != 0 ? op->id.text : (uint32_t)op->id.value);
}

static void put_ops(const struct view *view, struct out *out)
{
    const struct trace *trace = view->trace;
    struct out bytes = {0};
    int64_t before = 0;
    for (uint32_t i = 0; i < trace->op_count; i++) {
        put_op(&bytes, trace, i, before);
        before = trace->ops[i].begin;
    }
    out_base64(out, &bytes);
    out_free(&bytes);
}

static void put_calls(const struct view *view, struct out *out)
{
    const struct trace *trace = view->trace;
    struct out bytes = {0};
    int64_t before = 0;
    for (size_t i = 0; i < trace->call_count; i++) {
        const struct trace_call *call = &trace->calls[i];
        out_varint(&bytes, zigzag(call->begin - before));
        out_varint(&bytes, (uint64_t)(call->end - call->begin));
        out_varint(&bytes, (uint64_t)call->self);
        out_varint(&bytes, call->op == TRACE_NONE ? 0 : (uint64_t)call->op + 1);
        out_varint(&bytes, call->type);
        out_varint(&bytes, call->thread);
        out_varint(&bytes, call->entry);
        out_varint(&bytes, call->status);
        out_varint(&bytes, call->outcome);
        before = call->begin;
    }
    out_base64(out, &bytes);
    out_free(&bytes);
}

static void put_names(const struct view *view, struct out *out)
{
    const struct trace *trace = view->trace;
    out_format(out, "{\"ops\":%zu,\"calls\":%zu,\"texts\":[", trace->op_count, trace->call_count);
    for (uint32_t i = 0; i < trace->texts.count; i++) {
        out_json_comma(out);
        out_json_text(out, trace_text(trace, i));
    }
    out_string(out, "],\n\"types\":[");
    for (size_t i = 0; i < trace->type_count; i++) {
        out_json_comma(out);
        out_format(out, "[%" PRIu32 ",%" PRIu32 "]", trace->types[i].name, trace->types[i].group);
    }
    out_string(out, "],\n\"threads\":[");
    for (size_t i = 0; i < trace->thread_count; i++) {
        const struct trace_thread *thread = &trace->threads[i];
        out_json_comma(out);
        out_format(out, "[\"%" PRIu64 "\",\"%" PRIu64 "\",%" PRIu32 "]", thread->process,
                   thread->thread, thread->name);
    }
    out_string(out, "]}");
}

static void put_analysis(const struct view *view, struct out *out)
{
    struct view inner = *view;
    inner.out = out;
    inner.numbers = true;
    show_machine(&inner);
}

/* ---- frame ---------------------------------------------------------------------------------- */

static const struct part {
    const char *name;
    part_fn *put;
} parts[] = {
    {"analysis", put_analysis}, {"names", put_names}, {"ops", put_ops}, {"calls", put_calls}};

static void put_part(const void *context, struct weft_text name, struct out *out)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (weft_text_is(name, parts[i].name))
            parts[i].put(context, out);
    }
}

void page_write(const struct view *view)
{
    template_write(view->out, trace_page, "page.html", put_part, view);
}
