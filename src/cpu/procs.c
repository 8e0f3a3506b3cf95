/* A pool of processes.
 *
 *     weft_job, weft_worker_acquire ──► a lane (a rank each) ──pump──► an idle worker
 *                                          ▲      │ none: start one, if there may be more of them
 *                     its worker died, and │      │ no more: ahead, behind the job that a worker is at
 *                     it was not begun     └──────┘
 *
 * Everything that happens (a job comes, a frame, an exit, a timer) changes some state and calls
 * pump, which brings those who wait and the workers together. So there is one place that gives
 * workers away, and a worker is in one place at a time: among the idle, or held, or with a line of
 * jobs. That is what the pool of the documents gets wrong: it gives a released worker to the first
 * who waits and puts it back among the idle as well; and it counts a worker only once that has
 * started, so that a burst starts too many.
 *
 * Invariants
 *   - procs->workers counts processes from before their start until they are reaped, and is at most max;
 *   - whoever waits is in one lane, and is finished by whoever takes it out of there;
 *   - a worker is among the idle exactly if it is ready, has no job and no holder;
 *   - a job is given to a worker at one place (weft__line_give), and its entry there ends at one place.
 *
 * Trouble. failures counts workers that died through their program's fault, with no job done since.
 * The first is replaced at once, the following after a pause. At `breaker` the pool is broken: all
 * who wait are told, and all who come; after breaker_ms there is one try, and a job that is done
 * closes it.
 *
 *     CLOSED ──breaker failures──► OPEN ──breaker_ms──► TRYING ──a job is done──► CLOSED
 *                                   ▲                      │
 *                                   └───────a failure──────┘ */
#include "procs.h"
#include "procs_env.h"
#include "weft/alloc.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* ---- who waits ------------------------------------------------------------------------------ */

void weft__procs_wait(struct weft_procs_engine *engine, struct weft_procs_wait *wait, bool first)
{
    struct procs_lane *lane = &engine->lanes[wait->rank_];
    if (first) {
        wait->next_ = lane->first;
        wait->link_ = &lane->first;
        if (wait->next_ != NULL)
            wait->next_->link_ = &wait->next_;
        else
            lane->tail = &wait->next_;
        lane->first = wait;
    } else {
        wait->next_ = NULL;
        wait->link_ = lane->tail;
        *lane->tail = wait;
        lane->tail = &wait->next_;
    }
    engine->procs->waiting++;
}

void weft__procs_unwait(struct weft_procs_engine *engine, struct weft_procs_wait *wait)
{
    struct procs_lane *lane = &engine->lanes[wait->rank_];
    *wait->link_ = wait->next_;
    if (wait->next_ != NULL)
        wait->next_->link_ = wait->link_;
    else
        lane->tail = wait->link_;
    wait->link_ = NULL;
    engine->procs->waiting--;
}

/* Whose time would be up first, if each rank were age_ms. */
static struct weft_procs_wait *first_waiting(const struct weft_procs_engine *engine)
{
    struct weft_procs_wait *best = NULL;
    uint64_t best_key = UINT64_MAX;
    uint64_t age = or_default(engine->procs->age_ms, WEFT_PROCS_AGE_MS);
    if (engine->procs->waiting == 0)
        return NULL;
    for (unsigned rank = 0; rank < WEFT_PROCS_RANKS; rank++) {
        struct weft_procs_wait *wait = engine->lanes[rank].first;
        if (wait == NULL)
            continue;
        uint64_t later = rank != 0 && age > UINT64_MAX / 16 / rank ? UINT64_MAX / 16 : rank * age;
        if (best == NULL || wait->since_ + later < best_key) {
            best = wait;
            best_key = wait->since_ + later;
        }
    }
    return best;
}

static void refuse(struct weft_procs_engine *engine, struct weft_procs_wait *wait, int status,
                   const char *why)
{
    weft__procs_unwait(engine, wait);
    if (wait->job_)
        weft__job_over(job_of(wait), status, why);
    else
        weft_finish(&acquire_of(wait)->op, status);
}

static void refuse_all(struct weft_procs_engine *engine, int status, const char *why)
{
    struct weft_procs_wait *wait;
    while ((wait = first_waiting(engine)) != NULL)
        refuse(engine, wait, status, why);
}

