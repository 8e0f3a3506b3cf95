/* What a worker has while it is open: a hub, a connection that waits for parts, and a slot for each task. */
#ifndef WEFT_STORE_JOBS_CREW_H
#define WEFT_STORE_JOBS_CREW_H

#include "hub.h"

struct weft_jobs_crew {
    struct weft_jobs_worker *worker;
    struct jobs_hub hub;
    uint64_t lease_ms;
    unsigned concurrency;
    struct weft_jobs_slot *slots;
    size_t count;  /* of them */
    size_t active; /* those whose task is not over */

    /* Taking. */
    struct weft_redis reader;
    struct weft_redis_command read, who, unblock;
    bool reading, asking, unblocking;
    uint64_t reader_id; /* what Redis calls that connection; 0: not known */
    bool joined;        /* since there is a connection */
    bool resting;       /* after trouble */
    uint64_t rest_ms;
    struct weft_timer rest;
    struct jobs_call join, take, claim;
    char token[JOBS_NAME + 1]; /* of the take under way */
    char claim_token[JOBS_NAME + 1];
    char taking[JOBS_ENTRY];     /* what is being taken; "": nothing */
    char (*known)[JOBS_ENTRY];   /* what a join says it has */
    struct weft_text *join_args; /* for those */
    char max[24];

    /* Keeping. */
    struct weft_timer tick;
    unsigned ticks;
    struct jobs_call sweep;

    /* Leaving. */
    bool closing;   /* no more is taken */
    bool cancelled; /* and tasks are given back */
    bool hurried;   /* patience runs */
    bool deaf;      /* Redis is told nothing more */
    bool left;      /* it was told good-bye */
    struct jobs_call leave;
    struct weft_timer patience, nudge;
};

/* Something has changed: take the next part, or go on with leaving. */
void weft__jobs_crew_step(struct weft_jobs_crew *crew);

/* ---- slots; in slot.c ----------------------------------------------------------------------- */

struct weft_jobs_slot {
    struct weft_jobs_task *task;
    struct weft_jobs_crew *crew;
    struct weft_jobs_slot *next, **link;
    struct jobs_call beat, end, say;
    struct weft_jobs_emit *emit; /* under way */
    struct weft_timer room;      /* it waits for some */
    uint64_t room_ms;
    int stopped;   /* the emit was cancelled with this */
    int failed;    /* what became of a chunk is not known, or it was refused */
    bool over;     /* its task is */
    bool lost;     /* its part is somebody else's, or nobody's */
    bool settled;  /* its end is recorded, or need not be */
    bool returned; /* it is given back */
    char entry[JOBS_ENTRY];
    char attempt[24], part[24], status[24];
};

/* Begin the task. UV_ENOMEM. */
int weft__jobs_slot_begin(struct weft_jobs_crew *crew, const struct jobs_delivery *delivery);
/* A sign of life, if none is on its way. */
void weft__jobs_slot_beat(struct weft_jobs_slot *slot);
/* Its part is not ours any more: cancel the task. */
void weft__jobs_slot_lose(struct weft_jobs_slot *slot);
/* Something of it is over: is all of it? */
void weft__jobs_slot_step(struct weft_jobs_slot *slot);
/* The arguments that all calls for a part begin with. */
void weft__jobs_slot_call(struct weft_jobs_slot *slot, struct jobs_call *call, const char *verb);

/* ---- emits; in emit.c ----------------------------------------------------------------------- */

/* There may be room now. */
void weft__jobs_emit_again(struct weft_jobs_slot *slot);
/* It ends as soon as it is known what became of its chunk. Safe where there is none. */
void weft__jobs_emit_end(struct weft_jobs_slot *slot, int status);

#endif
