/* Copying files, across file systems too.
 * ctest: labels=threads,valgrind-long */
#include "loop.h"
#include "nobody.h"
#include "scratch.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/file.h>

static uint64_t copied_size;

static int copied(const char *from, const char *to)
{
    struct world w;
    struct weft_file_copy copy = {.size = 99};
    world_up(&w);
    weft_file_copy(weft_root(&w.loop), &copy, from, to, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    copied_size = copy.size;
    if (seen.status != 0)
        assert_int_equal(copied_size, 0);
    return seen.status;
}

static struct stat look_at(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st;
}

static char *pattern(size_t size)
{
    char *data = malloc(size + 1);
    assert_non_null(data);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)('a' + (i * 7 + i / 777) % 26);
    data[size] = '\0';
    return data;
}

TEST(a_copy_has_the_same_content)
{
    static const size_t sizes[] = {0, 1, 4096, 131072, 131073, (9 << 20) + 5};
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    scratch_empty();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *data = pattern(sizes[i]);
        scratch_file(from, "from", data);
        assert_int_equal(copied(from, scratch_path(to, "to")), 0);
        assert_int_equal(copied_size, sizes[i]);
        scratch_equals(to, data);
        free(data);
    }
    assert_int_equal(scratch_count(scratch_dir()), 2);
}

/* The kernel copies between some file systems and not between others; the caller sees neither. */
TEST(a_copy_to_another_file_system_has_the_same_content)
{
    char from[SCRATCH_PATH], to[] = "/tmp/weft-test-copy-XXXXXX";
    int fd = mkstemp(to);
    assert_true(fd >= 0);
    close(fd);
    char *data = pattern(3000000);
    scratch_file(from, "from", data);
    int status = copied(from, to);
    if (status == 0)
        scratch_equals(to, data);
    unlink(to);
    free(data);
    assert_int_equal(status, 0);
    assert_int_equal(copied_size, 3000000);
}

TEST(a_file_whose_size_says_nothing_is_copied_whole)
{
    char to[SCRATCH_PATH];
    if (!scratch_exists("/proc/self/smaps")) {
        print_message("there is no /proc\n");
        skip();
    }
    assert_int_equal(copied("/proc/self/smaps", scratch_path(to, "smaps")), 0);
    assert_true(copied_size > 1000);
    assert_int_equal(look_at(to).st_size, copied_size);
}

TEST(holes_and_a_large_size_are_no_trouble)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    scratch_file(from, "holes", "start");
    assert_int_equal(truncate(from, 50 << 20), 0);
    assert_int_equal(copied(from, scratch_path(to, "to")), 0);
    assert_int_equal(copied_size, 50 << 20);
    assert_int_equal(look_at(to).st_size, 50 << 20);
    unlink(from);
    unlink(to);
}

TEST(a_new_copy_gets_the_source_s_permissions_less_the_umask)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    scratch_file(from, "script", "#!/bin/sh\n");
    assert_int_equal(chmod(from, 04775), 0);
    mode_t before = umask(022);
    int status = copied(from, scratch_new_path(to, "script-copy"));
    umask(before);
    assert_int_equal(status, 0);
    assert_int_equal(look_at(to).st_mode & 07777, 0755);
}

TEST(a_copy_over_a_file_leaves_that_its_mode)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    scratch_file(from, "from", "new");
    scratch_file(to, "to", "old");
    assert_int_equal(chmod(to, 0600), 0);
    assert_int_equal(copied(from, to), 0);
    scratch_equals(to, "new");
    assert_int_equal(look_at(to).st_mode & 07777, 0600);
}

TEST(a_file_is_not_copied_onto_itself_by_any_name)
{
    char from[SCRATCH_PATH], hard[SCRATCH_PATH], soft[SCRATCH_PATH], odd[SCRATCH_PATH];
    scratch_empty();
    scratch_file(from, "self", "self");
    assert_int_equal(link(from, scratch_path(hard, "hard")), 0);
    assert_int_equal(symlink("self", scratch_path(soft, "soft")), 0);
    assert_int_equal(copied(from, from), UV_EINVAL);
    assert_int_equal(copied(from, scratch_path(odd, "./self")), UV_EINVAL);
    assert_int_equal(copied(from, hard), UV_EINVAL);
    assert_int_equal(copied(from, soft), UV_EINVAL);
    assert_int_equal(copied(soft, from), UV_EINVAL);
    scratch_equals(from, "self");
    assert_int_equal(scratch_count(scratch_dir()), 3);
}

TEST(what_cannot_be_copied_says_why)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH], pipe[SCRATCH_PATH];
    scratch_empty();
    scratch_file(from, "from", "x");
    scratch_path(to, "to");
    assert_int_equal(copied(scratch_dir(), to), UV_EISDIR);
    assert_int_equal(copied(from, scratch_dir()), UV_EISDIR);
    assert_int_equal(mkfifo(scratch_path(pipe, "pipe"), 0600), 0);
    assert_int_equal(copied(from, pipe), UV_EINVAL);
    assert_true(S_ISFIFO(look_at(pipe).st_mode));
    unlink(pipe);
    assert_int_equal(copied("/nonexistent", to), UV_ENOENT);
    assert_int_equal(copied(from, "/nonexistent/below"), UV_ENOENT);
    assert_int_equal(copied(NULL, to), UV_EINVAL);
    assert_int_equal(copied(from, NULL), UV_EINVAL);
    assert_int_equal(copied("", to), UV_EINVAL);
    assert_int_equal(copied(from, ""), UV_EINVAL);
    assert_int_equal(scratch_count(scratch_dir()), 1);
}

TEST(a_source_that_may_not_be_read_leaves_the_target_alone)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    scratch_empty();
    scratch_file(from, "secret", "secret");
    assert_int_equal(chmod(from, 0), 0);
    scratch_file(to, "to", "kept");
    nobody_begin(scratch_dir());
    int status = copied(from, to);
    nobody_end();
    assert_int_equal(status, UV_EACCES);
    scratch_equals(to, "kept");
    assert_int_equal(scratch_count(scratch_dir()), 2);
}

TEST(a_pipe_that_waits_is_not_copied)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(mkfifo(scratch_path(from, "pipe"), 0600), 0);
    int fd = open(from, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(copied(from, scratch_path(to, "to")), UV_EAGAIN);
    assert_false(scratch_exists(to));
    assert_int_equal(scratch_count(scratch_dir()), 1);
    close(fd);
}

/* An endless source: only the cancel ends it. */
TEST(a_copy_is_cancelled_between_two_chunks)
{
    char to[SCRATCH_PATH];
    scratch_empty();
    scratch_file(to, "to", "kept");
    struct world w;
    struct weft_file_copy copy = {.durable = false};
    world_up(&w);
    weft_file_copy(weft_root(&w.loop), &copy, "/dev/zero", to, noted);
    while (scratch_count(scratch_dir()) < 2) /* until its temporary file is there */
        uv_run(&w.uv, UV_RUN_NOWAIT);
    weft_cancel(&copy.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    scratch_equals(to, "kept");
    assert_int_equal(scratch_count(scratch_dir()), 1);
}
