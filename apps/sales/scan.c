/* Totals: every sale is looked at, by all processors, as of one moment.
 *
 *     begin ──► wait ──fewer than LEDGER_SCANS_MAX run──► parts on the pool ──► the last: finish
 *                └── cancel: finish                        └── cancel: each part stops at its next block
 *
 * Each part has a transaction of its own, because LMDB gives one to one thread at a time. They are
 * begun one after the other, here, and those that are behind are begun again until all show the same
 * state; that takes microseconds, a commit takes milliseconds. The ids are cut into as many ranges as
 * there are parts, and a block belongs to the range that has its first id.
 *
 * Nothing that comes from the disk is believed: a block has its checksum, its sales lie within it, and
 * the blocks of a part follow each other without a gap; that the parts do is checked at the end.
 *
 * Sums are of 128 bits on their way: no order in which the parts are added can overflow, only the
 * result. */
#include "sales/ledger_inside.h"
#include <limits.h>
#include <unistd.h>
#include <weft/alloc.h>

enum { PARTS_MAX = 16, TABLE = 2048 };

__extension__ typedef __int128 wide;

/* A part of the ids. */
struct part {
    struct weft_work work;
    struct ledger_total *total;
    MDB_txn *txn;
    MDB_dbi blocks;
    uint64_t begin, end; /* ids of sales that it saw: from the first, to behind the last */
    wide sum;
    uint64_t matched;
    unsigned index;
};

struct ledger_scan {
    unsigned count, running;
    int status;           /* of the first part that failed */
    uint64_t mask, start; /* the first eight bytes of the item that is wanted, and which count */
    size_t size;          /* of its name; 0: all */
    /* With each_item: */
    uint16_t *table;  /* by the hash of a name, its index + 1 */
    uint64_t seed[2]; /* of that hash */
    wide *sums;       /* of total->items, and behind the last possible one that of the others */
    size_t items_room;
    struct part parts[];
};

/* ---- one sale after the other --------------------------------------------------------------- */

/* Is it the item? Without a branch for names of up to eight bytes: which one comes next cannot be
 * foreseen, and a wrong guess costs more than the comparison. */
static inline bool is_wanted(const struct ledger_scan *scan, const char *sale,
                             struct weft_text item)
{
    bool wanted = ((size_t)(unsigned char)sale[0] == scan->size) &
                  ((block_load(sale + 1) & scan->mask) == scan->start);
    if (scan->size > 8 && wanted)
        wanted = memcmp(sale + 9, item.data + 8, item.size - 8) == 0;
    return wanted;
}

/* All of them lie within the block, and nothing is left of it. */
static bool sum_one(struct part *part, const struct block_view *view)
{
    const struct ledger_scan *scan = part->total->scan_;
    struct weft_text item = part->total->item;
    const char *at = view->sales;
    uint64_t matched = 0;
    wide sum = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        size_t size = sale_size(at, view->end);
        if (size == 0)
            return false;
        bool wanted = is_wanted(scan, at, item);
        at += size;
        sum += (int64_t)(block_load(at - 16) & (0 - (uint64_t)wanted));
        matched += wanted;
    }
    part->sum += sum;
    part->matched += matched;
    return at == view->end;
}

static bool sum_all(struct part *part, const struct block_view *view)
{
    const char *at = view->sales;
    wide sum = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        size_t size = sale_size(at, view->end);
        if (size == 0)
            return false;
        at += size;
        sum += (int64_t)block_load(at - 16);
    }
    part->sum += sum;
    part->matched += view->count;
    return at == view->end;
}

/* ---- each item ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t one, uint64_t other)
{
    __extension__ unsigned __int128 product = (unsigned __int128)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Who names items must not know which of them meet in the table: so there is a seed. */
static size_t hash_of(const struct ledger_scan *scan, struct weft_text name)
{
    uint64_t hash = scan->seed[0] ^ name.size;
    for (size_t at = 0; at < name.size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, name.data + at, name.size - at < 8 ? name.size - at : 8);
        hash = mix(hash ^ word, scan->seed[1]);
    }
    return (size_t)mix(hash, scan->seed[1]);
}

