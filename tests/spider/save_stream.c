/* Saving a page that comes in pieces.
 * ctest: labels=threads,valgrind */
#include "saving.h"
#include "provider.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- each step is an op --------------------------------------------------------------------- */

struct run {
    struct save_stream stream;
    char name[64];
};

/* For the steps before the one that is looked at. It lives as long as the folder does: ThreadSanitizer does not
 * see libuv close a loop's descriptors, and takes a thread that gets such a number next for a culprit. */
static struct world before;

static void up(struct weft_loop *loop)
{
    (void)loop;
    world_up_in_order(&before);
    folder_up(false);
    assert_int_equal(save_text("h/file.html", "a file"), 0);
}

static void down(struct weft_loop *loop)
{
    (void)loop;
    folder_down();
    world_close(&before);
}

static void prepare(struct run *run, const char *format)
{
    static int number;
    save_abandon(&run->stream); /* of the run before in this storage */
    snprintf(run->name, sizeof run->name, format, number++);
    run->stream.folder = &folder;
    run->stream.name = run->name;
    run->stream.data = "hello";
    run->stream.size = 5;
    run->stream.modified = -1;
}

static void open_with(struct world *w, struct save_stream *stream, const char *name)
{
    struct seen outer = seen;
    save_stream(weft_root(&w->loop), stream, &folder, name, noted);
    assert_int_equal(world_run(w), 0);
    assert_int_equal(seen.status, 0);
    seen = outer;
}

static void open_now(struct save_stream *stream, const char *name)
{
    struct world w;
    world_up_in_order(&w);
    open_with(&w, stream, name);
    world_close(&w);
}

static void prepare_open(struct run *run, const char *format)
{
    prepare(run, format);
    open_with(&before, &run->stream, run->name);
}

static void release(void *storage)
{
    save_abandon(&((struct run *)storage)->stream);
}

static void good_open(void *storage)
{
    prepare(storage, "h/a/%d.html");
}

static void bad_open(void *storage)
{
    prepare(storage, "../%d.html");
}

TEST(save_stream_conforms)
{
    static const struct weft_provider provider = {
        .name = "save_stream",
        WEFT_PROVIDER_OP(struct run, stream.work.op),
        .begin = save_stream_begin,
        .up = up,
        .down = down,
        .good = good_open,
        .bad = bad_open,
        .bad_status = UV_EINVAL,
        .nothing_status = UV_EINVAL,
        .release = release,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&provider);
}

static void good_step(void *storage)
{
    prepare_open(storage, "h/a/%d.html");
}

static void bad_write(void *storage)
{
    prepare_open(storage, "h/a/%d.html");
    ((struct run *)storage)->stream.data = NULL;
}

TEST(save_write_conforms)
{
    static const struct weft_provider provider = {
        .name = "save_write",
        WEFT_PROVIDER_OP(struct run, stream.work.op),
        .begin = save_write_begin,
        .up = up,
        .down = down,
        .good = good_step,
        .bad = bad_write,
        .bad_status = WEFT_PROVIDER_ANY_ERROR, /* UV_EINVAL, then UV_EBADF in a retry */
        .nothing_status = UV_EBADF,
        .release = release,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&provider);
}

static void bad_commit(void *storage)
{
    prepare_open(storage, "h/file.html/%d.html");
}

static void verify_commit(void *storage)
{
    scratch_equals(below(((struct run *)storage)->name), "");
}

TEST(save_commit_conforms)
{
    static const struct weft_provider provider = {
        .name = "save_commit",
        WEFT_PROVIDER_OP(struct run, stream.work.op),
        .begin = save_commit_begin,
        .up = up,
        .down = down,
        .good = good_step,
        .bad = bad_commit,
        .bad_status = WEFT_PROVIDER_ANY_ERROR, /* UV_ENOTDIR, then UV_EBADF in a retry */
        .nothing_status = UV_EBADF,
        .verify = verify_commit,
        .release = release,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&provider);
}

/* ---- all of them in a row ------------------------------------------------------------------- */

static int write_now(struct save_stream *stream, const char *text)
{
    struct world w;
    world_up(&w);
    save_write(weft_root(&w.loop), stream, text, strlen(text), noted);
    world_down(&w);
    return seen.status;
}

static int commit_now(struct save_stream *stream, int64_t modified)
{
    struct world w;
    world_up(&w);
    save_commit(weft_root(&w.loop), stream, modified, noted);
    world_down(&w);
    return seen.status;
}

