/* Listening and accepting.
 * ctest: labels=valgrind */
#include "streams.h"
#include "scratch.h"
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>

static struct weft_address address_of(const char *text)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, text), 0);
    return address;
}

/* A bare client; blocking, so that it is connected when this returns. */
static int client_of(const struct weft_listen *listener)
{
    int fd = socket(listener->address.to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, &listener->address.to.any, listener->address.size), 0);
    return fd;
}

static void listen_on(struct world *w, struct weft_listen *listener, const char *text)
{
    struct weft_address address = address_of(text);
    weft_listen(root_of(w), listener, &address, noted);
}

/* ---- listening ------------------------------------------------------------------------------ */

TEST(a_listener_is_bound_at_once)
{
    struct world w;
    struct weft_listen ip4 = {0}, ip6 = {0};
    world_up(&w);
    w.loop.depth_ = OP_DEPTH;
    listen_on(&w, &ip4, "127.0.0.1:0");
    listen_on(&w, &ip6, has_ip6() ? "[::1]:0" : "127.0.0.1:0");
    w.loop.depth_ = 0;
    assert_true(weft_address_port(&ip4.address) > 0);
    assert_true(weft_address_port(&ip6.address) > 0);
    close(client_of(&ip4));
    close(client_of(&ip6));
    weft_listen_close(&ip4);
    weft_listen_close(&ip6);
    world_down(&w);
    assert_int_equal(ip4.op.status, 0);
    assert_int_equal(seen.calls, 2);
}

TEST(what_cannot_be_bound_is_told)
{
    struct world w;
    struct weft_listen first = {0}, second = {0}, none = {0}, wrong = {0}, far = {0};
    world_up(&w);
    listen_on(&w, &first, "127.0.0.1:0");
    weft_listen(root_of(&w), &second, &first.address, noted);
    weft_listen(root_of(&w), &none, NULL, noted);
    wrong.backlog = -1;
    listen_on(&w, &wrong, "127.0.0.1:0");
    listen_on(&w, &far, "192.0.2.1:80");
    look_around(&w);
    assert_int_equal(second.op.status, UV_EADDRINUSE);
    assert_int_equal(none.op.status, UV_EINVAL);
    assert_int_equal(wrong.op.status, UV_EINVAL);
    assert_int_equal(far.op.status, UV_EADDRNOTAVAIL);
    weft_listen_close(&first);
    world_down(&w);
}

TEST(several_listeners_share_a_port_if_all_want_to)
{
    struct world w;
    struct weft_listen one = {.reuse_port = true}, two = {.reuse_port = true}, three = {0};
    world_up(&w);
    listen_on(&w, &one, "127.0.0.1:0");
    weft_listen(root_of(&w), &two, &one.address, noted);
    weft_listen(root_of(&w), &three, &one.address, noted);
    await(&w, &three.op);
    assert_int_equal(three.op.status, UV_EADDRINUSE);
    assert_false(over(&two.op));
    weft_listen_close(&one);
    weft_listen_close(&two);
    world_down(&w);
}

TEST(a_connection_has_the_options_of_its_listener)
{
    for (int nagle = 0; nagle < 2; nagle++) {
        struct world w;
        struct weft_listen listener = {.tcp = {.nagle = nagle, .keepalive_s = nagle ? 0 : 77}};
        struct weft_stream stream = {0};
        struct weft_accept accepted = {0};
        int value;
        socklen_t size = sizeof value;
        world_up(&w);
        listen_on(&w, &listener, "127.0.0.1:0");
        weft_stream_open(root_of(&w), &stream, noted);
        weft_accept(root_of(&w), &accepted, &listener, &stream, noted);
        int client = client_of(&listener);
        await(&w, &accepted.op);
        int fd = weft_stream_fd(&stream);
        assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
        assert_int_equal(value != 0, !nagle);
        assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, &size), 0);
        assert_int_equal(value != 0, !nagle);
        if (!nagle) {
            assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &value, &size), 0);
            assert_int_equal(value, 77);
        }
        close(client);
        weft_stream_close(&stream);
        weft_listen_close(&listener);
        world_down(&w);
    }
}

