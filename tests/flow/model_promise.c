/* Promises and a memo against models of them, under thousands of seeded schedules.
 *
 * Both models know of a piece of work what was decided first, and who has still to be told. That
 * something settles is seen on the loop's ready queue before it is delivered.
 * ctest: labels=model timeout=120 shuffle=no */
#include "invariant.h"
#include "model.h"
#include <string.h>
#include <weft/flow.h>

enum { SCHEDULES = 10000, ACTIONS = 60 };

static struct world w;
static struct dice dice;
static bool in_order;

/* What one piece of work comes to, as far as it is known. The first word stands; a cancel before it
 * makes a success incomplete. */
struct outcome {
    bool pending, settled, decided, awaited;
    int status, reason;
};

static void decide(struct outcome *outcome, int status)
{
    if (outcome->decided)
        return;
    outcome->decided = true;
    outcome->status = status != 0 ? status : outcome->reason;
}

static int draw_status(void)
{
    static const int statuses[] = {0, 0, 0, UV_EIO, UV_ENOENT};
    return statuses[roll(&dice, 5)];
}

static void draw_job(struct job *job)
{
    job->ms = chance(&dice, 3) ? 0 : roll(&dice, 6);
    job->linger_ms = chance(&dice, 3) ? roll(&dice, 4) : 0;
    job->status = draw_status();
}

static void schedule_up(const char *model, uint64_t seed)
{
    model_begin(model, seed);
    dice.state = seed;
    jobs = (struct jobs){0};
    in_order = chance(&dice, 4);
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, in_order ? 0 : seed | 1), 0);
}

