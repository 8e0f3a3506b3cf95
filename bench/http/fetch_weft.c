/* Fetching many small files with weft's client: so many workers, each one fetch after the other.
 *     fetch_weft URL COUNT CONNECTIONS [curl]    gets URL/0 to URL/<COUNT-1>; curl: all by curl */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <weft/http_client.h>

struct worker {
    struct weft_http_fetch fetch;
    char url[256];
};

static struct crawl {
    struct weft_op op;
    struct weft_http_client client;
    const char *base;
    unsigned long next, count, bytes;
    unsigned connections, busy;
    struct worker *workers;
} crawl;

static void fetched(struct weft_op *op, struct weft_op *child);

static void fetch_next(struct weft_op *op, struct worker *worker)
{
    snprintf(worker->url, sizeof worker->url, "%s/%lu", crawl.base, crawl.next++);
    weft_http_fetch(op, &worker->fetch, &crawl.client, worker->url, fetched);
}

static void fetched(struct weft_op *op, struct weft_op *child)
{
    struct weft_http_fetch *fetch = weft_owner(child, struct weft_http_fetch, op);
    char text[WEFT_FETCH_EXPLAIN];
    if (child->status != 0 || fetch->status != 200) {
        fprintf(stderr, "%s\n", weft_http_fetch_explain(fetch, text, sizeof text));
        exit(1);
    }
    crawl.bytes += fetch->body_size;
    weft_http_fetch_free(fetch);
    if (crawl.next < crawl.count)
        fetch_next(op, weft_owner(fetch, struct worker, fetch));
    else if (--crawl.busy == 0)
        weft_end(op, 0);
}

static void crawl_begin(struct weft_op *op)
{
    weft_http_client_open(op, &crawl.client, NULL);
    for (unsigned i = 0; i < crawl.connections && crawl.next < crawl.count; i++) {
        crawl.busy++;
        fetch_next(op, &crawl.workers[i]);
    }
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    if (argc != 4 && (argc != 5 || strcmp(argv[4], "curl") != 0))
        return 2;
    crawl.client.no_direct = argc == 5;
    crawl.base = argv[1];
    crawl.count = strtoul(argv[2], NULL, 10);
    crawl.connections = (unsigned)strtoul(argv[3], NULL, 10);
    crawl.workers = calloc(crawl.connections, sizeof *crawl.workers);
    uint64_t start = uv_hrtime();
    if (crawl.workers == NULL || weft_go(&crawl.op, crawl_begin) != 0)
        return 1;
    double took = (double)(uv_hrtime() - start) / 1e9;
    getrusage(RUSAGE_SELF, &usage);
    printf("pages/s=%.0f cpu=%.3f bytes=%lu\n", (double)crawl.count / took,
           seconds(usage.ru_utime) + seconds(usage.ru_stime), crawl.bytes);
    return 0;
}
