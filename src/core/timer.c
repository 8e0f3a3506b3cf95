/* Timers: a pairing heap on one uv_timer_t.
 *
 * Why not a uv_timer_t each: a handle must be closed, which takes a turn of the loop, so its
 * storage could not be given back in `then`; and arming and stopping cost a multiple. The heap is
 * made of the callers' own structs (heap.h).
 *
 * The uv_timer_t is armed for the top, or earlier: stopping the top does not arm it anew, it just
 * finds nothing due once. timer_armed_ says for when; UINT64_MAX: not at all. Firing takes one
 * timer out at a time, so that what it calls may start and stop others at will; what is started for
 * "now" waits for the next turn. */
#include "handles.h"
#include "weft/timer.h"

static bool before(const struct weft_timer *a, const struct weft_timer *b)
{
    if (a->due_ != b->due_)
        return a->due_ < b->due_;
    return (int32_t)(a->order_ - b->order_) < 0;
}

#define HEAP_NODE struct weft_timer
#include "heap.h"

static void take_out(struct weft_loop *loop, struct weft_timer *timer)
{
    heap_remove(&loop->timers_, timer);
    timer->fire_ = NULL;
}

/* Under a simulation the uv_timer_t is not used: the clock moves by hand. While timers fire it
 * waits for the last of them. */
void weft__timers_rearm(struct weft_loop *loop)
{
    if (loop->sim_ != NULL || loop->firing_)
        return;
    if (loop->timers_ == NULL) {
        uv_timer_stop(&loop->handles_->timer);
        loop->timer_armed_ = UINT64_MAX;
        return;
    }
    uint64_t now = uv_now(loop->uv), due = loop->timers_->due_;
    loop->timer_armed_ = due;
    uv_timer_start(&loop->handles_->timer, weft__timers_due, due > now ? due - now : 0, 0);
}

void weft__timer_start(struct weft_loop *loop, struct weft_timer *timer, uint64_t ms,
                       weft_fire_fn *fire)
{
    RULE(4, fire != NULL, &loop->root, "a timer was started with nothing to fire");
    RULE_THREAD(loop, &loop->root);
    if (timer->fire_ != NULL)
        take_out(loop, timer);
    uint64_t now = weft_now(loop), for_ever = UINT64_MAX / 4;
    timer->due_ = now + (ms < for_ever ? ms : for_ever);
    timer->order_ = loop->timer_count_++;
    timer->fire_ = fire;
    bool first = loop->timers_ == NULL;
    heap_insert(&loop->timers_, timer);
    if (first || (loop->timers_ == timer && timer->due_ < loop->timer_armed_))
        weft__timers_rearm(loop);
}

void weft_timer_start_at(const struct weft_site *site, struct weft_loop *loop,
                         struct weft_timer *timer, uint64_t ms, weft_fire_fn *fire)
{
    if (unlikely(timer->id_ != 0))
        weft__compact_close(loop, &timer->id_);
    weft__timer_start(loop, timer, ms, fire);
    compact_open(loop, site, &timer->id_, timer);
}

void weft_timer_stop(struct weft_loop *loop, struct weft_timer *timer)
{
    if (timer->fire_ == NULL)
        return;
    RULE_THREAD(loop, &loop->root);
    take_out(loop, timer);
    if (unlikely(timer->id_ != 0))
        weft__compact_close(loop, &timer->id_);
    if (loop->timers_ == NULL)
        weft__timers_rearm(loop);
}

static void fire_seen(struct weft_loop *loop, struct weft_timer *timer, weft_fire_fn *fire)
{
    struct weft_frame frame;
    weft__compact_enter(&frame, loop, &timer->id_, (weft_entry_fn *)fire);
    fire(timer);
    weft_leave(&frame);
}

void weft__timers_fire(struct weft_loop *loop, uint64_t now)
{
    uint32_t end = loop->timer_count_; /* those started from here on wait for their turn */
    loop->firing_ = true;
    while (loop->timers_ != NULL && loop->timers_->due_ <= now &&
           (int32_t)(loop->timers_->order_ - end) < 0) {
        struct weft_timer *timer = loop->timers_;
        weft_fire_fn *fire = timer->fire_;
        take_out(loop, timer);
        struct weft_loop *outer = loop_enter(loop);
        current_set(loop, &loop->root);
        if (unlikely(timer->id_ != 0))
            fire_seen(loop, timer, fire);
        else
            fire(timer);
        loop_leave(loop, outer);
    }
    loop->firing_ = false;
}

void weft__timers_due(uv_timer_t *timer)
{
    struct weft_loop *loop = ((struct weft_handles *)timer->data)->loop;
    uint64_t now = uv_now(loop->uv);
    loop->now_ms_ = (uint32_t)now;
    weft__timers_fire(loop, now);
    if (loop->timers_ == NULL || loop->timers_->due_ > now) {
        weft__timers_rearm(loop);
        return;
    }
    /* Started for now by one that fired. libuv would call back before it looks at anything else, so
     * the handle is armed before the next poll, and the loop kept awake until then. */
    loop->timer_armed_ = UINT64_MAX;
    if (!loop->awake_)
        weft__wake(loop);
}
