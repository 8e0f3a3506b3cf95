/* ctest: labels=threads,valgrind-long */
/* Adding: ids, commits that are shared, adds that are taken back, and what goes wrong. */
#include "fault.h"
#include "kit.h"
#include "provider.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[SCRATCH_PATH];
static struct ledger ledger;

static void down(void)
{
    kit_close(&ledger);
    scratch_empty();
}

static void reopen(enum ledger_mode mode)
{
    kit_close(&ledger);
    kit_open(&ledger, folder, mode);
}

/* ---- one by one ----------------------------------------------------------------------------- */

TEST(ids_go_up_from_one_and_on_after_opening_again)
{
    kit_new(&ledger, folder);
    assert_int_equal(kit_add(&ledger, "book", 5), 1);
    assert_int_equal(kit_add(&ledger, "book", 6), 2);
    reopen(LEDGER_WRITE);
    assert_int_equal(kit_add(&ledger, "book", 7), 3);
    reopen(LEDGER_READ);
    assert_int_equal(kit_total(&ledger, "book"), 18);
    down();
}

/* Enough for many blocks, of names of all lengths. */
TEST(sales_that_were_added_one_by_one_are_all_there)
{
    char name[LEDGER_ITEM_MAX + 1];
    int64_t sum = 0;
    kit_new(&ledger, folder);
    for (int i = 0; i < 600; i++) {
        size_t size = 1 + (size_t)i % LEDGER_ITEM_MAX;
        memset(name, 'a' + i % 26, size);
        name[size] = '\0';
        assert_int_equal(kit_add(&ledger, name, i), (uint64_t)i + 1);
        sum += i;
    }
    assert_int_equal(kit_count(&ledger), 600);
    assert_int_equal(kit_total(&ledger, ""), sum);
    reopen(LEDGER_READ);
    assert_int_equal(kit_total(&ledger, ""), sum);
    down();
}

TEST(a_sale_without_a_name_or_with_a_long_one_is_refused)
{
    char name[LEDGER_ITEM_MAX + 2];
    uint64_t id;
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    kit_new(&ledger, folder);
    assert_int_equal(kit_try_add(&ledger, "", 1, &id), UV_EINVAL);
    assert_int_equal(kit_try_add(&ledger, name, 1, &id), UV_EINVAL);
    assert_int_equal(id, 0);
    assert_int_equal(kit_count(&ledger), 0);
    down();
}

TEST(a_ledger_that_is_open_for_reading_takes_nothing)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    uint64_t id;
    kit_new(&ledger, folder);
    reopen(LEDGER_READ);
    assert_int_equal(kit_try_add(&ledger, "book", 1, &id), UV_EROFS);
    assert_int_equal(ledger_bulk_add(&bulk, T("book"), 1, 0), UV_EROFS);
    ledger_bulk_free(&bulk);
    down();
}

/* ---- together ------------------------------------------------------------------------------- */

enum { MANY = 500 };
static struct ledger_add adds[LEDGER_ADDS_MAX + 3];
static unsigned well, refused, stopped;

static void added(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    well += op->status == 0;
    refused += op->status == UV_ENOBUFS;
    stopped += op->status == UV_ETIMEDOUT;
}

static void add_some(struct weft_op *parent, unsigned count)
{
    well = refused = stopped = 0;
    for (unsigned i = 0; i < count; i++) {
        adds[i] = (struct ledger_add){.ledger = &ledger, .item = T("book"), .amount = i};
        ledger_add(parent, &adds[i], added);
    }
}

TEST(adds_that_come_during_a_commit_share_the_next_one)
{
    struct world w;
    kit_new(&ledger, folder);
    world_up(&w);
    add_some(weft_root(&w.loop), MANY);
    assert_int_equal(ledger_close(&ledger), UV_EBUSY);
    world_down(&w);
    assert_int_equal(well, MANY);
    assert_int_equal(ledger.commits, 2);
    assert_int_equal(ledger.added, MANY);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(adds[i].id, i + 1);
    assert_int_equal(kit_total(&ledger, "book"), MANY * (MANY - 1) / 2);
    down();
}

