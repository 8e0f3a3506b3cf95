/* Listing trees that are odd, and trees that change while they are listed.
 *
 * The system calls of the pool's threads go through here: some file systems do not say of what kind an
 * entry is, some kernels have no openat2, and reading a folder can fail in the middle, but none of
 * that can be had at will.
 * ctest: labels=threads,valgrind-long timeout=120 */
#include "nobody.h"
#include "tree_kit.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* ---- the calls ------------------------------------------------------------------------------ */

static struct {
    bool unknown;           /* no entry says its kind */
    bool old_kernel;        /* without openat2 */
    const char *broken;     /* the folder with this name, whose reading fails ... */
    unsigned broken_after;  /* ... after so many pages, of one entry each */
    int broken_by;          /* the error */
    int last_opened_broken; /* its descriptor */
} plan;
static atomic_uint questions, old_opens, interruptions;
static bool interrupt;

#define REAL(name, type, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (real == NULL)                                                                              \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

/* Before there are threads: each call looks for the real one once. */
__attribute__((constructor)) static void find_the_real_ones(void)
{
    struct stat st;
    char nothing[1];
    int failed = fstatat(-1, "-", &st, 0) + fstat(-1, &st) + openat(-1, "-", O_RDONLY);
    failed += (int)syscall(SYS_openat2, -1L, "-", 0L, 0L, 0L, 0L) + (int)getdents64(-1, nothing, 0);
    if (failed != -5)
        abort();
}

static void reset(void)
{
    memset(&plan, 0, sizeof plan);
    plan.last_opened_broken = -1;
    interrupt = false;
    atomic_store(&questions, 0);
    atomic_store(&old_opens, 0);
    scratch_empty();
    tree_reset();
}

int fstatat(int at, const char *restrict path, struct stat *restrict st, int flags)
{
    REAL(fstatat, int, int, const char *, struct stat *, int);
    atomic_fetch_add(&questions, 1);
    return real(at, path, st, flags);
}

int fstat(int fd, struct stat *st)
{
    REAL(fstat, int, int, struct stat *);
    atomic_fetch_add(&questions, 1);
    return real(fd, st);
}

static void note_opened(const char *path, int fd)
{
    const char *name = strrchr(path, '/');
    if (plan.broken != NULL && strcmp(name != NULL ? name + 1 : path, plan.broken) == 0)
        plan.last_opened_broken = fd;
}

int openat(int at, const char *path, int flags, ...)
{
    REAL(openat, int, int, const char *, int, ...);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    int fd = real(at, path, flags, mode);
    note_opened(path, fd);
    return fd;
}

/* Six of them are passed on, however many there are. */
__attribute__((no_sanitize_address)) long syscall(long number, ...)
{
    REAL(syscall, long, long, ...);
    va_list arguments;
    long a[6];
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_openat2 && plan.old_kernel) {
        atomic_fetch_add(&old_opens, 1);
        errno = ENOSYS;
        return -1;
    }
    long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_openat2)
        note_opened((const char *)a[1], (int)result);
    return result;
}

static void forget_kinds(char *data, ssize_t size)
{
    for (ssize_t at = 0; at < size;) {
        struct dirent64 *entry = (void *)(data + at);
        entry->d_type = DT_UNKNOWN;
        at += entry->d_reclen;
    }
}

