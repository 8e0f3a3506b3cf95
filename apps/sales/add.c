/* weft sales add: one sale. What is told afterwards is on the disk. */
#include "sales/sales.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <weft/loop.h>

static int read_words(int argc, char **argv, const char *time_text, struct ledger_add *add)
{
    if (argc != 3)
        return misused("sales", "add takes an item and an amount");
    add->item = weft_text_of(argv[1]);
    if (add->item.size == 0 || add->item.size > LEDGER_ITEM_MAX)
        return misused("sales", "the name of an item has 1 to %d bytes", LEDGER_ITEM_MAX);
    if (!sales_amount(weft_text_of(argv[2]), &add->amount))
        return misused("sales", SALES_AMOUNT_RULE "; '%s' is none", argv[2]);
    add->time_s = (int64_t)time(NULL);
    if (time_text != NULL && !sales_time(weft_text_of(time_text), &add->time_s))
        return misused("sales", "--time takes 2024-01-31T12:00:00Z or seconds, not '%s'",
                       time_text);
    return EXIT_OK;
}

int sales_add_run(int argc, char **argv)
{
    const char *db = SALES_DB, *time_text = NULL, *why;
    const struct option options[] = {
        {.name = "db", .text = &db},
        {.name = "time", .text = &time_text},
        {.name = NULL},
    };
    struct ledger ledger = {0};
    struct ledger_add add = {.ledger = &ledger};
    int status = options_read("sales", options, &argc, argv);
    if (status == EXIT_OK)
        status = read_words(argc, argv, time_text, &add);
    if (status != EXIT_OK)
        return status;
    if (ledger_open(&ledger, db, LEDGER_WRITE, &why) != 0) {
        complain("%s", why);
        return EXIT_FAILED;
    }
    int err = weft_go(&add.op, ledger_add_begin);
    if (err != 0)
        complain("nothing was added: %s: %s", db, weft_strerror(err));
    else
        printf("added sale %" PRIu64 "\n", add.id);
    ledger_close(&ledger);
    return err != 0 ? EXIT_FAILED : EXIT_OK;
}
