/* The parts of a walk, one by one: what waits, what is open, what is told, where we are.
 * ctest: labels=valgrind-long */
#include "fault.h"
#include "files/tree/block.h"
#include "files/tree/branch.h"
#include "files/tree/pending.h"
#include "files/tree/place.h"
#include "tree_kit.h"

/* ---- pending -------------------------------------------------------------------------------- */

static void push(struct pending *pending, unsigned number, size_t size)
{
    char *path = malloc(size + 1);
    assert_non_null(path);
    memset(path, 'p', size);
    path[size] = '\0';
    snprintf(path, size + 1, "%08u", number);
    path[8] = size > 8 ? 'p' : '\0';
    struct weft_tree_entry entry = {
        .path = path, .size = size, .depth = number, .kind = WEFT_KIND_DIR};
    assert_int_equal(weft__pending_push(pending, &entry, NULL), 0);
    free(path);
}

static void pop(struct pending *pending, unsigned number, size_t size)
{
    char expected[16];
    struct pending_item item = weft__pending_pop(pending);
    snprintf(expected, sizeof expected, "%08u", number);
    assert_int_equal(item.depth, number);
    assert_int_equal(item.size, size);
    assert_int_equal(strlen(pending->paths + item.path), size);
    assert_memory_equal(pending->paths + item.path, expected, 8);
}

TEST(what_waits_is_a_stack)
{
    struct pending pending = {0};
    for (unsigned i = 0; i < 1000; i++)
        push(&pending, i, 9 + i);
    for (unsigned i = 1000; i-- > 500;)
        pop(&pending, i, 9 + i);
    for (unsigned i = 500; i < 600; i++)
        push(&pending, i, 100000);
    for (unsigned i = 600; i-- > 0;)
        pop(&pending, i, i >= 500 ? 100000 : 9 + i);
    assert_int_equal(pending.count, 0);
    assert_int_equal(pending.paths_used, 0);
    weft__pending_free(&pending);
    weft__pending_free(&pending); /* zero is fine */
}

TEST(the_lower_half_is_given_away)
{
    for (unsigned count = 0; count < 200; count++) {
        struct pending from = {0}, to = {0};
        for (unsigned i = 0; i < count; i++)
            push(&from, i, 9 + i % 7);
        assert_int_equal(weft__pending_share(&from, &to), 0);
        assert_int_equal(to.count, count / 2);
        assert_int_equal(from.count, count - count / 2);
        push(&from, count, 20);
        pop(&from, count, 20);
        for (unsigned i = count; i-- > count / 2;)
            pop(&from, i, 9 + i % 7);
        for (unsigned i = count / 2; i-- > 0;)
            pop(&to, i, 9 + i % 7);
        assert_int_equal(from.paths_used + to.paths_used, 0);
        weft__pending_free(&from);
        weft__pending_free(&to);
    }
}

static void share_without_memory(unsigned long n)
{
    struct pending from = {0}, to = {0};
    (void)n;
    for (unsigned i = 0; i < 100; i++) {
        char path[16];
        snprintf(path, sizeof path, "%08u", i);
        struct weft_tree_entry entry = {.path = path, .size = 8, .depth = i};
        int err = weft__pending_push(&from, &entry, NULL);
        assert_true(err == 0 || (err == UV_ENOMEM && weft_fault_hit()));
        if (err != 0)
            i--; /* only one fails */
    }
    int err = weft__pending_share(&from, &to);
    assert_true(err == 0 || (err == UV_ENOMEM && weft_fault_hit()));
    assert_int_equal(from.count + to.count, 100);
    assert_int_equal(to.count, err == 0 ? 50 : 0);
    for (unsigned i = 100; i-- > to.count;)
        pop(&from, i, 8);
    weft__pending_free(&from);
    weft__pending_free(&to);
}

TEST(what_waits_is_not_lost_without_memory)
{
    fault_ladder(share_without_memory);
    assert_true(fault_ladder_height() >= 4);
}

