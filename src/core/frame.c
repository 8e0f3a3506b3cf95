/* Frames: the callbacks that run now, innermost first, as a list through the C stack.
 *
 * Only what somebody watches has a frame; loop->current_ is kept always, so that an error that is
 * thrown can say where. The rest of an event is in the frame, because the resource may be gone when
 * its callback returns: its id, its hooks, and whether it ended meanwhile. Only its slot stays, since
 * destroy is told after all callbacks. */
#include "tell.h"

_Thread_local struct weft_loop *weft__loop __attribute__((tls_model("initial-exec")));

/* From anywhere, also from a callback of libuv's: the thread learns which loop runs. */
static void enter(struct weft_frame *frame, struct weft_loop *loop)
{
    frame->outer_loop_ = weft__loop;
    weft__loop = loop;
    if (frame->seen_ != 0)
        tell_pre(loop, frame, frame->entry_);
}

void weft_enter(struct weft_frame *frame, struct weft_op *op, weft_entry_fn *entry)
{
    struct weft_loop *loop = op->loop_;
    uint32_t flags = op->flags_;
    if (op == &loop->root)
        flags |= loop->observers_->told;
    struct weft_slot *slot = flags & OP_NAMED ? slot_of(op->id_) : NULL;
    frame_push(frame, loop, op, slot, flags, site_of(op), entry);
    enter(frame, loop);
}

void weft_handle_enter(struct weft_frame *frame, struct weft_handle *handle, weft_entry_fn *entry)
{
    struct weft_op *branch = handle->branch_;
    RULE(1, branch != NULL, NULL, "a handle was entered that was never opened");
    uint32_t cut = (branch->flags_ & OP_CUT) >> OP_CUT_SHIFT;
    struct weft_slot *slot = handle->id_ != 0 ? slot_of(handle->id_) : NULL;
    frame_push(frame, branch->loop_, branch, slot, slot != NULL ? slot->hooks & ~cut : 0,
               handle->site_, entry);
    enter(frame, branch->loop_);
}

void weft__compact_enter(struct weft_frame *frame, struct weft_loop *loop, uint64_t *id,
                         weft_entry_fn *entry)
{
    struct weft_slot *slot = slot_of(*id);
    frame_push(frame, loop, &loop->root, slot, slot->hooks, SLOT_GET(slot->site), entry);
    slot->seen = &frame->seen_;
    frame->over_ = true;
    *id = 0;
    enter(frame, loop);
}

void weft_leave(struct weft_frame *frame)
{
    struct weft_loop *loop = frame->loop_;
    RULE(2, loop->frame_ == frame, current_op(loop),
         "a callback was left that is not the one that was entered last (weft_leave)");
    if (frame->seen_ != 0)
        tell_post(loop, frame);
    frame_pop(frame, loop);
    weft__loop = frame->outer_loop_;
    if (frame->over_)
        weft__resource_over(loop, frame->slot_, frame->seen_);
    if (frame->outer_loop_ == NULL)
        scope_end(loop); /* it was libuv that called */
}

void weft__resource_over(struct weft_loop *loop, struct weft_slot *slot, uint32_t seen)
{
    for (struct weft_frame *frame = loop->frame_; unlikely(frame != NULL); frame = frame->outer_) {
        if (frame->slot_ != slot)
            continue;
        frame->over_ = true; /* destroy is the last: told by its leave */
        slot->seen = &frame->seen_;
        return;
    }
    if (seen != 0)
        tell_destroy(loop, seen, slot);
    if (unlikely(slot->loose))
        loop->observers_->loose--;
    slot_give_back(loop, slot);
}

/* ---- who runs ------------------------------------------------------------------------------- */

_Thread_local struct weft_visit weft__visit __attribute__((tls_model("initial-exec")));

struct weft_op *weft_current(void)
{
    return weft__loop != NULL ? current_op(weft__loop) : weft__visit.op;
}

/* The innermost callback that somebody watches, if it is the one that runs. */
static const struct weft_frame *named_frame(void)
{
    const struct weft_frame *frame = weft__loop != NULL ? weft__loop->frame_ : NULL;
    return frame != NULL && frame->id_ != 0 ? frame : NULL;
}

uint64_t weft_current_id(void)
{
    const struct weft_frame *frame = named_frame();
    if (weft__loop == NULL)
        return weft__visit.id;
    return frame != NULL ? frame->id_ : weft_id(weft_current());
}

uint64_t weft_trigger_id(void)
{
    const struct weft_frame *frame = named_frame();
    struct weft_resource work;
    if (weft__loop == NULL)
        return weft_resource_by_id(weft__visit.id, &work) == 0 ? work.parent : 0;
    if (frame != NULL)
        return SLOT_GET(frame->slot_->parent);
    const struct weft_op *current = weft_current();
    return current != NULL ? weft_id(current->parent) : 0;
}

/* ---- errors that escape --------------------------------------------------------------------- */

static void frame_failed(struct weft_loop *loop, int err)
{
    if (loop->frame_ != NULL && loop->frame_->thrown_ == 0)
        loop->frame_->thrown_ = err;
}

bool weft__caught(struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    struct weft_observers *observers = loop->observers_;
    if (loop->on_uncaught == NULL || observers->catching || observers->hidden & TELLING)
        return false;
    frame_failed(loop, err);
    observers->catching = true;
    loop->on_uncaught(loop, op, err, text);
    observers->catching = false;
    return true;
}

void weft_throw_at(const struct weft_site *site, int err, const char *text)
{
    struct weft_loop *loop = weft__loop;
    struct weft_op *op =
        loop != NULL ? current_op(loop) : NULL; /* on a pool thread nothing is read */
    if (loop == NULL || !weft__caught(loop, op != NULL ? op : &loop->root, err, text))
        weft__thrown(site, op, err, text);
}
