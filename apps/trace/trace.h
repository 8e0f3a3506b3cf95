/* apps/trace/trace.h: the parts of `weft trace`. */
#ifndef WEFT_TRACE_TRACE_H
#define WEFT_TRACE_TRACE_H

#include "command.h"
#include "options.h"
#include "trace/analysis.h"

/* The subcommands: argv[0] is "trace". */
command_fn trace_record_run;
command_fn trace_summary_run;
command_fn trace_report_run;

/* How much of a file is read unless --max-size says otherwise, and at the most. In memory a trace
 * takes about twice its size, a hostile one up to twenty times. */
#define TRACE_SIZE_MAX ((uint64_t)512 << 20)
#define TRACE_SIZE_MOST ((uint64_t)16 << 30)

/* What summary and report share: which file, how much of it, how it is looked at. */
struct trace_input {
    const char *path; /* "-": standard input */
    uint64_t max_size, limit_ms, top;
};
#define TRACE_INPUT_DEFAULTS                                                                       \
    {                                                                                              \
        .max_size = TRACE_SIZE_MAX, .limit_ms = 10, .top = 10                                      \
    }

/* Read the file and look at it. EXIT_FAILED: it was said what is wrong, and both are freed. */
int trace_input_read(const struct trace_input *input, struct trace *trace,
                     struct analysis *analysis);

/* Of the words that are left of a command line: the one file. EXIT_USAGE: it was said what is
 * wrong. */
int trace_input_name(struct trace_input *input, int argc, char **argv);

/* --max-size: "512M". */
bool trace_size_parse(const char *text, uint64_t *bytes);

#endif
