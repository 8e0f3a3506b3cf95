/* A run, and its course: what Redis has to know of it, which takes longer than the run itself.
 *
 *     begin ─► parts go out, a few ahead ◄──┐
 *                 │                         │ a part has ended
 *                 ▼                         │
 *          look ─► fetch ─► deliver ────────┤
 *           ▲         │        │            │ a chunk
 *           │ nothing │        └────────────┘
 *           └─────────┘   all have ended, one has failed, a cancel:
 *                         the run is over ─► discard ─► freed
 *
 * When the run is over its op is finished at once, and course->run is NULL. The course waits for its calls,
 * has the job discarded, which also cancels it everywhere, and frees itself.
 *
 * Results are looked for when a message says so, when a connection is back, and now and then; the same call
 * says that the producer is alive, and removes what was delivered. It is made again until it finds nothing:
 * from then on messages come. While the run is paused it reads nothing.
 *
 * What is delivered is checked: chunks of a part are numbered without a gap, and its end says how many there
 * are. So a run that ends with 0 has seen all of them, each once. */
#include "engine.h"
#include "store/redis/reply.h"
#include "weft/alloc.h"

enum {
    LOOK_MS = 1000,
    LEFT = 4, /* times the limit: runs, and those that are over but not discarded */
    FETCH_COUNT = 128,
    FETCH_BYTES = 256 * 1024,
    BATCH = 64,
    BATCH_BYTES = 256 * 1024,
    ADD_ARGS = 16 + BATCH,
    FOUND = 2,        /* where the results begin in an answer */
    OVER = UINT32_MAX /* in expected: it has ended */
};

struct weft_jobs_course {
    struct weft_jobs_engine *engine;
    struct weft_jobs_run *run; /* NULL: it is over */
    struct weft_jobs_course *next, **link;
    size_t parts, window;
    size_t added;  /* parts that Redis has */
    size_t adding; /* of those, and of the batch under way */
    bool sent;     /* something was sent: there may be traces */
    bool holding;  /* one of its functions is under way: it is not freed under it */
    bool paused;   /* by on_result */
    bool again;    /* there may be more than was found */
    bool cleared;  /* Redis was told to discard the job */
    bool reads;    /* the fetch under way does, */
    size_t asked;  /* and what added was when it went out */
    struct jobs_call add, fetch, discard;
    struct weft_text add_args[ADD_ARGS];
    char *batch; /* payloads that a function has made */
    size_t batch_size, batch_room;
    struct weft_redis_reply *found; /* what is being delivered */
    size_t at;                      /* where in it */
    struct weft_timer look, kick;
    char after[JOBS_ENTRY];        /* the last one that was delivered, */
    uint64_t read;                 /* and the bytes so far */
    char acknowledged[JOBS_ENTRY]; /* what the fetch under way says of it */
    char id[WEFT_JOBS_ID + 1];
    uint32_t expected[]; /* of each part, the chunk that comes next */
};

/* ---- the end -------------------------------------------------------------------------------- */

static void course_free(struct weft_jobs_course *course)
{
    struct weft_jobs_engine *engine = course->engine;
    engine->count--;
    *course->link = course->next;
    if (course->next != NULL)
        course->next->link = course->link;
    weft_free(course->batch);
    weft_free(course);
    weft__jobs_step(engine);
}

static void clear(struct weft_jobs_course *course);

static void discarded(struct weft_op *op, struct weft_op *call)
{
    struct weft_jobs_course *course = weft_owner(call, struct weft_jobs_course, discard.op);
    (void)op;
    weft__jobs_call_over(&course->discard);
    jobs_call_free(&course->discard);
    clear(course);
}

/* What is left of a run that is over. Should Redis not be told, the job is discarded after keep_ms. */
static void clear(struct weft_jobs_course *course)
{
    if (course->add.busy || course->fetch.busy || course->discard.busy)
        return;
    if (!course->sent || course->cleared || course->engine->deaf) {
        course_free(course);
        return;
    }
    course->cleared = true;
    weft__jobs_call_init(&course->discard, &course->engine->hub, "discard", NULL);
    weft__jobs_call_string(&course->discard, course->id);
    weft__jobs_call_run(&course->discard, discarded);
}

