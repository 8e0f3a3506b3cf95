/* One loop a thread, all listening on one port.
 * ctest: labels=threads */
#include "streams.h"
#include <pthread.h>
#include <weft/post.h>

enum { THREADS = 2, SLOTS = 8, CLIENTS = 60 };

struct slot {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_accept accept;
    struct weft_read read;
    struct weft_write write;
    char byte;
};

struct server {
    pthread_t thread;
    struct weft_loop loop;
    struct weft_listen listener;
    struct weft_post stop;
    struct slot slots[SLOTS];
    unsigned served;
};

static struct weft_address shared;
static pthread_barrier_t ready;
static struct server servers[THREADS];

static struct server *server_of(struct weft_op *op)
{
    return weft_owner(weft_loop_of(op), struct server, loop);
}

static void serve(struct weft_op *op, struct weft_op *closed);

static void answered(struct weft_op *op, struct weft_op *write)
{
    assert_int_equal(write->status, 0);
    server_of(op)->served++;
    weft_stream_close(&weft_owner(op, struct slot, op)->stream);
}

static void asked(struct weft_op *op, struct weft_op *read)
{
    struct slot *slot = weft_owner(op, struct slot, op);
    assert_int_equal(read->status, 0);
    weft_write(op, &slot->write, &slot->stream, &slot->byte, 1, answered);
}

static void accepted(struct weft_op *op, struct weft_op *accept)
{
    struct slot *slot = weft_owner(op, struct slot, op);
    if (accept->status == 0)
        weft_read(op, &slot->read, &slot->stream, &slot->byte, 1, asked);
}

static void serve(struct weft_op *op, struct weft_op *closed)
{
    struct slot *slot = weft_owner(op, struct slot, op);
    if (closed != NULL && closed->status != 0)
        return;
    weft_stream_open(op, &slot->stream, serve);
    weft_accept(op, &slot->accept, &server_of(op)->listener, &slot->stream, accepted);
}

static void slot_begin(struct weft_op *op)
{
    serve(op, NULL);
    weft_join(op);
}

static void stop(struct weft_post *post)
{
    weft_cancel(weft_root(&weft_owner(post, struct server, stop)->loop), UV_ECANCELED);
}

static void over_it_is(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

static void *run_server(void *argument)
{
    struct server *server = argument;
    uv_loop_t uv;
    assert_int_equal(uv_loop_init(&uv), 0);
    assert_int_equal(weft_loop_init(&server->loop, &uv), 0);
    server->listener.reuse_port = true;
    weft_listen(weft_root(&server->loop), &server->listener, &shared, over_it_is);
    for (int i = 0; i < SLOTS; i++)
        weft_run(weft_root(&server->loop), &server->slots[i].op, slot_begin, over_it_is);
    weft_post_init(&server->loop, &server->stop, stop);
    pthread_barrier_wait(&ready);
    assert_int_equal(weft_loop_run(&server->loop), 0);
    assert_int_equal(weft_loop_close(&server->loop), 0);
    uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0);
    return NULL;
}

TEST(loops_in_several_threads_share_a_port)
{
    struct world w;
    struct weft_listen first = {.reuse_port = true};
    world_up(&w);
    assert_int_equal(weft_address_parse(&shared, "127.0.0.1:0"), 0);
    weft_listen(root_of(&w), &first, &shared, noted); /* chooses the port */
    shared = first.address;
    pthread_barrier_init(&ready, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&servers[i].thread, NULL, run_server, &servers[i]), 0);
    pthread_barrier_wait(&ready);
    weft_listen_close(&first); /* the kernel shares out among the others now */
    world_down(&w);
    for (int i = 0; i < CLIENTS; i++) {
        char byte = 'x';
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(fd, &shared.to.any, shared.size), 0);
        assert_int_equal(send(fd, &byte, 1, 0), 1);
        assert_int_equal(recv(fd, &byte, 1, 0), 1);
        close(fd);
    }
    for (int i = 0; i < THREADS; i++)
        weft_post(&servers[i].stop);
    unsigned served = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(servers[i].thread, NULL);
        assert_true(servers[i].served > 0);
        served += servers[i].served;
    }
    assert_int_equal(served, CLIENTS);
    pthread_barrier_destroy(&ready);
}
