/* weft/each.h: a collection: each, map, reduce, transform, concat, times, detect, some, every,
 * filter, reject, sort_by, group_by, settle.
 *
 * All of them are one thing, weft_each: a source that fills slots, slots that run, and a function
 * that looks at what a slot produced. The number of slots is the limit. One slot is a series, a
 * hundred are a limit of a hundred, as many as there are items is plain parallel: so each of these
 * exists in all three forms, and the code is there once.
 *
 * Where JavaScript would make a new list, the answer here is one of indices into yours, in storage
 * that you provide: nothing is allocated, and your items keep their type. See weft/flow.h for what
 * all of control flow has in common. */
#ifndef WEFT_EACH_H
#define WEFT_EACH_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- each and map --------------------------------------------------------------------------- */

/* Where items run: an array of yours, each element with an op in it. */
struct weft_slots {
    struct weft_op *first;
    size_t stride, count;
};
/* array is an array; for a pointer to count elements there is WEFT_SLOTS_OF. */
#define WEFT_SLOTS_OF(pointer, member, count)                                                      \
    weft_slots(&(pointer)[0].member, sizeof(pointer)[0], count)
#ifdef __cplusplus
#define WEFT_SLOTS(array, member) WEFT_SLOTS_OF(array, member, sizeof(array) / sizeof(array)[0])
#else
#define WEFT_SLOTS(array, member)                                                                  \
    ((struct weft_slots){&(array)[0].member, sizeof(array)[0],                                     \
                         sizeof(array) / sizeof(array)[0] + WEFT_MUST_BE_AN_ARRAY(array)})
/* clang-format off */
#define WEFT_MUST_BE_AN_ARRAY(array)                                                               \
    (0 * sizeof(struct { int use_WEFT_SLOTS_OF : __builtin_types_compatible_p(                     \
                             __typeof__(array), __typeof__(&(array)[0])) ? -1 : 1; }))
/* clang-format on */
#endif
static inline struct weft_slots weft_slots(struct weft_op *first, size_t stride, size_t count)
{
    struct weft_slots slots = {first, stride, count};
    return slots;
}

/* The functions of a collection are called with the slot: weft_index(slot) is the item's number,
 * slot->parent the op of the collection. */

/* Fill the slot for the next item; false: there are no more. Called when a slot is free, so the
 * source may be lazy or endless. It may weft_end(slot->parent, error) and return false. */
typedef bool weft_next_fn(struct weft_op *slot);
/* Take what the slot produced. It is called for every item that succeeded, also for one that did so
 * after the outcome was decided: what an item leaves is freed here. */
typedef void weft_store_fn(struct weft_op *slot);

/* Where items come from. In the starters below, source is a number or a weft_next_fn: so many
 * items, and begin finds its own with weft_index; or as many as there are. */
struct weft_source {
    weft_next_fn *next;
    size_t count; /* if next is NULL */
};
static inline struct weft_source weft_source_from(weft_next_fn *next)
{
    struct weft_source source = {next, next != NULL ? 0 : SIZE_MAX};
    return source;
}
static inline struct weft_source weft_source_of(size_t count)
{
    struct weft_source source = {NULL, count};
    return source;
}
#ifdef __cplusplus
extern "C++" {
static inline struct weft_source weft_source(weft_next_fn *next)
{
    return weft_source_from(next);
}
template <typename number> static inline struct weft_source weft_source(number count)
{
    return weft_source_of(static_cast<size_t>(count));
}
}
#else
/* clang-format off */
#define weft_source(source)                                                                        \
    _Generic((source), weft_next_fn *: weft_source_from, default: weft_source_of)(source)
/* clang-format on */
#endif

/* In which order results are handed over. In order, an item that is early waits in its slot: with
 * n slots, at most n - 1 items are ahead of the one that is waited for. */
enum weft_order {
    WEFT_AS_THEY_COME,
    WEFT_IN_ORDER,
    WEFT_BACKWARDS /* in order, from the last item to the first: for a number of items only */
};

/* Runs begin for every item, at most slots.count at once.
 *   done   runs after each item, also a failed one: look at slot->status. One that was cancelled,
 *          because the whole is over early, has weft_cancelled(slot) != 0.
 *          weft_end(each, 0) is an early exit. NULL: the first error ends it.
 *          When it returns, the slot is used for the next item: free what the item left.
 * UV_EINVAL: no slots, begin is NULL, the source is a next that is NULL, more than SIZE_MAX / 2
 * items (a number that was negative), or backwards with a source that is not a number. */
