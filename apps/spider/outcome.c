/* What becomes of a page when its download is over.
 *
 *     answer 2xx ──► saved ──► DONE
 *            3xx ──► where it leads to is seen ──► MOVED
 *            429, 503 ──► the host rests, the page is first in its lane ──► fetched again
 *            408, 5xx ──► a nap ──► fetched again, a few times
 *            others ──► FAILED
 *     none ──► the host rests ──► fetched again, until the host is given up ──► FAILED
 *
 * What is good goes to keep.c, a redirect to moved.c, and every way ends in settle.c. If there is an
 * archive, each answer is there before anything follows from it. */
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

int64_t outcome_retry_after_ms(const struct weft_http_fetch *fetch)
{
    uint32_t seconds;
    struct weft_text after = weft_http_fetch_get(fetch, "Retry-After");
    bool told = weft_http_retry_after(after, time(NULL), RETRY_AFTER_S, &seconds) == 0;
    return told ? (int64_t)seconds * 1000 : -1;
}

const char *outcome_explain(const struct weft_http_fetch *fetch, char *why, size_t size)
{
    weft_http_fetch_explain(fetch, why, size);
    size_t used = strlen(why);
    if (fetch->failure == WEFT_FETCH_FAILED_REFUSED)
        snprintf(why + used, size - used, ": it is private (--no-private)");
    return why;
}

/* ---- again ---------------------------------------------------------------------------------- */

/* Its host rests: it waits in the line, where it costs nothing. */
static void give_back(struct page *page)
{
    weft_crawl_line_push(&page->crawl->state, &page->host->line, page->id);
    page_leave(page);
}

/* Back to where it was before it was begun; a part of a body that came is let go. How often it was tried is
 * forgotten, where too many like it wait for their hosts. */
static void fetch_again(struct page *page, void (*queue)(struct page *page))
{
    if (page->crawl->stop != CRAWL_GOES_ON) {
        page_leave(page);
        return;
    }
    if (page->host->resting && page->crawl->parked >= CRAWL_PARKED) {
        give_back(page);
        return;
    }
    save_abandon(&page->stream);
    page->streamed = page->followed = page->left_alone = false;
    if (page->reader != NULL)
        page_read_end(page);
    weft_http_fetch_free(&page->fetch);
    queue(page);
}

void outcome_fetch_again(struct page *page, const char *why)
{
    story_later(page, why, 0);
    fetch_again(page, page_queue_first);
}

static void rested(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, nap.op);
    if (op->status == 0)
        fetch_again(page, page_queue_first);
    else
        page_leave(page); /* the crawl stops: the page waits for the next time */
}

/* Half a second, a second, two …, up to a minute; a part of it by chance. */
static void nap(struct page *page, const char *why)
{
    if (page->crawl->stop != CRAWL_GOES_ON) {
        page_leave(page);
        return;
    }
    uint64_t ms = 500;
    for (unsigned i = 1; i < page->attempts && ms < 60000; i++)
        ms *= 2;
    page->crawl->seed = page->crawl->seed * 6364136223846793005u + 1442695040888963407u;
    ms = ms / 2 + (page->crawl->seed >> 33) % (ms / 2 + 1);
    story_later(page, why, ms);
    weft_sleep(&page->crawl->naps, &page->nap, ms, rested);
}

void outcome_try_later(struct page *page)
{
    static const char why[] = "too many files are open";
    if (page->attempts++ <= page->crawl->settings->retries)
        nap(page, why);
    else
        settle_failed(page, UV_EAGAIN, why);
}

static void says_no(struct page *page)
{
    char note[80];
    int status = page->fetch.status;
    const char *reason = weft_http_reason(status);
    if (status == 304)
        snprintf(note, sizeof note, "it says that it has not changed, and was not asked that");
    else if (status > 300 && status < 400) /* 300 is a choice that is left to the reader */
        snprintf(note, sizeof note, "it is redirected to nowhere");
    else
        snprintf(note, sizeof note, reason[0] != '\0' ? "%d %s" : "%d%s", status, reason);
    bool for_now = status == 408 || status == 425 || status >= 500;
    if (for_now && page->attempts <= page->crawl->settings->retries)
        nap(page, note);
    else
        settle_failed(page, 0, note);
}

/* Others have got answers since it was told to come back: it is not the host that is too busy. */
static bool is_its_own(const struct page *page)
{
    return page->pushed > 0 && page->host->pace.answers > page->answers_then &&
           outcome_retry_after_ms(&page->fetch) < 0;
}

