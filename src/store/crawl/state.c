/* The database: an LMDB file with five trees.
 *
 *   head     "state"   magic, our version, the key of the hash: the same in all versions to come
 *   urls     id        what never changes: its text, who linked to it first, its first depth
 *   results  id        what became of it
 *   marks    id        what is to be done with it and its depth, if that is newer than its result
 *   things   key       everything else
 *
 * Every value begins with a checksum of its tree, its key and the rest of it, so that a record that
 * is damaged, or not where it belongs, is found when it is read.
 *
 * Changes are applied in their order and can be applied again: a process that was killed between
 * the commit here and the end of its journal does that. They go in portions, because LMDB keeps in
 * memory every page that a transaction touches; each portion is a state that there once was.
 *
 * Reads are short: one begins and ends within a call. Only a commit that needs a larger map moves
 * it, and takes the mutex for that; nobody else ever waits for it. */
#include "state.h"
#include "wire.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char magic[8] = {'w', 'e', 'f', 't', 'c', 'r', 'w', 'l'};

enum {
    VERSION = 1,
    TREES = 5,
    AT_VERSION = 8,
    AT_KEY = 16,
    AT_CHECKSUM = AT_KEY + WEFT__CRAWL_KEY_SIZE,
    HEAD_SIZE = AT_CHECKSUM + 8
};

/* So few blocks are none. */
enum { FULL = 16 };
/* A portion: so many bytes; a change that may touch any page counts for half a page more. */
enum { PORTION = 8 << 20, TOUCH = 2048 };
#define MAP_START ((size_t)64 << 20)

static const char *const names[] = {[WEFT__CRAWL_BATCH] = "head",
                                    [WEFT__CRAWL_URL] = "urls",
                                    [WEFT__CRAWL_RESULT] = "results",
                                    [WEFT__CRAWL_MARK] = "marks",
                                    [WEFT__CRAWL_THING] = "things"};

static unsigned tree_flags(unsigned kind)
{
    return kind == WEFT__CRAWL_BATCH || kind == WEFT__CRAWL_THING ? 0 : MDB_INTEGERKEY;
}

static int status_of(int rc)
{
    switch (rc) {
    case MDB_SUCCESS:
        return 0;
    case MDB_PANIC: /* an error while it wrote its head: nothing more until it is opened again */
        return UV_EIO;
    case MDB_TXN_FULL:
        return UV_ENOMEM;
    case MDB_MAP_FULL:
        return UV_EFBIG;
    case MDB_VERSION_MISMATCH:
        return UV_ENOTSUP;
    default:
        return rc > 0 ? uv_translate_sys_error(rc) : WEFT_EDAMAGED;
    }
}

/* LMDB calls a write that came to its end too early EIO; mostly the disk is full then. */
static int status_of_write(MDB_env *env, int rc)
{
    struct statvfs disk;
    int fd;
    if (rc == EIO && mdb_env_get_fd(env, &fd) == 0 && fstatvfs(fd, &disk) == 0 &&
        disk.f_bavail < FULL)
        return UV_ENOSPC;
    return status_of(rc);
}

/* ---- records -------------------------------------------------------------------------------- */

/* What a change is about, as LMDB's key and as a text for the checksum. */
struct subject {
    MDB_val key;
    struct weft_text name;
    unsigned number;
    char bytes[4];
};

static void subject_of(struct subject *subject, const struct weft__crawl_change *change)
{
    if (change->kind == WEFT__CRAWL_THING) {
        subject->name = change->key;
        subject->key = (MDB_val){change->key.size, (void *)(uintptr_t)change->key.data};
        return;
    }
    subject->number = change->id;
    wire_put(subject->bytes, change->id, 4);
    subject->name = weft_text(subject->bytes, sizeof subject->bytes);
    subject->key = (MDB_val){sizeof subject->number, &subject->number};
}

/* Take the checksum off a value. */
static int open_value(const struct weft__crawl_state *state, enum weft__crawl_kind kind,
                      struct weft_text name, const MDB_val *found, struct weft_text *value)
{
    const char *data = found->mv_data;
    if (found->mv_size < WEFT__CRAWL_CHECKSUM)
        return WEFT_EDAMAGED;
    *value = weft_text(data + WEFT__CRAWL_CHECKSUM, found->mv_size - WEFT__CRAWL_CHECKSUM);
    return weft__crawl_checksum(&state->key, (char)kind, name, *value) == wire_get64(data)
               ? 0
               : WEFT_EDAMAGED;
}

