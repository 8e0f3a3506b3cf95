/* The hands: each does what is next, until nothing is.
 *
 *     the first piece is ready and nobody writes? ──► write it, and those behind it that are ready
 *     there is a place for one more, and one can be cut? ──► cut it and read it
 *     somebody else is at work? ──► wait for the news
 *
 * So one reads ahead while another writes, and small files are read by all of them. No hand ever waits
 * for one that is not on a thread at that moment, so one alone gets everything done: a pool that is full
 * of hands whose fellows wait for a thread comes to no standstill.
 *
 * They come back when all was put, when something failed, when they are stopped, and when all that is
 * left waits for a pipe. Under the lock: what is cut, read and put. Not under it: the reading and the
 * writing, for a piece that was cut and is not ready is its reader's, and the first one its writer's. */
#include "concat.h"
#include "crowd.h"
#include "io/file_clone.h"

void weft__concat_fail(struct weft_concat_job *job, size_t index, int status)
{
    if (job->status != 0 && index >= job->failed)
        return;
    job->status = status;
    job->failed = index;
}

void weft__concat_exceed(struct weft_concat_job *job)
{
    if (job->status == 0)
        job->exceeded = job->concat->max != 0;
    weft__concat_fail(job, WEFT_NONE, UV_EFBIG);
}

static struct piece *piece_at(struct weft_concat_job *job, uint64_t number)
{
    return &job->pieces[number % PIECES];
}

static bool first_is_ready(struct weft_concat_job *job)
{
    return job->put < job->cut && piece_at(job, job->put)->ready;
}

static void write_some(struct weft_concat_job *job)
{
    job->writing = true;
    while (job->status == 0 && !concat_stopped(job) && first_is_ready(job)) {
        struct piece *piece = piece_at(job, job->put);
        size_t index;
        uv_mutex_unlock(&job->lock);
        int err = weft__concat_put(job, piece, &index);
        uv_mutex_lock(&job->lock);
        if (err != 0) {
            weft__concat_fail(job, index, err);
            break;
        }
        if (piece->last)
            weft__concat_close(job, piece->fd);
        job->put++;
        uv_cond_broadcast(&job->news);
    }
    job->writing = false;
}

static bool read_one(struct weft_concat_job *job)
{
    struct piece *piece = piece_at(job, job->cut);
    size_t index;
    bool end = false;
    if (job->cut - job->put == PIECES || !weft__concat_cut(job, piece))
        return false;
    job->cut++;
    job->reading++;
    uv_mutex_unlock(&job->lock);
    int err = weft__concat_fill(job, piece, &index, &end);
    uv_mutex_lock(&job->lock);
    job->reading--;
    if (piece->form == PIECE_UNSIZED)
        weft__concat_came(job, piece, end);
    if (err != 0)
        weft__concat_fail(job, index, err);
    else
        piece->ready = true;
    uv_cond_broadcast(&job->news);
    return true;
}

/* false: there is nothing to do, and nobody from whom that could come. */
static bool do_next(struct weft_concat_job *job)
{
    if (!job->writing && first_is_ready(job)) {
        write_some(job);
        return true;
    }
    if (read_one(job))
        return true;
    if (!job->writing && job->reading == 0)
        return false;
    uv_cond_wait(&job->news, &job->lock);
    return true;
}

/* By the hand that is there first. Under the lock. */
static void open_dest(struct weft_concat_job *job)
{
    int err = weft__replace_open(&job->replace, 0666, job->concat->durable);
    if (err != 0) {
        weft__concat_fail(job, WEFT_NONE, err);
        return;
    }
    job->dest_open = true;
    job->plan.plain = weft__file_clone_is_plain(job->replace.fd);
}

/* Who is pushed out in the middle of its work lets the other one wait, too: for a while there is nothing
 * to gain by two. Under the lock. */
static void look_around(struct hand *hand)
{
    long pushed_out = weft__crowd_pushed_out();
    if (pushed_out != hand->pushed_out)
        hand->job->plan.alone = ALONE;
    hand->pushed_out = pushed_out;
}

int weft__concat_carry(struct weft_work *work)
{
    struct hand *hand = weft_owner(work, struct hand, work);
    struct weft_concat_job *job = hand->job;
    hand->pushed_out = weft__crowd_pushed_out();
    uv_mutex_lock(&job->lock);
    if (!job->dest_open && job->status == 0)
        open_dest(job);
    while (job->status == 0 && !concat_stopped(job) && do_next(job))
        look_around(hand);
    int status = job->status;
    uv_cond_broadcast(&job->news);
    uv_mutex_unlock(&job->lock);
    return status == 0 && concat_stopped(job) ? UV_ECANCELED : status;
}
