/* v3: follow all links of a page at the same time.
 *
 * One line differs from v2: at_once. The first error ends the whole and is told once: the pages
 * that are under way are cancelled, and what they say then is not listened to. Wrong with it is:
 *
 *   - it is a race. A page looks for its file, and downloads it if it is not there; between the two
 *     time passes. Two pages with the same URL that look before either has saved both download it
 *     (v4 sees to that);
 *   - it knows no limit but the client's own. A large site is asked for hundreds of pages at once,
 *     and may begin to refuse connections: the first refusal then ends all (v5). */
#include "steps.h"

struct page {
    struct weft_op op;
    const struct weft_url *url;
    unsigned nesting;
    struct load load;
    struct links links;
    struct weft_each each;
    struct page *linked; /* those of its links that are under way */
};
static struct crawl crawl;
static struct page start;

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

static void page_loaded(struct weft_op *op, struct weft_op *child)
{
    struct page *page = weft_owner(op, struct page, op);
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

static void spider(struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, op);
    load(op, &page->load, &crawl.client, page->url, page_loaded);
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
