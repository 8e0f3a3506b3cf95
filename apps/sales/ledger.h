/* apps/sales/ledger.h: sales, on disk; their totals are found by reading all of them.
 *
 * A ledger is a folder with an LMDB file in it. Sales have ids from 1 upwards, without a gap, and
 * are never changed. There are no sums in it and no index: who wants a total scans. Several
 * processes may have it open; readers wait for nobody, writers take turns.
 *
 *     struct ledger ledger = {0};
 *     int err = ledger_open(&ledger, "sales.db", LEDGER_WRITE, &why);
 *     ...
 *     total->ledger = &ledger;
 *     total->item = weft_text_of("book");
 *     ledger_total(op, total, counted);              // total->sum
 *
 * A ledger and its ops belong to one loop at a time. A process has the same one open only once: the
 * locks are the process's, and who closes one of two takes those of the other. Open it after the
 * last fork. Zero the struct before it is opened. */
#ifndef WEFT_SALES_LEDGER_H
#define WEFT_SALES_LEDGER_H

#include <weft/text.h>
#include <weft/work.h>

struct ledger_store; /* what is behind it; see ledger_inside.h */

enum {
    LEDGER_ITEM_MAX = 255,   /* bytes of an item's name; the least is 1 */
    LEDGER_ITEMS_MAX = 1000, /* items that are told apart by each_item */
    LEDGER_ADDS_MAX = 16384, /* adds that wait for a commit */
    LEDGER_SCANS_MAX = 8     /* scans at a time; further ones wait for their turn */
};

enum ledger_mode {
    LEDGER_READ, /* there has to be one; adds are UV_EROFS */
    LEDGER_WRITE /* it is made if there is none */
};

struct ledger {
    uint64_t scans;   /* read only, all of them since it was opened: totals that were found, */
    uint64_t scanned; /* records that scans have looked at, also those that were cut short, */
    uint64_t commits; /* transactions that were written by adds, */
    uint64_t added;   /* and sales in them */
    struct ledger_store *store_;
};

/* Open the ledger in folder; LEDGER_WRITE makes the folder too, but not those above it. It blocks.
 * *why, if why is not NULL, becomes a sentence for people that names the file and what is wrong, ""
 * if nothing is: storage of the thread, until its next call here.
 *   UV_ENOENT       LEDGER_READ: there is none
 *   WEFT_EDAMAGED   what is there is not what was written, or is no ledger
 *   UV_ENOTSUP      it is of a version that is not known here
 *   UV_EINVAL       no folder; or this struct is open already
 *   UV_EAGAIN       too many processes read at the same time
 *   UV_EACCES       also LEDGER_READ: readers have to write to the lock, unless the disk is read only
 *   UV_EROFS, UV_ENOSPC …, UV_ENOMEM */
int ledger_open(struct ledger *ledger, const char *folder, enum ledger_mode mode, const char **why);

/* UV_EBUSY: an op of it is under way. Otherwise 0. Safe on one that is not open. */
int ledger_close(struct ledger *ledger);

/* ---- totals --------------------------------------------------------------------------------- */

/* What was sold of one item. */
struct ledger_item {
    int64_t sum;
    uint64_t sales;
    unsigned char size;
    char name[LEDGER_ITEM_MAX]; /* any bytes */
};

/* The sum of all amounts, or of one item's, by a scan of the whole ledger as it is when the scan
 * begins. It is done by the thread pool, in a part for each processor. An item that nobody sold has
 * a total of 0. A cancel ends it within a millisecond; it then reports the reason.
 *   UV_EINVAL       the ledger is not open; or each_item, and an item
 *   UV_EOVERFLOW    the sum does not fit; matched and records_scanned are right. With each_item: or that
 *                   of an item, or of the others, does not
 *   WEFT_EDAMAGED   a record is not what was written
 *   UV_ENOMEM, UV_EAGAIN: too many processes read at the same time */
struct ledger_total {
    struct weft_op op;
    struct ledger *ledger;
    struct weft_text item; /* empty: all; it stays until then */
    bool each_item;        /* also the totals of each item, by one thread; item is empty */

    /* Results, there if the status is 0. */
    int64_t sum;
    uint64_t matched, records_scanned;
    /* With each_item: the items in the order of their first sale, at most LEDGER_ITEMS_MAX; all of
     * the others together are in other_sum. Free them by ledger_total_free, whatever the status. */
    struct ledger_item *items;
    size_t item_count;
    int64_t other_sum;
    uint64_t other_sales;

    struct ledger_scan *scan_;
    struct ledger_total *next_, **link_;
};
#define ledger_total(parent, total, then)                                                          \
    weft_run_at(WEFT_HERE("ledger_total", WEFT_THREAD), parent, &(total)->op, ledger_total_begin,  \
                then)
void ledger_total_begin(struct weft_op *op);
void ledger_total_free(struct ledger_total *total);

/* ---- adding --------------------------------------------------------------------------------- */

/* One sale. When then gets 0 it is on the disk, and has its id. Adds that come while a commit is
 * under way go together into the next one. A cancel takes an add out of the line; one whose commit
 * has begun is awaited, and its status is the true one.
 *   UV_EINVAL       the ledger is not open, or the item's name is empty or too long
 *   UV_EROFS        the ledger was opened for reading
 *   UV_ENOBUFS      LEDGER_ADDS_MAX adds wait already
 *   UV_ENOSPC and others of the disk: nothing was written; WEFT_EDAMAGED, UV_ENOMEM */
struct ledger_add {
    struct weft_op op;
    struct ledger *ledger;
    struct weft_text item; /* any bytes; it stays until then */
    int64_t amount;        /* in minor units */
    int64_t time_s;        /* since 1970 */

    uint64_t id; /* the result */

    struct ledger_add *next_, **link_;
};
#define ledger_add(parent, add, then)                                                              \
    weft_run_at(WEFT_HERE("ledger_add", WEFT_FS), parent, &(add)->op, ledger_add_begin, then)
void ledger_add_begin(struct weft_op *op);

/* ---- many at once --------------------------------------------------------------------------- */

/* For load and import: any number of sales, all of them or none. They are kept in a file without a
 * name until the commit, so that nobody waits for the one who is slow to name them. These block.
 *
 *     struct ledger_bulk bulk = {.ledger = &ledger};
 *     while (err == 0 && …) err = ledger_bulk_add(&bulk, item, amount, time_s);
 *     if (err == 0) err = ledger_bulk_commit(&bulk);
 *     ledger_bulk_free(&bulk);
 *
 * While the ledger has ops under way a commit is UV_EBUSY. One that failed has written nothing and
 * may be made again. UV_EINVAL, UV_EROFS, UV_ENOMEM of an add: this sale was not taken, all others
 * are. When the disk has no room for the file, sales are missing from it: adds and the commit go on
 * to return that error until everything is freed. */
struct ledger_bulk {
    struct ledger *ledger;
    uint64_t count; /* read only: sales that were added */
    /* Called now and then during the commit, if it is not NULL. */
    void (*progress)(struct ledger_bulk *bulk, uint64_t written);
    struct ledger_block *block_;
    uint64_t blocks_;
    int file_;   /* and one, so that zero is none */
    int broken_; /* a status: not all that was added could be kept */
};
int ledger_bulk_add(struct ledger_bulk *bulk, struct weft_text item, int64_t amount,
                    int64_t time_s);
int ledger_bulk_commit(struct ledger_bulk *bulk);
void ledger_bulk_free(struct ledger_bulk *bulk);

#endif
