/* Streams, listeners and signals as hooks see them.
 * ctest: labels=valgrind needs=hooks */
#include "hook_log.h"
#include "streams.h"
#include <signal.h>
#include <stdlib.h>
#include <weft/process.h>
#include <weft/signal.h>

static struct world w;
static struct hook_log log_;

static void up(void)
{
    world_up(&w);
    hook_log_init(&log_);
    assert_int_equal(weft_hook_enable(&w.loop, &log_.hook), 0);
}

static uint64_t parent_of(const char *name)
{
    return hook_log_find(&log_, name)->parent;
}

static uint64_t id_of(const char *name)
{
    return hook_log_find(&log_, name)->id;
}

static bool logged(const char *events)
{
    return strstr(log_.text, events) != NULL;
}

/* ---- connections ---------------------------------------------------------------------------- */

struct acceptor {
    struct weft_op op;
    struct weft_listen listen;
    struct weft_stream stream, other;
    struct weft_accept accept, second;
    uint64_t current, trigger;
    struct weft_op *whose;
    int calls;
};
static struct acceptor at;

static struct weft_address listen_up(void)
{
    struct weft_address address;
    memset(&at, 0, sizeof at);
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_run(root_of(&w), &at.op, NULL, noted);
    weft_listen(root_of(&w), &at.listen, &address, noted);
    weft_stream_open(&at.op, &at.stream, noted);
    return at.listen.address;
}

static int dial(const struct weft_address *address)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, &address->to.any, address->size), 0);
    return fd;
}

static void listen_down(void)
{
    weft_end(&at.op, 0);
    weft_listen_close(&at.listen);
    world_down(&w);
    hook_log_check_over(&log_);
}

static void accepted(struct weft_op *op, struct weft_op *accept)
{
    assert_int_equal(accept->status, 0);
    assert_ptr_equal(op, &at.op);
    at.current = weft_current_id();
    at.trigger = weft_trigger_id();
    at.whose = weft_current();
    at.calls++;
}

TEST(in_a_connection_callback_the_connection_is_current_and_the_listener_its_parent)
{
    up();
    struct weft_address address = listen_up();
    weft_accept(&at.op, &at.accept, &at.listen, &at.stream, accepted);
    int fd = dial(&address);
    await(&w, &at.accept.op);
    assert_int_equal(at.calls, 1);
    assert_int_equal(at.current, id_of("connection"));
    assert_int_equal(at.trigger, id_of("listen"));
    assert_int_equal(at.trigger, weft_id(&at.listen.op));
    assert_ptr_equal(at.whose, &at.op); /* on whose behalf: as in any then */
    assert_int_equal(parent_of("connection"), id_of("listen"));
    assert_ptr_equal(hook_log_find(&log_, "connection")->resource, &at.stream);
    assert_true(logged("pre:accept pre:connection post:connection post:accept destroy:accept "));
    assert_true(log_.entry == (weft_entry_fn *)accepted);
    close(fd);
    listen_down();
}

TEST(without_a_hook_the_parent_is_current_in_an_accepts_then)
{
    world_up(&w);
    struct weft_address address = listen_up();
    weft_accept(&at.op, &at.accept, &at.listen, &at.stream, accepted);
    int fd = dial(&address);
    await(&w, &at.accept.op);
    assert_ptr_equal(at.whose, &at.op);
    assert_int_equal(at.current, weft_id(&at.op));
    close(fd);
    hook_log_init(&log_);
    listen_down();
}

/* The second connection is in the backlog, so the accept has it at once. */
static void accept_and_close(struct weft_op *op, struct weft_op *accept)
{
    accepted(op, accept);
    weft_accept(op, &at.second, &at.listen, &at.other, accepted);
    assert_true(weft_stream_connected(&at.other));
    weft_stream_close(&at.other);
}

TEST(an_accept_whose_stream_was_closed_meanwhile_has_no_connection_any_more)
{
    up();
    struct weft_address address = listen_up();
    weft_stream_open(&at.op, &at.other, noted);
    int one = dial(&address), two = dial(&address);
    weft_accept(&at.op, &at.accept, &at.listen, &at.stream, accept_and_close);
    await(&w, &at.accept.op);
    await(&w, &at.second.op);
    assert_int_equal(at.calls, 2);
    assert_int_equal(at.current, id_of("accept2"));
    assert_true(hook_log_find(&log_, "connection2")->over);
    assert_int_equal(hook_log_find(&log_, "connection2")->pairs, 0);
    close(one);
    close(two);
    listen_down();
}

TEST(the_parent_of_a_connection_is_the_connect_that_made_it)
{
    up();
    struct ends ends = {0};
    ends_up_tcp(&w, &ends);
    const struct hook_log_resource *a = hook_log_find(&log_, "connection"),
                                   *b = hook_log_find(&log_, "connection2");
    if (a->resource != &ends.a) {
        const struct hook_log_resource *swap = a;
        a = b;
        b = swap;
    }
    assert_int_equal(a->parent, id_of("connect"));
    assert_int_equal(b->parent, id_of("listen"));
    ends_down(&w, &ends);
    hook_log_check_over(&log_);
}

TEST(the_parent_of_a_connection_that_was_adopted_is_its_stream)
{
    up();
    struct weft_stream stream = {0};
    int fd = half_up(&w, &stream);
    assert_int_equal(parent_of("connection"), weft_id(&stream.op));
    weft_stream_close(&stream);
    assert_true(hook_log_find(&log_, "connection")->over); /* with its descriptor */
    assert_false(hook_log_find(&log_, "stream")->over);
    close(fd);
    world_down(&w);
    hook_log_check_over(&log_);
}

