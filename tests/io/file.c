/* Rename, remove, mkdir, stat.
 * ctest: labels=threads,valgrind */
#include "loop.h"
#include "nobody.h"
#include "scratch.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/file.h>

static int renamed(const char *from, const char *to)
{
    struct world w;
    struct weft_file_rename rename = {.from = NULL};
    world_up(&w);
    weft_file_rename(weft_root(&w.loop), &rename, from, to, noted);
    world_down(&w);
    return seen.status;
}

static int removed(const char *path)
{
    struct world w;
    struct weft_file_remove remove = {.path = NULL};
    world_up(&w);
    weft_file_remove(weft_root(&w.loop), &remove, path, noted);
    world_down(&w);
    return seen.status;
}

static int made(const char *path)
{
    struct world w;
    struct weft_file_mkdir mkdir = {.path = NULL};
    world_up(&w);
    weft_file_mkdir(weft_root(&w.loop), &mkdir, path, noted);
    world_down(&w);
    return seen.status;
}

static struct weft_file_info info;

static int looked(const char *path, bool link)
{
    struct world w;
    struct weft_file_stat stat = {.link = link, .info = {.size = 99}};
    world_up(&w);
    weft_file_stat(weft_root(&w.loop), &stat, path, noted);
    world_down(&w);
    info = stat.info;
    if (seen.status != 0)
        assert_int_equal(info.size, 0);
    return seen.status;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- rename and remove ---------------------------------------------------------------------- */

TEST(rename_moves_and_replaces)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    scratch_file(from, "from", "new");
    assert_int_equal(renamed(from, scratch_path(to, "to")), 0);
    assert_false(scratch_exists(from));
    scratch_equals(to, "new");
    scratch_file(from, "from", "newer");
    assert_int_equal(renamed(from, to), 0);
    scratch_equals(to, "newer");
}

TEST(rename_says_why_not)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH], below[SCRATCH_PATH];
    scratch_empty();
    scratch_file(from, "from", "x");
    assert_int_equal(mkdir(scratch_path(to, "folder"), 0700), 0);
    assert_int_equal(renamed(from, to), UV_EISDIR);
    assert_int_equal(renamed(to, from), UV_ENOTDIR);
    assert_int_equal(renamed(scratch_path(below, "missing"), to), UV_ENOENT);
    assert_int_equal(renamed(to, scratch_path(below, "folder/below")), UV_EINVAL);
    assert_int_equal(renamed(NULL, to), UV_EINVAL);
    assert_int_equal(renamed(from, NULL), UV_EINVAL);
    assert_int_equal(renamed("", to), UV_EINVAL);
    assert_int_equal(renamed(from, ""), UV_EINVAL);
    scratch_equals(from, "x");
}

TEST(rename_does_not_cross_file_systems)
{
    char from[SCRATCH_PATH];
    struct stat here, there;
    assert_int_equal(stat(scratch_dir(), &here), 0);
    assert_int_equal(stat("/proc", &there), 0);
    assert_true(here.st_dev != there.st_dev);
    assert_int_equal(renamed(scratch_file(from, "from", "kept"), "/proc/weft"), UV_EXDEV);
    scratch_equals(from, "kept");
}

TEST(remove_takes_a_name_away)
{
    char path[SCRATCH_PATH], link[SCRATCH_PATH];
    scratch_empty();
    scratch_file(path, "file", "x");
    assert_int_equal(symlink("file", scratch_path(link, "link")), 0);
    assert_int_equal(removed(link), 0);
    scratch_equals(path, "x");
    assert_int_equal(removed(path), 0);
    assert_false(scratch_exists(path));
    assert_int_equal(removed(path), UV_ENOENT);
}

TEST(remove_leaves_folders_and_says_why_not)
{
    assert_int_equal(removed(scratch_dir()), UV_EISDIR);
    assert_int_equal(removed(NULL), UV_EINVAL);
    assert_int_equal(removed(""), UV_EINVAL);
    char path[SCRATCH_PATH], folder[SCRATCH_PATH];
    assert_int_equal(mkdir(scratch_path(folder, "closed"), 0755), 0);
    scratch_file(path, "closed/file", "kept");
    assert_int_equal(chmod(folder, 0555), 0);
    nobody_begin(scratch_dir());
    int status = removed(path);
    nobody_end();
    chmod(folder, 0755);
    assert_int_equal(status, UV_EACCES);
    scratch_equals(path, "kept");
}

