/* Searching in files that change, and that cannot be read as one would like.
 *
 * The reads of the pool's threads go through here, so that something can happen before them, that they
 * bring less than was asked for, or fail.
 * ctest: labels=threads,valgrind timeout=120 */
#include "files/find/find.h"
#include "find_kit.h"
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

/* ---- the calls ------------------------------------------------------------------------------ */

static struct {
    size_t most;               /* a read brings at most so many bytes; 0: all of them */
    unsigned fail_at;          /* the n-th read fails with EIO; 0: none does */
    unsigned act_at;           /* before the n-th read ... */
    void (*act)(void);         /* ... this happens */
    void (*act_opening)(void); /* and this before a file is opened */
} plan;
static atomic_uint reads;
static pthread_t main_thread;
static char victim[SCRATCH_PATH];

__attribute__((constructor)) static void remember_the_main_thread(void)
{
    main_thread = pthread_self();
}

#define REAL(name, type, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (real == NULL)                                                                              \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

/* libuv has descriptors of its own to read from, but not on these threads. */
ssize_t read(int fd, void *data, size_t size)
{
    REAL(read, ssize_t, int, void *, size_t);
    if (pthread_equal(pthread_self(), main_thread))
        return real(fd, data, size);
    unsigned number = atomic_fetch_add(&reads, 1) + 1;
    if (number == plan.fail_at) {
        errno = EIO;
        return -1;
    }
    if (number == plan.act_at)
        plan.act();
    return real(fd, data, plan.most != 0 && size > plan.most ? plan.most : size);
}

int openat(int at, const char *path, int flags, ...)
{
    REAL(openat, int, int, const char *, int, ...);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    const char *name = strrchr(path, '/');
    if (plan.act_opening != NULL && strcmp(name != NULL ? name + 1 : path, "victim") == 0) {
        void (*act)(void) = plan.act_opening;
        plan.act_opening = NULL;
        act();
    }
    return real(at, path, flags, mode);
}

/* Before there are threads: each call looks for the real one once. */
__attribute__((constructor)) static void find_the_real_ones(void)
{
    char nothing[1];
    if (read(-1, nothing, 0) != -1 || openat(-1, "-", O_RDONLY) != -1)
        abort();
}

static void reset(void)
{
    memset(&plan, 0, sizeof plan);
    atomic_store(&reads, 0);
    scratch_empty();
    search_reset();
    make_folder("tree");
    scratch_path(victim, "tree/victim");
    search.find.tree.limit = 1; /* nothing is put aside: a file is opened from its folder */
}

static int find(enum weft_find_what what, const char *one)
{
    struct weft_text keyword = weft_text_of(one);
    search.find.what = what;
    return search_for("tree", &keyword, 1);
}

static void make_large(size_t size)
{
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = i % 50 == 49 ? '\n' : '.';
    make_bytes("tree/victim", text, size);
    free(text);
}

/* ---- reads ---------------------------------------------------------------------------------- */

/* As files in /proc are read, or over a network. */
TEST(reads_that_bring_little_change_nothing)
{
    for (size_t most = 1; most < 40; most = most * 2 + 1) {
        reset();
        make_file("tree/victim", "one\ntwo keywords\nthree\nfour keywords in a line\nfive");
        plan.most = most;
        assert_int_equal(find(WEFT_FIND_LINES, "keywords"), 0);
        matches_exactly("victim:2:4:4 two keywords\nvictim:4:23:5 four keywords in a line\n");
    }
}

TEST(a_nul_is_seen_before_a_keyword_that_a_read_brings_before_it)
{
    for (int what = WEFT_FIND_FILES; what <= WEFT_FIND_COUNTS; what++) {
        reset();
        make_bytes("tree/victim", "keyword\nkeyword\n\0", 17);
        plan.most = 4;
        assert_int_equal(find((enum weft_find_what)what, "keyword"), 0);
        matches_exactly("");
        assert_int_equal(search.find.binary, 1);
    }
}

TEST(a_read_that_fails_is_told_and_the_rest_goes_on)
{
    reset();
    make_large(3 * SEARCH_PIECE);
    make_file("tree/other", "keyword");
    plan.fail_at = 2;
    assert_int_equal(find(WEFT_FIND_FILES, "keyword"), 0);
    assert_int_equal(search.errors, 1);
    assert_int_equal(search.error, UV_EIO);
    assert_true(search.count <= 1);
}

