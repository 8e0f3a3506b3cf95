/* The access log as an op: what gets into the file, when, and what does not.
 * ctest: labels=threads,valgrind-long timeout=120 */
#include "ask.h"
#include "core/op.h"
#include "fault.h"
#include "http/server/server.h"
#include "provider.h"
#include "scratch.h"
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <weft/http_log.h>

/* ---- requests without a server -------------------------------------------------------------- */

/* Its stream is not connected: the peer is "-". One a thread, as connections are. */
static _Thread_local struct weft_http_connection nobody;
static _Thread_local struct weft_http_exchange inner;

static struct weft_http_request request_of(const char *target)
{
    inner.connection = &nobody;
    return (struct weft_http_request){
        .head = {.method_text = weft_text_of("GET"), .target = weft_text_of(target), .minor = 1},
        .answered = 200,
        .inner_ = &inner};
}

static void log_targets(struct weft_http_log *log, const char *format, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char target[3000];
        snprintf(target, sizeof target, format, i);
        struct weft_http_request request = request_of(target);
        weft_http_log_request(log, &request);
    }
}

static bool over(const struct weft_op *op)
{
    return op->state_ == OP_IDLE;
}

/* Until the thread is back. */
static void await_write(struct world *w, const struct weft_http_log *log)
{
    while (log->busy_)
        uv_run(&w->uv, UV_RUN_ONCE);
}

/* All of a file; free it. */
static char *content_of(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    char *text = malloc((size_t)st.st_size + 1);
    assert_non_null(text);
    assert_int_equal(read(fd, text, (size_t)st.st_size), st.st_size);
    text[st.st_size] = '\0';
    close(fd);
    return text;
}

static size_t lines_in(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static size_t lines_of(const char *path)
{
    char *text = content_of(path);
    size_t lines = lines_in(text);
    free(text);
    return lines;
}

/* ---- writing -------------------------------------------------------------------------------- */

TEST(a_log_that_is_closed_has_written_everything)
{
    struct world w;
    struct weft_http_log log = {0};
    char path[SCRATCH_PATH];
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, scratch_file(path, "log", "before\n"),
                       WEFT_HTTP_LOG_COMMON, noted);
    log_targets(&log, "/%u", 3); /* the file is not open yet */
    await_write(&w, &log);
    log_targets(&log, "/again/%u", 2);
    weft_http_log_close(&log);
    log_targets(&log, "/late", 1);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(log.lines, 5);
    assert_int_equal(log.dropped, 0);
    assert_int_equal(log.error, 0);
    char *text = content_of(path);
    assert_int_equal(strncmp(text, "before\n- - - [", 14), 0);
    assert_non_null(strstr(text, "\"GET /0 HTTP/1.1\" 200 0\n"));
    assert_non_null(strstr(text, "\"GET /again/1 HTTP/1.1\" 200 0\n"));
    assert_null(strstr(text, "late"));
    assert_int_equal(lines_in(text), 6);
    free(text);
    log_targets(&log, "/over", 1); /* it is over: no effect */
    weft_http_log_reopen(&log);
    weft_http_log_close(&log);
    assert_int_equal(log.lines, 5);
}

TEST(a_line_waits_for_a_moment_and_no_longer)
{
    struct world w;
    struct weft_http_log log = {.flush_ms = 1000};
    char path[SCRATCH_PATH];
    world_up_sim(&w, 0);
    weft_http_log_open(weft_root(&w.loop), &log, scratch_path(path, "moment"), WEFT_HTTP_LOG_JSON,
                       noted);
    weft_sim_advance(&w.sim, 1);
    log_targets(&log, "/%u", 1);
    weft_sim_advance(&w.sim, 600);
    log_targets(&log, "/%u", 1);
    assert_int_equal(lines_of(path), 0);
    weft_sim_advance(&w.sim, 399);
    assert_int_equal(lines_of(path), 0);
    weft_sim_advance(&w.sim, 1); /* both at once */
    while (log.busy_)
        weft_sim_step(&w.sim);
    assert_int_equal(lines_of(path), 2);
    weft_http_log_close(&log);
    world_down(&w);
    unlink(path);
}

