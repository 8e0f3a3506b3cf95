/* The channel to a worker: bytes, and now and then a descriptor among them.
 *
 * Out: frames are gathered in a buffer and sent once a turn. A descriptor has to go with the first
 * byte of its frame, so what is sent at once never reaches over the beginning of such a frame. The
 * buffer holds at most the frames of the jobs that the worker may have, and some small ones.
 *
 * In: one read at a time into a buffer that holds two of the largest frames, and whole frames are
 * taken out of it. Nothing is read while the owner of the job wants no more events: then the socket
 * fills, and the worker waits. What cannot be a frame is the end of the worker.
 *
 * Both directions may end before the process does, and the process before them. */
#include "procs.h"
#include "weft/alloc.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READS = 16, LAST_READS = 2048 };

static void channel_polled(uv_poll_t *poll, int status, int events)
{
    struct weft_worker *worker = weft_owner(poll, struct weft_worker, channel.poll_);
    loop_polled(worker->engine->loop);
    if (events & UV_WRITABLE)
        weft__channel_flush(worker);
    if (worker->state != WORKER_GONE && (events & UV_READABLE || status != 0))
        weft__channel_read(worker);
}

int weft__channel_open(struct weft_worker *worker, int fd)
{
    worker->in = weft_alloc(PROCS_IN);
    worker->out_fds = weft_calloc(worker->room, sizeof *worker->out_fds);
    if (worker->in == NULL || worker->out_fds == NULL)
        return UV_ENOMEM;
    return weft__watch_open(&worker->channel, worker->engine->loop->uv, fd);
}

void weft__channel_free(struct weft_worker *worker)
{
    for (unsigned i = 0; i < worker->in_fd_count; i++)
        close(worker->in_fds[i]);
    for (unsigned i = 0; i < worker->out_fd_count; i++)
        close(worker->out_fds[(worker->out_fd_first + i) % worker->room].fd);
    weft_free(worker->in);
    weft_free(worker->out);
    weft_free(worker->out_fds);
}

void weft__channel_watch(struct weft_worker *worker)
{
    unsigned events = 0;
    if (worker->state == WORKER_GONE)
        return;
    if (!worker->ended && !worker->deaf && !worker->paused)
        events |= UV_READABLE;
    if (worker->out_at < worker->out_end && !worker->mute && !worker->dirty &&
        worker->again.fire_ == NULL)
        events |= UV_WRITABLE;
    watch_set(&worker->channel, events, false, channel_polled); /* its exit keeps the loop alive */
}

/* ---- out ------------------------------------------------------------------------------------ */

static bool make_room(struct weft_worker *worker, size_t size)
{
    size_t used = worker->out_end - worker->out_at;
    if (worker->out_room - worker->out_end >= size)
        return true;
    if (used > 0)
        memmove(worker->out, worker->out + worker->out_at, used);
    worker->out_at = 0;
    worker->out_end = used;
    if (worker->out_room - used >= size)
        return true;
    size_t room = worker->out_room != 0 ? worker->out_room : 4096;
    while (room - used < size)
        room *= 2;
    char *more = weft_realloc(worker->out, room);
    if (more == NULL)
        return false;
    worker->out = more;
    worker->out_room = room;
    return true;
}

int weft__channel_put(struct weft_worker *worker, const struct frame *frame, const void *data,
                      int fd)
{
    size_t size = fd < 0 ? frame->size : 0;
    if (worker->mute) {
        if (fd >= 0)
            close(fd);
        return 0; /* it will hear nothing any more; its end tells its jobs */
    }
    if (!make_room(worker, FRAME_HEAD + size))
        return UV_ENOMEM;
    if (fd >= 0) {
        unsigned place = (worker->out_fd_first + worker->out_fd_count++) % worker->room;
        worker->out_fds[place] =
            (struct out_fd){worker->out_done + (worker->out_end - worker->out_at), fd};
    }
    weft__frame_write(worker->out + worker->out_end, frame);
    if (size > 0)
        memcpy(worker->out + worker->out_end + FRAME_HEAD, data, size);
    worker->out_end += FRAME_HEAD + size;
    weft__procs_send_soon(worker);
    return 0;
}

