/* cached_page: a server in front of a cache.
 *
 * A page is kept for a while, and whoever asks while it is being made waits for the same one. The
 * answer is the cache's own cell: weft_http_answer_cell holds it until the last byte is sent, also if
 * it is forgotten meanwhile. A page is made with the context of the request that it was begun for. */
#include <weft.h>
#include <weft/http.h>

enum { MAKING_MS = 20, AT_ONCE = 3 };
struct visit { /* what the server keeps for each request */
    struct weft_http_request request;
    struct weft_cache_get get;
};
struct page { /* a page that is being made */
    struct weft_flight flight;
    struct weft_sleep work;
};
static weft_begin_fn show_page, make_page;
static weft_then_fn answered;
static struct weft_op app;
static struct weft_http_server server = {.handler = show_page,
                                         .request_size = sizeof(struct visit)};
static struct weft_cache cache = {
    .load = make_page, .flight_size = WEFT_FLIGHT(struct page, flight), .ttl_ms = 60000};
static struct weft_http_client client;
static struct weft_http_fetch fetches[AT_ONCE + 1];
static struct weft_key visitor = {.name = "visitor"};
static int visits, asked, answers;

static int visitor_of(struct weft_op *op) /* the number itself: a page outlives requests */
{
    return (int)(intptr_t)weft_context_get(op, &visitor);
}

static void page_made(struct weft_op *op, struct weft_op *work)
{
    if (work->status == 0)
        weft_flight_answer(weft_owner(op, struct weft_flight, promise.op), "all my books", 12);
    else
        weft_finish(op, work->status);
}

static void make_page(struct weft_op *op) /* the load of the cache */
{
    struct page *page = weft_owner(op, struct page, flight.promise.op);
    printf("server: makes %s for request %d\n", page->flight.key.data, visitor_of(op));
    weft_sleep(op, &page->work, MAKING_MS, page_made);
}

static void page_there(struct weft_op *op, struct weft_op *get)
{
    static const char *const hows[] = {"was kept", "is old", "is new", "was under way"};
    struct visit *visit = weft_owner(op, struct visit, request.op);
    printf("server: what request %d wants %s\n", visitor_of(op), hows[visit->get.how]);
    if (get->status == 0)
        weft_http_answer_cell(&visit->request, 200, "text/plain", visit->get.cell);
    else
        weft_end(op, get->status); /* and the client gets the status that fits */
}

static void show_page(struct weft_op *op) /* the handler */
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    weft_context_set(op, &visitor, (void *)(intptr_t)++visits);
    weft_cache_get(op, &visit->get, &cache, visit->request.head.path, page_there);
}

static void ask(void)
{
    static char url[128];
    weft_http_url(&server, url, sizeof url);
    weft_http_fetch(&app, &fetches[asked++], &client, strcat(url, "books"), answered);
}

static void answered(struct weft_op *op, struct weft_op *child)
{
    struct weft_http_fetch *fetch = weft_owner(child, struct weft_http_fetch, op);
    printf("client: %d %s\n", fetch->status, child->status == 0 ? fetch->body : "");
    weft_http_fetch_free(fetch);
    if (++answers == AT_ONCE)
        ask();
    if (answers == AT_ONCE + 1)
        weft_end(op, 0); /* and with it the server and the client */
}

static void begin(struct weft_op *op)
{
    weft_address_parse(&server.address, "127.0.0.1:0");
    cache.owner = op;
    weft_cache_open(&cache);
    weft_http_serve(op, &server, &server.address, NULL);
    weft_http_client_open(op, &client, NULL);
    ask(), ask(), ask();
}

int main(void)
{
    return weft_go(&app, begin) != 0 || weft_cache_close(&cache) != 0;
}
