/* Saving a page in one go.
 * ctest: labels=threads,valgrind */
#include "saving.h"
#include "provider.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- the op --------------------------------------------------------------------------------- */

struct run {
    struct save save;
    char name[64];
};

static void up(struct weft_loop *loop)
{
    (void)loop;
    folder_up(false);
    assert_int_equal(save_text("h/file.html", "a file"), 0);
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    folder_down();
}

static void prepare(struct run *run, const char *format)
{
    static int number;
    run->save.folder = &folder;
    snprintf(run->name, sizeof run->name, format, number++);
    run->save.name = run->name;
    run->save.data = "hello";
    run->save.size = 5;
    run->save.modified = 1000000000;
}

static void good(void *storage)
{
    prepare(storage, "h/a/%d.html");
}

static void bad(void *storage)
{
    prepare(storage, "h/file.html/%d.html");
}

static void verify(void *storage)
{
    const struct run *run = storage;
    struct stat it;
    scratch_equals(below(run->name), "hello");
    assert_int_equal(stat(below(run->name), &it), 0);
    assert_int_equal(it.st_mtime, 1000000000);
}

TEST(save_conforms)
{
    static const struct weft_provider provider = {
        .name = "save",
        WEFT_PROVIDER_OP(struct run, save.work.op),
        .begin = save_begin,
        .up = up,
        .down = down,
        .good = good,
        .bad = bad,
        .bad_status = UV_ENOTDIR,
        .nothing_status = UV_EINVAL,
        .verify = verify,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&provider);
}

/* ---- what is there then --------------------------------------------------------------------- */

TEST_BOTH(a_page_is_saved_with_the_folders_above_it)
{
    assert_int_equal(save_text("h/a/b/c.html", "one"), 0);
    scratch_equals(below("h/a/b/c.html"), "one");
    assert_int_equal(save_text("h/a/b/d.html", "two"), 0);
    scratch_equals(below("h/a/b/d.html"), "two");
    assert_int_equal(save_text("top.html", "three"), 0);
    scratch_equals(below("top.html"), "three");
}

