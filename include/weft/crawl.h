/* weft/crawl.h: the state of a crawl, in a folder, that survives anything.
 *
 * Which URLs are known, how far each one is from the start, what became of it, who linked to it,
 * and what is left to do. It lives in FOLDER/.weft: an LMDB file, and a journal of what happened
 * since its last commit.
 *
 *     struct weft_crawl crawl = {0};
 *     int err = weft_crawl_open(&crawl, "site", NULL);
 *     ...
 *     weft_crawl_see(&crawl, url, depth, referrer, &id);          // a link was found
 *     weft_crawl_settle(&crawl, id, &result);                     // a page was saved, or failed
 *     ...
 *     weft_crawl_commit(op, &commit, &crawl, committed);          // once a second
 *
 * What survives what
 *   - The process is killed: everything, up to the last call that returned. Every change is in the
 *     journal, with the kernel, when the call returns.
 *   - The machine loses its power: everything up to the last commit, which first makes the files
 *     of the folder durable and then the state: a page that is called done is on the disk. A
 *     journal from before the power loss is not believed, because the files it speaks of may not
 *     be there.
 *   - Damage: it is found, when it is opened, by lengths and checksums, and said: WEFT_EDAMAGED.
 *     Nothing is repaired in silence and nothing is begun anew.
 *
 * In memory are 24 bytes and a slot of a hash table (6 to 8) for each URL, 15 to 19 for each name
 * of a file, and what is not committed yet: texts stay on the disk. Everything here is for the
 * loop's thread; only a commit works on another. Functions that return an int return 0 or a status;
 * after UV_ENOMEM, and after an error of the disk, nothing of the call has happened, and the state
 * on the disk is still good. On a state that is not open everything is UV_EINVAL, 0 or false.
 *
 * A state is not for both sides of a fork: open it after the last one. (A child that only execs
 * keeps nothing of it.) */
#ifndef WEFT_CRAWL_H
#define WEFT_CRAWL_H

#include "text.h"
#include "work.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_crawl;
struct weft_crawl_store; /* the library's */

/* URLs are numbered from 1 in the order in which they were seen; 0 is none. */
typedef uint32_t weft_crawl_id;

enum {
    WEFT_CRAWL_URL_MAX = 64 * 1024, /* bytes of a URL */
    WEFT_CRAWL_DEPTH_MAX = 65535    /* greater depths count as this one */
};

/* What is to be done with a URL, or what became of it. */
enum weft_crawl_what {
    WEFT_CRAWL_WAITING = 1, /* it has to be fetched */
    WEFT_CRAWL_AGAIN,       /* it is saved, but its links have to be looked at again */
    WEFT_CRAWL_DONE,        /* it is saved, its links were seen */
    WEFT_CRAWL_MOVED,       /* it leads to another URL */
    WEFT_CRAWL_FAILED,      /* no answer, or one that says no */
    WEFT_CRAWL_SKIPPED      /* a rule forbids it: robots.txt, a filter, a limit */
};

/* What became of a URL. Texts are copied. All zero is "nothing yet". */
struct weft_crawl_result {
    enum weft_crawl_what what;
    int status;             /* of the op that fetched it: 0, or why there was no answer */
    int http_status;        /* 200, 404; 0: there was no answer */
    unsigned attempts;      /* how often it was tried */
    weft_crawl_id redirect; /* where it leads to */
    uint64_t size;          /* bytes of the body */
    uint64_t hash[2];       /* of the body: weft_crawl_hash */
    int64_t fetched;        /* when, seconds since 1970 */
    struct weft_text etag, last_modified, media_type;
    struct weft_text file; /* the name it is saved under, below the folder */
    struct weft_text note; /* for people: why it failed or was skipped; yours if it moved */
};

/* A line of URLs that wait, in an order of first in, first out. Put one into each struct host. */
struct weft_crawl_line {
    weft_crawl_id first_, last_;
    uint32_t count; /* read only */
};

struct weft_crawl {
    /* Any time: changes are in the journal only after weft_crawl_flush, which is called once for many
     * of them, say at the end of a turn of the loop. Who is killed before that has not done them. */
    bool deferred;
    bool fresh;                              /* read only: there was no state before */
    weft_crawl_id known;                     /* read only: how many URLs there are */
    uint32_t counts[WEFT_CRAWL_SKIPPED + 1]; /* read only: of each kind */
    uint64_t pending; /* read only: bytes in memory that came since the last commit began */
    struct weft_crawl_store *store_;
};

