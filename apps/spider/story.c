/* What happens, as events: who is told what, in which words.
 *
 * An event is told when it happens, in the order in which things happen: the answer of a page first,
 * then what is made of it. So `fetch` says what came, and the next event of the same number what
 * became of it. */
#include "spider/crawl.h"
#include "command.h"
#include <stdio.h>

enum { URLS_TOLD = 100 }; /* start URLs that are named when it begins */

static uint64_t now_of(const struct crawl *crawl)
{
    return weft_now(weft_loop_of(&crawl->op));
}

static uint64_t since_begin(const struct crawl *crawl)
{
    return now_of(crawl) - crawl->begun_at;
}

static struct log *log_of(const struct crawl *crawl)
{
    return (struct log *)(uintptr_t)&crawl->story.log; /* telling changes nothing of the crawl */
}

/* The log, with an event begun in it; NULL: nobody listens. */
static struct log *tell(const struct crawl *crawl, const char *event)
{
    struct log *log = log_of(crawl);
    if (!log_is_open(log))
        return NULL;
    log_event(log, event, now_of(crawl));
    return log;
}

static void put_page(struct log *log, const struct page *page)
{
    log_number(log, "id", page->id);
    log_text(log, "url", page->url.href);
    log_number(log, "depth", weft_crawl_depth(&page->crawl->state, page->id));
}

/* ---- begin and end -------------------------------------------------------------------------- */

static const char *scope_name(const struct settings *settings)
{
    static const char *const names[] = {"host", "domain", "path", "hosts"};
    return names[settings->scope_kind];
}

static void tell_begin(const struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    struct log *log = tell(crawl, "begin");
    if (log == NULL)
        return;
    size_t urls = settings->urls_count;
    log_number(log, "schema", LOG_SCHEMA);
    log_text(log, "weft", weft_text_of(WEFT_VERSION_STRING));
    log_text(log, "folder", weft_text_of(settings->folder));
    log_texts(log, "urls", settings->urls, urls < URLS_TOLD ? urls : URLS_TOLD);
    log_number(log, "urls_count", urls);
    if (!settings->endless)
        log_number(log, "nesting", settings->nesting);
    log_number(log, "concurrency", settings->concurrency);
    log_text(log, "scope", weft_text_of(scope_name(settings)));
    log_flag(log, "robots", !settings->no_robots);
    log_flag(log, "dry", settings_dry(settings));
    log_number(log, "known", crawl->state.known);
    log_number(log, "waiting", crawl->state.counts[WEFT_CRAWL_WAITING]);
    log_event_end(log);
}

static int open_log(struct crawl *crawl)
{
    const char *path = crawl->settings->log_json;
    int err = path != NULL ? log_open(&crawl->story.log, path, crawl->begun_at) : 0;
    if (err == UV_EEXIST)
        complain("'%s' is there already, and is no log of weft spider: it is left alone", path);
    else if (err != 0)
        complain("cannot write the log '%s': %s", path, weft_strerror(err));
    return err;
}

int story_begin(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    struct story *story = &crawl->story;
    if (settings->log_json == NULL && settings->report == NULL)
        return 0;
    story->told = true;
    story->text = weft_alloc(WEFT_CRAWL_URL_MAX + 1);
    if (settings->report != NULL)
        story->tally = weft_calloc(1, sizeof *story->tally);
    if (story->text == NULL || (settings->report != NULL && story->tally == NULL)) {
        complain("%s", weft_strerror(UV_ENOMEM));
        return UV_ENOMEM;
    }
    int err = open_log(crawl);
    if (err == 0)
        tell_begin(crawl);
    return err;
}

const char *story_why(const struct crawl *crawl)
{
    switch (crawl->stop) {
    case CRAWL_LIMIT:
        return crawl->story.limit;
    case CRAWL_INTERRUPTED:
        return "interrupted";
    case CRAWL_NO_OUTPUT:
        return "no output";
    default:
        return "done";
    }
}

void story_stop(const struct crawl *crawl)
{
    struct log *log = crawl->story.told ? tell(crawl, "stop") : NULL;
    if (log == NULL)
        return;
    log_text(log, "why", weft_text_of(story_why(crawl)));
    log_number(log, "under_way", crawl->pages);
    log_event_end(log);
}

