/* weft trace: record what a program does, and look at it. */
#include "trace/trace.h"
#include <string.h>

const char trace_usage[] =
    "trace record [-o FILE] [--events N] [--] COMMAND [ARGUMENT...]\n"
    "       weft trace summary [--json] [--limit MS] [--top N] FILE\n"
    "       weft trace report [-o PAGE] [--limit MS] FILE\n"
    "\n"
    "record runs a program built on libweft and keeps what it did in FILE, which also opens\n"
    "in Perfetto and in chrome://tracing. summary tells what was slow, what blocked the loop\n"
    "and what was never closed. report makes one page of it, to look at in a browser.\n"
    "\n"
    "  -o, --output FILE         where to: of record trace.json, of report FILE.html\n"
    "      --events N            keep the last N events of each thread\n"
    "      --json                the summary for machines\n"
    "      --limit MS            a callback that runs longer blocks the loop (default 10)\n"
    "      --top N               the longest N of each list (default 10; 0: all)\n"
    "      --max-size SIZE       read no larger a file than this (default 512M)\n"
    "\n"
    "FILE may be '-' for standard input.\n";

struct part {
    const char *name;
    command_fn *run;
};

static const struct part parts[] = {
    {"record", trace_record_run},
    {"summary", trace_summary_run},
    {"report", trace_report_run},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int unknown_part(const char *word)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, word);
    for (size_t i = 0; i < PARTS; i++)
        suggestion_offer(&suggestion, parts[i].name);
    if (suggestion.name == NULL)
        return misused("trace", "'%s' is not record, summary or report", word);
    return misused("trace", "'%s' is not record, summary or report; did you mean '%s'?", word,
                   suggestion.name);
}

int trace_run(int argc, char **argv)
{
    if (argc < 2)
        return misused("trace", "say what to do: record, summary or report");
    for (size_t i = 0; i < PARTS; i++) {
        if (strcmp(argv[1], parts[i].name) == 0)
            return parts[i].run(argc - 1, argv + 1);
    }
    return unknown_part(argv[1]);
}