TEST(a_stream_that_is_connected_again_has_another_connection)
{
    up();
    struct weft_stream stream = {0};
    for (int i = 0; i < 2; i++) {
        int fd = half_up(&w, &stream);
        weft_stream_close(&stream);
        close(fd);
        await(&w, &stream.op);
    }
    assert_true(logged("init:connection<stream "));
    assert_true(logged("init:connection2<stream2 "));
    world_down(&w);
    hook_log_check_over(&log_);
}

TEST(a_connection_that_is_broken_off_is_over_before_its_stream)
{
    up();
    struct ends ends = {0};
    struct weft_write write = {0};
    static char bytes[8 << 20];
    ends_up_tcp(&w, &ends);
    ends.a.write_max = sizeof bytes;
    weft_write(root_of(&w), &write, &ends.a, bytes, sizeof bytes, noted);
    assert_true(write.written > 0 && write.written < sizeof bytes);
    unsigned before = log_.destroys;
    weft_cancel(&write.op, UV_ECANCELED); /* in the middle: the connection is reset */
    assert_int_equal(log_.destroys, before + 1);
    assert_false(hook_log_find(&log_, "stream")->over);
    ends_down(&w, &ends);
    hook_log_check_over(&log_);
}

/* ---- requests that take no time ------------------------------------------------------------- */

TEST(a_write_that_the_kernel_took_at_once_is_a_request_like_any_other)
{
    up();
    struct weft_stream stream = {0};
    struct weft_write write = {0};
    int fd = half_up(&w, &stream);
    hook_log_forget(&log_);
    weft_write(&stream.op, &write, &stream, "x", 1, noted);
    assert_int_equal(write.written, 1); /* it is out, and its then has not run */
    told(&log_, "init:write<stream ");
    await(&w, &write.op);
    told(&log_, "init:write<stream pre:write post:write destroy:write ");
    assert_true(log_.entry == (weft_entry_fn *)noted);
    weft_stream_close(&stream);
    close(fd);
    world_down(&w);
    hook_log_check_over(&log_);
}

TEST(a_refusal_is_a_request_like_any_other)
{
    up();
    struct weft_op group = {0};
    struct weft_read read = {0}, refused = {0};
    weft_run(root_of(&w), &group, NULL, noted);
    hook_log_forget(&log_);
    weft_read(&group, &read, NULL, NULL, 0, noted);
    await(&w, &read.op);
    assert_int_equal(read.op.status, UV_EINVAL);
    told(&log_, "init:read<NULL pre:read post:read destroy:read ");
    weft_cancel(&group, UV_EINTR);
    hook_log_forget(&log_);
    weft_read(&group, &refused, NULL, NULL, 0, noted);
    await(&w, &refused.op);
    assert_int_equal(refused.op.status, UV_EINTR);
    assert_true(logged("init:read2<NULL pre:read2 post:read2 destroy:read2 "));
    weft_join(&group);
    world_down(&w);
    hook_log_check_over(&log_);
}

/* ---- signals, and the pipes of a child --------------------------------------------------------- */

static uint64_t arrived_in, arrived_from;
static struct weft_op *arrived_for;

static void arrived(struct weft_op *op)
{
    arrived_in = weft_current_id();
    arrived_from = weft_trigger_id();
    arrived_for = weft_current();
    if (weft_owner(op, struct weft_signal, op)->count == 2)
        weft_end(op, 0);
}

TEST(what_a_signal_calls_is_a_callback_of_its_own)
{
    up();
    struct weft_signal signal_op = {.arrived = arrived};
    weft_signal(root_of(&w), &signal_op, SIGUSR1, noted);
    for (uint64_t i = 1; i <= 2; i++) {
        raise(SIGUSR1);
        while (signal_op.count < i)
            uv_run(&w.uv, UV_RUN_ONCE);
    }
    assert_int_equal(arrived_in, id_of("signal"));
    assert_int_equal(arrived_from, weft_id(root_of(&w)));
    assert_ptr_equal(arrived_for, &signal_op.op);
    world_down(&w);
    assert_int_equal(hook_log_find(&log_, "signal")->pairs, 3); /* and its then */
    hook_log_check_over(&log_);
}

TEST(what_a_signal_calls_runs_for_it_also_if_nobody_looks)
{
    world_up(&w);
    struct weft_signal signal_op = {.arrived = arrived, .count = 0};
    weft_signal(root_of(&w), &signal_op, SIGUSR1, noted);
    raise(SIGUSR1);
    raise(SIGUSR1);
    arrived_for = NULL;
    while (signal_op.count < 1)
        uv_run(&w.uv, UV_RUN_ONCE);
    assert_ptr_equal(arrived_for, &signal_op.op);
    weft_end(&signal_op.op, 0);
    world_down(&w);
}

TEST(the_pipe_of_a_child_is_a_connection_of_its_stream)
{
    static const char *const args[] = {"true", NULL};
    up();
    struct weft_stream out = {0};
    struct weft_process process = {.out = {.kind = WEFT_STDIO_STREAM, .stream = &out}};
    weft_stream_open(root_of(&w), &out, noted);
    weft_process(root_of(&w), &process, args, noted);
    await(&w, &process.op);
    assert_int_equal(process.op.status, 0);
    assert_int_equal(parent_of("connection"), id_of("stream"));
    weft_stream_close(&out);
    world_down(&w);
    hook_log_check_over(&log_);
}