static int new_item(struct ledger_total *total, struct weft_text name, uint16_t *slot)
{
    struct ledger_scan *scan = total->scan_;
    if (total->item_count == scan->items_room) {
        size_t room = scan->items_room > 0 ? 4 * scan->items_room : 16;
        struct ledger_item *items = weft_realloc(total->items, room * sizeof *items);
        if (items == NULL)
            return UV_ENOMEM;
        total->items = items;
        scan->items_room = room;
    }
    struct ledger_item *item = &total->items[total->item_count++];
    item->sum = 0;
    item->sales = 0;
    item->size = (unsigned char)name.size;
    memcpy(item->name, name.data, name.size);
    *slot = (uint16_t)total->item_count;
    return 0;
}

/* *item becomes NULL if there are too many: it is one of the others. */
static int find_item(struct ledger_total *total, struct weft_text name, struct ledger_item **item)
{
    uint16_t *table = total->scan_->table;
    size_t at = hash_of(total->scan_, name) % TABLE;
    *item = NULL;
    for (; table[at] != 0; at = (at + 1) % TABLE) {
        struct ledger_item *known = &total->items[table[at] - 1];
        if (weft_text_equal(weft_text(known->name, known->size), name)) {
            *item = known;
            return 0;
        }
    }
    if (total->item_count == LEDGER_ITEMS_MAX)
        return 0;
    int err = new_item(total, name, &table[at]);
    if (err == 0)
        *item = &total->items[table[at] - 1];
    return err;
}

static int note_item(struct ledger_total *total, const char *sale, int64_t amount)
{
    struct ledger_item *item;
    int err = find_item(total, weft_text(sale + 1, (unsigned char)sale[0]), &item);
    if (err != 0)
        return err;
    if (item == NULL)
        total->other_sales++;
    else
        item->sales++;
    total->scan_->sums[item != NULL ? (size_t)(item - total->items) : LEDGER_ITEMS_MAX] += amount;
    return 0;
}

static int note_items(struct part *part, const struct block_view *view)
{
    const char *at = view->sales;
    for (uint32_t i = 0; i < view->count; i++) {
        size_t size = sale_size(at, view->end);
        if (size == 0)
            return WEFT_EDAMAGED;
        int err = note_item(part->total, at, (int64_t)block_load(at + size - 16));
        if (err != 0)
            return err;
        at += size;
    }
    return 0;
}

/* ---- a part, on a thread -------------------------------------------------------------------- */

/* The id of the last block's first sale, 0 if there is none. */
static int last_block(MDB_cursor *cursor, uint64_t *last)
{
    MDB_val key;
    int rc = mdb_cursor_get(cursor, &key, NULL, MDB_LAST);
    if (rc != 0)
        return rc;
    if (key.mv_size != sizeof *last)
        return MDB_CORRUPTED;
    memcpy(last, key.mv_data, sizeof *last);
    return 0;
}

/* Where the part with this index begins: the ids from 1 to last, cut evenly. */
static uint64_t cut(uint64_t last, unsigned index, unsigned count)
{
    return 1 + (last / count) * index + (last % count) * index / count;
}

static int look_at(struct part *part, const MDB_val *value, uint64_t id)
{
    const struct ledger_total *total = part->total;
    struct block_view view;
    if (!block_open(&view, value->mv_data, value->mv_size) || view.first != id ||
        (part->end != 0 && part->end != id) || id > UINT64_MAX - view.count)
        return WEFT_EDAMAGED;
    if (part->end == 0)
        part->begin = id;
    part->end = id + view.count;
    bool whole = total->scan_->size > 0 ? sum_one(part, &view) : sum_all(part, &view);
    if (!whole)
        return WEFT_EDAMAGED;
    return total->each_item ? note_items(part, &view) : 0;
}

/* All blocks that begin in [from, to). */
static int walk(struct part *part, MDB_cursor *cursor, uint64_t from, uint64_t to)
{
    MDB_val key = {sizeof from, &from}, value;
    int rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
    for (; rc == 0; rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        uint64_t id;
        if (key.mv_size != sizeof id)
            return WEFT_EDAMAGED;
        memcpy(&id, key.mv_data, sizeof id);
        if (id >= to)
            return 0;
        if (weft_work_stopped(&part->work))
            return UV_ECANCELED;
        int err = look_at(part, &value, id);
        if (err != 0)
            return err;
    }
    return rc == MDB_NOTFOUND ? 0 : store_status(rc);
}

