/* Events into the lists of the model, by what their phase says: a begin, an end, a callback, a
 * name.
 *
 * Nothing is connected yet: an end may stand before its begin, and a child before its parent.
 * Types, threads and processes are numbered as they come. */
#include "trace/model_inside.h"

/* ---- lists ---------------------------------------------------------------------------------- */

static bool find_type(struct trace *trace, const struct trace_event *event, uint32_t *type)
{
    uint32_t *number = table_put(&trace->type_table_, event->name, event->category);
    if (number == NULL)
        return false;
    if (*number == TRACE_NONE) {
        struct trace_type *types =
            grow(trace->types, trace->type_count, &trace->type_capacity_, sizeof *types);
        if (types == NULL)
            return false;
        trace->types = types;
        types[trace->type_count] = (struct trace_type){event->name, event->category};
        *number = (uint32_t)trace->type_count++;
    }
    *type = *number;
    return true;
}

static bool find_process(struct trace *trace, const struct trace_event *event, uint32_t *process)
{
    struct table *table = &trace->process_table_;
    const struct trace_id *id = &event->process;
    uint32_t count = (uint32_t)table->count;
    uint32_t *number = table_put(table, id->value, id->text);
    if (number == NULL)
        return false;
    if (*number == TRACE_NONE)
        *number = count;
    *process = *number;
    return true;
}

static bool find_thread(struct trace *trace, const struct trace_event *event, uint32_t process,
                        uint32_t *thread)
{
    uint32_t *number = table_put(&trace->thread_table_, event->thread.value,
                                 (uint64_t)process << 32 | event->thread.text);
    if (number == NULL)
        return false;
    if (*number == TRACE_NONE) {
        struct trace_thread *threads =
            grow(trace->threads, trace->thread_count, &trace->thread_capacity_, sizeof *threads);
        if (threads == NULL)
            return false;
        trace->threads = threads;
        threads[trace->thread_count] =
            (struct trace_thread){event->process.value, event->thread.value, event->thread.text};
        *number = (uint32_t)trace->thread_count++;
    }
    *thread = *number;
    return true;
}

/* ---- events --------------------------------------------------------------------------------- */

static bool add_op(struct trace *trace, const struct trace_event *event, uint32_t process)
{
    struct trace_op op = {.id = event->id,
                          .parent_id = event->parent,
                          .begin = event->time,
                          .site = event->site,
                          .promise_id = event->promise,
                          .parent = event->has_parent ? 0 : TRACE_NONE,
                          .promise = event->has_promise ? 0 : TRACE_NONE,
                          .handle = event->handle};
    op.id.process = op.parent_id.process = op.promise_id.process = process;
    if (!find_type(trace, event, &op.type) || !find_thread(trace, event, process, &op.thread))
        return false;
    struct trace_op *ops = grow(trace->ops, trace->op_count, &trace->op_capacity_, sizeof *ops);
    if (ops == NULL || trace->op_count >= TRACE_NONE - 1)
        return false;
    trace->ops = ops;
    ops[trace->op_count++] = op;
    return true;
}

static bool add_end(struct trace *trace, const struct trace_event *event, uint32_t process)
{
    struct trace_end *ends =
        grow(trace->ends_, trace->end_count_, &trace->end_capacity_, sizeof *ends);
    if (ends == NULL)
        return false;
    trace->ends_ = ends;
    ends[trace->end_count_] = (struct trace_end){event->id, event->time, event->status};
    ends[trace->end_count_++].id.process = process;
    return true;
}

static bool add_turn(struct trace *trace, const struct trace_event *event, uint32_t process)
{
    struct trace_end *turns =
        grow(trace->turns_, trace->turn_count_, &trace->turn_capacity_, sizeof *turns);
    if (turns == NULL)
        return false;
    trace->turns_ = turns;
    turns[trace->turn_count_] = (struct trace_end){event->id, event->time, 0};
    turns[trace->turn_count_++].id.process = process;
    return true;
}

static bool add_call(struct trace *trace, const struct trace_event *event, uint32_t process)
{
    struct trace_call call = {.id = event->owner,
                              .begin = event->time,
                              .end = event->time + event->duration,
                              .op = event->has_owner ? 0 : TRACE_NONE,
                              .work = event->work,
                              .entry = event->entry,
                              .status = event->status,
                              .outcome = event->outcome};
    call.id.process = process;
    if (!find_type(trace, event, &call.type) || !find_thread(trace, event, process, &call.thread))
        return false;
    struct trace_call *calls =
        grow(trace->calls, trace->call_count, &trace->call_capacity_, sizeof *calls);
    if (calls == NULL || trace->call_count >= TRACE_NONE - 1)
        return false;
    trace->calls = calls;
    calls[trace->call_count++] = call;
    return true;
}

static bool name_thread(struct trace *trace, const struct trace_event *event, uint32_t process)
{
    uint32_t thread;
    if (!weft_text_is(trace_text(trace, event->name), "thread_name"))
        return true;
    if (!find_thread(trace, event, process, &thread))
        return false;
    trace->threads[thread].name = event->label;
    return true;
}

static const char *what_is_odd(const struct trace_event *event, char phase)
{
    if (event->odd != NULL)
        return event->odd;
    if (!event->has_time)
        return "an event without a time";
    if (phase != 'X' && !event->has_id)
        return "an operation without an id";
    return event->duration < 0 ? "a callback that ends before it begins" : NULL;
}

bool trace_collect(struct trace *trace, const struct trace_event *event)
{
    static const char known[] = "benXM";
    struct weft_text text = trace_text(trace, event->phase);
    char phase = text.size == 1 && memchr(known, text.data[0], sizeof known - 1) != NULL
                     ? text.data[0]
                     : '\0';
    if (phase == 'n' && !event->has_queue)
        phase = '\0'; /* an instant of somebody else's */
    trace->events++;
    const char *odd = phase == '\0' || phase == 'M' ? NULL : what_is_odd(event, phase);
    if (odd != NULL && trace->odd++ == 0) {
        trace->odd_reason = odd;
        trace->odd_line = event->line;
        trace->odd_column = event->column;
    }
    if (phase == '\0')
        trace->foreign += !(text.size == 1 && (text.data[0] == 's' || text.data[0] == 'f'));
    uint32_t process;
    if (odd != NULL || phase == '\0')
        return true;
    if (!find_process(trace, event, &process))
        return false;
    return phase == 'b'   ? add_op(trace, event, process)
           : phase == 'e' ? add_end(trace, event, process)
           : phase == 'n' ? add_turn(trace, event, process)
           : phase == 'X' ? add_call(trace, event, process)
                          : name_thread(trace, event, process);
}
