/* The jobs in a worker.
 *
 *     give ──► [ first | ahead … ] ──END or ERROR of the first──► pop ──► its job is over
 *                │ cancelled, too late: its job is over at once, and the entry stays without it:
 *                │ the worker is given to nobody else before it has let go of that
 *                └ the worker died: was it begun? ─► crashed, or again (retries)
 *                                  not begun      ─► back to the front of the line of those who wait
 *
 * A frame belongs to a job by its id and its attempt. One of a job that is not here is late, and
 * dropped. One of a job that is here but has not had its turn is nonsense, and so is one of a job
 * that was not even sent.
 *
 * Whom a kill hits. With jobs ahead, the first one's END may be on its way and the second be begun
 * when the first one's time is up. So before a kill for the sake of one job the gate is shut
 * (page.h): if the worker is at another job by then it is not killed. */
#include "procs.h"
#include "memory.h"
#include "weft/alloc.h"
#include <fcntl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOBODY = -1, READ_OUT = 64 };

static void line_late(struct weft_timer *timer);

/* ---- in and out of the line ------------------------------------------------------------------ */

/* The first one of the line has changed. */
static void first_begins(struct weft_worker *worker)
{
    const struct weft_job *job = line_at(worker, 0)->job;
    if (job == NULL)
        weft__worker_grace(worker);
    else if (job->timeout_ms != 0)
        weft__timer_start(worker->engine->loop, &worker->late, job->timeout_ms, line_late);
    weft__worker_settle(worker);
}

static void pop(struct weft_worker *worker)
{
    struct weft_loop *loop = worker->engine->loop;
    weft_timer_stop(loop, &worker->late);
    if (!worker->mute)
        weft_timer_stop(loop, &worker->timer);
    worker->first = (worker->first + 1) % worker->room;
    worker->count--;
    worker->done++;
    weft__worker_settle(worker);
    if (worker->count > 0)
        first_begins(worker);
    weft__procs_worked(worker->engine);
}

/* After a pop, when its job was told. */
static void go_on(struct weft_worker *worker)
{
    if (worker->count == 0 && worker->holder == NULL)
        weft__worker_rest(worker);
    else
        weft__procs_pump(worker->engine);
}

/* Replies that a worker has gathered do not wait for a long job behind them. */
static void peek_over(struct weft_timer *timer)
{
    struct weft_worker *worker = weft_owner(timer, struct weft_worker, peek);
    struct weft_loop *loop = worker->engine->loop;
    if (weft_now(loop) - worker->heard >= PROCS_PEEK_MS) {
        weft__channel_read(worker);
        if (worker->state == WORKER_READY)
            weft__channel_peek(worker);
    }
    worker->peeks = worker->state == WORKER_READY && worker->count > 1;
    if (worker->peeks)
        weft__timer_start(loop, timer, PROCS_PEEK_MS, peek_over);
}

static void peek_now_and_then(struct weft_worker *worker)
{
    if (worker->peeks || worker->count < 2)
        return;
    worker->peeks = true;
    weft__timer_start(worker->engine->loop, &worker->peek, PROCS_PEEK_MS, peek_over);
}

static size_t input_size(const struct weft_job *job)
{
    return job->payload != NULL && job->input_size == 0 ? job->payload->size : job->input_size;
}

/* The memory that goes along; NOBODY: the input is small, and copied. */
static int input_fd(const struct weft_job *job)
{
    if (input_size(job) <= FRAME_INLINE)
        return NOBODY;
    if (job->payload == NULL)
        return weft__memory_of(job->input, job->input_size);
    int fd = fcntl(job->payload->fd_, F_DUPFD_CLOEXEC, 0);
    return fd >= 0 ? fd : uv_translate_sys_error(errno);
}

static int put_job(struct weft_worker *worker, const struct weft_job *job)
{
    const void *data = job->payload != NULL ? job->payload->data : job->input;
    int fd = input_fd(job);
    if (fd < NOBODY)
        return fd;
    struct frame frame = {.size = (uint32_t)input_size(job),
                          .type = FRAME_JOB,
                          .flags = fd >= 0 ? FRAME_IN_MEMORY : 0,
                          .job = job->id_,
                          .attempt = job->attempt + 1};
    int err = weft__channel_put(worker, &frame, data, fd);
    if (err != 0 && fd >= 0)
        close(fd);
    return err;
}

int weft__line_give(struct weft_worker *worker, struct weft_job *job)
{
    int err = put_job(worker, job);
    if (err != 0)
        return err;
    weft__worker_unidle(worker);
    job->attempt++;
    job->worker_ = worker;
    job->pid = worker->process.pid;
    worker->engine->procs->running++;
    worker->sent++;
    *line_at(worker, worker->count++) = (struct entry){
        job, job->id_, worker->out_done + (worker->out_end - worker->out_at), job->attempt};
    if (worker->count == 1)
        first_begins(worker);
    peek_now_and_then(worker);
    return 0;
}

