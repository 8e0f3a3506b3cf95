/* The server as hooks see it: connections, pooled parsers, handlers.
 * ctest: labels=valgrind needs=hooks */
#include "client.h"
#include "hook_log.h"

static struct hook_log log_;
static struct {
    uint64_t current[4], trigger[4], done[4];
    struct weft_op *whose, *op, *above;
    unsigned calls, dones;
} at;

static void handler(struct weft_op *op)
{
    at.current[at.calls] = weft_current_id();
    at.trigger[at.calls++] = weft_trigger_id();
    at.whose = weft_current();
    at.op = op;
    at.above = op->parent;
    weft_http_answerf(request_of(op), 200, "text/plain", "hello\n");
}

static void done(struct weft_http_request *request)
{
    (void)request;
    at.done[at.dones++] = weft_current_id();
}

static void up(struct site *s)
{
    memset(&at, 0, sizeof at);
    site_prepare(s, handler);
    s->server.done = done;
    hook_log_init(&log_);
    assert_int_equal(weft_hook_enable(&s->w.loop, &log_.hook), 0);
    site_start(s);
}

TEST(in_a_handler_the_parser_is_current_and_the_connection_its_parent)
{
    static struct client c;
    struct site s;
    up(&s);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    assert_int_equal(at.current[0], hook_log_find(&log_, "http_parser")->id);
    assert_int_equal(at.trigger[0], hook_log_find(&log_, "http_connection")->id);
    assert_int_equal(hook_log_find(&log_, "http_request")->parent,
                     hook_log_find(&log_, "http_connection")->id);
    assert_int_equal(hook_log_find(&log_, "http_connection")->parent,
                     hook_log_find(&log_, "http_server")->id);
    assert_int_equal(hook_log_find(&log_, "connection")->parent,
                     hook_log_find(&log_, "listen")->id);
    assert_ptr_equal(at.whose, at.op); /* on whose behalf: the request's */
    assert_int_equal(at.done[0], at.current[0]);
    hang_up(&c);
    site_down(&s);
    hook_log_check_over(&log_);
}

TEST(a_pooled_parser_is_destroyed_and_has_a_new_id_when_it_comes_out_again)
{
    static struct client c;
    struct site s;
    up(&s);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    const struct hook_log_resource *first = hook_log_find(&log_, "http_parser");
    assert_true(first->over); /* between two requests a connection has none */
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    const struct hook_log_resource *second = hook_log_find(&log_, "http_parser2");
    assert_ptr_equal(second->resource, first->resource); /* it is the same storage */
    assert_int_not_equal(second->id, first->id);
    assert_int_equal(at.current[1], second->id);
    assert_int_equal(at.trigger[1], at.trigger[0]);
    assert_int_equal(second->pairs, 2); /* the handler, and done */
    hang_up(&c);
    site_down(&s);
    hook_log_check_over(&log_);
}

TEST(without_a_hook_a_handler_runs_for_its_request)
{
    static struct client c;
    struct site s;
    memset(&at, 0, sizeof at);
    site_up(&s, handler);
    dial(&s, &c);
    say(&c, GET_ROOT);
    assert_int_equal(hear(&s, &c), 200);
    assert_ptr_equal(at.whose, at.op);
    hang_up(&c);
    site_down(&s);
}

TEST(a_request_that_is_refused_is_seen_too)
{
    static struct client c;
    struct site s;
    up(&s);
    dial(&s, &c);
    say(&c, "nonsense\r\n\r\n");
    assert_int_equal(hear(&s, &c), 400);
    assert_int_equal(hook_log_find(&log_, "http_refusal")->pairs, 1);
    assert_int_equal(at.calls, 0);
    hang_up(&c);
    site_down(&s);
    hook_log_check_over(&log_);
}
