/* Locks, and what becomes of them in a child.
 *
 * fork() copies the memory and one thread. What another thread was in the middle of stays half done
 * in the child for ever, and its locks stay taken. So the thread that forks takes all of them first:
 * then nobody is in the middle of anything that they guard. The parent gives them back; the child
 * makes them anew, since it is not the thread that took them.
 *
 * None is held while a function of the user's runs, so who forks holds none. */
#include "locks.h"
#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

static uv_mutex_t locks[LOCKS];
static uv_once_t once = UV_ONCE_INIT;

static void make_all(void)
{
    for (int i = 0; i < LOCKS; i++) {
        if (uv_mutex_init(&locks[i]) != 0)
            abort(); /* it takes no memory here; there is nobody to tell */
    }
}

static void set_up(void);

static void before_fork(void)
{
    uv_once(&once, set_up); /* another thread may have made them: now this one has seen it, too */
    for (int i = 0; i < LOCKS; i++)
        uv_mutex_lock(&locks[i]);
}

static void after_fork(void)
{
    for (int i = LOCKS; i-- > 0;)
        uv_mutex_unlock(&locks[i]);
}

static void in_the_child(void)
{
    make_all();
    weft__loops_forked();
    weft__trace_forked();
}

static void set_up(void)
{
    make_all();
    pthread_atfork(before_fork, after_fork, in_the_child);
}

void weft__lock(enum weft_lock which)
{
    uv_once(&once, set_up);
    uv_mutex_lock(&locks[which]);
}

void weft__unlock(enum weft_lock which)
{
    uv_mutex_unlock(&locks[which]);
}
