/* weft/concat.h: several files as one.
 *
 *     static const char *const chapters[] = {"one.txt", "two.txt", "three.txt"};
 *
 *     weft_file_concat(op, &book->concat, chapters, 3, "book.txt", bound);
 *
 * Two threads of libuv's pool do it: one reads ahead of what the other writes. Where the file system
 * has a way of its own to copy (shared blocks, a server that does it) the kernel is asked for that.
 * Memory is bounded, whatever the number and the size of the files: 2 MiB, and 32 bytes for each
 * source. */
#ifndef WEFT_CONCAT_H
#define WEFT_CONCAT_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_concat_job;

/* Put the bytes of all sources, in their order, in the place of dest in one step: whoever opens dest
 * finds what was there before or all of the new, as with weft_file_save (weft/file.h), whose rules for
 * mode, owner, links and temporary files hold here too. After an error or a cancel dest is untouched.
 *
 * Before anything is written all sources are looked at. Then
 *   - a file contributes the bytes that it has at that time. What is appended later is left out; one
 *     that gets shorter, or is replaced by another, before it was read is WEFT_ECHANGED. Holes stay
 *     holes where the file system can tell them.
 *   - a file that says it is empty, as those below /proc do, is read to its end, and so is a device; and
 *     a file without a block on a disk that says it has up to 64 KiB, as those below /sys do: what it says
 *     need not be true.
 *   - a pipe or a terminal is read to its end, for as long as that takes: a named pipe that nobody has
 *     opened to write is waited for. No thread is held meanwhile.
 *   - "-" is `input`: standard input, if that is 0. It is read from where it stands, neither closed nor
 *     made non-blocking. The second "-" finds its end. A file of that name is "./-".
 * A source may be there several times. With no source dest becomes an empty file.
 *
 * sources, the paths in it and dest stay as they are until `then`. A cancel is awaited: it takes effect
 * between two pieces, and at once while a pipe is waited for. If it came too late the status is 0.
 *
 *   UV_EINVAL      dest is NULL or empty; a source is, or it is the same file as dest by whatever name;
 *                  dest is a device, a pipe or a socket
 *   UV_EISDIR      dest or a source is a directory;  UV_ENOTSUP  a source is a socket in a folder
 *   UV_ENOENT, UV_EACCES …  a source is missing or may not be read
 *   UV_EFBIG       there are more than max bytes, or more than a file can have where dest is
 *   WEFT_ECHANGED  a source became shorter, or another file, meanwhile
 *   UV_ENOMEM; others are those of the system calls: UV_ENOSPC, UV_EIO … */
struct weft_file_concat {
    struct weft_op op;
    const char *const *sources;
    size_t count;
    const char *dest;
    /* Set before the start; starting leaves them alone. */
    bool durable; /* fsync the file and its directory: if only that of the latter fails, the
                     status is its error, although dest is the new one */
    int input;    /* the descriptor that "-" stands for */
    uint64_t max; /* at most so many bytes; 0: any number */

    uint64_t size; /* how many bytes dest has; 0 unless the status is 0 */
    size_t
        failed; /* the source that the status is about, the first one; WEFT_NONE: dest, or none */
    bool exceeded; /* UV_EFBIG is about max, not about the file system */
    struct weft_concat_job *job_;
};
#define weft_file_concat(parent, concat, sources, count, dest, then)                               \
    weft_file_concat_at(WEFT_HERE("file_concat", WEFT_FS), parent, concat, sources, count, dest,   \
                        then)
WEFT_API void weft_file_concat_at(const struct weft_site *site, struct weft_op *parent,
                                  struct weft_file_concat *concat, const char *const *sources,
                                  size_t count, const char *dest, weft_then_fn *then);
WEFT_API void weft_file_concat_begin(struct weft_op *op);

/* How far it is, on the loop's thread: bytes that were written, and bytes that dest will have. total is 0
 * if nobody knows, because a source is read to its end. Both are 0 before all sources were looked at, and
 * when concat does not run. */
struct weft_file_concat_progress {
    uint64_t done, total;
};
WEFT_API struct weft_file_concat_progress weft_file_concat_progress(
    const struct weft_file_concat *concat);

#ifdef __cplusplus
}
#endif
#endif
