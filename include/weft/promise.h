/* weft/promise.h: one piece of work that any number of others wait for.
 *
 * An op has one parent, who is told once. A promise is an op whose end is told to everybody who
 * awaits it, at any time: before, or long after. What it produced are typed fields of the struct
 * around it, as with every op, and stay there.
 *
 *     struct config { struct weft_promise promise; struct weft_file_read file; };
 *
 *     weft_promise(app, &config->promise, config_begin);          // starts
 *     weft_await(op, &await, &config->promise, config_there);     // here, and there, and later
 *
 * It settles once. Who awaits is always told on a later turn, in the order of the awaits. When the
 * last one who awaits it is cancelled before it has settled, its work is cancelled too, with
 * UV_ECANCELED: nobody wants it any more. That is not taken back: who awaits it from then on gets
 * what comes of it. */
#ifndef WEFT_PROMISE_H
#define WEFT_PROMISE_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it before its first use; {0} will do. */
struct weft_promise {
    struct weft_op op; /* its status counts once `settled` is true */
    bool settled;      /* read only */
    bool keep;         /* go on when the last one who awaits it leaves */
    bool awaited_, unwanted_, forgotten_, asked_, expected_;
    unsigned held_;
    struct weft_op *waiters_, **waiters_tail_;
    struct weft_promise *next_unwanted_;
    uint64_t settled_ms_;
    weft_begin_fn *begin_; /* of one that has a context_: that of the op it was started for */
    void *context_;
};

/* Begin promise's work under owner, which outlives the work but need not wait for anybody; an error
 * is not the owner's. begin may be NULL: then somebody settles it by hand. A promise that has
 * settled may be started again, when it could be closed: rule 1. */
#define weft_promise(owner, promise, begin)                                                        \
    weft_promise_at(WEFT_HERE(#begin, WEFT_PROMISE | WEFT_HANDLE), owner, promise, begin)
WEFT_API void weft_promise_at(const struct weft_site *site, struct weft_op *owner,
                              struct weft_promise *promise, weft_begin_fn *begin);

/* Settle it by hand; what still works for it is cancelled and awaited first. The first word counts:
 * later ones do nothing, also when it has settled because it was cancelled. Rule 2: it was never
 * started. */
WEFT_API void weft_promise_settle(struct weft_promise *promise, int status);

/* Let go of a promise. UV_EBUSY: it has not settled, or the `then` of somebody who awaits it has
 * not been called yet. Otherwise 0, and the storage is yours. An error that nobody ever awaited is
 * nobody's: rule 8, unless the promise was cancelled. That is seen here and when it is started
 * again, so close every promise. One that was never started, or closed before, may be closed. */
WEFT_API int weft_promise_close(struct weft_promise *promise);

/* Wait for promise: the status is the promise's. UV_EINVAL: it is NULL, or was never started. What
 * the promise produced is there when `then` starts; that may close it. A promise may not await
 * itself, also not through others: that is not seen, and nothing would ever end it but a cancel. */
struct weft_await {
    struct weft_op op;
    struct weft_promise *promise;
    weft_then_fn *then_;
};
#define weft_await(parent, await, promise, then)                                                   \
    weft_await_at(WEFT_HERE("await", WEFT_PROMISE), parent, await, promise, then)
WEFT_API void weft_await_at(const struct weft_site *site, struct weft_op *parent,
                            struct weft_await *await, struct weft_promise *promise,
                            weft_then_fn *then);
WEFT_API void weft_await_begin(struct weft_op *op);

/* ---- several at once ------------------------------------------------------------------------ */

/* Await count promises, with an array of awaits that the caller has pointed at them (awaits[i].
 * promise). When the outcome is decided early the other awaits are cancelled: their promises are,
 * too, if nobody else awaits them.
 *   WEFT_ALL      all succeed, or the first error
 *   WEFT_ANY      the first success; if there is none, the last error
 *   WEFT_FIRST    the first to settle, whether well or not: what JavaScript calls race
 *   WEFT_SETTLED  all have settled: always a success; awaits[i].op.status says how each went
 * `which` is the one that decided for ANY and FIRST, and for ALL the one that failed; or WEFT_NONE.
 * When it is cancelled the status is the reason, for SETTLED too.
 * No promises: ALL and SETTLED succeed, ANY and FIRST are UV_EINVAL. UV_EINVAL: an await has no
 * promise, or kind is none of these; then none is awaited. */
enum weft_await_kind { WEFT_ALL, WEFT_ANY, WEFT_FIRST, WEFT_SETTLED };
struct weft_await_many {
    struct weft_op op;
    struct weft_await *awaits;
    size_t count;
    enum weft_await_kind kind;
    size_t which;
};
#define weft_await_all(parent, many, awaits, count, then)                                          \
    weft_await_many_at(WEFT_HERE("await_all", WEFT_PROMISE), parent, many, WEFT_ALL, awaits,       \
                       count, then)
#define weft_await_any(parent, many, awaits, count, then)                                          \
    weft_await_many_at(WEFT_HERE("await_any", WEFT_PROMISE), parent, many, WEFT_ANY, awaits,       \
                       count, then)
#define weft_await_first(parent, many, awaits, count, then)                                        \
    weft_await_many_at(WEFT_HERE("await_first", WEFT_PROMISE), parent, many, WEFT_FIRST, awaits,   \
                       count, then)
#define weft_await_settled(parent, many, awaits, count, then)                                      \
    weft_await_many_at(WEFT_HERE("await_settled", WEFT_PROMISE), parent, many, WEFT_SETTLED,       \
                       awaits, count, then)
WEFT_API void weft_await_many_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_await_many *many, enum weft_await_kind kind,
                                 struct weft_await *awaits, size_t count, weft_then_fn *then);
WEFT_API void weft_await_many_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
