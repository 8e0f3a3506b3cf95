/* A concatenation: three stages on the thread pool, with the loop in between.
 *
 *     begin ──► looking ──► carrying ──► settling ──► over
 *                              │  ▲          ▲
 *                              ▼  │          │ from anywhere: an error, a cancel
 *                            waiting
 *
 *   looking   the hands look at dest and all sources (look.c): nothing was opened yet
 *   carrying  they copy (hand.c, plan.c, fill.c, put.c) into a temporary file beside dest
 *   waiting   all that is left waits for a pipe; no thread is held (ready_linux.c)
 *   settling  the temporary file takes dest's place, or is removed (io/file_replace.c)
 *
 * The hands are works, children of the op. Settling is not: nothing can be begun under an op that was
 * cancelled, and the temporary file has to go all the same. It is a visit to the pool of the op's own.
 *
 * A cancel sets `stop`, which whoever is on a thread looks at, and reaches what is not there yet as a
 * child. Then things take their usual way: the hands come back, and what they left is cleared away.
 *
 * Who owns what: the job, on the heap, is the op's from begin to finish. On the loop's thread it is
 * touched while hands are out only where it is atomic, or says that it is the loop's. */
#include "concat.h"
#include "weft/alloc.h"
#include <unistd.h>

static struct weft_file_concat *concat_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_file_concat, op);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void free_job(struct weft_concat_job *job)
{
    for (int i = 0; i < PIECES; i++)
        weft_free(job->pieces[i].buffer);
    weft_free(job->sources);
    uv_cond_destroy(&job->news);
    uv_mutex_destroy(&job->lock);
    weft_free(job);
}

static void finish(struct weft_concat_job *job)
{
    struct weft_file_concat *concat = job->concat;
    int status = job->status;
    if (status == UV_ECANCELED && weft_cancelled(&concat->op) != 0)
        status = weft_cancelled(&concat->op);
    concat->failed = status != 0 ? job->failed : WEFT_NONE;
    concat->exceeded = status == UV_EFBIG && job->exceeded;
    concat->size = status == 0 ? job->done : 0;
    concat->job_ = NULL;
    free_job(job);
    weft_finish(&concat->op, status);
}

/* Sources that were not read to their end. */
static void close_sources(struct weft_concat_job *job)
{
    for (; job->put < job->cut; job->put++) {
        const struct piece *piece = &job->pieces[job->put % PIECES];
        if (piece->last)
            weft__concat_close(job, piece->fd);
    }
    weft__concat_close(job, job->plan.fd);
}

static void settle_there(uv_work_t *request)
{
    struct weft_concat_job *job = weft_owner(request, struct weft_concat_job, last_visit);
    close_sources(job);
    job->status = weft__replace_close(&job->replace, job->status, &job->stop);
}

static void settled(uv_work_t *request, int err)
{
    (void)err; /* nobody takes it back */
    finish(weft_owner(request, struct weft_concat_job, last_visit));
}

static void settle(struct weft_concat_job *job)
{
    uv_loop_t *uv = job->concat->op.loop_->uv;
    if (!job->dest_open)
        finish(job);
    else if (uv_queue_work(uv, &job->last_visit, settle_there, settled) != 0) {
        settle_there(&job->last_visit);
        finish(job);
    }
}

/* ---- the way there -------------------------------------------------------------------------- */

static void send_hands(struct weft_concat_job *job, const struct weft_site *site, unsigned hands,
                       weft_work_fn *function, weft_then_fn *then)
{
    job->out = job->sent = hands;
    job->refused = 0;
    for (unsigned i = 0; i < hands; i++) {
        job->hands[i].job = job;
        weft_work_at(site, &job->concat->op, &job->hands[i].work, function, then);
    }
}

/* A hand is back, because nothing is left that could be given to another one. Those that wait for a
 * thread are called back: it may be long in coming, and they are of no use. true if it was the last. */
static bool all_are_back(struct weft_concat_job *job, const struct weft_op *hand)
{
    if (job->refused == 0 && hand->status != UV_ECANCELED)
        job->refused = hand->status;
    if (--job->out > 0) {
        for (unsigned i = 0; i < job->sent; i++)
            weft_cancel(&job->hands[i].work.op, UV_ECANCELED);
        return false;
    }
    if (job->status == 0)
        job->status = job->refused;
    if (job->status == 0)
        job->status = weft_cancelled(&job->concat->op);
    return true;
}