TEST_BOTH(an_empty_page_is_a_page)
{
    struct world w;
    struct save save = {0};
    world_up(&w);
    save_file(weft_root(&w.loop), &save, &folder, "h/empty.html", NULL, 0, -1, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    scratch_equals(below("h/empty.html"), "");
}

TEST_BOTH(a_page_replaces_the_one_before)
{
    assert_int_equal(save_text("h/a.html", "a longer one"), 0);
    assert_int_equal(save_text("h/a.html", "short"), 0);
    scratch_equals(below("h/a.html"), "short");
}

static int before_status;

static int look_first(struct save *save)
{
    save->size = 3; /* it may still change what is saved */
    return before_status;
}

static int save_looked_at(int status)
{
    struct world w;
    struct save save = {.before = look_first};
    before_status = status;
    world_up(&w);
    save_file(weft_root(&w.loop), &save, &folder, "h/looked.html", "abcdef", 6, -1, noted);
    world_down(&w);
    return save.work.op.status;
}

TEST_BOTH(what_comes_before_is_done_first_and_may_prevent_it)
{
    assert_int_equal(save_looked_at(UV_ERANGE), UV_ERANGE);
    assert_false(scratch_exists(below("h/looked.html")));
    assert_int_equal(save_looked_at(0), 0);
    scratch_equals(below("h/looked.html"), "abc");
}

TEST_BOTH(without_a_date_the_time_is_now)
{
    struct stat it;
    time_t before = time(NULL);
    assert_int_equal(save_text("h/a.html", "x"), 0);
    assert_int_equal(stat(below("h/a.html"), &it), 0);
    assert_true(it.st_mtime >= before - 1);
}

TEST_BOTH(a_name_that_leads_elsewhere_is_refused)
{
    static const char *const names[] = {
        "",     "/",  "/etc/x", "..",   ".",       "../x",      "h/../x", "h/./x",
        "h//x", "h/", ".weft",  "h/.x", ".weft/x", "h/a/../..", "h/..",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(save_text(names[i], "x"), UV_EINVAL);
    char *name = malloc(5000);
    assert_non_null(name);
    memset(name, 'a', 4999);
    name[4999] = '\0';
    assert_int_equal(save_text(name, "x"), UV_EINVAL);
    for (size_t i = 100; i < 4999; i += 100)
        name[i] = '/';
    assert_int_equal(save_text(name, "x"), UV_EINVAL);
    name[256] = '\0';
    assert_int_equal(save_text(name + 1, "x"), 0);
    free(name);
    assert_int_equal(scratch_count(root), 2); /* .weft, and the last one's */
}

TEST_BOTH(data_that_is_not_there_is_refused)
{
    struct world w;
    struct save save = {0};
    world_up(&w);
    save_file(weft_root(&w.loop), &save, &folder, "h/a.html", NULL, 5, -1, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
}

/* ---- what is in the way --------------------------------------------------------------------- */

TEST_BOTH(a_file_in_place_of_a_folder_is_said)
{
    assert_int_equal(save_text("h/a.html", "keep"), 0);
    assert_int_equal(save_text("h/a.html/b.html", "x"), UV_ENOTDIR);
    assert_int_equal(save_text("h/a.html/b/c.html", "x"), UV_ENOTDIR);
    scratch_equals(below("h/a.html"), "keep");
}

TEST_BOTH(a_folder_in_place_of_a_file_is_said)
{
    assert_int_equal(save_text("h/a/b.html", "keep"), 0);
    assert_int_equal(save_text("h/a", "x"), UV_EISDIR);
    scratch_equals(below("h/a/b.html"), "keep");
}

/* A folder outside, and how many entries it has. */
static char elsewhere[SCRATCH_PATH];

static void elsewhere_up(void)
{
    scratch_new_path(elsewhere, "elsewhere");
    assert_int_equal(mkdir(elsewhere, 0777), 0);
}

TEST_BOTH(a_symlink_on_the_way_is_not_followed)
{
    elsewhere_up();
    assert_int_equal(symlink(elsewhere, below("out")), 0);
    assert_int_equal(save_text("out/a.html", "x"), UV_ELOOP);
    assert_int_equal(save_text("out/a/b.html", "x"), UV_ELOOP);
    assert_int_equal(save_text("h/a.html", "x"), 0);
    assert_int_equal(symlink(elsewhere, below("h/out")), 0);
    assert_int_equal(symlink("nowhere", below("h/dangling")), 0);
    assert_int_equal(symlink("..", below("h/up")), 0);
    assert_int_equal(save_text("h/out/a.html", "x"), UV_ELOOP);
    assert_int_equal(save_text("h/dangling/a.html", "x"), UV_ELOOP);
    assert_int_equal(save_text("h/up/a.html", "x"), UV_ELOOP); /* not even one that stays inside */
    assert_int_equal(scratch_count(elsewhere), 0);
}

TEST_BOTH(a_symlink_with_the_name_of_a_page_is_replaced)
{
    char outside[SCRATCH_PATH];
    scratch_file(outside, "outside", "untouched");
    assert_int_equal(save_text("h/a.html", "x"), 0);
    assert_int_equal(unlink(below("h/a.html")), 0);
    assert_int_equal(symlink(outside, below("h/a.html")), 0);
    assert_int_equal(save_text("h/a.html", "page"), 0);
    scratch_equals(outside, "untouched");
    struct stat it;
    assert_int_equal(lstat(below("h/a.html"), &it), 0);
    assert_true(S_ISREG(it.st_mode));
}

TEST_BOTH(a_folder_that_becomes_a_symlink_while_we_save_leads_nowhere)
{
    elsewhere_up();
    assert_int_equal(save_text("h/a/1.html", "x"), 0);
    assert_int_equal(rename(below("h/a"), below("h/moved")), 0);
    assert_int_equal(symlink(elsewhere, below("h/a")), 0);
    assert_int_equal(save_text("h/a/2.html", "x"), 0);
    scratch_equals(below("h/moved/2.html"), "x"); /* within the first second */
    for (int i = 0; i < SAVE_HELD; i++)
        folder.held_[i].since_ns = 0; /* and after it */
    assert_int_equal(save_text("h/a/3.html", "x"), UV_ELOOP);
    assert_int_equal(scratch_count(elsewhere), 0);
}

TEST_BOTH(a_folder_that_was_removed_is_made_again)
{
    assert_int_equal(save_text("h/a/1.html", "x"), 0);
    assert_int_equal(unlink(below("h/a/1.html")), 0);
    assert_int_equal(rmdir(below("h/a")), 0);
    assert_int_equal(rmdir(below("h")), 0);
    assert_int_equal(save_text("h/a/2.html", "y"), 0);
    scratch_equals(below("h/a/2.html"), "y");
}

TEST_BOTH(many_folders_are_entered_and_few_are_held)
{
    char name[64];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3 * SAVE_HELD; i++) {
            snprintf(name, sizeof name, "h/%d/%d.html", i, round);
            assert_int_equal(save_text(name, "x"), 0);
            scratch_equals(below(name), "x");
        }
    }
}

/* ---- together ------------------------------------------------------------------------------- */

static unsigned failures;

static void counted(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    failures += op->status != 0;
}

enum { CROWD = 64 };

/* Every name is one of count files, in folders that nobody has made yet. */
static void save_crowd(const char *format, int count)
{
    static struct save saves[CROWD];
    static char names[CROWD][128];
    struct world w;
    world_up(&w);
    failures = 0;
    memset(saves, 0, sizeof saves);
    for (int i = 0; i < CROWD; i++) {
        int number = i % count;
        snprintf(names[i], sizeof names[i], format, number);
        save_file(weft_root(&w.loop), &saves[i], &folder, names[i], "crowd", 5, -1, counted);
    }
    world_down(&w);
    assert_int_equal(failures, 0);
    for (int i = 0; i < CROWD; i++)
        scratch_equals(below(names[i]), "crowd");
}

TEST_BOTH(many_at_once_make_the_same_folders)
{
    for (int round = 0; round < 20; round++) {
        char format[64];
        snprintf(format, sizeof format, "h/%d/a/b/c/%%d.html", round);
        save_crowd(format, CROWD);
    }
}

TEST_BOTH(many_at_once_save_in_folders_of_their_own)
{
    save_crowd("h/%d/a.html", CROWD);
    save_crowd("h/%d/b.html", CROWD);
}

TEST_BOTH(many_at_once_save_the_same_page)
{
    save_crowd("h/%d.html", 2);
}

/* ---- cancelled ------------------------------------------------------------------------------ */

static const char descriptors[] = "/proc/self/fd";

/* Cancelled as soon as a thread has it open; true: that was in time. Either way it is all or nothing. */
static bool cancel_half_way(const char *data, size_t size)
{
    struct world w;
    struct save save = {0};
    world_up(&w);
    size_t before = scratch_count(descriptors);
    save_file(weft_root(&w.loop), &save, &folder, "h/large.bin", data, size, -1, noted);
    while (scratch_count(descriptors) == before && !scratch_exists(below("h/large.bin")))
        continue;
    weft_cancel(&save.work.op, UV_ETIMEDOUT);
    world_down(&w);
    assert_true(seen.status == 0 || seen.status == UV_ETIMEDOUT);
    assert_int_equal(scratch_exists(below("h/large.bin")), seen.status == 0);
    unlink(below("h/large.bin"));
    return seen.status != 0;
}

TEST_BOTH(a_large_page_that_is_cancelled_half_way_is_not_there)
{
    enum { LARGE = 32 << 20, TRIES = 20 };
    char *data = calloc(1, LARGE);
    assert_non_null(data);
    int tries = 0;
    while (!cancel_half_way(data, LARGE))
        assert_true(++tries < TRIES);
    free(data);
}

/* ---- no room -------------------------------------------------------------------------------- */

TEST_BOTH(a_page_beyond_the_limit_of_files_leaves_nothing)
{
    struct rlimit old, small;
    assert_int_equal(save_text("h/a.html", "before"), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    small = old;
    small.rlim_cur = 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = save_text("h/a.html", "more than ten bytes");
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, UV_EFBIG);
    scratch_equals(below("h/a.html"), "before");
}

TEST(a_full_disk_is_said_and_leaves_nothing)
{
    char path[SCRATCH_PATH];
    scratch_new_path(path, "full");
    assert_int_equal(mkdir(path, 0777), 0);
    if (mount("tmpfs", path, "tmpfs", 0, "size=64k") != 0) {
        fprintf(stderr, "skipped: only root can mount a small disk\n");
        skip();
    }
    int err = save_folder_open(&folder, path);
    umount2(path, MNT_DETACH); /* gone with its last descriptor, whatever happens here */
    assert_int_equal(err, 0);
    static char page[40 * 1024 + 1];
    memset(page, 'x', sizeof page - 1);
    assert_int_equal(save_text("h/1.html", page), 0);
    assert_int_equal(save_text("h/2.html", page), UV_ENOSPC);
    assert_int_equal(save_text("h/2.html", "small"), 0);
    assert_int_equal(save_text("h/2.html", page), UV_ENOSPC);
    struct stat it;
    assert_int_equal(fstatat(folder.fd, "h/2.html", &it, 0), 0);
    assert_int_equal(it.st_size, 5);
    save_folder_close(&folder);
}
