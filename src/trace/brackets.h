/* What the loop and the thread pool tell the recorder. While nothing is recorded, that is one test. */
#ifndef WEFT_TRACE_BRACKETS_H
#define WEFT_TRACE_BRACKETS_H

#include "weft/hook.h"
#include <stdatomic.h>

/* The number of the recording that runs; 0: none. */
extern _Atomic uint64_t weft__recording;

static inline bool trace_on(void)
{
    return atomic_load_explicit(&weft__recording, memory_order_relaxed) != 0;
}

/* At the end of weft_loop_init: the first loop of a process also looks at the environment. */
void weft__trace_loop_made(struct weft_loop *loop);
/* In weft_loop_close, when its hooks were told. */
void weft__trace_loop_closed(struct weft_loop *loop);

/* On a pool thread, around the work of the op with this id; 0: nobody knows it. */
void weft__trace_work(uint64_t id, weft_entry_fn *entry);
void weft__trace_worked(uint64_t id);
/* On a thread that has worked and ends now: its ring is free for others. */
void weft__trace_thread_over(void);

/* On loop's thread: the op with this id has waited in the queue with that id (0: nobody knows it), and
 * begins now. */
void weft__trace_unqueued(struct weft_loop *loop, uint64_t id, uint64_t queue);
/* The await with this id waits for the promise with that id. */
void weft__trace_awaits(struct weft_loop *loop, uint64_t id, uint64_t promise);

#endif
