/* A page with a good answer: it gets a name and is saved, and its links are followed.
 *
 * A small body is digested on the pool, in the visit that saves it: to look for links is the longest
 * part of the work, and the loop has others to serve. Of one that was spilled only the end is left. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <weft/http_message.h>

static void tell_saved(const struct page *page)
{
    const struct settings *settings = page->crawl->settings;
    if (!settings_dry(settings)) {
        report_line(page->crawl, "saved    %s as %s", page->url.href.data, page->name);
        return;
    }
    if (settings->list)
        printf("%s\n", page->url.href.data);
    else
        printf("%s -> %s\n", page->url.href.data, page->name);
    if (fflush(stdout) == 0)
        return;
    page->crawl->output_error = UV_EPIPE; /* who read it has left */
    crawl_stop(page->crawl, CRAWL_NO_OUTPUT);
}

void keep_finish(struct page *page)
{
    const struct weft_http_fetch *fetch = &page->fetch;
    struct weft_crawl_result result = {.http_status = fetch->status,
                                       .size = page->reader != NULL ? page->reader->size
                                                                    : fetch->received,
                                       .etag = weft_http_fetch_get(fetch, "ETag"),
                                       .last_modified = weft_http_fetch_get(fetch, "Last-Modified"),
                                       .media_type = weft_http_fetch_get(fetch, "Content-Type"),
                                       .file = weft_text_of(page->name)};
    memcpy(result.hash, page->hash, sizeof result.hash);
    tell_saved(page);
    settle_done(page, &result);
}

/* One name cannot be written, because something is in its way; or none can. */
static bool is_its_own(int status)
{
    return status == UV_ELOOP || status == UV_ENOTDIR || status == UV_EISDIR ||
           status == UV_ENAMETOOLONG;
}

void keep_failed(struct page *page, int status)
{
    char note[NAME_SIZE + 128];
    if (page->crawl->aborted) {
        page_leave(page);
        return;
    }
    if (status == UV_EMFILE || status == UV_ENFILE) {
        outcome_try_later(page);
        return;
    }
    if (!is_its_own(status)) {
        crawl_no_output(page->crawl, status, page->name);
        page_leave(page); /* it is not settled: it waits for a better disk */
        return;
    }
    snprintf(note, sizeof note, "cannot be saved as %s: %s", page->name,
             status == UV_ELOOP ? "a symbolic link is in the way" : weft_strerror(status));
    settle_failed(page, status, note);
}

/* On a thread of the pool: the page and its reader are this visit's alone meanwhile. */
static int digest(struct save *save)
{
    struct page *page = weft_owner(save, struct page, save);
    page->undigested = reader_end(page->reader, page->hash);
    return page->undigested;
}

static const char *why_unread(int status)
{
    return status == UV_ENOSYS ? "its links cannot be read: ICU is not there for its encoding"
                               : weft_strerror(status);
}

/* Its links are followed before it is called done. */
static void follow_and_finish(struct page *page)
{
    int err = page->undigested != 0 ? page->undigested : follow_found(page);
    if (err == 0)
        fields_follow(page);
    if (err != 0)
        settle_failed(page, err, why_unread(err));
    else
        keep_finish(page);
}

static void kept(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, save.work.op);
    if (op->status != 0 && page->undigested == 0)
        keep_failed(page, op->status);
    else
        follow_and_finish(page);
}

static void committed(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, stream.work.op);
    if (op->status != 0)
        keep_failed(page, op->status);
    else
        follow_and_finish(page);
}

static void last_written(struct weft_op *parent, struct weft_op *op)
{
    struct page *page = weft_owner(op, struct page, stream.work.op);
    if (op->status != 0)
        keep_failed(page, op->status);
    else
        save_commit(parent, &page->stream, page->stream.modified, committed);
}

static int64_t modified_of(const struct page *page)
{
    int64_t modified;
    struct weft_text value = weft_http_fetch_get(&page->fetch, "Last-Modified");
    weft_http_date_parse(value, time(NULL), &modified);
    return modified;
}

void keep_page(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct reader *reader = page->reader;
    int err = page_name(page);
    if (err != 0) {
        settle_failed(page, err, weft_strerror(err));
        return;
    }
    crawl->bytes += page->fetch.wire_received;
    if (page->streamed) {
        page->undigested = reader_end(reader, page->hash);
        page->stream.modified = modified_of(page);
        save_write(&crawl->op, &page->stream, reader->body.data, reader->body.used, last_written);
        return;
    }
    page->save.before = digest;
    page->save.work.crew = &crawl->crew;
    save_file(&crawl->op, &page->save, &crawl->folder, page->name, reader->body.data,
              reader->body.used, modified_of(page), kept);
}
