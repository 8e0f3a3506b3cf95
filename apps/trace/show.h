/* apps/trace/show.h: an analysis, written down. */
#ifndef WEFT_TRACE_SHOW_H
#define WEFT_TRACE_SHOW_H

#include "trace/analysis.h"
#include "trace/output.h"

struct view {
    const struct trace *trace;
    const struct analysis *analysis;
    struct weft_text file; /* what the trace is called */
    struct out *out;
    bool numbers; /* for machines: also the number of an operation in trace->ops */
};

/* How much of a list of size is shown. */
static inline size_t view_size(const struct view *view, size_t size)
{
    return view->analysis->top != 0 && view->analysis->top < size ? view->analysis->top : size;
}

void show_people(const struct view *view);  /* text */
void show_machine(const struct view *view); /* JSON, without a newline at its end */

#endif
