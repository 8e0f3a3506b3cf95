/* weft sales: a ledger of sales, and a server that adds them up. */
#include "sales/sales.h"
#include "sales/bench.h"
#include "sales/serve.h"

const char sales_usage[] =
    "sales load [--count N] [--seed N] [--db FOLDER]\n"
    "       weft sales import [--bad refuse|skip] [--format csv|jsonl] [--db FOLDER] FILE\n"
    "       weft sales add [--time TIME] [--db FOLDER] ITEM AMOUNT\n"
    "       weft sales total [--json] [--db FOLDER] [ITEM]\n"
    "       weft sales serve [OPTION...]\n"
    "       weft sales bench [OPTION...]\n"
    "\n"
    "load makes up sales, import reads them from a file, add takes one; each is on the disk\n"
    "when it returns, whole or not at all. total adds up all of them, or those of an item.\n"
    "serve answers such questions by HTTP; bench shows what that costs in each of its modes.\n"
    "\n"
    "      --db FOLDER           where the ledger is (default sales.db)\n"
    "      --count N             load: how many (default 100000)\n"
    "      --seed N              load: the same seed makes the same sales (default 1)\n"
    "      --bad refuse|skip     import: a bad line stops it (default), or is left out\n"
    "      --format csv|jsonl    import: what FILE is, unless its name says it\n"
    "      --time TIME           add: when, as 2024-01-31T12:00:00Z or in seconds (default now)\n"
    "      --json                total: for machines\n"
    "\n"
    "FILE may be '-' for standard input. CSV has a line of names first: item, amount and time,\n"
    "in any order; time may be missing. A line of JSON has the same names as members. "
    "Everywhere\n" SALES_AMOUNT_RULE ", of minor units;\n"
    "a negative one is a refund.\n"
    "\n"
    "serve:\n" SALES_SERVE_USAGE "\n"
    "bench:\n" SALES_BENCH_USAGE;

int sales_run(int argc, char **argv)
{
    static const struct command_part parts[] = {
        {"load", sales_load_run},
        {"import", sales_import_run},
        {"add", sales_add_run},
        {"total", sales_total_run},
        {"serve", sales_serve_run},
        {"bench", sales_bench_run},
        {NULL, NULL},
    };
    return parts_run("sales", parts, argc, argv);
}
