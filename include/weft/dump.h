/* weft/dump.h: what is it waiting for?
 *
 * weft_dump and weft_stack (weft/loop.h) answer when the program asks them. This is for a program
 * that is not asked: one that hangs, spins, or ends with work left over.
 *
 *     WEFT_DUMP=SIGUSR2 program &        kill -USR2 $!       what it waits for, at once
 *     WEFT_STACKS=100 program            every 100th op knows the C stack of its begin
 *     WEFT_LEAKS=1 program               at exit, what was never finished or closed
 *
 * The three variables work for any program with a loop of weft's in it, for each of its loops, and
 * write to stderr. A value that makes no sense is told there and otherwise ignored. The functions
 * below do the same for one loop.
 *
 * WEFT_DUMP takes a signal by name, USR2 or SIGUSR2, or by number, 12; 1 stands for SIGUSR2.
 *
 * From a debugger, on a core file too: `source PREFIX/share/weft/weft-gdb.py`, then `weft-dump` or
 * `weft-stack OP`. PREFIX is where weft is installed.
 *
 * What an op is told to wait for, beside [running] and [waiting for its children]:
 *
 *     [waiting, 340 ms]                              for work that it has under way
 *     [waits for somebody's weft_finish, 340 ms]     it has none: was that finish forgotten?
 *     [queued, 253 ms: 1 of 1 running in the queue made at spider.c:12 main()]
 *     [too early, 253 ms: being initialised, lazy made at shop.c:12 main()]
 *
 * Ages are read off the clock at that moment, but counted from the turn of the loop on which an op
 * was begun. */
#ifndef WEFT_DUMP_H
#define WEFT_DUMP_H

#include "loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When the process gets signum, dump loop to `to`, on the loop's next turn: at once if it waits for
 * I/O. If one of its callbacks runs at that moment, that is told before, from inside the signal
 * handler: whose callback it is, where that was begun, for how long it has been running, which
 * function that is (as program+0xoffset, which addr2line takes; by name on the next turn), and the
 * chain of ops it runs for; so a callback that spins is found too.
 *
 * While this is on, each callback notes when it began: some 80 nanoseconds an op.
 * The handler of before is called as well, also one of libuv's; one that is set later must do the
 * same for ours. Any thread may get the signal: it is passed on to the loop's. `to` is borrowed
 * until this is taken back, by signum 0 or by weft_loop_close. Called again, it changes both; if that
 * fails, all stays as it was.
 *
 * On the loop's thread. UV_EINVAL: loop is NULL or closed, `to` is NULL or has no descriptor, or
 * nobody can catch signum. UV_ENOMEM and libuv's own errors. */
WEFT_API int weft_dump_on_signal(struct weft_loop *loop, int signum, FILE *to);

/* From now on each `every`th resource that is begun on loop remembers the C stack of its begin, 16
 * frames of it: weft_stack, weft_dump and broken rules show them. 1: all of them; 0: no more, and
 * those there are forgotten. The last 256 are kept. A frame is told by its function's name, or, in a
 * file without symbols, as module+offset, which addr2line takes.
 *
 * Stacks are walked by the compiler's unwind tables, as exceptions are: frame pointers are not
 * needed, and code without such tables ends the stack. It costs a few microseconds each time.
 *
 * On the loop's thread. UV_EINVAL: loop is NULL or closed. UV_ENOMEM. As weft_hook_enable:
 * UV_ENOSPC, UV_ENOTSUP. */
WEFT_API int weft_stacks_sample(struct weft_loop *loop, unsigned every);

/* Count from now on what is begun and what ends on loop, by the place where it was begun: ops, the
 * handles that are no ops, and the loop itself. It goes on until weft_loop_close.
 * On the loop's thread. UV_EINVAL: loop is NULL or closed. UV_ENOMEM. As weft_hook_enable:
 * UV_ENOSPC, UV_ENOTSUP. */
WEFT_API int weft_leaks_watch(struct weft_loop *loop);
/* What is open on the loops that are counted so, and what was still open on those of them that were
 * closed; most first, then in the order of the sources, a line a place:
 *
 *     weft: never finished or closed:
 *       12 fetch begun at spider.c:88 follow()
 *       1 loop
 *
 * Of a loop that was closed queues and cargos do not count: they need not be closed after it.
 * With nothing open, nothing is written. How many they are. From any thread; the counts of a loop
 * that is running are those of one moment. Of a child process that was forked, not its parent's.
 * The sites of what is left open must stay in memory: no library with one may be unloaded before. */
WEFT_API size_t weft_leaks(FILE *to);

/* For those who make ops of uv handles: handle belongs to such an op, so a dump does not list it as
 * one of the program's own. Sets handle->data. Who needs that for something else gives the handle to
 * weft_handle_open (weft/hook.h) as its resource: that counts as well, as long as a hook sees it. */
WEFT_API void weft_dump_belongs(uv_handle_t *handle);

#ifdef __cplusplus
}
#endif
#endif
