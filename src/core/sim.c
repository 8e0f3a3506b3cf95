/* The simulation: the same loop, driven one event at a time on a virtual clock.
 *
 * libuv is asked for I/O but not for time: while a simulation is attached the loop neither drains
 * on its own nor arms its uv_timer_t. The clock moves only when nothing else can happen, to the
 * next timer. Requests, expected posts and child processes are things that will happen by
 * themselves, so they are awaited before time moves; a handle (a listening socket) may never have
 * an event, so it is only looked at. */
#include "sim.h"
#include "handles.h"
#include "op.h"
#include "steps.h"
#include "weft/timer.h"

int weft_sim_init(struct weft_sim *sim, struct weft_loop *loop, uint64_t seed)
{
    if (loop->timers_ != NULL || loop->sim_ != NULL)
        return UV_EBUSY;
    *sim = (struct weft_sim){.loop = loop, .random_ = seed};
    loop->sim_ = sim;
    loop->now_ms_ = 0;
    uv_idle_stop(&loop->handles_->awake);
    weft_loop_shuffle(loop, seed);
    return 0;
}

int weft_sim_close(struct weft_sim *sim)
{
    struct weft_loop *loop = sim->loop;
    if (loop->timers_ != NULL)
        return UV_EBUSY;
    loop->sim_ = NULL;
    loop->awake_ = false;
    if (loop->ready_ != NULL || loop->later_ != NULL || loop->steps_ != NULL)
        weft__wake(loop);
    return 0;
}

uint64_t weft_sim_random(struct weft_sim *sim, uint64_t limit)
{
    uint64_t number = weft__random(&sim->random_);
    return limit != 0 ? number % limit : 0;
}

static bool deliver_one(struct weft_loop *loop)
{
    if (loop->ready_ == NULL)
        return false;
    RULE_OUTSIDE(loop);
    loop->draining_ = true;
    struct weft_loop *outer = loop_enter(loop);
    weft__deliver(loop);
    loop_leave(loop, outer);
    loop->draining_ = false;
    return true;
}

/* Immediates come after I/O here too. uv_run does nothing at all on a loop that nothing keeps
 * alive, so they are let in by hand. */
static bool take_in_io(struct weft_loop *loop)
{
    uv_run(loop->uv, UV_RUN_NOWAIT);
    weft__immediates_in(loop);
    return loop->ready_ != NULL;
}

/* Computing takes none of its time: it comes before time moves, and after all else that is to be done
 * now. */
static bool take_a_slice(struct weft_loop *loop)
{
    if (loop->steps_ == NULL)
        return false;
    RULE_OUTSIDE(loop);
    weft__steps_turn(loop);
    return true;
}

/* Things that will happen by themselves: time stands still for them. */
static bool await_requests(struct weft_loop *loop)
{
    if (loop->uv->active_reqs.count == 0 && loop->expected_ == 0 && loop->awaited_ == 0)
        return false;
    uv_run(loop->uv, UV_RUN_ONCE);
    return true;
}

static bool next_timer(struct weft_sim *sim, uint64_t until)
{
    struct weft_loop *loop = sim->loop;
    if (loop->timers_ == NULL || loop->timers_->due_ > until)
        return false;
    if (loop->timers_->due_ > sim->now_)
        sim->now_ = loop->timers_->due_;
    loop->now_ms_ = (uint32_t)sim->now_;
    weft__timers_fire(loop, sim->now_);
    return true;
}

/* Nothing but open handles: somebody outside may still do something. */
static bool await_outside(struct weft_loop *loop)
{
    if (!uv_loop_alive(loop->uv))
        return false;
    uv_run(loop->uv, UV_RUN_ONCE);
    return true;
}

static bool step(struct weft_sim *sim, uint64_t until, bool wait)
{
    struct weft_loop *loop = sim->loop;
    bool happened = deliver_one(loop) || take_in_io(loop) || next_timer(sim, sim->now_) ||
                    take_a_slice(loop) || await_requests(loop) || next_timer(sim, until) ||
                    (wait && await_outside(loop));
    if (!happened)
        return false;
    sim->steps++;
    if (sim->invariant != NULL)
        sim->invariant(sim);
    return true;
}

bool weft_sim_step(struct weft_sim *sim)
{
    return step(sim, UINT64_MAX, true);
}

int weft_sim_run(struct weft_sim *sim)
{
    while (weft_sim_step(sim))
        continue;
    return sim->loop->root.running_ == 0 ? 0 : weft__stuck(sim->loop);
}

void weft_sim_advance(struct weft_sim *sim, uint64_t ms)
{
    uint64_t until = ms < UINT64_MAX - sim->now_ ? sim->now_ + ms : UINT64_MAX;
    while (step(sim, until, false))
        continue;
    sim->now_ = until;
    sim->loop->now_ms_ = (uint32_t)until;
}
