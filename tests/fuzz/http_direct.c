/* A byte that says how the question is put and how the answer is cut, then an answer: given to a
 * fetch over a connection of our own and to one that curl makes. Both end; and where both have an
 * answer, it is the same one: same status, same body. Who reads on at another place than others do
 * can be made to take a part of one answer for another. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/error.h>
#include <weft/http_client.h>
#include <weft/loop.h>

enum { HEAD = 1, PACKED = 2, CUT = 4, TURNS_MAX = 100000 };

static uv_loop_t uv;
static struct weft_loop loop;
static struct weft_http_client ours, curls;
static int listener = -1;
static unsigned port;

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void nothing(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

static void set_up(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t size = sizeof name;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    require(bind(listener, (struct sockaddr *)&name, sizeof name) == 0);
    require(listen(listener, 16) == 0);
    require(getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    port = ntohs(name.sin_port);
    require(uv_loop_init(&uv) == 0 && weft_loop_init(&loop, &uv) == 0);
    curls.no_direct = true;
    weft_http_client_open(weft_root(&loop), &ours, nothing);
    weft_http_client_open(weft_root(&loop), &curls, nothing);
}

static bool is_over;

static void over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
    is_over = true;
}

/* The server: it takes the question, and gives the answer in one piece or in several. */
static int serve(int fd, const uint8_t *data, size_t size, size_t piece, size_t *said)
{
    char question[4096];
    if (fd < 0)
        return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (*said == 0 && recv(fd, question, sizeof question, 0) <= 0)
        return fd;
    if (piece > size - *said)
        piece = size - *said;
    if (piece > 0 && send(fd, data + *said, piece, MSG_NOSIGNAL) > 0)
        *said += piece;
    if (*said == size)
        shutdown(fd, SHUT_WR);
    return fd;
}

/* Each time at another address of the loopback, so that no port is ever used up. */
static void fetch(struct weft_http_fetch *fetch, struct weft_http_client *client,
                  const uint8_t *data, size_t size, unsigned how)
{
    static unsigned count;
    char url[64];
    size_t said = 0;
    unsigned turns = 0;
    count = (count + 1) % (200 * 200 * 200);
    snprintf(url, sizeof url, "http://127.%u.%u.%u:%u/", count % 200, count / 200 % 200,
             count / 40000 + 1, port);
    *fetch = (struct weft_http_fetch){.method = how & HEAD ? "HEAD" : NULL,
                                      .accept_encoding = how & PACKED ? "gzip, deflate" : NULL};
    is_over = false;
    weft_http_fetch(weft_root(&loop), fetch, client, url, over);
    int fd = -1;
    while (!is_over) {
        uv_run(&uv, UV_RUN_NOWAIT);
        fd = serve(fd, data, size, how & CUT ? 1 + size / 8 : size, &said);
        require(++turns < TURNS_MAX);
    }
    if (fd >= 0)
        close(fd);
}

/* curl 7.88 uses memory that it has freed if a head begins with a line that goes on with the one
 * before. */
static bool curl_can_take(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (data[i] == '\n' && (data[i + 1] == ' ' || data[i + 1] == '\t'))
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_http_fetch one, other;
    if (size < 2 || size > 4096)
        return 0;
    if (listener < 0)
        set_up();
    fetch(&one, &ours, data + 1, size - 1, data[0]);
    require(one.op.status == 0 || one.failure != WEFT_FETCH_NO_FAILURE);
    memset(&other, 0, sizeof other);
    other.op.status = WEFT_EHTTP;
    if (curl_can_take(data + 1, size - 1))
        fetch(&other, &curls, data + 1, size - 1, data[0]);
    if (one.op.status == 0 && other.op.status == 0) {
        require(one.status == other.status && one.http_version == other.http_version);
        require(one.body_size == other.body_size &&
                memcmp(one.body, other.body, one.body_size) == 0);
        require(one.received == one.body_size && one.body[one.body_size] == '\0');
        require(one.answer_count == other.answer_count);
    }
    weft_http_fetch_free(&one);
    weft_http_fetch_free(&other);
    return 0;
}
