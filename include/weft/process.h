/* weft/process.h: child processes as operations.
 *
 * The operation lasts as long as the child does. A cancel or a deadline asks the child to go
 * (SIGTERM), insists after grace_ms (SIGKILL), and is over when the child has been reaped: nothing
 * is left behind. Its pipes are streams of yours (weft/stream.h), read and written like any
 * other. */
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
    WEFT_STDIO_STREAM   /* a pipe; our end becomes stream, which is open and not connected yet */
};
struct weft_stdio {
    enum weft_stdio_kind kind;
    int fd;
    struct weft_stream *stream;
};

enum { WEFT_PROCESS_GRACE_MS = 2000 };

/* Fill in what differs from the default, then begin. The strings and lists must live until begin
 * has run.
 *
 * Status: 0: it exited with code 0. WEFT_EEXIT: it ended otherwise, see exit_code and term_signal.
 * UV_ENOENT, UV_EACCES, …: it could not be started. UV_EINVAL: no program named, or a stdio that
 * makes no sense. The reason, if it was cancelled, however it ended.
 * When it could not be started, streams that were to be its pipes may be connected already: they
 * read the end of file. */
struct weft_process {
    struct weft_op op;
    const char *const *args; /* ends with NULL; args[0] is looked for in PATH */
    const char *const *env;  /* "NAME=value", ends with NULL; NULL: the parent's */
    const char *cwd;         /* NULL: the parent's */
    struct weft_stdio in, out, err;
    uint64_t grace_ms; /* between SIGTERM and SIGKILL; 0: WEFT_PROCESS_GRACE_MS */
    bool group;        /* in a process group of its own: signals go to the whole of it, and what
                        * is left of it when the child ends is killed */
    int pid;           /* read only, once begun; 0: not started */
    int exit_code;     /* read only, once over; -1: it did not exit */
    int term_signal;   /* read only, once over; 0: not killed by a signal */
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

#ifdef __cplusplus
}
#endif
#endif