static int scan_part(struct weft_work *work)
{
    struct part *part = weft_owner(work, struct part, work);
    unsigned count = part->total->scan_->count;
    MDB_cursor *cursor;
    uint64_t last;
    int rc = mdb_cursor_open(part->txn, part->blocks, &cursor);
    if (rc != 0)
        return store_status(rc);
    rc = last_block(cursor, &last);
    int err = store_status(rc);
    if (rc == 0)
        err = walk(part, cursor, cut(last, part->index, count),
                   part->index + 1 < count ? cut(last, part->index + 1, count) : UINT64_MAX);
    mdb_cursor_close(cursor);
    return err;
}

/* ---- all parts ------------------------------------------------------------------------------ */

/* The parts join without a gap, the first of all begins with 1. */
static int add_up(struct ledger_total *total)
{
    const struct ledger_scan *scan = total->scan_;
    uint64_t next = 1;
    wide sum = 0;
    for (unsigned i = 0; i < scan->count; i++) {
        const struct part *part = &scan->parts[i];
        if (part->end == 0)
            continue;
        if (part->begin != next)
            return WEFT_EDAMAGED;
        next = part->end;
        sum += part->sum;
        total->matched += part->matched;
    }
    total->records_scanned = next - 1;
    total->sum = (int64_t)sum;
    return total->sum == sum ? 0 : UV_EOVERFLOW;
}

/* What does not fit is told as the sum of all is: only if the result does not. */
static int add_up_items(struct ledger_total *total)
{
    const wide *sums = total->scan_->sums;
    bool fits = true;
    for (size_t i = 0; i < total->item_count; i++) {
        total->items[i].sum = (int64_t)sums[i];
        fits = fits && total->items[i].sum == sums[i];
    }
    total->other_sum = (int64_t)sums[LEDGER_ITEMS_MAX];
    return fits && total->other_sum == sums[LEDGER_ITEMS_MAX] ? 0 : UV_EOVERFLOW;
}

static void free_scan(struct ledger_total *total)
{
    struct ledger_scan *scan = total->scan_;
    for (unsigned i = 0; i < scan->count; i++) {
        if (scan->parts[i].txn != NULL)
            mdb_txn_abort(scan->parts[i].txn);
    }
    weft_free(scan->table);
    weft_free(scan->sums);
    weft_free(scan);
    total->scan_ = NULL;
}

static void end_scan(struct ledger_total *total, int status)
{
    struct ledger_store *store = total->ledger->store_;
    for (unsigned i = 0; i < total->scan_->count; i++)
        store->ledger->scanned += total->scan_->parts[i].end - total->scan_->parts[i].begin;
    if (status == 0)
        status = add_up(total);
    if (status == 0 && total->each_item)
        status = add_up_items(total);
    if (status == 0)
        store->ledger->scans++;
    free_scan(total);
    store->scans--;
    weft_finish(&total->op, status);
    store_go_on(store);
}

static void part_over(struct weft_op *op, struct weft_op *over)
{
    struct ledger_total *total = weft_owner(op, struct ledger_total, op);
    struct ledger_scan *scan = total->scan_;
    if (over->status != 0 && scan->status == 0) {
        scan->status = over->status;
        for (unsigned i = 0; i < scan->count; i++)
            weft_cancel(&scan->parts[i].work.op, UV_ECANCELED);
    }
    if (--scan->running > 0)
        return;
    end_scan(total, weft_cancelled(op) != 0 ? weft_cancelled(op) : scan->status);
}

/* ---- the beginning -------------------------------------------------------------------------- */

/* Transactions of one and the same state: whoever is behind the newest begins again. */
static int begin_parts(struct ledger_store *store, struct ledger_scan *scan)
{
    size_t newest = 0;
    for (unsigned same = 0, i = 0; same < scan->count; i = (i + 1) % scan->count) {
        struct part *part = &scan->parts[i];
        if (part->txn != NULL && mdb_txn_id(part->txn) == newest) {
            same++;
            continue;
        }
        int rc = 0;
        if (part->txn == NULL) {
            rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &part->txn);
        } else {
            mdb_txn_reset(part->txn);
            rc = mdb_txn_renew(part->txn);
        }
        if (rc != 0)
            return rc;
        same = mdb_txn_id(part->txn) == newest ? same + 1 : 1;
        newest = mdb_txn_id(part->txn);
    }
    return 0;
}

static unsigned processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > PARTS_MAX ? PARTS_MAX : (unsigned)count;
}

/* The item's first bytes as they will be found in a sale. */
static void set_wanted(struct ledger_scan *scan, struct weft_text item)
{
    unsigned char mask[8] = {0};
    size_t head = item.size < 8 ? item.size : 8;
    scan->size = item.size;
    memset(mask, 0xFF, head);
    memcpy(&scan->mask, mask, sizeof mask);
    if (head > 0)
        memcpy(&scan->start, item.data, head);
}

