/* Values are "W1", the generation, how long they are to live, the bytes. Messages are the sender's id, then 'k' and a key or 'a' for all.
 * Answers are arrays of three: a word, a number and a text. None of it is ever believed before all of it has
 * been looked at. */
#include "shared_wire.h"
#include "random.h"
#include <inttypes.h>
#include <stdio.h>

void weft__shared_token(char token[SHARED_TOKEN])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = weft__redis_random();
    for (int i = 0; i < SHARED_TOKEN; i++, number >>= 4)
        token[i] = digits[number & 15];
}

/* What a load has chosen is written as a number that no time has. */
void weft__shared_life(char life[SHARED_LIFE + 1], const struct shared_time *time)
{
    uint64_t ms = time->ttl_ms < SHARED_MS_MAX ? time->ttl_ms : 0;
    snprintf(life, SHARED_LIFE + 1, "%0*" PRIx64, (int)SHARED_LIFE,
             time->chosen ? ((uint64_t)1 << 4 * SHARED_LIFE) - 1 : ms);
}

/* ---- answers -------------------------------------------------------------------------------- */

static bool is_answer(const struct weft_redis_reply *reply)
{
    return reply != NULL && reply->type == WEFT_REDIS_ARRAY && reply->count == 3 &&
           reply->elements[0].type == WEFT_REDIS_STRING &&
           reply->elements[1].type == WEFT_REDIS_INTEGER &&
           reply->elements[2].type == WEFT_REDIS_STRING;
}

static void read_value(const struct weft_redis_reply *parts, struct shared_taken *taken)
{
    struct weft_text value = parts[2].text;
    int64_t left = parts[1].integer;
    if (value.size < SHARED_HEAD || !weft_text_starts(value, SHARED_VERSION) || left < -1)
        return;
    taken->found = SHARED_VALUE;
    taken->value = weft_text(value.data + SHARED_HEAD, value.size - SHARED_HEAD);
    taken->ttl_ms = left > 0 ? (uint64_t)left : left == 0 ? 1 : WEFT_CACHE_FOREVER;
}

static void read_lease(const struct weft_redis_reply *parts, struct shared_taken *taken)
{
    if (parts[2].text.size != SHARED_TOKEN)
        return;
    taken->found = SHARED_LEASE;
    taken->replaces_garbage = parts[1].integer != 0;
    memcpy(taken->generation, parts[2].text.data, SHARED_TOKEN);
}

void weft__shared_read_taken(const struct weft_redis_reply *reply, struct shared_taken *taken)
{
    memset(taken, 0, sizeof *taken);
    if (!is_answer(reply))
        return;
    const struct weft_redis_reply *parts = reply->elements;
    if (weft_text_is(parts[0].text, "value"))
        read_value(parts, taken);
    else if (weft_text_is(parts[0].text, "lease"))
        read_lease(parts, taken);
    else if (weft_text_is(parts[0].text, "busy"))
        taken->found = SHARED_BUSY;
}

/* ---- messages ------------------------------------------------------------------------------- */

enum shared_news weft__shared_read_message(struct weft_text message, const char id[SHARED_TOKEN],
                                           struct weft_text *key)
{
    *key = weft_text(NULL, 0);
    if (message.size < SHARED_MESSAGE_HEAD)
        return SHARED_ODD;
    bool own = memcmp(message.data, id, SHARED_TOKEN) == 0;
    char kind = message.data[SHARED_TOKEN];
    if (kind == 'k')
        *key = weft_text(message.data + SHARED_MESSAGE_HEAD, message.size - SHARED_MESSAGE_HEAD);
    else if (kind != 'a' || message.size != SHARED_MESSAGE_HEAD)
        return SHARED_ODD;
    return own ? SHARED_OWN : kind == 'k' ? SHARED_KEY : SHARED_ALL;
}

void weft__shared_message_head(char head[SHARED_MESSAGE_HEAD], const char id[SHARED_TOKEN],
                               bool all)
{
    memcpy(head, id, SHARED_TOKEN);
    head[SHARED_TOKEN] = all ? 'a' : 'k';
}
