/* A server in a test's world, and a bare client beside it on the same thread. */
#ifndef TESTS_HTTP_ASK_H
#define TESTS_HTTP_ASK_H

#include "check.h"
#include "loop.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weft/http_server.h>

enum { ASK_SIZE = 64 * 1024, ASK_SECONDS = 20 };

/* For ladders: false, and nothing is left, if there is no memory for a loop. */
static inline bool world_up_if_it_can(struct world *w)
{
    memset(w, 0, sizeof *w);
    seen = (struct seen){.status = 1};
    if (uv_loop_init(&w->uv) != 0)
        return false;
    if (weft_loop_init(&w->loop, &w->uv) == 0)
        return true;
    uv_run(&w->uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->uv), 0);
    return false;
}

/* On an ephemeral port of the loopback. */
static inline void serve_up(struct world *w, struct weft_http_server *server)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_http_serve(weft_root(&w->loop), server, &address, noted);
}

/* A client that has sent these bytes; close it. */
static inline int ask_begin(const struct weft_http_server *server, const char *request)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, &server->address.to.any, server->address.size), 0);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    return fd;
}

/* The whole answer, until the server closes, with a NUL behind it. -1: there was a reset. */
static inline ssize_t ask_end(struct world *w, int fd, char answer[ASK_SIZE])
{
    size_t size = 0;
    uint64_t until = uv_hrtime() + (uint64_t)ASK_SECONDS * 1000000000u;
    for (;;) {
        ssize_t got = recv(fd, answer + size, ASK_SIZE - 1 - size, MSG_DONTWAIT);
        if (got > 0) {
            size += (size_t)got;
            continue;
        }
        answer[size] = '\0';
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            close(fd);
            return got == 0 ? (ssize_t)size : -1;
        }
        assert_true(uv_hrtime() < until);
        uv_run(&w->uv, UV_RUN_NOWAIT);
    }
}

/* One request, and its answer. */
static inline const char *ask(struct world *w, const struct weft_http_server *server,
                              const char *request)
{
    static char answer[ASK_SIZE];
    assert_true(ask_end(w, ask_begin(server, request), answer) >= 0);
    return answer;
}

/* The same for the usual case: "GET /path". */
static inline const char *ask_for(struct world *w, const struct weft_http_server *server,
                                  const char *method_and_target)
{
    char request[4096];
    snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
             method_and_target);
    return ask(w, server, request);
}

static inline void assert_answer(const char *answer, const char *status, const char *contains)
{
    if (strncmp(answer, "HTTP/1.1 ", 9) != 0 || strncmp(answer + 9, status, strlen(status)) != 0 ||
        strstr(answer, contains) == NULL)
        fail_msg("expected %s and %s, got: %s", status, contains, answer);
}

/* Its body; "" if there is none. */
static inline const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    return end != NULL ? end + 4 : "";
}

static inline void serve_down(struct world *w, struct weft_http_server *server)
{
    weft_http_drain(server, 5000);
    world_down(w);
}

#endif
