/* All items at once, for the page and /stats.json: one scan, kept for a second.
 *
 * It goes on when nobody waits for it any more, so that what it has looked at is known exactly and
 * can be told from what the requests have caused. */
#include "sales/totals.h"
#include <stdlib.h>
#include <weft/alloc.h>

/* The best first; what brought the same by name, so that the order is always the same one. */
static int compare(const void *left, const void *right)
{
    const struct ledger_item *one = left, *other = right;
    if (one->sum != other->sum)
        return one->sum < other->sum ? 1 : -1;
    size_t size = one->size < other->size ? one->size : other->size;
    int order = memcmp(one->name, other->name, size);
    return order != 0 ? order : one->size - other->size;
}

/* The sum of parts of a sum that fits need not fit: then it is cut. */
static int64_t add_up(int64_t sum, int64_t more)
{
    int64_t result;
    if (!__builtin_add_overflow(sum, more, &result))
        return result;
    return more < 0 ? INT64_MIN : INT64_MAX;
}

static void fill(struct totals_overview *overview, const struct ledger_total *total)
{
    overview->sum = total->sum;
    overview->sales = total->matched;
    overview->other_sum = total->other_sum;
    overview->other_sales = total->other_sales;
    for (size_t i = 0; i < total->item_count; i++) {
        const struct ledger_item *item = &total->items[i];
        if (i < overview->count) {
            overview->items[i] = *item;
        } else {
            overview->other_sum = add_up(overview->other_sum, item->sum);
            overview->other_sales += item->sales;
        }
    }
}

static void answer(struct weft_flight *flight, struct ledger_total *total)
{
    size_t count = total->item_count;
    if (count > TOTALS_OVERVIEW_ITEMS)
        count = TOTALS_OVERVIEW_ITEMS;
    size_t size = sizeof(struct totals_overview) + count * sizeof(struct ledger_item);
    struct totals_overview *overview = weft_calloc(1, size);
    if (overview == NULL) {
        weft_finish(&flight->promise.op, UV_ENOMEM);
        return;
    }
    if (total->item_count > 0)
        qsort(total->items, total->item_count, sizeof *total->items, compare);
    overview->count = count;
    fill(overview, total);
    weft_flight_answer(flight, overview, size);
    weft_free(overview);
}

static void scanned(struct weft_op *op, struct weft_op *scan)
{
    struct totals_overview_flight *flight =
        weft_owner(op, struct totals_overview_flight, flight.promise.op);
    struct totals *totals = weft_owner(op->parent, struct totals, owner);
    totals->overview_scanned += flight->total.records_scanned;
    if (scan->status == 0) {
        totals->overview_scans++;
        answer(&flight->flight, &flight->total);
    } else {
        weft_finish(op, scan->status);
    }
    ledger_total_free(&flight->total);
}

void totals_overview_load(struct weft_op *op)
{
    struct totals_overview_flight *flight =
        weft_owner(op, struct totals_overview_flight, flight.promise.op);
    flight->flight.promise.keep = true;
    flight->total.ledger = weft_owner(op->parent, struct totals, owner)->ledger;
    flight->total.each_item = true;
    ledger_total(op, &flight->total, scanned);
}
