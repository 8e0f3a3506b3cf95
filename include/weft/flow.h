/* weft/flow.h: control flow, all of it.
 *
 *     weft/series.h    a known set of steps: series, waterfall, parallel, try_each, apply_each
 *     weft/each.h      a collection: each, map, reduce, filter, detect, sort_by, group_by, settle …
 *     weft/race.h      the first one, or the first few, of many
 *     weft/retry.h     one task in a wrapping: retry, timeout, reflect, ensure_async
 *     weft/repeat.h    again and again: whilst, until, do_whilst, do_until, forever
 *     weft/auto.h      tasks that wait for one another: a graph
 *     weft/promise.h   one piece of work that many wait for
 *     weft/memo.h      work that is done once for each key
 *
 * They have one shape. Each is a struct with an op in it, a begin function (so that they nest in
 * one another, in queues and in retries) and a starter macro, which fills the struct in and begins
 * it:
 *
 *     weft_thing(parent, &thing, what it needs …, then)
 *
 *   - None allocates. Slots, nodes and awaits are arrays of yours, and their number is the limit.
 *   - An empty set finishes too. `then` comes on a later turn, like everybody's.
 *   - When the outcome is decided early, by an error or by weft_end, the rest is cancelled and
 *     awaited before the whole finishes. weft_end(op, 0) is an early exit without an error.
 *   - Cancelling it cancels what runs below it; what would have come next is not begun.
 *   - Filled in by hand, pushed and cancelled before it began, it has touched none of its results:
 *     they are what they were. The starters set them back.
 *   - A starter sets everything in the struct but what is named here: the growth, jitter, max_ms,
 *     again and discard of a retry, and keep of a promise, are as you set them before. Filled in by
 *     hand instead, a struct is begun with its begin function, which resets its results.
 *   - Wrong arguments are an error like any other: UV_EINVAL in `then`, and nothing was begun. A
 *     limit of 0 is a wrong argument (the `wanted` of a race is no limit: there it means 1). */
#ifndef WEFT_FLOW_H
#define WEFT_FLOW_H

#include "auto.h"
#include "each.h"
#include "memo.h"
#include "promise.h"
#include "race.h"
#include "repeat.h"
#include "retry.h"
#include "series.h"

#endif
