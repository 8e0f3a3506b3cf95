/* ctest: labels=threads */
/* Totals: what they count, that they can be stopped, and how they fail. */
#include "fault.h"
#include "kit.h"
#include "provider.h"
#include "sales/ledger_inside.h"

static char folder[SCRATCH_PATH];
static struct ledger ledger;

static void down(void)
{
    kit_close(&ledger);
    scratch_empty();
}

/* ---- what they count ------------------------------------------------------------------------ */

TEST(a_ledger_without_sales_has_a_total_of_zero)
{
    struct ledger_total total;
    kit_new(&ledger, folder);
    assert_int_equal(kit_try_total(&ledger, "", &total), 0);
    assert_int_equal(total.sum, 0);
    assert_int_equal(total.matched, 0);
    assert_int_equal(total.records_scanned, 0);
    down();
}

TEST(a_total_is_that_of_one_item_or_of_all)
{
    struct ledger_total total;
    kit_new(&ledger, folder);
    kit_add(&ledger, "book", 5);
    kit_add(&ledger, "boo", 70);
    kit_add(&ledger, "book", -2);
    kit_add(&ledger, "books", 900);
    assert_int_equal(kit_try_total(&ledger, "book", &total), 0);
    assert_int_equal(total.sum, 3);
    assert_int_equal(total.matched, 2);
    assert_int_equal(total.records_scanned, 4);
    assert_int_equal(kit_total(&ledger, ""), 973);
    down();
}

TEST(an_item_that_nobody_sold_has_a_total_of_zero)
{
    char long_name[400];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    kit_new(&ledger, folder);
    kit_add(&ledger, "book", 5);
    assert_int_equal(kit_total(&ledger, "game"), 0);
    assert_int_equal(kit_total(&ledger, long_name), 0);
    down();
}

/* Names of every length, which differ in one byte only, at every place. */
TEST(items_are_told_apart_by_every_byte_of_their_names)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    char name[LEDGER_ITEM_MAX + 1];
    kit_new(&ledger, folder);
    for (size_t size = 1; size <= LEDGER_ITEM_MAX; size++) {
        for (size_t odd = 0; odd<size; odd += size> 12 ? 9 : 1) {
            memset(name, 'n', size);
            name[odd] = 'o';
            assert_int_equal(ledger_bulk_add(&bulk, weft_text(name, size), 1, 0), 0);
        }
        memset(name, 'n', size);
        assert_int_equal(ledger_bulk_add(&bulk, weft_text(name, size), 1000, 0), 0);
    }
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    ledger_bulk_free(&bulk);
    for (size_t size = 1; size <= LEDGER_ITEM_MAX; size += size < 20 ? 1 : 47) {
        memset(name, 'n', size);
        name[size] = '\0';
        assert_int_equal(kit_total(&ledger, name), 1000);
        name[size - 1] = 'm';
        assert_int_equal(kit_total(&ledger, name), 0);
    }
    down();
}

TEST(names_may_have_any_bytes)
{
    struct world w;
    static char name[] = {'\0', '\xFF', '\n', '\0'};
    struct ledger_add add = {.ledger = &ledger, .item = weft_text(name, sizeof name), .amount = 8};
    struct ledger_total total = {.ledger = &ledger, .item = weft_text(name, sizeof name)};
    kit_new(&ledger, folder);
    world_up(&w);
    ledger_add(weft_root(&w.loop), &add, noted);
    assert_int_equal(world_run(&w), 0);
    ledger_total(weft_root(&w.loop), &total, noted);
    world_down(&w);
    assert_int_equal(total.sum, 8);
    down();
}

TEST(many_sales_are_all_counted)
{
    kit_new(&ledger, folder);
    kit_fill(&ledger, 12345);
    kit_add(&ledger, "7", 100);
    kit_fill(&ledger, 11);
    assert_int_equal(kit_count(&ledger), 12357);
    assert_int_equal(kit_total(&ledger, "7"), 1234 + 100 + 1);
    assert_int_equal(ledger.scanned, 2 * 12357);
    assert_int_equal(ledger.scans, 2);
    down();
}

