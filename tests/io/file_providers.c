/* The file and directory providers, through the conformance suite.
 * ctest: labels=threads,valgrind-long timeout=120 */
#include "provider.h"
#include "scratch.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/dir.h>
#include <weft/file.h>

#define TEXT "the quick brown fox\n"
#define NOWHERE "/nonexistent/weft"

/* ---- read ----------------------------------------------------------------------------------- */

static char source[SCRATCH_PATH];

static void make_source(struct weft_loop *loop)
{
    (void)loop;
    scratch_file(source, "source", TEXT);
}

static void empty_scratch(struct weft_loop *loop)
{
    (void)loop;
    scratch_empty();
}

static void good_read(void *storage)
{
    ((struct weft_file_read *)storage)->path = source;
}

static void bad_read(void *storage)
{
    ((struct weft_file_read *)storage)->path = NOWHERE;
}

static void read_is_complete(void *storage)
{
    struct weft_file_read *read = storage;
    assert_int_equal(read->size, strlen(TEXT));
    assert_string_equal(read->data, TEXT);
}

static void release_read(void *storage)
{
    weft_file_read_free(storage);
}

static const struct weft_provider file_read = {
    .name = "file_read",
    WEFT_PROVIDER_OP(struct weft_file_read, op),
    .begin = weft_file_read_begin,
    .up = make_source,
    .down = empty_scratch,
    .good = good_read,
    .bad = bad_read,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = read_is_complete,
    .release = release_read,
};

TEST(file_read_conforms)
{
    provider_check(&file_read);
}

/* Grows its buffer several times on its way. */
static void good_read_of_unknown_size(void *storage)
{
    ((struct weft_file_read *)storage)->path = "/proc/self/smaps";
}

static void bad_read_of_unknown_size(void *storage)
{
    struct weft_file_read *read = storage;
    read->path = "/dev/zero";
    read->max = 10000;
}

static const struct weft_provider file_read_growing = {
    .name = "file_read of unknown size",
    WEFT_PROVIDER_OP(struct weft_file_read, op),
    .begin = weft_file_read_begin,
    .good = good_read_of_unknown_size,
    .bad = bad_read_of_unknown_size,
    .bad_status = UV_EFBIG,
    .nothing_status = UV_EINVAL,
    .release = release_read,
};

TEST(file_read_of_unknown_size_conforms)
{
    if (access("/proc/self/smaps", R_OK) != 0) {
        print_message("there is no /proc/self/smaps\n");
        skip();
    }
    provider_check(&file_read_growing);
}

/* ---- write, append, save -------------------------------------------------------------------- */

/* The path lives behind the op: a hop has a copy, so it may go when the op does. */
struct write_run {
    struct weft_file_write write;
    char path[SCRATCH_PATH];
};

static void good_write(void *storage)
{
    struct write_run *run = storage;
    run->write.path = scratch_new_path(run->path, "written");
    run->write.data = TEXT;
    run->write.size = strlen(TEXT);
}

static void bad_write(void *storage)
{
    struct write_run *run = storage;
    good_write(storage);
    run->write.path = NOWHERE;
}

static void write_is_complete(void *storage)
{
    scratch_equals(((struct write_run *)storage)->path, TEXT);
}

static const struct weft_provider file_write = {
    .name = "file_write",
    WEFT_PROVIDER_OP(struct write_run, write.op),
    .begin = weft_file_write_begin,
    .down = empty_scratch,
    .good = good_write,
    .bad = bad_write,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = write_is_complete,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_write_conforms)
{
    provider_check(&file_write);
}

static const struct weft_provider file_append = {
    .name = "file_append",
    WEFT_PROVIDER_OP(struct write_run, write.op),
    .begin = weft_file_append_begin,
    .down = empty_scratch,
    .good = good_write,
    .bad = bad_write,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = write_is_complete,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_append_conforms)
{
    provider_check(&file_append);
}

struct save_run {
    struct weft_file_save save;
    char path[SCRATCH_PATH];
};

