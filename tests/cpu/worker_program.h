/* tests/cpu/worker_program.h: a test program that is also its own worker.
 *
 * A pool that is set up with self() starts this same program again; the constructor below sees that
 * it was started by a pool, and serves jobs instead of tests. A job's input says what to do, one
 * word and a number or a text; many of them misbehave. */
#ifndef TESTS_CPU_WORKER_PROGRAM_H
#define TESTS_CPU_WORKER_PROGRAM_H

#include "cpu/page.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/worker.h>

extern char **environ;

static inline void nap(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        continue;
}

static inline void put_bytes(const void *data, size_t size)
{
    ssize_t done = send(3, data, size, MSG_NOSIGNAL);
    (void)done;
}

static inline void put_frame(struct frame frame)
{
    char head[FRAME_HEAD];
    weft__frame_write(head, &frame);
    put_bytes(head, sizeof head);
}

/* A job with 8 bytes of 0xee is no frame: its flags and zeros are wrong. */
static inline void put_garbage(void)
{
    static const char garbage[64] =
        "\xee\xee\xee\xee\xee\xee\xee\xee this is no frame at all, sorry";
    put_bytes(garbage, sizeof garbage);
}

static inline void end_text(struct weft_worker_job *job, const char *text)
{
    weft_worker_end(job, text, strlen(text));
}

/* ---- looking around --------------------------------------------------------------------------- */

static inline void tell_descriptors(struct weft_worker_job *job)
{
    char text[256] = "";
    for (int fd = 0; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", fd);
    }
    end_text(job, text);
}

static inline void tell_environment(struct weft_worker_job *job)
{
    char text[4096] = "";
    for (char **entry = environ; *entry != NULL; entry++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", *entry);
    end_text(job, text);
}

static inline void tell_limits(struct weft_worker_job *job)
{
    struct rlimit cpu, memory, files, core;
    cpu_set_t set;
    char text[512], cwd[256];
    getrlimit(RLIMIT_CPU, &cpu);
    getrlimit(RLIMIT_AS, &memory);
    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_CORE, &core);
    sched_getaffinity(0, sizeof set, &set);
    snprintf(text, sizeof text,
             "cpu %lld memory %lld files %lld core %lld nice %d processors %d in %s",
             (long long)cpu.rlim_cur, (long long)memory.rlim_cur, (long long)files.rlim_cur,
             (long long)core.rlim_cur, getpriority(PRIO_PROCESS, 0), CPU_COUNT(&set),
             getcwd(cwd, sizeof cwd) != NULL ? cwd : "?");
    end_text(job, text);
}

static inline void tell_signals(struct weft_worker_job *job)
{
    sigset_t blocked;
    int odd = 0;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number < 32; number++) {
        struct sigaction action;
        if (sigismember(&blocked, number) == 1)
            odd++;
        else if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            odd++;
    }
    end_text(job, odd == 0 ? "all as by default" : "some are odd");
}

/* ---- misbehaving ------------------------------------------------------------------------------ */

/* Something that lives on and keeps the channel, in a group of its own if `away`. Its number is told. */
static inline void leave_orphan(struct weft_worker_job *job, bool away)
{
    char text[32];
    pid_t pid = fork();
    if (pid == 0) {
        if (away)
            setsid();
        for (int i = 0; i < 3000; i++)
            nap(10);
        _exit(0);
    }
    snprintf(text, sizeof text, "%d", (int)pid);
    weft_worker_emit(job, 1, text, strlen(text));
    _exit(7);
}

/* The page, which the library has mapped and keeps to itself. */
static inline struct page *find_page(void)
{
    unsigned long long from, to;
    char line[512];
    struct page *page = NULL;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file != NULL && page == NULL && fgets(line, sizeof line, file) != NULL) {
        if (strstr(line, "rw-s") != NULL && strstr(line, "memfd:") != NULL &&
            sscanf(line, "%llx-%llx", &from, &to) == 2 && to - from == sizeof *page)
            page = (struct page *)(uintptr_t)from;
    }
    if (file != NULL)
        fclose(file);
    return page;
}

