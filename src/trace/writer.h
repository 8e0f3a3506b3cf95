/* From rings to a file: what record.c needs of it. */
#ifndef WEFT_TRACE_WRITER_H
#define WEFT_TRACE_WRITER_H

#include "weft/trace.h"

/* Start what the environment asks for (environment.c). */
typedef int weft__trace_start_fn(const struct weft_trace_options *options);
void weft__trace_environment(weft__trace_start_fn *start);

/* Everything in the rings into the file at path, as the end of its name says (writer.c). */
int weft__trace_write(const char *path);

#endif
