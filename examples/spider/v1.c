/* v1: download one page into a file, unless it is there.
 *
 * The same program as v1_nested.c, with callback discipline: leave early instead of nesting, give
 * callbacks names that say what has happened, and make steps of their own out of what can be used
 * again (`save_file` and `download`, in steps.h). An error has one way out, `failed`. */
#include "steps.h"

struct spider {
    struct weft_op op;
    struct weft_url url;
    char file[FILE_SIZE];
    struct weft_file_stat stat;
    struct download download;
};
static struct crawl crawl;

static struct spider *spider_of(struct weft_op *op)
{
    return weft_owner(op, struct spider, op);
}

static void failed(struct weft_op *op, int status, const char *why)
{
    fprintf(stderr, "%s\n", why);
    weft_finish(op, status);
}

static void page_downloaded(struct weft_op *op, struct weft_op *child)
{
    struct spider *spider = spider_of(op);
    char why[WHY_SIZE];
    if (child->status != 0) {
        failed(op, child->status, download_explain(&spider->download, why));
        return;
    }
    tell_downloaded(spider->url.href.data, spider->file);
    weft_finish(op, 0);
}

static void file_looked_at(struct weft_op *op, struct weft_op *child)
{
    struct spider *spider = spider_of(op);
    char why[WHY_SIZE];
    bool is_folder = child->status == 0 && spider->stat.info.kind == WEFT_KIND_DIR;
    int status = is_folder ? UV_EISDIR : child->status;
    if (status == UV_ENOENT) { /* only this means that it is not there yet */
        download(op, &spider->download, &crawl.client, spider->url.href.data, spider->file,
                 page_downloaded);
        return;
    }
    if (status != 0) {
        failed(op, status, file_explain(spider->file, status, why));
        return;
    }
    tell_already_there(spider->file);
    weft_finish(op, 0);
}

static void spider_begin(struct weft_op *op)
{
    struct spider *spider = spider_of(op);
    char why[WHY_SIZE];
    int status = url_to_file(&spider->url, spider->file);
    if (status != 0) {
        failed(op, status, file_explain(spider->url.href.data, status, why));
        return;
    }
    weft_file_stat(op, &spider->stat, spider->file, file_looked_at);
}

int main(int argc, char **argv)
{
    static struct spider spider;
    spider.url = read_arguments(argc, argv, 1).url;
    int status = crawl_run(&crawl, &spider.op, spider_begin);
    download_free(&spider.download);
    weft_url_free(&spider.url);
    return status != 0;
}
