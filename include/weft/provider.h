/* weft/provider.h: the conformance suite for operations. In libweft-test.
 *
 * Whoever turns a foreign library into operations promises what the contract of weft/op.h says. A
 * provider is described once and is then put through all of it: it succeeds, fails, is given
 * nothing; it is cancelled before, in and after its begin, at every step of its way, after its end,
 * twice, by its parent, by the root, by a deadline; its storage is overwritten and freed, or used
 * again, in its then; it runs in a queue, in a retry, in a race, as a slot of an each; it runs out
 * of memory. Each of these happens on a loop of its own, on real time and in a simulation, and at
 * the end of each the loop closes, no block of memory is left and no descriptor is open.
 * All of it is gone through a second time with a hook on the loop (weft/hook.h). Whatever is begun
 * or opened there has an init first, under a parent that is open, and a destroy last; pre and post
 * are nested, and a request has one pair of them. All providers of weft itself pass it.
 *
 *     static void good(void *storage)
 *     {
 *         ((struct weft_file_read *)storage)->path = "/etc/passwd";
 *     }
 *     ...
 *     static const struct weft_provider file_read = {
 *         .name = "file_read", WEFT_PROVIDER_OP(struct weft_file_read, op),
 *         .begin = weft_file_read_begin, .good = good, .bad = bad, .bad_status = UV_ENOENT,
 *         .nothing_status = UV_EINVAL, .release = release,
 *     };
 *
 *     int main(void)
 *     {
 *         return weft_provider_check(&file_read, stderr);
 *     }
 *
 * The suite fits into any test framework, or none. Memory is counted and made to fail for what goes
 * through weft/alloc.h. */
#ifndef WEFT_PROVIDER_H
#define WEFT_PROVIDER_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The struct that the op is embedded in. It may be larger than the provider's own: inputs such as
 * paths can live behind it. */
#define WEFT_PROVIDER_OP(type, member) .size = sizeof(type), .op_at = offsetof(type, member)

/* For bad_status: any negative status will do. */
enum { WEFT_PROVIDER_ANY_ERROR = 1 };

enum weft_provider_flag {
    /* A cancel is answered when the work is over, and may come too late: 0 is an answer as good as
     * the reason. Without this flag an op that was cancelled while it ran reports the reason. */
    WEFT_PROVIDER_AWAITS = 1 << 0,
    /* Two of it cannot run at the same time (two reads of one stream). */
    WEFT_PROVIDER_ALONE = 1 << 1,
    /* A handle: it has callbacks of its own beside its then, between weft_enter and weft_leave. */
    WEFT_PROVIDER_HANDLE = 1 << 2
};

struct weft_provider {
    const char *name;
    size_t size, op_at;
    weft_begin_fn *begin;

    /* What the runs need beside them (a peer, a folder): made when the loop is there, undone when
     * the op is over and before the loop is closed. down may start closing things: the loop is run
     * until it is dry after it. Both may be NULL. */
    void (*up)(struct weft_loop *loop);
    void (*down)(struct weft_loop *loop);

    /* Fill in the inputs of a run that succeeds, and make what that needs. storage is zeroed, or
     * comes back from an earlier run. With several at once each call is for another run. */
    void (*good)(void *storage);
    /* The same for a run that fails, with bad_status. NULL: it cannot fail. */
    void (*bad)(void *storage);
    int bad_status;
    /* How it ends when all of its inputs are zero. */
    int nothing_status;

    /* For what does not end by itself: make a good run succeed. Called right after its begin, for
     * the runs that are to succeed and for some that are cancelled. weft_end(op, 0) will do for a
     * long-lived op. NULL: it ends by itself. */
    void (*nudge)(void *storage);
    /* Look at the results of a good run that has succeeded. May be NULL. */
    void (*verify)(void *storage);
    /* Free the results; after every run, failed and cancelled ones too. May be NULL. */
    void (*release)(void *storage);

    unsigned flags;
    unsigned rounds; /* how often the cancels in flight are gone through; 0 means 1 */
};

/* Put provider through the whole suite. 0: it conforms. Otherwise -1, and `to` was told which
 * promise was broken, in which scenario, after how many steps, on which loop, and what was running;
 * or that provider lacks a name, a begin, a good, or an op that fits into size: nothing was begun.
 * After that the process is good for nothing but to end: operations were left in the middle. */
WEFT_API int weft_provider_check(const struct weft_provider *provider, FILE *to);

#ifdef __cplusplus
}
#endif
#endif
