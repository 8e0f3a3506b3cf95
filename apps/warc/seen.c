/* A digest is as good as a hash: its first bytes say which set it belongs to. In a set are the last
 * four. A fifth makes the table four times as large; when it is as large as it may be, it pushes the
 * oldest one of its set out. */
#include "warc/seen.h"
#include <string.h>
#include <weft/alloc.h>

static struct seen_entry *set_of(struct seen_entry *entries, size_t sets,
                                 const unsigned char digest[SHA1_SIZE])
{
    size_t hash = (size_t)digest[0] << 16 | (size_t)digest[1] << 8 | digest[2];
    return entries + (hash & (sets - 1)) * SEEN_WAYS;
}

static struct seen_entry *entry_of(const struct warc_seen *seen,
                                   const unsigned char digest[SHA1_SIZE])
{
    if (seen->sets == 0)
        return NULL;
    struct seen_entry *set = set_of(seen->entries, seen->sets, digest);
    for (size_t i = 0; i < SEEN_WAYS; i++) {
        if (set[i].place != 0 && memcmp(set[i].digest, digest, SHA1_SIZE) == 0)
            return &set[i];
    }
    return NULL;
}

bool seen_find(const struct warc_seen *seen, const unsigned char digest[SHA1_SIZE], uint64_t *place)
{
    const struct seen_entry *entry = entry_of(seen, digest);
    if (entry != NULL)
        *place = entry->place - 1;
    return entry != NULL;
}

static void put(struct seen_entry *entries, size_t sets, const struct seen_entry *entry)
{
    struct seen_entry *set = set_of(entries, sets, entry->digest);
    memmove(set + 1, set, (SEEN_WAYS - 1) * sizeof *set);
    set[0] = *entry;
}

static bool grow(struct warc_seen *seen)
{
    size_t sets = seen->sets == 0 ? 64 : seen->sets * 4;
    struct seen_entry *entries = weft_calloc(sets * SEEN_WAYS, sizeof *entries);
    if (entries == NULL)
        return false;
    for (size_t i = seen->sets * SEEN_WAYS; i > 0; i--) { /* the oldest of a set first */
        if (seen->entries[i - 1].place != 0)
            put(entries, sets, &seen->entries[i - 1]);
    }
    weft_free(seen->entries);
    *seen = (struct warc_seen){entries, sets};
    return true;
}

static bool has_room(const struct warc_seen *seen, const unsigned char digest[SHA1_SIZE])
{
    return seen->sets > 0 && set_of(seen->entries, seen->sets, digest)[SEEN_WAYS - 1].place == 0;
}

void seen_add(struct warc_seen *seen, const unsigned char digest[SHA1_SIZE], uint64_t place)
{
    struct seen_entry entry = {.place = place + 1}, *before = entry_of(seen, digest);
    if (before != NULL) {
        if (before->place < entry.place)
            before->place = entry.place;
        return;
    }
    memcpy(entry.digest, digest, SHA1_SIZE);
    while (!has_room(seen, digest) && seen->sets < SEEN_SETS_MAX && grow(seen))
        ;
    if (seen->sets > 0)
        put(seen->entries, seen->sets, &entry);
}

void seen_free(struct warc_seen *seen)
{
    weft_free(seen->entries);
    *seen = (struct warc_seen){0};
}