/* ---- Unix sockets --------------------------------------------------------------------------- */

static const char *path_in_folder(const char *name)
{
    static char text[sizeof "unix:" + SCRATCH_PATH];
    char path[SCRATCH_PATH];
    snprintf(text, sizeof text, "unix:%s", scratch_path(path, name));
    return text;
}

static bool exists(const char *text)
{
    return scratch_exists(text + strlen("unix:"));
}

TEST(a_unix_socket_is_removed_when_its_listener_closes)
{
    struct world w;
    struct weft_listen listener = {0}, second = {0};
    world_up(&w);
    const char *text = path_in_folder("socket");
    listen_on(&w, &listener, text);
    assert_true(exists(text));
    listen_on(&w, &second, text);
    await(&w, &second.op);
    assert_int_equal(second.op.status, UV_EADDRINUSE); /* somebody listens there */
    assert_true(exists(text));
    close(client_of(&listener));
    weft_listen_close(&listener);
    world_down(&w);
    assert_false(exists(text));
}

TEST(a_unix_socket_that_was_left_behind_is_replaced)
{
    struct world w;
    struct weft_listen listener = {0};
    const char *text = path_in_folder("stale");
    struct weft_address address = address_of(text);
    int dead = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(dead, &address.to.any, address.size), 0);
    close(dead);
    assert_true(exists(text));
    world_up(&w);
    listen_on(&w, &listener, text);
    close(client_of(&listener));
    weft_listen_close(&listener);
    world_down(&w);
    assert_false(exists(text));
}

