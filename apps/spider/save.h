/* apps/spider/save.h: pages below the output folder: saved, read again, looked at.
 *
 *     struct save_folder folder = SAVE_FOLDER_CLOSED;
 *     int err = save_folder_open(&folder, "site");
 *     ...
 *     save_file(op, &page->save, &folder, name, body, size, modified, saved);
 *
 * A file appears complete or not at all: it is written without a name, and gets that of its page in the end;
 * or, where that cannot be done, in FOLDER/.weft/tmp and is renamed to its place. It replaces what was
 * there. Missing folders are made. Nothing here is synced: the commit of the
 * crawl's state does that for all of them at once (weft/crawl.h).
 *
 * No symlink is followed below the folder, so nothing leads out of it, whoever moves what
 * meanwhile: one on the way is UV_ELOOP. One that has the very name of a page is replaced by a page
 * that is saved, and is UV_ELOOP for one that is read. A folder that somebody moves away while pages
 * are saved in it may get those of one more second, wherever it is now.
 *
 * Names are those of name.h: relative, and no part of one begins with a dot. Others are UV_EINVAL.
 * A name, data and the folder stay until then. Everything is one hop to the thread pool. A cancel
 * is awaited, and may come too late; what was cancelled left nothing behind. Writing beyond a limit
 * of the process (ulimit -f) is UV_EFBIG only if it ignores SIGXFSZ. */
#ifndef WEFT_APPS_SPIDER_SAVE_H
#define WEFT_APPS_SPIDER_SAVE_H

#include <weft/work.h>

/* ---- the folder ----------------------------------------------------------------------------- */

/* A folder that pages were saved in a moment ago, kept open for the next one. */
struct save_held {
    int fd;         /* -1: none */
    unsigned users; /* how many are in it */
    size_t size;    /* of path; 0: nobody enters it any more */
    uint64_t since_ns, used_ns;
    char path[256];
};
enum { SAVE_HELD = 32 };

/* Ops on it may run at the same time, on any number of loops. */
struct save_folder {
    int fd;         /* read only: the folder itself; -1: not open */
    bool walk;      /* walk folders by hand: set by the opening where the kernel cannot do it */
    bool nameless;  /* a file can be made without a name, and get one later: the same; */
    bool by_proc;   /* only by way of /proc */
    int tmp_;       /* .weft/tmp in it */
    uint64_t made_; /* temporary files with a name until now: that is it. Atomic */
    uv_mutex_t lock_;
    struct save_held held_[SAVE_HELD]; /* under lock_ */
};
#define SAVE_FOLDER_CLOSED                                                                         \
    {                                                                                              \
        .fd = -1, .tmp_ = -1                                                                       \
    }

/* Make a folder, with those above it; one that is there already is fine. */
int save_folder_make(const char *path);
/* Open the folder at path, and make it, with those above it. Leftovers of a process that was killed
 * are removed: so this is for the one process that has the folder's state open. It blocks. Errors
 * are those of the system (UV_EACCES, UV_ENOTDIR, UV_EROFS, …), and UV_EINVAL: path is NULL or
 * empty. */
int save_folder_open(struct save_folder *folder, const char *path);
/* When no op on it is left. Safe on one that is closed. */
void save_folder_close(struct save_folder *folder);

/* ---- a page that is in memory --------------------------------------------------------------- */

/* UV_ENOTDIR: a file stands where a folder is needed. UV_EISDIR: a folder stands there. UV_ELOOP: a
 * symlink is in the way. UV_ENOSPC, UV_EFBIG, UV_EDQUOT, UV_EACCES, UV_EROFS, UV_EMFILE, …
 * UV_EINVAL: bad inputs. After an error what was there before is there still. */
struct save {
    struct weft_work work; /* work.op is the op */
    /* Set it before the start, or NULL: done first, in the same visit to the pool. An error is that of
     * the op, and nothing is saved. */
    int (*before)(struct save *save);
    struct save_folder *folder;
    const char *name;
    const void *data;
    size_t size;
    int64_t modified; /* becomes its mtime, in seconds since 1970; negative: now */
};
#define save_file(parent, save, folder, name, data, size, modified, then)                          \
    save_file_at(WEFT_HERE("save_file", WEFT_FS), parent, save, folder, name, data, size,          \
                 modified, then)
void save_file_at(const struct weft_site *site, struct weft_op *parent, struct save *save,
                  struct save_folder *folder, const char *name, const void *data, size_t size,
                  int64_t modified, weft_then_fn *then);
void save_begin(struct weft_op *op);
/* ---- a page that comes in pieces ------------------------------------------------------------ */

