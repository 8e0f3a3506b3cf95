/* Concatenation when the system does not do what it is asked, and when sources change meanwhile. The
 * calls go through here; only those of the pool's threads are touched.
 * ctest: labels=threads,valgrind-long timeout=120 */
#include "loop.h"
#include "scratch.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <weft/concat.h>

/* ---- the calls ------------------------------------------------------------------------------ */

static struct {
    bool armed;
    unsigned fail_at; /* the n-th call fails with fail_with; 0: none does */
    int fail_with;
    bool write_fails;  /* every write does */
    size_t most;       /* a read or write does at most so much; 0: all of it */
    bool interrupt;    /* every second call that can be interrupted is */
    bool other_system; /* the file system is one that nobody has heard of */
    int range; /* what copy_file_range says after range_most bytes; -1: the kernel decides */
    size_t range_most;
    int seek;             /* what lseek says of holes; 0: the kernel decides */
    bool small_system;    /* it knows no place as far as a hole goes */
    void (*looked)(void); /* called when all was looked at, and nothing was opened */
} plan;
static atomic_uint calls, interruptions, ranges, preads;
static pthread_t main_thread;
static _Thread_local bool own; /* inside a function of the test: let it do what it wants */

__attribute__((constructor)) static void remember_the_main_thread(void)
{
    main_thread = pthread_self();
}

static bool touched(void)
{
    return plan.armed && !own && !pthread_equal(pthread_self(), main_thread);
}

static bool says(int err)
{
    errno = err;
    return err != 0;
}

static bool fails(void)
{
    if (!touched() || atomic_fetch_add(&calls, 1) + 1 != plan.fail_at)
        return false;
    return says(plan.fail_with);
}

static bool interrupted(void)
{
    if (!touched() || !plan.interrupt || atomic_fetch_add(&interruptions, 1) % 2 != 0)
        return false;
    return says(EINTR);
}

/* Several threads may be the first to ask. */
#define REAL(name, type, ...)                                                                      \
    static type (*known)(__VA_ARGS__);                                                             \
    type (*real)(__VA_ARGS__) = __atomic_load_n(&known, __ATOMIC_ACQUIRE);                         \
    if (real == NULL) {                                                                            \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        __atomic_store_n(&known, real, __ATOMIC_RELEASE);                                          \
    }

static size_t cut(size_t size)
{
    return touched() && plan.most != 0 && size > plan.most ? plan.most : size;
}

/* libuv wakes its loop by writing to a descriptor that is no file. */
static bool is_file(int fd)
{
    struct stat st;
    return touched() && fstatat(fd, "", &st, AT_EMPTY_PATH) == 0 && (st.st_mode & S_IFMT) != 0;
}

int fstat(int fd, struct stat *st)
{
    REAL(fstat, int, int, struct stat *);
    return fails() ? -1 : real(fd, st);
}

int stat(const char *path, struct stat *st)
{
    REAL(stat, int, const char *, struct stat *);
    return fails() ? -1 : real(path, st);
}

int open(const char *path, int flags, ...)
{
    REAL(open, int, const char *, int, ...);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return interrupted() || fails() ? -1 : real(path, flags, mode);
}

ssize_t pread(int fd, void *data, size_t size, off_t at)
{
    REAL(pread, ssize_t, int, void *, size_t, off_t);
    if (touched())
        atomic_fetch_add(&preads, 1);
    return interrupted() || fails() ? -1 : real(fd, data, cut(size), at);
}

ssize_t read(int fd, void *data, size_t size)
{
    REAL(read, ssize_t, int, void *, size_t);
    if (!is_file(fd))
        return real(fd, data, size);
    return interrupted() || fails() ? -1 : real(fd, data, cut(size));
}

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(write, ssize_t, int, const void *, size_t);
    if (!is_file(fd))
        return real(fd, data, size);
    if (plan.write_fails && says(plan.fail_with))
        return -1;
    return interrupted() || fails() ? -1 : real(fd, data, cut(size));
}

off_t lseek(int fd, off_t at, int whence)
{
    REAL(lseek, off_t, int, off_t, int);
    if (touched() && (whence == SEEK_DATA || whence == SEEK_HOLE) && says(plan.seek))
        return -1;
    if (touched() && whence == SEEK_CUR && plan.small_system && says(EINVAL))
        return -1;
    return real(fd, at, whence);
}

int ftruncate(int fd, off_t size)
{
    REAL(ftruncate, int, int, off_t);
    return fails() ? -1 : real(fd, size);
}

int rename(const char *from, const char *to)
{
    REAL(rename, int, const char *, const char *);
    return fails() ? -1 : real(from, to);
}

int fsync(int fd)
{
    REAL(fsync, int, int);
    return interrupted() || fails() ? -1 : real(fd);
}

int fchmod(int fd, mode_t mode)
{
    REAL(fchmod, int, int, mode_t);
    return fails() ? -1 : real(fd, mode);
}

