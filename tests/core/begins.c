/* Hooks fire from the provider: each `_begin` of the public headers is begun here by its starter on
 * a loop with a hook, which sees it come and go with the right type and group. One without a row in
 * the table below fails, and so does one that no test puts through the conformance suite, where
 * hooks look at all the rest. Most are given nothing, and refuse: that is seen like all else.
 * ctest: labels=valgrind-long needs=hooks */
#include "hook_log.h"
#include "provider.h"
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>
#include <weft/crawl.h>
#include <weft/http.h>
#include <weft/jobs.h>
#include <weft/shared.h>

/* ---- one row each --------------------------------------------------------------------------- */

/* Begins something with the struct `it`, zeroed, whose end is of no interest. */
#define ROW(name, type, ...)                                                                       \
    static void begin_##name(struct weft_op *root)                                                 \
    {                                                                                              \
        static type it;                                                                            \
        memset(&it, 0, sizeof it);                                                                 \
        __VA_ARGS__;                                                                               \
    }

static const struct weft_slots no_slots;
static const struct weft_picks no_picks;

ROW(accept, struct weft_accept, weft_accept(root, &it, NULL, NULL, weft_ignore))
ROW(apply_each, struct weft_apply_each,
    weft_apply_each(root, &it, no_slots, NULL, NULL, weft_ignore, NULL))
ROW(auto, struct weft_auto, static const struct weft_auto_task tasks[1];
    weft_auto(root, &it, tasks, NULL, 0, weft_ignore))
ROW(await, struct weft_await, weft_await(root, &it, NULL, weft_ignore))
ROW(await_many, struct weft_await_many, weft_await_all(root, &it, NULL, 0, weft_ignore))
ROW(batch_ask, struct weft_batch_ask,
    weft_batch_ask(root, &it, NULL, weft_text(NULL, 0), weft_ignore))
ROW(cache_get, struct weft_cache_get,
    weft_cache_get(root, &it, NULL, weft_text(NULL, 0), weft_ignore))
ROW(connect, struct weft_connect, weft_connect(root, &it, NULL, NULL, NULL, weft_ignore))
ROW(crawl_commit, struct weft_crawl_commit, weft_crawl_commit(root, &it, NULL, weft_ignore))
ROW(dir_read, struct weft_dir_read, weft_dir_read(root, &it, NULL, weft_ignore))
ROW(each, struct weft_each, weft_each(root, &it, no_slots, 0, NULL, NULL, weft_ignore))
ROW(ensure_async, struct weft_ensure_async, weft_ensure_async(root, &it, NULL, NULL, weft_ignore))
ROW(file_append, struct weft_file_write, weft_file_append(root, &it, NULL, NULL, 0, weft_ignore))
ROW(file_concat, struct weft_file_concat, weft_file_concat(root, &it, NULL, 0, NULL, weft_ignore))
ROW(file_copy, struct weft_file_copy, weft_file_copy(root, &it, NULL, NULL, weft_ignore))
ROW(file_mkdir, struct weft_file_mkdir, weft_file_mkdir(root, &it, NULL, weft_ignore))
ROW(file_read, struct weft_file_read, weft_file_read(root, &it, NULL, weft_ignore))
ROW(file_remove, struct weft_file_remove, weft_file_remove(root, &it, NULL, weft_ignore))
ROW(file_rename, struct weft_file_rename, weft_file_rename(root, &it, NULL, NULL, weft_ignore))
ROW(file_save, struct weft_file_save, weft_file_save(root, &it, NULL, NULL, 0, weft_ignore))
ROW(file_scan, struct weft_file_scan, weft_file_scan(root, &it, NULL, NULL, weft_ignore))
ROW(file_stat, struct weft_file_stat, weft_file_stat(root, &it, NULL, weft_ignore))
ROW(file_write, struct weft_file_write, weft_file_write(root, &it, NULL, NULL, 0, weft_ignore))
ROW(find, struct weft_find, weft_find(root, &it, NULL, NULL, 0, weft_ignore))
ROW(http_client, struct weft_http_client, weft_http_client_open(root, &it, weft_ignore);
    weft_http_client_close(&it))
ROW(http_fetch, struct weft_http_fetch, weft_http_fetch(root, &it, NULL, NULL, weft_ignore))
ROW(http_file, struct weft_http_file,
    weft_http_file(root, &it, NULL, NULL, weft_text(NULL, 0), weft_ignore))
