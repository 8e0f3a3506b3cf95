/* What a listing finds.
 * ctest: labels=threads,valgrind timeout=120 */
#include "nobody.h"
#include "tree_kit.h"
#include <limits.h>

static void fresh(void)
{
    scratch_empty();
    tree_reset();
}

/* ---- what there is -------------------------------------------------------------------------- */

TEST(an_empty_folder_has_nothing_in_it)
{
    fresh();
    make_folder("tree");
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("");
    assert_int_equal(tree.list.stats.folders, 1);
    assert_int_equal(tree.list.stats.entries, 0);
}

TEST(everything_below_is_found_with_its_kind)
{
    char path[SCRATCH_PATH];
    fresh();
    make_folder("tree");
    make_file("tree/file", "");
    make_folder("tree/folder");
    make_folder("tree/folder/empty");
    make_file("tree/folder/.hidden", "");
    make_link("folder", "tree/link");
    make_link("nowhere", "tree/nowhere");
    make_pipe("tree/pipe");
    make_socket("tree/socket");
    bool device = scratch_device(path, "tree/z");
    assert_int_equal(list_tree("tree"), 0);
    if (device) {
        assert_string_equal(tree.lines[0], "c z");
        free(tree.lines[0]);
        memmove(tree.lines, tree.lines + 1, --tree.count * sizeof *tree.lines);
    }
    found_exactly("d folder\n"
                  "d folder/empty\n"
                  "f file\n"
                  "f folder/.hidden\n"
                  "l link\n"
                  "l nowhere\n"
                  "p pipe\n"
                  "s socket\n");
    assert_int_equal(tree.list.stats.folders, 3);
    assert_int_equal(tree.list.stats.entries, 8 + device);
}

TEST(names_are_bytes)
{
    char longest[300] = "tree/";
    fresh();
    make_folder("tree");
    make_file("tree/new\nline", "");
    make_file("tree/-dash", "");
    make_file("tree/...", "");
    make_file("tree/ ", "");
    make_file("tree/\xff\xfe", "");
    make_file("tree/\x01\x1b[2J", "");
    memset(longest + 5, 'n', NAME_MAX);
    make_file(longest, "");
    assert_int_equal(list_tree("tree"), 0);
    char expected[400];
    snprintf(expected, sizeof expected,
             "f \x01\x1b[2J\nf  \nf -dash\nf ...\nf new\nline\nf %s\nf \xff\xfe\n", longest + 5);
    found_exactly(expected);
}

/* ---- the folder itself ---------------------------------------------------------------------- */

static void make_small(void)
{
    fresh();
    make_folder("tree");
    make_folder("tree/a");
    make_file("tree/a/b", "");
    make_file("tree/c", "");
}

#define SMALL                                                                                      \
    "d a\n"                                                                                        \
    "f a/b\n"                                                                                      \
    "f c\n"

TEST(slashes_at_the_end_of_the_path_do_not_matter)
{
    char path[SCRATCH_PATH];
    make_small();
    for (int slashes = 0; slashes < 4; slashes++) {
        tree_reset();
        snprintf(path, sizeof path, "%s/tree%.*s", scratch_dir(), slashes, "////");
        assert_int_equal(list_path(path), 0);
        found_exactly(SMALL);
    }
}

TEST(the_working_directory_has_names_like_any_other)
{
    static const char *const names[] = {".", "./", "./.", "../tree", "a/.."};
    char path[SCRATCH_PATH], before[PATH_MAX];
    make_small();
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch_path(path, "tree")), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tree_reset();
        assert_int_equal(list_path(names[i]), 0);
        found_exactly(SMALL);
    }
    assert_int_equal(chdir(before), 0);
}