static void tell_end(const struct crawl *crawl)
{
    const uint32_t *counts = crawl->state.counts;
    struct log *log = tell(crawl, "end");
    if (log == NULL)
        return;
    log_text(log, "why", weft_text_of(story_why(crawl)));
    log_number(log, "elapsed_ms", crawl->story.elapsed_ms);
    log_number(log, "saved", crawl->saved);
    log_number(log, "there", crawl->found - crawl->update.same);
    log_number(log, "same", crawl->update.same);
    log_number(log, "moved", crawl->moved);
    log_number(log, "skipped", crawl->skipped);
    log_number(log, "failed", crawl->failed);
    log_number(log, "answers", crawl->fetched);
    log_number(log, "bytes", crawl->bytes);
    log_number(log, "wire", crawl->story.wire);
    log_number(log, "known", crawl->state.known);
    log_number(log, "waiting", counts[WEFT_CRAWL_WAITING] + counts[WEFT_CRAWL_AGAIN]);
    log_number(log, "lost", log_lost(log));
    log_event_end(log);
}

void story_flush(struct crawl *crawl)
{
    struct log *log = &crawl->story.log;
    if (!log_is_open(log))
        return;
    int err = log_flush(log);
    if (err == 0 || crawl->output_error != 0)
        return;
    crawl->output_error = err;
    complain("cannot write the log '%s': %s", crawl->settings->log_json, weft_strerror(err));
    if (!crawl->story.ended)
        crawl_stop(crawl, CRAWL_NO_OUTPUT);
}

void story_end(struct crawl *crawl)
{
    if (!crawl->story.told || crawl->story.ended)
        return;
    crawl->story.ended = true;
    crawl->story.elapsed_ms = since_begin(crawl);
    tell_end(crawl);
    story_flush(crawl);
}

void story_free(struct crawl *crawl)
{
    log_close(&crawl->story.log);
    weft_free(crawl->story.tally);
    weft_free(crawl->story.text);
}

/* ---- an answer ------------------------------------------------------------------------------ */

static const char *outcome_of(const struct page *page)
{
    const struct weft_http_fetch *fetch = &page->fetch;
    int status = fetch->status;
    if (page->refused != 0)
        return "cut";
    if (fetch->failure == WEFT_FETCH_FAILED_CANCEL)
        return "cancelled";
    if (!page_has_answer(page))
        return "silent";
    if (status == 429 || status == 503)
        return "busy";
    if (status >= 300 && status < 400 && fetch->location != NULL)
        return "redirect";
    if (status == 304 && page->before.there)
        return "same";
    return page->good ? "good" : "error";
}

static const char *failure_name(enum weft_http_fetch_failure failure)
{
    static const char *const names[] = {
        [WEFT_FETCH_NO_FAILURE] = "none",          [WEFT_FETCH_FAILED_INPUT] = "input",
        [WEFT_FETCH_FAILED_RESOLVE] = "resolve",   [WEFT_FETCH_FAILED_CONNECT] = "connect",
        [WEFT_FETCH_FAILED_TLS] = "tls",           [WEFT_FETCH_FAILED_TIMEOUT] = "timeout",
        [WEFT_FETCH_FAILED_SIZE] = "size",         [WEFT_FETCH_FAILED_PROTOCOL] = "protocol",
        [WEFT_FETCH_FAILED_LOST] = "lost",         [WEFT_FETCH_FAILED_REFUSED] = "refused",
        [WEFT_FETCH_FAILED_REDIRECT] = "redirect", [WEFT_FETCH_FAILED_CALLER] = "caller",
        [WEFT_FETCH_FAILED_CANCEL] = "cancel",     [WEFT_FETCH_FAILED_MEMORY] = "memory",
        [WEFT_FETCH_FAILED_LIBRARY] = "library",   [WEFT_FETCH_FAILED_STATUS] = "status"};
    return names[failure];
}

static void put_silence(struct log *log, const struct weft_http_fetch *fetch)
{
    char why[WEFT_FETCH_EXPLAIN];
    log_text(log, "failure", weft_text_of(failure_name(fetch->failure)));
    log_text(log, "why", weft_text_of(weft_http_fetch_explain(fetch, why, sizeof why)));
}

