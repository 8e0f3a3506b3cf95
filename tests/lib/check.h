/* tests/lib/check.h: a test is a sentence and a body.
 *
 *     TEST(a_queue_runs_what_was_pushed)
 *     {
 *         ...
 *         assert_int_equal(ran, 3);
 *     }
 *
 * Tests register themselves and run in the order in which they stand in the file; main() is in
 * tests/lib/main.c. The assertions are cmocka's. A program takes one argument: only the tests whose
 * name contains it are run; `--list` prints the names. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

/* cmocka.h wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

struct check_test {
    const char *name;
    void (*body)(void);
    struct check_test *next;
    bool settled; /* it came to its end, or was skipped */
};

/* Called by TEST before main(). */
void check_register(struct check_test *test);

#define TEST(sentence)                                                                             \
    static void sentence(void);                                                                    \
    __attribute__((constructor)) static void check_register_##sentence(void)                       \
    {                                                                                              \
        static struct check_test test = {.name = #sentence, .body = sentence};                     \
        check_register(&test);                                                                     \
    }                                                                                              \
    static void sentence(void)

/* Leave a test because its conditions are not met here; say why on stderr first. */
#undef skip
#define skip() (check_settle(), _skip(__FILE__, __LINE__))
void check_settle(void);
/* Leave a test because the library is built without hooks. */
#ifdef WEFT_NO_HOOKS
#define needs_hooks()                                                                              \
    do {                                                                                           \
        fputs("skipped: this library has no hooks\n", stderr);                                     \
        skip();                                                                                    \
    } while (0)
#else
#define needs_hooks() ((void)0)
#endif

/* Requires that function() kills its process by SIGABRT, as a broken rule does, and that what it
 * wrote to stderr contains each of the texts:
 *
 *     dies(finish_twice, "rule 2", "begun at");
 *
 * It runs in a child process, that leaves no core file and that is killed after half a minute. */
#define dies(function, ...)                                                                        \
    check_dies(__FILE__, __LINE__, #function, function, __VA_ARGS__, (const char *)NULL)
void check_dies(const char *file, int line, const char *name, void (*function)(void), ...);

/* Where seeded tests begin: WEFT_SEED from the environment, otherwise 1. Print it on failure. */
uint64_t check_seed(void);

/* How often to repeat something: normal, or 20 times as often under `make torture`. */
unsigned long check_scale(unsigned long normal);

/* Runs the tests whose name contains filter (NULL: all); the number that failed, or -1 if there
 * was none to run. list: only print their names. */
int check_run(const char *program, const char *filter);
void check_list(void);

#endif