static void course_over(struct weft_jobs_course *course, int status)
{
    struct weft_jobs_run *run = course->run;
    struct weft_loop *loop = weft_loop_of(&run->op);
    course->run = NULL;
    course->engine->running--;
    course->engine->jobs->stats.ended += status == 0;
    weft_timer_stop(loop, &course->look);
    weft_timer_stop(loop, &course->kick);
    weft__redis_reply_free(course->found);
    course->found = NULL;
    run->course_ = NULL;
    weft_finish(&run->op, status);
    jobs_call_cancel(&course->add);
    jobs_call_cancel(&course->fetch);
    if (!course->holding)
        clear(course);
}

/* Around everything that may end the run, and looks at the course after that. */
static void hold(struct weft_jobs_course *course)
{
    course->holding = true;
}

static void let_go(struct weft_jobs_course *course)
{
    course->holding = false;
    if (course->run == NULL)
        clear(course);
}

static void fail(struct weft_jobs_course *course, int status, size_t part, struct weft_text why)
{
    struct weft_jobs_run *run = course->run;
    size_t size = why.size < sizeof run->why - 1 ? why.size : sizeof run->why - 1;
    if (size > 0)
        memcpy(run->why, why.data, size);
    run->why[size] = '\0';
    run->part = part;
    course_over(course, status);
}

static void fail_call(struct weft_jobs_course *course, const struct jobs_call *call)
{
    char why[WEFT_REDIS_WHY];
    weft__jobs_call_why(call, why);
    fail(course, call->op.status, WEFT_NONE, weft_text_of(why));
}

static void fail_gone(struct weft_jobs_course *course)
{
    fail(course, UV_ENOENT, WEFT_NONE, weft_text_of("the job is not in Redis any more"));
}

static void fail_answer(struct weft_jobs_course *course)
{
    fail(course, WEFT_EDAMAGED, WEFT_NONE, weft_text_of("Redis gave no answer of ours"));
}

/* ---- parts go out --------------------------------------------------------------------------- */

static void go_on(struct weft_jobs_course *course);

/* The reply is freed first: the next batch may go out with the same call. */
static void take_added(struct weft_jobs_course *course, int status)
{
    struct jobs_call *call = &course->add;
    enum jobs_word word = status == 0 ? weft__jobs_read_word(call->command.reply) : JOBS_NONSENSE;
    if (status != 0)
        fail_call(course, call);
    jobs_call_free(call);
    if (status != 0)
        return;
    if (word == JOBS_OK) {
        bool was_first = course->added == 0;
        course->engine->jobs->stats.parts += course->adding - course->added;
        course->added = course->adding;
        course->again = course->again || was_first;
        go_on(course);
    } else if (word == JOBS_GONE) {
        fail_gone(course);
    } else {
        fail_answer(course);
    }
}

static void added(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_course *course = weft_owner(child, struct weft_jobs_course, add.op);
    (void)op;
    hold(course);
    weft__jobs_call_over(&course->add);
    if (course->run != NULL)
        take_added(course, child->status);
    else
        jobs_call_free(&course->add);
    let_go(course);
}

static int ask_payload(struct weft_jobs_run *run, size_t part, struct weft_text *payload)
{
    struct weft_frame frame;
    if (run->payload == NULL) {
        *payload = run->payloads[part];
        return 0;
    }
    *payload = weft_text(NULL, 0);
    weft_enter(&frame, &run->op, (weft_entry_fn *)run->payload);
    int status = run->payload(run, part, payload);
    weft_leave(&frame);
    return status;
}

/* A text that a function has made is gone when it makes the next one. */
static int keep_payload(struct weft_jobs_course *course, struct weft_text payload)
{
    size_t needed = course->batch_size + payload.size;
    if (needed > course->batch_room) {
        char *larger = weft_realloc(course->batch, needed + BATCH_BYTES / 4);
        if (larger == NULL)
            return UV_ENOMEM;
        course->batch = larger;
        course->batch_room = needed + BATCH_BYTES / 4;
    }
    if (payload.size > 0)
        memcpy(course->batch + course->batch_size, payload.data, payload.size);
    course->batch_size = needed;
    return 0;
}

