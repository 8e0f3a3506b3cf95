/* The file behind a ledger: what LMDB's answers mean, and a map that grows.
 *
 * LMDB has the file in memory, in a map of a size that somebody has to choose. It begins small and
 * is doubled when a commit finds no room in it, or follows when another process has made the file
 * larger. The map may move only while this process neither reads nor writes. So whoever finds it
 * too small notes that, nothing new is begun, and when the last scan is over it is moved and
 * everything goes on. Scans take milliseconds: nobody waits for long. */
#include "sales/ledger_inside.h"
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { FULL = 64 }; /* blocks of a disk that is as good as full */

int store_status(int rc)
{
    switch (rc) {
    case MDB_SUCCESS:
        return 0;
    case MDB_PANIC: /* an error while it wrote its head: nothing more until it is opened again */
        return UV_EIO;
    case MDB_READERS_FULL:
        return UV_EAGAIN;
    case MDB_TXN_FULL:
        return UV_ENOMEM;
    case MDB_MAP_FULL:
    case MDB_MAP_RESIZED:
        return UV_EFBIG;
    case MDB_VERSION_MISMATCH:
        return UV_ENOTSUP;
    default:
        return rc > 0 ? uv_translate_sys_error(rc) : WEFT_EDAMAGED;
    }
}

/* A write that was cut short is EIO to LMDB, also where the reason is that the disk is full. */
int store_write_status(const struct ledger_store *store, int rc)
{
    struct statvfs disk;
    if (rc == EIO && fstatvfs(store->folder, &disk) == 0 && disk.f_bavail < FULL)
        return UV_ENOSPC;
    return store_status(rc);
}

/* LMDB never makes its file shorter, and what is missing at the end of a map is a SIGBUS. Somebody
 * who cuts it off in the middle of a scan cannot be helped. */
int store_look(struct ledger_store *store)
{
    struct stat file;
    int fd;
    if (store->lost != 0)
        return store->lost;
    int rc = mdb_env_get_fd(store->env, &fd);
    if (rc != 0)
        return store_status(rc);
    if (fstat(fd, &file) != 0)
        return uv_translate_sys_error(errno);
    if (file.st_size < store->size)
        return WEFT_EDAMAGED;
    store->size = file.st_size;
    return 0;
}

bool store_must_move(struct ledger_store *store, int rc)
{
    if (rc == MDB_MAP_FULL)
        store->move = MAP_GROWS;
    else if (rc == MDB_MAP_RESIZED && store->move == MAP_STAYS)
        store->move = MAP_FOLLOWS;
    return rc == MDB_MAP_FULL || rc == MDB_MAP_RESIZED;
}

/* Where there is no room for the larger one, the old one may still be had. */
static int resize(struct ledger_store *store, size_t old, size_t size)
{
    int rc = mdb_env_set_mapsize(store->env, size);
    if (rc != 0 && mdb_env_set_mapsize(store->env, old) != 0)
        store->lost = store_status(rc);
    return store_status(rc);
}

int store_move(struct ledger_store *store)
{
    MDB_envinfo info;
    bool grows = store->move == MAP_GROWS;
    store->move = MAP_STAYS;
    if (store->lost != 0)
        return store->lost;
    int rc = mdb_env_info(store->env, &info);
    if (rc != 0 || info.me_mapsize > SIZE_MAX / 4)
        return store_status(rc != 0 ? rc : MDB_MAP_FULL);
    size_t old = info.me_mapsize;
    int err = resize(store, old, 0); /* 0: as large as the largest that anybody wrote with */
    if (err != 0 || !grows)
        return err;
    mdb_env_info(store->env, &info);
    return info.me_mapsize > old ? 0 : resize(store, old, old * 2);
}

static bool is_idle(const struct ledger_store *store)
{
    return store->scans == 0 && !store->committing;
}

/* What waits for a map that cannot be had would wait for ever. */
static void move_if_idle(struct ledger_store *store)
{
    if (store->move == MAP_STAYS || !is_idle(store))
        return;
    int err = store_move(store);
    if (err != 0) {
        adds_fail(store, err);
        totals_fail(store, err);
    }
}

void store_go_on(struct ledger_store *store)
{
    do {
        move_if_idle(store);
        totals_go_on(store);
        adds_go_on(store);
    } while (store->move != MAP_STAYS &&
             is_idle(store)); /* the one that began found it too small */
}
