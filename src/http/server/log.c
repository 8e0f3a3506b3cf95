/* The access log: two buffers and one write under way.
 *
 *     request ──► front ──(half full, or its time is up)──► swap ──► back ═══► thread: write
 *                   │                                                             │
 *                   └ full while the thread is busy: dropped, counted ◄─── back is free again
 *
 * One function, proceed, decides what comes next whenever something has changed: a line came, the
 * timer fired, the thread is back, the log is to be reopened or closed. Waiting for a moment before
 * a write costs the reader nothing and saves a visit to the pool for almost every request.
 *
 * The job belongs to the thread while busy_ is set, and to the loop otherwise; only hurry_ is
 * touched by both. So a log ends only when its thread is back: a close and a cancel both have one
 * last visit that writes the rest and closes the file, and in a hurry (cancel) it waits for nobody.
 *
 * Lines that are lost are counted twice: in `dropped` for good, in lost_ until a line has told of
 * them. Room for that line is kept free at the end of each buffer. It is the last of its write, so
 * if that fails it is not out, and its count goes back (told_).
 *
 * block_ is the memory of the buffers and the path; it is there exactly while the log is open. */
#include "log.h"
#include "weft/alloc.h"
#include <time.h>
#include <unistd.h>

static void back(uv_work_t *request, int err);

/* ---- the clock
 * -------------------------------------------------------------------------------- */

/* Brings date_ up to date; the millisecond of now. */
static unsigned tell_time(struct weft_http_log *log)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if ((int64_t)now.tv_sec != log->second_) {
        log->second_ = (int64_t)now.tv_sec;
        weft__http_log_date(log->format, log->second_, log->date_);
    }
    return (unsigned)(now.tv_nsec / 1000000);
}

/* ---- what comes next
 * -------------------------------------------------------------------------- */

static void tell_lost(struct weft_http_log *log)
{
    log->told_ = log->lost_;
    if (log->lost_ == 0)
        return;
    unsigned millisecond = tell_time(log);
    log->filled_ += weft__http_log_lost(log->format, log->date_, millisecond, log->lost_,
                                        log->front_ + log->filled_);
    log->lost_ = 0;
}

/* Hand the front buffer to the thread. */
static void start_job(struct weft_http_log *log)
{
    struct weft_http_log_job *job = &log->job_;
    struct weft_loop *loop = weft_loop_of(&log->op);
    tell_lost(log);
    char *full = log->front_;
    log->front_ = log->back_;
    log->back_ = full;
    job->data_ = full;
    job->size_ = log->filled_;
    log->filled_ = 0;
    job->open_ = job->open_ || log->reopen_;
    job->shut_ = log->closing_;
    log->reopen_ = log->due_ = log->armed_ = false;
    log->busy_ = true;
    weft_timer_stop(loop, &log->timer_);
    uv_queue_work(loop->uv, &job->request_, weft__http_log_work, back); /* cannot fail */
}

static void timer_fired(struct weft_timer *timer);

static void proceed(struct weft_http_log *log)
{
    if (log->busy_)
        return;
    if (log->closing_ || log->reopen_ || log->due_ || log->filled_ > log->room_ / 2) {
        start_job(log);
    } else if (log->filled_ > 0 && !log->armed_) {
        log->armed_ = true;
        weft_timer_start(weft_loop_of(&log->op), &log->timer_,
                         log->flush_ms > 0 ? log->flush_ms : WEFT_HTTP_LOG_FLUSH_MS, timer_fired);
    }
}

static void timer_fired(struct weft_timer *timer)
{
    struct weft_http_log *log = weft_owner(timer, struct weft_http_log, timer_);
    log->armed_ = false;
    log->due_ = true;
    proceed(log);
}

/* ---- the end of a write
 * ----------------------------------------------------------------------- */

static void over(struct weft_http_log *log, int status)
{
    weft_free(log->block_);
    log->block_ = NULL;
    weft_timer_stop(weft_loop_of(&log->op), &log->timer_);
    weft_on_cancel(&log->op, NULL);
    if (status != 0 && weft_cancelled(&log->op) == 0)
        weft_finish(&log->op, status);
    else
        weft_join(&log->op);
}

/* Lines that did not get out; the one that tells of others does not count, but what it told
 * does. */
static void count_losses(struct weft_http_log *log)
{
    const struct weft_http_log_job *job = &log->job_;
    uint64_t lines = 0;
    for (size_t i = job->written_; i < job->size_; i++)
        lines += job->data_[i] == '\n';
    if (lines == 0)
        return;
    lines -= log->told_ > 0;
    log->dropped += lines;
    log->lost_ += lines + log->told_;
}

static void back(uv_work_t *request, int err)
{
    struct weft_http_log *log = weft_owner(request, struct weft_http_log, job_.request_);
    (void)err; /* nobody takes the work back */
    log->busy_ = false;
    log->error = log->job_.status_;
    count_losses(log);
    if (log->job_.shut_ || log->job_.failed_)
        over(log, log->job_.failed_ ? log->error : 0);
    else
        proceed(log);
}

/* ---- requests
 * --------------------------------------------------------------------------------- */

/* A line of any length fits, and the one that tells of lost ones behind it. */
static bool has_room(const struct weft_http_log *log)
{
    return log->room_ - log->filled_ >= WEFT_HTTP_LOG_LINE + LOG_LOST_SIZE;
}

