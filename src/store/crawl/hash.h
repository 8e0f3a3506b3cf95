/* SipHash-2-4 with 128 bits. See hash.c. */
#ifndef WEFT_STORE_CRAWL_HASH_H
#define WEFT_STORE_CRAWL_HASH_H

#include "weft/crawl.h"

enum { WEFT__CRAWL_KEY_SIZE = 16 };

struct weft__crawl_key {
    uint64_t k[2];
};

void weft__crawl_key_read(struct weft__crawl_key *key, const char bytes[WEFT__CRAWL_KEY_SIZE]);
/* From the kernel's random numbers. A status. */
int weft__crawl_key_draw(char bytes[WEFT__CRAWL_KEY_SIZE]);

void weft__crawl_hash_begin(const struct weft__crawl_key *key, struct weft_crawl_hash *hash);
void weft__crawl_digest(const struct weft__crawl_key *key, struct weft_text text, uint64_t out[2]);

/* The checksum of a record: of its kind, its key and its value. */
uint64_t weft__crawl_checksum(const struct weft__crawl_key *key, char kind, struct weft_text name,
                              struct weft_text value);

#endif
