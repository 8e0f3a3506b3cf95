/* What becomes of a page when its download is over.
 *
 *     answer 2xx ──► saved ──► DONE
 *            3xx ──► where it leads to is seen ──► MOVED
 *            429, 503 ──► the host rests, the page is first in its lane ──► fetched again
 *            408, 5xx ──► a nap ──► fetched again, a few times
 *            others ──► FAILED
 *     none ──► the host rests ──► fetched again, until the host is given up ──► FAILED
 *
 * Every way ends in outcome_settle: it is told to the state exactly once, and then the page is out
 * of memory. A page that was not begun, because the crawl stops, is not settled: it waits on. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <weft/http_message.h>

enum { RETRY_AFTER_S = 3600 }; /* nobody waits for longer */

static struct weft_loop *loop_of(const struct page *page)
{
    return weft_loop_of(&page->crawl->op);
}

/* A start URL, or what one leads to by redirects alone: nothing else is at no distance. */
static bool is_start(const struct crawl *crawl, weft_crawl_id id)
{
    return weft_crawl_depth(&crawl->state, id) == 0;
}

/* ---- settled -------------------------------------------------------------------------------- */

static void count(struct crawl *crawl, const struct weft_crawl_result *result)
{
    switch (result->what) {
    case WEFT_CRAWL_DONE:
    case WEFT_CRAWL_AGAIN:
        if (result->http_status != 0)
            crawl->saved++;
        else
            crawl->found++;
        break;
    case WEFT_CRAWL_MOVED:
        crawl->moved++;
        break;
    case WEFT_CRAWL_SKIPPED:
        crawl->skipped++;
        break;
    default:
        crawl->failed++;
    }
}

void outcome_settle(struct crawl *crawl, weft_crawl_id id, const struct weft_crawl_result *result)
{
    count(crawl, result);
    int err = weft_crawl_settle(&crawl->state, id, result);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
}

static void leave(struct page *page)
{
    struct crawl *crawl = page->crawl;
    page_free(page);
    crawl_feed(crawl);
}

static void settle(struct page *page, struct weft_crawl_result *result)
{
    result->attempts = page->attempts + page->pushed;
    result->fetched = time(NULL);
    outcome_settle(page->crawl, page->id, result);
    leave(page);
}

void outcome_failed(struct page *page, int status, const char *note)
{
    struct weft_crawl_result result = {.what = WEFT_CRAWL_FAILED,
                                       .status = status,
                                       .http_status = page->fetch.status,
                                       .note = weft_text_of(note)};
    report_failure(page->crawl, page->id, page->url.href.data, note);
    settle(page, &result);
}

void outcome_skipped(struct page *page, const char *note)
{
    struct weft_crawl_result result = {
        .what = WEFT_CRAWL_SKIPPED, .http_status = page->fetch.status, .note = weft_text_of(note)};
    if (is_start(page->crawl, page->id))
        report_failure(page->crawl, page->id, page->url.href.data, note);
    else
        report_line(page->crawl, "skipped  %s: %s", page->url.href.data, note);
    settle(page, &result);
}

/* ---- saved ---------------------------------------------------------------------------------- */

void outcome_done(struct page *page, const struct weft_crawl_result *result)
{
    struct crawl *crawl = page->crawl;
    struct weft_crawl_result its = *result;
    bool nearer = weft_crawl_depth(&crawl->state, page->id) < page->depth;
    its.what = nearer ? WEFT_CRAWL_AGAIN : WEFT_CRAWL_DONE;
    settle(page, &its);
}

static void tell_saved(const struct page *page)
{
    const struct settings *settings = page->crawl->settings;
    if (settings->list)
        puts(page->url.href.data);
    else if (settings->dry_run)
        printf("%s -> %s\n", page->url.href.data, page->name);
    else
        report_line(page->crawl, "saved    %s as %s", page->url.href.data, page->name);
}

