/* Pages that are on the disk already: they are read, and their links followed; nothing is fetched.
 *
 * Two cases. A page of this crawl has to be looked through again, because it is nearer now, or the
 * nesting is larger than the last time. Or there is no state, but there are files: somebody removed
 * .weft, or another program made the folder; then each page is looked for before it is fetched,
 * under our name for it and under the one that wget would have given it. Only "no such file" means
 * that it is not there: every other error is one.
 *
 * A page that is only in the archive is read from there. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>
#include <weft/http_message.h>

enum { READ_MAX = 64 << 20, MEDIA_MAX = 256 };

static struct page *page_of(struct weft_op *op)
{
    return weft_owner(op, struct page, op);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void begin_read(struct weft_op *op)
{
    struct page *page = page_of(op);
    if (archive_has_name(weft_text_of(page->name)))
        archive_read(op, page, READ_MAX);
    else
        save_read(op, &page->read, &page->crawl->folder, page->name, READ_MAX, weft_pass);
}

/* Piece by piece: the links of a long page, all at once, are longer than itself. */
static int follow_pieces(struct page *page)
{
    const struct save_read *read = &page->read;
    size_t at = 0, size;
    int err = 0;
    do {
        size = read->size - at < READER_KEPT ? read->size - at : READER_KEPT;
        err = reader_scan(page->reader, read->data + at, size);
        if (err == 0)
            err = follow_found(page);
        at += size;
    } while (err == 0 && size > 0);
    return err;
}

const char same_note[] = "its links are left out: too many pages are the same (--max-same)";

static bool was_left_alone(const struct weft_crawl_result *result)
{
    return weft_text_is(result->note, same_note);
}

/* Its links do not count: there are too many pages that are the same. */
static void tell_left_alone(struct page *page)
{
    trap_leave_out(&page->crawl->trap, &page->url, TRAP_SAME);
    report_left_out(page->crawl, page->url.href.data, TRAP_SAME, false);
}

static int follow_all(struct page *page, struct weft_text media_type, const char *fields)
{
    enum weft_links_type type;
    struct weft_text charset;
    bool linked =
        reader_type_of(media_type, weft_text_of(page->name),
                       weft_text(page->read.data, page->read.size), &type, &charset, &page->untold);
    int err = page_read_begin(page);
    if (err != 0)
        return err;
    page->depth = weft_crawl_depth(&page->crawl->state, page->id);
    page->scope_round = page->crawl->scope_round;
    if (page->left_alone && linked)
        tell_left_alone(page);
    if (fields != NULL && !page->left_alone)
        fields_follow_lines(page, fields);
    if (!linked || page->read.data == NULL)
        return 0;
    page->ours = offline_find_line(page->crawl, page->url.href,
                                   weft_text(page->read.data, page->read.size), &page->line);
    err = reader_links(page->reader, type, charset);
    return err == 0 ? follow_pieces(page) : err;
}

/* ---- again ---------------------------------------------------------------------------------- */

/* It was saved, but somebody has removed it: it is fetched like a new one. */
static void fetch_instead(struct crawl *crawl, struct page *page)
{
    weft_crawl_id id = page->id;
    struct host *host = host_of(crawl, &page->url);
    int err = weft_crawl_set(&crawl->state, id, WEFT_CRAWL_WAITING);
    page_free(page);
    if (host != NULL && err == 0)
        host_add(host, id);
    else
        crawl_no_output(crawl, err != 0 ? err : UV_ENOMEM, "the state");
}

/* If there was room for its links now, they are not left out any more. */
static int stay_done(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct weft_crawl_result result;
    bool nearer = page_is_nearer(page);
    int err = weft_crawl_result(&crawl->state, page->id, &result);
    if (err != 0)
        return err;
    if (nearer)
        weft_crawl_line_push(&crawl->state, &crawl->again, page->id);
    result.what = nearer ? WEFT_CRAWL_AGAIN : WEFT_CRAWL_DONE;
    if (page->left_alone || !was_left_alone(&result))
        return weft_crawl_set(&crawl->state, page->id, result.what);
    result.note = weft_text(NULL, 0);
    return weft_crawl_settle(&crawl->state, page->id, &result);
}