/* A path that is too long for the kernel is opened in pieces; where it is cut there may be slashes. */
TEST(a_path_of_many_slashes_leads_where_a_short_one_does)
{
    static char path[3 * PATH_MAX], slashes[2 * PATH_MAX + 1];
    make_small();
    memset(slashes, '/', sizeof slashes - 1);
    for (int before = 1; before < 2 * PATH_MAX; before += 911) {
        for (int behind = 0; behind < PATH_MAX; behind += PATH_MAX / 3) {
            tree_reset();
            snprintf(path, sizeof path, "%s%.*stree%.*s", scratch_dir(), before, slashes, behind,
                     slashes);
            assert_int_equal(list_path(path), 0);
            found_exactly(SMALL);
        }
    }
}

static void ends_with(int status, const char *path)
{
    tree_reset();
    assert_int_equal(list_path(path), status);
    assert_int_equal(tree.count, 0);
    assert_int_equal(tree.errors, 0);
}

TEST(what_is_no_folder_says_so)
{
    char path[SCRATCH_PATH];
    fresh();
    make_file("file", "");
    make_pipe("pipe");
    make_link("missing", "nowhere");
    make_link("self", "self");
    ends_with(UV_ENOTDIR, scratch_path(path, "file"));
    ends_with(UV_ENOTDIR, scratch_path(path, "pipe"));
    ends_with(UV_ENOTDIR, scratch_path(path, "file/below"));
    ends_with(UV_ENOENT, scratch_path(path, "missing"));
    ends_with(UV_ENOENT, scratch_path(path, "nowhere"));
    ends_with(UV_ELOOP, scratch_path(path, "self"));
    ends_with(UV_EINVAL, "");
}

TEST(no_path_and_nobody_to_tell_are_invalid)
{
    struct world w;
    world_up(&w);
    tree_reset();
    tree.list.on_found = tree_found;
    weft_list(weft_root(&w.loop), &tree.list, NULL, noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    tree.list.on_found = NULL;
    weft_list(weft_root(&w.loop), &tree.list, "/", noted);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, UV_EINVAL);
}

TEST(the_folder_itself_may_be_a_link)
{
    make_small();
    make_link("tree", "link");
    assert_int_equal(list_tree("link"), 0);
    found_exactly(SMALL);
}

TEST(the_path_may_go_when_the_listing_has_begun)
{
    struct world w;
    char path[SCRATCH_PATH];
    make_small();
    world_up(&w);
    tree_start(weft_root(&w.loop), scratch_path(path, "tree"), noted);
    memset(path, 'x', sizeof path);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(tree.count, 3);
}

/* ---- what may not be read ------------------------------------------------------------------- */

static int list_as_nobody(const char *name)
{
    char path[SCRATCH_PATH];
    struct world w;
    scratch_path(path, name);
    nobody_begin(scratch_dir());
    world_up(&w);
    tree_start(weft_root(&w.loop), path, noted);
    int stuck = world_run(&w);
    nobody_end();
    assert_int_equal(stuck, 0);
    world_close(&w);
    if (tree.count > 0)
        qsort(tree.lines, tree.count, sizeof *tree.lines, compare_lines);
    return seen.status;
}

TEST(a_folder_that_may_not_be_read_is_told_of_and_the_rest_goes_on)
{
    char path[SCRATCH_PATH];
    make_small();
    make_folder("tree/secret");
    make_file("tree/secret/inside", "");
    assert_int_equal(chmod(scratch_path(path, "tree/secret"), 0), 0);
    int status = list_as_nobody("tree");
    chmod(path, 0700);
    assert_int_equal(status, 0);
    found_exactly("d a\nd secret\nf a/b\nf c\n");
    assert_int_equal(tree.errors, 1);
    assert_int_equal(tree.error, UV_EACCES);
    assert_string_equal(tree.error_path, path);
    assert_int_equal(tree.list.stats.errors, 1);
    assert_int_equal(tree.list.stats.folders, 2);
}

