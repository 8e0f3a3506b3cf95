/* weft/cargo.h: many small tasks, carried in loads.
 *
 * Whoever has something to send puts an item on the cargo and is told when it is done. Workers take
 * what has come together, up to `most` at a time: one write for a hundred lines, one query for
 * fifty keys. One worker is what async calls cargo, several are a cargo queue. Nothing is
 * allocated: items and workers are structs of yours. */
#ifndef WEFT_CARGO_H
#define WEFT_CARGO_H

#include "each.h"
#include "hook.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One thing to send; embed it. An op like any other: it can be cancelled, and have a deadline. */
struct weft_item {
    struct weft_op op;
    struct weft_cargo *cargo; /* weft_cargo_push sets it */
    struct weft_load *load_;
    struct weft_item *next_, **link_;
};

/* A worker, and what it carries now; embed it. */
struct weft_load {
    struct weft_op op;
    struct weft_item *first; /* read only: the first item; NULL: every item was answered */
    size_t count;            /* read only: how many there were at the begin */
    size_t wanted_;
    struct weft_cargo *cargo_;
    struct weft_load *next_free_;
};
/* The next item of the same load; NULL: that was the last. */
static inline struct weft_item *weft_item_next(const struct weft_item *item)
{
    return item->next_;
}

struct weft_cargo {
    size_t waiting;    /* read only: items that are not on a load yet */
    unsigned running;  /* read only: loads under way */
    size_t high_water; /* from how many waiting items on push says false; SIZE_MAX at first */
    struct weft_op *owner_;
    const struct weft_site *site_;
    struct weft_slots loads_;
    size_t most_;
    weft_begin_fn *begin_;
    struct weft_item *first_, **tail_;
    struct weft_load *free_;
    struct weft_op turn_;
    struct weft_handle handle_;
    bool scheduled_;
};

/* loads are the workers: slots whose op is that of a struct weft_load, zeroed; their number is how
 * many loads are under way at once. Each is begun with begin, under owner, and carries from 1 to
 * most items. The worker walks over its items and finishes its op: every item then gets that
 * status, unless it was answered before. owner runs until the cargo is closed; when it is cancelled
 * no load begins any more, and the items that wait get the reason. UV_EINVAL: no loads, most is 0,
 * or an argument is NULL. To hooks (weft/hook.h) a cargo is a handle below its owner. */
#define weft_cargo_init(cargo, owner, loads, most, begin)                                          \
    weft_cargo_init_at(WEFT_HERE("cargo", WEFT_QUEUE | WEFT_HANDLE), WEFT_HERE(#begin, WEFT_USER), \
                       cargo, owner, loads, most, begin)
WEFT_API int weft_cargo_init_at(const struct weft_site *site, const struct weft_site *load_site,
                                struct weft_cargo *cargo, struct weft_op *owner,
                                struct weft_slots loads, size_t most, weft_begin_fn *begin);
/* UV_EBUSY: items wait or loads are under way. Otherwise cargo and its loads are yours at once, and
 * an item that comes later gets UV_EINVAL. Closing twice is allowed. */
WEFT_API int weft_cargo_close(struct weft_cargo *cargo);

/* Put item on the cargo, under parent. No load begins before the next turn, so what is pushed in a
 * row travels together. false: high_water items wait, or more; the item is taken all the same.
 * A cancel of an item that waits takes it off at once; of one that travels, it takes effect when
 * the item is answered or its load is over, and the item's status is the reason. A cancel after
 * which nobody waits for a load any more cancels its worker, with the same reason.
 * UV_EINVAL: cargo is NULL or closed. A load may not wait for its own cargo: pushing under a load
 * breaks rule 2. */
#define weft_cargo_push(cargo, parent, item, then)                                                 \
    weft_cargo_push_at(WEFT_HERE("cargo item", WEFT_QUEUE), cargo, parent, item, then)
WEFT_API bool weft_cargo_push_at(const struct weft_site *site, struct weft_cargo *cargo,
                                 struct weft_op *parent, struct weft_item *item,
                                 weft_then_fn *then);
WEFT_API void weft_item_begin(struct weft_op *op);

/* In a worker: this item of its load is done, with a status of its own; it leaves the load. Take
 * weft_item_next before. An item that is on no load breaks rule 2. */
WEFT_API void weft_item_answer(struct weft_item *item, int status);

#ifdef __cplusplus
}
#endif
#endif
