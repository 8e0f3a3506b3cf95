/* ctest: labels=threads,valgrind-long */
/* The four ways to a total: who shares a scan, what is kept, what is forgotten, who may leave. */
#include "../sales/kit.h"
#include "fault.h"
#include "provider.h"
#include "sales/totals.h"

enum { SALES = 20, DELAY_MS = 20, ASKS = 4, LONG_MS = 60 * 1000, HOUR_MS = 60 * LONG_MS };

/* A test is a row of steps: the next one is taken when all that were asked before have been told.
 * After the last one the world ends. */
typedef void step_fn(void);

static char folder[SCRATCH_PATH];
static struct ledger ledger;
static struct totals totals;
static struct weft_op app;
static struct totals_ask asks[ASKS];
static unsigned waiting;
static step_fn *const *steps;

static void app_cancelled(struct weft_op *op, int reason)
{
    (void)reason;
    weft_join(op);
}

static void app_begin(struct weft_op *op)
{
    weft_on_cancel(op, app_cancelled);
}

static step_fn *when_over; /* called before the totals are closed; NULL: nothing is to be done */
static void app_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    if (when_over != NULL)
        when_over();
    totals_close(&totals);
}

static void go_on(void)
{
    while (waiting == 0 && *steps != NULL)
        (*steps++)();
    if (waiting == 0)
        weft_end(&app, 0);
}

static void told(struct weft_op *op, struct weft_op *ask)
{
    (void)op;
    (void)ask;
    waiting--;
    go_on();
}

static void ask(unsigned number, enum totals_mode mode, const char *item)
{
    asks[number].totals = &totals;
    asks[number].mode = mode;
    asks[number].item = T(item);
    waiting++;
    totals_ask(&app, &asks[number], told);
}

static void require_total(unsigned number, int64_t sum, enum totals_how how)
{
    assert_int_equal(asks[number].op.status, 0);
    assert_int_equal(asks[number].sum, sum);
    assert_string_equal(totals_how_names[asks[number].how], totals_how_names[how]);
}

static bool time_is_virtual;
static void play(uint64_t ttl_ms, uint64_t delay_ms, step_fn *const *rows)
{
    struct world w;
    kit_new(&ledger, folder);
    kit_fill(&ledger, SALES);
    if (time_is_virtual)
        world_up_sim(&w, 0);
    else
        world_up(&w);
    memset(&totals, 0, sizeof totals);
    totals.ledger = &ledger;
    totals.ttl_ms = ttl_ms;
    totals.delay_ms = delay_ms;
    memset(&app, 0, sizeof app);
    memset(asks, 0, sizeof asks);
    waiting = 0;
    steps = rows;
    weft_run(weft_root(&w.loop), &app, app_begin, app_over);
    assert_int_equal(totals_open(&totals, &app), 0);
    go_on();
    world_down(&w);
    assert_null(*steps);
    kit_close(&ledger);
    scratch_empty();
}
#define PLAY(ttl_ms, delay_ms, ...) play(ttl_ms, delay_ms, (step_fn *const[]){__VA_ARGS__, NULL})

/* ---- asking --------------------------------------------------------------------------------- */

static void ask_in_all_modes(void)
{
    for (unsigned mode = 0; mode < TOTALS_MODES; mode++)
        ask(mode, mode, "3");
}

static void all_modes_agree(void)
{
    require_total(TOTALS_PLAIN, 2, TOTALS_SCAN);
    require_total(TOTALS_BATCH, 2, TOTALS_SCAN);
    require_total(TOTALS_CACHE, 2, TOTALS_MISS);
    require_total(TOTALS_PROMISE, 2, TOTALS_MISS);
    assert_int_equal(ledger.scans, 4);
    assert_int_equal(ledger.scanned, 4 * SALES);
}

static void two_keep_it(void)
{
    require_total(TOTALS_PLAIN, 2, TOTALS_SCAN);
    require_total(TOTALS_BATCH, 2, TOTALS_SCAN);
    require_total(TOTALS_CACHE, 2, TOTALS_HIT);
    require_total(TOTALS_PROMISE, 2, TOTALS_HIT);
    assert_int_equal(ledger.scans, 6);
}

TEST(all_modes_find_the_same_and_two_keep_it)
{
    PLAY(LONG_MS, 0, ask_in_all_modes, all_modes_agree, ask_in_all_modes, two_keep_it);
}

