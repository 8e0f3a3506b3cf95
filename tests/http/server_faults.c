/* A whole conversation, in which one allocation after the other fails: the client gets an answer
 * that is right, one that says to come again, or none; never a wrong one.
 * ctest: labels=valgrind-long timeout=120 */
#include "client.h"
#include "fault.h"

static struct site s;
static struct client c;

struct upload {
    struct weft_http_request request;
    struct weft_http_read_all all;
    struct weft_http_write write;
};

static struct upload *upload_of(struct weft_op *op)
{
    return weft_owner(op, struct upload, request.op);
}

static void all_read(struct weft_op *op, struct weft_op *all)
{
    struct upload *u = upload_of(op);
    if (all->status != 0) {
        weft_end(op, all->status);
        return;
    }
    weft_http_answerf(&u->request, 200, NULL, "%s", u->all.data);
    weft_http_read_all_free(&u->all);
}

static void written(struct weft_op *op, struct weft_op *write)
{
    if (write->status != 0)
        weft_end(op, write->status);
    else
        weft_http_end(request_of(op));
}

static void converse(struct weft_op *op)
{
    struct upload *u = upload_of(op);
    struct weft_http_request *request = &u->request;
    int err = 0;
    switch (request->head.path.data[1]) {
    case 'a': /* a short text */
        weft_http_answerf(request, 200, NULL, "short");
        break;
    case 'b': /* a text that is copied */
        weft_http_answerf(request, 200, NULL, "%0*d", 3000, 7);
        break;
    case 'c': /* the body */
        weft_http_read_all(op, &u->all, request, all_read);
        break;
    case 'd': /* a large head, and pieces */
        for (int i = 0; i < 30 && err == 0; i++)
            err = weft_http_setf(request, "X-Fill", "%0*d", 100, i);
        if (err == 0)
            err = weft_http_start(request, 200, NULL, WEFT_HTTP_UNKNOWN);
        if (err == 0)
            weft_http_write(op, &u->write, request, "piece", 5, written);
        else
            weft_end(op, err);
        break;
    default:
        weft_http_answer(request, 404, NULL, NULL, 0);
        break;
    }
}

static char body[6001];

static const char *const requests[] = {
    "GET /a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /b HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 6000\r\n\r\n",
    "GET /d HTTP/1.1\r\nHost: a\r\n\r\n",
};
enum { REQUESTS = sizeof requests / sizeof *requests };

static unsigned right_answers;

static void check_answer(size_t i)
{
    if (c.status == 503)
        return;
    assert_int_equal(c.status, 200);
    switch (i) {
    case 0:
        assert_string_equal(c.body, "short");
        break;
    case 1:
        assert_int_equal(c.body_size, 3000);
        break;
    case 2:
        assert_int_equal(c.body_size, 6000);
        assert_memory_equal(c.body, body, 6000);
        break;
    default:
        assert_string_equal(c.body, "piece");
        break;
    }
    right_answers++;
}

/* Ask, on a new connection if the last one was closed, and look at what comes. */
static void ask_for(size_t i, bool heads_are_long)
{
    static char padding[2000];
    memset(padding, 'x', sizeof padding - 1);
    if (c.fd < 0)
        dial(&s, &c);
    const char *rest = strstr(requests[i], "\r\n") + 2;
    char head[3000];
    int size = heads_are_long ? snprintf(head, sizeof head, "%.*sX: %s\r\n%s",
                                         (int)(rest - requests[i]), requests[i], padding, rest)
                              : snprintf(head, sizeof head, "%s", requests[i]);
    send(c.fd, head, (size_t)size, MSG_NOSIGNAL);
    if (i == 2)
        send(c.fd, body, 6000, MSG_NOSIGNAL);
    for (int turns_left = 100; turns_left > 0; turns_left--) {
        pass(&s, 10); /* accepting may pause */
        if (take_answer(&c, true)) {
            check_answer(i);
            break;
        }
        if (heard_end(&c))
            break;
    }
    assert_true(c.size == 0 || heard_end(&c));
    if (heard_end(&c))
        hang_up(&c);
}

static void talk(bool heads_are_long)
{
    memset(body, 'y', 6000);
    c.fd = -1;
    right_answers = 0;
    s.status = 1;
    s.server = (struct weft_http_server){.handler = converse, .done = tell};
    s.server.request_size = sizeof(struct upload);
    site_start(&s);
    turns(&s);
    if (s.status != 1) {
        assert_int_equal(s.status, UV_ENOMEM);
        return;
    }
    for (size_t i = 0; i < REQUESTS; i++)
        ask_for(i, heads_are_long);
    if (c.fd >= 0)
        hang_up(&c);
    weft_http_drain(&s.server, 5000);
    pass(&s, 5000);
    assert_int_equal(s.status, 0);
    assert_int_equal(s.server.connections, 0);
    assert_int_equal(s.server.running, 0);
}

static void scenario_of(bool heads_are_long)
{
    memset(&s, 0, sizeof s);
    assert_int_equal(uv_loop_init(&s.w.uv), 0);
    int err = weft_loop_init(&s.w.loop, &s.w.uv);
    if (err == 0) {
        const char *seed = getenv("WEFT_SHUFFLE");
        s.w.simulated = true;
        weft_sim_init(&s.w.sim, &s.w.loop, seed != NULL ? strtoull(seed, NULL, 0) : 0);
        talk(heads_are_long);
        world_down(&s.w);
        return;
    }
    assert_int_equal(err, UV_ENOMEM);
    uv_run(&s.w.uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&s.w.uv), 0);
}

static void short_heads(unsigned long n)
{
    (void)n;
    scenario_of(false);
}

static void long_heads(unsigned long n)
{
    (void)n;
    scenario_of(true);
}

TEST(a_conversation_survives_running_out_of_memory)
{
    fault_ladder(short_heads);
    assert_int_equal(right_answers, REQUESTS); /* the last time nothing failed */
    fault_ladder(long_heads);
    assert_int_equal(right_answers, REQUESTS);
}
