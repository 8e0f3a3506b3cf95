/* A site as a tree: every URL counts on its whole way, and the tree stays as large as it may be.
 * ctest: shuffle=no */
#include "spider/tree.h"
#include "check.h"
#include "fault.h"
#include "scratch.h"
#include <stdio.h>
#include <sys/stat.h>
#include <weft.h>

static struct weft_crawl crawl;
static struct tree tree;
static struct weft_url url;

static void up(void)
{
    char folder[SCRATCH_PATH];
    mkdir(scratch_path(folder, "tree"), 0777);
    crawl = (struct weft_crawl){0};
    tree = (struct tree){0};
    url = (struct weft_url){0};
    assert_int_equal(weft_crawl_open(&crawl, folder, NULL), 0);
}

static void down(void)
{
    tree_free(&tree);
    weft_url_free(&url);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    scratch_empty();
}

static int add(const char *text, enum weft_crawl_what what, uint64_t size)
{
    struct weft_crawl_result result = {.what = what, .size = size, .http_status = 200};
    int err = weft_url_parse(&url, weft_text_of(text), NULL);
    return err == 0 ? tree_add(&tree, &crawl, &url, &result) : err;
}

static const struct tree_node *node(const char *name)
{
    for (size_t i = 0; i < tree.count; i++) {
        if (weft_text_is(tree_name(&tree, &tree.nodes[i]), name))
            return &tree.nodes[i];
    }
    fail_msg("there is no %s", name);
    return NULL;
}

TEST(a_url_is_a_host_its_folders_and_a_page)
{
    up();
    assert_int_equal(add("http://h/", WEFT_CRAWL_DONE, 1), 0);
    assert_int_equal(add("http://h/a/b/c.html", WEFT_CRAWL_DONE, 10), 0);
    assert_int_equal(add("http://h/a/b/", WEFT_CRAWL_DONE, 100), 0);
    assert_int_equal(add("http://h/a/b", WEFT_CRAWL_FAILED, 1000), 0);
    assert_int_equal(add("http://h/s?q=/x/y", WEFT_CRAWL_MOVED, 5), 0);
    assert_int_equal(add("https://h/a/", WEFT_CRAWL_WAITING, 5), 0);
    assert_int_equal(tree.count, 8);
    assert_int_equal(node("http://h")->all.urls, 5);
    assert_int_equal(node("http://h")->all.saved, 3);
    assert_int_equal(node("http://h")->all.failed, 1);
    assert_int_equal(node("http://h")->all.bytes, 111); /* only of what is saved */
    assert_int_equal(node("http://h")->what, WEFT_CRAWL_DONE);
    assert_int_equal(node("a/")->what, 0); /* nobody asked for it */
    assert_int_equal(node("a/")->all.urls, 3);
    assert_int_equal(node("b/")->all.urls, 2);
    assert_int_equal(node("b/")->what, WEFT_CRAWL_DONE);
    assert_int_equal(node("b")->what, WEFT_CRAWL_FAILED);
    assert_int_equal(node("s?q=/x/y")->what, WEFT_CRAWL_MOVED);
    assert_int_equal(node("https://h")->all.urls, 1);
    down();
}

TEST(a_folder_with_too_many_pages_sums_up_the_rest)
{
    char text[64];
    up();
    for (unsigned i = 0; i < TREE_CHILDREN + 7; i++) {
        snprintf(text, sizeof text, "http://h/f/%u", i);
        assert_int_equal(add(text, WEFT_CRAWL_DONE, 2), 0);
    }
    assert_int_equal(node("f/")->children, TREE_CHILDREN);
    assert_int_equal(node("f/")->all.urls, TREE_CHILDREN + 7);
    assert_int_equal(node("f/")->rest.urls, 7);
    assert_int_equal(node("f/")->rest.bytes, 14);
    assert_int_equal(node("http://h")->all.urls, TREE_CHILDREN + 7);
    down();
}

TEST(a_tree_that_is_full_still_counts_and_a_way_without_an_end_has_one)
{
    char text[64], deep[4 * TREE_DEPTH + 64] = "http://h/";
    up();
    for (unsigned i = 0; i < TREE_NODES + 500; i++) {
        snprintf(text, sizeof text, "http://h/%u/%u/%u", i % 20, i % 300, i);
        assert_int_equal(add(text, WEFT_CRAWL_DONE, 1), 0);
    }
    assert_int_equal(tree.count, TREE_NODES);
    assert_int_equal(tree.nodes[0].all.urls, TREE_NODES + 500);
    assert_int_equal(add("http://other/", WEFT_CRAWL_DONE, 1), 0); /* not even a host */
    assert_int_equal(tree.count, TREE_NODES);
    down();
    up();
    for (unsigned i = 0; i < 2 * TREE_DEPTH; i++)
        strcat(deep, "d/");
    assert_int_equal(add(deep, WEFT_CRAWL_DONE, 1), 0);
    assert_int_equal(tree.count, TREE_DEPTH + 1);
    assert_int_equal(tree.nodes[tree.count - 1].rest.urls, 1);
    down();
}

static void grow_one(unsigned long n)
{
    (void)n;
    struct weft_crawl_result result = {.what = WEFT_CRAWL_DONE};
    tree = (struct tree){0};
    int err = tree_add(&tree, &crawl, &url, &result);
    assert_true(err == 0 || err == UV_ENOMEM);
    tree_free(&tree);
}

TEST(a_tree_survives_running_out_of_memory)
{
    up();
    assert_int_equal(weft_url_parse(&url, weft_text_of("http://h/a/b?c"), NULL), 0);
    fault_ladder(grow_one);
    assert_in_range(fault_ladder_height(), 3, 10);
    down();
}
