/* A worker in C: jobs in, replies out, with blocking calls.
 *
 *     read ──► look through ──► a job: gate, function, END gathered ──► … none left: send, read
 *                 │ CANCEL: marked    ▲
 *                 │ PING: PONG        │ weft_worker_stopped: read what is there, look through it
 *                 └───────────────────┘
 *
 * in[at, seen) are whole frames that were looked through and not taken yet, in[seen, end) the rest
 * of what was read. The buffer may move whenever something is read, also from inside the function
 * of a job: so the job's input is a copy, or a mapping. Descriptors come in the order of the frames
 * that they belong to.
 *
 * Replies are gathered in the page (page.h), where the pool finds them if this process dies. So the
 * order is: the frame is whole before it counts, and it is sent before it is forgotten. */
#include "weft/worker.h"
#include "weft/alloc.h"
#include "memory.h"
#include "page.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

enum {
    ROOM = 4 * FRAME_INLINE, /* of the buffer, at first; it grows with what the pool sends ahead */
    LEAST = FRAME_INLINE,    /* so much is read at once */
    CANCELLED = 0x80,        /* a flag of ours in the head of a job that waits here */
    FDS = 4,                 /* in one message; the pool sends one */
    NAP_NS = 50 * 1000,
    BRISK_NS = 20 * 1000 /* a wait that is shorter than this is short */
};
/* Everything that the pool sends is within these. */
static const uint32_t anything = UINT32_MAX;

struct weft_worker_line {
    int fd, error;
    bool ended, stopped; /* the channel is at its end; the job that runs was cancelled */
    struct page *page;   /* shared with the pool, or our own */
    bool shared, brisk;  /* the last wait was short */
    char *in;
    size_t at, seen, end, room;
    int *fds; /* that came and were not taken yet */
    size_t fd_count, fd_room;
    uint64_t running;
    long looked; /* when, in ticks of the coarse clock */
    size_t message_at;
    char input[FRAME_INLINE], message[FRAME_INLINE];
};

/* ---- out ------------------------------------------------------------------------------------ */

static void channel_failed(struct weft_worker_line *line, int err)
{
    line->ended = true;
    if (line->error == 0 && err != UV_EPIPE && err != UV_ECONNRESET)
        line->error = err;
}

