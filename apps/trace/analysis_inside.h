/* apps/trace/analysis_inside.h: the parts of an analysis, in the order in which they are made. Each
 * returns 0 or UV_ENOMEM. */
#ifndef WEFT_TRACE_ANALYSIS_INSIDE_H
#define WEFT_TRACE_ANALYSIS_INSIDE_H

#include "trace/analysis.h"

int analysis_types(struct analysis *analysis, const struct trace *trace);
int analysis_sites(struct analysis *analysis, const struct trace *trace);
int analysis_chains(struct analysis *analysis, const struct trace *trace);
int analysis_blocking(struct analysis *analysis, const struct trace *trace);

/* a + b, or the largest there is. */
int64_t time_sum(int64_t a, int64_t b);

#endif
