/* ctest: shuffle=no timeout=120 */
/* Large states: how much memory they take, that they find their place on the disk, and what is said
 * when there is none. */
#include "kit.h"
#include "fault.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

static char folder[SCRATCH_PATH];
static struct weft_crawl crawl;

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

/* The map is moved on another thread; who reads meanwhile sees nothing of it. */
static void read_while_it_grows(const char *data, size_t size)
{
    struct world w;
    struct weft_crawl_commit commit = {0};
    struct weft_text value;
    assert_int_equal(weft_crawl_put(&crawl, T("small"), T("value")), 0);
    kit_commit(&crawl);
    assert_int_equal(weft_crawl_put(&crawl, T("last"), weft_text(data, size)), 0);
    world_up(&w);
    weft_crawl_commit(weft_root(&w.loop), &commit, &crawl, noted);
    while (weft_running(weft_root(&w.loop)) > 0) {
        assert_int_equal(weft_crawl_get(&crawl, T("small"), &value), 0);
        assert_true(weft_text_is(value, "value"));
        uv_run(&w.uv, UV_RUN_NOWAIT);
    }
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(a_large_state_gets_a_larger_map)
{
    enum { SIZE = 15 << 20, COUNT = 4 };
    char *data = calloc(1, SIZE), key[] = "0";
    struct weft_text value;
    assert_non_null(data);
    up();
    for (unsigned i = 0; i < COUNT; i++) {
        key[0] = (char)('0' + i);
        data[SIZE - 1] = key[0];
        assert_int_equal(weft_crawl_put(&crawl, T(key), weft_text(data, SIZE)), 0);
        if (i % 2 == 1)
            kit_commit(&crawl);
    }
    read_while_it_grows(data, SIZE);
    for (unsigned turn = 0; turn < 2; turn++) {
        for (unsigned i = 0; i < COUNT; i++) {
            key[0] = (char)('0' + i);
            assert_int_equal(weft_crawl_get(&crawl, T(key), &value), 0);
            assert_int_equal(value.size, SIZE);
            assert_int_equal(value.data[SIZE - 1], key[0]);
        }
        kit_reopen(&crawl, folder);
    }
    down();
    free(data);
}

TEST(a_known_url_takes_less_than_40_bytes)
{
    enum { COUNT = 200000 };
    weft_fault_install();
    up();
    for (unsigned i = 1; i <= COUNT; i++) {
        char url[80];
        snprintf(url, sizeof url, "http://www.example.com/some/folder/page-%u.html?query", i);
        assert_int_equal(weft_crawl_see(&crawl, T(url), i, i / 10, NULL), WEFT_CRAWL_NEW);
        if (i % 20000 == 0) {
            kit_commit(&crawl);
            assert_true(weft_fault_live_bytes() < 40UL * i + (600UL << 10));
        }
    }
    print_message("%.1f bytes a URL\n", (double)weft_fault_live_bytes() / COUNT);
    assert_true(weft_fault_live_bytes() < 40UL * COUNT);
    kit_reopen(&crawl, folder);
    print_message("%.1f bytes a URL, opened again\n", (double)weft_fault_live_bytes() / COUNT);
    assert_true(weft_fault_live_bytes() < 40UL * COUNT);
    assert_int_equal(weft_crawl_find(&crawl, T("http://www.example.com/some/folder/page-777.html"
                                               "?query")),
                     777);
    down();
    fault_remove();
}

/* In a process of its own, with a file system of its own, that is too small again and again. 99:
 * not allowed here. */
static int fill_a_disk(void)
{
    static char much[300 << 10];
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", 0, "size=4k") != 0)
        return 99;
    crawl = (struct weft_crawl){0};
    assert_int_equal(weft_crawl_open(&crawl, folder, NULL), UV_ENOSPC);
    for (int kilobytes = 8; kilobytes < 64; kilobytes += 4) { /* wherever it ends, it is told */
        char size[16];
        snprintf(size, sizeof size, "size=%dk", kilobytes);
        assert_int_equal(mount("none", folder, "tmpfs", MS_REMOUNT, size), 0);
        int err = weft_crawl_open(&crawl, folder, NULL);
        assert_true(err == UV_ENOSPC || (err == 0 && kilobytes > 16));
        if (err == 0)
            assert_int_equal(weft_crawl_close(&crawl), 0);
    }
    assert_int_equal(mount("none", folder, "tmpfs", MS_REMOUNT, "size=1M"), 0);
    kit_open(&crawl, folder);
    assert_int_equal(weft_crawl_put(&crawl, T("a"), weft_text(much, sizeof much)), 0);
    assert_int_equal(weft_crawl_put(&crawl, T("b"), weft_text(much, sizeof much)), 0);
    assert_int_equal(kit_try_commit(&crawl), UV_ENOSPC);
    assert_int_equal(weft_crawl_put(&crawl, T("c"), weft_text(much, sizeof much)), UV_ENOSPC);
    assert_int_equal(kit_try_commit(&crawl), UV_ENOSPC);
    assert_int_equal(mount("none", folder, "tmpfs", MS_REMOUNT, "size=9M"), 0);
    kit_commit(&crawl);
    kit_reopen(&crawl, folder);
    struct weft_text value;
    assert_int_equal(weft_crawl_get(&crawl, T("b"), &value), 0);
    assert_int_equal(value.size, sizeof much);
    assert_int_equal(weft_crawl_get(&crawl, T("c"), &value), 0);
    assert_null(value.data);
    return weft_crawl_close(&crawl);
}

TEST(a_full_disk_is_told_and_can_be_made_larger)
{
    int status;
    kit_folder(folder);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        _exit(fill_a_disk());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99) {
        fprintf(stderr, "only root can make a small disk\n");
        skip();
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    scratch_empty();
}
