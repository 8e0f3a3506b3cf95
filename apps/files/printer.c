/* Two buffers take turns: one is written by a thread while the other one is filled.
 *
 * The thread never calls a write that could wait: it asks first (poll, a tenth of a second at a time, so
 * that it hears of a cancel) and then writes no more than is sure to fit: a page into a pipe or a socket.
 * Nobody is sure of a terminal, so that is opened once more, by its name, and not to wait. The descriptor
 * itself stays as it is, because it is shared with others, who expect theirs to wait. Files and devices never
 * make anybody wait: all at once. */
#include "files/printer.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_CHUNK = 4096, TERMINAL_CHUNK = 256, PATIENCE_MS = 100, MOMENT_MS = 10 };

/* ---- where it goes -------------------------------------------------------------------------- */

/* Who has the other end of a terminal would get another one by its name. */
static bool is_other_end(int fd)
{
#ifdef TIOCGPTN
    unsigned number;
    return ioctl(fd, TIOCGPTN, &number) == 0;
#else
    (void)fd;
    return false;
#endif
}

/* Negative: it cannot be, as one of another user's. */
static int open_again(int terminal)
{
    char path[PATH_MAX];
    if (is_other_end(terminal) || ttyname_r(terminal, path, sizeof path) != 0)
        return -1;
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void printer_open(struct printer *printer, int fd)
{
    struct stat st;
    printer->fd_ = fd;
    printer->chunk_ = SIZE_MAX;
    if (isatty(fd)) {
        int again = open_again(fd);
        printer->owns_fd_ = again >= 0;
        printer->fd_ = again >= 0 ? again : fd;
        printer->chunk_ = again >= 0 ? PIPE_CHUNK : TERMINAL_CHUNK;
    } else if (fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
        printer->chunk_ = PIPE_CHUNK;
    }
}

void printer_close(struct printer *printer)
{
    if (printer->owns_fd_)
        close(printer->fd_);
    out_free(&printer->text);
    out_free(&printer->writing_);
}

/* ---- on a thread ---------------------------------------------------------------------------- */

/* Whether it can be written to, within so long: 1, 0 or a negative status. */
static int has_room(const struct printer *printer, int ms)
{
    struct pollfd fd = {.fd = printer->fd_, .events = POLLOUT};
    int ready = printer->chunk_ == SIZE_MAX ? 1 : poll(&fd, 1, ms);
    if (ready < 0)
        return errno == EINTR ? 0 : uv_translate_sys_error(errno);
    return ready > 0;
}

/* 1, 0: not now after all, or a negative status. */
static int write_chunk(struct printer *printer)
{
    const struct out *out = &printer->writing_;
    size_t left = out->size - printer->written_;
    ssize_t wrote = write(printer->fd_, out->data + printer->written_,
                          left < printer->chunk_ ? left : printer->chunk_);
    if (wrote < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : uv_translate_sys_error(errno);
    printer->written_ += (size_t)wrote;
    return 1;
}

static int print(struct weft_work *work)
{
    struct printer *printer = weft_owner(work, struct printer, work_);
    while (printer->written_ < printer->writing_.size) {
        if (weft_work_stopped(work))
            return UV_ECANCELED;
        int done = has_room(printer, PATIENCE_MS);
        if (done > 0) {
            done = write_chunk(printer);
            if (done == 0)
                poll(NULL, 0, MOMENT_MS); /* a terminal with room for less than the next letter */
        }
        if (done < 0)
            return done;
    }
    return 0;
}

/* ---- on the loop ---------------------------------------------------------------------------- */

static void printed(struct weft_op *parent, struct weft_op *work);

static void take_turns(struct printer *printer)
{
    struct out full = printer->text;
    printer->text = printer->writing_;
    printer->text.size = 0;
    printer->writing_ = full;
    printer->written_ = 0;
}

static void write_text(struct printer *printer)
{
    take_turns(printer);
    printer->busy_ = true;
    weft_work(printer->op, &printer->work_, print, printed);
}

static bool has_enough(const struct printer *printer)
{
    bool any = printer->eager || printer->ending_;
    return printer->text.size >= (any ? 1 : PRINTER_ROOM);
}

/* false: op is over. */
static bool fail(struct printer *printer, int status)
{
    if (printer->forgiving) {
        printer->text.size = 0;
        printer->text.failed = false;
        return true;
    }
    printer->status = status;
    weft_end(printer->op, status);
    return false;
}

static void printed(struct weft_op *parent, struct weft_op *work)
{
    struct printer *printer = weft_owner(work, struct printer, work_.op);
    printer->busy_ = false;
    if (weft_cancelled(parent) != 0) {
        weft_end(parent, weft_cancelled(parent)); /* the walk may be over, and nobody else there */
        return;
    }
    if (work->status != 0 && !fail(printer, work->status))
        return;
    if (has_enough(printer))
        write_text(printer);
    else if (printer->ending_)
        printer->empty(printer);
    if (printer->waited_for_) {
        printer->waited_for_ = false;
        printer->ready(printer);
    }
}

bool printer_go(struct printer *printer)
{
    if (printer->text.failed && !fail(printer, UV_ENOMEM))
        return false;
    if (!has_enough(printer))
        return true;
    if (printer->busy_) {
        printer->waited_for_ = printer->text.size >= PRINTER_ROOM;
        return !printer->waited_for_;
    }
    write_text(printer);
    return true;
}

void printer_end(struct printer *printer)
{
    printer->ending_ = true;
    if (printer->text.failed && !fail(printer, UV_ENOMEM))
        return;
    if (printer->busy_)
        return;
    if (printer->text.size > 0)
        write_text(printer);
    else
        printer->empty(printer);
}

/* ---- when it is over ------------------------------------------------------------------------ */

void printer_flush(struct printer *printer, bool wait)
{
    for (int turn = 0; turn < 2; turn++) {
        while (printer->written_ < printer->writing_.size) {
            int done = has_room(printer, wait ? -1 : 0);
            if (done > 0)
                done = write_chunk(printer);
            if (done < 0 || (done == 0 && !wait))
                return;
        }
        take_turns(printer);
    }
}
