/* What happened: the events of all rings in the order of time, and what belongs together. */
#ifndef WEFT_TRACE_STORY_H
#define WEFT_TRACE_STORY_H

#include "core/map.h"
#include "ring.h"

/* A resource whose init is in the rings. */
struct resource {
    const struct event *init;
    uint32_t parent;     /* among the resources; MAP_NONE: unknown */
    uint32_t first_call; /* the event that is its first pre; MAP_NONE: it never ran */
    uint64_t awaits;     /* the promise that it waits for; 0: none */
    int status;
    bool inside; /* it was begun in a callback that is told */
    bool over;
};

struct thread {
    uint32_t number;  /* as the system says */
    uint32_t running; /* while the story is read: the innermost open call; MAP_NONE */
    bool pool;        /* it works; there may be loops inside of that */
};

struct story {
    const struct event **events;
    /* Of a pre and of work: the event that ends it; MAP_NONE: nothing did. */
    uint32_t *ends;
    size_t count;
    uint64_t lost;
    uint64_t began_ns, ended_ns;
    uint32_t pid, unrecorded;
    struct resource *resources; /* in the order of their inits */
    size_t resource_count, unfinished;
    struct thread *threads; /* in the order of their first events */
    size_t thread_count;
    struct weft_map resource_map, thread_map;
};

/* From the rings of a tape that is over. 0 or UV_ENOMEM; free it in either case. */
int weft__story_read(struct story *story, const struct weft_recording *tape);
void weft__story_free(struct story *story);

/* The resource that an event is about; NULL: its init was lost. */
static inline struct resource *story_resource(const struct story *story, uint64_t id)
{
    uint32_t found = weft__map_get(&story->resource_map, id);
    return found != MAP_NONE ? &story->resources[found] : NULL;
}
/* When a pre or work was over. */
static inline uint64_t story_end(const struct story *story, size_t call)
{
    uint32_t end = story->ends[call];
    return end != MAP_NONE ? story->events[end]->time_ns : story->ended_ns;
}

#endif
