/* apps/trace/wakes.h: operations that waited for one that is neither above nor below them. */
#ifndef WEFT_TRACE_WAKES_H
#define WEFT_TRACE_WAKES_H

#include "trace/model.h"

struct wake {
    uint32_t op, by; /* in ops */
    int64_t time;    /* when the callback of `by` began in which op went on */
};

struct wakes {
    struct wake *all;
    size_t count, capacity;
};

/* 0 or UV_ENOMEM; free the array in either case. */
int wakes_find(struct wakes *wakes, const struct trace *trace);

#endif
