/* steps.h: the small steps that the spiders in this folder are made of. Each has one job and can be
 * used and tested alone; v1.c to v5.c differ only in how they put them together.
 *
 *     url_to_file   http://example.org/a?b=c  ->  example.org/a@b=c.html
 *     get_links     the links of a page that lead to the same host
 *     save_file     write a file, and make its folders first
 *     download      from the web into a file
 *     load          from the file if it is there, otherwise download it
 *     crawl_run     open a client and run the program's operation with it
 *
 * save_file, download and load are operations: begun under a parent, over when their then runs.
 * Where one is made of parts a weft_series runs these one after the other, and an error ends it: no
 * part has to ask how the one before it went. */
#ifndef EXAMPLES_SPIDER_STEPS_H
#define EXAMPLES_SPIDER_STEPS_H

#include <ctype.h>
#include <stdlib.h>
#include <weft.h>
#include <weft/http_client.h>
#include <weft/links.h>
#include <weft/url.h>

enum { FILE_SIZE = 1024, WHY_SIZE = FILE_SIZE + WEFT_FETCH_EXPLAIN, REDIRECTS = 5 };

/* Without memory a program of this size has nothing better to do than to say so. */
static inline void *or_exit(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "%s\n", weft_strerror(UV_ENOMEM));
        exit(1);
    }
    return memory;
}

/* ---- url_to_file ---------------------------------------------------------------------------- */

/* Bytes that are neither letters, digits nor among the plain ones are written as %XX. */
static inline size_t add_to_name(char *file, size_t size, struct weft_text text, const char *plain)
{
    for (size_t i = 0; i < text.size && size < FILE_SIZE; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool is_plain = isalnum(c) || strchr(plain, c) != NULL;
        size += (size_t)snprintf(file + size, FILE_SIZE - size, is_plain ? "%c" : "%%%02X", c);
    }
    return size;
}

/* host/path@query; a folder's page is its index, and a page without an extension is .html, so that
 * /a and /a/b both find room. A URL has no ".." in its path, so no file is outside of the folder.
 * It is short, not perfect: /a and /a.html get the same name. UV_ENAMETOOLONG. */
static inline int url_to_file(const struct weft_url *url, char file[FILE_SIZE])
{
    struct weft_text path = weft_url_pathname(url), query = weft_url_query(url);
    size_t size = add_to_name(file, 0, weft_url_host(url), ".-:[]");
    size = add_to_name(file, size, path, "/.-_~%");
    if (path.data[path.size - 1] == '/')
        size = add_to_name(file, size, weft_text_of("index"), "");
    bool has_extension = size < FILE_SIZE && strchr(strrchr(file, '/'), '.') != NULL;
    if (query.size > 0)
        size = add_to_name(file, size, weft_text_of("@"), "@");
    size = add_to_name(file, size, query, ".-_~%=&");
    if (!has_extension)
        size = add_to_name(file, size, weft_text_of(".html"), ".");
    return size < FILE_SIZE ? 0 : UV_ENAMETOOLONG;
}

/* ---- get_links ------------------------------------------------------------------------------ */

static inline void copy_url(struct weft_url *to, const struct weft_url *from)
{
    or_exit(weft_url_copy(to, from) == 0 ? to : NULL);
}

struct links {
    struct weft_url *urls; /* in the order of the page; one that is there twice comes twice */
    size_t count;
    const struct weft_url *page;
    struct weft_url base; /* what links are relative to: the page, or what its <base> says */
};

static inline void add_link(struct links *links, const struct weft_url *url)
{
    links->urls = or_exit(weft_realloc(links->urls, (links->count + 1) * sizeof *links->urls));
    links->urls[links->count] = (struct weft_url){0};
    copy_url(&links->urls[links->count++], url);
}

static inline bool is_wanted(const struct links *links, const struct weft_link *link,
                             const struct weft_url *url)
{
    return link->from == WEFT_LINK_A && weft_url_is_http(url) &&
           weft_text_equal(weft_url_host(url), weft_url_host(links->page));
}

static inline int take_link(struct weft_links *reader, const struct weft_link *link)
{
    struct links *links = reader->context;
    struct weft_url url = {0};
    bool is_url = weft_url_parse(&url, link->url, &links->base) == 0;
    weft_url_drop_fragment(&url); /* it is the same page, whatever part of it is meant */
    if (is_url && link->kind == WEFT_LINK_BASE)
        copy_url(&links->base, &url);
    else if (is_url && is_wanted(links, link, &url))
        add_link(links, &url);
    weft_url_free(&url);
    return 0;
}