TEST(a_buffer_that_is_half_full_is_written)
{
    struct world w;
    struct weft_http_log log = {.flush_ms = UINT64_MAX / 4};
    char path[SCRATCH_PATH];
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, scratch_path(path, "half"), WEFT_HTTP_LOG_COMMON,
                       noted);
    await_write(&w, &log);
    unsigned lines = 0;
    for (; !log.busy_; lines++)
        log_targets(&log, "/%u", 1);
    await_write(&w, &log);
    assert_int_equal(lines_of(path), lines);
    assert_in_range(lines, WEFT_HTTP_LOG_BUFFER / 2 / 100, WEFT_HTTP_LOG_BUFFER / 2 / 30);
    weft_http_log_close(&log);
    world_down(&w);
    unlink(path);
}

TEST(the_smallest_buffer_loses_nothing_if_the_disk_keeps_up)
{
    struct world w;
    struct weft_http_log log = {.buffer_size = 2 * WEFT_HTTP_LOG_LINE};
    char path[SCRATCH_PATH];
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, scratch_path(path, "small"), WEFT_HTTP_LOG_COMMON,
                       noted);
    for (int i = 0; i < 500; i++) {
        log_targets(&log, "/%u", 1);
        await_write(&w, &log);
    }
    weft_http_log_close(&log);
    world_down(&w);
    assert_int_equal(log.dropped, 0);
    assert_int_equal(lines_of(path), 500);
    unlink(path);
}

