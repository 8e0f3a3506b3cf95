/* The story that the rings tell.
 *
 * First the events of all rings are put into one order, that of time; each ring is in order already.
 * Then they are read once, as if they happened again: each thread has a stack of the callbacks that
 * run. A post takes its pre from the stack, and whatever lies above that (a longjmp left it). A post
 * whose pre was forgotten finds nothing, and is nothing.
 *
 * The stack is in `ends`: until a call is over, its place there holds the call around it. */
#include "story.h"
#include "weft/alloc.h"
#include "weft/trace.h"

/* ---- one order ------------------------------------------------------------------------------ */

static void merge(struct story *story, const struct weft_recording *tape)
{
    size_t taken[WEFT_TRACE_RINGS] = {0}, kept[WEFT_TRACE_RINGS];
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++)
        kept[i] = ring_kept(&tape->rings[i]);
    for (size_t to = 0; to < story->count; to++) {
        const struct event *first = NULL;
        size_t from = 0;
        for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
            if (taken[i] == kept[i])
                continue;
            const struct event *event = ring_at(&tape->rings[i], taken[i]);
            if (first == NULL || event->time_ns < first->time_ns) {
                first = event;
                from = i;
            }
        }
        story->events[to] = first;
        taken[from]++;
    }
}

static int gather(struct story *story, const struct weft_recording *tape)
{
    for (size_t i = 0; i < WEFT_TRACE_RINGS; i++) {
        story->count += ring_kept(&tape->rings[i]);
        story->lost += ring_lost(&tape->rings[i]);
    }
    story->lost += atomic_load_explicit(&tape->lost, memory_order_relaxed);
    if (story->count >= MAP_NONE)
        return UV_ENOMEM;
    story->events = weft_calloc(story->count + 1, sizeof(void *));
    story->ends = weft_calloc(story->count + 1, sizeof *story->ends);
    if (story->events == NULL || story->ends == NULL)
        return UV_ENOMEM;
    merge(story, tape);
    return 0;
}

/* ---- what belongs together ------------------------------------------------------------------ */

static struct thread *thread_of(struct story *story, const struct event *event)
{
    uint32_t *number = weft__map_put(&story->thread_map, event->thread);
    if (number == NULL)
        return NULL;
    if (*number == MAP_NONE) {
        struct thread *threads = weft__grown(story->threads, story->thread_count, sizeof *threads);
        if (threads == NULL)
            return NULL;
        story->threads = threads;
        *number = (uint32_t)story->thread_count++;
        threads[*number] = (struct thread){event->thread, .running = MAP_NONE};
    }
    return &story->threads[*number];
}

/* Does a callback run on this thread whose resource is known? */
static bool runs_something(const struct story *story, const struct thread *thread)
{
    for (uint32_t at = thread->running; at != MAP_NONE; at = story->ends[at]) {
        if (story_resource(story, story->events[at]->id) != NULL)
            return true;
    }
    return false;
}

static int add_resource(struct story *story, const struct event *event, const struct thread *thread)
{
    struct resource *resources =
        weft__grown(story->resources, story->resource_count, sizeof *resources);
    if (resources == NULL)
        return UV_ENOMEM;
    story->resources = resources;
    uint32_t *number = weft__map_put(&story->resource_map, event->id);
    if (number == NULL)
        return UV_ENOMEM;
    *number = (uint32_t)story->resource_count;
    resources[story->resource_count++] =
        (struct resource){.init = event,
                          .parent = weft__map_get(&story->resource_map, event->more.parent),
                          .first_call = MAP_NONE,
                          .inside = runs_something(story, thread)};
    story->unfinished++;
    return 0;
}

static void begin_call(struct story *story, struct thread *thread, uint32_t at)
{
    const struct event *event = story->events[at];
    struct resource *resource = story_resource(story, event->id);
    story->ends[at] = thread->running;
    thread->running = at;
    if (resource == NULL || event->kind != EVENT_PRE)
        return;
    if (resource->first_call == MAP_NONE)
        resource->first_call = at;
    if (event->more.status != 0)
        resource->status = (int)event->more.status;
}

static void end_call(struct story *story, struct thread *thread, uint32_t at)
{
    uint64_t id = story->events[at]->id;
    uint32_t call = thread->running;
    while (call != MAP_NONE && story->events[call]->id != id)
        call = story->ends[call];
    if (call == MAP_NONE)
        return;
    uint32_t outer = story->ends[call];
    for (uint32_t each = thread->running, next; each != outer; each = next) {
        next = story->ends[each];
        story->ends[each] = at;
    }
    thread->running = outer;
}

static void end_resource(struct story *story, const struct event *event)
{
    struct resource *resource = story_resource(story, event->id);
    if (resource == NULL)
        return;
    resource->over = true;
    story->unfinished--;
}

static void await_promise(struct story *story, const struct event *event)
{
    struct resource *resource = story_resource(story, event->id);
    if (resource != NULL)
        resource->awaits = event->more.other;
}

static int read_event(struct story *story, uint32_t at)
{
    const struct event *event = story->events[at];
    struct thread *thread = thread_of(story, event);
    if (thread == NULL)
        return UV_ENOMEM;
    if (event->kind == EVENT_WORK || event->kind == EVENT_WORKED)
        thread->pool = true;
    switch ((enum event_kind)event->kind) {
    case EVENT_INIT:
        return add_resource(story, event, thread);
    case EVENT_PRE:
    case EVENT_WORK:
        begin_call(story, thread, at);
        return 0;
    case EVENT_POST:
    case EVENT_WORKED:
        end_call(story, thread, at);
        return 0;
    case EVENT_DESTROY:
        end_resource(story, event);
        return 0;
    case EVENT_AWAITS:
        await_promise(story, event);
        return 0;
    case EVENT_UNQUEUED:
        return 0;
    }
    return 0;
}

/* What runs until the end of the recording has no end of its own. */
static void end_all_calls(struct story *story)
{
    for (size_t i = 0; i < story->thread_count; i++) {
        for (uint32_t at = story->threads[i].running, outer; at != MAP_NONE; at = outer) {
            outer = story->ends[at];
            story->ends[at] = MAP_NONE;
        }
        story->threads[i].running = MAP_NONE;
    }
}

int weft__story_read(struct story *story, const struct weft_recording *tape)
{
    *story = (struct story){.began_ns = tape->began_ns,
                            .ended_ns = tape->ended_ns,
                            .pid = tape->pid,
                            .unrecorded = tape->unrecorded};
    int status = gather(story, tape);
    for (uint32_t at = 0; status == 0 && at < story->count; at++)
        status = read_event(story, at);
    end_all_calls(story);
    return status;
}

void weft__story_free(struct story *story)
{
    weft_free(story->events);
    weft_free(story->ends);
    weft_free(story->resources);
    weft_free(story->threads);
    weft__map_free(&story->resource_map);
    weft__map_free(&story->thread_map);
}