int weft__procs_admit(struct weft_procs *procs, const struct weft_op *op, unsigned rank,
                      char why[WEFT_PROCS_WHY])
{
    if (procs == NULL || procs->op.loop_ != op->loop_ || rank >= WEFT_PROCS_RANKS)
        return UV_EINVAL;
    const struct weft_procs_engine *engine = procs->engine_;
    if (procs->op.state_ != OP_RUNNING || engine == NULL || engine->closing || engine->killed)
        return WEFT_ESTOPPED;
    if (engine->breaker == BREAKER_OPEN) {
        if (why != NULL)
            snprintf(why, WEFT_PROCS_WHY, "%s", procs->why);
        return WEFT_EBROKEN;
    }
    return 0;
}

/* ---- trouble -------------------------------------------------------------------------------- */

static void pause_over(struct weft_timer *timer)
{
    struct weft_procs_engine *engine = weft_owner(timer, struct weft_procs_engine, timer);
    engine->pausing = false;
    if (engine->breaker == BREAKER_OPEN) {
        engine->breaker = BREAKER_TRYING;
        engine->procs->broken = false;
    }
    weft__procs_pump(engine);
}

static void pause_for(struct weft_procs_engine *engine, uint64_t ms)
{
    engine->pausing = true;
    weft__timer_start(engine->loop, &engine->timer, ms, pause_over);
}

static void break_open(struct weft_procs_engine *engine)
{
    struct weft_procs *procs = engine->procs;
    engine->breaker = BREAKER_OPEN;
    procs->broken = true;
    pause_for(engine, or_default(procs->breaker_ms, WEFT_PROCS_BREAKER_MS));
    refuse_all(engine, WEFT_EBROKEN, procs->why);
}

static uint64_t backoff(const struct weft_procs_engine *engine)
{
    const struct weft_procs *procs = engine->procs;
    uint64_t ms = or_default(procs->backoff_ms, WEFT_PROCS_BACKOFF_MS);
    uint64_t most = or_default(procs->backoff_max_ms, WEFT_PROCS_BACKOFF_MAX_MS);
    for (unsigned i = 2; i < engine->failures && ms < most; i++)
        ms *= 2;
    return ms < most ? ms : most;
}

void weft__procs_failed(struct weft_procs_engine *engine, int status, const char *why)
{
    struct weft_procs *procs = engine->procs;
    procs->status = status;
    snprintf(procs->why, sizeof procs->why, "%s", why);
    if (engine->killed || engine->breaker == BREAKER_OPEN)
        return;
    engine->failures++;
    if (engine->breaker == BREAKER_TRYING ||
        engine->failures >= or_default(procs->breaker, WEFT_PROCS_BREAKER))
        break_open(engine);
    else if (engine->failures >= 2)
        pause_for(engine, backoff(engine));
}

void weft__procs_worked(struct weft_procs_engine *engine)
{
    engine->failures = 0;
    if (engine->breaker == BREAKER_TRYING)
        engine->breaker = BREAKER_CLOSED;
    if (engine->pausing && engine->breaker == BREAKER_CLOSED) {
        engine->pausing = false;
        weft_timer_stop(engine->loop, &engine->timer);
    }
}

/* ---- bringing together ----------------------------------------------------------------------- */

static void grant(struct weft_worker *worker, struct weft_acquire *acquire)
{
    worker->holder = acquire;
    acquire->worker_ = worker;
    acquire->pid = worker->process.pid;
    acquire->alive = true;
    weft_finish(&acquire->op, 0);
}

/* worker can have a job more. */
static void serve(struct weft_worker *worker, struct weft_procs_wait *wait)
{
    weft__procs_unwait(worker->engine, wait);
    if (!wait->job_) {
        weft__worker_unidle(worker);
        grant(worker, acquire_of(wait));
        return;
    }
    struct weft_job *job = job_of(wait);
    int err = weft__line_give(worker, job);
    if (err != 0)
        weft__job_over(job, err, "");
}

static bool may_start(const struct weft_procs_engine *engine)
{
    const struct weft_procs *procs = engine->procs;
    if (engine->breaker == BREAKER_TRYING && engine->trials > 0)
        return false;
    return !engine->killed && !engine->pausing && procs->workers < procs->max;
}

