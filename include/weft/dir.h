/* weft/dir.h: what is in a directory, in one hop to the thread pool. */
#ifndef WEFT_DIR_H
#define WEFT_DIR_H

#include "file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many entries weft_dir_read takes when its max is 0. */
#define WEFT_DIR_READ_MAX ((size_t)1000000)

/* name is bytes without '/' and NUL: whatever the file system holds, UTF-8 or not. kind is that of
 * the entry itself, not of what a symbolic link leads to; WEFT_KIND_UNKNOWN only for one that was
 * gone before it could be asked. */
struct weft_dir_entry {
    const char *name;
    enum weft_file_kind kind;
};

/* List a directory, without "." and "..".
 * Path and cancel are as in weft/file.h: this only looks, so a cancel is answered at once.
 * UV_EINVAL: path is NULL or empty. UV_ENOTDIR, UV_ENOENT, UV_EACCES. UV_E2BIG: more than max
 * entries. UV_ENOMEM. */
struct weft_dir_read {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *path;
    size_t max;    /* at most so many entries; 0: WEFT_DIR_READ_MAX */
    bool as_found; /* leave them as found; otherwise sorted by the bytes of names */
    struct weft_dir_entry *entries; /* NULL if the directory is empty or the status is not 0 */
    size_t count;
    void *names_;
};
#define weft_dir_read(parent, read, path, then)                                                    \
    weft_dir_read_at(WEFT_HERE("dir_read", WEFT_FS), parent, read, path, then)
WEFT_API void weft_dir_read_at(const struct weft_site *site, struct weft_op *parent,
                               struct weft_dir_read *read, const char *path, weft_then_fn *then);
WEFT_API void weft_dir_read_begin(struct weft_op *op);
/* Free the entries and their names. Safe after any outcome, and twice. */
WEFT_API void weft_dir_free(struct weft_dir_read *read);

#ifdef __cplusplus
}
#endif
#endif
