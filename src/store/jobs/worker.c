/* The worker: takes parts, keeps its leases, leaves.
 *
 * Taking. A connection of its own waits in XREADGROUP, since nothing else could be said on one that waits. What it
 * gets is only the name of an entry; taking that (verb take) begins an attempt, and brings the payload. What got
 * lost on the way, because a connection broke, is the worker's for Redis and unknown to itself: join, at every
 * new connection and every tick, names what it knows of and has the rest put back into the line.
 *
 * Keeping. Three times in a lease a sign of life goes out for each part. A worker that has a place free looks for
 * parts whose lease has run out, but only one that has been connected for a lease itself: while Redis was away
 * nobody could give signs of life.
 *
 * Leaving goes step by step, and each step waits for the one before:
 *     tasks are over and recorded ─► the reading connection is called back ─► leave: what is still the worker's
 *     goes back into the line, its name is removed ─► the hub is closed ─► the op ends
 * Should Redis not answer in time, the hub is closed at once. */
#include "crew.h"
#include "weft/alloc.h"
#include <inttypes.h>
#include <stdio.h>

enum {
    BLOCK_MS = 2000,
    REST_MS = 20,
    REST_MAX_MS = 1000,
    NUDGE_MS = 20,
    SWEEP_TICKS = 3,
    TASK_MAX = 1024 * 1024
};

static struct weft_jobs_crew *crew_of(struct jobs_hub *hub)
{
    return weft_owner(hub, struct weft_jobs_crew, hub);
}

static struct weft_jobs_crew *crew_above(struct weft_op *hub_op)
{
    return weft_owner(hub_op, struct weft_jobs_crew, hub.op);
}

/* ---- resting after trouble ------------------------------------------------------------------ */

static void rested(struct weft_timer *timer)
{
    struct weft_jobs_crew *crew = weft_owner(timer, struct weft_jobs_crew, rest);
    crew->resting = false;
    weft__jobs_crew_step(crew);
}

static void rest(struct weft_jobs_crew *crew)
{
    crew->resting = true;
    weft_timer_start(weft_loop_of(&crew->worker->op), &crew->rest, crew->rest_ms, rested);
    if (crew->rest_ms < REST_MAX_MS)
        crew->rest_ms *= 2;
}

static void set_joined(struct weft_jobs_crew *crew, bool joined)
{
    crew->joined = joined;
    crew->worker->ready = joined;
}

/* ---- taking: what is ours is put right ------------------------------------------------------ */

static void joined(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    weft__jobs_call_over(&crew->join);
    if (child->status == 0) {
        crew->worker->stats.garbage += weft__jobs_read_count(crew->join.command.reply, 1);
        set_joined(crew, crew->reader.connected);
    }
    jobs_call_free(&crew->join);
    if (child->status != 0 && !crew->closing)
        rest(crew);
    else
        weft__jobs_crew_step(crew);
}

static void know(struct weft_jobs_crew *crew, size_t *count, const char *entry)
{
    memcpy(crew->known[*count], entry, JOBS_ENTRY);
    weft__jobs_call_string(&crew->join, crew->known[*count]);
    ++*count;
}

static void join(struct weft_jobs_crew *crew)
{
    size_t count = 0;
    weft__jobs_call_init(&crew->join, &crew->hub, "join", crew->join_args);
    weft__jobs_call_string(&crew->join, crew->worker->id);
    for (const struct weft_jobs_slot *slot = crew->slots; slot != NULL; slot = slot->next)
        know(crew, &count, slot->entry);
    if (crew->taking[0] != '\0')
        know(crew, &count, crew->taking);
    weft__jobs_call_run(&crew->join, joined);
}

/* ---- taking: a part ------------------------------------------------------------------------- */

static bool has_place(const struct weft_jobs_crew *crew)
{
    return crew->count + crew->take.busy < crew->concurrency;
}

/* What is delivered is not begun if we are leaving, if there is no place for it any more, or no memory. Then it
 * is one of those we do not know of, and the next join, or leave, puts it back into the line. */
static bool begin_task(struct weft_jobs_crew *crew, const struct jobs_delivery *delivery)
{
    if (!crew->closing && has_place(crew) && weft__jobs_slot_begin(crew, delivery) == 0)
        return true;
    set_joined(crew, false);
    return false;
}