/* One part into the batch. */
static int add_part(struct weft_jobs_course *course, struct weft_text *text)
{
    int status = ask_payload(course->run, course->adding, text);
    if (course->run == NULL)
        return UV_ECANCELED;
    if (status == 0 && text->size > WEFT_JOBS_PAYLOAD_MAX)
        status = UV_E2BIG;
    if (status == 0 && text->data == NULL && text->size > 0)
        status = UV_EINVAL;
    if (status == 0 && course->run->payload != NULL)
        status = keep_payload(course, *text);
    else
        course->batch_size += text->size;
    return status > 0 ? UV_EINVAL : status;
}

/* Payloads of a function lie one after the other in the batch, which has moved while it grew. */
static void put_texts(struct weft_jobs_course *course, struct weft_text *texts, size_t count)
{
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        if (course->run->payload != NULL && texts[i].size > 0)
            texts[i].data = course->batch + offset;
        offset += texts[i].size;
        weft__jobs_call_text(&course->add, texts[i]);
    }
}

static void send_batch(struct weft_jobs_course *course, struct weft_text *texts, size_t count)
{
    struct weft_jobs_engine *engine = course->engine;
    struct jobs_call *call = &course->add;
    const struct weft_jobs *jobs = engine->jobs;
    weft__jobs_call_init(call, &engine->hub, "add", course->add_args);
    weft__jobs_call_string(call, course->id);
    weft__jobs_call_number(call, course->added);
    weft__jobs_call_string(call, engine->id);
    weft__jobs_call_number(call, weft__jobs_keep_ms(jobs));
    weft__jobs_call_number(call, jobs->unread_max != 0 ? jobs->unread_max : WEFT_JOBS_UNREAD_MAX);
    put_texts(course, texts, count);
    course->sent = true;
    weft__jobs_call_run(call, added);
}

static void add_more(struct weft_jobs_course *course)
{
    struct weft_text texts[BATCH];
    if (course->add.busy || course->engine->closing)
        return;
    size_t count = 0, most = course->window - (course->added - course->run->ended);
    if (most > BATCH)
        most = BATCH;
    course->adding = course->added;
    course->batch_size = 0;
    while (count < most && course->adding < course->parts && course->batch_size < BATCH_BYTES) {
        int status = add_part(course, &texts[count]);
        if (course->run == NULL)
            return;
        if (status != 0) {
            fail(course, status, course->adding, weft_text_of("its payload"));
            return;
        }
        course->adding++;
        count++;
    }
    if (count > 0)
        send_batch(course, texts, count);
}

/* ---- results come in ------------------------------------------------------------------------ */

static void deliver_chunk(struct weft_jobs_course *course, const struct jobs_result *result)
{
    struct weft_jobs_run *run = course->run;
    struct weft_frame frame;
    course->expected[result->part]++;
    course->engine->jobs->stats.chunks++;
    run->chunks++;
    run->bytes += result->data.size;
    if (run->on_result == NULL)
        return;
    weft_enter(&frame, &run->op, (weft_entry_fn *)run->on_result);
    bool more = run->on_result(run, result->part, result->data);
    weft_leave(&frame);
    if (!more)
        course->paused = true;
}

static void deliver_end(struct weft_jobs_course *course, const struct jobs_result *result)
{
    struct weft_jobs_run *run = course->run;
    struct weft_frame frame;
    if (result->status != 0) {
        fail(course, result->status, result->part, result->data);
        return;
    }
    course->expected[result->part] = OVER;
    run->ended++;
    if (run->on_part != NULL) {
        weft_enter(&frame, &run->op, (weft_entry_fn *)run->on_part);
        run->on_part(run, result->part);
        weft_leave(&frame);
    }
}

/* What was delivered before, or is none of ours, is passed over. A chunk that is missing is not. */
static void deliver_one(struct weft_jobs_course *course, const struct weft_redis_reply *reply)
{
    struct jobs_result result;
    bool good = weft__jobs_read_result(reply, &result);
    if (result.entry.size == 0) {
        fail_answer(course);
        return;
    }
    memcpy(course->after, result.entry.data, result.entry.size);
    course->after[result.entry.size] = '\0';
    if (!good || result.part >= course->adding || course->expected[result.part] == OVER ||
        result.chunk < course->expected[result.part]) {
        course->engine->jobs->stats.garbage++;
        return;
    }
    if (result.total > course->read)
        course->read = result.total;
    if (result.chunk > course->expected[result.part] && (!result.is_end || result.status == 0))
        fail(course, WEFT_EDAMAGED, result.part, weft_text_of("chunks of its result are missing"));
    else if (result.is_end)
        deliver_end(course, &result);
    else
        deliver_chunk(course, &result);
}