/* Who has asked, without the port. The peer of a Unix socket chose its own name: it is left out. */
static void name_peer(const struct weft_http_request *request, char text[INET6_ADDRSTRLEN])
{
    struct weft_address peer;
    memcpy(text, "-", 2);
    if (weft_http_peer(request, &peer) != 0)
        return;
    if (peer.to.any.sa_family == AF_INET)
        uv_inet_ntop(AF_INET, &peer.to.ip4.sin_addr, text, INET6_ADDRSTRLEN);
    else if (peer.to.any.sa_family == AF_INET6)
        uv_inet_ntop(AF_INET6, &peer.to.ip6.sin6_addr, text, INET6_ADDRSTRLEN);
    else
        memcpy(text, "unix:", 6);
}

static void put_line(struct weft_http_log *log, const struct weft_http_request *request)
{
    enum { CLIENT_LEFT = 499 };
    char remote[INET6_ADDRSTRLEN];
    uint64_t now_ns = uv_hrtime();
    struct http_log_entry entry = {
        .head = &request->head,
        .remote = remote,
        .date = log->date_,
        .millisecond = tell_time(log),
        .status = request->answered != 0 ? request->answered : CLIENT_LEFT,
        .bytes = request->sent,
        .duration_ns = request->began_ns != 0 ? now_ns - request->began_ns : 0,
    };
    name_peer(request, remote);
    log->filled_ += weft__http_log_line(log->format, &entry, log->front_ + log->filled_);
    log->lines++;
}

void weft_http_log_request(struct weft_http_log *log, const struct weft_http_request *request)
{
    if (log->block_ == NULL || log->closing_)
        return;
    if (!has_room(log) && !log->busy_)
        start_job(log);
    if (has_room(log)) {
        put_line(log, request);
        proceed(log);
    } else {
        log->dropped++;
        log->lost_++;
    }
}

/* ---- open, reopen, close
 * ---------------------------------------------------------------------- */

void weft_http_log_reopen(struct weft_http_log *log)
{
    if (log->block_ == NULL || log->closing_ || log->job_.path_ == NULL)
        return;
    log->reopen_ = true;
    proceed(log);
}

void weft_http_log_close(struct weft_http_log *log)
{
    log->closing_ = log->starting_ || log->block_ != NULL;
    if (log->block_ != NULL)
        proceed(log);
}

static void log_cancel(struct weft_op *op, int reason)
{
    struct weft_http_log *log = weft_owner(op, struct weft_http_log, op);
    (void)reason; /* the join tells it */
    __atomic_store_n(&log->job_.hurry_, 1, __ATOMIC_RELAXED);
    weft_http_log_close(log);
}

static int check(const struct weft_http_log *log)
{
    bool no_target = log->path != NULL ? log->path[0] == '\0' : log->fd <= 0;
    bool no_format = log->format < WEFT_HTTP_LOG_COMMON || log->format > WEFT_HTTP_LOG_JSON;
    bool too_small = log->buffer_size > 0 && log->buffer_size < (size_t)2 * WEFT_HTTP_LOG_LINE;
    return no_target || no_format || too_small ? UV_EINVAL : 0;
}

/* One block: the two buffers, then the path. */
static int make_block(struct weft_http_log *log)
{
    size_t room = log->buffer_size > 0 ? log->buffer_size : WEFT_HTTP_LOG_BUFFER;
    size_t path_size = log->path != NULL ? strlen(log->path) + 1 : 0;
    if (room > SIZE_MAX / 4)
        return UV_ENOMEM;
    log->block_ = weft_alloc(2 * room + path_size);
    if (log->block_ == NULL)
        return UV_ENOMEM;
    log->room_ = room;
    log->front_ = log->block_;
    log->back_ = log->front_ + room;
    if (log->path != NULL && strcmp(log->path, "-") != 0)
        log->job_.path_ = memcpy(log->back_ + room, log->path, path_size);
    return 0;
}

static void reset(struct weft_http_log *log)
{
    log->closing_ = log->starting_ && log->closing_; /* it may be closed before its begin */
    log->starting_ = log->busy_ = log->reopen_ = log->due_ = log->armed_ = false;
    log->lines = log->dropped = log->lost_ = log->told_ = 0;
    log->error = 0;
    log->filled_ = 0;
    log->second_ = -1;
    memset(&log->timer_, 0, sizeof log->timer_);
    memset(&log->job_, 0, sizeof log->job_);
    log->job_.fd_ = -1;
}

void weft_http_log_begin(struct weft_op *op)
{
    struct weft_http_log *log = weft_owner(op, struct weft_http_log, op);
    reset(log);
    int err = weft_cancelled(op);
    if (err == 0)
        err = check(log);
    if (err == 0)
        err = make_block(log);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    if (log->job_.path_ == NULL)
        log->job_.fd_ = log->path != NULL ? STDOUT_FILENO : log->fd;
    log->job_.open_ = true;
    start_job(log);
    weft_on_cancel(op, log_cancel);
}

void weft_http_log_open_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_http_log *log, const char *path, int fd,
                           enum weft_http_log_format format, weft_then_fn *then)
{
    log->path = path;
    log->fd = fd;
    log->format = format;
    log->block_ = NULL;
    log->closing_ = false;
    log->starting_ = true;
    weft_run_at(site, parent, &log->op, weft_http_log_begin, then);
}
