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

int follow_again(struct crawl *crawl, const struct weft_url *url, weft_crawl_id id)
{
    struct host *host = host_of(crawl, url);
    int err = host == NULL ? UV_ENOMEM : 0;
    if (err == 0 && weft_crawl_what(&crawl->state, id) != WEFT_CRAWL_WAITING)
        err = weft_crawl_set(&crawl->state, id, WEFT_CRAWL_WAITING);
    if (err == 0)
        host_add(host, id); /* no effect on one that is in a line */
    return err;
}

static int fetch_once_more(struct crawl *crawl, weft_crawl_id id)
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
        enum weft_crawl_what what = weft_crawl_what(&crawl->state, id);
        if (what == WEFT_CRAWL_DONE) {
            int err = weft_crawl_set(&crawl->state, id, WEFT_CRAWL_AGAIN);
            if (err == 0)
                weft_crawl_line_push(&crawl->state, &crawl->again, id);
            return err;
        }
        /* What waits may have been too far away until now, and be in no line. */
        if (what == WEFT_CRAWL_WAITING && !page_is_here(crawl, id))
            return fetch_once_more(crawl, id);
        if (what != WEFT_CRAWL_MOVED)
            return 0; /* what is under way looks at its depth when it is done */
        int err = weft_crawl_result(&crawl->state, id, &result);
        if (err != 0)
            return err;
        if (result.redirect == 0) /* it led out of the scope; but a start URL takes that with it */
            return depth == 0 ? fetch_once_more(crawl, id) : 0;
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
    if (seen == WEFT_CRAWL_NEARER)
        return nearer(crawl, its, depth);
    if (seen == WEFT_CRAWL_KNOWN) {
        bool out = crawl->left_out && weft_crawl_what(&crawl->state, its) == WEFT_CRAWL_WAITING &&
                   !page_is_here(crawl, its);
        return out ? follow_again(crawl, url, its) : 0;
    }
    struct host *host = host_of(crawl, url);
    if (host == NULL)
        return UV_ENOMEM;
    host_add(host, its);
    return 0;
}

/* ---- links ---------------------------------------------------------------------------------- */

/* Resolved, looked at by the rules, told to the state. */
static int follow_new(struct page *page, struct weft_text link, bool requisite)
{
    struct crawl *crawl = page->crawl;
    struct weft_url *url = &crawl->link;
    int err = weft_url_parse(url, link, &page->reader->base);
    if (err != 0)
        return err == UV_ENOMEM ? err : 0; /* many links are no URLs */
    if (!weft_url_is_http(url))
        return 0;
    weft_url_drop_fragment(url);
    weft_url_drop_credentials(url);
    if (scope_check(&crawl->scope, url, requisite) != SCOPE_IN)
        return 0;
    err = follow_see(crawl, url, page->depth + 1, page->id, NULL);
    if (err != 0 && err != UV_ENOMEM)
        crawl_no_output(crawl, err, "the state");
    return err;
}

int follow_url(struct page *page, struct weft_text link, bool requisite)
{
    struct crawl *crawl = page->crawl;
    struct memo_way way = {link, requisite, page->depth, page->scope_round};
    if (!follow_is_near(crawl, page->depth + 1, requisite) ||
        memo_has(&crawl->memo, &page->reader->memo, &way))
        return 0;
    int err = follow_new(page, link, requisite);
    if (err == 0)
        memo_keep(&crawl->memo, &page->reader->memo, &way);
    return err;
}

static int set_base(struct page *page, struct weft_text link)
{
    struct crawl *crawl = page->crawl;
    int err = weft_url_parse(&crawl->other, link, &page->reader->base);
    if (err == 0)
        err = weft_url_copy(&page->reader->base, &crawl->other);
    memo_key_begin(&page->reader->memo, &crawl->state, &page->reader->base);
    return err == UV_ENOMEM ? err : 0;
}

static int follow_link(void *context, const struct weft_link *link)
{
    struct page *page = context;
    if (link->kind == WEFT_LINK_BASE)
        return set_base(page, link->url);
    bool requisite = link->kind == WEFT_LINK_REQUISITE;
    bool nofollow = page->nofollow || (link->nofollow && !page->crawl->settings->no_robots);
    if (nofollow && !requisite)
        return 0;
    return follow_url(page, link->url, requisite);
}

/* Now is when its depth counts: it may have come nearer since the body began. */
int follow_found(struct page *page)
{
    page->depth = weft_crawl_depth(&page->crawl->state, page->id);
    page->scope_round = page->crawl->scope_round;
    return reader_follow(page->reader, follow_link, page);
}
