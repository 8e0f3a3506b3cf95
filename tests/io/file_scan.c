/* Reading files in pieces.
 * ctest: labels=threads,valgrind-long */
#include "loop.h"
#include "provider.h"
#include "scratch.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <weft/file.h>

enum { LARGE = 5 * WEFT_FILE_PIECE + 17 };

static struct world w;
static struct count {
    struct weft_file_scan scan;
    size_t pieces, largest;
    unsigned long sum;
    size_t stop_at, tell_at;
    int stop_with;
} count;
static uv_sem_t told;

static int add_up(struct weft_file_scan *scan, const char *data, size_t size)
{
    struct count *its = weft_owner(scan, struct count, scan);
    its->pieces++;
    if (its->pieces == its->tell_at)
        uv_sem_post(&told);
    its->largest = size > its->largest ? size : its->largest;
    for (size_t i = 0; i < size; i++)
        its->sum += (unsigned char)data[i];
    return its->pieces == its->stop_at ? its->stop_with : 0;
}

static int status_of(const char *path)
{
    world_up(&w);
    weft_file_scan(weft_root(&w.loop), &count.scan, path, add_up, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static void make(char path[SCRATCH_PATH], size_t size)
{
    scratch_path(path, "file");
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    for (size_t i = 0; i < size; i++)
        fputc((int)(i % 100), to);
    assert_int_equal(fclose(to), 0);
}

static unsigned long sum_of(size_t size)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += i % 100;
    return sum;
}

TEST(every_byte_is_seen_once_in_pieces_of_bounded_size)
{
    static const size_t sizes[] = {
        0, 1, WEFT_FILE_PIECE - 1, WEFT_FILE_PIECE, WEFT_FILE_PIECE + 1, LARGE};
    char path[SCRATCH_PATH];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        make(path, sizes[i]);
        count = (struct count){.pieces = 0};
        assert_int_equal(status_of(path), 0);
        assert_int_equal(count.scan.size, sizes[i]);
        assert_int_equal(count.sum, sum_of(sizes[i]));
        assert_true(count.largest <= WEFT_FILE_PIECE);
    }
}

TEST(a_piece_may_end_it)
{
    char path[SCRATCH_PATH];
    make(path, LARGE);
    count = (struct count){.stop_at = 2, .stop_with = UV_EPERM};
    assert_int_equal(status_of(path), UV_EPERM);
    assert_int_equal(count.pieces, 2);
}

TEST(what_is_no_file_is_an_error)
{
    char path[SCRATCH_PATH];
    scratch_path(path, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    count = (struct count){.pieces = 0};
    assert_int_equal(status_of(path), 0); /* nobody writes to it: it is empty */
    assert_int_equal(status_of("."), UV_EISDIR);
    assert_int_equal(status_of("/no such/file"), UV_ENOENT);
    assert_int_equal(status_of(""), UV_EINVAL);
    assert_int_equal(status_of(NULL), UV_EINVAL);
    assert_int_equal(count.pieces, 0);
}

TEST(a_cancel_takes_effect_between_two_pieces)
{
    world_up(&w);
    count = (struct count){.tell_at = 3};
    assert_int_equal(uv_sem_init(&told, 0), 0);
    weft_file_scan(weft_root(&w.loop), &count.scan, "/dev/zero", add_up, noted);
    uv_sem_wait(&told);
    weft_cancel(&count.scan.work.op, UV_EINTR);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    uv_sem_destroy(&told);
}

static char provided_path[SCRATCH_PATH];

static void good(void *storage)
{
    struct count *its = storage;
    its->scan.path = provided_path;
    its->scan.piece = add_up;
    its->stop_with = 0;
    its->stop_at = 0;
    its->sum = its->pieces = 0;
}

static void bad(void *storage)
{
    good(storage);
    ((struct count *)storage)->scan.path = "/no such/file";
}

static void verify(void *storage)
{
    assert_int_equal(((struct count *)storage)->sum, sum_of(LARGE));
}

static const struct weft_provider file_scan = {
    .name = "file_scan",
    WEFT_PROVIDER_OP(struct count, scan.work.op),
    .begin = weft_file_scan_begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = verify,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_scan_conforms)
{
    make(provided_path, LARGE);
    provider_check(&file_scan);
}
