/* weft sales total: the sum of everything, or of one item, by looking at all there is. */
#include "sales/sales.h"
#include "trace/output.h"
#include <inttypes.h>
#include <stdio.h>
#include <weft/loop.h>

static void print_text(const struct ledger_total *total)
{
    if (total->item.size == 0) {
        printf("Total sales is %" PRId64 "\n", total->sum);
        return;
    }
    fputs("Total sales for item ", stdout);
    fwrite(total->item.data, 1, total->item.size, stdout);
    printf(" is %" PRId64 "\n", total->sum);
}

static int print_json(const struct ledger_total *total)
{
    char clean[SALES_CLEAN_MAX];
    struct out out = {0};
    out_string(&out, "{");
    if (total->item.size > 0)
        out_json_member(&out, "item", weft_text(clean, sales_clean(total->item, clean)));
    out_json_number(&out, "total", total->sum);
    out_json_number(&out, "sales", (int64_t)total->matched);
    out_json_number(&out, "records_scanned", (int64_t)total->records_scanned);
    out_string(&out, "}\n");
    if (!out.failed)
        fwrite(out.data, 1, out.size, stdout);
    int err = out.failed ? UV_ENOMEM : 0;
    out_free(&out);
    return err;
}

static int print(const struct ledger_total *total, bool json)
{
    if (json)
        return print_json(total);
    print_text(total);
    return 0;
}

int sales_total_run(int argc, char **argv)
{
    const char *db = SALES_DB, *why;
    bool json = false;
    const struct option options[] = {
        {.name = "db", .text = &db},
        {.name = "json", .flag = &json},
        {.name = NULL},
    };
    struct ledger ledger = {0};
    int status = options_read("sales", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc > 2)
        return misused("sales", "total takes one item, or none");
    if (argc == 2 && argv[1][0] == '\0')
        return misused("sales", "the name of an item is not empty");
    struct ledger_total total = {.ledger = &ledger, .item = weft_text_of(argc == 2 ? argv[1] : "")};
    if (ledger_open(&ledger, db, LEDGER_READ, &why) != 0) {
        complain("%s", why);
        return EXIT_FAILED;
    }
    int err = weft_go(&total.op, ledger_total_begin);
    if (err == 0)
        err = print(&total, json);
    if (err != 0)
        complain("%s: %s", db, weft_strerror(err));
    ledger_close(&ledger);
    return err != 0 ? EXIT_FAILED : EXIT_OK;
}