/* Another one for those who wait, or for min; those that start are for somebody already. */
static bool is_wanted(const struct weft_procs_engine *engine)
{
    const struct weft_procs *procs = engine->procs;
    if (procs->waiting > procs->starting)
        return true;
    return !engine->closing && staying(engine) < procs->min;
}

static void start_some(struct weft_procs_engine *engine)
{
    while (is_wanted(engine) && may_start(engine)) {
        int err = weft__worker_start(engine);
        if (err != 0)
            weft__procs_failed(engine, err, weft_strerror(err));
    }
}

/* The worker with the fewest jobs that can have one more. */
static struct weft_worker *least_busy(const struct weft_procs_engine *engine)
{
    struct weft_worker *best = NULL;
    uint64_t most = or_default(engine->procs->max_jobs, UINT64_MAX);
    for (struct weft_worker *worker = engine->workers; worker != NULL; worker = worker->next) {
        if (worker->state != WORKER_READY || worker->holder != NULL || worker->mute ||
            worker->count >= line_room(worker) || worker->sent >= most)
            continue;
        if (best == NULL || worker->count < best->count)
            best = worker;
    }
    return best;
}

/* Behind another job, and only if no worker could be started or is about to be there: what lies in
 * a socket cannot be taken back. */
static void place_ahead(struct weft_procs_engine *engine)
{
    const struct weft_procs *procs = engine->procs;
    struct weft_worker *worker;
    struct weft_procs_wait *wait;
    if (procs->ahead == 0 || procs->starting > 0 || procs->workers < procs->max)
        return;
    while ((wait = first_waiting(engine)) != NULL && wait->job_ &&
           (worker = least_busy(engine)) != NULL)
        serve(worker, wait);
}

static void end_the_idle(struct weft_procs_engine *engine)
{
    while (engine->idle != NULL)
        weft__worker_tell_to_end(engine->idle);
}

static void engine_free(struct weft_procs_engine *engine)
{
    weft_free(engine->env);
    weft_free(engine);
}

/* Every worker is gone: the pool is over. */
static void finish_if_over(struct weft_procs_engine *engine)
{
    struct weft_procs *procs = engine->procs;
    if ((!engine->closing && !engine->killed) || engine->workers != NULL || procs->waiting > 0)
        return;
    weft_timer_stop(engine->loop, &engine->timer);
    procs->engine_ = NULL;
    engine_free(engine);
    weft_on_cancel(&procs->op, NULL);
    weft_join(&procs->op);
}

void weft__procs_pump(struct weft_procs_engine *engine)
{
    struct weft_procs_wait *wait;
    engine->pump_again = true;
    if (engine->pumping)
        return;
    engine->pumping = true;
    while (engine->pump_again) {
        engine->pump_again = false;
        while (engine->idle != NULL && (wait = first_waiting(engine)) != NULL)
            serve(engine->idle, wait);
        start_some(engine);
        place_ahead(engine);
        if (engine->closing && engine->procs->waiting == 0)
            end_the_idle(engine);
    }
    engine->pumping = false;
    finish_if_over(engine);
}

/* ---- a turn: what was written in one is sent together ------------------------------------------ */

/* A lone job that will be over in some microseconds: to sleep until then, and to be woken, takes as
 * long again. So it is looked for a few times, unless there is anything else to do; one such wait
 * in vain, and the next job is awaited like everything else. */
static void look_for_lone_job(struct weft_procs_engine *engine, struct weft_worker *worker)
{
    uint64_t from = uv_hrtime();
    engine->lone_ns = 0;
    if (engine->procs->running != 1 || engine->procs->waiting != 0 || worker->count != 1 ||
        engine->loop->sim_ != NULL)
        return;
    engine->lone_ns = from;
    while (engine->brisk && worker->count == 1 && engine->loop->ready_ == NULL) {
        weft__channel_read(worker);
        if (worker->state != WORKER_READY || uv_hrtime() - from > PROCS_BRISK_NS)
            engine->brisk = false;
        else if (engine->loop->ready_ == NULL)
            sched_yield();
    }
}

