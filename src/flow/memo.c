/* Memo: a promise for each key, in entries of the caller's.
 *
 * An entry that was never taken is a promise that was never started; drop makes it one again. So
 * what a promise knows of itself is all there is to know of an entry:
 *   - it is found if it is pending or has succeeded. Not if it failed, was forgotten, is older than
 *     the memo's ttl_ms, or was cancelled because nobody asked any more: then it is stale, and nobody
 *     gets somebody else's cancel;
 *   - it can be taken unless its work is under way or somebody holds it. An await holds it until
 *     its then starts; we hold it until that has returned, because it looks at the entry and may
 *     ask for another key. Who is told of a failure is given no entry, so that does not count. */
#include "weft/memo.h"
#include "promise.h"

static struct weft_promise *entry_at(const struct weft_memo *memo, size_t index)
{
    struct weft_op *op =
        (struct weft_op *)(void *)((char *)memo->entries.first + index * memo->entries.stride);
    return weft_owner(op, struct weft_promise, op);
}

static bool is_taken(const struct weft_promise *entry)
{
    return entry->settled || promise_pending(entry);
}

static bool is_too_old(const struct weft_memo *memo, const struct weft_promise *entry)
{
    return memo->ttl_ms != 0 && weft_now(entry->op.loop_) - entry->settled_ms_ >= memo->ttl_ms;
}

static bool is_stale(const struct weft_memo *memo, const struct weft_promise *entry)
{
    return entry->forgotten_ || promise_cancelled(entry) ||
           (entry->settled && (entry->op.status != 0 || is_too_old(memo, entry)));
}

static bool can_be_taken(const struct weft_promise *entry)
{
    return !promise_pending(entry) &&
           (entry->held_ == 0 || (entry->settled && entry->op.status != 0));
}

static struct weft_promise *find(const struct weft_memo *memo, const void *key)
{
    for (size_t i = 0; i < memo->entries.count; i++) {
        struct weft_promise *entry = entry_at(memo, i);
        if (is_taken(entry) && !is_stale(memo, entry) && memo->is(&entry->op, key))
            return entry;
    }
    return NULL;
}

static void drop(const struct weft_memo *memo, struct weft_promise *entry)
{
    weft__promise_check_awaited(entry);
    if (is_taken(entry) && memo->drop != NULL)
        memo->drop(&entry->op);
    entry->settled = false;
}

/* One that holds nothing of use to anybody. */
static struct weft_promise *find_empty(const struct weft_memo *memo)
{
    for (size_t i = 0; i < memo->entries.count; i++) {
        struct weft_promise *entry = entry_at(memo, i);
        if (can_be_taken(entry) && (!is_taken(entry) || is_stale(memo, entry)))
            return entry;
    }
    return NULL;
}

/* The clock: the hand goes round, and after one round nobody is spared. */
static struct weft_promise *find_victim(struct weft_memo *memo)
{
    size_t count = memo->entries.count;
    for (size_t steps = 0; steps < 2 * count; steps++) {
        size_t at = memo->hand_ < count ? memo->hand_ : 0;
        struct weft_promise *entry = entry_at(memo, at);
        memo->hand_ = at + 1;
        bool spared = entry->asked_;
        entry->asked_ = false;
        if (!spared && can_be_taken(entry))
            return entry;
    }
    return NULL;
}

/* The work's begin has cancelled or ended who asked for it, and nobody else came: it would
 * go on for nobody. */
static void check_wanted(const struct weft_op *asker, struct weft_promise *entry)
{
    bool left = asker->state_ != OP_RUNNING || asker->reason_ != 0;
    if (left && entry->waiters_ == NULL && !entry->keep)
        weft_cancel(&entry->op, UV_ECANCELED);
}

static struct weft_promise *start(struct weft_memo *memo, const struct weft_site *site,
                                  const void *key, const struct weft_op *asker)
{
    RULE(2, memo->owner->state_ == OP_RUNNING, asker != NULL ? asker : memo->owner,
         "a memo's owner is not running");
    struct weft_promise *entry = find_empty(memo);
    if (entry == NULL)
        entry = find_victim(memo);
    if (entry == NULL)
        return NULL;
    drop(memo, entry);
    memo->take(&entry->op, key);
    memo->misses++;
    weft__promise_start_for(asker, site, memo->owner, entry, memo->begin, weft__promise_settled);
    if (asker != NULL)
        check_wanted(asker, entry);
    return entry;
}

