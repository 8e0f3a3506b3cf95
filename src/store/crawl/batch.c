/* Changes that are not committed yet: the bytes as they are in the journal, one after the other,
 * and a table that finds the newest one about a URL or a thing.
 *
 * The table holds nothing but where a change begins. What it is about is read there, so a slot is
 * four bytes. Room is made first and filled later: between the two the change is written to the
 * journal, and when that fails nothing has happened here. */
#include "batch.h"
#include "weft/alloc.h"

enum { ROOM_MIN = 4096, SLOTS_MIN = 64 };
/* A batch that is done keeps no more than this: the next one is likely as small as most. */
enum { ROOM_KEPT = 1 << 20, SLOTS_KEPT = 1 << 16 };

void weft__crawl_batch_free(struct weft__crawl_batch *batch)
{
    weft_free(batch->data);
    weft_free(batch->slots);
    *batch = (struct weft__crawl_batch){0};
}

void weft__crawl_batch_empty(struct weft__crawl_batch *batch)
{
    if (batch->room > ROOM_KEPT || batch->slot_room > SLOTS_KEPT) {
        weft__crawl_batch_free(batch);
        return;
    }
    if (batch->slot_room > 0)
        memset(batch->slots, 0, batch->slot_room * sizeof *batch->slots);
    batch->slot_count = 0;
    batch->size = batch->applied = batch->journaled = 0;
}

static uint32_t hash_of(const struct weft__crawl_key *key, const struct weft__crawl_change *change)
{
    if (change->kind == WEFT__CRAWL_THING) {
        uint64_t out[2];
        weft__crawl_digest(key, change->key, out);
        return (uint32_t)out[0];
    }
    return (change->id * 8 + (uint32_t)change->kind) * UINT32_C(2654435769);
}

static bool same_subject(const struct weft__crawl_change *one,
                         const struct weft__crawl_change *other)
{
    return one->kind == other->kind && one->id == other->id &&
           weft_text_equal(one->key, other->key);
}

/* Where the change about the same is, or would be. The room is a power of two, never all taken. */
static uint32_t *place(const struct weft__crawl_batch *batch, const struct weft__crawl_key *key,
                       const struct weft__crawl_change *change, struct weft__crawl_change *found)
{
    uint32_t mask = batch->slot_room - 1, slot = hash_of(key, change) >> 7 & mask;
    for (; batch->slots[slot] != 0; slot = (slot + 1) & mask) {
        weft__crawl_change_peek(batch->data + (batch->slots[slot] - 1), found);
        if (same_subject(found, change))
            break;
    }
    return &batch->slots[slot];
}

/* With another table: every change again, in their order, so that the newest stays. */
static void index_all(struct weft__crawl_batch *batch, const struct weft__crawl_key *key)
{
    struct weft__crawl_change change, found;
    batch->slot_count = 0;
    for (size_t at = 0, size; at < batch->size; at += size) {
        size = weft__crawl_change_peek(batch->data + at, &change);
        uint32_t *slot = place(batch, key, &change, &found);
        batch->slot_count += *slot == 0;
        *slot = (uint32_t)at + 1;
    }
}

static int grow_slots(struct weft__crawl_batch *batch, const struct weft__crawl_key *key,
                      uint32_t count)
{
    uint32_t room = batch->slot_room < SLOTS_MIN ? SLOTS_MIN : batch->slot_room;
    while (count > room / 4 * 3)
        room *= 2;
    if (room == batch->slot_room)
        return 0;
    uint32_t *slots = weft_calloc(room, sizeof *slots);
    if (slots == NULL)
        return UV_ENOMEM;
    weft_free(batch->slots);
    batch->slots = slots;
    batch->slot_room = room;
    index_all(batch, key);
    return 0;
}

static int grow_data(struct weft__crawl_batch *batch, size_t size)
{
    if (size > WEFT__CRAWL_BATCH_MAX - batch->size)
        return UV_ENOBUFS;
    if (batch->room - batch->size >= size)
        return 0;
    size_t room = batch->room + batch->room / 2;
    if (room < batch->size + size)
        room = batch->size + size;
    if (room < ROOM_MIN)
        room = ROOM_MIN;
    char *data = weft_realloc(batch->data, room);
    if (data == NULL)
        return UV_ENOMEM;
    batch->data = data;
    batch->room = room;
    return 0;
}

int weft__crawl_batch_room(struct weft__crawl_batch *batch, const struct weft__crawl_key *key,
                           size_t size)
{
    int err = grow_data(batch, size);
    return err != 0 ? err : grow_slots(batch, key, batch->slot_count + 1);
}

void weft__crawl_batch_add(struct weft__crawl_batch *batch, const struct weft__crawl_key *key,
                           const struct weft__crawl_change *change)
{
    struct weft__crawl_change found;
    uint32_t *slot = place(batch, key, change, &found);
    batch->slot_count += *slot == 0;
    *slot = (uint32_t)batch->size + 1;
    batch->size += weft__crawl_change_size(change);
}

int weft__crawl_batch_join(struct weft__crawl_batch *batch, struct weft__crawl_batch *next,
                           const struct weft__crawl_key *key)
{
    if (next->size == 0)
        return 0;
    int err = grow_data(batch, next->size);
    if (err == 0)
        err = grow_slots(batch, key, batch->slot_count + next->slot_count);
    if (err != 0)
        return err;
    memcpy(batch->data + batch->size, next->data, next->size);
    for (size_t end = batch->size + next->size; batch->size < end;) {
        struct weft__crawl_change change;
        weft__crawl_change_peek(batch->data + batch->size, &change);
        weft__crawl_batch_add(batch, key, &change);
    }
    weft__crawl_batch_empty(next);
    return 0;
}

bool weft__crawl_batch_find(const struct weft__crawl_batch *batch,
                            const struct weft__crawl_key *key, struct weft__crawl_change *wanted)
{
    struct weft__crawl_change found;
    if (batch->slot_count == 0 || *place(batch, key, wanted, &found) == 0)
        return false;
    *wanted = found;
    return true;
}
