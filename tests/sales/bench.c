/* The parts of weft sales bench: a load.
 * ctest: labels=valgrind */
#include "fault.h"
#include "loop.h"
#include "sales/bench.h"
#include <string.h>
#include <weft/http_server.h>

/* ---- a load ---------------------------------------------------------------------------------- */

struct loaded {
    struct world w;
    struct weft_http_server server;
    struct bench_load load;
    int status;   /* that it answers with; 0: never */
    bool refuses; /* the first request, with 503 */
};
static struct loaded it;

static void handle(struct weft_op *op)
{
    struct weft_http_request *request = weft_owner(op, struct weft_http_request, op);
    if (it.refuses)
        weft_http_answer(request, 503, "text/plain", "too many wait\r\n", 15);
    else if (it.status != 0)
        weft_http_answer(request, it.status, "text/plain", "it is 42\r\n", 10);
    else
        wait_for_cancel(op);
    it.refuses = false;
}

static void load_over(struct weft_op *root, struct weft_op *op)
{
    bench_load_free(&it.load);
    noted(root, op);
    weft_cancel(&it.server.op, UV_ECANCELED);
}

static void load_up(struct bench_load load, int status)
{
    it = (struct loaded){.load = load, .status = status};
    world_up(&it.w);
}

static int load_down(void)
{
    struct weft_address address;
    it.server = (struct weft_http_server){.handler = handle, .requests_max = 5};
    weft_address_parse(&address, "127.0.0.1:0");
    weft_http_serve(weft_root(&it.w.loop), &it.server, &address, weft_ignore);
    it.load.server = &it.server.address;
    it.load.request = weft_text_of("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    bench_load(weft_root(&it.w.loop), &it.load, load_over);
    world_down(&it.w);
    return seen.status;
}

static int load(struct bench_load load, int status)
{
    load_up(load, status);
    return load_down();
}

TEST(a_paced_load_asks_as_often_as_it_should)
{
    assert_int_equal(
        load((struct bench_load){.clients = 7, .every_ms = 5, .patience_ms = 9000}, 200), 0);
    assert_int_equal(it.load.requests, 7);
    assert_int_equal(it.load.failed, 0);
    assert_int_equal(it.load.latency.count, 7);
    assert_true(it.load.took_ns >= 20000000); /* 30, but for the clock's grain */
    assert_string_equal(it.load.answer, "it is 42");
}

/* The server closes each connection after five requests. */
TEST(a_closed_loop_asks_until_its_time_is_over)
{
    assert_int_equal(
        load((struct bench_load){.clients = 3, .for_ms = 50, .patience_ms = 9000}, 200), 0);
    assert_true(it.load.requests >= 3);
    assert_int_equal(it.load.latency.count, it.load.requests);
    assert_true(it.load.took_ns >= 50000000);
    assert_string_equal(it.load.answer, "it is 42");
}

TEST(answers_that_are_not_200_are_counted_apart)
{
    assert_int_equal(
        load((struct bench_load){.clients = 4, .every_ms = 1, .patience_ms = 9000}, 503), 0);
    assert_int_equal(it.load.requests, 0);
    assert_int_equal(it.load.failed, 4);
    assert_int_equal(it.load.status, 503);
    assert_int_equal(it.load.latency.count, 0);
}

TEST(an_answer_that_is_not_200_is_the_one_that_is_kept)
{
    load_up((struct bench_load){.clients = 4, .every_ms = 1, .patience_ms = 9000}, 200);
    it.refuses = true;
    assert_int_equal(load_down(), 0);
    assert_int_equal(it.load.failed, 1);
    assert_int_equal(it.load.requests, 3);
    assert_string_equal(it.load.answer, "too many wait");
}

TEST(a_load_is_not_patient_for_ever)
{
    assert_int_equal(load((struct bench_load){.clients = 2, .every_ms = 1, .patience_ms = 20}, 0),
                     UV_ETIMEDOUT);
}

/* The loop is not what is asked here. Where the server has no memory it may close, or say 503. */
static void load_a_little(unsigned long n)
{
    weft_fault_fail_at(0);
    load_up((struct bench_load){.clients = 2, .every_ms = 1, .patience_ms = 200}, 200);
    weft_fault_fail_at(n);
    int status = load_down();
    assert_true(status <= 0);
    assert_true(status != 0 || it.load.requests + it.load.failed == 2);
}

TEST(a_load_survives_running_out_of_memory)
{
    fault_ladder(load_a_little);
}
