/* The loop: how ready operations and libuv take turns.
 *
 *     uv_run:   timers ─► pending ─► idle ─► prepare ─────► poll for I/O ─► check ─────────┐
 *                  ▲                          drain                          immediates,   │
 *                  └──────────────────────────────────────────── drain, a slice of steps ◄─┘
 *
 * drain delivers a bounded batch of ready ops and leaves the rest for after the next poll: that is
 * what keeps a million synchronous completions from starving a socket or a timer. While something
 * is ready the idle handle is active, so the poll does not wait; when nothing is, only what can
 * make progress keeps uv_run from returning (our prepare and check handles are unreferenced). */
#include "handles.h"
#include "op.h"
#include "sim.h"
#include "steps.h"
#include "trace/brackets.h"
#include "weft/alloc.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024 };

_Thread_local char weft__thread __attribute__((tls_model("initial-exec")));

static void stay_awake(uv_idle_t *idle)
{
    (void)idle;
}

void weft__wake(struct weft_loop *loop)
{
    loop->awake_ = true;
    if (loop->sim_ == NULL)
        uv_idle_start(&loop->handles_->awake, stay_awake);
}

static void drain(struct weft_loop *loop)
{
    RULE_OUTSIDE(loop);
    if (loop->sim_ != NULL)
        return; /* the simulation delivers */
    loop->draining_ = true;
    loop->now_ms_ = (uint32_t)uv_now(loop->uv);
    struct weft_loop *outer = loop_enter(loop);
    weft__deliver_batch(loop, loop->batch_);
    loop_leave(loop, outer);
    loop->draining_ = false;
    loop->awake_ = loop->ready_ != NULL || loop->later_ != NULL || loop->steps_ != NULL;
    if (loop->awake_)
        uv_idle_start(&loop->handles_->awake, stay_awake);
    else
        uv_idle_stop(&loop->handles_->awake);
}

static void before_poll(uv_prepare_t *prepare)
{
    struct weft_loop *loop = ((struct weft_handles *)prepare->data)->loop;
    if (unlikely(loop->timers_ != NULL && loop->timer_armed_ == UINT64_MAX))
        weft__timers_rearm(loop);
    drain(loop);
}

static void after_poll(uv_check_t *check)
{
    struct weft_loop *loop = ((struct weft_handles *)check->data)->loop;
    weft__immediates_in(loop);
    drain(loop);
    if (unlikely(loop->steps_ != NULL) && loop->sim_ == NULL)
        weft__steps_turn(loop);
}

uint64_t weft_now(const struct weft_loop *loop)
{
    return loop->sim_ != NULL ? loop->sim_->now_ : uv_now(loop->uv);
}

/* ---- init, run, close ----------------------------------------------------------------------- */

static bool fits(const struct weft_abi *abi)
{
    const struct weft_abi *ours = WEFT_ABI;
    return abi != NULL && abi->version >> 8 == ours->version >> 8 && abi->op == ours->op &&
           abi->loop == ours->loop && abi->uv_poll == ours->uv_poll &&
           abi->uv_process == ours->uv_process;
}

/* Only the async handle takes something that can fail (a descriptor); it comes first, so that
 * there is nothing to undo. */
static int open_handles(struct weft_handles *handles, uv_loop_t *uv)
{
    int err = uv_async_init(uv, &handles->posts, weft__posts_arrived);
    if (err != 0)
        return err;
    uv_prepare_init(uv, &handles->before_poll);
    uv_check_init(uv, &handles->after_poll);
    uv_idle_init(uv, &handles->awake);
    uv_timer_init(uv, &handles->timer);
    handles->before_poll.data = handles->after_poll.data = handles->awake.data = handles;
    handles->timer.data = handles->posts.data = handles;
    handles->open = 5;
    uv_prepare_start(&handles->before_poll, before_poll);
    uv_check_start(&handles->after_poll, after_poll);
    uv_unref((uv_handle_t *)&handles->before_poll);
    uv_unref((uv_handle_t *)&handles->after_poll);
    uv_unref((uv_handle_t *)&handles->posts);
    return 0;
}

int weft_loop_init_as(const struct weft_abi *abi, struct weft_loop *loop, uv_loop_t *uv)
{
    if (!fits(abi))
        return WEFT_EABI;
    if (loop == NULL || uv == NULL)
        return UV_EINVAL;
    memset(loop, 0, sizeof *loop);
    struct weft_handles *handles = weft_calloc(1, sizeof *handles);
    if (handles == NULL)
        return UV_ENOMEM;
    handles->loop = loop;
    int err = open_handles(handles, uv);
    if (err != 0) {
        weft_free(handles);
        return err;
    }
    loop->uv = uv;
    loop->stuck_to = stderr;
    loop->handles_ = handles;
    loop->observers_ = &handles->observers;
    loop->thread_ = &weft__thread;
    loop->batch_ = BATCH;
    loop->random_ = uv_hrtime() ^ (uint64_t)(uintptr_t)loop;
    loop->now_ms_ = (uint32_t)uv_now(uv);
    loop->ready_tail_ = &loop->ready_;
    loop->later_tail_ = &loop->later_;
    loop->steps_tail_ = &loop->steps_;
    loop->root.loop_ = loop;
    loop->root.state_ = OP_RUNNING;
    const char *seed = getenv("WEFT_SHUFFLE");
    if (seed != NULL)
        weft_loop_shuffle(loop, strtoull(seed, NULL, 0));
    weft__reports_open(loop);
    weft__trace_loop_made(loop);
    return 0;
}

int weft_loop_run(struct weft_loop *loop)
{
    RULE_THREAD(loop, &loop->root);
    RULE_OUTSIDE(loop);
    if (loop->sim_ != NULL)
        return weft_sim_run(loop->sim_);
    bool stopped = uv_run(loop->uv, UV_RUN_DEFAULT) != 0;
    if (loop->root.running_ == 0)
        return 0;
    return stopped ? UV_EINTR : weft__stuck(loop);
}

static void handle_closed(uv_handle_t *handle)
{
    struct weft_handles *handles = handle->data;
    if (--handles->open == 0)
        weft_free(handles);
}

int weft_loop_close(struct weft_loop *loop)
{
    struct weft_handles *handles = loop->handles_;
    if (handles == NULL)
        return 0;
    if (loop->draining_ || loop->firing_ || loop->root.running_ != 0 || loop->detached_ != 0 ||
        loop->expected_ != 0 || loop->timers_ != NULL || loop->sim_ != NULL || weft__loop == loop)
        return UV_EBUSY;
    weft__posts_settle(handles);
    loop->root.state_ = OP_IDLE; /* nothing is begun any more, also not by a hook */
    weft__register_end_queues(loop);
    weft__reports_close(loop);
    weft__hooks_close(loop);
    weft__trace_loop_closed(loop);
    loop->handles_ = NULL;
    observe_end(&loop->root); /* what that releases may have handles of this loop to close */
    uv_close((uv_handle_t *)&handles->before_poll, handle_closed);
    uv_close((uv_handle_t *)&handles->after_poll, handle_closed);
    uv_close((uv_handle_t *)&handles->awake, handle_closed);
    uv_close((uv_handle_t *)&handles->timer, handle_closed);
    uv_close((uv_handle_t *)&handles->posts, handle_closed);
    return 0;
}