static bool take_delivery(struct weft_jobs_crew *crew, const struct jobs_call *call)
{
    struct weft_jobs_worker_stats *stats = &crew->worker->stats;
    const struct weft_redis_reply *reply = call->command.reply;
    struct jobs_delivery delivery;
    switch (weft__jobs_read_word(reply)) {
    case JOBS_NOTHING:
        stats->garbage += weft__jobs_read_count(reply, 1);
        stats->dead += weft__jobs_read_count(reply, 2);
        return false;
    case JOBS_A_TASK:
        if (weft__jobs_read_delivery(reply, &delivery))
            return begin_task(crew, &delivery);
        break;
    default:
        break;
    }
    stats->garbage++;
    return false;
}

static void taken(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    weft__jobs_call_over(&crew->take);
    crew->taking[0] = '\0';
    if (child->status == 0) {
        crew->rest_ms = REST_MS;
        take_delivery(crew, &crew->take);
    } else {
        set_joined(crew, false);
        if (!crew->closing)
            rest(crew);
    }
    jobs_call_free(&crew->take);
    weft__jobs_crew_step(crew);
}

static void start_taking(struct weft_jobs_crew *crew, struct jobs_call *call, const char *verb,
                         char *token)
{
    weft__jobs_name(token, JOBS_NAME);
    weft__jobs_call_init(call, &crew->hub, verb, NULL);
    weft__jobs_call_string(call, crew->worker->id);
    weft__jobs_call_string(call, token);
    weft__jobs_call_string(call, crew->max);
}

static void take(struct weft_jobs_crew *crew, struct weft_text entry)
{
    memcpy(crew->taking, entry.data, entry.size);
    crew->taking[entry.size] = '\0';
    start_taking(crew, &crew->take, "take", crew->token);
    weft__jobs_call_string(&crew->take, crew->taking);
    weft__jobs_call_run(&crew->take, taken);
}

/* Something else may have got the place meanwhile: see begin_task. */
static void take_read(struct weft_jobs_crew *crew, const struct weft_redis_reply *reply)
{
    struct weft_text entry;
    if (reply->type == WEFT_REDIS_NIL || crew->closing)
        return;
    bool good = weft__jobs_read_entry(reply, &entry);
    crew->worker->stats.garbage += !good;
    if (good && has_place(crew))
        take(crew, entry);
    else
        set_joined(crew, false);
}

static void read_over(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    crew->reading = false;
    if (child->status == 0) {
        take_read(crew, crew->read.reply);
    } else if (!crew->closing) {
        set_joined(crew, false); /* the group may be gone, or what we were given on its way */
        rest(crew);
    }
    weft_redis_command_free(&crew->read);
    weft__jobs_crew_step(crew);
}

static void read_next(struct weft_jobs_crew *crew)
{
    char block[16];
    snprintf(block, sizeof block, "%d", BLOCK_MS);
    const struct weft_text args[] = {WEFT_REDIS_ARG("XREADGROUP"), WEFT_REDIS_ARG("GROUP"),
                                     WEFT_REDIS_ARG("workers"),    weft_text_of(crew->worker->id),
                                     WEFT_REDIS_ARG("COUNT"),      WEFT_REDIS_ARG("1"),
                                     WEFT_REDIS_ARG("BLOCK"),      weft_text_of(block),
                                     WEFT_REDIS_ARG("STREAMS"),    crew->hub.parts,
                                     WEFT_REDIS_ARG(">")};
    crew->reading = true;
    weft_redis_command(&crew->hub.op, &crew->read, &crew->reader, args,
                       sizeof args / sizeof args[0], read_over);
}

/* ---- the reading connection ----------------------------------------------------------------- */

static void asked(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    crew->asking = false;
    if (child->status == 0 && crew->who.reply->type == WEFT_REDIS_INTEGER &&
        crew->who.reply->integer > 0)
        crew->reader_id = (uint64_t)crew->who.reply->integer;
    weft_redis_command_free(&crew->who);
}

static void reader_up(struct weft_redis *reader)
{
    static const struct weft_text args[] = {WEFT_REDIS_ARG("CLIENT"), WEFT_REDIS_ARG("ID")};
    struct weft_jobs_crew *crew = weft_owner(reader, struct weft_jobs_crew, reader);
    crew->reader_id = 0;
    set_joined(crew, false);
    if (!crew->asking) {
        crew->asking = true;
        weft_redis_command(&crew->hub.op, &crew->who, reader, args, 2, asked);
    }
    weft__jobs_crew_step(crew);
}

