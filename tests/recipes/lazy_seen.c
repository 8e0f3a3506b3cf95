/* Lazy as hooks, context and dumps see it, and as the conformance suite does.
 * ctest: labels=valgrind-long needs=hooks */
#include "lazy.h"
#include "hook_log.h"
#include "provider.h"
#include <stdlib.h>
#include <weft/context.h>

static struct hook_log log_;

/* ---- hooks ---------------------------------------------------------------------------------- */

static void seen_up(void)
{
    up();
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    weft_loop_shuffle(&w.loop, 0);
    hook_log_init(&log_);
    assert_int_equal(weft_hook_enable(&w.loop, &log_.hook), 0);
    assert_int_equal(weft_lazy_open(&db.lazy), 0);
}

static void seen_down(void)
{
    down();
    hook_log_check_over(&log_);
}

TEST(a_lazy_is_a_handle_from_its_open_to_its_close)
{
    seen_up();
    told(&log_, "init:lazy<loop ");
    const struct hook_log_resource *it = hook_log_find(&log_, "lazy");
    assert_ptr_equal(it->resource, &db.lazy);
    assert_int_equal(it->site->group, WEFT_FLOW | WEFT_HANDLE);
    assert_non_null(strstr(it->site->file, "tests/recipes/lazy_seen.c"));
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    assert_int_equal(weft_lazy_close(&db.lazy), 0);
    told(&log_, "init:lazy<loop destroy:lazy ");
    seen_down();
}

static void begin_plainly(struct weft_op *op)
{
    assert_ptr_equal(weft_current(), op);
    weft_finish(op, 0);
}

TEST(a_call_that_waited_is_one_request)
{
    seen_up();
    hook_log_forget(&log_);
    struct weft_op call = {0};
    db.lazy.begin = begin_plainly;
    weft_lazy_run(root(), &call, &db.lazy, begin_plainly, weft_ignore);
    world_run(&w);
    told(&log_, "init:begin_plainly<loop init:lazy start<loop pre:lazy start post:lazy start "
                "destroy:lazy start pre:begin_plainly post:begin_plainly destroy:begin_plainly ");
    const struct hook_log_resource *it = hook_log_find(&log_, "lazy start");
    assert_int_equal(it->site->group, WEFT_FLOW);
    seen_down();
}

TEST(a_call_that_never_began_is_one_request_too)
{
    seen_up();
    hook_log_forget(&log_);
    struct weft_op call = {0};
    db.lazy.by_hand = true;
    weft_lazy_run(root(), &call, &db.lazy, begin_plainly, weft_ignore);
    weft_cancel(&call, UV_ECANCELED);
    world_run(&w);
    told(&log_, "init:begin_plainly<loop pre:begin_plainly post:begin_plainly "
                "destroy:begin_plainly ");
    seen_down();
}

TEST(who_asks_is_seen_with_the_then_it_gave)
{
    seen_up();
    db.lazy.begin = begin_plainly;
    ask(0);
    world_run(&w);
    assert_ptr_equal(log_.entry, (weft_entry_fn *)told_of_init);
    assert_int_equal(hook_log_find(&log_, "lazy_init")->site->group, WEFT_FLOW);
    seen_down();
}

/* ---- context -------------------------------------------------------------------------------- */

static struct weft_key name = {.name = "name"};

static void say_name(struct weft_op *op)
{
    const char *mine = weft_context_get(op, &name);
    assert_ptr_equal(weft_context_get(weft_current(), &name), mine);
    leave("%s", mine != NULL ? mine : "nobody");
    weft_finish(op, 0);
}

TEST(a_call_that_waited_has_its_own_context_and_the_initialisation_its_owners)
{
    up();
    struct weft_op parents[2] = {0}, call[3] = {0};
    char one[] = "one", two[] = "two";
    db.lazy.begin = say_name;
    for (int i = 0; i < 2; i++) {
        weft_run(root(), &parents[i], NULL, weft_ignore);
        assert_int_equal(weft_context_set(&parents[i], &name, i == 0 ? one : two), 0);
        weft_lazy_run(&parents[i], &call[i], &db.lazy, say_name, weft_ignore);
        weft_join(&parents[i]);
    }
    weft_lazy_run(root(), &call[2], &db.lazy, say_name, weft_ignore);
    world_run(&w);
    left("nobody one two nobody ");
    down();
}

