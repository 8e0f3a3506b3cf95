/* Threads that signals are sent to. */
#include "report.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>

/* A number of the kernel's: for a thread that has ended it means nobody, where a pthread_t would
 * lead into freed memory. */
struct weft_thread_id weft__thread_self(void)
{
    return (struct weft_thread_id){(uintptr_t)syscall(SYS_gettid)};
}

void weft__thread_kill(struct weft_thread_id thread, int signum)
{
    syscall(SYS_tgkill, (long)getpid(), (long)thread.number, (long)signum);
}
#else
struct weft_thread_id weft__thread_self(void)
{
    return (struct weft_thread_id){(uintptr_t)pthread_self()};
}

void weft__thread_kill(struct weft_thread_id thread, int signum)
{
    pthread_kill((pthread_t)thread.number, signum);
}
#endif