TEST(a_sum_that_does_not_fit_is_an_error)
{
    struct ledger_total total;
    kit_new(&ledger, folder);
    kit_add(&ledger, "book", INT64_MAX);
    kit_add(&ledger, "game", 1);
    assert_int_equal(kit_try_total(&ledger, "", &total), UV_EOVERFLOW);
    assert_int_equal(total.records_scanned, 2);
    assert_int_equal(kit_total(&ledger, "book"), INT64_MAX);
    kit_add(&ledger, "song", -1);
    assert_int_equal(kit_total(&ledger, ""), INT64_MAX);
    kit_add(&ledger, "app", INT64_MIN);
    assert_int_equal(kit_total(&ledger, ""), -1);
    down();
}

/* ---- each item ------------------------------------------------------------------------------ */

static struct ledger_total each;

static int total_each(void)
{
    struct world w;
    each = (struct ledger_total){.ledger = &ledger, .each_item = true};
    world_up(&w);
    ledger_total(weft_root(&w.loop), &each, noted);
    world_down(&w);
    return seen.status;
}

TEST(each_item_has_its_total_in_the_order_of_the_first_sales)
{
    kit_new(&ledger, folder);
    kit_add(&ledger, "game", 5);
    kit_add(&ledger, "book", 7);
    kit_add(&ledger, "game", 10);
    assert_int_equal(total_each(), 0);
    assert_int_equal(each.item_count, 2);
    assert_int_equal(each.sum, 22);
    assert_memory_equal(each.items[0].name, "game", each.items[0].size);
    assert_int_equal(each.items[0].sum, 15);
    assert_int_equal(each.items[0].sales, 2);
    assert_memory_equal(each.items[1].name, "book", each.items[1].size);
    assert_int_equal(each.items[1].sum, 7);
    assert_int_equal(each.other_sales, 0);
    ledger_total_free(&each);
    down();
}

TEST(items_beyond_the_limit_are_counted_together)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    enum { MORE = 300 };
    kit_new(&ledger, folder);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < LEDGER_ITEMS_MAX + MORE; i++) {
            char name[16];
            snprintf(name, sizeof name, "%d", i);
            assert_int_equal(ledger_bulk_add(&bulk, T(name), i, 0), 0);
        }
    }
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    ledger_bulk_free(&bulk);
    assert_int_equal(total_each(), 0);
    assert_int_equal(each.item_count, LEDGER_ITEMS_MAX);
    int64_t sum = each.other_sum;
    for (size_t i = 0; i < each.item_count; i++) {
        assert_int_equal(each.items[i].sales, 2);
        assert_int_equal(each.items[i].sum, 2 * (int64_t)i);
        sum += each.items[i].sum;
    }
    assert_int_equal(each.other_sales, 2 * MORE);
    assert_int_equal(sum, each.sum);
    ledger_total_free(&each);
    down();
}

/* Only the results have to fit, whatever stands in between. */
TEST(the_sum_of_an_item_may_be_too_large_on_its_way)
{
    kit_new(&ledger, folder);
    kit_add(&ledger, "book", INT64_MAX);
    kit_add(&ledger, "book", 2);
    kit_add(&ledger, "book", -2);
    assert_int_equal(total_each(), 0);
    assert_int_equal(each.items[0].sum, INT64_MAX);
    ledger_total_free(&each);
    kit_add(&ledger, "book", 1);
    kit_add(&ledger, "game", INT64_MIN);
    assert_int_equal(kit_total(&ledger, ""), 0);
    assert_int_equal(total_each(), UV_EOVERFLOW);
    ledger_total_free(&each);
    down();
}

/* How long it takes to tell LEDGER_ITEMS_MAX items apart, a hundred sales of each. */
static uint64_t time_of(char names[LEDGER_ITEMS_MAX][16])
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    uint64_t least_ns = UINT64_MAX;
    kit_new(&ledger, folder);
    for (int i = 0; i < 100 * LEDGER_ITEMS_MAX; i++)
        assert_int_equal(ledger_bulk_add(&bulk, T(names[i % LEDGER_ITEMS_MAX]), 1, 0), 0);
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    ledger_bulk_free(&bulk);
    for (int i = 0; i < 3; i++) {
        uint64_t begun_ns = uv_hrtime();
        assert_int_equal(total_each(), 0);
        uint64_t took_ns = uv_hrtime() - begun_ns;
        least_ns = took_ns < least_ns ? took_ns : least_ns;
        assert_int_equal(each.item_count, LEDGER_ITEMS_MAX);
        ledger_total_free(&each);
    }
    down();
    return least_ns;
}

