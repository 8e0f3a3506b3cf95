/* A child process as an operation.
 *
 *     begin ──► pipes ──► uv_spawn ──► the child runs ──► exit ──► uv_close ──► finish
 *                  │           │             │ cancel
 *                  └─ error ───┴─► uv_close  └─► SIGTERM ─► grace ─► SIGKILL ─► exit
 *
 * The op never finishes before libuv has closed the handle, so its storage is free then; and the
 * handle is never closed before the child was reaped, so nothing is left behind. Pipes are made
 * here rather than by uv_spawn: our ends become the caller's streams like any other descriptor. */
#include "core/op.h"
#include "weft/process.h"
#include "weft/stream.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
    process->pid = 0;
    uv_close((uv_handle_t *)handle, handle_closed);
}

int weft_process_kill(struct weft_process *process, int signum)
{
    if (process->op.state_ != OP_RUNNING || process->pid == 0)
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
    if (process->pid == 0)
        return; /* it is over already, or could not be started: the handle is being closed */
    op->loop_->awaited_--; /* from here on its time is limited */
    uint64_t grace = process->grace_ms != 0 ? process->grace_ms : WEFT_PROCESS_GRACE_MS;
    weft_process_kill(process, SIGTERM);
    weft_timer_start(op->loop_, &process->timer_, grace, grace_over);
}

/* ---- the beginning -------------------------------------------------------------------------- */

struct child_fds {
    int fds[3];
    bool close_after[3];
};

/* A pipe: the child's end for its descriptor number, ours for the stream. */
static int open_pipe(struct weft_stream *stream, int number, struct child_fds *child)
{
    uv_file ends[2];
    if (stream == NULL)
        return UV_EINVAL;
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
        return stdio->fd < 0 ? UV_EINVAL : 0;
    case WEFT_STDIO_STREAM:
        return open_pipe(stdio->stream, number, child);
    default:
        return UV_EINVAL;
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
    return uv_spawn(process->op.loop_->uv, &process->process_, &options);
}

static void child_started(struct weft_process *process)
{
    process->pid = process->process_.pid;
    process->op.loop_->awaited_++;
}

void weft_process_begin(struct weft_op *op)
{
    struct weft_process *process = process_of(op);
    struct child_fds child = {{-1, -1, -1}, {false, false, false}};
    process->pid = process->term_signal = 0;
    process->exit_code = -1;
    if (process->args == NULL || process->args[0] == NULL || process->args[0][0] == '\0') {
        weft_finish(op, UV_EINVAL);
        return;
    }
    int err = open_all(process, &child);
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

void weft_process_at(const struct weft_site *site, struct weft_op *parent,
                     struct weft_process *process, const char *const *args, weft_then_fn *then)
{
    op_check_start(parent, &process->op);
    process->args = args;
    weft_run_at(site, parent, &process->op, weft_process_begin, then);
}
