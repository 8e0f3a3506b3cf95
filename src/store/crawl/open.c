/* A state is opened, and closed.
 *
 *   FOLDER/.weft/lock        held as long as the state is open; the kernel lets go of it when the
 *                            process ends, however it does
 *   FOLDER/.weft/state.mdb   what is committed, with LMDB's own lock beside it
 *   FOLDER/.weft/journal-a   what is not: one is written to, the other one is being committed
 *   FOLDER/.weft/journal-b
 *
 * A new state is made under other names, the database last: once state.mdb is there, all of it is.
 * So a missing journal, and a journal with changes or a lock of LMDB's without a database, are
 * damage, and nothing that is half made is ever taken for a state.
 *
 * Opening: lock, check the pages of the database, open it, replay the journals that were left
 * behind, read everything. What was in a journal speaks of files that may only be with the kernel
 * yet: they are made durable first, as in a commit. */
#include "store.h"
#include "pages.h"
#include "weft/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const journal_names[2] = {"journal-a", "journal-b"};
static const char inside_name[] = ".weft", state_name[] = "state.mdb", fresh_name[] = "state.new",
                  lmdb_lock_name[] = "state.mdb-lock";

/* The way to the current state of affairs, for whoever asks why. */
struct opening {
    struct weft_crawl *crawl;
    struct weft_crawl_store *store;
    const char *folder;
    char *path; /* of a file inside, for LMDB and for people; room for the longest name */
    size_t path_room;
};

static _Thread_local char because[1024];

static const char *path_of(struct opening *opening, const char *name)
{
    snprintf(opening->path, opening->path_room, "%s/%s/%s", opening->folder, inside_name, name);
    return opening->path;
}

/* Keep why it is not opened: a file of ours and what is wrong with it; returns err. */
static int tell_why(const struct opening *opening, int err, const char *name, const char *trouble)
{
    const char *advice = "";
    if (err == WEFT_EDAMAGED)
        advice = "; nothing was changed. To begin anew, move that folder away: the pages that are "
                 "saved stay";
    snprintf(because, sizeof because, "%s/%s%s%s: %s%s", opening->folder, inside_name,
             name[0] != '\0' ? "/" : "", name, trouble, advice);
    return err;
}

static int tell_system(const struct opening *opening, const char *name)
{
    int err = uv_translate_sys_error(errno);
    return tell_why(opening, err, name, uv_strerror(err));
}

static int tell_status(const struct opening *opening, int err, const char *name, const char *damage)
{
    return tell_why(opening, err, name, err == WEFT_EDAMAGED ? damage : weft_strerror(err));
}

/* ---- the folder and its lock ---------------------------------------------------------------- */

