/* Ping-pong over TCP on the loopback: round trips a second.
 *
 *     echo weft|uv CONNECTIONS COUNT
 *
 * Each connection sends 64 bytes and waits for them to come back, COUNT times over all connections.
 * Both ends live on one loop, so a round trip is two reads and two writes. The peer is what one
 * would write on bare libuv: reading never stops, and the answer goes out with uv_try_write from
 * inside the read callback. Ours reads and writes with ops, which can be cancelled at any time. */
#include "../bench.h"
#include <string.h>
#include <weft/stream.h>

enum { MOST = 1024, MESSAGE = 64 };

static uv_loop_t uv;
static size_t connections, wanted, done, sent, open_now;

/* ---- ours ----------------------------------------------------------------------------------- */

struct end {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_accept accept;
    struct weft_connect connect;
    struct weft_read read;
    struct weft_write write;
    bool client;
    char bytes[4096];
};

static struct weft_loop loop;
static struct weft_listen listener;
static struct end ends[2 * MOST];

static void end_received(struct weft_op *op, struct weft_op *read);

static void end_sent(struct weft_op *op, struct weft_op *write)
{
    struct end *end = weft_owner(op, struct end, op);
    if (write->status != 0)
        weft_end(op, write->status);
    else
        weft_read(op, &end->read, &end->stream, end->bytes, sizeof end->bytes, end_received);
}

static void end_received(struct weft_op *op, struct weft_op *read)
{
    struct end *end = weft_owner(op, struct end, op);
    if (read->status != 0) {
        weft_end(op, read->status == UV_EOF ? 0 : read->status);
        return;
    }
    if (end->client) {
        done++;
        if (sent++ >= wanted) {
            weft_end(op, 0);
            return;
        }
    }
    weft_write(op, &end->write, &end->stream, end->bytes, end->read.size, end_sent);
}

static void end_connected(struct weft_op *op, struct weft_op *connect)
{
    struct end *end = weft_owner(op, struct end, op);
    bench_check(connect->status == 0, weft_strerror(connect->status));
    if (++open_now < 2 * connections)
        return;
    for (size_t i = 0; i < 2 * connections; i++) {
        end = &ends[i];
        if (end->client && sent++ < wanted)
            weft_write(&end->op, &end->write, &end->stream, end->bytes, MESSAGE, end_sent);
        else
            weft_read(&end->op, &end->read, &end->stream, end->bytes, sizeof end->bytes,
                      end_received);
    }
}

static void end_begin(struct weft_op *op)
{
    struct end *end = weft_owner(op, struct end, op);
    weft_stream_open(op, &end->stream, NULL);
    if (end->client)
        weft_connect_address(op, &end->connect, &end->stream, &listener.address, end_connected);
    else
        weft_accept(op, &end->accept, &listener, &end->stream, end_connected);
}

static void end_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    bench_check(op->status == 0, weft_strerror(op->status));
    if (--open_now == 0)
        weft_listen_close(&listener);
}

static void ours(void)
{
    struct weft_address address;
    bench_check(weft_loop_init(&loop, &uv) == 0, "no loop");
    weft_address_parse(&address, "127.0.0.1:0");
    weft_listen(weft_root(&loop), &listener, &address, NULL);
    for (size_t i = 0; i < 2 * connections; i++) {
        ends[i].client = i % 2 == 1;
        weft_run(weft_root(&loop), &ends[i].op, end_begin, end_over);
    }
    bench_check(weft_loop_run(&loop) == 0, "something is stuck");
    weft_loop_close(&loop);
}

/* ---- theirs --------------------------------------------------------------------------------- */

struct peer {
    uv_tcp_t tcp;
    uv_connect_t connect;
    bool client;
    char bytes[4096];
};

static uv_tcp_t server;
static struct peer peers[2 * MOST];
static size_t accepted;

static void peer_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
    struct peer *peer = (struct peer *)handle;
    (void)size;
    *buf = uv_buf_init(peer->bytes, sizeof peer->bytes);
}

static void peer_send(struct peer *peer, size_t size)
{
    uv_buf_t buf = uv_buf_init(peer->bytes, (unsigned)size);
    bench_check(uv_try_write((uv_stream_t *)&peer->tcp, &buf, 1) == (int)size, "it did not fit");
}

static void peer_closed(uv_handle_t *handle)
{
    (void)handle;
    if (--open_now == 0)
        uv_close((uv_handle_t *)&server, NULL);
}

static void peer_received(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
    struct peer *peer = (struct peer *)stream;
    (void)buf;
    if (got == 0)
        return;
    if (got > 0 && peer->client)
        done++;
    if (got < 0 || (peer->client && sent++ >= wanted))
        uv_close((uv_handle_t *)stream, peer_closed);
    else
        peer_send(peer, (size_t)got);
}

static void peer_ready(struct peer *peer)
{
    uv_tcp_nodelay(&peer->tcp, 1);
    if (++open_now < 2 * connections)
        return;
    for (size_t i = 0; i < 2 * connections; i++) {
        peer = &peers[i];
        uv_read_start((uv_stream_t *)&peer->tcp, peer_alloc, peer_received);
        if (peer->client && sent++ < wanted)
            peer_send(peer, MESSAGE);
    }
}

static void peer_connected(uv_connect_t *connect, int status)
{
    bench_check(status == 0, uv_strerror(status));
    peer_ready((struct peer *)connect->handle);
}

static void peer_accepted(uv_stream_t *stream, int status)
{
    struct peer *peer = &peers[2 * accepted++];
    bench_check(status == 0, uv_strerror(status));
    uv_tcp_init(&uv, &peer->tcp);
    uv_accept(stream, (uv_stream_t *)&peer->tcp);
    peer_ready(peer);
}

static void theirs(void)
{
    struct sockaddr_storage address;
    int size = sizeof address;
    uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in *)&address);
    uv_tcp_init(&uv, &server);
    uv_tcp_bind(&server, (struct sockaddr *)&address, 0);
    uv_listen((uv_stream_t *)&server, WEFT_LISTEN_BACKLOG, peer_accepted);
    uv_tcp_getsockname(&server, (struct sockaddr *)&address, &size);
    for (size_t i = 0; i < connections; i++) {
        struct peer *peer = &peers[2 * i + 1];
        peer->client = true;
        uv_tcp_init(&uv, &peer->tcp);
        uv_tcp_connect(&peer->connect, &peer->tcp, (struct sockaddr *)&address, peer_connected);
    }
    uv_run(&uv, UV_RUN_DEFAULT);
}

int main(int argc, char **argv)
{
    bench_check(argc == 4, "usage: echo weft|uv CONNECTIONS COUNT");
    connections = strtoul(argv[2], NULL, 10);
    wanted = strtoul(argv[3], NULL, 10);
    bench_check(connections > 0 && connections <= MOST, "1 to 1024 connections");
    bench_check(uv_loop_init(&uv) == 0, "no loop");
    uint64_t begun = uv_hrtime();
    if (strcmp(argv[1], "weft") == 0)
        ours();
    else
        theirs();
    uint64_t took = uv_hrtime() - begun;
    bench_check(done == wanted, "not every round trip was made");
    printf("%.0f\n", (double)done * 1e9 / (double)took);
    return 0;
}
