/* Waiting for standard input, or a pipe, without a thread and without touching it.
 *
 * What libuv watches it makes non-blocking, and that is a property of the open file, which the shell
 * and whoever else has it would find changed. So the descriptor goes into an epoll set of its own, and
 * libuv watches the set: Linux only. For the same reason a read says for itself that it must not wait.
 * Elsewhere it is looked at again and again.
 *
 *     begin ──► watched ──readable, or cancelled──► closing ──► finish */
#include "ready.h"
#include "io/file.h"
#include <poll.h>
#include <unistd.h>

/* A producer that is about as fast as we are is waited for on the thread: the way to the loop and back
 * takes longer. */
enum { GRACE_MS = 2, AGAIN_MS = 20 };

static bool has_something(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, GRACE_MS) > 0; /* after a signal it is looked at again */
}

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/uio.h>

/* One of the several that have the pipe may have been quicker since we looked. */
ssize_t weft__ready_read(int fd, void *data, size_t size)
{
    if (!has_something(fd))
        return UV_EAGAIN;
    struct iovec part = {.iov_base = data, .iov_len = size};
    ssize_t got = preadv2(fd, &part, 1, -1, RWF_NOWAIT);
    if (got >= 0)
        return got;
    bool unknown = errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
    return unknown ? weft__file_read_some(fd, data, size) : sys_error();
}

static void closed(uv_handle_t *handle)
{
    struct ready *ready = weft_owner((uv_poll_t *)handle, struct ready, watch.poll_);
    weft_finish(&ready->op, ready->status);
}

static void let_go(struct ready *ready, int status)
{
    ready->status = status;
    weft_on_cancel(&ready->op, NULL);
    weft__watch_close(&ready->watch, false, closed);
}

static void polled(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    let_go(weft_owner(poll, struct ready, watch.poll_), 0);
}

static void ready_cancel(struct weft_op *op, int reason)
{
    let_go(weft_owner(op, struct ready, op), reason);
}

/* The set with fd in it, or a negative status. */
static int make_set(int fd)
{
    int set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    if (set < 0)
        return sys_error();
    if (epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0)
        return set;
    int status = sys_error();
    close(set);
    return status;
}

void weft__ready_begin(struct weft_op *op)
{
    struct ready *ready = weft_owner(op, struct ready, op);
    int set = make_set(ready->fd);
    int status = set < 0 ? set : weft__watch_open(&ready->watch, op->loop_->uv, set);
    if (status != 0) {
        if (set >= 0)
            close(set);
        weft_finish(op, status);
        return;
    }
    watch_set(&ready->watch, UV_READABLE, true, polled);
    weft_on_cancel(op, ready_cancel);
}

#else

ssize_t weft__ready_read(int fd, void *data, size_t size)
{
    return has_something(fd) ? weft__file_read_some(fd, data, size) : UV_EAGAIN;
}

static void slept(struct weft_op *op, struct weft_op *sleep)
{
    weft_finish(op, sleep->status);
}

void weft__ready_begin(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct ready, op)->sleep, AGAIN_MS, slept);
}

#endif