static int look_through(struct crawl *crawl, struct page *page)
{
    struct weft_crawl_result result;
    char media[MEDIA_MAX];
    int err = weft_crawl_result(&crawl->state, page->id, &result);
    if (err != 0)
        return err;
    snprintf(media, sizeof media, "%.*s", WEFT_TEXT_ARGS(result.media_type));
    char *fields;
    err = fields_recall(page, &fields);
    follow_forget(page);
    if (err == 0)
        err = follow_all(page, weft_text_of(media), fields);
    weft_free(fields);
    if (err != 0)
        return err;
    if (crawl->settings->convert)
        offline_want(crawl, page->id); /* what was too far away may be there now */
    return stay_done(page);
}

/* What it leads to is not known: it is fetched again the next time. But one that is only too large to
 * be looked through is as good as it will ever be. */
static void unreadable(struct page *page, int status)
{
    struct crawl *crawl = page->crawl;
    char note[NAME_SIZE + 128];
    snprintf(note, sizeof note, "cannot read %s: %s", page->name, weft_strerror(status));
    if (status != UV_EFBIG) {
        settle_failed(page, status, note);
        return;
    }
    report_failure(crawl, page->id, page->url.href.data, note);
    int err = weft_crawl_set(&crawl->state, page->id, WEFT_CRAWL_DONE);
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
    page_leave(page);
}

static void reread(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = page_of(op);
    struct crawl *crawl = page->crawl;
    crawl->rereading--;
    if (op->status == UV_ENOENT) {
        fetch_instead(crawl, page);
    } else if (op->status != 0 && crawl->stop == CRAWL_GOES_ON && !crawl->aborted) {
        unreadable(page, op->status);
        return;
    } else {
        int err = op->status == 0 ? look_through(crawl, page) : 0; /* or it stays to be done */
        if (err != 0)
            crawl_no_output(crawl, err, "the state");
        page_free(page);
    }
    crawl_feed(crawl);
}

/* A picture or an archive leads to nothing; but for a page whose type nobody told, one has to look. */
static bool has_links(const struct weft_crawl_result *result)
{
    enum weft_links_type type;
    struct weft_text charset;
    return reader_type(result->media_type, result->file, &type, &charset) ||
           reader_is_unknown(result->media_type, result->file);
}

void disk_reread(struct crawl *crawl, weft_crawl_id id)
{
    struct weft_crawl_result result;
    struct page *page = NULL;
    if (weft_crawl_what(&crawl->state, id) == WEFT_CRAWL_WAITING) { /* an update asks for it */
        int failed = follow_fetch(crawl, id);
        if (failed != 0)
            crawl_no_output(crawl, failed, "the state");
        return;
    }
    int err = weft_crawl_result(&crawl->state, id, &result);
    if (err == 0 && !has_links(&result)) {
        err = weft_crawl_set(&crawl->state, id, WEFT_CRAWL_DONE);
        if (err != 0)
            crawl_no_output(crawl, err, "the state");
        return;
    }
    if (err == 0)
        page = page_new(crawl, NULL, id);
    if (page == NULL) {
        crawl_no_output(crawl, err != 0 ? err : UV_ENOMEM, "the state");
        return;
    }
    err = weft_crawl_result(&crawl->state, id, &result); /* a page asks the state, too */
    if (err != 0) {
        page_free(page);
        crawl_no_output(crawl, err, "the state");
        return;
    }
    snprintf(page->name, sizeof page->name, "%.*s", WEFT_TEXT_ARGS(result.file));
    /* Before it is read: so it is the same ones each time, whichever comes first. */
    page->left_alone =
        was_left_alone(&result) && trap_body(&crawl->trap, page->url.href, result.hash);
    crawl->rereading++;
    weft_queue_push(&crawl->disk, &crawl->op, &page->op, begin_read, reread);
}

/* ---- adopted -------------------------------------------------------------------------------- */

