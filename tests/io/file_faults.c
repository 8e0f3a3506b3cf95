/* Files when the system does not do what it is asked: every call fails once, is interrupted, does
 * only a part. The calls go through here; only those of the pool's threads, on files, are touched.
 * ctest: labels=threads,valgrind-long */
#include "loop.h"
#include "scratch.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/dir.h>
#include <weft/file.h>

/* ---- the calls ------------------------------------------------------------------------------ */

static struct {
    bool armed;
    unsigned fail_at; /* the n-th call fails with EIO; 0: none does */
    bool interrupt;   /* every second call that can be interrupted is */
    size_t most;      /* a read or write does at most so much; 0: all of it */
    int clone;        /* what FICLONE says; -1: the kernel decides; 0: it works */
    int range;        /* what copy_file_range says after range_most bytes; -1: the kernel decides */
    size_t range_most;
    void (*opened)(void);  /* called after the next open of a file ... */
    int opened_to;         /* ... to read (O_RDONLY) or to write (O_WRONLY) */
    int folder_sync;       /* what fsync of a folder says; 0: the kernel decides */
    void (*synced)(void);  /* called after the next fsync */
    void (*renamed)(void); /* called after the next rename */
} plan;
static atomic_uint calls, interruptions;
static pthread_t main_thread;
static atomic_uint hand_reads, range_calls;
static _Thread_local bool own; /* inside a function of the test: let it do what it wants */

__attribute__((constructor)) static void remember_the_main_thread(void)
{
    main_thread = pthread_self();
}

static bool touched(void)
{
    return plan.armed && !own && !pthread_equal(pthread_self(), main_thread);
}

static bool fails(void)
{
    if (!touched() || atomic_fetch_add(&calls, 1) + 1 != plan.fail_at)
        return false;
    errno = EIO;
    return true;
}

static bool interrupted(void)
{
    if (!touched() || !plan.interrupt || atomic_fetch_add(&interruptions, 1) % 2 != 0)
        return false;
    errno = EINTR;
    return true;
}

static void let(void (**hook)(void))
{
    void (*once)(void) = *hook;
    *hook = NULL;
    own = true;
    once();
    own = false;
}

#define REAL(name, type, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (real == NULL)                                                                              \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

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

int lstat(const char *path, struct stat *st)
{
    REAL(lstat, int, const char *, struct stat *);
    return fails() ? -1 : real(path, st);
}

/* libuv wakes its loop by writing to a descriptor that is no file. */
static bool is_file(int fd)
{
    struct stat st;
    return touched() && fstatat(fd, "", &st, AT_EMPTY_PATH) == 0 && (st.st_mode & S_IFMT) != 0;
}

int open(const char *path, int flags, ...)
{
    REAL(open, int, const char *, int, ...);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    if (interrupted() || fails())
        return -1;
    int fd = real(path, flags, mode);
    if (touched() && plan.opened != NULL && (flags & O_ACCMODE) == plan.opened_to)
        let(&plan.opened);
    return fd;
}

int close(int fd)
{
    REAL(close, int, int);
    bool fail = is_file(fd) && (interrupted() || fails());
    int err = errno;
    int result = real(fd);
    errno = err;
    return fail ? -1 : result;
}

ssize_t read(int fd, void *data, size_t size)
{
    REAL(read, ssize_t, int, void *, size_t);
    if (!is_file(fd))
        return real(fd, data, size);
    if (interrupted() || fails())
        return -1;
    atomic_fetch_add(&hand_reads, 1);
    return real(fd, data, plan.most != 0 && size > plan.most ? plan.most : size);
}

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(write, ssize_t, int, const void *, size_t);
    if (!is_file(fd))
        return real(fd, data, size);
    if (interrupted() || fails())
        return -1;
    return real(fd, data, plan.most != 0 && size > plan.most ? plan.most : size);
}

