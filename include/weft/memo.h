/* weft/memo.h: memoize: work that is done once for each key.
 *
 * The answers live in entries of yours, an array of structs with a promise in them: its number is
 * the limit, and nothing is allocated. Whoever asks for a key that is there, or on its way, awaits
 * that entry's promise; the first one to ask starts it. Looking a key up walks over the entries:
 * meant for some hundreds.
 *
 *     struct person { struct weft_promise promise; int id; char name[64]; … };
 *
 *     struct weft_memo people = {.entries = WEFT_SLOTS(entries, promise.op), .owner = app,
 *                                .begin = person_begin, .is = person_is, .take = person_take};
 *     weft_memoize(op, &ask, &people, &id, person_there);
 */
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
    struct weft_op *owner;     /* the work's parent; outlives it */
    weft_begin_fn *begin;      /* produces an entry: the begin of its promise */
    bool (*is)(const struct weft_op *entry, const void *key); /* is this the entry for key? */
    void (*take)(struct weft_op *entry, const void *key);     /* make it the entry for key */
    void (*drop)(struct weft_op *entry); /* free what it holds, also after a failure: before it is
                                            taken again and by weft_memo_close; may be NULL */
    uint64_t hits, misses;               /* read only: who found an entry, and who started one */
    size_t hand_;
};

/* Ask for key, which is only looked at before this returns; weft_memoize_begin looks at ask->key.
 * On success `entry` is the op of the entry's promise; it stays what it is until `then` has
 * returned. An error reaches everybody who asks, with no `entry`, and is not kept: the next one to
 * ask starts again. When the last one to ask is cancelled, so is the work, unless the entry's
 * promise says keep; who asks after that starts again too, perhaps while that work is letting go.
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

/* Forget key, if it is there: the next one to ask starts again. Those who ask now still get what
 * they asked for. */
WEFT_API void weft_memo_forget(struct weft_memo *memo, const void *key);

/* Drop every entry; the memo may be used on. UV_EBUSY: work is under way, or somebody asks, which
 * lasts until the `then` that was given an entry has returned; then nothing was dropped. */
WEFT_API int weft_memo_close(struct weft_memo *memo);

#ifdef __cplusplus
}
#endif
#endif
