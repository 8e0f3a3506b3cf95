/* Saving in one step: what others see of it, and what is left when it fails.
 * ctest: labels=threads,valgrind-long */
#include "loop.h"
#include "nobody.h"
#include "scratch.h"
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>
#include <weft/file.h>

static int saved_as(const char *path, const void *data, size_t size, bool durable)
{
    struct world w;
    struct weft_file_save save = {.durable = durable};
    world_up(&w);
    weft_file_save(weft_root(&w.loop), &save, path, data, size, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static int saved(const char *path, const char *text)
{
    return saved_as(path, text, strlen(text), false);
}

static struct stat look_at(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st;
}

TEST(save_makes_a_file_and_replaces_one_that_is_there)
{
    char path[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(saved(scratch_path(path, "saved"), "first"), 0);
    scratch_equals(path, "first");
    ino_t before = look_at(path).st_ino;
    int old = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(saved(path, "second, longer"), 0);
    scratch_equals(path, "second, longer");
    assert_true(look_at(path).st_ino != before);
    assert_int_equal(saved_as(path, NULL, 0, true), 0);
    scratch_equals(path, "");
    assert_int_equal(scratch_count(scratch_dir()), 1);
    /* Whoever had it open still has the old one. */
    char data[16] = "";
    assert_int_equal(read(old, data, sizeof data), 5);
    assert_string_equal(data, "first");
    close(old);
}

TEST(a_durable_save_is_the_same_to_look_at)
{
    char path[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(saved_as(scratch_path(path, "durable"), "safe", 4, true), 0);
    scratch_equals(path, "safe");
    assert_int_equal(scratch_count(scratch_dir()), 1);
}

TEST(a_name_without_a_folder_is_saved_in_the_working_directory)
{
    char path[SCRATCH_PATH], before[PATH_MAX];
    scratch_empty();
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch_dir()), 0);
    int plain = saved_as("plain", "plain", 5, false), durable = saved_as("durable", "d", 1, true);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(plain, 0);
    assert_int_equal(durable, 0);
    scratch_equals(scratch_path(path, "plain"), "plain");
    scratch_equals(scratch_path(path, "durable"), "d");
    assert_int_equal(scratch_count(scratch_dir()), 2);
}

TEST(a_new_file_gets_the_mode_that_the_umask_leaves)
{
    char path[SCRATCH_PATH];
    mode_t before = umask(027);
    int status = saved(scratch_new_path(path, "mode"), "");
    umask(before);
    assert_int_equal(status, 0);
    assert_int_equal(look_at(path).st_mode & 07777, 0640);
}

/* Without root's rights a write takes the set-id bits away: they have to come after it. */
static void passes_its_mode_on(bool as_nobody)
{
    static const mode_t modes[] = {0600, 0644, 0755, 0400, 0, 04755, 02750, 01777};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char path[SCRATCH_PATH];
        scratch_file(path, "mode", "old");
        if (as_nobody && geteuid() == 0)
            assert_int_equal(chown(path, NOBODY, NOBODY), 0);
        assert_int_equal(chmod(path, modes[i]), 0);
        if (as_nobody)
            nobody_begin(scratch_dir());
        int status = saved(path, "new");
        if (as_nobody)
            nobody_end();
        assert_int_equal(status, 0);
        assert_int_equal(look_at(path).st_mode & 07777, modes[i]);
        unlink(path);
    }
}

TEST(a_replaced_file_passes_its_mode_on)
{
    passes_its_mode_on(false);
    passes_its_mode_on(true);
}

TEST(as_root_a_replaced_file_passes_its_owner_on)
{
    if (geteuid() != 0) {
        print_message("only root can give files away\n");
        skip();
    }
    char path[SCRATCH_PATH];
    scratch_file(path, "owned", "old");
    assert_int_equal(chown(path, 1234, 4321), 0);
    assert_int_equal(chmod(path, 06751), 0);
    assert_int_equal(saved(path, "new"), 0);
    struct stat st = look_at(path);
    assert_int_equal(st.st_uid, 1234);
    assert_int_equal(st.st_gid, 4321);
    assert_int_equal(st.st_mode & 07777, 06751);
}

/* Where the owner cannot be kept nobody gains: no set-id bits, and another group gets no more than
 * everybody has. */
TEST(who_cannot_keep_the_owner_gives_nobody_more_rights)
{
    if (geteuid() != 0) {
        print_message("only root can prepare this\n");
        skip();
    }
    static const struct {
        gid_t group;
        mode_t before, after;
    } cases[] = {{4321, 06664, 0644}, {4321, 0660, 0600},    {4321, 0777, 0777},
                 {4321, 0642, 0602},  {NOBODY, 06775, 0775}, {NOBODY, 0660, 0660}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[SCRATCH_PATH];
        scratch_file(path, "foreign", "old");
        assert_int_equal(chown(path, 1234, cases[i].group), 0);
        assert_int_equal(chmod(path, cases[i].before), 0);
        nobody_begin(scratch_dir());
        int status = saved(path, "new");
        nobody_end();
        assert_int_equal(status, 0);
        struct stat st = look_at(path);
        assert_int_equal(st.st_uid, NOBODY);
        assert_int_equal(st.st_mode & 07777, cases[i].after);
        unlink(path);
    }
}

#ifdef __linux__
/* ---- access lists ----------------------------------------------------------------------------- */

enum { USER_OBJ = 1, USER = 2, GROUP_OBJ = 4, MASK = 16, OTHER = 32 };

/* Of one named user, as the kernel keeps it: version 2, then tag, rights and whose. */
static size_t acl_of(unsigned char list[64], unsigned group, unsigned user, unsigned mask)
{
    const struct {
        unsigned tag, rights, id;
    } entries[] = {{USER_OBJ, 6, -1u},
                   {USER, user, NOBODY},
                   {GROUP_OBJ, group, -1u},
                   {MASK, mask, -1u},
                   {OTHER, 0, -1u}};
    size_t size = 0;
    memset(list, 0, 64);
    list[0] = 2;
    size = 4;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++, size += 8) {
        list[size] = (unsigned char)entries[i].tag;
        list[size + 2] = (unsigned char)entries[i].rights;
        memcpy(list + size + 4, &(uint32_t){entries[i].id}, 4);
    }
    return size;
}