TEST(the_standard_output_is_a_dash)
{
    struct world w;
    struct weft_http_log log = {0};
    char path[SCRATCH_PATH];
    int file = open(scratch_path(path, "output"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    assert_true(dup2(file, STDOUT_FILENO) >= 0);
    close(file);
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, "-", WEFT_HTTP_LOG_COMBINED, noted);
    log_targets(&log, "/%u", 2);
    weft_http_log_reopen(&log); /* no effect */
    weft_http_log_close(&log);
    world_down(&w);
    bool still_open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_true(still_open);
    assert_int_equal(lines_of(path), 2);
    unlink(path);
}

TEST(a_log_may_be_opened_again_after_its_end)
{
    struct weft_http_log log = {0};
    char path[SCRATCH_PATH];
    scratch_path(path, "twice");
    for (int round = 0; round < 2; round++) {
        struct world w;
        world_up(&w);
        weft_http_log_open(weft_root(&w.loop), &log, path, WEFT_HTTP_LOG_COMMON, noted);
        log_targets(&log, "/%u", 1);
        weft_http_log_close(&log);
        weft_http_log_close(&log);
        world_down(&w);
        assert_int_equal(log.lines, 1);
    }
    assert_int_equal(lines_of(path), 2);
    unlink(path);
}

/* So many begins deep that the log's own waits for the ready queue. */
enum { DEEP = 32 };
static struct deep {
    struct weft_op op[DEEP];
    struct weft_http_log log;
    char path[SCRATCH_PATH];
} deep;

static void go_deeper(struct weft_op *op)
{
    if (op + 1 < deep.op + DEEP) {
        weft_run(op, op + 1, go_deeper, NULL);
    } else {
        weft_http_log_open(op, &deep.log, deep.path, WEFT_HTTP_LOG_COMMON, noted);
        assert_null(deep.log.block_);
        log_targets(&deep.log, "/%u", 1);
        weft_http_log_close(&deep.log);
    }
    weft_join(op);
}

TEST(a_log_may_be_closed_before_its_begin)
{
    struct world w;
    memset(&deep, 0, sizeof deep);
    scratch_path(deep.path, "deep");
    world_up(&w);
    weft_run(weft_root(&w.loop), &deep.op[0], go_deeper, NULL);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    unlink(deep.path);
}

/* ---- what cannot be ------------------------------------------------------------------------- */

static int status_of(struct weft_http_log log, const char *path, int fd, int format)
{
    struct world w;
    world_up(&w);
    weft_http_log_open_at(WEFT_HERE("log", WEFT_HTTP), weft_root(&w.loop), &log, path, fd,
                          (enum weft_http_log_format)format, noted);
    weft_http_log_close(&log);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

TEST(a_log_that_cannot_be_opened_says_why)
{
    char path[SCRATCH_PATH];
    struct weft_http_log log = {0}, small = {.buffer_size = 2 * WEFT_HTTP_LOG_LINE - 1},
                         huge = {.buffer_size = SIZE_MAX / 2};
    assert_int_equal(status_of(log, NULL, -1, WEFT_HTTP_LOG_COMMON), UV_EINVAL);
    assert_int_equal(status_of(log, NULL, 0, WEFT_HTTP_LOG_COMMON), UV_EINVAL);
    assert_int_equal(status_of(log, "", -1, WEFT_HTTP_LOG_COMMON), UV_EINVAL);
    scratch_path(path, "never");
    assert_int_equal(status_of(log, path, -1, 0), UV_EINVAL);
    assert_int_equal(status_of(log, path, -1, WEFT_HTTP_LOG_JSON + 1), UV_EINVAL);
    assert_int_equal(status_of(small, path, -1, WEFT_HTTP_LOG_COMMON), UV_EINVAL);
    assert_int_equal(status_of(huge, path, -1, WEFT_HTTP_LOG_COMMON), UV_ENOMEM);
    assert_false(scratch_exists(path));
    assert_int_equal(status_of(log, "/nonexistent/log", -1, WEFT_HTTP_LOG_COMMON), UV_ENOENT);
    assert_int_equal(status_of(log, scratch_dir(), -1, WEFT_HTTP_LOG_COMMON), UV_EISDIR);
    assert_int_equal(status_of(log, NULL, 9999, WEFT_HTTP_LOG_COMMON), UV_EBADF);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(status_of(log, path, -1, WEFT_HTTP_LOG_COMMON), UV_ENXIO);
    unlink(path);
}

TEST(a_cancel_is_told_before_an_error_of_opening)
{
    struct world w;
    struct weft_http_log log = {0};
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, "/nonexistent/log", WEFT_HTTP_LOG_COMMON, noted);
    weft_cancel(&log.op, UV_EINTR);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
}

/* ---- moving the file ------------------------------------------------------------------------ */

TEST(a_log_that_is_reopened_goes_on_in_the_new_file)
{
    struct world w;
    struct weft_http_log log = {0};
    char path[SCRATCH_PATH], moved[SCRATCH_PATH];
    scratch_path(path, "rotating");
    scratch_path(moved, "rotated");
    size_t descriptors = scratch_count("/proc/self/fd");
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, path, WEFT_HTTP_LOG_COMMON, noted);
    await_write(&w, &log);
    log_targets(&log, "/old/%u", 3);
    weft_http_log_reopen(&log); /* the same file again */
    await_write(&w, &log);
    assert_int_equal(lines_of(path), 3);
    assert_int_equal(rename(path, moved), 0);
    weft_http_log_reopen(&log);
    log_targets(&log, "/new/%u", 2);
    await_write(&w, &log);
    assert_true(scratch_exists(path));
    weft_http_log_close(&log);
    world_down(&w);
    assert_int_equal(scratch_count("/proc/self/fd"), descriptors);
    assert_int_equal(lines_of(moved), 3);
    assert_int_equal(lines_of(path), 2);
    unlink(path);
    unlink(moved);
}

