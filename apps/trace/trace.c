/* weft trace: record what a program does, and look at it. */
#include "trace/trace.h"

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

int trace_run(int argc, char **argv)
{
    static const struct command_part parts[] = {
        {"record", trace_record_run},
        {"summary", trace_summary_run},
        {"report", trace_report_run},
        {NULL, NULL},
    };
    return parts_run("trace", parts, argc, argv);
}
