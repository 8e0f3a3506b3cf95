/* Clients that leave: whatever is done for them stops at once. Also those who only end their side,
 * and those who leave in the middle of a word.
 * ctest: labels=valgrind-long timeout=120 */
#include "client.h"
#include <signal.h>
#include <weft/process.h>
#include <weft/timer.h>

static struct site s;
static struct client c;

/* ---- handlers ------------------------------------------------------------------------------- */

struct work {
    struct weft_http_request request;
    struct weft_sleep sleep;
    struct weft_process process;
    struct weft_http_read_all all;
    struct weft_http_write write;
};

/* What the last one did. */
static struct {
    unsigned begun, steps;
    int cancelled; /* with this reason its work was stopped; 0: it was not */
    pid_t pid;
} seen_work;

static struct work *work_of(struct weft_op *op)
{
    return weft_owner(op, struct work, request.op);
}

static void up_with(weft_begin_fn *handler, bool half_close)
{
    memset(&seen_work, 0, sizeof seen_work);
    site_prepare(&s, handler);
    s.server.request_size = sizeof(struct work);
    s.server.half_close = half_close;
    site_start(&s);
}

static void hello(struct weft_op *op)
{
    seen_work.begun++;
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

static void step(struct weft_op *op, struct weft_op *sleep)
{
    struct work *work = work_of(op);
    if (sleep->status != 0) {
        seen_work.cancelled = sleep->status;
        weft_finish(op, sleep->status);
    } else if (++seen_work.steps < 10) {
        weft_sleep(op, &work->sleep, 10, step);
    } else {
        weft_http_answer(&work->request, 200, NULL, "done", 4);
    }
}

/* Ten steps of ten milliseconds. */
static void work_in_steps(struct weft_op *op)
{
    seen_work.begun++;
    weft_sleep(op, &work_of(op)->sleep, 10, step);
}

/* ---- the work stops ------------------------------------------------------------------------- */

static void leaves_in_the_middle(void (*leave)(struct client *))
{
    up_with(work_in_steps, false);
    dial(&s, &c);
    say(&c, GET_ROOT);
    pass(&s, 35);
    assert_int_equal(seen_work.steps, 3);
    assert_int_equal(s.server.running, 1);
    leave(&c);
    until(&s, s.server.running == 0);
    assert_int_equal(seen_work.cancelled, UV_ECONNRESET);
    until(&s, s.server.connections == 0);
    pass(&s, 1000);
    assert_int_equal(seen_work.steps, 3); /* not one more */
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 0);
    assert_int_equal(told.peer_status, 0); /* who it was is still known */
    assert_int_equal(told.peer.to.any.sa_family, AF_INET);
    if (c.fd >= 0)
        hang_up(&c);
    site_down(&s);
}

TEST(a_client_that_leaves_stops_the_work_of_its_handler)
{
    leaves_in_the_middle(hang_up);
    leaves_in_the_middle(slam);
    leaves_in_the_middle(fall_silent);
}

TEST(a_client_that_stays_gets_what_the_handler_works_for)
{
    up_with(work_in_steps, false);
    dial(&s, &c);
    say(&c, GET_ROOT);
    pass(&s, 100);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "done");
    assert_int_equal(seen_work.cancelled, 0);
    hang_up(&c);
    site_down(&s);
}

static void process_over(struct weft_op *op, struct weft_op *process)
{
    seen_work.cancelled = process->status;
    weft_end(op, process->status);
}

static void run_a_process(struct weft_op *op)
{
    struct work *work = work_of(op);
    static const char *const args[] = {"sleep", "1000", NULL};
    weft_process(op, &work->process, args, process_over);
    seen_work.pid = work->process.pid;
}

TEST(a_client_that_leaves_stops_the_process_that_runs_for_it)
{
    site_prepare_on(&s, false, run_a_process); /* virtual time would wait for the child */
    s.server.request_size = sizeof(struct work);
    site_start(&s);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, seen_work.pid > 0);
    assert_int_equal(kill(seen_work.pid, 0), 0);
    hang_up(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(seen_work.cancelled, UV_ECONNRESET);
    assert_int_equal(kill(seen_work.pid, 0), -1); /* it is gone, and nobody's zombie */
    site_down(&s);
}

/* ---- in the middle of a body, in the middle of an answer ------------------------------------ */