int fsync(int fd)
{
    REAL(fsync, int, int);
    if (interrupted() || fails())
        return -1;
    struct stat st;
    if (touched() && plan.folder_sync != 0 && fstatat(fd, "", &st, AT_EMPTY_PATH) == 0 &&
        S_ISDIR(st.st_mode)) {
        errno = plan.folder_sync;
        return -1;
    }
    int result = real(fd);
    if (touched() && plan.synced != NULL)
        let(&plan.synced);
    return result;
}

int rename(const char *old_path, const char *new_path)
{
    REAL(rename, int, const char *, const char *);
    if (fails())
        return -1;
    int result = real(old_path, new_path);
    if (touched() && plan.renamed != NULL)
        let(&plan.renamed);
    return result;
}

int fchmod(int fd, mode_t mode)
{
    REAL(fchmod, int, int, mode_t);
    return fails() ? -1 : real(fd, mode);
}

/* Not below 0: random numbers are made of it, and the names of temporary files are known. */
static int random_byte = -1;

int uv_random(uv_loop_t *loop, uv_random_t *request, void *data, size_t size, unsigned flags,
              uv_random_cb done)
{
    REAL(uv_random, int, uv_loop_t *, uv_random_t *, void *, size_t, unsigned, uv_random_cb);
    if (random_byte < 0)
        return real(loop, request, data, size, flags, done);
    memset(data, random_byte, size);
    return 0;
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir, int, const char *, mode_t);
    return fails() ? -1 : real(path, mode);
}

int unlink(const char *path)
{
    REAL(unlink, int, const char *);
    return fails() ? -1 : real(path);
}

static void clone_by_hand(int to, int from)
{
    char data[4096];
    off_t at = 0;
    for (ssize_t got; (got = pread(from, data, sizeof data, at)) > 0; at += got)
        assert_int_equal(pwrite(to, data, (size_t)got, at), got);
}

int ioctl(int fd, unsigned long request, ...)
{
    REAL(ioctl, int, int, unsigned long, ...);
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (!touched() || request != FICLONE)
        return real(fd, request, argument);
    if (fails())
        return -1;
    if (plan.clone == 0) {
        clone_by_hand(fd, (int)(intptr_t)argument);
        return 0;
    }
    if (plan.clone != -1) {
        errno = plan.clone;
        return -1;
    }
    return real(fd, request, argument);
}

ssize_t copy_file_range(int from, off_t *from_at, int to, off_t *to_at, size_t size, unsigned flags)
{
    REAL(copy_file_range, ssize_t, int, off_t *, int, off_t *, size_t, unsigned);
    if (!touched())
        return real(from, from_at, to, to_at, size, flags);
    if (interrupted() || fails())
        return -1;
    atomic_fetch_add(&range_calls, 1);
    if (plan.range != -1) {
        if (plan.range_most == 0) {
            errno = plan.range;
            return -1;
        }
        size = size < plan.range_most ? size : plan.range_most;
        plan.range_most -= size;
    }
    return real(from, from_at, to, to_at, size, flags);
}

/* ---- the ladder ----------------------------------------------------------------------------- */

enum { TEXT_SIZE = 1000 };
static char text[TEXT_SIZE + 1];
static char path[SCRATCH_PATH], from[SCRATCH_PATH];
static struct weft_file_read file;
static struct weft_dir_read list;

/* libuv keeps some open from its first loop on. */
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