static inline void misbehave(struct weft_worker_job *job, const char *what, long number)
{
    struct frame end = {.type = FRAME_END, .job = job->id, .attempt = job->attempt};
    if (strcmp(what, "exit") == 0) {
        _exit((int)number);
    } else if (strcmp(what, "kill") == 0) {
        kill(getpid(), (int)number);
    } else if (strcmp(what, "stop") == 0) {
        kill(getpid(), SIGSTOP);
    } else if (strcmp(what, "hang") == 0) {
        weft_worker_emit(job, 1, "0", 1);
        for (;;)
            nap(1000);
    } else if (strcmp(what, "liar") == 0) { /* as if it were at the next job already */
        find_page()->begun = job->id + 1;
        nap(60000);
    } else if (strcmp(what, "scribble") == 0) { /* the page is full of nonsense */
        struct page *page = find_page();
        memset(page->frames, 0xee, sizeof page->frames);
        page->gathered = (uint32_t)number;
        _exit(2);
    } else if (strcmp(what, "clairvoyant") == 0) { /* ends jobs that it has not seen */
        for (long i = 0; i < number; i++, end.job++)
            put_frame(end);
        nap(60000);
    } else if (strcmp(what, "unread") == 0) { /* it will read nothing any more, but lives */
        weft_worker_emit(job, 1, "0", 1);
        shutdown(3, SHUT_RD);
        put_frame(end);
        nap(60000);
    } else if (strcmp(what, "burn") == 0) {
        for (volatile unsigned long i = 0;; i++)
            continue;
    } else if (strcmp(what, "garbage") == 0) {
        put_garbage();
        nap(number);
    } else if (strcmp(what, "huge") == 0) {
        end.size = UINT32_MAX;
        put_frame(end);
        nap(number);
    } else if (strcmp(what, "half") == 0) {
        put_bytes("\x10\0\0\0\x12", 5);
        _exit(5);
    } else if (strcmp(what, "twice") == 0) {
        weft_worker_emit(job, 1, "first", 5); /* so that what was gathered before it is sent */
        put_frame(end);
    } else if (strcmp(what, "late") == 0) {
        weft_worker_emit(job, 1, "first", 5);
        put_frame(end);
        end.type = FRAME_EVENT;
        put_frame(end);
    } else if (strcmp(what, "ready") == 0) {
        put_frame((struct frame){.type = FRAME_READY, .kind = FRAME_VERSION});
        nap(number);
    } else if (strcmp(what, "stranger") == 0) {
        weft_worker_emit(job, 1, "first", 5);
        end.job += 1000;
        put_frame(end);
        end.type = FRAME_EVENT;
        put_frame(end);
    } else if (strcmp(what, "nomemory") == 0) {
        end.flags = FRAME_IN_MEMORY;
        end.size = 100000;
        put_frame(end);
        nap(number);
    } else if (strcmp(what, "close") == 0) {
        shutdown(3, SHUT_RDWR);
        nap(number);
        _exit(6);
    }
}

/* A memory that is not sealed: whoever maps it can be killed by cutting it off. */
static inline void send_open_memory(struct weft_worker_job *job)
{
    char head[FRAME_HEAD];
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {head, sizeof head};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *at = CMSG_FIRSTHDR(&message);
    int fd = memfd_create("open", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 100000) != 0)
        _exit(9);
    weft__frame_write(head, &(struct frame){.size = 100000,
                                            .type = FRAME_END,
                                            .flags = FRAME_IN_MEMORY,
                                            .job = job->id,
                                            .attempt = job->attempt});
    at->cmsg_level = SOL_SOCKET;
    at->cmsg_type = SCM_RIGHTS;
    at->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(at), &fd, sizeof fd);
    if (sendmsg(3, &message, MSG_NOSIGNAL) < 0)
        _exit(8);
    nap(10000);
}

/* ---- behaving --------------------------------------------------------------------------------- */

static inline void emit_many(struct weft_worker_job *job, long count, size_t size)
{
    char *text = calloc(1, size + 32);
    for (long i = 0; i < count; i++) {
        snprintf(text, 32, "%ld", i);
        if (!weft_worker_emit(job, 7, text, size > strlen(text) ? size : strlen(text)))
            break;
    }
    free(text);
    end_text(job, "emitted");
}

static inline void end_large(struct weft_worker_job *job, size_t size)
{
    char *data = malloc(size);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)(i * 31);
    weft_worker_end(job, data, size);
    free(data);
}

static inline void spin(struct weft_worker_job *job, long ms)
{
    for (long i = 0; i < ms && !weft_worker_stopped(job); i++)
        nap(1);
    end_text(job, weft_worker_stopped(job) ? "stopped" : "spun");
}

static inline void converse(struct weft_worker_job *job)
{
    uint32_t kind;
    const void *data;
    size_t size;
    while (weft_worker_receive(job, &kind, &data, &size) && kind != 0)
        weft_worker_emit(job, kind, data, size);
    end_text(job, "bye");
}

