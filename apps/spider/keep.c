/* A page with a good answer: it gets a name and is saved, and its links are followed.
 *
 * A small body is digested on the pool, in the visit that saves it: to look for links is the longest
 * part of the work, and the loop has others to serve. Of one that was spilled only the end is left.
 * If there is an archive it goes there first: a file without its record would be one that was never
 * asked for. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <weft/http_message.h>

static void tell_saved(struct page *page)
{
    const struct settings *settings = page->crawl->settings;
    if (archive_has_name(weft_text_of(page->name))) {
        report_line(page->crawl, "archived %s", page->url.href.data);
        return;
    }
    if (!settings_dry(settings)) {
        report_line(page->crawl, "saved    %s as %s", page->url.href.data, page->name);
        return;
    }
    if (settings->check)
        return;
    if (settings->list)
        report_out(page->crawl, "%s", page->url.href.data);
    else
        report_out(page->crawl, "%s -> %s", page->url.href.data, page->name);
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
    if (page->left_alone)
        result.note = weft_text_of(same_note);
    if (result.media_type.size == 0)
        result.media_type = page_content_type(page);
    tell_saved(page);
    update_saved(page);
    if (page->crawl->settings->convert && page->streamed && page->reader->linked)
        offline_want(page->crawl, page->id); /* it was too large to be written anew at once */
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
    if (page->crawl->aborted || status == UV_ECANCELED) { /* by us: it waits for the next time */
        page_leave(page);
        return;
    }
    if (status == UV_EMFILE || status == UV_ENFILE) {
        outcome_try_later(page);
        return;
    }
    if (!is_its_own(status)) {
        crawl_no_output(page->crawl, status, page->name[0] != '\0' ? page->name : "a body");
        page_leave(page); /* it is not settled: it waits for a better disk */
        return;
    }
    snprintf(note, sizeof note, "cannot be saved as %s: %s", page->name,
             status == UV_ELOOP ? "a symbolic link is in the way" : weft_strerror(status));
    settle_failed(page, status, note);
}

/* On a thread of the pool: the page and its reader are this visit's alone meanwhile. */
static int digest(struct page *page)
{
    page->undigested = reader_end(page->reader, page->hash);
    int err = archive_put(page);
    return err != 0 ? err : page->undigested;
}

static int digest_before(struct save *save)
{
    return digest(weft_owner(save, struct page, save));
}

static int digest_only(struct weft_work *work)
{
    return digest(weft_owner(work, struct page, filing));
}

static const char *why_unread(int status)
{
    return status == UV_ENOSYS ? "its links cannot be read: ICU is not there for its encoding"
                               : weft_strerror(status);
}

/* It was fetched before, with the same body, and its links were followed then: so it is counted already. */
static bool was_followed(const struct page *page)
{
    struct weft_crawl_result before;
    return weft_crawl_result(&page->crawl->state, page->id, &before) == 0 &&
           crawl_counts_body(&before) && memcmp(before.hash, page->hash, sizeof page->hash) == 0;
}

/* Is it one of too many that are the same? They may lead deeper and deeper, by links that are
 * relative. Of a long one the links were followed as it came. */
static bool is_one_too_many(const struct page *page)
{
    struct crawl *crawl = page->crawl;
    if (!page->reader->linked || page->reader->size == 0 || was_followed(page) ||
        !trap_body(&crawl->trap, page->url.href, page->hash))
        return false;
    trap_leave_out(&crawl->trap, &page->url, TRAP_SAME);
    report_left_out(crawl, page->url.href.data, TRAP_SAME, false);
    return true;
}

static int follow_unless_same(struct page *page)
{
    page->left_alone = is_one_too_many(page);
    int err = page->left_alone ? 0 : follow_found(page);
    if (err == 0 && !page->left_alone)
        fields_follow(page);
    return err;
}

