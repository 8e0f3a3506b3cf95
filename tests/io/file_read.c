/* Reading files: what is found at the end, how large it may be, and what is no file.
 * ctest: labels=threads,valgrind-long */
#include "fault.h"
#include "loop.h"
#include "nobody.h"
#include "scratch.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/alloc.h>
#include <weft/file.h>

static struct weft_file_read file;

/* The status of reading path, at most max bytes of it; the bytes are in file. */
static int status_of(const char *path, size_t max)
{
    struct world w;
    world_up(&w);
    file = (struct weft_file_read){.max = max};
    weft_file_read(weft_root(&w.loop), &file, path, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    if (seen.status != 0) {
        assert_null(file.data);
        assert_int_equal(file.size, 0);
    }
    return seen.status;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_int_equal(fwrite(data, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
}

TEST(a_file_comes_back_whole_with_a_nul_behind_it)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 65536, 1 << 20, (3 << 20) + 7};
    char path[SCRATCH_PATH];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *data = malloc(sizes[i] + 1);
        assert_non_null(data);
        for (size_t at = 0; at < sizes[i]; at++)
            data[at] = (char)(at * 31 + at / 251);
        write_file(scratch_path(path, "whole"), data, sizes[i]);
        assert_int_equal(status_of(path, 0), 0);
        assert_int_equal(file.size, sizes[i]);
        assert_non_null(file.data);
        assert_memory_equal(file.data, data, sizes[i]);
        assert_int_equal(file.data[file.size], '\0');
        free(data);
        weft_file_read_free(&file);
        assert_null(file.data);
        weft_file_read_free(&file);
    }
}

TEST(bytes_can_be_kept_beyond_the_op)
{
    char path[SCRATCH_PATH];
    assert_int_equal(status_of(scratch_file(path, "kept", "kept"), 0), 0);
    char *data = file.data;
    file.data = NULL;
    weft_file_read_free(&file);
    assert_string_equal(data, "kept");
    weft_free(data);
}

TEST(a_file_of_exactly_max_is_read_and_one_byte_more_is_too_big)
{
    char path[SCRATCH_PATH];
    scratch_file(path, "ten", "0123456789");
    assert_int_equal(status_of(path, 9), UV_EFBIG);
    assert_int_equal(status_of(path, 1), UV_EFBIG);
    assert_int_equal(status_of(path, 10), 0);
    assert_string_equal(file.data, "0123456789");
    weft_file_read_free(&file);
    assert_int_equal(status_of(path, SIZE_MAX), 0);
    weft_file_read_free(&file);
}

TEST(a_file_without_an_end_is_too_big)
{
    static const size_t maxima[] = {1, 4094, 4095, 4096, 4097, 100000};
    for (size_t i = 0; i < sizeof maxima / sizeof *maxima; i++)
        assert_int_equal(status_of("/dev/zero", maxima[i]), UV_EFBIG);
}

/* Nothing is allocated for a file whose size says at once that it is too big. */
TEST(a_huge_file_is_refused_unread)
{
    char path[SCRATCH_PATH];
    scratch_file(path, "huge", "");
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    assert_int_equal(status_of(path, 0), UV_EFBIG);
    assert_int_equal(truncate(path, (off_t)WEFT_FILE_READ_MAX + 1), 0);
    assert_int_equal(status_of(path, 0), UV_EFBIG);
    unlink(path);
}

TEST(a_file_whose_size_says_nothing_is_read_to_its_end)
{
    struct stat st;
    if (stat("/proc/self/smaps", &st) != 0) {
        print_message("there is no /proc\n");
        skip();
    }
    assert_int_equal(st.st_size, 0);
    assert_int_equal(status_of("/proc/self/smaps", 0), 0);
    assert_true(file.size > 4096);
    assert_int_equal(strlen(file.data), file.size);
    assert_int_equal(file.data[file.size - 1], '\n');
    weft_file_read_free(&file);
    assert_int_equal(status_of("/proc/self/smaps", 100), UV_EFBIG);
}

TEST(what_a_growing_buffer_took_too_much_is_given_back)
{
    if (!scratch_exists("/proc/self/smaps")) {
        print_message("there is no /proc\n");
        skip();
    }
    weft_fault_install();
    assert_int_equal(status_of("/proc/self/smaps", 0), 0);
    assert_int_equal(weft_fault_live(), 1);
    assert_true(weft_fault_live_bytes() <= file.size + 4097);
    weft_file_read_free(&file);
    fault_remove();
}

TEST(a_folder_is_no_file)
{
    assert_int_equal(status_of(scratch_dir(), 0), UV_EISDIR);
    assert_int_equal(status_of("/", 0), UV_EISDIR);
}

