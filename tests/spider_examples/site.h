/* What the tests of the spiders in examples/spider share: a web site made of a table, on loopback,
 * and a spider that is run on it as a program of its own, in a folder of its own.
 *
 *     struct site s;
 *     site_begin(&s);
 *     site_add(&s, "/", "<a href=/a>");
 *     site_add(&s, "/a", "");
 *     spider(&s, "v2", "/", "1", NULL);
 *     assert_int_equal(s.exit_code, 0);
 *     assert_string_equal(asked(&s), "/ /a");
 *     site_end(&s);
 *
 * Every run has a loop and a server of its own, on the port of the first one, so that the files of
 * an earlier run are those of the same site. In s.out and s.err HOST stands for 127.0.0.1:port. */
#ifndef TESTS_SPIDER_EXAMPLES_SITE_H
#define TESTS_SPIDER_EXAMPLES_SITE_H

#include "check.h"
#include "loop.h"
#include "scratch.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft.h>
#include <weft/http.h>

#define SETPRIV "/usr/bin/setpriv"

enum {
    AS_NOBODY = 5,
    PAGES = 512,
    TEXT = 256 * 1024,
    PATH = SCRATCH_PATH + 128,
    PATIENCE_MS = 30000
};

struct made {
    char *path, *body;
    int status;            /* 200 unless it is set */
    unsigned long wait_ms; /* it is answered after this, */
    const char *until;     /* or when this path was asked for until_times */
    unsigned until_times;
    unsigned times; /* how often it was asked for, in the last run */
};

struct visit {
    struct weft_http_request request;
    struct weft_sleep wait;
    struct made *page;
    struct visit *next;
};

struct site {
    struct world w;
    struct weft_http_server server;
    struct weft_process process;
    struct weft_deadline deadline;
    struct made pages[PAGES];
    size_t count;
    struct visit *waiting;
    bool as_nobody;           /* root may look everywhere, nobody may not */
    unsigned long drop_after; /* requests; then the server refuses connections. 0: never */
    unsigned long requests;
    unsigned running, most; /* requests under way at one time */
    char folder[PATH], host[64];
    int port, exit_code, signal;
    char out[TEXT], err[TEXT], asked[TEXT];
};

/* ---- the site ------------------------------------------------------------------------------- */

static inline void site_begin(struct site *s)
{
    memset(s, 0, sizeof *s);
    scratch_new_path(s->folder, "crawl");
    assert_int_equal(mkdir(s->folder, 0777), 0);
}

static inline struct made *site_find(struct site *s, struct weft_text path)
{
    for (size_t i = 0; i < s->count; i++) {
        if (weft_text_is(path, s->pages[i].path))
            return &s->pages[i];
    }
    return NULL;
}

static inline struct made *site_add(struct site *s, const char *path, const char *body)
{
    assert_true(s->count < PAGES);
    struct made *page = &s->pages[s->count++];
    *page = (struct made){.path = strdup(path), .body = strdup(body), .status = 200};
    return page;
}

/* The page is answered when path was asked for so often; in any case after wait_ms. */
static inline void site_hold(struct made *page, unsigned long wait_ms, const char *path,
                             unsigned path_times)
{
    page->wait_ms = wait_ms;
    page->until = path;
    page->until_times = path_times;
}

static inline struct site *site_of(struct visit *visit)
{
    return weft_owner(visit->request.server, struct site, server);
}

static inline unsigned times(struct site *s, const char *path)
{
    struct made *page = site_find(s, weft_text_of(path));
    return page != NULL ? page->times : 0;
}

static inline bool is_due(struct site *s, const struct made *page)
{
    return page->until != NULL && times(s, page->until) >= page->until_times;
}

static inline void visit_answer(struct weft_op *op, struct weft_op *child)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    struct visit **place = &site_of(visit)->waiting;
    while (*place != visit)
        place = &(*place)->next;
    *place = visit->next;
    if (child->status == 0)
        weft_http_answerf(&visit->request, visit->page->status, "text/html", "%s",
                          visit->page->body);
    else
        weft_finish(op, child->status);
}

static inline void visit_begin(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    struct site *s = site_of(visit);
    visit->page = site_find(s, visit->request.head.target);
    if (++s->running > s->most)
        s->most = s->running;
    if (s->drop_after != 0 && ++s->requests > s->drop_after) {
        weft_cancel(&s->server.op, UV_ECANCELED);
        weft_finish(op, UV_ECANCELED);
        return;
    }
    if (visit->page == NULL) {
        char path[PATH];
        snprintf(path, sizeof path, "%.*s", WEFT_TEXT_ARGS(visit->request.head.target));
        visit->page = site_add(s, path, "nothing here");
        visit->page->status = 404;
    }
    visit->page->times++;
    visit->next = s->waiting;
    s->waiting = visit;
    weft_sleep(op, &visit->wait, is_due(s, visit->page) ? 0 : visit->page->wait_ms, visit_answer);
    for (struct visit *other = s->waiting; other != NULL; other = other->next) {
        if (is_due(s, other->page))
            weft_end(&other->wait.op, 0);
    }
}

static inline void visit_over(struct weft_http_request *request)
{
    weft_owner(request->server, struct site, server)->running--;
}

static inline int by_path(const void *one, const void *other)
{
    return strcmp(((const struct made *)one)->path, ((const struct made *)other)->path);
}