TEST(too_many_adds_are_refused_and_the_others_are_not_disturbed)
{
    struct world w;
    kit_new(&ledger, folder);
    world_up(&w);
    add_some(weft_root(&w.loop), LEDGER_ADDS_MAX + 3); /* the first one does not wait */
    world_down(&w);
    assert_int_equal(refused, 2);
    assert_int_equal(well, LEDGER_ADDS_MAX + 1);
    assert_int_equal(kit_count(&ledger), LEDGER_ADDS_MAX + 1);
    down();
}

TEST(an_add_that_is_cancelled_while_it_waits_is_not_written)
{
    struct world w;
    kit_new(&ledger, folder);
    world_up(&w);
    add_some(weft_root(&w.loop), 10);
    weft_cancel(&adds[9].op, UV_ETIMEDOUT); /* the last, the first, one between */
    weft_cancel(&adds[1].op, UV_ETIMEDOUT);
    weft_cancel(&adds[5].op, UV_ETIMEDOUT);
    weft_cancel(&adds[0].op, UV_ETIMEDOUT); /* too late: told true */
    world_down(&w);
    assert_int_equal(stopped, 3);
    assert_int_equal(well, 7);
    assert_int_equal(adds[0].id, 1);
    assert_int_equal(adds[9].id, 0);
    assert_int_equal(kit_total(&ledger, "book"), 45 - 9 - 1 - 5);
    down();
}

/* ---- room ----------------------------------------------------------------------------------- */

static size_t file_size(void)
{
    char path[SCRATCH_PATH];
    struct stat st;
    assert_int_equal(stat(kit_file(path, folder), &st), 0);
    return (size_t)st.st_size;
}

static void add_and_count(struct weft_op *op)
{
    static struct ledger_total total[4];
    add_some(op, LEDGER_ADDS_MAX);
    for (unsigned i = 0; i < 4; i++) {
        total[i] = (struct ledger_total){.ledger = &ledger};
        ledger_total(op, &total[i], NULL);
    }
    weft_join(op);
}

/* The map begins with a megabyte. */
TEST(the_map_grows_while_sales_are_added_and_counted)
{
    struct world w;
    kit_new(&ledger, folder);
    for (unsigned round = 1; round <= 8; round++) {
        struct weft_op all = {0};
        world_up(&w);
        weft_run(weft_root(&w.loop), &all, add_and_count, noted);
        world_down(&w);
        assert_int_equal(seen.status, 0);
        assert_int_equal(well, LEDGER_ADDS_MAX);
        assert_int_equal(kit_count(&ledger), round * LEDGER_ADDS_MAX);
    }
    assert_true(file_size() > 2 << 20);
    down();
}

/* ---- many at once --------------------------------------------------------------------------- */

TEST(what_is_not_committed_is_not_there)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    kit_new(&ledger, folder);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(ledger_bulk_add(&bulk, T("book"), 1, 0), 0);
    assert_int_equal(kit_count(&ledger), 0);
    ledger_bulk_free(&bulk);
    assert_int_equal(kit_count(&ledger), 0);
    assert_int_equal(scratch_count(folder), 2); /* the file and its lock */
    down();
}

TEST(a_commit_is_made_once_and_one_of_nothing_is_nothing)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    kit_new(&ledger, folder);
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    assert_int_equal(ledger_bulk_add(&bulk, T("book"), 1, 0), 0);
    assert_int_equal(ledger_bulk_add(&bulk, T(""), 1, 0), UV_EINVAL);
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    assert_int_equal(bulk.count, 1);
    ledger_bulk_free(&bulk);
    assert_int_equal(kit_count(&ledger), 1);
    down();
}

/* ---- disks ---------------------------------------------------------------------------------- */

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A file that may not grow is the disk that is full for everybody. */
TEST(a_disk_without_room_is_an_error_and_nothing_is_half_written)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    uint64_t id;
    kit_new(&ledger, folder);
    kit_fill(&ledger, 1000);
    for (int i = 0; i < 10; i++) /* at most one block of memory: the file has no name yet */
        assert_int_equal(ledger_bulk_add(&bulk, T("book"), 1, 0), 0);
    limit_files(file_size());
    unsigned failed = 0;
    for (int i = 0; i < 300; i++)
        failed += kit_try_add(&ledger, "many-bytes-in-a-name-of-an-item", 1, &id) != 0;
    assert_true(failed > 0);
    assert_true(ledger_bulk_commit(&bulk) != 0);
    limit_files(RLIM_INFINITY);
    ledger_bulk_free(&bulk);
    reopen(LEDGER_WRITE);
    assert_int_equal(kit_count(&ledger), 1000 + 300 - failed);
    assert_int_equal(kit_add(&ledger, "book", 1), 1000 + 300 - failed + 1);
    down();
}

