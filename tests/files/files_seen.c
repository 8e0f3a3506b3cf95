/* Listings and searches as hooks see them, and the context of what runs on threads for them.
 * ctest: labels=threads,valgrind-long needs=hooks */
#include "find_kit.h"
#include "hook_log.h"
#include <stdatomic.h>
#include <weft/context.h>
#include <weft/hook.h>

static struct world w;
static struct hook_log log_;
static char root[SCRATCH_PATH];

static void make_tree(void)
{
    scratch_empty();
    tree_reset();
    search_reset();
    make_folder("tree");
    make_folder("tree/a");
    make_file("tree/a/b", "keyword\n");
    scratch_path(root, "tree");
    world_up(&w);
    hook_log_init(&log_);
    assert_int_equal(weft_hook_enable(&w.loop, &log_.hook), 0);
}

static uint64_t id_of(const char *name)
{
    return hook_log_find(&log_, name)->id;
}

static uint64_t parent_of(const char *name)
{
    return hook_log_find(&log_, name)->parent;
}

TEST(a_listing_is_a_tree_of_operations)
{
    make_tree();
    tree_start(weft_root(&w.loop), root, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(parent_of("tree_walk"), id_of("list"));
    assert_int_equal(parent_of("tree_visit"), id_of("tree_walk"));
    hook_log_check_over(&log_);
}

static bool once(const struct weft_tree_entry *entry)
{
    (void)entry;
    return tree.count != 1;
}

TEST(a_pause_is_an_operation_of_the_walk)
{
    make_tree();
    tree.on_each = once;
    tree_start(weft_root(&w.loop), root, noted);
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(parent_of("tree_pause"), id_of("tree_walk"));
    assert_false(hook_log_find(&log_, "tree_pause")->over);
    weft_list_resume(&tree.list);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    hook_log_check_over(&log_);
}

TEST(a_search_is_a_tree_of_operations)
{
    struct weft_text keyword = weft_text_of("keyword");
    make_tree();
    search_start(weft_root(&w.loop), root, &keyword, 1, noted);
    world_down(&w);
    assert_int_equal(search.count, 1);
    assert_int_equal(parent_of("tree_walk"), id_of("find"));
    assert_int_equal(parent_of("tree_visit"), id_of("tree_walk"));
    hook_log_check_over(&log_);
}

/* ---- context -------------------------------------------------------------------------------- */

static struct weft_key key = {.name = "whose"};
static int mine, somebody_elses;
static atomic_uint looks;

static unsigned choose(const struct weft_tree *its, const struct weft_tree_entry *entry)
{
    (void)its;
    (void)entry;
    if (weft_context_get(weft_current(), &key) == &mine)
        atomic_fetch_add(&looks, 1);
    return WEFT_TREE_TAKE | WEFT_TREE_ENTER;
}

static bool found_in_context(const struct weft_tree_entry *entry)
{
    (void)entry;
    assert_ptr_equal(weft_context_get(weft_current(), &key), &mine);
    assert_ptr_equal(weft_context_get(&tree.list.op, &key), &mine);
    return true;
}

static void begin(struct weft_op *op)
{
    assert_int_equal(weft_context_set(op, &key, &mine), 0);
    tree_start(op, root, weft_pass);
}

static void begin_other(struct weft_op *op)
{
    assert_int_equal(weft_context_set(op, &key, &somebody_elses), 0);
    weft_join(op);
}

TEST(the_context_reaches_choose_on_its_thread_and_what_is_told)
{
    struct weft_op op = {0}, other = {0};
    make_tree();
    atomic_store(&looks, 0);
    tree.list.tree.choose = choose;
    tree.on_each = found_in_context;
    weft_run(weft_root(&w.loop), &op, begin, noted);
    weft_run(weft_root(&w.loop), &other, begin_other, weft_ignore);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(tree.count, 2);
    assert_int_equal(atomic_load(&looks), 2);
    hook_log_check_over(&log_);
}
