/* weft/file.h: files, one hop to the thread pool each.
 *
 * An operation does all of its system calls (open, read, close; or open, write, fsync, rename) in
 * one visit to libuv's thread pool, because the way there and back costs more than they do.
 *
 * What is common to all of them
 *   - Paths are bytes, as the kernel sees them. They are copied when the op begins. A path that is
 *     NULL or empty is UV_EINVAL; one that is too long is the kernel's UV_ENAMETOOLONG. A relative
 *     one is looked up from the working directory at the time the thread gets to it.
 *   - UV_ENOMEM: there was no memory; nothing has been done. UV_EINVAL: an input makes no sense.
 *     Otherwise the status is that of the system call that failed.
 *   - The pool has few threads (four, unless UV_THREADPOOL_SIZE in the environment says more when
 *     the first of these begins): of more ops than that the rest wait their turn. So nothing is
 *     opened in a way that waits: see each op for pipes and devices.
 *
 * Cancel. What only looks (read, stat) lets go at once: `then` gets the reason on the next turn,
 * and a thread that had begun finishes on its own; until it has, weft_loop_close says UV_EBUSY.
 * What changes something (write, append, save, copy, rename, mkdir, remove) is awaited, so that you
 * know what has become of it: if no thread had begun it nothing has happened and `then` gets the
 * reason; otherwise the status is the true one, and may be 0. */
#ifndef WEFT_FILE_H
#define WEFT_FILE_H

#include "work.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_hop;

/* ---- read ----------------------------------------------------------------------------------- */

/* How much weft_file_read reads when its max is 0. */
#define WEFT_FILE_READ_MAX ((size_t)256 << 20)

/* Read a whole file into memory. The end is where the file says it is, not where its size says, so
 * that files that grow and those below /proc, which claim to be empty, come out complete.
 *   UV_EFBIG   it holds more than max bytes
 *   UV_EISDIR  it is a directory
 *   UV_EAGAIN  it is a pipe, a terminal or another device, and the end has not come yet but there
 *              is nothing to read now. (A pipe that nobody writes to is empty.) */
struct weft_file_read {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *path;
    size_t max;  /* at most so many bytes; 0: WEFT_FILE_READ_MAX */
    char *data;  /* the bytes, and a NUL behind them; NULL unless the status is 0 */
    size_t size; /* without the NUL */
};
#define weft_file_read(parent, read, path, then)                                                   \
    weft_file_read_at(WEFT_HERE("file_read", WEFT_FS), parent, read, path, then)
WEFT_API void weft_file_read_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_file_read *read, const char *path, weft_then_fn *then);
WEFT_API void weft_file_read_begin(struct weft_op *op);
/* Free data. Safe after any outcome, and twice. To keep the bytes take data, set it to NULL, and
 * give it to weft_free (weft/alloc.h) later. */
WEFT_API void weft_file_read_free(struct weft_file_read *read);

/* ---- scan ----------------------------------------------------------------------------------- */

struct weft_file_scan;
/* The next bytes of the file, at most WEFT_FILE_PIECE, on a thread of the pool: what weft/work.h
 * says of such a function holds. 0: go on; a negative status: end the scan with it. */
typedef int weft_piece_fn(struct weft_file_scan *scan, const char *data, size_t size);
enum { WEFT_FILE_PIECE = 64 * 1024 };

/* Read a file in pieces, however large it is: for a checksum, a search, a count. Ends and errors
 * are those of weft_file_read. A cancel is awaited; it takes effect between two pieces. path stays
 * as it is until `then`. UV_EINVAL also: piece is NULL. */
struct weft_file_scan {
    struct weft_work
        work; /* its op is the scan's: weft_owner(op, struct weft_file_scan, work.op) */
    const char *path;
    weft_piece_fn *piece;
    uint64_t size; /* how many bytes were read */
};
#define weft_file_scan(parent, scan, path, piece, then)                                            \
    weft_file_scan_at(WEFT_HERE("file_scan", WEFT_FS), parent, scan, path, piece, then)