static void reader_down(struct weft_redis *reader)
{
    set_joined(weft_owner(reader, struct weft_jobs_crew, reader), false);
}

static void called_back(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    (void)child;
    crew->unblocking = false;
    weft_redis_command_free(&crew->unblock);
}

static void call_back(struct weft_jobs_crew *crew);

static void nudge_again(struct weft_timer *timer)
{
    struct weft_jobs_crew *crew = weft_owner(timer, struct weft_jobs_crew, nudge);
    if (crew->reading && (crew->closing || !has_place(crew)))
        call_back(crew);
}

/* It may not wait yet when it is called back: then it is done again. */
static void call_back(struct weft_jobs_crew *crew)
{
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, crew->reader_id);
    const struct weft_text args[] = {WEFT_REDIS_ARG("CLIENT"), WEFT_REDIS_ARG("UNBLOCK"),
                                     weft_text_of(id)};
    weft_timer_start(weft_loop_of(&crew->worker->op), &crew->nudge, NUDGE_MS, nudge_again);
    if (crew->unblocking || crew->reader_id == 0)
        return;
    crew->unblocking = true;
    weft_redis_command(&crew->hub.op, &crew->unblock, &crew->worker->redis, args, 3, called_back);
}

/* ---- keeping -------------------------------------------------------------------------------- */

static void claim(struct weft_jobs_crew *crew);

/* Where there was one there may be more. */
static void claimed(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    weft__jobs_call_over(&crew->claim);
    bool begun = child->status == 0 && take_delivery(crew, &crew->claim);
    crew->worker->stats.claimed += begun;
    jobs_call_free(&crew->claim);
    if (begun)
        claim(crew);
    if (crew->reading && !has_place(crew))
        call_back(crew); /* it has waited for the place that is taken now */
    weft__jobs_crew_step(crew);
}

static void claim(struct weft_jobs_crew *crew)
{
    unsigned deliveries = crew->worker->deliveries;
    if (crew->closing || crew->claim.busy || !crew->joined || !has_place(crew) ||
        !weft__jobs_hub_steady(&crew->hub, crew->lease_ms))
        return;
    start_taking(crew, &crew->claim, "claim", crew->claim_token);
    weft__jobs_call_number(&crew->claim, crew->lease_ms);
    weft__jobs_call_number(&crew->claim, deliveries != 0 ? deliveries : WEFT_JOBS_DELIVERIES);
    weft__jobs_call_run(&crew->claim, claimed);
}

static void swept(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    weft__jobs_call_over(&crew->sweep);
    if (child->status == 0)
        crew->worker->stats.discarded += weft__jobs_read_count(crew->sweep.command.reply, 1);
    jobs_call_free(&crew->sweep);
    weft__jobs_crew_step(crew);
}

/* A worker that has nothing, and has not even asked for long, is gone; should it not be, it is back when it asks. */
static void sweep(struct weft_jobs_crew *crew)
{
    if (crew->closing || crew->sweep.busy || !weft__jobs_hub_steady(&crew->hub, crew->lease_ms))
        return;
    weft__jobs_call_init(&crew->sweep, &crew->hub, "sweep", NULL);
    weft__jobs_call_number(&crew->sweep, 3 * crew->lease_ms + 2 * (uint64_t)BLOCK_MS);
    weft__jobs_call_run(&crew->sweep, swept);
}

static void tick(struct weft_timer *timer)
{
    struct weft_jobs_crew *crew = weft_owner(timer, struct weft_jobs_crew, tick);
    weft_timer_start(weft_loop_of(&crew->worker->op), timer, crew->lease_ms / 3, tick);
    for (struct weft_jobs_slot *slot = crew->slots; slot != NULL; slot = slot->next)
        weft__jobs_slot_beat(slot);
    if (crew->joined && !crew->join.busy && !crew->closing)
        join(crew);
    claim(crew);
    if (++crew->ticks % SWEEP_TICKS == 0)
        sweep(crew);
}

/* ---- what the hub says ---------------------------------------------------------------------- */

static void up(struct jobs_hub *hub)
{
    struct weft_jobs_crew *crew = crew_of(hub);
    for (struct weft_jobs_slot *slot = crew->slots; slot != NULL; slot = slot->next)
        weft__jobs_slot_beat(slot);
    weft__jobs_crew_step(crew);
}

