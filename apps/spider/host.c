/* A host: a line of URLs that wait for it, a lane of those under way, and its pace.
 *
 *     line ──feed──► page ──queue──► lane ──► download
 *
 * The line costs nothing and may be a million long; pages are large. So a host takes only a few out
 * of its line at a time, and more when one of those is done. A host that has something in its line
 * and may take more is hungry; the crawl feeds the hungry in turns.
 *
 * Nothing is fetched before robots.txt has been asked for, which is a task of the same lane: it
 * counts as a download, and keeps the host's pace like every other. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>

/* A page may name hosts that were chosen to meet in a table: not in one whose hash has a key. */
static uint64_t hash_of(const struct crawl *crawl, struct weft_text origin)
{
    struct weft_crawl_hash hash;
    uint64_t out[2];
    weft_crawl_hash_begin(&crawl->state, &hash);
    weft_crawl_hash_add(&hash, origin.data, origin.size);
    weft_crawl_hash_end(&hash, out);
    return out[0];
}

/* The host of a URL is in its usual form: an address is four numbers. */
static bool is_ipv4_loopback(struct weft_text hostname)
{
    for (size_t i = 0; i < hostname.size; i++) {
        if (hostname.data[i] != '.' && (hostname.data[i] < '0' || hostname.data[i] > '9'))
            return false;
    }
    return weft_text_starts(hostname, "127.");
}

bool host_is_loopback(struct weft_text hostname)
{
    static const char below[] = ".localhost";
    size_t size = sizeof below - 1;
    return weft_text_is(hostname, "localhost") || weft_text_is(hostname, "[::1]") ||
           is_ipv4_loopback(hostname) ||
           (hostname.size > size && memcmp(hostname.data + hostname.size - size, below, size) == 0);
}

/* ---- the table ------------------------------------------------------------------------------ */

static bool grow_table(struct crawl *crawl)
{
    size_t room = crawl->hosts_room == 0 ? 64 : crawl->hosts_room * 2;
    struct host **table = weft_calloc(room, sizeof(struct host *));
    if (table == NULL)
        return false;
    for (size_t i = 0; i < crawl->hosts_room; i++) {
        struct host *host = crawl->hosts[i], *next;
        for (; host != NULL; host = next) {
            next = host->next_same;
            host->next_same = table[host->hash & (room - 1)];
            table[host->hash & (room - 1)] = host;
        }
    }
    weft_free(crawl->hosts);
    crawl->hosts = table;
    crawl->hosts_room = room;
    return true;
}

/* How fast, and how many at once: what is asked for, unless it is our own machine. */
static void set_pace(struct host *host, const struct weft_url *url)
{
    const struct settings *settings = host->crawl->settings;
    bool open = settings->fast || (!settings->polite && host_is_loopback(weft_url_hostname(url)));
    unsigned limit = open ? settings->concurrency : (unsigned)settings->per_host;
    host->base_ms = open ? 0 : settings->delay_ms;
    pace_init(&host->pace, host->base_ms, limit, (unsigned)settings->retries + 1,
              host->crawl->seed ^ host->hash);
    weft_lane_init(&host->lane, &host->crawl->queue, limit, WEFT_RANK_NORMAL);
    host_obey(host);
}

static struct host *host_make(struct crawl *crawl, const struct weft_url *url,
                              struct weft_text origin, uint64_t hash)
{
    if (crawl->hosts_count >= crawl->hosts_room && !grow_table(crawl))
        return NULL;
    struct host *host = weft_calloc(1, sizeof *host + origin.size + 1);
    if (host == NULL)
        return NULL;
    host->crawl = crawl;
    host->hash = hash;
    host->origin_size = origin.size;
    memcpy(host->origin, origin.data, origin.size);
    host->asked = crawl->settings->no_robots ? HOST_ASKED : HOST_UNASKED;
    host->ours =
        scope_host(&crawl->trusted, url) && (crawl->in_clear || url->kind == WEFT_URL_HTTPS);
    set_pace(host, url);
    host->next_same = crawl->hosts[hash & (crawl->hosts_room - 1)];
    crawl->hosts[hash & (crawl->hosts_room - 1)] = host;
    crawl->hosts_count++;
    return host;
}

/* The origin is the beginning of a URL without credentials. */
static struct weft_text origin_of(const struct weft_url *url)
{
    return weft_text(url->href.data, url->path_begin);
}

