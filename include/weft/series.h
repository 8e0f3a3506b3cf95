/* weft/series.h: a known set of steps: series, waterfall, parallel, try_each, apply_each.
 *
 * See weft/flow.h for what all of control flow has in common. */
#ifndef WEFT_SERIES_H
#define WEFT_SERIES_H

#include "each.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A step is called with the op of the series (or parallel) and starts what it likes under it. */
struct weft_step_list {
    weft_begin_fn *const *list;
    size_t count;
};
#define WEFT_STEPS(...)                                                                            \
    (__extension__({                                                                               \
        static weft_begin_fn *const weft_steps_[] = {__VA_ARGS__};                                 \
        struct weft_step_list weft_list_ = {weft_steps_,                                           \
                                            sizeof weft_steps_ / sizeof weft_steps_[0]};           \
        weft_list_;                                                                                \
    }))

/* ---- series --------------------------------------------------------------------------------- */

/* One step after the other. A step is over when everything it started is over; one that starts
 * nothing is over when it returns: it neither finishes op (that would end the series there, as a
 * success) nor joins it (rule 2). A child's error with then == NULL, or weft_end in a step, ends
 * the series; weft_end(op, 0) ends it early and well. UV_EINVAL: a step is NULL. */
struct weft_series {
    struct weft_op op;
    struct weft_step_list steps;
    size_t at_;
};
#define weft_series(parent, series, then, ...)                                                     \
    weft_series_at(WEFT_HERE("series", WEFT_FLOW), parent, series, WEFT_STEPS(__VA_ARGS__), then)
WEFT_API void weft_series_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_series *series, struct weft_step_list steps,
                             weft_then_fn *then);
WEFT_API void weft_series_begin(struct weft_op *op);

/* ---- waterfall, seq, compose ---------------------------------------------------------------- */

/* A function that gets a value: a step of a waterfall, or a function of apply_each. */
typedef void weft_value_fn(struct weft_op *op, void *value);
struct weft_functions {
    weft_value_fn *const *list;
    size_t count;
};
#define WEFT_FUNCTIONS(...)                                                                        \
    (__extension__({                                                                               \
        static weft_value_fn *const weft_functions_[] = {__VA_ARGS__};                             \
        struct weft_functions weft_list_ = {weft_functions_,                                       \
                                            sizeof weft_functions_ / sizeof weft_functions_[0]};   \
        weft_list_;                                                                                \
    }))

/* A series whose steps hand a value on. The first step gets `value`; each following one what the
 * step before handed on with weft_hand_on, NULL if it did not. `result` is what was handed on and
 * no step has got: after a success what the last one handed on (with no steps, value itself), after
 * an error or a cancel what is left over, for you to free. The library passes pointers and looks at
 * none: who owns what they point at is between the steps. In all else like weft_series.
 *
 * Filled in but not begun, a waterfall is a function made of functions, which can be begun in a
 * queue, a retry or an each with weft_waterfall_begin, again and again with the same value: what
 * JavaScript calls seq, and with `backwards` (the last step first) compose. If it is cancelled
 * before it began, result is what it was: set it to NULL when you have freed it. In a retry, free
 * what a failed attempt left over in its discard. */
struct weft_waterfall {
    struct weft_op op;
    struct weft_functions steps;
    bool backwards;
    void *value;
    void *result;
    size_t at_;
};
#define weft_waterfall(parent, waterfall, value, then, ...)                                        \
    weft_waterfall_at(WEFT_HERE("waterfall", WEFT_FLOW), parent, waterfall, value,                 \
                      WEFT_FUNCTIONS(__VA_ARGS__), false, then)
#define weft_seq weft_waterfall
#define weft_compose(parent, waterfall, value, then, ...)                                          \
    weft_waterfall_at(WEFT_HERE("compose", WEFT_FLOW), parent, waterfall, value,                   \
                      WEFT_FUNCTIONS(__VA_ARGS__), true, then)
WEFT_API void weft_waterfall_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_waterfall *waterfall, void *value,
                                struct weft_functions steps, bool backwards, weft_then_fn *then);
WEFT_API void weft_waterfall_begin(struct weft_op *op);
/* In a step, or in the then of what it started: the next step gets value. The last call counts.
 * Rule 2: op is no waterfall, or has not begun. */
WEFT_API void weft_hand_on(struct weft_op *waterfall, void *value);

/* ---- parallel ------------------------------------------------------------------------------- */

/* All steps at once; over when everything they started is over. The first error ends it and
 * cancels the rest. UV_EINVAL: a step is NULL; then none was called. */
struct weft_parallel {
    struct weft_op op;
    struct weft_step_list steps;
};
#define weft_parallel(parent, parallel, then, ...)                                                 \
    weft_parallel_at(WEFT_HERE("parallel", WEFT_FLOW), parent, parallel, WEFT_STEPS(__VA_ARGS__),  \
                     then)
WEFT_API void weft_parallel_at(const struct weft_site *site, struct weft_op *parent,
                               struct weft_parallel *parallel, struct weft_step_list steps,
                               weft_then_fn *then);
WEFT_API void weft_parallel_begin(struct weft_op *op);

/* ---- try_each ------------------------------------------------------------------------------- */

/* One way after the other until one succeeds; the status is the last one's if none does. Each is
 * the begin of an op of its own, `attempt`, and finishes that: weft_owner(op, struct job,
 * ways.attempt) is your struct, weft_index(op) the way's number. `won` is the number of the way
 * that succeeded, or WEFT_NONE. UV_EINVAL: there is no way, or one is NULL; then none was tried. */
struct weft_try_each {
    struct weft_op op;
    struct weft_step_list ways;
    size_t won;
    struct weft_op attempt;
    const struct weft_site *attempt_site_;
};
#define weft_try_each(parent, try_each, then, ...)                                                 \
    weft_try_each_at(WEFT_HERE("try_each", WEFT_FLOW), WEFT_HERE("attempt", WEFT_USER), parent,    \
                     try_each, WEFT_STEPS(__VA_ARGS__), then)
WEFT_API void weft_try_each_at(const struct weft_site *site, const struct weft_site *attempt_site,
                               struct weft_op *parent, struct weft_try_each *try_each,
                               struct weft_step_list ways, weft_then_fn *then);
WEFT_API void weft_try_each_begin(struct weft_op *op);

/* ---- apply_each ----------------------------------------------------------------------------- */

/* The same value for many functions, each with a slot of its own, at most slots.count at once.
 * A function is the begin of its slot's op, with the value beside it, and finishes that op. store
 * is that of weft_map and may be NULL; the index is the function's number. The first error ends
 * it. UV_EINVAL: no slots, or a function is NULL; then none was called. */
struct weft_apply_each {
    struct weft_each each;
    struct weft_functions functions;
    void *value;
};
#define weft_apply_each(parent, apply, slots, value, store, then, ...)                             \
    weft_apply_each_at(WEFT_HERE("apply_each", WEFT_FLOW), WEFT_HERE("function", WEFT_USER),       \
                       parent, apply, slots, value, WEFT_FUNCTIONS(__VA_ARGS__), store, then)
WEFT_API void weft_apply_each_at(const struct weft_site *site, const struct weft_site *item_site,
                                 struct weft_op *parent, struct weft_apply_each *apply,
                                 struct weft_slots slots, void *value,
                                 struct weft_functions functions, weft_store_fn *store,
                                 weft_then_fn *then);
WEFT_API void weft_apply_each_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
