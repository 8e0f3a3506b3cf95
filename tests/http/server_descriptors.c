/* No descriptor is left: nobody new is accepted for a while, and nothing else breaks. Not for
 * valgrind, which closes what the kernel gives beyond the limit. */
#include "client.h"
#include <sys/resource.h>
#include <weft/timer.h>

static struct site s;
static struct client c;

struct slow {
    struct weft_http_request request;
    struct weft_sleep sleep;
};

static void hello(struct weft_op *op)
{
    weft_http_answer(request_of(op), 200, "text/plain", "hello\n", 6);
}

static void slept(struct weft_op *op, struct weft_op *sleep)
{
    if (sleep->status == 0)
        hello(op);
    else
        weft_finish(op, sleep->status);
}

static void hello_later(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct slow, request.op)->sleep, 100, slept);
}

static struct rlimit before;

/* From here on there are no more. */
static void use_up(void)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int lowest = dup(0);
    close(lowest);
    struct rlimit low = before;
    low.rlim_cur = (rlim_t)lowest;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
}

static void give_back(void)
{
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(without_descriptors_nobody_is_accepted_for_a_while)
{
    static struct client waiting[3];
    site_prepare(&s, hello_later);
    s.server.request_size = sizeof(struct slow);
    site_start(&s);
    dial(&s, &c);
    say(&c, GET_ROOT);
    until(&s, s.server.running == 1);
    for (int i = 0; i < 3; i++)
        dial(&s, &waiting[i]);
    use_up();
    turns(&s);
    assert_int_equal(s.server.connections, 1);
    pass(&s, 50);
    assert_int_equal(s.server.connections, 1);
    pass(&s, 50); /* who is there is served as ever */
    assert_int_equal(hear(&s, &c), 200);
    pass(&s, 1000);
    assert_int_equal(s.server.connections, 1);
    give_back();
    pass(&s, 100);
    until(&s, s.server.connections == 4);
    for (int i = 0; i < 3; i++) {
        say(&waiting[i], GET_ROOT);
        pass(&s, 100);
        assert_int_equal(hear(&s, &waiting[i]), 200);
        hang_up(&waiting[i]);
    }
    hang_up(&c);
    site_down(&s);
}

TEST(a_server_that_pauses_can_be_drained_and_cancelled)
{
    for (int i = 0; i < 2; i++) {
        site_up(&s, hello);
        dial(&s, &c);
        use_up();
        turns(&s);
        assert_int_equal(s.server.connections, 0);
        if (i == 0)
            weft_http_drain(&s.server, 10);
        else
            weft_cancel(&s.server.op, UV_EINTR);
        until(&s, s.status != 1);
        assert_int_equal(s.status, i == 0 ? 0 : UV_EINTR);
        give_back();
        hang_up(&c);
        site_down(&s);
    }
}
