/* A ledger is opened, and closed.
 *
 *   FOLDER/sales.mdb        an LMDB file with one tree: id of the first sale → block; and under the
 *                           key 0 what it is, and of which version
 *   FOLDER/sales.mdb-lock   LMDB's: who reads what, and who writes
 *
 * A new one is made under another name and put in place when it is on the disk: what has the right
 * name is whole. Two who make it at the same time take turns by a lock on the folder, and nobody
 * writes to it before its name is on the disk, too.
 *
 * LMDB believes what it reads. So before it may, the pages are looked at (pages.c): first the heads,
 * then, under a transaction that keeps writers from using them again, everything else. */
#include "sales/ledger_inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/alloc.h>

enum {
    VERSION = 1,
    READERS = 1024,
    TRIES = 100,
    MAP_START = 1 << 20, /* it grows, see store.c */
    ABOUT_SIZE = 16
};

static const char file_name[] = "sales.mdb", fresh_name[] = "sales.new",
                  magic[ABOUT_SIZE - 4] = "weft sales";

struct opening {
    struct ledger_store *store;
    const char *folder;
    char *path; /* of a file inside, for LMDB; room for the longest name */
    size_t room;
    const char *trouble; /* static text for people; NULL: the status says it all */
};

static _Thread_local char because[1024];

static const char *path_of(struct opening *opening, const char *name)
{
    snprintf(opening->path, opening->room, "%s/%s", opening->folder, name);
    return opening->path;
}

static int damaged(struct opening *opening, const char *trouble)
{
    opening->trouble = trouble;
    return WEFT_EDAMAGED;
}

static int system_status(void)
{
    return uv_translate_sys_error(errno);
}

/* ---- what it is ----------------------------------------------------------------------------- */

static int open_env(MDB_env **env, const char *path, unsigned flags)
{
    int rc = mdb_env_create(env);
    if (rc != 0)
        return rc;
    rc = mdb_env_set_mapsize(*env, MAP_START); /* more, if the file is larger */
    if (rc == 0)
        rc = mdb_env_set_maxreaders(*env, READERS);
    if (rc == 0)
        rc = mdb_env_open(*env, path, MDB_NOSUBDIR | MDB_NOTLS | flags, 0666);
    if (rc != 0) {
        mdb_env_close(*env);
        *env = NULL;
    }
    return rc;
}

static int read_about(struct opening *opening, MDB_txn *txn)
{
    uint64_t zero = 0;
    uint32_t version;
    unsigned flags;
    MDB_val key = {sizeof zero, &zero}, value;
    MDB_dbi *blocks = &opening->store->blocks;
    int rc = mdb_dbi_open(txn, NULL, 0, blocks);
    if (rc == 0)
        rc = mdb_dbi_flags(txn, *blocks, &flags);
    if (rc != 0)
        return store_status(rc);
    if (flags != MDB_INTEGERKEY)
        return damaged(opening, "it is no ledger of sales");
    rc = mdb_get(txn, *blocks, &key, &value);
    if (rc != 0 && rc != MDB_NOTFOUND)
        return store_status(rc);
    if (rc != 0 || value.mv_size != ABOUT_SIZE || memcmp(value.mv_data, magic, sizeof magic) != 0)
        return damaged(opening, "it is no ledger of sales");
    memcpy(&version, (const char *)value.mv_data + sizeof magic, sizeof version);
    return version == VERSION ? 0 : UV_ENOTSUP;
}

static int write_about(MDB_env *env)
{
    char about[ABOUT_SIZE];
    uint64_t zero = 0;
    const uint32_t version = VERSION;
    MDB_val key = {sizeof zero, &zero}, value = {sizeof about, about};
    MDB_dbi blocks;
    MDB_txn *txn;
    memcpy(about, magic, sizeof magic);
    memcpy(about + sizeof magic, &version, sizeof version);
    int rc = mdb_txn_begin(env, NULL, 0, &txn);
    if (rc != 0)
        return rc;
    rc = mdb_dbi_open(txn, NULL, MDB_INTEGERKEY | MDB_CREATE, &blocks);
    if (rc == 0)
        rc = mdb_put(txn, blocks, &key, &value, 0);
    if (rc == 0)
        return mdb_txn_commit(txn);
    mdb_txn_abort(txn);
    return rc;
}

/* ---- a new one ------------------------------------------------------------------------------ */

static int make_file(struct opening *opening)
{
    struct ledger_store *store = opening->store;
    MDB_env *env;
    if (unlinkat(store->folder, fresh_name, 0) != 0 && errno != ENOENT)
        return system_status();
    int rc = open_env(&env, path_of(opening, fresh_name), MDB_NOLOCK);
    if (rc == 0) {
        rc = write_about(env);
        mdb_env_close(env);
    }
    if (rc != 0) {
        unlinkat(store->folder, fresh_name, 0);
        return store_write_status(store, rc);
    }
    return renameat(store->folder, fresh_name, store->folder, file_name) != 0 ? system_status() : 0;
}

static bool is_there(const struct opening *opening)
{
    struct stat st;
    return fstatat(opening->store->folder, file_name, &st, 0) == 0;
}

static int make_if_missing(struct opening *opening)
{
    struct ledger_store *store = opening->store;
    if (is_there(opening))
        return 0;
    if (store->read_only) {
        opening->trouble = "there is no ledger here";
        return UV_ENOENT;
    }
    if (flock(store->folder, LOCK_EX) != 0)
        return system_status();
    int err = is_there(opening) ? 0 : make_file(opening);
    flock(store->folder, LOCK_UN);
    return err;
}