/* As wget names it: the path decoded, the query behind a '?'. false: there is no such name. */
static bool name_of_wget(struct page *page)
{
    struct weft_text path = weft_url_pathname(&page->url), query = weft_url_query(&page->url);
    char *to = page->name;
    size_t room = sizeof page->name;
    struct weft_text part;
    int size = snprintf(to, room, "%.*s", WEFT_TEXT_ARGS(weft_url_host(&page->url)));
    if ((size_t)size >= room ||
        weft_http_percent_decode(path, to + size, room - (size_t)size, &part) != 0)
        return false;
    to += (size_t)size + part.size;
    room -= (size_t)size + part.size;
    if (to[-1] == '/') {
        size = snprintf(to, room, "index.html");
        if ((size_t)size >= room)
            return false;
        to += size;
        room -= (size_t)size;
    }
    if (query.data == NULL)
        return true;
    return (size_t)snprintf(to, room, "?%.*s", WEFT_TEXT_ARGS(query)) < room &&
           strchr(to, '/') == NULL;
}

static bool next_name(struct page *page)
{
    switch (page->tried_names++) {
    case 0:
        return page_name(page) == 0;
    case 1:
        return name_of_wget(page);
    default:
        return false;
    }
}

/* As of one that was fetched: so that an update knows whether it has changed. */
static void take_hash(struct page *page, uint64_t out[2])
{
    struct weft_crawl_hash hash;
    weft_crawl_hash_begin_light(&page->crawl->state, &hash);
    weft_crawl_hash_add(&hash, page->read.data, page->read.size);
    weft_crawl_hash_end(&hash, out);
}

static void adopt(struct page *page)
{
    struct weft_crawl_result result = {.size = page->read.data != NULL ? page->read.size
                                                                       : page->look.size};
    if (page->read.data != NULL)
        take_hash(page, result.hash);
    page->left_alone =
        crawl_has_body(&result) && trap_body(&page->crawl->trap, page->url.href, result.hash);
    int err = follow_all(page, weft_text(NULL, 0), NULL);
    if (err != 0) {
        settle_failed(page, err, weft_strerror(err));
        return;
    }
    result.media_type = page_content_type(page);
    if (page->crawl->settings->convert)
        offline_adopt(page);
    result.file = weft_text_of(page->name);
    if (page->left_alone)
        result.note = weft_text_of(same_note);
    report_line(page->crawl, "there    %s as %s", page->url.href.data, page->name);
    settle_done(page, &result);
}

/* What has no links by its name need only be there. */
static bool is_worth_reading(const struct page *page)
{
    const char *media = weft_http_media_type(weft_text_of(page->name));
    enum weft_links_type type;
    struct weft_text charset;
    return strcmp(media, "application/octet-stream") == 0 ||
           reader_type(weft_text_of(media), weft_text(NULL, 0), &type, &charset);
}

static void begin_look(struct weft_op *op)
{
    struct page *page = page_of(op);
    if (is_worth_reading(page))
        begin_read(op);
    else
        save_look(op, &page->look, &page->crawl->folder, page->name, weft_pass);
}

static void fetch_it(struct page *page)
{
    save_read_free(&page->read);
    page->named = false; /* its name may be wget's: ours is claimed again */
    host_fetch(page);
}

static void looked(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = page_of(op);
    struct crawl *crawl = page->crawl;
    char note[NAME_SIZE + 128];
    /* Nothing can be below what is a file: so it is not there either. */
    bool absent = op->status == UV_ENOENT || op->status == UV_ENOTDIR || op->status == UV_EISDIR ||
                  op->status == UV_EINVAL;
    struct weft_text file = weft_text(page->read.data, page->read.size);
    if (op->status == 0 && offline_is_copy(file)) {
        fetch_it(page); /* a copy's links without the copy's state lead to nothing */
    } else if (op->status == 0 || op->status == UV_EFBIG) { /* too large to be looked through */
        adopt(page);
    } else if (crawl->stop != CRAWL_GOES_ON || crawl->aborted) {
        page_free(page);
        crawl_feed(crawl);
    } else if (absent) {
        disk_adopt(page);
    } else {
        snprintf(note, sizeof note, "cannot read %s: %s", page->name, weft_strerror(op->status));
        settle_failed(page, op->status, note);
    }
}

void disk_adopt(struct page *page)
{
    struct crawl *crawl = page->crawl;
    if (next_name(page)) {
        weft_queue_push(&crawl->disk, &crawl->op, &page->op, begin_look, looked);
        return;
    }
    fetch_it(page);
}
