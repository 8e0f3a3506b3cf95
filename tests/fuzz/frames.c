/* Frames from a worker that is not to be trusted: what is read is within what came, is within its
 * limits, and is what would be written. */
#include "cpu/frames.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "frames.c:%d: %s\n", __LINE__, #holds);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { MAX = 100000 };

static void check_frame(const char *at, size_t left, long size, const struct frame *frame)
{
    char head[FRAME_HEAD];
    CHECK((size_t)size <= left && size >= FRAME_HEAD);
    CHECK(frame->size <= MAX);
    CHECK((frame->payload == NULL) == (frame->flags == FRAME_IN_MEMORY));
    if (frame->payload != NULL)
        CHECK(frame->payload + frame->size == at + size && frame->size <= FRAME_INLINE);
    else
        CHECK(frame->size > 0);
    weft__frame_write(head, frame);
    CHECK(memcmp(head, at, FRAME_HEAD) == 0);
}

/* One frame after the other, as a pool and as a worker would. */
static void read_all(const char *data, size_t size, bool from_worker)
{
    struct frame frame;
    const char *why = NULL;
    for (size_t at = 0;;) {
        long length = weft__frame_read(data + at, size - at, MAX, from_worker, &frame, &why);
        CHECK(length >= 0 || why != NULL);
        if (length <= 0)
            return;
        CHECK(why == NULL && (frame.type >= FRAME_READY) == from_worker);
        check_frame(data + at, size - at, length, &frame);
        at += (size_t)length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1); /* exactly as large, so that a step beyond it is seen */
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    read_all(copy, size, true);
    read_all(copy, size, false);
    free(copy);
    return 0;
}
