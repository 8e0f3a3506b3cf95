/* What is written down: changes, one after the other, and the records that they become. See
 * records.c. */
#ifndef WEFT_STORE_CRAWL_RECORDS_H
#define WEFT_STORE_CRAWL_RECORDS_H

#include "hash.h"

enum weft__crawl_kind {
    WEFT__CRAWL_BATCH = 1, /* the first of a journal: its number */
    WEFT__CRAWL_URL,       /* a URL, seen for the first time */
    WEFT__CRAWL_RESULT,    /* what became of it */
    WEFT__CRAWL_MARK,      /* what is to be done with it, and its depth */
    WEFT__CRAWL_THING      /* a value under a key */
};

enum {
    WEFT__CRAWL_CHANGE_HEAD = 16,
    WEFT__CRAWL_CHECKSUM = 8,
    WEFT__CRAWL_THING_KEY_MAX = 400,
    WEFT__CRAWL_THING_MAX = 16 << 20,
    WEFT__CRAWL_MARK_SIZE = 3,
    WEFT__CRAWL_URL_HEAD = 6
};

/* A change. value is also what the record holds, and lies where the change was read from. */
struct weft__crawl_change {
    enum weft__crawl_kind kind;
    weft_crawl_id id;       /* URL, RESULT, MARK */
    uint64_t batch;         /* BATCH */
    struct weft_text key;   /* THING */
    struct weft_text value; /* all but BATCH; empty in a THING: remove it */
};

/* How many bytes it takes in a journal. */
size_t weft__crawl_change_size(const struct weft__crawl_change *change);
/* Write it to a place with that much room. */
void weft__crawl_change_write(const struct weft__crawl_key *key,
                              const struct weft__crawl_change *change, char *at);
/* The next one, cut off from rest. 1: there it is. 0: that was the last; rest is what is left, of
 * a change that was never finished. WEFT_EDAMAGED. */
int weft__crawl_change_read(const struct weft__crawl_key *key, struct weft_text *rest,
                            struct weft__crawl_change *change);
/* One that was written here and is in memory still: nothing is checked. The bytes it takes. */
size_t weft__crawl_change_peek(const char *at, struct weft__crawl_change *change);

/* ---- the values: WEFT_EDAMAGED if they cannot have been written here ------------------------- */

struct weft__crawl_url {
    weft_crawl_id referrer;
    uint16_t depth;
    struct weft_text text;
};
void weft__crawl_url_head(char at[WEFT__CRAWL_URL_HEAD], weft_crawl_id referrer, uint16_t depth);
int weft__crawl_url_read(struct weft_text value, struct weft__crawl_url *url);

void weft__crawl_mark_write(char at[WEFT__CRAWL_MARK_SIZE], enum weft_crawl_what what,
                            uint16_t depth);
int weft__crawl_mark_read(struct weft_text value, enum weft_crawl_what *what, uint16_t *depth);

/* UV_EINVAL, UV_E2BIG: it cannot be written down. *size: the room that it takes. */
int weft__crawl_result_size(const struct weft_crawl_result *result, size_t *size);
void weft__crawl_result_write(const struct weft_crawl_result *result, uint16_t depth, char *at);
int weft__crawl_result_read(struct weft_text value, struct weft_crawl_result *result,
                            uint16_t *depth);

#endif