static void finish_good(struct page *page)
{
    const struct weft_http_fetch *fetch = &page->fetch;
    struct weft_crawl_result result = {.http_status = fetch->status,
                                       .size = page->reader != NULL ? page->reader->size
                                                                    : fetch->received,
                                       .etag = weft_http_fetch_get(fetch, "ETag"),
                                       .last_modified = weft_http_fetch_get(fetch, "Last-Modified"),
                                       .media_type = weft_http_fetch_get(fetch, "Content-Type"),
                                       .file = weft_text_of(page->name)};
    memcpy(result.hash, page->hash, sizeof result.hash);
    tell_saved(page);
    weft_crawl_id id = page->id;
    struct crawl *crawl = page->crawl;
    outcome_done(page, &result);
    if (weft_crawl_what(&crawl->state, id) == WEFT_CRAWL_AGAIN) {
        weft_crawl_line_push(&crawl->state, &crawl->again, id);
        crawl_feed(crawl);
    }
}

/* One name cannot be written, because something is in its way; or none can. */
static bool is_its_own(int status)
{
    return status == UV_ELOOP || status == UV_ENOTDIR || status == UV_EISDIR ||
           status == UV_ENAMETOOLONG;
}

static void not_saved(struct page *page, int status)
{
    char note[NAME_SIZE + 128];
    if (page->crawl->aborted) {
        leave(page);
        return;
    }
    if (!is_its_own(status)) {
        crawl_no_output(page->crawl, status, page->name);
        leave(page); /* it is not settled: it waits for a better disk */
        return;
    }
    snprintf(note, sizeof note, "cannot be saved as %s: %s", page->name,
             status == UV_ELOOP ? "a symbolic link is in the way" : weft_strerror(status));
    outcome_failed(page, status, note);
}

static void saved(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, save.work.op);
    if (op->status != 0)
        not_saved(page, op->status);
    else
        finish_good(page);
}

static void committed(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, stream.work.op);
    if (op->status != 0)
        not_saved(page, op->status);
    else
        finish_good(page);
}

static void last_written(struct weft_op *parent, struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, stream.work.op);
    if (op->status != 0)
        not_saved(page, op->status);
    else
        save_commit(parent, &page->stream, page->stream.modified, committed);
}

static int64_t modified_of(const struct page *page)
{
    int64_t modified;
    struct weft_text value = weft_http_fetch_get(&page->fetch, "Last-Modified");
    weft_http_date_parse(value, time(NULL), &modified);
    return modified;
}

static void keep(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct reader *reader = page->reader;
    follow_fields(page);
    int err = reader_end(reader, page->hash);
    if (err == 0)
        err = page_name(page);
    if (err != 0) {
        outcome_failed(page, err, weft_strerror(err));
        return;
    }
    crawl->bytes += page->fetch.wire_received;
    int64_t modified = modified_of(page);
    if (page->streamed) {
        page->stream.modified = modified;
        save_write(&crawl->op, &page->stream, reader->data, reader->used, last_written);
    } else {
        page->save.work.crew = &crawl->crew;
        save_file(&crawl->op, &page->save, &crawl->folder, page->name, reader->data, reader->used,
                  modified, saved);
    }
}

/* ---- moved ---------------------------------------------------------------------------------- */

/* How many redirects led here, one after the other? */
static unsigned hops_to(struct crawl *crawl, weft_crawl_id id)
{
    unsigned hops = 0;
    weft_crawl_id from = id;
    for (; hops <= CRAWL_REDIRECTS; hops++) {
        size_t size;
        if (weft_crawl_url(&crawl->state, from, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size,
                           &from) != 0 ||
            from == 0 || weft_crawl_what(&crawl->state, from) != WEFT_CRAWL_MOVED)
            break;
    }
    return hops;
}

/* Does the way from there lead back here? */
static bool is_loop(struct crawl *crawl, weft_crawl_id here, weft_crawl_id there)
{
    struct weft_crawl_result result;
    for (unsigned hops = 0; there != here && hops < CRAWL_REDIRECTS; hops++) {
        if (there == 0 || weft_crawl_what(&crawl->state, there) != WEFT_CRAWL_MOVED ||
            weft_crawl_result(&crawl->state, there, &result) != 0)
            return false;
        there = result.redirect;
    }
    return there == here;
}