TEST(a_file_in_the_way_is_left_alone)
{
    struct world w;
    struct weft_listen listener = {0};
    const char *text = path_in_folder("file");
    close(open(text + strlen("unix:"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    world_up(&w);
    listen_on(&w, &listener, text);
    world_down(&w);
    assert_int_equal(listener.op.status, UV_EADDRINUSE);
    assert_true(exists(text));
    unlink(text + strlen("unix:"));
}

TEST(a_file_that_has_taken_the_place_is_left_alone)
{
    struct world w;
    struct weft_listen listener = {0};
    const char *text = path_in_folder("replaced"), *path = text + strlen("unix:");
    world_up(&w);
    listen_on(&w, &listener, text);
    char aside[SCRATCH_PATH];
    assert_int_equal(rename(path, scratch_path(aside, "aside")), 0);
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    weft_listen_close(&listener);
    world_down(&w);
    assert_true(exists(text));
    unlink(path);
    unlink(aside);
}

TEST(an_abstract_name_leaves_nothing_in_the_file_system)
{
    struct world w;
    struct weft_listen listener = {0};
    char text[100];
    world_up(&w);
    snprintf(text, sizeof text, "unix:@weft-listen-%d", (int)getpid());
    listen_on(&w, &listener, text);
    close(client_of(&listener));
    weft_listen_close(&listener);
    world_down(&w);
}

/* ---- accepting ------------------------------------------------------------------------------ */

enum { SLOTS = 4 };

struct slots {
    struct weft_listen listener;
    struct weft_stream streams[SLOTS];
    struct weft_accept accepts[SLOTS];
};

static void slots_up(struct world *w, struct slots *s)
{
    listen_on(w, &s->listener, "127.0.0.1:0");
    for (int i = 0; i < SLOTS; i++)
        weft_stream_open(root_of(w), &s->streams[i], noted);
}

static void slot_accept(struct world *w, struct slots *s, int i)
{
    weft_accept(root_of(w), &s->accepts[i], &s->listener, &s->streams[i], noted);
}

static void slots_down(struct world *w, struct slots *s)
{
    for (int i = 0; i < SLOTS; i++)
        weft_stream_close(&s->streams[i]);
    weft_listen_close(&s->listener);
    world_down(w);
}

/* Which slot got the connection whose local port is that of client? */
static int slot_of(struct slots *s, int client)
{
    struct weft_address name = {.size = sizeof name.to}, peer;
    assert_int_equal(getsockname(client, &name.to.any, &name.size), 0);
    for (int i = 0; i < SLOTS; i++) {
        if (weft_stream_peer(&s->streams[i], &peer) == 0 &&
            weft_address_port(&peer) == weft_address_port(&name))
            return i;
    }
    return -1;
}

TEST(those_who_wait_are_served_in_their_order)
{
    struct world w;
    struct slots s = {0};
    int clients[SLOTS];
    world_up(&w);
    slots_up(&w, &s);
    static const int order[SLOTS] = {2, 0, 3, 1};
    w.loop.depth_ = OP_DEPTH;
    for (int i = 0; i < SLOTS; i++)
        slot_accept(&w, &s, order[i]);
    w.loop.depth_ = 0;
    for (int i = 0; i < SLOTS; i++)
        clients[i] = client_of(&s.listener);
    await(&w, &s.accepts[order[SLOTS - 1]].op);
    look_around(&w);
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(s.accepts[i].op.status, 0);
        assert_int_equal(slot_of(&s, clients[i]), order[i]);
        close(clients[i]);
    }
    slots_down(&w, &s);
}

static struct slots *burst;
static int burst_taken;

static void take_next(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    assert_int_equal(op->status, 0);
    int i = ++burst_taken;
    if (i < SLOTS)
        weft_accept(root, &burst->accepts[i], &burst->listener, &burst->streams[i], take_next);
}

TEST(one_who_asks_again_and_again_takes_a_burst_in_one_turn)
{
    struct world w;
    struct slots s = {0};
    int clients[SLOTS];
    world_up(&w);
    slots_up(&w, &s);
    burst = &s;
    burst_taken = 0;
    weft_accept(root_of(&w), &s.accepts[0], &s.listener, &s.streams[0], take_next);
    for (int i = 0; i < SLOTS; i++)
        clients[i] = client_of(&s.listener);
    uv_run(&w.uv, UV_RUN_ONCE);
    assert_int_equal(burst_taken, SLOTS);
    for (int i = 0; i < SLOTS; i++)
        close(clients[i]);
    slots_down(&w, &s);
}

TEST(nothing_is_accepted_while_nobody_waits)
{
    struct world w;
    struct slots s = {0};
    int clients[3];
    world_up(&w);
    slots_up(&w, &s);
    slot_accept(&w, &s, 0);
    for (int i = 0; i < 3; i++)
        clients[i] = client_of(&s.listener);
    await(&w, &s.accepts[0].op);
    look_around(&w);
    assert_int_equal(s.listener.watch_.events_, 0); /* and the loop is not woken for them */
    for (int i = 1; i < SLOTS; i++)
        assert_false(weft_stream_connected(&s.streams[i]));
    /* A connection that was accepted and is closed would be an end for the second client. */
    char byte;
    assert_int_equal(recv(clients[1], &byte, 1, MSG_DONTWAIT), -1);
    slot_accept(&w, &s, 1);
    await(&w, &s.accepts[1].op);
    assert_int_equal(slot_of(&s, clients[1]), 1);
    slot_accept(&w, &s, 2);
    slot_accept(&w, &s, 3);
    await(&w, &s.accepts[2].op);
    assert_int_equal(slot_of(&s, clients[2]), 2);
    look_around(&w);
    assert_false(over(&s.accepts[3].op));
    for (int i = 0; i < 3; i++)
        close(clients[i]);
    slots_down(&w, &s);
    assert_int_equal(s.accepts[3].op.status, UV_ECANCELED);
}

TEST(closing_the_listener_finishes_those_who_wait)
{
    struct world w;
    struct slots s = {0};
    world_up(&w);
    slots_up(&w, &s);
    for (int i = 0; i < SLOTS; i++)
        slot_accept(&w, &s, i);
    weft_cancel(&s.listener.op, UV_ETIMEDOUT);
    await(&w, &s.listener.op);
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(s.accepts[i].op.status, UV_ETIMEDOUT);
        assert_false(over(&s.streams[i].op));
        slot_accept(&w, &s, i);
        await(&w, &s.accepts[i].op);
        assert_int_equal(s.accepts[i].op.status, UV_EINVAL);
    }
    slots_down(&w, &s);
}

TEST(closing_the_stream_finishes_its_accept)
{
    struct world w;
    struct slots s = {0};
    world_up(&w);
    slots_up(&w, &s);
    for (int i = 0; i < SLOTS; i++)
        slot_accept(&w, &s, i);
    weft_stream_close(&s.streams[0]);
    weft_cancel(&s.accepts[1].op, UV_EINTR);
    await(&w, &s.streams[0].op);
    await(&w, &s.accepts[0].op);
    await(&w, &s.accepts[1].op);
    assert_int_equal(s.accepts[0].op.status, UV_ECANCELED);
    assert_int_equal(s.accepts[1].op.status, UV_EINTR);
    int client = client_of(&s.listener);
    await(&w, &s.accepts[2].op);
    assert_int_equal(slot_of(&s, client), 2);
    slot_accept(&w, &s, 1); /* its stream is as idle as before */
    int other = client_of(&s.listener);
    await(&w, &s.accepts[3].op);
    int third = client_of(&s.listener);
    await(&w, &s.accepts[1].op);
    assert_int_equal(slot_of(&s, third), 1);
    close(client);
    close(other);
    close(third);
    slots_down(&w, &s);
}

TEST(only_an_idle_stream_is_accepted_into)
{
    struct world w;
    struct slots s = {0};
    struct weft_accept second = {0}, none = {0};
    struct weft_stream closed = {0};
    world_up(&w);
    slots_up(&w, &s);
    slot_accept(&w, &s, 0);
    weft_accept(root_of(&w), &second, &s.listener, &s.streams[0], noted);
    await(&w, &second.op);
    assert_int_equal(second.op.status, UV_EBUSY);
    assert_int_equal(weft_stream_adopt(&s.streams[0], 0), UV_EBUSY);
    int client = client_of(&s.listener);
    await(&w, &s.accepts[0].op);
    weft_accept(root_of(&w), &second, &s.listener, &s.streams[0], noted);
    await(&w, &second.op);
    assert_int_equal(second.op.status, UV_EISCONN);
    weft_accept(root_of(&w), &none, &s.listener, NULL, noted);
    await(&w, &none.op);
    assert_int_equal(none.op.status, UV_EINVAL);
    weft_accept(root_of(&w), &none, NULL, &s.streams[1], noted);
    await(&w, &none.op);
    assert_int_equal(none.op.status, UV_EINVAL);
    weft_accept(root_of(&w), &none, &s.listener, &closed, noted);
    await(&w, &none.op);
    assert_int_equal(none.op.status, UV_EINVAL);
    close(client);
    slots_down(&w, &s);
}

TEST(a_deadline_ends_an_accept)
{
    struct world w;
    struct slots s = {0};
    struct weft_deadline deadline = {0};
    world_up_sim(&w, 0);
    slots_up(&w, &s);
    slot_accept(&w, &s, 0);
    weft_deadline(&s.accepts[0].op, &deadline, 5000);
    await(&w, &s.accepts[0].op);
    assert_int_equal(s.accepts[0].op.status, UV_ETIMEDOUT);
    assert_int_equal(weft_now(&w.loop), 5000);
    slots_down(&w, &s);
}

TEST(a_listener_that_nobody_waits_for_does_not_keep_the_loop_alive)
{
    struct world w;
    struct slots s = {0};
    world_up(&w);
    w.loop.stuck_to = NULL;
    slots_up(&w, &s);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    slot_accept(&w, &s, 0);
    assert_true(uv_run(&w.uv, UV_RUN_NOWAIT) != 0);
    assert_true(uv_run(&w.uv, UV_RUN_NOWAIT) != 0);
    weft_cancel(&s.accepts[0].op, UV_ECANCELED);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    slots_down(&w, &s);
}
