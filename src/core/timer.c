/* Timers: a pairing heap on one uv_timer_t.
 *
 * Why not a uv_timer_t each: a handle must be closed, which takes a turn of the loop, so its
 * storage could not be given back in `then`; and arming and stopping cost a multiple. The heap is
 * made of the callers' own structs: child_ is the first of a node's children, next_ the sibling,
 * prev_ the sibling before or, for a first child, the parent. A node without prev_ is the top.
 *
 * The uv_timer_t is armed for the top, or earlier: stopping the top does not arm it anew, it just
 * finds nothing due once. timer_armed_ says for when; UINT64_MAX: not at all. Firing takes one
 * timer out at a time, so that what it calls may start and stop others at will; what is started for
 * "now" waits for the next turn. */
#include "handles.h"
#include "op.h"
#include "weft/timer.h"

static bool before(const struct weft_timer *a, const struct weft_timer *b)
{
    if (a->due_ != b->due_)
        return a->due_ < b->due_;
    return (int32_t)(a->order_ - b->order_) < 0;
}

static struct weft_timer *meld(struct weft_timer *a, struct weft_timer *b)
{
    if (a == NULL)
        return b;
    if (b == NULL)
        return a;
    if (before(b, a)) {
        struct weft_timer *top = b;
        b = a;
        a = top;
    }
    b->next_ = a->child_;
    if (b->next_ != NULL)
        b->next_->prev_ = b;
    b->prev_ = a;
    a->child_ = b;
    a->next_ = a->prev_ = NULL;
    return a;
}

/* Two passes over the children of a removed node: meld pairs left to right, then all of them right
 * to left. */
static struct weft_timer *meld_children(struct weft_timer *child)
{
    struct weft_timer *pairs = NULL, *top = NULL;
    while (child != NULL) {
        struct weft_timer *a = child, *b = a->next_;
        child = b != NULL ? b->next_ : NULL;
        a->next_ = a->prev_ = NULL;
        if (b != NULL)
            b->next_ = b->prev_ = NULL;
        a = meld(a, b);
        a->next_ = pairs;
        pairs = a;
    }
    while (pairs != NULL) {
        struct weft_timer *next = pairs->next_;
        pairs->next_ = NULL;
        top = meld(top, pairs);
        pairs = next;
    }
    return top;
}

static void heap_remove(struct weft_loop *loop, struct weft_timer *timer)
{
    if (timer == loop->timers_) {
        loop->timers_ = meld_children(timer->child_);
    } else {
        if (timer->prev_->child_ == timer)
            timer->prev_->child_ = timer->next_;
        else
            timer->prev_->next_ = timer->next_;
        if (timer->next_ != NULL)
            timer->next_->prev_ = timer->prev_;
        loop->timers_ = meld(loop->timers_, meld_children(timer->child_));
    }
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

void weft_timer_start(struct weft_loop *loop, struct weft_timer *timer, uint64_t ms,
                      weft_fire_fn *fire)
{
    RULE(4, fire != NULL, &loop->root, "a timer was started with nothing to fire");
    RULE_THREAD(loop, &loop->root);
    if (timer->fire_ != NULL)
        heap_remove(loop, timer);
    uint64_t now = weft_now(loop), for_ever = UINT64_MAX / 4;
    timer->child_ = timer->next_ = timer->prev_ = NULL;
    timer->due_ = now + (ms < for_ever ? ms : for_ever);
    timer->order_ = loop->timer_count_++;
    timer->fire_ = fire;
    bool first = loop->timers_ == NULL;
    loop->timers_ = meld(loop->timers_, timer);
    if (first || (loop->timers_ == timer && timer->due_ < loop->timer_armed_))
        weft__timers_rearm(loop);
}

void weft_timer_stop(struct weft_loop *loop, struct weft_timer *timer)
{
    if (timer->fire_ == NULL)
        return;
    RULE_THREAD(loop, &loop->root);
    heap_remove(loop, timer);
    if (loop->timers_ == NULL)
        weft__timers_rearm(loop);
}

void weft__timers_fire(struct weft_loop *loop, uint64_t now)
{
    uint32_t end = loop->timer_count_; /* those started from here on wait for their turn */
    loop->firing_ = true;
    while (loop->timers_ != NULL && loop->timers_->due_ <= now &&
           (int32_t)(loop->timers_->order_ - end) < 0) {
        struct weft_timer *timer = loop->timers_;
        weft_fire_fn *fire = timer->fire_;
        heap_remove(loop, timer);
        fire(timer);
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