static void body_over(struct weft_op *op, struct weft_op *all)
{
    struct work *work = work_of(op);
    if (all->status != 0) {
        seen_work.cancelled = all->status;
        weft_end(op, all->status);
        return;
    }
    weft_http_read_all_free(&work->all);
    weft_http_answer(&work->request, 200, NULL, "read", 4);
}

static void read_body(struct weft_op *op)
{
    seen_work.begun++;
    weft_http_read_all(op, &work_of(op)->all, request_of(op), body_over);
}

static void leaves_in_its_body(void (*leave)(struct client *))
{
    up_with(read_body, false);
    dial(&s, &c);
    say(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
    until(&s, seen_work.begun == 1);
    leave(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(seen_work.cancelled, UV_ECONNRESET);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 0);
    if (c.fd >= 0)
        hang_up(&c);
    site_down(&s);
}

TEST(a_client_that_leaves_in_its_body_is_not_read_any_more)
{
    for (site_seed = 0; site_seed < 20; site_seed++) { /* its end is told twice, in any order */
        leaves_in_its_body(hang_up);
        leaves_in_its_body(slam);
        leaves_in_its_body(fall_silent);
    }
    site_seed = 0;
}

static void step_of_answer(struct weft_op *op, struct weft_op *before)
{
    struct work *work = work_of(op);
    if (before->status != 0) {
        seen_work.cancelled = before->status;
        weft_end(op, before->status);
    } else if (before == &work->sleep.op) {
        seen_work.steps++;
        weft_http_write(op, &work->write, &work->request, "more", 4, step_of_answer);
    } else {
        weft_sleep(op, &work->sleep, 10, step_of_answer);
    }
}

static void answer_for_ever(struct weft_op *op)
{
    struct work *work = work_of(op);
    assert_int_equal(weft_http_start(&work->request, 200, NULL, WEFT_HTTP_UNKNOWN), 0);
    weft_http_write(op, &work->write, &work->request, NULL, 0, step_of_answer);
}

TEST(a_client_that_leaves_in_the_answer_stops_it)
{
    up_with(answer_for_ever, false);
    for (int i = 1; i <= 3; i++) {
        dial(&s, &c);
        say(&c, GET_ROOT);
        pass(&s, 35);
        assert_int_equal(s.server.running, 1);
        unsigned steps = seen_work.steps;
        i == 1 ? hang_up(&c) : i == 2 ? slam(&c) : fall_silent(&c);
        until(&s, s.server.connections == 0);
        pass(&s, 100);
        assert_int_equal(seen_work.steps, steps);
        assert_int_equal(seen_work.cancelled, UV_ECONNRESET);
        assert_int_equal(told.calls, i);
        assert_int_equal(told.answered, 200);
    }
    hear_reset(&s, &c); /* what was cut does not look like an end */
    hang_up(&c);
    site_down(&s);
}

/* An answer that is given when nobody is there. */
static void answer_after_all(struct weft_op *op, struct weft_op *sleep)
{
    struct weft_http_request *request = request_of(op);
    seen_work.cancelled = sleep->status;
    assert_int_equal(weft_http_start(request, 200, NULL, 4), UV_ECONNRESET);
    weft_http_answerf(request, 200, NULL, "%s", "late");
    weft_http_answer(request, 200, NULL, "late", 4);
    assert_int_equal(request->answered, 0);
}

static void answer_whatever_happens(struct weft_op *op)
{
    weft_sleep(op, &work_of(op)->sleep, 1000, answer_after_all);
}

TEST(an_answer_for_nobody_ends_the_request_all_the_same)
{
    up_with(answer_whatever_happens, false);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    hang_up(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(seen_work.cancelled, UV_ECONNRESET);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.answered, 0);
    site_down(&s);
}

/* ---- those who only end their side ---------------------------------------------------------- */

/* The client asks i times and ends its side, all of which is there when the server looks. */
static void ask_and_fall_silent(int i, bool accepted)
{
    dial(&s, &c);
    if (accepted)
        until(&s, s.server.connections == 1);
    for (int k = 0; k < i; k++)
        say(&c, GET_ROOT);
    fall_silent(&c);
}

static void is_answered_at_once_or_not_at_all(bool accepted)
{
    up_with(hello, false);
    for (int i = 1; i <= 3; i++) {
        ask_and_fall_silent(i, accepted);
        for (int k = 0; k < i; k++)
            assert_int_equal(hear(&s, &c), 200);
        hear_end(&s, &c);
        hang_up(&c);
        until(&s, s.server.connections == 0);
    }
    site_down(&s);
    up_with(work_in_steps, false);
    ask_and_fall_silent(2, accepted);
    hear_end(&s, &c);
    assert_true(seen_work.begun <= 1);
    assert_int_equal(seen_work.steps, 0);
    hang_up(&c);
    site_down(&s);
}

TEST(a_request_and_an_end_in_one_segment_are_answered_if_that_can_be_at_once)
{
    for (site_seed = 0; site_seed < 20; site_seed++) {
        is_answered_at_once_or_not_at_all(false);
        is_answered_at_once_or_not_at_all(true);
    }
    site_seed = 0;
}

enum { HUGE = 16 * 1024 * 1024 };
static char zeros[HUGE];

static void answer_huge(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, NULL, zeros, HUGE);
}

