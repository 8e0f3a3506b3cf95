/* The register: ids that never repeat, and looking resources up by them. */
#include "core/observe.h"
#include "fault.h"
#include "hook_world.h"
#include <stdlib.h>
#include <weft/alloc.h>
#include <weft/timer.h>

static struct weft_resource found;

static int look(uint64_t id)
{
    memset(&found, 0xee, sizeof found);
    return weft_resource_by_id(id, &found);
}

/* ---- one ------------------------------------------------------------------------------------ */

TEST(an_op_has_an_id_while_it_runs_and_keeps_it)
{
    up();
    assert_int_equal(weft_id(&ops[0]), 0);
    assert_int_equal(weft_id(NULL), 0);
    weft_run(root(), &ops[0], a, noted);
    uint64_t id = weft_id(&ops[0]);
    assert_int_not_equal(id, 0);
    assert_int_equal(weft_id(&ops[0]), id);
    assert_int_equal(look(id), 0);
    assert_int_equal(found.id, id);
    assert_int_equal(found.parent, weft_id(root()));
    assert_string_equal(found.site->type, "a");
    assert_int_equal(found.state, WEFT_OPEN);
    assert_ptr_equal(found.resource, &ops[0]);
    finish(&ops[0]);
    assert_int_equal(weft_id(&ops[0]), 0);
    assert_int_equal(look(id), UV_ENOENT);
    weft_run(root(), &ops[0], a, noted);
    assert_int_not_equal(weft_id(&ops[0]), id);
    finish(&ops[0]);
    world_down(&w);
}

TEST(what_has_no_id_is_given_one_with_all_above_it)
{
    up();
    weft_run(root(), &ops[0], a, noted);
    weft_run(&ops[0], &ops[1], b, noted);
    weft_run(&ops[1], &ops[2], c, noted);
    uint64_t id = weft_id(&ops[2]);
    assert_int_equal(look(id), 0);
    assert_int_equal(found.parent, weft_id(&ops[1]));
    assert_int_equal(look(found.parent), 0);
    assert_int_equal(found.parent, weft_id(&ops[0]));
    assert_int_equal(look(found.parent), 0);
    assert_int_equal(found.parent, weft_id(root()));
    finish(&ops[2]);
    finish(&ops[1]);
    finish(&ops[0]);
    world_down(&w);
}

TEST(the_loop_has_an_id_that_ends_with_it)
{
    up();
    uint64_t id = weft_id(root());
    assert_int_equal(look(id), 0);
    assert_int_equal(found.parent, 0);
    assert_string_equal(found.site->type, "loop");
    assert_ptr_equal(found.resource, root());
    world_down(&w);
    assert_int_equal(look(id), UV_ENOENT);
}

TEST(a_resource_has_an_age)
{
    up();
    weft_run(root(), &ops[0], a, noted);
    uint64_t id = weft_id(&ops[0]);
    weft_sim_advance(&w.sim, 250);
    assert_int_equal(look(id), 0);
    assert_int_equal(found.age_ms, 250);
    finish(&ops[0]);
    world_down(&w);
}

TEST(an_id_that_never_was_is_not_found)
{
    up();
    weft_run(root(), &ops[0], a, noted);
    uint64_t id = weft_id(&ops[0]);
    assert_int_equal(look(0), UV_ENOENT);
    assert_int_equal(look(UINT64_MAX), UV_ENOENT);
    for (int bit = 0; bit < 64; bit++)
        assert_int_equal(look(id ^ UINT64_C(1) << bit) == 0 && found.resource == &ops[0], 0);
    assert_int_equal(weft_resource_by_id(id, NULL), UV_EINVAL);
    finish(&ops[0]);
    world_down(&w);
}

/* ---- many ----------------------------------------------------------------------------------- */

static uint64_t last_id;
static unsigned long rounds;
static void check_new(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                      uint64_t parent, void *resource)
{
    (void)hook, (void)site, (void)parent, (void)resource;
    assert_true(id != last_id);
    last_id = id;
}
static void again(struct weft_op *parent, struct weft_op *op)
{
    if (--rounds > 0)
        weft_tick(parent, op, again);
}

