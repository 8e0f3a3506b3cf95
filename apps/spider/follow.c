/* From a link in a page to a URL that waits.
 *
 * A link is resolved, looked at by the rules, and told to the state, which knows whether it is new.
 * A URL that is known already but nearer now (depth went down) may have to be looked through again:
 * what it links to is nearer, too. That is done from the disk. One that moved elsewhere passes the
 * new depth on. */
#include "spider/crawl.h"
#include <weft/http_message.h>

bool follow_is_requisite(const struct weft_url *url)
{
    struct weft_text type = weft_text_of(weft_http_media_type(weft_url_pathname(url)));
    return !weft_text_starts(type, "text/html") && !weft_text_starts(type, "text/plain") &&
           !weft_text_starts(type, "application/octet-stream");
}

/* ---- what is near enough -------------------------------------------------------------------- */

bool follow_is_near(const struct crawl *crawl, unsigned depth, bool requisite)
{
    const struct settings *settings = crawl->settings;
    return settings->endless || depth <= settings->nesting + (requisite ? CRAWL_REQUISITES : 0);
}

/* ---- nearer --------------------------------------------------------------------------------- */

static int wait_in(struct crawl *crawl, const struct weft_url *url, weft_crawl_id id,
                   void (*add)(struct host *host, weft_crawl_id id))
{
    struct host *host = host_of(crawl, url);
    int err = host == NULL ? UV_ENOMEM : 0;
    if (err == 0 && weft_crawl_what(&crawl->state, id) != WEFT_CRAWL_WAITING)
        err = weft_crawl_set(&crawl->state, id, WEFT_CRAWL_WAITING);
    if (err == 0)
        add(host, id); /* no effect on one that is in a line */
    return err;
}

int follow_again(struct crawl *crawl, const struct weft_url *url, weft_crawl_id id)
{
    return wait_in(crawl, url, id, host_add);
}

int follow_last(struct crawl *crawl, const struct weft_url *url, weft_crawl_id id)
{
    return wait_in(crawl, url, id, host_hold);
}

int follow_fetch(struct crawl *crawl, weft_crawl_id id)
{
    size_t size;
    int err = weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL);
    if (err == 0)
        err = weft_url_parse(&crawl->other, weft_text(crawl->text, size), NULL);
    return err == 0 ? follow_again(crawl, &crawl->other, id) : err;
}

static int nearer(struct crawl *crawl, weft_crawl_id id, unsigned depth)
{
    struct weft_crawl_result result;
    for (unsigned hops = 0; hops < CRAWL_REDIRECTS; hops++) {
        if (update_reaches(crawl, id))
            return follow_fetch(crawl, id);
        enum weft_crawl_what what = weft_crawl_what(&crawl->state, id);
        if (what == WEFT_CRAWL_DONE) {
            int err = weft_crawl_set(&crawl->state, id, WEFT_CRAWL_AGAIN);
            if (err == 0)
                weft_crawl_line_push(&crawl->state, &crawl->again, id);
            return err;
        }
        /* What waits may have been too far away until now, and be in no line. And it may be there, and turn
         * out to be as it was. */
        if (what == WEFT_CRAWL_WAITING)
            crawl->update.look_through = true;
        if (what == WEFT_CRAWL_WAITING && page_here(crawl, id) == NULL)
            return follow_fetch(crawl, id);
        if (what != WEFT_CRAWL_MOVED)
            return 0; /* what is under way looks at its depth when it is done */
        int err = weft_crawl_result(&crawl->state, id, &result);
        if (err != 0)
            return err;
        if (result.redirect == 0) /* it led out of the scope; but a start URL takes that with it */
            return depth == 0 ? follow_fetch(crawl, id) : 0;
        size_t size;
        id = result.redirect;
        err = weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL);
        if (err != 0)
            return err;
        err = weft_crawl_see(&crawl->state, weft_text(crawl->text, size), depth, 0, NULL);
        if (err != WEFT_CRAWL_NEARER)
            return err < 0 ? err : 0;
    }
    return 0;
}

int follow_see(struct crawl *crawl, const struct weft_url *url, unsigned depth, weft_crawl_id from,
               weft_crawl_id *id)
{
    weft_crawl_id its;
    int seen = weft_crawl_see(&crawl->state, url->href, depth, from, &its);
    if (seen < 0)
        return seen == UV_E2BIG ? 0 : seen;
    if (id != NULL)
        *id = its;
    if (seen != WEFT_CRAWL_KNOWN)
        trap_seen(&crawl->trap, url->href, depth, seen == WEFT_CRAWL_NEW);
    if (seen == WEFT_CRAWL_NEARER)
        return nearer(crawl, its, depth);
    if (seen == WEFT_CRAWL_KNOWN) {
        bool out = crawl->left_out && weft_crawl_what(&crawl->state, its) == WEFT_CRAWL_WAITING &&
                   page_here(crawl, its) == NULL;
        return out || update_reaches(crawl, its) ? follow_again(crawl, url, its) : 0;
    }
    if (crawl->offline.promised)
        offline_seen(crawl, its, url);
    struct host *host = host_of(crawl, url);
    if (host == NULL)
        return UV_ENOMEM;
    host_add(host, its);
    return 0;
}

/* ---- links ---------------------------------------------------------------------------------- */

enum trap_kind follow_trap(struct crawl *crawl, const struct weft_url *url, unsigned depth)
{
    enum trap_kind kind = TRAP_NONE;
    if (weft_crawl_find(&crawl->state, url->href) == 0)
        kind = host_is_one_too_many(crawl, url) ? TRAP_HOSTS : trap_ask(&crawl->trap, url, depth);
    if (kind != TRAP_NONE)
        report_left_out(crawl, url->href.data, kind, trap_leave_out(&crawl->trap, url, kind));
    return kind;
}

