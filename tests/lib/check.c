/* The layer over cmocka: registration, filtering, and saying under which seed a test failed.
 *
 * cmocka leaves a failed test by longjmp, so whatever has to happen after one happens in the
 * teardown. That a test failed is seen there by what is missing: only a body that returned, or one
 * that was skipped, has settled. */
#include "check.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct check_test *first, **last = &first;
static struct check_test *current;

void check_register(struct check_test *test)
{
    *last = test;
    last = &test->next;
}

void check_settle(void)
{
    if (current != NULL)
        current->settled = true;
}

/* What a failed test ran under, as " WEFT_SHUFFLE=3 WEFT_SEED=7"; empty if there is nothing. */
static void describe_seeds(char *text, size_t size)
{
    const char *shuffle = getenv("WEFT_SHUFFLE"), *seed = getenv("WEFT_SEED");
    snprintf(text, size, "%s%s%s%s", shuffle != NULL ? " WEFT_SHUFFLE=" : "",
             shuffle != NULL ? shuffle : "", seed != NULL ? " WEFT_SEED=" : "",
             seed != NULL ? seed : "");
}

/* A broken rule aborts, and cmocka does not catch that: say where we were, then go the same way. */
static void say_where_it_aborted(int signal_number)
{
    char seeds[100], text[300];
    describe_seeds(seeds, sizeof seeds);
    int length = snprintf(text, sizeof text, "%s aborted%s%s\n",
                          current != NULL ? current->name : "something outside of the tests",
                          seeds[0] != '\0' ? " with" : "", seeds);
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void run_body(void **state)
{
    current = *state;
    current->body();
    current->settled = true;
}

static int say_how_it_failed(void **state)
{
    const struct check_test *test = *state;
    char seeds[100];
    describe_seeds(seeds, sizeof seeds);
    if (!test->settled && seeds[0] != '\0')
        fprintf(stderr, "%s failed with%s\n", test->name, seeds);
    current = NULL;
    return 0;
}

int check_run(const char *program, const char *filter)
{
    size_t count = 0;
    for (struct check_test *test = first; test != NULL; test = test->next)
        count++;
    struct CMUnitTest *tests = calloc(count + 1, sizeof *tests);
    if (tests == NULL)
        return -1;

    size_t chosen = 0;
    for (struct check_test *test = first; test != NULL; test = test->next) {
        if (filter != NULL && strstr(test->name, filter) == NULL)
            continue;
        tests[chosen++] = (struct CMUnitTest){.name = test->name,
                                              .test_func = run_body,
                                              .teardown_func = say_how_it_failed,
                                              .initial_state = test};
    }
    signal(SIGABRT, say_where_it_aborted);
    int failed = chosen == 0 ? -1 : _cmocka_run_group_tests(program, tests, chosen, NULL, NULL);
    free(tests);
    return failed;
}

void check_list(void)
{
    for (struct check_test *test = first; test != NULL; test = test->next)
        puts(test->name);
}

uint64_t check_seed(void)
{
    const char *text = getenv("WEFT_SEED");
    return text != NULL ? strtoull(text, NULL, 0) : 1;
}

unsigned long check_scale(unsigned long normal)
{
    return getenv("WEFT_TORTURE") != NULL ? normal * 20 : normal;
}
