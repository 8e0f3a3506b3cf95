/* Hooks on real connections: the proposal's own examples. A listener that is closed at once, a filter
 * of connections by their address, the client as the current resource, writes that the kernel took at
 * once, pooled parsers.
 * ctest: needs=hooks */
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/http_server.h>
#include <weft/stream.h>
#include <weft/work.h>
/* Last: its names are short ones, which parameters of the headers above have too. */
#include "hook_world.h"

enum { CLIENTS = 3 };
static struct weft_listen listener;
static struct client {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_accept accept;
    struct weft_write write;
    struct weft_op tick;
} clients[CLIENTS];
static unsigned accepted_count;

static void net_up(void)
{
    world_up(&w);
    fresh();
    one.hook.groups = 0;
    memset(&listener, 0, sizeof listener);
    memset(clients, 0, sizeof clients);
    accepted_count = 0;
}

static void listen_now(void)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_listen(root(), &listener, &address, NULL);
}

/* A bare client from 127.0.0.last, connected when this returns. */
static int connect_from(int last)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    from.sin_addr.s_addr = htonl(0x7f000000U + (unsigned)last);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(fd, &listener.address.to.any, listener.address.size), 0);
    return fd;
}

/* ---- listen and close at once --------------------------------------------------------------- */

TEST(a_listener_that_is_closed_at_once_is_told_no_callback)
{
    net_up();
    one.hook.groups = WEFT_NET;
    enable(&one);
    listen_now();
    weft_listen_close(&listener);
    world_down(&w);
    told(&one, "init:listen<loop destroy:listen ");
}

/* ---- a filter by address -------------------------------------------------------------------- */

static bool is_interesting(const struct weft_stream *stream)
{
    struct weft_address peer;
    char text[128];
    assert_int_equal(weft_stream_peer(stream, &peer), 0);
    assert_int_equal(weft_address_format(&peer, text, sizeof text), 0);
    return strncmp(text, "127.0.0.2:", 10) == 0;
}

static struct client *client_at(struct weft_op *op)
{
    return weft_owner(op, struct client, op);
}

static void client_ticked(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_stream_close(&client_at(parent)->stream);
}

/* The connection callback: only clients of one address are to be followed. */
static void client_came(struct weft_op *parent, struct weft_op *op)
{
    struct client *client = client_at(parent);
    assert_int_equal(op->status, 0);
    if (!is_interesting(&client->stream))
        weft_hook_cut(&one.hook, parent);
    weft_tick(parent, &client->tick, client_ticked);
    if (++accepted_count == CLIENTS)
        weft_listen_close(&listener);
}

static void client_begin(struct weft_op *op)
{
    struct client *client = client_at(op);
    weft_stream_open(op, &client->stream, NULL);
    weft_accept(op, &client->accept, &listener, &client->stream, client_came);
    weft_join(op);
}

TEST(connections_from_uninteresting_addresses_are_cut_and_the_others_followed)
{
    int fds[CLIENTS];
    net_up();
    hook_log_init(&one);
    one.hook.groups = WEFT_USER;
    enable(&one);
    listen_now();
    for (int i = 0; i < CLIENTS; i++)
        weft_run(root(), &clients[i].op, client_begin, noted);
    for (int i = 0; i < CLIENTS; i++)
        fds[i] = connect_from(i + 1);
    world_down(&w);
    for (int i = 0; i < CLIENTS; i++)
        close(fds[i]);
    told(&one, "init:client_begin<loop init:client_begin2<loop init:client_begin3<loop "
               "init:tick<client_begin2 pre:tick post:tick destroy:tick pre:client_begin2 "
               "post:client_begin2 destroy:client_begin2 ");
}

/* ---- the client is current ------------------------------------------------------------------ */

