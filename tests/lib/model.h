/* tests/lib/model.h: what the tests of flow and queue are made of: jobs that end as they are told,
 * a trail of what happened in which order, and numbers drawn from a seed.
 *
 *     struct job job = {.ms = 5, .status = UV_EIO};
 *     weft_run(root, &job.op, job_begin, job_over);      // fails after five virtual milliseconds
 */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include "loop.h"
#include <weft/timer.h>

/* A fresh loop on a virtual clock; its order is drawn from WEFT_SHUFFLE, so that these tests run
 * shuffled too. Forgets all jobs, and the trail. */
void model_up(struct world *w);
/* The same with an order of the test's own; 0: first in, first out. */
void model_up_seeded(struct world *w, uint64_t seed);

/* An op that ends by itself after ms (0: in its begin; BY_HAND: when the test says so), or when it
 * is cancelled, after linger_ms more. */
struct job {
    struct weft_op op;
    uint64_t ms, linger_ms;
    int status; /* how it ends by itself */
    int id;
    unsigned begun, cancelled, reported;
    struct weft_timer timer_;
};
#define BY_HAND UINT64_MAX

void job_begin(struct weft_op *op);
void job_over(struct weft_op *parent, struct weft_op *op); /* a then: counts, and keeps the rest */
struct job *job_of(struct weft_op *op);
/* Make a job as planned, with number as its id, in a slot that may have run before. */
void job_follow(struct job *job, const struct job *plan, size_t number);

/* All jobs together; emptied by model_up. A job runs from its begin to its finish. */
struct jobs {
    unsigned begun, cancelled, reported, running, most;
};
extern struct jobs jobs;

/* Words that were left behind, with a space after each. */
__attribute__((format(printf, 1, 2))) void leave(const char *format, ...);
extern char trail[4096];

/* A model's own dice. Each draw knows where it stands, so that a schedule can be told. */
struct dice {
    uint64_t state;
};
/* Below limit; 0: 0. */
#define roll(dice, limit) model_roll(dice, limit, MODEL_HERE)
/* True once in one_in times. */
#define chance(dice, one_in) model_chance(dice, one_in, MODEL_HERE)
/* Both included. */
#define between(dice, low, high) model_between(dice, low, high, MODEL_HERE)

struct model_place {
    const char *file;
    int line;
};
#define MODEL_HERE ((struct model_place){__FILE__, __LINE__})
uint64_t model_roll(struct dice *dice, uint64_t limit, struct model_place place);
bool model_chance(struct dice *dice, unsigned one_in, struct model_place place);
int64_t model_between(struct dice *dice, int64_t low, int64_t high, struct model_place place);

/* A model test is many schedules, each drawn from a seed of its own. Run them with
 *
 *     model_schedules(&w, one_schedule, SCHEDULES);
 *
 * one_schedule(seed) calls model_begin and then draws, acts, counts schedule.steps and agrees; w is
 * up, in real time, whenever it is called. All of it happens in a child process. When that dies,
 * of a disagreement, a failed assertion, a broken rule or a crash, the schedule is tried again with
 * fewer and smaller draws, and the smallest that fails in the same way is told: its draws, what the
 * jobs and the loop did, and how to run it again.
 *
 * With WEFT_SEED set to the seed of a failure its schedule comes first. With WEFT_DRAWS set to the
 * draws of a shrunk one as well, only that is run, in this process (for a debugger), and told. */
struct schedule {
    const char *model;
    uint64_t seed, steps;
};
extern struct schedule schedule;
void model_schedules(struct world *w, void (*one)(uint64_t seed), unsigned long count);
void model_begin(const char *model, uint64_t seed);
/* For tests that go through their seeds themselves: nothing is shrunk there. */
uint64_t model_first_seed(void);

#define agree(condition) ((condition) ? (void)0 : model_disagrees(#condition, __FILE__, __LINE__))
void model_disagrees(const char *condition, const char *file, int line);

/* A line for whoever reads the shrunk schedule; nothing while nobody does. */
__attribute__((format(printf, 1, 2))) void model_tell(const char *format, ...);
/* That line: what the loop delivers or begins next. */
void model_tell_next(const struct world *w);

#endif