ROW(http_log, struct weft_http_log, weft_http_log_open(root, &it, NULL, 0, weft_ignore))
ROW(http_read, struct weft_http_read, weft_http_read(root, &it, NULL, NULL, 0, weft_ignore))
ROW(http_read_all, struct weft_http_read_all, weft_http_read_all(root, &it, NULL, weft_ignore))
ROW(http_serve, struct weft_http_server, weft_http_serve(root, &it, NULL, weft_ignore))
ROW(http_write, struct weft_http_write, weft_http_write(root, &it, NULL, NULL, 0, weft_ignore))
ROW(immediate, struct weft_op, weft_immediate(root, &it, weft_ignore))
ROW(interruptible, struct weft_interruptible,
    weft_interruptible(root, &it, NULL, NULL, weft_ignore))
ROW(item, struct weft_item, weft_cargo_push(NULL, root, &it, weft_ignore))
ROW(jobs, struct weft_jobs, weft_jobs(root, &it, weft_ignore))
ROW(jobs_emit, struct weft_jobs_emit,
    weft_jobs_emit(root, &it, NULL, weft_text(NULL, 0), weft_text(NULL, 0), weft_ignore))
ROW(jobs_run, struct weft_jobs_run, weft_jobs_run(root, &it, weft_ignore))
ROW(jobs_worker, struct weft_jobs_worker, weft_jobs_worker(root, &it, weft_ignore))
ROW(job, struct weft_job, weft_job(root, &it, NULL, weft_ignore))
ROW(lazy_init, struct weft_lazy_init, weft_lazy_init(root, &it, NULL, weft_ignore))
ROW(list, struct weft_list, weft_list(root, &it, NULL, weft_ignore))
ROW(listen, struct weft_listen, weft_listen(root, &it, NULL, weft_ignore))
ROW(lookup, struct weft_lookup, weft_lookup(root, &it, NULL, NULL, weft_ignore))
ROW(memoize, struct weft_memoize, weft_memoize(root, &it, NULL, NULL, weft_ignore))
ROW(parallel, struct weft_parallel, weft_parallel(root, &it, weft_ignore, NULL))
ROW(pick, struct weft_pick, weft_filter(root, &it, no_slots, 0, NULL, NULL, no_picks, weft_ignore))
ROW(process, struct weft_process, weft_process(root, &it, NULL, weft_ignore))
ROW(procs, struct weft_procs, weft_procs(root, &it, weft_ignore))
ROW(queue_idle, struct weft_queue_wait, weft_queue_idle(root, &it, NULL, weft_ignore))
ROW(queue_room, struct weft_queue_wait, weft_queue_room(root, &it, NULL, weft_ignore))
ROW(race, struct weft_race, weft_race(root, &it, NULL, weft_ignore))
ROW(read, struct weft_read, weft_read(root, &it, NULL, NULL, 0, weft_ignore))
ROW(read_all, struct weft_read_all, weft_read_all(root, &it, NULL, 0, weft_ignore))
ROW(redis, struct weft_redis, weft_redis(root, &it, weft_ignore))
ROW(redis_command, struct weft_redis_command,
    weft_redis_command(root, &it, NULL, NULL, 0, weft_ignore))
ROW(redis_subscription, struct weft_redis_subscription,
    weft_redis_subscribe(root, &it, NULL, 0, weft_ignore))
ROW(reflect, struct weft_reflect, weft_reflect(root, &it, NULL, NULL, weft_ignore))
ROW(repeat, struct weft_repeat, weft_whilst(root, &it, NULL, NULL, weft_ignore))
ROW(retry, struct weft_retry, weft_retry(root, &it, NULL, NULL, 0, 0, weft_ignore))
ROW(search, struct weft_search, weft_detect(root, &it, no_slots, 0, NULL, NULL, weft_ignore))
ROW(series, struct weft_series, weft_series(root, &it, weft_ignore, NULL))
ROW(settle, struct weft_settle,
    weft_settle(root, &it, no_slots, 0, NULL, NULL, NULL, 0, weft_ignore))
ROW(shared, struct weft_shared, weft_shared(root, &it, weft_ignore))
ROW(shared_forget, struct weft_shared_forget, weft_shared_forget_all(root, &it, NULL, weft_ignore))
ROW(shutdown, struct weft_stream_wait, weft_shutdown(root, &it, NULL, weft_ignore))
ROW(signal, struct weft_signal, weft_signal(root, &it, 0, weft_ignore))
ROW(sleep, struct weft_sleep, weft_sleep(root, &it, 0, weft_ignore))
ROW(steps, struct weft_steps, weft_steps(root, &it, NULL, weft_ignore))
ROW(stream, struct weft_stream, weft_stream_open(root, &it, weft_ignore); weft_stream_close(&it))
ROW(stream_gone, struct weft_stream_wait, weft_stream_gone(root, &it, NULL, weft_ignore))
ROW(stream_room, struct weft_stream_wait, weft_stream_room(root, &it, NULL, weft_ignore))
ROW(thread_job, struct weft_thread_job, weft_thread_job(root, &it, NULL, NULL, weft_ignore))
ROW(threads, struct weft_threads, weft_threads_open(root, &it, weft_ignore);
    weft_threads_close(&it))
