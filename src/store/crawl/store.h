/* The inside of a crawl's state, shared by its files. open.c tells the whole. */
#ifndef WEFT_STORE_CRAWL_STORE_H
#define WEFT_STORE_CRAWL_STORE_H

#include "batch.h"
#include "journal.h"
#include "known.h"
#include "names.h"
#include "state.h"

/* A block that grows and is used again. */
struct weft__crawl_room {
    char *data;
    size_t size;
};

struct weft_crawl_store {
    int folder, inside, lock; /* FOLDER, FOLDER/.weft, its lock; or -1 */
    struct weft__crawl_state state;
    struct weft__crawl_known known;
    struct weft__crawl_names names;

    /* Changes go to the current journal and batch. The others belong to the commit that runs, or
     * hold what the last one could not write; otherwise they are empty. */
    struct weft__crawl_journal journals[2];
    struct weft__crawl_batch batches[2];
    unsigned current;
    uint64_t batch_number;
    bool committing;

    struct weft__crawl_room writing; /* the value that is being recorded */
    struct weft__crawl_room reading; /* the texts of a result, or a thing */
    struct weft__crawl_room text;    /* the URL that weft_crawl_each shows */
};

/* At least so many bytes. UV_ENOMEM. */
int weft__crawl_room_for(struct weft__crawl_room *room, size_t size);

/* NULL: it is not open, or there is no such number. */
struct weft__crawl_entry *weft__crawl_entry(const struct weft_crawl *crawl, weft_crawl_id id);
/* Set what it is, and count. */
void weft__crawl_become(struct weft_crawl *crawl, struct weft__crawl_entry *entry,
                        enum weft_crawl_what what);

/* Write a change to the journal and keep it for the next commit. After an error nothing has
 * happened. */
int weft__crawl_record(struct weft_crawl *crawl, const struct weft__crawl_change *change);
/* The newest of wanted's kind with its id or key, committed or not: see is called with it, if there
 * is one. */
int weft__crawl_look(struct weft_crawl_store *store, const struct weft__crawl_change *wanted,
                     weft__crawl_state_see *see, void *context);
/* The same, copied to store->reading: wanted->value is there, or NULL. */
int weft__crawl_fetch(struct weft_crawl_store *store, struct weft__crawl_change *wanted);

/* ---- load.c: while it is opened -------------------------------------------------------------- */

/* Everything from the database into memory. */
int weft__crawl_load(struct weft_crawl *crawl);

#endif
