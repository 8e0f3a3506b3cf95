/* weft sales load: sales that are made up, the same for the same seed on every machine. */
#include "progress.h"
#include "sales/sales.h"
#include <inttypes.h>
#include <stdio.h>

enum { AMOUNT_MAX = 100, PROGRESS_EVERY = 4096 };
#define COUNT_MAX UINT64_C(10000000000)
#define FIRST_TIME INT64_C(1704067200) /* 2024-01-01; one sale a second from there */

static const char *const items[] = {"book", "game", "app", "song", "movie"};
enum { ITEMS = sizeof items / sizeof items[0] };

/* SplitMix64. */
static uint64_t draw(uint64_t *state)
{
    uint64_t number = *state += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

static void tell_written(struct ledger_bulk *bulk, uint64_t written)
{
    progress_count("writing", written, bulk->count);
}

static int make_sales(struct ledger_bulk *bulk, uint64_t count, uint64_t seed)
{
    int err = 0;
    for (uint64_t i = 0; i < count && err == 0; i++) {
        uint64_t number = draw(&seed);
        err = ledger_bulk_add(bulk, weft_text_of(items[number % ITEMS]),
                              (int64_t)(1 + (number >> 32) % AMOUNT_MAX), FIRST_TIME + (int64_t)i);
        if (i % PROGRESS_EVERY == 0)
            progress_count("making", i, count);
    }
    return err != 0 ? err : ledger_bulk_commit(bulk);
}

int sales_load_run(int argc, char **argv)
{
    const char *db = SALES_DB, *why;
    uint64_t count = 100000, seed = 1;
    const struct option options[] = {
        {.name = "db", .text = &db},
        {.name = "count", .number = &count, .most = COUNT_MAX},
        {.name = "seed", .number = &seed, .most = UINT64_MAX},
        {.name = NULL},
    };
    struct ledger ledger = {0};
    int status = options_read("sales", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc > 1)
        return misused("sales", "load takes no '%s'", argv[1]);
    if (ledger_open(&ledger, db, LEDGER_WRITE, &why) != 0) {
        complain("%s", why);
        return EXIT_FAILED;
    }
    struct ledger_bulk bulk = {.ledger = &ledger, .progress = tell_written};
    int err = make_sales(&bulk, count, seed);
    progress_end();
    if (err != 0)
        complain("nothing was loaded: %s: %s", db, weft_strerror(err));
    else
        printf("loaded %" PRIu64 " %s\n", count, count == 1 ? "sale" : "sales");
    ledger_bulk_free(&bulk);
    ledger_close(&ledger);
    return err != 0 ? EXIT_FAILED : EXIT_OK;
}
