/* The producer: a hub, and a course for each of its runs.
 *
 *     wire.c     what is read, as pure functions
 *     script.c   what Redis does
 *     hub.c      connections
 *     call.c     a call of the script
 *     jobs.c     the producer
 *     course.c   a run: its parts go out, results come in
 *     worker.c   the worker: takes parts, keeps leases, leaves
 *     slot.c     a task, from its delivery to its recorded end
 *     emit.c     a chunk of its result
 *
 * Closing, or a cancel, ends all runs at once; their courses go on until Redis has been told to discard the
 * jobs, or has not answered in time. Then the hub is closed, and its last word is the end of the op. */
#include "engine.h"
#include "weft/alloc.h"

uint64_t weft__jobs_keep_ms(const struct weft_jobs *jobs)
{
    return jobs->keep_ms != 0 ? jobs->keep_ms : WEFT_JOBS_KEEP_MS;
}

static struct weft_jobs_engine *engine_of(struct jobs_hub *hub)
{
    return weft_owner(hub, struct weft_jobs_engine, hub);
}

/* ---- what the hub says ---------------------------------------------------------------------- */

static void up(struct jobs_hub *hub)
{
    weft__jobs_courses_look(engine_of(hub));
}

static void listening(struct jobs_hub *hub, bool so)
{
    engine_of(hub)->jobs->listening = so;
    if (so)
        weft__jobs_courses_look(engine_of(hub));
}

static void heard(struct jobs_hub *hub, struct weft_text message)
{
    struct weft_jobs_engine *engine = engine_of(hub);
    struct weft_jobs_course *course = weft__jobs_course_find(engine, message);
    if (course != NULL)
        weft__jobs_course_look(course);
    else if (!weft__jobs_is_job(message))
        engine->jobs->stats.garbage++;
}

static void engine_end(struct weft_jobs_engine *engine)
{
    struct weft_jobs *jobs = engine->jobs;
    struct weft_loop *loop = weft_loop_of(&jobs->op);
    weft_timer_stop(loop, &engine->patience);
    weft_timer_stop(loop, &engine->sweeper);
    weft_free(engine);
    weft_join(&jobs->op);
}

/* Nothing is below it any more, so no course is left either. Without a close it had no memory to begin. */
static void over(struct jobs_hub *hub, int status)
{
    struct weft_jobs_engine *engine = engine_of(hub);
    engine->deaf = true;
    if (engine->closing) {
        engine_end(engine);
        return;
    }
    weft_end(&engine->jobs->op, status);
}

static const struct jobs_hub_events events = {up, heard, listening, over};

/* ---- what is left of others ----------------------------------------------------------------- */

enum { QUIET_MS = 10 * 60 * 1000 };

static void sweep_now(struct weft_timer *timer);

static void swept(struct weft_op *op, struct weft_op *call)
{
    struct weft_jobs_engine *engine = weft_owner(op, struct weft_jobs_engine, hub.op);
    (void)call;
    weft__jobs_call_over(&engine->sweep);
    jobs_call_free(&engine->sweep);
}

/* Only who has been connected for a while: after Redis was away all look as if they had vanished. */
static void sweep_now(struct weft_timer *timer)
{
    struct weft_jobs_engine *engine = weft_owner(timer, struct weft_jobs_engine, sweeper);
    uint64_t keep_ms = weft__jobs_keep_ms(engine->jobs);
    weft_timer_start(weft_loop_of(&engine->jobs->op), timer, keep_ms, sweep_now);
    if (engine->sweep.busy || engine->closing || !weft__jobs_hub_steady(&engine->hub, keep_ms))
        return;
    weft__jobs_call_init(&engine->sweep, &engine->hub, "sweep", NULL);
    weft__jobs_call_number(&engine->sweep, QUIET_MS);
    weft__jobs_call_run(&engine->sweep, swept);
}

/* ---- closing -------------------------------------------------------------------------------- */

static void give_up(struct weft_timer *timer)
{
    struct weft_jobs_engine *engine = weft_owner(timer, struct weft_jobs_engine, patience);
    engine->deaf = true;
    weft__jobs_hub_close(&engine->hub);
}

void weft__jobs_step(struct weft_jobs_engine *engine)
{
    if (engine->closing && engine->courses == NULL)
        weft__jobs_hub_close(&engine->hub);
}

static void jobs_cancel(struct weft_op *op, int reason)
{
    struct weft_jobs *jobs = weft_owner(op, struct weft_jobs, op);
    struct weft_jobs_engine *engine = jobs->engine_;
    jobs->engine_ = NULL;
    jobs->listening = false;
    engine->closing = true;
    weft__jobs_courses_end(engine, reason);
    if (engine->hub.is_over) {
        engine_end(engine);
        return;
    }
    weft_timer_start(weft_loop_of(op), &engine->patience, jobs_command_ms(&engine->hub), give_up);
    weft__jobs_step(engine);
}

/* ---- opening -------------------------------------------------------------------------------- */

static int check(struct weft_jobs *jobs)
{
    if (jobs->keep_ms != 0 && jobs->keep_ms < WEFT_JOBS_TIME_MIN_MS)
        return weft__jobs_wrong(&jobs->redis, UV_EINVAL, "keep_ms is too short");
    if (jobs->window > WEFT_JOBS_WINDOW_MAX)
        return weft__jobs_wrong(&jobs->redis, UV_EINVAL, "the window is too large");
    return weft__jobs_check(&jobs->redis, jobs->queue);
}

void weft_jobs_begin(struct weft_op *op)
{
    struct weft_jobs *jobs = weft_owner(op, struct weft_jobs, op);
    struct weft_jobs_engine *engine = NULL;
    jobs->listening = false;
    jobs->engine_ = NULL;
    int status = check(jobs);
    if (status == 0 && (engine = weft_calloc(1, sizeof *engine)) == NULL)
        status = UV_ENOMEM;
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    engine->jobs = jobs;
    engine->hub.redis = &jobs->redis;
    engine->hub.events = &events;
    weft__jobs_name(engine->id, JOBS_NAME);
    jobs->engine_ = engine;
    weft__jobs_hub_open(&engine->hub, weft_loop_of(op), jobs->queue, "p:", engine->id);
    weft_timer_start(weft_loop_of(op), &engine->sweeper, weft__jobs_keep_ms(jobs), sweep_now);
    weft_on_cancel(op, jobs_cancel);
}

void weft_jobs_close(struct weft_jobs *jobs)
{
    if (jobs->engine_ != NULL)
        weft_end(&jobs->op, 0);
}

/* Now, however deep the stack is: runs may begin when this returns. */
void weft_jobs_at(const struct weft_site *site, struct weft_op *parent, struct weft_jobs *jobs,
                  weft_then_fn *then)
{
    weft_run_now_at(site, parent, &jobs->op, weft_jobs_begin, then);
}
