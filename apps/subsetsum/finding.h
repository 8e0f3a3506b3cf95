/* apps/subsetsum/finding.h: all subsets with a sum, found in one of five ways.
 *
 *     sync      here and now: the loop does nothing else until they are found
 *     steps     on the loop, in slices, with everything else in between     (weft/steps.h)
 *     threads   on a thread of a pool                                       (weft/threads.h)
 *     procs     in a process of a pool                                      (weft/procs.h)
 *     redis     in parts, by workers on any machines                        (weft/jobs.h)
 *
 * Whichever it is, a finding looks the same: lines come as they are found, one bunch at a time, and the
 * next one when it is asked for; then it ends. A cancel stops the work wherever it is done, but for
 * sync, which does not hear it before it has a bunch. There is a limit to how many are under way. */
#ifndef WEFT_SUBSETSUM_FINDING_H
#define WEFT_SUBSETSUM_FINDING_H

#include "subsetsum/errand.h"
#include "subsetsum/scribe.h"
#include <weft.h>
#include <weft/jobs.h>

enum finding_mode {
    FINDING_SYNC,
    FINDING_STEPS,
    FINDING_THREADS,
    FINDING_PROCS,
    FINDING_REDIS,
    FINDING_MODES
};
extern const char *const finding_mode_names[FINDING_MODES + 1]; /* NULL behind the last */

enum {
    FINDING_BEAT_MS = 2000, /* a process that is silent for so long is asked, and then killed */
    FINDING_SLICE = 100000, /* steps between two looks at whether to stop: about a millisecond */
    FINDING_PARTS = 16,     /* the default of parts */
    /* Who searches holds a processor for seconds, who answers needs one for microseconds: where there
     * are as many of the former as processors, the latter waits for the end of a turn, which is some
     * milliseconds among equals. So threads and processes are nicer than the loop; where nobody else
     * wants the processor they have all of it all the same. */
    FINDING_NICE = 5
};
/* The name of the line in Redis, unless another is asked for. */
#define FINDING_QUEUE "weft-subsetsum"
enum finding_event { FINDING_LINES = 1 }; /* what a process of the pool tells */

/* What findings are made with, once for a loop. */
struct finders {
    /* Set before finders_open; texts stay. */
    enum finding_mode mode;
    uint64_t workers; /* threads or processes */
    uint64_t
        waiting; /* findings that may wait for one, or be under way where there are none (sync, steps,
                          redis); more are refused with UV_ENOBUFS */
    uint64_t time_ms;  /* how long a finding may take, its waiting included */
    uint64_t parts;    /* of one for Redis */
    const char *redis; /* a URL */
    const char *queue;

    uint64_t on_loop; /* read only: findings under way in sync and steps */
    /* The one of the mode is open. */
    struct weft_threads threads;
    struct weft_procs procs;
    struct weft_jobs jobs;
};

/* Below op, which is running and closes them when it is cancelled. 0 or an error; a pool or a Redis
 * that cannot be had later is the findings' trouble. */
int finders_open(struct finders *finders, struct weft_op *op);

/* ---- a finding ------------------------------------------------------------------------------ */

struct finding;
/* Some whole or cut lines, to be looked at before this returns. false: no more until finding_resume. */
typedef bool finding_lines_fn(struct finding *finding, struct weft_text lines);

/* Set finders, problem and on_lines. The status is 0 when all were found and given; UV_ENOBUFS: too
 * many wait; UV_ETIMEDOUT: it took longer than finders->time_ms; or an error of the pool, the workers
 * or Redis, about which why says more. */
struct finding {
    struct weft_op op;
    struct finders *finders;
    struct subset_problem problem;
    finding_lines_fn *on_lines;

    char why[WEFT_REDIS_WHY]; /* read only, once over: "" if the status says it all */

    struct weft_deadline deadline_;
    union {
        struct {
            struct scribe scribe;
            char *text;
            size_t size, given;
            uint64_t until_ns;
        } sync;
        struct {
            struct weft_steps steps;
            struct scribe scribe;
            size_t size;
            bool held;
            char text[SCRIBE_TEXT];
        } steps;
        struct {
            struct weft_thread_job job;
            struct scribe scribe;
            char text[SCRIBE_TEXT];
        } thread;
        struct {
            struct weft_job job;
            char text[ERRAND_TEXT];
        } process;
        struct {
            struct weft_jobs_run run;
            struct errand errand;
            char text[ERRAND_TEXT];
        } parts;
    } by_;
};
#define finding(parent, finding, then) weft_run(parent, &(finding)->op, finding_begin, then)
void finding_begin(struct weft_op *op);
/* Go on after on_lines has returned false. No effect on one that is over. */
void finding_resume(struct finding *finding);

/* ---- the ways ------------------------------------------------------------------------------- */

/* begin: finding->op has begun; it ends it. resume: see above. open: 0 or an error. */
struct finding_way {
    int (*open)(struct finders *finders, struct weft_op *op);
    void (*begin)(struct finding *finding);
    void (*resume)(struct finding *finding);
};
/* For those that search on the loop: is there room for this one? Then it leaves at its end. */
bool finding_enters_loop(struct finding *finding);
void finding_leaves_loop(struct finding *finding);

extern const struct finding_way finding_sync, finding_steps, finding_threads, finding_procs,
    finding_redis;

#endif
