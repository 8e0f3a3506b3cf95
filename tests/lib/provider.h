/* tests/lib/provider.h: the conformance suite that every provider of operations passes.
 *
 * A provider is described once and is then put through everything the contract of weft/op.h
 * promises: it succeeds, fails, is given nothing; it is cancelled before, in and after its begin,
 * at every step of its way, after its end, twice, by its parent, by the root, by a deadline; its
 * storage is overwritten and freed, or used again, in its then; it runs in a queue, in a retry, in
 * a race, as a slot of an each; it runs out of memory. Each of these happens on a loop of its own,
 * on real time and in a simulation, and at the end of each the loop closes, no block of memory is
 * left and no descriptor is open.
 *
 *     static void good(void *storage)
 *     {
 *         ((struct weft_file_read *)storage)->path = "/etc/passwd";
 *     }
 *     ...
 *     static const struct provider file_read = {
 *         .name = "file_read", PROVIDER_OP(struct weft_file_read, op),
 *         .begin = weft_file_read_begin, .good = good, .bad = bad, .bad_status = UV_ENOENT,
 *         .nothing_status = UV_EINVAL, .release = release,
 *     };
 *
 *     TEST(file_read_conforms)
 *     {
 *         provider_check(&file_read);
 *     }
 *
 * A failure names the provider, what was done to it, after how many steps, and on which loop. */
#ifndef TESTS_PROVIDER_H
#define TESTS_PROVIDER_H

#include "check.h"
#include <weft/loop.h>

/* The struct that the op is embedded in. It may be larger than the provider's own: inputs such as
 * paths can live behind it. */
#define PROVIDER_OP(type, member) .size = sizeof(type), .op_at = offsetof(type, member)

/* For bad_status: any negative status will do. */
enum { PROVIDER_ANY_ERROR = 1 };

enum provider_flag {
    /* A cancel is answered when the work is over, and may come too late: 0 is an answer as good as
     * the reason. Without this flag an op that was cancelled while it ran reports the reason. */
    PROVIDER_AWAITS = 1 << 0,
    /* Two of it cannot run at the same time (two reads of one stream). */
    PROVIDER_ALONE = 1 << 1
};

struct provider {
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
};

/* Put provider through the whole suite. */
void provider_check(const struct provider *provider);

#endif