static void attach(struct msghdr *message, char *control, size_t size, int fd)
{
    message->msg_control = control;
    message->msg_controllen = size;
    struct cmsghdr *head = CMSG_FIRSTHDR(message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
}

static void advance(struct msghdr *message, size_t done)
{
    while (done > 0 && message->msg_iovlen > 0) {
        struct iovec *part = message->msg_iov;
        size_t some = done < part->iov_len ? done : part->iov_len;
        part->iov_base = (char *)part->iov_base + some;
        part->iov_len -= some;
        done -= some;
        if (part->iov_len == 0) {
            message->msg_iov++;
            message->msg_iovlen--;
        }
    }
}

/* All of it, however long that takes; fd goes with the first byte, -1: none. */
static void send_all(struct weft_worker_line *line, struct iovec *parts, size_t count, int fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    if (fd >= 0)
        attach(&message, control, sizeof control, fd);
    while (message.msg_iovlen > 0 && !line->ended) {
        ssize_t done = sendmsg(line->fd, &message, MSG_NOSIGNAL);
        if (done < 0 && errno != EINTR)
            channel_failed(line, uv_translate_sys_error(errno));
        if (done <= 0)
            continue;
        message.msg_control = NULL;
        message.msg_controllen = 0;
        advance(&message, (size_t)done);
    }
}

/* Send what was gathered. */
static void flush(struct weft_worker_line *line)
{
    uint32_t size = line->page->gathered;
    if (size == 0)
        return;
    struct iovec part = {line->page->frames, size};
    send_all(line, &part, 1, -1);
    if (line->ended)
        return; /* perhaps they were not sent: the pool finds them here */
    __atomic_store_n(&line->page->gathered, 0, __ATOMIC_RELEASE);
    __atomic_add_fetch(&line->page->flushes, 1, __ATOMIC_ACQ_REL);
}

static void send_frame(struct weft_worker_line *line, const struct frame *frame, const void *data,
                       int fd)
{
    char head[FRAME_HEAD];
    struct iovec parts[2] = {{head, FRAME_HEAD},
                             {(void *)(uintptr_t)data, fd < 0 ? frame->size : 0}};
    weft__frame_write(head, frame);
    flush(line);
    send_all(line, parts, parts[1].iov_len > 0 ? 2 : 1, fd);
}

static void gather(struct weft_worker_line *line, const struct frame *frame, const void *data)
{
    struct page *page = line->page;
    uint32_t whole = FRAME_HEAD + frame->size;
    if (PAGE_GATHERED - page->gathered < whole)
        flush(line);
    if (PAGE_GATHERED - page->gathered < whole) {
        send_frame(line, frame, data, -1);
        return;
    }
    char *at = page->frames + page->gathered;
    weft__frame_write(at, frame);
    if (frame->size > 0)
        memcpy(at + FRAME_HEAD, data, frame->size);
    __atomic_store_n(&page->gathered, page->gathered + whole, __ATOMIC_RELEASE);
    if (!line->shared)
        flush(line);
}

/* Large data goes in a memory; a failure of that is the job's. */
static void send_large(struct weft_worker_line *line, struct frame *frame, const void *data)
{
    int fd = weft__memory_of(data, frame->size);
    if (fd < 0) {
        const char *text = weft_strerror(fd);
        frame->type = FRAME_ERROR;
        frame->size = (uint32_t)strlen(text);
        send_frame(line, frame, text, -1);
        return;
    }
    frame->flags = FRAME_IN_MEMORY;
    send_frame(line, frame, NULL, fd);
    close(fd);
}

static void reply(struct weft_worker_job *job, uint8_t type, uint32_t kind, const void *data,
                  size_t size)
{
    struct weft_worker_line *line = job->line_;
    static const char too_large[] = "the result is too large for a frame";
    if (size >= UINT32_MAX) {
        type = FRAME_ERROR;
        data = too_large;
        size = sizeof too_large - 1;
    }
    struct frame frame = {(uint32_t)size, type, 0, job->id, job->attempt, kind, NULL};
    if (size > FRAME_INLINE)
        send_large(line, &frame, data);
    else if (type == FRAME_EVENT)
        send_frame(line, &frame, data, -1);
    else
        gather(line, &frame, data);
    if (frame.type != FRAME_EVENT) /* an event that there was no memory for has failed its job */
        job->over_ = true;
}

/* ---- in ------------------------------------------------------------------------------------- */

static bool make_room(struct weft_worker_line *line)
{
    if (line->room - line->end >= LEAST)
        return true;
    memmove(line->in, line->in + line->at, line->end - line->at);
    line->message_at = line->message_at > line->at ? line->message_at - line->at : 0;
    line->seen -= line->at;
    line->end -= line->at;
    line->at = 0;
    if (line->room - line->end >= LEAST)
        return true;
    char *more = weft_realloc(line->in, 2 * line->room);
    if (more == NULL) {
        channel_failed(line, UV_ENOMEM);
        return false;
    }
    line->in = more;
    line->room *= 2;
    return true;
}

static void keep_fd(struct weft_worker_line *line, int fd)
{
    if (line->fd_count == line->fd_room) {
        size_t room = line->fd_room != 0 ? 2 * line->fd_room : 8;
        int *more = weft_realloc(line->fds, room * sizeof *more);
        if (more == NULL) {
            close(fd);
            channel_failed(line, UV_ENOMEM);
            return;
        }
        line->fds = more;
        line->fd_room = room;
    }
    line->fds[line->fd_count++] = fd;
}

static void keep_fds(struct weft_worker_line *line, struct msghdr *message)
{
    if (message->msg_flags & MSG_CTRUNC) /* one is lost: from here on jobs would get others' */
        channel_failed(line, UV_EMFILE);
    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head != NULL;
         head = CMSG_NXTHDR(message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= head->cmsg_len; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            keep_fd(line, fd);
        }
    }
}

static int take_fd(struct weft_worker_line *line)
{
    if (line->fd_count == 0)
        return -1;
    int fd = line->fds[0];
    line->fd_count--;
    memmove(line->fds, line->fds + 1, line->fd_count * sizeof *line->fds);
    return fd;
}

/* Read once. flags: 0, or MSG_DONTWAIT. */
static void read_some(struct weft_worker_line *line, int flags)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(FDS * sizeof(int))];
    if (!make_room(line))
        return;
    struct iovec part = {line->in + line->end, line->room - line->end};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
#ifdef MSG_CMSG_CLOEXEC
    flags |= MSG_CMSG_CLOEXEC;
#endif
    ssize_t size = recvmsg(line->fd, &message, flags);
    if (size == 0)
        line->ended = true;
    else if (size > 0)
        line->end += (size_t)size;
    else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
        channel_failed(line, uv_translate_sys_error(errno));
    if (size > 0)
        keep_fds(line, &message);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Wait for the next job. Where one follows the other at once, to fall asleep and to be woken takes
 * longer than the job: so if the last wait was short this one begins with looking again and again,
 * while others may have the processor. One such wait in vain, and it is over with that. */
