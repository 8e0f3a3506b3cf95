/* Context in a server: each request has its own, whatever came before it on its connection.
 * ctest: labels=valgrind-long needs=hooks */
#include "client.h"
#include <weft/context.h>
#include <weft/hook.h>
#include <weft/timer.h>

static struct site s;
static struct client c;

enum { REQUESTS = 4 };

/* What a request knows about itself, as a logger would want it. */
static struct identity {
    int number;
    unsigned looks, released;
} identities[REQUESTS];
static int handled;

static void identity_release(void *value)
{
    ((struct identity *)value)->released++;
}
static struct weft_key identity_key = {.name = "identity", .release = identity_release};
static struct weft_key site_key = {.name = "site"};

static struct identity *identity_of(const struct weft_op *op)
{
    return weft_context_get(op, &identity_key);
}

struct request {
    struct weft_http_request http;
    struct weft_sleep sleep;
    struct weft_http_read_all body;
    struct weft_http_write write;
    struct identity *identity;
};

static struct request *mine(struct weft_op *op)
{
    return weft_owner(op, struct request, http.op);
}

static void look(struct weft_op *op)
{
    struct request *request = mine(op);
    assert_ptr_equal(identity_of(op), request->identity);
    assert_ptr_equal(identity_of(weft_current()), request->identity);
    request->identity->looks++;
}

/* A request begins with nothing of those before it. */
static void identify(struct weft_op *op)
{
    struct request *request = mine(op);
    assert_null(identity_of(op));
    assert_null(identity_of(weft_current()));
    assert_string_equal(weft_context_get(op, &site_key), "the site");
    assert_true(handled < REQUESTS);
    request->identity = &identities[handled++];
    assert_int_equal(weft_context_set(op, &identity_key, request->identity), 0);
    look(op);
}

static void answer(struct weft_op *op, struct weft_op *child)
{
    (void)child;
    look(op);
    weft_http_answerf(request_of(op), 200, "text/plain", "%d", mine(op)->identity->number);
}

static void sleep_and_answer(struct weft_op *op)
{
    identify(op);
    weft_sleep(op, &mine(op)->sleep, 10, answer);
}

/* A request that is told of is over. What a log wants to know about it is in its own struct. */
static void report(struct weft_http_request *request)
{
    assert_null(identity_of(&request->op));
    assert_true(mine(&request->op)->identity->looks >= 2);
    tell(request);
}

static void prepare(weft_begin_fn *handler)
{
    static char name[] = "the site";
    memset(identities, 0, sizeof identities);
    for (int i = 0; i < REQUESTS; i++)
        identities[i].number = i;
    handled = 0;
    site_prepare(&s, handler);
    s.server.request_size = sizeof(struct request);
    s.server.done = report;
    assert_int_equal(weft_context_set(weft_root(&s.w.loop), &site_key, name), 0);
    site_start(&s);
    dial(&s, &c);
}

static void hear_number(int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, text);
}

/* Each was released once, and seen so often. */
static void all_released(int count, unsigned looks)
{
    until(&s, s.server.running == 0);
    assert_int_equal(handled, count);
    assert_int_equal(told.calls, (unsigned)count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(identities[i].released, 1);
        assert_int_equal(identities[i].looks, looks);
    }
}

TEST(requests_on_a_kept_connection_do_not_see_each_other_s)
{
    prepare(sleep_and_answer);
    for (int i = 0; i < 3; i++) {
        say(&c, GET_ROOT);
        until(&s, handled == i + 1);
        pass(&s, 10);
        hear_number(i);
        all_released(i + 1, 2); /* after each, while the connection is kept */
    }
    hang_up(&c);
    site_down(&s);
}

TEST(pipelined_requests_do_not_see_each_other_s)
{
    prepare(sleep_and_answer);
    say(&c, GET_ROOT GET_ROOT GET_ROOT);
    for (int i = 0; i < 3; i++) {
        until(&s, handled == i + 1);
        pass(&s, 10);
        hear_number(i);
    }
    all_released(3, 2);
    hang_up(&c);
    site_down(&s);
}

static void piece_written(struct weft_op *op, struct weft_op *write)
{
    assert_int_equal(write->status, 0);
    look(op);
    weft_http_end(request_of(op));
}

static void body_read(struct weft_op *op, struct weft_op *read)
{
    struct request *request = mine(op);
    assert_int_equal(read->status, 0);
    look(op);
    assert_int_equal(request->body.size, 5);
    weft_http_read_all_free(&request->body);
    assert_int_equal(weft_http_start(&request->http, 200, "text/plain", 1), 0);
    weft_http_write(op, &request->write, &request->http, "0", 1, piece_written);
}

static void read_and_write(struct weft_op *op)
{
    identify(op);
    weft_http_read_all(op, &mine(op)->body, request_of(op), body_read);
}

TEST(the_pieces_of_a_body_and_of_an_answer_have_it)
{
    prepare(read_and_write);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
    until(&s, handled == 1);
    say(&c, "llo");
    hear_number(0);
    all_released(1, 3);
    hang_up(&c);
    site_down(&s);
}

TEST(a_client_that_leaves_takes_its_request_s_with_it)
{
    prepare(sleep_and_answer);
    say(&c, GET_ROOT);
    until(&s, handled == 1);
    assert_int_equal(identities[0].released, 0);
    hang_up(&c);
    until(&s, s.server.connections == 0);
    all_released(1, 2); /* its sleep was told, too */
    site_down(&s);
}

TEST(requests_on_many_connections_keep_their_own)
{
    static struct client clients[REQUESTS];
    prepare(sleep_and_answer);
    hang_up(&c);
    for (int i = 0; i < REQUESTS; i++) {
        dial(&s, &clients[i]);
        say(&clients[i], GET_ROOT);
    }
    until(&s, handled == REQUESTS);
    pass(&s, 10);
    for (int i = 0; i < REQUESTS; i++) {
        assert_int_equal(hear(&s, &clients[i]), 200);
        hang_up(&clients[i]);
    }
    all_released(REQUESTS, 2);
    site_down(&s);
}
