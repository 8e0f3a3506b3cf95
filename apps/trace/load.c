/* A trace file, event by event.
 *
 * An event is read into a struct trace_event, member by member in whatever order they come, and
 * goes to collect.c. Members that nobody knows are passed over; of those that are known, values of
 * another kind than they should be count as nothing. Text that is not JSON ends the reading. */
#include "trace/model_inside.h"
#include "trace/number.h"
#include <string.h>
#include <uv.h>
#include <weft/alloc.h>

struct loader {
    struct trace *trace;
    struct json_reader reader;
    struct trace_event event;
    int status;
};

static bool no_memory(struct loader *loader)
{
    loader->status = UV_ENOMEM;
    return false;
}

/* What should stand there does not: the reader's place is told. */
static bool refuse(struct loader *loader, const char *problem)
{
    if (loader->status == 0) {
        loader->status = UV_EINVAL;
        loader->reader.problem = problem;
    }
    return false;
}

static bool broken(struct loader *loader)
{
    if (loader->status == 0)
        loader->status = loader->reader.status;
    return false;
}

/* ---- values --------------------------------------------------------------------------------- */

typedef bool take_fn(struct loader *loader, enum json_token token, void *into);

/* Of a number or a string the text; of anything else the empty one. "0" is how "nothing went wrong"
 * is written, and becomes the empty one too where zero is set. */
static bool take_text(struct loader *loader, enum json_token token, void *into)
{
    bool has_text = token == JSON_TOKEN_STRING || token == JSON_TOKEN_NUMBER;
    uint32_t number =
        texts_put(&loader->trace->texts, has_text ? loader->reader.text : weft_text("", 0));
    if (number == TRACE_NONE)
        return no_memory(loader);
    *(uint32_t *)into = number;
    return json_reader_skip(&loader->reader, token) || broken(loader);
}

static bool take_result(struct loader *loader, enum json_token token, void *into)
{
    if (token == JSON_TOKEN_NUMBER && weft_text_is(loader->reader.text, "0"))
        return true;
    return take_text(loader, token, into);
}

static bool take_id(struct loader *loader, enum json_token token, void *into)
{
    struct trace_id *id = into;
    bool has_text = token == JSON_TOKEN_STRING || token == JSON_TOKEN_NUMBER;
    *id = (struct trace_id){0};
    if (has_text && number_id(loader->reader.text, &id->value))
        return true;
    id->value = 0;
    return take_text(loader, token, &id->text);
}

static bool take_time(struct loader *loader, enum json_token token, void *into)
{
    struct trace_event *event = &loader->event;
    if (token != JSON_TOKEN_NUMBER)
        event->odd = "a time that is no number";
    else if (!number_time(loader->reader.text, into))
        event->odd = "a time that cannot be";
    return json_reader_skip(&loader->reader, token) || broken(loader);
}

static bool take_count(struct loader *loader, enum json_token token, void *into)
{
    if (token == JSON_TOKEN_NUMBER)
        number_id(loader->reader.text, into);
    return json_reader_skip(&loader->reader, token) || broken(loader);
}

static bool take_flag(struct loader *loader, enum json_token token, void *into)
{
    *(bool *)into = token == JSON_TOKEN_TRUE;
    return json_reader_skip(&loader->reader, token) || broken(loader);
}

/* ---- members -------------------------------------------------------------------------------- */

/* A member that is of interest: what becomes of its value, and where it goes. */
struct member {
    const char *name;
    take_fn *take;
    size_t offset;
    size_t seen; /* of a bool that says that it was there; 0: there is none */
};

/* All members of an object whose '{' was read, into the struct at base. */
static bool take_members(struct loader *loader, const struct member *members, char *base)
{
    struct json_reader *reader = &loader->reader;
    for (;;) {
        enum json_token token = json_reader_next(reader);
        if (token == JSON_TOKEN_OBJECT_END)
            return true;
        if (token != JSON_TOKEN_NAME)
            return broken(loader);
        const struct member *member = members;
        while (member->name != NULL && !weft_text_is(reader->text, member->name))
            member++;
        token = json_reader_next(reader);
        if (member->name == NULL) {
            if (!json_reader_skip(reader, token))
                return broken(loader);
            continue;
        }
        if (token == JSON_TOKEN_ERROR)
            return broken(loader);
        if (member->seen != 0)
            *(bool *)(void *)(base + member->seen) = true;
        if (!member->take(loader, token, base + member->offset))
            return false;
    }
}

static bool take_arguments(struct loader *loader, enum json_token token, void *into)
{
    static const struct member members[] = {
        {"parent", take_id, offsetof(struct trace_event, parent),
         offsetof(struct trace_event, has_parent)},
        {"queue", take_id, offsetof(struct trace_event, queue),
         offsetof(struct trace_event, has_queue)},
        {"for", take_id, offsetof(struct trace_event, promise),
         offsetof(struct trace_event, has_promise)},
        {"site", take_text, offsetof(struct trace_event, site), 0},
        {"id", take_id, offsetof(struct trace_event, owner),
         offsetof(struct trace_event, has_owner)},
        {"entry", take_text, offsetof(struct trace_event, entry), 0},
        {"status", take_result, offsetof(struct trace_event, status), 0},
        {"outcome", take_result, offsetof(struct trace_event, outcome), 0},
        {"handle", take_flag, offsetof(struct trace_event, handle), 0},
        {"work", take_flag, offsetof(struct trace_event, work), 0},
        {"name", take_text, offsetof(struct trace_event, label), 0},
        {NULL, NULL, 0, 0},
    };
    if (token != JSON_TOKEN_OBJECT)
        return json_reader_skip(&loader->reader, token) || broken(loader);
    return take_members(loader, members, into);
}