/* Open the state in folder, which exists, or make it. It blocks, for as long as it takes to read
 * all of it (a second for a million URLs). *why, if why is not NULL, becomes a sentence for people
 * that names the file and what is wrong with it, "" if nothing is: storage of the thread, until its
 * next call here.
 *   UV_EBUSY        another process, or another struct of this one, has it open
 *   UV_EINVAL       crawl is open; no folder
 *   WEFT_EDAMAGED   what is there is not what was written, or is cut off
 *   UV_ENOTSUP      it is of a version that this library does not know
 *   UV_EACCES, UV_ENOSPC, UV_EROFS …, UV_ENOMEM */
WEFT_API int weft_crawl_open(struct weft_crawl *crawl, const char *folder, const char **why);

/* Close it, without a commit: what is in the journal stays there. UV_EBUSY: a commit is under way.
 * Safe on one that is not open. */
WEFT_API int weft_crawl_close(struct weft_crawl *crawl);

/* Put what was deferred into the journal. UV_ENOSPC and others: it is tried again by the next call. */
WEFT_API int weft_crawl_flush(struct weft_crawl *crawl);

/* ---- URLs ----------------------------------------------------------------------------------- */

enum weft_crawl_seen {
    WEFT_CRAWL_NEW,    /* it was not known and is WAITING now, in no line yet */
    WEFT_CRAWL_NEARER, /* it was known, but farther away: depth is its depth now */
    WEFT_CRAWL_KNOWN   /* nothing new */
};

/* A link to url was found at this depth. A value of enum weft_crawl_seen, or an error: UV_EINVAL
 * (it is empty), UV_E2BIG, UV_ENOMEM, UV_ENOBUFS (a gigabyte waits for a commit), UV_ENOSPC and
 * others of the disk. *id, if id is not NULL, becomes its number. Any bytes will do for a url. */
WEFT_API int weft_crawl_see(struct weft_crawl *crawl, struct weft_text url, unsigned depth,
                            weft_crawl_id referrer, weft_crawl_id *id);

/* Its number, 0 if it is not known. */
WEFT_API weft_crawl_id weft_crawl_find(const struct weft_crawl *crawl, struct weft_text url);

/* 0 if there is no such number. */
WEFT_API enum weft_crawl_what weft_crawl_what(const struct weft_crawl *crawl, weft_crawl_id id);
WEFT_API unsigned weft_crawl_depth(const struct weft_crawl *crawl, weft_crawl_id id);

/* Its text, into buffer of size bytes, with a NUL behind. UV_ENOBUFS: *length says what it takes,
 * without the NUL; UV_EINVAL: there is no such number; WEFT_EDAMAGED, UV_ENOMEM. *length and
 * *referrer, who linked to it first, if they are not NULL. */
WEFT_API int weft_crawl_url(struct weft_crawl *crawl, weft_crawl_id id, char *buffer, size_t size,
                            size_t *length, weft_crawl_id *referrer);

/* What became of it: the last that was settled. Its texts are valid until the next call of
 * weft_crawl_result, _get or _each; weft_crawl_settle may be given them. All zero, but for what, if
 * nothing was settled yet. UV_EINVAL, WEFT_EDAMAGED, UV_ENOMEM. */
WEFT_API int weft_crawl_result(struct weft_crawl *crawl, weft_crawl_id id,
                               struct weft_crawl_result *result);

/* This became of it. UV_EINVAL: there is no such number, or what is none of the enum; UV_E2BIG: a
 * text of more than 65,535 bytes; and the errors of weft_crawl_see. */
WEFT_API int weft_crawl_settle(struct weft_crawl *crawl, weft_crawl_id id,
                               const struct weft_crawl_result *result);

/* Only change what it is: WAITING for one that failed, AGAIN for one that is nearer now. The rest
 * of its result stays. */
WEFT_API int weft_crawl_set(struct weft_crawl *crawl, weft_crawl_id id, enum weft_crawl_what what);

/* Each known URL, in the order of their numbers: calls see with it, until that returns other than
 * 0, which is then returned. The texts are valid until see returns. It may call everything but
 * weft_crawl_result, weft_crawl_get, weft_crawl_each and weft_crawl_close. WEFT_EDAMAGED,
 * UV_ENOMEM. What a state that was just opened has left to do is found like this: it is what is
 * WAITING, AGAIN or FAILED. */
