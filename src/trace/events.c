/* A story in the Trace Event Format: one JSON object, an event a line, in the order of time.
 *
 *     b, e     a resource lives: from its init to its destroy
 *     X        a callback ran on a thread; or, on the pool, work, which says so
 *     n        it has waited in a queue until now
 *     s, f     in this callback it was begun, and that is the first one of its own
 *     M        how the process and the threads are called
 *
 * Viewers refuse or misplace what does not fit together, so nothing is written of which a part was
 * forgotten: no end without its begin, no callback of a resource that nobody knows, no flow with one
 * end. A resource without an end is one that was never destroyed. */
#include "forms.h"
#include "io/file.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct telling {
    struct weft_out *out;
    const struct story *story;
    struct symbols *symbols;
    bool started; /* an event was written: the next one needs a comma */
};

/* ---- pieces --------------------------------------------------------------------------------- */

static void text(struct telling *telling, const char *plain)
{
    weft__out_text(telling->out, plain);
}

static void string(struct telling *telling, const char *value)
{
    text(telling, "\"");
    weft__out_json(telling->out, weft_text_of(value));
    text(telling, "\"");
}

static void id(struct telling *telling, uint64_t value)
{
    text(telling, "\"");
    weft__out_hex(telling->out, value);
    text(telling, "\"");
}

/* 0, or the error's name. */
static void status(struct telling *telling, int value)
{
    if (value == 0)
        text(telling, "0");
    else
        string(telling, weft_error_name(value));
}

/* What every event begins with; phase has its quotes, and what may follow it. */
static void begin(struct telling *telling, const char *phase, uint32_t thread, uint64_t time_ns)
{
    struct weft_out *out = telling->out;
    text(telling, telling->started ? ",\n{\"ph\":" : "{\"ph\":");
    telling->started = true;
    text(telling, phase);
    text(telling, ",\"pid\":");
    weft__out_number(out, telling->story->pid);
    text(telling, ",\"tid\":");
    weft__out_number(out, thread);
    text(telling, ",\"ts\":");
    weft__out_us(out, time_ns > telling->story->began_ns ? time_ns - telling->story->began_ns : 0);
}

static void kind(struct telling *telling, const char *category, const char *name)
{
    text(telling, ",\"cat\":");
    string(telling, category);
    text(telling, ",\"name\":");
    string(telling, name);
}

static const char *category(const struct resource *resource)
{
    return weft_group_name(resource->init->what.site->group);
}

/* ---- events --------------------------------------------------------------------------------- */

static void flow(struct telling *telling, const char *phase, const struct event *event)
{
    begin(telling, phase, event->thread, event->time_ns);
    text(telling, ",\"cat\":\"cause\",\"name\":\"begun\",\"id\":");
    id(telling, event->id);
    text(telling, "}");
}

static void site(struct telling *telling, const struct weft_site *place)
{
    if (place->file[0] == '\0')
        return; /* a loop is begun nowhere in particular */
    text(telling, ",\"site\":\"");
    weft__out_json(telling->out, weft_text_of(place->file));
    text(telling, ":");
    weft__out_number(telling->out, (uint64_t)place->line);
    text(telling, " ");
    weft__out_json(telling->out, weft_text_of(place->func));
    text(telling, "\"");
}

static bool has_flow(const struct resource *resource)
{
    return resource->inside && resource->first_call != MAP_NONE;
}

static void begun(struct telling *telling, const struct event *event,
                  const struct resource *resource)
{
    const struct weft_site *place = event->what.site;
    begin(telling, "\"b\"", event->thread, event->time_ns);
    kind(telling, category(resource), place->type);
    text(telling, ",\"id\":");
    id(telling, event->id);
    text(telling, ",\"args\":{\"parent\":");
    id(telling, event->more.parent);
    site(telling, place);
    if (resource->awaits != 0) {
        text(telling, ",\"for\":");
        id(telling, resource->awaits);
    }
    text(telling, place->group & WEFT_HANDLE ? ",\"handle\":true}}" : "}}");
    if (has_flow(resource))
        flow(telling, "\"s\"", event);
}

static void ended(struct telling *telling, const struct event *event,
                  const struct resource *resource)
{
    begin(telling, "\"e\"", event->thread, event->time_ns);
    kind(telling, category(resource), resource->init->what.site->type);
    text(telling, ",\"id\":");
    id(telling, event->id);
    text(telling, ",\"args\":{\"status\":");
    status(telling, resource->status);
    text(telling, "}}");
}

static void unqueued(struct telling *telling, const struct event *event,
                     const struct resource *resource)
{
    begin(telling, "\"n\"", event->thread, event->time_ns);
    kind(telling, category(resource), resource->init->what.site->type);
    text(telling, ",\"id\":");
    id(telling, event->id);
    text(telling, ",\"args\":{\"queue\":");
    id(telling, event->more.other);
    text(telling, "}}");
}