/* ---- one that is there ---------------------------------------------------------------------- */

static int open_folder(struct opening *opening)
{
    struct ledger_store *store = opening->store;
    if (!store->read_only && mkdir(opening->folder, 0777) != 0 && errno != EEXIST)
        return system_status();
    store->folder = open(opening->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->folder >= 0)
        return 0;
    if (errno == ENOENT)
        opening->trouble = "there is no ledger here";
    return system_status();
}

static int check_heads(struct opening *opening)
{
    int fd = openat(opening->store->folder, file_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return system_status();
    int err = pages_check_heads(fd, &opening->trouble);
    close(fd);
    return err;
}

/* Who commits twice in the meantime is faster than the look at the heads: then again. */
static int check_content(struct opening *opening, MDB_txn *txn)
{
    int fd, rc = mdb_env_get_fd(opening->store->env, &fd);
    if (rc != 0)
        return store_status(rc);
    int err = pages_check(fd, mdb_txn_id(txn), &opening->trouble);
    for (unsigned i = 0; i < TRIES && err == UV_EAGAIN; i++) {
        mdb_txn_reset(txn);
        rc = mdb_txn_renew(txn);
        if (rc != 0)
            return store_status(rc);
        err = pages_check(fd, mdb_txn_id(txn), &opening->trouble);
    }
    return err != 0 ? err : read_about(opening, txn);
}

/* The handle of a tree lasts when its transaction is committed, also one that only reads. */
static int open_file(struct opening *opening)
{
    struct ledger_store *store = opening->store;
    MDB_txn *txn;
    int dead, fd;
    int rc = open_env(&store->env, path_of(opening, file_name), store->read_only ? MDB_RDONLY : 0);
    if (rc == 0 && mdb_env_get_fd(store->env, &fd) == 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC); /* LMDB forgets this one */
    if (rc == 0)
        rc = mdb_reader_check(store->env, &dead);
    if (rc == 0)
        rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (rc == MDB_MAP_RESIZED) { /* it has grown since it was opened */
        store->move = MAP_FOLLOWS;
        int err = store_move(store);
        if (err != 0)
            return err;
        rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    }
    if (rc != 0)
        return store_status(rc);
    int err = check_content(opening, txn);
    if (err == 0)
        err = store_look(store);
    if (err == 0)
        return store_status(mdb_txn_commit(txn));
    mdb_txn_abort(txn);
    return err;
}

/* The names of what is in it, and its own in the folder above. Everybody who writes does this, not only
 * the one who made it: that one may be killed before it comes to it, or be about to. */
static int sync_folder(int folder)
{
    if (fsync(folder) != 0)
        return system_status();
    int above = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (above < 0)
        return errno == EACCES ? 0 : system_status(); /* not ours to look after */
    int err = fsync(above) != 0 ? system_status() : 0;
    close(above);
    return err;
}

static int open_all(struct opening *opening)
{
    int err = open_folder(opening);
    if (err == 0)
        err = make_if_missing(opening);
    if (err == 0 && !opening->store->read_only)
        err = sync_folder(opening->store->folder);
    if (err == 0)
        err = check_heads(opening);
    if (err == 0)
        err = open_file(opening);
    return err;
}

/* ---- both ----------------------------------------------------------------------------------- */

static struct ledger_store *make_store(struct ledger *ledger, enum ledger_mode mode)
{
    struct ledger_store *store = weft_calloc(1, sizeof *store);
    if (store == NULL)
        return NULL;
    store->ledger = ledger;
    store->read_only = mode == LEDGER_READ;
    store->folder = -1;
    return store;
}

static void tell_why(const struct opening *opening, int err)
{
    const char *text = opening->trouble;
    if (text == NULL)
        text = err == UV_ENOTSUP ? "it is of a version that is not known here" : weft_strerror(err);
    const char *file = err == WEFT_EDAMAGED || err == UV_ENOTSUP ? file_name : "";
    snprintf(because, sizeof because, "%s%s%s: %s", opening->folder, file[0] != '\0' ? "/" : "",
             file, text);
}

int ledger_open(struct ledger *ledger, const char *folder, enum ledger_mode mode, const char **why)
{
    if (why != NULL)
        *why = because;
    snprintf(because, sizeof because, "%s", weft_strerror(UV_EINVAL));
    if (ledger->store_ != NULL || folder == NULL || folder[0] == '\0')
        return UV_EINVAL;
    *ledger = (struct ledger){0};
    struct opening opening = {.folder = folder};
    opening.room = strlen(folder) + sizeof file_name + sizeof fresh_name;
    opening.path = weft_alloc(opening.room);
    opening.store = make_store(ledger, mode);
    int err = opening.path == NULL || opening.store == NULL ? UV_ENOMEM : open_all(&opening);
    weft_free(opening.path);
    ledger->store_ = opening.store;
    because[0] = '\0';
    if (err != 0) {
        tell_why(&opening, err);
        ledger_close(ledger);
    }
    return err;
}

int ledger_close(struct ledger *ledger)
{
    struct ledger_store *store = ledger->store_;
    if (store == NULL)
        return 0;
    if (store->scans > 0 || store->totals != NULL || store->adds != NULL || store->batch != NULL)
        return UV_EBUSY;
    if (store->env != NULL)
        mdb_env_close(store->env);
    if (store->folder >= 0)
        close(store->folder);
    weft_free(store);
    ledger->store_ = NULL;
    return 0;
}
