/* Several files as one: what comes out, and what is refused.
 * ctest: labels=threads,valgrind timeout=120 */
#include "files/concat/concat.h"
#include "loop.h"
#include "nobody.h"
#include "scratch.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct weft_file_concat concat;
static char dest[SCRATCH_PATH];

/* With the settings that concat has; they are gone afterwards. */
static int concat_files(const char *const *sources, size_t count, const char *to)
{
    struct world w;
    world_up(&w);
    concat.size = 99;
    weft_file_concat(weft_root(&w.loop), &concat, sources, count, to, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    if (seen.status != 0)
        assert_int_equal(concat.size, 0);
    else
        assert_int_equal(concat.failed, WEFT_NONE);
    concat.durable = false;
    concat.input = 0;
    concat.max = 0;
    return seen.status;
}

#define CONCAT(...)                                                                                \
    concat_files((const char *const[]){__VA_ARGS__},                                               \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), dest)

static void prepare(void)
{
    scratch_empty();
    scratch_path(dest, "dest");
}

static struct stat look_at(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st;
}

/* size bytes that are different everywhere. */
static char *pattern(size_t size, unsigned seed)
{
    char *data = malloc(size + 1);
    assert_non_null(data);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)('a' + (i * 7 + i / 777 + seed) % 26);
    data[size] = '\0';
    return data;
}

static char *pattern_file(char path[SCRATCH_PATH], const char *name, size_t size, unsigned seed)
{
    char *data = pattern(size, seed);
    scratch_file(path, name, data);
    return data;
}

/* ---- what comes out ------------------------------------------------------------------------- */

TEST(the_sources_come_out_in_their_order)
{
    char a[SCRATCH_PATH], b[SCRATCH_PATH], c[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "one\n");
    scratch_file(b, "b", "two");
    scratch_file(c, "c", "three\n");
    assert_int_equal(CONCAT(a, b, c), 0);
    scratch_equals(dest, "one\ntwothree\n");
    assert_int_equal(concat.size, 13);
    assert_int_equal(CONCAT(c, a, a, b), 0);
    scratch_equals(dest, "three\none\none\ntwo");
    assert_int_equal(scratch_count(scratch_dir()), 4);
}

TEST(one_source_is_a_copy_and_none_an_empty_file)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "alone");
    assert_int_equal(CONCAT(a), 0);
    scratch_equals(dest, "alone");
    assert_int_equal(concat_files(NULL, 0, dest), 0);
    scratch_equals(dest, "");
    assert_int_equal(concat.size, 0);
}

TEST(empty_sources_add_nothing)
{
    char a[SCRATCH_PATH], e[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(e, "e", "");
    assert_int_equal(CONCAT(e, a, e, e, a, e), 0);
    scratch_equals(dest, "xx");
    assert_int_equal(CONCAT(e, e), 0);
    scratch_equals(dest, "");
}

enum { MANY = 3000 };

TEST(thousands_of_small_files_are_gathered)
{
    static char paths[MANY][SCRATCH_PATH];
    static const char *sources[MANY];
    static char expected[MANY * 8];
    prepare();
    char *end = expected;
    for (int i = 0; i < MANY; i++) {
        char name[16], text[16];
        snprintf(name, sizeof name, "f%d", i);
        snprintf(text, sizeof text, "<%d>", i);
        sources[i] = scratch_file(paths[i], name, text);
        end = stpcpy(end, text);
    }
    assert_int_equal(concat_files(sources, MANY, dest), 0);
    scratch_equals(dest, expected);
    assert_int_equal(concat.size, end - expected);
    assert_int_equal(scratch_count(scratch_dir()), MANY + 1);
}

/* Around the sizes where another way is taken: a buffer, half of one, a stretch of the kernel's. */
TEST(large_and_small_ones_stand_beside_each_other)
{
    static const size_t sizes[] = {1,      131071,     131072,         262144,
                                   262145, (16 << 20), (17 << 20) + 3, 5,
                                   4096,   131071,     (1 << 20) + 1};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    static char paths[COUNT][SCRATCH_PATH];
    const char *sources[COUNT];
    prepare();
    size_t total = 0, at = 0;
    for (size_t i = 0; i < COUNT; i++)
        total += sizes[i];
    char *expected = malloc(total + 1);
    assert_non_null(expected);
    for (size_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%zu", i);
        char *data = pattern_file(paths[i], name, sizes[i], (unsigned)i);
        memcpy(expected + at, data, sizes[i] + 1);
        at += sizes[i];
        sources[i] = paths[i];
        free(data);
    }
    assert_int_equal(concat_files(sources, COUNT, dest), 0);
    assert_int_equal(concat.size, total);
    scratch_equals(dest, expected);
    free(expected);
    scratch_empty();
}

/* The kernel copies between some file systems and not between others; the caller sees neither. */
TEST(sources_of_another_file_system_come_out_the_same)
{
    char from[] = "/tmp/weft-test-concat-XXXXXX", small[SCRATCH_PATH];
    int fd = mkstemp(from);
    assert_true(fd >= 0);
    char *data = pattern(3000000, 0);
    assert_int_equal(write(fd, data, 3000000), 3000000);
    close(fd);
    prepare();
    scratch_file(small, "small", "");
    int status = CONCAT(small, from);
    unlink(from);
    assert_int_equal(status, 0);
    scratch_equals(dest, data);
    free(data);
}

/* ---- odd sources ---------------------------------------------------------------------------- */

TEST(holes_stay_holes)
{
    char a[SCRATCH_PATH], b[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "begin");
    int fd = open(a, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "middle", 6, 20 << 20), 6);
    assert_int_equal(ftruncate(fd, 40 << 20), 0);
    close(fd);
    scratch_file(b, "b", "end");
    assert_int_equal(CONCAT(a, b, a), 0);
    assert_int_equal(concat.size, (80 << 20) + 3);
    struct stat st = look_at(dest);
    assert_int_equal(st.st_size, (80 << 20) + 3);
    if (look_at(a).st_blocks * 512 < 1 << 20)
        assert_true(st.st_blocks * 512 < 1 << 20);
    char found[8] = "";
    fd = open(dest, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, found, 5, 0), 5);
    assert_string_equal(found, "begin");
    assert_int_equal(pread(fd, found, 6, 20 << 20), 6);
    assert_string_equal(found, "middle");
    assert_int_equal(pread(fd, found, 6, 40 << 20), 6);
    assert_memory_equal(found, "endbeg", 6);
    assert_int_equal(pread(fd, found, 1, 30 << 20), 1);
    assert_int_equal(found[0], 0);
    close(fd);
    scratch_empty();
}

