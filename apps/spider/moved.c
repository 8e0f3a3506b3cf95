/* A page that is redirected: where it leads to is seen at the same depth, by the same rules as a link.
 *
 * Nothing is followed inside the fetch: the target is a URL like others, and may be known already.
 * So a circle ends by itself; it is found, and told, when it closes.
 *
 * A target that is not followed has no number, so the note says what it was. Of one that is followed the note
 * is its fragment: copies that link to where it moved from need that. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>

enum { NOTE_SIZE = 4096, FRAGMENT_SIZE = 256 }; /* a target may be as long as a server likes */

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
        err = crawl_look_again(crawl); /* before it is kept: or a kill in between would lose it */
    if (err == 0)
        err = crawl_remember_scope(crawl, to);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
}

/* "Take this cookie and come back": that is no circle, once or twice. */
static bool is_for_cookie(struct page *page, const struct weft_url *to)
{
    const struct settings *settings = page->crawl->settings;
    return (settings->cookies || settings->cookie_file != NULL) &&
           weft_text_equal(to->href, page->url.href) &&
           weft_http_fetch_get(&page->fetch, "Set-Cookie").data != NULL &&
           page->attempts <= settings->retries;
}

static struct weft_text note_of(char note[NOTE_SIZE], const char *why, const struct weft_url *to)
{
    static const char cut[] = "...";
    if (snprintf(note, NOTE_SIZE, "%s: %s", why, to->href.data) >= NOTE_SIZE)
        memcpy(note + NOTE_SIZE - sizeof cut, cut, sizeof cut);
    return weft_text_of(note);
}

/* Why its target is not followed; NULL: it is. */
static const char *why_not(struct page *page, const struct weft_url *to)
{
    struct crawl *crawl = page->crawl;
    if (page_is_start(crawl, page->id))
        return NULL;
    if (crawl->settings->check && scope_excludes(&crawl->scope, to))
        return "it leads to what is excluded";
    if (!crawl->settings->check &&
        scope_check(&crawl->scope, to, follow_is_requisite(&page->url)) != SCOPE_IN)
        return "it leads out of the scope";
    enum trap_kind trap = follow_trap(crawl, to, weft_crawl_depth(&crawl->state, page->id));
    return trap != TRAP_NONE ? trap_reason(trap) : NULL;
}

/* To an update, what was a page before has changed. Its file stays, as that of one that is gone does. */
static void settle_as_moved(struct page *page, struct weft_crawl_result *result)
{
    if (page->before.there)
        update_saved(page);
    settle_page(page, result);
}

static void settle_moved(struct page *page, const struct weft_url *to, struct weft_text fragment)
{
    struct crawl *crawl = page->crawl;
    struct weft_crawl_result result = {.what = WEFT_CRAWL_MOVED, .http_status = page->fetch.status};
    char note[NOTE_SIZE];
    int err = 0;
    const char *why = why_not(page, to);
    result.note = why != NULL ? note_of(note, why, to) : fragment;
    if (why == NULL)
        err = follow_see(crawl, to, weft_crawl_depth(&crawl->state, page->id), page->id,
                         &result.redirect);
    if (page->before.known)
        follow_forget(page);
    if (err != 0) {
        settle_failed(page, err, weft_strerror(err));
    } else if (is_loop(crawl, page->id, result.redirect)) {
        settle_failed(page, UV_ELOOP, "it is redirected in a circle");
    } else {
        follow_note(crawl, page->id, result.redirect);
        settle_as_moved(page, &result);
    }
}

/* Out of the URL, into buffer. One that is too long is dropped. */
static struct weft_text take_fragment(struct weft_url *url, char buffer[FRAGMENT_SIZE])
{
    struct weft_text fragment = weft_url_hash(url);
    if (fragment.size > FRAGMENT_SIZE)
        fragment.size = 0;
    if (fragment.size > 0)
        memcpy(buffer, fragment.data, fragment.size);
    weft_url_drop_fragment(url);
    return weft_text(buffer, fragment.size);
}

void moved_page(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct weft_url *to = &crawl->link;
    int err = weft_url_parse(to, weft_text_of(page->fetch.location), &page->url);
    if (err != 0 || !weft_url_is_http(to)) {
        settle_failed(page, UV_EINVAL, "it is redirected to nowhere");
        return;
    }
    char fragment[FRAGMENT_SIZE];
    struct weft_text hash = take_fragment(to, fragment);
    weft_url_drop_credentials(to);
    if (is_for_cookie(page, to)) {
        outcome_fetch_again(page, "it gave a cookie");
        return;
    }
    if (hops_to(crawl, page->id) >= CRAWL_REDIRECTS) {
        settle_failed(page, UV_ELOOP, "too many redirects");
        return;
    }
    if (page_is_start(crawl, page->id))
        move_scope(page, to);
    report_line(crawl, "moved    %s to %s", page->url.href.data, to->href.data);
    settle_moved(page, to, hash);
}