static void ask_for_all(void)
{
    for (unsigned mode = 0; mode < TOTALS_MODES; mode++)
        ask(mode, mode, "");
}

static void it_is_all(void)
{
    for (unsigned mode = 0; mode < TOTALS_MODES; mode++)
        assert_int_equal(asks[mode].sum, SALES);
}

TEST(no_item_stands_for_all)
{
    PLAY(LONG_MS, 0, ask_for_all, it_is_all, ask_for_all, it_is_all);
}

static enum totals_mode mode_of_all;
static void ask_for_nothing(void)
{
    ask(0, mode_of_all, "nobody's");
}

static void nothing_is_found(void)
{
    require_total(0, 0, TOTALS_MISS);
}

static void nothing_is_kept(void)
{
    require_total(0, 0, TOTALS_HIT);
}

TEST(a_total_of_0_is_kept)
{
    for (mode_of_all = TOTALS_CACHE; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, 0, ask_for_nothing, nothing_is_found, ask_for_nothing, nothing_is_kept);
}

static void ask_together(void)
{
    for (unsigned i = 0; i < 3; i++)
        ask(i, mode_of_all, "3");
    ask(3, mode_of_all, "4");
}

static void three_shared(void)
{
    enum totals_how first = mode_of_all == TOTALS_BATCH ? TOTALS_SCAN : TOTALS_MISS;
    require_total(0, 2, first);
    require_total(1, 2, TOTALS_JOINED);
    require_total(2, 2, TOTALS_JOINED);
    require_total(3, 2, first);
    assert_int_equal(ledger.scans, 2);
}

TEST(who_asks_for_the_same_shares_a_scan)
{
    for (mode_of_all = TOTALS_BATCH; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, DELAY_MS, ask_together, three_shared);
}

static struct weft_sleep nap;
static void wait_a_little(void)
{
    waiting++;
    weft_sleep(&app, &nap, 3, told);
}

static void nothing_is_found_again(void)
{
    require_total(0, 0, TOTALS_MISS);
    assert_int_equal(ledger.scans, 2);
}

