/* The stage that every scenario of the conformance suite plays on: see stage.c. */
#ifndef WEFT_TEST_STAGE_H
#define WEFT_TEST_STAGE_H

#include "core/op.h"
#include "weft/hook.h"
#include "weft/provider.h"
#include "weft/sim.h"
#include <setjmp.h>

/* Short names for the reader, long ones for the linker: this is part of somebody's program. */
#define at weft__test_at
#define require weft__test_require
#define require_status weft__test_require_status
#define expect weft__test_expect
#define or_expect weft__test_or_expect
#define expect_cancel weft__test_expect_cancel
#define open_stage weft__test_open_stage
#define shut_stage weft__test_shut_stage
#define open_descriptors weft__test_open_descriptors
#define step weft__test_step
#define drive weft__test_drive
#define op_of weft__test_op_of
#define storage_of weft__test_storage_of
#define storage_make weft__test_storage_make
#define storage_drop weft__test_storage_drop
#define begin_watched weft__test_begin_watched
#define look_at weft__test_look_at
#define run_over weft__test_run_over
#define run weft__test_run
#define run_good weft__test_run_good
#define cancel weft__test_cancel
#define cancel_and_expect weft__test_cancel_and_expect
#define group_over weft__test_group_over
#define discard weft__test_discard
#define told_open weft__test_told_open
#define told_begun weft__test_told_begun
#define told_then weft__test_told_then
#define told_dry weft__test_told_dry
#define told_shut weft__test_told_shut

enum { EXPECTED = 3 };

extern struct stage {
    const struct weft_provider *provider;
    FILE *to;
    jmp_buf failed;
    const char *scenario;
    unsigned long step_number;
    bool simulated, hooked, opened;
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_sim sim;
    uv_timer_t watchdog;

    bool nudging;           /* nudge what does not end by itself */
    int calling;            /* inside a call into the library: no then may run */
    unsigned begun, over;   /* how often begin and then were called */
    int status;             /* of the run that was over last */
    int expected[EXPECTED]; /* a status has to be one of these */
    bool synchronous;       /* a good run finishes inside begin: a cancel there may lose */
    bool keep;              /* run_over leaves storage alone: it is part of an array */
    bool starving;          /* without memory, what happens cannot always be told to hooks */
    struct weft_hook hook;
    int descriptors; /* open ones before the first scenario */
} at;

/* ---- what has to be ------------------------------------------------------------------------- */

/* Otherwise the suite ends here, with these words. */
void require(bool holds, const char *what);

/* Statuses that the following runs may end with: this one, and this one too. */
void expect(int status);
void or_expect(int status);
/* What a run ends with that is cancelled with reason while it runs. */
void expect_cancel(int reason);
void require_status(int status);

/* ---- the stage ------------------------------------------------------------------------------ */

void open_stage(const char *scenario);
/* Everything is over: the loop closes, and nothing is left. */
void shut_stage(void);
/* How many descriptors are open; -1 where that cannot be known. */
int open_descriptors(void);
/* One step; false: there is nothing left to do. */
bool step(void);
/* Until count runs are over. */
void drive(unsigned count);

/* ---- what hooks are told (told.c) ----------------------------------------------------------- */

/* If at.hooked: listen to all that happens on the loop, which is open. */
void told_open(void);
/* op's begin runs; a then of the suite's runs. */
void told_begun(struct weft_op *op);
void told_then(void);
/* The loop is dry: nothing may be left but itself; and it is closed. */
void told_dry(void);
void told_shut(void);

/* ---- a run ---------------------------------------------------------------------------------- */

struct weft_op *op_of(void *storage);
void *storage_of(struct weft_op *op);
/* Exactly as large as it has to be, so that a step beyond it is seen. */
void *storage_make(void (*fill)(void *storage));
void storage_drop(void *storage);

/* The provider's begin, and the nudge if there is one. */
void begin_watched(struct weft_op *op);
/* What is true at the end of every run. */
void look_at(struct weft_op *op);
/* A then: look_at, and the storage goes. */
void run_over(struct weft_op *parent, struct weft_op *op);
/* A then for what is not the provider's. */
void group_over(struct weft_op *root, struct weft_op *group);
void discard(struct weft_op *task);

struct weft_op *run(struct weft_op *parent, void *storage, weft_begin_fn *begin);
struct weft_op *run_good(struct weft_op *parent);
/* true: op was running, so the cancel had something to stop. */
bool cancel(struct weft_op *op, int reason);
/* Cancel in the middle of a good run. If it was over already it ends with 0. */
void cancel_and_expect(struct weft_op *op, int reason);

/* ---- the scenarios -------------------------------------------------------------------------- */

void weft__test_alone(void);     /* it succeeds, fails, is given nothing */
void weft__test_cancelled(void); /* at every moment, by everybody */
void weft__test_storage(void);   /* used again in its own then */
void weft__test_company(void);   /* in queues, slots, retries, races */
void weft__test_memory(void);    /* every allocation fails once */

#endif
