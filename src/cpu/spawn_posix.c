/* Starting a worker where there is no clone: fork and exec, with a pipe that tells of an error.
 * What only Linux has is left out: no death with the parent (the end of the channel has to do), no
 * processors. */
#ifndef __linux__
#include "spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FEW = 4096 };

static void set_limit(int resource, uint64_t value)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    if (limit.rlim_max == RLIM_INFINITY || value < limit.rlim_max)
        limit.rlim_max = (rlim_t)value;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
}

static void set_limits(const struct weft_procs_limits *limits)
{
    if (limits->cpu_s != 0)
        set_limit(RLIMIT_CPU, limits->cpu_s);
#ifdef RLIMIT_AS
    if (limits->memory != 0)
        set_limit(RLIMIT_AS, limits->memory);
#endif
    if (limits->files != 0)
        set_limit(RLIMIT_NOFILE, limits->files);
    if (!limits->core)
        set_limit(RLIMIT_CORE, 0);
}

static void default_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

__attribute__((noreturn)) static void child_main(const struct spawn_plan *plan, int tell)
{
    int keep = fcntl(tell, F_DUPFD_CLOEXEC, SPAWN_FDS);
    default_signals();
    setsid();
    for (int i = 0; i < SPAWN_FDS; i++)
        dup2(plan->fds[i], i);
    for (int fd = SPAWN_FDS; fd < FEW; fd++) {
        if (fd != keep)
            close(fd);
    }
    set_limits(&plan->limits);
    errno = 0;
    if ((plan->cwd == NULL || chdir(plan->cwd) == 0) &&
        (plan->nice == 0 || nice(plan->nice) != -1 || errno == 0))
        execve(plan->file, plan->args, plan->env);
    int err = errno;
    ssize_t told = write(keep, &err, sizeof err);
    (void)told;
    _exit(127);
}

int weft__spawn(const struct spawn_plan *plan, struct spawned *spawned)
{
    int ends[2], err = 0;
    if (pipe(ends) != 0)
        return uv_translate_sys_error(errno);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0)
        child_main(plan, ends[1]);
    if (pid < 0)
        err = errno;
    close(ends[1]);
    if (pid > 0 && read(ends[0], &err, sizeof err) <= 0)
        err = 0;
    close(ends[0]);
    if (err != 0) {
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return uv_translate_sys_error(err);
    }
    spawned->pid = pid;
    spawned->pidfd = -1;
    return 0;
}
#else
typedef int not_posix_alone; /* ISO C wants something here */
#endif
