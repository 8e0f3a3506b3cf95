/* weft/list.h: everything below a folder. */
#ifndef WEFT_LIST_H
#define WEFT_LIST_H

#include "tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_list;
struct weft_walk;

/* On the loop: this was found. entry is valid until this returns. false: that is enough for now, no
 * more before weft_list_resume. It may cancel or end list->op: weft_end(&list->op, 0) is an early exit
 * without an error. */
typedef bool weft_list_found_fn(struct weft_list *list, const struct weft_tree_entry *entry);
/* On the loop, in the same way: path could not be read, or UV_ELOOP: it leads to a folder that it lies
 * in. */
typedef bool weft_list_error_fn(struct weft_list *list, const char *path, int status);

/* List what is below a folder: see weft/tree.h for how, and for the settings.
 *
 *     struct job { struct weft_op op; struct weft_list list; };
 *
 *     job->list.on_found = found;
 *     weft_list(op, &job->list, "/usr/share", listed);
 *
 * `then` runs when all has been told. 0: the whole tree was walked, but for stats.errors. A cancel, or
 * weft_end, stops the threads at their next folder, and is awaited; on_found is not called any more.
 * UV_EINVAL: path is NULL or empty, or on_found is NULL. UV_ENOENT, UV_ENOTDIR, UV_EACCES …: of the
 * folder itself. UV_ENOMEM. WEFT_ESTOPPED: tree.queue was stopped. */
struct weft_list {
    struct weft_op op;
    struct weft_tree tree;
    weft_list_found_fn *on_found;
    weft_list_error_fn *on_error; /* NULL: errors are counted only */
    struct weft_tree_stats stats; /* read only; grows while it runs */
    struct weft_walk *walk_;
};
/* Sets tree.path and leaves the other settings alone. */
#define weft_list(parent, list, path, then)                                                        \
    weft_list_at(WEFT_HERE("list", WEFT_FS), parent, list, path, then)
WEFT_API void weft_list_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_list *list, const char *path, weft_then_fn *then);
WEFT_API void weft_list_begin(struct weft_op *op);

/* Go on after on_found or on_error has returned false, on a later turn. No effect on one that is not paused. */
WEFT_API void weft_list_resume(struct weft_list *list);

#ifdef __cplusplus
}
#endif
#endif
