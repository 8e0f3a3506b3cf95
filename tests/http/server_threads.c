/* One server a thread, all on one port.
 * ctest: labels=threads */
#include "check.h"
#include "loop.h"
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/http_server.h>
#include <weft/post.h>

enum { THREADS = 2, CLIENTS = 100 };

struct worker {
    pthread_t thread;
    struct weft_loop loop;
    struct weft_http_server server;
    struct weft_post stop;
    int status;
};

static struct worker workers[THREADS];
static struct weft_address shared;
static pthread_barrier_t ready;

static void hello(struct weft_op *op)
{
    weft_http_answer(weft_owner(op, struct weft_http_request, op), 200, NULL, "hello", 5);
}

static void server_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    weft_owner(op, struct worker, server.op)->status = op->status;
}

static void stop(struct weft_post *post)
{
    weft_http_drain(&weft_owner(post, struct worker, stop)->server, 5000);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    uv_loop_t uv;
    uv_loop_init(&uv);
    weft_loop_init(&worker->loop, &uv);
    worker->status = 1;
    worker->server = (struct weft_http_server){.handler = hello, .reuse_port = true};
    weft_http_serve(weft_root(&worker->loop), &worker->server, &shared, server_over);
    weft_post_init(&worker->loop, &worker->stop, stop);
    pthread_barrier_wait(&ready);
    weft_loop_run(&worker->loop);
    weft_loop_close(&worker->loop);
    uv_run(&uv, UV_RUN_DEFAULT);
    uv_loop_close(&uv);
    return NULL;
}

static void ask_once(void)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    char answer[1000];
    size_t size = 0;
    ssize_t got;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, &shared.to.any, shared.size), 0);
    assert_int_equal(send(fd, request, sizeof request - 1, 0), sizeof request - 1);
    while ((got = recv(fd, answer + size, sizeof answer - size - 1, 0)) > 0)
        size += (size_t)got;
    assert_int_equal(got, 0);
    answer[size] = '\0';
    assert_memory_equal(answer, "HTTP/1.1 200 OK", 15);
    assert_non_null(strstr(answer, "\r\n\r\nhello"));
    close(fd);
}

TEST(servers_in_several_threads_share_a_port)
{
    struct world w;
    struct weft_listen first = {.reuse_port = true};
    world_up(&w);
    assert_int_equal(weft_address_parse(&shared, "127.0.0.1:0"), 0);
    weft_listen(weft_root(&w.loop), &first, &shared, noted); /* chooses the port */
    shared = first.address;
    pthread_barrier_init(&ready, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    pthread_barrier_wait(&ready);
    weft_listen_close(&first); /* the kernel shares out among the others now */
    world_down(&w);
    for (int i = 0; i < CLIENTS; i++)
        ask_once();
    uint64_t requests = 0;
    for (int i = 0; i < THREADS; i++)
        weft_post(&workers[i].stop);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].status, 0);
        assert_int_equal(workers[i].server.connections, 0);
        assert_true(workers[i].server.requests > 0);
        requests += workers[i].server.requests;
    }
    assert_int_equal(requests, CLIENTS);
    pthread_barrier_destroy(&ready);
}