static void set_acl(const char *path, const char *name, unsigned group, unsigned user,
                    unsigned mask)
{
    unsigned char list[64];
    size_t size = acl_of(list, group, user, mask);
    if (setxattr(path, name, list, size, 0) != 0) {
        print_message("no access lists here\n");
        skip();
    }
}

TEST(a_replaced_file_passes_its_access_list_on)
{
    char path[SCRATCH_PATH];
    unsigned char before[64], after[64];
    scratch_file(path, "listed", "old");
    set_acl(path, "system.posix_acl_access", 0, 6, 6);
    ssize_t size = getxattr(path, "system.posix_acl_access", before, sizeof before);
    assert_int_equal(look_at(path).st_mode & 07777,
                     0660); /* which is the mask: the group has nothing */
    assert_int_equal(saved(path, "new"), 0);
    assert_int_equal(getxattr(path, "system.posix_acl_access", after, sizeof after), size);
    assert_memory_equal(before, after, (size_t)size);
    assert_int_equal(look_at(path).st_mode & 07777, 0660);
}

/* What a folder gives to whatever is made in it would be opened by the mode of the old file. */
TEST(a_replaced_file_without_a_list_does_not_get_that_of_its_folder)
{
    char path[SCRATCH_PATH], folder[SCRATCH_PATH];
    unsigned char list[64];
    scratch_empty();
    assert_int_equal(mkdir(scratch_path(folder, "folder"), 0755), 0);
    scratch_file(path, "folder/plain", "old");
    assert_int_equal(chmod(path, 0640), 0);
    set_acl(folder, "system.posix_acl_default", 7, 7, 7);
    assert_int_equal(saved(path, "new"), 0);
    assert_int_equal(getxattr(path, "system.posix_acl_access", list, sizeof list), -1);
    assert_int_equal(look_at(path).st_mode & 07777, 0640);
}
#endif

