/* state: what the state of a crawl says of each URL, a line each, for tests and for the curious.
 *
 *     state FOLDER
 *     done 1 http://example.org/
 *
 * What it is, how far it is from the start, and its text. Not while a crawl works there. */
#include <stdio.h>
#include <weft/crawl.h>

static const char *const whats[] = {"", "waiting", "again", "done", "moved", "failed", "skipped"};

static int print(struct weft_crawl *crawl, weft_crawl_id id, struct weft_text url,
                 const struct weft_crawl_result *result, void *context)
{
    (void)context;
    printf("%s %u %.*s\n", whats[result->what], weft_crawl_depth(crawl, id), WEFT_TEXT_ARGS(url));
    return 0;
}

int main(int argc, char **argv)
{
    struct weft_crawl crawl = {0};
    const char *why = NULL;
    if (argc != 2) {
        fputs("usage: state FOLDER\n", stderr);
        return 2;
    }
    int err = weft_crawl_open(&crawl, argv[1], &why);
    if (err == 0)
        err = weft_crawl_each(&crawl, print, NULL);
    if (err != 0)
        fprintf(stderr, "state: %s\n", why != NULL ? why : weft_strerror(err));
    weft_crawl_close(&crawl);
    return err != 0;
}