int fstatfs(int fd, struct statfs *system)
{
    REAL(fstatfs, int, int, struct statfs *);
    int result = real(fd, system);
    if (touched() && plan.looked != NULL) {
        own = true;
        plan.looked();
        own = false;
    }
    if (touched())
        system->f_type = plan.other_system ? 1 : 0x01021994; /* tmpfs, wherever the test runs */
    return result;
}

ssize_t copy_file_range(int from, off_t *from_at, int to, off_t *to_at, size_t size, unsigned flags)
{
    REAL(copy_file_range, ssize_t, int, off_t *, int, off_t *, size_t, unsigned);
    if (!touched())
        return real(from, from_at, to, to_at, size, flags);
    if (interrupted() || fails())
        return -1;
    atomic_fetch_add(&ranges, 1);
    if (plan.range != -1) {
        if (plan.range_most == 0)
            return says(plan.range) ? -1 : 0;
        size = size < plan.range_most ? size : plan.range_most;
        plan.range_most -= size;
    }
    return real(from, from_at, to, to_at, cut(size), flags);
}

/* ---- what is concatenated ------------------------------------------------------------------- */

enum { LARGE_SIZE = 1500000, HOLE_SIZE = 600000 };
static char small[SCRATCH_PATH], large[SCRATCH_PATH], sparse[SCRATCH_PATH], dest[SCRATCH_PATH];
static char *expected;
static size_t expected_size;
static struct weft_file_concat concat;

static void prepare(void)
{
    memset(&plan, 0, sizeof plan);
    plan.range = -1;
    scratch_empty();
    char *data = malloc(LARGE_SIZE + 1);
    for (size_t i = 0; i < LARGE_SIZE; i++)
        data[i] = (char)('a' + (i * 7 + i / 777) % 26);
    data[LARGE_SIZE] = '\0';
    scratch_file(large, "large", data);
    scratch_file(small, "small", "small");
    scratch_file(sparse, "sparse", "head");
    assert_int_equal(truncate(sparse, HOLE_SIZE), 0);
    scratch_file(dest, "dest", "old");
    free(expected);
    expected_size = 5 + LARGE_SIZE + HOLE_SIZE + 5;
    expected = calloc(1, expected_size + 1);
    memcpy(expected, "small", 5);
    memcpy(expected + 5, data, LARGE_SIZE);
    memcpy(expected + 5 + LARGE_SIZE, "head", 4);
    memcpy(expected + 5 + LARGE_SIZE + HOLE_SIZE, "small", 5);
    free(data);
}

static bool dest_holds(const char *content, size_t size)
{
    char *found = malloc(expected_size + 1);
    FILE *stream = fopen(dest, "r");
    assert_non_null(stream);
    size_t got = fread(found, 1, expected_size + 1, stream);
    fclose(stream);
    bool same = got == size && memcmp(found, content, size) == 0;
    free(found);
    return same;
}

static int descriptors(void)
{
    static bool warm;
    if (!warm) {
        struct world w;
        world_up(&w);
        world_down(&w);
        warm = true;
    }
    return (int)scratch_count("/proc/self/fd");
}

/* Under the plan: all of it or nothing, and nothing is left behind. */
static int run(void)
{
    const char *const sources[] = {small, large, sparse, small};
    struct world w;
    int before = descriptors();
    world_up(&w);
    atomic_store(&calls, 0);
    atomic_store(&ranges, 0);
    atomic_store(&preads, 0);
    plan.armed = true;
    weft_file_concat(weft_root(&w.loop), &concat, sources, 4, dest, noted);
    int stuck = world_run(&w);
    plan.armed = false;
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(descriptors(), before);
    assert_int_equal(scratch_count(scratch_dir()), 4);
    bool in_place = dest_holds(expected, expected_size);
    assert_true(in_place || dest_holds("old", 3));
    if (!concat.durable) /* the directory's fsync comes when all is in place */
        assert_int_equal(in_place, seen.status == 0);
    return seen.status;
}

/* ---- the ways of copying -------------------------------------------------------------------- */

TEST(every_way_of_copying_comes_to_the_same)
{
    prepare();
    assert_int_equal(run(), 0);
    prepare();
    plan.other_system = true;
    assert_int_equal(run(), 0);
    assert_true(ranges > 0);
    static const int refusals[] = {ENOSYS, EXDEV, EINVAL, EOPNOTSUPP, EBADF, EIO, 0};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        for (size_t most = 0; most <= 700000; most += 700000) {
            prepare();
            plan.other_system = true;
            plan.range = refusals[i];
            plan.range_most = most;
            assert_int_equal(run(), 0);
            assert_true(preads > 2);
        }
    }
}

TEST(a_file_system_that_cannot_tell_holes_gives_bytes)
{
    prepare();
    plan.seek = EINVAL;
    assert_int_equal(run(), 0);
}

TEST(a_hole_that_goes_too_far_for_the_file_system_is_too_large)
{
    prepare();
    plan.small_system = true;
    concat.max = 1 << 30;
    assert_int_equal(run(), UV_EFBIG);
    concat.max = 0;
    assert_int_equal(concat.failed, WEFT_NONE);
    assert_false(concat.exceeded);
}