/* A start URL takes the scope with it: that is where the user wants to go. */
static void move_scope(struct page *page, const struct weft_url *to)
{
    struct crawl *crawl = page->crawl;
    if (scope_check(&crawl->scope, to, false) == SCOPE_IN)
        return;
    int err = scope_add_start(&crawl->scope, to);
    if (err == 0)
        err = crawl_remember_scope(crawl, to);
    if (err == 0)
        err = crawl_look_again(crawl);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
}

static void moved(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct weft_url *to = &crawl->link;
    struct weft_crawl_result result = {.what = WEFT_CRAWL_MOVED, .http_status = page->fetch.status};
    int err = weft_url_parse(to, weft_text_of(page->fetch.location), &page->url);
    if (err != 0 || !weft_url_is_http(to)) {
        outcome_failed(page, UV_EINVAL, "it is redirected to nowhere");
        return;
    }
    weft_url_drop_fragment(to);
    weft_url_drop_credentials(to);
    if (hops_to(crawl, page->id) >= CRAWL_REDIRECTS) {
        outcome_failed(page, UV_ELOOP, "too many redirects");
        return;
    }
    bool start = is_start(crawl, page->id);
    if (start)
        move_scope(page, to);
    report_line(crawl, "moved    %s to %s", page->url.href.data, to->href.data);
    if (start || scope_check(&crawl->scope, to, follow_is_requisite(&page->url)) == SCOPE_IN)
        err = follow_see(crawl, to, weft_crawl_depth(&crawl->state, page->id), page->id,
                         &result.redirect);
    else
        result.note = weft_text_of("it leads out of the scope");
    if (err != 0)
        outcome_failed(page, err, weft_strerror(err));
    else if (is_loop(crawl, page->id, result.redirect))
        outcome_failed(page, UV_ELOOP, "it is redirected in a circle");
    else
        settle(page, &result);
}

/* ---- again ---------------------------------------------------------------------------------- */

/* Back to where it was before it was begun; a part of a body that came is let go. */
static void fetch_again(struct page *page)
{
    if (page->crawl->stop != CRAWL_GOES_ON) {
        leave(page);
        return;
    }
    save_abandon(&page->stream);
    page->streamed = false;
    if (page->reader != NULL)
        page_read_end(page);
    weft_http_fetch_free(&page->fetch);
    page_queue_first(page);
}

static void rested(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, nap.op);
    if (op->status == 0)
        fetch_again(page);
    else
        leave(page); /* the crawl stops: the page waits for the next time */
}

/* Half a second, a second, two …, up to a minute; a part of it by chance. */
static void nap(struct page *page)
{
    uint64_t ms = 500;
    for (unsigned i = 1; i < page->attempts && ms < 60000; i++)
        ms *= 2;
    page->crawl->seed = page->crawl->seed * 6364136223846793005u + 1442695040888963407u;
    ms = ms / 2 + (page->crawl->seed >> 33) % (ms / 2 + 1);
    weft_sleep(&page->crawl->naps, &page->nap, ms, rested);
}

static void pushed_back(struct page *page)
{
    if (++page->pushed > CRAWL_PUSHED_BACK) {
        outcome_failed(page, 0, "the server keeps saying that it is too busy");
        return;
    }
    report_line(page->crawl, "later    %s: %d", page->url.href.data, page->fetch.status);
    fetch_again(page);
}

static void says_no(struct page *page)
{
    char note[64];
    int status = page->fetch.status;
    if (status >= 300 && status < 400)
        snprintf(note, sizeof note, "it is redirected to nowhere");
    else
        snprintf(note, sizeof note, "%d %s", status, weft_http_reason(status));
    bool for_now = status == 408 || status == 425 || status >= 500;
    if (for_now && page->attempts <= page->crawl->settings->retries)
        nap(page);
    else
        outcome_failed(page, 0, note);
}

/* ---- the answer ----------------------------------------------------------------------------- */

static bool is_push_back(int http_status)
{
    return http_status == 429 || http_status == 503;
}

