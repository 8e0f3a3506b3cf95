/* apps/trace/model_inside.h: from load.c, which reads events, to collect.c, which sorts them into
 * lists, to link.c, which makes one whole of them. */
#ifndef WEFT_TRACE_MODEL_INSIDE_H
#define WEFT_TRACE_MODEL_INSIDE_H

#include "trace/model.h"

/* One event of the file. Numbers of texts are those in the trace's; 0 is nothing. */
struct trace_event {
    uint32_t phase, category, name, site, entry, status, outcome, label;
    struct trace_id id, owner, parent, promise, queue, process, thread;
    int64_t time, duration;
    bool has_time, has_id, has_owner, has_parent, has_promise, has_queue, handle, work;
    const char *odd;       /* what is wrong with it; static text, NULL: nothing */
    uint64_t line, column; /* where it ends */
};

/* That an operation was destroyed; or that its turn came in a queue. */
struct trace_end {
    struct trace_id id;
    int64_t time;
    uint32_t status;
};

/* Into the list that it belongs to. An event that makes no sense is counted as odd and left out, so
 * that one bad line does not hide the rest of a trace. False: there is no memory. */
bool trace_collect(struct trace *trace, const struct trace_event *event);

/* Everything was read: put it in order, connect it. UV_ENOMEM. */
int trace_link(struct trace *trace);

#endif