/* What was said while nobody listened is made up for: signs of life find what is cancelled, and emits that
 * wait ask again. */
static void listening(struct jobs_hub *hub, bool so)
{
    struct weft_jobs_crew *crew = crew_of(hub);
    crew->worker->listening = so;
    for (struct weft_jobs_slot *slot = crew->slots; so && slot != NULL; slot = slot->next) {
        weft__jobs_slot_beat(slot);
        weft__jobs_emit_again(slot);
    }
}

static void heard(struct jobs_hub *hub, struct weft_text message)
{
    struct weft_jobs_crew *crew = crew_of(hub);
    struct weft_text job;
    enum jobs_news news = weft__jobs_read_news(message, &job);
    crew->worker->stats.garbage += news == JOBS_ODD;
    for (struct weft_jobs_slot *slot = crew->slots; slot != NULL; slot = slot->next) {
        if (news == JOBS_ODD || !weft_text_is(job, slot->task->job))
            continue;
        if (news == JOBS_CANCELLED)
            weft__jobs_slot_lose(slot);
        else
            weft__jobs_emit_again(slot);
    }
}

/* ---- leaving -------------------------------------------------------------------------------- */

static void crew_free(struct weft_jobs_crew *crew)
{
    weft_free(crew->known);
    weft_free(crew->join_args);
    weft_free(crew);
}

static void crew_end(struct weft_jobs_crew *crew)
{
    struct weft_jobs_worker *worker = crew->worker;
    struct weft_loop *loop = weft_loop_of(&worker->op);
    struct weft_timer *timers[] = {&crew->rest, &crew->tick, &crew->patience, &crew->nudge};
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++)
        weft_timer_stop(loop, timers[i]);
    bool cancelled = crew->cancelled;
    worker->crew_ = NULL;
    worker->listening = worker->ready = false;
    crew_free(crew);
    if (cancelled)
        weft_join(&worker->op);
    else
        weft_finish(&worker->op, 0);
}

/* Without a close it had no memory to begin, or all of the loop is being cancelled. */
static void over(struct jobs_hub *hub, int status)
{
    struct weft_jobs_crew *crew = crew_of(hub);
    crew->deaf = true;
    if (crew->closing)
        weft__jobs_crew_step(crew);
    else
        weft_end(&crew->worker->op, status);
}

static const struct jobs_hub_events events = {up, heard, listening, over};

static void give_up(struct weft_timer *timer)
{
    struct weft_jobs_crew *crew = weft_owner(timer, struct weft_jobs_crew, patience);
    crew->deaf = true;
    weft__jobs_hub_close(&crew->hub);
}

static void hurry(struct weft_jobs_crew *crew)
{
    bool waits_for_tasks = crew->cancelled ? crew->active > 0 : crew->count > 0;
    if (crew->hurried || waits_for_tasks || crew->deaf)
        return;
    crew->hurried = true;
    weft_timer_start(weft_loop_of(&crew->worker->op), &crew->patience, jobs_command_ms(&crew->hub),
                     give_up);
}

static void gone(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_crew *crew = crew_above(op);
    (void)child;
    weft__jobs_call_over(&crew->leave);
    jobs_call_free(&crew->leave);
    weft__jobs_crew_step(crew);
}

static void leave(struct weft_jobs_crew *crew)
{
    hurry(crew);
    if (crew->count > 0)
        return;
    if (crew->hub.is_over) {
        crew_end(crew);
    } else if (crew->deaf) {
        weft__jobs_hub_close(&crew->hub);
    } else if (crew->reading) {
        call_back(crew);
    } else if (crew->join.busy || crew->take.busy || crew->claim.busy || crew->sweep.busy ||
               crew->leave.busy) {
        return;
    } else if (!crew->left) {
        crew->left = true;
        weft__jobs_call_init(&crew->leave, &crew->hub, "leave", NULL);
        weft__jobs_call_string(&crew->leave, crew->worker->id);
        weft__jobs_call_run(&crew->leave, gone);
    } else {
        crew->deaf = true;
        weft__jobs_hub_close(&crew->hub);
    }
}

void weft__jobs_crew_step(struct weft_jobs_crew *crew)
{
    if (crew->closing) {
        leave(crew);
        return;
    }
    if (!crew->reader.connected || crew->resting)
        return;
    if (!crew->joined) {
        if (!crew->join.busy)
            join(crew);
    } else if (!crew->reading && !crew->take.busy && !crew->claim.busy && has_place(crew)) {
        read_next(crew);
    }
}