ssize_t getdents64(int fd, void *data, size_t size)
{
    REAL(getdents64, ssize_t, int, void *, size_t);
    if (interrupt && atomic_fetch_add(&interruptions, 1) % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    if (fd == plan.last_opened_broken) {
        if (plan.broken_after == 0) {
            plan.last_opened_broken = -1;
            errno = plan.broken_by;
            return -1;
        }
        plan.broken_after--;
        size = 64;
    }
    ssize_t got = real(fd, data, size);
    if (plan.unknown)
        forget_kinds(data, got);
    return got;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static void make_kinds(void)
{
    reset();
    make_folder("tree");
    make_folder("tree/folder");
    make_file("tree/folder/file", "");
    make_link("folder", "tree/link");
    make_link("missing", "tree/nowhere");
    make_pipe("tree/pipe");
    make_socket("tree/socket");
}

TEST(kinds_that_are_known_are_not_asked_for)
{
    make_kinds();
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d folder\nf folder/file\nl link\nl nowhere\np pipe\ns socket\n");
    unsigned asked = atomic_load(&questions);
    make_file("tree/folder/more", "");
    make_file("tree/folder/and more", "");
    atomic_store(&questions, 0);
    tree_reset();
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.count, 8);
    assert_int_equal(atomic_load(&questions), asked); /* those of the test itself */
}

TEST(kinds_that_are_unknown_are_asked_for)
{
    make_kinds();
    plan.unknown = true;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d folder\nf folder/file\nl link\nl nowhere\np pipe\ns socket\n");
    tree_reset();
    tree.list.tree.follow = true;
    assert_int_equal(list_tree("tree"), 0);
    found_exactly("d folder\nd link\nf folder/file\nf link/file\nl nowhere\np pipe\ns socket\n");
}

TEST(a_kind_that_may_not_be_asked_for_is_told_of_as_unknown)
{
    char path[SCRATCH_PATH], root[SCRATCH_PATH];
    struct world w;
    reset();
    make_folder("tree");
    make_folder("tree/half");
    make_file("tree/half/file", "");
    assert_int_equal(chmod(scratch_path(path, "tree/half"), 0744), 0);
    plan.unknown = true;
    scratch_path(root, "tree");
    nobody_begin(scratch_dir());
    world_up(&w);
    tree_start(weft_root(&w.loop), root, noted);
    int stuck = world_run(&w);
    nobody_end();
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(seen.status, 0);
    qsort(tree.lines, tree.count, sizeof *tree.lines, compare_lines);
    found_exactly("d half\nu half/file\n");
    assert_int_equal(tree.errors, 1);
    assert_int_equal(tree.error, UV_EACCES);
    assert_string_equal(tree.error_path, scratch_path(path, "tree/half/file"));
}

/* ---- reading that fails --------------------------------------------------------------------- */

TEST(a_folder_that_cannot_be_read_to_its_end_is_told_of_and_the_rest_goes_on)
{
    char path[SCRATCH_PATH];
    for (unsigned after = 0; after < 3; after++) {
        reset();
        make_folder("tree");
        make_folder("tree/broken");
        for (int i = 0; i < 6; i++) {
            snprintf(path, sizeof path, "tree/broken/%d", i);
            make_folder(path);
        }
        make_folder("tree/whole");
        make_file("tree/whole/file", "");
        plan.broken = "broken";
        plan.broken_after = after;
        plan.broken_by = EIO;
        tree.list.tree.limit = 1;
        assert_int_equal(list_tree("tree"), 0);
        assert_int_equal(tree.errors, 1);
        assert_int_equal(tree.error, UV_EIO);
        assert_string_equal(tree.error_path, scratch_path(path, "tree/broken"));
        assert_string_equal(tree.lines[tree.count - 1], "f whole/file");
        assert_true(tree.count >= 3 && tree.count < 9);
    }
}

TEST(the_folder_itself_that_cannot_be_read_to_its_end_is_told_of_too)
{
    char path[SCRATCH_PATH];
    make_kinds();
    plan.broken = "tree";
    plan.broken_by = EIO;
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.errors, 1);
    assert_int_equal(tree.error, UV_EIO);
    assert_string_equal(tree.error_path, scratch_path(path, "tree"));
}

TEST(the_root_of_everything_has_a_name_when_it_cannot_be_read)
{
    reset();
    plan.broken = "";
    plan.broken_by = EIO;
    tree.list.tree.depth = 1;
    assert_int_equal(list_path("/"), 0);
    assert_int_equal(tree.errors, 1);
    assert_string_equal(tree.error_path, "/");
}

TEST(a_folder_that_was_removed_while_it_is_read_is_no_error)
{
    make_kinds();
    plan.broken = "folder";
    plan.broken_by = ENOENT;
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.errors, 0);
}

TEST(interruptions_are_nobodys_business)
{
    make_kinds();
    interrupt = true;
    int status = list_tree("tree");
    interrupt = false;
    assert_int_equal(status, 0);
    assert_int_equal(tree.count, 6);
}

/* ---- what changes meanwhile ----------------------------------------------------------------- */

static char place[SCRATCH_PATH];

/* On a thread, between the moment in which an entry is seen and the one in which it is opened. */
static void (*meanwhile)(void);

static unsigned choose(const struct weft_tree *its, const struct weft_tree_entry *entry)
{
    (void)its;
    if (strcmp(entry->path + entry->name, "victim") == 0)
        meanwhile();
    return WEFT_TREE_TAKE | WEFT_TREE_ENTER;
}

static void make_victim(void (*doing)(void))
{
    reset();
    make_folder("tree");
    make_folder("tree/victim");
    make_folder("other");
    make_file("other/secret", "");
    scratch_path(place, "tree/victim");
    meanwhile = doing;
    tree.list.tree.choose = choose;
}

static void vanish(void)
{
    assert_int_equal(rmdir(place), 0);
}

TEST(a_folder_that_vanishes_before_it_is_entered_is_no_error)
{
    for (int old = 0; old < 2; old++) {
        make_victim(vanish);
        plan.old_kernel = old;
        assert_int_equal(list_tree("tree"), 0);
        assert_int_equal(tree.errors, 0);
        assert_int_equal(tree.list.stats.folders, 1);
    }
}

static void become_a_link(void)
{
    vanish();
    assert_int_equal(symlink("../other", place), 0);
}

TEST(a_link_that_takes_the_place_of_a_folder_is_not_followed)
{
    for (int old = 0; old < 2; old++) {
        make_victim(become_a_link);
        plan.old_kernel = old;
        assert_int_equal(list_tree("tree"), 0);
        assert_int_equal(tree.errors, 0);
        assert_int_equal(tree.count, 1);
        assert_int_equal(tree.list.stats.folders, 1);
    }
}

static void become_a_pipe(void)
{
    vanish();
    assert_int_equal(mkfifo(place, 0600), 0);
}

TEST(a_pipe_that_takes_the_place_of_a_folder_makes_nobody_wait)
{
    make_victim(become_a_pipe);
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.errors, 0);
}