/* Into crawl->link. false: it is no link to a page, or *err says why that is not known. */
static bool resolve(struct page *page, struct weft_text link, int *err)
{
    struct weft_url *url = &page->crawl->link;
    *err = weft_url_parse(url, link, &page->reader->base);
    page->crawl->no_urls += *err != 0;
    if (*err != 0 || !weft_url_is_http(url)) {
        *err = *err == UV_ENOMEM ? *err : 0; /* many links are no URLs */
        return false;
    }
    weft_url_drop_fragment(url);
    weft_url_drop_credentials(url);
    return true;
}

/* What is beyond the crawl can be checked, too. */
static bool is_wanted(const struct crawl *crawl, const struct weft_url *url, bool requisite)
{
    if (crawl->settings->check)
        return !scope_excludes(&crawl->scope, url);
    return scope_check(&crawl->scope, url, requisite) == SCOPE_IN;
}

/* Resolved, looked at by the rules, told to the state. */
static int follow_new(struct page *page, struct memo_way *way)
{
    struct crawl *crawl = page->crawl;
    struct weft_url *url = &crawl->link;
    int err;
    if (!resolve(page, way->link, &err) || !is_wanted(crawl, url, way->requisite) ||
        follow_trap(crawl, url, page->depth + 1) != TRAP_NONE)
        return err;
    err = follow_see(crawl, url, page->depth + 1, page->id, &way->to);
    if (err != 0 && err != UV_ENOMEM)
        crawl_no_output(crawl, err, "the state");
    return err;
}

void follow_note(struct crawl *crawl, weft_crawl_id from, weft_crawl_id to)
{
    int err = edges_add(&crawl->edges, from, to);
    if (err != 0)
        crawl_no_output(crawl, err, "who links to whom");
}

void follow_forget(struct page *page)
{
    struct crawl *crawl = page->crawl;
    int err = page->forgotten ? 0 : edges_anew(&crawl->edges, page->id);
    page->forgotten = true;
    if (err != 0)
        crawl_no_output(crawl, err, "who links to whom");
}

/* A link that is too far away to be followed may still lead to what is known. */
static int note_far(struct page *page, struct weft_text link)
{
    struct crawl *crawl = page->crawl;
    int err;
    if (resolve(page, link, &err))
        follow_note(crawl, page->id, weft_crawl_find(&crawl->state, crawl->link.href));
    return err;
}

static int follow_way(struct page *page, struct memo_way *way)
{
    struct crawl *crawl = page->crawl;
    int err = 0;
    way->depth = page->depth;
    way->round = page->scope_round;
    if (!follow_is_near(crawl, page->depth + 1, way->requisite) && !crawl->settings->check)
        return crawl->edges.open_ ? note_far(page, way->link) : 0;
    if (!memo_has(&crawl->memo, &page->reader->memo, way)) {
        err = follow_new(page, way);
        if (err == 0)
            memo_keep(&crawl->memo, &page->reader->memo, way);
    }
    follow_note(crawl, page->id, way->to);
    return err;
}

int follow_url(struct page *page, struct weft_text link, bool requisite)
{
    struct memo_way way = {.link = link, .hash = memo_hash(link), .requisite = requisite};
    return follow_way(page, &way);
}

/* One that is too long for a URL would make all links that are relative to it as long. */
int follow_base(struct page *page, struct weft_text link)
{
    struct crawl *crawl = page->crawl;
    uint64_t most = crawl->settings->traps.url;
    if (most > 0 && link.size > most)
        return 0;
    int err = weft_url_parse(&crawl->other, link, &page->reader->base);
    if (err == 0)
        err = weft_url_copy(&page->reader->base, &crawl->other);
    memo_key_begin(&page->reader->memo, &crawl->state, &page->reader->base);
    return err == UV_ENOMEM ? err : 0;
}

/* In a file of a copy a link leads to another file, and that is some URL's; or it is a whole URL. false: it is
 * neither, and leads nowhere. */
static bool follow_file(struct page *page, struct memo_way *way)
{
    if (!offline_url(page, way->link, &way->link))
        return weft_url_parse(&page->crawl->other, way->link, NULL) == 0;
    way->hash = memo_hash(way->link);
    return true;
}

static int follow_it(struct page *page, const struct weft_link *link, struct memo_way *way)
{
    bool nofollow = page->nofollow || (link->nofollow && !page->crawl->settings->no_robots);
    page->crawl->said_nofollow += nofollow && !way->requisite;
    if (nofollow && !way->requisite)
        return 0;
    if (page->ours && !follow_file(page, way))
        return 0;
    return follow_way(page, way);
}

static int follow_link(void *context, const struct weft_link *link, struct memo_way *way)
{
    struct page *page = context;
    int err = 0;
    if (link->kind == WEFT_LINK_BASE)
        err = page->ours ? 0 : follow_base(page, link->url);
    else if (link->kind != WEFT_LINK_GUARD && link->kind != WEFT_LINK_POST && !page->left_alone)
        err = follow_it(page, link, way);
    return err == 0 && page->rewrites ? offline_link(page, link, way) : err;
}

/* Now is when its depth counts: it may have come nearer since the body began. */
int follow_found(struct page *page)
{
    page->depth = weft_crawl_depth(&page->crawl->state, page->id);
    page->scope_round = page->crawl->scope_round;
    if (page->before.known)
        follow_forget(page);
    return reader_follow(page->reader, &page->crawl->memo, follow_link, page);
}