/* One slot is taken again and again: each use of it has a higher number. */
TEST(ids_of_millions_of_ops_in_the_same_storage_do_not_repeat)
{
    needs_hooks();
    struct weft_hook hook = {.init = check_new, .groups = WEFT_USER};
    up_real();
    assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    weft_run(root(), &ops[1], a, noted);
    uint64_t first = last_id;
    rounds = check_scale(3000000);
    weft_tick(root(), &ops[0], again);
    world_run(&w);
    struct weft_resource other_one;
    assert_int_equal(weft_resource_by_id(first, &other_one), 0);
    assert_ptr_equal(other_one.resource, &ops[1]);
    finish(&ops[1]);
    world_down(&w);
}

static int by_number(const void *left, const void *right)
{
    uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;
    return (l > r) - (l < r);
}

static uint64_t id_of_a_run(void)
{
    weft_run(root(), &ops[0], a, noted);
    uint64_t id = weft_id(&ops[0]);
    assert_int_equal(look(id), 0);
    assert_ptr_equal(found.resource, &ops[0]);
    finish(&ops[0]);
    return id;
}

/* It would take a busy process some days. */
TEST(a_slot_with_no_generation_left_is_not_taken_again_also_not_by_the_next_loop)
{
    up();
    uint64_t loop_id = weft_id(root());
    w.loop.observers_->free->generation = LAST_GENERATION;
    uint64_t last = id_of_a_run();
    assert_int_equal(last >> SLOT_BITS, LAST_GENERATION);
    assert_true(id_of_a_run() >> SLOT_BITS < LAST_GENERATION);
    world_down(&w);
    up();
    assert_int_equal(look(loop_id), UV_ENOENT);
    assert_int_equal(look(last), UV_ENOENT);
    assert_int_not_equal(weft_id(root()), loop_id);
    uint64_t first = id_of_a_run(), second = id_of_a_run();
    assert_true(first != second && first != last && second != last);
    assert_true(first >> SLOT_BITS > 0 && second >> SLOT_BITS > 0);
    world_down(&w);
}

enum { IDS = 200000 };
static uint64_t *ids;
static size_t id_count;
static void keep_id(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                    uint64_t parent, void *resource)
{
    (void)hook, (void)site, (void)parent, (void)resource;
    if (id_count < IDS)
        ids[id_count++] = id;
}

static void check_ids_differ(void)
{
    qsort(ids, id_count, sizeof *ids, by_number);
    for (size_t i = 1; i < id_count; i++)
        assert_true(ids[i] != ids[i - 1]);
}

TEST(ids_do_not_repeat_over_loops_that_are_closed_and_opened_again)
{
    needs_hooks();
    struct weft_hook hook = {.init = keep_id};
    static struct weft_op many[300];
    ids = calloc(IDS, sizeof *ids);
    assert_non_null(ids);
    id_count = 0;
    for (int round = 0; round < 60; round++) {
        struct world second;
        up();
        world_up_sim(&second, 0);
        assert_int_equal(weft_hook_enable(round % 2 ? &second.loop : &w.loop, &hook), 0);
        struct weft_op *under = round % 2 ? weft_root(&second.loop) : root();
        for (int i = 0; i < 300; i++)
            weft_tick(under, &many[i], weft_ignore);
        for (int i = 0; i < round; i++) {
            weft_tick(under, &ops[0], weft_ignore);
            world_run(round % 2 ? &second : &w);
        }
        ids[id_count++] = weft_id(weft_root(&second.loop));
        if (round % 3 == 0) {
            world_down(&second);
            world_down(&w);
        } else {
            world_down(&w);
            world_down(&second);
        }
        weft_hook_remove(&hook);
    }
    /* the second loop's own id was kept twice where the hook was on it */
    qsort(ids, id_count, sizeof *ids, by_number);
    size_t twice = 0;
    for (size_t i = 1; i < id_count; i++)
        twice += ids[i] == ids[i - 1];
    assert_int_equal(twice, 30);
    free(ids);
}

