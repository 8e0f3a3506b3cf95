/* The inside of a walk over a tree: walk.c is the loop's side, explorer.c the threads'.
 *
 *     loop      walk: queue, explorers ──────────────► tell(record) ──► on_found, on_error
 *                  │ push         ▲ visited               ▲
 *     thread       └─► explore ───┘                       │
 *                        pending folders ─► entries ─► found ─► block
 *
 * An explorer belongs to the loop or to a thread, never to both: to a thread from its push to its
 * `visited`. What threads share is read only, but for `hungry` and the counts of places. */
#ifndef WEFT_FILES_WALK_H
#define WEFT_FILES_WALK_H

#include "block.h"
#include "branch.h"
#include "folder.h"
#include "pending.h"
#include "weft/tree.h"
#include "weft/work.h"
#include <stdatomic.h>

struct explorer;
struct weft_walk;

/* What is done with what is found. Static storage. */
struct walk_kind {
    size_t explorer_size;  /* of the struct that begins with a struct explorer */
    bool looks_into_files; /* found takes its time for files */
    /* On a thread: entry was taken. It may set explorer->busy; then go_on is called, on this visit or
     * the next ones, until that is false again. 0 or a negative status, which ends the walk. */
    int (*found)(struct explorer *explorer, const struct weft_tree_entry *entry);
    int (*go_on)(struct explorer *explorer);
    /* On the loop: tell the user of a record of type BLOCK_FOUND, or of an error. false: pause. */
    bool (*tell)(struct weft_walk *walk, const struct block_head *record);
    bool (*tell_error)(struct weft_walk *walk, const char *path, int status);
    /* On the loop: an explorer is back; add up what it has counted. NULL: there is nothing. */
    void (*count)(struct weft_walk *walk, struct explorer *explorer);
    /* On the loop, last of all: let go of what an explorer has of its own, and then of what the user's
     * struct has. NULL: there is nothing. */
    void (*drop)(struct explorer *explorer);
    void (*over)(struct weft_walk *walk);
};

/* Somebody who goes down a branch of the tree and comes back when he has enough to tell. */
struct explorer {
    struct weft_work work;
    struct weft_walk *walk;
    struct explorer *next; /* of those that are idle, or whose blocks wait to be told */
    struct pending pending;
    struct branch branch; /* the folders that are open on the way down to this one */
    struct folder folder; /* the one that is read, if it is open */
    struct folder_page page;
    struct place *place; /* of folder, if links are followed */
    char *path;          /* of folder, then '/', then the name that is looked at */
    size_t path_size, path_room, depth;
    bool parent;   /* folders were found in folder: it is worth being kept open */
    bool busy;     /* see go_on */
    unsigned cost; /* of this visit so far, in units of an entry */
    struct weft_tree_stats stats;
    struct block block;
};

struct weft_walk {
    struct weft_op op;
    struct weft_tree tree;
    struct weft_tree_stats *stats; /* the user's */
    const struct walk_kind *kind;
    void *owner;             /* the user's struct, for the functions of the kind */
    struct weft_walk **slot; /* where the user points at this */
    struct weft_queue own_queue, *queue;
    struct folder root;
    dev_t device; /* of root */
    struct weft_op pause;
    bool paused;
    atomic_uint hungry; /* explorers with nothing to do */
    struct explorer *idle, *unread, **unread_tail;
    size_t count;
    char *prefix; /* tree.path without the slashes at its end; everything's path begins with it */
    size_t prefix_size;
    char explorers[] __attribute__((aligned(16))); /* count of them, then the path */
};

/* Make a walk and begin it below op, which ends as it ends. The walk is freed before op ends; *slot is NULL
 * then. UV_EINVAL: there is no path; UV_ENOMEM; then nothing was begun. */
int weft__walk_begin(struct weft_op *op, const struct weft_tree *tree, const struct walk_kind *kind,
                     void *owner, struct weft_tree_stats *stats, struct weft_walk **slot);
/* Go on telling. Takes NULL. */
void weft__walk_resume(struct weft_walk *walk);

/* explorer.c, on a thread: explore until the block is full, somebody else is hungry, or nothing is
 * left. */
int weft__explore(struct weft_work *work);
static inline bool explorer_is_done(const struct explorer *explorer)
{
    return !explorer->busy && !explorer->folder.open && explorer->pending.count == 0;
}
/* Open what was found: a descriptor or a negative status. flags are those of open. */
int weft__explorer_open(struct explorer *explorer, const struct weft_tree_entry *entry, int flags);
/* Note that path could not be read. 0, or UV_ENOMEM. */
int weft__explorer_error(struct explorer *explorer, const char *path, size_t size, int status);
/* On the loop: let go of everything. */
void weft__explorer_free(struct explorer *explorer);

#endif
