/* Any bytes as a trace file: reading, analysis, text, JSON and page come to an end without harm, what
 * comes out can be relied on, and the size of the pieces it came in makes no difference. */
#include "trace/page.h"
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "trace.c:%d: %s\n", __LINE__, #holds);                                 \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct feed {
    struct weft_text left;
    size_t piece;
};

static int fill(void *context, char *buffer, size_t size)
{
    struct feed *feed = context;
    size_t count = feed->left.size < feed->piece ? feed->left.size : feed->piece;
    if (count > size)
        count = size;
    if (count == 0)
        return 0;
    memcpy(buffer, feed->left.data, count);
    feed->left = weft_text(feed->left.data + count, feed->left.size - count);
    return (int)count;
}

static int load(struct trace *trace, struct weft_text text, size_t piece)
{
    struct feed feed = {text, piece};
    return trace_load(trace, fill, &feed);
}

static void check_op(const struct trace *trace, uint32_t number)
{
    const struct trace_op *op = &trace->ops[number];
    CHECK(op->begin >= 0 && op->begin <= op->end && op->end <= trace->span);
    CHECK(op->back >= op->begin && op->back <= op->end && op->running >= 0);
    CHECK(op->type < trace->type_count && op->thread < trace->thread_count);
    CHECK(op->site < trace->texts.count && op->status < trace->texts.count);
    CHECK(number == 0 || trace->ops[number - 1].begin <= op->begin);
    size_t steps = 0;
    for (uint32_t at = number; at != TRACE_NONE; at = trace->ops[at].parent) {
        CHECK(at < trace->op_count);
        CHECK(steps++ <= trace->op_count);
    }
}

static void check_calls(const struct trace *trace)
{
    for (size_t i = 0; i < trace->call_count; i++) {
        const struct trace_call *call = &trace->calls[i];
        CHECK(call->begin >= 0 && call->begin <= call->end && call->end <= trace->span);
        CHECK(call->self >= 0 && call->self <= call->end - call->begin);
        CHECK(call->op == TRACE_NONE || call->op < trace->op_count);
        CHECK(call->type < trace->type_count && call->thread < trace->thread_count);
    }
}

static bool is_quiet(struct weft_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (((unsigned char)text.data[i] < 0x20 && text.data[i] != '\n') || text.data[i] == 0x7f)
            return false;
    }
    return true;
}

/* What is written down has no controls, and the JSON can be read by the reader it was read with. */
static void check_shown(const struct view *view)
{
    show_people(view);
    CHECK(is_quiet(weft_text(view->out->data, view->out->size)));
    view->out->size = 0;
    show_machine(view);
    CHECK(is_quiet(weft_text(view->out->data, view->out->size)));
    struct feed feed = {weft_text(view->out->data, view->out->size), 1 << 16};
    struct json_reader reader;
    CHECK(json_reader_open(&reader, fill, &feed) == 0);
    CHECK(json_reader_skip(&reader, json_reader_next(&reader)));
    CHECK(json_reader_next(&reader) == JSON_TOKEN_END);
    json_reader_close(&reader);
    view->out->size = 0;
    page_write(view);
    CHECK(!view->out->failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_text text = weft_text((const char *)data, size);
    struct trace trace, other;
    int status = load(&trace, text, 1 << 16);
    CHECK(status == load(&other, text, 1 + size % 7));
    CHECK(trace.op_count == other.op_count && trace.call_count == other.call_count);
    CHECK(trace.line == other.line && trace.column == other.column && trace.odd == other.odd);
    CHECK(status == 0 || (status == UV_EINVAL && trace.problem != NULL && trace.offset <= size));
    if (status == 0) {
        struct analysis analysis = {.limit = 1000, .top = size % 5};
        struct out out = {0};
        struct view view = {&trace, &analysis, weft_text_of("x"), &out, size % 2 == 0};
        for (uint32_t i = 0; i < trace.op_count; i++)
            check_op(&trace, i);
        check_calls(&trace);
        CHECK(analysis_make(&analysis, &trace) == 0);
        check_shown(&view);
        out_free(&out);
        analysis_free(&analysis);
    }
    trace_free(&trace);
    trace_free(&other);
    return 0;
}