static void put_answer(struct log *log, const struct weft_http_fetch *fetch)
{
    char peer[128];
    struct weft_text type = weft_http_fetch_get(fetch, "Content-Type");
    log_number(log, "http", (uint64_t)fetch->status);
    if (type.data != NULL)
        log_text(log, "media_type", type);
    log_flag(log, "etag", weft_http_fetch_get(fetch, "ETag").data != NULL);
    if (weft_address_format(&fetch->peer, peer, sizeof peer) == 0)
        log_text(log, "peer", weft_text_of(peer));
    log_flag(log, "reused", fetch->reused);
}

static void put_times(struct log *log, const struct weft_http_fetch_times *times)
{
    log_us(log, "resolve_ms", times->resolve);
    log_us(log, "connect_ms", times->connect);
    log_us(log, "tls_ms", times->tls);
    log_us(log, "first_byte_ms", times->first_byte);
    log_us(log, "total_ms", times->total);
}

static void tell_fetched(const struct page *page, const char *outcome)
{
    const struct weft_http_fetch *fetch = &page->fetch;
    struct log *log = tell(page->crawl, "fetch");
    if (log == NULL)
        return;
    put_page(log, page);
    log_number(log, "attempt", page->attempts + page->pushed + 1u);
    log_text(log, "outcome", weft_text_of(outcome));
    if (fetch->status != 0)
        put_answer(log, fetch);
    if (!page_has_answer(page))
        put_silence(log, fetch);
    log_number(log, "bytes", fetch->received);
    log_number(log, "wire", fetch->wire_received);
    put_times(log, &fetch->times);
    log_event_end(log);
}

void story_fetched(const struct page *page)
{
    struct story *story = &page->crawl->story;
    const struct weft_http_fetch *fetch = &page->fetch;
    if (!story->told)
        return;
    const char *outcome = outcome_of(page);
    story->wire += fetch->wire_received;
    tell_fetched(page, outcome);
    if (story->tally == NULL || strcmp(outcome, "cancelled") == 0)
        return;
    bool bad = strcmp(outcome, "error") == 0 || strcmp(outcome, "silent") == 0 ||
               strcmp(outcome, "busy") == 0;
    struct tally_answer answer = {.id = page->id,
                                  .http_status = fetch->status,
                                  .good = !bad,
                                  .took_us = fetch->times.total,
                                  .wire = fetch->wire_received};
    tally_answer(story->tally, since_begin(page->crawl), &answer);
}

void story_later(const struct page *page, const char *why, uint64_t wait_ms)
{
    struct log *log = page->crawl->story.told ? tell(page->crawl, "later") : NULL;
    if (log == NULL)
        return;
    put_page(log, page);
    log_number(log, "attempt", page->attempts + page->pushed);
    log_text(log, "why", weft_text_of(why));
    log_number(log, "wait_ms", wait_ms);
    log_event_end(log);
}

/* ---- what became of it ---------------------------------------------------------------------- */

static const char *event_of(const struct weft_crawl_result *result)
{
    switch (result->what) {
    case WEFT_CRAWL_DONE:
    case WEFT_CRAWL_AGAIN:
        return result->http_status != 0 ? "saved" : "there";
    case WEFT_CRAWL_MOVED:
        return "moved";
    case WEFT_CRAWL_SKIPPED:
        return "skipped";
    default:
        return "failed";
    }
}

/* The URL of a number; empty if there is none. Until the next call. */
static struct weft_text url_of(struct crawl *crawl, weft_crawl_id id, weft_crawl_id *from)
{
    size_t size;
    int err =
        weft_crawl_url(&crawl->state, id, crawl->story.text, WEFT_CRAWL_URL_MAX + 1, &size, from);
    return err == 0 ? weft_text(crawl->story.text, size) : weft_text(NULL, 0);
}

static void put_file(struct log *log, const struct weft_crawl_result *result)
{
    log_text(log, "file", result->file);
    log_number(log, "size", result->size);
    if (result->http_status == 0)
        return;
    log_hash(log, "hash", result->hash);
    if (result->media_type.data != NULL)
        log_text(log, "media_type", result->media_type);
}