static int put(const struct weft__crawl_state *state, MDB_txn *txn,
               const struct weft__crawl_change *change, unsigned flags)
{
    struct subject subject;
    subject_of(&subject, change);
    MDB_val room = {WEFT__CRAWL_CHECKSUM + change->value.size, NULL};
    int rc = mdb_put(txn, state->trees[change->kind], &subject.key, &room, flags | MDB_RESERVE);
    if (rc != 0)
        return rc;
    char *at = room.mv_data;
    wire_put(at, weft__crawl_checksum(&state->key, (char)change->kind, subject.name, change->value),
             8);
    memcpy(at + WEFT__CRAWL_CHECKSUM, change->value.data, change->value.size);
    return 0;
}

static int drop(const struct weft__crawl_state *state, MDB_txn *txn,
                const struct weft__crawl_change *change, enum weft__crawl_kind kind)
{
    struct subject subject;
    subject_of(&subject, change);
    int rc = mdb_del(txn, state->trees[kind], &subject.key, NULL);
    return rc == MDB_NOTFOUND ? 0 : rc;
}

/* ---- applying ------------------------------------------------------------------------------- */

/* known: how many URLs there are; the next one has the next number. */
static int apply_one(const struct weft__crawl_state *state, MDB_txn *txn,
                     const struct weft__crawl_change *change, size_t *known)
{
    int rc;
    switch (change->kind) {
    case WEFT__CRAWL_URL:
        if (change->id <= *known)
            return 0;
        if (change->id != ++*known)
            return MDB_CORRUPTED;
        return put(state, txn, change, MDB_APPEND);
    case WEFT__CRAWL_RESULT:
        if (change->id > *known)
            return MDB_CORRUPTED;
        rc = drop(state, txn, change, WEFT__CRAWL_MARK);
        return rc != 0 ? rc : put(state, txn, change, 0);
    case WEFT__CRAWL_MARK:
        return change->id > *known ? MDB_CORRUPTED : put(state, txn, change, 0);
    case WEFT__CRAWL_THING:
        return change->value.size == 0 ? drop(state, txn, change, WEFT__CRAWL_THING)
                                       : put(state, txn, change, 0);
    case WEFT__CRAWL_BATCH:
        break;
    }
    return 0;
}

/* One transaction with the next changes; *applied moves on when it is durable. */
static int apply_portion(const struct weft__crawl_state *state, struct weft_text changes,
                         size_t *applied)
{
    struct weft__crawl_change change;
    MDB_stat stat;
    MDB_txn *txn;
    size_t at = *applied, cost = 0;
    int rc = mdb_txn_begin(state->env, NULL, 0, &txn);
    if (rc != 0)
        return rc;
    rc = mdb_stat(txn, state->trees[WEFT__CRAWL_URL], &stat);
    while (rc == 0 && at < changes.size && cost < PORTION) {
        size_t size = weft__crawl_change_peek(changes.data + at, &change);
        rc = apply_one(state, txn, &change, &stat.ms_entries);
        cost += size + (change.kind == WEFT__CRAWL_URL ? 0 : TOUCH);
        at += size;
    }
    if (rc == 0)
        rc = mdb_txn_commit(txn);
    else
        mdb_txn_abort(txn);
    if (rc == 0)
        *applied = at;
    return rc;
}

/* A map of twice the size. Nobody reads meanwhile. */
static int grow(struct weft__crawl_state *state)
{
    MDB_envinfo info;
    uv_mutex_lock(&state->moving);
    int rc = mdb_env_info(state->env, &info);
    if (rc == 0 && info.me_mapsize > SIZE_MAX / 4)
        rc = MDB_MAP_FULL;
    if (rc == 0) {
        rc = mdb_env_set_mapsize(state->env, info.me_mapsize * 2);
        if (rc != 0)
            state->lost = mdb_env_set_mapsize(state->env, info.me_mapsize) != 0;
    }
    uv_mutex_unlock(&state->moving);
    return rc;
}

int weft__crawl_state_apply(struct weft__crawl_state *state, struct weft_text changes,
                            size_t *applied)
{
    int rc = state->lost ? ENOMEM : 0;
    while (rc == 0 && *applied < changes.size) {
        rc = apply_portion(state, changes, applied);
        if (rc == MDB_MAP_FULL)
            rc = grow(state);
    }
    return status_of_write(state->env, rc);
}

/* ---- reading -------------------------------------------------------------------------------- */

static int begin_reading(struct weft__crawl_state *state)
{
    uv_mutex_lock(&state->moving);
    int rc = state->lost ? ENOMEM : mdb_txn_renew(state->reader);
    if (rc != 0)
        uv_mutex_unlock(&state->moving);
    return rc;
}

