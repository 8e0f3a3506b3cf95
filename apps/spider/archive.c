/* The archive of a crawl: every answer goes there, whatever it says.
 *
 *     answer ──► saved? in the same visit to the pool (keep.c) ──┐
 *            └─► not to be saved: a visit of its own ────────────┴──► settled, or tried again
 *
 * A page is settled only when its records are written: so one that is called done is in the archive. A
 * page that was on its way when the crawl was killed is fetched again, and may be there twice.
 *
 * How far the archive has come is kept in the state with each commit, and its bytes are made durable
 * before that: by the commit itself, which syncs the file system of the folder, or, if the archive is
 * on another one, here. It is kept under the archive's id: a crawl may go back to one that it has
 * written to earlier.
 *
 * Without files (--warc-only) a page that has to be looked through again is read from the archive. The
 * "name" it has in the state then says which archive that is, and where in it: no file has such a one,
 * because no part of a file's name begins with a dot. */
#include "command.h"
#include "spider/crawl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of older crawls there is one mark only, without an id in its key. */
static const char key_mark[] = "crawl/warc", key_marks[] = "crawl/warc/", name_prefix[] = ".warc/";

enum {
    ID_SHOWN = 13, /* so many letters of its id are enough to know it by */
    INFO_MAX = 1024,
    KEY_SIZE = sizeof key_marks + WARC_ID
};

static const char *id_of(const struct crawl *crawl)
{
    return crawl->warc.id + strlen("urn:uuid:");
}

void archive_failed(struct crawl *crawl, int status)
{
    if (crawl->output_error == 0) {
        crawl->output_error = status;
        complain("cannot write the archive %s: %s", crawl->settings->warc, weft_strerror(status));
    }
    crawl_stop(crawl, CRAWL_NO_OUTPUT);
}

/* ---- opened --------------------------------------------------------------------------------- */

static void describe(const struct settings *settings, char info[INFO_MAX])
{
    snprintf(info, INFO_MAX,
             "software: weft/" WEFT_VERSION_STRING "\r\n"
             "format: WARC File Format 1.1\r\n"
             "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/"
             "warc-1.1/\r\n"
             "robots: %s\r\n"
             "http-header-user-agent: %.400s\r\n",
             settings->no_robots ? "ignore" : "obey", settings->user_agent);
}

/* Is it on another file system than the state? */
static bool is_elsewhere(const struct crawl *crawl)
{
    struct stat folder, file;
    return fstat(crawl->folder.fd, &folder) != 0 || fstat(crawl->warc.fd, &file) != 0 ||
           folder.st_dev != file.st_dev;
}

static struct weft_text key_of(const char *id, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "%s%s", key_marks, id);
    return weft_text_of(key);
}

/* That of the archive that is there; without an id: it is none of ours, or not there. */
static int recall_mark(struct crawl *crawl, struct warc_mark *mark)
{
    struct weft_text kept;
    char id[WARC_ID], key[KEY_SIZE];
    *mark = (struct warc_mark){0};
    int err = warc_id_of(crawl->settings->warc, id);
    if (err != 0 || id[0] == '\0')
        return err;
    err = weft_crawl_get(&crawl->state, key_of(id, key), &kept);
    if (err == 0 && kept.data == NULL)
        err = weft_crawl_get(&crawl->state, weft_text_of(key_mark), &kept);
    if (err == 0)
        warc_mark_read(kept, mark);
    return err;
}

int archive_mark(struct crawl *crawl)
{
    struct warc_mark mark;
    char text[WARC_MARK], key[KEY_SIZE];
    warc_mark(&crawl->warc, &mark);
    if (crawl->marked.end == mark.end && crawl->marked.index_end == mark.index_end)
        return 0;
    warc_mark_show(&mark, text);
    int err = weft_crawl_put(&crawl->state, key_of(mark.id, key), weft_text_of(text));
    if (err == 0)
        crawl->marked = mark;
    return err;
}

static int complain_open(const struct crawl *crawl, int err)
{
    const char *path = crawl->settings->warc;
    if (err == UV_EEXIST)
        complain(
            "'%s', or an index for it, is there already, and is not the archive of the crawl in "
            "'%s': it is left alone",
            path, crawl->folder_path);
    else if (err == UV_EBUSY)
        complain("'%s' is being written by another crawl", path);
    else if (err == WEFT_EDAMAGED)
        complain(
            "'%s', or the index of it, is shorter than it was when the crawl in '%s' wrote it, "
            "or gone",
            path, crawl->folder_path);
    else
        complain("cannot open the archive '%s': %s", path, weft_strerror(err));
    return err;
}

int archive_open(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    struct warc_mark mark;
    char info[INFO_MAX];
    if (settings->warc == NULL)
        return 0;
    int err = recall_mark(crawl, &mark);
    if (err != 0)
        return complain_open(crawl, err);
    describe(settings, info);
    err = warc_open(&crawl->warc, settings->warc, (int)settings->warc_level, &mark,
                    weft_text_of(info));
    if (err != 0)
        return complain_open(crawl, err);
    crawl->archived_elsewhere = is_elsewhere(crawl);
    err = archive_mark(crawl);
    if (err == 0)
        err = weft_crawl_flush(&crawl->state);
    if (err == 0)
        err = warc_publish(&crawl->warc);
    return err == 0 ? 0 : complain_open(crawl, err);
}

/* ---- written -------------------------------------------------------------------------------- */

/* Whom a proxy has asked is not known. */
static const char *address_of(const struct page *page, char *text, size_t size)
{
    const struct weft_address *peer = &page->fetch.peer;
    if (peer->size == 0 || page->crawl->settings->proxy != NULL)
        return NULL;
    int err = peer->to.any.sa_family == AF_INET ? uv_ip4_name(&peer->to.ip4, text, size)
                                                : uv_ip6_name(&peer->to.ip6, text, size);
    return err == 0 ? text : NULL;
}

