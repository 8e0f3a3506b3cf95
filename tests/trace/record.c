/* Recording: from start to stop, what is in the file, and what is refused.
 * ctest: labels=valgrind timeout=120 needs=hooks */
#include "scenario.h"
#include "scratch.h"
#include "valid.h"
#include <unistd.h>
#include <weft/trace.h>

static char path[SCRATCH_PATH], file[SCRATCH_PATH];

static int start(size_t events)
{
    scratch_new_path(path, "trace.json");
    scratch_path(file, "file");
    return weft_trace_start(&(struct weft_trace_options){.path = path, .events = events});
}

static struct valid *stop(void)
{
    assert_int_equal(weft_trace_stop(), 0);
    return valid_trace(path);
}

/* The begin of the resource with this type. */
static const struct json *begun(const struct valid *valid, const char *type)
{
    const struct json *event = valid_find(valid, "b", type);
    if (event == NULL)
        fail_msg("there is no %s", type);
    return event;
}

static struct weft_text category(const struct valid *valid, const char *type)
{
    return json_text(begun(valid, type), "cat");
}

static bool is_handle(const struct valid *valid, const char *type)
{
    const struct json *handle = json_get(json_get(begun(valid, type), "args"), "handle");
    return handle != NULL && handle->truth;
}

/* ---- what is in it -------------------------------------------------------------------------- */