static void deliver(struct weft_jobs_course *course)
{
    while (course->run != NULL && !course->paused && course->found != NULL) {
        struct weft_redis_reply *found = course->found;
        course->found = NULL; /* not to be freed under a callback */
        if (course->at < found->count)
            deliver_one(course, &found->elements[course->at]);
        if (course->run != NULL && ++course->at < found->count)
            course->found = found;
        else
            weft__redis_reply_free(found);
    }
    if (course->run != NULL && course->run->ended == course->parts)
        course_over(course, 0);
    else if (course->run != NULL)
        go_on(course);
}

/* When all that is there was delivered, a part that has ended in Redis has ended here. There may be more of both
 * than were known when this was asked: a batch of parts was on its way. */
static void look_for_ends(struct weft_jobs_course *course, uint64_t open)
{
    if (open + course->run->ended < course->asked)
        fail(course, WEFT_EDAMAGED, WEFT_NONE, weft_text_of("ends of its parts are missing"));
}

/* What was found, behind the word and the number of parts that have not ended. With some there may be more. */
static void take_found(struct weft_jobs_course *course)
{
    struct weft_redis_reply *reply = course->fetch.command.reply;
    enum jobs_word word = weft__jobs_read_word(reply);
    if (word == JOBS_GONE) {
        fail_gone(course);
    } else if (word != JOBS_OK || reply->type != WEFT_REDIS_ARRAY || reply->count < FOUND) {
        fail_answer(course);
    } else if (reply->count > FOUND) {
        course->fetch.command.reply = NULL;
        course->found = reply;
        course->at = FOUND;
        course->again = true;
    } else if (course->reads) {
        look_for_ends(course, weft__jobs_read_count(reply, 1));
    }
}

static void fetched(struct weft_op *op, struct weft_op *child)
{
    struct weft_jobs_course *course = weft_owner(child, struct weft_jobs_course, fetch.op);
    (void)op;
    hold(course);
    weft__jobs_call_over(&course->fetch);
    if (course->run != NULL && child->status == 0)
        take_found(course);
    else if (course->run != NULL)
        fail_call(course, &course->fetch);
    jobs_call_free(&course->fetch);
    if (course->run != NULL)
        deliver(course);
    let_go(course);
}

static void fetch(struct weft_jobs_course *course)
{
    struct jobs_call *call = &course->fetch;
    course->reads = !course->paused && course->found == NULL;
    course->asked = course->added;
    if (course->reads)
        course->again = false;
    weft__jobs_call_init(call, &course->engine->hub, "fetch", NULL);
    weft__jobs_call_string(call, course->id);
    memcpy(course->acknowledged, course->after, sizeof course->after);
    weft__jobs_call_string(call, course->acknowledged);
    weft__jobs_call_number(call, course->read);
    weft__jobs_call_number(call, course->reads ? FETCH_COUNT : 0);
    weft__jobs_call_number(call, FETCH_BYTES);
    weft__jobs_call_run(call, fetched);
}

void weft__jobs_course_look(struct weft_jobs_course *course)
{
    course->again = true;
    if (course->run != NULL && !course->fetch.busy && course->added > 0 && !course->engine->closing)
        fetch(course);
}

/* After anything has happened: the line gets more parts, and what may be there is looked for. */
static void go_on(struct weft_jobs_course *course)
{
    add_more(course);
    if (course->run != NULL && course->again && !course->paused && course->found == NULL)
        weft__jobs_course_look(course);
}

static void look_again(struct weft_timer *timer)
{
    struct weft_jobs_course *course = weft_owner(timer, struct weft_jobs_course, look);
    uint64_t ms = weft__jobs_keep_ms(course->engine->jobs) / 3;
    weft_timer_start(weft_loop_of(&course->run->op), timer, ms < LOOK_MS ? ms : LOOK_MS,
                     look_again);
    weft__jobs_course_look(course);
}