WEFT_API void weft_file_scan_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_file_scan *scan, const char *path, weft_piece_fn *piece,
                                weft_then_fn *then);
WEFT_API void weft_file_scan_begin(struct weft_op *op);

/* ---- write, append -------------------------------------------------------------------------- */

/* Write size bytes to a file: weft_file_write makes it or empties it first, weft_file_append makes
 * it or adds to its end. New files get mode 0666 less the umask. data stays yours and must stay as
 * it is until `then`; it may be NULL if size is 0.
 * On an error the file may hold a part (weft_file_save never does that). A cancel stops nothing
 * that a thread has begun.
 *   UV_EISDIR, UV_ENOSPC, UV_EDQUOT, UV_EROFS, UV_EACCES …
 *   UV_ENXIO  it is a pipe that nobody reads, UV_EPIPE  its reader left, UV_EAGAIN  it is full */
struct weft_file_write {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *path;
    const void *data;
    size_t size;
};
#define weft_file_write(parent, write, path, data, size, then)                                     \
    weft_file_write_at(WEFT_HERE("file_write", WEFT_FS), parent, write, path, data, size,          \
                       weft_file_write_begin, then)
#define weft_file_append(parent, write, path, data, size, then)                                    \
    weft_file_write_at(WEFT_HERE("file_append", WEFT_FS), parent, write, path, data, size,         \
                       weft_file_append_begin, then)
WEFT_API void weft_file_write_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_file_write *write, const char *path, const void *data,
                                 size_t size, weft_begin_fn *begin, weft_then_fn *then);
WEFT_API void weft_file_write_begin(struct weft_op *op);
WEFT_API void weft_file_append_begin(struct weft_op *op);

/* ---- save, copy: all or nothing ------------------------------------------------------------- */

/* Put a file in the place of path in one step: whoever opens path finds the old content or the new,
 * never a part, also when many save it at once or the process dies. The bytes go to a temporary
 * file in the same directory, .weft-<32 hex digits>, which is then renamed. After an error or a
 * cancel that came in time the old file is untouched and the temporary one is gone; only a process
 * that is killed leaves one behind.
 *
 * A file that is replaced passes on its mode and its access list, and its owner and group where the
 * system allows it (where not, nobody may do more with the new file than with the old); a new one gets
 * 0666 less the umask. Other extended attributes are not passed on, and a hard link stays
 * with the old file. A symbolic link stays one: what it leads to is replaced; UV_ENOENT if that is
 * nothing.
 *   UV_EISDIR  path is a directory;  UV_EINVAL  it is a device, a pipe or a socket, or, by its link
 *              below /proc, a file that has no name any more
 * With durable the new file is on the disk, content and name, when the status is 0. If only the
 * last step of that fails, the directory's fsync, the status is its error although the new file is
 * in place. */
struct weft_file_save {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *path;
    const void *data; /* yours, and unchanged until `then` */
    size_t size;
    bool durable; /* fsync the file and its directory */
};
#define weft_file_save(parent, save, path, data, size, then)                                       \
    weft_file_save_at(WEFT_HERE("file_save", WEFT_FS), parent, save, path, data, size, then)
WEFT_API void weft_file_save_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_file_save *save, const char *path, const void *data,
                                size_t size, weft_then_fn *then);
WEFT_API void weft_file_save_begin(struct weft_op *op);

/* Copy a file, in one step as weft_file_save does it. The kernel does the copying where it can, and
 * shares the blocks where the file system can. A new file gets the source's permissions less the
 * umask. A cancel stops it between two chunks.
 *   UV_EINVAL  both are the same file, by whatever names
 *   UV_EISDIR  one is a directory;  UV_EAGAIN  the source is a pipe or a device and makes us wait */
struct weft_file_copy {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *from, *to;
    bool durable;
    uint64_t size; /* how many bytes were copied */
};
#define weft_file_copy(parent, copy, from, to, then)                                               \
    weft_file_copy_at(WEFT_HERE("file_copy", WEFT_FS), parent, copy, from, to, then)