/* ---- events --------------------------------------------------------------------------------- */

static bool load_event(struct loader *loader)
{
    static const struct member members[] = {
        {"ph", take_text, offsetof(struct trace_event, phase), 0},
        {"pid", take_id, offsetof(struct trace_event, process), 0},
        {"tid", take_id, offsetof(struct trace_event, thread), 0},
        {"ts", take_time, offsetof(struct trace_event, time),
         offsetof(struct trace_event, has_time)},
        {"dur", take_time, offsetof(struct trace_event, duration), 0},
        {"cat", take_text, offsetof(struct trace_event, category), 0},
        {"name", take_text, offsetof(struct trace_event, name), 0},
        {"id", take_id, offsetof(struct trace_event, id), offsetof(struct trace_event, has_id)},
        {"args", take_arguments, 0, 0},
        {NULL, NULL, 0, 0},
    };
    loader->event = (struct trace_event){0};
    if (!take_members(loader, members, (char *)&loader->event))
        return false;
    loader->event.line = loader->reader.line;
    loader->event.column = loader->reader.column;
    return trace_collect(loader->trace, &loader->event) || no_memory(loader);
}

/* ---- the file ------------------------------------------------------------------------------- */

static bool load_events(struct loader *loader)
{
    for (;;) {
        enum json_token token = json_reader_next(&loader->reader);
        if (token == JSON_TOKEN_ARRAY_END)
            return true;
        if (token == JSON_TOKEN_ERROR)
            return broken(loader);
        if (token != JSON_TOKEN_OBJECT)
            return refuse(loader, "an event should stand here");
        if (!load_event(loader))
            return false;
    }
}

static bool take_events(struct loader *loader, enum json_token token, void *into)
{
    *(bool *)into = true;
    if (token != JSON_TOKEN_ARRAY)
        return refuse(loader, "traceEvents should be an array");
    return load_events(loader);
}

static bool take_other(struct loader *loader, enum json_token token, void *into)
{
    static const struct member members[] = {
        {"weft", take_text, offsetof(struct trace, weft), 0},
        {"command", take_text, offsetof(struct trace, command), 0},
        {"lost", take_count, offsetof(struct trace, lost), 0},
        {"unrecorded", take_count, offsetof(struct trace, unrecorded), 0},
        {NULL, NULL, 0, 0},
    };
    (void)into;
    if (token != JSON_TOKEN_OBJECT)
        return json_reader_skip(&loader->reader, token) || broken(loader);
    return take_members(loader, members, (char *)loader->trace);
}

/* Nothing of it could be read. */
static bool no_json(struct loader *loader)
{
    struct json_reader *reader = &loader->reader;
    bool cut = reader->problem != NULL && strncmp(reader->problem, "it ends", 7) == 0;
    if (reader->status == UV_EINVAL && !cut)
        reader->problem = "it is no JSON";
    else if (reader->status == UV_EINVAL && reader->offset == 0)
        reader->problem = "an empty file";
    return broken(loader);
}

static bool load_file(struct loader *loader)
{
    static const struct member members[] = {
        {"traceEvents", take_events, 0, 0},
        {"otherData", take_other, 0, 0},
        {NULL, NULL, 0, 0},
    };
    bool has_events = false;
    enum json_token token = json_reader_next(&loader->reader);
    if (token == JSON_TOKEN_ERROR)
        return no_json(loader);
    if (token == JSON_TOKEN_ARRAY) {
        if (!load_events(loader))
            return false;
    } else if (token != JSON_TOKEN_OBJECT) {
        return refuse(loader, "this is no trace: it holds no events");
    } else if (!take_members(loader, members, (char *)&has_events)) {
        return false;
    } else if (!has_events) {
        return refuse(loader, "this is no trace: it holds no traceEvents");
    }
    return json_reader_next(&loader->reader) == JSON_TOKEN_END || broken(loader);
}

int trace_load(struct trace *trace, json_fill_fn *fill, void *context)
{
    struct loader loader = {.trace = trace};
    *trace = (struct trace){0};
    if (texts_put(&trace->texts, weft_text("", 0)) == TRACE_NONE ||
        json_reader_open(&loader.reader, fill, context) != 0)
        return UV_ENOMEM;
    load_file(&loader);
    trace->problem = loader.reader.problem;
    trace->line = loader.reader.line;
    trace->column = loader.reader.column;
    trace->offset = loader.reader.offset;
    json_reader_close(&loader.reader);
    return loader.status != 0 ? loader.status : trace_link(trace);
}

void trace_free(struct trace *trace)
{
    texts_free(&trace->texts);
    weft_free(trace->ops);
    weft_free(trace->calls);
    weft_free(trace->types);
    weft_free(trace->threads);
    weft_free(trace->ends_);
    weft_free(trace->turns_);
    table_free(&trace->type_table_);
    table_free(&trace->thread_table_);
    table_free(&trace->process_table_);
    *trace = (struct trace){0};
}