/* The body is in a file, in the reader, or where the fetch has collected it. */
static void set_body(struct page *page, struct warc_exchange *exchange)
{
    const struct reader *reader = page->reader;
    exchange->body_fd = -1;
    if (page->streamed) {
        exchange->body_fd = save_stream_file(&page->stream);
        exchange->body_size = page->stream.written;
    } else if (reader != NULL) {
        exchange->body = reader->body.data;
        exchange->body_size = reader->body.used;
    } else {
        exchange->body = page->fetch.body;
        exchange->body_size = page->fetch.body_size;
    }
}

int archive_put(struct page *page)
{
    struct crawl *crawl = page->crawl;
    const struct weft_http_fetch *fetch = &page->fetch;
    char address[INET6_ADDRSTRLEN];
    if (!crawl->warc.open)
        return 0;
    struct warc_exchange exchange = {.url = weft_text_of(fetch->effective_url),
                                     .request = fetch->request_head,
                                     .head = fetch->answer_head,
                                     .media_type = weft_http_fetch_get(fetch, "Content-Type"),
                                     .address = address_of(page, address, sizeof address),
                                     .status = fetch->status,
                                     .date = page->asked_at,
                                     .cut = page->cut,
                                     .not_modified = fetch->status == 304 && page->before.there};
    set_body(page, &exchange);
    page->unarchived = warc_put(&crawl->warc, &exchange);
    if (crawl->settings->warc_only)
        snprintf(page->name, sizeof page->name, "%s%.*s/%llx", name_prefix, ID_SHOWN, id_of(crawl),
                 (unsigned long long)exchange.place);
    return page->unarchived;
}

static int put_there(struct weft_work *work)
{
    return archive_put(weft_owner(work, struct page, filing));
}

void archive_refused(struct page *page, int status)
{
    struct crawl *crawl = page->crawl;
    if (!crawl->aborted && (status == UV_EMFILE || status == UV_ENFILE)) {
        page->unarchived = 0;
        outcome_try_later(page);
        return;
    }
    if (!crawl->aborted)
        archive_failed(crawl, status);
    page_leave(page); /* it is not settled: it waits for a better disk */
}

static void filed(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, filing.op);
    if (op->status == 0)
        page->filed(page);
    else
        archive_refused(page, op->status);
}

/* A large one goes alone: others would wait behind it. */
void archive_file(struct page *page, void (*then)(struct page *page))
{
    page->filed = then;
    page->filing.crew = page->streamed ? NULL : &page->crawl->crew;
    weft_work(&page->crawl->op, &page->filing, put_there, filed);
}

static void last_written(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, stream.work.op);
    if (op->status != 0)
        keep_failed(page, op->status);
    else if (page->crawl->warc.open)
        archive_file(page, page->filed);
    else
        page->filed(page);
}

void archive_answer(struct page *page, void (*then)(struct page *page))
{
    struct reader *reader = page->reader;
    page->filed = then;
    if (page->streamed)
        save_write(&page->crawl->op, &page->stream, reader->body.data, reader->body.used,
                   last_written);
    else if (page->crawl->warc.open)
        archive_file(page, then);
    else
        then(page);
}

/* ---- read again ----------------------------------------------------------------------------- */

bool archive_has_name(struct weft_text name)
{
    return weft_text_starts(name, name_prefix);
}

/* "<id>/<place>" of the archive that is open; anything else is not there. */
static int read_there(struct weft_work *work)
{
    struct page *page = weft_owner(work, struct page, filing);
    struct crawl *crawl = page->crawl;
    const char *name = page->name + sizeof name_prefix - 1;
    if (!crawl->warc.open || strncmp(name, id_of(crawl), ID_SHOWN) != 0 || name[ID_SHOWN] != '/')
        return UV_ENOENT;
    return warc_get(&crawl->warc, strtoull(name + ID_SHOWN + 1, NULL, 16), page->read.limit,
                    &page->read.data, &page->read.size);
}

void archive_read(struct weft_op *op, struct page *page, size_t limit)
{
    page->read.limit = limit;
    weft_work(op, &page->filing, read_there, weft_pass);
}

/* ---- durable, in order ---------------------------------------------------------------------- */

static int sync_there(struct weft_work *work)
{
    return warc_sync(&weft_owner(work, struct crawl, archiving)->warc);
}

void archive_sync(struct crawl *crawl, weft_then_fn *then)
{
    weft_work(&crawl->op, &crawl->archiving, sync_there, then);
}

static int sort_there(struct weft_work *work)
{
    return warc_sort(&weft_owner(work, struct crawl, archiving)->warc);
}

static void sorted(struct weft_op *op, struct weft_op *work)
{
    struct crawl *crawl = weft_owner(op, struct crawl, op);
    if (work->status == 0 || crawl->aborted)
        return;
    if (crawl->output_error == 0) {
        crawl->output_error = work->status;
        complain("cannot put the index of the archive %s in order: %s; it stays as it was",
                 crawl->settings->warc, weft_strerror(work->status));
    }
    crawl_stop(crawl, CRAWL_NO_OUTPUT);
}

/* Only if the state knows of every line: a mark in the middle of what was put into another order would
 * mean nothing. */
void archive_end(struct crawl *crawl)
{
    struct warc_mark mark;
    if (!crawl->warc.open || crawl->output_error != 0)
        return;
    warc_mark(&crawl->warc, &mark);
    if (mark.end == crawl->marked.end && mark.index_end == crawl->marked.index_end)
        weft_work(&crawl->op, &crawl->archiving, sort_there, sorted);
}