static int make_table(struct ledger_scan *scan)
{
    scan->table = weft_calloc(TABLE, sizeof *scan->table);
    scan->sums = weft_calloc(LEDGER_ITEMS_MAX + 1, sizeof *scan->sums);
    if (scan->table == NULL || scan->sums == NULL)
        return UV_ENOMEM;
    int err = uv_random(NULL, NULL, scan->seed, sizeof scan->seed, 0, NULL);
    scan->seed[1] |= 1; /* all that is multiplied by 0 is the same */
    return err;
}

static int make_scan(struct ledger_total *total)
{
    unsigned count = total->each_item ? 1 : processors();
    struct ledger_scan *scan = weft_calloc(1, sizeof *scan + count * sizeof scan->parts[0]);
    if (scan == NULL)
        return UV_ENOMEM;
    total->scan_ = scan;
    scan->count = count;
    set_wanted(scan, total->item);
    for (unsigned i = 0; i < count; i++) {
        scan->parts[i].total = total;
        scan->parts[i].index = i;
        scan->parts[i].blocks = total->ledger->store_->blocks;
    }
    return total->each_item ? make_table(scan) : 0;
}

static void wait_in_line(struct ledger_store *store, struct ledger_total *total)
{
    if (store->totals == NULL)
        store->totals_tail = &store->totals;
    total->next_ = NULL;
    total->link_ = store->totals_tail;
    *store->totals_tail = total;
    store->totals_tail = &total->next_;
}

static void leave_line(struct ledger_store *store, struct ledger_total *total)
{
    *total->link_ = total->next_;
    if (total->next_ != NULL)
        total->next_->link_ = total->link_;
    else
        store->totals_tail = total->link_;
}

static void total_cancel(struct weft_op *op, int reason)
{
    struct ledger_total *total = weft_owner(op, struct ledger_total, op);
    leave_line(total->ledger->store_, total);
    weft_finish(op, reason);
}

/* The first of the line. False: the map has to move first, and it is in the line as before. */
static bool start_scan(struct ledger_store *store, struct ledger_total *total)
{
    int err = store_look(store);
    if (err == 0)
        err = make_scan(total);
    if (err == 0) {
        int rc = begin_parts(store, total->scan_);
        if (store_must_move(store, rc)) {
            free_scan(total);
            return false;
        }
        err = store_status(rc);
    }
    leave_line(store, total);
    weft_on_cancel(&total->op, NULL); /* a cancel reaches the parts by itself */
    if (err != 0) {
        if (total->scan_ != NULL)
            free_scan(total);
        weft_finish(&total->op, err);
        return true;
    }
    struct ledger_scan *scan = total->scan_;
    store->scans++;
    scan->running = scan->count;
    for (unsigned i = 0; i < scan->count; i++)
        weft_work(&total->op, &scan->parts[i].work, scan_part, part_over);
    return true;
}

void totals_go_on(struct ledger_store *store)
{
    while (store->move == MAP_STAYS && store->totals != NULL && store->scans < LEDGER_SCANS_MAX) {
        if (!start_scan(store, store->totals))
            break;
    }
}

void totals_fail(struct ledger_store *store, int status)
{
    while (store->totals != NULL) {
        struct ledger_total *total = store->totals;
        leave_line(store, total);
        weft_on_cancel(&total->op, NULL);
        weft_finish(&total->op, status);
    }
}

/* ---- the op --------------------------------------------------------------------------------- */

void ledger_total_begin(struct weft_op *op)
{
    struct ledger_total *total = weft_owner(op, struct ledger_total, op);
    struct ledger_store *store = total->ledger != NULL ? total->ledger->store_ : NULL;
    int err = store == NULL ? UV_EINVAL : weft_cancelled(op);
    total->sum = total->other_sum = 0;
    total->matched = total->records_scanned = total->other_sales = 0;
    total->items = NULL;
    total->item_count = 0;
    total->scan_ = NULL;
    if (err == 0 && total->each_item && total->item.size > 0)
        err = UV_EINVAL;
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    wait_in_line(store, total);
    weft_on_cancel(op, total_cancel);
    store_go_on(store);
}

void ledger_total_free(struct ledger_total *total)
{
    weft_free(total->items);
    total->items = NULL;
    total->item_count = 0;
}