static void good_save(void *storage)
{
    struct save_run *run = storage;
    run->save.path = scratch_new_path(run->path, "saved");
    run->save.data = TEXT;
    run->save.size = strlen(TEXT);
    run->save.durable = true;
}

static void bad_save(void *storage)
{
    struct save_run *run = storage;
    good_save(storage);
    run->save.path = NOWHERE;
}

static void save_is_complete(void *storage)
{
    scratch_equals(((struct save_run *)storage)->path, TEXT);
}

/* A run that did not succeed has left nothing: neither the file nor a temporary one. */
static void save_left_nothing_half_done(void *storage)
{
    struct save_run *run = storage;
    if (run->save.op.status != 0 && run->path[0] != '\0')
        assert_false(scratch_exists(run->path));
}

static const struct weft_provider file_save = {
    .name = "file_save",
    WEFT_PROVIDER_OP(struct save_run, save.op),
    .begin = weft_file_save_begin,
    .down = empty_scratch,
    .good = good_save,
    .bad = bad_save,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = save_is_complete,
    .release = save_left_nothing_half_done,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_save_conforms)
{
    provider_check(&file_save);
}

/* ---- copy, rename, remove ------------------------------------------------------------------- */

struct copy_run {
    struct weft_file_copy copy;
    char to[SCRATCH_PATH];
};

static void good_copy(void *storage)
{
    struct copy_run *run = storage;
    run->copy.from = source;
    run->copy.to = scratch_new_path(run->to, "copy");
}

static void bad_copy(void *storage)
{
    struct copy_run *run = storage;
    run->copy.from = run->copy.to = source;
}

static void copy_is_complete(void *storage)
{
    struct copy_run *run = storage;
    assert_int_equal(run->copy.size, strlen(TEXT));
    scratch_equals(run->to, TEXT);
}

static void copy_left_nothing_half_done(void *storage)
{
    struct copy_run *run = storage;
    if (run->copy.op.status != 0 && run->to[0] != '\0')
        assert_false(scratch_exists(run->to));
}

static const struct weft_provider file_copy = {
    .name = "file_copy",
    WEFT_PROVIDER_OP(struct copy_run, copy.op),
    .begin = weft_file_copy_begin,
    .up = make_source,
    .down = empty_scratch,
    .good = good_copy,
    .bad = bad_copy,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .verify = copy_is_complete,
    .release = copy_left_nothing_half_done,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_copy_conforms)
{
    provider_check(&file_copy);
}

struct rename_run {
    struct weft_file_rename rename;
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
};

static void good_rename(void *storage)
{
    struct rename_run *run = storage;
    char name[32];
    static unsigned long number;
    snprintf(name, sizeof name, "from-%lu", ++number);
    run->rename.from = scratch_file(run->from, name, TEXT);
    run->rename.to = scratch_new_path(run->to, "to");
}

static void bad_rename(void *storage)
{
    struct rename_run *run = storage;
    run->rename.from = NOWHERE;
    run->rename.to = scratch_path(run->to, "to");
}

static void rename_is_done(void *storage)
{
    struct rename_run *run = storage;
    assert_false(scratch_exists(run->from));
    scratch_equals(run->to, TEXT);
}

static const struct weft_provider file_rename = {
    .name = "file_rename",
    WEFT_PROVIDER_OP(struct rename_run, rename.op),
    .begin = weft_file_rename_begin,
    .down = empty_scratch,
    .good = good_rename,
    .bad = bad_rename,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = rename_is_done,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_rename_conforms)
{
    provider_check(&file_rename);
}

struct remove_run {
    struct weft_file_remove remove;
    char path[SCRATCH_PATH];
};

static void good_remove(void *storage)
{
    struct remove_run *run = storage;
    char name[32];
    static unsigned long number;
    snprintf(name, sizeof name, "removed-%lu", ++number);
    run->remove.path = scratch_file(run->path, name, TEXT);
}

