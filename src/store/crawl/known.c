/* Every known URL.
 *
 * Entries lie in chunks, by their numbers, and never move: nothing is copied when there are more,
 * and there is never twice the memory for a moment. To find one by its fingerprint there are 64
 * tables with open addressing, chosen by the fingerprint's top bits. They grow one at a time, by a
 * quarter, when they are filled to four fifths: so at most a 64th is there twice, and a URL costs
 * 24 bytes and 6 to 8 for its slot.
 *
 * A slot is the number (0: free) and, in an array of its own behind the numbers, one byte of the
 * fingerprint: nearly every slot that holds another URL is passed by without a look at its entry,
 * which is a cache miss away. */
#include "known.h"
#include "weft/alloc.h"

enum { CHUNK = 4096, SHARD_MIN = 16, SLOT = sizeof(weft_crawl_id) + 1 };

static struct weft__crawl_shard *shard_of(const struct weft__crawl_known *known,
                                          const uint64_t print[2])
{
    return (struct weft__crawl_shard *)&known->shards[print[0] >> 58];
}

static unsigned char *tags_of(const struct weft__crawl_shard *shard)
{
    return (unsigned char *)(shard->ids + shard->capacity);
}

/* Where its search begins: the other word's upper half, scaled. */
static uint32_t home(const struct weft__crawl_shard *shard, const uint64_t print[2])
{
    return (uint32_t)((print[1] >> 32) * shard->capacity >> 32);
}

static unsigned char tag(const uint64_t print[2])
{
    return (unsigned char)print[0];
}

static uint32_t after(const struct weft__crawl_shard *shard, uint32_t slot)
{
    return slot + 1 == shard->capacity ? 0 : slot + 1;
}

struct weft__crawl_entry *weft__crawl_known_at(const struct weft__crawl_known *known,
                                               weft_crawl_id id)
{
    if (id == 0 || id > known->count)
        return NULL;
    return &known->chunks[(id - 1) / CHUNK][(id - 1) % CHUNK];
}

static void shard_put(struct weft__crawl_shard *shard, const uint64_t print[2], weft_crawl_id id)
{
    uint32_t slot = home(shard, print);
    while (shard->ids[slot] != 0)
        slot = after(shard, slot);
    shard->ids[slot] = id;
    tags_of(shard)[slot] = tag(print);
    shard->count++;
}

static int shard_grow(const struct weft__crawl_known *known, struct weft__crawl_shard *shard,
                      uint32_t capacity)
{
    struct weft__crawl_shard grown = {.capacity = capacity};
    grown.ids = weft_calloc(capacity, SLOT);
    if (grown.ids == NULL)
        return UV_ENOMEM;
    for (uint32_t slot = 0; slot < shard->capacity; slot++) {
        if (shard->ids[slot] != 0)
            shard_put(&grown, weft__crawl_known_at(known, shard->ids[slot])->print,
                      shard->ids[slot]);
    }
    weft_free(shard->ids);
    *shard = grown;
    return 0;
}

static int shard_room(const struct weft__crawl_known *known, struct weft__crawl_shard *shard)
{
    if ((uint64_t)(shard->count + 1) * 5 <= (uint64_t)shard->capacity * 4)
        return 0;
    uint32_t capacity = shard->capacity + shard->capacity / 4;
    return shard_grow(known, shard, capacity < SHARD_MIN ? SHARD_MIN : capacity);
}

static int chunk_room(struct weft__crawl_known *known, weft_crawl_id count)
{
    uint32_t needed = (count - 1) / CHUNK + 1;
    if (needed > known->chunk_room) {
        uint32_t room = needed + needed / 2 + 4;
        struct weft__crawl_entry **chunks =
            weft_realloc(known->chunks, (size_t)room * sizeof(void *));
        if (chunks == NULL)
            return UV_ENOMEM;
        known->chunks = chunks;
        known->chunk_room = room;
    }
    while (known->chunk_count < needed) {
        struct weft__crawl_entry *chunk = weft_alloc(CHUNK * sizeof *chunk);
        if (chunk == NULL)
            return UV_ENOMEM;
        known->chunks[known->chunk_count++] = chunk;
    }
    return 0;
}

void weft__crawl_known_free(struct weft__crawl_known *known)
{
    for (uint32_t i = 0; i < known->chunk_count; i++)
        weft_free(known->chunks[i]);
    for (unsigned i = 0; i < WEFT__CRAWL_SHARDS; i++)
        weft_free(known->shards[i].ids);
    weft_free(known->chunks);
    *known = (struct weft__crawl_known){0};
}

int weft__crawl_known_reserve(struct weft__crawl_known *known, weft_crawl_id count)
{
    /* A little above the mean, because no shard has exactly that; those that have more grow. */
    uint64_t each = (uint64_t)count / WEFT__CRAWL_SHARDS * 13 / 10 + SHARD_MIN;
    int err = count > 0 ? chunk_room(known, count) : 0;
    for (unsigned i = 0; i < WEFT__CRAWL_SHARDS && err == 0; i++) {
        if (known->shards[i].capacity < each)
            err = shard_grow(known, &known->shards[i], (uint32_t)each);
    }
    return err;
}

int weft__crawl_known_room(struct weft__crawl_known *known, const uint64_t print[2])
{
    if (known->count == UINT32_MAX)
        return UV_E2BIG;
    int err = chunk_room(known, known->count + 1);
    return err != 0 ? err : shard_room(known, shard_of(known, print));
}

weft_crawl_id weft__crawl_known_add(struct weft__crawl_known *known, const uint64_t print[2])
{
    weft_crawl_id id = ++known->count;
    *weft__crawl_known_at(known, id) = (struct weft__crawl_entry){.print = {print[0], print[1]}};
    shard_put(shard_of(known, print), print, id);
    return id;
}

weft_crawl_id weft__crawl_known_find(const struct weft__crawl_known *known, const uint64_t print[2])
{
    const struct weft__crawl_shard *shard = shard_of(known, print);
    if (shard->capacity == 0)
        return 0;
    const unsigned char *tags = tags_of(shard);
    for (uint32_t slot = home(shard, print); shard->ids[slot] != 0; slot = after(shard, slot)) {
        if (tags[slot] != tag(print))
            continue;
        const struct weft__crawl_entry *entry = weft__crawl_known_at(known, shard->ids[slot]);
        if (entry->print[0] == print[0] && entry->print[1] == print[1])
            return shard->ids[slot];
    }
    return 0;
}
