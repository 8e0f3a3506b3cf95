/* The names of files that are taken, each with the number of its URL.
 *
 * Tables like those of known.c, with 12 bytes a slot: the number, and 64 bits of the hash of the
 * name in small letters. Two names that met would be taken for one, and the second URL would get
 * another name than it had to: at a million names the odds are one in 37 million. */
#include "names.h"
#include "weft/alloc.h"

enum { SHARD_MIN = 16, PIECE = 256 };

static uint64_t hash_of(const struct weft__crawl_key *key, struct weft_text name)
{
    struct weft_crawl_hash hash;
    uint64_t out[2];
    char small[PIECE];
    weft__crawl_hash_begin(key, &hash);
    while (name.size > 0) {
        size_t size = name.size < PIECE ? name.size : PIECE;
        for (size_t i = 0; i < size; i++)
            small[i] = weft_text_lower(name.data[i]);
        weft_crawl_hash_add(&hash, small, size);
        name = weft_text(name.data + size, name.size - size);
    }
    weft_crawl_hash_end(&hash, out);
    return out[0];
}

/* Where it is, or where it would be. There is a free slot. */
static struct weft__crawl_name *place(struct weft__crawl_name *slots, uint32_t capacity,
                                      uint32_t low, uint32_t high)
{
    uint32_t slot = (uint32_t)((uint64_t)low * capacity >> 32);
    while (slots[slot].id != 0 && (slots[slot].low != low || slots[slot].high != high))
        slot = slot + 1 == capacity ? 0 : slot + 1;
    return &slots[slot];
}

static int make_room(struct weft__crawl_names *names, unsigned which)
{
    struct weft__crawl_name *old = names->shards[which].slots;
    uint32_t before = names->shards[which].capacity;
    if ((uint64_t)(names->shards[which].count + 1) * 5 <= (uint64_t)before * 4)
        return 0;
    uint32_t capacity = before < SHARD_MIN ? SHARD_MIN : before + before / 4;
    struct weft__crawl_name *slots = weft_calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return UV_ENOMEM;
    for (uint32_t i = 0; i < before; i++) {
        if (old[i].id != 0)
            *place(slots, capacity, old[i].low, old[i].high) = old[i];
    }
    weft_free(old);
    names->shards[which].slots = slots;
    names->shards[which].capacity = capacity;
    return 0;
}

int weft__crawl_names_claim(struct weft__crawl_names *names, const struct weft__crawl_key *key,
                            struct weft_text name, weft_crawl_id id, weft_crawl_id *owner)
{
    uint64_t hash = hash_of(key, name);
    unsigned which = (unsigned)(hash >> 58);
    int err = make_room(names, which);
    if (err != 0)
        return err;
    struct weft__crawl_name *slot = place(names->shards[which].slots, names->shards[which].capacity,
                                          (uint32_t)hash, (uint32_t)(hash >> 32));
    if (slot->id == 0) {
        *slot = (struct weft__crawl_name){id, (uint32_t)hash, (uint32_t)(hash >> 32)};
        names->shards[which].count++;
    }
    *owner = slot->id;
    return 0;
}

weft_crawl_id weft__crawl_names_find(const struct weft__crawl_names *names,
                                     const struct weft__crawl_key *key, struct weft_text name)
{
    uint64_t hash = hash_of(key, name);
    unsigned which = (unsigned)(hash >> 58);
    if (names->shards[which].capacity == 0)
        return 0;
    return place(names->shards[which].slots, names->shards[which].capacity, (uint32_t)hash,
                 (uint32_t)(hash >> 32))
        ->id;
}

void weft__crawl_names_free(struct weft__crawl_names *names)
{
    for (unsigned i = 0; i < WEFT__CRAWL_SHARDS; i++)
        weft_free(names->shards[i].slots);
    *names = (struct weft__crawl_names){0};
}
