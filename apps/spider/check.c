/* A link checker. See check.h.
 *
 * Whether a URL is worth more than a look is judged twice: by its name, before the request, and by its
 * type, when there is an answer. A style sheet belongs to the pages that it is for, so it may be as far away as
 * all that they are shown with. A picture is looked at; but if the answer to that says that it is a
 * page or a style sheet of ours, it is asked for once more, by GET, and read. */
#include "spider/check.h"
#include "spider/columns.h"
#include "spider/crawl.h"
#include "units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/http_message.h>

enum { NOTE_SIZE = 1024 }; /* of what is told of one */

/* ---- asking --------------------------------------------------------------------------------- */

/* Is it part of the crawl, so that what it links to counts? */
static bool is_ours(const struct page *page, bool requisite)
{
    struct crawl *crawl = page->crawl;
    return follow_is_near(crawl, weft_crawl_depth(&crawl->state, page->id), requisite) &&
           scope_check(&crawl->scope, &page->url, requisite) == SCOPE_IN;
}

bool check_only_looks(const struct page *page, enum weft_links_type type)
{
    struct crawl *crawl = page->crawl;
    return crawl->settings->check && !page_is_start(crawl, page->id) &&
           !is_ours(page, type == WEFT_LINKS_CSS);
}

static bool is_style(const struct weft_url *url)
{
    const char *type = weft_http_media_type(weft_url_pathname(url));
    return weft_text_starts(weft_text_of(type), "text/css");
}

bool check_by_head(const struct page *page)
{
    if (!page->crawl->settings->check || page->head_fell_short)
        return false;
    if (is_style(&page->url))
        return check_only_looks(page, WEFT_LINKS_CSS);
    return check_only_looks(page, WEFT_LINKS_HTML) ||
           (follow_is_requisite(&page->url) && !page_is_start(page->crawl, page->id));
}

/* Does the answer to a HEAD tell of a body that is worth reading? */
static bool tells_of_links(const struct page *page)
{
    enum weft_links_type type;
    struct weft_text charset;
    return reader_type(weft_http_fetch_get(&page->fetch, "Content-Type"),
                       weft_url_pathname(&page->url), &type, &charset) &&
           !check_only_looks(page, type);
}

static void by_get(struct page *page, const char *why)
{
    page->head_fell_short = true;
    outcome_fetch_again(page, why);
}

bool check_answered(struct page *page)
{
    int status = page->fetch.status;
    if (!page->by_head)
        return false;
    if (status >= 300) { /* some servers send only HEAD elsewhere, to a page that says no */
        by_get(page, status < 400 ? "HEAD was redirected" : "HEAD was refused");
        return true;
    }
    if (tells_of_links(page)) {
        by_get(page, "it has links");
        return true;
    }
    int err = page_name(page);
    if (err == 0)
        keep_finish(page);
    else
        settle_failed(page, err, weft_strerror(err));
    return true;
}

bool check_by_get_instead(const struct page *page)
{
    const struct weft_http_fetch *fetch = &page->fetch;
    bool late =
        fetch->failure == WEFT_FETCH_FAILED_TIMEOUT && fetch->detail != WEFT_FETCH_LATE_CONNECT;
    return page->by_head && (late || fetch->failure == WEFT_FETCH_FAILED_PROTOCOL ||
                             fetch->failure == WEFT_FETCH_FAILED_LOST);
}

bool check_unanswered(struct page *page)
{
    bool instead = check_by_get_instead(page);
    if (instead)
        by_get(page, "HEAD was not answered");
    return instead;
}

/* ---- telling -------------------------------------------------------------------------------- */

/* Who links to what, of what is broken. */
struct link_pair {
    weft_crawl_id to, from;
};

struct broken {
    struct crawl *crawl;
    unsigned char *is; /* a bit for each number, until it is told */
    struct link_pair *pairs;
    size_t pairs_count, pairs_room;
    bool failed; /* there is no memory */
};

static bool is_broken(const struct broken *broken, weft_crawl_id id)
{
    return (broken->is[id / 8] >> id % 8 & 1) != 0;
}

/* Where it leads to in the end. */
static enum weft_crawl_what end_of(struct crawl *crawl, weft_crawl_id id)
{
    struct weft_crawl_result result;
    for (unsigned hops = 0; hops <= CRAWL_REDIRECTS; hops++) {
        enum weft_crawl_what what = weft_crawl_what(&crawl->state, id);
        if (what != WEFT_CRAWL_MOVED)
            return what;
        if (weft_crawl_result(&crawl->state, id, &result) != 0 || result.redirect == 0)
            return what;
        id = result.redirect;
    }
    return WEFT_CRAWL_FAILED;
}

static void find_broken(struct broken *broken)
{
    struct crawl *crawl = broken->crawl;
    for (weft_crawl_id id = 1; id <= crawl->state.known; id++) {
        if (end_of(crawl, id) == WEFT_CRAWL_FAILED)
            broken->is[id / 8] |= (unsigned char)(1u << id % 8);
    }
}