TEST(errors_are_counted_if_nobody_wants_to_hear_of_them)
{
    char path[SCRATCH_PATH];
    struct world w;
    make_small();
    make_folder("tree/secret");
    assert_int_equal(chmod(scratch_path(path, "tree/secret"), 0), 0);
    scratch_path(path, "tree");
    nobody_begin(scratch_dir());
    world_up(&w);
    tree_start(weft_root(&w.loop), path, noted);
    tree.list.on_error = NULL;
    int stuck = world_run(&w);
    nobody_end();
    chmod(scratch_path(path, "tree/secret"), 0700);
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(tree.list.stats.errors, 1);
    assert_int_equal(tree.errors, 0);
}

TEST(the_whole_fails_if_the_folder_itself_may_not_be_read)
{
    char path[SCRATCH_PATH];
    fresh();
    make_folder("secret");
    assert_int_equal(chmod(scratch_path(path, "secret"), 0), 0);
    int status = list_as_nobody("secret");
    chmod(path, 0700);
    assert_int_equal(status, UV_EACCES);
    assert_int_equal(tree.errors, 0);
    assert_int_equal(tree.count, 0);
}

/* Its names can be read, but nothing can be asked about them, or opened. */
TEST(a_folder_that_may_be_read_and_not_searched_has_names_only)
{
    char path[SCRATCH_PATH];
    make_small();
    assert_int_equal(chmod(scratch_path(path, "tree"), 0744), 0);
    int status = list_as_nobody("tree");
    chmod(path, 0755);
    assert_int_equal(status, 0);
    found_exactly("d a\nf c\n");
    assert_int_equal(tree.errors, 1);
    assert_int_equal(tree.error, UV_EACCES);
}

/* ---- how deep ------------------------------------------------------------------------------- */

TEST(a_depth_ends_the_way_down)
{
    static const char *const found[] = {
        "d 1\nd 1/2\nd 1/2/3\nf 1/2/3/4\nf 1/f\nf f\n", "d 1\nf f\n", "d 1\nd 1/2\nf 1/f\nf f\n",
        "d 1\nd 1/2\nd 1/2/3\nf 1/f\nf f\n", "d 1\nd 1/2\nd 1/2/3\nf 1/2/3/4\nf 1/f\nf f\n"};
    fresh();
    make_folder("tree");
    make_folder("tree/1");
    make_folder("tree/1/2");
    make_folder("tree/1/2/3");
    make_file("tree/1/2/3/4", "");
    make_file("tree/1/f", "");
    make_file("tree/f", "");
    for (size_t depth = 0; depth < 5; depth++) {
        tree_reset();
        tree.list.tree.depth = depth;
        assert_int_equal(list_tree("tree"), 0);
        found_exactly(found[depth]);
    }
    tree_reset();
    tree.list.tree.depth = SIZE_MAX;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly(found[0]);
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* What a name begins with says what is chosen. */
static unsigned choose(const struct weft_tree *its, const struct weft_tree_entry *entry)
{
    assert_ptr_equal(its->choosing, &tree);
    check_entry(entry);
    switch (entry->path[entry->name]) {
    case 's':
        return WEFT_TREE_SKIP;
    case 't':
        return WEFT_TREE_TAKE;
    case 'e':
        return WEFT_TREE_ENTER;
    default:
        return WEFT_TREE_TAKE | WEFT_TREE_ENTER;
    }
}

TEST(what_is_taken_and_what_is_entered_is_chosen_apart)
{
    static const char *const names[] = {"skip", "take", "enter", "both"};
    char name[100];
    fresh();
    make_folder("tree");
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "tree/%s", names[i]);
        make_folder(name);
        for (int j = 0; j < 4; j++) {
            snprintf(name, sizeof name, "tree/%s/%s", names[i], names[j]);
            make_file(name, "");
        }
    }
    tree.list.tree.choose = choose;
    tree.list.tree.choosing = &tree;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d both\nd take\nf both/both\nf both/take\nf enter/both\nf enter/take\n");
    assert_int_equal(tree.list.stats.folders, 3);
    assert_int_equal(tree.list.stats.entries, 12);
}

/* ---- links ---------------------------------------------------------------------------------- */