static struct entry *entry_of(const struct weft_worker *worker, const struct weft_job *job)
{
    for (unsigned i = 0; i < worker->count; i++) {
        if (line_at(worker, i)->job == job)
            return line_at(worker, i);
    }
    return NULL;
}

/* Whoever did not want its events will not have them: the rest is dropped. */
static void unpause(struct weft_worker *worker)
{
    if (!worker->paused)
        return;
    worker->paused = false;
    if (worker->process.pid == 0)
        weft__channel_read(worker); /* it is dead: that is the end of it */
    else
        weft__channel_watch(worker);
}

void weft__line_forget(struct weft_worker *worker, struct weft_job *job)
{
    struct entry *entry = entry_of(worker, job);
    struct frame frame = {.type = FRAME_CANCEL, .job = entry->id, .attempt = entry->attempt};
    bool first = entry == line_at(worker, 0);
    entry->job = NULL;
    if (worker->state != WORKER_READY) {
        if (first)
            unpause(worker); /* it may be dead, and wait only to be read out */
        return;
    }
    if (weft__channel_put(worker, &frame, NULL, NOBODY) != 0)
        weft__worker_kill(worker, 0, NULL); /* no memory to tell it */
    if (!first)
        return;
    weft_timer_stop(worker->engine->loop, &worker->late);
    if (!worker->mute && worker->state == WORKER_READY)
        weft__worker_grace(worker);
    weft__worker_settle(worker);
    unpause(worker);
}

int weft__line_send(struct weft_worker *worker, struct weft_job *job, uint32_t kind,
                    const void *data, size_t size)
{
    struct frame frame = {.size = (uint32_t)size,
                          .type = FRAME_MESSAGE,
                          .job = job->id_,
                          .attempt = job->attempt,
                          .kind = kind};
    if (worker->state != WORKER_READY || worker->mute || line_at(worker, 0)->job != job)
        return UV_ENOTCONN;
    if (worker->out_end - worker->out_at > FRAME_INLINE)
        return UV_EAGAIN;
    return weft__channel_put(worker, &frame, data, NOBODY);
}

/* ---- time is up ------------------------------------------------------------------------------ */

/* Is the worker at its first job, and will it be until it is killed? */
static bool first_is_to_blame(struct weft_worker *worker)
{
    if (!worker->gated)
        return true;
    uint64_t begun = __atomic_exchange_n(&worker->page->begun, PAGE_SHUT, __ATOMIC_ACQ_REL);
    for (unsigned i = 1; i < worker->count; i++) {
        if (line_at(worker, i)->id == begun) {
            __atomic_store_n(&worker->page->begun, begun, __ATOMIC_RELEASE);
            return false;
        }
    }
    return true; /* the gate stays shut */
}

/* Its last chance: an END that is here and was not read, or was not even sent. true: it is still the first. */
static bool is_still_first(struct weft_worker *worker, uint64_t id)
{
    for (int i = 0; i < READ_OUT && !worker->paused && worker->state == WORKER_READY; i++) {
        weft__channel_read(worker);
        if (weft__channel_is_read_out(worker))
            break;
    }
    if (worker->state == WORKER_READY)
        weft__channel_peek(worker);
    return worker->state == WORKER_READY && worker->count > 0 && line_at(worker, 0)->id == id;
}

/* The first one is not to blame, since another is begun: so its reply is on its way or in the page. */
static void kill_if_still_first(struct weft_worker *worker, uint64_t id)
{
    if (!is_still_first(worker, id))
        return;
    worker->paused = false;
    weft__worker_kill(worker, WEFT_ECRASHED, "it began a job without a reply to the last one");
}

/* The first job, with this id, has had its time. true: its worker may be killed for that. */
static bool is_too_late(struct weft_worker *worker, uint64_t id)
{
    if (!is_still_first(worker, id))
        return false;
    if (first_is_to_blame(worker))
        return true;
    kill_if_still_first(worker, id);
    return false;
}

static void line_late(struct weft_timer *timer)
{
    struct weft_worker *worker = weft_owner(timer, struct weft_worker, late);
    struct weft_job *job = line_at(worker, 0)->job;
    uint64_t id = line_at(worker, 0)->id;
    char why[WEFT_PROCS_WHY];
    /* What is read now may be its end, or make its owner cancel it. */
    if (job == NULL || !is_still_first(worker, id) || line_at(worker, 0)->job != job)
        return;
    bool paused = worker->paused;
    if (!paused && !first_is_to_blame(worker)) {
        kill_if_still_first(worker, id);
        return;
    }
    snprintf(why, sizeof why, "not over after %llu ms", (unsigned long long)job->timeout_ms);
    line_at(worker, 0)->job = NULL;
    worker->paused = false; /* its end may lie behind events that nobody wanted */
    weft__job_over(job, UV_ETIMEDOUT, why);
    weft__worker_settle(worker);
    if (!paused || is_too_late(worker, id))
        weft__worker_kill(worker, 0, NULL);
    else
        weft__channel_watch(worker);
}