static void check_current(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    assert_ptr_equal(weft_current(), parent);
}

TEST(what_is_current_is_the_call_and_then_its_parent)
{
    up();
    struct weft_op call = {0};
    weft_lazy_run(root(), &call, &db.lazy, begin_plainly, check_current);
    world_run(&w);
    down();
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

TEST(a_dump_says_why_a_call_waits)
{
    up();
    db.lazy.by_hand = true;
    make_call(0);
    dumped("call_begin [too early, 0 ms: nobody initialises it, lazy made at ");
    ask(0);
    dumped("call_begin [too early, 0 ms: being initialised, lazy made at ");
    dumped("lazy start [");
    down();
}

/* ---- conformance ---------------------------------------------------------------------------- */

/* Two components: one takes a moment, one fails after a moment. */
static struct part {
    struct weft_lazy lazy;
    struct weft_sleep sleep;
    struct weft_op again;
    int status;
} parts[2];

static void part_rested(struct weft_op *op, struct weft_op *sleep)
{
    struct part *part = weft_owner(op, struct part, lazy.promise.op);
    weft_end(op, sleep->status != 0 ? sleep->status : part->status);
}

static void part_begin(struct weft_op *op)
{
    struct part *part = weft_owner(op, struct part, lazy.promise.op);
    weft_sleep(op, &part->sleep, 1, part_rested);
}

static void parts_up(struct weft_loop *loop)
{
    memset(parts, 0, sizeof parts);
    parts[1].status = UV_EIO;
    for (int i = 0; i < 2; i++) {
        parts[i].lazy.owner = weft_root(loop);
        parts[i].lazy.begin = part_begin;
        assert_int_equal(weft_lazy_open(&parts[i].lazy), 0);
    }
}

static void close_part(struct weft_op *at_root, struct weft_op *op)
{
    struct part *part = weft_owner(op, struct part, again);
    if (weft_lazy_close(&part->lazy) == UV_EBUSY)
        weft_tick(at_root, &part->again, close_part);
}

static void parts_down(struct weft_loop *loop)
{
    for (int i = 0; i < 2; i++)
        close_part(weft_root(loop), &parts[i].again);
}

static void good_init(void *storage)
{
    ((struct weft_lazy_init *)storage)->lazy = &parts[0].lazy;
}

static void bad_init(void *storage)
{
    ((struct weft_lazy_init *)storage)->lazy = &parts[1].lazy;
}

static void verify_init(void *storage)
{
    assert_true(((struct weft_lazy_init *)storage)->lazy->initialized);
}

static const struct weft_provider init_provider = {
    .name = "lazy_init",
    WEFT_PROVIDER_OP(struct weft_lazy_init, await.op),
    .begin = weft_lazy_init_begin,
    .up = parts_up,
    .down = parts_down,
    .good = good_init,
    .bad = bad_init,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
    .verify = verify_init,
};

TEST(lazy_init_conforms)
{
    provider_check(&init_provider);
}

struct through {
    struct weft_op op;
    struct weft_lazy *lazy;
    struct weft_sleep sleep;
};

static void through_begin(struct weft_op *op)
{
    struct through *through = weft_owner(op, struct through, op);
    through->sleep.ms = 1;
    if (through->lazy == NULL)
        weft_finish(op, UV_EINVAL);
    else
        weft_lazy_run(op, &through->sleep.op, through->lazy, weft_sleep_begin, weft_pass);
}

static void good_through(void *storage)
{
    ((struct through *)storage)->lazy = &parts[0].lazy;
}

static void bad_through(void *storage)
{
    ((struct through *)storage)->lazy = &parts[1].lazy;
}

static const struct weft_provider through_provider = {
    .name = "through a lazy",
    WEFT_PROVIDER_OP(struct through, op),
    .begin = through_begin,
    .up = parts_up,
    .down = parts_down,
    .good = good_through,
    .bad = bad_through,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
};

TEST(a_call_through_a_lazy_conforms)
{
    provider_check(&through_provider);
}
