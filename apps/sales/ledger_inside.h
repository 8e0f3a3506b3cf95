/* What the parts of a ledger share. */
#ifndef WEFT_SALES_LEDGER_INSIDE_H
#define WEFT_SALES_LEDGER_INSIDE_H

#include "sales/block.h"
#include "sales/ledger.h"
#include <lmdb.h>
#include <sys/types.h>

/* Why the map of the file has to move before anything else can begin. */
enum map_move { MAP_STAYS, MAP_GROWS, MAP_FOLLOWS };

/* Everything but the work of a commit is for the loop's thread. */
struct ledger_store {
    struct ledger *ledger;
    MDB_env *env;
    MDB_dbi blocks;
    bool read_only;
    int folder; /* a descriptor */
    int lost;   /* a status: the map could not be moved, nothing works any more */
    off_t size; /* of the file, when it was looked at */

    /* scan.c */
    struct ledger_total *totals, **totals_tail; /* those that wait */
    unsigned scans;                             /* under way */

    /* commit.c */
    struct ledger_add *adds, **adds_tail; /* those that wait */
    size_t adds_waiting;
    struct ledger_add *batch; /* those whose commit has begun */
    bool committing;          /* a thread works at it */
    struct weft_work commit;
    int commit_rc;     /* of LMDB */
    uint64_t first_id; /* of the batch */
    struct ledger_block block;

    enum map_move move;
};

/* store.c */

/* The status for what LMDB returned; of a write: with a second look at a disk that may be full. */
int store_status(int rc);
int store_write_status(const struct ledger_store *store, int rc);
/* Can the file be read and written? 0, UV_EIO and others if the map was lost, WEFT_EDAMAGED if the
 * file was cut off: then until it is as long as it was. */
int store_look(struct ledger_store *store);
/* Begin what can begin now: called whenever something was begun or is over. */
void store_go_on(struct ledger_store *store);
/* Does rc ask for the map to move? Then it is noted. */
bool store_must_move(struct ledger_store *store, int rc);
/* Move it, now that nobody reads or writes. A status. */
int store_move(struct ledger_store *store);

/* pages.c: can LMDB be given this file? WEFT_EDAMAGED, UV_ENOTSUP, UV_ENOMEM and others; *trouble:
 * what is wrong, static text. The heads before it is opened; the pages of a transaction, which
 * nobody changes while that lasts, before any is read. */
int pages_check_heads(int fd, const char **trouble);
int pages_check(int fd, uint64_t transaction, const char **trouble);

/* scan.c, commit.c: begin what waits, as far as that is possible; or let it fail. */
void totals_go_on(struct ledger_store *store);
void totals_fail(struct ledger_store *store, int status);
void adds_go_on(struct ledger_store *store);
void adds_fail(struct ledger_store *store, int status);

/* append.c: write behind the last block, in a transaction. */
struct append {
    MDB_txn *txn;
    MDB_cursor *cursor;
    struct ledger_block *block; /* is filled */
    uint64_t next;              /* id of the next sale */
    bool fresh;                 /* the block is not in the file yet */
};
/* All return what LMDB does. Open goes on with the last block; what fails in it is closed
 * already. */
int append_open(struct append *append, struct ledger_store *store, struct ledger_block *block);
int append_sale(struct append *append, struct weft_text item, int64_t amount, int64_t time_s);
/* A whole block, of somebody else's filling: the ids are put into it. */
int append_block(struct append *append, struct ledger_block *block);
/* 0: it is on the disk. rc: what came before; if it is not 0, nothing is written. */
int append_close(struct append *append, int rc);

#endif
