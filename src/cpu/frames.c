/* Frames as bytes.
 *
 *      0       4    5     6      8        16        20      24
 *      ├───────┼────┼─────┼──────┼─────────┼─────────┼───────┼───────────
 *      │ size  │type│flags│  0   │   job   │ attempt │ kind  │ payload …
 *
 * Little-endian. What comes from a worker is not trusted: it may be another program than it should
 * be, or one that has overwritten its own memory. So every field is looked at before it is
 * believed, and bytes that say nothing yet have to be 0. */
#include "frames.h"
#include <uv.h>

static void put(char *at, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (char)(unsigned char)(number >> 8 * i);
}

static uint64_t get(const char *at, int bytes)
{
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | (unsigned char)at[i];
    return number;
}

void weft__frame_write(char head[FRAME_HEAD], const struct frame *frame)
{
    put(head, frame->size, 4);
    put(head + 4, frame->type, 1);
    put(head + 5, frame->flags, 1);
    put(head + 6, 0, 2);
    put(head + 8, frame->job, 8);
    put(head + 16, frame->attempt, 4);
    put(head + 20, frame->kind, 4);
}

static bool type_is_known(uint8_t type, bool from_worker)
{
    return from_worker ? type >= FRAME_READY && type <= FRAME_PONG
                       : type >= FRAME_JOB && type <= FRAME_MESSAGE;
}

static const char *wrong_with(const struct frame *frame, uint64_t zero, uint32_t max,
                              bool from_worker)
{
    bool in_memory = frame->flags & FRAME_IN_MEMORY;
    if (!type_is_known(frame->type, from_worker) || zero != 0 || frame->flags > FRAME_IN_MEMORY)
        return "what it sent is no frame";
    if (frame->size > max || (!in_memory && frame->size > FRAME_INLINE))
        return "it sent a frame that is too large";
    if (in_memory && frame->size == 0)
        return "it sent a memory of no size";
    return NULL;
}

long weft__frame_read(const char *data, size_t size, uint32_t max, bool from_worker,
                      struct frame *frame, const char **why)
{
    if (size < FRAME_HEAD)
        return 0;
    *frame = (struct frame){
        .size = (uint32_t)get(data, 4),
        .type = (uint8_t)get(data + 4, 1),
        .flags = (uint8_t)get(data + 5, 1),
        .job = get(data + 8, 8),
        .attempt = (uint32_t)get(data + 16, 4),
        .kind = (uint32_t)get(data + 20, 4),
    };
    *why = wrong_with(frame, get(data + 6, 2), max, from_worker);
    if (*why != NULL)
        return UV_EPROTO;
    if (frame->flags & FRAME_IN_MEMORY)
        return FRAME_HEAD;
    if (size - FRAME_HEAD < frame->size)
        return 0;
    frame->payload = data + FRAME_HEAD;
    return FRAME_HEAD + (long)frame->size;
}
