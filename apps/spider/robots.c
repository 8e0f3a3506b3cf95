/* Asking a host for its robots.txt, before anything else is asked of it.
 *
 * What it said is kept in the state for as long as it may be (a day at most), so that a crawl that
 * is continued does not ask again. An answer that says "later" (429, 5xx) and none at all are tried
 * again at the host's pace; in the end they mean that nothing is allowed, but only for this run. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <weft/http_message.h>

const char robots_note[] = "robots.txt forbids it";

struct asking {
    struct page page; /* only its op, host and fetch: a task of the queue like the others */
    char url[];
};

/* What is kept: until when it holds, and the text. */
struct kept {
    int64_t until;
    int32_t http_status;
};

static void use(struct host *host, int http_status, struct weft_text body)
{
    host->asked = HOST_ASKED;
    weft_robots_free(&host->robots);
    if (weft_robots_of_status(http_status, 0) == WEFT_ROBOTS_RULES)
        weft_robots_parse(&host->robots, body, weft_text_of(host->crawl->agent));
    else
        weft_robots_parse(&host->robots, weft_text(NULL, 0), weft_text_of(host->crawl->agent));
    uint32_t delay = host->robots.crawl_delay_ms;
    if (delay != WEFT_ROBOTS_NO_DELAY && delay > host->base_ms) {
        pace_set_base(&host->pace, delay);
        host_obey(host);
    }
}

/* ---- kept ----------------------------------------------------------------------------------- */

/* "host/<origin>/robots", unless the origin is too long for a key: then nothing is kept. */
static struct weft_text key_of(const struct host *host, char buffer[400])
{
    int size = snprintf(buffer, 400, "host/%s/robots", host->origin);
    return size < 400 ? weft_text(buffer, (size_t)size) : weft_text(NULL, 0);
}

static bool use_kept(struct host *host)
{
    char buffer[400];
    struct kept kept;
    struct weft_text key = key_of(host, buffer), value;
    if (key.data == NULL || weft_crawl_get(&host->crawl->state, key, &value) != 0 ||
        value.data == NULL || value.size < sizeof kept)
        return false;
    memcpy(&kept, value.data, sizeof kept);
    if (kept.until < time(NULL))
        return false;
    use(host, kept.http_status, weft_text(value.data + sizeof kept, value.size - sizeof kept));
    return true;
}

static void keep(struct host *host, const struct weft_http_fetch *fetch, struct weft_text body)
{
    char buffer[400];
    struct weft_text key = key_of(host, buffer);
    size_t size = body.size < WEFT_ROBOTS_SIZE_MAX ? body.size : WEFT_ROBOTS_SIZE_MAX;
    char *value = key.data != NULL ? weft_alloc(sizeof(struct kept) + size) : NULL;
    if (value == NULL)
        return;
    struct kept kept = {.until = time(NULL) +
                                 weft_robots_max_age_s(weft_http_fetch_get(fetch, "Cache-Control")),
                        .http_status = fetch->status};
    memcpy(value, &kept, sizeof kept);
    if (size > 0)
        memcpy(value + sizeof kept, body.data, size);
    int err = weft_crawl_put(&host->crawl->state, key, weft_text(value, sizeof kept + size));
    if (err != 0)
        crawl_no_output(host->crawl, err, "the state");
    weft_free(value);
}

/* ---- asked ---------------------------------------------------------------------------------- */

static void ask(struct weft_op *op)
{
    struct asking *asking = weft_owner(op, struct asking, page.op);
    struct weft_http_fetch *fetch = &asking->page.fetch;
    page_request(&asking->page);
    fetch->fields = NULL; /* it may be redirected to anybody; a password stays behind anyway */
    fetch->fields_count = 0;
    fetch->max_redirects = 5;
    fetch->body_max = WEFT_ROBOTS_SIZE_MAX;
    asking->page.begun = true;
    asking->page.begun_at = weft_now(weft_loop_of(op));
    weft_http_fetch(op, fetch, &asking->page.crawl->client, asking->url, weft_pass);
}

