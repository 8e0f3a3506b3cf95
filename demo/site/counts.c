/* How often each URL was asked for: a hash table with open addressing over an array, which keeps
 * the order of the first requests.
 *
 * Invariants: slots has twice as many places as urls has room, so that it is never full; a slot is
 * 0 or 1 + an index below count. What no longer fits the limits, or memory, is counted together. */
#include "site.h"

enum { FIRST_ROOM = 256, SLOTS_PER_URL = 2 };

/* The slot where it is, or the empty one where it belongs. */
static uint32_t *slot_of(const struct counts *counts, struct weft_text url, uint64_t hash)
{
    size_t places = counts->room * SLOTS_PER_URL, at = hash % places;
    while (counts->slots[at] != 0) {
        const struct url_count *one = &counts->urls[counts->slots[at] - 1];
        if (one->hash == hash && weft_text_is(url, one->url))
            break;
        at = (at + 1) % places;
    }
    return &counts->slots[at];
}

static bool grow(struct counts *counts)
{
    size_t room = counts->room > 0 ? counts->room * 2 : FIRST_ROOM;
    struct url_count *urls = weft_realloc(counts->urls, room * sizeof *urls);
    if (urls == NULL)
        return false;
    counts->urls = urls;
    uint32_t *slots = weft_calloc(room * SLOTS_PER_URL, sizeof *slots);
    if (slots == NULL)
        return false;
    weft_free(counts->slots);
    counts->slots = slots;
    counts->room = room;
    for (size_t i = 0; i < counts->count; i++)
        *slot_of(counts, weft_text_of(urls[i].url), urls[i].hash) = (uint32_t)i + 1;
    return true;
}

static bool has_room_for(struct counts *counts, struct weft_text url)
{
    if (counts->count == SITE_URLS_MAX || url.size > SITE_URL_BYTES_MAX - counts->bytes)
        return false;
    return counts->count < counts->room || grow(counts);
}

static bool insert(struct counts *counts, struct weft_text url, uint64_t hash)
{
    char *copy = has_room_for(counts, url) ? weft_alloc(url.size + 1) : NULL;
    if (copy == NULL)
        return false;
    memcpy(copy, url.data, url.size);
    copy[url.size] = '\0';
    uint32_t *slot = slot_of(counts, url, hash);
    counts->urls[counts->count] = (struct url_count){.url = copy, .hash = hash, .count = 1};
    *slot = (uint32_t)++counts->count;
    counts->bytes += url.size;
    return true;
}

uint64_t counts_add(struct counts *counts, struct weft_text url)
{
    uint64_t hash = hashed(url.data, url.size);
    uint32_t slot = counts->room > 0 ? *slot_of(counts, url, hash) : 0;
    if (slot != 0)
        return ++counts->urls[slot - 1].count;
    if (insert(counts, url, hash))
        return 1;
    counts->others++;
    return 0;
}

void counts_free(struct counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        weft_free(counts->urls[i].url);
    weft_free(counts->urls);
    weft_free(counts->slots);
    *counts = (struct counts){0};
}
