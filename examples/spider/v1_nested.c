/* v1_nested: download one page into a file, unless it is there. Do not write it like this.
 *
 * This is callback hell, kept for contrast: v1.c does the same. C has no closures, so the pyramid
 * lies on its side: a chain of callbacks in one piece, to be read from the bottom to the top, whose
 * names say nothing but their number. Every level repeats what to do about an error, forgets
 * nothing only because somebody counted, and hides the good way in the last else. No part of it can
 * be used again: the next program that saves a page copies all of it. */
#include "steps.h"

static struct weft_op op;
static struct weft_http_client client;
static struct weft_url url;
static char file[FILE_SIZE], folder[FILE_SIZE];
static struct weft_file_stat look;
static struct weft_http_fetch fetch;
static struct weft_file_mkdir make;
static struct weft_file_save save;

static void cb4(struct weft_op *parent, struct weft_op *child)
{
    if (child->status != 0) {
        fprintf(stderr, "%s: %s\n", file, weft_strerror(child->status));
        weft_http_fetch_free(&fetch);
        weft_end(parent, child->status);
    } else {
        printf("downloaded %s as %s\n", url.href.data, file);
        weft_http_fetch_free(&fetch);
        weft_end(parent, 0);
    }
}

static void cb3(struct weft_op *parent, struct weft_op *child)
{
    if (child->status != 0) {
        fprintf(stderr, "%s: %s\n", file, weft_strerror(child->status));
        weft_http_fetch_free(&fetch);
        weft_end(parent, child->status);
    } else {
        weft_file_save(parent, &save, file, fetch.body, fetch.body_size, cb4);
    }
}

static void cb2(struct weft_op *parent, struct weft_op *child)
{
    char why[WEFT_FETCH_EXPLAIN];
    if (child->status != 0) {
        weft_http_fetch_explain(&fetch, why, sizeof why);
        fprintf(stderr, "%s: %s\n", url.href.data, why);
        weft_http_fetch_free(&fetch);
        weft_end(parent, child->status);
    } else {
        snprintf(folder, sizeof folder, "%s", file);
        *strrchr(folder, '/') = '\0';
        weft_file_mkdir(parent, &make, folder, cb3);
    }
}

static void cb1(struct weft_op *parent, struct weft_op *child)
{
    if (child->status != 0) {
        if (child->status == UV_ENOENT) {
            fetch.only_ok = true;
            fetch.max_redirects = REDIRECTS;
            weft_http_fetch(parent, &fetch, &client, url.href.data, cb2);
        } else {
            fprintf(stderr, "%s: %s\n", file, weft_strerror(child->status));
            weft_end(parent, child->status);
        }
    } else {
        if (look.info.kind != WEFT_KIND_DIR) {
            printf("already there: %s\n", file);
            weft_end(parent, 0);
        } else {
            fprintf(stderr, "%s: %s\n", file, weft_strerror(UV_EISDIR));
            weft_end(parent, UV_EISDIR);
        }
    }
}

static void begin(struct weft_op *parent)
{
    int status = url_to_file(&url, file);
    if (status != 0) {
        fprintf(stderr, "%s: %s\n", url.href.data, weft_strerror(status));
        weft_end(parent, status);
    } else {
        weft_http_client_open(parent, &client, NULL);
        weft_file_stat(parent, &look, file, cb1);
    }
}

int main(int argc, char **argv)
{
    url = read_arguments(argc, argv, 1).url;
    int status = weft_go(&op, begin);
    weft_url_free(&url);
    return status != 0;
}