TEST(a_file_whose_size_says_nothing_is_read_to_its_end)
{
    char a[SCRATCH_PATH];
    if (!scratch_exists("/proc/self/smaps")) {
        print_message("there is no /proc\n");
        skip();
    }
    prepare();
    scratch_file(a, "a", "x");
    assert_int_equal(CONCAT(a, "/proc/self/smaps", a), 0);
    assert_true(concat.size > 1000);
    assert_int_equal(look_at(dest).st_size, concat.size);
}

static void *write_hello(void *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC); /* until there is a reader */
    bool well = fd >= 0 && write(fd, "hello ", 6) == 6;
    char *data = pattern(300000, 3);
    for (size_t at = 0; well && at < 300000; at += 50000)
        well = write(fd, data + at, 50000) == 50000;
    free(data);
    close(fd);
    return well ? path : NULL;
}

TEST(a_named_pipe_is_read_to_its_end)
{
    char a[SCRATCH_PATH], fifo[SCRATCH_PATH];
    void *well;
    pthread_t writer;
    prepare();
    scratch_file(a, "a", "[");
    assert_int_equal(mkfifo(scratch_path(fifo, "fifo"), 0600), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_hello, fifo), 0);
    assert_int_equal(CONCAT(a, fifo, a), 0);
    pthread_join(writer, &well);
    assert_non_null(well);
    assert_int_equal(concat.size, 300008);
    char *data = pattern(300000, 3), *expected = malloc(300009);
    snprintf(expected, 300009, "[hello %s[", data);
    scratch_equals(dest, expected);
    free(expected);
    free(data);
}

TEST(a_device_is_read_to_its_end)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    assert_int_equal(CONCAT(a, "/dev/null", a), 0);
    scratch_equals(dest, "xx");
}

TEST(a_dash_is_the_input)
{
    char a[SCRATCH_PATH];
    int ends[2];
    prepare();
    scratch_file(a, "a", "|");
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    concat.input = ends[0];
    assert_int_equal(CONCAT(a, "-", a, "-", a), 0);
    scratch_equals(dest, "|piped||");
    int flags = fcntl(ends[0], F_GETFL);
    assert_true(flags >= 0);                 /* it is open, */
    assert_int_equal(flags & O_NONBLOCK, 0); /* and as it was */
    close(ends[0]);
}

TEST(an_input_that_is_a_file_is_read_from_where_it_stands)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "0123456789");
    int fd = open(a, O_RDONLY | O_CLOEXEC);
    assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
    concat.input = fd;
    assert_int_equal(CONCAT("-", a), 0);
    scratch_equals(dest, "4567890123456789");
    close(fd);
}