ROW(threads_room, struct weft_threads_room, weft_threads_room(root, &it, NULL, weft_ignore))
ROW(tick, struct weft_op, weft_tick(root, &it, weft_ignore))
ROW(ticker, struct weft_ticker, weft_ticker(root, &it, 0, NULL, weft_ignore))
ROW(timeout, struct weft_timeout, weft_timeout(root, &it, NULL, NULL, 0, weft_ignore))
ROW(try_each, struct weft_try_each, weft_try_each(root, &it, weft_ignore, NULL))
ROW(waterfall, struct weft_waterfall, weft_waterfall(root, &it, NULL, weft_ignore, NULL))
ROW(work, struct weft_work, weft_work(root, &it, NULL, weft_ignore))
ROW(worker_acquire, struct weft_acquire, weft_worker_acquire(root, &it, NULL, weft_ignore))
ROW(write, struct weft_write, weft_write(root, &it, NULL, NULL, 0, weft_ignore))

/* The client begins this one itself, when a host's addresses are wanted. */
static struct weft_http_client asking;

static void asked(struct weft_op *root, struct weft_op *fetch)
{
    (void)root;
    weft_http_fetch_free(weft_owner(fetch, struct weft_http_fetch, op));
    weft_http_client_close(&asking);
}

static void begin_http_resolve(struct weft_op *root)
{
    static struct weft_http_fetch fetch;
    memset(&asking, 0, sizeof asking);
    memset(&fetch, 0, sizeof fetch);
    weft_http_client_open(root, &asking, weft_ignore);
    weft_http_fetch(root, &fetch, &asking, "http://localhost:1/", asked);
}

struct row {
    const char *name;
    void (*begin)(struct weft_op *root);
    const char *type;
    unsigned group;
};
#define IS(name, type, group)                                                                      \
    {                                                                                              \
        "weft_" #name "_begin", begin_##name, type, group                                          \
    }
