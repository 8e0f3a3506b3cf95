/* Listing and searching without memory: each allocation fails once. One explorer, so that the order of
 * allocations is always the same.
 * ctest: labels=valgrind-long timeout=120 */
#include "fault.h"
#include "find_kit.h"

static char root[SCRATCH_PATH];

/* Deep enough for paths that have to grow. */
static void make_tree(void)
{
    char name[SCRATCH_PATH];
    scratch_empty();
    make_folder("tree");
    make_deep("tree/deep", "a folder with a long name, which is in another one", 20, true);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "tree/%d", i);
        make_folder(name);
        snprintf(name, sizeof name, "tree/%d/file", i);
        make_file(name, "one\ntwo\n");
    }
    make_link("..", "tree/0/up");
    scratch_path(root, "tree");
    descriptors(); /* its first call makes a loop */
}

static unsigned found;

static bool listed(struct weft_list *list, const struct weft_tree_entry *entry)
{
    (void)list;
    (void)entry;
    found++;
    return true;
}

static bool matched(struct weft_find *find, const struct weft_find_match *match)
{
    (void)find;
    (void)match;
    found++;
    return true;
}

/* Begin it on a loop of its own, if there is memory for that. */
static void try_it(weft_begin_fn *begin, unsigned all_of_them)
{
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_op op = {0};
    int before = descriptors();
    found = 0;
    assert_int_equal(uv_loop_init(&uv), 0);
    int status = weft_loop_init(&loop, &uv);
    if (status == 0) {
        weft_run(weft_root(&loop), &op, begin, weft_ignore);
        assert_int_equal(weft_loop_run(&loop), 0);
        assert_int_equal(weft_loop_close(&loop), 0);
        status = op.status;
    }
    if (status == 0)
        assert_int_equal(found, all_of_them);
    else
        assert_true(status == UV_ENOMEM && weft_fault_hit());
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
    assert_int_equal(descriptors(), before);
}

/* ---- list ----------------------------------------------------------------------------------- */

static bool follow;

static void begin_list(struct weft_op *op)
{
    static struct weft_list list;
    list = (struct weft_list){.on_found = listed, .tree = {.limit = 1, .follow = follow}};
    weft_list(op, &list, root, weft_pass);
}

static void list_it(unsigned long n)
{
    (void)n;
    try_it(begin_list, 242);
}

TEST(a_listing_without_memory_says_so_and_leaves_nothing)
{
    make_tree();
    follow = false;
    fault_ladder(list_it);
    assert_true(fault_ladder_height() >= 5);
    follow = true;
    fault_ladder(list_it);
    assert_true(fault_ladder_height() >= 100);
}

/* ---- find ----------------------------------------------------------------------------------- */

static enum weft_find_what what;
static bool all;

static void begin_find(struct weft_op *op)
{
    static struct weft_find find;
    const struct weft_text keywords[] = {weft_text_of("one"), weft_text_of("two")};
    find = (struct weft_find){.on_found = matched, .what = what, .all = all, .tree = {.limit = 1}};
    weft_find(op, &find, root, keywords, 2, weft_pass);
}

static void find_it(unsigned long n)
{
    static const unsigned matches[] = {100, 200, 100};
    (void)n;
    try_it(begin_find, matches[what]);
}

TEST(a_search_without_memory_says_so_and_leaves_nothing)
{
    make_tree();
    for (int i = 0; i < 6; i++) {
        what = (enum weft_find_what)(i % 3);
        all = i >= 3;
        fault_ladder(find_it);
        assert_true(fault_ladder_height() >= 8);
    }
}