TEST(an_input_that_is_a_socket_is_read_to_its_end)
{
    int ends[2];
    prepare();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(write(ends[1], "sent", 4), 4);
    close(ends[1]);
    concat.input = ends[0];
    assert_int_equal(CONCAT("-"), 0);
    scratch_equals(dest, "sent");
    close(ends[0]);
}

static bool it_waits(void)
{
    return concat.job_->ready.watch.events_ != 0;
}

/* The input has nothing for a while: the loop waits for it, and no thread does. */
TEST(an_input_that_is_slow_is_waited_for)
{
    char a[SCRATCH_PATH];
    struct world w;
    int ends[2];
    prepare();
    scratch_file(a, "a", "|");
    assert_int_equal(pipe(ends), 0);
    const char *const sources[] = {a, "-", a};
    world_up(&w);
    concat.input = ends[0];
    weft_file_concat(weft_root(&w.loop), &concat, sources, 3, dest, noted);
    while (!it_waits())
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(weft_file_concat_progress(&concat).done, 1);
    assert_int_equal(write(ends[1], "late", 4), 4);
    while (it_waits())
        uv_run(&w.uv, UV_RUN_NOWAIT);
    close(ends[1]);
    world_down(&w);
    concat.input = 0;
    assert_int_equal(seen.status, 0);
    scratch_equals(dest, "|late|");
    close(ends[0]);
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(a_destination_among_the_sources_is_refused_by_any_name)
{
    char a[SCRATCH_PATH], hard[SCRATCH_PATH], soft[SCRATCH_PATH], odd[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(dest, "dest", "kept");
    assert_int_equal(link(dest, scratch_path(hard, "hard")), 0);
    assert_int_equal(symlink("dest", scratch_path(soft, "soft")), 0);
    scratch_path(odd, "./dest");
    const char *const names[] = {dest, hard, soft, odd};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(CONCAT(a, names[i], a), UV_EINVAL);
        assert_int_equal(concat.failed, 1);
        assert_int_equal(concat_files((const char *const[]){a, a, dest}, 3, names[i]), UV_EINVAL);
        assert_int_equal(concat.failed, 2);
    }
    int fd = open(dest, O_RDONLY | O_CLOEXEC);
    concat.input = fd;
    assert_int_equal(CONCAT(a, "-"), UV_EINVAL);
    assert_int_equal(concat.failed, 1);
    close(fd);
    scratch_equals(dest, "kept");
    assert_int_equal(scratch_count(scratch_dir()), 4);
}

TEST(a_missing_source_leaves_everything_alone_and_the_first_one_is_told)
{
    enum { COUNT = 1000 };
    static const char *sources[COUNT];
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(dest, "dest", "kept");
    struct stat before = look_at(scratch_dir());
    for (int i = 0; i < COUNT; i++)
        sources[i] = i % 64 == 63 && i > 300 ? "/nonexistent" : a;
    assert_int_equal(concat_files(sources, COUNT, dest), UV_ENOENT);
    assert_int_equal(concat.failed, 319);
    scratch_equals(dest, "kept");
    struct stat after = look_at(scratch_dir());
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

TEST(a_source_that_cannot_be_read_says_why)
{
    char a[SCRATCH_PATH], socket_path[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    make_socket(scratch_path(socket_path, "socket"));
    assert_int_equal(CONCAT(a, scratch_dir()), UV_EISDIR);
    assert_int_equal(concat.failed, 1);
    assert_int_equal(CONCAT(a, a, socket_path), UV_ENOTSUP);
    assert_int_equal(concat.failed, 2);
    assert_int_equal(CONCAT(NULL, a), UV_EINVAL);
    assert_int_equal(concat.failed, 0);
    assert_int_equal(CONCAT(a, ""), UV_EINVAL);
    assert_int_equal(concat.failed, 1);
    int fd = open(scratch_dir(), O_RDONLY | O_CLOEXEC);
    concat.input = fd;
    assert_int_equal(CONCAT(a, "-"), UV_EISDIR);
    close(fd);
    concat.input = 99999;
    assert_int_equal(CONCAT("-"), UV_EBADF);
    assert_int_equal(concat.failed, 0);
    assert_int_equal(scratch_count(scratch_dir()), 2);
}

TEST(a_source_that_may_not_be_read_leaves_the_destination_alone)
{
    char a[SCRATCH_PATH], secret[SCRATCH_PATH], shared[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(shared, "shared", "y");
    scratch_file(secret, "secret", "secret");
    assert_int_equal(chmod(secret, 0), 0);
    scratch_file(dest, "dest", "kept");
    nobody_begin(scratch_dir());
    int status = CONCAT(a, shared, secret);
    size_t failed = concat.failed;
    nobody_end();
    assert_int_equal(status, UV_EACCES);
    assert_int_equal(failed, 2);
    scratch_equals(dest, "kept");
    assert_int_equal(scratch_count(scratch_dir()), 4);
}

TEST(a_destination_that_cannot_be_replaced_says_why)
{
    char a[SCRATCH_PATH], fifo[SCRATCH_PATH];
    prepare();
    const char *const sources[] = {scratch_file(a, "a", "x")};
    assert_int_equal(mkfifo(scratch_path(fifo, "fifo"), 0600), 0);
    assert_int_equal(concat_files(sources, 1, NULL), UV_EINVAL);
    assert_int_equal(concat_files(sources, 1, ""), UV_EINVAL);
    assert_int_equal(concat_files(NULL, 1, dest), UV_EINVAL);
    assert_int_equal(concat_files(sources, 1, scratch_dir()), UV_EISDIR);
    assert_int_equal(concat.failed, WEFT_NONE);
    assert_int_equal(concat_files(sources, 1, fifo), UV_EINVAL);
    assert_int_equal(concat.failed, WEFT_NONE);
    assert_int_equal(concat_files(sources, 1, "/nonexistent/below"), UV_ENOENT);
    assert_int_equal(concat.failed, WEFT_NONE);
    assert_true(S_ISFIFO(look_at(fifo).st_mode));
    assert_int_equal(scratch_count(scratch_dir()), 2);
}

TEST(no_more_than_max_bytes)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "12345");
    scratch_file(dest, "dest", "kept");
    concat.max = 10;
    assert_int_equal(CONCAT(a, a), 0);
    scratch_equals(dest, "1234512345");
    concat.max = 9;
    assert_int_equal(CONCAT(a, a), UV_EFBIG);
    assert_int_equal(concat.failed, WEFT_NONE);
    assert_true(concat.exceeded);
    concat.max = 1000000;
    assert_int_equal(CONCAT(a, "/dev/zero"), UV_EFBIG); /* there is no end to it */
    assert_int_equal(concat.failed, WEFT_NONE);
    assert_true(concat.exceeded);
    scratch_equals(dest, "1234512345");
    assert_int_equal(scratch_count(scratch_dir()), 2);
}

TEST(sizes_that_no_file_could_have_are_too_much)
{
    enum { COUNT = 20 };
    const char *sources[COUNT];
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "");
    if (truncate(a, INT64_C(1) << 60) != 0) {
        print_message("no file can be that large here\n");
        skip();
    }
    for (int i = 0; i < COUNT; i++)
        sources[i] = a;
    assert_int_equal(concat_files(sources, COUNT, dest), UV_EFBIG);
    assert_false(concat.exceeded);
    assert_int_equal(scratch_count(scratch_dir()), 1);
}

/* ---- the file that is replaced -------------------------------------------------------------- */

TEST(a_new_file_gets_the_usual_mode_and_a_replaced_one_passes_its_own_on)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "new");
    assert_int_equal(chmod(a, 0700), 0);
    mode_t before = umask(027);
    int status = CONCAT(a);
    umask(before);
    assert_int_equal(status, 0);
    assert_int_equal(look_at(dest).st_mode & 07777, 0640);
    assert_int_equal(chmod(dest, 0604), 0);
    if (geteuid() == 0)
        assert_int_equal(chown(dest, 12, 34), 0);
    concat.durable = true;
    assert_int_equal(CONCAT(a, a), 0);
    struct stat st = look_at(dest);
    assert_int_equal(st.st_mode & 07777, 0604);
    assert_int_equal(st.st_size, 6);
    if (geteuid() == 0) {
        assert_int_equal(st.st_uid, 12);
        assert_int_equal(st.st_gid, 34);
    }
}

