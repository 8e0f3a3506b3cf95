/* Waiting for a queue: two lists of ops, one for room and one for the end. Being on the list
 * decides who finishes a waiter. */
#include "queue.h"

static void let_go(struct weft_op *op, struct weft_op ***tail, int status)
{
    wait_unlink(op, tail);
    weft_on_cancel(op, NULL);
    weft_finish(op, status);
}

static struct weft_queue *queue_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_queue_wait, op)->queue;
}

static void room_cancel(struct weft_op *op, int reason)
{
    let_go(op, &queue_of(op)->room_tail_, reason);
}

static void idle_cancel(struct weft_op *op, int reason)
{
    let_go(op, &queue_of(op)->idle_tail_, reason);
}

void weft_queue_room_begin(struct weft_op *op)
{
    struct weft_queue *queue = queue_of(op);
    if (queue == NULL || queue->loop == NULL) {
        weft_finish(op, UV_EINVAL);
    } else if (queue->room_ == NULL && queue->waiting < queue->high_water) {
        weft_finish(op, 0);
    } else {
        wait_append(op, &queue->room_tail_);
        queue->attended_ = true;
        weft_on_cancel(op, room_cancel);
    }
}

void weft_queue_idle_begin(struct weft_op *op)
{
    struct weft_queue *queue = queue_of(op);
    if (queue == NULL || queue->loop == NULL) {
        weft_finish(op, UV_EINVAL);
    } else if (queue->waiting == 0 && queue->running == 0) {
        weft_finish(op, 0);
    } else {
        weft__queue_check_no_self_wait(queue, op->parent);
        wait_append(op, &queue->idle_tail_);
        weft_on_cancel(op, idle_cancel);
    }
}

/* One for each place that became free; all of them when no more will, because nothing waits. */
void weft__queue_room_changed(struct weft_queue *queue, size_t places)
{
    if (queue->waiting >= queue->high_water)
        return;
    for (; queue->room_ != NULL && (places > 0 || queue->waiting == 0); places -= places > 0)
        let_go(queue->room_, &queue->room_tail_, 0);
}

void weft__queue_idle_reached(struct weft_queue *queue)
{
    while (queue->idle_ != NULL)
        let_go(queue->idle_, &queue->idle_tail_, 0);
}

void weft_queue_wait_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_queue_wait *wait, struct weft_queue *queue,
                        weft_begin_fn *begin, weft_then_fn *then)
{
    op_check_start(parent, &wait->op);
    wait->queue = queue;
    weft_run_at(site, parent, &wait->op, begin, then);
}