TEST(parts_and_interruptions_are_no_trouble)
{
    for (int way = 0; way < 3; way++) {
        prepare();
        plan.most = 1000;
        plan.interrupt = true;
        plan.other_system = way > 0;
        plan.range = way == 2 ? EXDEV : -1;
        assert_int_equal(run(), 0);
    }
}

/* ---- errors --------------------------------------------------------------------------------- */

/* Whichever call fails: an error, or all of it by another way. */
static void climb(int way, bool durable)
{
    for (unsigned n = 1;; n++) {
        prepare();
        plan.fail_at = n;
        plan.fail_with = EIO;
        plan.other_system = way > 0;
        plan.range = way == 2 ? EXDEV : -1;
        concat.durable = durable;
        int status = run();
        concat.durable = false;
        if (atomic_load(&calls) < n) {
            assert_int_equal(status, 0);
            assert_true(n > 10);
            return;
        }
        assert_true(status == 0 || status == UV_EIO);
    }
}

TEST(it_is_all_or_nothing_whichever_call_fails)
{
    climb(0, false);
    climb(1, false);
    climb(2, true);
}

TEST(a_full_disk_is_told_whatever_the_way)
{
    prepare();
    plan.other_system = true;
    plan.range = ENOSPC;
    plan.range_most = 300000;
    assert_int_equal(run(), UV_ENOSPC);
    assert_int_equal(concat.failed, WEFT_NONE);
    prepare();
    plan.fail_with = ENOSPC;
    plan.write_fails = true;
    assert_int_equal(run(), UV_ENOSPC);
    assert_int_equal(concat.failed, WEFT_NONE);
}

/* ---- sources that change -------------------------------------------------------------------- */

static void change(const char *path, off_t size)
{
    assert_int_equal(truncate(path, size), 0);
}

static void shrink_small(void)
{
    change(small, 2);
}

static void shrink_large(void)
{
    change(large, LARGE_SIZE / 2);
}

static void shrink_sparse(void)
{
    change(sparse, 100);
}

static void empty_large(void)
{
    change(large, 0);
}

static void replace_large(void)
{
    char other[SCRATCH_PATH];
    scratch_file(other, "other", expected);
    rename(other, large);
}

static void remove_sparse(void)
{
    unlink(sparse);
    scratch_file(sparse, "sparse2", "x"); /* so that there are as many files */
    scratch_path(sparse, "sparse");
}

TEST(a_source_that_gets_shorter_or_is_replaced_has_changed)
{
    static const struct {
        void (*how)(void);
        size_t failed;
        int status;
    } changes[] = {
        {shrink_small, 0, WEFT_ECHANGED},  {shrink_large, 1, WEFT_ECHANGED},
        {shrink_sparse, 2, WEFT_ECHANGED}, {empty_large, 1, WEFT_ECHANGED},
        {replace_large, 1, WEFT_ECHANGED}, {remove_sparse, 2, UV_ENOENT},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        for (int way = 0; way < 3; way++) {
            prepare();
            plan.looked = changes[i].how;
            plan.other_system = way > 0;
            plan.range = way == 2 ? EXDEV : -1;
            assert_int_equal(run(), changes[i].status);
            assert_int_equal(concat.failed, changes[i].failed);
        }
    }
}

/* Nobody has to be told that it changed: its size was not believed. */
static void shrink_claimed(void)
{
    change(small, 3);
}

TEST(what_a_small_file_without_blocks_says_of_its_size_is_not_believed)
{
    static const int sizes[] = {4096, 65536, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct stat st;
        prepare();
        assert_int_equal(truncate(small, 0), 0);
        assert_int_equal(truncate(small, sizes[i]), 0);
        assert_int_equal(stat(small, &st), 0);
        if (st.st_blocks != 0) {
            print_message("a hole has blocks here\n");
            skip();
        }
        memset(expected, 0, 3);
        memmove(expected + 3, expected + 5, LARGE_SIZE + HOLE_SIZE);
        memset(expected + 3 + LARGE_SIZE + HOLE_SIZE, 0, 3);
        expected_size -= 4;
        plan.looked = shrink_claimed;
        assert_int_equal(run(), sizes[i] > 65536 ? WEFT_ECHANGED : 0);
    }
}

static void grow(void)
{
    for (int i = 0; i < 3; i++) {
        int fd = open(i == 0 ? small : i == 1 ? large : sparse, O_WRONLY | O_APPEND | O_CLOEXEC);
        assert_int_equal(write(fd, "more", 4), 4);
        close(fd);
    }
}

TEST(what_is_appended_meanwhile_is_left_out)
{
    for (int way = 0; way < 3; way++) {
        prepare();
        plan.looked = grow;
        plan.other_system = way > 0;
        plan.range = way == 2 ? EXDEV : -1;
        assert_int_equal(run(), 0);
    }
}