static void carry(struct weft_concat_job *job);

static void is_ready(struct weft_op *op, struct weft_op *ready)
{
    struct weft_concat_job *job = concat_of(op)->job_;
    if (ready->status == 0) {
        carry(job);
        return;
    }
    weft__concat_fail(job, weft_cancelled(op) != 0 ? WEFT_NONE : job->plan.next, ready->status);
    settle(job);
}

static void carried(struct weft_op *op, struct weft_op *hand)
{
    struct weft_concat_job *job = concat_of(op)->job_;
    if (!all_are_back(job, hand))
        return;
    if (job->status != 0 || !job->plan.waits) {
        settle(job);
        return;
    }
    job->ready.fd = job->plan.fd;
    weft_run_at(WEFT_HERE("wait for a source", WEFT_FS), op, &job->ready.op, weft__ready_begin,
                is_ready);
}

static void carry(struct weft_concat_job *job)
{
    bool little = !job->open_ended && job->total <= PIECE;
    job->plan.waits = false;
    send_hands(job, WEFT_HERE("carry sources", WEFT_FS), little ? 1 : HANDS, weft__concat_carry,
               carried);
}

/* A buffer is not larger than all that will go into it. */
static void looked(struct weft_op *op, struct weft_op *hand)
{
    struct weft_concat_job *job = concat_of(op)->job_;
    if (!all_are_back(job, hand))
        return;
    if (job->status != 0) {
        settle(job);
        return;
    }
    job->all_looked = true;
    job->room = !job->open_ended && job->total < PIECE ? (size_t)job->total : PIECE;
    carry(job);
}

static void concat_cancel(struct weft_op *op, int reason)
{
    (void)reason;
    atomic_store_explicit(&concat_of(op)->job_->stop, true, memory_order_relaxed);
}

/* NULL: no memory. */
static struct weft_concat_job *make_job(struct weft_file_concat *concat)
{
    struct weft_concat_job *job = weft_calloc(1, sizeof *job);
    if (job == NULL)
        return NULL;
    job->concat = concat;
    job->user = geteuid();
    job->failed = WEFT_NONE;
    job->plan.fd = -1;
    job->sources = weft_calloc(concat->count != 0 ? concat->count : 1, sizeof *job->sources);
    if (job->sources == NULL)
        goto no_sources;
    if (uv_mutex_init(&job->lock) != 0)
        goto no_lock;
    if (uv_cond_init(&job->news) != 0)
        goto no_news;
    return job;

no_news:
    uv_mutex_destroy(&job->lock);
no_lock:
    weft_free(job->sources);
no_sources:
    weft_free(job);
    return NULL;
}

void weft_file_concat_begin(struct weft_op *op)
{
    struct weft_file_concat *concat = concat_of(op);
    concat->size = 0;
    concat->failed = WEFT_NONE;
    concat->exceeded = false;
    concat->job_ = NULL;
    if (concat->dest == NULL || concat->dest[0] == '\0' ||
        (concat->sources == NULL && concat->count != 0)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    concat->job_ = make_job(concat);
    if (concat->job_ == NULL) {
        weft_finish(op, UV_ENOMEM);
        return;
    }
    weft_on_cancel(op, concat_cancel);
    send_hands(concat->job_, WEFT_HERE("look at sources", WEFT_FS),
               concat->count <= LOOKS ? 1 : HANDS, weft__concat_look, looked);
}

void weft_file_concat_at(const struct weft_site *site, struct weft_op *parent,
                         struct weft_file_concat *concat, const char *const *sources, size_t count,
                         const char *dest, weft_then_fn *then)
{
    op_check_start(parent, &concat->op);
    concat->sources = sources;
    concat->count = count;
    concat->dest = dest;
    weft_run_at(site, parent, &concat->op, weft_file_concat_begin, then);
}

struct weft_file_concat_progress weft_file_concat_progress(const struct weft_file_concat *concat)
{
    struct weft_concat_job *job = concat != NULL ? concat->job_ : NULL;
    if (job == NULL || !job->all_looked)
        return (struct weft_file_concat_progress){0};
    return (struct weft_file_concat_progress){.done = job->done,
                                              .total = job->open_ended ? 0 : job->total};
}