/* Run one operation under the plan. */
static int run(weft_begin_fn *start)
{
    struct world w;
    struct weft_op op = {0};
    world_up(&w);
    atomic_store(&calls, 0);
    atomic_store(&interruptions, 0);
    plan.armed = true;
    weft_run(weft_root(&w.loop), &op, start, noted);
    int stuck = world_run(&w);
    plan.armed = false;
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static void pass_on(struct weft_op *op, struct weft_op *child)
{
    weft_finish(op, child->status);
}

static void start_read(struct weft_op *op)
{
    file = (struct weft_file_read){.max = 0};
    weft_file_read(op, &file, path, pass_on);
}

static void start_write(struct weft_op *op)
{
    static struct weft_file_write write;
    weft_file_write(op, &write, path, text, TEXT_SIZE, pass_on);
}

static void start_append(struct weft_op *op)
{
    static struct weft_file_write write;
    weft_file_append(op, &write, path, text, TEXT_SIZE, pass_on);
}

static void start_save(struct weft_op *op)
{
    static struct weft_file_save save;
    save.durable = false;
    weft_file_save(op, &save, path, text, TEXT_SIZE, pass_on);
}

static void start_durable_save(struct weft_op *op)
{
    static struct weft_file_save save;
    save.durable = true;
    weft_file_save(op, &save, path, text, TEXT_SIZE, pass_on);
}

static uint64_t copied;

static void copy_over(struct weft_op *op, struct weft_op *child)
{
    copied = weft_owner(child, struct weft_file_copy, op)->size;
    pass_on(op, child);
}

static void start_copy(struct weft_op *op)
{
    static struct weft_file_copy copy;
    copy.durable = true;
    weft_file_copy(op, &copy, from, path, copy_over);
}

static void start_mkdir(struct weft_op *op)
{
    static struct weft_file_mkdir mkdir;
    weft_file_mkdir(op, &mkdir, path, pass_on);
}

static void start_dir(struct weft_op *op)
{
    list = (struct weft_dir_read){.max = 0};
    weft_dir_read(op, &list, scratch_dir(), pass_on);
}

static void prepare(bool old_file)
{
    memset(&plan, 0, sizeof plan);
    plan.clone = plan.range = -1;
    for (int i = 0; i < TEXT_SIZE; i++)
        text[i] = (char)('a' + i % 26);
    scratch_empty();
    scratch_file(from, "from", text);
    if (old_file)
        scratch_file(path, "file", "old");
    else
        scratch_path(path, "file");
}

static bool file_is(const char *content)
{
    char found[TEXT_SIZE + 2] = "";
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return content == NULL;
    size_t size = fread(found, 1, TEXT_SIZE + 1, stream);
    fclose(stream);
    return content != NULL && size == strlen(content) && strcmp(found, content) == 0;
}

/* All or nothing, whichever call fails. harmless: so many calls may fail without an error. */
static unsigned climb(weft_begin_fn *start, bool old_file, unsigned harmless)
{
    unsigned unharmed = 0;
    for (unsigned n = 1;; n++) {
        prepare(old_file);
        int before = descriptors();
        plan.fail_at = n;
        int status = run(start);
        bool hit = atomic_load(&calls) >= n;
        assert_int_equal(descriptors(), before);
        assert_int_equal(scratch_count(scratch_dir()), file_is(NULL) ? 1 : 2);
        assert_true(file_is(text) || (status != 0 && file_is(old_file ? "old" : NULL)));
        assert_true(status == 0 || (hit && status == UV_EIO));
        unharmed += hit && status == 0;
        if (!hit) {
            assert_int_equal(unharmed, harmless);
            return n - 1;
        }
    }
}

TEST(a_save_is_all_or_nothing_whichever_call_fails)
{
    assert_in_range(climb(start_save, false, 0), 4, 20);
    assert_in_range(climb(start_save, true, 0), 5, 20);
}

/* Harmless: to close the directory, which was not written to. */
TEST(a_durable_save_is_all_or_nothing_whichever_call_fails)
{
    assert_in_range(climb(start_durable_save, false, 1), 7, 20);
    assert_in_range(climb(start_durable_save, true, 1), 8, 20);
}

/* Harmless: to close the directory and the source, and to share blocks. */
TEST(a_copy_is_all_or_nothing_whichever_call_fails)
{
    assert_in_range(climb(start_copy, false, 3), 9, 30);
    assert_in_range(climb(start_copy, true, 3), 9, 30);
}

/* Some file systems cannot sync a folder, and say so: then there is nothing that could be done. */
TEST(a_folder_that_cannot_be_synced_is_no_error_and_one_that_fails_to_is)
{
    prepare(true);
    plan.folder_sync = EINVAL;
    assert_int_equal(run(start_durable_save), 0);
    assert_true(file_is(text));
    prepare(true);
    plan.folder_sync = EIO;
    assert_int_equal(run(start_durable_save), UV_EIO);
    assert_true(file_is(text)); /* as the header says: in place, but perhaps not for ever */
}

/* The mode of the one temporary file in the folder. */
static mode_t temporary_mode;

static void look_at_the_temporary_file(void)
{
    DIR *dir = opendir(scratch_dir());
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct stat st;
        if (strncmp(entry->d_name, ".weft-", 6) == 0 &&
            fstatat(dirfd(dir), entry->d_name, &st, 0) == 0)
            temporary_mode = st.st_mode;
    }
    closedir(dir);
}