static void worker_cancel(struct weft_op *op, int reason)
{
    struct weft_jobs_crew *crew = weft_owner(op, struct weft_jobs_worker, op)->crew_;
    (void)reason;
    crew->cancelled = crew->closing = true;
    crew->worker->ready = false;
    leave(crew);
}

void weft_jobs_worker_close(struct weft_jobs_worker *worker)
{
    struct weft_jobs_crew *crew = worker->crew_;
    if (crew == NULL || crew->closing)
        return;
    crew->closing = true;
    worker->ready = false;
    leave(crew);
}

/* ---- opening -------------------------------------------------------------------------------- */

static int check(struct weft_jobs_worker *worker)
{
    struct weft_redis *redis = &worker->redis;
    if (worker->begin == NULL)
        return weft__jobs_wrong(redis, UV_EINVAL, "there is no begin");
    if (worker->concurrency > WEFT_JOBS_CONCURRENCY_MAX)
        return weft__jobs_wrong(redis, UV_EINVAL, "the concurrency is too high");
    if (worker->lease_ms != 0 && worker->lease_ms < WEFT_JOBS_TIME_MIN_MS)
        return weft__jobs_wrong(redis, UV_EINVAL, "lease_ms is too short");
    if (worker->task_size != 0 &&
        (worker->task_size < sizeof(struct weft_jobs_task) || worker->task_size > TASK_MAX))
        return weft__jobs_wrong(redis, UV_EINVAL, "the task_size is not possible");
    return weft__jobs_check(redis, worker->queue);
}

static struct weft_jobs_crew *crew_new(struct weft_jobs_worker *worker)
{
    struct weft_jobs_crew *crew = weft_calloc(1, sizeof *crew);
    size_t max = worker->redis.reply_max != 0 ? worker->redis.reply_max : WEFT_REDIS_REPLY_MAX;
    if (crew == NULL)
        return NULL;
    crew->worker = worker;
    crew->hub.redis = &worker->redis;
    crew->hub.events = &events;
    crew->lease_ms = worker->lease_ms != 0 ? worker->lease_ms : WEFT_JOBS_LEASE_MS;
    crew->concurrency = worker->concurrency != 0 ? worker->concurrency : 1;
    crew->rest_ms = REST_MS;
    snprintf(crew->max, sizeof crew->max, "%zu", max / 2);
    crew->known = weft_calloc(crew->concurrency + 2, sizeof *crew->known);
    crew->join_args =
        weft_calloc(crew->concurrency + (size_t)2 + JOBS_ARGS, sizeof *crew->join_args);
    if (crew->known != NULL && crew->join_args != NULL)
        return crew;
    crew_free(crew);
    return NULL;
}

static void start(struct weft_jobs_crew *crew)
{
    struct weft_jobs_worker *worker = crew->worker;
    struct weft_loop *loop = weft_loop_of(&worker->op);
    weft__jobs_name(worker->id, JOBS_NAME);
    weft__jobs_hub_open(&crew->hub, loop, worker->queue, "w", "");
    weft__jobs_copy_settings(&crew->reader, &worker->redis);
    crew->reader.command_ms = BLOCK_MS + 2 * jobs_command_ms(&crew->hub);
    crew->reader.reply_max = WEFT_JOBS_PAYLOAD_MAX;
    crew->reader.on_up = reader_up;
    crew->reader.on_down = reader_down;
    weft_redis(&crew->hub.op, &crew->reader, NULL);
    weft_timer_start(loop, &crew->tick, crew->lease_ms / 3, tick);
}

void weft_jobs_worker_begin(struct weft_op *op)
{
    struct weft_jobs_worker *worker = weft_owner(op, struct weft_jobs_worker, op);
    worker->listening = worker->ready = false;
    worker->running = 0;
    worker->crew_ = NULL;
    int status = check(worker);
    if (status == 0 && (worker->crew_ = crew_new(worker)) == NULL)
        status = UV_ENOMEM;
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    start(worker->crew_);
    weft_on_cancel(op, worker_cancel);
}

void weft_jobs_worker_at(const struct weft_site *site, struct weft_op *parent,
                         struct weft_jobs_worker *worker, weft_then_fn *then)
{
    weft_run_now_at(site, parent, &worker->op, weft_jobs_worker_begin, then);
}