static int take_pair(struct edge edge, void *context)
{
    struct broken *broken = context;
    if (!is_broken(broken, edge.to) ||
        weft_crawl_what(&broken->crawl->state, edge.from) == WEFT_CRAWL_MOVED)
        return 0;
    if (broken->pairs_count == broken->pairs_room) {
        size_t room = broken->pairs_room > 0 ? broken->pairs_room * 2 : 256;
        struct link_pair *pairs = weft_realloc(broken->pairs, room * sizeof *pairs);
        if (pairs == NULL) {
            broken->failed = true;
            return UV_ENOMEM;
        }
        broken->pairs = pairs;
        broken->pairs_room = room;
    }
    broken->pairs[broken->pairs_count++] = (struct link_pair){edge.to, edge.from};
    return 0;
}

static int by_numbers(const void *one, const void *other)
{
    const struct link_pair *a = one, *b = other;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static const char *url_of(struct crawl *crawl, weft_crawl_id id)
{
    size_t size;
    if (weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL) != 0)
        return "?";
    return crawl->text;
}

/* "http://…/old: it leads to http://…/new: 404 Not Found" */
static void tell_target(struct broken *broken, weft_crawl_id id)
{
    struct crawl *crawl = broken->crawl;
    struct weft_crawl_result result;
    char note[NOTE_SIZE];
    printf("\n%s: ", url_of(crawl, id));
    for (unsigned hops = 0; hops <= CRAWL_REDIRECTS; hops++) {
        broken->is[id / 8] &= (unsigned char)~(1u << id % 8);
        if (weft_crawl_result(&crawl->state, id, &result) != 0)
            break;
        if (result.what != WEFT_CRAWL_MOVED || result.redirect == 0) {
            puts(columns_plain(note, sizeof note, result.note.data, result.note.size));
            return;
        }
        id = result.redirect;
        printf("it leads to %s: ", url_of(crawl, id));
    }
    printf("too many redirects\n");
}

struct told {
    size_t targets, places;
};

static struct told tell_pairs(struct broken *broken)
{
    struct told told = {0};
    if (broken->pairs_count > 0)
        qsort(broken->pairs, broken->pairs_count, sizeof *broken->pairs, by_numbers);
    for (size_t i = 0; i < broken->pairs_count; i++) {
        const struct link_pair *pair = &broken->pairs[i];
        if (i > 0 && by_numbers(pair, pair - 1) == 0)
            continue;
        if (i == 0 || pair->to != pair[-1].to) {
            tell_target(broken, pair->to);
            told.targets++;
        }
        printf("    in %s\n", url_of(broken->crawl, pair->from));
        told.places++;
    }
    return told;
}

/* Those that no page links to, and no link leads to: where the crawl began. */
static size_t count_untold(const struct broken *broken)
{
    struct crawl *crawl = broken->crawl;
    size_t count = 0;
    for (weft_crawl_id id = 1; id <= crawl->state.known; id++)
        count += is_broken(broken, id) && weft_crawl_what(&crawl->state, id) == WEFT_CRAWL_FAILED;
    return count;
}

/* That nothing was found broken means little if not everything was looked at. */
static void tell_left(const struct crawl *crawl)
{
    if (crawl_left(crawl) == 0)
        return;
    if (crawl->stop == CRAWL_LIMIT)
        printf("stopped at the limit of --%s", crawl->story.limit);
    else
        printf("%s", report_why_it_ended(crawl));
    printf(": %u not checked\n", crawl_left(crawl));
}

/* Links that are no URLs of the crawl, for one reason or another. */
static void tell_passed_over(const struct crawl *crawl)
{
    if (crawl->said_nofollow > 0)
        printf("links passed over: %" PRIu64 ", because of nofollow (--no-robots)\n",
               crawl->said_nofollow);
    if (crawl->no_urls > 0)
        printf("links passed over: %" PRIu64 ", because they are no URLs\n", crawl->no_urls);
}

void check_report(struct crawl *crawl)
{
    struct broken broken = {.crawl = crawl};
    char time[UNITS_TIME_MAX];
    uint64_t ms = weft_now(weft_loop_of(&crawl->op)) - crawl->begun_at;
    broken.is = weft_calloc(crawl->state.known / 8 + 1, 1);
    if (broken.is != NULL) {
        find_broken(&broken);
        edges_each(&crawl->edges, take_pair, &broken);
    }
    struct told told = tell_pairs(&broken);
    if (broken.is != NULL)
        told.targets += count_untold(&broken);
    if (broken.is == NULL || broken.failed)
        printf("\nthere is no memory to tell who links to all that is broken\n");
    printf("%schecked %u URLs in %s: %zu broken, linked to in %zu places; %u skipped, %u moved\n",
           told.places > 0 ? "\n" : "",
           crawl->state.known - crawl_left(crawl) - crawl->state.counts[WEFT_CRAWL_SKIPPED],
           units_show_time(ms, time), told.targets, told.places,
           crawl->state.counts[WEFT_CRAWL_SKIPPED], crawl->state.counts[WEFT_CRAWL_MOVED]);
    tell_left(crawl);
    tell_passed_over(crawl);
    weft_free(broken.is);
    weft_free(broken.pairs);
}