TEST(a_link_stays_a_link_and_what_it_leads_to_is_replaced)
{
    char target[SCRATCH_PATH], link[SCRATCH_PATH], folder[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(mkdir(scratch_path(folder, "folder"), 0700), 0);
    scratch_file(target, "folder/target", "old");
    assert_int_equal(symlink("folder/target", scratch_path(link, "link")), 0);
    assert_int_equal(saved(link, "new"), 0);
    assert_true(S_ISLNK(look_at(link).st_mode));
    scratch_equals(target, "new");
    assert_int_equal(scratch_count(folder), 1);
    assert_int_equal(scratch_count(scratch_dir()), 2);

    assert_int_equal(unlink(target), 0);
    assert_int_equal(saved(link, "lost"), UV_ENOENT);
    assert_true(S_ISLNK(look_at(link).st_mode));
    assert_int_equal(scratch_count(folder), 0);
}

static char *link_to_open(char path[SCRATCH_PATH], int fd)
{
    snprintf(path, SCRATCH_PATH, "/proc/self/fd/%d", fd);
    return path;
}

TEST(what_is_open_and_has_no_name_is_not_replaced)
{
    char path[SCRATCH_PATH];
    int ends[2];
    scratch_empty();
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(saved(link_to_open(path, ends[1]), "x"), UV_EINVAL);
    close(ends[0]);
    close(ends[1]);
    int fd = open(scratch_path(path, "gone"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(saved(link_to_open(path, fd), "x"), UV_EINVAL);
    close(fd);
    assert_int_equal(scratch_count(scratch_dir()), 0);
}

TEST(only_files_are_replaced)
{
    char path[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(saved(scratch_dir(), "x"), UV_EISDIR);
    if (scratch_device(path, "device")) {
        assert_int_equal(saved(path, "x"), UV_EINVAL);
        assert_true(S_ISCHR(look_at(path).st_mode));
        unlink(path);
    }
    assert_int_equal(mkfifo(scratch_path(path, "pipe"), 0600), 0);
    assert_int_equal(saved(path, "x"), UV_EINVAL);
    assert_true(S_ISFIFO(look_at(path).st_mode));
    assert_int_equal(scratch_count(scratch_dir()), 1);
}

TEST(bad_input_is_refused)
{
    char path[SCRATCH_PATH], long_path[PATH_MAX + 2];
    scratch_file(path, "kept", "kept");
    assert_int_equal(saved_as(path, NULL, 1, false), UV_EINVAL);
    scratch_equals(path, "kept");
    assert_int_equal(saved(NULL, "x"), UV_EINVAL);
    assert_int_equal(saved("", "x"), UV_EINVAL);
    assert_int_equal(saved(scratch_path(path, "no/folder"), "x"), UV_ENOENT);
    assert_int_equal(saved_as(path, "x", 1, true), UV_ENOENT);
    assert_int_equal(saved("/dev/null/below", "x"), UV_ENOTDIR);
    memset(long_path, '/', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    assert_int_equal(saved(long_path, "x"), UV_ENAMETOOLONG);
    assert_int_equal(saved_as(long_path, "x", 1, true), UV_ENAMETOOLONG);
    long_path[PATH_MAX - 1] = '\0'; /* fits, but the temporary name beside it does not */
    long_path[PATH_MAX - 2] = 'x';
    assert_int_equal(saved(long_path, "x"), UV_ENAMETOOLONG);
}

TEST(a_folder_that_may_not_be_written_keeps_its_file)
{
    char path[SCRATCH_PATH], folder[SCRATCH_PATH];
    scratch_empty();
    assert_int_equal(mkdir(scratch_path(folder, "closed"), 0755), 0);
    scratch_file(path, "closed/file", "kept");
    assert_int_equal(chmod(folder, 0555), 0);
    nobody_begin(scratch_dir());
    int status = saved(path, "new");
    nobody_end();
    chmod(folder, 0755);
    assert_int_equal(status, UV_EACCES);
    scratch_equals(path, "kept");
    assert_int_equal(scratch_count(folder), 1);
}

/* The disk is full in the middle: here a limit on the size of files says so. */
TEST(a_save_that_fails_midway_leaves_the_old_file_and_nothing_else)
{
    enum { LIMIT = 1 << 20 };
    char path[SCRATCH_PATH];
    scratch_empty();
    scratch_file(path, "precious", "precious");
    char *large = calloc(1, 3 * LIMIT);
    assert_non_null(large);
    struct rlimit before, small;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = LIMIT;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = saved_as(path, large, 3 * LIMIT, true);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    free(large);
    assert_int_equal(status, UV_EFBIG);
    scratch_equals(path, "precious");
    assert_int_equal(scratch_count(scratch_dir()), 1);
}

/* ---- seen by others ------------------------------------------------------------------------- */

enum { VERSION_SIZE = 20000 };
static char shared[SCRATCH_PATH];
static atomic_bool stop;
static atomic_int looked;

/* Every version is one letter, many times. */
static void *look_again_and_again(void *torn)
{
    static _Thread_local char data[VERSION_SIZE + 1];
    while (!atomic_load(&stop)) {
        int fd = open(shared, O_RDONLY | O_CLOEXEC);
        ssize_t size = fd >= 0 ? read(fd, data, sizeof data) : -1;
        if (fd >= 0)
            close(fd);
        bool whole = size == VERSION_SIZE;
        for (ssize_t i = 1; whole && i < size; i++)
            whole = data[i] == data[0];
        if (!whole)
            atomic_store((atomic_bool *)torn, true);
        atomic_fetch_add(&looked, 1);
    }
    return NULL;
}

TEST(readers_see_the_old_file_or_the_new_one_and_never_a_part)
{
    enum { WRITERS = 8, ROUNDS = 25 };
    static char versions[WRITERS][VERSION_SIZE];
    static struct weft_file_save saves[WRITERS];
    scratch_empty();
    scratch_path(shared, "shared");
    for (int i = 0; i < WRITERS; i++)
        memset(versions[i], 'a' + i, VERSION_SIZE);
    assert_int_equal(saved_as(shared, versions[0], VERSION_SIZE, false), 0);
    atomic_bool torn = false;
    pthread_t reader;
    atomic_store(&stop, false);
    atomic_store(&looked, 0);
    assert_int_equal(pthread_create(&reader, NULL, look_again_and_again, &torn), 0);
    struct world w;
    world_up(&w);
    for (int round = 0; round < ROUNDS || atomic_load(&looked) < 20; round++) {
        for (int i = 0; i < WRITERS; i++) /* all at once, of the same path */
            weft_file_save(weft_root(&w.loop), &saves[i], shared, versions[i], VERSION_SIZE, noted);
        if (round % 5 == 4)
            weft_cancel(&saves[round % WRITERS].op, UV_ECANCELED);
        world_run(&w);
    }
    world_down(&w);
    atomic_store(&stop, true);
    pthread_join(reader, NULL);
    assert_false(atomic_load(&torn));
    assert_int_equal(seen.calls % WRITERS, 0);
    assert_int_equal(scratch_count(scratch_dir()), 1);
}

/* ---- cancelled ------------------------------------------------------------------------------ */

/* Whatever the moment of the cancel: the status and the file agree, and nothing else is left. (The
 * moments that matter are each met for certain in file_faults.c.) */
TEST(a_cancelled_save_tells_the_truth_at_every_moment)
{
    char path[SCRATCH_PATH];
    enum { SIZE = 8 << 20 };
    char *large = malloc(SIZE);
    assert_non_null(large);
    memset(large, 'n', SIZE);
    bool in_time = true;
    for (unsigned turns = 1; in_time; turns += turns / 2 + 1) {
        scratch_empty();
        scratch_file(path, "moment", "old");
        struct world w;
        struct weft_file_save save = {.durable = false};
        world_up(&w);
        weft_file_save(weft_root(&w.loop), &save, path, large, SIZE, noted);
        for (unsigned i = 0; i < turns && seen.calls == 0; i++)
            uv_run(&w.uv, UV_RUN_NOWAIT);
        in_time = seen.calls == 0;
        weft_cancel(&save.op, UV_EINTR);
        world_down(&w);
        assert_int_equal(scratch_count(scratch_dir()), 1);
        if (seen.status == 0) {
            assert_int_equal(look_at(path).st_size, SIZE);
        } else {
            assert_int_equal(seen.status, UV_EINTR);
            scratch_equals(path, "old");
        }
    }
    free(large);
}