static void put_moved(struct log *log, const struct page *page,
                      const struct weft_crawl_result *result)
{
    struct weft_url *to = &page->crawl->other;
    struct weft_text location = weft_text_of(page->fetch.location);
    if (weft_url_parse(to, location, &page->url) == 0)
        location = to->href;
    log_text(log, "to", location);
    if (result->redirect != 0)
        log_number(log, "to_id", result->redirect);
}

static void put_failed(struct log *log, struct crawl *crawl, weft_crawl_id id,
                       const struct weft_crawl_result *result)
{
    weft_crawl_id from = 0;
    if (result->status != 0)
        log_text(log, "error", weft_text_of(weft_strerror(result->status)));
    url_of(crawl, id, &from);
    if (from == 0)
        return;
    log_number(log, "from_id", from);
    log_text(log, "from", url_of(crawl, from, NULL));
}

void story_settled(struct crawl *crawl, weft_crawl_id id, const struct page *page,
                   const struct weft_crawl_result *result)
{
    struct log *log = crawl->story.told ? tell(crawl, event_of(result)) : NULL;
    if (log == NULL)
        return;
    log_number(log, "id", id);
    log_text(log, "url", page != NULL ? page->url.href : url_of(crawl, id, NULL));
    log_number(log, "depth", weft_crawl_depth(&crawl->state, id));
    log_number(log, "attempts", result->attempts);
    if (result->http_status != 0)
        log_number(log, "http", (uint64_t)result->http_status);
    if (result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN)
        put_file(log, result);
    else if (result->what == WEFT_CRAWL_MOVED && page != NULL)
        put_moved(log, page, result);
    else if (result->what == WEFT_CRAWL_FAILED)
        put_failed(log, crawl, id, result);
    if (page != NULL && update_word(page, result) != NULL)
        log_text(log, "update", weft_text_of(update_word(page, result)));
    if (result->note.data != NULL && result->redirect == 0)
        log_text(log, "why", result->note);
    log_event_end(log);
}

void story_same(const struct page *page, const struct weft_crawl_result *result)
{
    struct log *log = page->crawl->story.told ? tell(page->crawl, "same") : NULL;
    if (log == NULL)
        return;
    put_page(log, page);
    log_number(log, "attempts", page->attempts + page->pushed);
    log_number(log, "http", (uint64_t)page->fetch.status);
    log_text(log, "file", result->file);
    log_number(log, "size", result->size);
    log_event_end(log);
}

/* ---- hosts ---------------------------------------------------------------------------------- */

void story_rest(const struct host *host, uint64_t ms)
{
    const struct crawl *crawl = host->crawl;
    struct log *log = crawl->story.told ? tell(crawl, "rest") : NULL;
    if (log != NULL) {
        log_text(log, "host", weft_text_of(host->origin));
        log_number(log, "rest_ms", ms);
        log_number(log, "gap_ms", host->pace.gap_ms);
        log_event_end(log);
    }
    if (crawl->story.tally != NULL)
        tally_rest(crawl->story.tally, host->origin, since_begin(crawl), since_begin(crawl) + ms);
}

void story_gone(const struct host *host)
{
    struct log *log = host->crawl->story.told ? tell(host->crawl, "gone") : NULL;
    if (log == NULL)
        return;
    log_text(log, "host", weft_text_of(host->origin));
    log_text(log, "why", weft_text_of(host->why));
    log_event_end(log);
}

void story_robots(const struct host *host, const char *what, const struct weft_http_fetch *fetch)
{
    struct log *log = host->crawl->story.told ? tell(host->crawl, "robots") : NULL;
    if (log == NULL)
        return;
    log_text(log, "host", weft_text_of(host->origin));
    log_text(log, "what", weft_text_of(what));
    if (fetch != NULL && fetch->status != 0)
        log_number(log, "http", (uint64_t)fetch->status);
    if (fetch != NULL && fetch->op.status != 0)
        put_silence(log, fetch);
    if (fetch != NULL)
        log_us(log, "total_ms", fetch->times.total);
    bool ruled = host->asked == HOST_ASKED && !host->denied;
    if (ruled && host->robots.crawl_delay_ms != WEFT_ROBOTS_NO_DELAY)
        log_number(log, "crawl_delay_ms", host->robots.crawl_delay_ms);
    log_event_end(log);
}
