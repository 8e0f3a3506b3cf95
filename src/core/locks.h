/* The locks of the process, in one place because of fork(). */
#ifndef WEFT_CORE_LOCKS_H
#define WEFT_CORE_LOCKS_H

/* In the order in which they are taken, by who takes several. */
enum weft_lock {
    LOCK_TRACE,    /* a recording begins, ends, gets a loop (trace/record.c) */
    LOCK_LOOPS,    /* the list of loops, the signals that are watched (loops.c) */
    LOCK_REGISTER, /* chunks of ids (register.c) */
    LOCK_KEYS,     /* numbers of context keys (context.c) */
    LOCKS
};

void weft__lock(enum weft_lock which);
void weft__unlock(enum weft_lock which);

/* ---- in a forked child, where the one thread that is left has all locks ------------------------ */

void weft__loops_forked(void);
void weft__trace_forked(void);

#endif