struct weft_each {
    struct weft_op op;
    struct weft_slots slots;
    struct weft_source source;
    weft_begin_fn *begin;
    weft_then_fn *done;
    weft_store_fn *store; /* instead of done: see weft_map */
    enum weft_order order;
    bool dry_;
    const struct weft_site *item_site_;
    bool (*admit_)(struct weft_each *each, size_t index);
    void (*over_)(struct weft_each *each);
    size_t taken_, handed_over_;
};
#define weft_each(parent, each, slots, source, begin, done, then)                                  \
    weft_each_at(WEFT_HERE("each", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots,  \
                 weft_source(source), begin, done, WEFT_AS_THEY_COME, then)
/* The same with done in input order: for those who go on after an error. */
#define weft_each_in_order(parent, each, slots, source, begin, done, then)                         \
    weft_each_at(WEFT_HERE("each", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots,  \
                 weft_source(source), begin, done, WEFT_IN_ORDER, then)
WEFT_API void weft_each_at(const struct weft_site *site, const struct weft_site *item_site,
                           struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                           struct weft_source source, weft_begin_fn *begin, weft_then_fn *done,
                           enum weft_order order, weft_then_fn *then);
WEFT_API void weft_each_begin(struct weft_op *op);

/* An each that keeps results: store runs for every item that succeeded, and weft_index says where
 * its result belongs, whatever finishes first. The first error ends it. store may be NULL. */
#define weft_map(parent, each, slots, source, begin, store, then)                                  \
    weft_map_at(WEFT_HERE("map", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots,    \
                weft_source(source), begin, store, WEFT_AS_THEY_COME, then)
/* Count times: a map of numbers. */
#define weft_times(parent, each, slots, count, begin, store, then)                                 \
    weft_map_at(WEFT_HERE("times", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots,  \
                weft_source_of(count), begin, store, WEFT_AS_THEY_COME, then)
/* Fold results into one, as they come. */
#define weft_transform(parent, each, slots, source, begin, fold, then)                             \
    weft_map_at(WEFT_HERE("transform", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each,     \
                slots, weft_source(source), begin, fold, WEFT_AS_THEY_COME, then)
/* Fold results into one, in input order. With several slots the items run ahead of the folding;
 * with one slot each item sees what was folded before it. */
#define weft_reduce(parent, each, slots, source, begin, fold, then)                                \
    weft_map_at(WEFT_HERE("reduce", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots, \
                weft_source(source), begin, fold, WEFT_IN_ORDER, then)
/* The same from the last of count items to the first. */
#define weft_reduce_right(parent, each, slots, count, begin, fold, then)                           \
    weft_map_at(WEFT_HERE("reduce_right", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each,  \
                slots, weft_source_of(count), begin, fold, WEFT_BACKWARDS, then)
/* Items that produce any number of results each: append takes them in input order. */
#define weft_concat(parent, each, slots, source, begin, append, then)                              \
    weft_map_at(WEFT_HERE("concat", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, each, slots, \
                weft_source(source), begin, append, WEFT_IN_ORDER, then)
WEFT_API void weft_map_at(const struct weft_site *site, const struct weft_site *item_site,
                          struct weft_op *parent, struct weft_each *each, struct weft_slots slots,
                          struct weft_source source, weft_begin_fn *begin, weft_store_fn *store,
                          enum weft_order order, weft_then_fn *then);

/* ---- detect, some, every -------------------------------------------------------------------- */

/* What an item that succeeded says: does it pass? Called as weft_store_fn is, so free here what the
 * item leaves. */
typedef bool weft_test_fn(struct weft_op *slot);

/* Search for one item and stop there; that is no error. With several slots the first to pass
 * counts, with one the first in input order; to begin by hand with WEFT_IN_ORDER makes it the first
 * in input order whatever finishes first.
 *   found  its index, or WEFT_NONE; that it is after an error, a cancel, and a weft_end in a test
 *   slot   where it ran, untouched since; NULL if there is none
 *   yes    for some: an item passed; for every: all did, also when there was none; false after an
 *          error, and for every after a weft_end in a test or a next: not all were tested
 * No slot is filled again after an item that ends the search: what that left may stay in the slot,
 * and so may what the others leave that would have ended it too, but came too late. Then all slots
 * are looked through when the search is over.
 * UV_EINVAL: as for weft_each, or test is NULL. */
struct weft_search {
    struct weft_each each;
    weft_test_fn *test;
    bool every; /* search for one that does not pass */
    bool yes;
    size_t found;
    struct weft_op *slot;
};
#define weft_detect(parent, search, slots, source, begin, test, then)                              \
    weft_search_at(WEFT_HERE("detect", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, search,   \
                   slots, weft_source(source), begin, test, false, then)
#define weft_some(parent, search, slots, source, begin, test, then)                                \
    weft_search_at(WEFT_HERE("some", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, search,     \
                   slots, weft_source(source), begin, test, false, then)
#define weft_every(parent, search, slots, source, begin, test, then)                               \
    weft_search_at(WEFT_HERE("every", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, search,    \
                   slots, weft_source(source), begin, test, true, then)
WEFT_API void weft_search_at(const struct weft_site *site, const struct weft_site *item_site,
                             struct weft_op *parent, struct weft_search *search,
                             struct weft_slots slots, struct weft_source source,
                             weft_begin_fn *begin, weft_test_fn *test, bool every,
                             weft_then_fn *then);
WEFT_API void weft_search_begin(struct weft_op *op);

/* ---- filter, reject, sort_by, group_by ------------------------------------------------------ */

/* What an item is sorted or grouped by. Called as weft_store_fn is. */
typedef int64_t weft_key_fn(struct weft_op *slot);

/* An item that was picked. */
struct weft_picked {
    size_t index;
    int64_t key; /* of sort_by and group_by; 0 for the others */
};
struct weft_picks {
    struct weft_picked *list;
    size_t capacity;
};
#define WEFT_PICKS(array) weft_picks(array, sizeof(array) / sizeof(array)[0])
static inline struct weft_picks weft_picks(struct weft_picked *list, size_t capacity)
{
    struct weft_picks picks = {list, capacity};
    return picks;
}

/* Pick items. When it is over, picks.list[0 … count - 1] are those that were picked: in input
 * order for filter and reject; smallest key first, equal keys in input order, for sort_by and
 * group_by. After an error they are those picked until then, in the same order. A test or a key
 * may weft_end(slot->parent, 0): its item is still picked, no later one is.
 * UV_ENOBUFS: more were picked than there is room for. UV_EINVAL: as for weft_each, there is
 * neither test nor key, or picks has a capacity but no list. */
struct weft_pick {
    struct weft_each each;
    weft_test_fn *test; /* NULL: every item */
    weft_key_fn *key;   /* NULL: by index */
    bool reject;        /* pick those that do not pass */
    struct weft_picks picks;
    size_t count;
};
#define weft_filter(parent, pick, slots, source, begin, test, picks, then)                         \
    weft_pick_at(WEFT_HERE("filter", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, pick,       \
                 slots, weft_source(source), begin, test, NULL, false, picks, then)
#define weft_reject(parent, pick, slots, source, begin, test, picks, then)                         \
    weft_pick_at(WEFT_HERE("reject", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, pick,       \
                 slots, weft_source(source), begin, test, NULL, true, picks, then)
#define weft_sort_by(parent, pick, slots, source, begin, key, picks, then)                         \
    weft_pick_at(WEFT_HERE("sort_by", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, pick,      \
                 slots, weft_source(source), begin, NULL, key, false, picks, then)
#define weft_group_by(parent, pick, slots, source, begin, key, picks, then)                        \
    weft_pick_at(WEFT_HERE("group_by", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, pick,     \
                 slots, weft_source(source), begin, NULL, key, false, picks, then)
WEFT_API void weft_pick_at(const struct weft_site *site, const struct weft_site *item_site,
                           struct weft_op *parent, struct weft_pick *pick, struct weft_slots slots,
                           struct weft_source source, weft_begin_fn *begin, weft_test_fn *test,
                           weft_key_fn *key, bool reject, struct weft_picks picks,
                           weft_then_fn *then);
WEFT_API void weft_pick_begin(struct weft_op *op);

/* The groups of a group_by, one after the other: the items from `from` up to the answer have the
 * same key. At or behind the end the answer is `from` itself.
 *
 *     for (size_t from = 0, to; from < pick->count; from = to) {
 *         to = weft_group_end(pick, from);
 *         … */
WEFT_API size_t weft_group_end(const struct weft_pick *pick, size_t from);

/* ---- settle --------------------------------------------------------------------------------- */

/* All outcomes: an item's error ends nothing, statuses[index] says how each went. store, which may
 * be NULL, sees the ones that succeeded. UV_ENOBUFS: there are more items than room for statuses;
 * those were not begun. UV_EINVAL: as for weft_each, or statuses is NULL. */
struct weft_settle {
    struct weft_each each;
    weft_store_fn *store;
    int *statuses;
    size_t capacity;
    size_t count, failed; /* how many items were begun, and how many of them failed */
};
#define weft_settle(parent, settle, slots, source, begin, store, statuses, capacity, then)         \
    weft_settle_at(WEFT_HERE("settle", WEFT_FLOW), WEFT_HERE(#begin, WEFT_USER), parent, settle,   \
                   slots, weft_source(source), begin, store, statuses, capacity, then)
WEFT_API void weft_settle_at(const struct weft_site *site, const struct weft_site *item_site,
                             struct weft_op *parent, struct weft_settle *settle,
                             struct weft_slots slots, struct weft_source source,
                             weft_begin_fn *begin, weft_store_fn *store, int *statuses,
                             size_t capacity, weft_then_fn *then);
WEFT_API void weft_settle_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