/* What the last run asked for, sorted: "/ /a*2 /b". */
static inline const char *asked(struct site *s)
{
    size_t size = 0;
    qsort(s->pages, s->count, sizeof s->pages[0], by_path);
    s->asked[0] = '\0';
    for (size_t i = 0; i < s->count; i++) {
        const struct made *page = &s->pages[i];
        if (page->times == 0)
            continue;
        size += (size_t)snprintf(s->asked + size, TEXT - size, size > 0 ? " %s" : "%s", page->path);
        if (page->times > 1)
            size += (size_t)snprintf(s->asked + size, TEXT - size, "*%u", page->times);
    }
    return s->asked;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The path of a file of the site: "/a.html" is <folder>/127.0.0.1:port/a.html. */
static inline const char *file_of(struct site *s, const char *name)
{
    static char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s%s", s->folder, s->host, name);
    return path;
}

static inline bool has_file(struct site *s, const char *name)
{
    return access(file_of(s, name), F_OK) == 0;
}

static inline void read_text(struct site *s, const char *name, char text[TEXT])
{
    char path[2 * PATH], *at;
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t size = read(fd, text, TEXT - 1);
    close(fd);
    unlink(path);
    assert_true(size >= 0);
    text[size] = '\0';
    while ((at = strstr(text, s->host)) != NULL) {
        size_t length = strlen(s->host);
        memcpy(at, "HOST", 4);
        memmove(at + 4, at + length, strlen(at + length) + 1);
    }
}

/* ---- the spider ----------------------------------------------------------------------------- */

static inline const char *program_of(const char *name)
{
    static char path[2 * PATH];
    char self[PATH];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = '\0'; /* <build>/tests/spider_examples/<this> */
    for (int i = 0; i < 3; i++)
        *strrchr(self, '/') = '\0';
    snprintf(path, sizeof path, "%s/examples/spider/%s", self, name);
    return path;
}

static inline void spider_over(struct weft_op *root, struct weft_op *op)
{
    struct site *s = weft_owner(op, struct site, process.op);
    (void)root;
    s->exit_code = s->process.exit_code;
    s->signal = s->process.term_signal;
    weft_cancel(&s->server.op, UV_ECANCELED);
}

static inline void server_over(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

static inline int open_text(struct site *s, const char *name)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    return fd;
}

static inline void site_serve(struct site *s)
{
    char text[64];
    struct weft_address address;
    snprintf(text, sizeof text, "127.0.0.1:%d", s->port);
    assert_int_equal(weft_address_parse(&address, text), 0);
    s->server = (struct weft_http_server){
        .handler = visit_begin, .done = visit_over, .request_size = sizeof(struct visit)};
    weft_http_serve(weft_root(&s->w.loop), &s->server, &address, server_over);
    weft_http_url(&s->server, text, sizeof text); /* http://127.0.0.1:port/ */
    snprintf(s->host, sizeof s->host, "%.*s", (int)strlen(text) - 8, text + 7);
    s->port = atoi(strrchr(s->host, ':') + 1);
}

/* Run a spider on the site until it ends: with a path or a whole URL, or NULL for no arguments at
 * all, and two more at most, which may be NULL. */
static inline void spider(struct site *s, const char *name, const char *path, const char *second,
                          const char *third)
{
    char url[PATH];
    world_up_in_order(&s->w);
    for (size_t i = 0; i < s->count; i++)
        s->pages[i].times = 0;
    s->running = s->most = 0;
    s->requests = 0;
    site_serve(s);
    bool is_path = path != NULL && path[0] == '/';
    snprintf(url, sizeof url, "http://%s%s", s->host, is_path ? path : "");
    const char *args[] = {SETPRIV,
                          "--reuid=65534",
                          "--regid=65534",
                          "--clear-groups",
                          "--",
                          program_of(name),
                          is_path ? url : path,
                          second,
                          third,
                          NULL};
    int out = open_text(s, ".out"), err = open_text(s, ".err");
    s->process = (struct weft_process){.cwd = s->folder,
                                       .out = {.kind = WEFT_STDIO_FD, .fd = out},
                                       .err = {.kind = WEFT_STDIO_FD, .fd = err}};
    weft_process(weft_root(&s->w.loop), &s->process, args + (s->as_nobody ? 0 : AS_NOBODY),
                 spider_over);
    weft_deadline(&s->process.op, &s->deadline, PATIENCE_MS);
    world_down(&s->w);
    close(out);
    close(err);
    read_text(s, ".out", s->out);
    read_text(s, ".err", s->err);
    assert_int_equal(s->signal, 0);
}

/* The same with the spider's own ready queue shuffled by seed. */
static inline void spider_shuffled(struct site *s, unsigned seed, const char *name,
                                   const char *path, const char *second, const char *third)
{
    char number[16];
    const char *before = getenv("WEFT_SHUFFLE");
    char *kept = before != NULL ? strdup(before) : NULL;
    snprintf(number, sizeof number, "%u", seed);
    setenv("WEFT_SHUFFLE", number, 1);
    spider(s, name, path, second, third);
    if (kept != NULL)
        setenv("WEFT_SHUFFLE", kept, 1);
    else
        unsetenv("WEFT_SHUFFLE");
    free(kept);
}

/* Remove the files of the last run. */
static inline void site_forget_files(struct site *s)
{
    scratch_empty();
    assert_int_equal(mkdir(s->folder, 0777), 0);
}

static inline void site_end(struct site *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->pages[i].path);
        free(s->pages[i].body);
    }
    scratch_empty();
}

#endif