static ssize_t send_with(int to, const char *data, size_t size, int fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {(void *)(uintptr_t)data, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    return sendmsg(to, &message, MSG_NOSIGNAL);
}

/* Send up to the next descriptor, or with it up to the one after that. */
static ssize_t send_some(struct weft_worker *worker)
{
    const char *data = worker->out + worker->out_at;
    size_t size = worker->out_end - worker->out_at;
    unsigned next = 0;
    const struct out_fd *first = &worker->out_fds[worker->out_fd_first];
    bool with = worker->out_fd_count > 0 && first->at == worker->out_done;
    int fd = with ? first->fd : -1;
    if (with)
        next = 1;
    if (worker->out_fd_count > next) {
        const struct out_fd *stop = &worker->out_fds[(worker->out_fd_first + next) % worker->room];
        size = (size_t)(stop->at - worker->out_done);
    }
    ssize_t done = with ? send_with(worker->channel.fd_, data, size, fd)
                        : send(worker->channel.fd_, data, size, MSG_NOSIGNAL);
    if (done > 0 && with) {
        close(fd);
        worker->out_fd_first = (worker->out_fd_first + 1) % worker->room;
        worker->out_fd_count--;
    }
    return done;
}

static void flush_again(struct weft_timer *timer)
{
    weft__channel_flush(weft_owner(timer, struct weft_worker, again));
}

void weft__channel_flush(struct weft_worker *worker)
{
    while (worker->out_at < worker->out_end && !worker->mute && worker->state != WORKER_GONE) {
        ssize_t done = send_some(worker);
        if (done > 0) {
            worker->out_at += (size_t)done;
            worker->out_done += (size_t)done;
        } else if (errno == EAGAIN) {
            break;                          /* later: when it has read some of the bytes */
        } else if (errno == ETOOMANYREFS) { /* or of the descriptors: of that nobody tells */
            weft__timer_start(worker->engine->loop, &worker->again, PROCS_PEEK_MS, flush_again);
            break;
        } else if (errno != EINTR) {
            weft__worker_ended(worker); /* nobody reads there any more */
        }
    }
    if (worker->out_at == worker->out_end)
        worker->out_at = worker->out_end = 0;
    weft__channel_watch(worker);
}

/* ---- in ------------------------------------------------------------------------------------- */

void weft__channel_broken(struct weft_worker *worker, const char *why)
{
    worker->deaf = true;
    if (worker->process.pid == 0)
        return; /* that was its last word */
    weft__channel_watch(worker);
    weft__worker_kill(worker, WEFT_ECRASHED, why);
}

int weft__channel_take_fd(struct weft_worker *worker)
{
    if (worker->in_fd_count == 0)
        return -1;
    int fd = worker->in_fds[0];
    worker->in_fd_count--;
    memmove(worker->in_fds, worker->in_fds + 1, worker->in_fd_count * sizeof fd);
    return fd;
}

/* false: more than anybody needs. */
static bool keep_fds(struct weft_worker *worker, struct msghdr *message)
{
    bool all = !(message->msg_flags & MSG_CTRUNC);
    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head != NULL;
         head = CMSG_NXTHDR(message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= head->cmsg_len; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            if (worker->in_fd_count < PROCS_IN_FDS) {
                worker->in_fds[worker->in_fd_count++] = fd;
            } else {
                close(fd);
                all = false;
            }
        }
    }
    return all;
}

/* Frames of a page are looked at in the same way; their owner is told the same. */
static size_t take_frames(struct weft_worker *worker, const char *data, size_t size)
{
    uint64_t most = or_default(worker->engine->procs->result_max, WEFT_PROCS_RESULT_MAX);
    uint32_t max = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    size_t at = 0;
    struct frame frame;
    const char *why;
    while (!worker->paused && !worker->deaf && worker->state != WORKER_GONE) {
        long length = weft__frame_read(data + at, size - at, max, true, &frame, &why);
        if (length < 0) {
            worker->spoiled = frame.type == FRAME_EVENT ? frame.job : 0;
            weft__channel_broken(worker, why);
        }
        if (length <= 0)
            break;
        at += (size_t)length;
        weft__line_frame(worker, &frame);
    }
    return at;
}

