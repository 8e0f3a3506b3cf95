/* The inside of a concatenation, shared by the files of this room. concat.c tells the whole. */
#ifndef WEFT_FILES_CONCAT_H
#define WEFT_FILES_CONCAT_H

#include "io/file_replace.h"
#include "ready.h"
#include "weft/concat.h"

enum {
    HANDS = 2,          /* works at the same time, at most */
    PIECES = 4,         /* pieces of the result under way, at most */
    PIECE = 512 * 1024, /* bytes of one that goes through memory */
    STRETCH = 16 << 20, /* bytes of one that the kernel copies */
    LARGE = PIECE / 2,  /* from so many bytes on a file is not gathered with others */
    ALONE = 8,          /* stretches between two tries to read ahead in a crowd */
    LOOKS = 64          /* sources that a hand looks at in a row */
};

/* What was found when a source was looked at. */
struct source {
    enum source_kind {
        SOURCE_FILE,    /* size bytes */
        SOURCE_UNSIZED, /* read it to its end */
        SOURCE_STREAM   /* the same, but it may make us wait */
    } kind;
    bool sparse; /* it has fewer blocks than bytes */
    uint64_t size;
    dev_t device; /* these two name the file itself */
    ino_t inode;
};

/* A part of the result. Pieces are cut in their order, become ready in any, and are put in order. */
struct piece {
    enum piece_form {
        PIECE_RUN,     /* all of count small files, from first on */
        PIECE_BYTES,   /* size bytes of fd, at from, through memory */
        PIECE_RANGE,   /* the same, by the kernel */
        PIECE_HOLE,    /* size bytes that are not there */
        PIECE_UNSIZED, /* what fd gives now */
    } form;
    bool ready;
    bool last; /* of its source: fd is not needed any more when it was put */
    size_t first, count;
    uint64_t from, size;
    int fd;
    char *buffer; /* stays with the place when the piece has gone */
};

/* Where the next piece begins. */
struct plan {
    size_t next;     /* which source */
    uint64_t offset; /* in it */
    int fd;          /* it, if it is open already; otherwise -1 */
    bool plain;      /* the kernel would only move bytes, as we do */
    unsigned alone;  /* so many stretches go the short way, because processors are scarce */
    bool by_hand;    /* it does not even do that */
    bool held;       /* a hand reads it, and only that hand knows how far */
    bool waits;      /* it has nothing to give now */
};

struct hand {
    struct weft_work work;
    struct weft_concat_job *job;
    long pushed_out; /* how often its thread was, as far as it knows */
};

struct weft_concat_job {
    struct weft_file_concat *concat;
    struct hand hands[HANDS];
    struct ready ready;
    uv_work_t last_visit;
    unsigned sent, out; /* hands, and those that are not back; the loop's, as is the next */
    int refused;        /* what a hand came back with */
    bool all_looked;    /* at all sources; the loop's, too */
    atomic_bool stop;
    _Atomic uint64_t done, total;

    uv_mutex_t lock; /* over what follows, and the parts of a piece that say where it is */
    uv_cond_t news;
    int status;    /* the first error */
    size_t failed; /* whose it is */
    bool exceeded; /* it is about max */
    size_t looked; /* sources given to a hand to look at */
    bool dest_looked, dest_open, writing;
    bool open_ended;   /* a source is read to its end, wherever that is */
    unsigned reading;  /* hands that do */
    uint64_t cut, put; /* pieces so far */
    struct plan plan;
    struct piece pieces[PIECES];
    size_t room; /* bytes of a buffer */
    struct source *sources;
    uid_t user; /* who we are */
    struct replace replace;
};

/* Something went wrong with a source (WEFT_NONE: with dest). Under the lock. */
void weft__concat_fail(struct weft_concat_job *job, size_t index, int status);
/* There are more bytes than there may be. Under the lock. */
void weft__concat_exceed(struct weft_concat_job *job);

static inline bool concat_stopped(struct weft_concat_job *job)
{
    return atomic_load_explicit(&job->stop, memory_order_relaxed);
}

static inline bool is_input(const struct weft_concat_job *job, size_t index)
{
    const char *path = job->concat->sources[index];
    return path[0] == '-' && path[1] == '\0';
}

/* Works (look.c, hand.c). */
int weft__concat_look(struct weft_work *work);
int weft__concat_carry(struct weft_work *work);

/* Source index, open, and still the one that was looked at; or a negative status (look.c). */
int weft__concat_open(struct weft_concat_job *job, size_t index);
void weft__concat_close(struct weft_concat_job *job, int fd);

/* Cut off the next piece; false: not now, or not at all. Under the lock (plan.c). */
bool weft__concat_cut(struct weft_concat_job *job, struct piece *piece);
/* A hand has read what there was of the source at the cursor. Under the lock. */
void weft__concat_came(struct weft_concat_job *job, struct piece *piece, bool end);

/* Fill its buffer. The status, and in *index whose it is; for an unsized one *end (fill.c). */
int weft__concat_fill(struct weft_concat_job *job, struct piece *piece, size_t *index, bool *end);
/* Add it to the result (put.c). */
int weft__concat_put(struct weft_concat_job *job, struct piece *piece, size_t *index);

#endif
