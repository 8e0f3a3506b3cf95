/* weft/trace.h: record what a program does, to be looked at afterwards.
 *
 *     WEFT_TRACE=trace.json weft spider http://example.org/
 *
 * With WEFT_TRACE in the environment every loop of a program is recorded from its weft_loop_init on,
 * and the file is written at its end. In a program:
 *
 *     weft_trace_start(&(struct weft_trace_options){.path = "trace.json"});
 *     ...
 *     weft_trace_stop();
 *
 * What is recorded. Everything that hooks are told (weft/hook.h), with its time and its thread, and
 * what weft_work and the files' operations do on the thread pool. It goes into rings of a fixed size,
 * one for each loop and each thread of the pool, which are allocated before the first event; the system
 * gives their pages as they fill. A full ring forgets its oldest events; how many is in the file.
 * Recording takes no lock, and memory does not grow with time. It takes one of the WEFT_HOOKS places
 * on each loop.
 *
 * The file, by the end of its name:
 *   .folded  Folded stacks for flame graphs and speedscope. A line is a chain of types from the loop
 *            down, what was done there, and for how many microseconds in all:
 *                loop;page;fetch;http_resolve;[waiting] 31250
 *                loop;page;fetch;http_resolve;page_resolved 12
 *            [waiting]: a request waited, and neither for anything begun under it nor because a
 *            function of its own ran. A function's name: that ran, on the loop's thread or, for work,
 *            on the pool's. What waits side by side adds up to more than the time that passed.
 *   others   Trace Event Format (JSON), for Perfetto, chrome://tracing and `weft trace`.
 * It is written beside its place and put there in one step. A relative name counts from the folder
 * that was current when recording began. "%p" in it stands for the process's id.
 *
 * When it is written. By weft_trace_stop, or when the process ends by exit or by returning from main.
 * That is also the end of an error that nobody caught (weft_throw). It is not written when the
 * process is killed, aborts (a broken rule, WEFT_ABORT) or leaves by _exit or exec.
 *
 * Children inherit WEFT_TRACE, and each program among them that ends writes the file whole: the last
 * one stays, which is the first that was started if it waits for the others. With "%p" each has its
 * own. A child by fork() does not go on with its parent's recording; a loop that it makes is recorded
 * anew if WEFT_TRACE is in the environment.
 *
 * WEFT_TRACE_EVENTS: the size of a ring, in events. What is wrong with either variable, or with the
 * writing at exit, is said once on stderr; the program goes on. Both are ignored in programs that
 * run with more rights than their user has. */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_TRACE_EVENTS = 1 << 17,      /* in a ring, if nobody says otherwise; 40 bytes each */
    WEFT_TRACE_EVENTS_MOST = 1 << 24, /* that a ring may have */
    WEFT_TRACE_RINGS = 64 /* at a time: loops and threads beyond that are not recorded */
};

struct weft_trace_options {
    const char *path; /* copied */
    size_t events;    /* 0: WEFT_TRACE_EVENTS */
};

/* Begin to record: loops that are made from now on, and those of weft_trace_loop. From any thread.
 * UV_EBUSY: something is being recorded. UV_EINVAL: there is no path, or more events than
 * WEFT_TRACE_EVENTS_MOST, or what stands there is no regular file, or it is below /dev or /proc (but
 * for /dev/shm): what these names lead to is somebody's output. UV_ENAMETOOLONG, UV_ENOMEM, UV_ENOTSUP
 * (the library has no hooks), or why nothing can be written there: UV_ENOENT, UV_EACCES, UV_EISDIR,
 * UV_ELOOP (a link that leads nowhere). */
WEFT_API int weft_trace_start(const struct weft_trace_options *options);

/* Could a trace be written there? As weft_trace_start would say: 0, UV_EINVAL, UV_ENAMETOOLONG,
 * UV_ENOTSUP, or why nothing can be written. From any thread; nothing is changed. */
WEFT_API int weft_trace_check(const char *path);

/* Record a loop that was there before, too; on its own thread. What it has begun already is not
 * seen. 0 also if it is recorded already. UV_EINVAL: nothing is being recorded, or loop is NULL or
 * closed. UV_ENOSPC: WEFT_TRACE_RINGS others are, or WEFT_HOOKS other hooks. UV_ENOMEM. */
WEFT_API int weft_trace_loop(struct weft_loop *loop);

/* End the recording and write the file. From any thread, also from a callback; other threads go on
 * unrecorded. 0; UV_EINVAL: nothing is being recorded; UV_ENOMEM; or why it could not be written:
 * then there is no file, or the old one. What was recorded is gone in any case. */
WEFT_API int weft_trace_stop(void);

/* Is something being recorded? */
WEFT_API bool weft_trace_recording(void);

#ifdef __cplusplus
}
#endif
#endif
