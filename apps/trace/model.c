/* What is asked about a trace in several places. */
#include "trace/model.h"
#include <inttypes.h>
#include <stdio.h>

struct weft_text trace_type_name(const struct trace *trace, uint32_t type)
{
    return trace_text(trace, trace->types[type].name);
}

struct weft_text trace_group_name(const struct trace *trace, uint32_t type)
{
    return trace_text(trace, trace->types[type].group);
}

bool trace_is_loop(const struct trace *trace, const struct trace_op *op)
{
    return op->handle && weft_text_is(trace_type_name(trace, op->type), "loop");
}

struct weft_text trace_show_id(const struct trace *trace, struct trace_id id,
                               char buffer[TRACE_ID_SIZE])
{
    if (id.text != 0)
        return trace_text(trace, id.text);
    snprintf(buffer, TRACE_ID_SIZE, "0x%" PRIx64, id.value);
    return weft_text_of(buffer);
}
