/* Listing trees that are far too deep and far too wide for anything but a program.
 * ctest: labels=threads timeout=240 shuffle=no */
#include "tree_kit.h"
#include <limits.h>

static void reset(void)
{
    scratch_empty();
    tree_reset();
}

TEST(a_tree_may_be_far_deeper_than_a_path_is_long)
{
    enum { LEVELS = 3000 };
    reset();
    make_deep("tree", "ten bytes.", LEVELS, true);
    for (unsigned limit = 1; limit <= 4; limit += 3) {
        for (int follow = 0; follow < 2; follow++) {
            tree_reset();
            tree.list.tree.limit = limit;
            tree.list.tree.follow = follow;
            assert_int_equal(list_tree("tree"), 0);
            assert_int_equal(tree.errors, 0);
            assert_int_equal(tree.count, 2 * LEVELS);
            assert_int_equal(tree.list.stats.folders, LEVELS + 1);
        }
    }
    reset();
}

static unsigned only_enter(const struct weft_tree *its, const struct weft_tree_entry *entry)
{
    (void)its;
    (void)entry;
    return WEFT_TREE_ENTER;
}

TEST(a_path_of_more_than_a_mebibyte_is_the_end_of_the_way)
{
    char name[NAME_MAX + 1];
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    reset();
    make_deep("tree", name, 4150, false);
    tree.list.tree.choose = only_enter;
    tree.list.tree.limit = 1;
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.errors, 1);
    assert_int_equal(tree.error, UV_ENAMETOOLONG);
    assert_in_range(tree.list.stats.entries, 4090, 4097);
    reset();
}

TEST(a_hundred_thousand_entries_in_one_folder_are_all_found)
{
    enum { MANY = 100 * 1000 };
    char name[32], path[SCRATCH_PATH];
    reset();
    make_folder("tree");
    int at = open(scratch_path(path, "tree"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(symlinkat("x", at, name), 0);
    }
    close(at);
    for (unsigned limit = 1; limit <= 4; limit += 3) {
        tree_reset();
        tree.list.tree.limit = limit;
        assert_int_equal(list_tree("tree"), 0);
        assert_int_equal(tree.count, MANY);
        assert_int_equal(tree.list.stats.entries, MANY);
        for (size_t i = 1; i < tree.count; i++)
            assert_true(strcmp(tree.lines[i - 1], tree.lines[i]) < 0);
    }
    reset();
}
