/* Asking a host for its robots.txt, before anything else is asked of it.
 *
 * What it said is kept in the state for as long as it may be (a day at most), so that a crawl that
 * is continued does not ask again. An answer that says "later" (429, 5xx) and none at all are tried
 * again at the host's pace; in the end they mean that nothing is allowed, but only for this run.
 *
 * Redirects are followed here and not by the client, so that an archive gets each answer on the way.
 *
 * A Crawl-delay is heeded up to an hour, as Retry-After is: a host may ask for days, and a crawl that
 * waits for days has ended, but does not look so. One that is long enough to be taken for that is told. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <weft/http_message.h>

const char robots_note[] = "robots.txt forbids it";

enum {
    HOPS = 5,
    DELAY_MOST_MS = 60 * 60 * 1000,
    RULES_BYTES = 64 << 20, /* of rules that are in memory, */
    RULES_GROW = 6          /* which may be so much more than what they were written in */
};

struct asking {
    struct page page; /* only its op, host and fetch: a task of the queue like the others */
    unsigned hops;
    char *moved; /* where redirects have led to; NULL: they have not */
    char url[];
};

/* What is kept: until when it holds, and the text. */
struct kept {
    int64_t until;
    int32_t http_status;
};

/* Where there are none, all is allowed. */
static void parse(struct weft_robots *robots, const struct crawl *crawl, int http_status,
                  struct weft_text body)
{
    bool rules = weft_robots_of_status(http_status, 0) == WEFT_ROBOTS_RULES;
    weft_robots_parse(robots, rules ? body : weft_text(NULL, 0), weft_text_of(crawl->agent));
}

/* 0: it asks for none. */
static uint32_t delay_of(const struct weft_robots *robots)
{
    uint32_t delay = robots->crawl_delay_ms;
    if (delay == WEFT_ROBOTS_NO_DELAY)
        return 0;
    return delay < DELAY_MOST_MS ? delay : DELAY_MOST_MS;
}

static void let_go(struct host *host)
{
    weft_robots_free(&host->robots);
    host->crawl->rules_bytes -= host->rules_bytes;
    host->rules_bytes = 0;
}

/* With more than enough in memory those of all others go: they are asked for again, in the state. */
static void hold(struct host *host, size_t body_size)
{
    struct crawl *crawl = host->crawl;
    host->rules_bytes = body_size * RULES_GROW;
    crawl->rules_bytes += host->rules_bytes;
    for (size_t i = 0; crawl->rules_bytes > RULES_BYTES && i < crawl->hosts_room; i++) {
        for (struct host *other = crawl->hosts[i]; other != NULL; other = other->next_same) {
            if (other == host || other->rules_bytes == 0)
                continue;
            let_go(other);
            other->asked = HOST_UNASKED;
        }
    }
}

static void use(struct host *host, int http_status, struct weft_text body)
{
    host->asked = HOST_ASKED;
    let_go(host);
    parse(&host->robots, host->crawl, http_status, body);
    hold(host, body.size);
    uint32_t delay = delay_of(&host->robots);
    if (delay > host->base_ms) {
        pace_set_base(&host->pace, delay);
        host_obey(host);
        report_delay(host, delay);
    }
}

/* ---- kept ----------------------------------------------------------------------------------- */

/* "host/<origin>/robots", unless the origin is too long for a key: then nothing is kept. */
static struct weft_text key_of(const char *origin, char buffer[400])
{
    int size = snprintf(buffer, 400, "host/%s/robots", origin);
    return size < 400 ? weft_text(buffer, (size_t)size) : weft_text(NULL, 0);
}

/* body is valid until the state is asked for something else. */
static bool recall(struct crawl *crawl, const char *origin, struct kept *kept,
                   struct weft_text *body)
{
    char buffer[400];
    struct weft_text key = key_of(origin, buffer), value;
    if (key.data == NULL || weft_crawl_get(&crawl->state, key, &value) != 0 || value.data == NULL ||
        value.size < sizeof *kept)
        return false;
    memcpy(kept, value.data, sizeof *kept);
    *body = weft_text(value.data + sizeof *kept, value.size - sizeof *kept);
    return kept->until >= time(NULL);
}

bool robots_recall(struct crawl *crawl, const char *origin, struct weft_robots *robots)
{
    struct kept kept;
    struct weft_text body;
    if (!recall(crawl, origin, &kept, &body))
        return false;
    parse(robots, crawl, kept.http_status, body);
    return true;
}

static bool use_kept(struct host *host)
{
    struct kept kept;
    struct weft_text body;
    if (!recall(host->crawl, host->origin, &kept, &body))
        return false;
    use(host, kept.http_status, body);
    story_robots(host, "kept", NULL);
    return true;
}

