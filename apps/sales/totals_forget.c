/* A sale was added: what is known is not true any more.
 *
 * Here it is forgotten at once. A message to the other processes goes by Redis, and takes as long
 * as that takes; it is an op of the totals', in memory of its own, because it has to go out
 * although who added the sale may leave meanwhile: the sale is on the disk. Who waits for it can
 * leave at any time (told is NULL then). Without the memory for it all is forgotten, as soon as that can
 * be said; without Redis the others go on with what they have until its time is over. */
#include "sales/totals.h"
#include <weft/alloc.h>

struct totals_message {
    struct weft_op op;
    struct totals *totals;
    struct weft_text item; /* while it begins */
    struct weft_shared_forget forget_item, forget_all;
    struct totals_told *told; /* who waits for it */
};

static const struct weft_text all = {"", 0};

/* ---- the message ---------------------------------------------------------------------------- */

static void forgotten(struct weft_op *op, struct weft_op *forget)
{
    if (forget->status != 0)
        weft_owner(op, struct totals_message, op)->totals->untold++;
}

static void message_begin(struct weft_op *op)
{
    struct totals_message *message = weft_owner(op, struct totals_message, op);
    struct weft_shared *shared = &message->totals->shared;
    weft_shared_forget(op, &message->forget_item, shared, message->item, forgotten);
    weft_shared_forget(op, &message->forget_all, shared, all, forgotten);
    weft_join(op);
}

static void message_over(struct weft_op *owner, struct weft_op *op)
{
    (void)owner;
    struct totals_message *message = weft_owner(op, struct totals_message, op);
    if (message->told != NULL)
        weft_finish(&message->told->op, 0);
    weft_free(message);
}

/* The owner may be over when the commit of a sale ends: both were told to end at the same time. */
static struct totals_message *send_message(struct totals *totals, struct weft_text item)
{
    bool ending = weft_cancelled(&totals->owner) != 0;
    struct totals_message *message = ending ? NULL : weft_calloc(1, sizeof *message);
    if (message == NULL) {
        totals->untold++;
        weft_shared_forget_soon(&totals->shared);
        return NULL;
    }
    message->totals = totals;
    message->item = item;
    weft_run_now_at(WEFT_HERE("totals_message", WEFT_USER), &totals->owner, &message->op,
                    message_begin, message_over);
    return message;
}

struct totals_message *totals_forget(struct totals *totals, struct weft_text item)
{
    weft_batch_forget(&totals->batch, item);
    weft_batch_forget(&totals->batch, all);
    weft_cache_forget(totals->cache, item);
    weft_cache_forget(totals->cache, all);
    weft_memo_forget(&totals->memo, &item);
    weft_memo_forget(&totals->memo, &all);
    weft_cache_forget(&totals->overview, all);
    return totals->redis != NULL ? send_message(totals, item) : NULL;
}

/* ---- who waits for it ----------------------------------------------------------------------- */

static void told_cancelled(struct weft_op *op, int reason)
{
    weft_owner(op, struct totals_told, op)->message->told = NULL;
    weft_finish(op, reason);
}

void totals_told_begin(struct weft_op *op)
{
    struct totals_told *told = weft_owner(op, struct totals_told, op);
    if (told->message == NULL) {
        weft_finish(op, 0);
        return;
    }
    told->message->told = told;
    weft_on_cancel(op, told_cancelled);
}
