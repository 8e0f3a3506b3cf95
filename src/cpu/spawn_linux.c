/* Starting a worker on Linux.
 *
 *     this process                          the child
 *     block all signals
 *     clone(VM, VFORK) ───────────────────► signals as by default
 *          (this thread stands still)       killed when this thread ends; is it still there?
 *                                           session, descriptors, limits, nice, processors, folder
 *     ◄──────────────────────────────────── exec, or an error and exit
 *     unblock; the error, if any
 *
 * No fork: the page tables of a large process take long to copy. The child runs in our memory on a
 * stack of its own until it becomes another program; that is what posix_spawn does too, which can
 * set neither limits nor what happens to orphans. So the child's part is system calls and nothing
 * else: no allocation, no lock, no function that a sanitizer watches (it would believe that this
 * thread did all that, on a stack that it never left). */
#ifdef __linux__
#include "spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ThreadSanitizer takes every clone for a fork, and prepares the child's memory for it: which is
 * ours. The same function has another name that it does not know. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#if defined(UNDER_TSAN) || defined(__SANITIZE_THREAD__)
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
#define clone __clone
#endif

#define UNWATCHED __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

enum { STACK = 16 << 10, SIGNALS = 64, FEW = 4096 };

struct child {
    const struct spawn_plan *plan;
    long parent;
    volatile int error;
};

UNWATCHED static void default_signals(void)
{
    unsigned long action[8] = {0}; /* as the kernel has it: all zero is SIG_DFL, and no flags */
    for (int number = 1; number <= SIGNALS; number++)
        syscall(SYS_rt_sigaction, number, action, NULL, SIGNALS / 8);
}

UNWATCHED static void unblock_signals(void)
{
    unsigned long none = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, SIGNALS / 8);
}

UNWATCHED static long arrange_descriptors(const struct spawn_plan *plan)
{
    for (int i = 0; i < SPAWN_FDS; i++) {
        if (syscall(SYS_dup3, plan->fds[i], i, 0) < 0)
            return -1;
    }
    if (syscall(SYS_close_range, SPAWN_FDS, ~0U, 0) == 0)
        return 0;
    for (int fd = SPAWN_FDS; fd < FEW; fd++) /* an old kernel: those that it can have by default */
        syscall(SYS_close, fd);
    return 0;
}

UNWATCHED static long set_limit(int resource, uint64_t soft, uint64_t hard)
{
    uint64_t limit[2] = {soft, hard}, now[2];
    if (syscall(SYS_prlimit64, 0, resource, NULL, now) != 0)
        return -1;
    for (int i = 0; i < 2; i++) /* what this process must not have a worker must not either */
        limit[i] = limit[i] < now[1] ? limit[i] : now[1];
    return syscall(SYS_prlimit64, 0, resource, limit, NULL);
}

UNWATCHED static long set_limits(const struct weft_procs_limits *limits)
{
    if (limits->cpu_s != 0 && set_limit(RLIMIT_CPU, limits->cpu_s, limits->cpu_s + 1) != 0)
        return -1;
    if (limits->memory != 0 && set_limit(RLIMIT_AS, limits->memory, limits->memory) != 0)
        return -1;
    if (limits->files != 0 && set_limit(RLIMIT_NOFILE, limits->files, limits->files) != 0)
        return -1;
    return limits->core ? 0 : set_limit(RLIMIT_CORE, 0, 0);
}

UNWATCHED static long set_nice(int more)
{
    if (more == 0)
        return 0;
    long now = 20 - syscall(SYS_getpriority, PRIO_PROCESS, 0);
    return syscall(SYS_setpriority, PRIO_PROCESS, 0, now + more);
}

UNWATCHED static int child_main(void *argument)
{
    struct child *child = argument;
    const struct spawn_plan *plan = child->plan;
    default_signals();
    if (syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        goto failed;
    if (syscall(SYS_getppid) != child->parent)
        syscall(SYS_exit, 127); /* it was quicker: nobody is left to tell */
    if (syscall(SYS_setsid) < 0 || arrange_descriptors(plan) != 0 ||
        (plan->cwd != NULL && syscall(SYS_chdir, plan->cwd) != 0) || set_nice(plan->nice) != 0 ||
        (plan->affinity != 0 &&
         syscall(SYS_sched_setaffinity, 0, sizeof plan->affinity, &plan->affinity) != 0) ||
        set_limits(&plan->limits) != 0)
        goto failed;
    unblock_signals();
    syscall(SYS_execve, plan->file, plan->args, plan->env);
failed:
    child->error = errno;
    syscall(SYS_exit, 127);
    return 127;
}

int weft__spawn(const struct spawn_plan *plan, struct spawned *spawned)
{
    _Alignas(16) char stack[STACK];
    struct child child = {.plan = plan, .parent = getpid()};
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int pid = clone(child_main, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    int err = pid < 0 ? errno : child.error;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err != 0) {
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return uv_translate_sys_error(err);
    }
    /* Nobody else reaps it, so the number is still its own. The descriptor is close-on-exec. */
    spawned->pid = pid;
    spawned->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return 0;
}
#else
typedef int not_linux; /* ISO C wants something here */
#endif
