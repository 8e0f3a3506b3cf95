/* Batch: whose context a load has, and what hooks and traces are told.
 * ctest: labels=valgrind-long needs=hooks */
#include "batch_kit.h"
#include "hook_log.h"
#include "json.h"
#include "scratch.h"
#include <weft/context.h>
#include <weft/hook.h>
#include <weft/trace.h>

/* ---- context -------------------------------------------------------------------------------- */

struct value {
    unsigned released;
};
static struct value one, two, owners;
static struct weft_op request, other;
static void *in_begin, *in_job_end; /* what the load saw */

static void count_release(void *value)
{
    ((struct value *)value)->released++;
}
static struct weft_key key = {.name = "key", .release = count_release};

static void look_at_the_end(struct weft_op *op, struct weft_op *job)
{
    in_job_end = weft_context_get(weft_current(), &key);
    loaded(op, job);
}

static void load_and_look(struct weft_op *op)
{
    in_begin = weft_context_get(op, &key);
    assert_ptr_equal(weft_context_get(weft_current(), &key), in_begin);
    struct loading *loading = load_counted(op);
    loading->job.ms = 5;
    weft_run(op, &loading->job.op, job_begin, look_at_the_end);
}

static void up_with_context(void)
{
    up();
    one = two = owners = (struct value){0};
    request = other = (struct weft_op){0};
    in_begin = in_job_end = NULL;
    batch.load = load_and_look;
    weft_run(root(), &request, NULL, noted);
    weft_run(root(), &other, NULL, noted);
    assert_int_equal(weft_context_set(&request, &key, &one), 0);
    assert_int_equal(weft_context_set(&other, &key, &two), 0);
}

static void there_and_look(struct weft_op *parent, struct weft_op *op)
{
    there(parent, op);
    assert_ptr_equal(weft_context_get(parent, &key), parent == &request ? &one : &two);
    assert_ptr_equal(weft_context_get(weft_current(), &key), weft_context_get(parent, &key));
}

static void run_down_with_context(void)
{
    weft_join(&request);
    weft_join(&other);
    run_down();
    assert_int_equal(one.released, 1);
    assert_int_equal(two.released, 1);
}

TEST(a_load_has_the_context_of_the_one_who_started_it)
{
    up_with_context();
    ask_under(&request, 0, "book", there_and_look);
    ask_under(&other, 1, "book", there_and_look); /* keeps his own */
    run_down_with_context();
    assert_ptr_equal(in_begin, &one);
    assert_ptr_equal(in_job_end, &one);
    expect_answer(1, "book#1");
}

TEST(a_load_keeps_that_context_when_who_started_it_has_left)
{
    up_with_context();
    ask_under(&request, 0, "book", there_and_look);
    ask_under(&other, 1, "book", there_and_look);
    leave_it(0);
    weft_sim_advance(&w.sim, 1);
    weft_finish(&request, 0);
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(one.released, 0); /* the load has it */
    weft_join(&other);
    run_down();
    assert_ptr_equal(in_job_end, &one);
    assert_int_equal(one.released, 1);
    assert_int_equal(two.released, 1);
}

TEST(a_load_for_somebody_without_a_context_has_the_owners)
{
    up_with_context();
    assert_int_equal(weft_batch_close(&batch), 0);
    weft_run(root(), &owner, NULL, noted);
    assert_int_equal(weft_context_set(&owner, &key, &owners), 0);
    batch.owner = &owner;
    assert_int_equal(weft_batch_open(&batch), 0);
    ask(0, "book");
    weft_sim_advance(&w.sim, 10);
    assert_ptr_equal(in_begin, &owners);
    ask_under(&request, 1, "book", there_and_look);
    weft_sim_advance(&w.sim, 10);
    assert_ptr_equal(in_begin, &one); /* in place of the owner's */
    weft_join(&owner);
    run_down_with_context();
    assert_int_equal(owners.released, 1);
}

enum { DEPTH = 40 };
static struct weft_op deep[DEPTH];
static int depth;
static bool leave_at_once;

/* So many begins on the stack that the load's has to wait for its turn. */
static void dive(struct weft_op *op)
{
    if (depth < DEPTH) {
        weft_run_now_at(WEFT_HERE("dive", WEFT_USER), op, &deep[depth++], dive, NULL);
        weft_join(op);
        return;
    }
    ask_under(op, 0, "book", there);
    assert_int_equal(load_count, 0);
    if (leave_at_once)
        leave_it(0);
    weft_join(op);
}

static void dive_under_request(bool leave)
{
    up_with_context();
    memset(deep, 0, sizeof deep);
    depth = 0;
    leave_at_once = leave;
    weft_run(&request, &deep[depth++], dive, NULL);
    run_down_with_context();
}

TEST(a_load_that_begins_late_has_that_context_too)
{
    dive_under_request(false);
    assert_ptr_equal(in_begin, &one);
    expect_answer(0, "book#1");
}

