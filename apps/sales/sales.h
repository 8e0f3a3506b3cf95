/* apps/sales/sales.h: the parts of `weft sales`, and what they share. */
#ifndef WEFT_SALES_H
#define WEFT_SALES_H

#include "command.h"
#include "options.h"
#include "sales/ledger.h"

command_fn sales_load_run;   /* load.c */
command_fn sales_import_run; /* import.c */
command_fn sales_add_run;    /* add.c */
command_fn sales_total_run;  /* total.c */
command_fn sales_serve_run;  /* serve.c */
command_fn sales_bench_run;  /* bench.c */

#define SALES_DB "sales.db" /* the folder, unless --db says another one */

/* fields.c: the fields of a sale as people write them. */

/* What an amount is, wherever it comes from. A negative one is a refund; there is a limit so that no
 * single sale can make the sum of all too large to be told. False: it is something else. */
#define SALES_AMOUNT_MAX INT64_C(1000000000000) /* in minor units */
#define SALES_AMOUNT_RULE "an amount is a whole number from -10^12 to 10^12, but not 0"
bool sales_amount(struct weft_text text, int64_t *amount);
/* A point in time: RFC 3339 (fractions of a second are cut off), or seconds since 1970. */
bool sales_time(struct weft_text text, int64_t *time_s);
/* A name out of JSON: the reader makes U+FFFD of half a surrogate pair, and that is no name that
 * anybody gave. False: it has one. */
bool sales_is_whole(struct weft_text item);
/* The name of an item as UTF-8 that is well formed, with a NUL behind: what is not becomes U+FFFD. A
 * name that is too long is cut. Returns its length. */
enum { SALES_CLEAN_MAX = 3 * LEDGER_ITEM_MAX + 1 };
size_t sales_clean(struct weft_text item, char clean[SALES_CLEAN_MAX]);

#endif