struct weft_jobs_course *weft__jobs_course_find(const struct weft_jobs_engine *engine,
                                                struct weft_text job)
{
    struct weft_jobs_course *course = engine->courses;
    while (course != NULL && !(course->run != NULL && weft_text_is(job, course->id)))
        course = course->next;
    return course;
}

void weft__jobs_courses_look(struct weft_jobs_engine *engine)
{
    for (struct weft_jobs_course *course = engine->courses; course != NULL; course = course->next)
        weft__jobs_course_look(course);
}

void weft__jobs_courses_end(struct weft_jobs_engine *engine, int status)
{
    struct weft_jobs_course *course = engine->courses, *next;
    for (; course != NULL; course = next) {
        next = course->next;
        if (course->run != NULL)
            course_over(course, status);
    }
}

/* ---- the op --------------------------------------------------------------------------------- */

static void kicked(struct weft_timer *timer)
{
    struct weft_jobs_course *course = weft_owner(timer, struct weft_jobs_course, kick);
    hold(course);
    deliver(course);
    let_go(course);
}

void weft_jobs_resume(struct weft_jobs_run *run)
{
    struct weft_jobs_course *course = run->course_;
    if (course == NULL || !course->paused)
        return;
    course->paused = false;
    course->again = true;
    weft_timer_start(weft_loop_of(&run->op), &course->kick, 0, kicked);
}

static void run_cancel(struct weft_op *op, int reason)
{
    course_over(weft_owner(op, struct weft_jobs_run, op)->course_, reason);
}

static int check(const struct weft_jobs_run *run)
{
    const struct weft_jobs *jobs = run->jobs;
    if (jobs == NULL || jobs->engine_ == NULL ||
        weft_loop_of(&jobs->op) != weft_loop_of(&run->op) || run->parts == 0 ||
        run->parts > WEFT_JOBS_PARTS_MAX || (run->payloads == NULL && run->payload == NULL))
        return UV_EINVAL;
    size_t limit = jobs->limit != 0 ? jobs->limit : WEFT_JOBS_LIMIT;
    /* While Redis is away what is over cannot be discarded, and must not grow without end. */
    return jobs->engine_->running < limit && jobs->engine_->count / LEFT < limit ? 0 : UV_ENOBUFS;
}

static struct weft_jobs_course *course_new(struct weft_jobs_run *run)
{
    struct weft_jobs_engine *engine = run->jobs->engine_;
    struct weft_jobs_course *course =
        weft_calloc(1, sizeof *course + run->parts * sizeof course->expected[0]);
    if (course == NULL)
        return NULL;
    course->engine = engine;
    course->run = run;
    course->parts = run->parts;
    course->window = run->jobs->window != 0 ? run->jobs->window : WEFT_JOBS_WINDOW;
    memcpy(course->after, "0-0", sizeof "0-0");
    weft__jobs_name(course->id, WEFT_JOBS_ID);
    memcpy(run->id, course->id, sizeof run->id);
    course->next = engine->courses;
    course->link = &engine->courses;
    if (course->next != NULL)
        course->next->link = &course->next;
    engine->courses = course;
    engine->running++;
    engine->count++;
    return course;
}

void weft_jobs_run_begin(struct weft_op *op)
{
    struct weft_jobs_run *run = weft_owner(op, struct weft_jobs_run, op);
    run->id[0] = run->why[0] = '\0';
    run->ended = 0;
    run->chunks = run->bytes = 0;
    run->part = WEFT_NONE;
    run->course_ = NULL;
    int status = check(run);
    if (status == 0 && (run->course_ = course_new(run)) == NULL)
        status = UV_ENOMEM;
    if (status != 0) {
        weft_finish(op, status);
        return;
    }
    run->jobs->stats.runs++;
    weft_on_cancel(op, run_cancel);
    struct weft_jobs_course *course = run->course_;
    if (course == NULL)
        return;
    hold(course);
    look_again(&course->look);
    add_more(course);
    let_go(course);
}

void weft_jobs_run_at(const struct weft_site *site, struct weft_op *parent,
                      struct weft_jobs_run *run, weft_then_fn *then)
{
    weft_run_at(site, parent, &run->op, weft_jobs_run_begin, then);
}
