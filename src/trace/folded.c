/* A story as folded stacks: for each chain of types, how long was waited and what ran.
 *
 * The chains are a tree of frames: a resource's frame is below its parent's, and the same type there
 * is the same frame. Below a resource's frame are the leaves: [waiting], and the functions that ran
 * for it. The events are gone through once more, with a clock for each resource and each thread:
 *
 *   - A request waits while it is open and nothing holds it up: nothing that was begun under it is
 *     open, and no function of its own runs, here or on the pool. So a second is not told again at
 *     each level of the chain. Handles wait for nobody; they are there.
 *   - A thread's time is that of the innermost function that runs on it.
 *
 * Frames are told apart by 64 bits of a hash of their names: two that are confused with each other
 * would share a line, and nothing else. Chains are cut at DEPTH: one that is a thousand deep (each
 * request begins the next) is drawn as if the rest were in its last frame. */
#include "forms.h"
#include "weft/alloc.h"

enum { DEPTH = 100 };

struct frame {
    const char *name; /* NULL: that of the function */
    weft_entry_fn *entry;
    uint64_t ns;
    uint64_t hash;
    uint32_t parent, depth;
};

/* The clock of a resource. */
struct clock {
    uint32_t frame;
    uint32_t held;  /* by so many that are open below it, or run for it */
    uint64_t since; /* when it began to wait, if held is 0 */
    bool open;
};

/* A function that runs, or ran: one an event, used for those that begin one. */
struct call {
    uint32_t leaf, outer; /* its frame; the call around it */
};

/* The clock of a thread. */
struct running {
    uint32_t call;  /* the innermost; MAP_NONE: none runs */
    uint64_t since; /* when it was read last */
};

struct folding {
    const struct story *story;
    struct frame *frames;
    size_t count;
    struct weft_map known;   /* frames by hash */
    struct clock *clocks;    /* one a resource */
    struct running *running; /* one a thread */
    struct call *calls;      /* one an event */
    bool no_memory;
};

/* ---- frames --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3U;
    return hash;
}

/* NULL: there is none, because there is no parent or no memory. */
static struct frame *frame_at(const struct folding *folding, uint32_t number)
{
    return folding->frames != NULL && number != MAP_NONE ? &folding->frames[number] : NULL;
}

/* The frame with that name, or of that function, below parent. MAP_NONE: there is no memory. */
static uint32_t frame_below(struct folding *folding, uint32_t parent, const char *label,
                            weft_entry_fn *entry)
{
    const struct frame *above = frame_at(folding, parent);
    uint64_t hash = above != NULL ? above->hash : 0xcbf29ce484222325U;
    uint32_t depth = above != NULL ? above->depth + 1 : 0;
    hash = label != NULL ? mix(hash, label, strlen(label) + 1) : mix(hash, &entry, sizeof entry);
    uint32_t *number = weft__map_put(&folding->known, hash);
    if (number == NULL)
        return MAP_NONE;
    if (*number != MAP_NONE)
        return *number;
    struct frame *frames = weft__grown(folding->frames, folding->count, sizeof *frames);
    if (frames == NULL)
        return MAP_NONE;
    folding->frames = frames;
    *number = (uint32_t)folding->count++;
    frames[*number] = (struct frame){label, entry, 0, hash, parent, depth};
    return *number;
}

