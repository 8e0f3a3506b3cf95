/* weft/tree.h: how the tree of files below a folder is walked, by weft/list.h and weft/find.h.
 *
 * Threads of libuv's pool read folders, up to `limit` of them at a time, each as a task of a queue: it
 * goes down into a branch, and comes back when it has enough to tell, or when another one has run out
 * of folders and could take some of its own. So the order in which things are found is nobody's
 * promise; what is found is.
 *
 *   - Names are bytes, as the kernel has them. A path is that of the folder as it was given, '/', and the
 *     names on the way. It may be longer than PATH_MAX: folders are opened one below the other. Only a
 *     folder whose path has more than a mebibyte is told to on_error, as UV_ENAMETOOLONG.
 *   - Symbolic links are found, and not followed unless `follow` is set. (The folder itself may be one.)
 *     A followed link that leads to a folder which it lies in is an error, UV_ELOOP, and not entered
 *     again. Links that lead nowhere are links; one to what may not be looked at is told to on_error, and
 *     its kind is WEFT_KIND_UNKNOWN.
 *   - What vanishes while the tree is walked is no error: it is as if it had never been there.
 *   - A folder that cannot be read, or not to its end, is told to on_error and counted; the rest goes
 *     on. Only if the first one cannot be opened the whole fails.
 *   - What is mounted below the folder belongs to the tree, unless one_file_system is set.
 *
 * Memory: up to `limit` blocks with what was found (WEFT_TREE_BLOCK each, more only for a single
 * path that is longer), and the paths of folders that were found and not read yet. Whoever is told what
 * was found can say that it is enough for now; then nothing more is read until it is resumed. */
#ifndef WEFT_TREE_H
#define WEFT_TREE_H

#include "file.h"
#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_TREE_LIMIT = 4,         /* tasks at a time, if limit is 0: as many threads as libuv has */
    WEFT_TREE_LIMIT_MOST = 64,   /* more are as good as these */
    WEFT_TREE_BLOCK = 128 * 1024 /* bytes that a task finds before it comes back */
};

/* One thing that was found. */
struct weft_tree_entry {
    const char *path; /* NUL behind it */
    size_t size;      /* of path */
    size_t name;      /* where in path its last name begins */
    size_t below;     /* where in path that begins which lies below the folder */
    /* Of the entry itself, or with follow, of what a link leads to. WEFT_KIND_UNKNOWN: only where the file
     * system did not say it and did not let us ask; on_error is told why, unless choose skips it. */
    enum weft_file_kind kind;
    size_t depth; /* 1: it lies in the folder itself */
};

/* What to do with an entry; the bits can be combined. */
enum weft_tree_choice {
    WEFT_TREE_SKIP = 0,
    WEFT_TREE_TAKE = 1 << 0, /* tell of it; weft_find: look into it */
    WEFT_TREE_ENTER = 1 << 1 /* it is a folder: go on below */
};
struct weft_tree;
/* On a thread of the pool, of several at the same time: choose. It may read tree and what tree->choosing
 * points to, and change nothing. */
typedef unsigned weft_tree_choose_fn(const struct weft_tree *tree,
                                     const struct weft_tree_entry *entry);

/* Set before the start, and left alone until the end. Zero for all but path. */
struct weft_tree {
    const char *path; /* the folder; copied when the op begins */
    unsigned limit;   /* tasks at the same time; 0: WEFT_TREE_LIMIT */
    struct weft_queue
        *queue;   /* where the tasks go, with a limit of its own; NULL: a queue for this walk */
    size_t depth; /* only so deep; 0: any depth; 1: only what is in the folder itself */
    bool follow;  /* symbolic links lead to what they lead to */
    bool one_file_system;        /* what is mounted below is told of and not entered */
    weft_tree_choose_fn *choose; /* NULL: take all, enter all */
    const void *choosing;        /* yours, for choose */
};

/* How far a walk has come, or came. */
struct weft_tree_stats {
    uint64_t folders; /* that were read */
    uint64_t entries; /* that were seen in them, taken or not */
    uint64_t errors;  /* what could not be read or looked at: on_error was told of each */
};

#ifdef __cplusplus
}
#endif
#endif