static void end_reading(struct weft__crawl_state *state)
{
    mdb_txn_reset(state->reader);
    uv_mutex_unlock(&state->moving);
}

int weft__crawl_state_count(struct weft__crawl_state *state, weft_crawl_id *count)
{
    MDB_stat stat;
    int rc = begin_reading(state);
    if (rc != 0)
        return status_of(rc);
    rc = mdb_stat(state->reader, state->trees[WEFT__CRAWL_URL], &stat);
    end_reading(state);
    if (rc == 0 && stat.ms_entries > UINT32_MAX)
        rc = MDB_CORRUPTED;
    *count = rc == 0 ? (weft_crawl_id)stat.ms_entries : 0;
    return status_of(rc);
}

int weft__crawl_state_find(struct weft__crawl_state *state, const struct weft__crawl_change *wanted,
                           weft__crawl_state_see *see, void *context)
{
    struct subject subject;
    struct weft__crawl_change change = *wanted;
    MDB_val found;
    subject_of(&subject, wanted);
    int rc = begin_reading(state);
    if (rc != 0)
        return status_of(rc);
    rc = mdb_get(state->reader, state->trees[wanted->kind], &subject.key, &found);
    int err = rc == MDB_NOTFOUND ? 0 : status_of(rc);
    if (rc == 0) {
        err = open_value(state, wanted->kind, subject.name, &found, &change.value);
        if (err == 0)
            err = see(context, &change);
    }
    end_reading(state);
    return err;
}

static int see_record(const struct weft__crawl_state *state, enum weft__crawl_kind kind,
                      const MDB_val *key, const MDB_val *found, weft__crawl_state_see *see,
                      void *context)
{
    struct weft__crawl_change change = {.kind = kind};
    struct subject subject;
    unsigned number;
    if (kind == WEFT__CRAWL_THING) {
        change.key = weft_text(key->mv_data, key->mv_size);
    } else if (key->mv_size == sizeof number) {
        memcpy(&number, key->mv_data, sizeof number);
        change.id = number;
    }
    subject_of(&subject, &change);
    int err = open_value(state, kind, subject.name, found, &change.value);
    return err != 0 ? err : see(context, &change);
}

int weft__crawl_state_each(struct weft__crawl_state *state, enum weft__crawl_kind kind,
                           weft__crawl_state_see *see, void *context)
{
    MDB_cursor *cursor;
    MDB_txn *txn;
    MDB_val key, found;
    int rc = mdb_txn_begin(state->env, NULL, MDB_RDONLY, &txn);
    if (rc != 0)
        return status_of(rc);
    rc = mdb_cursor_open(txn, state->trees[kind], &cursor);
    int err = 0;
    if (rc == 0) {
        while (err == 0 && (rc = mdb_cursor_get(cursor, &key, &found, MDB_NEXT)) == 0)
            err = see_record(state, kind, &key, &found, see, context);
        mdb_cursor_close(cursor);
    }
    mdb_txn_abort(txn);
    return err != 0 ? err : status_of(rc == MDB_NOTFOUND ? 0 : rc);
}

/* ---- making, opening ------------------------------------------------------------------------ */

static int open_env(MDB_env **env, const char *path, unsigned flags)
{
    int rc = mdb_env_create(env);
    if (rc != 0)
        return rc;
    rc = mdb_env_set_maxdbs(*env, TREES);
    if (rc == 0)
        rc = mdb_env_set_mapsize(*env, MAP_START); /* more, if the file is larger */
    if (rc == 0)
        rc = mdb_env_open(*env, path, MDB_NOSUBDIR | flags, 0666);
    if (rc != 0) {
        mdb_env_close(*env);
        *env = NULL;
    }
    return rc;
}

static int open_trees(MDB_txn *txn, MDB_dbi trees[], unsigned flags)
{
    int rc = 0;
    for (unsigned kind = WEFT__CRAWL_BATCH; kind <= WEFT__CRAWL_THING && rc == 0; kind++)
        rc = mdb_dbi_open(txn, names[kind], tree_flags(kind) | flags, &trees[kind]);
    return rc;
}

/* The head's checksum needs a key that is known before the head is read. */
static uint64_t head_checksum(const char *head)
{
    static const struct weft__crawl_key none;
    return weft__crawl_checksum(&none, 'h', weft_text(NULL, 0), weft_text(head, AT_CHECKSUM));
}

static MDB_val head_key(void)
{
    static char name[] = "state";
    return (MDB_val){sizeof name - 1, name};
}

