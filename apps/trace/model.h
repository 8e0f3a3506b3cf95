/* apps/trace/model.h: a trace file in memory: operations, callbacks, threads.
 *
 *     struct trace trace = {0};
 *     int status = trace_load(&trace, fill, file);
 *     ...
 *     trace_free(&trace);
 *
 * What comes out can be relied on, whatever went in: indices are in range, no parent is among its
 * own descendants, nothing ends before it begins, texts can be shown as they are. All times are in
 * nanoseconds since the first event. */
#ifndef WEFT_TRACE_MODEL_H
#define WEFT_TRACE_MODEL_H

#include "trace/json.h"
#include "trace/texts.h"

#define TRACE_NONE TABLE_NONE

/* Of a trace: which process, and the id that is unique there. text is not 0 if it is no number. */
struct trace_id {
    uint64_t value;
    uint32_t text, process;
};

/* An operation or a long-lived thing, from its init to its destroy. */
struct trace_op {
    struct trace_id id, parent_id, promise_id;
    int64_t begin, end; /* end: that of the trace if it was never destroyed */
    int64_t back;       /* when its last callback began, so that what waited for it could go on; */
                        /* its end if it had none */
    int64_t running;    /* how long its callbacks ran, without those inside of them */
    int64_t queued;     /* how long it waited in a queue before it was begun; 0: it did not */
    uint32_t parent;    /* TRACE_NONE: it is not known */
    uint32_t promise;   /* of an await: for what; TRACE_NONE: for nothing that is known */
    uint32_t type;      /* in types */
    uint32_t site, status; /* in texts */
    uint32_t thread;       /* on which it was begun */
    uint32_t calls;        /* how many callbacks it had */
    bool ended, handle;
};

/* One callback. Ordered by thread and time, the outer before the inner. */
struct trace_call {
    struct trace_id id;
    int64_t begin, end;
    int64_t self;    /* how long, without those inside of it */
    int64_t longest; /* the longest directly inside of it; 0: there is none */
    uint32_t op;     /* whose; TRACE_NONE: it is not known */
    uint32_t type, thread;
    uint32_t entry, status, outcome; /* in texts */
    bool work;                       /* it is none: work on a thread of the pool */
};

/* What an operation is: its name and its group. */
struct trace_type {
    uint32_t name, group; /* in texts */
};

struct trace_thread {
    uint64_t process, thread; /* as the system numbers them; 0 if they are no numbers */
    uint32_t name;            /* in texts */
};

struct trace {
    struct texts texts;
    struct trace_op *ops; /* by their begin */
    struct trace_call *calls;
    struct trace_type *types;
    struct trace_thread *threads;
    size_t op_count, call_count, type_count, thread_count;
    int64_t span; /* from the first event to the last */

    uint64_t events;               /* how many were read, of any kind */
    uint64_t foreign;              /* of those: of kinds that say nothing about operations */
    uint64_t odd;                  /* of those: not understood, such as one without a time */
    const char *odd_reason;        /* the first of them: what is wrong, static text, */
    uint64_t odd_line, odd_column; /* and where */

    /* What the recorder says itself; 0 if it does not. */
    uint64_t lost, unrecorded; /* events that were forgotten; loops for which there was no ring */
    uint32_t weft, command;    /* in texts */

    /* What could not be read: static text, and where. */
    const char *problem;
    uint64_t line, column, offset;

    struct trace_end *ends_, *turns_;
    size_t end_count_, turn_count_, turn_capacity_, op_capacity_, call_capacity_, type_capacity_,
        thread_capacity_, end_capacity_;
    struct table type_table_, thread_table_, process_table_;
};

/* UV_EINVAL: it is not a trace, see problem. UV_ENOMEM. UV_EFBIG: there is too much in it. Else
 * what fill returned. trace is to be freed in any case. */
int trace_load(struct trace *trace, json_fill_fn *fill, void *context);
void trace_free(struct trace *trace);

static inline struct weft_text trace_text(const struct trace *trace, uint32_t number)
{
    return texts_get(&trace->texts, number);
}
struct weft_text trace_type_name(const struct trace *trace, uint32_t type);
struct weft_text trace_group_name(const struct trace *trace, uint32_t type);

/* The loop is a thing like others in a trace, but one that everything begins under and that lives
 * as long as the program does. */
bool trace_is_loop(const struct trace *trace, const struct trace_op *op);

/* An id as it stands in the trace. Returns buffer. */
enum { TRACE_ID_SIZE = 24 };
struct weft_text trace_show_id(const struct trace *trace, struct trace_id id,
                               char buffer[TRACE_ID_SIZE]);

#endif
