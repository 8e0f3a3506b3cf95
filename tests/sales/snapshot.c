/* ctest: shuffle=no */
/* A scan is as of one moment, by all processors; and one that died in the middle of it is let go of.
 *
 * LMDB is a shared library: the mdb_txn_begin here is the one that the ledger calls. It does what it always
 * does, and lets somebody else commit before a scan goes on. */
#define _GNU_SOURCE
#include "kit.h"
#include "sales/ledger_inside.h"
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { BEFORE = 5000, MEANWHILE = 3000 };

static char folder[SCRATCH_PATH];
static struct ledger ledger;
static unsigned begun; /* transactions of the scan */
static bool disturbed; /* somebody commits after the first of them */

/* So many sales more, by another process. */
static void commit_elsewhere(void)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ledger own = {0};
        if (ledger_open(&own, folder, LEDGER_WRITE, NULL) != 0)
            _exit(1);
        kit_fill(&own, MEANWHILE);
        _exit(ledger_close(&own) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The declaration is LMDB's. */
int mdb_txn_begin(MDB_env *env, MDB_txn *parent, unsigned flags, MDB_txn **txn)
{
    union {
        void *object;
        int (*call)(MDB_env *, MDB_txn *, unsigned, MDB_txn **);
    } real = {dlsym(RTLD_NEXT, "mdb_txn_begin")};
    int rc = real.call(env, parent, flags, txn);
    if (disturbed && (flags & MDB_RDONLY) != 0 && begun++ == 0) {
        disturbed = false;
        commit_elsewhere();
        disturbed = true;
    }
    return rc;
}

static unsigned processors(void)
{
    return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

TEST(a_scan_shows_one_moment_also_if_somebody_commits_while_it_begins)
{
    struct ledger_total total;
    kit_new(&ledger, folder);
    kit_fill(&ledger, BEFORE);
    begun = 0;
    disturbed = true;
    int status = kit_try_total(&ledger, "3", &total);
    disturbed = false;
    assert_int_equal(status, 0);
    assert_int_equal(total.records_scanned, processors() > 1 ? BEFORE + MEANWHILE : BEFORE);
    assert_int_equal(total.sum, (int64_t)total.records_scanned / 10);
    kit_close(&ledger);
    scratch_empty();
}

TEST(a_scan_is_shared_by_all_processors)
{
    struct world w;
    struct ledger_total total = {.ledger = &ledger, .item = T("3")};
    kit_new(&ledger, folder);
    kit_fill(&ledger, BEFORE);
    world_up(&w);
    ledger_total(weft_root(&w.loop), &total, noted);
    assert_int_equal(weft_running(&total.op), processors() < 16 ? processors() : 16);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(total.sum, BEFORE / 10);
    kit_close(&ledger);
    scratch_empty();
}

/* In the middle of a scan, to LMDB. */
static void die_reading(void)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ledger own = {0};
        MDB_txn *txn;
        if (ledger_open(&own, folder, LEDGER_READ, NULL) != 0)
            _exit(1);
        _exit(mdb_txn_begin(own.store_->env, NULL, MDB_RDONLY, &txn) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static off_t file_size(void)
{
    char path[SCRATCH_PATH + 16];
    struct stat file;
    snprintf(path, sizeof path, "%s/sales.mdb", folder);
    assert_int_equal(stat(path, &file), 0);
    return file.st_size;
}

TEST(what_a_dead_process_was_reading_does_not_make_the_file_grow)
{
    enum { PAGE = 4096, SALES = 40 };
    kit_new(&ledger, folder);
    kit_fill(&ledger, BEFORE);
    kit_add(&ledger, "book", 1);
    die_reading();
    off_t before = file_size();
    for (int i = 0; i < SALES; i++)
        kit_add(&ledger, "book", 1);
    assert_in_range(file_size() - before, 0, SALES * PAGE / 2);
    kit_close(&ledger);
    scratch_empty();
}
