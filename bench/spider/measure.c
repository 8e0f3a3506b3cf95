/* Runs a command and prints what it took, on one line:
 *
 *     measure FILE COMMAND ARGUMENT...     (its own output goes where it always goes)
 *     elapsed seconds, processor seconds, largest VmHWM in KB, largest RssAnon in KB, exit status
 *
 * RssAnon is memory that is the process's alone: what is mapped from files does not count. The
 * kernel does not keep its maximum, so it is looked at every 5 ms; but the end is noticed when it
 * comes, by its signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static long rss_anon(pid_t pid)
{
    char line[256], path[64];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "RssAnon:", 8) == 0)
            kb = strtol(line + 8, NULL, 10);
    }
    if (file != NULL)
        fclose(file);
    return kb;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: measure FILE COMMAND ARGUMENT...\n", stderr);
        return 2;
    }
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    double begun = now();
    pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status = 0;
    long anon = 0;
    struct rusage usage;
    while (wait4(pid, &status, WNOHANG, &usage) == 0) {
        long its = rss_anon(pid);
        anon = its > anon ? its : anon;
        struct timespec pause = {0, 5000000};
        sigtimedwait(&child, NULL, &pause);
    }
    double took = now() - begun;
    FILE *file = fopen(argv[1], "we");
    if (file == NULL) {
        perror(argv[1]);
        return 2;
    }
    fprintf(file, "%.4f %.4f %ld %ld %d\n", took, seconds(usage.ru_utime) + seconds(usage.ru_stime),
            usage.ru_maxrss, anon, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return fclose(file) == 0 ? 0 : 2;
}