TEST(a_missing_file_and_a_missing_path_are_told_apart)
{
    char path[SCRATCH_PATH];
    assert_int_equal(status_of(scratch_path(path, "missing"), 0), UV_ENOENT);
    assert_int_equal(status_of("", 0), UV_EINVAL);
    assert_int_equal(status_of(NULL, 0), UV_EINVAL);
    assert_int_equal(status_of("/dev/null/below", 0), UV_ENOTDIR);
}

TEST(a_path_longer_than_the_system_takes_is_told_by_the_system)
{
    char *path = malloc(PATH_MAX + 10);
    assert_non_null(path);
    memset(path, 'x', PATH_MAX + 9);
    for (int i = 0; i < PATH_MAX; i += 100)
        path[i] = '/';
    path[PATH_MAX + 9] = '\0';
    assert_int_equal(status_of(path, 0), UV_ENAMETOOLONG);
    free(path);
    char name[NAME_MAX + 3];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(status_of(name, 0), UV_ENAMETOOLONG);
}

TEST(a_link_is_followed_and_a_loop_of_links_is_told)
{
    char path[SCRATCH_PATH], link[SCRATCH_PATH];
    scratch_file(path, "target", "linked");
    assert_int_equal(symlink("target", scratch_path(link, "link")), 0);
    assert_int_equal(status_of(link, 0), 0);
    assert_string_equal(file.data, "linked");
    weft_file_read_free(&file);
    assert_int_equal(symlink("loop", scratch_path(link, "loop")), 0);
    assert_int_equal(status_of(link, 0), UV_ELOOP);
}

TEST(a_name_need_not_be_text)
{
    char path[SCRATCH_PATH];
    assert_int_equal(status_of(scratch_file(path, "\xff\xfe\x01 \n", "bytes"), 0), 0);
    assert_string_equal(file.data, "bytes");
    weft_file_read_free(&file);
}

TEST(a_file_that_may_not_be_read_says_so)
{
    char path[SCRATCH_PATH];
    scratch_file(path, "secret", "secret");
    assert_int_equal(chmod(path, 0), 0);
    nobody_begin(scratch_dir());
    int status = status_of(path, 0);
    nobody_end();
    assert_int_equal(status, UV_EACCES);
}

TEST(a_pipe_holds_no_thread)
{
    char path[SCRATCH_PATH];
    assert_int_equal(mkfifo(scratch_path(path, "pipe"), 0600), 0);
    /* Nobody writes: it is empty. */
    assert_int_equal(status_of(path, 0), 0);
    assert_int_equal(file.size, 0);
    weft_file_read_free(&file);
    /* Somebody might still. */
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(status_of(path, 0), UV_EAGAIN);
    /* And has, but may go on. */
    assert_int_equal(write(fd, "some", 4), 4);
    assert_int_equal(status_of(path, 0), UV_EAGAIN);
    close(fd);
}

TEST(devices_are_read_like_files)
{
    assert_int_equal(status_of("/dev/null", 0), 0);
    assert_int_equal(file.size, 0);
    weft_file_read_free(&file);
}

TEST(the_same_storage_reads_one_file_after_the_other)
{
    char a[SCRATCH_PATH], b[SCRATCH_PATH];
    struct world w;
    world_up(&w);
    struct weft_file_read read = {.max = 0};
    weft_file_read(weft_root(&w.loop), &read, scratch_file(a, "a", "first"), noted);
    world_run(&w);
    assert_string_equal(read.data, "first");
    weft_file_read_free(&read);
    weft_file_read(weft_root(&w.loop), &read, scratch_file(b, "b", "second"), noted);
    world_down(&w);
    assert_string_equal(read.data, "second");
    weft_file_read_free(&read);
}

/* One for the hop and its path, one for the bytes: the size is known. */
TEST(an_ordinary_file_takes_two_allocations)
{
    char path[SCRATCH_PATH];
    scratch_file(path, "ordinary", "ordinary");
    struct world w;
    weft_fault_install();
    world_up(&w);
    file = (struct weft_file_read){.max = 0};
    unsigned long before = weft_fault_allocations();
    weft_file_read(weft_root(&w.loop), &file, path, noted);
    world_down(&w);
    assert_int_equal(weft_fault_allocations() - before, 2);
    weft_file_read_free(&file);
    fault_remove();
}

static void start_twice(void)
{
    struct world w;
    world_up(&w);
    weft_file_read(weft_root(&w.loop), &file, "/dev/null", noted);
    weft_file_read(weft_root(&w.loop), &file, "/dev/null", noted);
}

TEST(starting_a_read_that_still_runs_breaks_rule_1)
{
    dies(start_twice, "rule 1", "file_read", "file_read.c");
}
