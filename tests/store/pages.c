/* ctest: labels=valgrind shuffle=no */
/* The look at an LMDB file: one that is right passes; one with a single thing wrong does not, and
 * that thing is told. The file is made here, byte by byte, with pages of 512 bytes:
 *
 *   0, 1   the heads                          5   urls, below 3: ids 3 and 4
 *   2      the main tree: "things", "urls"    6   the list of free pages: one, 10
 *   3      urls: a branch, to 4 and 5         7   things: a long value
 *   4      urls, below 3: ids 1 and 2         8, 9   that value */
#include "check.h"
#include "store/crawl/pages.h"
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <weft/error.h>

enum { PAGE = 512, PAGES = 10, BRANCH = 1, LEAF = 2, LONG_VALUE = 4, META = 8 };

static char *file; /* of exactly its size: whoever reads beyond it is seen by valgrind and ASan */

static void put(size_t at, uint64_t number, unsigned bytes)
{
    memcpy(file + at, &number,
           bytes); /* as everything here, for machines with the low byte first */
}

static void put_tree(size_t at, unsigned flags, unsigned depth, unsigned entries, uint64_t root)
{
    put(at, at < 2 * PAGE && flags != 0 ? PAGE : 0, 4);
    put(at + 4, flags, 2);
    put(at + 6, depth, 2);
    put(at + 32, entries, 8);
    put(at + 40, root, 8);
}

static void put_head(unsigned page, uint64_t transaction, uint64_t last)
{
    size_t at = (size_t)page * PAGE;
    put(at, page, 8);
    put(at + 10, META, 2);
    put(at + 16, 0xBEEFC0DE, 4);
    put(at + 20, 1, 4);
    put(at + 32, 1 << 20, 8);
    put(at + 16 + 120, last, 8);
    put(at + 16 + 128, transaction, 8);
}

static void put_page(unsigned page, unsigned flags)
{
    size_t at = (size_t)page * PAGE;
    put(at, page, 8);
    put(at + 10, flags, 2);
    put(at + 12, 16, 2);
    put(at + 14, PAGE, 2);
}

/* A node; where its data lies. low and flags are the size of the data, or the page below. */
static size_t put_node(unsigned page, uint64_t low, unsigned flags, const void *key,
                       unsigned key_size, unsigned room)
{
    size_t at = (size_t)page * PAGE;
    uint16_t lower, upper;
    memcpy(&lower, file + at + 12, 2);
    memcpy(&upper, file + at + 14, 2);
    upper = (uint16_t)(upper - ((8 + key_size + room + 1) & ~1U));
    put(at + lower, upper, 2);
    put(at + 12, lower + 2U, 2);
    put(at + 14, upper, 2);
    put(at + upper, low, 4);
    put(at + upper + 4, flags, 2);
    put(at + upper + 6, key_size, 2);
    memcpy(file + at + upper + 8, key, key_size);
    return at + upper + 8 + key_size;
}

static size_t tree_things, tree_urls, free_list, long_value; /* where they lie */

static void make(void)
{
    static const uint32_t ids[] = {1, 2, 3, 4};
    static const uint64_t transaction = 1;
    file = calloc(PAGES, PAGE);
    assert_non_null(file);
    put_head(0, 2, 10);
    put_tree(16 + 24, 8, 1, 1, 6);
    put_tree(16 + 72, 0, 1, 2, 2);
    put_head(1, 1, 1);
    put_tree(PAGE + 16 + 24, 8, 0, 0, UINT64_MAX);
    put_tree(PAGE + 16 + 72, 0, 0, 0, UINT64_MAX);
    for (unsigned page = 2; page <= 7; page++)
        put_page(page, page == 3 ? BRANCH : LEAF);
    put_tree(tree_things = put_node(2, 48, 2, "things", 6, 48), 0, 1, 1, 7);
    put_tree(tree_urls = put_node(2, 48, 2, "urls", 4, 48), 8, 2, 4, 3);
    put_node(3, 4, 0, "", 0, 0);
    put_node(3, 5, 0, &ids[2], 4, 0);
    for (unsigned i = 0; i < 4; i++)
        put_node(4 + i / 2, 10, 0, &ids[i], 4, 10);
    free_list = put_node(6, 16, 0, &transaction, 8, 16);
    put(free_list, 1, 8);
    put(free_list + 8, 10, 8);
    put(long_value = put_node(7, 600, 1, "key", 3, 8), 8, 8);
    put(8 * PAGE, 8, 8);
    put(8 * PAGE + 10, LONG_VALUE, 2);
    put(8 * PAGE + 12, 2, 4);
}

/* What is wrong with it; NULL: nothing. */
static const char *look(size_t size)
{
    const char *trouble;
    char *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, file, size);
    int err = weft__crawl_pages_look(exact, size, &trouble);
    assert_int_equal(err, trouble != NULL ? WEFT_EDAMAGED : 0);
    free(exact);
    return trouble;
}

/* With another number at this place the trouble is this; then it is as before. */
static void try(size_t at, uint64_t number, unsigned bytes, const char *expected)
{
    uint64_t before = 0;
    memcpy(&before, file + at, bytes);
    put(at, number, bytes);
    const char *trouble = look((size_t)PAGES * PAGE);
    if (trouble == NULL || strcmp(trouble, expected) != 0)
        print_error("%zu: %s\n", at, trouble != NULL ? trouble : "nothing");
    assert_non_null(trouble);
    assert_string_equal(trouble, expected);
    put(at, before, bytes);
}

static size_t node(unsigned page, unsigned i)
{
    uint16_t offset;
    memcpy(&offset, file + (size_t)page * PAGE + 16 + (size_t)2 * i, 2);
    return (size_t)page * PAGE + offset;
}

