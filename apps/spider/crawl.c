/* The crawl as a whole: what is open, what is fed, when it is over.
 *
 *     opened ──► fed, fed, … ──► nothing left, or stopped ──► last commit ──► client closed ──► over
 *
 * Every page that leaves memory feeds the crawl: hosts with something in their lines are hungry and
 * take turns. Once a beat the limits are looked at, and what happened is committed. */
#include "spider/crawl.h"
#include "command.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct crawl *crawl_of(struct weft_op *op)
{
    return weft_owner(op, struct crawl, op);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void committed(struct weft_op *op, struct weft_op *commit);

static void archive_synced(struct weft_op *op, struct weft_op *work)
{
    struct crawl *crawl = crawl_of(op);
    if (work->status != 0 && !crawl->aborted)
        archive_failed(crawl, work->status);
    weft_crawl_commit(op, &crawl->commit, &crawl->state, committed);
}

static void commit(struct crawl *crawl)
{
    if (crawl->committing || crawl->aborted)
        return;
    crawl->committing = true;
    edges_flush(&crawl->edges); /* before the pages they are of; the next flush finds out why not */
    crawl->committed_at = weft_now(weft_loop_of(&crawl->op));
    int err = crawl->warc.open ? archive_mark(crawl) : 0;
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
    if (crawl->warc.open && crawl->archived_elsewhere)
        archive_sync(crawl, archive_synced);
    else
        weft_crawl_commit(&crawl->op, &crawl->commit, &crawl->state, committed);
}

/* What came in between is in the journal, and a journal is good until the power fails. */
static void close_client(struct crawl *crawl)
{
    archive_end(crawl);
    weft_http_client_close(&crawl->client);
    weft_join(&crawl->op);
}

static void committed(struct weft_op *op, struct weft_op *commit_op)
{
    struct crawl *crawl = crawl_of(op);
    crawl->committing = false;
    if (crawl->aborted)
        return;
    if (commit_op->status != 0)
        crawl_no_output(crawl, commit_op->status, "the state");
    if (!crawl->closing)
        crawl_feed(crawl);
    else if (commit_op->status == 0 && crawl->state.pending > 0)
        commit(crawl);
    else
        close_client(crawl);
}

/* A crawl does not wait for a host that rests and has nothing left. */
static bool is_idle(const struct crawl *crawl)
{
    if (crawl->closing || crawl->aborted || crawl->pages > 0)
        return false;
    if (crawl->stop != CRAWL_GOES_ON)
        return true;
    return crawl->hungry == NULL && crawl->again.count == 0 &&
           (crawl->resting == 0 || !hosts_wait(crawl));
}

static bool is_over(const struct crawl *crawl)
{
    return is_idle(crawl) && !offline_is_busy(crawl);
}

static void end(struct crawl *crawl)
{
    int err = offline_close(crawl);
    if (crawl->stop == CRAWL_LIMIT && crawl_left(crawl) == 0)
        crawl->stop = CRAWL_GOES_ON; /* it was reached with the last URL: nothing was left out */
    if (err == 0)
        err = update_close(crawl);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
    crawl->closing = true;
    weft_end(&crawl->beat.op, 0);
    weft_cancel(&crawl->naps, UV_ECANCELED);
    commit(crawl); /* or the one that is under way goes on to the end */
}

static bool is_any(const struct weft_op *task, void *context)
{
    (void)task, (void)context;
    return true;
}

void crawl_stop(struct crawl *crawl, enum crawl_stop why)
{
    /* The user's wish counts more than a limit that stopped it already. */
    bool stopped = crawl->stop != CRAWL_GOES_ON;
    if (!stopped || (crawl->stop == CRAWL_LIMIT && why == CRAWL_INTERRUPTED))
        crawl->stop = crawl->closing ? crawl->stop : why;
    if (stopped || crawl->closing)
        return;
    story_stop(crawl);
    weft_queue_remove(&crawl->queue, is_any, NULL);
    weft_queue_remove(&crawl->disk, is_any, NULL);
    weft_cancel(&crawl->naps, UV_ECANCELED);
    crawl_feed(crawl);
}

void crawl_no_output(struct crawl *crawl, int status, const char *what)
{
    if (crawl->output_error == 0) {
        crawl->output_error = status;
        complain("cannot write %s below %s: %s", what, crawl->folder_path, weft_strerror(status));
    }
    crawl_stop(crawl, CRAWL_NO_OUTPUT);
}

void crawl_abort(struct crawl *crawl)
{
    crawl->aborted = true;
    crawl->stop = CRAWL_INTERRUPTED;
    weft_end(&crawl->op, UV_ECANCELED);
}

/* ---- feeding -------------------------------------------------------------------------------- */

uint64_t crawl_pages_there(const struct crawl *crawl)
{
    const uint32_t *counts = crawl->state.counts;
    return (uint64_t)counts[WEFT_CRAWL_DONE] + counts[WEFT_CRAWL_AGAIN] + crawl->update.files;
}

uint32_t crawl_left(const struct crawl *crawl)
{
    return crawl->state.counts[WEFT_CRAWL_WAITING] + crawl->state.counts[WEFT_CRAWL_AGAIN];
}

/* 0: as many as there are. What is known and asked for again is no page more. */
static uint64_t max_pages(const struct crawl *crawl)
{
    return crawl->update.holds ? 0 : crawl->settings->max_pages;
}

bool crawl_may_begin(const struct crawl *crawl)
{
    uint64_t there = crawl_pages_there(crawl), most = max_pages(crawl);
    if (crawl->stop != CRAWL_GOES_ON || crawl->closing || crawl->aborted)
        return false;
    if (most > 0 && there + crawl->pages - crawl->rereading >= most)
        return false;
    return crawl->pages - crawl->parked < crawl->pages_max && crawl->state.pending < CRAWL_BACKLOG;
}

static void feed_hosts(struct crawl *crawl)
{
    while (crawl->hungry != NULL && crawl_may_begin(crawl)) {
        struct host *host = crawl->hungry;
        crawl->hungry = host->next_hungry;
        if (crawl->hungry == NULL)
            crawl->hungry_tail = &crawl->hungry;
        host->hungry = false;
        host_feed(host);
    }
}

static void feed_disk(struct crawl *crawl)
{
    while (crawl->again.count > 0 && crawl->rereading < 2 * (size_t)CRAWL_DISK &&
           crawl->stop == CRAWL_GOES_ON && !crawl->closing)
        disk_reread(crawl, weft_crawl_line_pop(&crawl->state, &crawl->again));
}

/* Of what is on its way what is not packed; the others tell it when they are over. */
static uint64_t bytes_until_now(const struct crawl *crawl)
{
    uint64_t bytes = crawl->wire;
    for (const struct page *page = crawl->here; page != NULL; page = page->next_here) {
        bool runs = page->begun && weft_running(&page->op) > 0;
        if (runs && weft_http_fetch_get(&page->fetch, "Content-Encoding").size == 0)
            bytes += page->fetch.received;
    }
    return bytes;
}

/* What was under way may be finished, within reason: it waits for the next time otherwise. */
static void check_bytes(struct crawl *crawl)
{
    uint64_t most = crawl->settings->max_bytes;
    if (crawl->stop != CRAWL_LIMIT || most == 0 ||
        bytes_until_now(crawl) < most + most / 8 + CRAWL_SPARE)
        return;
    weft_queue_kill(&crawl->queue, UV_ECANCELED);
}

static void check_limits(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    uint64_t there = crawl_pages_there(crawl), most = max_pages(crawl);
    uint64_t now = weft_now(weft_loop_of(&crawl->op));
    bool more = crawl->hungry != NULL || crawl->pages > 0;
    const char *reached = NULL;
    if (most > 0 && there >= most && more)
        reached = "max-pages";
    else if (settings->max_bytes > 0 && more && bytes_until_now(crawl) >= settings->max_bytes)
        reached = "max-bytes";
    else if (settings->max_ms > 0 && now - crawl->begun_at >= settings->max_ms)
        reached = "max-time";
    if (reached == NULL)
        return;
    if (crawl->story.limit == NULL)
        crawl->story.limit = reached;
    crawl_stop(crawl, CRAWL_LIMIT);
}

static void flushed(struct weft_op *op, struct weft_op *tick)
{
    struct crawl *crawl = crawl_of(op);
    (void)tick;
    crawl->flushing = false;
    if (crawl->unlooked >= CRAWL_SPARE) {
        crawl->unlooked = 0;
        check_limits(crawl);
        check_bytes(crawl);
    }
    story_flush(crawl);
    int err = edges_flush(&crawl->edges);
    if (err == 0)
        err = weft_crawl_flush(&crawl->state);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
}

/* What happens in one turn goes into the journal together. */
static void flush_soon(struct crawl *crawl)
{
    if (crawl->flushing || crawl->aborted)
        return;
    crawl->flushing = true;
    weft_tick(&crawl->op, &crawl->flush, flushed);
}

void crawl_count(struct crawl *crawl, size_t size)
{
    crawl->unlooked += size;
    if (crawl->settings->max_bytes > 0 && crawl->unlooked >= CRAWL_SPARE)
        flush_soon(crawl);
}

/* Everything that is known was asked for: what is new has its turn now. */
static void feed_new(struct crawl *crawl)
{
    crawl->update.holds = false;
    hosts_take_held(crawl);
    check_limits(crawl);
    feed_hosts(crawl);
}

/* Pages that are settled without being fetched come back here at once: the loop goes on, it does
 * not nest. */
void crawl_feed(struct crawl *crawl)
{
    if (crawl->feeding)
        return;
    crawl->feeding = true;
    flush_soon(crawl);
    check_limits(crawl);
    feed_disk(crawl);
    feed_hosts(crawl);
    if (crawl->update.holds && crawl->stop == CRAWL_GOES_ON && is_idle(crawl))
        feed_new(crawl);
    offline_feed(crawl, is_idle(crawl));
    crawl->feeding = false;
    if (crawl->state.pending >= CRAWL_PENDING)
        commit(crawl);
    if (is_over(crawl))
        end(crawl);
}

/* ---- the beat ------------------------------------------------------------------------------- */

static void beat(struct weft_op *op)
{
    struct crawl *crawl = weft_owner(op, struct crawl, beat.op);
    uint64_t now = weft_now(weft_loop_of(op));
    show_now(crawl);
    check_bytes(crawl);
    if (crawl->state.pending > 0 && now - crawl->committed_at >= CRAWL_COMMIT_MS)
        commit(crawl);
    crawl_feed(crawl);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static bool has_files(const char *path)
{
    bool found = false;
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (!found && folder != NULL && (entry = readdir(folder)) != NULL)
        found = entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return found;
}

/* The token that robots.txt knows us by: what stands before the '/' of the user agent. */
void crawl_set_agent(struct crawl *crawl)
{
    const char *agent = crawl->settings->user_agent;
    size_t size = strspn(agent, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-");
    if (size == 0 || size >= sizeof crawl->agent)
        snprintf(crawl->agent, sizeof crawl->agent, "weft-spider");
    else
        snprintf(crawl->agent, sizeof crawl->agent, "%.*s", (int)size, agent);
}

static int open_state(struct crawl *crawl)
{
    const char *why = NULL;
    bool files = has_files(crawl->folder_path);
    int err = weft_crawl_open(&crawl->state, crawl->folder_path, &why);
    if (err != 0) {
        complain("%s", why != NULL ? why : weft_strerror(err));
        return err;
    }
    crawl->adopt = crawl->state.fresh && files && !crawl->settings->warc_only;
    crawl->state.deferred = true;
    err = save_folder_open(&crawl->folder, crawl->folder_path);
    if (err != 0)
        complain("cannot write to '%s': %s", crawl->folder_path, weft_strerror(err));
    return err;
}

static int set_up(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    struct weft_loop *loop = weft_loop_of(&crawl->op);
    crawl->hungry_tail = &crawl->hungry;
    crawl->pages_max = 4 * (size_t)settings->concurrency + 64;
    crawl->begun_at = crawl->committed_at = weft_now(loop);
    if (uv_random(NULL, NULL, &crawl->seed, sizeof crawl->seed, 0, NULL) != 0)
        crawl->seed = uv_hrtime();
    crawl_set_agent(crawl);
    crawl->text = weft_alloc(WEFT_CRAWL_URL_MAX + 1);
    int err = crawl->text == NULL ? UV_ENOMEM : 0;
    if (err == 0)
        err = weft_queue_init(&crawl->queue, loop, settings->concurrency);
    if (err == 0)
        err = weft_queue_init(&crawl->disk, loop, CRAWL_DISK);
    if (err == 0)
        err = weft_lane_init(&crawl->large, &crawl->disk, 1, WEFT_RANK_NORMAL);
    if (err == 0 && settings->rate > 0)
        err = weft_queue_rate(&crawl->queue, (unsigned)settings->rate, 1000,
                              1 + (unsigned)settings->rate / 1000);
    if (err != 0)
        complain("%s", weft_strerror(err));
    return err;
}

static bool is_open_to_all(struct weft_http_client *client, const struct weft_address *address)
{
    (void)client;
    return weft_address_is_public(address);
}

static void set_client(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    struct weft_http_client *client = &crawl->client;
    client->max_handles = settings->concurrency;
    client->user_agent = settings->user_agent;
    client->no_http2 = settings->http1 || settings->warc != NULL; /* archives know 1.1 only */
    client->proxy = settings->proxy;
    client->no_proxy = settings->no_proxy;
    client->netrc_file = settings->netrc;
    client->cookies = settings->cookies;
    client->cookie_file = settings->cookie_file;
    client->tls_no_verify = settings->insecure;
    client->ca_file = settings->ca_file;
    client->connect_ms = settings->connect_ms;
    client->first_byte_ms = settings->answer_ms;
    client->allow_address = settings->no_private ? is_open_to_all : NULL;
}

static void client_closed(struct weft_op *op, struct weft_op *client)
{
    struct crawl *crawl = crawl_of(op);
    if (client->status == 0 || crawl->closing || crawl->aborted)
        return;
    complain("cannot ask anybody: %s", weft_strerror(client->status));
    crawl->aborted = true;
    weft_end(op, client->status);
}

static void stopped(struct weft_op *op, struct weft_op *child)
{
    (void)op, (void)child;
}

/* Below it sleep pages; it ends when it is cancelled and they are awake. */
static void wake_naps(struct weft_op *op, int reason)
{
    (void)reason;
    weft_join(op);
}

static void begin_naps(struct weft_op *op)
{
    weft_on_cancel(op, wake_naps);
}

void crawl_begin(struct weft_op *op)
{
    struct crawl *crawl = crawl_of(op);
    int err = set_up(crawl);
    if (err == 0)
        err = open_state(crawl);
    if (err == 0)
        err = crawl_load(crawl);
    if (err == 0)
        err = archive_open(crawl);
    if (err == 0)
        err = story_begin(crawl);
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    crawl->begun = true;
    set_client(crawl);
    weft_http_client_open(op, &crawl->client, client_closed);
    weft_run(op, &crawl->naps, begin_naps, stopped);
    weft_ticker(op, &crawl->beat, CRAWL_BEAT_MS, beat, stopped);
    crawl_feed(crawl);
}

void crawl_close(struct crawl *crawl)
{
    if (crawl->hosts != NULL)
        hosts_free(crawl);
    if (crawl->queue.loop != NULL)
        weft_queue_close(&crawl->queue);
    if (crawl->disk.loop != NULL) {
        weft_lane_close(&crawl->large);
        weft_queue_close(&crawl->disk);
    }
    pages_free(crawl);
    story_free(crawl);
    warc_close(&crawl->warc);
    save_folder_close(&crawl->folder);
    edges_close(&crawl->edges);
    weft_crawl_close(&crawl->state);
    scope_free(&crawl->scope);
    scope_free(&crawl->trusted);
    memo_free(&crawl->memo);
    trap_close(&crawl->trap);
    update_free(&crawl->update);
    offline_free(&crawl->offline);
    weft_url_free(&crawl->link);
    weft_url_free(&crawl->other);
    weft_free(crawl->text);
    weft_free(crawl->starts);
}
