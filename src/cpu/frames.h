/* The frames between a pool and its workers, as bytes: docs/workers.md on one page. Pure functions,
 * for both sides: nothing here reads, writes or allocates. */
#ifndef WEFT_CPU_FRAMES_H
#define WEFT_CPU_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_type {
    FRAME_JOB = 1,     /* to the worker: begin; the payload is the input */
    FRAME_CANCEL = 2,  /* to the worker: let go of the job */
    FRAME_PING = 3,    /* to the worker: are you there? */
    FRAME_MESSAGE = 4, /* to the worker: something for the job that runs */
    FRAME_READY = 16,  /* from the worker: kind is the version, job the features */
    FRAME_EVENT = 17,  /* from the worker: something found on the way */
    FRAME_END = 18,    /* from the worker: done; the payload is the result */
    FRAME_ERROR = 19,  /* from the worker: not done; the payload is a text */
    FRAME_PONG = 20    /* from the worker: yes */
};

enum {
    FRAME_VERSION = 1,
    FRAME_HEAD = 24,         /* bytes before the payload */
    FRAME_INLINE = 64 << 10, /* the largest payload that follows its head */
    FRAME_IN_MEMORY = 1,     /* flag: the payload is in a memfd that came along */
    FRAME_GATED = 1          /* feature: the worker keeps the page up to date, see page.h */
};

struct frame {
    uint32_t size; /* of the payload */
    uint8_t type, flags;
    uint64_t job;
    uint32_t attempt, kind;
    const char *payload; /* behind the head; NULL: it is in a memfd */
};

void weft__frame_write(char head[FRAME_HEAD], const struct frame *frame);

/* The frame at the beginning of data. More than 0: so many bytes it takes. 0: it is not complete
 * yet. Negative: this is none, and why says what is wrong with it. max: the largest payload;
 * from_worker: which side has written it. */
long weft__frame_read(const char *data, size_t size, uint32_t max, bool from_worker,
                      struct frame *frame, const char **why);

#endif