TEST_BOTH(a_page_in_pieces_appears_when_it_is_complete)
{
    struct save_stream stream = {0};
    struct stat it;
    open_now(&stream, "h/a/b.html");
    assert_int_equal(write_now(&stream, "one "), 0);
    assert_int_equal(write_now(&stream, ""), 0);
    assert_int_equal(write_now(&stream, "two"), 0);
    assert_int_equal(stream.written, 7);
    assert_false(scratch_exists(below("h/a/b.html")));
    assert_int_equal(commit_now(&stream, 1234567890), 0);
    scratch_equals(below("h/a/b.html"), "one two");
    assert_int_equal(stat(below("h/a/b.html"), &it), 0);
    assert_int_equal(it.st_mtime, 1234567890);
    save_abandon(&stream); /* has nothing more to do */
    scratch_equals(below("h/a/b.html"), "one two");
}

TEST_BOTH(an_abandoned_page_leaves_the_one_before)
{
    struct save_stream stream = {0};
    assert_int_equal(save_text("h/a.html", "before"), 0);
    open_now(&stream, "h/a.html");
    assert_int_equal(write_now(&stream, "half"), 0);
    assert_int_equal(scratch_count(below(".weft/tmp")), folder.nameless ? 0 : 1);
    save_abandon(&stream);
    assert_int_equal(scratch_count(below(".weft/tmp")), 0);
    scratch_equals(below("h/a.html"), "before");
    save_abandon(&stream);
}

TEST_BOTH(the_storage_can_be_used_again)
{
    struct save_stream stream = {0};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "h/%d.html", i);
        open_now(&stream, name);
        assert_int_equal(stream.written, 0);
        assert_int_equal(write_now(&stream, "x"), 0);
        assert_int_equal(commit_now(&stream, -1), 0);
        scratch_equals(below(name), "x");
    }
}

TEST_BOTH(steps_in_the_wrong_order_are_refused)
{
    struct save_stream stream = {0};
    struct world w;
    assert_int_equal(write_now(&stream, "x"), UV_EBADF);
    assert_int_equal(commit_now(&stream, -1), UV_EBADF);
    open_now(&stream, "h/a.html");
    world_up(&w);
    save_stream(weft_root(&w.loop), &stream, &folder, "h/b.html", noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EBUSY);
    assert_int_equal(write_now(&stream, "x"), 0);
    assert_int_equal(commit_now(&stream, -1), 0);
    scratch_equals(below("h/a.html"), "x");
    assert_int_equal(commit_now(&stream, -1), UV_EBADF);
}

TEST_BOTH(a_write_that_fails_closes_the_stream)
{
    struct rlimit old, small;
    struct save_stream stream = {0};
    open_now(&stream, "h/a.html");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    small = old;
    small.rlim_cur = 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = write_now(&stream, "more than ten bytes");
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, UV_EFBIG);
    assert_int_equal(scratch_count(below(".weft/tmp")), 0);
    assert_int_equal(write_now(&stream, "x"), UV_EBADF);
    assert_false(scratch_exists(below("h/a.html")));
}

TEST_BOTH(a_commit_through_a_symlink_is_refused)
{
    struct save_stream stream = {0};
    char elsewhere[SCRATCH_PATH];
    scratch_new_path(elsewhere, "elsewhere");
    assert_int_equal(mkdir(elsewhere, 0777), 0);
    open_now(&stream, "h/a.html");
    assert_int_equal(write_now(&stream, "x"), 0);
    assert_int_equal(symlink(elsewhere, below("h")), 0);
    assert_int_equal(commit_now(&stream, -1), UV_ELOOP);
    assert_int_equal(scratch_count(elsewhere), 0);
}

/* Under a parent that was cancelled no step begins: the stream is still open. */
TEST_BOTH(what_is_cancelled_is_abandoned_by_its_owner)
{
    struct save_stream stream = {0};
    struct world w;
    open_now(&stream, "h/a.html");
    world_up(&w);
    save_write(weft_root(&w.loop), &stream, "x", 1, noted);
    weft_cancel(&stream.work.op, UV_ECANCELED);
    world_down(&w);
    save_abandon(&stream);
    assert_int_equal(scratch_count(below(".weft/tmp")), 0);
    assert_int_equal(commit_now(&stream, -1), UV_EBADF);
}
