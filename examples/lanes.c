/* lanes: a queue for several hosts, where tasks push tasks.
 *
 * Six places in all, two for each of three hosts; the lane is a member of the host. Every task
 * pushes three more until the tree is three levels deep: under the crawl, not under itself, because
 * a task that waited for its own queue would hold a place and wait for one. The crawl joins: it is
 * over when the last of them is. */
#include <stdlib.h>
#include <weft.h>

enum { HOSTS = 3, AT_ONCE = 6, PER_HOST = 2 };

struct host {
    struct weft_lane lane;
    unsigned most, done;
};

struct crawl {
    struct weft_op op;
    struct weft_queue queue;
    struct host hosts[HOSTS];
    unsigned most;
};

struct page {
    struct weft_op op;
    struct weft_sleep download;
    struct host *host;
    int depth;
};

static void push_page(struct crawl *crawl, int host, int depth);

static struct crawl *crawl_of(struct weft_op *page)
{
    return weft_owner(page->parent, struct crawl, op);
}

static void page_loaded(struct weft_op *op, struct weft_op *download)
{
    struct page *page = weft_owner(op, struct page, op);
    for (int host = 0; download->status == 0 && page->depth > 0 && host < HOSTS; host++)
        push_page(crawl_of(op), host, page->depth - 1);
    weft_finish(op, download->status);
}

static void load_page(struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, op);
    struct crawl *crawl = crawl_of(op);
    if (page->host->lane.running > page->host->most)
        page->host->most = page->host->lane.running;
    if (crawl->queue.running > crawl->most)
        crawl->most = crawl->queue.running;
    weft_sleep(op, &page->download, 1, page_loaded);
}

static void page_over(struct weft_op *crawl, struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, op);
    (void)crawl;
    page->host->done++;
    free(page); /* then runs exactly once, whatever happens: it is the destructor */
}

static void push_page(struct crawl *crawl, int host, int depth)
{
    struct page *page = calloc(1, sizeof *page);
    if (page == NULL) {
        weft_end(&crawl->op, UV_ENOMEM);
        return;
    }
    page->host = &crawl->hosts[host];
    page->depth = depth;
    weft_lane_push(&page->host->lane, &crawl->op, &page->op, load_page, page_over);
}

static void crawl_begin(struct weft_op *op)
{
    struct crawl *crawl = weft_owner(op, struct crawl, op);
    weft_queue_init(&crawl->queue, weft_loop_of(op), AT_ONCE);
    for (int i = 0; i < HOSTS; i++)
        weft_lane_init(&crawl->hosts[i].lane, &crawl->queue, PER_HOST, WEFT_RANK_NORMAL);
    push_page(crawl, 0, 3);
    weft_join(op);
}

int main(void)
{
    static struct crawl crawl;
    int status = weft_go(&crawl.op, crawl_begin);
    for (int i = 0; i < HOSTS; i++)
        printf("host %d: %u pages, never more than %u at once\n", i, crawl.hosts[i].done,
               crawl.hosts[i].most);
    printf("in all: never more than %u at once\n", crawl.most);
    return status != 0;
}
