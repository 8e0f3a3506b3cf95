/* Deferral: a tick comes before I/O, an immediate after it.
 * ctest: labels=valgrind */
#include "loop.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What happened, in order, one letter each. */
static char trace[64];

static void happens(char what)
{
    size_t length = strlen(trace);
    assert_true(length + 1 < sizeof trace);
    trace[length] = what;
    trace[length + 1] = '\0';
}

/* A socket that can be read from the start; each read is noted as 'r'. */
struct socket {
    uv_poll_t poll;
    int ends[2];
    unsigned reads, stop_after;
};

static void readable(uv_poll_t *poll, int status, int events)
{
    struct socket *s = poll->data;
    (void)status;
    (void)events;
    if (s->stop_after < 100)
        happens('r');
    if (++s->reads == s->stop_after)
        uv_close((uv_handle_t *)poll, NULL);
}

static void socket_up(struct socket *s, uv_loop_t *uv, unsigned stop_after)
{
    *s = (struct socket){.stop_after = stop_after};
    trace[0] = '\0';
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s->ends), 0);
    assert_int_equal(write(s->ends[1], "x", 1), 1); /* never taken out: readable for good */
    assert_int_equal(uv_poll_init(uv, &s->poll, s->ends[0]), 0);
    s->poll.data = s;
    assert_int_equal(uv_poll_start(&s->poll, UV_READABLE, readable), 0);
}

static void socket_down(struct socket *s)
{
    close(s->ends[0]);
    close(s->ends[1]);
}

struct chain {
    struct weft_op op;
    unsigned left;
    struct socket *socket;
};

static void tick_again(struct weft_op *root, struct weft_op *op)
{
    struct chain *chain = weft_owner(op, struct chain, op);
    happens('t');
    if (--chain->left > 0)
        weft_tick(root, op, tick_again);
}

TEST(ticks_come_before_io)
{
    struct world w;
    world_up(&w);
    struct socket s;
    socket_up(&s, &w.uv, 1);
    struct chain chain = {.left = 5};
    weft_tick(weft_root(&w.loop), &chain.op, tick_again);
    assert_string_equal(trace, "");
    world_down(&w);
    assert_string_equal(trace, "tttttr");
    socket_down(&s);
}

static void immediate_again(struct weft_op *root, struct weft_op *op)
{
    struct chain *chain = weft_owner(op, struct chain, op);
    happens('i');
    if (--chain->left > 0)
        weft_immediate(root, op, immediate_again);
}

TEST(an_immediate_comes_after_the_io_that_is_pending)
{
    struct world w;
    world_up(&w);
    struct socket s;
    socket_up(&s, &w.uv, 1);
    struct chain chain = {.left = 1};
    weft_immediate(weft_root(&w.loop), &chain.op, immediate_again);
    world_down(&w);
    assert_string_equal(trace, "ri");
    socket_down(&s);
}

static void start_immediate(struct weft_op *root, struct weft_op *op)
{
    struct chain *chain = weft_owner(op, struct chain, op);
    happens('t');
    weft_immediate(root, &chain->op, immediate_again);
}

TEST(an_immediate_begun_in_a_then_comes_after_the_io_too)
{
    struct world w;
    world_up(&w);
    struct socket s;
    socket_up(&s, &w.uv, 1);
    struct chain chain = {.left = 1};
    weft_tick(weft_root(&w.loop), &chain.op, start_immediate);
    world_down(&w);
    assert_string_equal(trace, "tri");
    socket_down(&s);
}

TEST(a_chain_of_immediates_leaves_io_its_turn_at_every_link)
{
    struct world w;
    world_up(&w);
    struct socket s;
    socket_up(&s, &w.uv, 5);
    struct chain chain = {.left = 5};
    weft_immediate(weft_root(&w.loop), &chain.op, immediate_again);
    world_down(&w);
    assert_string_equal(trace, "ririririri");
    socket_down(&s);
}

TEST(immediates_that_wait_together_come_together_in_order)
{
    struct world w;
    world_up_in_order(&w);
    struct socket s;
    socket_up(&s, &w.uv, 1);
    struct chain chains[3] = {{.left = 1}, {.left = 1}, {.left = 1}};
    struct weft_op last = {0};
    for (int i = 0; i < 3; i++)
        weft_immediate(weft_root(&w.loop), &chains[i].op, immediate_again);
    weft_immediate(weft_root(&w.loop), &last, noted);
    world_down(&w);
    assert_string_equal(trace, "riii");
    assert_int_equal(seen.calls, 1);
    socket_down(&s);
}

static void close_socket(struct weft_op *root, struct weft_op *op)
{
    noted(root, op);
    uv_close((uv_handle_t *)&weft_owner(op, struct chain, op)->socket->poll, NULL);
}

/* Nothing can be read, so the poll would wait for ever if it waited at all. */
TEST(an_immediate_does_not_wait_for_io)
{
    struct world w;
    world_up(&w);
    struct socket s;
    socket_up(&s, &w.uv, 1);
    char x;
    assert_int_equal(read(s.ends[0], &x, 1), 1);
    struct chain chain = {.socket = &s};
    weft_immediate(weft_root(&w.loop), &chain.op, close_socket);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_string_equal(trace, "");
    socket_down(&s);
}

TEST(a_tick_is_on_its_way_at_once_and_cannot_be_cancelled)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_tick(weft_root(&w.loop), &op, noted);
    weft_cancel(&op, UV_ECANCELED);
    assert_int_equal(seen.calls, 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_cancelled_immediate_reports_the_reason)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_immediate(weft_root(&w.loop), &op, noted);
    weft_cancel(&op, UV_ETIMEDOUT);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
}

TEST(any_of_several_immediates_may_be_cancelled)
{
    for (unsigned mask = 0; mask < 8; mask++) {
        struct world w;
        world_up(&w);
        struct weft_op ops[4] = {0};
        for (int i = 0; i < 3; i++)
            weft_immediate(weft_root(&w.loop), &ops[i], noted);
        for (int i = 0; i < 3; i++) {
            if (mask & 1U << i)
                weft_cancel(&ops[i], UV_ECANCELED);
        }
        weft_immediate(weft_root(&w.loop), &ops[3], noted);
        world_down(&w);
        assert_int_equal(seen.calls, 4);
        for (int i = 0; i < 4; i++)
            assert_int_equal(ops[i].status, mask & 1U << i ? UV_ECANCELED : 0);
    }
}

TEST(an_immediate_on_its_way_cannot_be_cancelled_any_more)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op op = {0};
    weft_immediate(weft_root(&w.loop), &op, noted);
    assert_true(weft_sim_step(&w.sim)); /* I/O is looked at: it is ready now */
    assert_int_equal(seen.calls, 0);
    weft_cancel(&op, UV_ECANCELED);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

TEST(under_a_cancelled_parent_both_are_refused)
{
    struct world w;
    world_up(&w);
    struct weft_op parent = {0}, ops[2] = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_cancel(&parent, UV_ECANCELED);
    weft_tick(&parent, &ops[0], noted);
    weft_immediate(&parent, &ops[1], noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(ops[0].status, UV_ECANCELED);
    assert_int_equal(ops[1].status, UV_ECANCELED);
}

TEST(deferral_works_in_a_simulation)
{
    struct world w;
    world_up_sim(&w, 7);
    trace[0] = '\0';
    struct chain ticks = {.left = 3}, immediates = {.left = 3};
    weft_immediate(weft_root(&w.loop), &immediates.op, immediate_again);
    weft_tick(weft_root(&w.loop), &ticks.op, tick_again);
    world_down(&w);
    assert_string_equal(trace, "tttiii");
}
