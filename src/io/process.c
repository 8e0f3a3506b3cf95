/* A child process as an operation.
 *
 *     begin ──► pipes ──► uv_spawn ──► the child runs ──► exit ──► uv_close ──► finish
 *                  │           │             │ cancel
 *                  └─ error ───┴─► uv_close  └─► SIGTERM ─► grace ─► SIGKILL ─► exit
 *
 * The op never finishes before libuv has closed the handle, so its storage is free then; and the
 * handle is never closed before the child was reaped, so nothing is left behind. Pipes are made
 * here rather than by uv_spawn: our ends become the caller's streams like any other descriptor.
 * What makes no sense is refused before the first of them is made.
 *
 * pid is for the caller and stays after the end; alive_ says whether there is somebody to signal:
 * from uv_spawn until the child is reaped. After that the number may be another's. */
#include "stream.h"
#include "weft/dump.h"
#include "weft/process.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct weft_process *process_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_process, op);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void handle_closed(uv_handle_t *handle)
{
    struct weft_process *process =
        weft_owner((uv_process_t *)handle, struct weft_process, process_);
    int reason = weft_cancelled(&process->op);
    weft_finish(&process->op, reason != 0 ? reason : process->result_);
}

static void child_over(uv_process_t *handle, int64_t exit_code, int term_signal)
{
    struct weft_process *process = weft_owner(handle, struct weft_process, process_);
    if (!weft_cancelled(&process->op))
        process->op.loop_->awaited_--;
    weft_timer_stop(process->op.loop_, &process->timer_);
    process->term_signal = term_signal;
    process->exit_code = term_signal != 0 ? -1 : (int)exit_code;
    process->result_ = process->exit_code == 0 ? 0 : WEFT_EEXIT;
    if (process->group)
        kill(-process->pid, SIGKILL); /* its orphans, if any */
    process->alive_ = false;
    uv_close((uv_handle_t *)handle, handle_closed);
}

int weft_process_kill(struct weft_process *process, int signum)
{
    if (process->op.state_ != OP_RUNNING || !process->alive_)
        return UV_ESRCH;
    return kill(process->group ? -process->pid : process->pid, signum) == 0
               ? 0
               : uv_translate_sys_error(errno);
}

static void grace_over(struct weft_timer *timer)
{
    weft_process_kill(weft_owner(timer, struct weft_process, timer_), SIGKILL);
}

static void process_cancel(struct weft_op *op, int reason)
{
    struct weft_process *process = process_of(op);
    (void)reason; /* the op finishes with it once the child is reaped */
    if (!process->alive_)
        return; /* it is over already, or could not be started: the handle is being closed */
    op->loop_->awaited_--; /* from here on its time is limited */
    uint64_t grace = process->grace_ms != 0 ? process->grace_ms : WEFT_PROCESS_GRACE_MS;
    weft_process_kill(process, SIGTERM);
    weft__timer_start(op->loop_, &process->timer_, grace, grace_over);
}

/* ---- the beginning -------------------------------------------------------------------------- */

struct child_fds {
    int fds[3];
    bool close_after[3];
};

/* Does the entry say one thing only? A stream or a descriptor whose kind was forgotten must not
 * become /dev/null without a word. */
static int check_stdio(const struct weft_process *process, const struct weft_stdio *stdio)
{
    if (stdio->kind != WEFT_STDIO_STREAM && stdio->stream != NULL)
        return UV_EINVAL;
    if (stdio->kind != WEFT_STDIO_FD && stdio->fd > 0)
        return UV_EINVAL;
    switch (stdio->kind) {
    case WEFT_STDIO_NULL:
    case WEFT_STDIO_INHERIT:
        return 0;
    case WEFT_STDIO_FD:
        return stdio->fd < 0 ? UV_EINVAL : 0;
    case WEFT_STDIO_STREAM:
        return weft__stream_check_idle(stdio->stream, &process->op);
    case WEFT_STDIO_OUT:
        return stdio == &process->err ? 0 : UV_EINVAL;
    default:
        return UV_EINVAL;
    }
}

static bool same_stream(const struct weft_stdio *one, const struct weft_stdio *other)
{
    return one->stream != NULL && one->stream == other->stream;
}

static int check_all(const struct weft_process *process)
{
    const struct weft_stdio *in = &process->in, *out = &process->out, *error = &process->err;
    if (process->args == NULL || process->args[0] == NULL || process->args[0][0] == '\0')
        return UV_EINVAL;
    if (same_stream(in, out) || same_stream(in, error) || same_stream(out, error))
        return UV_EINVAL;
    int err = check_stdio(process, in);
    if (err == 0)
        err = check_stdio(process, out);
    return err != 0 ? err : check_stdio(process, error);
}