static struct host *find(const struct crawl *crawl, struct weft_text origin, uint64_t hash)
{
    struct host *host = crawl->hosts_room > 0 ? crawl->hosts[hash & (crawl->hosts_room - 1)] : NULL;
    for (; host != NULL; host = host->next_same) {
        if (host->hash == hash &&
            weft_text_equal(weft_text(host->origin, host->origin_size), origin))
            break;
    }
    return host;
}

struct host *host_of(struct crawl *crawl, const struct weft_url *url)
{
    struct weft_text origin = origin_of(url);
    uint64_t hash = hash_of(crawl, origin);
    struct host *host = find(crawl, origin, hash);
    return host != NULL ? host : host_make(crawl, url, origin, hash);
}

bool host_is_one_too_many(const struct crawl *crawl, const struct weft_url *url)
{
    uint64_t most = crawl->settings->traps.hosts;
    struct weft_text origin = origin_of(url);
    return most > 0 && crawl->hosts_count >= most &&
           find(crawl, origin, hash_of(crawl, origin)) == NULL;
}

bool hosts_wait(const struct crawl *crawl)
{
    for (size_t i = 0; i < crawl->hosts_room; i++) {
        for (const struct host *host = crawl->hosts[i]; host != NULL; host = host->next_same) {
            if (host->resting && host->line.count > 0)
                return true;
        }
    }
    return false;
}

void hosts_rest_no_more(struct crawl *crawl)
{
    for (size_t i = 0; i < crawl->hosts_room; i++) {
        for (struct host *host = crawl->hosts[i]; host != NULL; host = host->next_same)
            weft_timer_stop(weft_loop_of(&crawl->op), &host->rest);
    }
}

