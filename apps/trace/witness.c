/* A witness: a process in our group that does nothing but take the same signals.
 *
 * `kill` on a process group, `timeout` and a terminal's Ctrl-C send a signal to all of the group, and
 * that cannot be seen from the signal. But the witness gets it only then. It writes each number into a
 * pipe. It ends when the other pipe does, whose other end is ours: also if we are killed. */
#include "trace/witness.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int reports;

static void report(int signum)
{
    char number = (char)signum;
    int before = errno;
    if (write(reports, &number, 1) < 0)
        _exit(0); /* there is nobody to tell */
    errno = before;
}

__attribute__((noreturn)) static void watch(int life, const int *signals, size_t count)
{
    struct sigaction action = {.sa_handler = report};
    sigset_t set;
    char end;
    sigemptyset(&action.sa_mask);
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++) {
        sigaction(signals[i], &action, NULL);
        sigaddset(&set, signals[i]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    while (read(life, &end, 1) < 0 && errno == EINTR)
        continue;
    _exit(0);
}

static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_pipe(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

/* What is sent while it gets ready waits until it is. */
static pid_t fork_blocked(const int *signals, size_t count)
{
    sigset_t set, before;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t pid = fork();
    if (pid != 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

void witness_start(struct witness *witness, const int *signals, size_t count)
{
    int life[2], told[2];
    *witness = (struct witness){.life = -1, .reports = -1};
    if (!make_pipe(life))
        return;
    if (!make_pipe(told)) {
        close_pipe(life);
        return;
    }
    pid_t pid = fork_blocked(signals, count);
    if (pid == 0) {
        close(life[1]);
        close(told[0]);
        reports = told[1];
        watch(life[0], signals, count);
    }
    if (pid < 0) {
        close_pipe(life);
        close_pipe(told);
        return;
    }
    close(life[0]);
    close(told[1]);
    fcntl(told[0], F_SETFL, O_NONBLOCK);
    *witness = (struct witness){.pid = pid, .life = life[1], .reports = told[0]};
}

bool witness_saw(struct witness *witness, int signum)
{
    char number;
    while (witness->pid != 0 && read(witness->reports, &number, 1) == 1)
        witness->seen[number & 63] = true;
    bool seen = witness->seen[signum & 63];
    witness->seen[signum & 63] = false;
    return seen;
}

void witness_stop(struct witness *witness)
{
    if (witness->pid == 0)
        return;
    close(witness->life);
    close(witness->reports);
    while (waitpid(witness->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    witness->pid = 0;
}