/* Behind the others: what they get tells how the host is. */
static void pushed_back(struct page *page)
{
    static const char busy[] = "the server keeps saying that it is too busy";
    bool own = is_its_own(page);
    page->answers_then = page->host->pace.answers;
    if (own && ++page->attempts > page->crawl->settings->retries) {
        says_no(page);
        return;
    }
    page->pushed++;
    if (page->host->pace.gone)
        host_give_up(page->host, "", busy);
    if (page->host->pace.gone || page->pushed > CRAWL_PUSHED_BACK) {
        settle_failed(page, 0, busy);
        return;
    }
    report_line(page->crawl, "later    %s: %d", page->url.href.data, page->fetch.status);
    story_later(page, weft_http_reason(page->fetch.status), 0);
    fetch_again(page, page_queue);
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
           fetch->failure == WEFT_FETCH_FAILED_LIBRARY ||
           fetch->failure == WEFT_FETCH_FAILED_REFUSED || fetch->failure == WEFT_FETCH_FAILED_SIZE;
}

void outcome_heard(struct page *page)
{
    const struct weft_http_fetch *fetch = &page->fetch;
    struct pace *pace = &page->host->pace;
    uint64_t now = weft_now(loop_of(page)), took = now - page->begun_at;
    bool answered = page_has_answer(page);
    if (page->refused != 0 || is_cancelled(page))
        return;
    if (answered && is_push_back(fetch->status) && is_its_own(page))
        return; /* this page is, not the host */
    if (check_by_get_instead(page))
        return; /* it may be the method */
    if (answered && is_push_back(fetch->status))
        pace_pushed_back(pace, now, took, outcome_retry_after_ms(fetch));
    else if (answered)
        pace_answered(pace, now, fetch->times.first_byte / 1000);
    else if (!is_for_good(fetch))
        pace_failed(pace, now, took);
    host_obey(page->host);
}

static void judge_answer(struct page *page)
{
    int status = page->fetch.status;
    if (is_push_back(status)) {
        page->head_fell_short = page->by_head; /* it may be the method: the next time by GET */
        pushed_back(page);
        return;
    }
    page->attempts++;
    if (check_answered(page))
        return;
    if (status == 304 && page->before.there)
        update_same(page);
    else if (status >= 300 && status < 400 && page->fetch.location != NULL)
        moved_page(page);
    else if (page->good)
        keep_page(page);
    else
        says_no(page);
}

/* One that is kept is archived on its way. */
static void take_answer(struct page *page)
{
    if (page->good)
        judge_answer(page);
    else
        archive_answer(page, judge_answer);
}

/* Our own callbacks ended it. */
static void judge_refused(struct page *page)
{
    if (page->unsaved) {
        keep_failed(page, page->refused);
        return;
    }
    page->attempts++;
    if (page->refused == UV_ENOTSUP && page_name(page) == 0)
        keep_finish(page); /* a dry run: its head was enough */
    else if (page->refused == UV_EFBIG)
        settle_skipped(page, "it is larger than --max-file");
    else
        settle_failed(page, page->refused, weft_strerror(page->refused));
}

static void judge_silence(struct page *page)
{
    struct weft_http_fetch *fetch = &page->fetch;
    struct host *host = page->host;
    char why[WEFT_FETCH_EXPLAIN];
    outcome_explain(fetch, why, sizeof why);
    page->attempts++;
    if (check_unanswered(page))
        return;
    if (is_nobody(fetch) || host->pace.gone || fetch->failure == WEFT_FETCH_FAILED_REFUSED)
        host_give_up(host, "", why);
    /* Nobody there: the host's pace says how often it is tried. Otherwise it is this page's fault. */
    bool unreached =
        fetch->failure == WEFT_FETCH_FAILED_CONNECT || fetch->failure == WEFT_FETCH_FAILED_RESOLVE;
    bool often = !unreached && page->attempts > page->crawl->settings->retries;
    if (host->pace.gone || often || is_for_good(fetch)) {
        settle_failed(page, fetch->op.status, why);
        return;
    }
    report_line(page->crawl, "failed   %s: %s; again later", page->url.href.data, why);
    story_later(page, why, 0);
    fetch_again(page, page_queue_first);
}

/* Each request counts, also one that will be made again: the table, the log and its last line agree. */
static void count_request(const struct page *page)
{
    harvest_answer(&page->crawl->harvest, page->fetch.status);
    page->crawl->wire += page->fetch.wire_received;
    page->crawl->fetched += page->fetch.status != 0;
    story_fetched(page);
}

void outcome_fetched(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, op);
    if (page->begun)
        count_request(page);
    if (!page->begun && page->host->pace.gone && page->crawl->stop == CRAWL_GOES_ON)
        settle_failed(page, UV_EHOSTUNREACH, page->host->why);
    else if (!page->begun && page->crawl->stop == CRAWL_GOES_ON)
        give_back(page);
    else if (!page->begun || is_cancelled(page))
        page_leave(page);
    else if (page->refused != 0)
        judge_refused(page);
    else if (page_has_answer(page))
        take_answer(page);
    else
        judge_silence(page);
}