static void read_next(struct weft_worker_line *line)
{
    int64_t from = now_ns(), now = from;
    size_t end = line->end;
    while (line->brisk && line->end == end && !line->ended && now - from < BRISK_NS) {
        read_some(line, MSG_DONTWAIT);
        if (line->end == end)
            sched_yield();
        now = now_ns();
    }
    if (line->end == end && !line->ended) {
        read_some(line, 0);
        now = now_ns();
    }
    line->brisk = now - from < BRISK_NS;
}

/* The frame at `at`, which was looked through. The size in its head is believed from then on. */
static size_t frame_at(const struct weft_worker_line *line, size_t at, struct frame *frame)
{
    const char *why;
    char head[FRAME_HEAD];
    memcpy(head, line->in + at, FRAME_HEAD);
    bool cancelled = head[5] & (char)CANCELLED;
    head[5] &= (char)~CANCELLED;
    weft__frame_read(head, FRAME_HEAD, anything, false, frame, &why);
    bool in_memory = frame->flags & FRAME_IN_MEMORY;
    frame->payload = in_memory ? NULL : line->in + at + FRAME_HEAD;
    frame->flags |= cancelled ? CANCELLED : 0;
    return FRAME_HEAD + (in_memory ? 0 : frame->size);
}

/* A job that waits here is marked; the one that runs is told. */
static void cancel(struct weft_worker_line *line, uint64_t id)
{
    struct frame frame;
    if (id == line->running)
        line->stopped = true;
    for (size_t at = line->at; at < line->seen;) {
        size_t size = frame_at(line, at, &frame);
        if (frame.type == FRAME_JOB && frame.job == id)
            line->in[at + 5] |= (char)CANCELLED;
        at += size;
    }
}

static void look_through(struct weft_worker_line *line)
{
    static const struct frame pong = {.type = FRAME_PONG};
    struct frame frame;
    const char *why;
    while (!line->ended) {
        long size = weft__frame_read(line->in + line->seen, line->end - line->seen, anything, false,
                                     &frame, &why);
        if (size < 0)
            channel_failed(line, UV_EPROTO);
        if (size <= 0)
            return;
        line->seen += (size_t)size;
        if (frame.type == FRAME_CANCEL)
            cancel(line, frame.job);
        else if (frame.type == FRAME_PING)
            send_frame(line, &pong, NULL, -1);
    }
}

/* ---- the jobs ------------------------------------------------------------------------------- */

/* Nothing is begun while the gate is shut: the pool is about to kill this process, or finds that it
 * need not, and opens it again. */
static void pass_gate(struct weft_worker_line *line, uint64_t id)
{
    uint64_t *begun = &line->page->begun;
    for (;;) {
        uint64_t last = __atomic_load_n(begun, __ATOMIC_ACQUIRE);
        if (last == PAGE_SHUT)
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        else if (__atomic_compare_exchange_n(begun, &last, id, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE))
            return;
    }
}

static int take_input(struct weft_worker_line *line, const struct frame *frame,
                      struct weft_worker_job *job)
{
    if (frame->payload != NULL) {
        memcpy(line->input, frame->payload, frame->size);
        job->data = line->input;
        return 0;
    }
    int fd = take_fd(line);
    if (fd < 0)
        return UV_EPROTO;
    void *data;
    int err = weft__memory_map(fd, frame->size, false, &data);
    close(fd);
    job->mapped_ = err == 0;
    job->data = err == 0 ? data : NULL;
    return err;
}

static void run_job(struct weft_worker_line *line, const struct frame *frame, weft_worker_fn *serve,
                    void *context)
{
    struct weft_worker_job job = {
        .size = frame->size, .id = frame->job, .attempt = frame->attempt, .line_ = line};
    bool cancelled = frame->flags & CANCELLED;
    pass_gate(line, job.id);
    line->running = job.id;
    line->stopped = cancelled;
    line->message_at = line->at;
    int err = take_input(line, frame, &job);
    if (err != 0)
        weft_worker_fail(&job, weft_strerror(err));
    else if (!cancelled)
        serve(&job, context);
    if (!job.over_)
        weft_worker_end(&job, NULL, 0);
    if (job.mapped_)
        weft__memory_unmap((void *)(uintptr_t)job.data, job.size);
    line->running = 0;
}