TEST(what_is_too_old_is_not_told)
{
    for (mode_of_all = TOTALS_CACHE; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(1, 0, ask_for_nothing, nothing_is_found, wait_a_little, ask_for_nothing,
             nothing_is_found_again);
}

static void play_in_virtual_time(uint64_t ttl_ms, step_fn *const *rows)
{
    time_is_virtual = true;
    play(ttl_ms, 0, rows);
    time_is_virtual = false;
}
#define PLAY_LONG(ttl_ms, ...) play_in_virtual_time(ttl_ms, (step_fn *const[]){__VA_ARGS__, NULL})

/* Every second for ten times as long as an answer is kept: it is renewed before it is too old, and
 * nobody waits for that. */
enum { KEPT_MS = 100 * 1000 };
static unsigned turn;
static void ask_again_in_a_second(void)
{
    if (turn > 0)
        require_total(0, 2, turn == 1 ? TOTALS_MISS : TOTALS_HIT);
    if (turn++ == 10 * KEPT_MS / 1000)
        return;
    ask(0, TOTALS_CACHE, "3");
    waiting++;
    weft_sleep(&app, &nap, 1000, told);
    steps--;
}

static void it_was_scanned_again(void)
{
    assert_in_range(ledger.scans, 10, 14); /* each lived for 80 to 100 % of its time */
}

TEST(what_is_asked_for_all_the_time_is_renewed_behind)
{
    turn = 0;
    PLAY_LONG(KEPT_MS, ask_again_in_a_second, it_was_scanned_again);
}

/* More items than there are places: each is found, and the last one is still there. */
static char names[TOTALS_PROMISES + 10][8];
static void ask_for_item(void)
{
    snprintf(names[turn], sizeof names[turn], "item%u", turn);
    ask(0, TOTALS_CACHE, names[turn++]);
    if (turn % 50 != 0)
        steps--;
}

static void wait_until_some_are_too_old(void)
{
    turn = 0;
    waiting++;
    weft_sleep(&app, &nap, KEPT_MS * 95 / 100, told);
}

static void some_are_too_old(void)
{
    assert_in_range(totals.cache->stats.misses, 50 + 1, 50 + 49);
}

TEST(what_came_together_does_not_go_together)
{
    turn = 0;
    PLAY_LONG(KEPT_MS, ask_for_item, wait_until_some_are_too_old, ask_for_item, some_are_too_old);
}

static void ask_for_another(void)
{
    if (turn > 0)
        require_total(0, 0, TOTALS_MISS);
    if (turn == sizeof names / sizeof names[0])
        return;
    snprintf(names[turn], sizeof names[turn], "item%u", turn % 1000);
    ask(0, TOTALS_PROMISE, names[turn++]);
    steps--;
}

static void ask_for_the_last(void)
{
    ask(0, TOTALS_PROMISE, names[turn - 1]);
}

TEST(promises_for_many_items_take_the_places_of_others)
{
    turn = 0;
    turn = 0;
    PLAY(LONG_MS, 0, ask_for_another, ask_for_the_last, nothing_is_kept);
}

static struct totals_ask crowd[TOTALS_PROMISES + 1];
static void all_ask_at_once(void)
{
    static char items[TOTALS_PROMISES + 1][8];
    memset(crowd, 0, sizeof crowd);
    for (unsigned i = 0; i <= TOTALS_PROMISES; i++) {
        snprintf(items[i], sizeof items[i], "item%u", i % 1000);
        crowd[i].totals = &totals;
        crowd[i].mode = TOTALS_PROMISE;
        crowd[i].item = T(items[i]);
        waiting++;
        totals_ask(&app, &crowd[i], told);
    }
}

static void the_last_one_had_no_place(void)
{
    for (unsigned i = 0; i < TOTALS_PROMISES; i++)
        assert_int_equal(crowd[i].op.status, 0);
    assert_int_equal(crowd[TOTALS_PROMISES].op.status, UV_ENOBUFS);
}

TEST(too_many_items_at_the_same_time_are_refused)
{
    PLAY(LONG_MS, DELAY_MS, all_ask_at_once, the_last_one_had_no_place);
}

/* ---- forgetting ----------------------------------------------------------------------------- */

static struct ledger_add add;
static void sell(void)
{
    memset(&add, 0, sizeof add);
    add.ledger = &ledger;
    add.item = T("3");
    add.amount = 10;
    waiting++;
    ledger_add(&app, &add, told);
}

static void forget(void)
{
    assert_int_equal(add.op.status, 0);
    assert_null(totals_forget(&totals, add.item));
}

static void ask_for_3_4_and_all(void)
{
    ask(0, mode_of_all, "3");
    ask(1, mode_of_all, "4");
    ask(2, mode_of_all, "");
}

static void two_are_new(void)
{
    require_total(0, 12, TOTALS_MISS);
    require_total(1, 2, TOTALS_HIT);
    require_total(2, SALES + 10, TOTALS_MISS);
}

TEST(a_sale_makes_the_totals_of_its_item_and_of_all_be_forgotten)
{
    for (mode_of_all = TOTALS_CACHE; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, 0, ask_for_3_4_and_all, sell, forget, ask_for_3_4_and_all, two_are_new);
}

static void ask_one(void)
{
    ask(0, mode_of_all, "3");
    waiting = 0; /* the next step comes while it waits */
}

static void forget_now(void)
{
    assert_null(totals_forget(&totals, T("3")));
}

static void ask_another(void)
{
    ask(1, mode_of_all, "3");
    waiting = 2;
}

static void both_were_told(void)
{
    enum totals_how how = mode_of_all == TOTALS_BATCH ? TOTALS_SCAN : TOTALS_MISS;
    require_total(0, 2, how);
    require_total(1, 2, how);
    assert_int_equal(ledger.scans, 2);
}

static void only_the_newer_is_kept(void)
{
    if (mode_of_all == TOTALS_CACHE)
        assert_int_equal(totals.local.stats.discarded, 1);
    assert_int_equal(totals.batch.running, 0);
}

TEST(who_asks_after_a_sale_does_not_join_a_scan_from_before_it)
{
    for (mode_of_all = TOTALS_BATCH; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, DELAY_MS, ask_one, forget_now, ask_another, both_were_told,
             only_the_newer_is_kept);
}

/* ---- leaving -------------------------------------------------------------------------------- */

static void ask_two(void)
{
    ask(0, mode_of_all, "3");
    ask(1, mode_of_all, "3");
    waiting = 0;
}

static void first_leaves(void)
{
    weft_cancel(&asks[0].op, UV_ECANCELED);
    waiting = 2;
}

static void the_other_was_told(void)
{
    assert_int_equal(asks[0].op.status, UV_ECANCELED);
    assert_int_equal(asks[1].op.status, 0);
    assert_int_equal(asks[1].sum, 2);
    assert_int_equal(ledger.scans, 1);
}

TEST(one_who_leaves_disturbs_nobody)
{
    for (mode_of_all = TOTALS_BATCH; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, DELAY_MS, ask_two, first_leaves, the_other_was_told);
}

static void both_leave(void)
{
    weft_cancel(&asks[0].op, UV_ECANCELED);
    weft_cancel(&asks[1].op, UV_ECANCELED);
    waiting = 2;
}

static void nothing_was_scanned(void)
{
    assert_int_equal(asks[1].op.status, UV_ECANCELED);
    assert_int_equal(ledger.scans, 0);
}

/* It would take an hour. */
TEST(when_the_last_one_leaves_the_scan_is_stopped)
{
    for (mode_of_all = TOTALS_PLAIN; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, HOUR_MS, ask_two, both_leave, nothing_was_scanned);
}

static void the_end(void)
{
    weft_end(&app, 0);
    waiting = 2;
}

static void all_are_told_of_the_end(void)
{
    assert_int_equal(asks[0].op.status, UV_ECANCELED);
    assert_int_equal(asks[1].op.status, UV_ECANCELED);
}

TEST(the_end_may_come_in_the_middle_of_scans)
{
    for (mode_of_all = TOTALS_PLAIN; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, HOUR_MS, ask_two, the_end, all_are_told_of_the_end);
}

static void a_late_sale_is_told_to_nobody(void)
{
    totals.redis = "redis://127.0.0.1";
    assert_null(totals_forget(&totals, T("3")));
    assert_int_equal(totals.untold, 1);
}

/* One whose commit was under way when all was ended. */
TEST(a_sale_may_come_when_the_totals_are_over)
{
    when_over = a_late_sale_is_told_to_nobody;
    PLAY(LONG_MS, 0, ask_in_all_modes);
    when_over = NULL;
}

/* ---- failing -------------------------------------------------------------------------------- */

static struct ledger closed; /* a scan of it fails */
static void lose_the_ledger(void)
{
    totals.ledger = &closed;
}

static void all_failed(void)
{
    for (unsigned i = 0; i < ASKS; i++)
        assert_int_equal(asks[i].op.status, UV_EINVAL);
}

static void find_the_ledger(void)
{
    totals.ledger = &ledger;
}

TEST(a_scan_that_fails_is_told_to_all_and_not_kept)
{
    for (mode_of_all = TOTALS_BATCH; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        PLAY(LONG_MS, DELAY_MS, lose_the_ledger, ask_together, all_failed, find_the_ledger,
             ask_together, three_shared);
}

/* ---- the overview --------------------------------------------------------------------------- */

static struct weft_cache_get get;
static void look_at_all(void)
{
    memset(&get, 0, sizeof get);
    waiting++;
    weft_cache_get(&app, &get, &totals.overview, weft_text(NULL, 0), told);
}

static void all_are_there(void)
{
    const struct totals_overview *overview = (const void *)get.value.data;
    assert_int_equal(get.await.op.status, 0);
    assert_int_equal(overview->sum, SALES + 10);
    assert_int_equal(overview->sales, SALES + 1);
    assert_int_equal(overview->count, 10);
    assert_memory_equal(overview->items[0].name, "3", 1); /* the best, then by name */
    assert_int_equal(overview->items[0].sum, 12);
    assert_memory_equal(overview->items[1].name, "0", 1);
    assert_memory_equal(overview->items[9].name, "9", 1);
    assert_int_equal(overview->other_sales, 0);
    assert_int_equal(totals.overview_scanned, ledger.scanned);
}

TEST(the_overview_names_all_items_the_best_first)
{
    PLAY(LONG_MS, 0, sell, look_at_all, all_are_there);
}

static void sell_many_things(void)
{
    struct ledger_bulk bulk = {.ledger = &ledger};
    char name[8];
    for (int i = 0; i < TOTALS_OVERVIEW_ITEMS + 5; i++) {
        snprintf(name, sizeof name, "many%d", i % 1000);
        assert_int_equal(ledger_bulk_add(&bulk, T(name), 100 + i, 1), 0);
    }
    assert_int_equal(ledger_bulk_commit(&bulk), 0);
    ledger_bulk_free(&bulk);
}

static void others_are_together(void)
{
    const struct totals_overview *overview = (const void *)get.value.data;
    assert_int_equal(overview->count, TOTALS_OVERVIEW_ITEMS);
    assert_int_equal(overview->items[0].sum, 100 + TOTALS_OVERVIEW_ITEMS + 4);
    assert_int_equal(overview->other_sales, SALES + 5);
    assert_int_equal(overview->other_sum, SALES + 100 + 101 + 102 + 103 + 104);
}

TEST(the_overview_puts_the_least_together)
{
    PLAY(LONG_MS, 0, sell_many_things, look_at_all, others_are_together);
}

/* ---- all that an op promises ---------------------------------------------------------------- */

static void up_provider(struct weft_loop *loop)
{
    ledger = (struct ledger){0};
    kit_open(&ledger, folder, LEDGER_READ);
    memset(&totals, 0, sizeof totals);
    totals.ledger = &ledger;
    totals.ttl_ms = LONG_MS;
    memset(&app, 0, sizeof app);
    weft_run(weft_root(loop), &app, app_begin, app_over);
    assert_int_equal(totals_open(&totals, &app), 0);
}

static void down_provider(struct weft_loop *loop)
{
    weft_cancel(&app, UV_ECANCELED); /* it may be over already, with the root */
    weft_loop_run(loop);
    assert_int_equal(ledger_close(&ledger), 0);
}

static void good(void *storage)
{
    struct totals_ask *good = storage;
    good->totals = &totals;
    good->mode = mode_of_all;
    good->item = T("3");
}

static void bad(void *storage)
{
    good(storage);
    ((struct totals_ask *)storage)->mode = TOTALS_MODES;
}

static void is_the_total(void *storage)
{
    assert_int_equal(((struct totals_ask *)storage)->sum, 2);
}

TEST(an_ask_conforms)
{
    static const struct weft_provider provider = {
        .name = "totals_ask",
        WEFT_PROVIDER_OP(struct totals_ask, op),
        .begin = totals_ask_begin,
        .up = up_provider,
        .down = down_provider,
        .good = good,
        .bad = bad,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .verify = is_the_total,
    };
    kit_new(&ledger, folder);
    kit_fill(&ledger, SALES);
    kit_close(&ledger);
    for (mode_of_all = TOTALS_PLAIN; mode_of_all <= TOTALS_PROMISE; mode_of_all++)
        provider_check(&provider);
    scratch_empty();
}

/* ---- without memory ------------------------------------------------------------------------- */

static void ask_and_look(void)
{
    ask_in_all_modes();
    look_at_all();
}

static void none_is_wrong(void)
{
    for (unsigned i = 0; i < ASKS; i++) {
        assert_true(asks[i].op.status == 0 || asks[i].op.status == UV_ENOMEM);
        assert_true(asks[i].op.status != 0 || asks[i].sum == 2);
    }
    assert_true(get.await.op.status == 0 || get.await.op.status == UV_ENOMEM);
    forget_now();
}

static void serve_poorly(unsigned long n)
{
    static step_fn *const rows[] = {ask_and_look, none_is_wrong, NULL};
    uv_loop_t uv;
    struct weft_loop loop;
    (void)n;
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) == 0) {
        memset(&totals, 0, sizeof totals);
        totals.ledger = &ledger;
        totals.ttl_ms = LONG_MS;
        memset(&app, 0, sizeof app);
        memset(asks, 0, sizeof asks);
        waiting = 0;
        steps = rows;
        weft_run(weft_root(&loop), &app, app_begin, app_over);
        int err = totals_open(&totals, &app);
        assert_true(err == 0 || err == UV_ENOMEM);
        if (err == 0)
            go_on();
        else
            weft_end(&app, err);
        assert_int_equal(weft_loop_run(&loop), 0);
        assert_int_equal(weft_loop_close(&loop), 0);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
}

static void serve_all_poorly(unsigned long n)
{
    ledger = (struct ledger){0};
    if (ledger_open(&ledger, folder, LEDGER_READ, NULL) == 0)
        serve_poorly(n);
    kit_close(&ledger);
}

TEST(totals_survive_running_out_of_memory)
{
    kit_new(&ledger, folder);
    kit_fill(&ledger, SALES);
    kit_close(&ledger);
    fault_ladder(serve_all_poorly);
    assert_true(fault_ladder_height() >= 10);
    scratch_empty();
}