TEST(a_link_stays_one_and_what_it_leads_to_is_replaced)
{
    char a[SCRATCH_PATH], soft[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "new");
    scratch_file(dest, "dest", "old");
    assert_int_equal(symlink("dest", scratch_path(soft, "soft")), 0);
    assert_int_equal(concat_files((const char *const[]){a}, 1, soft), 0);
    assert_true(S_ISLNK(look_at(soft).st_mode));
    scratch_equals(dest, "new");
}

/* ---- a cancel ------------------------------------------------------------------------------- */

static bool has_temporary(void)
{
    return scratch_count(scratch_dir()) > 2;
}

static void cancelled(const char *const *sources, size_t count, bool (*now)(void))
{
    struct world w;
    world_up(&w);
    weft_file_concat(weft_root(&w.loop), &concat, sources, count, dest, noted);
    while (!now())
        uv_run(&w.uv, UV_RUN_NOWAIT);
    weft_cancel(&concat.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(concat.failed, WEFT_NONE);
    assert_int_equal(concat.size, 0);
    scratch_equals(dest, "kept");
    assert_int_equal(scratch_count(scratch_dir()), 2);
}

static bool at_once(void)
{
    return true;
}

TEST(a_cancel_before_anything_was_done_does_nothing)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(dest, "dest", "kept");
    cancelled((const char *const[]){a, "/dev/zero"}, 2, at_once);
}