TEST(what_replaces_a_secret_is_secret_from_its_first_moment)
{
    weft_begin_fn *const starts[] = {start_save, start_copy};
    for (int i = 0; i < 2; i++) {
        prepare(true);
        assert_int_equal(chmod(path, 0600), 0);
        assert_int_equal(chmod(from, 0644), 0);
        plan.opened = look_at_the_temporary_file;
        plan.opened_to = O_WRONLY;
        temporary_mode = 0;
        assert_int_equal(run(starts[i]), 0);
        assert_int_equal(temporary_mode & 07777, 0600);
    }
}

TEST(a_write_tells_of_every_call_that_fails)
{
    weft_begin_fn *const starts[] = {start_write, start_append};
    for (int i = 0; i < 2; i++) {
        for (unsigned n = 1;; n++) {
            prepare(false);
            int before = descriptors();
            plan.fail_at = n;
            int status = run(starts[i]);
            bool hit = atomic_load(&calls) >= n;
            assert_int_equal(descriptors(), before);
            assert_true(status == 0 ? file_is(text) : status == UV_EIO);
            if (!hit)
                break;
        }
    }
}

TEST(a_close_that_fails_is_a_write_that_failed)
{
    weft_begin_fn *const starts[] = {start_write, start_append};
    for (int i = 0; i < 2; i++) {
        prepare(false);
        plan.fail_at = 4; /* open, fstat, write, close */
        assert_int_equal(run(starts[i]), UV_EIO);
        assert_int_equal(atomic_load(&calls), 4);
    }
}

TEST(a_read_tells_of_every_call_that_fails)
{
    for (unsigned n = 1;; n++) {
        prepare(false);
        scratch_file(path, "file", text);
        int before = descriptors();
        plan.fail_at = n;
        int status = run(start_read);
        bool hit = atomic_load(&calls) >= n;
        assert_int_equal(descriptors(), before);
        if (status == 0)
            assert_string_equal(file.data, text);
        else
            assert_true(status == UV_EIO && hit && file.data == NULL);
        weft_file_read_free(&file);
        if (!hit)
            break;
    }
}

TEST(mkdir_tells_of_every_call_that_fails)
{
    for (unsigned n = 1;; n++) {
        prepare(false);
        scratch_path(path, "a/b/c");
        plan.fail_at = n;
        int status = run(start_mkdir);
        bool hit = atomic_load(&calls) >= n;
        assert_int_equal(status, hit ? UV_EIO : 0);
        assert_int_equal(scratch_exists(path), !hit);
        if (!hit)
            break;
    }
}

/* ---- interrupted, and in small parts -------------------------------------------------------- */

static weft_begin_fn *const writers[] = {start_write, start_append, start_save, start_durable_save,
                                         start_copy};

TEST(interruptions_go_unnoticed)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        prepare(false);
        plan.interrupt = true;
        assert_int_equal(run(writers[i]), 0);
        assert_true(file_is(text));
        assert_true(atomic_load(&interruptions) > 2);
    }
    plan.interrupt = true;
    assert_int_equal(run(start_read), 0);
    assert_string_equal(file.data, text);
    weft_file_read_free(&file);
}