/* The links of the page at url, which has this content. links_free them. */
static inline void get_links(struct links *links, const struct weft_url *url, const char *content,
                             size_t size)
{
    struct weft_links reader = {.on_link = take_link, .context = links};
    *links = (struct links){.page = url};
    copy_url(&links->base, url);
    int status = weft_links_scan(&reader, WEFT_LINKS_HTML, weft_text(NULL, 0), content, size);
    or_exit(status == 0 ? links : NULL); /* nothing else can go wrong */
    weft_links_free(&reader);
}

static inline void links_free(struct links *links)
{
    for (size_t i = 0; i < links->count; i++)
        weft_url_free(&links->urls[i]);
    weft_free(links->urls);
    weft_url_free(&links->base);
    *links = (struct links){0};
}

/* ---- save_file ------------------------------------------------------------------------------ */

struct save_file {
    struct weft_series steps;
    const char *file, *content;
    size_t size;
    char folder[FILE_SIZE];
    struct weft_file_mkdir mkdir;
    struct weft_file_save save;
};

static inline void make_folder(struct weft_op *op)
{
    struct save_file *save = weft_owner(op, struct save_file, steps.op);
    const char *slash = strrchr(save->file, '/');
    snprintf(save->folder, FILE_SIZE, "%.*s", (int)(slash - save->file), save->file);
    weft_file_mkdir(op, &save->mkdir, save->folder, NULL); /* NULL: an error ends the series */
}

static inline void write_content(struct weft_op *op)
{
    struct save_file *save = weft_owner(op, struct save_file, steps.op);
    weft_file_save(op, &save->save, save->file, save->content, save->size, NULL);
}

/* file is host/path, as url_to_file makes it; it and content stay until then. */
static inline void save_file(struct weft_op *parent, struct save_file *save, const char *file,
                             const char *content, size_t size, weft_then_fn *then)
{
    save->file = file;
    save->content = content;
    save->size = size;
    weft_series(parent, &save->steps, then, make_folder, write_content);
}

/* ---- download ------------------------------------------------------------------------------- */

struct download {
    struct weft_series steps;
    struct weft_http_client *client;
    const char *url, *file;
    struct weft_http_fetch fetch; /* the content is its body, until download_free */
    struct save_file save;
};

static inline void fetch_page(struct weft_op *op)
{
    struct download *download = weft_owner(op, struct download, steps.op);
    download->fetch.only_ok = true;            /* 404 is an answer, but not the page */
    download->fetch.max_redirects = REDIRECTS; /* it stays the page of the URL that was asked for */
    weft_http_fetch(op, &download->fetch, download->client, download->url, NULL);
}

static inline void save_page(struct weft_op *op)
{
    struct download *download = weft_owner(op, struct download, steps.op);
    save_file(op, &download->save, download->file, download->fetch.body, download->fetch.body_size,
              NULL);
}

/* url and file stay until then; download_free after any outcome. */
static inline void download(struct weft_op *parent, struct download *download,
                            struct weft_http_client *client, const char *url, const char *file,
                            weft_then_fn *then)
{
    download->client = client;
    download->url = url;
    download->file = file;
    weft_series(parent, &download->steps, then, fetch_page, save_page);
}

/* One sentence about a file, or a download, that failed; into why, which is returned. */
static inline char *file_explain(const char *file, int status, char why[WHY_SIZE])
{
    snprintf(why, WHY_SIZE, "%s: %s", file, weft_strerror(status));
    return why;
}

static inline char *download_explain(const struct download *download, char why[WHY_SIZE])
{
    char answer[WEFT_FETCH_EXPLAIN];
    if (download->fetch.op.status == 0) /* it was saving */
        return file_explain(download->file, download->steps.op.status, why);
    weft_http_fetch_explain(&download->fetch, answer, sizeof answer);
    snprintf(why, WHY_SIZE, "%s: %s", download->url, answer);
    return why;
}

static inline void download_free(struct download *download)
{
    weft_http_fetch_free(&download->fetch);
}

/* ---- load ----------------------------------------------------------------------------------- */

struct load {
    struct weft_op op;
    struct weft_http_client *client;
    const struct weft_url *url;
    char file[FILE_SIZE];
    bool downloaded; /* otherwise it was on disk */
    const char *content;
    size_t size;
    char why[WHY_SIZE]; /* a sentence about what went wrong; empty if nothing did */
    struct weft_file_read read;
    struct download download;
};

static inline void load_downloaded(struct weft_op *op, struct weft_op *child)
{
    struct load *load = weft_owner(op, struct load, op);
    load->downloaded = true;
    load->content = load->download.fetch.body;
    load->size = load->download.fetch.body_size;
    if (child->status != 0)
        download_explain(&load->download, load->why);
    weft_finish(op, child->status);
}

