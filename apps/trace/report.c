/* weft trace report: a trace as one page for a browser. */
#include "trace/page.h"
#include "trace/trace.h"
#include <stdio.h>
#include <sys/stat.h>
#include <weft.h>

struct report {
    struct weft_op op;
    struct weft_file_save save;
    struct trace_input input;
    const char *page; /* where to; NULL: beside the trace */
    char *beside;
    struct out out;
};

/* How many chains and blocking callbacks are on the page. */
enum { PAGE_TOP = 200 };

/* ---- where to ------------------------------------------------------------------------------- */

/* trace.json becomes trace.html; another name gets .html behind it. */
static char *name_beside(const char *path)
{
    size_t size = strlen(path);
    if (size > 5 && strcmp(path + size - 5, ".json") == 0)
        size -= 5;
    char *name = weft_alloc(size + sizeof ".html");
    if (name != NULL)
        snprintf(name, size + sizeof ".html", "%.*s.html", (int)size, path);
    return name;
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static int choose_page(struct report *report)
{
    if (report->page == NULL && strcmp(report->input.path, "-") == 0)
        return misused("trace", "say where the page goes: -o PAGE");
    if (report->page == NULL)
        report->page = report->beside = name_beside(report->input.path);
    if (report->page == NULL) {
        complain("cannot write a report: %s", weft_strerror(UV_ENOMEM));
        return EXIT_FAILED;
    }
    if (is_same_file(report->page, report->input.path))
        return misused("trace", "'%s' is the trace itself", report->page);
    return EXIT_OK;
}

/* ---- the page ------------------------------------------------------------------------------- */

static void begin(struct weft_op *op)
{
    struct report *report = weft_owner(op, struct report, op);
    weft_file_save(op, &report->save, report->page, report->out.data, report->out.size, weft_pass);
}

static int save(struct report *report)
{
    int status = report->out.failed ? UV_ENOMEM : weft_go(&report->op, begin);
    if (status == 0)
        return EXIT_OK;
    complain("cannot write '%s': %s", report->page, weft_strerror(status));
    return EXIT_FAILED;
}

static int make(struct report *report)
{
    struct trace trace;
    struct analysis analysis;
    int status = trace_input_read(&report->input, &trace, &analysis);
    if (status != EXIT_OK)
        return status;
    uint32_t name = texts_put(&trace.texts, weft_text_of(report->input.path));
    struct view view = {.trace = &trace, .analysis = &analysis, .out = &report->out};
    view.file = trace_text(&trace, name);
    page_write(&view);
    report->out.failed = report->out.failed || name == TRACE_NONE;
    analysis_free(&analysis);
    trace_free(&trace);
    return save(report);
}

int trace_report_run(int argc, char **argv)
{
    struct report report = {.input = TRACE_INPUT_DEFAULTS};
    const struct option options[] = {
        {.name = "output", .letter = 'o', .text = &report.page},
        {.name = "limit", .number = &report.input.limit_ms, .most = 1000000},
        {.name = "max-size",
         .number = &report.input.max_size,
         .parse = trace_size_parse,
         .example = "512M"},
        {.name = NULL},
    };
    report.input.top = PAGE_TOP;
    int status = options_read("trace", options, &argc, argv);
    if (status == EXIT_OK)
        status = trace_input_name(&report.input, argc, argv);
    if (status == EXIT_OK)
        status = choose_page(&report);
    if (status == EXIT_OK)
        status = make(&report);
    if (status == EXIT_OK)
        printf("%s\n", report.page);
    out_free(&report.out);
    weft_free(report.beside);
    return status;
}