typedef int weft_crawl_each_fn(struct weft_crawl *crawl, weft_crawl_id id, struct weft_text url,
                               const struct weft_crawl_result *result, void *context);
WEFT_API int weft_crawl_each(struct weft_crawl *crawl, weft_crawl_each_fn *see, void *context);

/* ---- lines ---------------------------------------------------------------------------------- */

/* Lines are in memory only, 0 bytes more for each URL. A URL is in one line at most; pushing one
 * that is in a line already is a broken rule of the caller's and does nothing: false. */
WEFT_API bool weft_crawl_line_push(struct weft_crawl *crawl, struct weft_crawl_line *line,
                                   weft_crawl_id id);
/* 0: it is empty. */
WEFT_API weft_crawl_id weft_crawl_line_pop(struct weft_crawl *crawl, struct weft_crawl_line *line);

/* ---- names of files ------------------------------------------------------------------------- */

/* May the URL number id be saved under this name? Names that differ only in the case of ASCII
 * letters are the same. true: it is its name from now on, and was nobody else's. The names of
 * results are claimed when the state is opened. false also if there is no memory. */
WEFT_API bool weft_crawl_claim(struct weft_crawl *crawl, struct weft_text name, weft_crawl_id id);

/* Whose name is it? 0: nobody's. */
WEFT_API weft_crawl_id weft_crawl_named(const struct weft_crawl *crawl, struct weft_text name);

/* ---- other things that last ----------------------------------------------------------------- */

/* A value of at most 16 MB under a key of 1 to 400 bytes: data of hosts ("host/…"), the settings of
 * the crawl ("crawl/…"). An empty value removes it. UV_EINVAL, UV_E2BIG, and the errors of
 * weft_crawl_see. */
WEFT_API int weft_crawl_put(struct weft_crawl *crawl, struct weft_text key, struct weft_text value);
/* Valid until the next call of weft_crawl_get, _result or _each; data is NULL if there is none. */
WEFT_API int weft_crawl_get(struct weft_crawl *crawl, struct weft_text key,
                            struct weft_text *value);

/* ---- commit --------------------------------------------------------------------------------- */

/* Make durable what happened until now: first the files of the folder (one syncfs), then the
 * state. While it runs the state can be used on, and what happens then goes into the next commit.
 * One at a time: UV_EBUSY; UV_EINVAL: it is not open. With nothing to do it finishes with 0 without
 * a visit to the disk. After an error (UV_ENOSPC, UV_EIO, UV_ENOMEM) nothing is lost: the journal
 * still has it, and the next commit tries again. A cancel is awaited and does not stop what has
 * begun: then the status is the true one. */
struct weft_crawl_commit {
    struct weft_op op;
    struct weft_crawl *crawl;
    uint64_t bytes; /* what it wrote */
    struct weft_work work_;
};
#define weft_crawl_commit(parent, commit, crawl, then)                                             \
    weft_crawl_commit_at(WEFT_HERE("crawl_commit", WEFT_FS), parent, commit, crawl, then)
WEFT_API void weft_crawl_commit_at(const struct weft_site *site, struct weft_op *parent,
                                   struct weft_crawl_commit *commit, struct weft_crawl *crawl,
                                   weft_then_fn *then);
WEFT_API void weft_crawl_commit_begin(struct weft_op *op);

/* ---- fingerprints --------------------------------------------------------------------------- */

/* A strong 128-bit hash (SipHash with a key that was drawn at random when the state was made), in
 * pieces: begin, add, end. Nobody who does not know the key can make two texts meet. */
struct weft_crawl_hash {
    uint64_t v_[4], tail_, size_;
    bool light_;
};
WEFT_API void weft_crawl_hash_begin(const struct weft_crawl *crawl, struct weft_crawl_hash *hash);
/* The same for bodies, which are long: four times as fast. Texts that differ by chance do not meet;
 * but it is not strong, so nothing may be lost if somebody makes two that do. */
WEFT_API void weft_crawl_hash_begin_light(const struct weft_crawl *crawl,
                                          struct weft_crawl_hash *hash);
WEFT_API void weft_crawl_hash_add(struct weft_crawl_hash *hash, const void *data, size_t size);
WEFT_API void weft_crawl_hash_end(struct weft_crawl_hash *hash, uint64_t out[2]);

#ifdef __cplusplus
}
#endif
#endif