/* Its links are followed before it is called done. */
static void follow_and_finish(struct page *page)
{
    int err = page->undigested;
    if (err == 0 && !page->followed)
        err = follow_unless_same(page);
    if (err != 0)
        settle_failed(page, err, why_unread(err));
    else
        keep_finish(page);
}

/* Some have to be digested before it is known what is saved: those whose links are written anew, and those
 * that may be what they were before. */
static bool converts(const struct page *page)
{
    return page->crawl->settings->convert && page->reader->linked;
}

static void judge_kept(struct page *page, int status)
{
    if (page->unarchived != 0)
        archive_refused(page, page->unarchived);
    else if (status != 0 && page->undigested == 0)
        keep_failed(page, status);
    else
        follow_and_finish(page);
}

static void kept(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    judge_kept(weft_owner(op, struct page, save.work.op), op->status);
}

static void save_body(struct page *page, int (*before)(struct save *save))
{
    struct crawl *crawl = page->crawl;
    page->save.before = before;
    save_file(&crawl->op, &page->save, &crawl->folder, page->name, page->reader->body.data,
              page->reader->body.used, page->modified, kept);
}

/* Also one of too many has links to be written anew. */
static int follow_all(struct page *page)
{
    if (page->rewrites)
        offline_begin(page);
    page->left_alone = is_one_too_many(page);
    page->followed = true;
    int err = follow_found(page);
    if (err == 0 && !page->left_alone)
        fields_follow(page);
    return err;
}

/* It is digested, and in the archive if there is one; now it is known what it is. Links of one that is as it was
 * were followed, or left out, then. Where links stand is not known in every encoding. */
static void judge_digested(struct page *page)
{
    bool same = page->undigested == 0 && update_is_same(page);
    page->rewrites = converts(page) && page->reader->links.ranges && !same;
    int err = page->undigested;
    if (err == 0 && page->rewrites)
        err = follow_all(page);
    if (err != 0)
        settle_failed(page, err, why_unread(err));
    else if (same)
        update_same(page);
    else if (page->rewrites && !offline_is_too_much(page))
        offline_keep(page);
    else
        save_body(page, NULL);
}

static void filed(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, filing.op);
    if (page->crawl->aborted)
        page_leave(page);
    else if (page->unarchived != 0 || page->crawl->settings->warc_only)
        judge_kept(page, op->status);
    else if (op->status != 0 && page->undigested == 0)
        keep_failed(page, op->status);
    else
        judge_digested(page);
}

/* ---- one that was spilled ------------------------------------------------------------------- */

static void committed(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, stream.work.op);
    if (op->status != 0)
        keep_failed(page, op->status);
    else
        follow_and_finish(page);
}

/* The end of one that was spilled, and is as it was before. If some of its links were followed, all are. */
static void place_same(struct page *page)
{
    int err = page->forgotten ? follow_found(page) : 0;
    save_abandon(&page->stream);
    if (err != 0)
        settle_failed(page, err, why_unread(err));
    else
        update_same(page);
}

/* Its record is written, or there is none. */
static void place(struct page *page)
{
    if (page->crawl->settings->warc_only) {
        follow_and_finish(page);
    } else if (page->undigested == 0 && update_is_same(page)) {
        place_same(page);
    } else {
        save_commit(&page->crawl->op, &page->stream, page->stream.modified, committed);
    }
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
    int err = crawl->settings->warc_only ? 0 : page_name(page);
    if (err != 0) {
        settle_failed(page, err, weft_strerror(err));
        return;
    }
    crawl->bytes += page->fetch.wire_received;
    page->modified = modified_of(page);
    page->save.work.crew = page->filing.crew = &crawl->crew;
    if (page->streamed) {
        page->undigested = reader_end(reader, page->hash);
        page->stream.modified = page->modified;
        archive_answer(page, place);
    } else if (crawl->settings->warc_only || converts(page) || page->before.there) {
        weft_work(&crawl->op, &page->filing, digest_only, filed);
    } else {
        save_body(page, digest_before);
    }
}