/* An endless source: only the cancel ends it. */
TEST(a_cancel_takes_effect_between_two_pieces)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(dest, "dest", "kept");
    cancelled((const char *const[]){a, "/dev/zero"}, 2, has_temporary);
}

static bool much_is_done(void)
{
    struct weft_file_concat_progress progress = weft_file_concat_progress(&concat);
    assert_int_equal(progress.total, 0); /* there is no end to it */
    return progress.done > 3 << 20;
}

TEST(how_far_it_is_can_be_seen)
{
    char a[SCRATCH_PATH];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(dest, "dest", "kept");
    cancelled((const char *const[]){a, "/dev/zero"}, 2, much_is_done);
    struct weft_file_concat_progress progress = weft_file_concat_progress(&concat);
    assert_int_equal(progress.total, 0);
    assert_int_equal(weft_file_concat_progress(NULL).total, 0);
}

static bool something_is_known(void)
{
    struct weft_file_concat_progress progress = weft_file_concat_progress(&concat);
    if (progress.total == 0)
        assert_int_equal(progress.done, 0);
    return progress.total != 0;
}

/* All of it, or nothing yet: never what only some of the sources add up to. */
TEST(the_total_is_known_when_all_sources_were_looked_at)
{
    enum { COUNT = 20000 };
    static const char *sources[COUNT];
    char a[SCRATCH_PATH];
    struct world w;
    prepare();
    scratch_file(a, "a", "four");
    for (int i = 0; i < COUNT; i++)
        sources[i] = a;
    world_up(&w);
    weft_file_concat(weft_root(&w.loop), &concat, sources, COUNT, dest, noted);
    while (!something_is_known()) {
        assert_int_equal(seen.calls, 0);
        uv_run(&w.uv, UV_RUN_NOWAIT);
    }
    assert_int_equal(weft_file_concat_progress(&concat).total, 4 * COUNT);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(concat.size, 4 * COUNT);
}

/* Nobody will ever write to the pipe. */
TEST(a_cancel_while_a_pipe_is_waited_for_comes_at_once)
{
    char a[SCRATCH_PATH];
    int ends[2];
    prepare();
    scratch_file(a, "a", "x");
    scratch_file(dest, "dest", "kept");
    assert_int_equal(pipe(ends), 0);
    concat.input = ends[0];
    cancelled((const char *const[]){a, "-"}, 2, it_waits);
    concat.input = 0;
    close(ends[0]);
    close(ends[1]);
}

TEST(a_named_pipe_that_nobody_writes_to_is_waited_for_until_a_cancel)
{
    char a[SCRATCH_PATH];
    prepare();
    assert_int_equal(mkfifo(scratch_path(a, "a"), 0600), 0);
    scratch_file(dest, "dest", "kept");
    cancelled((const char *const[]){a}, 1, it_waits);
}

/* ---- several at once ------------------------------------------------------------------------ */

/* More than the pool has threads, and each of them would like two. */
TEST(many_at_once_come_to_no_standstill)
{
    enum { COUNT = 12 };
    static struct weft_file_concat many[COUNT];
    static char to[COUNT][SCRATCH_PATH];
    char a[SCRATCH_PATH], b[SCRATCH_PATH];
    struct world w;
    prepare();
    char *data = pattern_file(a, "a", 3000000, 1);
    scratch_file(b, "b", "b");
    const char *const sources[] = {a, b, "/proc/self/stat", "/dev/null", b, a};
    world_up(&w);
    for (int i = 0; i < COUNT; i++)
        weft_file_concat(weft_root(&w.loop), &many[i], sources, 6, scratch_new_path(to[i], "to"),
                         noted);
    world_down(&w);
    assert_int_equal(seen.calls, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(many[i].op.status, 0);
        assert_int_equal(look_at(to[i]).st_size, many[i].size);
        assert_true(many[i].size > 6000002);
    }
    free(data);
    scratch_empty();
}