/* Too long is no error: the beginning counts. Nor is a redirect without an end: there are no
 * rules. */
static int status_of(const struct weft_http_fetch *fetch)
{
    bool too_long =
        fetch->failure == WEFT_FETCH_FAILED_SIZE && fetch->detail == WEFT_FETCH_LARGE_BODY;
    bool nowhere = fetch->failure == WEFT_FETCH_FAILED_REDIRECT;
    return too_long || nowhere ? 0 : fetch->op.status;
}

/* Does it have to be asked once more? The pace knows what happened, and how long to wait. */
static bool again(struct asking *asking)
{
    struct host *host = asking->page.host;
    struct weft_http_fetch *fetch = &asking->page.fetch;
    uint64_t now = weft_now(weft_loop_of(&host->crawl->op)), took = now - asking->page.begun_at;
    if (status_of(fetch) != 0) {
        pace_failed(&host->pace, now, took);
        if (fetch->failure == WEFT_FETCH_FAILED_TLS || fetch->failure == WEFT_FETCH_FAILED_INPUT ||
            fetch->failure == WEFT_FETCH_FAILED_LIBRARY ||
            (fetch->failure == WEFT_FETCH_FAILED_RESOLVE && fetch->op.status != UV_EAI_AGAIN))
            host->pace.gone = true;
        return true;
    }
    if (weft_robots_of_status(fetch->status, 0) == WEFT_ROBOTS_DENY_ALL) {
        pace_pushed_back(&host->pace, now, took, outcome_retry_after_ms(fetch));
        return ++asking->page.pushed <= host->crawl->settings->retries;
    }
    pace_answered(&host->pace, now, fetch->times.first_byte / 1000);
    return false;
}

static void asked(struct weft_op *parent, struct weft_op *op);

static void finish(struct asking *asking)
{
    struct host *host = asking->page.host;
    weft_http_fetch_free(&asking->page.fetch);
    weft_free(asking);
    host->crawl->pages--;
    host->crawl->parked -= host->resting;
    host->pages--;
    host_hungry(host);
    crawl_feed(host->crawl);
}

static void asked(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct asking *asking = weft_owner(op, struct asking, page.op);
    struct host *host = asking->page.host;
    struct weft_http_fetch *fetch = &asking->page.fetch;
    bool ended = !asking->page.begun || fetch->failure == WEFT_FETCH_FAILED_CANCEL;
    if (ended) {
        host->asked = HOST_UNASKED;
    } else if (again(asking)) {
        host->asked = HOST_UNASKED; /* from the beginning, when it has rested */
        host_obey(host);
        if (host->pace.gone)
            host_give_up(host, "robots.txt: ", fetch);
        if (!host->pace.gone && host->crawl->stop == CRAWL_GOES_ON) {
            host->asked = HOST_ASKING;
            weft_http_fetch_free(fetch);
            weft_lane_push(&host->lane, parent, op, ask, asked);
            return;
        }
    } else if (weft_robots_of_status(fetch->status, 0) == WEFT_ROBOTS_DENY_ALL) {
        host->asked = HOST_ASKED;
        host->denied = true;
        host_obey(host);
    } else {
        struct weft_text body = weft_text(fetch->body, fetch->body_size);
        keep(host, fetch, body);
        use(host, fetch->status, body);
    }
    finish(asking);
}

void host_ask_robots(struct host *host)
{
    if (host->asked == HOST_ASKING)
        return;
    if (use_kept(host)) {
        host_feed(host);
        return;
    }
    size_t size = host->origin_size + sizeof "/robots.txt";
    struct asking *asking = weft_calloc(1, sizeof *asking + size);
    if (asking == NULL) {
        host->asked = HOST_ASKED;
        host->denied = true;
        host_feed(host);
        return;
    }
    snprintf(asking->url, size, "%s/robots.txt", host->origin);
    asking->page.crawl = host->crawl;
    asking->page.host = host;
    host->asked = HOST_ASKING;
    host->pages++;
    host->crawl->pages++;
    weft_lane_push(&host->lane, &host->crawl->op, &asking->page.op, ask, asked);
}
