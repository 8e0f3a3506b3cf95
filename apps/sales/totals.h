/* apps/sales/totals.h: total sales, found in one of four ways.
 *
 *     plain     every request scans the ledger
 *     batch     requests for the same item while a scan is under way share it   (weft/batch.h)
 *     cache     and what it found answers for a while            (weft/cache.h, weft/shared.h)
 *     promise   the same with promises that are kept                             (weft/memo.h)
 *
 * All four are open at once, so that requests can choose. The result is that of a scan of the
 * ledger as it was when the scan began; nothing else is stored. */
#ifndef WEFT_SALES_TOTALS_H
#define WEFT_SALES_TOTALS_H

#include "sales/ledger.h"
#include <weft.h>
#include <weft/shared.h>

enum totals_mode { TOTALS_PLAIN, TOTALS_BATCH, TOTALS_CACHE, TOTALS_PROMISE, TOTALS_MODES };
extern const char *const totals_mode_names[TOTALS_MODES + 1]; /* NULL behind the last */

/* Where an answer is from. */
enum totals_how { TOTALS_HIT, TOTALS_STALE, TOTALS_MISS, TOTALS_JOINED, TOTALS_SCAN };
extern const char *const totals_how_names[];

enum {
    TOTALS_PROMISES = 256, /* items in mode promise; further ones take their places */
    TOTALS_JITTER_PERCENT = 10,
    TOTALS_AHEAD_PART = 10,    /* in the last tenth of its time an answer is renewed if asked for */
    TOTALS_SCAN_MS = 2000,     /* no scan takes longer: then others may scan for the same, too */
    TOTALS_OVERVIEW_MS = 1000, /* how old the overview may be */
    TOTALS_OVERVIEW_ITEMS = 100 /* items that it names */
};

/* One scan: the pause that --scan-delay asks for, and the ledger. */
struct totals_scan {
    struct weft_op op;
    struct totals *totals;
    struct weft_sleep pause;
    struct ledger_total total; /* total.item is set by who begins it, total.sum is the result */
};

struct totals_promise; /* an entry of mode promise; see totals.c */

struct totals {
    /* Set before totals_open. */
    struct ledger *ledger;
    uint64_t ttl_ms, delay_ms;
    const char *redis;  /* a URL; NULL: none */
    const char *prefix; /* of the keys there: another one for each ledger; it stays */

    /* Read only. */
    uint64_t asked[TOTALS_MODES];
    uint64_t promise_joined; /* of memo.hits, those that had to wait */
    uint64_t untold;         /* changes that Redis has not confirmed */
    struct weft_batch batch;
    struct weft_cache *cache;  /* that of shared, or local */
    struct weft_shared shared; /* with Redis */
    struct weft_memo memo;

    uint64_t overview_scans, overview_scanned; /* of ledger->scans and scanned */
    struct weft_cache overview;

    struct weft_op owner;
    struct weft_cache local;
    struct totals_promise *promises;
};

/* Below op, which is running. 0, or the error of what could not be opened. */
int totals_open(struct totals *totals, struct weft_op *op);
/* When everything below op is over; also after an open that failed. */
void totals_close(struct totals *totals);

/* ---- asking --------------------------------------------------------------------------------- */

/* The total of item, or of all if it is empty; item stays until then. The errors are those of
 * ledger_total; UV_ENOBUFS: too many different ones are asked for at the same time; UV_ENOMEM;
 * UV_EINVAL: there are no totals, or mode is none. When the last one who waits for a scan is
 * cancelled, so is the scan. */
struct totals_ask {
    struct weft_op op;
    struct totals *totals;
    enum totals_mode mode;
    struct weft_text item;

    int64_t sum;
    enum totals_how how;

    union {
        struct totals_scan scan;
        struct weft_batch_ask batch;
        struct weft_cache_get get;
        struct weft_memoize memoize;
    } by_;
};
#define totals_ask(parent, ask, then) weft_run(parent, &(ask)->op, totals_ask_begin, then)
void totals_ask_begin(struct weft_op *op);

/* ---- forgetting ----------------------------------------------------------------------------- */

/* A sale of item is on the disk: what is known of it and of all is not true any more, also if a
 * scan for it is under way. Here that holds when this returns; other processes are told by Redis,
 * unless the totals are ending. */
struct totals_message; /* to them */
struct totals_message *totals_forget(struct totals *totals, struct weft_text item);

/* Wait until they have been told: message is what totals_forget returned on this turn, or NULL if
 * there is nobody to tell. Always 0, unless it is cancelled: then they are told all the same. */
struct totals_told {
    struct weft_op op;
    struct totals_message *message;
};
#define totals_told(parent, told, then)                                                            \
    weft_run_now_at(WEFT_HERE("totals_told", WEFT_USER), parent, &(told)->op, totals_told_begin,   \
                    then)
void totals_told_begin(struct weft_op *op);

/* ---- an overview ---------------------------------------------------------------------------- */

/* The value of a get from totals->overview, with the empty key: all items, the best first. It scans
 * the ledger at most once a second, and again after a sale; without a delay. */
struct totals_overview {
    int64_t sum, other_sum; /* of all; of those that are not in items */
    uint64_t sales, other_sales;
    size_t count;
    struct ledger_item items[];
};
/* totals_overview.c: the load of it. */
struct totals_overview_flight {
    struct weft_flight flight;
    struct ledger_total total;
};
void totals_overview_load(struct weft_op *op);

#endif
