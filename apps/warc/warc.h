/* apps/warc/warc.h: an archive of what was asked and answered: WARC 1.1 (ISO 28500), and its index.
 *
 *     site.warc.gz   warcinfo  request response  request response  request revisit  …
 *     site.cdxj      a line for each response and revisit: its key, its time, where it is
 *
 * Each record is a gzip member of its own if the name ends in ".gz", so that one can be read without
 * what stands before it; otherwise nothing is packed. An answer whose body was there already, byte for
 * byte, is a "revisit": its head, and where the body is; and so is one that only says that nothing has
 * changed.
 *
 * Everything here blocks: it is for threads of a pool. warc_put may be called by several at once.
 *
 * What survives what. A request, its answer and the line of the index are written in this order, by one
 * caller at a time: so a process that is killed leaves a readable archive, with at most one piece that
 * is cut off at the end of each file. Who goes on with it has kept a mark from earlier; what came after
 * that is looked through, whatever is not whole is cut off, and so is a record that the index does not
 * have yet. If the machine stops, all is there up to the last warc_sync.
 *
 * Functions return 0 or a status: UV_ENOMEM, UV_ENOSPC, UV_EIO, UV_EFBIG and others of the disk. */
#ifndef WEFT_APPS_WARC_WARC_H
#define WEFT_APPS_WARC_WARC_H

#include "warc/buffer.h"
#include "warc/seen.h"
#include <uv.h>
#include <weft/text.h>

enum {
    WARC_ID = 48, /* "urn:uuid:…" and a NUL */
    WARC_MARK = 128,
    WARC_LEVEL = 4 /* how hard to pack, by default, 1 to 9: half the work of 6, 2 % larger */
};

struct warc_desk;

/* How far an archive has come: to go on from there. */
struct warc_mark {
    char id[WARC_ID];        /* of its first record: no other archive has it. "": there is none */
    uint64_t end, index_end; /* bytes of both files */
};

struct warc {
    char *path, *index_path; /* read only, from here on */
    const char *name;        /* of the file, without its folder */
    char *part_path;         /* while it is new, and has not got its name */
    bool open, packed;
    int level;
    int fd, index;
    char id[WARC_ID];       /* of the first record */
    char info_id[WARC_ID];  /* of the warcinfo that holds now */
    unsigned char seed[16]; /* of the ids */
    uint64_t made;          /* ids until now. Atomic */
    uv_mutex_t lock;        /* for what follows */
    uint64_t end, index_end;
    struct warc_buffer info;  /* a warcinfo that is written when there is something to follow it */
    struct warc_seen seen;    /* bodies */
    struct warc_seen answers; /* of URLs, the last that was good: see warc_key_make */
    struct warc_desk *desks;  /* spare ones */
};

/* Open the archive at path and go on with it, or make it. mark: what was kept; NULL, or without an id:
 * nothing. info: lines of "name: value", each with CR LF, about who writes it. A new one has no name
 * until warc_publish: between the two the mark is kept, so that whoever is killed finds either both or
 * nothing.
 *   UV_EEXIST      there is an archive, or an index, and it is not the one of the mark
 *   UV_EBUSY       somebody is writing it
 *   WEFT_EDAMAGED  it is shorter than the mark says, or its index is, or is gone */
char *warc_index_of(const char *path); /* the name of its index, to be freed with weft_free; NULL */
int warc_open(struct warc *warc, const char *path, int level, const struct warc_mark *mark,
              struct weft_text info);
int warc_publish(struct warc *warc); /* UV_EEXIST: the name was taken meanwhile */
void warc_mark(struct warc *warc, struct warc_mark *mark);
/* Make durable what was written. */
int warc_sync(struct warc *warc);
/* Put the index in order; nobody writes meanwhile. After an error it is as it was. */
int warc_sort(struct warc *warc);
/* Safe on one that is not open, but all zero. A new one without a name is removed. */
void warc_close(struct warc *warc);

/* Whose mark is wanted: the id of the archive at path; "" if there is none. */
int warc_id_of(const char *path, char id[WARC_ID]);
/* A mark as a line of text, and back; false: it is none. */
void warc_mark_show(const struct warc_mark *mark, char text[WARC_MARK]);
bool warc_mark_read(struct weft_text text, struct warc_mark *mark);

/* ---- writing -------------------------------------------------------------------------------- */

/* What was asked, and what was answered. */
struct warc_exchange {
    struct weft_text url;
    struct weft_text request; /* its head as it was sent, with the empty line; empty: not known */
    struct weft_text head;    /* of the answer, as it came, with the empty line */
    struct weft_text media_type; /* what Content-Type says */
    const char *address;         /* of the server; NULL or "": not known */
    int status;                  /* 200, 404 */
    int64_t date;                /* seconds since 1970 */
    const void *body;            /* without chunks, and unpacked; */
    int body_fd;                 /* or, if body is NULL, a file that has it from its begin */
    uint64_t body_size;
    bool cut;          /* there was more of it */
    bool not_modified; /* the answer says that it is as it was before (304) */
    /* what became of it */
    uint64_t place; /* of the record that has the body */
    bool revisit;
};

int warc_put(struct warc *warc, struct warc_exchange *exchange);

/* ---- reading -------------------------------------------------------------------------------- */

/* The body of the answer at this place: *data is to be freed with weft_free; a NUL follows it.
 * UV_ENOENT: there is no answer. UV_EFBIG: it is larger than limit. */
int warc_get(struct warc *warc, uint64_t place, size_t limit, char **data, size_t *size);

#endif
