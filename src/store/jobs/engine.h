/* What a producer has while it is open: a hub, and a course for each of its runs. */
#ifndef WEFT_STORE_JOBS_ENGINE_H
#define WEFT_STORE_JOBS_ENGINE_H

#include "hub.h"

struct weft_jobs_engine {
    struct weft_jobs *jobs;
    struct jobs_hub hub;
    struct weft_jobs_course *courses;
    size_t running; /* courses that have a run */
    size_t count;   /* all of them: those whose job is not discarded yet, too */
    bool closing;
    bool deaf; /* Redis is told nothing more */
    struct weft_timer patience;
    struct weft_timer sweeper;
    struct jobs_call sweep;
    char id[JOBS_NAME + 1];
};

uint64_t weft__jobs_keep_ms(const struct weft_jobs *jobs);

/* A course is over: if it was the last that a close waits for, go on with that. */
void weft__jobs_step(struct weft_jobs_engine *engine);

/* ---- courses; in course.c ------------------------------------------------------------------- */

/* There may be results. */
void weft__jobs_course_look(struct weft_jobs_course *course);
struct weft_jobs_course *weft__jobs_course_find(const struct weft_jobs_engine *engine,
                                                struct weft_text job);
/* All that have a run. */
void weft__jobs_courses_look(struct weft_jobs_engine *engine);
void weft__jobs_courses_end(struct weft_jobs_engine *engine, int status);

#endif