static void serve_all(struct weft_worker_line *line, weft_worker_fn *serve, void *context)
{
    struct frame frame;
    while (!line->ended) {
        while (line->at < line->seen && !line->ended) {
            size_t size = frame_at(line, line->at, &frame);
            if (frame.type == FRAME_JOB) {
                size_t at = line->at + size;
                line->at = at;
                run_job(line, &frame, serve, context);
            } else {
                line->at += size;
            }
        }
        if (line->at == line->end)
            line->at = line->seen = line->end = 0;
        flush(line);
        read_next(line);
        look_through(line);
    }
}

/* ---- the beginning and the end --------------------------------------------------------------- */

static int number_from(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1;
}

static bool take_page(struct weft_worker_line *line)
{
    int fd = number_from("WEFT_WORKER_PAGE");
    void *at = fd < 0 ? MAP_FAILED
                      : mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    line->shared = at != MAP_FAILED;
    line->page = line->shared ? at : weft_calloc(1, sizeof(struct page));
    if (fd >= 0)
        close(fd);
    return line->page != NULL;
}

static void line_free(struct weft_worker_line *line)
{
    for (size_t i = 0; i < line->fd_count; i++)
        close(line->fds[i]);
    weft_free(line->fds);
    weft_free(line->in);
    if (line->shared)
        munmap(line->page, sizeof(struct page));
    else
        weft_free(line->page);
    close(line->fd);
    weft_free(line);
}

int weft_worker_run(weft_worker_fn *serve, void *context)
{
    int fd = number_from("WEFT_WORKER_FD");
    if (serve == NULL || fd < 0)
        return serve == NULL ? UV_EINVAL : UV_ENOTCONN;
    struct weft_worker_line *line = weft_calloc(1, sizeof *line);
    if (line == NULL)
        return UV_ENOMEM;
    line->fd = fd;
    line->room = ROOM;
    line->in = weft_alloc(ROOM);
    if (!take_page(line) || line->in == NULL) {
        line_free(line);
        return UV_ENOMEM;
    }
    /* What this process starts is no worker, and must not keep the channel open. */
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    unsetenv("WEFT_WORKER_FD");
    unsetenv("WEFT_WORKER_PAGE");
    struct frame ready = {
        .type = FRAME_READY, .job = line->shared ? FRAME_GATED : 0, .kind = FRAME_VERSION};
    send_frame(line, &ready, NULL, -1);
    serve_all(line, serve, context);
    int err = line->error;
    line_free(line);
    return err;
}

/* ---- for the function of a job --------------------------------------------------------------- */

bool weft_worker_stopped(struct weft_worker_job *job)
{
    struct weft_worker_line *line = job->line_;
    struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    long ticks = (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (ticks != line->looked && !line->ended) {
        line->looked = ticks;
        flush(line);
        read_some(line, MSG_DONTWAIT);
        look_through(line);
    }
    return line->stopped || line->ended;
}

bool weft_worker_emit(struct weft_worker_job *job, uint32_t kind, const void *data, size_t size)
{
    if (job->over_ || weft_worker_stopped(job))
        return false;
    reply(job, FRAME_EVENT, kind, data, size);
    return !job->over_ && !job->line_->ended;
}

void weft_worker_end(struct weft_worker_job *job, const void *data, size_t size)
{
    if (!job->over_)
        reply(job, FRAME_END, 0, data, size);
}

void weft_worker_fail(struct weft_worker_job *job, const char *text)
{
    size_t size = text != NULL ? strlen(text) : 0;
    if (!job->over_)
        reply(job, FRAME_ERROR, 0, text, size < FRAME_INLINE ? size : FRAME_INLINE);
}

static bool next_message(struct weft_worker_line *line, uint32_t *kind, size_t *size)
{
    struct frame frame;
    while (line->message_at < line->seen) {
        bool first = line->message_at == line->at;
        line->message_at += frame_at(line, line->message_at, &frame);
        if (first && frame.type != FRAME_JOB)
            line->at = line->message_at; /* nobody needs it any more: room for the next */
        if (frame.type != FRAME_MESSAGE || frame.job != line->running || frame.payload == NULL)
            continue;
        memcpy(line->message, frame.payload, frame.size);
        *kind = frame.kind;
        *size = frame.size;
        return true;
    }
    return false;
}

bool weft_worker_receive(struct weft_worker_job *job, uint32_t *kind, const void **data,
                         size_t *size)
{
    struct weft_worker_line *line = job->line_;
    while (!line->stopped && !line->ended) {
        if (next_message(line, kind, size)) {
            *data = line->message;
            return true;
        }
        flush(line);
        read_some(line, 0);
        look_through(line);
    }
    return false;
}