static inline void load_read(struct weft_op *op, struct weft_op *child)
{
    struct load *load = weft_owner(op, struct load, op);
    if (child->status == UV_ENOENT) { /* only this means that it is not there yet */
        download(op, &load->download, load->client, load->url->href.data, load->file,
                 load_downloaded);
        return;
    }
    load->content = load->read.data;
    load->size = load->read.size;
    if (child->status != 0)
        file_explain(load->file, child->status, load->why);
    weft_finish(op, child->status);
}

static inline void load_begin(struct weft_op *op)
{
    struct load *load = weft_owner(op, struct load, op);
    load->downloaded = false;
    load->why[0] = '\0';
    int status = url_to_file(load->url, load->file);
    if (status != 0) {
        file_explain(load->url->href.data, status, load->why);
        weft_finish(op, status);
        return;
    }
    weft_file_read(op, &load->read, load->file, load_read);
}

/* url stays until then; load_free after any outcome, content is gone with it. */
static inline void load(struct weft_op *parent, struct load *load, struct weft_http_client *client,
                        const struct weft_url *url, weft_then_fn *then)
{
    load->client = client;
    load->url = url;
    weft_run(parent, &load->op, load_begin, then);
}

static inline void load_free(struct load *load)
{
    weft_file_read_free(&load->read);
    download_free(&load->download);
    load->content = NULL;
    load->size = 0;
}

/* ---- crawl ---------------------------------------------------------------------------------- */

/* The frame of a program: a client for the web, and one task that uses it. */
struct crawl {
    struct weft_op op;
    struct weft_http_client client;
    struct weft_op *task;
    weft_begin_fn *begin;
};

static inline void crawl_begin(struct weft_op *op)
{
    struct crawl *crawl = weft_owner(op, struct crawl, op);
    weft_http_client_open(op, &crawl->client, NULL);
    weft_run(op, crawl->task, crawl->begin, weft_pass); /* ends the client, too */
}

/* Returns the task's status when all is over. */
static inline int crawl_run(struct crawl *crawl, struct weft_op *task, weft_begin_fn *begin)
{
    crawl->task = task;
    crawl->begin = begin;
    return weft_go(&crawl->op, crawl_begin);
}

/* ---- what the programs say and are told ----------------------------------------------------- */

static inline void tell_downloaded(const char *url, const char *file)
{
    printf("downloaded %s as %s\n", url, file);
}

static inline void tell_already_there(const char *file)
{
    printf("already there: %s\n", file);
}

static inline void tell_loaded(const struct load *load)
{
    if (load->downloaded)
        tell_downloaded(load->url->href.data, load->file);
    else
        tell_already_there(load->file);
}

/* At the end of a crawl: what went wrong first, once; or that all is there. The exit status. */
static inline int tell_end(int status, const char *why)
{
    if (status != 0)
        fprintf(stderr, "%s\n", why[0] != '\0' ? why : weft_strerror(status));
    else
        printf("all there\n");
    return status != 0;
}

struct arguments {
    struct weft_url url;
    unsigned nesting, concurrency;
};

static inline bool read_number(const char *text, unsigned least, unsigned *number)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *number = (unsigned)value;
    return isdigit((unsigned char)text[0]) && *end == '\0' && value >= least && value <= 1000;
}

/* URL NESTING CONCURRENCY, each with a default; a program that knows only the first so many of them
 * says how many. Bad ones end the program: 2 for wrong usage, 1 for what is no URL. */
static inline struct arguments read_arguments(int argc, char **argv, int known)
{
    static const char *const usage[] = {"", " [NESTING]", " [NESTING] [CONCURRENCY]"};
    struct arguments arguments = {.nesting = 1, .concurrency = 2};
    const char *url = argc > 1 ? argv[1] : "http://www.example.com";
    if (argc > known + 1 || (argc > 2 && !read_number(argv[2], 0, &arguments.nesting)) ||
        (argc > 3 && !read_number(argv[3], 1, &arguments.concurrency))) {
        fprintf(stderr, "usage: %s URL%s\n", argv[0], usage[known - 1]);
        exit(2);
    }
    if (weft_url_parse(&arguments.url, weft_text_of(url), NULL) != 0 ||
        !weft_url_is_http(&arguments.url)) {
        fprintf(stderr, "%s: not a URL of the web\n", url);
        exit(1);
    }
    weft_url_drop_fragment(&arguments.url);
    return arguments;
}

#endif
