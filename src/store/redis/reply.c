/* Replies: the functions that hiredis' reader builds its objects with are ours.
 *
 * So a reply is made of memory that is counted and can be made to fail, nothing in it is larger than the
 * limit, and hiredis is in no header. An array's elements lie in one block, each built in its place: only
 * the root and the blocks are allocated. hiredis bounds the depth of arrays in arrays (nine), so that
 * freeing may recurse.
 *
 * The reader itself collects a string until the whole of it is there. What it has collected is compared
 * with the limit whenever it asks for more, not what the string says of its own size. */
#include "reply.h"
#include "weft/alloc.h"
#include <hiredis/hiredis.h>
#include <limits.h>
#include <stdio.h>

#if HIREDIS_MAJOR >= 1
#error "hiredis 1.0 and later read types that the makers below do not know: only 0.14 was tried"
#endif

/* ---- building ------------------------------------------------------------------------------- */

static void *take_bytes(struct redis_replies *replies, size_t size)
{
    if (size > replies->max - replies->used) {
        replies->full = true;
        return NULL;
    }
    void *block = weft_calloc(1, size);
    if (block != NULL)
        replies->used += size;
    return block;
}

/* Where the reader's item belongs: into the array it is part of, or it is the root. */
static struct weft_redis_reply *place_of(const redisReadTask *task)
{
    if (task->parent == NULL)
        return take_bytes(task->privdata, sizeof(struct weft_redis_reply));
    struct weft_redis_reply *array = task->parent->obj;
    return &array->elements[task->idx];
}

/* A root that has no content is freed here, since hiredis has not seen it; an element belongs to its
 * array. */
static void *without(const redisReadTask *task, struct weft_redis_reply *reply)
{
    if (task->parent == NULL)
        weft_free(reply);
    return NULL;
}

static enum weft_redis_type type_of(const redisReadTask *task)
{
    return task->type == REDIS_REPLY_ERROR    ? WEFT_REDIS_ERROR
           : task->type == REDIS_REPLY_STATUS ? WEFT_REDIS_STATUS
                                              : WEFT_REDIS_STRING;
}

static void *make_text(const redisReadTask *task, char *data, size_t size)
{
    struct weft_redis_reply *reply = place_of(task);
    if (reply == NULL)
        return NULL;
    char *copy = size < SIZE_MAX ? take_bytes(task->privdata, size + 1) : NULL;
    if (copy == NULL)
        return without(task, reply);
    memcpy(copy, data, size);
    reply->type = type_of(task);
    reply->text = weft_text(copy, size);
    return reply;
}

static void *make_array(const redisReadTask *task, int count)
{
    struct weft_redis_reply *reply = place_of(task);
    if (reply == NULL)
        return NULL;
    reply->type = WEFT_REDIS_ARRAY;
    if (count <= 0)
        return reply;
    struct redis_replies *replies = task->privdata;
    if ((size_t)count > replies->max / sizeof *reply) {
        replies->full = true;
        return without(task, reply);
    }
    reply->elements = take_bytes(replies, (size_t)count * sizeof *reply);
    if (reply->elements == NULL)
        return without(task, reply);
    reply->count = (size_t)count;
    return reply;
}

static void *make_integer(const redisReadTask *task, long long value)
{
    struct weft_redis_reply *reply = place_of(task);
    if (reply != NULL) {
        reply->type = WEFT_REDIS_INTEGER;
        reply->integer = value;
    }
    return reply;
}

static void *make_nil(const redisReadTask *task)
{
    struct weft_redis_reply *reply = place_of(task);
    if (reply != NULL)
        reply->type = WEFT_REDIS_NIL;
    return reply;
}

static void free_parts(struct weft_redis_reply *reply)
{
    for (size_t i = 0; i < reply->count; i++)
        free_parts(&reply->elements[i]);
    weft_free(reply->elements);
    weft_free((void *)reply->text.data);
}

void weft__redis_reply_free(struct weft_redis_reply *reply)
{
    if (reply == NULL)
        return;
    free_parts(reply);
    weft_free(reply);
}

static void free_root(void *reply)
{
    weft__redis_reply_free(reply);
}

static redisReplyObjectFunctions makers = {.createString = make_text,
                                           .createArray = make_array,
                                           .createInteger = make_integer,
                                           .createNil = make_nil,
                                           .freeObject = free_root};

/* ---- reading -------------------------------------------------------------------------------- */

int weft__redis_replies_open(struct redis_replies *replies, size_t max)
{
    memset(replies, 0, sizeof *replies);
    replies->max = max;
    replies->reader = redisReaderCreateWithFunctions(&makers);
    if (replies->reader == NULL)
        return UV_ENOMEM;
    replies->reader->privdata = replies;
    return 0;
}

void weft__redis_replies_close(struct redis_replies *replies)
{
    if (replies->reader != NULL)
        redisReaderFree(replies->reader);
    replies->reader = NULL;
}

static int error_of(struct redis_replies *replies)
{
    if (replies->full) {
        snprintf(replies->why, sizeof replies->why, "a reply of more than %zu bytes", replies->max);
        return UV_EFBIG;
    }
    snprintf(replies->why, sizeof replies->why, "%s", replies->reader->errstr);
    return replies->reader->err == REDIS_ERR_OOM ? UV_ENOMEM : UV_EPROTO;
}

int weft__redis_replies_feed(struct redis_replies *replies, const char *data, size_t size)
{
    return redisReaderFeed(replies->reader, data, size) == REDIS_OK ? 0 : error_of(replies);
}

int weft__redis_replies_next(struct redis_replies *replies, struct weft_redis_reply **reply)
{
    void *found = NULL;
    redisReader *reader = replies->reader;
    *reply = NULL;
    if (redisReaderGetReply(reader, &found) != REDIS_OK)
        return error_of(replies);
    if (found != NULL) {
        replies->used = 0;
        *reply = found;
    } else if (reader->len - reader->pos > replies->max - replies->used) {
        replies->full = true;
        return error_of(replies);
    }
    return 0;
}
