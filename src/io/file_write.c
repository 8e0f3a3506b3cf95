/* Writing and appending, in place: open, write, close.
 *
 * A pipe is written like a file, but if its reader has left the system sends SIGPIPE to the thread
 * that writes, and that ends the process. So for a pipe the signal is held back, and taken away if
 * it came: the error says it as well. */
#include "file.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct write_hop {
    struct weft_hop hop;
    const void *data;
    size_t size;
    int flags;
};

static void take_away_sigpipe(const sigset_t *sigpipe)
{
    const struct timespec no_time = {0, 0};
    while (sigtimedwait(sigpipe, NULL, &no_time) < 0 && errno == EINTR)
        continue;
}

static int write_to_pipe(const struct write_hop *its, int fd)
{
    sigset_t sigpipe, before, pending;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    int status = weft__file_write_all(fd, its->data, its->size, NULL);
    if (status == UV_EPIPE && !sigismember(&pending, SIGPIPE))
        take_away_sigpipe(&sigpipe);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int write_work(struct weft_hop *hop)
{
    const struct write_hop *its = weft_owner(hop, struct write_hop, hop);
    int fd = weft__file_open(hop->path, its->flags, 0666);
    if (fd < 0)
        return fd;
    struct stat st;
    int status;
    if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
        status = write_to_pipe(its, fd);
    else
        status = weft__file_write_all(fd, its->data, its->size, NULL);
    int err = weft__file_close(fd);
    return status != 0 ? status : err;
}

static const struct hop_kind write_kind = {
    .size = sizeof(struct write_hop), .paths = 1, .awaited = true, .work = write_work};
HOPPER(weft_file_write);

static void begin(struct weft_op *op, int flags)
{
    struct weft_file_write *write = weft_owner(op, struct weft_file_write, op);
    if (write->data == NULL && write->size != 0) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    struct weft_hop *hop = weft__hop_make(op, &write_kind, write->path, NULL);
    if (hop == NULL)
        return;
    struct write_hop *its = weft_owner(hop, struct write_hop, hop);
    its->data = write->data;
    its->size = write->size;
    its->flags = O_WRONLY | O_CREAT | flags;
    weft__hop_go(hop);
}

void weft_file_write_begin(struct weft_op *op)
{
    begin(op, O_TRUNC);
}

void weft_file_append_begin(struct weft_op *op)
{
    begin(op, O_APPEND);
}

void weft_file_write_at(const struct weft_site *site, struct weft_op *parent,
                        struct weft_file_write *write, const char *path, const void *data,
                        size_t size, weft_begin_fn *begin_fn, weft_then_fn *then)
{
    op_check_start(parent, &write->op);
    write->path = path;
    write->data = data;
    write->size = size;
    weft_run_at(site, parent, &write->op, begin_fn, then);
}
