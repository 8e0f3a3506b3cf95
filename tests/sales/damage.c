/* ctest: labels=valgrind */
/* What is not a ledger, or not any more, is told and never believed. */
#include "kit.h"
#include <lmdb.h>
#include <sys/stat.h>

static char folder[SCRATCH_PATH];
static struct ledger ledger;

/* Open what lies in folder, for reading; its status, and what people are told. */
static int open_status(char why[300])
{
    const char *text;
    ledger = (struct ledger){0};
    int err = ledger_open(&ledger, folder, LEDGER_READ, &text);
    snprintf(why, 300, "%s", text);
    return err;
}

static void require_refused(int status, const char *text)
{
    char why[300];
    assert_int_equal(open_status(why), status);
    if (strstr(why, text) == NULL)
        print_error("'%s' should contain '%s'\n", why, text);
    assert_non_null(strstr(why, text));
    assert_non_null(strstr(why, folder));
    assert_null(ledger.store_);
}

static void new_folder(void)
{
    scratch_new_path(folder, "damaged");
    assert_int_equal(mkdir(folder, 0777), 0);
}

/* ---- what was never a ledger ---------------------------------------------------------------- */

TEST(where_there_is_none_a_reader_is_told_so_and_nothing_is_made)
{
    scratch_new_path(folder, "none");
    require_refused(UV_ENOENT, "there is no ledger here");
    assert_false(scratch_exists(folder));
    new_folder();
    require_refused(UV_ENOENT, "there is no ledger here");
    assert_int_equal(scratch_count(folder), 0);
    scratch_empty();
}

TEST(other_files_are_told_from_a_ledger)
{
    static char zeros[20000];
    char path[SCRATCH_PATH];
    new_folder();
    kit_write(folder, "", 0);
    require_refused(WEFT_EDAMAGED, "it is no ledger");
    kit_write(folder, "item,amount\nbook,5\n", 19);
    require_refused(WEFT_EDAMAGED, "its end is missing");
    kit_write(folder, zeros, sizeof zeros);
    require_refused(WEFT_EDAMAGED, "it is no ledger");
    unlink(kit_file(path, folder));
    assert_int_equal(mkdir(kit_file(path, folder), 0777), 0);
    require_refused(WEFT_EDAMAGED, "it is no ledger");
    scratch_empty();
}

TEST(no_folder_and_a_file_instead_of_one_are_errors)
{
    const char *why;
    ledger = (struct ledger){0};
    assert_int_equal(ledger_open(&ledger, NULL, LEDGER_WRITE, &why), UV_EINVAL);
    assert_int_equal(ledger_open(&ledger, "", LEDGER_WRITE, &why), UV_EINVAL);
    scratch_file(folder, "file", "x");
    assert_int_equal(ledger_open(&ledger, folder, LEDGER_WRITE, &why), UV_ENOTDIR);
    assert_int_equal(ledger_open(&ledger, "/dev/null/x", LEDGER_WRITE, &why), UV_ENOTDIR);
    scratch_empty();
}

TEST(an_open_ledger_is_not_opened_again)
{
    kit_new(&ledger, folder);
    assert_int_equal(ledger_open(&ledger, folder, LEDGER_READ, NULL), UV_EINVAL);
    kit_close(&ledger);
    kit_close(&ledger);
    scratch_empty();
}