TEST(links_that_are_followed_are_what_they_lead_to)
{
    fresh();
    make_folder("tree");
    make_folder("tree/folder");
    make_file("tree/folder/in", "");
    make_file("outside", "");
    make_link("../outside", "tree/to-file");
    make_link("folder", "tree/to-folder");
    make_link("to-folder", "tree/two-steps");
    make_link("nowhere", "tree/nowhere");
    make_link("self", "tree/self");
    tree.list.tree.follow = true;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d folder\nd to-folder\nd two-steps\nf folder/in\nf to-file\nf to-folder/in\n"
                  "f two-steps/in\nl nowhere\nl self\n");
    assert_int_equal(tree.errors, 0);
}

TEST(a_loop_is_told_once_and_not_entered_again)
{
    char path[SCRATCH_PATH];
    fresh();
    make_folder("tree");
    make_folder("tree/a");
    make_folder("tree/a/b");
    make_file("tree/a/b/c", "");
    make_link("..", "tree/a/b/up");
    tree.list.tree.follow = true;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d a\nd a/b\nd a/b/up\nf a/b/c\n");
    assert_int_equal(tree.errors, 1);
    assert_int_equal(tree.error, UV_ELOOP);
    assert_string_equal(tree.error_path, scratch_path(path, "tree/a/b/up"));
}

TEST(a_link_to_the_folder_itself_and_above_it_is_a_loop)
{
    fresh();
    make_folder("above");
    make_folder("above/tree");
    make_link(".", "above/tree/self");
    tree.list.tree.follow = true;
    assert_int_equal(list_tree("above/tree"), 0);
    found_exactly("d self\n");
    assert_int_equal(tree.errors, 1);
    tree_reset();
    make_link("..", "above/tree/up"); /* that is entered once, and in it tree is the loop */
    tree.list.tree.follow = true;
    assert_int_equal(list_tree("above/tree"), 0);
    found_exactly("d self\nd up\nd up/tree\n");
    assert_int_equal(tree.errors, 2);
}

TEST(links_that_lead_into_each_others_folders_end)
{
    fresh();
    make_folder("tree");
    make_folder("tree/a");
    make_folder("tree/b");
    make_link("../b", "tree/a/to-b");
    make_link("../a", "tree/b/to-a");
    tree.list.tree.follow = true;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d a\nd a/to-b\nd a/to-b/to-a\nd b\nd b/to-a\nd b/to-a/to-b\n");
    assert_int_equal(tree.errors, 2);
    assert_int_equal(tree.error, UV_ELOOP);
}

TEST(a_folder_that_is_reached_by_two_ways_is_listed_twice)
{
    fresh();
    make_folder("tree");
    make_folder("tree/d");
    make_file("tree/d/f", "");
    make_link("d", "tree/one");
    make_link("d", "tree/two");
    tree.list.tree.follow = true;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d d\nd one\nd two\nf d/f\nf one/f\nf two/f\n");
    assert_int_equal(tree.errors, 0);
}

/* Each folder has two links to the next one: twice as many ways at each level. */
TEST(a_farm_of_links_is_kept_in_check_by_a_depth)
{
    char name[64], to[64];
    fresh();
    make_folder("tree");
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "tree/%d", i);
        make_folder(name);
        snprintf(to, sizeof to, "../%d", i + 1);
        for (int j = 0; j < 2; j++) {
            snprintf(name, sizeof name, "tree/%d/%c", i, "ab"[j]);
            make_link(to, name);
        }
    }
    tree.list.tree.follow = true;
    tree.list.tree.depth = 4;
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.count, 40 + 2 * 40 + 4 * 39 + 8 * 38);
}

TEST(without_following_a_farm_of_links_is_only_links)
{
    fresh();
    make_folder("tree");
    make_link("..", "tree/up");
    make_link(".", "tree/self");
    make_link("/", "tree/root");
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("l root\nl self\nl up\n");
    assert_int_equal(tree.errors, 0);
}