static void bad_remove(void *storage)
{
    ((struct remove_run *)storage)->remove.path = NOWHERE;
}

static void remove_is_done(void *storage)
{
    assert_false(scratch_exists(((struct remove_run *)storage)->path));
}

static const struct weft_provider file_remove = {
    .name = "file_remove",
    WEFT_PROVIDER_OP(struct remove_run, remove.op),
    .begin = weft_file_remove_begin,
    .down = empty_scratch,
    .good = good_remove,
    .bad = bad_remove,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = remove_is_done,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_remove_conforms)
{
    provider_check(&file_remove);
}

/* ---- mkdir, stat, dir_read ------------------------------------------------------------------ */

struct mkdir_run {
    struct weft_file_mkdir mkdir;
    char path[SCRATCH_PATH];
};

static void good_mkdir(void *storage)
{
    struct mkdir_run *run = storage;
    run->mkdir.path = scratch_new_path(run->path, "new/and/deep");
}

static void bad_mkdir(void *storage)
{
    ((struct mkdir_run *)storage)->mkdir.path = "/dev/null/below";
}

static void mkdir_is_done(void *storage)
{
    struct stat st;
    assert_int_equal(stat(((struct mkdir_run *)storage)->path, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
}

static const struct weft_provider file_mkdir = {
    .name = "file_mkdir",
    WEFT_PROVIDER_OP(struct mkdir_run, mkdir.op),
    .begin = weft_file_mkdir_begin,
    .down = empty_scratch,
    .good = good_mkdir,
    .bad = bad_mkdir,
    .bad_status = UV_ENOTDIR,
    .nothing_status = UV_EINVAL,
    .verify = mkdir_is_done,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_mkdir_conforms)
{
    provider_check(&file_mkdir);
}

static void good_stat(void *storage)
{
    ((struct weft_file_stat *)storage)->path = source;
}

static void bad_stat(void *storage)
{
    ((struct weft_file_stat *)storage)->path = NOWHERE;
}

static void stat_is_right(void *storage)
{
    struct weft_file_stat *stat = storage;
    assert_int_equal(stat->info.kind, WEFT_KIND_FILE);
    assert_int_equal(stat->info.size, strlen(TEXT));
}

static const struct weft_provider file_stat = {
    .name = "file_stat",
    WEFT_PROVIDER_OP(struct weft_file_stat, op),
    .begin = weft_file_stat_begin,
    .up = make_source,
    .down = empty_scratch,
    .good = good_stat,
    .bad = bad_stat,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = stat_is_right,
};

TEST(file_stat_conforms)
{
    provider_check(&file_stat);
}

static void make_many(struct weft_loop *loop)
{
    (void)loop;
    for (int i = 0; i < 50; i++) { /* long names: more than the first block of them */
        char name[200], path[SCRATCH_PATH];
        memset(name, 'x', sizeof name);
        snprintf(name + 150, 50, "-%d", i);
        scratch_file(path, name, "");
    }
}

static void good_dir(void *storage)
{
    ((struct weft_dir_read *)storage)->path = scratch_dir();
}

static void bad_dir(void *storage)
{
    good_dir(storage);
    ((struct weft_dir_read *)storage)->max = 49;
}

static void dir_is_complete(void *storage)
{
    struct weft_dir_read *read = storage;
    assert_int_equal(read->count, 50);
    assert_int_equal(read->entries[49].kind, WEFT_KIND_FILE);
}

static void release_dir(void *storage)
{
    weft_dir_free(storage);
}

static const struct weft_provider dir_read = {
    .name = "dir_read",
    WEFT_PROVIDER_OP(struct weft_dir_read, op),
    .begin = weft_dir_read_begin,
    .up = make_many,
    .down = empty_scratch,
    .good = good_dir,
    .bad = bad_dir,
    .bad_status = UV_E2BIG,
    .nothing_status = UV_EINVAL,
    .verify = dir_is_complete,
    .release = release_dir,
};

TEST(dir_read_conforms)
{
    provider_check(&dir_read);
}