void hosts_free(struct crawl *crawl)
{
    for (size_t i = 0; i < crawl->hosts_room; i++) {
        struct host *host = crawl->hosts[i], *next;
        for (; host != NULL; host = next) {
            next = host->next_same;
            weft_timer_stop(weft_loop_of(&crawl->op), &host->rest);
            weft_lane_close(&host->lane);
            weft_robots_free(&host->robots);
            weft_free(host);
        }
    }
    weft_free(crawl->hosts);
    crawl->hosts = NULL;
    crawl->hosts_room = crawl->hosts_count = 0;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Twice what can run: a place that becomes free finds the next page waiting. */
static bool is_full(const struct host *host)
{
    return host->pages >= 2 * host->lane.limit + 2;
}

void host_hungry(struct host *host)
{
    struct crawl *crawl = host->crawl;
    if (host->hungry || host->resting || host->line.count == 0 || is_full(host))
        return;
    host->hungry = true;
    host->next_hungry = NULL;
    *crawl->hungry_tail = host;
    crawl->hungry_tail = &host->next_hungry;
}

void host_add(struct host *host, weft_crawl_id id)
{
    if (update_holds(host->crawl, id)) {
        host_hold(host, id);
        return;
    }
    weft_crawl_line_push(&host->crawl->state, &host->line, id);
    host_hungry(host);
}

void host_hold(struct host *host, weft_crawl_id id)
{
    weft_crawl_line_push(&host->crawl->state, &host->held, id);
}

static void take_held(struct host *host)
{
    weft_crawl_id id;
    while ((id = weft_crawl_line_pop(&host->crawl->state, &host->held)) != 0)
        host_add(host, id);
}

void hosts_take_held(struct crawl *crawl)
{
    for (size_t i = 0; i < crawl->hosts_room; i++) {
        for (struct host *host = crawl->hosts[i]; host != NULL; host = host->next_same)
            take_held(host);
    }
}

/* Is there a reason not to fetch it that is known without asking? */
static bool is_settled(struct host *host, struct page *page)
{
    if (host->pace.gone) {
        settle_failed(page, UV_EHOSTUNREACH, host->why);
        return true;
    }
    if (host->denied) {
        settle_failed(page, UV_EAGAIN, "robots.txt of this host cannot be had");
        return true;
    }
    if (host->asked == HOST_ASKED && !host->crawl->settings->no_robots &&
        !weft_robots_allows(&host->robots, weft_url_target(&page->url))) {
        settle_skipped(page, robots_note);
        return true;
    }
    return false;
}

static void take_one(struct host *host, weft_crawl_id id)
{
    struct page *page = page_new(host->crawl, host, id);
    if (page == NULL) {
        struct weft_crawl_result result = {.what = WEFT_CRAWL_FAILED, .status = UV_ENOMEM};
        settle_url(host->crawl, id, &result);
        return;
    }
    bool known = page->before.there || page->before.known; /* what is updated has to be asked for */
    if (host->crawl->adopt && !known)
        disk_adopt(page);
    else
        host_fetch(page);
}

void host_fetch(struct page *page)
{
    struct host *host = page->host;
    if (is_settled(host, page))
        return;
    if (host->asked == HOST_ASKED) {
        page_queue(page);
        return;
    }
    host->missing = true; /* not everything is on the disk: so it has to be asked */
    weft_crawl_line_push(&host->crawl->state, &host->line, page->id);
    page_leave(page);
}

void host_feed(struct host *host)
{
    struct crawl *crawl = host->crawl;
    if (host->resting)
        return;
    /* What is on the disk needs no leave, unless it is asked for all the same. */
    bool asks = host->missing || !crawl->adopt || crawl->update.since != 0;
    if (host->asked != HOST_ASKED && !host->pace.gone && asks) {
        host_ask_robots(host);
        return;
    }
    while (!is_full(host) && crawl_may_begin(crawl)) {
        weft_crawl_id id = weft_crawl_line_pop(&crawl->state, &host->line);
        if (id == 0)
            return;
        take_one(host, id);
    }
    host_hungry(host);
}

/* ---- pace ----------------------------------------------------------------------------------- */

static bool waits_for_host(const struct weft_op *task, void *context)
{
    const struct host *host = context;
    return task->parent == &host->crawl->op &&
           weft_owner((struct weft_op *)(uintptr_t)task, struct page, op)->host == host;
}

/* The same, but for those that have been tried: what is known of them would be lost. */
static bool has_not_begun(const struct weft_op *task, void *context)
{
    const struct host *host = context;
    if (!waits_for_host(task, context) || host->asked != HOST_ASKED)
        return false;
    const struct page *page = weft_owner((struct weft_op *)(uintptr_t)task, struct page, op);
    return page->attempts == 0 && page->pushed == 0;
}

static void wake(struct host *host)
{
    if (!host->resting)
        return;
    host->resting = false;
    host->crawl->resting--;
    host->crawl->parked -= host->pages;
}

static void rested(struct weft_timer *timer)
{
    struct host *host = weft_owner(timer, struct host, rest);
    wake(host);
    weft_lane_resume(&host->lane);
    host_hungry(host);
    crawl_feed(host->crawl);
}

/* So many of them that what is known of each is too much. */
static bool waits_and_can_be_asked(const struct weft_op *task, void *context)
{
    const struct host *host = context;
    return waits_for_host(task, context) && host->asked == HOST_ASKED;
}

/* What it has not begun goes back into its line: others may need the room. */
static void rest(struct host *host, uint64_t ms)
{
    bool many = host->crawl->parked >= CRAWL_PARKED;
    weft_lane_pause(&host->lane);
    weft_timer_start(host->lane.queue->loop, &host->rest, ms, rested);
    if (ms < HOST_REST_MS || host->resting)
        return;
    host->resting = true;
    host->crawl->resting++;
    host->crawl->parked += host->pages;
    if (host->lane.waiting > 0)
        weft_queue_remove(&host->crawl->queue, many ? waits_and_can_be_asked : has_not_begun, host);
}

/* Everything that waits for it comes back unfetched, and what is in its line follows. */
void host_give_up(struct host *host, const char *what, const char *why)
{
    host->pace.gone = true;
    if (host->why[0] == '\0') {
        snprintf(host->why, sizeof host->why, "%s%s", what, why);
        story_gone(host);
    }
    wake(host);
    weft_timer_stop(host->lane.queue->loop, &host->rest);
    if (host->lane.waiting > 0) /* it looks at every lane */
        weft_queue_remove(&host->crawl->queue, waits_for_host, host);
    weft_lane_resume(&host->lane);
    host_hungry(host);
}

void host_obey(struct host *host)
{
    struct weft_loop *loop = host->lane.queue->loop;
    uint64_t now = weft_now(loop);
    if (host->lane.limit != host->pace.connections)
        weft_lane_limit(&host->lane, host->pace.connections);
    if (host->gap_ms != host->pace.gap_ms) {
        host->gap_ms = host->pace.gap_ms;
        weft_lane_rate(&host->lane, host->gap_ms > 0 ? 1 : 0, host->gap_ms, 1);
    }
    if (host->pace.rest_until_ms > now && !host->pace.gone) {
        report_rest(host, host->pace.rest_until_ms - now);
        if (host->rest_told_ms != host->pace.rest_until_ms)
            story_rest(host, host->pace.rest_until_ms - now);
        host->rest_told_ms = host->pace.rest_until_ms;
        rest(host, host->pace.rest_until_ms - now);
    }
}