static bool is_valid(const struct weft_memo *memo)
{
    return memo != NULL && memo->entries.first != NULL && memo->entries.count != 0 &&
           memo->owner != NULL && memo->begin != NULL && memo->is != NULL && memo->take != NULL;
}

/* The entry for key, found or started. NULL, and *err says why. */
static struct weft_promise *look_up(struct weft_memo *memo, const struct weft_site *site,
                                    const void *key, const struct weft_op *asker, int *err)
{
    if (!is_valid(memo)) {
        *err = UV_EINVAL;
        return NULL;
    }
    struct weft_promise *entry = find(memo, key);
    if (entry != NULL) {
        memo->hits++;
        entry->asked_ = true;
    } else if (memo->owner->flags_ & OP_REFUSE) { /* rather than have each promise refused */
        *err = memo->owner->reason_;
    } else {
        entry = start(memo, site, key, asker);
        *err = UV_ENOBUFS;
    }
    return entry;
}

struct weft_promise *weft_memo_promise_at(const struct weft_site *site, struct weft_memo *memo,
                                          const void *key, int *err)
{
    int why = 0;
    struct weft_promise *entry = look_up(memo, site, key, NULL, &why);
    if (err != NULL)
        *err = entry != NULL ? 0 : why;
    return entry;
}

/* The then may use ask's storage again. */
static void answered(struct weft_op *parent, struct weft_op *op)
{
    struct weft_memoize *ask = weft_owner(op, struct weft_memoize, await.op);
    struct weft_promise *entry = ask->await.promise;
    if (op->status != 0) {
        ask->entry = NULL;
        ask->then_(parent, op);
        return;
    }
    entry->held_++;
    ask->then_(parent, op);
    entry->held_--;
}

static void await_entry(struct weft_memoize *ask, struct weft_promise *entry)
{
    struct weft_op *op = &ask->await.op;
    ask->await.promise = entry;
    ask->entry = &entry->op;
    if (op->then_ != NULL) {
        ask->then_ = op->then_;
        op->then_ = answered;
    }
    weft_await_begin(op);
}

void weft_memoize_begin(struct weft_op *op)
{
    struct weft_memoize *ask = weft_owner(op, struct weft_memoize, await.op);
    int err = op->reason_;
    ask->entry = NULL;
    struct weft_promise *entry =
        err == 0 ? look_up(ask->memo, op->site_, ask->key, op, &err) : NULL;
    if (entry != NULL)
        entry->awaited_ = true; /* also if a function of the memo's ends or cancels who asked */
    if (op->state_ != OP_RUNNING)
        return;
    if (entry != NULL)
        await_entry(ask, entry);
    else
        weft_finish(op, err);
}

/* Now, so that the key is looked at before this returns. The work's own begin is run with care for
 * the stack: that can ask for more. */
void weft_memoize_at(const struct weft_site *site, struct weft_op *parent, struct weft_memoize *ask,
                     struct weft_memo *memo, const void *key, weft_then_fn *then)
{
    op_check_start(parent, &ask->await.op);
    ask->memo = memo;
    ask->key = key;
    ask->entry = NULL;
    weft_run_now_at(site, parent, &ask->await.op, weft_memoize_begin, then);
    if (ask->await.op.then_ != then)
        op_wraps(&ask->await.op, then);
}

void weft_memo_forget(struct weft_memo *memo, const void *key)
{
    struct weft_promise *entry = find(memo, key);
    if (entry != NULL)
        entry->forgotten_ = true;
}

int weft_memo_close(struct weft_memo *memo)
{
    for (size_t i = 0; i < memo->entries.count; i++) {
        const struct weft_promise *entry = entry_at(memo, i);
        if (promise_pending(entry) || entry->held_ != 0)
            return UV_EBUSY;
    }
    for (size_t i = 0; i < memo->entries.count; i++)
        drop(memo, entry_at(memo, i));
    return 0;
}