static unsigned looked;
static void look_at_client(struct weft_op *parent, struct weft_op *op)
{
    struct weft_resource current, trigger;
    (void)op;
    looked++;
    assert_ptr_equal(weft_current(), parent);
    assert_int_equal(weft_resource_by_id(weft_current_id(), &current), 0);
    assert_int_equal(weft_resource_by_id(weft_trigger_id(), &trigger), 0);
    assert_string_equal(current.site->type, "connection");
    assert_ptr_equal(trigger.resource, &listener.op);
    weft_stream_close(&clients[0].stream);
    weft_listen_close(&listener);
}

TEST(in_a_connection_callback_the_client_is_current_and_the_server_its_parent)
{
    net_up();
    looked = 0;
    enable(&one);
    listen_now();
    weft_stream_open(root(), &clients[0].stream, NULL);
    weft_accept(root(), &clients[0].accept, &listener, &clients[0].stream, look_at_client);
    int fd = connect_from(1);
    world_down(&w);
    close(fd);
    assert_int_equal(looked, 1);
    hook_log_check_over(&one);
    assert_int_equal(hook_log_find(&one, "connection")->parent, hook_log_find(&one, "listen")->id);
}

/* ---- a write that the kernel took at once --------------------------------------------------- */

static void write_done(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    assert_int_equal(op->status, 0);
    weft_stream_close(&clients[0].stream);
    weft_listen_close(&listener);
}
static void write_a_little(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    weft_write(parent, &clients[0].write, &clients[0].stream, "x", 1, write_done);
}

TEST(a_write_that_the_kernel_took_at_once_is_seen)
{
    net_up();
    enable(&one);
    listen_now();
    weft_stream_open(root(), &clients[0].stream, NULL);
    weft_accept(root(), &clients[0].accept, &listener, &clients[0].stream, write_a_little);
    int fd = connect_from(1);
    world_down(&w);
    close(fd);
    assert_int_equal(hook_log_find(&one, "write")->pairs, 1);
    hook_log_check_over(&one);
}

/* ---- pooled parsers ------------------------------------------------------------------------- */

static struct weft_http_server server;
static void answer(struct weft_op *op)
{
    weft_http_answer(weft_owner(op, struct weft_http_request, op), 200, "text/plain", "hello\n", 6);
}

/* Two requests on one connection; then another connection, which gets what the first has left. */
static void ask_and_ask(void *unused)
{
    static const char both[] = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                               "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char buffer[256];
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, &server.address.to.any, server.address.size) != 0 ||
            write(fd, both, sizeof both - 1) != (ssize_t)sizeof both - 1)
            abort();
        while (read(fd, buffer, sizeof buffer) > 0)
            continue;
        close(fd);
    }
}

static struct weft_work asking;
static int ask_on_a_thread(struct weft_work *work)
{
    ask_and_ask(work);
    return 0;
}
static void asked(struct weft_op *parent, struct weft_op *op)
{
    (void)parent, (void)op;
    weft_http_drain(&server, 0);
}

/* How many parsers the log has seen, each with an id and an end of its own, in storage that is used
 * again. */
static unsigned parsers(bool *reused)
{
    unsigned count = 0;
    const void *first = NULL;
    *reused = false;
    for (unsigned i = 0; i < one.count; i++) {
        if (strcmp(one.resources[i].site->type, "http_parser") != 0)
            continue;
        *reused = *reused || one.resources[i].resource == first;
        if (count++ == 0)
            first = one.resources[i].resource;
        assert_true(one.resources[i].over);
    }
    return count;
}

TEST(a_parser_from_the_pool_has_a_new_id_each_time)
{
    struct weft_address address;
    bool reused;
    net_up();
    memset(&server, 0, sizeof server);
    memset(&asking, 0, sizeof asking);
    server.handler = answer;
    enable(&one);
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_http_serve(root(), &server, &address, noted);
    weft_work(root(), &asking, ask_on_a_thread, asked);
    world_down(&w);
    assert_int_equal(server.requests, 4);
    assert_true(parsers(&reused) >= 4);
    assert_true(reused);
    hook_log_check_over(&one);
}
