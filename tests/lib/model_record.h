/* tests/lib/model_record.h: the draws of one schedule, in memory that a child process shares with
 * its parent: whatever the child dies of, the parent still knows what it had drawn. */
#ifndef TESTS_MODEL_RECORD_H
#define TESTS_MODEL_RECORD_H

#include "model.h"

enum { MODEL_DRAWS = 1 << 16, MODEL_DISAGREED = 78 };

struct draws {
    size_t count; /* more than MODEL_DRAWS: the rest is not known */
    uint64_t values[MODEL_DRAWS];
};

struct record {
    struct schedule schedule; /* as of the last draw, or of the disagreement */
    struct draws made;        /* since model_begin; 0 is the simplest that there could be */
    bool playing;             /* the draws are these, and 0 when there are no more of them */
    struct draws played;
    bool telling; /* say on stderr what happens */
    bool in_child;
    uint64_t all_steps; /* of all schedules */
    struct world *world;
    char why[600]; /* the disagreement */
};

/* NULL: nobody wants to know. */
extern struct record *model_record;

#endif