void weft__channel_take(struct weft_worker *worker)
{
    worker->in_at +=
        take_frames(worker, worker->in + worker->in_at, worker->in_end - worker->in_at);
    if (worker->in_at > 0 && worker->in_at < worker->in_end)
        memmove(worker->in, worker->in + worker->in_at, worker->in_end - worker->in_at);
    worker->in_end -= worker->in_at;
    worker->in_at = 0;
}

/* Read once. true: there may be more. */
static bool read_once(struct weft_worker *worker)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(PROCS_IN_FDS * sizeof(int))];
    size_t room = PROCS_IN - worker->in_end;
    struct iovec part = {worker->in + worker->in_end, room};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    int flags = 0;
#ifdef MSG_CMSG_CLOEXEC
    flags |= MSG_CMSG_CLOEXEC;
#endif
    ssize_t size = recvmsg(worker->channel.fd_, &message, flags);
    if (size < 0)
        return errno == EINTR ||
               (errno != EAGAIN && errno != EWOULDBLOCK && (worker->ended = true, false));
    if (size == 0) {
        worker->ended = true;
        return false;
    }
    worker->in_end += (size_t)size;
    weft__worker_heard(worker);
    if (!keep_fds(worker, &message)) {
        worker->spoiled = worker->count > 0 ? line_at(worker, 0)->id : 0;
        weft__channel_broken(worker, "it sent descriptors that nobody asked for");
        return false;
    }
    bool full = (size_t)size == room || message.msg_controllen > 0;
    weft__channel_take(worker);
    return full || worker->process.pid == 0;
}

static void read_all(struct weft_worker *worker)
{
    int reads = worker->process.pid == 0 ? LAST_READS : READS;
    weft__channel_take(worker);
    while (!worker->paused && !worker->deaf && !worker->ended && worker->state != WORKER_GONE &&
           reads-- > 0 && read_once(worker))
        continue;
}

/* Not from inside of itself: an event may lead back here. */
void weft__channel_read(struct weft_worker *worker)
{
    bool ended = worker->ended;
    if (worker->reading || worker->state == WORKER_GONE)
        return;
    worker->reading = true;
    read_all(worker);
    worker->reading = false;
    if (worker->state == WORKER_GONE)
        return;
    weft__channel_watch(worker);
    if (worker->paused)
        return; /* also if it is dead: its last words are for later */
    if (worker->process.pid == 0)
        weft__worker_bury(worker);
    else if (worker->ended && !ended)
        weft__worker_ended(worker);
}

/* ---- the page ------------------------------------------------------------------------------- */

bool weft__channel_is_read_out(const struct weft_worker *worker)
{
    int left = 0;
    if (worker->ended || worker->deaf)
        return true;
    return worker->in_end == 0 && (ioctl(worker->channel.fd_, FIONREAD, &left) != 0 || left == 0);
}

/* A copy first: the worker, or what it has left behind, may write while we read. Only the end of
 * the job that it is at counts: what is not in its turn will come again through the socket. */
void weft__channel_peek(struct weft_worker *worker)
{
    struct page *page = worker->page;
    if (!worker->gated || worker->deaf || worker->paused || worker->reading)
        return;
    uint32_t flushes = __atomic_load_n(&page->flushes, __ATOMIC_ACQUIRE);
    uint32_t size = __atomic_load_n(&page->gathered, __ATOMIC_ACQUIRE);
    if (size == 0 || size > PAGE_GATHERED)
        return;
    char *copy = weft_alloc(size);
    if (copy == NULL)
        return;
    memcpy(copy, page->frames, size);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    /* The events of a job were sent before its end was put here: they go first. */
    if (__atomic_load_n(&page->flushes, __ATOMIC_ACQUIRE) == flushes &&
        (worker->process.pid == 0 || weft__channel_is_read_out(worker))) {
        worker->reading = worker->peeking = true;
        take_frames(worker, copy, size);
        worker->reading = worker->peeking = false;
    }
    weft_free(copy);
}
