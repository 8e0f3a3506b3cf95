/* Whose each name of a file is. See names.c. */
#ifndef WEFT_STORE_CRAWL_NAMES_H
#define WEFT_STORE_CRAWL_NAMES_H

#include "known.h"

struct weft__crawl_name {
    weft_crawl_id id; /* 0: free */
    uint32_t low, high;
};

struct weft__crawl_names {
    struct {
        struct weft__crawl_name *slots;
        uint32_t capacity, count;
    } shards[WEFT__CRAWL_SHARDS];
};

void weft__crawl_names_free(struct weft__crawl_names *names);

/* Give the name to id, if it is nobody's. *owner becomes whose it is. UV_ENOMEM. */
int weft__crawl_names_claim(struct weft__crawl_names *names, const struct weft__crawl_key *key,
                            struct weft_text name, weft_crawl_id id, weft_crawl_id *owner);
/* Whose it is; 0: nobody's. */
weft_crawl_id weft__crawl_names_find(const struct weft__crawl_names *names,
                                     const struct weft__crawl_key *key, struct weft_text name);

#endif