static void keep(struct host *host, const struct weft_http_fetch *fetch, struct weft_text body)
{
    char buffer[400];
    struct weft_text key = key_of(host->origin, buffer);
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

/* Too long is no error: the beginning counts. (Nor is a redirect without an end: there are no
 * rules.) */
static int status_of(const struct weft_http_fetch *fetch)
{
    bool too_long =
        fetch->failure == WEFT_FETCH_FAILED_SIZE && fetch->detail == WEFT_FETCH_LARGE_BODY;
    return too_long ? 0 : fetch->op.status;
}

static void answered(struct weft_op *op, struct weft_op *child);

static bool is_within(const struct host *host, const char *url)
{
    return strncmp(url, host->origin, host->origin_size) == 0 && url[host->origin_size] == '/';
}

/* It may be redirected to anybody: fields of the user's are not sent, a password stays behind. */
static void ask(struct weft_op *op)
{
    struct asking *asking = weft_owner(op, struct asking, page.op);
    struct weft_http_fetch *fetch = &asking->page.fetch;
    const char *url = asking->moved != NULL ? asking->moved : asking->url;
    page_request(&asking->page);
    fetch->fields = NULL;
    fetch->fields_count = 0;
    fetch->body_max = WEFT_ROBOTS_SIZE_MAX;
    if (!is_within(asking->page.host, url))
        fetch->user = fetch->password = NULL;
    asking->page.begun = true;
    asking->page.begun_at = weft_now(weft_loop_of(op));
    asking->page.asked_at = time(NULL);
    weft_http_fetch(op, fetch, &asking->page.crawl->client, url, answered);
}

/* The first of all, or once more. */
static void ask_first(struct weft_op *op)
{
    struct asking *asking = weft_owner(op, struct asking, page.op);
    weft_free(asking->moved);
    asking->moved = NULL;
    asking->hops = 0;
    ask(op);
}

/* Where the answer leads to, if we go there: 0; 1: nowhere; or UV_ENOMEM. */
static int move(struct asking *asking)
{
    const char *location = asking->page.fetch.location;
    if (asking->page.fetch.op.status != 0 || location == NULL || asking->hops == HOPS ||
        (strncmp(location, "http://", 7) != 0 && strncmp(location, "https://", 8) != 0))
        return 1;
    size_t size = strlen(location) + 1;
    char *copy = weft_alloc(size);
    if (copy == NULL)
        return UV_ENOMEM;
    memcpy(copy, location, size);
    weft_free(asking->moved);
    asking->moved = copy;
    asking->hops++;
    return 0;
}

static void go_on(struct weft_op *op)
{
    struct asking *asking = weft_owner(op, struct asking, page.op);
    if (weft_cancelled(op) != 0 || move(asking) != 0) {
        weft_end(op, asking->page.fetch.op.status);
        return;
    }
    weft_http_fetch_free(&asking->page.fetch);
    ask(op);
}

static int archive_there(struct weft_work *work)
{
    return archive_put(weft_owner(work, struct page, filing));
}

static void archived(struct weft_op *op, struct weft_op *work)
{
    struct asking *asking = weft_owner(op, struct asking, page.op);
    if (work->status != 0 && !asking->page.crawl->aborted)
        archive_failed(asking->page.crawl, work->status);
    go_on(op);
}

static void answered(struct weft_op *op, struct weft_op *child)
{
    struct asking *asking = weft_owner(op, struct asking, page.op);
    const struct weft_http_fetch *fetch = weft_owner(child, struct weft_http_fetch, op);
    asking->page.cut = child->status != 0;
    asking->page.crawl->wire += fetch->wire_received;
    if (status_of(fetch) == 0 && fetch->answer_head.data != NULL && asking->page.crawl->warc.open)
        weft_work(op, &asking->page.filing, archive_there, archived);
    else
        go_on(op);
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
            fetch->failure == WEFT_FETCH_FAILED_REFUSED ||
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
    weft_free(asking->moved);
    weft_free(asking);
    host->crawl->pages--;
    host->crawl->parked -= host->resting;
    host->pages--;
    host_hungry(host);
    crawl_feed(host->crawl);
}

static void give_up(struct host *host, const struct weft_http_fetch *fetch)
{
    char why[WEFT_FETCH_EXPLAIN];
    if (status_of(fetch) != 0)
        outcome_explain(fetch, why, sizeof why);
    else
        snprintf(why, sizeof why, "%d %s", fetch->status, weft_http_reason(fetch->status));
    host_give_up(host, "robots.txt: ", why);
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
        story_robots(host, "later", fetch);
        host_obey(host);
        if (host->pace.gone)
            give_up(host, fetch);
        if (!host->pace.gone && host->crawl->stop == CRAWL_GOES_ON) {
            host->asked = HOST_ASKING;
            weft_http_fetch_free(fetch);
            weft_lane_push(&host->lane, parent, op, ask_first, asked);
            return;
        }
    } else if (weft_robots_of_status(fetch->status, 0) == WEFT_ROBOTS_DENY_ALL) {
        host->asked = HOST_ASKED;
        host->denied = true;
        story_robots(host, "denied", fetch);
        host_obey(host);
    } else {
        struct weft_text body = weft_text(fetch->body, fetch->body_size);
        keep(host, fetch, body);
        use(host, fetch->status, body);
        bool rules = weft_robots_of_status(fetch->status, 0) == WEFT_ROBOTS_RULES;
        story_robots(host, rules ? "rules" : "none", fetch);
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
    weft_lane_push(&host->lane, &host->crawl->op, &asking->page.op, ask_first, asked);
}
