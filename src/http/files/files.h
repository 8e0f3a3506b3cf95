/* The inside of static files, shared by its files. files_answer.c tells the whole.
 *
 * What is called `cached` below: do it only if that needs no waiting for a disk; otherwise
 * UV_EAGAIN, and nothing has changed but what job says. Everything but files_answer.c runs on
 * the loop's thread while cached and on a thread of the pool otherwise, never on both at once. */
#ifndef WEFT_HTTP_FILES_INSIDE_H
#define WEFT_HTTP_FILES_INSIDE_H

#include "weft/http_files.h"
#include "weft/http_message.h"
#include <stdatomic.h>

/* ---- what was found ------------------------------------------------------------------------- */

/* What the answer will be, as far as the file system has a say in it. */
struct http_found {
    int answer;     /* the status; 0: not known yet */
    bool list;      /* fd is a folder, to be listed */
    int fd;         /* the file, if it has a body to send; or -1 */
    bool in_memory; /* reading it never waits */
    uint64_t size;
    int64_t modified; /* in seconds */
    const char *type, *encoding;
    char etag[WEFT_HTTP_ETAG_SIZE];
};

/* The bytes to send: pieces of the file, each with a head of its own if there are several. */
struct http_parts {
    struct weft_http_ranges ranges;
    size_t part;       /* where we are: in which of them, */
    uint64_t at;       /* at which of its bytes, */
    size_t text_at;    /* and at which of the text in front of it */
    uint64_t total;    /* of everything together */
    uint64_t length;   /* of what has not been in the buffer yet */
    char boundary[33]; /* "" if there is only one */
};

/* One request's work, in one block. Only one of the loop's thread and the pool's has it at a time:
 * the op waits for the pool, also when it is cancelled. */
struct weft_http_job {
    uv_work_t work;
    struct weft_http_file *file;
    const struct weft_http_files *files;
    const struct weft_http_head *head;
    /* What is to be done next, here if everything is cached, otherwise on the pool. */
    int (*step)(struct weft_http_job *job, bool cached);
    int status;       /* of the pool's work */
    atomic_bool stop; /* long work may look at it and give up with UV_ECANCELED */
    bool started;     /* the answer has begun */
    struct http_found found;
    struct http_parts parts;
    char *buffer; /* what is sent next, and how much that is */
    size_t room, size;
    bool pooled;           /* buffer is one of the server's */
    struct weft_text path; /* cleaned; room for a name of an index behind it, and for ".gz" */
    char path_room[];
};

/* ---- files_open.c --------------------------------------------------------------------------- */

/* Open what is at path below the folder: a descriptor or an error. flags as for open. Never waits
 * for the other end of a pipe. */
int weft__http_open_below(const struct weft_http_files *files, const char *path, int flags,
                          bool cached);

/* Read up to size bytes of what was found at offset: how many, 0 at the end, or an error. */
ssize_t weft__http_read_at(const struct weft_http_job *job, void *buffer, size_t size,
                           uint64_t offset, bool cached);

/* ---- files_linux.c -------------------------------------------------------------------------- */

/* openat2, so that the kernel sees to it that nothing leads out; UV_ENOSYS where there is none. */
int weft__http_openat2(int root, const char *path, int flags, enum weft_http_links links,
                       bool cached);
/* Read what is in the page cache: UV_EAGAIN if not all of the first page is. */
ssize_t weft__http_read_cached(int fd, void *buffer, size_t size, uint64_t offset);
/* Is it a file system whose files are memory, so that no read of it waits for a disk? */
bool weft__http_in_memory(int fd);

/* ---- files_find.c --------------------------------------------------------------------------- */

/* A step: look for what path leads to and decide on the answer; then begin to read it. An error is
 * one of the system's. */
int weft__http_find(struct weft_http_job *job, bool cached);

/* ---- files_parts.c -------------------------------------------------------------------------- */

/* Send these ranges of the file that was found; with NULL, all of it. UV_EIO: there is no
 * randomness for a boundary. */
int weft__http_parts_begin(struct weft_http_job *job, const struct weft_http_ranges *ranges);
/* A step: fill buffer with what comes next, as far as there is room. UV_EIO: the file has
 * become shorter. */
int weft__http_parts_fill(struct weft_http_job *job, bool cached);
/* Has everything been in the buffer? */
bool weft__http_parts_over(const struct weft_http_job *job);

/* ---- files_list.c, files_page.c ------------------------------------------------------------- */

struct http_entry {
    const char *name;
    uint64_t size;
    int64_t modified;
    bool folder;
};

/* A step: list the folder that was found into a page, in buffer. */
int weft__http_list(struct weft_http_job *job, bool cached);

/* The page with these entries. folder: its cleaned path. UV_ENOMEM. */
int weft__http_page(struct weft_http_job *job, const struct http_entry *entries, size_t count,
                    bool more);
/* What the page may do in a browser: nothing but look like this. */
extern const char weft__http_page_policy[];

#endif
