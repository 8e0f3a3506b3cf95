/* report: an HTTP server that cancels: no work is done for a client that has left.
 *
 * A request handler is an operation: it may take its time, and start what it likes below itself.
 * When the client leaves before the answer, it is cancelled at once, and everything below it: the
 * long report here would take three minutes, but nobody waits for it any more. */
#include <weft.h>
#include <weft/http.h>

enum { SHORT_MS = 10, LONG_MS = 60 * 1000, PATIENCE_MS = 500 };
struct report { /* what the server keeps for each request */
    struct weft_http_request request;
    struct weft_series chapters;
    struct weft_sleep work;
    int written;
};
static struct weft_op app;
static struct weft_http_server server;
static struct weft_http_client client;
static struct weft_http_fetch fetch;
static struct weft_deadline patience;

static struct report *report_of(struct weft_op *chapters)
{
    return weft_owner(chapters, struct report, chapters.op);
}

static void write_chapter(struct weft_op *chapters)
{
    struct report *r = report_of(chapters);
    bool is_long = weft_text_is(r->request.head.path, "/long");
    printf("server: writing chapter %d\n", ++r->written);
    weft_sleep(chapters, &r->work, is_long ? LONG_MS : SHORT_MS, NULL);
}

static void report_written(struct weft_op *op, struct weft_op *chapters)
{
    struct report *r = report_of(chapters);
    if (chapters->status == 0) {
        weft_http_answerf(&r->request, 200, "text/plain", "a report of %d chapters", r->written);
        return;
    }
    printf("server: stopped in chapter %d: %s\n", r->written, weft_strerror(chapters->status));
    weft_finish(op, chapters->status);
}

static void write_report(struct weft_op *op) /* the handler */
{
    struct report *r = weft_owner(op, struct report, request.op);
    weft_series(op, &r->chapters, report_written, write_chapter, write_chapter, write_chapter);
}

static void ask(const char *path, uint64_t ms);

static void answered(struct weft_op *op, struct weft_op *child)
{
    (void)op;
    if (child->status == 0) {
        printf("client: %d %s\n", fetch.status, fetch.body);
        weft_http_fetch_free(&fetch);
        ask("long", PATIENCE_MS);
    } else {
        printf("client: %s\n", weft_strerror(child->status));
        weft_http_client_close(&client);
        weft_http_drain(&server, PATIENCE_MS);
    }
}

static void ask(const char *path, uint64_t ms)
{
    static char url[128];
    weft_http_url(&server, url, sizeof url);
    strcat(url, path);
    weft_http_fetch(&app, &fetch, &client, url, answered);
    weft_deadline(&fetch.op, &patience, ms);
}

static void begin(struct weft_op *op)
{
    weft_address_parse(&server.address, "127.0.0.1:0");
    server.handler = write_report;
    server.request_size = sizeof(struct report);
    weft_http_serve(op, &server, &server.address, NULL);
    weft_http_client_open(op, &client, NULL);
    weft_join(op);
    ask("short", LONG_MS);
}

int main(void)
{
    return weft_go(&app, begin) != 0;
}