TEST(a_load_that_never_begins_lets_go_of_it)
{
    dive_under_request(true);
    assert_int_equal(load_count, 0);
    assert_int_equal(status_of(0), UV_EINTR);
    assert_int_equal(batch.loads, 1);
}

static void set_and_cancel(struct weft_op *op)
{
    leave_it(0);
    load_and_look(op);
    assert_int_equal(weft_context_set(op, &key, &owners), 0); /* the load's own, from here on */
}

TEST(a_load_that_cancels_who_asked_has_that_context_all_the_same)
{
    up_with_context();
    batch.load = set_and_cancel;
    ask_under(&request, 0, "book", there_and_look);
    assert_ptr_equal(weft_context_get(&request, &key), &one);
    run_down_with_context();
    assert_ptr_equal(in_begin, &one);
    assert_int_equal(owners.released, 1);
    assert_int_equal(status_of(0), UV_EINTR);
}

/* ---- hooks ---------------------------------------------------------------------------------- */

static struct hook_log hooked;

static void up_hooked(void)
{
    model_up_seeded(&w, 0);
    forget_all();
    hook_log_init(&hooked);
    assert_int_equal(weft_hook_enable(&w.loop, &hooked.hook), 0);
    weft_run(root(), &owner, NULL, noted);
    open_under(&owner);
}

TEST(a_batch_is_a_handle_and_its_loads_are_the_owners)
{
    up_hooked();
    batch.load = load_at_once;
    ask(0, "book");
    ask(1, "book");
    weft_sim_advance(&w.sim, 1);
    assert_int_equal(weft_batch_close(&batch), 0);
    told(&hooked, "init:NULL<loop init:batch<NULL init:batch_ask<loop init:batch load<NULL "
                  "init:batch_ask2<loop pre:batch load post:batch load destroy:batch load "
                  "pre:batch_ask post:batch_ask destroy:batch_ask pre:batch_ask2 post:batch_ask2 "
                  "destroy:batch_ask2 destroy:batch ");
    weft_finish(&owner, 0);
    world_down(&w);
    hook_log_check_over(&hooked);
    assert_true(hook_log_find(&hooked, "batch")->site->group & WEFT_HANDLE);
    assert_ptr_equal(hook_log_find(&hooked, "batch")->resource, &batch);
}

TEST(a_hook_sees_the_users_then_of_an_ask)
{
    up_hooked();
    batch.load = load_at_once;
    ask(0, "book");
    weft_sim_advance(&w.sim, 1);
    assert_ptr_equal(hooked.entry, (weft_entry_fn *)there);
    assert_int_equal(weft_batch_close(&batch), 0);
    weft_finish(&owner, 0);
    world_down(&w);
}

TEST(a_trace_tells_which_load_an_ask_waits_for)
{
    char path[SCRATCH_PATH];
    scratch_new_path(path, "trace.json");
    assert_int_equal(weft_trace_start(&(struct weft_trace_options){.path = path}), 0);
    up();
    ask(0, "book");
    run_down();
    assert_int_equal(weft_trace_stop(), 0);
    struct json *all = json_load(path);
    const struct json *events = json_get(all, "traceEvents");
    struct weft_text load_id = {0}, awaited = {0};
    for (const struct json *event = events->first; event != NULL; event = event->next) {
        const struct json *phase = json_get(event, "ph"), *name = json_get(event, "name");
        if (phase == NULL || name == NULL || !weft_text_is(phase->text, "b"))
            continue;
        if (weft_text_is(name->text, "batch load"))
            load_id = json_get(event, "id")->text;
        if (weft_text_is(name->text, "batch_ask"))
            awaited = json_get(json_get(event, "args"), "for")->text;
    }
    assert_true(load_id.size > 0);
    assert_true(weft_text_equal(load_id, awaited));
    json_free(all);
}

/* ---- dumps ---------------------------------------------------------------------------------- */

static void dumped(const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_dump(&w.loop, file);
    char *all = text_of(file);
    if (strstr(all, text) == NULL)
        fail_msg("no '%s' in:\n%s", text, all);
    free(all);
    fclose(file);
}

TEST(a_dump_says_what_is_loaded)
{
    up();
    ask(0, "a book");
    ask(1, "\x1b[2J\n\xea\xb0\x80");
    ask(2, "");
    ask(3, "1234567890123456789012345678901234567890");
    ask(4, "1234567890123456789012345678901234567890!");
    dumped("batch load [waiting for its children, 0 ms, key \"a book\"] begun at ");
    dumped(", key \"?[2J????\"]");
    dumped(", key \"\"]");
    dumped(", key \"1234567890123456789012345678901234567890\"]");
    dumped(", key \"1234567890123456789012345678901234567890…\"]");
    run_down();
}
