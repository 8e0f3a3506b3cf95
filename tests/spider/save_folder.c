/* The output folder: made, opened, swept. */
#include "saving.h"
#include "nobody.h"
#include "spider/save_inside.h"
#include <unistd.h>

static char path[SCRATCH_PATH];

TEST(a_folder_is_made_with_those_above_it)
{
    char deep[SCRATCH_PATH + 16];
    scratch_new_path(path, "a");
    snprintf(deep, sizeof deep, "%s/b//c/", path);
    assert_int_equal(save_folder_open(&folder, deep), 0);
    struct stat it;
    assert_int_equal(stat(deep, &it), 0);
    assert_true(S_ISDIR(it.st_mode));
    save_folder_close(&folder);
}

TEST(a_folder_that_is_there_is_opened)
{
    scratch_new_path(path, "a");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(save_folder_open(&folder, path), 0);
        assert_true(folder.fd >= 0);
        save_folder_close(&folder);
        assert_int_equal(folder.fd, -1);
        save_folder_close(&folder);
    }
    struct save_folder closed = SAVE_FOLDER_CLOSED;
    save_folder_close(&closed);
}

TEST(a_link_to_the_folder_is_the_users_own)
{
    char link[SCRATCH_PATH];
    scratch_new_path(path, "a");
    assert_int_equal(mkdir(path, 0777), 0);
    scratch_new_path(link, "link");
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(save_folder_open(&folder, link), 0);
    assert_int_equal(save_text("h/a.html", "x"), 0);
    save_folder_close(&folder);
    memcpy(root, path, strlen(path) + 1);
    scratch_equals(below("h/a.html"), "x");
}

TEST(what_a_killed_process_left_is_swept_out)
{
    folder_up(false);
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, ".weft/tmp/%x", i);
        FILE *file = fopen(below(name), "w");
        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(save_text("h/a.html", "x"), 0); /* nor do they stand in the way */
    assert_true(scratch_count(below(".weft/tmp")) == 100);
    save_folder_close(&folder);
    assert_int_equal(save_folder_open(&folder, root), 0);
    scratch_equals(below("h/a.html"), "x");
    folder_down();
}

/* Where it lies is in memory or on a disk: both can do that on Linux, and so can /proc for those who may do
 * it in no other way. */
TEST(a_file_without_a_name_gets_one_that_is_free)
{
    folder_up(false);
    if (!folder.nameless)
        skip();
    assert_int_equal(save_text("taken", "before"), 0);
    for (int by_proc = 0; by_proc < 2; by_proc++) {
        int fd = save_nameless(folder.tmp_);
        assert_return_code(fd, 0);
        assert_int_equal(write(fd, "x", 1), 1);
        assert_int_equal(save_name_it(fd, folder.fd, "taken", by_proc), UV_EEXIST);
        assert_int_equal(save_name_it(fd, folder.fd, "not/there", by_proc), UV_ENOENT);
        assert_int_equal(save_name_it(fd, folder.fd, by_proc ? "second" : "first", by_proc), 0);
        close(fd);
    }
    scratch_equals(below("taken"), "before");
    scratch_equals(below("first"), "x");
    scratch_equals(below("second"), "x");
    folder_down();
}

TEST(what_stands_in_the_way_is_said)
{
    char inside[SCRATCH_PATH + 16], elsewhere[SCRATCH_PATH];
    scratch_file(path, "file", "keep");
    snprintf(inside, sizeof inside, "%s/below", path);
    assert_int_equal(save_folder_open(&folder, path), UV_ENOTDIR);
    assert_int_equal(save_folder_open(&folder, inside), UV_ENOTDIR);
    assert_int_equal(folder.fd, -1);
    scratch_equals(path, "keep");
    scratch_new_path(path, "a");
    assert_int_equal(mkdir(path, 0777), 0);
    scratch_new_path(elsewhere, "elsewhere");
    assert_int_equal(mkdir(elsewhere, 0777), 0);
    snprintf(inside, sizeof inside, "%s/.weft", path);
    assert_int_equal(symlink(elsewhere, inside), 0);
    assert_int_equal(save_folder_open(&folder, path), UV_ELOOP);
    assert_int_equal(scratch_count(elsewhere), 0);
    save_folder_close(&folder);
}

TEST(a_folder_in_the_place_of_a_temporary_file_is_said)
{
    folder_up(false);
    assert_int_equal(mkdir(below(".weft/tmp/strange"), 0777), 0);
    save_folder_close(&folder);
    size_t before = scratch_count("/proc/self/fd");
    assert_true(save_folder_open(&folder, root) < 0);
    assert_int_equal(folder.fd, -1);
    assert_int_equal(scratch_count("/proc/self/fd"), before);
}

TEST(without_a_path_there_is_no_folder)
{
    static char huge[5000];
    memset(huge, 'a', sizeof huge - 1);
    assert_int_equal(save_folder_open(&folder, NULL), UV_EINVAL);
    assert_int_equal(save_folder_open(&folder, ""), UV_EINVAL);
    assert_int_equal(save_folder_open(&folder, huge), UV_ENAMETOOLONG);
    assert_int_equal(folder.fd, -1);
    save_folder_close(&folder);
}

TEST(without_the_right_to_write_there_is_no_folder)
{
    char inside[SCRATCH_PATH + 16];
    scratch_new_path(path, "a");
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(inside, sizeof inside, "%s/b", path);
    assert_int_equal(chmod(path, 0555), 0);
    nobody_begin(scratch_dir());
    int there = save_folder_open(&folder, path), below_it = save_folder_open(&folder, inside);
    nobody_end();
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(there, UV_EACCES);
    assert_int_equal(below_it, UV_EACCES);
}
