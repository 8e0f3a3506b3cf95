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

/* All jobs together; emptied by model_up. A job runs from its begin to its finish. */
struct jobs {
    unsigned begun, cancelled, reported, running, most;
};
extern struct jobs jobs;

/* Words that were left behind, with a space after each. */
__attribute__((format(printf, 1, 2))) void leave(const char *format, ...);
extern char trail[4096];

/* A model's own dice. */
struct dice {
    uint64_t state;
};
uint64_t roll(struct dice *dice, uint64_t limit);              /* below limit; 0: 0 */
bool chance(struct dice *dice, unsigned one_in);               /* true once in one_in times */
int64_t between(struct dice *dice, int64_t low, int64_t high); /* both included */

/* A model test is many schedules, each drawn from a seed of its own. A schedule that disagrees with
 * its model is told by its seed and its length: with WEFT_SEED set to that seed it comes first. */
struct schedule {
    const char *model;
    uint64_t seed, steps;
};
extern struct schedule schedule;
uint64_t model_first_seed(void);
void model_begin(const char *model, uint64_t seed);

#define agree(condition) ((condition) ? (void)0 : model_disagrees(#condition, __FILE__, __LINE__))
void model_disagrees(const char *condition, const char *file, int line);

#endif