static uint64_t well_known_hash(const char *name)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 32;
}

/* All of these meet in a table of 2048 places or fewer, if the hash is FNV-1a without a seed. */
TEST(names_that_somebody_chose_do_not_make_it_slow)
{
    static char plain[LEDGER_ITEMS_MAX][16], chosen[LEDGER_ITEMS_MAX][16];
    for (int i = 0, next = 0; i < LEDGER_ITEMS_MAX; i++) {
        snprintf(plain[i], sizeof plain[i], "%d", 1000000 + i);
        do
            snprintf(chosen[i], sizeof chosen[i], "%d", next++);
        while (well_known_hash(chosen[i]) % 2048 != 0);
    }
    assert_true(time_of(chosen) < 10 * time_of(plain));
}

TEST(each_item_and_one_item_do_not_go_together)
{
    struct world w;
    struct ledger_total total = {.ledger = &ledger, .each_item = true, .item = T("book")};
    kit_new(&ledger, folder);
    world_up(&w);
    ledger_total(weft_root(&w.loop), &total, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    down();
}

/* ---- stopping ------------------------------------------------------------------------------- */

enum { MANY = LEDGER_SCANS_MAX + 12 };

static struct ledger_total totals[MANY];
static unsigned stopped, succeeded;
static uint64_t cancelled_ns;

static void counted(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    stopped += op->status == UV_ETIMEDOUT;
    succeeded += op->status == 0;
}

/* The first one is through: the others are in their middle, or wait. */
static void stop_the_others(struct weft_op *parent, struct weft_op *op)
{
    counted(parent, op);
    ledger_total_free(weft_owner(op, struct ledger_total, op));
    if (weft_cancelled(parent) != 0)
        return;
    cancelled_ns = uv_hrtime();
    weft_cancel(parent, UV_ETIMEDOUT);
}

/* With each_item a scan is one part: what is cut short is cut in its middle. */
static void begin_and_stop(struct weft_op *op)
{
    stopped = succeeded = 0;
    for (unsigned i = 0; i < MANY; i++) {
        totals[i] = (struct ledger_total){.ledger = &ledger, .each_item = true};
        ledger_total(op, &totals[i], stop_the_others);
    }
    weft_join(op);
}

/* One round; true: at least one scan had looked at some records, but not at all. */
static bool cut_short(uint64_t count)
{
    struct world w;
    struct weft_op all = {0};
    uint64_t before = ledger.scanned;
    world_up(&w);
    weft_run(weft_root(&w.loop), &all, begin_and_stop, noted);
    world_down(&w);
    uint64_t took_ms = (uv_hrtime() - cancelled_ns) / 1000000;
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(stopped + succeeded, MANY);
    assert_true(succeeded >= 1 && succeeded <= LEDGER_SCANS_MAX);
    assert_true(ledger.scanned - before < count * MANY);
    assert_true(took_ms < 1000); /* one would do where nobody else has work */
    return (ledger.scanned - before) % count != 0;
}

TEST(a_cancel_stops_scans_in_their_middle)
{
    const uint64_t count = 200000;
    unsigned rounds = 0;
    kit_new(&ledger, folder);
    kit_fill(&ledger, count);
    while (!cut_short(count))
        assert_true(++rounds < 50);
    assert_int_equal(kit_count(&ledger), count);
    down();
}

static void begin_more(struct weft_op *op)
{
    stopped = succeeded = 0;
    for (unsigned i = 0; i < MANY; i++) {
        totals[i] = (struct ledger_total){.ledger = &ledger, .item = T("3")};
        ledger_total(op, &totals[i], counted);
    }
    weft_join(op);
}

TEST(scans_beyond_the_limit_wait_for_their_turn)
{
    struct world w;
    struct weft_op all = {0};
    kit_new(&ledger, folder);
    kit_fill(&ledger, 1000);
    world_up(&w);
    weft_run(weft_root(&w.loop), &all, begin_more, noted);
    assert_int_equal(ledger_close(&ledger), UV_EBUSY);
    assert_int_equal(ledger.store_->scans, LEDGER_SCANS_MAX);
    weft_cancel(&totals[MANY - 2].op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(succeeded, MANY - 1);
    assert_int_equal(stopped, 1);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(totals[i].sum, i == MANY - 2 ? 0 : 100);
    down();
}

/* ---- the map -------------------------------------------------------------------------------- */

static size_t map_size(void)
{
    MDB_envinfo info;
    assert_int_equal(mdb_env_info(ledger.store_->env, &info), 0);
    return info.me_mapsize;
}

TEST(the_map_does_not_move_while_somebody_reads)
{
    struct world w;
    struct ledger_total one = {.ledger = &ledger}, other = {.ledger = &ledger};
    kit_new(&ledger, folder);
    kit_fill(&ledger, 1000);
    size_t before = map_size();
    world_up(&w);
    ledger_total(weft_root(&w.loop), &one, counted);
    ledger.store_->move = MAP_GROWS;
    ledger_total(weft_root(&w.loop), &other, counted);
    assert_int_equal(ledger.store_->scans, 1); /* the other one waits */
    assert_int_equal(map_size(), before);
    world_down(&w);
    assert_int_equal(map_size(), 2 * before);
    assert_int_equal(one.sum, 1000);
    assert_int_equal(other.sum, 1000);
    down();
}

/* ---- the contract --------------------------------------------------------------------------- */

static void up_provider(struct weft_loop *loop)
{
    (void)loop;
    ledger = (struct ledger){0};
    kit_open(&ledger, folder, LEDGER_READ);
}

static void down_provider(struct weft_loop *loop)
{
    (void)loop;
    assert_int_equal(ledger_close(&ledger), 0);
}

static void good(void *storage)
{
    struct ledger_total *total = storage;
    total->ledger = &ledger;
    total->item = T("3");
}

static void good_each(void *storage)
{
    struct ledger_total *total = storage;
    total->ledger = &ledger;
    total->each_item = true;
}

static void bad(void *storage)
{
    good(storage);
    ((struct ledger_total *)storage)->each_item = true;
}

static void is_right(void *storage)
{
    assert_int_equal(((struct ledger_total *)storage)->sum, 200);
}

static void are_right(void *storage)
{
    assert_int_equal(((struct ledger_total *)storage)->item_count, 10);
    assert_int_equal(((struct ledger_total *)storage)->items[3].sum, 200);
}

static void release(void *storage)
{
    ledger_total_free(storage);
}

TEST(a_total_conforms)
{
    static const struct weft_provider provider = {
        .name = "ledger_total",
        WEFT_PROVIDER_OP(struct ledger_total, op),
        .begin = ledger_total_begin,
        .up = up_provider,
        .down = down_provider,
        .good = good,
        .bad = bad,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .verify = is_right,
        .release = release,
    };
    kit_new(&ledger, folder);
    kit_fill(&ledger, 2000);
    kit_close(&ledger);
    provider_check(&provider);
    scratch_empty();
}

TEST(a_total_of_each_item_conforms)
{
    static const struct weft_provider provider = {
        .name = "ledger_total of each item",
        WEFT_PROVIDER_OP(struct ledger_total, op),
        .begin = ledger_total_begin,
        .up = up_provider,
        .down = down_provider,
        .good = good_each,
        .nothing_status = UV_EINVAL,
        .verify = are_right,
        .release = release,
    };
    kit_new(&ledger, folder);
    kit_fill(&ledger, 2000);
    kit_close(&ledger);
    provider_check(&provider);
    scratch_empty();
}

static void count_poorly(unsigned long n)
{
    uv_loop_t uv;
    struct weft_loop loop;
    struct ledger_total total = {.ledger = &ledger, .each_item = true};
    (void)n;
    ledger = (struct ledger){0};
    int err = ledger_open(&ledger, folder, LEDGER_READ, NULL);
    assert_true(err == 0 || err == UV_ENOMEM);
    assert_int_equal(uv_loop_init(&uv), 0);
    if (err == 0 && weft_loop_init(&loop, &uv) == 0) {
        ledger_total(weft_root(&loop), &total, noted);
        assert_int_equal(weft_loop_run(&loop), 0);
        assert_true(seen.status == 0 || seen.status == UV_ENOMEM);
        ledger_total_free(&total);
        assert_int_equal(weft_loop_close(&loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
    kit_close(&ledger);
}

TEST(a_total_survives_running_out_of_memory)
{
    kit_new(&ledger, folder);
    kit_fill(&ledger, 2000);
    kit_close(&ledger);
    fault_ladder(count_poorly);
    assert_true(fault_ladder_height() >= 7);
    scratch_empty();
}
