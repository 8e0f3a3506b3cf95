/* What a Redis might say to producers and workers: each reply is taken for every answer and every result there is,
 * and its texts for messages. What is believed points into the reply, and keeps to the limits that those who
 * use it rely on. */
#include "store/jobs/wire.h"
#include "store/redis/reply.h"
#include <stdio.h>
#include <stdlib.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "jobs_wire.c:%d: %s\n", __LINE__, #holds);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static bool is_in(const struct weft_redis_reply *reply, struct weft_text text)
{
    if (text.data == reply->text.data && text.size <= reply->text.size)
        return true;
    for (size_t i = 0; i < reply->count; i++) {
        if (is_in(&reply->elements[i], text))
            return true;
    }
    return false;
}

static void check_entry(const struct weft_redis_reply *reply, struct weft_text entry)
{
    CHECK(entry.size >= 3 && entry.size < JOBS_ENTRY && is_in(reply, entry));
    CHECK(memchr(entry.data, '\0', entry.size) == NULL);
}

static void use_answer(const struct weft_redis_reply *reply)
{
    struct jobs_delivery delivery;
    struct weft_text entry;
    enum jobs_word word = weft__jobs_read_word(reply);
    CHECK(word <= JOBS_A_TASK);
    for (size_t i = 0; i < 4; i++)
        CHECK(weft__jobs_read_count(reply, i) <= INT64_MAX);
    if (weft__jobs_read_delivery(reply, &delivery)) {
        check_entry(reply, delivery.entry);
        CHECK(delivery.job.size == WEFT_JOBS_ID && is_in(reply, delivery.job));
        CHECK(delivery.part < WEFT_JOBS_PARTS_MAX);
        CHECK(is_in(reply, delivery.payload) && is_in(reply, delivery.checkpoint));
    }
    if (weft__jobs_read_entry(reply, &entry))
        check_entry(reply, entry);
    else
        CHECK(entry.size == 0);
}

static void use_result(const struct weft_redis_reply *reply)
{
    struct jobs_result result;
    bool good = weft__jobs_read_result(reply, &result);
    if (result.entry.size > 0)
        check_entry(reply, result.entry);
    if (!good)
        return;
    CHECK(result.entry.size > 0);
    CHECK(result.part < WEFT_JOBS_PARTS_MAX);
    CHECK(result.chunk < (uint64_t)1 << 53 && result.total < (uint64_t)1 << 53);
    CHECK(result.status <= 0 && (result.is_end || result.status == 0));
    CHECK(is_in(reply, result.data));
}

static void use(const struct weft_redis_reply *reply)
{
    struct weft_text job;
    use_answer(reply);
    use_result(reply);
    enum jobs_news news = weft__jobs_read_news(reply->text, &job);
    CHECK((news == JOBS_ODD) || job.size == WEFT_JOBS_ID);
    for (size_t i = 0; i < reply->count; i++)
        use(&reply->elements[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct redis_replies replies = {0};
    struct weft_redis_reply *reply = NULL;
    if (size > 4096)
        return 0;
    CHECK(weft__redis_replies_open(&replies, 64 * 1024) == 0);
    if (weft__redis_replies_feed(&replies, (const char *)data, size) == 0) {
        while (weft__redis_replies_next(&replies, &reply) == 0 && reply != NULL) {
            use(reply);
            weft__redis_reply_free(reply);
        }
    }
    weft__redis_replies_close(&replies);
    return 0;
}