static void called(struct telling *telling, size_t at, const struct resource *resource)
{
    const struct story *story = telling->story;
    const struct event *event = story->events[at];
    bool work = event->kind == EVENT_WORK;
    begin(telling, "\"X\"", event->thread, event->time_ns);
    text(telling, ",\"dur\":");
    weft__out_us(telling->out, story_end(story, at) - event->time_ns);
    kind(telling, work ? "thread" : category(resource), resource->init->what.site->type);
    text(telling, ",\"args\":{\"id\":");
    id(telling, event->id);
    text(telling, ",\"entry\":");
    string(telling, weft__symbol(telling->symbols, event->what.entry));
    if (work) {
        text(telling, ",\"work\":true");
    } else {
        text(telling, ",\"status\":");
        status(telling, (int)event->more.status);
        text(telling, ",\"outcome\":");
        uint32_t end = story->ends[at];
        bool posted = end != MAP_NONE && story->events[end]->id == event->id;
        status(telling, posted ? (int)story->events[end]->more.status : 0);
    }
    text(telling, "}}");
    if (!work && has_flow(resource) && resource->first_call == at)
        flow(telling, "\"f\",\"bp\":\"e\"", event);
}

static void tell_event(struct telling *telling, size_t at)
{
    const struct event *event = telling->story->events[at];
    const struct resource *resource = story_resource(telling->story, event->id);
    if (resource == NULL)
        return;
    switch ((enum event_kind)event->kind) {
    case EVENT_INIT:
        begun(telling, event, resource);
        break;
    case EVENT_PRE:
    case EVENT_WORK:
        called(telling, at, resource);
        break;
    case EVENT_DESTROY:
        ended(telling, event, resource);
        break;
    case EVENT_UNQUEUED:
        unqueued(telling, event, resource);
        break;
    case EVENT_POST:
    case EVENT_WORKED:
    case EVENT_AWAITS:
        break;
    }
}

/* ---- names ---------------------------------------------------------------------------------- */

static void name(struct telling *telling, const char *what, uint32_t thread)
{
    begin(telling, "\"M\"", thread, 0);
    text(telling, ",\"name\":\"");
    text(telling, what);
    text(telling, "\",\"args\":{\"name\":\"");
}

static void name_process(struct telling *telling, const char *command)
{
    const char *slash = strrchr(command, '/');
    uint32_t thread =
        telling->story->thread_count > 0 ? telling->story->threads[0].number : telling->story->pid;
    name(telling, "process_name", thread);
    weft__out_json(telling->out, weft_text_of(slash != NULL ? slash + 1 : command));
    text(telling, "\"}}");
}

/* "loop", "loop 2", "pool 1", in the order in which they appear. */
static void name_threads(struct telling *telling)
{
    const struct story *story = telling->story;
    uint64_t loops = 0, pool = 0;
    for (size_t i = 0; i < story->thread_count; i++) {
        const struct thread *thread = &story->threads[i];
        uint64_t number = thread->pool ? ++pool : ++loops;
        name(telling, "thread_name", thread->number);
        text(telling, thread->pool ? "pool" : "loop");
        if (thread->pool || number > 1) {
            text(telling, " ");
            weft__out_number(telling->out, number);
        }
        text(telling, "\"}}");
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The words of the command line, a NUL behind each; empty where nobody says. */
static size_t read_command(char *words, size_t size)
{
    int fd = weft__file_open("/proc/self/cmdline", O_RDONLY, 0);
    ssize_t length = fd >= 0 ? weft__file_read_some(fd, words, size - 1) : 0;
    if (fd >= 0)
        close(fd);
    words[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

static void member(struct telling *telling, const char *key, uint64_t number)
{
    text(telling, ",\"");
    text(telling, key);
    text(telling, "\":");
    weft__out_number(telling->out, number);
}

static void head(struct telling *telling, const char *words, size_t length)
{
    const struct story *story = telling->story;
    text(telling, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"weft\":\"" WEFT_VERSION_STRING
                  "\",\"command\":\"");
    for (size_t at = 0; at < length; at += strlen(words + at) + 1) {
        if (at > 0)
            text(telling, " ");
        weft__out_json(telling->out, weft_text_of(words + at));
    }
    text(telling, "\"");
    member(telling, "events", story->count);
    member(telling, "lost", story->lost);
    member(telling, "unfinished", story->unfinished);
    if (story->unrecorded > 0)
        member(telling, "unrecorded", story->unrecorded);
    text(telling, "},\n\"traceEvents\":[\n");
}

int weft__write_events(struct weft_out *out, const struct story *story, struct symbols *symbols)
{
    struct telling telling = {.out = out, .story = story, .symbols = symbols};
    char words[4096];
    size_t length = read_command(words, sizeof words);
    head(&telling, words, length);
    name_process(&telling, words);
    name_threads(&telling);
    for (size_t at = 0; at < story->count; at++)
        tell_event(&telling, at);
    text(&telling, "\n]}\n");
    return 0;
}