TEST(an_answer_that_is_given_is_finished_for_a_client_that_ended_its_side)
{
    up_with(answer_huge, false);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    fall_silent(&c);
    turns(&s);
    assert_int_equal(s.server.running, 1);
    size_t total = 0;
    ssize_t got = -1;
    while (got != 0) { /* to the end, without a reset */
        turn(&s);
        got = recv(c.fd, c.bytes, EARS, 0);
        assert_true(got >= 0 || errno == EAGAIN);
        total += got > 0 ? (size_t)got : 0;
    }
    assert_true(total > HUGE);
    hang_up(&c);
    site_down(&s);
}

TEST(with_half_close_a_client_that_ended_its_side_is_waited_for)
{
    up_with(work_in_steps, true);
    dial(&s, &c);
    say(&c, GET_ROOT);
    fall_silent(&c);
    pass(&s, 50);
    assert_int_equal(seen_work.steps, 5);
    pass(&s, 50);
    assert_int_equal(hear(&s, &c), 200);
    assert_string_equal(c.body, "done");
    hear_end(&s, &c);
    hang_up(&c);
    /* A body cut short is a mistake of a client that is still there. */
    until(&s, s.server.connections == 0);
    s.server.handler = read_body;
    for (int chunked = 0; chunked < 2; chunked++) {
        dial(&s, &c);
        say(&c, chunked ? "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n123"
                        : "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
        fall_silent(&c);
        assert_int_equal(hear(&s, &c), 400);
        hear_end(&s, &c);
        hang_up(&c);
    }
    /* One that is reset has left, whatever the setting. */
    s.server.handler = work_in_steps;
    seen_work.steps = 0;
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    slam(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(seen_work.cancelled, UV_ECONNRESET);
    site_down(&s);
}

/* ---- at every byte -------------------------------------------------------------------------- */

static const char conversation[] =
    "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n123456789012"
    "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\n12345\r\n0\r\nT: "
    "x\r\n\r\n"
    "GET /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n";

/* The client says the first bytes of it, then leaves in one of three ways. */
static void leaves_after(size_t bytes, unsigned how, bool at_once)
{
    dial(&s, &c);
    say_bytes(&c, conversation, bytes);
    if (!at_once)
        turn(&s);
    if (how == 0)
        hang_up(&c);
    else if (how == 1)
        slam(&c);
    else
        fall_silent(&c);
    until(&s, s.server.connections == 0);
    assert_int_equal(s.server.running, 0);
    assert_int_equal(told.calls, seen_work.begun);
    if (c.fd >= 0)
        hang_up(&c);
}

static void leaves_at_every_byte(weft_begin_fn *handler, bool half_close)
{
    up_with(handler, half_close);
    for (size_t bytes = 0; bytes < sizeof conversation; bytes++) {
        for (unsigned how = 0; how < 6; how++)
            leaves_after(bytes, how % 3, how < 3);
    }
    s.server.handler = hello;
    serves_on(&s);
    site_down(&s);
}

TEST(a_client_may_leave_at_every_byte_of_what_it_says)
{
    leaves_at_every_byte(hello, false);
    leaves_at_every_byte(read_body, false);
    leaves_at_every_byte(work_in_steps, false);
    leaves_at_every_byte(hello, true);
    leaves_at_every_byte(read_body, true);
}