static int open_folder(const struct opening *opening)
{
    struct weft_crawl_store *store = opening->store;
    store->folder = open(opening->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->folder < 0) {
        int err = uv_translate_sys_error(errno);
        snprintf(because, sizeof because, "%s: %s", opening->folder, uv_strerror(err));
        return err;
    }
    if (mkdirat(store->folder, inside_name, 0777) != 0 && errno != EEXIST)
        return tell_system(opening, "");
    store->inside =
        openat(store->folder, inside_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return store->inside < 0 ? tell_system(opening, "") : 0;
}

static int take_lock(const struct opening *opening)
{
    struct weft_crawl_store *store = opening->store;
    store->lock =
        openat(store->inside, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (store->lock < 0)
        return tell_system(opening, "lock");
    if (flock(store->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return tell_why(opening, UV_EBUSY, "lock", "another process has this crawl open");
    return tell_system(opening, "lock");
}

/* ---- a new one ------------------------------------------------------------------------------ */

/* There is no database; was there never one? LMDB's lock comes after the database, and changes
 * come after both. */
static int never_there(const struct opening *opening)
{
    struct stat st;
    if (fstatat(opening->store->inside, lmdb_lock_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return tell_why(opening, WEFT_EDAMAGED, state_name, "it is missing, but it was there");
    for (unsigned i = 0; i < 2; i++) {
        if (fstatat(opening->store->inside, journal_names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            st.st_size != WEFT__CRAWL_JOURNAL_HEAD)
            return tell_why(opening, WEFT_EDAMAGED, state_name,
                            "it is missing, but there is a journal with changes to it");
    }
    return 0;
}

static int make_state(struct opening *opening)
{
    struct weft_crawl_store *store = opening->store;
    char bytes[WEFT__CRAWL_KEY_SIZE];
    struct weft__crawl_key key;
    int err = never_there(opening);
    if (err != 0)
        return err;
    err = weft__crawl_key_draw(bytes);
    if (err != 0)
        return tell_status(opening, err, "", "");
    weft__crawl_key_read(&key, bytes);
    for (unsigned i = 0; i < 2; i++) {
        err = weft__crawl_journal_make(store->inside, journal_names[i], &key);
        if (err != 0)
            return tell_status(opening, err, journal_names[i], "");
    }
    if (unlinkat(store->inside, fresh_name, 0) != 0 && errno != ENOENT)
        return tell_system(opening, fresh_name);
    err = weft__crawl_state_make(path_of(opening, fresh_name), bytes);
    if (err != 0)
        return tell_status(opening, err, fresh_name, "it cannot be made");
    if (renameat(store->inside, fresh_name, store->inside, state_name) != 0 ||
        fsync(store->inside) != 0 || fsync(store->folder) != 0)
        return tell_system(opening, state_name);
    opening->crawl->fresh = true;
    return 0;
}

/* ---- the database --------------------------------------------------------------------------- */

/* The file that was checked is the one that LMDB has opened. */
static bool same_file(int one, int other)
{
    struct stat a, b;
    return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static int open_checked(struct opening *opening, int fd)
{
    struct weft__crawl_state *state = &opening->store->state;
    const char *trouble = NULL;
    int err = weft__crawl_pages_check(fd, &trouble);
    if (err == 0)
        err = weft__crawl_state_open(state, path_of(opening, state_name));
    if (err == 0 && !same_file(fd, weft__crawl_state_fd(state)))
        return tell_why(opening, UV_EBUSY, state_name, "it was replaced while it was opened");
    if (err == UV_ENOTSUP)
        return tell_why(opening, err, state_name, "it is of a version that is not known here");
    if (err != 0)
        return tell_status(opening, err, state_name,
                           trouble != NULL ? trouble : "its first record is damaged");
    return 0;
}

static int open_state(struct opening *opening)
{
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(opening->store->inside, state_name, flags);
    if (fd < 0 && errno == ENOENT) {
        int err = make_state(opening);
        if (err != 0)
            return err;
        fd = openat(opening->store->inside, state_name, flags);
    }
    if (fd < 0)
        return tell_system(opening, state_name);
    int err = open_checked(opening, fd);
    close(fd);
    return err;
}

/* ---- journals that were left behind --------------------------------------------------------- */

struct leftover {
    char *file;
    struct weft__crawl_reading reading;
};

static int read_journal(const struct opening *opening, unsigned which, struct leftover *left)
{
    struct weft_crawl_store *store = opening->store;
    struct weft__crawl_journal *journal = &store->journals[which];
    char boot[WEFT__CRAWL_BOOT_SIZE];
    size_t size = 0;
    int err = weft__crawl_journal_open(journal, store->inside, journal_names[which]);
    if (err == UV_ENOENT)
        return tell_why(opening, WEFT_EDAMAGED, journal_names[which], "it is missing");
    if (err == 0)
        err = weft__crawl_journal_load(journal, &left->file, &size);
    weft__crawl_boot(boot);
    if (err == 0)
        err = weft__crawl_journal_read(&store->state.key, weft_text(left->file, size), boot,
                                       &left->reading);
    if (err != 0)
        return tell_status(opening, err, journal_names[which], "it is damaged");
    return 0;
}

static int replay(const struct opening *opening, unsigned which, const struct leftover *left)
{
    size_t applied = 0;
    if (left->reading.changes.size == 0)
        return 0;
    int err = weft__crawl_state_apply(&opening->store->state, left->reading.changes, &applied);
    if (err != 0)
        return tell_status(opening, err, journal_names[which], "it does not follow the database");
    return 0;
}

/* Both are in the database now, or not to be believed. */
static int renew_journal(const struct opening *opening, unsigned which, bool old)
{
    struct weft_crawl_store *store = opening->store;
    struct weft__crawl_journal *journal = &store->journals[which];
    int err = 0;
    if (old) {
        weft__crawl_journal_close(journal);
        err = weft__crawl_journal_make(store->inside, journal_names[which], &store->state.key);
        if (err == 0)
            err = weft__crawl_journal_open(journal, store->inside, journal_names[which]);
    } else {
        err = weft__crawl_journal_clear(journal);
    }
    return err != 0 ? tell_status(opening, err, journal_names[which], "") : 0;
}

static int replay_both(const struct opening *opening, struct leftover left[2])
{
    unsigned first = left[0].reading.batch > left[1].reading.batch;
    int err = 0;
    if (left[0].reading.changes.size + left[1].reading.changes.size > 0) {
        err = weft__crawl_sync(opening->store->folder);
        if (err != 0)
            return tell_status(opening, err, "", "");
    }
    for (unsigned i = 0; i < 2 && err == 0; i++)
        err = replay(opening, first ^ i, &left[first ^ i]);
    for (unsigned i = 0; i < 2 && err == 0; i++)
        err = renew_journal(opening, first ^ i, left[first ^ i].reading.old);
    return err;
}

static int open_journals(const struct opening *opening)
{
    struct leftover left[2] = {0};
    int err = read_journal(opening, 0, &left[0]);
    if (err == 0)
        err = read_journal(opening, 1, &left[1]);
    if (err == 0)
        err = replay_both(opening, left);
    weft_free(left[0].file);
    weft_free(left[1].file);
    return err;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int open_all(struct opening *opening)
{
    int err = open_folder(opening);
    if (err == 0)
        err = take_lock(opening);
    if (err == 0)
        err = open_state(opening);
    if (err == 0)
        err = open_journals(opening);
    if (err != 0)
        return err;
    err = weft__crawl_load(opening->crawl);
    return err != 0 ? tell_status(opening, err, state_name, "a record is damaged") : 0;
}

static void forget(struct weft_crawl *crawl)
{
    crawl->store_ = NULL;
    crawl->known = 0;
    crawl->pending = 0;
    memset(crawl->counts, 0, sizeof crawl->counts);
}

/* Nothing but the descriptors has a value that zero does not stand for. */
static struct weft_crawl_store *make_store(void)
{
    struct weft_crawl_store *store = weft_calloc(1, sizeof *store);
    if (store != NULL) {
        store->folder = store->inside = store->lock = -1;
        store->journals[0].fd = store->journals[1].fd = -1;
        store->batch_number = 1;
    }
    return store;
}

int weft_crawl_open(struct weft_crawl *crawl, const char *folder, const char **why)
{
    if (why != NULL)
        *why = because;
    snprintf(because, sizeof because, "%s", weft_strerror(UV_EINVAL));
    if (crawl->store_ != NULL || folder == NULL || folder[0] == '\0')
        return UV_EINVAL;
    struct opening opening = {.crawl = crawl, .folder = folder};
    opening.path_room = strlen(folder) + sizeof inside_name + sizeof state_name + 2;
    opening.path = weft_alloc(opening.path_room);
    opening.store = make_store();
    forget(crawl);
    crawl->fresh = false;
    crawl->store_ = opening.store;
    int err = UV_ENOMEM;
    if (opening.path == NULL || opening.store == NULL)
        snprintf(because, sizeof because, "%s: %s", folder, weft_strerror(err));
    else
        err = open_all(&opening);
    weft_free(opening.path);
    if (err != 0)
        weft_crawl_close(crawl);
    else
        because[0] = '\0';
    return err;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

int weft_crawl_close(struct weft_crawl *crawl)
{
    struct weft_crawl_store *store = crawl->store_;
    if (store == NULL)
        return 0;
    if (store->committing)
        return UV_EBUSY;
    weft_crawl_flush(crawl); /* whoever has to know whether that can be done does it himself */
    weft__crawl_state_close(&store->state);
    weft__crawl_known_free(&store->known);
    weft__crawl_names_free(&store->names);
    for (unsigned i = 0; i < 2; i++) {
        weft__crawl_journal_close(&store->journals[i]);
        weft__crawl_batch_free(&store->batches[i]);
    }
    weft_free(store->writing.data);
    weft_free(store->reading.data);
    weft_free(store->text.data);
    close_fd(store->inside);
    close_fd(store->folder);
    close_fd(store->lock); /* the last: from here on it is somebody else's */
    weft_free(store);
    forget(crawl);
    return 0;
}