int weft__crawl_state_make(const char *path, const char key[WEFT__CRAWL_KEY_SIZE])
{
    char head[HEAD_SIZE] = {0};
    MDB_dbi trees[WEFT__CRAWL_THING + 1];
    MDB_val name = head_key(), value = {sizeof head, head};
    MDB_env *env;
    MDB_txn *txn;
    memcpy(head, magic, sizeof magic);
    wire_put(head + AT_VERSION, VERSION, 4);
    memcpy(head + AT_KEY, key, WEFT__CRAWL_KEY_SIZE);
    wire_put(head + AT_CHECKSUM, head_checksum(head), 8);
    int rc = open_env(&env, path, MDB_NOLOCK);
    if (rc != 0)
        return status_of(rc);
    rc = mdb_txn_begin(env, NULL, 0, &txn);
    if (rc == 0) {
        rc = open_trees(txn, trees, MDB_CREATE);
        if (rc == 0)
            rc = mdb_put(txn, trees[WEFT__CRAWL_BATCH], &name, &value, 0);
        if (rc == 0)
            rc = mdb_txn_commit(txn);
        else
            mdb_txn_abort(txn);
    }
    int err = status_of_write(env, rc);
    mdb_env_close(env);
    return err;
}

static int read_head(struct weft__crawl_state *state, MDB_txn *txn)
{
    MDB_val name = head_key(), value;
    int rc = mdb_dbi_open(txn, names[WEFT__CRAWL_BATCH], 0, &state->trees[WEFT__CRAWL_BATCH]);
    if (rc == 0)
        rc = mdb_get(txn, state->trees[WEFT__CRAWL_BATCH], &name, &value);
    if (rc != 0)
        return status_of(rc);
    const char *head = value.mv_data;
    if (value.mv_size != HEAD_SIZE || memcmp(head, magic, sizeof magic) != 0 ||
        head_checksum(head) != wire_get64(head + AT_CHECKSUM))
        return WEFT_EDAMAGED;
    if (wire_get32(head + AT_VERSION) != VERSION)
        return UV_ENOTSUP;
    weft__crawl_key_read(&state->key, head + AT_KEY);
    return 0;
}

/* Handles of trees last when their transaction is committed, also one that only reads. */
static int begin_state(struct weft__crawl_state *state)
{
    MDB_txn *txn;
    int rc = mdb_txn_begin(state->env, NULL, MDB_RDONLY, &txn);
    if (rc != 0)
        return status_of(rc);
    int err = read_head(state, txn);
    if (err == 0)
        err = status_of(open_trees(txn, state->trees, 0));
    if (err != 0) {
        mdb_txn_abort(txn);
        return err;
    }
    err = status_of(mdb_txn_commit(txn));
    if (err == 0)
        err = status_of(mdb_txn_begin(state->env, NULL, MDB_RDONLY, &state->reader));
    if (err == 0)
        mdb_txn_reset(state->reader);
    return err;
}

/* LMDB maps the file of its lock and writes there. Where it is a hole, and the disk has no room for it any
 * more, that would end the process: so it gets its blocks before. Nobody else has the state open. */
static int reserve_lock(const char *path)
{
    enum { LOCK_SIZE = 8192 }; /* of so many readers as there are by default */
    char name[4096];
    if (snprintf(name, sizeof name, "%s-lock", path) >= (int)sizeof name)
        return UV_ENAMETOOLONG;
    int fd = open(name, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return uv_translate_sys_error(errno);
    int err = posix_fallocate(fd, 0, LOCK_SIZE);
    close(fd);
    return err == 0 || err == EOPNOTSUPP || err == EINVAL ? 0 : uv_translate_sys_error(err);
}

int weft__crawl_state_open(struct weft__crawl_state *state, const char *path)
{
    *state = (struct weft__crawl_state){0};
    int err = reserve_lock(path);
    if (err == 0)
        err = uv_mutex_init(&state->moving);
    if (err != 0)
        return err;
    err = status_of(open_env(&state->env, path, MDB_NOTLS));
    if (err != 0) {
        uv_mutex_destroy(&state->moving);
        return err;
    }
    fcntl(weft__crawl_state_fd(state), F_SETFD, FD_CLOEXEC); /* LMDB forgets this one */
    err = begin_state(state);
    if (err != 0)
        weft__crawl_state_close(state);
    return err;
}

void weft__crawl_state_close(struct weft__crawl_state *state)
{
    if (state->env == NULL)
        return;
    if (state->reader != NULL)
        mdb_txn_abort(state->reader);
    mdb_env_close(state->env);
    uv_mutex_destroy(&state->moving);
    state->env = NULL;
}

int weft__crawl_state_fd(const struct weft__crawl_state *state)
{
    int fd = -1;
    mdb_env_get_fd(state->env, &fd);
    return fd;
}