/* ---- mkdir ---------------------------------------------------------------------------------- */

TEST(mkdir_makes_what_is_missing_on_the_way)
{
    static const char *const ways[] = {
        "a",      "b/c",     "d/e/f/g/h",    "d/e/x/y",   "slashes///in/between",
        "end/",   "two//",   "dot/./inside", "up/../out", "deep/up/../over",
        "a/.",    "b/c/..",  "./here",       "d/e/f/g/h", "space in it/ and\nmore",
        "\xff/x", "x/y/z//",
    };
    scratch_empty();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char path[SCRATCH_PATH];
        assert_int_equal(made(scratch_path(path, ways[i])), 0);
        assert_true(is_folder(path));
        assert_int_equal(made(path), 0);
    }
    assert_int_equal(made("/"), 0);
    assert_int_equal(made("//"), 0);
    assert_int_equal(made("."), 0);
    assert_int_equal(made(".."), 0);
}

TEST(mkdir_works_from_the_working_directory)
{
    char before[PATH_MAX], path[SCRATCH_PATH];
    scratch_empty();
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch_dir()), 0);
    int one = made("one"), deep = made("two/three");
    assert_int_equal(chdir(before), 0);
    assert_int_equal(one, 0);
    assert_int_equal(deep, 0);
    assert_true(is_folder(scratch_path(path, "one")));
    assert_true(is_folder(scratch_path(path, "two/three")));
}

TEST(mkdir_goes_as_deep_as_paths_go)
{
    char path[PATH_MAX];
    scratch_empty();
    int length = snprintf(path, sizeof path, "%s", scratch_dir());
    while (length < PATH_MAX - 110)
        length +=
            snprintf(path + length, sizeof path - (size_t)length, "/%s", "a/b/c/d/e/f/g/hijklmn");
    assert_int_equal(made(path), 0);
    assert_true(is_folder(path));
    char *too_long = malloc(PATH_MAX + 2);
    assert_non_null(too_long);
    for (int i = 0; i <= PATH_MAX; i++)
        too_long[i] = i % 2 == 0 ? 'x' : '/';
    too_long[PATH_MAX + 1] = '\0';
    assert_int_equal(made(too_long), UV_ENAMETOOLONG);
    free(too_long);
}

