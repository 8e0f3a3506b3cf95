/* ctest: labels=threads */
/* Commits: what they make of the journals, what happens beside them, and how they fail. */
#include "kit.h"
#include <sys/wait.h>
#include "fault.h"
#include "provider.h"
#include <signal.h>
#include <sys/resource.h>

static char folder[SCRATCH_PATH];
static struct weft_crawl crawl;
enum { HEAD = 64 };

static void up(void)
{
    crawl = (struct weft_crawl){0};
    kit_open(&crawl, kit_folder(folder));
}

static void down(void)
{
    assert_int_equal(weft_crawl_close(&crawl), 0);
    scratch_empty();
}

static size_t journals(void)
{
    return kit_size(folder, "journal-a") + kit_size(folder, "journal-b") - (size_t)2 * HEAD;
}

static void require_url(struct weft_crawl *open, weft_crawl_id id, const char *expected)
{
    char url[200];
    assert_int_equal(weft_crawl_url(open, id, url, sizeof url, NULL, NULL), 0);
    assert_string_equal(url, expected);
}

/* What somebody would find who opens the state after this process was killed, now. */
static void as_if_killed(void (*look)(struct weft_crawl *open))
{
    static const char *const files[] = {"state.mdb", "journal-a", "journal-b"};
    char copy[SCRATCH_PATH], path[SCRATCH_PATH];
    struct weft_crawl open = {0};
    assert_int_equal(mkdir(kit_path(path, kit_folder(copy), ""), 0777), 0);
    for (unsigned i = 0; i < 3; i++) {
        struct kit_bytes bytes = kit_read(folder, files[i]);
        kit_write(copy, files[i], bytes.data, bytes.size);
        free(bytes.data);
    }
    kit_open(&open, copy);
    look(&open);
    assert_int_equal(weft_crawl_close(&open), 0);
}

/* ---- what they do --------------------------------------------------------------------------- */

TEST(a_change_is_in_the_journal_until_it_is_committed)
{
    up();
    assert_int_equal(journals(), 0);
    kit_see(&crawl, "http://a/", 0);
    assert_true(journals() > 0 && crawl.pending > 0);
    kit_commit(&crawl);
    assert_int_equal(journals(), 0);
    kit_see(&crawl, "http://a/", 0);
    assert_int_equal(journals(), 0);
    down();
}

