/* Listing directories.
 *
 * readdir goes through here: some file systems do not say of what kind an entry is, and reading a
 * directory can fail in the middle, but neither can be had at will.
 * ctest: labels=threads,valgrind */
#include "loop.h"
#include "nobody.h"
#include "scratch.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <weft/dir.h>

static bool kinds_unknown, wait_once;
static int fail_after = -1;
static atomic_uint reads;
static sem_t reached, go_on;

struct dirent *readdir(DIR *dir)
{
    static struct dirent *(*next)(DIR *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "readdir");
    atomic_fetch_add(&reads, 1);
    if (wait_once) {
        wait_once = false;
        sem_post(&reached);
        sem_wait(&go_on);
    }
    if (fail_after == 0) {
        errno = EIO;
        return NULL;
    }
    if (fail_after > 0)
        fail_after--;
    struct dirent *entry = next(dir);
    if (entry != NULL && kinds_unknown)
        entry->d_type = DT_UNKNOWN;
    return entry;
}

static struct weft_dir_read list;

static int listed(const char *path, size_t max, bool as_found)
{
    struct world w;
    world_up(&w);
    list = (struct weft_dir_read){.max = max, .as_found = as_found};
    weft_dir_read(weft_root(&w.loop), &list, path, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    if (seen.status != 0) {
        assert_null(list.entries);
        assert_int_equal(list.count, 0);
    }
    return seen.status;
}

TEST(entries_are_sorted_by_their_bytes)
{
    static const char *const names[] = {"B",    "a",    "\xc3\xa4", "Z",  "a b", "a\n",
                                        "\xff", "\x01", ".x",       "a-", "10",  "9"};
    static const char *const sorted[] = {"\x01", ".x",  "10",  "9",  "B",        "Z",
                                         "a",    "a\n", "a b", "a-", "\xc3\xa4", "\xff"};
    char path[SCRATCH_PATH];
    scratch_empty();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        scratch_file(path, names[i], "");
    assert_int_equal(listed(scratch_dir(), 0, false), 0);
    assert_int_equal(list.count, sizeof sorted / sizeof *sorted);
    for (size_t i = 0; i < list.count; i++) {
        assert_string_equal(list.entries[i].name, sorted[i]);
        assert_int_equal(list.entries[i].kind, WEFT_KIND_FILE);
    }
    weft_dir_free(&list);
    assert_null(list.entries);
    assert_int_equal(list.count, 0);
    weft_dir_free(&list);
}

TEST(an_empty_directory_has_no_entries)
{
    scratch_empty();
    assert_int_equal(listed(scratch_dir(), 0, false), 0);
    assert_int_equal(list.count, 0);
    assert_null(list.entries);
    weft_dir_free(&list);
}

static bool holds(const char *name)
{
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.entries[i].name, name) == 0)
            return true;
    }
    return false;
}

TEST(many_entries_are_all_there_in_either_order)
{
    enum { MANY = 3000 };
    char path[SCRATCH_PATH], name[300];
    scratch_empty();
    for (int i = 0; i < MANY; i++) {
        memset(name, 'n', 255); /* from short names to the longest there are */
        int length = snprintf(name, 20, "%d", i);
        name[length] = 'n';
        name[length + i % 200] = '\0';
        scratch_file(path, name, "");
    }
    for (int as_found = 0; as_found < 2; as_found++) {
        assert_int_equal(listed(scratch_dir(), MANY, as_found), 0);
        assert_int_equal(list.count, MANY);
        for (size_t i = 1; i < list.count && !as_found; i++)
            assert_true(strcmp(list.entries[i - 1].name, list.entries[i].name) < 0);
        assert_true(holds("0"));
        assert_true(holds("200"));
        assert_false(holds("."));
        weft_dir_free(&list);
    }
    assert_int_equal(listed(scratch_dir(), MANY - 1, false), UV_E2BIG);
    assert_int_equal(listed(scratch_dir(), 1, false), UV_E2BIG);
}

