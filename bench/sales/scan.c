/* One scan of a ledger, as the server makes it: begun on a loop, done by the thread pool.
 *
 *     scan FOLDER ITEM COUNT
 *
 * Prints the milliseconds of the best of COUNT scans, from the begin to the then, and the total. */
#include "../bench.h"
#include "sales/ledger.h"
#include <inttypes.h>
#include <weft/loop.h>

static struct program {
    struct weft_op op;
    struct ledger ledger;
    struct ledger_total total;
    struct weft_text item;
    unsigned long left;
    uint64_t begun_ns, best_ns;
} program;

static void begin(struct weft_op *op);

static void counted(struct weft_op *op, struct weft_op *total)
{
    uint64_t took_ns = uv_hrtime() - program.begun_ns;
    bench_check(total->status == 0, "the scan has failed");
    if (program.best_ns == 0 || took_ns < program.best_ns)
        program.best_ns = took_ns;
    if (--program.left > 0)
        begin(op);
    else
        weft_finish(op, 0);
}

static void begin(struct weft_op *op)
{
    program.total = (struct ledger_total){.ledger = &program.ledger, .item = program.item};
    program.begun_ns = uv_hrtime();
    ledger_total(op, &program.total, counted);
}

int main(int argc, char **argv)
{
    const char *why = "";
    bench_check(argc == 4, "usage: scan FOLDER ITEM COUNT");
    bench_check(ledger_open(&program.ledger, argv[1], LEDGER_READ, &why) == 0, why);
    program.item = weft_text_of(argv[2]);
    program.left = strtoul(argv[3], NULL, 10);
    bench_check(program.left > 0, "COUNT is at least 1");
    bench_check(weft_go(&program.op, begin) == 0, "the scans were not made");
    printf("%.3f %" PRId64 "\n", (double)program.best_ns / 1e6, program.total.sum);
    ledger_close(&program.ledger);
    return 0;
}
