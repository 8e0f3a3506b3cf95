/* weft trace summary: what a trace tells, as text or as JSON. */
#include "trace/show.h"
#include "trace/trace.h"
#include <stdio.h>

static int print(struct trace *trace, const struct analysis *analysis, const char *path, bool json)
{
    struct out out = {0};
    uint32_t name = texts_put(&trace->texts, weft_text_of(path));
    struct view view = {.trace = trace, .analysis = analysis, .out = &out};
    view.file = trace_text(trace, name);
    if (json)
        show_machine(&view);
    else
        show_people(&view);
    if (json)
        out_string(&out, "\n");
    bool failed = out.failed || name == TRACE_NONE;
    if (failed)
        complain("cannot print the summary: no memory");
    else
        fwrite(out.data, 1, out.size, stdout); /* main() looks whether it went out */
    out_free(&out);
    return failed ? EXIT_FAILED : EXIT_OK;
}

int trace_summary_run(int argc, char **argv)
{
    struct trace_input input = TRACE_INPUT_DEFAULTS;
    bool json = false;
    const struct option options[] = {
        {.name = "json", .flag = &json},
        {.name = "limit", .number = &input.limit_ms, .most = 1000000},
        {.name = "top", .number = &input.top, .most = 1000000},
        {.name = "max-size",
         .number = &input.max_size,
         .parse = trace_size_parse,
         .example = "512M"},
        {.name = NULL},
    };
    int status = options_read("trace", options, &argc, argv);
    if (status == EXIT_OK)
        status = trace_input_name(&input, argc, argv);
    if (status != EXIT_OK)
        return status;
    struct trace trace;
    struct analysis analysis;
    status = trace_input_read(&input, &trace, &analysis);
    if (status != EXIT_OK)
        return status;
    status = print(&trace, &analysis, input.path, json);
    analysis_free(&analysis);
    trace_free(&trace);
    return status;
}
