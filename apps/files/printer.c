/* Two buffers take turns: one is written by a thread while the other one is filled.
 *
 * The thread never calls a write that could wait: it asks first (poll, a tenth of a second at a time, so
 * that it hears of a cancel) and then writes no more than is sure to fit: a page into a pipe or a socket, a
 * little to a terminal. The descriptor itself stays as it is, because it is shared with others, who expect
 * theirs to wait. Files and devices never make anybody wait: all at once. */
#include "files/printer.h"
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_CHUNK = 4096, TERMINAL_CHUNK = 256, PATIENCE_MS = 100 };

static size_t choose_chunk(int fd)
{
    struct stat st;
    if (isatty(fd))
        return TERMINAL_CHUNK;
    if (fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        return PIPE_CHUNK;
    return SIZE_MAX;
}

void printer_open(struct printer *printer)
{
    printer->chunk_ = choose_chunk(STDOUT_FILENO);
}

/* ---- on a thread ---------------------------------------------------------------------------- */

/* Until it can be written to. */
static int wait_for_room(const struct printer *printer)
{
    struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};
    for (;;) {
        if (weft_work_stopped(&printer->work_))
            return UV_ECANCELED;
        int ready = printer->chunk_ == SIZE_MAX ? 1 : poll(&fd, 1, PATIENCE_MS);
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return uv_translate_sys_error(errno);
    }
}

static int print(struct weft_work *work)
{
    struct printer *printer = weft_owner(work, struct printer, work_);
    const struct out *out = &printer->writing_;
    while (printer->written_ < out->size) {
        int err = wait_for_room(printer);
        if (err != 0)
            return err;
        size_t left = out->size - printer->written_;
        ssize_t wrote = write(STDOUT_FILENO, out->data + printer->written_,
                              left < printer->chunk_ ? left : printer->chunk_);
        if (wrote > 0)
            printer->written_ += (size_t)wrote;
        else if (wrote < 0 && errno != EINTR && errno != EAGAIN)
            return uv_translate_sys_error(errno);
    }
    return 0;
}

/* ---- on the loop ---------------------------------------------------------------------------- */

static void printed(struct weft_op *parent, struct weft_op *work);

static void write_text(struct printer *printer)
{
    struct out full = printer->text;
    printer->text = printer->writing_;
    printer->text.size = 0;
    printer->writing_ = full;
    printer->written_ = 0;
    printer->busy_ = true;
    weft_work(printer->op, &printer->work_, print, printed);
}

static void fail(struct printer *printer, int status)
{
    printer->status = status;
    weft_end(printer->op, status);
}

static void printed(struct weft_op *parent, struct weft_op *work)
{
    struct printer *printer = weft_owner(work, struct printer, work_.op);
    printer->busy_ = false;
    if (weft_cancelled(parent) != 0) {
        weft_end(parent, weft_cancelled(parent)); /* the walk may be over, and nobody else there */
        return;
    }
    if (work->status != 0) {
        fail(printer, work->status);
        return;
    }
    if (printer->text.size >= PRINTER_ROOM || (printer->ending_ && printer->text.size > 0))
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
    if (printer->text.failed) {
        fail(printer, UV_ENOMEM);
        return false;
    }
    if (printer->text.size < PRINTER_ROOM)
        return true;
    if (printer->busy_) {
        printer->waited_for_ = true;
        return false;
    }
    write_text(printer);
    return true;
}

void printer_end(struct printer *printer)
{
    printer->ending_ = true;
    if (printer->text.failed)
        fail(printer, UV_ENOMEM);
    else if (printer->busy_)
        return;
    else if (printer->text.size > 0)
        write_text(printer);
    else
        printer->empty(printer);
}

void printer_free(struct printer *printer)
{
    out_free(&printer->text);
    out_free(&printer->writing_);
}
