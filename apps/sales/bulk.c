/* Many sales, all or nothing.
 *
 * They are packed into blocks as they come, and the blocks go to a file that has no name: it is gone
 * with the process, however that ends. Only the commit takes the place of the one who writes, and it
 * knows how much there is: if the map turns out to be too small it is done again from the start. */
#include "sales/ledger_inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <weft/alloc.h>

enum { PROGRESS_EVERY = 1024 }; /* blocks */

/* ---- the file without a name ---------------------------------------------------------------- */

static int open_beside(int folder)
{
#ifdef O_TMPFILE
    int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
#endif
    (void)folder;
    FILE *file = tmpfile(); /* not every file system knows files without a name */
    if (file == NULL)
        return -1;
    int copy = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    fclose(file);
    return copy;
}

static int write_whole(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return uv_translate_sys_error(errno);
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

/* Blocks are kept as they are in memory: this file never leaves the process. */
static int read_block(int fd, struct ledger_block *block, uint64_t index)
{
    size_t have = 0;
    while (have < sizeof *block) {
        ssize_t got = pread(fd, (char *)block + have, sizeof *block - have,
                            (off_t)(index * sizeof *block + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO;
        have += (size_t)got;
    }
    return 0;
}

static int keep_block(struct ledger_bulk *bulk)
{
    bulk->broken_ = write_whole(bulk->file_ - 1, (const char *)bulk->block_, sizeof *bulk->block_);
    if (bulk->broken_ == 0)
        bulk->blocks_++;
    block_begin(bulk->block_, 0);
    return bulk->broken_;
}

/* ---- adding --------------------------------------------------------------------------------- */

static int begin(struct ledger_bulk *bulk, struct ledger_store *store)
{
    if (bulk->block_ == NULL) {
        bulk->block_ = weft_calloc(1, sizeof *bulk->block_);
        if (bulk->block_ == NULL)
            return UV_ENOMEM;
        block_begin(bulk->block_, 0);
    }
    if (bulk->file_ == 0) {
        int fd = open_beside(store->folder);
        if (fd < 0)
            return uv_translate_sys_error(errno);
        bulk->file_ = fd + 1;
    }
    return 0;
}

int ledger_bulk_add(struct ledger_bulk *bulk, struct weft_text item, int64_t amount, int64_t time_s)
{
    struct ledger_store *store = bulk->ledger != NULL ? bulk->ledger->store_ : NULL;
    if (store == NULL || item.size == 0 || item.size > LEDGER_ITEM_MAX)
        return UV_EINVAL;
    if (store->read_only)
        return UV_EROFS;
    int err = bulk->file_ == 0 ? begin(bulk, store) : bulk->broken_;
    if (err == 0 && !block_add(bulk->block_, item, amount, time_s)) {
        err = keep_block(bulk);
        if (err == 0)
            block_add(bulk->block_, item, amount, time_s);
    }
    if (err == 0)
        bulk->count++;
    return err;
}

/* ---- the commit ----------------------------------------------------------------------------- */

static int append_all(struct ledger_bulk *bulk, struct append *append)
{
    uint64_t written = 0;
    int rc = 0;
    for (uint64_t i = 0; i < bulk->blocks_ && rc == 0; i++) {
        rc = read_block(bulk->file_ - 1, bulk->block_, i);
        if (rc == 0)
            rc = append_block(append, bulk->block_);
        written += bulk->block_->count;
        if (bulk->progress != NULL && i % PROGRESS_EVERY == 0)
            bulk->progress(bulk, written);
    }
    return rc;
}

static int try_commit(struct ledger_bulk *bulk, struct ledger_store *store)
{
    struct append append;
    int rc = append_open(&append, store, &store->block);
    if (rc != 0)
        return rc;
    /* What is open is as it was; new blocks come behind it. */
    block_begin(append.block, append.next);
    append.fresh = true;
    return append_close(&append, append_all(bulk, &append));
}

static void release(struct ledger_bulk *bulk)
{
    weft_free(bulk->block_);
    if (bulk->file_ > 0)
        close(bulk->file_ - 1);
    bulk->block_ = NULL;
    bulk->file_ = 0;
    bulk->blocks_ = 0;
    bulk->broken_ = 0;
}

/* As often as it takes: each time the map is larger. */
static int commit_all(struct ledger_bulk *bulk, struct ledger_store *store)
{
    for (;;) {
        int rc = try_commit(bulk, store);
        if (!store_must_move(store, rc))
            return store_write_status(store, rc);
        int err = store_move(store);
        if (err != 0)
            return err;
    }
}

int ledger_bulk_commit(struct ledger_bulk *bulk)
{
    struct ledger_store *store = bulk->ledger != NULL ? bulk->ledger->store_ : NULL;
    if (store == NULL)
        return UV_EINVAL;
    if (store->scans > 0 || store->committing)
        return UV_EBUSY;
    if (bulk->block_ == NULL)
        return 0; /* nothing was added */
    int err = bulk->broken_;
    if (err == 0 && bulk->block_->count > 0)
        err = keep_block(bulk);
    if (err == 0)
        err = commit_all(bulk, store);
    if (err == 0)
        release(bulk); /* what is committed is not committed again */
    else
        block_begin(bulk->block_, 0); /* what was read back into it is kept already */
    return err;
}

void ledger_bulk_free(struct ledger_bulk *bulk)
{
    release(bulk);
    bulk->count = 0;
}
