/* The inside of what people are told, shared by the files about it.
 *
 *     wording.c      one op as a line; the chain above it
 *     stack.c        weft_stack, and the C stacks of where ops were begun
 *     dump.c         the tree of all that is open
 *     code.c         where a function is, for signal handlers
 *     alive.c        why the loop stays alive; the uv handles on it
 *     fatal.c        broken rules, errors that nobody caught
 *     dump_signal.c  the same on a signal, also while a callback spins
 *     leaks.c        what was never finished or closed, by place
 *     loops.c        all loops of the process */
#ifndef WEFT_CORE_REPORT_H
#define WEFT_CORE_REPORT_H

#include "observe.h"

/* Text on its way. What puts it together runs in a signal handler too: no stdio, no allocation, no
 * locale. Full, it takes no more. */
struct weft_words {
    char *chars;
    size_t room, length;
    FILE *file; /* a line that is complete goes there, */
    int fd;     /* or there; -1 and no file: all of it stays in chars */
};
#define WORDS_TO_FILE(storage, to)                                                                 \
    {                                                                                              \
        storage, sizeof(storage), 0, to, -1                                                        \
    }
#define WORDS_TO_FD(storage, to)                                                                   \
    {                                                                                              \
        storage, sizeof(storage), 0, NULL, to                                                      \
    }
#define WORDS_KEPT(storage)                                                                        \
    {                                                                                              \
        storage, sizeof(storage), 0, NULL, -1                                                      \
    }

void weft__say(struct weft_words *words, const char *text);
void weft__say_number(struct weft_words *words, uint64_t number);
void weft__say_hex(struct weft_words *words, uint64_t number);
/* "340 ms", "12.5 s", "17 min", "30 h". */
void weft__say_time(struct weft_words *words, uint64_t ms);
/* "1 timer", "2 timers". */
void weft__say_count(struct weft_words *words, uint64_t count, const char *one, const char *many);
void weft__say_blanks(struct weft_words *words, size_t count);
/* " begun at file:line function()"; a site without a file says nothing. */
void weft__say_site(struct weft_words *words, const struct weft_site *site);
/* The loop's clock as it is now, and not as it was on its last turn: of a loop that does not turn,
 * for one of its callbacks spins, that is what ages are counted by. */
uint64_t weft__now_ms(const struct weft_loop *loop);
/* One op: type [state, cancelled with what, age] begun at … and the end of the line. */
void weft__say_op(struct weft_words *words, const struct weft_op *op);
/* op and those above it, a line each; of a long chain, the two ends. c_stacks: with those that were
 * sampled. Not in a signal handler. */
void weft__say_chain(struct weft_words *words, const struct weft_op *op, size_t most,
                     bool c_stacks);
/* The line is complete. */
void weft__say_end(struct weft_words *words);

/* ---- stack.c -------------------------------------------------------------------------------- */

/* Its name and (), from the symbol table. Not in a signal handler. */
void weft__say_function(struct weft_words *words, weft_entry_fn *function);
struct weft_samples;
/* The C stack of where the resource with this id was begun, if it was sampled. */
void weft__say_sample(struct weft_words *words, const struct weft_loop *loop, uint64_t id,
                      size_t blanks);

/* ---- code.c --------------------------------------------------------------------------------- */

struct weft_code;
/* What is loaded now, to be freed by weft_free; NULL: no memory, or this system does not tell. */
struct weft_code *weft__code_look(void);
/* module+0xoffset, or the bare address. For signal handlers. */
void weft__say_code(struct weft_words *words, const struct weft_code *code,
                    weft_entry_fn *function);

/* ---- alive.c -------------------------------------------------------------------------------- */

/* The data of a uv handle that a part of the library has made for itself. */
extern char weft__uv_ours;
void weft__say_alive(struct weft_words *words, const struct weft_loop *loop);

/* ---- leaks.c -------------------------------------------------------------------------------- */

struct weft_report;
/* Count no more, for a loop that is no longer linked. */
void weft__leaks_close(struct weft_report *report);

/* ---- loops.c -------------------------------------------------------------------------------- */

struct weft_signal_watch;
struct weft_leaks;

/* Of a loop: lives with its handles. Linked for as long as the loop is open, so that a signal
 * handler and a debugger find it. */
struct weft_report {
    struct weft_loop *loop;
    struct weft_report *next;        /* read by signal handlers: atomic */
    struct weft_signal_watch *watch; /* the same */
    struct weft_samples *samples;
    struct weft_leaks *leaks;
    int pid;
};
extern struct weft_report *weft__loops;
struct weft_report *weft__report_of(const struct weft_loop *loop);

/* loop is there: link it, and do what the environment asks for. */
void weft__reports_open(struct weft_loop *loop);
/* It is about to be closed: nothing of this is left. */
void weft__reports_close(struct weft_loop *loop);

/* Those who go through the list without the lock, a signal handler, say so; who takes something out
 * waits for them before it is freed. */
void weft__loops_read(void);
void weft__loops_read_end(void);
void weft__loops_settle(void);
void weft__loops_lock(void);
void weft__loops_unlock(void);

/* ---- thread.c ------------------------------------------------------------------------------- */

/* This thread as one that a signal can be sent to. */
struct weft_thread_id {
    uintptr_t number;
};
struct weft_thread_id weft__thread_self(void);
/* Safe in a signal handler, and on Linux also for a thread that has ended. */
void weft__thread_kill(struct weft_thread_id thread, int signum);

#endif
