/* The database that commits go to. See state.c. */
#ifndef WEFT_STORE_CRAWL_STATE_H
#define WEFT_STORE_CRAWL_STATE_H

#include "records.h"
#include <lmdb.h>

struct weft__crawl_state {
    MDB_env *env;                         /* NULL: it is not open */
    MDB_txn *reader;                      /* reset whenever nobody reads */
    MDB_dbi trees[WEFT__CRAWL_THING + 1]; /* by the kind of what is in them */
    struct weft__crawl_key key;
    uv_mutex_t moving; /* held by who reads the map, and by who moves it */
    bool lost;         /* the map is gone: there was no room for a larger one, nor for the old */
};

/* A file with nothing in it but this key, at path, where there is none. */
int weft__crawl_state_make(const char *path, const char key[WEFT__CRAWL_KEY_SIZE]);
/* UV_ENOTSUP: a version of ours that this is not. WEFT_EDAMAGED. After an error it is not open. */
int weft__crawl_state_open(struct weft__crawl_state *state, const char *path);
void weft__crawl_state_close(struct weft__crawl_state *state);
int weft__crawl_state_fd(const struct weft__crawl_state *state);

/* How many URLs there are. */
int weft__crawl_state_count(struct weft__crawl_state *state, weft_crawl_id *count);

/* Each record of a kind, in the order of its ids or keys: change->kind, its id or key, and its
 * value, that is valid until see returns. Ends when that returns other than 0, and returns it. */
typedef int weft__crawl_state_see(void *context, const struct weft__crawl_change *change);
int weft__crawl_state_each(struct weft__crawl_state *state, enum weft__crawl_kind kind,
                           weft__crawl_state_see *see, void *context);

/* The record of wanted's kind with its id or key; see is called with it, if there is one: the value
 * is valid only there. */
int weft__crawl_state_find(struct weft__crawl_state *state, const struct weft__crawl_change *wanted,
                           weft__crawl_state_see *see, void *context);

/* Write down changes, from *applied on, which moves on to the end; all that lies before it is
 * durable. Any thread, one at a time. */
int weft__crawl_state_apply(struct weft__crawl_state *state, struct weft_text changes,
                            size_t *applied);

#endif
