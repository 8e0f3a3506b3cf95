/* The tests' own tools: what they promise is what all other tests rest on.
 * ctest: labels=threads,valgrind */
#include "check.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void abort_with_words(void)
{
    fputs("weft: rule 2 (once): nobody begun at here\n", stderr);
    abort();
}

static void return_quietly(void)
{
}

static void raise_a_segfault(void)
{
    raise(SIGSEGV);
}

static void fail_an_assertion(void)
{
    assert_int_equal(1, 2);
}

TEST(dies_accepts_an_abort_that_says_what_it_should)
{
    dies(abort_with_words, "rule 2", "begun at");
    dies(abort_with_words, "weft");
}

TEST(dies_keeps_the_tests_of_the_child_in_the_child)
{
    dies(fail_an_assertion, "0x1 != 0x2");
}

/* Runs one of the tests below, that have to fail, in a process of its own. */
static int status_of(void (*test)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        FILE *nowhere = freopen("/dev/null", "w", stderr);
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        signal(SIGABRT, SIG_DFL);
        if (nowhere != NULL)
            test();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expects_other_words(void)
{
    dies(abort_with_words, "rule 2", "rule 3");
}

static void expects_a_death(void)
{
    dies(return_quietly, "");
}

static void expects_an_abort(void)
{
    dies(raise_a_segfault, "");
}

TEST(dies_notices_words_that_are_missing)
{
    assert_int_not_equal(status_of(expects_other_words), 0);
}

TEST(dies_notices_a_function_that_returns)
{
    assert_int_not_equal(status_of(expects_a_death), 0);
}

TEST(dies_notices_another_signal)
{
    assert_int_not_equal(status_of(expects_an_abort), 0);
}

TEST(a_seed_comes_from_the_environment)
{
    const char *before = getenv("WEFT_SEED");
    char *kept = before != NULL ? strdup(before) : NULL;
    unsetenv("WEFT_SEED");
    assert_int_equal(check_seed(), 1);
    setenv("WEFT_SEED", "0x10", 1);
    assert_int_equal(check_seed(), 16);
    if (kept != NULL)
        setenv("WEFT_SEED", kept, 1);
    else
        unsetenv("WEFT_SEED");
    free(kept);
}

TEST(a_skipped_test_is_no_failure)
{
    skip();
    assert_true(false);
}

/* tests/self/runner.sh asks for it, to see what a failure looks like. */
TEST(fails_when_asked_to)
{
    const char *how = getenv("WEFT_FAIL_ON_REQUEST");
    if (how != NULL && strcmp(how, "abort") == 0)
        abort();
    assert_null(how);
}