TEST(a_disk_without_room_for_a_new_ledger_has_nothing_of_it_afterwards)
{
    scratch_new_path(folder, "ledger");
    ledger = (struct ledger){0};
    for (rlim_t room = 0; room < 12288; room += 1024) {
        limit_files(room);
        assert_true(ledger_open(&ledger, folder, LEDGER_WRITE, NULL) != 0);
        assert_int_equal(scratch_count(folder), 0);
    }
    limit_files(RLIM_INFINITY);
    kit_open(&ledger, folder, LEDGER_WRITE);
    down();
}

TEST(a_commit_that_failed_can_be_made_again_and_adds_each_sale_once)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    kit_new(&ledger, folder);
    kit_fill(&ledger, 5000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(ledger_bulk_add(&bulk, T("book"), 1, 0), 0);
    limit_files(file_size()); /* room for the file without a name, but none behind the ledger */
    assert_true(ledger_bulk_commit(&bulk) != 0);
    limit_files(RLIM_INFINITY);
    assert_int_equal(kit_count(&ledger), 5000);
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    ledger_bulk_free(&bulk);
    assert_int_equal(kit_count(&ledger), 6000);
    down();
}

TEST(a_sale_that_could_not_be_kept_is_missed_by_the_commit)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    int err = 0;
    kit_new(&ledger, folder);
    limit_files(10000); /* two blocks and a piece */
    while (err == 0)
        err = ledger_bulk_add(&bulk, T("book"), 1, 0);
    limit_files(RLIM_INFINITY);
    assert_int_equal(err, UV_EFBIG);
    assert_int_equal(ledger_bulk_add(&bulk, T("book"), 1, 0), UV_EFBIG);
    assert_int_equal(ledger_bulk_commit(&bulk), UV_EFBIG);
    ledger_bulk_free(&bulk);
    assert_int_equal(kit_count(&ledger), 0);
    assert_int_equal(ledger_bulk_add(&bulk, T("book"), 1, 0), 0);
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    ledger_bulk_free(&bulk);
    assert_int_equal(kit_count(&ledger), 1);
    down();
}

/* ---- the contract --------------------------------------------------------------------------- */

static void up_provider(struct weft_loop *loop)
{
    (void)loop;
    ledger = (struct ledger){0};
    kit_open(&ledger, folder, LEDGER_WRITE);
}

static void down_provider(struct weft_loop *loop)
{
    (void)loop;
    assert_int_equal(ledger_close(&ledger), 0);
}

static void good(void *storage)
{
    struct ledger_add *add = storage;
    add->ledger = &ledger;
    add->item = T("book");
    add->amount = 3;
}

static void bad(void *storage)
{
    good(storage);
    ((struct ledger_add *)storage)->item = T("");
}

static void has_an_id(void *storage)
{
    assert_true(((struct ledger_add *)storage)->id > 0);
}

TEST(an_add_conforms)
{
    static const struct weft_provider provider = {
        .name = "ledger_add",
        WEFT_PROVIDER_OP(struct ledger_add, op),
        .begin = ledger_add_begin,
        .up = up_provider,
        .down = down_provider,
        .good = good,
        .bad = bad,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .verify = has_an_id,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    kit_new(&ledger, folder);
    kit_close(&ledger);
    provider_check(&provider);
    scratch_empty();
}

static void add_poorly(unsigned long n)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    (void)n;
    scratch_empty();
    ledger = (struct ledger){0};
    int err = ledger_open(&ledger, folder, LEDGER_WRITE, NULL);
    if (err == 0)
        err = ledger_bulk_add(&bulk, T("book"), 1, 0);
    if (err == 0)
        err = ledger_bulk_commit(&bulk);
    assert_true(err == 0 || err == UV_ENOMEM);
    ledger_bulk_free(&bulk);
    kit_close(&ledger);
}

TEST(opening_and_adding_survive_running_out_of_memory)
{
    scratch_new_path(folder, "poor");
    fault_ladder(add_poorly);
    assert_true(fault_ladder_height() >= 5);
    scratch_empty();
}
