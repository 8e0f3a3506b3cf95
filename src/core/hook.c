/* Hooks: which are on a loop, and telling them.
 *
 * A hook on a loop has a number from 0 to 7 and with it a bit. Sets of hooks are masks, so what a
 * begin has to find out is one line: the hooks enabled now and those that have captured the parent,
 * less those the branch was cut off from (hooks_capturing, observe.h). enable, disable and scope
 * only change loop->watch_, cut changes the flags of a subtree, and the rest is inheritance.
 *
 * The root is in no set: what is begun under it is a new root. Which hooks were told of the loop
 * itself is kept apart (told).
 *
 * While a hook's function runs every hook is hidden: what it begins is cut off from all of them, and
 * so is what follows from that. */
#include "handles.h"
#include "tell.h"
#include <stdlib.h>

const struct weft_site weft__loop_site = {"", "", "loop", 0, WEFT_LOOP | WEFT_HANDLE};

static struct weft_hook nobody;

/* ---- telling several ------------------------------------------------------------------------ */

void weft__tell_each(struct weft_loop *loop, uint32_t hooks, tell_one_fn *tell, void *about,
                     weft_entry_fn *entry)
{
    for (; hooks != 0; hooks &= hooks - 1)
        tell(loop, hooks, about, entry);
}

void weft__tell_init_one(struct weft_loop *loop, uint32_t hook, void *about, weft_entry_fn *entry)
{
    (void)entry;
    tell_one_init(loop, hook, about);
}

void weft__tell_pre_one(struct weft_loop *loop, uint32_t hook, void *about, weft_entry_fn *entry)
{
    tell_one_pre(loop, hook, about, entry);
}

void weft__tell_post_one(struct weft_loop *loop, uint32_t hook, void *about, weft_entry_fn *entry)
{
    (void)entry;
    tell_one_post(loop, hook, about);
}

void weft__tell_destroy_one(struct weft_loop *loop, uint32_t hook, void *about,
                            weft_entry_fn *entry)
{
    (void)entry;
    tell_one_destroy(loop, hook, about);
}

/* ---- on and off ----------------------------------------------------------------------------- */

#ifdef WEFT_NO_HOOKS
static int attach(struct weft_loop *loop, struct weft_hook *hook)
{
    (void)loop;
    (void)hook;
    return UV_ENOTSUP;
}
#else
/* While hooks are told of something nobody gets the number of one that may still be among them. */
static bool is_free(const struct weft_observers *observers, int i)
{
    const struct weft_hook *hook = observers->hooks[i];
    return hook == NULL || (hook == &nobody && !(observers->hidden & TELLING));
}

static int attach(struct weft_loop *loop, struct weft_hook *hook)
{
    struct weft_observers *observers = loop->observers_;
    if (hook->loop_ != NULL)
        return hook->loop_ == loop ? 0 : UV_EBUSY;
    for (int i = 0; i < WEFT_HOOKS; i++) {
        if (!is_free(observers, i))
            continue;
        observers->hooks[i] = hook;
        hook->loop_ = loop;
        hook->bit_ = 1U << (i + 16);
        return 0;
    }
    return UV_ENOSPC;
}
#endif

/* The loop is there already: a hook that is enabled on it is told of it, once. */
static void tell_of_loop(struct weft_loop *loop, const struct weft_hook *hook)
{
    struct weft_observers *observers = loop->observers_;
    uint64_t id = weft_id(&loop->root);
    if (id == 0 || observers->told & hook->bit_ || loop->root.flags_ & hook->bit_ << OP_CUT_SHIFT)
        return;
    observers->told |= hook->bit_;
    tell_init(loop, hook->bit_, slot_of(id));
}

int weft_hook_enable(struct weft_loop *loop, struct weft_hook *hook)
{
    if (loop == NULL || hook == NULL || loop->handles_ == NULL)
        return UV_EINVAL;
    RULE_THREAD(loop, &loop->root);
    int err = attach(loop, hook);
    if (err != 0)
        return err;
    loop->observers_->scoped &= ~hook->bit_;
    weft__watch(loop, loop->watch_ | hook->bit_);
    tell_of_loop(loop, hook);
    return 0;
}