void weft__line_grace_over(struct weft_worker *worker)
{
    if (worker->count == 0 || line_at(worker, 0)->job != NULL)
        return;
    if (is_too_late(worker, line_at(worker, 0)->id))
        weft__worker_kill(worker, 0, NULL);
}

/* ---- frames --------------------------------------------------------------------------------- */

static void drop(struct weft_worker *worker, const struct frame *frame)
{
    if (frame->flags & FRAME_IN_MEMORY && !worker->peeking) {
        int fd = weft__channel_take_fd(worker);
        if (fd >= 0)
            close(fd);
    }
}

/* The payload of a frame: where it is. A memory stays mapped. */
static int take_payload(struct weft_worker *worker, const struct frame *frame, const char **data)
{
    void *at = NULL;
    *data = frame->payload;
    if (!(frame->flags & FRAME_IN_MEMORY))
        return 0;
    int fd = worker->peeking ? NOBODY : weft__channel_take_fd(worker);
    int err = fd >= 0 ? weft__memory_map(fd, frame->size, true, &at) : UV_EPROTO;
    if (fd >= 0)
        close(fd);
    if (err == UV_EPROTO) {
        worker->spoiled = frame->job;
        weft__channel_broken(worker,
                             "it sent a memory that is missing, of another size or not sealed");
    }
    *data = at;
    return err;
}

/* There is no memory for what came: the job cannot go on. */
static void starve(struct weft_worker *worker, struct weft_job *job, int err)
{
    if (err == UV_EPROTO)
        return; /* the worker was killed for it */
    weft__line_forget(worker, job);
    weft__job_over(job, err, "");
}

static void event(struct weft_worker *worker, const struct frame *frame)
{
    struct weft_job *job = line_at(worker, 0)->job;
    const char *data;
    struct weft_frame around;
    if (job == NULL || job->on_event == NULL) {
        drop(worker, frame);
        return;
    }
    int err = take_payload(worker, frame, &data);
    if (err != 0) {
        starve(worker, job, err);
        return;
    }
    job->delivered_ = true;
    weft_enter(&around, &job->op, (weft_entry_fn *)job->on_event);
    bool more = job->on_event(job, frame->kind, weft_text(data, frame->size));
    weft_leave(&around);
    if (frame->flags & FRAME_IN_MEMORY)
        weft__memory_unmap((void *)(uintptr_t)data, frame->size);
    /* It may have ended its job in there, or the worker: then there is nothing to pause. */
    if (!more && worker->state != WORKER_GONE && worker->count > 0 &&
        line_at(worker, 0)->id == frame->job && line_at(worker, 0)->job != NULL) {
        job->paused_ = worker->paused = true;
        weft__worker_settle(worker);
    }
}

static int keep_result(struct weft_worker *worker, struct weft_job *job, const struct frame *frame)
{
    const char *data;
    int err = take_payload(worker, frame, &data);
    if (err != 0 || frame->size == 0)
        return err;
    job->mapped_ = frame->flags & FRAME_IN_MEMORY;
    char *keep = (char *)(uintptr_t)data;
    if (!job->mapped_) {
        keep = frame->size <= sizeof job->small_ ? job->small_ : weft_alloc(frame->size);
        if (keep == NULL)
            return UV_ENOMEM;
        memcpy(keep, data, frame->size);
    }
    job->result = weft_text(keep, frame->size);
    return 0;
}

/* The text of an error, as far as there is room, and without what would harm a terminal. */
static void copy_why(char why[WEFT_PROCS_WHY], const struct frame *frame)
{
    size_t size = frame->payload == NULL              ? 0
                  : frame->size < WEFT_PROCS_WHY - 1U ? frame->size
                                                      : WEFT_PROCS_WHY - 1U;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)frame->payload[i];
        why[i] = (char)(c < ' ' || c == 127 ? '?' : c);
    }
    why[size] = '\0';
}

