/* The libuv handles of a loop. They live on the heap, so that weft_loop_close gives the loop's
 * storage back at once while libuv takes one more turn to let go of them. */
#ifndef WEFT_CORE_HANDLES_H
#define WEFT_CORE_HANDLES_H

#include "observe.h"
#include "report.h"
#include "weft/post.h"
#include <stdatomic.h>

struct weft_handles {
    struct weft_loop *loop;
    uv_prepare_t before_poll; /* drains the ready queue */
    uv_check_t after_poll;    /* lets immediates in, drains again */
    uv_idle_t awake;          /* active while something is ready: the poll does not wait */
    uv_timer_t timer;         /* the first timer of the heap */
    uv_async_t posts;         /* referenced while posts are expected */
    _Atomic(struct weft_post *) posted;
    atomic_uint senders; /* threads inside weft_post: the handles stay until they are out */
    struct weft_observers observers;
    struct weft_report report;
    int open;
};

void weft__posts_arrived(uv_async_t *async);
/* weft_post_init for a post that is a part of an op, and no resource of its own. */
void weft__post_expect(struct weft_loop *loop, struct weft_post *post, weft_post_fn *fn);
/* It is not expected any more. It was not sent, and nobody will. */
void weft__post_withdraw(struct weft_post *post);
/* Wait until the senders of what has arrived are done with the handles. */
void weft__posts_settle(struct weft_handles *handles);
void weft__timers_due(uv_timer_t *timer);
void weft__timers_rearm(struct weft_loop *loop);
/* Fire what is due at now. */
void weft__timers_fire(struct weft_loop *loop, uint64_t now);
/* Let the immediates that wait now into the ready queue. */
void weft__immediates_in(struct weft_loop *loop);

#endif