TEST(places_of_what_waits_are_let_go)
{
    weft_fault_install();
    struct stat st = {.st_ino = 1};
    struct pending pending = {0};
    struct place *place = weft__place_below(weft__place_below(NULL, &st), &st);
    struct weft_tree_entry entry = {.path = "x", .size = 1, .kind = WEFT_KIND_DIR};
    for (int i = 0; i < 5; i++)
        assert_int_equal(weft__pending_push(&pending, &entry, weft__place_hold(place)), 0);
    weft__place_drop(place);
    assert_int_equal(weft_fault_live(), 4); /* two places, items and paths */
    weft__pending_free(&pending);
    fault_remove();
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Folders 0 to LINKS, each with a link to the next: a path from the first to the last. */
enum { LINKS = 60 };
static const char *make_links(char path[LINKS * 2 + 1])
{
    char name[SCRATCH_PATH], to[32];
    scratch_empty();
    for (int i = 0; i <= LINKS; i++) {
        snprintf(name, sizeof name, "%d", i);
        make_folder(name);
        snprintf(name, sizeof name, "%d/l", i);
        snprintf(to, sizeof to, "../%d", i + 1);
        if (i < LINKS)
            make_link(to, name);
    }
    make_file("60/end", "");
    *path = '\0';
    for (int i = 0; i < LINKS; i++)
        strcat(path, i == 0 ? "l" : "/l");
    return path;
}

TEST(a_path_with_more_links_than_the_kernel_follows_is_opened)
{
    char path[LINKS * 2 + 1], file[LINKS * 2 + 8], first[SCRATCH_PATH];
    int before = descriptors();
    make_links(path);
    int at = open(scratch_path(first, "0"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct folder folder;
    assert_int_equal(weft__folder_open_below(&folder, at, path, true), 0);
    assert_int_equal(faccessat(folder.fd, "end", F_OK, 0), 0);
    weft__folder_close(&folder);
    snprintf(file, sizeof file, "%s//end", path);
    int fd = weft__path_open(at, file, O_RDONLY | O_CLOEXEC, true);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(weft__path_open(at, path, O_RDONLY | O_CLOEXEC, false), UV_ELOOP);
    snprintf(file, sizeof file, "%s/none", path);
    assert_int_equal(weft__path_open(at, file, O_RDONLY | O_CLOEXEC, true), UV_ENOENT);
    close(at);
    assert_int_equal(descriptors(), before);
}

TEST(a_link_to_itself_is_a_loop_however_it_is_opened)
{
    char path[SCRATCH_PATH];
    scratch_empty();
    make_link("self", "self");
    assert_int_equal(weft__path_open(AT_FDCWD, scratch_path(path, "self"), O_RDONLY, true),
                     UV_ELOOP);
}

/* ---- branch --------------------------------------------------------------------------------- */

static struct folder open_one(void)
{
    struct folder folder;
    assert_int_equal(weft__folder_open(&folder, AT_FDCWD, "/", true), 0);
    return folder;
}

TEST(a_branch_has_the_folders_down_to_the_last_one)
{
    struct branch branch = {.most = BRANCH_MOST};
    int before = descriptors(), fds[10];
    for (size_t depth = 1; depth < 10; depth++) {
        struct folder folder = open_one();
        fds[depth] = folder.fd;
        weft__branch_keep(&branch, folder, depth);
    }
    assert_int_equal(descriptors(), before + 9);
    assert_null(weft__branch_at(&(struct branch){.most = BRANCH_MOST}, 3));
    assert_int_equal(weft__branch_at(&branch, 9)->fd, fds[9]);
    assert_int_equal(weft__branch_at(&branch, 4)->fd, fds[4]);
    assert_int_equal(descriptors(), before + 4); /* what is deeper is over */
    weft__branch_keep(&branch, open_one(), 3);   /* in the place of the one that was there */
    assert_int_equal(descriptors(), before + 3);
    assert_int_equal(weft__branch_at(&branch, 2)->fd, fds[2]);
    assert_null(weft__branch_at(&branch, 0));
    assert_int_equal(descriptors(), before);
    weft__branch_keep(&branch, open_one(), 5);
    weft__branch_keep(&branch, open_one(), 9); /* not below the other one */
    assert_int_equal(descriptors(), before + 1);
    assert_null(weft__branch_at(&branch, 10));
    assert_int_equal(descriptors(), before);
    weft__branch_close(&branch);
}

TEST(a_branch_holds_no_more_than_it_may)
{
    for (size_t most = 0; most < 3; most++) {
        struct branch branch = {.most = most};
        int before = descriptors();
        for (size_t depth = 1; depth < 10; depth++) {
            weft__branch_keep(&branch, open_one(), depth);
            assert_true(descriptors() <= before + (int)most);
            assert_int_equal(weft__branch_at(&branch, depth) != NULL, most > 0);
        }
        weft__branch_close(&branch);
        assert_int_equal(descriptors(), before);
    }
}

TEST(a_branch_that_is_too_long_lets_go_of_its_upper_part)
{
    struct branch branch = {.most = BRANCH_MOST};
    int before = descriptors();
    for (size_t depth = 1; depth <= 3 * BRANCH_MOST + 5; depth++) {
        struct folder folder = open_one();
        weft__branch_keep(&branch, folder, depth);
        assert_true(descriptors() <= before + BRANCH_MOST);
        assert_ptr_equal(weft__branch_at(&branch, depth), &branch.folders[branch.count - 1]);
        assert_int_equal(branch.folders[branch.count - 1].fd, folder.fd);
    }
    assert_null(weft__branch_at(&branch, 2));
    weft__branch_close(&branch);
    assert_int_equal(descriptors(), before);
}

/* ---- block ---------------------------------------------------------------------------------- */

TEST(a_block_gives_back_what_was_put_in_in_its_order)
{
    struct block block = {0};
    static const size_t sizes[] = {24, 25, 1000, 17, 300 * 1000, 24, 100};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int round = 0; round < 3; round++) {
        assert_null(weft__block_next(&block));
        for (size_t i = 0; i < SIZES; i++) {
            struct block_head *head =
                weft__block_add(&block, i % 2 ? BLOCK_ERROR : BLOCK_FOUND, sizes[i]);
            assert_non_null(head);
            memset(head + 1, (int)i, sizes[i] - sizeof *head);
            assert_int_equal(weft__block_full(&block), i >= 4);
        }
        for (size_t i = 0; i < SIZES; i++) {
            const struct block_head *head = weft__block_next(&block);
            assert_non_null(head);
            assert_int_equal(head->type, i % 2 ? BLOCK_ERROR : BLOCK_FOUND);
            assert_in_range(head->size, sizes[i], sizes[i] + 15);
            assert_int_equal((uintptr_t)head % 16, 0);
            assert_int_equal(((const unsigned char *)(head + 1))[0], i);
        }
        assert_null(weft__block_next(&block));
        assert_false(weft__block_full(&block));
    }
    weft__block_free(&block);
    weft__block_free(&block);
}

/* ---- place ---------------------------------------------------------------------------------- */

TEST(places_are_kept_as_long_as_somebody_is_below)
{
    weft_fault_install();
    struct stat st = {.st_dev = 1, .st_ino = 1};
    struct place *root = weft__place_below(NULL, &st), *left, *right;
    st.st_ino = 2;
    left = weft__place_below(weft__place_hold(root), &st);
    st.st_ino = 3;
    right = weft__place_below(root, &st); /* root's own hold goes along */
    assert_int_equal(weft_fault_live(), 3);
    st.st_ino = 1;
    assert_true(weft__place_has(left, &st));
    st.st_ino = 3;
    assert_false(weft__place_has(left, &st));
    assert_true(weft__place_has(right, &st));
    st.st_dev = 2;
    assert_false(weft__place_has(right, &st)); /* the same number on another file system */
    assert_false(weft__place_has(NULL, &st));
    weft__place_drop(left);
    assert_int_equal(weft_fault_live(), 2);
    weft__place_drop(right);
    assert_int_equal(weft_fault_live(), 0);
    weft__place_drop(NULL);
    assert_null(weft__place_hold(NULL));
    fault_remove();
}

TEST(a_long_chain_of_places_is_let_go_without_a_deep_stack)
{
    struct stat st = {.st_dev = 1};
    struct place *place = NULL;
    for (ino_t i = 1; i < 1000 * 1000; i++) {
        st.st_ino = i;
        place = weft__place_below(place, &st);
        assert_non_null(place);
    }
    weft__place_drop(place);
}