static bool is_cancelled(const struct page *page)
{
    return page->refused == 0 && page->fetch.failure == WEFT_FETCH_FAILED_CANCEL;
}

static bool is_nobody(const struct weft_http_fetch *fetch)
{
    return fetch->failure == WEFT_FETCH_FAILED_RESOLVE && fetch->op.status != UV_EAI_AGAIN;
}

/* No other try will be better. */
static bool is_for_good(const struct weft_http_fetch *fetch)
{
    return is_nobody(fetch) || fetch->failure == WEFT_FETCH_FAILED_TLS ||
           fetch->failure == WEFT_FETCH_FAILED_INPUT ||
           fetch->failure == WEFT_FETCH_FAILED_REFUSED || fetch->failure == WEFT_FETCH_FAILED_SIZE;
}

int64_t outcome_retry_after_ms(const struct weft_http_fetch *fetch)
{
    uint32_t seconds;
    struct weft_text after = weft_http_fetch_get(fetch, "Retry-After");
    bool told = weft_http_retry_after(after, time(NULL), RETRY_AFTER_S, &seconds) == 0;
    return told ? (int64_t)seconds * 1000 : -1;
}

void outcome_heard(struct page *page)
{
    const struct weft_http_fetch *fetch = &page->fetch;
    struct pace *pace = &page->host->pace;
    uint64_t now = weft_now(loop_of(page)), took = now - page->begun_at;
    if (page->refused != 0 || is_cancelled(page))
        return;
    if (fetch->op.status == 0 && is_push_back(fetch->status))
        pace_pushed_back(pace, now, took, outcome_retry_after_ms(fetch));
    else if (fetch->op.status == 0)
        pace_answered(pace, now, fetch->times.first_byte / 1000);
    else if (!is_for_good(fetch))
        pace_failed(pace, now, took);
    host_obey(page->host);
}

static void judge_answer(struct page *page)
{
    int status = page->fetch.status;
    page->crawl->fetched++;
    if (is_push_back(status)) {
        pushed_back(page);
        return;
    }
    page->attempts++;
    if (status >= 300 && status < 400 && page->fetch.location != NULL)
        moved(page);
    else if (page->reader != NULL)
        keep(page);
    else
        says_no(page);
}

/* Our own callbacks ended it. */
static void judge_refused(struct page *page)
{
    page->crawl->fetched++;
    if (page->unsaved)
        not_saved(page, page->refused);
    else if (page->refused == UV_ENOTSUP && page_name(page) == 0)
        finish_good(page); /* a dry run: its head was enough */
    else if (page->refused == UV_EFBIG)
        outcome_skipped(page, "it is larger than --max-file");
    else
        outcome_failed(page, page->refused, weft_strerror(page->refused));
}

static void judge_silence(struct page *page)
{
    struct weft_http_fetch *fetch = &page->fetch;
    struct host *host = page->host;
    char why[WEFT_FETCH_EXPLAIN];
    weft_http_fetch_explain(fetch, why, sizeof why);
    page->attempts++;
    if (is_nobody(fetch) || host->pace.gone)
        host_give_up(host, fetch);
    /* Nobody there: the host's pace says how often it is tried. Otherwise it is this page's fault. */
    bool unreached =
        fetch->failure == WEFT_FETCH_FAILED_CONNECT || fetch->failure == WEFT_FETCH_FAILED_RESOLVE;
    bool often = !unreached && page->attempts > page->crawl->settings->retries;
    if (host->pace.gone || often || is_for_good(fetch)) {
        outcome_failed(page, fetch->op.status, why);
        return;
    }
    report_line(page->crawl, "failed   %s: %s; again later", page->url.href.data, why);
    fetch_again(page);
}

void outcome_fetched(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, op);
    if (!page->begun && page->host->pace.gone && page->crawl->stop == CRAWL_GOES_ON)
        outcome_failed(page, UV_EHOSTUNREACH, page->host->why);
    else if (!page->begun || is_cancelled(page))
        leave(page);
    else if (page->refused != 0)
        judge_refused(page);
    else if (page->fetch.op.status == 0)
        judge_answer(page);
    else
        judge_silence(page);
}
