/* A chunk on its way into Redis. The call for it is the slot's, under the hub, so that a cancel does not reach it:
 * what was sent may be recorded, and only its answer says so. An emit that is cancelled waits for that, but
 * not for another try. If no answer comes nobody knows how many chunks there are, and the task says no
 * more.
 *
 * When there is no room the script says so; then it is asked again when a message comes, and now and then. */
#include "crew.h"
#include <stdio.h>

enum { ROOM_MS = 20, ROOM_MAX_MS = 1000 };

static void say(struct weft_jobs_slot *slot);

static void emit_over(struct weft_jobs_slot *slot, int status)
{
    struct weft_jobs_emit *emit = slot->emit;
    slot->emit = NULL;
    weft_finish(&emit->op, status);
}

static void emit_fail(struct weft_jobs_slot *slot, int status)
{
    slot->failed = status;
    emit_over(slot, status);
}

static void look_for_room(struct weft_timer *timer)
{
    struct weft_jobs_slot *slot = weft_owner(timer, struct weft_jobs_slot, room);
    if (slot->room_ms < ROOM_MAX_MS)
        slot->room_ms *= 2;
    say(slot);
}

void weft__jobs_emit_again(struct weft_jobs_slot *slot)
{
    if (slot->emit == NULL || slot->say.busy)
        return;
    weft_timer_stop(weft_loop_of(&slot->emit->op), &slot->room);
    slot->room_ms = ROOM_MS;
    say(slot);
}

static void take_said(struct weft_jobs_slot *slot, int status)
{
    enum jobs_word word =
        status == 0 ? weft__jobs_read_word(slot->say.command.reply) : JOBS_NONSENSE;
    if (word == JOBS_OK) {
        slot->task->chunks++;
        emit_over(slot, 0);
    } else if (word == JOBS_FULL && slot->stopped != 0) {
        emit_over(slot, slot->stopped);
    } else if (word == JOBS_FULL) {
        weft_timer_start(weft_loop_of(&slot->emit->op), &slot->room, slot->room_ms, look_for_room);
    } else if (word == JOBS_LATE) {
        weft__jobs_slot_lose(slot); /* and with the task what is below it: the emit, most likely */
        if (slot->emit != NULL)
            emit_fail(slot, UV_ECANCELED);
    } else if (slot->stopped != 0) {
        emit_fail(slot, slot->stopped);
    } else {
        weft__jobs_call_why(&slot->say, slot->task->why);
        emit_fail(slot, status != 0 ? status : WEFT_ESTATUS);
    }
}

static void said(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_slot *slot = weft_owner(child, struct weft_jobs_slot, say.op);
    (void)op;
    weft__jobs_call_over(&slot->say);
    if (slot->emit != NULL)
        take_said(slot, child->status);
    jobs_call_free(&slot->say);
    weft__jobs_slot_step(slot);
}

static void say(struct weft_jobs_slot *slot)
{
    struct weft_jobs_emit *emit = slot->emit;
    if (slot->crew->deaf) {
        emit_fail(slot, UV_ECANCELED);
        return;
    }
    weft__jobs_slot_call(slot, &slot->say, "emit");
    weft__jobs_call_number(&slot->say, slot->task->chunks);
    weft__jobs_call_text(&slot->say, emit->checkpoint);
    weft__jobs_call_text(&slot->say, emit->data);
    weft__jobs_call_run(&slot->say, said);
}

/* ---- the op --------------------------------------------------------------------------------- */

void weft__jobs_emit_end(struct weft_jobs_slot *slot, int status)
{
    if (slot->emit == NULL)
        return;
    if (slot->say.busy) {
        slot->stopped = status;
        weft__jobs_call_last(&slot->say);
        return;
    }
    weft_timer_stop(weft_loop_of(&slot->emit->op), &slot->room);
    emit_over(slot, status);
}

static void emit_cancel(struct weft_op *op, int reason)
{
    weft__jobs_emit_end(weft_owner(op, struct weft_jobs_emit, op)->task->slot_, reason);
}

static bool is_text(struct weft_text text)
{
    return text.data != NULL || text.size == 0;
}

static int check(const struct weft_jobs_emit *emit)
{
    const struct weft_jobs_task *task = emit->task;
    if (task == NULL || task->slot_ == NULL || task->slot_->over || !is_text(emit->data) ||
        !is_text(emit->checkpoint))
        return UV_EINVAL;
    if (emit->data.size > WEFT_JOBS_CHUNK_MAX || emit->checkpoint.size > WEFT_JOBS_CHECKPOINT_MAX)
        return UV_E2BIG;
    if (task->slot_->emit != NULL)
        return UV_EBUSY;
    return task->slot_->lost ? UV_ECANCELED : task->slot_->failed;
}

void weft_jobs_emit_begin(struct weft_op *op)
{
    struct weft_jobs_emit *emit = weft_owner(op, struct weft_jobs_emit, op);
    int status = weft_cancelled(op) != 0 ? weft_cancelled(op) : check(emit);
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    struct weft_jobs_slot *slot = emit->task->slot_;
    slot->emit = emit;
    slot->stopped = 0;
    slot->room_ms = ROOM_MS;
    weft_on_cancel(op, emit_cancel);
    say(slot);
}

void weft_jobs_emit_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_jobs_emit *emit, struct weft_jobs_task *task,
                       struct weft_text data, struct weft_text checkpoint, weft_then_fn *then)
{
    emit->task = task;
    emit->data = data;
    emit->checkpoint = checkpoint;
    weft_run_at(site, parent, &emit->op, weft_jobs_emit_begin, then);
}