TEST(reads_and_writes_that_do_a_part_are_gone_on_with)
{
    static const size_t parts[] = {1, 7, 999};
    for (size_t part = 0; part < 3; part++) {
        for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
            prepare(false);
            plan.most = parts[part];
            plan.range = plan.clone = EOPNOTSUPP;
            assert_int_equal(run(writers[i]), 0);
            assert_true(file_is(text));
        }
        plan.most = parts[part];
        plan.interrupt = true;
        assert_int_equal(run(start_read), 0);
        assert_string_equal(file.data, text);
        weft_file_read_free(&file);
    }
}

/* ---- copies without the kernel's help ------------------------------------------------------- */

TEST(what_the_kernel_will_not_copy_is_copied_by_hand)
{
    static const int refusals[] = {ENOSYS, EXDEV, EINVAL, EOPNOTSUPP, EPERM, EBADF, ETXTBSY};
    static const size_t after[] = {0, 1, 500, 1000};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        for (size_t j = 0; j < 4; j++) {
            prepare(true);
            plan.clone = EOPNOTSUPP;
            plan.range = refusals[i];
            plan.range_most = after[j];
            atomic_store(&hand_reads, 0);
            assert_int_equal(run(start_copy), 0);
            assert_true(file_is(text));
            assert_int_equal(copied, TEXT_SIZE);
            assert_true(atomic_load(&hand_reads) >= (after[j] < 1000 ? 2 : 1));
        }
    }
}

TEST(a_full_disk_is_not_tried_again_by_hand)
{
    static const int errors[] = {ENOSPC, EDQUOT, EFBIG, EIO};
    for (size_t i = 0; i < 4; i++) {
        prepare(true);
        plan.clone = EOPNOTSUPP;
        plan.range = errors[i];
        plan.range_most = 500;
        assert_int_equal(run(start_copy), uv_translate_sys_error(errors[i]));
        assert_true(file_is("old"));
        assert_int_equal(scratch_count(scratch_dir()), 2);
    }
}

TEST(a_file_system_that_shares_blocks_is_asked_to)
{
    prepare(true);
    plan.clone = 0;
    plan.range = EIO; /* must not be needed */
    assert_int_equal(run(start_copy), 0);
    assert_true(file_is(text));
    assert_int_equal(copied, TEXT_SIZE);
}

/* ---- cancelled at a certain moment ---------------------------------------------------------- */

static sem_t reached, go_on;

/* The thread stops here until the test has done what it wanted to do meanwhile. */
static void wait_here(void)
{
    sem_post(&reached);
    sem_wait(&go_on);
}

static struct weft_op outer;

