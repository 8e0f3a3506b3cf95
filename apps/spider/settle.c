/* The end of every page's way: it is told to the state exactly once, counted, and out of memory.
 *
 * A page that was not begun, because the crawl stops, is not settled: it only leaves, and waits on. */
#include "spider/crawl.h"

/* A start URL, or what one leads to by redirects alone: nothing else is at no distance. */
bool page_is_start(const struct crawl *crawl, weft_crawl_id id)
{
    return weft_crawl_depth(&crawl->state, id) == 0;
}

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

static void enter(struct crawl *crawl, const struct weft_crawl_result *result)
{
    bool saved = result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN;
    if (saved && result->http_status != 0)
        harvest_saved(&crawl->harvest, result->media_type, result->size);
}

static void tell(struct crawl *crawl, weft_crawl_id id, const struct page *page,
                 const struct weft_crawl_result *result)
{
    count(crawl, result);
    enter(crawl, result);
    story_settled(crawl, id, page, result);
}

static void settle(struct crawl *crawl, weft_crawl_id id, const struct page *page,
                   const struct weft_crawl_result *result)
{
    tell(crawl, id, page, result);
    if (crawl->offline.promised)
        offline_settles(crawl, id, result);
    int err = weft_crawl_settle(&crawl->state, id, result);
    update_settled(crawl, id);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
    if (err == 0 && crawl->settings->convert)
        offline_settled(crawl, id, page != NULL ? &page->url : NULL, result);
    if (err == 0 && crawl->offline.promised)
        offline_keep_former(crawl, id);
}

void settle_url(struct crawl *crawl, weft_crawl_id id, const struct weft_crawl_result *result)
{
    settle(crawl, id, NULL, result);
}

void page_leave(struct page *page)
{
    struct crawl *crawl = page->crawl;
    page_free(page);
    crawl_feed(crawl);
}

void settle_page(struct page *page, struct weft_crawl_result *result)
{
    result->attempts = page->attempts + page->pushed;
    result->fetched = update_now(page->crawl);
    settle(page->crawl, page->id, page, result);
    page_leave(page);
}

/* One that is there and stays so. Links that count anew are read from the disk. */
static enum weft_crawl_what stays_as(struct page *page)
{
    struct crawl *crawl = page->crawl;
    if (!crawl->update.look_through && !page_is_nearer(page))
        return WEFT_CRAWL_DONE;
    weft_crawl_line_push(&crawl->state, &crawl->again, page->id);
    return WEFT_CRAWL_AGAIN;
}

void settle_same(struct page *page, struct weft_crawl_result *result)
{
    struct crawl *crawl = page->crawl;
    result->what = stays_as(page);
    result->fetched = update_now(crawl);
    crawl->found++;
    story_same(page, result);
    int err = weft_crawl_settle(&crawl->state, page->id, result);
    update_settled(crawl, page->id);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
    else if (crawl->settings->convert)
        offline_settled(crawl, page->id, &page->url, result);
    page_leave(page);
}

/* One that is there, and cannot be had again for now, is still there: what came of asking for it is told; only
 * that it was asked for is kept. */
static void settle_page_or_stay(struct page *page, struct weft_crawl_result *result)
{
    struct crawl *crawl = page->crawl;
    if (!page->before.there) {
        settle_page(page, result);
        return;
    }
    result->attempts = page->attempts + page->pushed;
    tell(crawl, page->id, page, result);
    struct weft_crawl_result before;
    enum weft_crawl_what what = stays_as(page);
    int err = weft_crawl_result(&crawl->state, page->id, &before);
    if (err == 0) {
        before.what = what;
        before.fetched = update_now(crawl);
        err = weft_crawl_settle(&crawl->state, page->id, &before);
    }
    update_settled(crawl, page->id);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
    page_leave(page);
}

void settle_failed(struct page *page, int status, const char *note)
{
    struct weft_crawl_result result = {.what = WEFT_CRAWL_FAILED,
                                       .status = status,
                                       .http_status = page->fetch.status,
                                       .note = weft_text_of(note)};
    char file[NAME_SIZE];
    update_keep_file(page, &result, file);
    if (page->host != NULL)
        page->host->failed++;
    report_failure(page->crawl, page->id, page->url.href.data, note);
    if (update_is_gone(page)) {
        update_gone(page);
        follow_forget(page);
        settle_page(page, &result);
    } else {
        settle_page_or_stay(page, &result);
    }
}

void settle_skipped(struct page *page, const char *note)
{
    struct weft_crawl_result result = {
        .what = WEFT_CRAWL_SKIPPED, .http_status = page->fetch.status, .note = weft_text_of(note)};
    if (page_is_start(page->crawl, page->id))
        report_failure(page->crawl, page->id, page->url.href.data, note);
    else
        report_line(page->crawl, "skipped  %s: %s", page->url.href.data, note);
    settle_page_or_stay(page, &result);
}

bool page_is_nearer(const struct page *page)
{
    const struct crawl *crawl = page->crawl;
    return weft_crawl_depth(&crawl->state, page->id) < page->depth ||
           page->scope_round != crawl->scope_round;
}

void settle_done(struct page *page, const struct weft_crawl_result *result)
{
    struct crawl *crawl = page->crawl;
    struct weft_crawl_result its = *result;
    bool nearer = page_is_nearer(page);
    its.what = nearer ? WEFT_CRAWL_AGAIN : WEFT_CRAWL_DONE;
    if (nearer)
        weft_crawl_line_push(&crawl->state, &crawl->again, page->id);
    settle_page(page, &its);
}