TEST(a_log_that_cannot_be_reopened_keeps_its_file_and_tries_again)
{
    struct world w;
    struct weft_http_log log = {0};
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], moved[SCRATCH_PATH], kept[SCRATCH_PATH];
    assert_int_equal(mkdir(scratch_path(folder, "folder"), 0700), 0);
    scratch_path(path, "folder/log");
    scratch_path(moved, "moved");
    scratch_path(kept, "moved/log");
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, path, WEFT_HTTP_LOG_COMMON, noted);
    await_write(&w, &log);
    assert_int_equal(rename(folder, moved), 0);
    log_targets(&log, "/%u", 1);
    weft_http_log_reopen(&log);
    await_write(&w, &log);
    assert_int_equal(log.error, UV_ENOENT);
    assert_int_equal(log.dropped, 0);
    assert_int_equal(lines_of(kept), 1);
    assert_int_equal(mkdir(folder, 0700), 0);
    log_targets(&log, "/%u", 2);
    weft_http_log_close(&log);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(log.error, 0);
    assert_int_equal(lines_of(path), 2);
    scratch_empty();
}

/* ---- when it is too much -------------------------------------------------------------------- */

static void pipe_up(int fds[2])
{
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
}

/* Reads until there is nothing for the moment. */
static size_t read_some(int fd, char *text, size_t size)
{
    ssize_t got = read(fd, text, size);
    return got > 0 ? (size_t)got : 0;
}

TEST(a_reader_that_is_too_slow_loses_lines_and_is_told)
{
    enum { MANY = 4000, TEXT_SIZE = 1 << 20 };
    struct world w;
    struct weft_http_log log = {.buffer_size = 4 * WEFT_HTTP_LOG_LINE};
    int fds[2];
    char *text = calloc(1, TEXT_SIZE);
    size_t size = 0;
    pipe_up(fds);
    world_up(&w);
    weft_http_log_open_fd(weft_root(&w.loop), &log, fds[1], WEFT_HTTP_LOG_COMMON, noted);
    log_targets(&log, "/first/%u", MANY); /* nobody reads: the loop goes on all the same */
    for (int i = 0; i < 50; i++) {
        uv_run(&w.uv, UV_RUN_NOWAIT);
        log_targets(&log, "/second/%u", MANY / 50);
    }
    assert_true(log.dropped > 0);
    assert_int_equal(log.lines + log.dropped, 2 * MANY);
    weft_http_log_close(&log);
    while (!over(&log.op)) {
        uv_run(&w.uv, UV_RUN_NOWAIT);
        size += read_some(fds[0], text + size, TEXT_SIZE - 1 - size);
    }
    size += read_some(fds[0], text + size, TEXT_SIZE - 1 - size);
    uint64_t lost = 0, whole = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        unsigned long count;
        *end = '\0';
        assert_int_equal(strncmp(at, "- - - [", 7), 0);
        const char *quote = strchr(at, '"');
        assert_non_null(quote);
        if (sscanf(quote, "\"%lu lines lost\" 0 0", &count) == 1)
            lost += count;
        else
            whole += strstr(quote, " HTTP/1.1\" 200 0") != NULL;
    }
    assert_int_equal(whole, log.lines);
    assert_int_equal(lost, log.dropped);
    close(fds[0]);
    close(fds[1]);
    free(text);
    world_down(&w);
}

#ifdef O_DIRECT
TEST(a_pipe_gets_whole_lines_in_pieces_that_it_takes_at_once)
{
    struct world w;
    struct weft_http_log log = {0};
    char packet[64 * 1024];
    int fds[2];
    ssize_t size;
    size_t lines = 0;
    if (pipe2(fds, O_CLOEXEC | O_DIRECT) != 0)
        skip(); /* no packets: a read cannot tell one write from the next */
    assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    world_up(&w);
    weft_http_log_open_fd(weft_root(&w.loop), &log, fds[1], WEFT_HTTP_LOG_COMMON, noted);
    log_targets(&log, "/%u", 300);
    weft_http_log_close(&log);
    world_down(&w);
    close(fds[1]);
    while ((size = read(fds[0], packet, sizeof packet - 1)) > 0) {
        packet[size] = '\0';
        assert_in_range(size, 1, PIPE_BUF);
        assert_int_equal(packet[size - 1], '\n');
        lines += lines_in(packet);
    }
    assert_int_equal(lines, 300);
    close(fds[0]);
}
#endif

