/* Writing and appending in place.
 * ctest: labels=threads,valgrind-long */
#include "loop.h"
#include "nobody.h"
#include "scratch.h"
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/file.h>

typedef int write_fn(const char *path, const void *data, size_t size);

static int written(const char *path, const void *data, size_t size)
{
    struct world w;
    struct weft_file_write write = {.size = 0};
    world_up(&w);
    weft_file_write(weft_root(&w.loop), &write, path, data, size, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static int appended(const char *path, const void *data, size_t size)
{
    struct world w;
    struct weft_file_write write = {.size = 0};
    world_up(&w);
    weft_file_append(weft_root(&w.loop), &write, path, data, size, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static write_fn *const both[] = {written, appended};

TEST(write_makes_a_file_and_empties_one_that_is_there)
{
    char path[SCRATCH_PATH];
    assert_int_equal(written(scratch_path(path, "written"), "long text", 9), 0);
    scratch_equals(path, "long text");
    assert_int_equal(written(path, "short", 5), 0);
    scratch_equals(path, "short");
    assert_int_equal(written(path, NULL, 0), 0);
    scratch_equals(path, "");
}

TEST(append_makes_a_file_and_adds_to_one_that_is_there)
{
    char path[SCRATCH_PATH];
    assert_int_equal(appended(scratch_path(path, "appended"), "one ", 4), 0);
    assert_int_equal(appended(path, "two", 3), 0);
    assert_int_equal(appended(path, NULL, 0), 0);
    scratch_equals(path, "one two");
}

TEST(a_new_file_gets_the_mode_that_the_umask_leaves)
{
    for (int i = 0; i < 2; i++) {
        char path[SCRATCH_PATH];
        struct stat st;
        mode_t before = umask(027);
        int status = both[i](scratch_new_path(path, "mode"), "", 0);
        umask(before);
        assert_int_equal(status, 0);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0640);
    }
}

TEST(a_large_write_is_complete)
{
    enum { SIZE = (5 << 20) + 13 };
    char path[SCRATCH_PATH];
    char *data = malloc(SIZE);
    assert_non_null(data);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (char)(i * 7 + i / 1000);
    assert_int_equal(written(scratch_path(path, "large"), data, SIZE), 0);
    struct weft_file_read read = {.max = 0};
    struct world w;
    world_up(&w);
    weft_file_read(weft_root(&w.loop), &read, path, noted);
    world_down(&w);
    assert_int_equal(read.size, SIZE);
    assert_memory_equal(read.data, data, SIZE);
    weft_file_read_free(&read);
    free(data);
}

TEST(nothing_to_write_from_is_refused_and_touches_no_file)
{
    for (int i = 0; i < 2; i++) {
        char path[SCRATCH_PATH];
        scratch_file(path, "kept", "kept");
        assert_int_equal(both[i](path, NULL, 1), UV_EINVAL);
        scratch_equals(path, "kept");
        assert_int_equal(both[i](NULL, "x", 1), UV_EINVAL);
        assert_int_equal(both[i]("", "x", 1), UV_EINVAL);
    }
}

TEST(what_cannot_be_written_to_says_why)
{
    for (int i = 0; i < 2; i++) {
        char path[SCRATCH_PATH], long_path[PATH_MAX + 2];
        assert_int_equal(both[i](scratch_dir(), "x", 1), UV_EISDIR);
        assert_int_equal(both[i](scratch_path(path, "no/folder"), "x", 1), UV_ENOENT);
        assert_int_equal(both[i]("/dev/null/below", "x", 1), UV_ENOTDIR);
        memset(long_path, '/', sizeof long_path - 1);
        long_path[sizeof long_path - 1] = '\0';
        assert_int_equal(both[i](long_path, "x", 1), UV_ENAMETOOLONG);
    }
}

TEST(a_full_disk_is_told)
{
    if (!scratch_exists("/dev/full")) {
        print_message("there is no /dev/full\n");
        skip();
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(both[i]("/dev/full", "x", 1), UV_ENOSPC);
        assert_int_equal(both[i]("/dev/full", NULL, 0), 0);
    }
}

TEST(a_file_that_may_not_be_written_says_so)
{
    char path[SCRATCH_PATH];
    scratch_file(path, "read-only", "kept");
    assert_int_equal(chmod(path, 0444), 0);
    nobody_begin(scratch_dir());
    int write_status = written(path, "x", 1), append_status = appended(path, "x", 1);
    nobody_end();
    assert_int_equal(write_status, UV_EACCES);
    assert_int_equal(append_status, UV_EACCES);
    scratch_equals(path, "kept");
}

TEST(a_pipe_that_nobody_reads_holds_no_thread)
{
    char path[SCRATCH_PATH];
    assert_int_equal(mkfifo(scratch_path(path, "pipe"), 0600), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(both[i](path, "x", 1), UV_ENXIO);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(written(path, "to a pipe", 9), 0);
    char data[32] = "";
    assert_int_equal(read(fd, data, sizeof data), 9);
    assert_string_equal(data, "to a pipe");
    char *large = calloc(1, 4 << 20);
    assert_non_null(large);
    assert_int_equal(written(path, large, 4 << 20), UV_EAGAIN);
    free(large);
    close(fd);
    unlink(path);
}

/* The reader leaves while we write: the process must live, and the thread must be as before. */
struct leaver {
    int fd;
    uv_barrier_t *ready;
};

static void read_a_little_and_leave(void *context)
{
    struct leaver *leaver = context;
    char data[100];
    uv_barrier_wait(leaver->ready);
    while (read(leaver->fd, data, sizeof data) <= 0)
        continue;
    close(leaver->fd);
}

TEST(a_reader_that_leaves_is_an_error_and_not_the_end)
{
    char path[SCRATCH_PATH];
    assert_int_equal(mkfifo(scratch_path(path, "left"), 0600), 0);
    char *large = calloc(1, 1 << 20);
    assert_non_null(large);
    for (int i = 0; i < 20; i++) {
        uv_thread_t thread;
        uv_barrier_t ready;
        struct leaver leaver = {open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), &ready};
        assert_true(leaver.fd >= 0);
        assert_int_equal(uv_barrier_init(&ready, 2), 0);
        assert_int_equal(uv_thread_create(&thread, read_a_little_and_leave, &leaver), 0);
        uv_barrier_wait(&ready);
        int status = written(path, large, 1 << 20);
        uv_thread_join(&thread);
        uv_barrier_destroy(&ready);
        assert_true(status == UV_EPIPE || status == UV_EAGAIN || status == UV_ENXIO);
    }
    free(large);
    sigset_t pending;
    assert_int_equal(sigpending(&pending), 0);
    assert_false(sigismember(&pending, SIGPIPE));
    unlink(path);
}

/* Appends of one call each do not tear each other apart. */
TEST(many_appends_at_once_are_all_there)
{
    enum { MANY = 200 };
    char path[SCRATCH_PATH];
    scratch_path(path, "log");
    struct world w;
    world_up(&w);
    struct weft_file_write *writes = calloc(MANY, sizeof *writes);
    assert_non_null(writes);
    for (int i = 0; i < MANY; i++)
        weft_file_append(weft_root(&w.loop), &writes[i], path, "a whole line\n", 13, noted);
    world_down(&w);
    assert_int_equal(seen.calls, MANY);
    free(writes);
    char expected[MANY * 13 + 1] = "";
    for (int i = 0; i < MANY; i++)
        memcpy(expected + (ptrdiff_t)i * 13, "a whole line\n", 13);
    expected[MANY * 13] = '\0';
    scratch_equals(path, expected);
}
