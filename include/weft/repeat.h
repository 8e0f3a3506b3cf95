/* weft/repeat.h: again and again: whilst, until, do_whilst, do_until, forever.
 *
 * See weft/flow.h for what all of control flow has in common. */
#ifndef WEFT_REPEAT_H
#define WEFT_REPEAT_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Another round? op is that of the loop. */
typedef bool weft_more_fn(struct weft_op *op);

/* Calls body for every round, with its own op, as a step of a series is called: body starts what it
 * likes under op, and the round is over when all of that is. A round in which nothing was started
 * is followed by the next on a later turn, so that a loop of these starves nobody. A child's error
 * with then == NULL, or weft_end in the body, ends the loop; weft_end(op, 0) ends it well.
 * UV_EINVAL: body is NULL, or test is and it is not a weft_forever. */
enum weft_repeat_how {
    WEFT_WHILST = 0,      /* as long as test says true, asked before each round */
    WEFT_UNTIL = 1 << 0,  /* as long as test says false */
    WEFT_DO = 1 << 1,     /* the first round without asking */
    WEFT_FOREVER = 1 << 2 /* never ask */
};
struct weft_repeat {
    struct weft_op op;
    weft_more_fn *test;
    weft_begin_fn *body;
    unsigned how;
    uint64_t rounds; /* read only: how many were begun */
    struct weft_op turn_;
};
#define weft_whilst(parent, repeat, test, body, then)                                              \
    weft_repeat_at(WEFT_HERE("whilst", WEFT_FLOW), parent, repeat, WEFT_WHILST, test, body, then)
#define weft_until(parent, repeat, test, body, then)                                               \
    weft_repeat_at(WEFT_HERE("until", WEFT_FLOW), parent, repeat, WEFT_UNTIL, test, body, then)
#define weft_do_whilst(parent, repeat, body, test, then)                                           \
    weft_repeat_at(WEFT_HERE("do_whilst", WEFT_FLOW), parent, repeat, WEFT_DO, test, body, then)
#define weft_do_until(parent, repeat, body, test, then)                                            \
    weft_repeat_at(WEFT_HERE("do_until", WEFT_FLOW), parent, repeat, WEFT_DO | WEFT_UNTIL, test,   \
                   body, then)
#define weft_forever(parent, repeat, body, then)                                                   \
    weft_repeat_at(WEFT_HERE("forever", WEFT_FLOW), parent, repeat, WEFT_FOREVER, NULL, body, then)
WEFT_API void weft_repeat_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_repeat *repeat, unsigned how, weft_more_fn *test,
                             weft_begin_fn *body, weft_then_fn *then);
WEFT_API void weft_repeat_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