/* A pipe: the child's end for its descriptor number, ours for the stream. */
static int open_pipe(struct weft_stream *stream, int number, struct child_fds *child)
{
    uv_file ends[2];
    int err = uv_pipe(ends, 0, 0);
    if (err != 0)
        return err;
    int childs = number == 0 ? 0 : 1; /* it reads its input and writes the others */
    child->fds[number] = ends[childs];
    child->close_after[number] = true;
    err = weft_stream_adopt(stream, ends[1 - childs]);
    if (err != 0)
        close(ends[1 - childs]);
    return err;
}

static int open_stdio(const struct weft_stdio *stdio, int number, struct child_fds *child)
{
    switch (stdio->kind) {
    case WEFT_STDIO_NULL:
        child->fds[number] = open("/dev/null", O_RDWR | O_CLOEXEC);
        child->close_after[number] = true;
        return child->fds[number] < 0 ? uv_translate_sys_error(errno) : 0;
    case WEFT_STDIO_INHERIT:
        child->fds[number] = number;
        return 0;
    case WEFT_STDIO_FD:
        child->fds[number] = stdio->fd;
        return 0;
    case WEFT_STDIO_STREAM:
        return open_pipe(stdio->stream, number, child);
    default: /* WEFT_STDIO_OUT; the rest was refused. Once more, and closed once. */
        child->fds[number] = child->fds[1];
        return 0;
    }
}

static int open_all(const struct weft_process *process, struct child_fds *child)
{
    const struct weft_stdio *stdio[3] = {&process->in, &process->out, &process->err};
    int err = 0;
    for (int i = 0; i < 3 && err == 0; i++)
        err = open_stdio(stdio[i], i, child);
    return err;
}

static void close_all(const struct child_fds *child)
{
    for (int i = 0; i < 3; i++) {
        if (child->close_after[i] && child->fds[i] >= 0)
            close(child->fds[i]);
    }
}

static int spawn(struct weft_process *process, const struct child_fds *child)
{
    uv_stdio_container_t stdio[3];
    for (int i = 0; i < 3; i++) {
        stdio[i].flags = UV_INHERIT_FD;
        stdio[i].data.fd = child->fds[i];
    }
    uv_process_options_t options = {
        .file = process->args[0],
        .args = (char **)(uintptr_t)process->args, /* libuv does not write to them */
        .env = (char **)(uintptr_t)process->env,
        .cwd = process->cwd,
        .stdio = stdio,
        .stdio_count = 3,
        .flags = process->group ? UV_PROCESS_DETACHED : 0,
        .exit_cb = child_over,
    };
    int err = uv_spawn(process->op.loop_->uv, &process->process_, &options);
    weft_dump_belongs((uv_handle_t *)&process->process_);
    return err;
}

static void child_started(struct weft_process *process)
{
    process->pid = process->process_.pid;
    process->alive_ = true;
    process->op.loop_->awaited_++;
}

static void forget_the_last_one(struct weft_process *process)
{
    process->pid = process->term_signal = 0;
    process->exit_code = -1;
    process->alive_ = false;
}

void weft_process_begin(struct weft_op *op)
{
    struct weft_process *process = process_of(op);
    struct child_fds child = {{-1, -1, -1}, {false, false, false}};
    forget_the_last_one(process);
    int err = check_all(process);
    if (err == 0)
        err = open_all(process, &child);
    if (err != 0) {
        close_all(&child);
        weft_finish(op, err);
        return;
    }
    process->result_ = spawn(process, &child);
    close_all(&child);
    if (process->result_ != 0) /* the handle is initialised all the same */
        uv_close((uv_handle_t *)&process->process_, handle_closed);
    else
        child_started(process);
    weft_on_cancel(op, process_cancel);
}

/* Begun now, however deep the stack is: the pipes can be read as soon as this returns. */
void weft_process_at(const struct weft_site *site, struct weft_op *parent,
                     struct weft_process *process, const char *const *args, weft_then_fn *then)
{
    op_check_start(parent, &process->op);
    forget_the_last_one(process); /* also if begin is refused */
    process->args = args;
    weft_run_now_at(site, parent, &process->op, weft_process_begin, then);
}

/* ---- for people ----------------------------------------------------------------------------- */

char *weft_process_explain(const struct weft_process *process, char *text, size_t size)
{
    int status = process->op.status;
    bool its_own = status == 0 || status == WEFT_EEXIT; /* otherwise the reason of a cancel */
    const char *reason = its_own ? "" : weft_strerror(status), *colon = its_own ? "" : ": ";
    if (process->op.state_ != OP_IDLE)
        snprintf(text, size, "not over yet");
    else if (process->pid == 0)
        snprintf(text, size, "not started%s%s", colon, reason);
    else if (process->term_signal != 0)
        snprintf(text, size, "%s%skilled by signal %d (%s)", reason, colon, process->term_signal,
                 strsignal(process->term_signal));
    else
        snprintf(text, size, "%s%sexit code %d", reason, colon, process->exit_code);
    return text;
}