/* ---- what happens meanwhile ----------------------------------------------------------------- */

static void truncate_it(void)
{
    assert_int_equal(truncate(victim, 10), 0);
}

static void remove_it(void)
{
    assert_int_equal(unlink(victim), 0);
}

static void append_to_it(void)
{
    FILE *file = fopen(victim, "a");
    fputs("\nkeyword\n", file);
    fclose(file);
}

TEST(a_file_may_be_cut_off_grow_or_vanish_while_it_is_read)
{
    void (*const acts[])(void) = {truncate_it, remove_it, append_to_it};
    for (int i = 0; i < 3; i++) {
        for (int what = WEFT_FIND_FILES; what <= WEFT_FIND_COUNTS; what++) {
            for (unsigned when = 1; when <= 4; when++) {
                reset();
                make_large(2 * SEARCH_PIECE + 100);
                plan.act = acts[i];
                plan.act_at = when;
                assert_int_equal(find((enum weft_find_what)what, "keyword"), 0);
                assert_int_equal(search.errors, 0);
                assert_int_equal(search.count, 0); /* what is added meanwhile is not read */
            }
        }
    }
}

TEST(a_file_that_is_cut_off_before_it_is_read_again_for_its_lines_has_none)
{
    struct weft_text keywords[] = {weft_text_of("one"), weft_text_of("two")};
    for (int what = WEFT_FIND_LINES; what <= WEFT_FIND_COUNTS; what++) {
        reset();
        make_file("tree/victim", "..........\none\ntwo\n");
        search.find.all = true;
        search.find.what = (enum weft_find_what)what;
        plan.act = truncate_it;
        plan.act_at = 2;
        assert_int_equal(search_for("tree", keywords, 2), 0);
        assert_int_equal(search.count, 0);
        assert_int_equal(search.errors, 0);
    }
}

static int writer = -1;

static void become_a_pipe(void)
{
    remove_it();
    assert_int_equal(mkfifo(victim, 0600), 0);
    writer = open(victim, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(write(writer, "keyword\n", 8), 8);
}

static void become_a_link(void)
{
    remove_it();
    assert_int_equal(symlink("../other", victim), 0);
}

static void become_a_folder(void)
{
    remove_it();
    assert_int_equal(mkdir(victim, 0755), 0);
}

static void become_a_socket(void)
{
    remove_it();
    make_socket("tree/victim");
}

TEST(what_takes_the_place_of_a_file_is_not_looked_into)
{
    void (*const acts[])(void) = {remove_it, become_a_pipe, become_a_link, become_a_folder,
                                  become_a_socket};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        reset();
        make_file("other", "keyword\n");
        make_file("tree/victim", "keyword\n");
        plan.act_opening = acts[i];
        struct weft_text keyword = weft_text_of("keyword");
        struct world w;
        char path[SCRATCH_PATH];
        world_up(&w);
        search_start(weft_root(&w.loop), scratch_path(path, "tree"), &keyword, 1, noted);
        world_down(&w);
        if (writer >= 0) {
            char left[16];
            assert_int_equal(read(writer, left, sizeof left), 8); /* it is still there */
            close(writer);
            writer = -1;
        }
        assert_null(plan.act_opening);
        assert_int_equal(seen.status, 0);
        assert_int_equal(search.errors, 0);
        assert_int_equal(search.count, 0);
    }
}

/* ---- leases --------------------------------------------------------------------------------- */

/* Until the pipe ends; whether it lets go of the file when it is asked to. */
static void serve(int leased, int pipe_end, int asked, bool lets_go)
{
    struct pollfd waits[] = {{.fd = pipe_end, .events = POLLIN}, {.fd = asked, .events = POLLIN}};
    while (poll(waits, 2, -1) < 0 || waits[0].revents == 0) {
        struct signalfd_siginfo signal;
        if (waits[1].revents == 0 || read(asked, &signal, sizeof signal) != sizeof signal ||
            !lets_go)
            continue;
        usleep(20000);
        fcntl(leased, F_SETLEASE, F_UNLCK);
    }
}

/* A server of files, in a process of its own. It ends with the pipe. Negative: there are no leases here.
 * The kernel asks by a signal, which it takes when it waits: ThreadSanitizer may put off a handler. */
