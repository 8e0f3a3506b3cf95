/* main() of every test program. */
#include "check.h"
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#endif

#ifdef UNDER_TSAN
/* Death tests fork with libuv's thread pool running, and the child may start threads of its own. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0:second_deadlock_stack=1";
}

/* libuv closes descriptors by a bare system call, which ThreadSanitizer does not see: when another
 * loop is given the same number, it takes that for two threads that open one thing. (What is in front
 * of the names, __interceptor_ or nothing, depends on who looks up the symbols.) */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:epoll_create1$\n"
           "race:eventfd$\n"
           "race:pipe2$\n"
           "race:socket$\n"
           "race:socketpair$\n"
           "race:accept4$\n";
}
#endif

/* Whoever starts the tests may have descriptors open that are meant for nobody: keep them from our
 * children, so that what those find open is what weft gave them. */
static void keep_strange_descriptors_in(void)
{
    for (int fd = 3; fd < 1024; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int main(int argc, char **argv)
{
    keep_strange_descriptors_in();
    if (argc > 2) {
        fprintf(stderr, "usage: %s [--list | part of a test's name]\n", argv[0]);
        return 2;
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        check_list();
        return 0;
    }
    /* Line by line, so that a crash does not swallow what was said before it. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *filter = argc == 2 ? argv[1] : NULL;
    int failed = check_run(basename(argv[0]), filter);
    if (failed < 0)
        fprintf(stderr, "no test to run%s%s\n", filter != NULL ? " matches: " : "",
                filter != NULL ? filter : "");
    return failed == 0 ? 0 : 1;
}
