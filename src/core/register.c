/* The register: which id belongs to which resource, and ids that are never used twice.
 *
 *     id = generation << 24 | slot          chunks ──► chunk of 256 slots ──► slot
 *
 * A slot holds one resource at a time. Each time it is taken its generation goes up, so an id names
 * a slot and the one use of it that is meant; looking it up is two loads and a comparison. A slot
 * whose generations are used up is not taken again.
 *
 * A loop takes slots from chunks of its own, without a lock. Other threads may look: they hold the
 * lock, which keeps chunks from being freed under their eyes, and read a slot as one reads behind a
 * sequence lock: its id before and after the rest. So the id is cleared before the rest changes and
 * set after it, and every field is atomic; on common processors these are plain moves.
 *
 * A chunk goes when its loop does. The next one in its place begins with generations that it has not
 * reached; if a slot of it had used up its own, nobody gets that place again. */
#include "locks.h"
#include "observe.h"
#include "weft/alloc.h"

struct weft_chunk *weft__chunks[CHUNKS]; /* changed and, by other threads, read under the lock */
static uint64_t reached[CHUNKS];         /* the highest generation in that place so far */

static uint32_t number_of(uint64_t id)
{
    return (uint32_t)id & ((1U << SLOT_BITS) - 1);
}

/* ---- chunks --------------------------------------------------------------------------------- */

static void fill(struct weft_chunk *chunk, uint32_t index, struct weft_slot **free)
{
    for (uint32_t i = CHUNK_SLOTS; i-- > 0;) {
        struct weft_slot *slot = &chunk->slots[i];
        slot->number = index << CHUNK_BITS | i;
        slot->generation = reached[index] + 1;
        slot->next_free = *free;
        *free = slot;
    }
}

struct weft_slot *weft__add_slots(struct weft_loop *loop)
{
    struct weft_observers *observers = loop->observers_;
    struct weft_chunk *chunk = weft_calloc(1, sizeof *chunk);
    if (chunk == NULL)
        return NULL;
    uint32_t index = 0;
    chunk->loop = loop;
    weft__lock(LOCK_REGISTER);
    while (index < CHUNKS && (weft__chunks[index] != NULL || reached[index] == LAST_GENERATION))
        index++;
    if (index < CHUNKS) {
        fill(chunk, index, &observers->free);
        weft__chunks[index] = chunk;
    }
    weft__unlock(LOCK_REGISTER);
    if (index == CHUNKS) {
        weft_free(chunk);
        return NULL;
    }
    chunk->next = observers->chunks;
    observers->chunks = chunk;
    return observers->free;
}

static void vacate(const struct weft_chunk *chunk)
{
    uint32_t index = chunk->slots[0].number >> CHUNK_BITS;
    for (uint32_t i = 0; i < CHUNK_SLOTS; i++) {
        if (chunk->slots[i].generation - 1 > reached[index])
            reached[index] = chunk->slots[i].generation - 1;
    }
    weft__chunks[index] = NULL;
}

void weft__register_close(struct weft_loop *loop)
{
    struct weft_observers *observers = loop->observers_;
    while (observers->chunks != NULL) {
        struct weft_chunk *chunk = observers->chunks;
        observers->chunks = chunk->next;
        weft__lock(LOCK_REGISTER);
        vacate(chunk);
        weft__unlock(LOCK_REGISTER);
        weft_free(chunk);
    }
    observers->free = NULL;
}

void weft__register_clear(struct weft_observers *observers, uint32_t hooks)
{
    for (struct weft_chunk *chunk = observers->chunks; chunk != NULL; chunk = chunk->next) {
        for (uint32_t i = 0; i < CHUNK_SLOTS; i++) {
            if (chunk->slots[i].seen != NULL)
                *chunk->slots[i].seen &= ~hooks;
        }
    }
}

void weft__register_end_queues(struct weft_loop *loop)
{
    for (struct weft_chunk *chunk = loop->observers_->chunks; chunk != NULL; chunk = chunk->next) {
        for (uint32_t i = 0; i < CHUNK_SLOTS; i++) {
            struct weft_slot *slot = &chunk->slots[i];
            if (slot->seen != NULL && SLOT_GET(slot->site)->group & WEFT_QUEUE)
                weft__resource_over(loop, slot, *slot->seen);
        }
    }
}

static bool belongs_to_a_cut(const struct weft_slot *slot, uint32_t hook)
{
    if (slot->branch == 0) /* there was no memory for its id */
        return false;
    struct weft_slot *branch = slot_of(slot->branch);
    if (SLOT_GET(branch->id) != slot->branch)
        return false;
    const struct weft_op *op = SLOT_GET(branch->resource);
    return op != NULL && op->flags_ & hook << OP_CUT_SHIFT;
}

void weft__register_cut(const struct weft_observers *observers, uint32_t hook)
{
    if (observers->loose == 0)
        return;
    for (struct weft_chunk *chunk = observers->chunks; chunk != NULL; chunk = chunk->next) {
        for (uint32_t i = 0; i < CHUNK_SLOTS; i++) {
            const struct weft_slot *slot = &chunk->slots[i];
            if (slot->seen != NULL && slot->loose && belongs_to_a_cut(slot, hook))
                *slot->seen &= ~hook;
        }
    }
}

/* ---- looking up ----------------------------------------------------------------------------- */

/* On the loop's thread its own clock counts, which may be a virtual one. */
static uint32_t age(const struct weft_loop *loop, bool ours, uint32_t since)
{
    uint32_t now = ours ? loop->now_ms_ : (uint32_t)(uv_hrtime() / 1000000);
    int32_t passed = (int32_t)(now - since);
    return passed > 0 ? (uint32_t)passed : 0;
}

static int look(const struct weft_chunk *chunk, struct weft_slot *slot, uint64_t id,
                struct weft_resource *found)
{
    bool ours = chunk->loop->thread_ == &weft__thread;
    if (SLOT_GET(slot->id) != id)
        return UV_ENOENT;
    *found = (struct weft_resource){.id = id,
                                    .parent = SLOT_GET(slot->parent),
                                    .site = SLOT_GET(slot->site),
                                    .state = (enum weft_resource_state)SLOT_GET(slot->state),
                                    .age_ms = age(chunk->loop, ours, SLOT_GET(slot->since_ms)),
                                    .resource = ours ? SLOT_GET(slot->resource) : NULL};
    return SLOT_GET(slot->id) == id ? 0 : UV_ENOENT;
}

struct weft_slot *weft__slot_find(uint64_t id, struct weft_loop **loop)
{
    weft__lock(LOCK_REGISTER);
    struct weft_chunk *chunk = weft__chunks[number_of(id) >> CHUNK_BITS];
    struct weft_slot *slot = NULL;
    if (chunk != NULL) {
        slot = &chunk->slots[number_of(id) & (CHUNK_SLOTS - 1)];
        *loop = chunk->loop;
    }
    weft__unlock(LOCK_REGISTER);
    return slot != NULL && SLOT_GET(slot->id) == id ? slot : NULL;
}

int weft_resource_by_id(uint64_t id, struct weft_resource *found)
{
    int status = UV_ENOENT;
    if (id == 0 || found == NULL)
        return found == NULL ? UV_EINVAL : UV_ENOENT;
    weft__lock(LOCK_REGISTER);
    struct weft_chunk *chunk = weft__chunks[number_of(id) >> CHUNK_BITS];
    if (chunk != NULL)
        status = look(chunk, &chunk->slots[number_of(id) & (CHUNK_SLOTS - 1)], id, found);
    weft__unlock(LOCK_REGISTER);
    return status;
}