TEST(a_run_of_everything_is_a_valid_trace)
{
    static struct scenario s;
    assert_int_equal(start(0), 0);
    scenario_run(&s, file);
    struct valid *valid = stop();
    assert_int_equal(valid->lost, 0);
    assert_int_equal(valid->unfinished, 0);
    assert_true(valid->flows >=
                3); /* a read, a write, and a file that is read: begun in callbacks */
    assert_int_equal(valid->kept,
                     valid->begins + valid->ends + 2 * valid->calls + valid->turns + valid->awaits);
    static const struct {
        const char *type, *group;
    } expected[] = {
        {"loop", "loop"},
        {"scenario_begin", "user"},
        {"listen", "net"},
        {"stream", "net"},
        {"accept", "net"},
        {"connect", "net"},
        {"read", "net"},
        {"write", "net"},
        {"lookup", "dns"},
        {"file_save", "fs"},
        {"file_read", "fs"},
        {"queue", "queue"},
        {"finish_at_once", "user"},
        {"scenario_promise", "promise"},
        {"await", "promise"},
        {"sleep", "timer"},
        {"ticker", "timer"},
        {"timer", "timer"},
        {"scenario_work", "thread"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_string_equal(category(valid, expected[i].type).data, expected[i].group);
    assert_true(is_handle(valid, "loop") && is_handle(valid, "listen"));
    assert_false(is_handle(valid, "sleep") || is_handle(valid, "file_read"));
    valid_free(valid);
}

TEST(work_on_the_pool_is_on_its_own_thread)
{
    static struct scenario s;
    assert_int_equal(start(0), 0);
    scenario_run(&s, file);
    struct valid *valid = stop();
    assert_int_equal(valid->work, 3); /* a job, a file saved, a file read */
    long loop = (long)valid_number(begun(valid, "loop"), "tid");
    bool found = false;
    for (const struct json *it = valid->events->first; it != NULL; it = it->next) {
        if (!weft_text_is(json_text(it, "ph"), "X") ||
            !weft_text_is(json_text(json_get(it, "args"), "entry"), "scenario_work"))
            continue;
        found = true;
        assert_true((long)valid_number(it, "tid") != loop);
        assert_string_equal(json_text(it, "cat").data, "thread");
    }
    assert_true(found);
    assert_non_null(valid_find(valid, "M", "thread_name"));
    valid_free(valid);
}

static void static_then(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
}

TEST(a_callback_has_its_functions_name_and_how_its_op_ended)
{
    struct world w;
    struct weft_op op = {0};
    assert_int_equal(start(0), 0);
    world_up(&w);
    weft_run(weft_root(&w.loop), &op, fail_at_once, static_then);
    world_down(&w);
    struct valid *valid = stop();
    const struct json *call = valid_find(valid, "X", "fail_at_once");
    assert_non_null(call);
    assert_string_equal(json_text(json_get(call, "args"), "entry").data, "static_then");
    assert_string_equal(json_text(json_get(call, "args"), "status").data, "EIO");
    const struct json *end = valid_find(valid, "e", "fail_at_once");
    assert_string_equal(json_text(json_get(end, "args"), "status").data, "EIO");
    const struct json *begin = begun(valid, "fail_at_once");
    const char *site = json_text(json_get(begin, "args"), "site").data;
    assert_non_null(strstr(site, "record.c:"));
    assert_non_null(strstr(site, " a_callback_has_its_functions_name_and_how_its_op_ended"));
    valid_free(valid);
}

static void throwing(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    weft_throw(UV_EPROTO, "on purpose");
}

static void caught(struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    (void)loop;
    (void)op;
    (void)err;
    (void)text;
}

TEST(an_error_that_was_thrown_is_the_outcome)
{
    struct world w;
    struct weft_op op = {0};
    assert_int_equal(start(0), 0);
    world_up(&w);
    w.loop.on_uncaught = caught;
    weft_run(weft_root(&w.loop), &op, finish_at_once, throwing);
    world_down(&w);
    struct valid *valid = stop();
    const struct json *call = valid_find(valid, "X", "finish_at_once");
    assert_string_equal(json_text(json_get(call, "args"), "outcome").data, "EPROTO");
    valid_free(valid);
}

struct ticking {
    struct weft_op op;
    struct weft_ticker ticker;
    int left;
};

static void tick(struct weft_op *ticker)
{
    if (--weft_owner(ticker, struct ticking, ticker.op)->left == 0)
        weft_end(ticker, 0);
}

static void start_ticking(struct weft_op *root, struct weft_op *op)
{
    weft_ticker(root, &weft_owner(op, struct ticking, op)->ticker, 1, tick, NULL);
}

TEST(what_was_begun_in_a_callback_is_tied_to_its_first_one_only)
{
    struct world w;
    struct ticking ticking = {.left = 3};
    assert_int_equal(start(0), 0);
    world_up(&w);
    weft_run(weft_root(&w.loop), &ticking.op, finish_at_once, start_ticking);
    world_down(&w);
    struct valid *valid = stop();
    assert_int_equal(valid->flows, 1);
    assert_int_equal(valid->calls, 1 + 3);
    valid_free(valid);
}

/* ---- what it waited for ---------------------------------------------------------------------- */

static struct line {
    struct weft_op op, tasks[2];
    struct weft_sleep sleeps[2];
    struct weft_queue queue;
    struct weft_promise promise;
    struct weft_await await;
} line;

static void slept(struct weft_op *op, struct weft_op *sleep)
{
    (void)sleep;
    weft_finish(op, 0);
}

static void queued_task(struct weft_op *op)
{
    weft_sleep(op, &line.sleeps[op - line.tasks], 20, slept);
}

static void line_begin(struct weft_op *op)
{
    assert_int_equal(weft_queue_init(&line.queue, op->loop_, 1), 0);
    for (size_t i = 0; i < 2; i++)
        weft_queue_push(&line.queue, op, &line.tasks[i], queued_task, NULL);
    weft_join(op);
}

TEST(when_a_queued_task_begins_is_told)
{
    line = (struct line){0};
    assert_int_equal(start(0), 0);
    assert_int_equal(weft_go(&line.op, line_begin), 0);
    struct valid *valid = stop();
    assert_int_equal(valid->turns, 2);
    const struct json *last = NULL;
    for (const struct json *it = valid->events->first; it != NULL; it = it->next)
        last = weft_text_is(json_text(it, "ph"), "n") ? it : last;
    struct life *life = valid_life(valid, valid_id(last, "id"));
    assert_true(valid_ns(last, "ts") - valid_ns(life->begin, "ts") >= 19 * 1000000);
    uint64_t queue = valid_id(json_get(last, "args"), "queue");
    assert_true(queue == valid_id(begun(valid, "queue"), "id"));
    valid_free(valid);
}

static void promise_begin(struct weft_op *op)
{
    weft_sleep(op, &line.sleeps[0], 1, slept);
}

static void await_begin(struct weft_op *op)
{
    weft_promise(op, &line.promise, promise_begin);
    weft_await(op, &line.await, &line.promise, NULL);
    weft_join(op);
}

TEST(an_await_says_for_which_promise)
{
    line = (struct line){0};
    assert_int_equal(start(0), 0);
    assert_int_equal(weft_go(&line.op, await_begin), 0);
    struct valid *valid = stop();
    const struct json *args = json_get(begun(valid, "await"), "args");
    assert_true(valid_id(args, "for") == valid_id(begun(valid, "promise_begin"), "id"));
    valid_free(valid);
    assert_int_equal(weft_promise_close(&line.promise), 0);
}

TEST(names_may_hold_anything)
{
    static const struct weft_site odd = {"a\"b\\c/\xff\xc3.c", "f\x01\xe2\x82",
                                         "t\n\"\xed\xa0\x80\xf0\x9f\x98\x80", 7, WEFT_USER};
    struct world w;
    struct weft_op op = {0};
    assert_int_equal(start(0), 0);
    world_up(&w);
    weft_run_at(&odd, weft_root(&w.loop), &op, finish_at_once, noted);
    world_down(&w);
    struct valid *valid = stop();
    const struct json *begin =
        begun(valid, "t\n\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80");
    assert_string_equal(json_text(json_get(begin, "args"), "site").data,
                        "a\"b\\c/\xef\xbf\xbd\xef\xbf\xbd.c:7 f\x01\xef\xbf\xbd\xef\xbf\xbd");
    valid_free(valid);
}

/* ---- when ----------------------------------------------------------------------------------- */

static void run_one(struct world *w, struct weft_op *op)
{
    weft_run(weft_root(&w->loop), op, finish_at_once, noted);
    assert_int_equal(world_run(w), 0);
}

TEST(nothing_of_one_recording_is_in_the_next)
{
    struct world w;
    struct weft_op op = {0};
    assert_int_equal(start(0), 0);
    world_up(&w);
    run_one(&w, &op);
    world_close(&w);
    valid_free(stop());
    assert_int_equal(start(0), 0);
    world_up(&w);
    struct weft_sleep nap = {0};
    weft_sleep(weft_root(&w.loop), &nap, 0, noted);
    world_down(&w);
    struct valid *valid = stop();
    assert_null(valid_find(valid, "b", "finish_at_once"));
    assert_non_null(valid_find(valid, "b", "sleep"));
    assert_int_equal(valid->begins, 2);
    valid_free(valid);
}

TEST(a_loop_that_was_there_before_is_recorded_on_request)
{
    struct world w;
    struct weft_op before = {0}, op = {0};
    world_up(&w);
    weft_run(weft_root(&w.loop), &before, begin_counted, noted);
    assert_int_equal(start(0), 0);
    assert_true(weft_trace_recording());
    assert_int_equal(weft_trace_loop(&w.loop), 0);
    assert_int_equal(weft_trace_loop(&w.loop), 0);
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    weft_finish(&before, 0);
    assert_int_equal(world_run(&w), 0);
    struct valid *valid = stop();
    assert_false(weft_trace_recording());
    assert_int_equal(valid->begins, 2);
    assert_int_equal(valid->unfinished, 1); /* the loop */
    assert_null(valid_find(valid, "X", "begin_counted"));
    assert_non_null(valid_find(valid, "X", "finish_at_once"));
    valid_free(valid);
    world_close(&w);
}

static void stop_inside(struct weft_op *parent, struct weft_op *op)
{
    noted(parent, op);
    assert_int_equal(weft_trace_stop(), 0);
}

TEST(a_callback_that_still_runs_lasts_until_the_end_of_the_recording)
{
    struct world w;
    struct weft_op op = {0}, after = {0};
    assert_int_equal(start(0), 0);
    world_up(&w);
    weft_run(weft_root(&w.loop), &op, finish_at_once, stop_inside);
    assert_int_equal(world_run(&w), 0);
    run_one(&w, &after);
    world_close(&w);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->begins, 2);
    assert_int_equal(valid->calls, 1);
    assert_int_equal(valid->ends, 0);
    assert_true(valid_number(valid_find(valid, "X", "finish_at_once"), "dur") > 0);
    valid_free(valid);
}

TEST(a_simulated_loop_is_recorded_in_real_time)
{
    struct world w;
    struct weft_sleep nap = {0};
    assert_int_equal(start(0), 0);
    world_up_sim(&w, 0);
    weft_sleep(weft_root(&w.loop), &nap, 3600 * 1000, noted);
    world_down(&w);
    struct valid *valid = stop();
    assert_true(valid_number(valid_find(valid, "X", "sleep"), "ts") < 3.6e9);
    valid_free(valid);
}

TEST(a_recording_of_nothing_is_a_valid_trace)
{
    assert_int_equal(start(0), 0);
    struct valid *valid = stop();
    assert_int_equal(valid->kept, 0);
    valid_free(valid);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static int start_at(const char *where, size_t events)
{
    return weft_trace_start(&(struct weft_trace_options){.path = where, .events = events});
}

TEST(bad_options_are_refused)
{
    char device[SCRATCH_PATH], longest[5000];
    scratch_path(path, "trace.json");
    assert_int_equal(weft_trace_start(NULL), UV_EINVAL);
    assert_int_equal(start_at(NULL, 0), UV_EINVAL);
    assert_int_equal(start_at("", 0), UV_EINVAL);
    assert_int_equal(start_at(path, WEFT_TRACE_EVENTS_MOST + 1), UV_EINVAL);
    assert_int_equal(start_at(path, SIZE_MAX), UV_EINVAL);
    assert_int_equal(start_at(scratch_dir(), 0), UV_EISDIR);
    scratch_path(path, "no such folder/trace.json");
    assert_int_equal(start_at(path, 0), UV_ENOENT);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(start_at(longest, 0), UV_ENAMETOOLONG);
    if (scratch_device(device, "device"))
        assert_int_equal(start_at(device, 0), UV_EINVAL);
    assert_false(weft_trace_recording());
}

TEST(there_is_one_recording_at_a_time)
{
    assert_int_equal(weft_trace_stop(), UV_EINVAL);
    assert_int_equal(start(0), 0);
    assert_int_equal(start_at(path, 0), UV_EBUSY);
    valid_free(stop());
    assert_int_equal(weft_trace_stop(), UV_EINVAL);
}

TEST(a_loop_is_refused_while_nothing_is_recorded)
{
    struct world w;
    world_up(&w);
    assert_int_equal(weft_trace_loop(&w.loop), UV_EINVAL);
    assert_int_equal(weft_trace_loop(NULL), UV_EINVAL);
    world_close(&w);
    assert_int_equal(start(0), 0);
    assert_int_equal(weft_trace_loop(NULL), UV_EINVAL);
    assert_int_equal(weft_trace_loop(&w.loop), UV_EINVAL);
    valid_free(stop());
}

/* ---- the file ------------------------------------------------------------------------------- */

TEST(the_name_may_hold_the_process_and_is_taken_from_the_folder_of_then)
{
    char expected[SCRATCH_PATH], here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(scratch_dir()), 0);
    assert_int_equal(start_at("of-%p-100%.json", 0), 0);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(weft_trace_stop(), 0);
    char name[64];
    snprintf(name, sizeof name, "of-%d-100%%.json", (int)getpid());
    valid_free(valid_trace(scratch_path(expected, name)));
}

TEST(a_file_that_cannot_be_written_is_told_and_leaves_nothing)
{
    char folder[SCRATCH_PATH];
    scratch_new_path(folder, "folder");
    char command[SCRATCH_PATH + 20];
    snprintf(command, sizeof command, "mkdir %s", folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%.480s/trace.json", folder);
    assert_int_equal(start_at(path, 0), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(weft_trace_stop(), UV_ENOENT);
    assert_false(weft_trace_recording());
    assert_false(scratch_exists(path));
}

TEST(an_old_file_is_replaced_as_a_whole)
{
    scratch_file(path, "old.json", "old");
    assert_int_equal(start_at(path, 0), 0);
    scratch_equals(path, "old");
    valid_free(stop());
}
