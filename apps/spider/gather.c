/* What the display shows of a crawl.
 *
 * This runs four times a second beside the downloads, so it looks at little: the pages in memory, which
 * are few hundred, and their hosts. The table of all hosts is looked through only while it is small;
 * with thousands of hosts those that rest are a number. Nothing is copied: a view is drawn before
 * anything else happens. */
#include "spider/crawl.h"

enum { TABLE_MOST = 4096 }; /* places of the table of hosts that are looked at */

/* ---- hosts ---------------------------------------------------------------------------------- */

/* Which one is more worth a line? What is under way counts most, then trouble, then what waits. */
static uint64_t weight(const struct host *host)
{
    uint64_t weight = (uint64_t)host->lane.running << 40;
    if (host->resting || host->pace.gone)
        weight += UINT64_C(1) << 36;
    return weight + host->line.count + host->pages;
}

struct row {
    const struct host *hosts[DISPLAY_HOSTS];
    size_t count;
};

/* Into its place among the heaviest, unless it is there already. */
static void offer_host(struct row *row, const struct host *host)
{
    size_t at = row->count;
    for (size_t i = 0; i < row->count; i++) {
        if (row->hosts[i] == host)
            return;
    }
    while (at > 0 && weight(row->hosts[at - 1]) < weight(host))
        at--;
    if (at == DISPLAY_HOSTS || weight(host) == 0)
        return;
    row->count += row->count < DISPLAY_HOSTS;
    for (size_t i = row->count - 1; i > at; i--)
        row->hosts[i] = row->hosts[i - 1];
    row->hosts[at] = host;
}

static void choose_hosts(const struct crawl *crawl, struct row *row)
{
    for (const struct page *page = crawl->here; page != NULL; page = page->next_here) {
        if (page->host != NULL)
            offer_host(row, page->host);
    }
    for (size_t i = 0; crawl->hosts_room <= TABLE_MOST && i < crawl->hosts_room; i++) {
        for (const struct host *host = crawl->hosts[i]; host != NULL; host = host->next_same)
            offer_host(row, host);
    }
}

static enum display_host_state state_of(const struct host *host, uint64_t now)
{
    if (host->pace.gone)
        return DISPLAY_GONE;
    if (host->pace.rest_until_ms > now)
        return DISPLAY_RESTS;
    return host->asked == HOST_ASKING ? DISPLAY_READING_ROBOTS : DISPLAY_ASKED;
}

static void show_hosts(const struct crawl *crawl, struct display_view *view, uint64_t now)
{
    struct row row = {.count = 0};
    choose_hosts(crawl, &row);
    view->hosts_count = row.count;
    for (size_t i = 0; i < row.count; i++) {
        const struct host *host = row.hosts[i];
        uint64_t until = host->pace.rest_until_ms;
        view->hosts[i] = (struct display_host){.origin = host->origin,
                                               .state = state_of(host, now),
                                               .running = host->lane.running,
                                               .waiting = host->line.count + host->held.count +
                                                          host->lane.waiting,
                                               .gap_ms = host->gap_ms,
                                               .rest_ms = until > now ? until - now : 0};
    }
}

/* ---- URLs ----------------------------------------------------------------------------------- */

static void offer_page(struct display_view *view, const struct page *page, uint64_t now)
{
    struct display_url url = {.url = page->url.href.data,
                              .age_ms = now - page->begun_at,
                              .bytes = page->reader != NULL ? page->reader->size : 0};
    size_t at = view->urls_count;
    while (at > 0 && view->urls[at - 1].age_ms < url.age_ms)
        at--;
    if (at == DISPLAY_URLS)
        return;
    view->urls_count += view->urls_count < DISPLAY_URLS;
    for (size_t i = view->urls_count - 1; i > at; i--)
        view->urls[i] = view->urls[i - 1];
    view->urls[at] = url;
}

static void show_urls(const struct crawl *crawl, struct display_view *view, uint64_t now)
{
    view->urls_count = 0;
    for (const struct page *page = crawl->here; page != NULL; page = page->next_here) {
        if (page->begun)
            offer_page(view, page, now);
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* What a limit leaves; 0 is none. */
static uint64_t rest_of(uint64_t limit, uint64_t used)
{
    if (limit == 0)
        return UINT64_MAX;
    return limit > used ? limit - used : 0;
}

static void show_limits(const struct crawl *crawl, struct display_view *view)
{
    const struct settings *settings = crawl->settings;
    view->limits = (struct rates_limits){.pages = rest_of(settings->max_pages, view->there),
                                         .bytes = rest_of(settings->max_bytes, crawl->wire),
                                         .ms = rest_of(settings->max_ms, view->elapsed_ms)};
}

void gather_view(const struct crawl *crawl, struct display_view *view)
{
    uint64_t now = weft_now(weft_loop_of(&crawl->op));
    uint64_t waiting = crawl->state.counts[WEFT_CRAWL_WAITING];
    view->checks = settings_dry(crawl->settings);
    view->saved = crawl->saved;
    view->found = crawl->found;
    view->same = crawl->update.same;
    view->moved = crawl->moved;
    view->skipped = crawl->skipped;
    view->failed = crawl->failed;
    view->settled = crawl->saved + crawl->found + crawl->moved + crawl->skipped + crawl->failed;
    view->bytes = crawl->bytes;
    view->there = crawl_pages_there(crawl);
    view->running = crawl->queue.running;
    view->waiting = waiting > view->running ? waiting - view->running : 0;
    view->endless = crawl->left_out;
    view->elapsed_ms = now - crawl->begun_at;
    view->stopping = crawl->stop != CRAWL_GOES_ON;
    show_limits(crawl, view);
    show_hosts(crawl, view, now);
    show_urls(crawl, view, now);
}