TEST(a_commit_with_nothing_to_do_does_nothing)
{
    struct world w;
    struct weft_crawl_commit commit = {0};
    up();
    size_t before = kit_size(folder, "state.mdb");
    world_up(&w);
    weft_crawl_commit(weft_root(&w.loop), &commit, &crawl, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(commit.bytes, 0);
    assert_int_equal(kit_size(folder, "state.mdb"), before);
    down();
}

static void find_both(struct weft_crawl *open)
{
    require_url(open, 1, "http://before/");
    require_url(open, 2, "http://meanwhile/");
    assert_int_equal(weft_crawl_what(open, 1), WEFT_CRAWL_DONE);
}

TEST(what_happens_during_a_commit_goes_into_the_next)
{
    struct world w;
    struct weft_crawl_commit commit = {0};
    up();
    kit_see(&crawl, "http://before/", 0);
    uint64_t pending = crawl.pending;
    world_up(&w);
    weft_crawl_commit(weft_root(&w.loop), &commit, &crawl, noted);
    assert_int_equal(crawl.pending, 0);
    kit_see(&crawl, "http://meanwhile/", 0);
    kit_settle(&crawl, 1, WEFT_CRAWL_DONE, "before");
    require_url(&crawl, 1, "http://before/");
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(commit.bytes, pending);
    assert_true(crawl.pending > 0 && journals() > 0);
    find_both(&crawl);
    as_if_killed(find_both);
    kit_commit(&crawl);
    assert_int_equal(journals(), 0);
    as_if_killed(find_both);
    down();
}

TEST(only_one_commit_runs_at_a_time_and_nobody_closes_it)
{
    struct world w;
    struct weft_crawl_commit one = {0}, other = {0};
    up();
    kit_see(&crawl, "http://a/", 0);
    world_up(&w);
    weft_crawl_commit(weft_root(&w.loop), &one, &crawl, noted);
    weft_crawl_commit(weft_root(&w.loop), &other, &crawl, noted);
    assert_int_equal(weft_crawl_close(&crawl), UV_EBUSY);
    world_down(&w);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(one.op.status, 0);
    assert_int_equal(other.op.status, UV_EBUSY);
    down();
}

TEST(a_commit_that_is_cancelled_loses_nothing)
{
    up();
    for (unsigned i = 0; i < 30; i++) {
        struct world w;
        struct weft_crawl_commit commit = {0};
        char url[30];
        snprintf(url, sizeof url, "http://a/%u", i);
        weft_crawl_id id = kit_see(&crawl, url, 0);
        world_up(&w);
        weft_crawl_commit(weft_root(&w.loop), &commit, &crawl, noted);
        weft_cancel(&commit.op, UV_EINTR);
        world_down(&w);
        assert_true(seen.status == 0 || seen.status == UV_EINTR);
        require_url(&crawl, id, url);
    }
    kit_commit(&crawl);
    assert_int_equal(journals(), 0);
    kit_reopen(&crawl, folder);
    assert_int_equal(crawl.known, 30);
    down();
}

/* ---- how they fail -------------------------------------------------------------------------- */

/* No file may become larger than this; 0: as before. What the limit meets is told by UV_EFBIG. */
static void limit_files(size_t size)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size > 0 ? size : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void find_one_and_three(struct weft_crawl *open)
{
    assert_int_equal(open->known, 2);
    require_url(open, 1, "http://one/");
    require_url(open, 2, "http://three/");
}

TEST(a_change_that_does_not_fit_on_the_disk_did_not_happen)
{
    struct weft_crawl_result result = {.what = WEFT_CRAWL_DONE};
    up();
    kit_see(&crawl, "http://one/", 5);
    for (size_t room = 0; room < 38; room++) {
        limit_files(HEAD + journals() + room);
        assert_int_equal(weft_crawl_see(&crawl, T("http://two/"), 0, 0, NULL), UV_EFBIG);
        assert_int_equal(weft_crawl_settle(&crawl, 1, &result), UV_EFBIG);
        if (room < 24) {
            assert_int_equal(weft_crawl_set(&crawl, 1, WEFT_CRAWL_DONE), UV_EFBIG);
            assert_int_equal(weft_crawl_see(&crawl, T("http://one/"), 4, 0, NULL), UV_EFBIG);
        }
        limit_files(0);
    }
    assert_int_equal(crawl.known, 1);
    assert_int_equal(weft_crawl_depth(&crawl, 1), 5);
    assert_int_equal(weft_crawl_what(&crawl, 1), WEFT_CRAWL_WAITING);
    assert_int_equal(weft_crawl_find(&crawl, T("http://two/")), 0);
    kit_see(&crawl, "http://three/", 0);
    find_one_and_three(&crawl);
    as_if_killed(find_one_and_three);
    kit_commit(&crawl);
    as_if_killed(find_one_and_three);
    down();
}

static void find_many(struct weft_crawl *open)
{
    char url[60];
    struct weft_text value;
    assert_int_equal(open->known, 3000);
    for (weft_crawl_id id = 1; id <= 3000; id++) {
        snprintf(url, sizeof url, "http://a/%u", id);
        require_url(open, id, url);
        assert_int_equal(weft_crawl_what(open, id),
                         id % 3 == 0 ? WEFT_CRAWL_DONE : WEFT_CRAWL_WAITING);
    }
    assert_int_equal(weft_crawl_get(open, T("turn"), &value), 0);
    assert_true(weft_text_is(value, "3000"));
}

/* Several commits fail while changes go on, as far as the journal has room; then one succeeds. */
TEST(after_a_commit_that_failed_the_next_one_tries_again)
{
    char text[60];
    up();
    size_t limit = kit_size(folder, "state.mdb") + (64 << 10);
    for (unsigned i = 1; i <= 3000; i++) {
        snprintf(text, sizeof text, "http://a/%u", i);
        weft_crawl_id id = kit_see(&crawl, text, 0);
        if (i % 3 == 0)
            kit_settle(&crawl, id, WEFT_CRAWL_DONE, text + 7);
        snprintf(text, sizeof text, "%u", i);
        assert_int_equal(weft_crawl_put(&crawl, T("turn"), T(text)), 0);
        if (i % 1000 == 0) {
            limit_files(limit);
            assert_true(kit_try_commit(&crawl) < 0);
            limit_files(0);
        }
    }
    find_many(&crawl);
    as_if_killed(find_many);
    kit_see(&crawl, "http://a/1", 0);
    kit_commit(&crawl);
    find_many(&crawl);
    as_if_killed(find_many);
    kit_commit(&crawl);
    kit_reopen(&crawl, folder);
    find_many(&crawl);
    down();
}

static void find_newest(struct weft_crawl *open)
{
    struct weft_text value;
    assert_int_equal(weft_crawl_get(open, T("key"), &value), 0);
    assert_true(weft_text_is(value, "newest"));
}

/* Whichever of the two it is: they change places with each turn. */
TEST(the_older_journal_is_replayed_first)
{
    static char much[64 << 10];
    up();
    for (unsigned turn = 0; turn < 4; turn++) {
        assert_int_equal(weft_crawl_put(&crawl, T("key"), T("older")), 0);
        assert_int_equal(weft_crawl_put(&crawl, T("much"), weft_text(much, sizeof much)), 0);
        limit_files(4096);
        assert_true(kit_try_commit(&crawl) < 0);
        limit_files(0);
        assert_int_equal(weft_crawl_put(&crawl, T("key"), T("newest")), 0);
        assert_true(kit_size(folder, "journal-a") > HEAD && kit_size(folder, "journal-b") > HEAD);
        find_newest(&crawl);
        as_if_killed(find_newest);
        kit_commit(&crawl);
        as_if_killed(find_newest);
    }
    down();
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Each step succeeds, or fails for want of memory and has not happened. */
static bool fine(int err)
{
    assert_true(err >= 0 || err == UV_ENOMEM);
    return err >= 0;
}

static int shown(struct weft_crawl *open, weft_crawl_id id, struct weft_text url,
                 const struct weft_crawl_result *result, void *context)
{
    (void)open;
    (void)id;
    (void)context;
    assert_int_equal(url.size, 9);
    return result->what > 0 ? 0 : UV_EINVAL;
}

static int set_again(struct weft_crawl *open, weft_crawl_id id, struct weft_text url,
                     const struct weft_crawl_result *result, void *context)
{
    (void)url;
    (void)context;
    return result->what == WEFT_CRAWL_WAITING ? weft_crawl_set(open, id, WEFT_CRAWL_AGAIN) : 0;
}

static void whole_life(unsigned long n)
{
    struct weft_crawl_result result = {.what = WEFT_CRAWL_DONE, .file = T("a/index.html")};
    struct weft_text value;
    const char *why = NULL;
    char url[20];
    (void)n;
    crawl = (struct weft_crawl){0};
    kit_folder(folder);
    if (fine(weft_crawl_open(&crawl, folder, &why))) {
        for (unsigned i = 0; i < 30; i++) {
            snprintf(url, sizeof url, "http://%02u", i);
            weft_crawl_id known = crawl.known;
            bool seen_it = fine(weft_crawl_see(&crawl, T(url), 0, 0, NULL));
            assert_int_equal(crawl.known, known + seen_it);
        }
        fine(weft_crawl_settle(&crawl, 1, &result));
        weft_crawl_claim(&crawl, T("a/index.html"), 1);
        fine(weft_crawl_put(&crawl, T("key"), T("value")));
        fine(weft_crawl_get(&crawl, T("key"), &value));
        fine(weft_crawl_each(&crawl, shown, NULL));
        assert_int_equal(weft_crawl_close(&crawl), 0);
    }
    assert_non_null(why);
    if (!fine(weft_crawl_open(&crawl, folder, &why)))
        assert_non_null(strstr(why, "memory"));
    else if (crawl.known > 0 && fine(weft_crawl_each(&crawl, set_again, NULL)))
        fine(weft_crawl_result(&crawl, 1, &result));
    assert_int_equal(weft_crawl_close(&crawl), 0);
}

TEST(running_out_of_memory_is_told_and_does_no_harm)
{
    fault_ladder(whole_life);
    assert_true(fault_ladder_height() > 20);
    scratch_empty();
}

/* ---- an op like all others ------------------------------------------------------------------ */

static void prepare(struct weft_loop *loop)
{
    (void)loop;
    up();
}

static void put_away(struct weft_loop *loop)
{
    (void)loop;
    down();
}

/* A process that dies without a word; what it had flushed is there, and nothing else. */
TEST(deferred_changes_are_in_the_journal_after_a_flush)
{
    char path[SCRATCH_PATH];
    struct weft_crawl its = {0};
    kit_folder(path);
    pid_t pid = fork();
    if (pid == 0) {
        kit_open(&its, path);
        its.deferred = true;
        kit_see(&its, "http://a/first", 1);
        kit_see(&its, "http://a/second", 1);
        weft_crawl_put(&its, T("thing"), T("value"));
        int err = weft_crawl_flush(&its);
        kit_see(&its, "http://a/third", 1);
        _exit(err == 0 && weft_crawl_find(&its, T("http://a/third")) == 3 ? 0 : 1);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    kit_open(&its, path);
    assert_int_equal(its.known, 2);
    assert_int_equal(weft_crawl_find(&its, T("http://a/second")), 2);
    its.deferred = true;
    kit_see(&its, "http://a/fourth", 1);
    kit_reopen(&its, path); /* to close it is to flush it */
    assert_int_equal(its.known, 3);
    its.deferred = true;
    kit_see(&its, "http://a/fifth", 1);
    its.deferred = false;
    kit_see(&its, "http://a/sixth", 1); /* takes with it what was deferred before */
    kit_commit(&its);
    kit_reopen(&its, path);
    assert_int_equal(its.known, 5);
    assert_int_equal(weft_crawl_close(&its), 0);
    scratch_empty();
}

static void give_changes(void *storage)
{
    ((struct weft_crawl_commit *)storage)->crawl = &crawl;
    kit_see(&crawl, "http://a/", 9);
    assert_int_equal(weft_crawl_put(&crawl, T("a"), T("b")), 0);
}

static void give_a_closed_one(void *storage)
{
    static struct weft_crawl closed;
    ((struct weft_crawl_commit *)storage)->crawl = &closed;
}

static const struct weft_provider crawl_commit = {
    .name = "crawl_commit",
    WEFT_PROVIDER_OP(struct weft_crawl_commit, op),
    .begin = weft_crawl_commit_begin,
    .up = prepare,
    .down = put_away,
    .good = give_changes,
    .bad = give_a_closed_one,
    .bad_status = UV_EINVAL,
    .nothing_status = UV_EINVAL,
    .flags = WEFT_PROVIDER_AWAITS | WEFT_PROVIDER_ALONE,
};

TEST(crawl_commit_conforms)
{
    provider_check(&crawl_commit);
}
