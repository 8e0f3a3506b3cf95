/* Adding: one transaction, and one wait for the disk, for all who came meanwhile.
 *
 *     begin ──► wait ──no commit is under way──► batch ──► a thread: append, sync ──► finish
 *                └── cancel: finish                 └── the map was too small: it moves, once more
 *
 * An add is in exactly one of the two lists from its begin to its finish: in the line, where link_ is
 * set, or in the batch. Nothing is allocated: the lists go through the ops, and a thread reads what
 * they point to, which stays because a batch is always awaited. Ids are given by the transaction, and
 * told only when it is on the disk. */
#include "sales/ledger_inside.h"
#include <weft/loop.h>

static void wait_in_line(struct ledger_store *store, struct ledger_add *add)
{
    if (store->adds == NULL)
        store->adds_tail = &store->adds;
    add->next_ = NULL;
    add->link_ = store->adds_tail;
    *store->adds_tail = add;
    store->adds_tail = &add->next_;
    store->adds_waiting++;
}

static void leave_line(struct ledger_store *store, struct ledger_add *add)
{
    *add->link_ = add->next_;
    if (add->next_ != NULL)
        add->next_->link_ = add->link_;
    else
        store->adds_tail = add->link_;
    store->adds_waiting--;
}

static void add_cancel(struct weft_op *op, int reason)
{
    struct ledger_add *add = weft_owner(op, struct ledger_add, op);
    leave_line(add->ledger->store_, add);
    weft_finish(op, reason);
}

/* ---- the batch ------------------------------------------------------------------------------ */

/* From here on a cancel has nothing to take back. */
static void take_batch(struct ledger_store *store)
{
    store->batch = store->adds;
    store->adds = NULL;
    store->adds_waiting = 0;
    for (struct ledger_add *add = store->batch; add != NULL; add = add->next_) {
        add->link_ = NULL;
        weft_on_cancel(&add->op, NULL);
    }
}

static void finish_batch(struct ledger_store *store, int status)
{
    uint64_t id = store->first_id;
    struct ledger_add *add = store->batch, *next;
    store->batch = NULL;
    for (; add != NULL; add = next) {
        next = add->next_; /* what is finished is the caller's */
        if (status == 0) {
            add->id = id++;
            store->ledger->added++;
        }
        weft_finish(&add->op, status);
    }
}

void adds_fail(struct ledger_store *store, int status)
{
    if (store->batch != NULL)
        finish_batch(store, status);
}

/* A process that was killed while it scanned still holds, for LMDB, what it read: nothing of that would be
 * used again, and the file would grow with every commit. */
static void let_go_of_the_dead(struct ledger_store *store)
{
    int dead;
    mdb_reader_check(store->env, &dead); /* if that fails, the next commit tries again */
}

/* On a thread of the pool. */
static int write_batch(struct weft_work *work)
{
    struct ledger_store *store = weft_owner(work, struct ledger_store, commit);
    struct append append;
    let_go_of_the_dead(store);
    int rc = append_open(&append, store, &store->block);
    if (rc == 0) {
        store->first_id = append.next;
        for (struct ledger_add *add = store->batch; add != NULL && rc == 0; add = add->next_)
            rc = append_sale(&append, add->item, add->amount, add->time_s);
        rc = append_close(&append, rc);
    }
    store->commit_rc = rc;
    return store_write_status(store, rc);
}

static void written(struct weft_op *root, struct weft_op *commit)
{
    struct ledger_store *store = weft_owner(commit, struct ledger_store, commit.op);
    (void)root;
    store->committing = false;
    if (commit->status == 0)
        store->ledger->commits++;
    if (commit->status == 0 || !store_must_move(store, store->commit_rc))
        finish_batch(store, commit->status);
    store_go_on(store);
}

void adds_go_on(struct ledger_store *store)
{
    if (store->committing || store->move != MAP_STAYS)
        return;
    if (store->batch == NULL)
        take_batch(store);
    if (store->batch == NULL)
        return;
    int err = store_look(store);
    if (err != 0) {
        finish_batch(store, err);
        return;
    }
    store->committing = true;
    store->commit_rc = 0;
    weft_work(weft_root(weft_loop_of(&store->batch->op)), &store->commit, write_batch, written);
}

/* ---- the op --------------------------------------------------------------------------------- */

static int refuse(const struct ledger_add *add)
{
    const struct ledger_store *store = add->ledger != NULL ? add->ledger->store_ : NULL;
    if (store == NULL || add->item.size == 0 || add->item.size > LEDGER_ITEM_MAX)
        return UV_EINVAL;
    if (store->read_only)
        return UV_EROFS;
    return store->adds_waiting >= LEDGER_ADDS_MAX ? UV_ENOBUFS : 0;
}

void ledger_add_begin(struct weft_op *op)
{
    struct ledger_add *add = weft_owner(op, struct ledger_add, op);
    int err = refuse(add);
    add->id = 0;
    if (err == 0)
        err = weft_cancelled(op);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    wait_in_line(add->ledger->store_, add);
    weft_on_cancel(op, add_cancel);
    store_go_on(add->ledger->store_);
}
