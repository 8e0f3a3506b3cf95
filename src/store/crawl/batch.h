/* Changes that are not committed yet, in memory. See batch.c. */
#ifndef WEFT_STORE_CRAWL_BATCH_H
#define WEFT_STORE_CRAWL_BATCH_H

#include "records.h"

struct weft__crawl_batch {
    char *data;
    size_t size, room;
    size_t applied;   /* bytes at its front that are in the database already */
    size_t journaled; /* bytes at its front that are in its journal */
    uint32_t *slots;  /* where a change begins, + 1; 0: free */
    uint32_t slot_count, slot_room;
};

/* A batch that nobody commits cannot grow beyond this: UV_ENOBUFS. */
#define WEFT__CRAWL_BATCH_MAX ((size_t)1 << 30)

/* Give everything back. */
void weft__crawl_batch_free(struct weft__crawl_batch *batch);
/* It is committed: forget it, but keep some of its memory for the next one. */
void weft__crawl_batch_empty(struct weft__crawl_batch *batch);

/* Room for a change of size bytes: data + size is where it goes. UV_ENOMEM, UV_ENOBUFS. */
int weft__crawl_batch_room(struct weft__crawl_batch *batch, const struct weft__crawl_key *key,
                           size_t size);
/* What lies at data + size belongs to it now; it takes the place of an earlier change of the same
 * kind and id or key. key hashes. */
void weft__crawl_batch_add(struct weft__crawl_batch *batch, const struct weft__crawl_key *key,
                           const struct weft__crawl_change *change);
/* Put all of next's changes behind its own; next is empty then. UV_ENOMEM: nothing happened. */
int weft__crawl_batch_join(struct weft__crawl_batch *batch, struct weft__crawl_batch *next,
                           const struct weft__crawl_key *key);

/* The newest change of wanted's kind with its id, or its key: false if there is none. On true
 * wanted is it, and its texts lie in data. */
bool weft__crawl_batch_find(const struct weft__crawl_batch *batch,
                            const struct weft__crawl_key *key, struct weft__crawl_change *wanted);

#endif