int weft_hook_scope(struct weft_loop *loop, struct weft_hook *hook)
{
    if (loop == NULL || hook == NULL || loop->handles_ == NULL)
        return UV_EINVAL;
    RULE_THREAD(loop, &loop->root);
    int err = attach(loop, hook);
    if (err != 0)
        return err;
    if (!(loop->watch_ & hook->bit_)) { /* enabled is more than scoped */
        weft__watch(loop, loop->watch_ | hook->bit_);
        loop->observers_->scoped |= hook->bit_;
    }
    return 0;
}

void weft__scope_end(struct weft_loop *loop)
{
    struct weft_observers *observers = loop->observers_;
    weft__watch(loop, loop->watch_ & ~observers->scoped);
    observers->scoped = 0;
}

void weft_hook_disable(struct weft_hook *hook)
{
    if (hook->loop_ == NULL)
        return;
    RULE_THREAD(hook->loop_, &hook->loop_->root);
    weft__watch(hook->loop_, hook->loop_->watch_ & ~hook->bit_);
    hook->loop_->observers_->scoped &= ~hook->bit_;
}

static bool is_below(const struct weft_op *op, const struct weft_op *top)
{
    while (op != NULL && op != top)
        op = op->parent;
    return op != NULL;
}

/* A callback that runs for a branch belongs to it, whosoever's it is. */
static void cut_frames(const struct weft_hook *hook, const struct weft_op *top)
{
    for (struct weft_frame *frame = hook->loop_->frame_; frame != NULL; frame = frame->outer_) {
        if (is_below(frame->acting_, top) || is_below(frame->op_, top))
            frame->seen_ &= ~hook->bit_;
    }
}

void weft_hook_cut(struct weft_hook *hook, struct weft_op *op)
{
    if (hook->loop_ == NULL || op == NULL || op->state_ == OP_IDLE)
        return;
    RULE_THREAD(hook->loop_, op);
    RULE(7, op->loop_ == hook->loop_, op, "a branch was cut from a hook that is on another loop");
    struct weft_op *at = op;
    do {
        at->flags_ = (at->flags_ & ~hook->bit_) | hook->bit_ << OP_CUT_SHIFT;
        at = op_walk(at, op, true);
    } while (at != NULL);
    cut_frames(hook, op);
    weft__register_cut(hook->loop_->observers_, hook->bit_);
    if (op == &op->loop_->root)
        op->loop_->observers_->told &= ~hook->bit_;
}

static void forget_cuts(struct weft_loop *loop, uint32_t cut)
{
    struct weft_op *at = &loop->root;
    do {
        if (!(at->flags_ & OP_BY_HOOK)) /* those are nobody's, also not the next one's */
            at->flags_ &= ~cut;
        at = op_walk(at, &loop->root, true);
    } while (at != NULL);
}

/* Its number will be another's: no trace of it may stay. */
void weft_hook_remove(struct weft_hook *hook)
{
    struct weft_loop *loop = hook->loop_;
    if (loop == NULL)
        return;
    weft_hook_disable(hook);
    struct weft_observers *observers = loop->observers_;
    weft__register_clear(observers, hook->bit_);
    forget_cuts(loop, hook->bit_ << OP_CUT_SHIFT);
    for (struct weft_frame *frame = loop->frame_; frame != NULL; frame = frame->outer_) {
        frame->seen_ &= ~hook->bit_;
    }
    observers->told &= ~hook->bit_;
    observers->hooks[__builtin_ctz(hook->bit_) - 16] = &nobody;
    hook->loop_ = NULL;
    hook->bit_ = 0;
}

void weft__hooks_close(struct weft_loop *loop)
{
    struct weft_observers *observers = loop->observers_;
    if (loop->root.flags_ & OP_NAMED) {
        weft__resource_over(loop, slot_of(loop->root.id_), observers->told);
        loop->root.flags_ &= ~(uint32_t)OP_NAMED;
    }
    for (int i = 0; i < WEFT_HOOKS; i++) {
        if (observers->hooks[i] != NULL && observers->hooks[i] != &nobody)
            weft_hook_remove(observers->hooks[i]);
    }
    weft__watch(loop, 0);
    weft__register_close(loop);
}