static pid_t lease(const char *path, bool lets_go, int *pipe_end)
{
    int ends[2], ready[2];
    char word = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sigset_t asking;
        sigemptyset(&asking);
        sigaddset(&asking, SIGIO);
        sigprocmask(SIG_BLOCK, &asking, NULL);
        close(ends[1]);
        int asked = signalfd(-1, &asking, SFD_CLOEXEC), leased = open(path, O_RDWR | O_CLOEXEC);
        word = asked >= 0 && fcntl(leased, F_SETLEASE, F_WRLCK) == 0;
        if (write(ready[1], &word, 1) == 1)
            serve(leased, ends[0], asked, lets_go);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &word, 1), 1);
    close(ready[0]);
    close(ready[1]);
    close(ends[0]);
    *pipe_end = ends[1];
    return word != 0 ? child : -child;
}

static void search_leased(bool lets_go, unsigned errors, size_t found)
{
    char path[SCRATCH_PATH];
    struct weft_text key = weft_text_of("key");
    int pipe_end;
    reset();
    make_file("tree/leased", "key");
    pid_t child = lease(scratch_path(path, "tree/leased"), lets_go, &pipe_end);
    if (child > 0) {
        assert_int_equal(search_for("tree", &key, 1), 0);
        assert_int_equal(search.errors, errors);
        assert_int_equal(search.count, found);
    }
    close(pipe_end);
    assert_int_equal(waitpid(child > 0 ? child : -child, NULL, 0), child > 0 ? child : -child);
    if (child < 0) {
        print_message("there are no leases here\n");
        skip();
    }
}

TEST(who_holds_a_lease_on_a_file_may_let_go_of_it)
{
    search_leased(true, 0, 1);
}

TEST(a_lease_that_is_held_is_told)
{
    search_leased(false, 1, 0);
    assert_int_equal(search.error, UV_EAGAIN);
}

/* ---- few descriptors ------------------------------------------------------------------------ */

/* The branch holds all that there are: it is let go of for the sake of a file. */
TEST(files_are_opened_also_if_descriptors_are_short)
{
    enum { LEVELS = 40, TAKEN = 200 };
    struct rlimit before, few;
    struct weft_text key = weft_text_of("key");
    char path[SCRATCH_PATH];
    struct world w;
    int held[1024], holes = 0, used = 0;
    reset();
    make_deep("tree/deep", "level", LEVELS, false);
    int at = open(scratch_path(path, "tree/deep"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < LEVELS; i++) {
        int file = openat(at, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        assert_int_equal(write(file, "key", 3), 3);
        close(file);
        int next = openat(at, "level", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
    }
    close(at);
    world_up(&w);
    for (int fd = 0; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            used = fd + 1;
    }
    if (used < TAKEN)
        used = TAKEN; /* so many that a walk does not know how few are left */
    for (int fd; (fd = dup(STDERR_FILENO)) < used;)
        held[holes++] = fd;
    close(used);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)used + 6;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    search_start(weft_root(&w.loop), scratch_path(path, "tree"), &key, 1, noted);
    int stuck = world_run(&w);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    while (holes > 0)
        close(held[--holes]);
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(search.errors, 0);
    assert_int_equal(search.count, LEVELS);
}

/* ---- a cancel in the middle of a file -------------------------------------------------------- */

static sem_t reached, go_on;

static void wait_there(void)
{
    sem_post(&reached);
    sem_wait(&go_on);
}

TEST(a_cancel_in_the_middle_of_a_file_is_heard_and_its_descriptor_is_closed)
{
    enum { PIECES = 8 };
    static char text[PIECES * SEARCH_PIECE];
    struct weft_text key = weft_text_of("missing");
    char path[SCRATCH_PATH];
    struct world w;
    reset();
    memset(text, '.', sizeof text);
    make_bytes("tree/f", text, sizeof text);
    int before = descriptors();
    sem_init(&reached, 0, 0);
    sem_init(&go_on, 0, 0);
    plan.act_at = 3;
    plan.act = wait_there;
    search_reset();
    world_up(&w);
    search_start(weft_root(&w.loop), scratch_path(path, "tree"), &key, 1, noted);
    while (sem_trywait(&reached) != 0)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    weft_cancel(&search.find.op, UV_EINTR);
    sem_post(&go_on);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(search.find.bytes, 3 * SEARCH_PIECE);
    assert_int_equal(descriptors(), before);
}