TEST(a_file_that_is_right_passes)
{
    make();
    assert_null(look((size_t)PAGES * PAGE));
    free(file);
}

TEST(a_file_passes_only_as_a_whole)
{
    make();
    for (size_t size = 0; size < (size_t)PAGES * PAGE; size++)
        assert_string_equal(look(size), "its end is missing");
    free(file);
}

TEST(heads_have_to_be_heads)
{
    make();
    try(10, LEAF, 2, "its head is wrong");
    try(16, 1, 4, "its head is wrong");
    try(20, 2, 4, "its head is wrong");
    try(40, 513, 4, "its head is wrong");
    try(40, 256, 4, "its head is wrong");
    try(40, 65536, 4, "its head is wrong");
    try(PAGE + 16, 1, 4, "its head is wrong");
    try(PAGE + 40, 1024, 4, "its head is wrong");
    try(44, 9, 2, "its head is wrong");
    try(92, 4, 2, "its head is wrong");
    try(136, 0, 8, "its head is wrong");
    try(136, UINT64_MAX, 8, "its head is wrong");
    try(144, 4, 8, "its two heads do not belong together");
    try(144, 0, 8, "its two heads do not belong together");
    try(PAGE + 144, 0, 8, "its two heads do not belong together");
    free(file);
}

TEST(trees_have_to_have_what_they_say)
{
    make();
    try(tree_urls + 32, 3, 8, "entries are missing");
    try(tree_urls + 32, 5, 8, "entries are missing");
    try(tree_urls + 40, UINT64_MAX, 8, "a tree has lost its root");
    try(tree_urls + 40, 4, 8, "a page is not what it should be");
    try(tree_urls + 6, 0, 2, "the head of a tree is wrong");
    try(tree_urls + 6, 33, 2, "the head of a tree is wrong");
    try(tree_urls + 6, 1, 2, "a page is not what it should be");
    try(tree_urls + 4, 4, 2, "the head of a tree is wrong");
    try(node(2, 1), 47, 4, "the head of a tree is wrong");
    try(node(2, 1) + 4, 0, 2, "a value is of no known kind");
    free(file);
}

TEST(pages_have_to_be_in_their_places)
{
    make();
    try(node(3, 0), 1, 4, "a page is named that cannot be");
    try(node(3, 0), 11, 4, "a page is named that cannot be");
    try(node(3, 0), 10, 4, "its end is missing");
    try(node(3, 0) + 4, 1, 2, "a page is named that cannot be");
    try(node(3, 1), 4, 4, "a page is used twice");
    try(tree_things + 40, 5, 8, "entries are missing");
    try(4 * PAGE, 5, 8, "a page is not what it should be");
    try(4 * PAGE + 10, BRANCH, 2, "a page is not what it should be");
    try(4 * PAGE + 12, 16, 2, "the head of a page is wrong");
    try(4 * PAGE + 12, 19, 2, "the head of a page is wrong");
    try(4 * PAGE + 12, 510, 2, "the head of a page is wrong");
    try(4 * PAGE + 14, 514, 2, "the head of a page is wrong");
    free(file);
}

TEST(nodes_stay_within_their_pages)
{
    make();
    try(4 * PAGE + 16, 20, 2, "a node lies outside of its page");
    try(4 * PAGE + 16, 505, 2, "a node lies outside of its page");
    try(4 * PAGE + 16, 65535, 2, "a node lies outside of its page");
    try(node(4, 0) + 6, 600, 2, "a key leaves its page");
    try(node(4, 0), 600, 4, "a value leaves its page");
    try(node(4, 0) + 4, 4, 2, "a value is of no known kind");
    free(file);
}

TEST(keys_have_to_be_in_order)
{
    make();
    try(node(4, 0) + 8, 2, 4, "keys are out of order");
    try(node(4, 1) + 8, 3, 4, "keys are out of order");
    try(node(3, 1) + 8, 2, 4, "keys are out of order");
    try(node(3, 1) + 8, 4, 4, "keys are out of order");
    try(node(4, 0) + 6, 3, 2, "keys are out of order");
    try(node(2, 0) + 8, 'v', 1, "keys are out of order");
    free(file);
}

TEST(long_values_have_pages_of_their_own)
{
    make();
    try(long_value, 4, 8, "a long value has no head");
    try(long_value, 2, 8, "a page is used twice");
    try(long_value, 9, 8, "a long value has no head");
    try(long_value, UINT64_MAX, 8, "a page is named that cannot be");
    try(node(7, 0), 1100, 4, "a long value has no head");
    try(node(7, 0), UINT32_MAX, 4, "a long value has no head");
    try(8 * PAGE + 12, 1, 4, "a long value has no head");
    try(8 * PAGE + 12, 3, 4, "its end is missing");
    try(8 * PAGE + 10, LEAF, 2, "a long value has no head");
    free(file);
}

TEST(the_list_of_free_pages_has_to_be_one)
{
    make();
    try(free_list, 2, 8, "the list of free pages is cut off");
    try(free_list, UINT64_MAX, 8, "the list of free pages is cut off");
    try(node(6, 0), 7, 4, "the list of free pages is cut off");
    try(free_list + 8, 11, 8, "the list of free pages is wrong");
    try(free_list + 8, 0, 8, "the list of free pages is wrong");
    try(free_list + 8, 5, 8, "a page in use is called free");
    free(file);
}

TEST(another_version_of_the_format_is_not_supported)
{
    const char *trouble;
    make();
    put(20, 2, 4);
    put(PAGE + 20, 2, 4);
    assert_int_equal(weft__crawl_pages_look(file, (size_t)PAGES * PAGE, &trouble), UV_ENOTSUP);
    free(file);
}