static void reply(struct weft_worker *worker, const struct frame *frame)
{
    struct weft_job *job = line_at(worker, 0)->job;
    char why[WEFT_PROCS_WHY] = "";
    int status = 0;
    if (job == NULL || frame->type == FRAME_ERROR)
        drop(worker, frame);
    if (frame->type == FRAME_ERROR) {
        status = WEFT_EJOB;
        copy_why(why, frame);
    } else if (job != NULL) {
        status = keep_result(worker, job, frame);
        if (status == UV_EPROTO)
            return; /* the worker was killed for it, and that ends the job */
    }
    if (worker->engine->lone_ns != 0) {
        worker->engine->brisk = uv_hrtime() - worker->engine->lone_ns < PROCS_BRISK_NS;
        worker->engine->lone_ns = 0;
    }
    pop(worker);
    if (job != NULL)
        weft__job_over(job, status, why);
    go_on(worker);
}

static void start_frame(struct weft_worker *worker, const struct frame *frame)
{
    if (frame->type != FRAME_READY)
        weft__channel_broken(worker, "it spoke before it was ready");
    else if (frame->kind != FRAME_VERSION || frame->job > FRAME_GATED ||
             frame->flags & FRAME_IN_MEMORY)
        weft__channel_broken(worker, "it speaks another version of the protocol");
    else
        weft__worker_ready(worker, frame->job == FRAME_GATED);
}

static int index_of(const struct weft_worker *worker, const struct frame *frame)
{
    for (unsigned i = 0; i < worker->count; i++) {
        const struct entry *entry = line_at(worker, i);
        if (entry->id == frame->job && entry->attempt == frame->attempt)
            return (int)i;
    }
    return NOBODY;
}

static bool is_reply(const struct frame *frame)
{
    return frame->type == FRAME_END || frame->type == FRAME_ERROR;
}

/* From the page: the end of the job that is first, or nothing. */
static void peeked_frame(struct weft_worker *worker, const struct frame *frame)
{
    if (is_reply(frame) && index_of(worker, frame) == 0 && frame->payload != NULL &&
        worker->out_done >= line_at(worker, 0)->sent_at &&
        (frame->type == FRAME_ERROR || frame->job != worker->spoiled))
        reply(worker, frame);
}

void weft__line_frame(struct weft_worker *worker, const struct frame *frame)
{
    if (worker->peeking) {
        peeked_frame(worker, frame);
        return;
    }
    if (worker->state == WORKER_STARTING) {
        start_frame(worker, frame);
        return;
    }
    int index = index_of(worker, frame);
    if (frame->type == FRAME_READY && worker->state != WORKER_DYING)
        weft__channel_broken(worker, "it became ready twice");
    else if ((frame->type != FRAME_EVENT && !is_reply(frame)) || index == NOBODY)
        drop(worker, frame);
    else if (index > 0 || worker->out_done < line_at(worker, 0)->sent_at)
        weft__channel_broken(worker, "it answered a job that it does not have yet");
    else if (frame->type == FRAME_EVENT)
        event(worker, frame);
    else
        reply(worker, frame);
}

/* ---- the end of the worker --------------------------------------------------------------------- */

/* How many of its jobs it had begun. None if the gate was shut: then that was the first one, whose
 * owner knows already. */
static unsigned begun(const struct weft_worker *worker)
{
    if (worker->count == 0)
        return 0;
    if (!worker->gated)
        return worker->out_done >= line_at(worker, 0)->sent_at ? 1 : 0;
    uint64_t last = __atomic_load_n(&worker->page->begun, __ATOMIC_ACQUIRE);
    for (unsigned i = worker->count; i > 0; i--) {
        if (line_at(worker, i - 1)->id == last)
            return i;
    }
    return 0;
}

static void wait_again(struct weft_worker *worker, struct weft_job *job)
{
    worker->engine->procs->running--;
    job->worker_ = NULL;
    job->paused_ = false;
    weft__procs_wait(worker->engine, &job->wait_, true);
}

static void crashed(struct weft_worker *worker, struct weft_job *job)
{
    char why[WEFT_PROCS_WHY];
    if (job->tried_ < job->retries && !job->delivered_ && job->held == NULL) {
        job->tried_++;
        wait_again(worker, job);
        return;
    }
    job->exit_code = worker->exit_code;
    job->term_signal = worker->term_signal;
    weft__worker_explain(worker, why);
    weft__job_over(job, WEFT_ECRASHED, why);
}

/* Backwards, so that those who wait again stay in their order. */
void weft__line_settle(struct weft_worker *worker)
{
    unsigned in_it = begun(worker);
    while (worker->count > 0) {
        struct weft_job *job = line_at(worker, --worker->count)->job;
        if (job == NULL)
            continue;
        if (worker->count < in_it || job->held != NULL)
            crashed(worker, job);
        else
            wait_again(worker, job);
    }
}

void weft__line_abandon(struct weft_worker *worker, int reason)
{
    for (unsigned i = 0; i < worker->count; i++) {
        struct weft_job *job = line_at(worker, i)->job;
        line_at(worker, i)->job = NULL;
        if (job != NULL)
            weft__job_over(job, reason, "");
    }
    unpause(worker);
}