WEFT_API void weft_file_copy_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_file_copy *copy, const char *from, const char *to,
                                weft_then_fn *then);
WEFT_API void weft_file_copy_begin(struct weft_op *op);

/* ---- rename, remove, mkdir, stat ------------------------------------------------------------ */

/* Give a file or a directory another name; one that is there is replaced in one step.
 * UV_EXDEV: not across file systems. UV_ENOTEMPTY, UV_EISDIR, UV_ENOTDIR: the two do not match. */
struct weft_file_rename {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *from, *to;
};
#define weft_file_rename(parent, rename, from, to, then)                                           \
    weft_file_rename_at(WEFT_HERE("file_rename", WEFT_FS), parent, rename, from, to, then)
WEFT_API void weft_file_rename_at(const struct weft_site *site, struct weft_op *parent,
                                  struct weft_file_rename *rename, const char *from, const char *to,
                                  weft_then_fn *then);
WEFT_API void weft_file_rename_begin(struct weft_op *op);

/* Remove one name of a file: unlink. Not a directory (UV_EISDIR; elsewhere than on Linux UV_EPERM).
 * UV_ENOENT: it is not there. */
struct weft_file_remove {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *path;
};
#define weft_file_remove(parent, remove, path, then)                                               \
    weft_file_remove_at(WEFT_HERE("file_remove", WEFT_FS), parent, remove, path, then)
WEFT_API void weft_file_remove_at(const struct weft_site *site, struct weft_op *parent,
                                  struct weft_file_remove *remove, const char *path,
                                  weft_then_fn *then);
WEFT_API void weft_file_remove_begin(struct weft_op *op);

/* Make a directory and those above it that are missing, with mode 0777 less the umask. One that is
 * there already is success, also when somebody else makes it meanwhile. On an error some of those
 * above may have been made.
 * UV_EEXIST: something else has that name. UV_ENOTDIR: something on the way is no directory. */
struct weft_file_mkdir {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *path;
};
#define weft_file_mkdir(parent, mkdir, path, then)                                                 \
    weft_file_mkdir_at(WEFT_HERE("file_mkdir", WEFT_FS), parent, mkdir, path, then)
WEFT_API void weft_file_mkdir_at(const struct weft_site *site, struct weft_op *parent,
                                 struct weft_file_mkdir *mkdir, const char *path,
                                 weft_then_fn *then);
WEFT_API void weft_file_mkdir_begin(struct weft_op *op);

enum weft_file_kind {
    WEFT_KIND_UNKNOWN,
    WEFT_KIND_FILE,
    WEFT_KIND_DIR,
    WEFT_KIND_LINK,
    WEFT_KIND_FIFO,
    WEFT_KIND_SOCKET,
    WEFT_KIND_CHAR,
    WEFT_KIND_BLOCK
};

struct weft_file_info {
    enum weft_file_kind kind;
    uint32_t mode;          /* the permissions: at most 07777 */
    uint32_t user, group;   /* whose it is */
    uint64_t size;          /* in bytes */
    int64_t mtime_ns;       /* changed last, in nanoseconds since 1970 */
    uint64_t device, inode; /* these two name the file itself, whatever its paths */
    uint64_t links;         /* how many names it has */
};

/* Look at what path leads to; with link set, at a symbolic link itself. UV_ENOENT, UV_ENOTDIR,
 * UV_ELOOP, UV_EACCES. */
struct weft_file_stat {
    struct weft_op op;
    struct weft_hop *hop_;
    const char *path;
    bool link;                  /* do not follow a symbolic link at the end of path */
    struct weft_file_info info; /* all zero unless the status is 0 */
};
#define weft_file_stat(parent, stat, path, then)                                                   \
    weft_file_stat_at(WEFT_HERE("file_stat", WEFT_FS), parent, stat, path, then)
WEFT_API void weft_file_stat_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_file_stat *stat, const char *path, weft_then_fn *then);
WEFT_API void weft_file_stat_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