TEST(mkdir_takes_a_link_to_a_folder_for_one)
{
    char path[SCRATCH_PATH], link[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(mkdir(scratch_path(path, "folder"), 0700), 0);
    assert_int_equal(symlink("folder", scratch_path(link, "link")), 0);
    assert_int_equal(made(link), 0);
    assert_int_equal(made(scratch_path(link, "link/below/it")), 0);
    assert_true(is_folder(scratch_path(path, "folder/below/it")));
    assert_int_equal(symlink("nowhere", scratch_path(link, "broken")), 0);
    assert_int_equal(made(link), UV_EEXIST);
    assert_int_equal(made(scratch_path(link, "broken/below")), UV_EEXIST);
}

TEST(mkdir_says_what_is_in_the_way)
{
    char path[SCRATCH_PATH];
    scratch_empty();
    scratch_file(path, "file", "x");
    assert_int_equal(made(path), UV_EEXIST);
    assert_int_equal(made(scratch_path(path, "file/below")), UV_ENOTDIR);
    assert_int_equal(made(scratch_path(path, "file/far/below")), UV_ENOTDIR);
    assert_int_equal(made(NULL), UV_EINVAL);
    assert_int_equal(made(""), UV_EINVAL);
    assert_int_equal(mkdir(scratch_path(path, "closed"), 0555), 0);
    scratch_path(path, "closed/to/everybody");
    nobody_begin(scratch_dir());
    int status = made(path);
    nobody_end();
    assert_int_equal(status, UV_EACCES);
}

TEST(mkdir_leaves_the_mode_to_the_umask)
{
    char path[SCRATCH_PATH];
    struct stat st;
    scratch_empty();
    mode_t before = umask(027);
    int status = made(scratch_path(path, "mode/below"));
    umask(before);
    assert_int_equal(status, 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
}

TEST(many_who_make_the_same_folders_all_succeed)
{
    enum { MANY = 32 };
    for (int round = 0; round < 20; round++) {
        char paths[MANY][SCRATCH_PATH];
        struct weft_file_mkdir mkdirs[MANY];
        memset(mkdirs, 0, sizeof mkdirs);
        scratch_empty();
        struct world w;
        world_up(&w);
        for (int i = 0; i < MANY; i++) {
            char name[64];
            snprintf(name, sizeof name, "s/h/a/r/e/d/%d", i % 4);
            weft_file_mkdir(weft_root(&w.loop), &mkdirs[i], scratch_path(paths[i], name), noted);
        }
        world_down(&w);
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(mkdirs[i].op.status, 0);
            assert_true(is_folder(paths[i]));
        }
    }
}

/* ---- stat ----------------------------------------------------------------------------------- */

TEST(stat_tells_what_the_system_tells)
{
    char path[SCRATCH_PATH];
    struct stat st;
    scratch_file(path, "file", "12345");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(looked(path, false), 0);
    assert_int_equal(info.kind, WEFT_KIND_FILE);
    assert_int_equal(info.size, 5);
    assert_int_equal(info.mode, 0640);
    assert_int_equal(info.user, st.st_uid);
    assert_int_equal(info.group, st.st_gid);
    assert_int_equal(info.inode, st.st_ino);
    assert_int_equal(info.device, st.st_dev);
    assert_int_equal(info.links, 1);
    assert_true(info.mtime_ns / 1000000000 == st.st_mtim.tv_sec);
    assert_true(info.mtime_ns % 1000000000 == st.st_mtim.tv_nsec);
}

static int64_t time_set_to(const char *path, time_t seconds, long nanoseconds)
{
    struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    if (utimensat(AT_FDCWD, path, times, 0) != 0)
        return -1;
    assert_int_equal(looked(path, false), 0);
    return info.mtime_ns;
}

TEST(times_before_1970_and_far_ahead_are_told)
{
    char path[SCRATCH_PATH];
    scratch_file(path, "dated", "");
    assert_true(time_set_to(path, 1, 5) == 1000000005);
    assert_true(time_set_to(path, -2, 500000000) == -1500000000);
    /* Not every file system keeps such a time: those that do must not make it wrap around. */
    int64_t far = time_set_to(path, (time_t)1 << 40, 0);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    if (st.st_mtim.tv_sec == (time_t)1 << 40)
        assert_true(far == INT64_MAX);
    else
        assert_true(far > 0);
}

TEST(stat_follows_a_link_unless_told_not_to)
{
    char path[SCRATCH_PATH], link[SCRATCH_PATH];
    scratch_empty();
    scratch_file(path, "target", "12345");
    assert_int_equal(symlink("target", scratch_path(link, "link")), 0);
    assert_int_equal(looked(link, false), 0);
    assert_int_equal(info.kind, WEFT_KIND_FILE);
    assert_int_equal(looked(link, true), 0);
    assert_int_equal(info.kind, WEFT_KIND_LINK);
    assert_int_equal(info.size, strlen("target"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(looked(link, false), UV_ENOENT);
    assert_int_equal(looked(link, true), 0);
}

TEST(stat_knows_the_kinds)
{
    char path[SCRATCH_PATH];
    assert_int_equal(looked(scratch_dir(), false), 0);
    assert_int_equal(info.kind, WEFT_KIND_DIR);
    assert_int_equal(looked("/dev/null", false), 0);
    assert_int_equal(info.kind, WEFT_KIND_CHAR);
    assert_int_equal(mkfifo(scratch_path(path, "pipe"), 0600), 0);
    assert_int_equal(looked(path, false), 0);
    assert_int_equal(info.kind, WEFT_KIND_FIFO);
}

TEST(stat_says_why_not)
{
    char path[SCRATCH_PATH];
    assert_int_equal(looked(scratch_path(path, "missing"), false), UV_ENOENT);
    assert_int_equal(looked("/dev/null/below", false), UV_ENOTDIR);
    assert_int_equal(looked(NULL, false), UV_EINVAL);
    assert_int_equal(looked("", false), UV_EINVAL);
}