/* A log whose pipe is full, with more lines to write. */
static void stalled_up(struct world *w, struct weft_http_log *log, int fds[2])
{
    static const char fill[4096] = {0};
    pipe_up(fds);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    while (write(fds[1], fill, sizeof fill) > 0)
        continue;
    world_up(w);
    weft_http_log_open_fd(weft_root(&w->loop), log, fds[1], WEFT_HTTP_LOG_COMMON, noted);
    await_write(w, log);
    log_targets(log, "/%u", 5);
}

TEST(a_cancel_does_not_wait_for_the_reader_of_a_pipe)
{
    struct world w;
    struct weft_http_log log = {0};
    int fds[2];
    stalled_up(&w, &log, fds);
    weft_cancel(&log.op, UV_EINTR);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(log.dropped, 5);
    close(fds[0]);
    close(fds[1]);
}

TEST(a_close_that_waits_for_a_reader_has_a_deadline)
{
    struct world w;
    struct weft_http_log log = {0};
    struct weft_deadline deadline = {0};
    int fds[2];
    stalled_up(&w, &log, fds);
    weft_http_log_close(&log);
    uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_false(over(&log.op));
    weft_deadline(&log.op, &deadline, 1);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(log.dropped, 5);
    close(fds[0]);
    close(fds[1]);
}

TEST(a_cancel_writes_what_is_there)
{
    struct world w;
    struct weft_http_log log = {0};
    char path[SCRATCH_PATH];
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, scratch_path(path, "cancelled"),
                       WEFT_HTTP_LOG_COMMON, noted);
    log_targets(&log, "/%u", 5);
    weft_cancel(weft_root(&w.loop), UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, UV_ECANCELED);
    assert_int_equal(lines_of(path), 5);
    unlink(path);
}

TEST(a_reader_that_has_left_ends_nobody)
{
    struct world w;
    struct weft_http_log log = {0};
    int fds[2];
    pipe_up(fds);
    world_up(&w);
    weft_http_log_open_fd(weft_root(&w.loop), &log, fds[1], WEFT_HTTP_LOG_COMMON, noted);
    await_write(&w, &log);
    close(fds[0]);
    log_targets(&log, "/%u", 5);
    weft_http_log_close(&log);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(log.error, UV_EPIPE);
    assert_int_equal(log.dropped, 5);
    close(fds[1]);
}

/* Lets the timer fire, and what it starts be done. */
static void flush(struct world *w, const struct weft_http_log *log)
{
    while (log->filled_ > 0 || log->busy_)
        uv_run(&w->uv, UV_RUN_ONCE);
}

static void fill_the_disk(bool reopened)
{
    struct world w;
    struct weft_http_log log = {.flush_ms = 1};
    struct rlimit before, little;
    char path[SCRATCH_PATH];
    world_up(&w);
    weft_http_log_open(weft_root(&w.loop), &log, scratch_path(path, "full"), WEFT_HTTP_LOG_COMMON,
                       noted);
    await_write(&w, &log);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    log_targets(&log, "/%u", 3);
    flush(&w, &log);
    int error = log.error;
    log_targets(&log, "/still/%u", 2);
    flush(&w, &log);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(error, UV_EFBIG);
    assert_int_equal(log.dropped, 4); /* one was whole, one torn, one and two not begun */
    if (reopened)
        weft_http_log_reopen(&log); /* the same file */
    log_targets(&log, "/after/%u", 1);
    weft_http_log_close(&log);
    world_down(&w);
    char *text = content_of(path);
    assert_int_equal(strncmp(strchr(text, '"'), "\"GET /0 HTTP/1.1\" 200 0\n- - - [", 31), 0);
    assert_int_equal(lines_in(text), 4);
    unsigned whole = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        char *quote = memchr(at, '"', (size_t)(end - at)), *again = end;
        while (*--again != '"')
            continue;
        whole +=
            strncmp(at, "- - - [", 7) == 0 && quote != again && strchr(quote + 1, '"') == again;
    }
    assert_int_equal(whole, 3); /* and the torn one */
    assert_non_null(strstr(text, "] \"GET /after/0 HTTP/1.1\" 200 0\n"));
    assert_non_null(strstr(text, "] \"4 lines lost\" 0 0\n"));
    free(text);
    unlink(path);
}