static void schedule_down(void)
{
    agree(jobs.running == 0);
    agree(w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

/* One step of the loop; before is told what it will deliver. false: nothing is left. */
static bool step(void (*before)(const struct weft_op *next), void (*compare)(void))
{
    const struct weft_op *next = w.loop.ready_;
    if (next != NULL && next->state_ == OP_READY)
        before(next);
    model_tell_next(&w);
    if (!weft_sim_step(&w.sim))
        return false;
    schedule.steps++;
    compare();
    agree(schedule.steps < 100000);
    return true;
}

/* ---- promises ------------------------------------------------------------------------------- */

enum { PROMISES = 3, LISTENERS = 8 };

static struct vow {
    struct weft_promise promise;
    struct job job;
    struct outcome is;
    bool by_hand;
    unsigned not_told; /* of those who have awaited it */
    size_t waiting[LISTENERS], waiting_count;
} vows[PROMISES];

static struct listener {
    struct weft_await await;
    struct vow *vow;
    bool open, waits, holds;
    int expected;
    unsigned ticket; /* when it was finished */
} listeners[LISTENERS];

static struct weft_op owner;
static int owner_reason;
static unsigned finished, told;

/* From here on, listener is only to be told. */
static void expect(struct listener *listener, int status)
{
    listener->waits = false;
    listener->expected = status;
    listener->ticket = finished++;
}

static void vow_cancelled(struct vow *vow, int reason)
{
    if (!vow->is.pending || vow->is.decided)
        return;
    if (vow->is.reason == 0)
        vow->is.reason = reason;
    if (vow->by_hand)
        decide(&vow->is, vow->is.reason);
}

static void vow_job_over(struct weft_op *op, struct weft_op *job)
{
    struct vow *vow = weft_owner(op, struct vow, promise.op);
    decide(&vow->is, job->status);
    weft_end(op, job->status);
}

static void vow_begin(struct weft_op *op)
{
    struct vow *vow = weft_owner(op, struct vow, promise.op);
    agree(owner_reason == 0);
    draw_job(&vow->job);
    weft_run(op, &vow->job.op, job_begin, vow_job_over);
}

/* An error that nobody awaited: neither close nor start it again. */
static bool is_lost(const struct outcome *is)
{
    return is->settled && is->status != 0 && !is->awaited && is->reason == 0;
}

static void start_vow(struct vow *vow)
{
    if (vow->is.pending || vow->not_told != 0 || is_lost(&vow->is))
        return;
    vow->is = (struct outcome){.pending = true, .reason = owner_reason};
    if (owner_reason != 0)
        decide(&vow->is, owner_reason);
    vow->promise.keep = chance(&dice, 4);
    vow->by_hand = chance(&dice, 2);
    weft_promise(&owner, &vow->promise, vow->by_hand ? NULL : vow_begin);
}

static void listener_told(struct weft_op *parent, struct weft_op *op);

static void await_vow(struct listener *listener, struct vow *vow)
{
    if (listener->open)
        return;
    listener->open = true;
    listener->vow = vow;
    listener->holds = vow->is.pending || vow->is.settled;
    vow->is.awaited = listener->holds;
    vow->not_told += listener->holds;
    if (vow->is.pending) {
        listener->waits = true;
        vow->waiting[vow->waiting_count++] = (size_t)(listener - listeners);
    } else {
        expect(listener, vow->is.settled ? vow->is.status : UV_EINVAL);
    }
    weft_await(weft_root(&w.loop), &listener->await, &vow->promise, listener_told);
}

static void cancel_listener(struct listener *listener)
{
    struct vow *vow = listener->vow;
    if (listener->waits) {
        size_t at = 0;
        while (vow->waiting[at] != (size_t)(listener - listeners))
            at++;
        vow->waiting_count--;
        for (; at < vow->waiting_count; at++)
            vow->waiting[at] = vow->waiting[at + 1];
        expect(listener, UV_EINTR);
        if (vow->waiting_count == 0 && !vow->promise.keep)
            vow_cancelled(vow, UV_ECANCELED);
    }
    weft_cancel(&listener->await.op, UV_EINTR);
}

static void settle_vow(struct vow *vow)
{
    if (!vow->is.pending && !vow->is.settled)
        return; /* never started: a broken rule */
    int status = draw_status();
    if (vow->is.pending)
        decide(&vow->is, status);
    weft_promise_settle(&vow->promise, status);
}

static void close_vow(struct vow *vow)
{
    bool busy = vow->is.pending || vow->not_told != 0;
    if (!busy && is_lost(&vow->is))
        return;
    agree(weft_promise_close(&vow->promise) == (busy ? UV_EBUSY : 0));
    if (!busy)
        vow->is = (struct outcome){0};
}

static void cancel_owner(void)
{
    if (owner_reason != 0)
        return;
    owner_reason = UV_ETIMEDOUT;
    for (int i = 0; i < PROMISES; i++)
        vow_cancelled(&vows[i], owner_reason);
    weft_cancel(&owner, owner_reason);
}

static void act_on_promises(void)
{
    struct vow *vow = &vows[roll(&dice, PROMISES)];
    struct listener *listener = &listeners[roll(&dice, LISTENERS)];
    switch (roll(&dice, 20)) {
    case 0:
    case 1:
    case 2:
        start_vow(vow);
        break;
    case 3:
    case 4:
        cancel_listener(listener);
        break;
    case 5:
        settle_vow(vow);
        break;
    case 6:
        close_vow(vow);
        break;
    case 7:
        vow_cancelled(vow, UV_ESHUTDOWN);
        weft_cancel(&vow->promise.op, UV_ESHUTDOWN);
        break;
    case 8:
        if (chance(&dice, 10))
            cancel_owner();
        break;
    default:
        await_vow(listener, vow);
    }
}

static void listener_told(struct weft_op *parent, struct weft_op *op)
{
    struct listener *listener = weft_owner(op, struct listener, await.op);
    agree(parent == weft_root(&w.loop));
    agree(listener->open && !listener->waits);
    agree(op->status == listener->expected);
    agree(!in_order || listener->ticket == told);
    told++;
    listener->open = false;
    listener->vow->not_told -= listener->holds;
    if (chance(&dice, 3))
        act_on_promises();
}

/* A promise settles: all who wait are finished, in their order. */
static void before_promises(const struct weft_op *next)
{
    for (int i = 0; i < PROMISES; i++) {
        struct vow *vow = &vows[i];
        if (next != &vow->promise.op)
            continue;
        agree(vow->is.pending && vow->is.decided);
        vow->is.pending = false;
        vow->is.settled = true;
        for (size_t k = 0; k < vow->waiting_count; k++)
            expect(&listeners[vow->waiting[k]], vow->is.status);
        vow->waiting_count = 0;
    }
}

static void compare_vow(const struct vow *vow)
{
    agree(vow->promise.settled == vow->is.settled);
    agree((vow->promise.op.state_ != OP_IDLE) == vow->is.pending);
    agree(!vow->is.settled || vow->promise.op.status == vow->is.status);
    agree(vow->promise.held_ == vow->not_told);
    const struct weft_op *waiter = vow->is.pending ? vow->promise.waiters_ : NULL;
    for (size_t k = 0; k < vow->waiting_count; k++, waiter = waiter->wait_)
        agree(waiter == &listeners[vow->waiting[k]].await.op);
    agree(waiter == NULL);
}

static void compare_promises(void)
{
    for (int i = 0; i < PROMISES; i++)
        compare_vow(&vows[i]);
    agree(invariant_broken(&w.loop) == NULL);
}

/* Whoever is left is told. */
static void end_promises(void)
{
    for (int i = 0; i < PROMISES; i++) {
        if (vows[i].is.pending) {
            decide(&vows[i].is, 0);
            weft_promise_settle(&vows[i].promise, 0);
        }
    }
    while (step(before_promises, compare_promises))
        ;
}

static void one_promises(uint64_t seed)
{
    schedule_up("promise", seed);
    memset(vows, 0, sizeof vows);
    memset(listeners, 0, sizeof listeners);
    owner = (struct weft_op){0};
    owner_reason = 0;
    finished = told = 0;
    weft_run(weft_root(&w.loop), &owner, NULL, noted);
    for (int i = 0; i < ACTIONS; i++) {
        if (chance(&dice, 2)) {
            step(before_promises, compare_promises);
        } else {
            act_on_promises();
            compare_promises();
        }
    }
    for (bool more = true; more;) { /* a then may have started another one */
        end_promises();
        more = false;
        for (int i = 0; i < PROMISES; i++)
            more = more || vows[i].is.pending;
    }
    agree(finished == told);
    for (int i = 0; i < PROMISES; i++)
        close_vow(&vows[i]);
    weft_end(&owner, 0);
    assert_int_equal(weft_sim_run(&w.sim), 0);
    schedule_down();
}

TEST(promises_agree_with_their_model)
{
    model_schedules(&w, one_promises, SCHEDULES);
}

/* ---- the memo ------------------------------------------------------------------------------- */

enum { ENTRIES = 4, ASKS = 8, KEYS = 6 };

static struct entry {
    struct weft_promise promise;
    struct job job;
    int key;
    bool full; /* between take and drop */
    struct outcome is;
    bool stale;
    unsigned waiting, not_told, in_thens, life;
} entries[ENTRIES];

static struct ask {
    struct weft_memoize memoize;
    struct entry *entry; /* NULL: no room */
    int key, expected;
    unsigned life; /* of the entry */
    bool open, waits;
} asks[ASKS];

static struct weft_memo memo;
static size_t entry_count;
static struct entry *taken; /* by the ask that is being made */

static struct entry *entry_of(const struct weft_op *op)
{
    return weft_owner((struct weft_op *)(uintptr_t)op, struct entry, promise.op);
}

static bool entry_is(const struct weft_op *op, const void *key)
{
    agree(entry_of(op)->full && !entry_of(op)->stale);
    return entry_of(op)->key == *(const int *)key;
}

static bool is_free(const struct entry *entry)
{
    bool failed = entry->is.settled && entry->is.status != 0;
    return !entry->is.pending && entry->in_thens == 0 && (entry->not_told == 0 || failed);
}

static void entry_drop(struct weft_op *op)
{
    agree(entry_of(op)->full && is_free(entry_of(op)));
    entry_of(op)->full = false;
}

static void entry_take(struct weft_op *op, const void *key)
{
    struct entry *entry = entry_of(op);
    agree(taken == NULL && !entry->full && is_free(entry));
    taken = entry;
    entry->full = true;
    entry->key = *(const int *)key;
    entry->is = (struct outcome){.pending = true};
    entry->stale = false;
    entry->life++;
}

static void entry_job_over(struct weft_op *op, struct weft_op *job)
{
    struct entry *entry = entry_of(op);
    decide(&entry->is, job->status);
    weft_end(op, job->status);
}

static void entry_begin(struct weft_op *op)
{
    struct entry *entry = entry_of(op);
    agree(entry == taken);
    draw_job(&entry->job);
    weft_run(op, &entry->job.op, job_begin, entry_job_over);
}

static struct entry *find_entry(int key)
{
    struct entry *found = NULL;
    for (size_t i = 0; i < entry_count; i++) {
        if (!entries[i].full || entries[i].stale || entries[i].key != key)
            continue;
        agree(found == NULL); /* each key is loaded once at a time */
        found = &entries[i];
    }
    return found;
}

/* How many entries could be taken, and how many of them are of no use to anybody. */
static size_t count_free(size_t *useless)
{
    size_t count = 0;
    *useless = 0;
    for (size_t i = 0; i < entry_count; i++) {
        count += is_free(&entries[i]);
        *useless += is_free(&entries[i]) && (!entries[i].full || entries[i].stale);
    }
    return count;
}

static void ask_told(struct weft_op *parent, struct weft_op *op);

static void check_taken(size_t could_be_taken, size_t useless, const bool was_useless[])
{
    agree((taken != NULL) == (could_be_taken != 0));
    if (taken != NULL && useless != 0)
        agree(was_useless[taken - entries]);
}

static void make_ask(struct ask *ask)
{
    if (ask->open)
        return;
    ask->key = (int)roll(&dice, KEYS);
    struct entry *found = find_entry(ask->key);
    size_t useless, could_be_taken = count_free(&useless);
    bool was_useless[ENTRIES];
    for (size_t i = 0; i < ENTRIES; i++)
        was_useless[i] = is_free(&entries[i]) && (!entries[i].full || entries[i].stale);
    uint64_t hits = memo.hits, misses = memo.misses;
    struct entry *outer = taken;
    taken = NULL;
    int key = ask->key;
    weft_memoize(weft_root(&w.loop), &ask->memoize, &memo, &key, ask_told);
    key = -1;
    if (found == NULL)
        check_taken(could_be_taken, useless, was_useless);
    else
        agree(taken == NULL);
    agree(memo.hits == hits + (found != NULL) && memo.misses == misses + (taken != NULL));
    ask->open = true;
    ask->entry = found != NULL ? found : taken;
    taken = outer;
    ask->expected = UV_ENOBUFS;
    ask->waits = ask->entry != NULL && ask->entry->is.pending;
    if (ask->entry != NULL) {
        agree(ask->memoize.entry == &ask->entry->promise.op);
        ask->life = ask->entry->life;
        ask->entry->not_told++;
        ask->entry->waiting += ask->waits;
        ask->expected = 0; /* only a success is found when it has settled */
    }
}

static void cancel_ask(struct ask *ask)
{
    if (ask->waits) {
        struct entry *entry = ask->entry;
        ask->waits = false;
        ask->expected = UV_EINTR;
        if (--entry->waiting == 0 && !entry->promise.keep && !entry->is.decided) {
            entry->is.reason = UV_ECANCELED;
            entry->stale = true;
        }
    }
    weft_cancel(&ask->memoize.await.op, UV_EINTR);
}

static void forget(int key)
{
    struct entry *found = find_entry(key);
    weft_memo_forget(&memo, &key);
    if (found != NULL)
        found->stale = true;
}

static void close_memo(void)
{
    bool busy = false;
    for (size_t i = 0; i < entry_count; i++)
        busy = busy || entries[i].is.pending || entries[i].not_told + entries[i].in_thens != 0;
    agree(weft_memo_close(&memo) == (busy ? UV_EBUSY : 0));
    for (size_t i = 0; !busy && i < entry_count; i++) {
        agree(!entries[i].full);
        entries[i].is = (struct outcome){0};
    }
}

static void act_on_memo(void)
{
    switch (roll(&dice, 12)) {
    case 0:
    case 1:
    case 2:
        cancel_ask(&asks[roll(&dice, ASKS)]);
        break;
    case 3:
        forget((int)roll(&dice, KEYS));
        break;
    case 4:
        close_memo();
        break;
    default:
        make_ask(&asks[roll(&dice, ASKS)]);
    }
}

static void ask_told(struct weft_op *parent, struct weft_op *op)
{
    struct ask *ask = weft_owner(op, struct ask, memoize.await.op);
    struct entry *entry = ask->entry;
    agree(parent == weft_root(&w.loop) && ask->open && !ask->waits);
    agree(op->status == ask->expected);
    agree(ask->memoize.entry == (op->status == 0 ? &entry->promise.op : NULL));
    ask->open = false;
    bool given = op->status == 0;
    if (entry != NULL)
        entry->not_told--;
    if (given)
        entry->in_thens++;
    unsigned life = ask->life;
    int key = ask->key;
    for (uint64_t acts = roll(&dice, 3); acts > 0; acts--)
        act_on_memo();
    if (given) {
        agree(entry->life == life && entry->full && entry->key == key);
        entry->in_thens--;
    }
}

static void before_memo(const struct weft_op *next)
{
    for (size_t i = 0; i < entry_count; i++) {
        struct entry *entry = &entries[i];
        if (next != &entry->promise.op)
            continue;
        agree(entry->is.pending && entry->is.decided);
        entry->is.pending = false;
        entry->is.settled = true;
        entry->stale = entry->stale || entry->is.status != 0;
        entry->waiting = 0;
        for (int k = 0; k < ASKS; k++) {
            if (asks[k].waits && asks[k].entry == entry) {
                asks[k].waits = false;
                asks[k].expected = entry->is.status;
            }
        }
    }
}

static void compare_memo(void)
{
    for (size_t i = 0; i < entry_count; i++) {
        agree(entries[i].promise.settled == entries[i].is.settled);
        agree((entries[i].promise.op.state_ != OP_IDLE) == entries[i].is.pending);
        agree(entries[i].promise.held_ == entries[i].not_told);
    }
    agree(invariant_broken(&w.loop) == NULL);
}

static void one_memo(uint64_t seed)
{
    schedule_up("memo", seed);
    memset(entries, 0, sizeof entries);
    memset(asks, 0, sizeof asks);
    entry_count = 1 + roll(&dice, ENTRIES);
    for (size_t i = 0; i < entry_count; i++)
        entries[i].promise.keep = chance(&dice, 4);
    memo = (struct weft_memo){.entries =
                                  weft_slots(&entries[0].promise.op, sizeof *entries, entry_count),
                              .owner = weft_root(&w.loop),
                              .begin = entry_begin,
                              .is = entry_is,
                              .take = entry_take,
                              .drop = entry_drop};
    for (int i = 0; i < ACTIONS; i++) {
        if (chance(&dice, 2)) {
            step(before_memo, compare_memo);
        } else {
            act_on_memo();
            compare_memo();
        }
    }
    while (step(before_memo, compare_memo))
        ;
    for (int i = 0; i < ASKS; i++)
        agree(!asks[i].open);
    close_memo();
    schedule_down();
}

TEST(the_memo_agrees_with_its_model)
{
    model_schedules(&w, one_memo, SCHEDULES);
}
