/* Writing behind the last block, in one transaction of LMDB's: all of it is there afterwards, or
 * nothing. The last block of the file is checked before it is filled further: damage is not made
 * good by a new checksum. */
#include "sales/ledger_inside.h"
#include <errno.h>

/* The last one's sales all lie within it. */
static bool is_whole(const struct block_view *view)
{
    const char *at = view->sales;
    for (uint32_t i = 0; i < view->count; i++) {
        size_t size = sale_size(at, view->end);
        if (size == 0)
            return false;
        at += size;
    }
    return at == view->end;
}

static int resume(struct append *append)
{
    struct block_view view;
    MDB_val key, value;
    int rc = mdb_cursor_get(append->cursor, &key, &value, MDB_LAST);
    if (rc != 0)
        return rc;
    uint64_t id;
    if (key.mv_size != sizeof id)
        return MDB_CORRUPTED;
    memcpy(&id, key.mv_data, sizeof id);
    append->next = 1;
    if (id == 0) { /* only the entry about the file */
        block_begin(append->block, 1);
        return 0;
    }
    if (!block_open(&view, value.mv_data, value.mv_size) || view.first != id || !is_whole(&view) ||
        id > UINT64_MAX - view.count)
        return MDB_CORRUPTED;
    block_resume(append->block, &view);
    append->next = id + view.count;
    append->fresh = false;
    return 0;
}

int append_open(struct append *append, struct ledger_store *store, struct ledger_block *block)
{
    *append = (struct append){.block = block, .fresh = true};
    int rc = mdb_txn_begin(store->env, NULL, 0, &append->txn);
    if (rc != 0)
        return rc;
    rc = mdb_cursor_open(append->txn, store->blocks, &append->cursor);
    if (rc == 0)
        rc = resume(append);
    return rc != 0 ? append_close(append, rc) : 0;
}

static int put(struct append *append, struct ledger_block *block, bool fresh)
{
    block_seal(block);
    MDB_val key = {sizeof block->first, &block->first}, value = {block->size, block->bytes};
    return mdb_cursor_put(append->cursor, &key, &value, fresh ? MDB_APPEND : 0);
}

/* What was filled goes into the transaction, and the next one is begun. */
static int turn(struct append *append)
{
    int rc = append->block->count > 0 ? put(append, append->block, append->fresh) : 0;
    block_begin(append->block, append->next);
    append->fresh = true;
    return rc;
}

int append_sale(struct append *append, struct weft_text item, int64_t amount, int64_t time_s)
{
    if (append->next == UINT64_MAX)
        return EOVERFLOW;
    if (!block_add(append->block, item, amount, time_s)) {
        int rc = turn(append);
        if (rc != 0)
            return rc;
        block_add(append->block, item, amount, time_s);
    }
    append->next++;
    return 0;
}

int append_block(struct append *append, struct ledger_block *block)
{
    if (append->next > UINT64_MAX - block->count)
        return EOVERFLOW;
    block->first = append->next;
    append->next += block->count;
    return put(append, block, true);
}

int append_close(struct append *append, int rc)
{
    if (rc == 0)
        rc = turn(append);
    if (append->cursor != NULL)
        mdb_cursor_close(append->cursor);
    if (rc == 0)
        return mdb_txn_commit(append->txn);
    mdb_txn_abort(append->txn);
    return rc;
}
