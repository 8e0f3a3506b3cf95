/* v4: as v3, without the race: a URL that is being loaded is not loaded a second time.
 *
 * All pages that look for their file or download it stand in a list, the set of URLs in progress.
 * Who finds its URL there waits for its turn; when that comes the file is there, and is read. So a
 * page that is reached a second time is still followed as deep as the second way allows: which
 * pages are fetched does not depend on who came first. Everything runs on one thread, and nothing
 * waits between the look into the list and the entry in it, so no lock is needed. A page leaves the
 * list when it is loaded: from then on the file is the guard, and the memory is free. */
#include "steps.h"

struct page {
    struct weft_op op;
    const struct weft_url *url;
    unsigned nesting;
    struct load load;
    struct links links;
    struct weft_each each;
    struct page *linked; /* those of its links that are under way */
    struct weft_op turn; /* over when this page may load */
    struct page *next;   /* in progress */
};
static struct crawl crawl;
static struct page start, *in_progress;

static void spider(struct weft_op *op);

static void page_free(struct page *page)
{
    links_free(&page->links);
    weft_free(page->linked);
    page->linked = NULL;
}

static bool next_link(struct weft_op *slot)
{
    struct weft_op *each = slot->parent;
    size_t index = weft_index(slot);
    struct page *page = weft_owner(each, struct page, each.op);
    struct page *linked = weft_owner(slot, struct page, op);
    if (index == page->links.count)
        return false;
    linked->url = &page->links.urls[index];
    linked->nesting = page->nesting - 1;
    return true;
}

static void link_done(struct weft_op *each, struct weft_op *slot)
{
    struct page *page = weft_owner(each, struct page, each.op);
    struct page *linked = weft_owner(slot, struct page, op);
    if (slot->status != 0 && !weft_cancelled(each)) { /* the first error; it cancels the rest */
        memcpy(page->load.why, linked->load.why, WHY_SIZE);
        weft_end(each, slot->status);
    }
    page_free(linked);
}

static void spider_links(struct page *page)
{
    size_t at_once = page->links.count;
    page->linked = or_exit(weft_calloc(at_once, sizeof *page->linked));
    weft_each(&page->op, &page->each, weft_slots(&page->linked->op, sizeof *page->linked, at_once),
              next_link, spider, link_done, NULL);
    weft_join(&page->op); /* it is over when its links are */
}

static struct page *find_in_progress(const struct weft_url *url)
{
    struct page *page = in_progress;
    while (page != NULL && !weft_text_equal(page->url->href, url->href))
        page = page->next;
    return page;
}

static void leave_progress(struct page *page)
{
    struct page **place = &in_progress;
    while (*place != page)
        place = &(*place)->next;
    *place = page->next;
    struct page *waits = find_in_progress(page->url);
    if (waits != NULL)
        weft_end(&waits->turn, 0);
}

static void page_loaded(struct weft_op *op, struct weft_op *child)
{
    struct page *page = weft_owner(op, struct page, op);
    leave_progress(page);
    if (child->status == 0)
        tell_loaded(&page->load);
    if (child->status == 0 && page->nesting > 0)
        get_links(&page->links, page->url, page->load.content, page->load.size);
    load_free(&page->load);
    if (page->links.count == 0) { /* it failed, is deep enough, or leads nowhere */
        weft_finish(op, child->status);
        return;
    }
    spider_links(page);
}

static void turn_came(struct weft_op *op, struct weft_op *turn)
{
    struct page *page = weft_owner(turn, struct page, turn);
    load(op, &page->load, &crawl.client, page->url, page_loaded);
}

static void spider(struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, op);
    bool is_free = find_in_progress(page->url) == NULL;
    page->next = in_progress;
    in_progress = page;
    weft_run(op, &page->turn, NULL, turn_came); /* NULL: somebody ends it, */
    if (is_free)
        weft_end(&page->turn, 0); /* we or, in leave_progress, the page before us */
}

int main(int argc, char **argv)
{
    struct arguments arguments = read_arguments(argc, argv, 2);
    start.url = &arguments.url;
    start.nesting = arguments.nesting;
    int status = crawl_run(&crawl, &start.op, spider);
    page_free(&start);
    weft_url_free(&arguments.url);
    return tell_end(status, start.load.why);
}
