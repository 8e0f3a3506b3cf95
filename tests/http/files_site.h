/* What the tests of static files share: a folder, a server that serves it, and a client that is a
 * bare socket on the same thread: it looks for bytes between two turns of the loop. */
#ifndef TESTS_HTTP_FILES_SITE_H
#define TESTS_HTTP_FILES_SITE_H

#include "check.h"
#include "loop.h"
#include "scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/http_files.h>

/* The ways in which the same has to come out: from the caches; opened from the cache and read on
 * the pool, as on a file system that cannot say what is cached; all on the pool; on the pool, and
 * by a kernel without openat2. */
enum way { CACHED, READ_ON_POOL, SLOW, WALKED, WAYS };

struct site {
    struct world world;
    struct weft_http_server server;
    struct weft_http_files files;
    bool over;
};

struct site_request {
    struct weft_http_request request;
    struct weft_http_file file;
};

static struct site *the_site;

static inline void site_handler(struct weft_op *op)
{
    struct site_request *its = weft_owner(op, struct site_request, request.op);
    weft_http_file(op, &its->file, &the_site->files, &its->request, its->request.head.path, NULL);
}

static inline void site_over(struct weft_op *root, struct weft_op *server)
{
    (void)root;
    (void)server;
    the_site->over = true;
}

/* Serve folder. What is set in site->files and site->server before is kept; zero it first. */
static inline void site_up(struct site *site, const char *folder, enum way way)
{
    struct weft_address address;
    the_site = site;
    site->over = false;
    world_up(&site->world);
    assert_int_equal(weft_http_files_open(&site->files, folder), 0);
    if (way != CACHED)
        site->files.in_memory_ = false;
    site->files.slow_ = way == SLOW;
    if (way == WALKED) /* where there is no openat2, as under valgrind, all of them walk */
        site->files.walk_ = true;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    if (site->server.handler == NULL)
        site->server.handler = site_handler;
    if (site->server.request_size == 0)
        site->server.request_size = sizeof(struct site_request);
    weft_http_serve(weft_root(&site->world.loop), &site->server, &address, site_over);
}

static inline void site_down(struct site *site)
{
    weft_cancel(&site->server.op, UV_ECANCELED);
    world_down(&site->world);
    assert_true(site->over);
    weft_http_files_close(&site->files);
}

/* One look around; waits a moment for fd if there is nothing to do. */
static inline void site_turn(struct site *site, int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    uv_run(&site->world.uv, UV_RUN_NOWAIT);
    poll(&wait, fd >= 0 ? 1 : 0, 1);
}

/* ---- a client ------------------------------------------------------------------------------- */

struct reply {
    int status;  /* 0: there was none */
    char *head;  /* with the empty line, terminated */
    char *body;  /* terminated too */
    size_t size; /* of body */
    bool whole;  /* as long as Content-Length says, and a clean end */
};

static inline int site_connect(struct site *site)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, &site->server.address.to.any, site->server.address.size), 0);
    return fd;
}

static inline void site_send(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* The value of a field, in storage that the next call uses again; "" if there is none. */
static inline const char *field(const struct reply *reply, const char *name)
{
    static char value[2048];
    size_t length = strlen(name);
    value[0] = '\0';
    for (const char *line = strstr(reply->head, "\r\n"); line != NULL && line[2] != '\r';
         line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':') {
            const char *from = line + 2 + length + 2, *to = strstr(from, "\r\n");
            snprintf(value, sizeof value, "%.*s", (int)(to - from), from);
            break;
        }
    }
    return value;
}

static inline void reply_free(struct reply *reply)
{
    free(reply->head);
    free(reply->body);
    memset(reply, 0, sizeof *reply);
}

/* Read to the end of the connection, which is closed then. bodyless: of HEAD. */
static inline struct reply site_receive(struct site *site, int fd, bool bodyless)
{
    struct reply reply = {0};
    size_t size = 0, room = 1 << 16;
    char *bytes = malloc(room);
    ssize_t got = 1;
    while (got != 0 && (got > 0 || errno == EAGAIN)) {
        site_turn(site, fd);
        if (room - size < 2)
            bytes = realloc(bytes, room *= 2);
        assert_non_null(bytes);
        got = recv(fd, bytes + size, room - size - 1, MSG_DONTWAIT);
        size += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    bytes[size] = '\0';
    char *end = strstr(bytes, "\r\n\r\n");
    size_t head = end != NULL ? (size_t)(end - bytes) + 4 : size;
    reply.head = strndup(bytes, head);
    reply.size = size - head;
    reply.body = malloc(reply.size + 1);
    memcpy(reply.body, bytes + head, reply.size + 1);
    free(bytes);
    if (end != NULL && sscanf(reply.head, "HTTP/1.1 %d", &reply.status) != 1)
        reply.status = 0;
    size_t length = strtoull(field(&reply, "Content-Length"), NULL, 10);
    reply.whole = got == 0 && end != NULL && reply.size == (bodyless ? 0 : length);
    return reply;
}

/* Ask for target; fields: more lines for the head, each with its end, or "". */
static inline struct reply ask_for(struct site *site, const char *method, const char *target,
                                   const char *fields)
{
    char text[16384];
    int fd = site_connect(site);
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s\r\n", method,
             target, fields);
    site_send(fd, text);
    return site_receive(site, fd, strcmp(method, "HEAD") == 0);
}

static inline struct reply ask(struct site *site, const char *target)
{
    return ask_for(site, "GET", target, "");
}

/* Ask and only look at the status. */
static inline int status_of(struct site *site, const char *target)
{
    struct reply reply = ask(site, target);
    int status = reply.status;
    assert_true(reply.whole);
    assert_string_equal(field(&reply, "X-Content-Type-Options"), "nosniff");
    reply_free(&reply);
    return status;
}

/* Require that a GET of target, with these fields, is answered so. */
static inline void expect_body(struct site *site, const char *target, const char *fields,
                               int status, const char *body)
{
    struct reply reply = ask_for(site, "GET", target, fields);
    assert_int_equal(reply.status, status);
    assert_true(reply.whole);
    assert_string_equal(reply.body, body);
    reply_free(&reply);
}

/* ---- files ---------------------------------------------------------------------------------- */

static inline void make_folder(const char *name)
{
    char path[SCRATCH_PATH];
    assert_int_equal(mkdir(scratch_path(path, name), 0755), 0);
}

static inline void make_link(const char *name, const char *to)
{
    char path[SCRATCH_PATH];
    assert_int_equal(symlink(to, scratch_path(path, name)), 0);
}

/* A file that was last changed long ago, so that its entity tag is strong. */
static inline void make_file(const char *name, const char *text)
{
    char path[SCRATCH_PATH];
    struct timespec times[2] = {{.tv_sec = 784111777}, {.tv_sec = 784111777}};
    scratch_file(path, name, text);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Byte number i of a large file. */
static inline char pattern(size_t i)
{
    return (char)(i * 2654435761u >> 11);
}

static inline void make_large(const char *name, size_t size)
{
    char path[SCRATCH_PATH];
    FILE *file = fopen(scratch_path(path, name), "w");
    assert_non_null(file);
    for (size_t i = 0; i < size; i++)
        putc_unlocked(pattern(i), file);
    assert_int_equal(fclose(file), 0);
}

static inline void require_pattern(const char *bytes, size_t size, size_t from)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != pattern(from + i))
            fail_msg("byte %zu is wrong", from + i);
    }
}

static inline size_t open_descriptors(void)
{
    return scratch_count("/proc/self/fd");
}

#endif