static int cancelled_at_that_moment(weft_begin_fn *start)
{
    struct world w;
    memset(&outer, 0, sizeof outer);
    world_up(&w);
    sem_init(&reached, 0, 0);
    sem_init(&go_on, 0, 0);
    plan.armed = true;
    weft_run(weft_root(&w.loop), &outer, start, noted);
    sem_wait(&reached);
    weft_cancel(&outer, UV_ETIMEDOUT);
    for (int i = 0; i < 5; i++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(seen.calls, 0); /* it changes something, so it is awaited */
    sem_post(&go_on);
    int stuck = world_run(&w);
    plan.armed = false;
    assert_int_equal(stuck, 0);
    world_close(&w);
    sem_destroy(&reached);
    sem_destroy(&go_on);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static weft_begin_fn *const replacers[] = {start_save, start_durable_save, start_copy};

TEST(a_cancel_before_the_rename_keeps_the_old_file)
{
    for (size_t i = 0; i < 3; i++) {
        prepare(true);
        plan.opened = wait_here;
        plan.opened_to = O_WRONLY;
        atomic_store(&hand_reads, 0);
        atomic_store(&range_calls, 0);
        assert_int_equal(cancelled_at_that_moment(replacers[i]), UV_ETIMEDOUT);
        assert_int_equal(atomic_load(&hand_reads) + atomic_load(&range_calls), 0);
        assert_true(file_is("old"));
        assert_int_equal(scratch_count(scratch_dir()), 2);
    }
}

TEST(a_cancel_after_all_is_written_keeps_the_old_file_too)
{
    for (size_t i = 1; i < 3; i++) {
        prepare(true);
        plan.synced = wait_here;
        assert_int_equal(cancelled_at_that_moment(replacers[i]), UV_ETIMEDOUT);
        assert_true(file_is("old"));
        assert_int_equal(scratch_count(scratch_dir()), 2);
    }
}

TEST(a_cancel_after_the_rename_has_lost)
{
    for (size_t i = 0; i < 3; i++) {
        prepare(true);
        plan.renamed = wait_here;
        assert_int_equal(cancelled_at_that_moment(replacers[i]), 0);
        assert_true(file_is(text));
        assert_int_equal(scratch_count(scratch_dir()), 2);
    }
}

TEST(a_write_that_has_begun_is_not_torn_by_a_cancel)
{
    weft_begin_fn *const starts[] = {start_write, start_append};
    for (size_t i = 0; i < 2; i++) {
        prepare(false);
        plan.opened = wait_here;
        plan.opened_to = O_WRONLY;
        assert_int_equal(cancelled_at_that_moment(starts[i]), 0);
        assert_true(file_is(text));
    }
}

/* A read that nobody waits for any more does not go on to its end. */
TEST(a_cancelled_read_stops_between_two_chunks)
{
    prepare(false);
    scratch_file(path, "file", text);
    plan.opened = wait_here;
    atomic_store(&hand_reads, 0);
    struct world w;
    world_up(&w);
    sem_init(&reached, 0, 0);
    sem_init(&go_on, 0, 0);
    plan.armed = true;
    file = (struct weft_file_read){.max = 0};
    weft_file_read(weft_root(&w.loop), &file, path, noted);
    sem_wait(&reached);
    weft_cancel(&file.op, UV_EINTR);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EINTR);
    sem_post(&go_on);
    int stuck = world_run(&w);
    plan.armed = false;
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(atomic_load(&hand_reads), 0);
    sem_destroy(&reached);
    sem_destroy(&go_on);
}

/* ---- a trap --------------------------------------------------------------------------------- */

TEST(a_link_in_the_place_of_the_temporary_file_is_not_written_through)
{
    char trap[SCRATCH_PATH], victim[SCRATCH_PATH];
    prepare(true);
    scratch_file(victim, "victim", "unharmed");
    scratch_path(trap, ".weft-abababababababababababababababab");
    assert_int_equal(symlink("victim", trap), 0);
    random_byte = 0xab;
    int saved = run(start_save), copied_too = run(start_copy);
    random_byte = -1;
    assert_int_equal(saved, UV_EEXIST);
    assert_int_equal(copied_too, UV_EEXIST);
    scratch_equals(victim, "unharmed");
    assert_true(file_is("old"));
    assert_true(scratch_exists(trap));
}

/* ---- pipes ---------------------------------------------------------------------------------- */

static int reader;

static void lose_the_reader(void)
{
    close(reader);
}

TEST(a_reader_that_leaves_between_open_and_write_does_not_end_the_process)
{
    for (int i = 0; i < 20; i++) {
        prepare(false);
        assert_int_equal(mkfifo(path, 0600), 0);
        reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        assert_true(reader >= 0);
        plan.opened = lose_the_reader;
        plan.opened_to = O_WRONLY;
        assert_int_equal(run(start_write), UV_EPIPE);
    }
}

TEST(a_directory_listing_leaves_no_descriptor_whatever_fails)
{
    prepare(true);
    int before = descriptors();
    assert_int_equal(run(start_dir), 0);
    assert_int_equal(list.count, 2);
    weft_dir_free(&list);
    assert_int_equal(descriptors(), before);
}