static void run_many(size_t count, bool chain, bool watched)
{
    struct weft_op *many = calloc(count, sizeof *many);
    assert_non_null(many);
    up_real();
    hook_log_init(&one);
    struct weft_hook hook = {.init = keep_id, .groups = WEFT_USER};
    id_count = 0;
    if (watched)
        assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    for (size_t i = 0; i < count; i++)
        weft_run(chain && i > 0 ? &many[i - 1] : root(), &many[i], NULL, weft_pass);
    uint64_t last = weft_id(&many[count - 1]), first = weft_id(&many[0]);
    assert_int_equal(look(last), 0);
    assert_ptr_equal(found.resource, &many[count - 1]);
    assert_int_equal(found.parent, chain ? weft_id(&many[count - 2]) : weft_id(root()));
    assert_int_equal(look(first), 0);
    assert_ptr_equal(found.resource, &many[0]);
    if (watched)
        weft_hook_cut(&hook, &many[0]);
    weft_hook_remove(&hook);
    for (size_t i = chain ? count - 1 : 0; i < count; i++)
        weft_finish(&many[i], 0);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(look(last), UV_ENOENT);
    assert_int_equal(look(first), UV_ENOENT);
    world_down(&w);
    free(many);
}

enum { A_MILLION = 1000000 };

TEST(a_million_live_ops_are_known)
{
    needs_hooks();
    ids = calloc(IDS, sizeof *ids);
    run_many(A_MILLION, false, true);
    check_ids_differ();
    free(ids);
}

static void deep_unwatched(void)
{
    run_many(A_MILLION, true, false);
}
static void deep_watched(void)
{
    run_many(A_MILLION, true, true);
}

TEST(a_chain_a_million_deep_is_named_on_a_small_stack)
{
    on_a_small_stack(deep_unwatched);
}

TEST(a_chain_a_million_deep_is_seen_cut_and_removed_on_a_small_stack)
{
    needs_hooks();
    ids = calloc(IDS, sizeof *ids);
    on_a_small_stack(deep_watched);
    free(ids);
}

/* ---- no memory ------------------------------------------------------------------------------ */

enum { SOME = 600 };
static struct weft_op some[SOME];
static struct tally {
    unsigned inits, pres, posts, destroys;
} tally;
static void count_init(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                       uint64_t parent, void *resource)
{
    (void)hook, (void)site, (void)parent, (void)resource;
    assert_int_not_equal(id, 0);
    tally.inits++;
}
static void count_pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    (void)hook, (void)id, (void)entry;
    tally.pres++;
}
static void count_post(struct weft_hook *hook, uint64_t id, int outcome)
{
    (void)hook, (void)id, (void)outcome;
    tally.posts++;
}
static void count_destroy(struct weft_hook *hook, uint64_t id)
{
    (void)hook, (void)id;
    tally.destroys++;
}

static void ignore_timer(struct weft_timer *timer)
{
    (void)timer;
}

static void many_at_once(unsigned long n)
{
    struct weft_hook hook = {.init = count_init,
                             .pre = count_pre,
                             .post = count_post,
                             .destroy = count_destroy,
                             .groups = WEFT_USER | WEFT_TIMER};
    struct weft_timer timer = {0};
    uv_loop_t uv;
    struct weft_loop loop;
    (void)n;
    tally = (struct tally){0};
    memset(some, 0, sizeof some);
    seen.calls = 0;
    assert_int_equal(uv_loop_init(&uv), 0);
    if (weft_loop_init(&loop, &uv) != 0) {
        assert_int_equal(uv_loop_close(&uv), 0);
        return;
    }
    if (weft_hook_enable(&loop, &hook) == 0) {
        for (int i = 0; i < SOME; i++)
            weft_tick(&loop.root, &some[i], noted);
        weft_timer_start(&loop, &timer, 1, ignore_timer);
    }
    assert_int_equal(weft_loop_run(&loop), 0);
    assert_int_equal(weft_loop_close(&loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
    /* Seen whole, or not at all. */
    assert_int_equal(tally.pres, tally.inits);
    assert_int_equal(tally.posts, tally.inits);
    assert_int_equal(tally.destroys, tally.inits);
    if (!weft_fault_hit())
        assert_int_equal(tally.inits, SOME + 1);
}

TEST(without_memory_an_op_is_seen_whole_or_not_at_all)
{
    needs_hooks();
    fault_ladder(many_at_once);
    assert_true(fault_ladder_height() > SOME / 256);
}
