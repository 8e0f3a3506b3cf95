/* weft/process.h: child processes as operations.
 *
 * The operation lasts as long as the child does. A cancel or a deadline asks the child to go
 * (SIGTERM), insists after grace_ms (SIGKILL), and is over when the child has been reaped: no child
 * runs on, and no zombie stays. Its pipes are streams of yours (weft/stream.h), read and written
 * like any other; what it wrote last may still be in them when it is over.
 *
 * What the child has started. Without group only the child itself gets the signals: its own
 * children stay behind, and as long as they hold its pipes these do not end. So for a shell
 * ("sh", "-c", …) set group. Who leaves the group (setsid, a daemon) escapes even so, and the end
 * of file may never come: put a deadline on the reading as well, or close the stream.
 *
 * Where deadlines and cancels go: on the process's op, not on an op around it and its pipes. That
 * would close the pipes at once, before the child could answer SIGTERM or write its last words.
 *
 *     static const char *const args[] = {"sh", "-c", "make check", NULL};
 *     job->process.group = true;
 *     job->process.out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &job->out};
 *     job->process.err = (struct weft_stdio){.kind = WEFT_STDIO_OUT};
 *     weft_stream_open(op, &job->out, NULL);
 *     weft_process(op, &job->process, args, job_over);
 *     weft_deadline(&job->process.op, &job->deadline, 60 * 1000);
 *     weft_read_all(op, &job->text, &job->out, 1 << 20, job_read);
 *
 * What the child starts with. Signals 1 to 31 do what they do by default, and none is blocked,
 * whatever the parent ignores, catches or blocks. Its first three descriptors are in, out and err,
 * made blocking (one that it shares with the parent is so for both). Of the parent's others it has
 * those that are not close-on-exec: none that this library has opened. */
#ifndef WEFT_PROCESS_H
#define WEFT_PROCESS_H

#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_stream;

/* What one of the child's first three descriptors is. Zeroed: /dev/null. */
enum weft_stdio_kind {
    WEFT_STDIO_NULL = 0,
    WEFT_STDIO_INHERIT, /* the parent's own */
    WEFT_STDIO_FD,      /* a descriptor of the parent's; stays the caller's to close */
    WEFT_STDIO_STREAM,  /* a pipe; our end becomes stream, which is open and not connected yet */
    WEFT_STDIO_OUT      /* only for err: the same as its out, whatever that is; in one pipe or file
                         * what it writes to either stays in order */
};
/* One thing only: a stream or an fd above 0 without its kind is UV_EINVAL. */
struct weft_stdio {
    enum weft_stdio_kind kind;
    int fd;
    struct weft_stream *stream;
};

enum { WEFT_PROCESS_GRACE_MS = 2000 };

/* Fill in what differs from the default, then begin.
 *
 * weft_process begins before it returns: pid is set, the pipes are connected, and the strings and
 * lists of args, env and cwd may go. (weft_process_begin by way of weft_run may come later, see
 * there; under a parent that was cancelled there is no begin.)
 *
 * Status: 0: it exited with code 0. WEFT_EEXIT: it ended otherwise, see exit_code and term_signal.
 * The reason, if it was cancelled, however it ended.
 * Refused, and no stream touched: UV_EINVAL: no program named, a stdio that makes no sense, one
 * stream for two, or a stream that is not open or of another loop; UV_EISCONN: a stream is
 * connected already; UV_EBUSY: an accept or a connect is under way for it.
 * UV_ENOENT, UV_EACCES, UV_EMFILE, …: it could not be started. Streams that were to be its pipes
 * may be connected already then: they read the end of file. */
struct weft_process {
    struct weft_op op;
    const char *const *args; /* ends with NULL; args[0] is looked for in PATH (that of env) */
    const char *const *env;  /* "NAME=value", ends with NULL; NULL: the parent's */
    const char *cwd;         /* NULL: the parent's */
    struct weft_stdio in, out, err;
    uint64_t grace_ms; /* between SIGTERM and SIGKILL; 0: WEFT_PROCESS_GRACE_MS */
    bool group;        /* in a process group and session of its own, away from the terminal's
                        * Ctrl-C: signals go to the whole group, and what is left of it when the
                        * child ends is killed at once (SIGKILL) */
    int pid;           /* read only, from begin until the next one, so also in then; the child's no
                        * longer once it is over. 0: not started */
    int exit_code;     /* read only, once over; -1: it did not exit */
    int term_signal;   /* read only, once over; 0: not killed by a signal */
    bool alive_;
    int result_;
    struct weft_timer timer_;
    uv_process_t process_;
};
#define weft_process(parent, process, args, then)                                                  \
    weft_process_at(WEFT_HERE("process", WEFT_PROCESS), parent, process, args, then)
WEFT_API void weft_process_at(const struct weft_site *site, struct weft_op *parent,
                              struct weft_process *process, const char *const *args,
                              weft_then_fn *then);
WEFT_API void weft_process_begin(struct weft_op *op);

/* Send a signal to a child that runs (with group: to its group). UV_ESRCH: it does not run. */
WEFT_API int weft_process_kill(struct weft_process *process, int signum);

/* How a child ended, for people: "exit code 3"; "killed by signal 9 (Killed)"; with the reason of a
 * cancel before it: "timed out: killed by signal 15 (Terminated)"; "not started: no such file or
 * directory". text is terminated, cut if it does not fit, and returned; size is at least 1. */
WEFT_API char *weft_process_explain(const struct weft_process *process, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
