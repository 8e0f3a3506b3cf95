/* Two bytes that say where to cut and how large a reply may be, then what a server might send. Whole, cut there
 * and byte by byte it is the same replies with the same end, none of them larger than the limit. Each is then
 * taken for an answer of a shared cache's script, and its texts for messages. */
#include "store/redis/reply.h"
#include "store/redis/shared_wire.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "redis_reply.c:%d: %s\n", __LINE__, #holds);                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct reading {
    struct redis_replies replies;
    size_t max;
    uint64_t sum, count;
    int status;
};

static void mix(struct reading *reading, uint64_t number)
{
    reading->sum = (reading->sum ^ number) * 0x9e3779b97f4a7c15U;
    reading->sum ^= reading->sum >> 29;
}

/* All of it, and what it costs. */
static size_t walk(struct reading *reading, const struct weft_redis_reply *reply)
{
    size_t cost = reply->text.data != NULL ? reply->text.size + 1 : 0;
    mix(reading, reply->type);
    mix(reading, (uint64_t)reply->integer);
    for (size_t i = 0; i < reply->text.size; i++)
        mix(reading, (unsigned char)reply->text.data[i]);
    if (reply->text.data != NULL)
        CHECK(reply->text.data[reply->text.size] == '\0');
    CHECK(reply->count == 0 || reply->type == WEFT_REDIS_ARRAY);
    for (size_t i = 0; i < reply->count; i++)
        cost += sizeof *reply + walk(reading, &reply->elements[i]);
    return cost;
}

static void use(struct reading *reading, const struct weft_redis_reply *reply)
{
    struct shared_taken taken;
    struct weft_text key;
    CHECK(sizeof *reply + walk(reading, reply) <= reading->max);
    weft__shared_read_taken(reply, &taken);
    if (taken.found == SHARED_VALUE) {
        CHECK(taken.value.size + SHARED_HEAD == reply->elements[2].text.size);
        CHECK(taken.value.data == reply->elements[2].text.data + SHARED_HEAD);
    }
    mix(reading, taken.found);
    enum shared_news news = weft__shared_read_message(reply->text, "0123456789abcdef", &key);
    CHECK(key.size == 0 || key.size + SHARED_MESSAGE_HEAD == reply->text.size);
    mix(reading, news);
}

static void feed(struct reading *reading, const uint8_t *data, size_t size)
{
    struct weft_redis_reply *reply = NULL;
    if (reading->status != 0 || size == 0)
        return;
    reading->status = weft__redis_replies_feed(&reading->replies, (const char *)data, size);
    while (reading->status == 0) {
        reading->status = weft__redis_replies_next(&reading->replies, &reply);
        if (reply == NULL)
            break;
        CHECK(reading->status == 0);
        use(reading, reply);
        reading->count++;
        weft__redis_reply_free(reply);
    }
    CHECK(reading->status == 0 || reading->status == UV_EPROTO || reading->status == UV_EFBIG);
}

static struct reading begin(size_t max)
{
    struct reading reading = {.max = max};
    return reading;
}

static void read_cut(struct reading *reading, const uint8_t *data, size_t size, size_t at)
{
    CHECK(weft__redis_replies_open(&reading->replies, reading->max) == 0);
    feed(reading, data, at);
    feed(reading, data + at, size - at);
    weft__redis_replies_close(&reading->replies);
}

static void read_bytes(struct reading *reading, const uint8_t *data, size_t size)
{
    CHECK(weft__redis_replies_open(&reading->replies, reading->max) == 0);
    for (size_t i = 0; i < size; i++)
        feed(reading, data + i, 1);
    weft__redis_replies_close(&reading->replies);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 4096)
        return 0;
    size_t max = sizeof(struct weft_redis_reply) + (size_t)data[1] * 64, at = data[0];
    data += 2;
    size -= 2;
    struct reading whole = begin(max), cut = begin(max), bytes = begin(max);
    read_cut(&whole, data, size, 0);
    read_cut(&cut, data, size, at < size ? at : size);
    read_bytes(&bytes, data, size);
    /* What is too large is seen earlier or later, depending on how much has come. */
    if (whole.status != UV_EFBIG && cut.status != UV_EFBIG && bytes.status != UV_EFBIG) {
        CHECK(whole.status == cut.status && whole.status == bytes.status);
        CHECK(whole.count == cut.count && whole.count == bytes.count);
        CHECK(whole.sum == cut.sum && whole.sum == bytes.sum);
    }
    return 0;
}
