/* Telling the hooks. Inline for the one hook that there mostly is, because this is what hooks cost;
 * several are told the long way (hook.c). While a hook's function runs no hook sees what is begun. */
#ifndef WEFT_CORE_TELL_H
#define WEFT_CORE_TELL_H

#include "observe.h"

/* The hook of the lowest bit. One that was removed meanwhile, by another's function, has left one
 * that wants nothing in its place. */
static inline struct weft_hook *hook_of(const struct weft_observers *observers, uint32_t hooks)
{
    return observers->hooks[__builtin_ctz(hooks) - 16];
}

static inline bool wants(const struct weft_hook *hook, const struct weft_site *site)
{
    return hook->groups == 0 || hook->groups & site->group & ~(unsigned)WEFT_HANDLE;
}

static inline uint64_t id_of(struct weft_slot *slot)
{
    return atomic_load_explicit(&slot->id, memory_order_relaxed);
}

static inline const struct weft_site *site_of_slot(struct weft_slot *slot)
{
    return atomic_load_explicit(&slot->site, memory_order_relaxed);
}

/* Several hooks: each in its turn, by what tells one. */
typedef void tell_one_fn(struct weft_loop *loop, uint32_t hook, void *about, weft_entry_fn *entry);
void weft__tell_each(struct weft_loop *loop, uint32_t hooks, tell_one_fn *tell, void *about,
                     weft_entry_fn *entry);
tell_one_fn weft__tell_init_one, weft__tell_pre_one, weft__tell_post_one, weft__tell_destroy_one;

static inline bool is_one(uint32_t hooks)
{
    return likely((hooks & (hooks - 1)) == 0);
}

static inline void tell_one_init(struct weft_loop *loop, uint32_t which, struct weft_slot *slot)
{
    struct weft_hook *hook = hook_of(loop->observers_, which);
    const struct weft_site *site = site_of_slot(slot);
    if (hook->init == NULL || !wants(hook, site))
        return;
    uint32_t hidden = hide_begin(loop, TELLING);
    hook->init(hook, id_of(slot), site, SLOT_GET(slot->parent), SLOT_GET(slot->resource));
    hide_end(loop, hidden);
}

static inline void tell_one_pre(struct weft_loop *loop, uint32_t which,
                                const struct weft_frame *frame, weft_entry_fn *entry)
{
    struct weft_hook *hook = hook_of(loop->observers_, which);
    if (hook->pre == NULL || !wants(hook, frame->site_))
        return;
    uint32_t hidden = hide_begin(loop, TELLING);
    hook->pre(hook, frame->id_, entry);
    hide_end(loop, hidden);
}

static inline void tell_one_post(struct weft_loop *loop, uint32_t which,
                                 const struct weft_frame *frame)
{
    struct weft_hook *hook = hook_of(loop->observers_, which);
    if (hook->post == NULL || !wants(hook, frame->site_))
        return;
    uint32_t hidden = hide_begin(loop, TELLING);
    hook->post(hook, frame->id_, frame->thrown_);
    hide_end(loop, hidden);
}

static inline void tell_one_destroy(struct weft_loop *loop, uint32_t which, struct weft_slot *slot)
{
    struct weft_hook *hook = hook_of(loop->observers_, which);
    if (hook->destroy == NULL || !wants(hook, site_of_slot(slot)))
        return;
    uint32_t hidden = hide_begin(loop, TELLING);
    hook->destroy(hook, id_of(slot));
    hide_end(loop, hidden);
}

/* Each of these is for hooks that are not none. A resource may be begun and ended by the callback of
 * another loop, or by nobody's: its hooks are told by its own loop. */

static inline void tell_init(struct weft_loop *loop, uint32_t seen, struct weft_slot *slot)
{
    struct weft_loop *outer = weft__loop;
    weft__loop = loop;
    if (is_one(seen))
        tell_one_init(loop, seen, slot);
    else
        weft__tell_each(loop, seen, weft__tell_init_one, slot, NULL);
    weft__loop = outer;
    SLOT_SET(slot->state, WEFT_OPEN);
}

static inline void tell_pre(struct weft_loop *loop, struct weft_frame *frame, weft_entry_fn *entry)
{
    if (is_one(frame->seen_))
        tell_one_pre(loop, frame->seen_, frame, entry);
    else
        weft__tell_each(loop, frame->seen_, weft__tell_pre_one, frame, entry);
}

static inline void tell_post(struct weft_loop *loop, struct weft_frame *frame)
{
    if (is_one(frame->seen_))
        tell_one_post(loop, frame->seen_, frame);
    else
        weft__tell_each(loop, frame->seen_, weft__tell_post_one, frame, NULL);
}

static inline void tell_destroy(struct weft_loop *loop, uint32_t seen, struct weft_slot *slot)
{
    struct weft_loop *outer = weft__loop;
    weft__loop = loop;
    SLOT_SET(slot->state, WEFT_INCOMPLETE);
    if (is_one(seen))
        tell_one_destroy(loop, seen, slot);
    else
        weft__tell_each(loop, seen, weft__tell_destroy_one, slot, NULL);
    weft__loop = outer;
}

#endif
