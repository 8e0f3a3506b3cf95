/* Every known URL, in memory: 24 bytes and a slot of a table. See known.c. */
#ifndef WEFT_STORE_CRAWL_KNOWN_H
#define WEFT_STORE_CRAWL_KNOWN_H

#include "hash.h"

enum { WEFT__CRAWL_SHARDS = 64 };

struct weft__crawl_entry {
    uint64_t print[2];  /* the fingerprint of its text */
    weft_crawl_id next; /* in its line */
    uint16_t depth;
    uint8_t what;
    bool in_line;
};

struct weft__crawl_shard {
    weft_crawl_id *ids; /* capacity of them; behind them a byte of the fingerprint for each */
    uint32_t capacity, count;
};

struct weft__crawl_known {
    struct weft__crawl_entry **chunks;
    uint32_t chunk_count, chunk_room;
    weft_crawl_id count; /* entries are numbered from 1 */
    struct weft__crawl_shard shards[WEFT__CRAWL_SHARDS];
};

void weft__crawl_known_free(struct weft__crawl_known *known);

/* Room for so many, all at once. UV_ENOMEM: there is no harm done. */
int weft__crawl_known_reserve(struct weft__crawl_known *known, weft_crawl_id count);
/* Room for one more: the next add of this fingerprint cannot fail. UV_ENOMEM, UV_E2BIG. */
int weft__crawl_known_room(struct weft__crawl_known *known, const uint64_t print[2]);
/* Its number: the next one. It is not there yet, and there is room. */
weft_crawl_id weft__crawl_known_add(struct weft__crawl_known *known, const uint64_t print[2]);
/* 0: it is not there. */
weft_crawl_id weft__crawl_known_find(const struct weft__crawl_known *known,
                                     const uint64_t print[2]);
/* NULL: there is no such number. */
struct weft__crawl_entry *weft__crawl_known_at(const struct weft__crawl_known *known,
                                               weft_crawl_id id);

#endif