/* Somebody else's LMDB file: with keys that are words, with numbers, and of a later version. */
static void make_lmdb(unsigned flags, MDB_val key, MDB_val value)
{
    char path[SCRATCH_PATH];
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi tree;
    new_folder();
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_open(env, kit_file(path, folder), MDB_NOSUBDIR | MDB_NOLOCK, 0666), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, NULL, flags, &tree), 0);
    assert_int_equal(mdb_put(txn, tree, &key, &value, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
}

TEST(other_lmdb_files_and_later_versions_are_refused)
{
    static char word[] = "word", about[16] = "weft sales\0\0\2";
    uint64_t number = 0;
    make_lmdb(0, (MDB_val){4, word}, (MDB_val){4, word});
    require_refused(WEFT_EDAMAGED, "it is no ledger");
    make_lmdb(MDB_INTEGERKEY, (MDB_val){8, &number}, (MDB_val){4, word});
    require_refused(WEFT_EDAMAGED, "it is no ledger");
    make_lmdb(MDB_INTEGERKEY, (MDB_val){8, &number}, (MDB_val){sizeof about, about});
    require_refused(UV_ENOTSUP, "version");
    scratch_empty();
}

/* ---- what is not a ledger any more ---------------------------------------------------------- */

static char *whole;
static size_t whole_size;
enum { SALES = 3000 };

/* Blocks that were filled one by one, and in bulk; a list of free pages; a tree with a branch. */
static void make_whole(void)
{
    kit_new(&ledger, folder);
    kit_fill(&ledger, SALES - 40);
    for (int i = 0; i < 40; i++)
        kit_add(&ledger, "0", 1);
    kit_close(&ledger);
    whole = kit_read(folder, &whole_size);
    new_folder();
}

/* Open it and count. True: it was refused, or is what it was. */
static bool is_told(bool *refused)
{
    struct ledger_total total;
    char why[300];
    int err = open_status(why);
    *refused = err != 0;
    if (err != 0)
        return err == WEFT_EDAMAGED || err == UV_ENOTSUP || err == UV_EAGAIN;
    err = kit_try_total(&ledger, "", &total);
    kit_close(&ledger);
    *refused = err != 0;
    return err != 0 ? err == WEFT_EDAMAGED : total.sum == SALES && total.matched == SALES;
}

/* Of the pages at the end some may be free: those nobody misses. */
TEST(a_file_that_was_cut_off_is_refused_unless_nothing_is_missing)
{
    bool refused;
    make_whole();
    for (size_t size = 0; size < whole_size; size += 1 + whole_size / 97) {
        kit_write(folder, whole, size);
        assert_true(is_told(&refused));
        assert_true(refused || size > whole_size / 10 * 9);
    }
    free(whole);
    scratch_empty();
}

/* One byte in many places: never a crash, never another sum. What nobody reads may be damaged. */
TEST(a_byte_that_changed_is_told_or_does_not_matter)
{
    uint64_t seed = check_seed();
    unsigned told = 0, rounds = (unsigned)check_scale(400);
    make_whole();
    for (unsigned i = 0; i < rounds; i++) {
        bool refused;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        /* Every other time in what LMDB needs: the first bytes of a page. */
        size_t at = (seed >> 20) % whole_size;
        if (i % 2 == 0)
            at = at / 4096 * 4096 + at % 200;
        char before = whole[at];
        whole[at] = (char)(before ^ (1 << (seed >> 60 & 7)));
        kit_write(folder, whole, whole_size);
        if (!is_told(&refused)) {
            print_error("byte %zu, seed %llu\n", at, (unsigned long long)check_seed());
            fail();
        }
        told += refused;
        whole[at] = before;
    }
    assert_true(told > rounds / 2);
    free(whole);
    scratch_empty();
}

/* A damaged block is not made good by an add behind it. */
TEST(nothing_is_added_to_a_damaged_block)
{
    uint64_t id;
    size_t size;
    kit_new(&ledger, folder);
    kit_add(&ledger, "unmistakable", 5);
    kit_close(&ledger);
    char *data = kit_read(folder, &size);
    for (char *at = data; (at = memchr(at, 'u', (size_t)(data + size - at))) != NULL; at++) {
        if (memcmp(at, "unmistakable", 12) == 0)
            *at = 'U';
    }
    kit_write(folder, data, size);
    kit_open(&ledger, folder, LEDGER_WRITE);
    assert_int_equal(kit_try_add(&ledger, "book", 1, &id), WEFT_EDAMAGED);
    kit_close(&ledger);
    free(data);
    scratch_empty();
}

/* Under a ledger that is open: as long as its end is missing everything fails, and nothing
 * crashes. */
TEST(a_file_that_is_cut_off_fails_until_it_is_whole_again)
{
    char path[SCRATCH_PATH];
    struct ledger_total total;
    uint64_t id;
    make_whole();
    kit_write(folder, whole, whole_size);
    kit_open(&ledger, folder, LEDGER_WRITE);
    const size_t sizes[] = {0, 4096, whole_size / 2, whole_size - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(truncate(kit_file(path, folder), (off_t)sizes[i]), 0);
        assert_int_equal(kit_try_total(&ledger, "", &total), WEFT_EDAMAGED);
        assert_int_equal(kit_try_add(&ledger, "book", 1, &id), WEFT_EDAMAGED);
        kit_write(folder, whole, whole_size);
        assert_int_equal(kit_try_total(&ledger, "", &total), 0);
        assert_int_equal(total.sum, SALES);
    }
    kit_close(&ledger);
    free(whole);
    scratch_empty();
}

/* Remove the block with this number, in a transaction as anybody could. False: it is the
 * last one. */
static bool remove_block(unsigned number)
{
    char path[SCRATCH_PATH];
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi tree;
    MDB_cursor *cursor;
    MDB_val key, value;
    assert_int_equal(mdb_env_create(&env), 0);
    assert_int_equal(mdb_env_open(env, kit_file(path, folder), MDB_NOSUBDIR, 0666), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_dbi_open(txn, NULL, 0, &tree), 0);
    assert_int_equal(mdb_cursor_open(txn, tree, &cursor), 0);
    for (unsigned i = 0; i < number + 2; i++) /* the first one says what the file is */
        assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
    assert_int_equal(mdb_cursor_del(cursor, 0), 0);
    bool last = mdb_cursor_get(cursor, &key, &value, MDB_GET_CURRENT) != 0;
    mdb_cursor_close(cursor);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
    return !last;
}

/* Whole blocks, with good checksums, but one is missing: the first, one between, where two parts of
 * a scan meet. Only that it was the last one nobody can know. */
TEST(a_missing_block_is_noticed)
{
    unsigned number = 0;
    struct ledger_total total;
    make_whole();
    kit_write(folder, whole, whole_size);
    while (remove_block(number++)) {
        kit_open(&ledger, folder, LEDGER_READ);
        assert_int_equal(kit_try_total(&ledger, "", &total), WEFT_EDAMAGED);
        kit_close(&ledger);
        kit_write(folder, whole, whole_size);
    }
    assert_true(number > 10);
    free(whole);
    scratch_empty();
}

/* The heads are written in turn. If the newer one cannot be believed, the older one must not
 * pass. */
TEST(a_head_that_was_lost_is_noticed)
{
    enum { TRANSACTION = 16 + 24 + 2 * 48 + 8 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t newest[2];
    make_whole();
    for (int i = 0; i < 2; i++)
        memcpy(&newest[i], whole + (size_t)i * page + TRANSACTION, sizeof newest[i]);
    int newer = newest[1] > newest[0];
    assert_int_equal(newest[newer], newest[!newer] + 1);
    uint64_t older = newest[newer] - 4;
    memcpy(whole + (size_t)newer * page + TRANSACTION, &older, sizeof older);
    kit_write(folder, whole, whole_size);
    require_refused(WEFT_EDAMAGED, "its two heads do not belong together");
    free(whole);
    scratch_empty();
}
