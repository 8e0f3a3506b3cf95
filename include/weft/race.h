/* weft/race.h: the first one, or the first few, of many.
 *
 * See weft/flow.h for what all of control flow has in common. */
#ifndef WEFT_RACE_H
#define WEFT_RACE_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* starters begins the runners under op, each with weft_race_first or weft_race_any as its then.
 * When as many as wanted have come in, the race is over: the others are cancelled and awaited. A
 * cancel may lose: free what every runner may have produced, not only the winners'.
 *   winner  the first to come in; NULL if nobody did
 *   places  how many came in; fewer than wanted if the race was lost or cancelled
 * weft_index(runner) is the place it came in on, from 0; WEFT_NONE for one that did not. How each
 * runner fared stays readable in its op.status, also in the race's then.
 *
 * What else runs under op (a pause, after which one more is begun) counts as a runner until it is
 * over. So does a stream, and that is open until somebody closes it: a race of connects that all
 * fail would not be lost but stuck. Make each runner an op of its own, with its stream under that,
 * and end it with weft_end, which closes the stream: see examples/happy.c.
 *
 * UV_EINVAL: fewer ran than are wanted, or starters is NULL. */
struct weft_race {
    struct weft_op op;
    weft_begin_fn *starters;
    unsigned wanted; /* 0 means 1 */
    unsigned places;
    struct weft_op *winner;
    int failure_;
};
#define weft_race(parent, race, starters, then) weft_race_of(parent, race, 1, starters, then)
#define weft_race_of(parent, race, wanted, starters, then)                                         \
    weft_race_at(WEFT_HERE("race", WEFT_FLOW), parent, race, wanted, starters, then)
WEFT_API void weft_race_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_race *race, unsigned wanted, weft_begin_fn *starters,
                           weft_then_fn *then);
WEFT_API void weft_race_begin(struct weft_op *op);
/* Both are for runners: under an op that is no race they break rule 2. A then of your own may end
 * with a call of one of them, for its own two arguments: once for each runner, and last, when what
 * it has to begin under the race is begun. The runner's storage stays until the race's then if that
 * reads winner.
 *
 * Who settles comes in, whether well or not. The status is that of the one that ended the race. */
WEFT_API void weft_race_first(struct weft_op *race, struct weft_op *runner);
/* Who succeeds comes in. When too few are left, the race is lost: with the last failure's status. */
WEFT_API void weft_race_any(struct weft_op *race, struct weft_op *runner);

#ifdef __cplusplus
}
#endif
#endif
