/* Schedules that fail, and what is said about them.
 *
 * The thing under test is a stack of numbers, kept on a loop only because every model has one. With
 * WEFT_FAIL_ON_REQUEST in the environment (tests/self/shrinking.sh sets it) it goes wrong.
 * ctest: shuffle=no */
#include "model.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct world w;
static struct dice dice;
static struct job jobs_of_one[3];
static int stack[400], depth;
static const char *fault;

/* A big number upon a bigger one is what goes wrong. */
static bool is_bad(int number)
{
    return depth > 0 && number > 70 && stack[depth - 1] > number;
}

static void push(int number)
{
    if (fault != NULL && is_bad(number)) {
        if (strcmp(fault, "abort") == 0)
            abort();
        if (strcmp(fault, "crash") == 0)
            raise(SIGSEGV);
        if (strcmp(fault, "assert") == 0)
            assert_int_equal(number, stack[depth - 1]);
        number = -1;
    }
    stack[depth++] = number;
}

static void one_schedule(uint64_t seed)
{
    model_begin("stack", seed);
    dice.state = seed;
    depth = 0;
    for (int actions = (int)between(&dice, 100, 300); actions > 0; actions--) {
        if (chance(&dice, 3)) {
            depth -= depth > 0;
        } else {
            int number = (int)roll(&dice, 100);
            push(number);
            agree(stack[depth - 1] == number);
        }
        schedule.steps++;
    }
}

TEST(a_stack_agrees_with_its_model)
{
    fault = getenv("WEFT_FAIL_ON_REQUEST");
    model_schedules(&w, one_schedule, 50);
}

/* Three jobs; the one that ends last must not be the first, says a model that is wrong. */
static void one_run_of_jobs(uint64_t seed)
{
    model_begin("jobs", seed);
    dice.state = seed;
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, 0), 0);
    for (int i = 0; i < 3; i++) {
        jobs_of_one[i] = (struct job){.id = i, .ms = roll(&dice, 1000)};
        weft_run(weft_root(&w.loop), &jobs_of_one[i].op, job_begin, job_over);
    }
    for (model_tell_next(&w); weft_sim_step(&w.sim); model_tell_next(&w)) {
        schedule.steps++;
        if (fault != NULL && jobs_of_one[0].reported == 0)
            agree(jobs_of_one[1].reported + jobs_of_one[2].reported < 2);
    }
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(jobs_agree_with_their_model)
{
    fault = getenv("WEFT_FAIL_ON_REQUEST");
    model_schedules(&w, one_run_of_jobs, 50);
}

TEST(seeds_can_be_gone_through_by_hand)
{
    fault = getenv("WEFT_FAIL_ON_REQUEST");
    for (uint64_t i = 0; i < 50; i++)
        one_schedule(model_first_seed() + i);
}
