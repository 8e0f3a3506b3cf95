/* One request, from its head to its line in the log.
 *
 *   counted -> cut off (--drop-after) | answered 429 (--too-many) | waits (--delay) -> its route
 *
 * Two paths stand apart: /_stats is not counted at all, and robots.txt is no page, so it is neither
 * delayed nor refused, and it does not count among those under way. A visit is under way from its
 * begin until visit_done, which every request comes to, also one that was cut. */
#include "site.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct visit *visit_of(struct weft_op *op)
{
    return weft_owner(op, struct visit, request.op);
}

struct site *site_of(const struct visit *visit)
{
    return weft_owner(visit->request.server, struct site, server);
}

/* ---- answers -------------------------------------------------------------------------------- */

/* A validator has to change with the bytes and with nothing else; a date only has to be one. Each
 * path has its own, so that whoever keeps dates can be seen to keep the right one. */
static void set_validators(struct visit *visit, char etag[40], int64_t *modified)
{
    enum { FIRST = 1704067200, HOURS = 24 * 365 }; /* the year from 2024-01-01 on */
    struct weft_text path = visit->request.head.path;
    char date[WEFT_HTTP_DATE_SIZE];
    *modified = FIRST + (int64_t)(hashed(path.data, path.size) % HOURS) * 3600;
    snprintf(etag, 40, "\"%016llx\"",
             (unsigned long long)hashed(visit->page.data, visit->page.size));
    weft_http_date_format(date, *modified);
    weft_http_set(&visit->request, "ETag", etag);
    weft_http_set(&visit->request, "Last-Modified", date);
}

static bool is_known(struct visit *visit)
{
    char etag[40];
    int64_t modified;
    set_validators(visit, etag, &modified);
    return weft_http_conditional(&visit->request.head, weft_text_of(etag), modified,
                                 (int64_t)time(NULL)) == WEFT_HTTP_NOT_MODIFIED;
}

void visit_answer(struct visit *visit, int status, const char *type)
{
    if (visit->page.err != 0) {
        weft_end(&visit->request.op, visit->page.err);
        return;
    }
    if (status == 200 && visit->is_page && is_known(visit))
        status = 304;
    weft_http_answer(&visit->request, status, type, visit->page.data, visit->page.size);
}

void visit_answer_html(struct visit *visit)
{
    visit_answer(visit, 200, "text/html; charset=utf-8");
}

void visit_answer_missing(struct visit *visit)
{
    page_begin_html(&visit->page, "There is no such page", "");
    page_addf(&visit->page, "<p><a href=\"/\">home</a></p>\n");
    page_end_html(&visit->page);
    visit_answer(visit, 404, "text/html; charset=utf-8");
}

/* The Host field is the client's, and goes into the page: only if it cannot be anything else. */
static bool host_is_plain(struct weft_text host)
{
    for (size_t i = 0; i < host.size; i++) {
        char c = weft_text_lower(host.data[i]);
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && strchr(".-:[]", c) == NULL)
            return false;
    }
    return host.size > 0;
}

void visit_add_origin(struct visit *visit)
{
    struct weft_text host = visit->request.head.host;
    char url[WEFT_ADDRESS_TEXT] = "";
    if (host_is_plain(host)) {
        page_addf(&visit->page, "http://%.*s", WEFT_TEXT_ARGS(host));
        return;
    }
    weft_http_url(&site_of(visit)->server, url, sizeof url);
    if (url[0] != '\0')
        page_add(&visit->page, url, strlen(url) - 1);
}

/* ---- bad habits ----------------------------------------------------------------------------- */

static void answer_too_many(struct visit *visit, const char *retry_after)
{
    struct weft_text value = weft_text_of(retry_after);
    char date[WEFT_HTTP_DATE_SIZE];
    if (weft_text_starts(value, "date:")) {
        int64_t ahead = strtoll(retry_after + strlen("date:"), NULL, 10);
        weft_http_date_format(date, (int64_t)time(NULL) + ahead);
        retry_after = date;
    }
    weft_http_set(&visit->request, "Retry-After", retry_after);
    page_addf(&visit->page, "too many requests\n");
    visit_answer(visit, 429, "text/plain");
}

static uint64_t delay_of(const struct visit *visit)
{
    struct weft_text path = visit->request.head.path;
    uint64_t ms = site_of(visit)->options.delay_ms;
    if (weft_text_is(path, "/slow.html"))
        ms += SITE_SLOW_MS;
    if (weft_text_is(path, "/short/slow"))
        ms += SITE_SHORT_SLOW_MS;
    return ms;
}

static void waited(struct weft_op *op, struct weft_op *wait)
{
    if (wait->status != 0)
        weft_end(op, wait->status);
    else
        visit_route(op);
}

void visit_hang(struct visit *visit)
{
    weft_sleep(&visit->request.op, &visit->wait, UINT64_MAX, weft_pass);
}

/* This one is cut too, before it is answered. */
static void drop(struct visit *visit)
{
    site_drop(site_of(visit));
    visit_hang(visit);
}

static void serve_as_a_page(struct visit *visit)
{
    struct site *site = site_of(visit);
    const struct options *options = &site->options;
    uint64_t delay_ms = delay_of(visit);
    visit->is_page = true;
    site->pages++;
    if (++site->running > site->most_running)
        site->most_running = site->running;
    if (options->drop_after > 0 && site->pages > options->drop_after && !site->dropped)
        drop(visit);
    else if (options->too_many > 0 && site->pages % options->too_many == 0)
        answer_too_many(visit, options->retry_after);
    else if (delay_ms > 0)
        weft_sleep(&visit->request.op, &visit->wait, delay_ms, waited);
    else
        visit_route(&visit->request.op);
}

/* ---- begin and end -------------------------------------------------------------------------- */

/* Path and query as they were sent; a target with http:// and a host in front is cut to that. */
static struct weft_text url_of(const struct weft_http_head *head)
{
    const char *end = head->query.data != NULL ? head->query.data + head->query.size
                                               : head->path.data + head->path.size;
    return weft_text(head->path.data, (size_t)(end - head->path.data));
}

void visit_begin(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    struct site *site = site_of(visit);
    struct weft_text path = visit->request.head.path;
    if (weft_text_is(path, "/_stats")) {
        visit_route(op);
        return;
    }
    site->total++;
    visit->count = counts_add(&site->counts, url_of(&visit->request.head));
    if (weft_text_is(path, "/robots.txt"))
        visit_route(op);
    else
        serve_as_a_page(visit);
}

void visit_done(struct weft_http_request *request)
{
    struct visit *visit = weft_owner(request, struct visit, request);
    struct site *site = site_of(visit);
    if (visit->is_page)
        site->running--;
    if (site->log >= 0 && !weft_text_is(request->head.path, "/_stats"))
        log_visit(site->log, weft_now(weft_loop_of(&site->op)) - site->began_ms, visit);
    page_free(&visit->page);
}