static void add(struct folding *folding, uint32_t leaf, uint64_t ns)
{
    struct frame *frame = frame_at(folding, leaf);
    if (frame == NULL)
        folding->no_memory = true;
    else
        frame->ns += ns;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void waited(struct folding *folding, uint32_t number, uint64_t now)
{
    const struct clock *clock = &folding->clocks[number];
    const struct event *init = folding->story->resources[number].init;
    if (clock->open && clock->held == 0 && now > clock->since &&
        !(init->what.site->group & WEFT_HANDLE))
        add(folding, frame_below(folding, clock->frame, "[waiting]", NULL), now - clock->since);
}

static void hold(struct folding *folding, uint32_t number, uint64_t now)
{
    if (number == MAP_NONE)
        return;
    waited(folding, number, now);
    folding->clocks[number].held++;
}

static void let_go(struct folding *folding, uint32_t number, uint64_t now)
{
    if (number == MAP_NONE)
        return;
    folding->clocks[number].held--;
    folding->clocks[number].since = now;
}

static void begun(struct folding *folding, uint32_t number, const struct event *event)
{
    struct clock *clock = &folding->clocks[number];
    uint32_t parent = folding->story->resources[number].parent;
    uint32_t above = parent != MAP_NONE ? folding->clocks[parent].frame : MAP_NONE;
    hold(folding, parent, event->time_ns);
    const struct frame *frame = frame_at(folding, above);
    bool deep = frame != NULL && frame->depth >= DEPTH;
    *clock = (struct clock){
        .frame = deep ? above : frame_below(folding, above, event->what.site->type, NULL),
        .since = event->time_ns,
        .open = true};
    if (clock->frame == MAP_NONE)
        folding->no_memory = true;
}

static void ended(struct folding *folding, uint32_t number, uint64_t now)
{
    if (!folding->clocks[number].open)
        return;
    waited(folding, number, now);
    folding->clocks[number].open = false;
    let_go(folding, folding->story->resources[number].parent, now);
}

/* ---- running -------------------------------------------------------------------------------- */

/* The time since the last look was that of the innermost function. */
static void ran(struct folding *folding, struct running *running, uint64_t now)
{
    if (running->call != MAP_NONE)
        add(folding, folding->calls[running->call].leaf, now - running->since);
    running->since = now;
}

static void call_begins(struct folding *folding, struct running *running, uint32_t at,
                        uint32_t number)
{
    const struct event *event = folding->story->events[at];
    ran(folding, running, event->time_ns);
    hold(folding, number, event->time_ns);
    folding->calls[at] = (struct call){
        .leaf = frame_below(folding, folding->clocks[number].frame, NULL, event->what.entry),
        .outer = running->call};
    running->call = at;
}

/* All that end with the event `end`, innermost first; MAP_NONE: with the recording. */
static void calls_end(struct folding *folding, struct running *running, uint32_t end, uint64_t now)
{
    const struct story *story = folding->story;
    ran(folding, running, now);
    while (running->call != MAP_NONE && story->ends[running->call] == end) {
        let_go(folding, weft__map_get(&story->resource_map, story->events[running->call]->id), now);
        running->call = folding->calls[running->call].outer;
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void fold_event(struct folding *folding, uint32_t at)
{
    const struct event *event = folding->story->events[at];
    uint32_t number = weft__map_get(&folding->story->resource_map, event->id);
    uint32_t thread = weft__map_get(&folding->story->thread_map, event->thread);
    if (number == MAP_NONE)
        return;
    switch ((enum event_kind)event->kind) {
    case EVENT_INIT:
        begun(folding, number, event);
        break;
    case EVENT_PRE:
    case EVENT_WORK:
        call_begins(folding, &folding->running[thread], at, number);
        break;
    case EVENT_POST:
    case EVENT_WORKED:
        calls_end(folding, &folding->running[thread], at, event->time_ns);
        break;
    case EVENT_DESTROY:
        ended(folding, number, event->time_ns);
        break;
    case EVENT_UNQUEUED:
    case EVENT_AWAITS:
        break;
    }
}

static void fold(struct folding *folding)
{
    const struct story *story = folding->story;
    for (size_t i = 0; i < story->thread_count; i++)
        folding->running[i].call = MAP_NONE;
    for (uint32_t at = 0; at < story->count && !folding->no_memory; at++)
        fold_event(folding, at);
    for (size_t i = 0; i < story->thread_count; i++)
        calls_end(folding, &folding->running[i], MAP_NONE, story->ended_ns);
    for (uint32_t i = 0; i < story->resource_count; i++)
        waited(folding, i, story->ended_ns);
}

/* A semicolon parts frames, and a line is a line. */
static void write_name(struct weft_out *out, const char *label)
{
    for (; *label != '\0'; label++) {
        bool plain = *label != ';' && ((unsigned char)*label >= 0x20) && *label != 0x7f;
        weft__out_bytes(out, plain ? label : ":", 1);
    }
}

static void write_line(struct weft_out *out, const struct folding *folding, struct symbols *symbols,
                       const struct frame *leaf)
{
    const struct frame *chain[DEPTH + 3];
    size_t length = 0;
    for (const struct frame *at = leaf;; at = &folding->frames[at->parent]) {
        chain[length++] = at;
        if (at->parent == MAP_NONE || length == DEPTH + 3)
            break;
    }
    while (length-- > 0) {
        const struct frame *frame = chain[length];
        write_name(out, frame->name != NULL ? frame->name : weft__symbol(symbols, frame->entry));
        weft__out_bytes(out, length > 0 ? ";" : " ", 1);
    }
    weft__out_number(out, (leaf->ns + 500) / 1000);
    weft__out_bytes(out, "\n", 1);
}

int weft__write_folded(struct weft_out *out, const struct story *story, struct symbols *symbols)
{
    struct folding folding = {.story = story};
    folding.clocks = weft_calloc(story->resource_count + 1, sizeof *folding.clocks);
    folding.running = weft_calloc(story->thread_count + 1, sizeof *folding.running);
    folding.calls = weft_calloc(story->count + 1, sizeof *folding.calls);
    folding.no_memory = folding.clocks == NULL || folding.running == NULL || folding.calls == NULL;
    if (!folding.no_memory)
        fold(&folding);
    for (size_t i = 0; i < folding.count && !folding.no_memory; i++) {
        if (folding.frames[i].ns >= 500)
            write_line(out, &folding, symbols, &folding.frames[i]);
    }
    weft_free(folding.frames);
    weft_free(folding.clocks);
    weft_free(folding.running);
    weft_free(folding.calls);
    weft__map_free(&folding.known);
    return folding.no_memory ? UV_ENOMEM : 0;
}
