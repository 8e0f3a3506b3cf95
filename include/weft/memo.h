/* weft/memo.h: memoize: work that is done once for each key.
 *
 * The answers live in entries of yours, an array of structs with a promise in them: its number is
 * the limit, and nothing is allocated. Whoever asks for a key that is there, or on its way, awaits
 * that entry's promise; the first one to ask starts it. Looking a key up walks over the entries:
 * meant for some hundreds. For answers that are bytes, and many of them, see weft/cache.h.
 *
 *     struct person { struct weft_promise promise; int id; char name[64]; … };
 *
 *     struct weft_memo people = {.entries = WEFT_SLOTS(entries, promise.op), .owner = app,
 *                                .begin = person_begin, .is = person_is, .take = person_take};
 *     weft_memoize(op, &ask, &people, &id, person_there);
 *
 * With a ttl_ms it is a cache of promises: one that is under way is shared, one that has settled
 * answers for that long, one that failed is gone. There are no timers: whether an entry is too old
 * is seen when somebody asks, by its own time, so the end of an old one cannot hit a newer one. */
#ifndef WEFT_MEMO_H
#define WEFT_MEMO_H

#include "each.h"
#include "promise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Filled in by you; zero what is not named here. is, take and drop do not ask the memo. */
struct weft_memo {
    struct weft_slots entries; /* of struct weft_promise's op; zeroed at first */
    struct weft_op *owner;     /* the work's parent; runs when somebody asks, outlives it; rule 2 */
    weft_begin_fn *begin;      /* produces an entry: the begin of its promise */
    bool (*is)(const struct weft_op *entry, const void *key); /* is this the entry for key? */
    void (*take)(struct weft_op *entry, const void *key); /* make it the entry for key: copies what
                                                             it needs of that */
    void (*drop)(struct weft_op *entry); /* free what it holds, also after a failure: before it is
                                            taken again and by weft_memo_close; may be NULL */
    uint64_t ttl_ms; /* so long after it has settled an entry is not found any more; 0: for ever */
    uint64_t hits, misses; /* read only: who found an entry, and who started one */
    size_t hand_;
};

/* Ask for key, which is only looked at before this returns; weft_memoize_begin looks at ask->key.
 * On success `entry` is the op of the entry's promise; it stays what it is until `then` has
 * returned. An error reaches everybody who asks, with no `entry`, and is not kept: the next one to
 * ask starts again. When the last one to ask is cancelled, so is the work, unless the entry's
 * promise says keep; who asks after that starts again too, perhaps while that work is letting go.
 * The work has the context (weft/context.h) of the one who started it, or if that has none, the
 * owner's; who asks keeps his own.
 * One that is too old (ttl_ms) stays what it is for those who have it; who asks starts again.
 * When every entry is taken, one that nobody asks for now gives way, in turn; one that was found
 * since its last turn is spared once. UV_ENOBUFS: none can. UV_EINVAL: the memo is not filled in.
 * When the owner was cancelled, who asks for what is not there gets the reason.
 * The memo outlives the `then` of every ask. */
struct weft_memoize {
    struct weft_await await;
    struct weft_memo *memo;
    const void *key;
    struct weft_op *entry;
    weft_then_fn *then_;
};
#define weft_memoize(parent, ask, memo, key, then)                                                 \
    weft_memoize_at(WEFT_HERE("memoize", WEFT_PROMISE), parent, ask, memo, key, then)
WEFT_API void weft_memoize_at(const struct weft_site *site, struct weft_op *parent,
                              struct weft_memoize *ask, struct weft_memo *memo, const void *key,
                              weft_then_fn *then);
WEFT_API void weft_memoize_begin(struct weft_op *op);

/* The promise for key: the one that is there or on its way, otherwise one that is started now. Anybody
 * may await it (weft_await), any number of times, also after it has settled; if that went well, what
 * came of it is in the struct around it. Its work has the owner's context. NULL, and *err says why:
 * UV_ENOBUFS, no entry can be taken; UV_EINVAL, the memo is not filled in; the reason, if its owner was
 * cancelled. Otherwise *err is 0. err may be NULL.
 * It is the promise for key while it is under way, and unless it has failed, from a weft_await until the
 * `then` of that starts; besides, until the memo is asked for another key or the caller returns to the
 * loop. After that its entry may be taken for another key. So await it at once, and do not keep it: ask
 * for key again. An error that nobody awaits before the entry is taken again is nobody's: rule 8. */
#define weft_memo_promise(memo, key, err)                                                          \
    weft_memo_promise_at(WEFT_HERE("memoize", WEFT_PROMISE), memo, key, err)
WEFT_API struct weft_promise *weft_memo_promise_at(const struct weft_site *site,
                                                   struct weft_memo *memo, const void *key,
                                                   int *err);

/* Forget key, if it is there: the next one to ask starts again. Those who ask now still get what
 * they asked for. */
WEFT_API void weft_memo_forget(struct weft_memo *memo, const void *key);

/* Drop every entry; the memo may be used on. UV_EBUSY: work is under way, or somebody asks, which
 * lasts until the `then` that was given an entry has returned; then nothing was dropped. */
WEFT_API WEFT_MUST_USE int weft_memo_close(struct weft_memo *memo);

#ifdef __cplusplus
}
#endif
#endif