static inline void sum_input(struct weft_worker_job *job)
{
    const unsigned char *bytes = job->data;
    unsigned long sum = 0;
    char text[32];
    for (size_t i = 0; i < job->size; i++)
        sum += bytes[i];
    snprintf(text, sizeof text, "%lu", sum);
    end_text(job, text);
}

static inline void remember_memory(long megabytes)
{
    static char *kept;
    size_t size = (size_t)megabytes << 20;
    kept = malloc(size);
    memset(kept, 1, size);
    __asm__ volatile("" : : "r"(kept) : "memory");
}

static inline bool behave(struct weft_worker_job *job, const char *what, const char *rest,
                          long number)
{
    char text[64];
    if (strcmp(what, "echo") == 0) {
        end_text(job, rest);
    } else if (strcmp(what, "fail") == 0) {
        weft_worker_fail(job, rest);
    } else if (strcmp(what, "events") == 0) {
        emit_many(job, number, 0);
    } else if (strcmp(what, "flood") == 0) {
        emit_many(job, number, 32768);
    } else if (strcmp(what, "blocks") == 0) {
        emit_many(job, number, 300000);
    } else if (strcmp(what, "spin") == 0) {
        spin(job, number);
    } else if (strcmp(what, "sleep") == 0) {
        nap(number);
        end_text(job, "slept");
    } else if (strcmp(what, "large") == 0) {
        end_large(job, (size_t)number);
    } else if (strcmp(what, "talk") == 0) {
        converse(job);
    } else if (strcmp(what, "grow") == 0) {
        remember_memory(number);
    } else if (strcmp(what, "attempt") == 0) { /* dies in the first ones */
        if (job->attempt < number)
            _exit(4);
        end_text(job, "at last");
    } else if (strcmp(what, "pid") == 0) {
        snprintf(text, sizeof text, "%d", (int)getpid());
        end_text(job, text);
    } else if (strcmp(what, "look") == 0) {
        if (strcmp(rest, "descriptors") == 0)
            tell_descriptors(job);
        else if (strcmp(rest, "environment") == 0)
            tell_environment(job);
        else if (strcmp(rest, "signals") == 0)
            tell_signals(job);
        else
            tell_limits(job);
    } else {
        return false;
    }
    return true;
}

static inline void serve_words(struct weft_worker_job *job, void *context)
{
    char text[256], *rest;
    (void)context;
    if (job->size >= sizeof text) {
        sum_input(job);
        return;
    }
    memcpy(text, job->data, job->size);
    text[job->size] = '\0';
    rest = strchr(text, ' ');
    if (rest != NULL)
        *rest++ = '\0';
    else
        rest = text + job->size;
    if (behave(job, text, rest, atol(rest)))
        return;
    if (strcmp(text, "event-then") == 0) {
        weft_worker_emit(job, 1, "first", 5);
        _exit(3);
    }
    if (strcmp(text, "orphan") == 0 || strcmp(text, "daemon") == 0)
        leave_orphan(job, text[0] == 'd');
    if (strcmp(text, "unsealed") == 0)
        send_open_memory(job);
    misbehave(job, text, atol(rest));
}

/* Before it says that it is ready: what WORKER in its environment asks for. */
static inline void begin_badly(const char *how)
{
    if (strcmp(how, "mute") == 0)
        nap(60000);
    if (strcmp(how, "exit") == 0)
        _exit(3);
    if (strcmp(how, "garbage") == 0)
        put_garbage();
    if (strcmp(how, "version") == 0)
        put_frame((struct frame){.type = FRAME_READY, .kind = 99});
    if (strcmp(how, "early") == 0)
        put_frame((struct frame){.type = FRAME_PONG});
    if (strcmp(how, "blind") == 0) /* as one that knows nothing of the page */
        unsetenv("WEFT_WORKER_PAGE");
    else if (how[0] != '\0')
        nap(60000);
}

#ifndef WORKER_SERVE
#define WORKER_SERVE serve_words
#endif

__attribute__((constructor)) static void be_a_worker(void)
{
    const char *how = getenv("WORKER");
    if (getenv("WEFT_WORKER_FD") == NULL)
        return;
    if (how != NULL)
        begin_badly(how);
    _exit(weft_worker_run(WORKER_SERVE, NULL) == 0 ? 0 : 1);
}

/* ---- for the tests ---------------------------------------------------------------------------- */

/* The arguments that start this program again. Not /proc/self/exe: under valgrind that is another. */
static inline const char *const *self(void)
{
    static char path[4096];
    static const char *const args[] = {path, NULL};
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    return args;
}

static inline int count_descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

/* No child is left, not even a zombie. */
static inline bool is_childless(void)
{
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

#endif
