/* Writing the access log, on a thread of the pool: one visit opens, writes and closes.
 *
 * A file gets all lines in one write: opened for appending, that cannot be mixed with what others
 * append. Everything else (pipes, terminals, sockets) may take long, for ever even, and a thread
 * that sits in write cannot be called back. So those are asked first (poll) and given pieces of
 * whole lines that a pipe takes at once or not at all (PIPE_BUF), and between two pieces there is a
 * look at whether somebody is in a hurry.
 *
 * A write that fails in the middle of a line leaves a torn one in the file. The next write begins
 * with a line end, so that what follows stands on a line of its own.
 *
 * A pipe whose reader has left sends SIGPIPE to the thread that writes, and that would end the
 * process: it is held back meanwhile, and taken away if it came. The error says the same. */
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 50 };
_Static_assert(WEFT_HTTP_LOG_LINE <= PIPE_BUF, "a pipe would mix our lines with those of others");

static int last_error(void)
{
    return uv_translate_sys_error(errno);
}

/* ---- opening
 * ---------------------------------------------------------------------------------- */

static void close_file(struct weft_http_log_job *job)
{
    if (job->path_ != NULL && job->fd_ >= 0)
        close(job->fd_);
    job->fd_ = -1;
}

/* The file that was open before stays if this fails, and open_: the next visit tries again.
 * Non-blocking: a pipe that nobody reads is an
 * error instead of a wait without end. */
static int open_file(struct weft_http_log_job *job)
{
    int fd = job->fd_;
    if (job->path_ != NULL) {
        do {
            fd = open(job->path_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                      0666);
        } while (fd < 0 && errno == EINTR);
        if (fd < 0)
            return last_error();
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        job->fd_ = -1; /* a descriptor of the caller's that is none */
        return last_error();
    }
    if (job->fd_ != fd)
        close_file(job);
    job->fd_ = fd;
    job->regular_ = S_ISREG(st.st_mode);
    job->torn_ = job->torn_ && st.st_size > 0; /* it may be the same file as before */
    job->open_ = false;
    return 0;
}

/* ---- writing
 * ---------------------------------------------------------------------------------- */

/* As many whole lines as fit into one piece; at least one, or what is left of one. */
static size_t piece_of(const char *data, size_t size)
{
    if (size <= PIPE_BUF)
        return size;
    size_t piece = PIPE_BUF;
    while (piece > 0 && data[piece - 1] != '\n')
        piece--;
    return piece > 0 ? piece : PIPE_BUF;
}

/* Wait until fd takes something; UV_ECANCELED: it does not, and there is no time. */
static int await_room(const struct weft_http_log_job *job)
{
    struct pollfd ask = {.fd = job->fd_, .events = POLLOUT};
    for (;;) {
        bool hurry = __atomic_load_n(&job->hurry_, __ATOMIC_RELAXED);
        int ready = poll(&ask, 1, hurry ? 0 : LOOK_MS);
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return last_error();
        if (hurry)
            return UV_ECANCELED;
    }
}

/* Write data; *written says how much of it is out, also after an error. */
static int write_all(const struct weft_http_log_job *job, const char *data, size_t size,
                     size_t *written)
{
    for (*written = 0; *written < size;) {
        size_t left = size - *written;
        if (!job->regular_) {
            int err = await_room(job);
            if (err != 0)
                return err;
            left = piece_of(data + *written, left);
        }
        ssize_t count = write(job->fd_, data + *written, left);
        if (count >= 0)
            *written += (size_t)count;
        else if (errno != EINTR && errno != EAGAIN)
            return last_error();
    }
    return 0;
}

static int write_lines(struct weft_http_log_job *job)
{
    if (job->size_ == 0)
        return 0;
    size_t written;
    if (job->torn_) {
        int err = write_all(job, "\n", 1, &written);
        if (err != 0)
            return err;
        job->torn_ = false;
    }
    int err = write_all(job, job->data_, job->size_, &job->written_);
    job->torn_ = job->written_ > 0 && job->data_[job->written_ - 1] != '\n';
    return err;
}

static int write_without_sigpipe(struct weft_http_log_job *job)
{
    sigset_t sigpipe, before, pending;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    int err = write_lines(job);
    if (err == UV_EPIPE && !sigismember(&pending, SIGPIPE)) {
        const struct timespec no_time = {0, 0};
        while (sigtimedwait(&sigpipe, NULL, &no_time) < 0 && errno == EINTR)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

void weft__http_log_work(uv_work_t *request)
{
    struct weft_http_log_job *job = weft_owner(request, struct weft_http_log_job, request_);
    job->written_ = 0;
    job->status_ = job->open_ ? open_file(job) : 0;
    job->failed_ = job->fd_ < 0;
    if (job->failed_)
        return;
    int err = job->regular_ ? write_lines(job) : write_without_sigpipe(job);
    if (err != 0)
        job->status_ = err;
    if (job->shut_)
        close_file(job);
}
