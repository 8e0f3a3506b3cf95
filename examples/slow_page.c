/* slow_page: a page that is slow, and one command that tells why.
 *
 * The server answers at once, the network is the loopback, the page has six bytes: and yet it
 * takes a third of a second. Nothing in the program says what it waits for. A trace does:
 *
 *     weft trace record -o page.json -- build/examples/slow_page
 *     weft trace summary page.json
 *
 * The slowest chain is the page, its fetch, and what that waited for: an http_resolve. The name of
 * the host is looked up, once for all who fetch from it, and that takes all of the time. The place
 * where each was begun stands beside it. `weft trace report page.json` draws the same as a
 * picture. (slow_lookup plays the slow name server.) */
#include <weft.h>
#include <weft/http.h>

enum { LOOKUP_MS = 300, SLOW_US = 100 * 1000 };

struct page {
    struct weft_op op;
    struct weft_http_server server;
    struct weft_http_client client;
    struct weft_http_fetch fetch;
    struct weft_sleep lookup;
    char url[64];
};

/* ---- a name server that takes its time ------------------------------------------------------ */

static struct page page;

static void looked_up(struct weft_op *op, struct weft_op *sleep)
{
    struct weft_http_resolve *resolve = weft_owner(op, struct weft_http_resolve, op);
    resolve->count = 1;
    weft_address_parse(&resolve->addresses[0], "127.0.0.1:0");
    weft_finish(op, sleep->status);
}

static void slow_lookup(struct weft_op *op)
{
    weft_sleep(op, &page.lookup, LOOKUP_MS, looked_up);
}

/* ---- the program ---------------------------------------------------------------------------- */

static void hello(struct weft_op *op)
{
    weft_http_answer(weft_owner(op, struct weft_http_request, op), 200, "text/plain", "hello\n", 6);
}

static void page_there(struct weft_op *op, struct weft_op *fetch)
{
    if (fetch->status == 0)
        printf("%d %s", page.fetch.status, page.fetch.body);
    printf("%s\n", page.fetch.times.total >= SLOW_US ? "and it was slow" : "in no time");
    weft_http_fetch_free(&page.fetch);
    weft_end(op, fetch->status); /* closes the client and the server */
}

static void page_begin(struct weft_op *op)
{
    struct weft_address address;
    weft_address_parse(&address, "127.0.0.1:0");
    page.server.handler = hello;
    page.client.resolve = slow_lookup;
    weft_http_serve(op, &page.server, &address, NULL);
    weft_http_client_open(op, &page.client, NULL);
    snprintf(page.url, sizeof page.url, "http://www.example:%u/",
             weft_address_port(&page.server.address));
    weft_http_fetch(op, &page.fetch, &page.client, page.url, page_there);
}

int main(void)
{
    return weft_go(&page.op, page_begin) != 0;
}