TEST(a_line_that_a_full_disk_has_torn_does_not_spoil_the_next)
{
    fill_the_disk(false);
}

TEST(a_torn_line_is_ended_in_a_file_that_was_reopened)
{
    fill_the_disk(true);
}

/* ---- several writers ------------------------------------------------------------------------ */

enum { WRITERS = 4, LINES_EACH = 3000 };
static char shared[SCRATCH_PATH];

static void *write_many(void *argument)
{
    uv_loop_t uv;
    struct weft_loop loop;
    struct weft_http_log log = {.buffer_size = 8 * WEFT_HTTP_LOG_LINE};
    char target[64];
    assert_int_equal(uv_loop_init(&uv), 0);
    assert_int_equal(weft_loop_init(&loop, &uv), 0);
    weft_http_log_open(weft_root(&loop), &log, shared, WEFT_HTTP_LOG_COMMON, NULL);
    for (int i = 0; i < LINES_EACH; i++) {
        snprintf(target, sizeof target, "/%d/%d/end", *(int *)argument, i);
        struct weft_http_request request = request_of(target);
        weft_http_log_request(&log, &request);
        while (log.busy_ && log.filled_ > 4 * WEFT_HTTP_LOG_LINE)
            uv_run(&uv, UV_RUN_ONCE);
    }
    weft_http_log_close(&log);
    assert_int_equal(weft_loop_run(&loop), 0);
    assert_int_equal(log.dropped, 0);
    assert_int_equal(weft_loop_close(&loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
    return NULL;
}

TEST(several_logs_in_one_file_never_mix_their_lines)
{
    pthread_t threads[WRITERS];
    int numbers[WRITERS], next[WRITERS] = {0};
    scratch_path(shared, "shared");
    for (int i = 0; i < WRITERS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &numbers[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    char *text = content_of(shared);
    assert_int_equal(lines_in(text), WRITERS * LINES_EACH);
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        int writer, number, length = 0;
        *end = '\0';
        char *quote = strchr(at, '"');
        assert_non_null(quote);
        assert_int_equal(
            sscanf(quote, "\"GET /%d/%d/end HTTP/1.1\" 200 0%n", &writer, &number, &length), 2);
        assert_int_equal(quote[length], '\0');
        assert_in_range(writer, 0, WRITERS - 1);
        assert_int_equal(number, next[writer]++);
    }
    free(text);
    unlink(shared);
}

/* ---- behind a server ------------------------------------------------------------------------ */

static struct weft_http_log access_log;

static void answer_hello(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    weft_http_answer(request, 200, "text/plain", "hello\n", 6);
}

static void wait_for_ever(struct weft_op *op)
{
    weft_on_cancel(op, weft_finish);
}

static void log_done(struct weft_http_request *request)
{
    weft_http_log_request(&access_log, request);
}

TEST(a_server_logs_its_requests)
{
    struct world w;
    struct weft_http_server server = {.handler = answer_hello, .done = log_done};
    char path[SCRATCH_PATH];
    world_up(&w);
    access_log = (struct weft_http_log){0};
    weft_http_log_open(weft_root(&w.loop), &access_log, scratch_path(path, "access"),
                       WEFT_HTTP_LOG_COMBINED, noted);
    serve_up(&w, &server);
    ask(&w, &server,
        "GET /one?two HTTP/1.1\r\nHost: x\r\nUser-Agent: a \"test\"\r\nReferer: http://r/\r\n\r\n"
        "HEAD /three HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    ask(&w, &server, "GET / HTTP/1.1\r\nHost : x\r\n\r\n");
    weft_http_drain(&server, 5000);
    weft_http_log_close(&access_log);
    world_down(&w);
    char *text = content_of(path);
    assert_int_equal(strncmp(text, "127.0.0.1 - - [", 15), 0);
    assert_non_null(strstr(
        text, "\"GET /one?two HTTP/1.1\" 200 6 \"http://r/\" \"a \\\"test\\\"\"\n127.0.0.1 - - ["));
    assert_non_null(strstr(text, "\"HEAD /three HTTP/1.1\" 200 "));
    assert_non_null(strstr(text, "\" 400 "));
    assert_int_equal(lines_in(text), 3);
    free(text);
    unlink(path);
}

TEST(a_client_that_leaves_has_a_line_too)
{
    struct world w;
    struct weft_http_server server = {.handler = wait_for_ever, .done = log_done};
    char path[SCRATCH_PATH];
    world_up(&w);
    access_log = (struct weft_http_log){0};
    weft_http_log_open(weft_root(&w.loop), &access_log, scratch_path(path, "left"),
                       WEFT_HTTP_LOG_JSON, noted);
    serve_up(&w, &server);
    int client = ask_begin(&server, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    while (server.running == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    close(client);
    while (access_log.lines == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_http_drain(&server, 5000);
    weft_http_log_close(&access_log);
    world_down(&w);
    char *text = content_of(path);
    assert_non_null(strstr(text, "\"target\":\"/wait\",\"status\":499,\"bytes\":0,"));
    free(text);
    unlink(path);
}

/* ---- conformance ---------------------------------------------------------------------------- */

struct run {
    struct weft_http_log log;
    char path[SCRATCH_PATH];
};

static void good_file(void *storage)
{
    struct run *run = storage;
    run->log.path = scratch_new_path(run->path, "conform");
    run->log.format = WEFT_HTTP_LOG_JSON;
}

static void bad_file(void *storage)
{
    struct run *run = storage;
    run->log.path = "/nonexistent/log";
    run->log.format = WEFT_HTTP_LOG_JSON;
}

static void close_log(void *storage)
{
    struct run *run = storage;
    log_targets(&run->log, "/%u", 3);
    weft_http_log_close(&run->log);
}

static void log_is_complete(void *storage)
{
    assert_int_equal(lines_of(((struct run *)storage)->path), 3);
}

static void empty_scratch(struct weft_loop *loop)
{
    (void)loop;
    scratch_empty();
}

TEST(the_log_conforms)
{
    static const struct weft_provider log_to_a_file = {
        .name = "http_log",
        WEFT_PROVIDER_OP(struct run, log.op),
        .begin = weft_http_log_begin,
        .down = empty_scratch,
        .good = good_file,
        .bad = bad_file,
        .bad_status = UV_ENOENT,
        .nothing_status = UV_EINVAL,
        .nudge = close_log,
        .verify = log_is_complete,
    };
    provider_check(&log_to_a_file);
}

static void log_a_little(unsigned long n)
{
    struct world w;
    struct weft_http_log log = {0};
    char path[SCRATCH_PATH];
    (void)n;
    if (!world_up_if_it_can(&w))
        return;
    weft_http_log_open(weft_root(&w.loop), &log, scratch_path(path, "ladder"), WEFT_HTTP_LOG_COMMON,
                       noted);
    log_targets(&log, "/%u", 2);
    weft_http_log_close(&log);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_true(seen.status == 0 || seen.status == UV_ENOMEM);
    assert_true(seen.status != 0 || lines_of(path) == 2);
    unlink(path);
}

TEST(logging_survives_running_out_of_memory)
{
    fault_ladder(log_a_little);
}
