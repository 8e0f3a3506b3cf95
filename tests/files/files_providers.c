/* Listing and searching, through the conformance suite.
 * ctest: labels=threads,valgrind-long timeout=120 */
#include "provider.h"
#include "tree_kit.h"
#include <weft/find.h>

#define NOWHERE "/nonexistent/weft"

static char root[SCRATCH_PATH];

static void make_source(struct weft_loop *loop)
{
    (void)loop;
    make_folder("tree");
    make_folder("tree/a");
    make_file("tree/a/one", "a keyword\n");
    make_folder("tree/b");
    make_file("tree/b/two", "no such word\n");
    make_link("..", "tree/b/up");
    scratch_path(root, "tree");
}

static void empty_scratch(struct weft_loop *loop)
{
    (void)loop;
    scratch_empty();
}

/* ---- list ----------------------------------------------------------------------------------- */

struct list_run {
    struct weft_list list;
    unsigned found, errors;
};

static bool listed(struct weft_list *list, const struct weft_tree_entry *entry)
{
    (void)entry;
    weft_owner(list, struct list_run, list)->found++;
    return true;
}

static bool list_failed(struct weft_list *list, const char *path, int status)
{
    (void)path;
    assert_int_equal(status, UV_ELOOP);
    weft_owner(list, struct list_run, list)->errors++;
    return true;
}

static void good_list(void *storage)
{
    struct list_run *run = storage;
    run->list.tree.path = root;
    run->list.tree.limit = 2;
    run->list.on_found = listed;
    run->list.on_error = list_failed;
    run->found = run->errors = 0;
}

static void bad_list(void *storage)
{
    good_list(storage);
    ((struct list_run *)storage)->list.tree.path = NOWHERE;
}

static void list_is_complete(void *storage)
{
    struct list_run *run = storage;
    assert_int_equal(run->found, 5);
    assert_int_equal(run->list.stats.folders, 3);
    assert_int_equal(run->errors, run->list.tree.follow ? 1 : 0);
}

static const struct weft_provider list = {
    .name = "list",
    WEFT_PROVIDER_OP(struct list_run, list.op),
    .begin = weft_list_begin,
    .up = make_source,
    .down = empty_scratch,
    .good = good_list,
    .bad = bad_list,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = list_is_complete,
};

TEST(list_conforms)
{
    provider_check(&list);
}

static void good_follow(void *storage)
{
    good_list(storage);
    ((struct list_run *)storage)->list.tree.follow = true;
}

static const struct weft_provider list_following = {
    .name = "list, links followed",
    WEFT_PROVIDER_OP(struct list_run, list.op),
    .begin = weft_list_begin,
    .up = make_source,
    .down = empty_scratch,
    .good = good_follow,
    .bad = bad_list,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = list_is_complete,
};

TEST(list_conforms_where_links_are_followed)
{
    provider_check(&list_following);
}

/* ---- find ----------------------------------------------------------------------------------- */

struct find_run {
    struct weft_find find;
    struct weft_text keywords[2];
    unsigned found;
};

static bool found(struct weft_find *find, const struct weft_find_match *match)
{
    (void)match;
    weft_owner(find, struct find_run, find)->found++;
    return true;
}

static void good_find(void *storage)
{
    struct find_run *run = storage;
    run->keywords[0] = weft_text_of("keyword");
    run->keywords[1] = weft_text_of("a ");
    run->find.tree.path = root;
    run->find.tree.limit = 2;
    run->find.keywords = run->keywords;
    run->find.keyword_count = 2;
    run->find.all = true;
    run->find.what = WEFT_FIND_LINES;
    run->find.on_found = found;
    run->found = 0;
}

static void bad_find(void *storage)
{
    good_find(storage);
    ((struct find_run *)storage)->find.tree.path = NOWHERE;
}

static void find_is_complete(void *storage)
{
    struct find_run *run = storage;
    assert_int_equal(run->found, 1);
    assert_int_equal(run->find.files, 2);
}

static const struct weft_provider find = {
    .name = "find",
    WEFT_PROVIDER_OP(struct find_run, find.op),
    .begin = weft_find_begin,
    .up = make_source,
    .down = empty_scratch,
    .good = good_find,
    .bad = bad_find,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = find_is_complete,
};

TEST(find_conforms)
{
    provider_check(&find);
}