/*     CLOSED ──save_stream──► OPEN ──save_write, …──► OPEN ──save_commit──► CLOSED
 *        ▲                                             │
 *        └──────── save_abandon, a step that fails ────┘
 *
 * Each step is an op in the same storage: the next one is begun when the one before has reported.
 * Whoever gives up before a commit has succeeded calls save_abandon, also when a step has failed or
 * was cancelled: a step that never began could not tidy up. Zero it before its first use. */
struct save_stream {
    struct weft_work work; /* work.op is the op of the step that runs */
    struct save_folder *folder;
    const char *name; /* stays until the stream is closed */
    const void *data; /* the piece: until the write's then */
    size_t size;
    int64_t modified; /* as in struct save */
    uint64_t written; /* read only: bytes until now */
    bool open_;
    int fd_;
    uint64_t number_; /* the temporary file's name; 0: it has none */
};

/* Begin: makes the temporary file. UV_EBUSY: it is open. Other errors as for save_file. */
#define save_stream(parent, stream, folder, name, then)                                            \
    save_stream_at(WEFT_HERE("save_stream", WEFT_FS), parent, stream, folder, name, then)
void save_stream_at(const struct weft_site *site, struct weft_op *parent,
                    struct save_stream *stream, struct save_folder *folder, const char *name,
                    weft_then_fn *then);
void save_stream_begin(struct weft_op *op);

/* Write the next piece. UV_EBADF: it is not open. */
#define save_write(parent, stream, data, size, then)                                               \
    save_write_at(WEFT_HERE("save_write", WEFT_FS), parent, stream, data, size, then)
void save_write_at(const struct weft_site *site, struct weft_op *parent, struct save_stream *stream,
                   const void *data, size_t size, weft_then_fn *then);
void save_write_begin(struct weft_op *op);

/* It is complete: put it in its place. UV_EBADF: it is not open. Other errors as for save_file. */
#define save_commit(parent, stream, modified, then)                                                \
    save_commit_at(WEFT_HERE("save_commit", WEFT_FS), parent, stream, modified, then)
void save_commit_at(const struct weft_site *site, struct weft_op *parent,
                    struct save_stream *stream, int64_t modified, weft_then_fn *then);
void save_commit_begin(struct weft_op *op);

/* The temporary file of one that is open, to be read at any place while no step runs. */
static inline int save_stream_file(const struct save_stream *stream)
{
    return stream->open_ ? stream->fd_ : -1;
}

/* Leave nothing behind. While no step runs; at once; safe on one that is closed, or all zero. */
void save_abandon(struct save_stream *stream);

/* ---- a page that is there already ----------------------------------------------------------- */

/* Read all of it. UV_ENOENT means that it is not there, and nothing else does: every other error is
 * one. UV_EFBIG: it is larger than limit. UV_EISDIR: it is a folder. UV_EINVAL: it is neither file
 * nor folder, or bad inputs. UV_ELOOP, UV_ENOTDIR, UV_ENOMEM, … */
struct save_read {
    struct weft_work work; /* work.op is the op */
    struct save_folder *folder;
    const char *name;
    size_t limit;
    char *data; /* yours, if the status is 0, until save_read_free; with a NUL behind */
    size_t size;
    int64_t modified; /* seconds since 1970 */
};
#define save_read(parent, page, folder, name, limit, then)                                         \
    save_read_at(WEFT_HERE("save_read", WEFT_FS), parent, page, folder, name, limit, then)
void save_read_at(const struct weft_site *site, struct weft_op *parent, struct save_read *page,
                  struct save_folder *folder, const char *name, size_t limit, weft_then_fn *then);
void save_read_begin(struct weft_op *op);
/* Safe on one that failed, was freed before, or is all zero. */
void save_read_free(struct save_read *page);

/* Is it there, and what is it? The errors are those of save_read, but for UV_EFBIG and UV_ENOMEM;
 * a folder is UV_EISDIR. */
struct save_look {
    struct weft_work work; /* work.op is the op */
    struct save_folder *folder;
    const char *name;
    uint64_t size;
    int64_t modified; /* seconds since 1970 */
};
#define save_look(parent, look, folder, name, then)                                                \
    save_look_at(WEFT_HERE("save_look", WEFT_FS), parent, look, folder, name, then)
void save_look_at(const struct weft_site *site, struct weft_op *parent, struct save_look *look,
                  struct save_folder *folder, const char *name, weft_then_fn *then);
void save_look_begin(struct weft_op *op);

/* Give a file another name in the same folder; at once, on the caller's thread. One that has it already and is
 * not there under the old name is fine. replace: even if another file has it; otherwise that is UV_EEXIST.
 * UV_EINVAL: that is no name; UV_ENOENT, UV_ELOOP, errors of the disk. */
int save_rename(struct save_folder *folder, const char *from, const char *to, bool replace);

#endif
