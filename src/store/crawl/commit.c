/* A commit: the files first, then the state that speaks of them.
 *
 * When it begins the two batches change places, and what happens from then on goes to the other
 * journal. On a thread of the pool the file system is made durable, the batch is applied, which
 * ends with a sync of LMDB's own, and its journal is cleared. Until that is done the batch is only
 * read, by both threads; then it is emptied, here.
 *
 * A commit that failed leaves its batch where it is. The next one puts what has come since behind
 * it and tries both: so there is always a place for new changes. Their journal then begins with
 * changes that are committed already; to replay them once more does no harm, because everything
 * that came after them is replayed too.
 *
 * The work is a child of the op: a cancel that comes before a thread has begun it is noticed here,
 * and the batch stays for the next commit. */
#include "store.h"

static struct weft_crawl_commit *commit_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_crawl_commit, op);
}

static int write_batch(struct weft_work *work)
{
    struct weft_crawl_commit *commit = weft_owner(work, struct weft_crawl_commit, work_);
    struct weft_crawl_store *store = commit->crawl->store_;
    struct weft__crawl_batch *batch = &store->batches[store->current ^ 1];
    size_t before = batch->applied;
    int err = weft__crawl_sync(store->folder);
    if (err == 0)
        err = weft__crawl_state_apply(&store->state, weft_text(batch->data, batch->size),
                                      &batch->applied);
    commit->bytes = batch->applied - before;
    return err != 0 ? err : weft__crawl_journal_clear(&store->journals[store->current ^ 1]);
}

static void written(struct weft_op *op, struct weft_op *work)
{
    struct weft_crawl_store *store = commit_of(op)->crawl->store_;
    store->committing = false;
    if (work->status == 0) {
        weft__crawl_batch_empty(&store->batches[store->current ^ 1]);
        if (store->batches[store->current].size == 0) /* it may begin with what is committed now */
            weft__crawl_journal_clear(&store->journals[store->current]);
    }
    weft_finish(op, work->status);
}

/* Everything that happened until now into the batch that is not the current one. */
static int gather(struct weft_crawl *crawl)
{
    struct weft_crawl_store *store = crawl->store_;
    struct weft__crawl_batch *batch = &store->batches[store->current];
    int err = weft_crawl_flush(crawl); /* or a commit that fails would leave it nowhere */
    if (err != 0)
        return err;
    if (store->batches[store->current ^ 1].size > 0) {
        err = weft__crawl_batch_join(&store->batches[store->current ^ 1], batch, &store->state.key);
    } else if (batch->size > 0) {
        store->current ^= 1;
        store->batch_number++;
    }
    if (err == 0)
        crawl->pending = 0;
    return err;
}

void weft_crawl_commit_begin(struct weft_op *op)
{
    struct weft_crawl_commit *commit = commit_of(op);
    struct weft_crawl_store *store = commit->crawl != NULL ? commit->crawl->store_ : NULL;
    commit->bytes = 0;
    int err = store == NULL ? UV_EINVAL : store->committing ? UV_EBUSY : gather(commit->crawl);
    if (err != 0 || store->batches[store->current ^ 1].size == 0) {
        weft_finish(op, err);
        return;
    }
    store->committing = true;
    weft_work(op, &commit->work_, write_batch, written);
}

void weft_crawl_commit_at(const struct weft_site *site, struct weft_op *parent,
                          struct weft_crawl_commit *commit, struct weft_crawl *crawl,
                          weft_then_fn *then)
{
    commit->crawl = crawl;
    weft_run_at(site, parent, &commit->op, weft_crawl_commit_begin, then);
}
