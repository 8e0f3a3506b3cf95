/* The layer over cmocka: registration, filtering, and saying under which seed a test failed.
 *
 * cmocka leaves a failed test by longjmp, so whatever has to happen after one happens in the
 * teardown. That a test failed is seen there by what is missing: only a body that returned, or one
 * that was skipped, has settled. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void run_body(void **state)
{
    current = *state;
    current->body();
    current->settled = true;
}

static void print_variable(const char *name)
{
    const char *value = getenv(name);
    if (value != NULL)
        fprintf(stderr, " %s=%s", name, value);
}

static int say_how_it_failed(void **state)
{
    const struct check_test *test = *state;
    if (!test->settled && (getenv("WEFT_SHUFFLE") != NULL || getenv("WEFT_SEED") != NULL)) {
        fprintf(stderr, "%s failed with", test->name);
        print_variable("WEFT_SHUFFLE");
        print_variable("WEFT_SEED");
        fputc('\n', stderr);
    }
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