static void make_one_of_each(void)
{
    char path[SCRATCH_PATH];
    scratch_empty();
    scratch_file(path, "1 file", "");
    assert_int_equal(mkdir(scratch_path(path, "2 folder"), 0700), 0);
    assert_int_equal(symlink("2 folder", scratch_path(path, "3 link")), 0);
    assert_int_equal(mkfifo(scratch_path(path, "4 pipe"), 0600), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    scratch_path(path, "5 socket");
    assert_true(strlen(path) < sizeof address.sun_path);
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

TEST(kinds_are_those_of_the_entries_themselves_however_they_are_learnt)
{
    static const enum weft_file_kind kinds[] = {WEFT_KIND_FILE, WEFT_KIND_DIR, WEFT_KIND_LINK,
                                                WEFT_KIND_FIFO, WEFT_KIND_SOCKET};
    make_one_of_each();
    for (int unknown = 0; unknown < 2; unknown++) {
        kinds_unknown = unknown;
        int status = listed(scratch_dir(), 0, false);
        kinds_unknown = false;
        assert_int_equal(status, 0);
        assert_int_equal(list.count, 5);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(list.entries[i].kind, kinds[i]);
        weft_dir_free(&list);
    }
    assert_int_equal(listed("/dev", 0, false), 0);
    bool found = false;
    for (size_t i = 0; i < list.count; i++)
        found |=
            strcmp(list.entries[i].name, "null") == 0 && list.entries[i].kind == WEFT_KIND_CHAR;
    assert_true(found);
    weft_dir_free(&list);
}

TEST(a_directory_that_fails_in_the_middle_is_no_shorter_directory)
{
    make_one_of_each();
    for (int after = 0; after < 7; after++) {
        fail_after = after;
        int status = listed(scratch_dir(), 0, false);
        fail_after = -1;
        assert_int_equal(status, UV_EIO);
    }
}

TEST(a_cancelled_listing_stops_where_it_is)
{
    make_one_of_each();
    struct world w;
    world_up(&w);
    sem_init(&reached, 0, 0);
    sem_init(&go_on, 0, 0);
    wait_once = true;
    atomic_store(&reads, 0);
    list = (struct weft_dir_read){.max = 0};
    weft_dir_read(weft_root(&w.loop), &list, scratch_dir(), noted);
    sem_wait(&reached);
    weft_cancel(&list.op, UV_ETIMEDOUT);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    sem_post(&go_on);
    world_down(&w);
    assert_int_equal(atomic_load(&reads), 1);
    assert_null(list.entries);
    sem_destroy(&reached);
    sem_destroy(&go_on);
}

TEST(what_is_no_directory_says_so)
{
    char path[SCRATCH_PATH];
    assert_int_equal(listed(scratch_file(path, "file", ""), 0, false), UV_ENOTDIR);
    assert_int_equal(listed(scratch_path(path, "missing"), 0, false), UV_ENOENT);
    assert_int_equal(mkfifo(scratch_path(path, "pipe"), 0600), 0);
    assert_int_equal(listed(path, 0, false), UV_ENOTDIR);
    assert_int_equal(listed(NULL, 0, false), UV_EINVAL);
    assert_int_equal(listed("", 0, false), UV_EINVAL);
}

TEST(a_directory_that_may_not_be_read_says_so)
{
    char path[SCRATCH_PATH];
    assert_int_equal(mkdir(scratch_path(path, "secret"), 0), 0);
    nobody_begin(scratch_dir());
    int status = listed(path, 0, false);
    nobody_end();
    assert_int_equal(status, UV_EACCES);
}

TEST(deep_and_linked_directories_are_listed)
{
    char path[SCRATCH_PATH], link[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(mkdir(scratch_path(path, "folder"), 0700), 0);
    scratch_file(path, "folder/inside", "");
    assert_int_equal(symlink("folder", scratch_path(link, "link")), 0);
    assert_int_equal(listed(link, 0, false), 0);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.entries[0].name, "inside");
    weft_dir_free(&list);
}