static const struct row rows[] = {
    IS(accept, "accept", WEFT_NET),
    IS(apply_each, "apply_each", WEFT_FLOW),
    IS(auto, "auto", WEFT_FLOW),
    IS(await, "await", WEFT_PROMISE),
    IS(await_many, "await_all", WEFT_PROMISE),
    IS(batch_ask, "batch_ask", WEFT_CACHE),
    IS(cache_get, "cache_get", WEFT_CACHE),
    IS(connect, "connect", WEFT_NET),
    IS(crawl_commit, "crawl_commit", WEFT_FS),
    IS(dir_read, "dir_read", WEFT_FS),
    IS(each, "each", WEFT_FLOW),
    IS(ensure_async, "ensure_async", WEFT_FLOW),
    IS(file_append, "file_append", WEFT_FS),
    IS(file_concat, "file_concat", WEFT_FS),
    IS(file_copy, "file_copy", WEFT_FS),
    IS(file_mkdir, "file_mkdir", WEFT_FS),
    IS(file_read, "file_read", WEFT_FS),
    IS(file_remove, "file_remove", WEFT_FS),
    IS(file_rename, "file_rename", WEFT_FS),
    IS(file_save, "file_save", WEFT_FS),
    IS(file_scan, "file_scan", WEFT_FS),
    IS(file_stat, "file_stat", WEFT_FS),
    IS(file_write, "file_write", WEFT_FS),
    IS(find, "find", WEFT_FS),
    IS(http_client, "http_client", WEFT_HTTP | WEFT_HANDLE),
    IS(http_fetch, "fetch", WEFT_HTTP),
    IS(http_file, "http_file", WEFT_HTTP),
    IS(http_log, "http_log", WEFT_HTTP | WEFT_HANDLE),
    IS(http_read, "http_read", WEFT_HTTP),
    IS(http_read_all, "http_read_all", WEFT_HTTP),
    IS(http_resolve, "http_resolve", WEFT_DNS),
    IS(http_serve, "http_server", WEFT_HTTP | WEFT_HANDLE),
    IS(http_write, "http_write", WEFT_HTTP),
    IS(immediate, "immediate", WEFT_USER),
    IS(interruptible, "interruptible", WEFT_SIGNAL),
    IS(item, "cargo item", WEFT_QUEUE),
    IS(jobs, "jobs", WEFT_QUEUE | WEFT_HANDLE),
    IS(jobs_emit, "jobs_emit", WEFT_QUEUE),
    IS(jobs_run, "jobs_run", WEFT_QUEUE | WEFT_HANDLE),
    IS(jobs_worker, "jobs_worker", WEFT_QUEUE | WEFT_HANDLE),
    IS(job, "job", WEFT_PROCESS | WEFT_HANDLE),
    IS(lazy_init, "lazy_init", WEFT_FLOW),
    IS(list, "list", WEFT_FS),
    IS(listen, "listen", WEFT_NET | WEFT_HANDLE),
    IS(lookup, "lookup", WEFT_DNS),
    IS(memoize, "memoize", WEFT_PROMISE),
    IS(parallel, "parallel", WEFT_FLOW),
    IS(pick, "filter", WEFT_FLOW),
    IS(process, "process", WEFT_PROCESS),
    IS(procs, "procs", WEFT_PROCESS | WEFT_HANDLE),
    IS(queue_idle, "queue_idle", WEFT_QUEUE),
    IS(queue_room, "queue_room", WEFT_QUEUE),
    IS(race, "race", WEFT_FLOW),
    IS(read, "read", WEFT_NET),
    IS(read_all, "read_all", WEFT_NET),
    IS(redis, "redis", WEFT_NET | WEFT_HANDLE),
    IS(redis_command, "redis_command", WEFT_NET),
    IS(redis_subscription, "redis_subscription", WEFT_NET | WEFT_HANDLE),
    IS(reflect, "reflect", WEFT_FLOW),
    IS(repeat, "whilst", WEFT_FLOW),
    IS(retry, "retry", WEFT_FLOW),
    IS(search, "detect", WEFT_FLOW),
    IS(series, "series", WEFT_FLOW),
    IS(settle, "settle", WEFT_FLOW),
    IS(shared, "shared", WEFT_CACHE | WEFT_HANDLE),
    IS(shared_forget, "shared_forget", WEFT_CACHE),
    IS(shutdown, "shutdown", WEFT_NET),
    IS(signal, "signal", WEFT_SIGNAL | WEFT_HANDLE),
    IS(sleep, "sleep", WEFT_TIMER),
    IS(steps, "steps", WEFT_FLOW | WEFT_HANDLE),
    IS(stream, "stream", WEFT_NET | WEFT_HANDLE),
    IS(stream_gone, "stream_gone", WEFT_NET),
    IS(stream_room, "stream_room", WEFT_NET),
    IS(thread_job, "NULL", WEFT_THREAD),
    IS(threads, "threads", WEFT_THREAD | WEFT_HANDLE),
    IS(threads_room, "threads_room", WEFT_THREAD),
    IS(tick, "tick", WEFT_USER),
    IS(ticker, "ticker", WEFT_TIMER | WEFT_HANDLE),
    IS(timeout, "timeout", WEFT_FLOW),
    IS(try_each, "try_each", WEFT_FLOW),
    IS(waterfall, "waterfall", WEFT_FLOW),
    IS(work, "NULL", WEFT_THREAD),
    IS(worker_acquire, "worker_acquire", WEFT_PROCESS),
    IS(write, "write", WEFT_NET),
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void check_row(const struct row *row)
{
    struct world w;
    static struct hook_log log;
    world_up(&w);
    hook_log_init(&log);
    assert_int_equal(weft_hook_enable(&w.loop, &log.hook), 0);
    row->begin(weft_root(&w.loop));
    world_down(&w);
    const struct hook_log_resource *it = hook_log_find(&log, row->type);
    if (it->site->group != row->group)
        fail_msg("%s: it is of another group", row->name);
    if (it->pairs != 1 && !(row->group & WEFT_HANDLE && it->pairs > 0))
        fail_msg("%s: %u callbacks", row->name, it->pairs);
    hook_log_check_over(&log);
}

TEST(everything_that_can_be_begun_is_seen_with_its_type_and_group)
{
    for (int i = 0; i < ROWS; i++)
        check_row(&rows[i]);
}

/* ---- none is left out ----------------------------------------------------------------------- */

typedef void text_fn(const char *path, const char *text);

static void each_text(const char *folder, char last, text_fn *fn)
{
    static const char here[] = "tests/core/begins.c";
    char path[1024];
    snprintf(path, sizeof path, "%.*s%s", (int)(sizeof __FILE__ - sizeof here), __FILE__, folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    size_t length = strlen(path);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        size_t name = strlen(entry->d_name);
        if (name < 3 || entry->d_name[name - 1] != last || entry->d_name[name - 2] != '.')
            continue;
        snprintf(path + length, sizeof path - length, "/%s", entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        static char text[1 << 20];
        size_t size = fread(text, 1, sizeof text - 1, file);
        assert_true(size < sizeof text - 1);
        text[size] = '\0';
        fclose(file);
        fn(path, text);
    }
    closedir(dir);
}

static unsigned begins;

static bool has_row(const char *name, size_t length)
{
    for (int i = 0; i < ROWS; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return true;
    }
    return false;
}

static void look_for_begins(const char *path, const char *text)
{
    static const char end[] = "_begin(struct weft_op *op);";
    for (const char *at = text; (at = strstr(at, end)) != NULL; at++) {
        const char *name = at, *stop = at + strlen("_begin");
        while (isalnum((unsigned char)name[-1]) || name[-1] == '_')
            name--;
        begins++;
        if (!has_row(name, (size_t)(stop - name)))
            fail_msg("%s: %.*s has no row in tests/core/begins.c", path, (int)(stop - name), name);
    }
}

TEST(every_begin_of_the_headers_has_a_row)
{
    begins = 0;
    each_text("include/weft", 'h', look_for_begins);
    assert_int_equal(begins, ROWS);
}

static bool conforms[ROWS];

/* Is word in text, and no part of a longer one? */
static bool mentions(const char *text, const char *word)
{
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        char after = at[strlen(word)];
        if (after == '(' || after == ',' || after == '}')
            return true;
    }
    return false;
}

/* By its begin, or inside a begin of the test's by its starter. */
static void look_for_providers(const char *path, const char *text)
{
    (void)path;
    if (strstr(text, "provider_check(") == NULL)
        return;
    for (int i = 0; i < ROWS; i++) {
        char starter[64];
        snprintf(starter, sizeof starter, "%.*s(", (int)(strlen(rows[i].name) - strlen("_begin")),
                 rows[i].name);
        conforms[i] |= mentions(text, rows[i].name) || strstr(text, starter) != NULL;
    }
}

TEST(every_begin_goes_through_the_conformance_suite_somewhere)
{
    static const char *const rooms[] = {"tests/files", "tests/flow",  "tests/queue",   "tests/io",
                                        "tests/http",  "tests/store", "tests/recipes", "tests/cpu"};
    memset(conforms, 0, sizeof conforms);
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        each_text(rooms[i], 'c', look_for_providers);
    for (int i = 0; i < ROWS; i++) {
        if (!conforms[i] && strcmp(rows[i].name, "weft_series_begin") != 0 &&
            strcmp(rows[i].name, "weft_parallel_begin") != 0) /* these two: below */
            fail_msg("no test puts %s through weft_provider_check", rows[i].name);
    }
}

/* ---- the two that no other test puts through it ----------------------------------------------- */

static void step(struct weft_op *op)
{
    static struct weft_sleep naps[64];
    static unsigned next;
    struct weft_sleep *nap = &naps[next++ % 64];
    weft_sleep(op, nap, 1, NULL);
}

static void failing_step(struct weft_op *op)
{
    weft_end(op, UV_EIO);
}

static weft_begin_fn *const good_steps[] = {step, step};
static weft_begin_fn *const bad_steps[] = {step, failing_step};

static void good_series(void *storage)
{
    ((struct weft_series *)storage)->steps = (struct weft_step_list){good_steps, 2};
}

static void bad_series(void *storage)
{
    ((struct weft_series *)storage)->steps = (struct weft_step_list){bad_steps, 2};
}

TEST(series_conforms)
{
    static const struct weft_provider series = {
        .name = "series",
        WEFT_PROVIDER_OP(struct weft_series, op),
        .begin = weft_series_begin,
        .good = good_series,
        .bad = bad_series,
        .bad_status = UV_EIO,
    };
    provider_check(&series);
}

static void good_parallel(void *storage)
{
    ((struct weft_parallel *)storage)->steps = (struct weft_step_list){good_steps, 2};
}

static void bad_parallel(void *storage)
{
    ((struct weft_parallel *)storage)->steps = (struct weft_step_list){bad_steps, 2};
}

TEST(parallel_conforms)
{
    static const struct weft_provider parallel = {
        .name = "parallel",
        WEFT_PROVIDER_OP(struct weft_parallel, op),
        .begin = weft_parallel_begin,
        .good = good_parallel,
        .bad = bad_parallel,
        .bad_status = UV_EIO,
    };
    provider_check(&parallel);
}