/* One level further down, where the parent is open. */
static void become_a_link_below(void)
{
    assert_int_equal(rmdir(place), 0);
    assert_int_equal(symlink("../../other", place), 0);
}

TEST(nor_below_a_folder_that_is_open)
{
    make_victim(become_a_link_below);
    make_folder("tree/deeper");
    make_folder("tree/deeper/victim");
    char path[SCRATCH_PATH];
    assert_int_equal(rmdir(scratch_path(path, "tree/victim")), 0);
    scratch_path(place, "tree/deeper/victim");
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.errors, 0);
    assert_int_equal(tree.count, 2);
}

/* An unknown kind has to be asked for; what is gone by then was never there. */
TEST(a_tree_that_is_removed_while_it_is_listed_ends_without_an_error)
{
    for (int follow = 0; follow < 2; follow++) {
        make_victim(vanish);
        plan.unknown = true;
        tree.list.tree.follow = follow;
        assert_int_equal(list_tree("tree"), 0);
        assert_int_equal(tree.errors, 0);
    }
}

/* ---- an old kernel -------------------------------------------------------------------------- */

TEST(without_openat2_everything_is_found_all_the_same)
{
    make_kinds();
    make_deep("tree/deep", "level", 100, true);
    plan.old_kernel = true;
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.count, 6 + 201);
    assert_int_equal(tree.errors, 0);
    assert_true(atomic_load(&old_opens) > 0);
}

/* ---- deep ---------------------------------------------------------------------------------- */

TEST(the_folder_itself_may_have_a_path_that_is_too_long_for_the_kernel)
{
    enum { LEVELS = 700, ABOVE = 600 };
    static char path[SCRATCH_PATH + 12 * ABOVE];
    reset();
    make_deep("tree", "ten bytes.", LEVELS, true);
    int size = snprintf(path, sizeof path, "%s/tree", scratch_dir());
    for (int i = 0; i < ABOVE; i++)
        size += snprintf(path + size, sizeof path - (size_t)size, "/ten bytes.");
    assert_int_equal(list_path(path), 0);
    assert_int_equal(tree.errors, 0);
    assert_int_equal(tree.count, 2 * (LEVELS - ABOVE));
}

/* On each level folders wait while those below are read, more of them than are kept open. */
TEST(folders_that_wait_far_above_are_found_again)
{
    enum { LEVELS = 120 };
    char path[SCRATCH_PATH];
    reset();
    make_folder("tree");
    int at = open(scratch_path(path, "tree"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int level = 0; level < LEVELS; level++) {
        static const char *const names[] = {"a", "b", "c"};
        for (int i = 0; i < 3; i++) {
            char file[16];
            assert_int_equal(mkdirat(at, names[i], 0755), 0);
            snprintf(file, sizeof file, "%s/%d", names[i], level);
            int fd = openat(at, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
            assert_true(fd >= 0);
            close(fd);
        }
        int next = openat(at, names[level % 3], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
    }
    close(at);
    for (unsigned limit = 1; limit <= 8; limit *= 2) {
        tree_reset();
        tree.list.tree.limit = limit;
        assert_int_equal(list_tree("tree"), 0);
        assert_int_equal(tree.errors, 0);
        assert_int_equal(tree.count, LEVELS * 6);
        assert_int_equal(tree.list.stats.folders, LEVELS * 3 + 1);
    }
}

/* ---- few descriptors ------------------------------------------------------------------------ */

static int lowest_free(void)
{
    int fd = dup(STDERR_FILENO);
    assert_true(fd >= 0);
    close(fd);
    return fd;
}

enum { TAKEN = 200 };

/* Enough for the loop, and for so many more. */
static int list_with(rlim_t more)
{
    struct rlimit before, few;
    char path[SCRATCH_PATH];
    struct world w;
    int held[1024], holes = 0, used = 0;
    scratch_path(path, "tree");
    world_up(&w);
    for (int fd = 0; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            used = fd + 1;
    }
    if (used < TAKEN)
        used = TAKEN; /* so many that a walk does not know how few are left */
    while (lowest_free() < used)
        held[holes++] = dup(STDERR_FILENO);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)used + more;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    tree_start(weft_root(&w.loop), path, noted);
    int stuck = world_run(&w);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    while (holes > 0)
        close(held[--holes]);
    assert_int_equal(stuck, 0);
    world_close(&w);
    return seen.status;
}

TEST(a_tree_that_is_deeper_than_descriptors_reach_is_listed)
{
    for (rlim_t more = 2; more < 12; more += 3) {
        reset();
        make_deep("tree", "level", 60, true);
        tree.list.tree.limit = 1;
        assert_int_equal(list_with(more), 0);
        assert_int_equal(tree.errors, 0);
        assert_int_equal(tree.count, 120);
    }
}

TEST(without_a_descriptor_for_the_folder_itself_the_whole_fails)
{
    reset();
    make_deep("tree", "level", 3, true);
    tree.list.tree.limit = 1;
    assert_int_equal(list_with(0), UV_EMFILE);
    assert_int_equal(tree.count, 0);
}
