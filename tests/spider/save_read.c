/* Reading a page that was saved, and looking at it.
 * ctest: labels=valgrind */
#include "saving.h"
#include "nobody.h"
#include "provider.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- the ops -------------------------------------------------------------------------------- */

static void up(struct weft_loop *loop)
{
    (void)loop;
    folder_up(false);
    assert_int_equal(save_text("h/a.html", "a page"), 0);
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    folder_down();
}

static void good_read(void *storage)
{
    struct save_read *its = storage;
    its->folder = &folder;
    its->name = "h/a.html";
    its->limit = 100;
}

static void bad_read(void *storage)
{
    good_read(storage);
    ((struct save_read *)storage)->name = "h/none.html";
}

static void verify_read(void *storage)
{
    const struct save_read *its = storage;
    assert_string_equal(its->data, "a page");
    assert_int_equal(its->size, 6);
}

static void release_read(void *storage)
{
    save_read_free(storage);
}

TEST(save_read_conforms)
{
    static const struct weft_provider provider = {
        .name = "save_read",
        WEFT_PROVIDER_OP(struct save_read, work.op),
        .begin = save_read_begin,
        .up = up,
        .down = down,
        .good = good_read,
        .bad = bad_read,
        .bad_status = UV_ENOENT,
        .nothing_status = UV_EINVAL,
        .verify = verify_read,
        .release = release_read,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&provider);
}

static void good_look(void *storage)
{
    struct save_look *look = storage;
    look->folder = &folder;
    look->name = "h/a.html";
}

static void bad_look(void *storage)
{
    good_look(storage);
    ((struct save_look *)storage)->name = "none/a.html";
}

static void verify_look(void *storage)
{
    const struct save_look *look = storage;
    assert_int_equal(look->size, 6);
}

TEST(save_look_conforms)
{
    static const struct weft_provider provider = {
        .name = "save_look",
        WEFT_PROVIDER_OP(struct save_look, work.op),
        .begin = save_look_begin,
        .up = up,
        .down = down,
        .good = good_look,
        .bad = bad_look,
        .bad_status = UV_ENOENT,
        .nothing_status = UV_EINVAL,
        .verify = verify_look,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&provider);
}

/* ---- what they say -------------------------------------------------------------------------- */

static struct save_read got;

static int read_now(const char *name, size_t limit)
{
    struct world w;
    world_up(&w);
    save_read_free(&got);
    save_read(weft_root(&w.loop), &got, &folder, name, limit, noted);
    world_down(&w);
    assert_true((got.data != NULL) == (seen.status == 0));
    return seen.status;
}

static struct save_look looked;

static int look_now(const char *name)
{
    struct world w;
    world_up(&w);
    save_look(weft_root(&w.loop), &looked, &folder, name, noted);
    world_down(&w);
    return seen.status;
}

TEST_BOTH(a_page_is_read_as_it_was_saved)
{
    struct world w;
    struct save save = {0};
    world_up(&w);
    save_file(weft_root(&w.loop), &save, &folder, "h/a/b.bin", "a\0b\n", 4, 1000000000, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(read_now("h/a/b.bin", 4), 0);
    assert_int_equal(got.size, 4);
    assert_memory_equal(got.data, "a\0b\n", 5);
    assert_int_equal(got.modified, 1000000000);
    assert_int_equal(look_now("h/a/b.bin"), 0);
    assert_int_equal(looked.size, 4);
    assert_int_equal(looked.modified, 1000000000);
    save_read_free(&got);
}

TEST_BOTH(an_empty_page_is_read)
{
    assert_int_equal(save_text("h/a.html", ""), 0);
    assert_int_equal(read_now("h/a.html", 0), 0);
    assert_int_equal(got.size, 0);
    assert_string_equal(got.data, "");
    save_read_free(&got);
    save_read_free(&got);
}

static void both(const char *name, int status)
{
    assert_int_equal(read_now(name, 100), status);
    assert_int_equal(look_now(name), status);
}

TEST_BOTH(only_what_is_not_there_is_not_there)
{
    char outside[SCRATCH_PATH];
    scratch_file(outside, "outside", "secret");
    assert_int_equal(save_text("h/a.html", "x"), 0);
    both("h/none.html", UV_ENOENT);
    both("none/none/a.html", UV_ENOENT);
    both("h", UV_EISDIR);
    both("h/a.html/b.html", UV_ENOTDIR);
    both("../outside", UV_EINVAL);
    both("/etc/passwd", UV_EINVAL);
    both(NULL, UV_EINVAL);
    assert_int_equal(symlink(outside, below("h/link.html")), 0);
    assert_int_equal(symlink("a.html", below("h/inside.html")), 0);
    assert_int_equal(symlink("nowhere", below("h/dangling.html")), 0);
    assert_int_equal(symlink("h", below("i")), 0);
    both("h/link.html", UV_ELOOP);
    both("h/inside.html", UV_ELOOP);
    both("h/dangling.html", UV_ELOOP);
    both("i/a.html", UV_ELOOP);
    assert_int_equal(mkfifo(below("h/pipe"), 0666), 0);
    both("h/pipe", UV_EINVAL);
}

TEST_BOTH(a_socket_is_no_page)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    assert_int_equal(save_text("h/a.html", "x"), 0);
    assert_true(strlen(below("h/socket")) < sizeof at.sun_path);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", below("h/socket"));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    both("h/socket", UV_EINVAL);
    close(fd);
}

TEST_BOTH(a_page_beyond_the_limit_is_not_read)
{
    assert_int_equal(save_text("h/a.html", "12345"), 0);
    assert_int_equal(read_now("h/a.html", 4), UV_EFBIG);
    assert_int_equal(read_now("h/a.html", 5), 0);
    save_read_free(&got);
}

TEST_BOTH(a_page_that_may_not_be_read_is_an_error)
{
    assert_int_equal(save_text("h/a.html", "x"), 0);
    assert_int_equal(chmod(below("h/a.html"), 0), 0);
    struct world w;
    struct save_read its = {0};
    nobody_begin(scratch_dir());
    world_up(&w);
    save_read(weft_root(&w.loop), &its, &folder, "h/a.html", 100, noted);
    world_run(&w);
    nobody_end();
    world_down(&w);
    assert_int_equal(seen.status, UV_EACCES);
}

/* A folder that was moved and made anew by somebody else is seen as it is, however lately pages
 * were saved in the old one. */
TEST_BOTH(what_is_read_is_what_is_there_now)
{
    assert_int_equal(save_text("h/a.html", "old"), 0);
    assert_int_equal(rename(below("h"), below("moved")), 0);
    both("h/a.html", UV_ENOENT);
    assert_int_equal(mkdir(below("h"), 0777), 0);
    assert_int_equal(rename(below("moved/a.html"), below("h/a.html")), 0);
    both("h/a.html", 0);
    save_read_free(&got);
}