static void turn_over(struct weft_op *parent, struct weft_op *turn)
{
    (void)parent;
    struct weft_procs *procs = weft_owner(turn, struct weft_procs, turn_);
    struct weft_procs_engine *engine = procs->engine_;
    struct weft_worker *worker;
    if (engine == NULL)
        return;
    engine->turning = false;
    while ((worker = engine->dirty) != NULL) {
        engine->dirty = worker->dirty_next;
        worker->dirty = false;
        weft__channel_flush(worker);
        if (worker->resumed) {
            worker->resumed = false;
            weft__channel_read(worker);
        }
        look_for_lone_job(engine, worker);
    }
}

void weft__procs_send_soon(struct weft_worker *worker)
{
    struct weft_procs_engine *engine = worker->engine;
    if (worker->dirty)
        return;
    worker->dirty = true;
    worker->dirty_next = engine->dirty;
    engine->dirty = worker;
    if (engine->turning || engine->killed)
        return;
    engine->turning = true;
    weft_run_at(WEFT_HERE("procs turn", WEFT_PROCESS), &engine->procs->op, &engine->procs->turn_,
                weft_tick_begin, turn_over);
}

/* ---- the op --------------------------------------------------------------------------------- */

void weft_procs_close(struct weft_procs *procs)
{
    if (procs->op.state_ != OP_RUNNING || procs->engine_ == NULL)
        return;
    procs->engine_->closing = true;
    weft__procs_pump(procs->engine_);
}

static void procs_cancel(struct weft_op *op, int reason)
{
    struct weft_procs *procs = weft_owner(op, struct weft_procs, op);
    struct weft_procs_engine *engine = procs->engine_;
    engine->killed = true;
    refuse_all(engine, reason, "");
    for (struct weft_worker *worker = engine->workers; worker != NULL; worker = worker->next) {
        weft__line_abandon(worker, reason);
        weft__worker_kill(worker, 0, NULL);
    }
    weft__procs_pump(engine);
}

static const char *wrong_with(const struct weft_procs *procs)
{
    if (procs->args == NULL || procs->args[0] == NULL || procs->args[0][0] == '\0')
        return "there is no program to run";
    if (procs->max == 0 || procs->max > WEFT_PROCS_MAX)
        return "max is 0 or too large";
    if (procs->min > procs->max)
        return "min is larger than max";
    return procs->ahead > WEFT_PROCS_AHEAD ? "ahead is too large" : NULL;
}

static void forget_the_last_run(struct weft_procs *procs)
{
    procs->workers = procs->starting = procs->idle = 0;
    procs->waiting = procs->running = 0;
    procs->broken = false;
    procs->started = procs->died = procs->killed = 0;
    procs->done = procs->failed = procs->refused = 0;
    procs->status = 0;
    procs->why[0] = '\0';
    procs->engine_ = NULL;
}

static struct weft_procs_engine *engine_make(struct weft_procs *procs)
{
    struct weft_procs_engine *engine = weft_calloc(1, sizeof *engine);
    if (engine == NULL)
        return NULL;
    engine->procs = procs;
    engine->loop = procs->op.loop_;
    for (int i = 0; i < WEFT_PROCS_RANKS; i++)
        engine->lanes[i].tail = &engine->lanes[i].first;
    engine->env = weft__procs_env(procs->env);
    if (engine->env != NULL)
        return engine;
    engine_free(engine);
    return NULL;
}

void weft_procs_begin(struct weft_op *op)
{
    struct weft_procs *procs = weft_owner(op, struct weft_procs, op);
    forget_the_last_run(procs);
    const char *wrong = wrong_with(procs);
    int err = weft_cancelled(op);
    if (err == 0 && wrong != NULL) {
        snprintf(procs->why, sizeof procs->why, "%s", wrong);
        err = UV_EINVAL;
    }
    if (err == 0 && (procs->engine_ = engine_make(procs)) == NULL)
        err = UV_ENOMEM;
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    weft_on_cancel(op, procs_cancel);
    weft__procs_pump(procs->engine_);
}

/* Begun now, however deep the stack is: jobs may begin as soon as this returns. */
void weft_procs_at(const struct weft_site *site, struct weft_op *parent, struct weft_procs *procs,
                   weft_then_fn *then)
{
    op_check_start(parent, &procs->op);
    forget_the_last_run(procs); /* also if begin is refused */
    weft_run_now_at(site, parent, &procs->op, weft_procs_begin, then);
}
