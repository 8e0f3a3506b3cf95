/* Death tests. The child runs the function with its stderr in an unlinked file: a pipe could fill
 * up, and a file needs nobody who reads it meanwhile. */
#include "check.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { SURVIVED = 77, HALF_A_MINUTE = 30 };

#ifdef WEFT_COVERAGE
/* An abort loses gcc's line counts, and with them that the broken rules were ever tried. */
void __gcov_dump(void);

static void save_counts(int signal_number)
{
    __gcov_dump();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}
#endif

/* Everything that would turn the abort into something else, or make it slow. */
static void prepare_to_die(void)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
#ifdef __linux__
    /* Where cores are piped to a program the limit does not count. */
    prctl(PR_SET_DUMPABLE, 0);
#endif
    static const int caught_by_cmocka[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof caught_by_cmocka / sizeof *caught_by_cmocka; i++)
        signal(caught_by_cmocka[i], SIG_DFL);
#ifdef WEFT_COVERAGE
    signal(SIGABRT, save_counts);
#endif
    /* A failed assertion in the child must not jump back into the parent's list of tests. */
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    alarm(HALF_A_MINUTE);
}

_Noreturn static void child(void (*function)(void), FILE *capture)
{
    prepare_to_die();
    if (dup2(fileno(capture), STDERR_FILENO) < 0)
        _exit(SURVIVED + 1);
    setvbuf(stderr, NULL, _IONBF, 0);
    function();
    _exit(SURVIVED);
}

static char *read_all(FILE *file)
{
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)(size > 0 ? size : 0) + 1);
    if (text != NULL && size > 0)
        text[fread(text, 1, (size_t)size, file)] = '\0';
    return text;
}

static void describe(int status, char *to, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(to, size, "died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == SURVIVED)
        snprintf(to, size, "returned");
    else
        snprintf(to, size, "exited with %d", WEXITSTATUS(status));
}

void check_dies(const char *file, int line, const char *name, void (*function)(void), ...)
{
    FILE *capture = tmpfile();
    if (capture == NULL)
        _fail(file, line);
    fflush(NULL); /* or the child would write our buffers again */
    pid_t pid = fork();
    if (pid == 0)
        child(function, capture);
    int status = 0;
    bool waited = pid > 0 && waitpid(pid, &status, 0) == pid;
    char *text = read_all(capture);
    fclose(capture);

    const char *missing = NULL;
    va_list texts;
    va_start(texts, function);
    for (const char *wanted; (wanted = va_arg(texts, const char *)) != NULL;) {
        if (missing == NULL && (text == NULL || strstr(text, wanted) == NULL))
            missing = wanted;
    }
    va_end(texts);

    bool aborted = waited && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (!aborted || missing != NULL) {
        char how[128] = "could not be started";
        if (waited)
            describe(status, how, sizeof how);
        print_error("%s should have aborted: it %s\n", name, how);
        if (missing != NULL)
            print_error("its stderr does not contain: %s\n", missing);
        print_error("its stderr:\n%s\n", text != NULL ? text : "");
        free(text);
        _fail(file, line);
        return;
    }
    free(text);
}
