/* Makes the state of a crawl that knows a million URLs and has fetched none of them.
 *
 *     million FOLDER ORIGIN [COUNT] */
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>
#include <weft/crawl.h>

struct million {
    struct weft_op op;
    struct weft_crawl crawl;
    struct weft_crawl_commit commit;
    const char *origin;
    unsigned long count, seen;
};

enum { BATCH = 50000 };

static void see_some(struct weft_op *op);

static void committed(struct weft_op *op, struct weft_op *commit)
{
    if (commit->status != 0)
        weft_finish(op, commit->status);
    else
        see_some(op);
}

static void see_some(struct weft_op *op)
{
    struct million *million = weft_owner(op, struct million, op);
    for (unsigned i = 0; i < BATCH && million->seen < million->count; i++) {
        char url[256];
        int size = snprintf(url, sizeof url, "%s/library/shelf-%lu/a-book-of-many-words-%lu.html",
                            million->origin, million->seen / 1000, million->seen);
        int err = weft_crawl_see(&million->crawl, weft_text(url, (size_t)size), 1, 0, NULL);
        if (err < 0) {
            weft_finish(op, err);
            return;
        }
        million->seen++;
    }
    if (million->seen == million->count && million->crawl.pending == 0)
        weft_finish(op, 0);
    else
        weft_crawl_commit(op, &million->commit, &million->crawl, committed);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: million FOLDER ORIGIN [COUNT]\n", stderr);
        return 2;
    }
    static struct million million;
    const char *why = NULL;
    million.origin = argv[2];
    million.count = argc > 3 ? strtoul(argv[3], NULL, 10) : 1000000;
    int err = weft_crawl_open(&million.crawl, argv[1], &why);
    if (err == 0)
        err = weft_go(&million.op, see_some);
    if (err != 0)
        fprintf(stderr, "million: %s\n", why != NULL ? why : weft_strerror(err));
    weft_crawl_close(&million.crawl);
    return err != 0;
}
