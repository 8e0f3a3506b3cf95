/* v5: at most CONCURRENCY pages at once, whatever the tree of links; an error stops nothing.
 *
 * A limit for the links of each page would be none: two links on each of two pages are four, then
 * eight. So all pages go through one task queue. A task loads its page; its then pushes the links
 * and does not wait for them, so nothing is nested any more: all tasks are children of one op,
 * which is over when the last of them is. What fails is told at once and listed at the end, and the
 * others go on; the same command again tries what has failed and reads the rest from disk.
 *
 * A URL is one page, however often it is linked to, so it is never loaded twice at once. If it is
 * reached again with more nesting left it goes through the queue again, and comes from its file. */
#include "steps.h"

struct page {
    struct page *next;
    struct weft_url url;
    unsigned levels;   /* nesting and the page itself; 0: it was not asked for yet */
    struct task *task; /* while it waits or is loaded */
    bool has_failed;
};
struct task {
    struct load load;
    struct page *page;
};
static struct weft_op app;
static struct crawl crawl;
static struct weft_queue queue;
static struct arguments arguments;
static struct page *pages; /* all that were reached; a list will do for some thousands */

static void page_loaded(struct weft_op *op, struct weft_op *child);

static struct page *find_or_add_page(const struct weft_url *url)
{
    struct page **place = &pages;
    while (*place != NULL && !weft_text_equal((*place)->url.href, url->href))
        place = &(*place)->next;
    if (*place == NULL) {
        *place = or_exit(weft_calloc(1, sizeof **place));
        copy_url(&(*place)->url, url);
    }
    return *place;
}

static void spider(const struct weft_url *url, unsigned levels)
{
    struct page *page = find_or_add_page(url);
    if (page->levels >= levels)
        return;
    page->levels = levels;
    if (page->task != NULL)
        return; /* its links are still to come, and will be followed as deep as this */
    page->task = or_exit(weft_calloc(1, sizeof *page->task));
    page->task->page = page;
    page->task->load.client = &crawl.client;
    page->task->load.url = &page->url;
    weft_queue_push(&queue, &app, &page->task->load.op, load_begin, page_loaded);
}

static void spider_links(const struct page *page)
{
    struct links links;
    get_links(&links, &page->url, page->task->load.content, page->task->load.size);
    for (size_t i = 0; i < links.count; i++)
        spider(&links.urls[i], page->levels - 1);
    links_free(&links);
}

static void page_loaded(struct weft_op *op, struct weft_op *child)
{
    struct task *task = weft_owner(child, struct task, load.op);
    struct page *page = task->page;
    (void)op;
    page->has_failed = child->status != 0;
    if (page->has_failed)
        fprintf(stderr, "%s\n", task->load.why);
    else
        tell_loaded(&task->load);
    if (!page->has_failed && page->levels > 1)
        spider_links(page);
    page->task = NULL;
    load_free(&task->load);
    weft_free(task);
}

static void spider_all(struct weft_op *op)
{
    weft_queue_init(&queue, weft_loop_of(op), arguments.concurrency);
    spider(&arguments.url, arguments.nesting + 1);
    weft_join(op); /* it is over when the last task is */
}

/* Free all pages; list those that have failed. How many there are. */
static int end_pages(void)
{
    int failed = 0;
    for (struct page *page = pages, *next; page != NULL; page = next) {
        if (page->has_failed && failed++ == 0)
            fprintf(stderr, "failed; the same command tries again:\n");
        if (page->has_failed)
            fprintf(stderr, "    %s\n", page->url.href.data);
        next = page->next;
        weft_url_free(&page->url);
        weft_free(page);
    }
    return failed;
}

int main(int argc, char **argv)
{
    arguments = read_arguments(argc, argv, 3);
    int status = crawl_run(&crawl, &app, spider_all);
    int failed = end_pages();
    weft_url_free(&arguments.url);
    return failed > 0 ? 1 : tell_end(status, "");
}
