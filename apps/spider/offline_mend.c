/* Pages are written with other links than they came with, and mended when those turn out wrong.
 *
 *     a page that just came:   original (-K) ──► rewritten
 *     one on the disk:         read ──► its links decided anew ──► anything different? ──► rewritten
 *
 * What is on the disk may be as it came: one that was too large for memory, or a copy that was made without
 * -k. Then its links are those of the site. */
#include "command.h"
#include "offline/local.h"
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>

enum {
    READ_MAX = 32 << 20,
    LARGE =
        2 << 20, /* from here on one at a time: what is made of it may be several times as large */
    MEDIA_MAX = 256,
    LOOKED_FOR = 1024 /* in so many bytes a browser looks for how a page is encoded */
};

static const char key_offline[] = "crawl/offline", still_open[] = "open", all_done[] = "done";

static struct page *page_of(struct weft_op *op)
{
    return weft_owner(op, struct page, op);
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool is_css(const struct page *page)
{
    return page->type == WEFT_LINKS_CSS;
}

struct weft_text offline_original(const struct page *page)
{
    if (page->read.data != NULL)
        return weft_text(page->read.data, page->read.size);
    return weft_text(page->reader->body.data, page->reader->body.used);
}

static bool is_ascii(struct weft_text text)
{
    unsigned char any = 0;
    for (size_t i = 0; i < text.size; i++)
        any |= (unsigned char)text.data[i];
    return any < 0x80;
}

static int pass_over(struct weft_links *links, const struct weft_link *link)
{
    (void)links, (void)link;
    return 0;
}

/* How a browser reads it that has only the document. NULL: it would have to guess; or there is no memory. */
static const char *encoding_of(enum weft_links_type type, struct weft_text document)
{
    struct weft_links links = {.on_link = pass_over};
    size_t size = document.size < LOOKED_FOR ? document.size : LOOKED_FOR;
    int err = weft_links_scan(&links, type, weft_text(NULL, 0), document.data, size);
    bool said = err == 0 && links.encoding_from != WEFT_LINKS_FROM_DEFAULT;
    const char *encoding = said ? links.encoding : NULL; /* static storage */
    weft_links_free(&links);
    return encoding;
}

/* XML has a declaration for that, which has to be the first. */
static void put_declaration(struct out *out, const char *encoding, struct weft_text document)
{
    char words[80];
    struct weft_text begin = weft_text_of("<?xml");
    bool has_one =
        document.size >= begin.size && weft_text_equal(weft_text(document.data, begin.size), begin);
    snprintf(words, sizeof words, "<?xml version=\"1.0\" encoding=\"%s\"?>\n", encoding);
    if (!has_one)
        out_insert(out, 0, words);
}

/* A server says how a page is encoded, and the page may not, or say something else: from the disk nobody would
 * know. What says it first is believed; for UTF-8 there is a mark that can stand before everything. */
static void put_encoding(const struct page *page, struct weft_text document, struct out *out)
{
    const struct weft_links *links = &page->reader->links;
    char words[64];
    if (page->ours || links->encoding_from != WEFT_LINKS_FROM_HEADER || is_ascii(document))
        return;
    const char *said = encoding_of(page->type, document);
    if (said != NULL && strcmp(said, links->encoding) == 0)
        return;
    if (strcmp(links->encoding, "UTF-8") == 0) {
        out_insert(out, 0, "\xef\xbb\xbf");
    } else if (is_css(page)) {
        snprintf(words, sizeof words, "@charset \"%s\";", links->encoding);
        out_insert(out, 0, words);
    } else if (page->type == WEFT_LINKS_XHTML) {
        put_declaration(out, links->encoding, document);
    } else {
        size_t head = local_head(document);
        snprintf(words, sizeof words, "<meta charset=\"%s\">", links->encoding);
        out_insert(out, head <= swaps_first(&page->reader->swaps) ? head : 0, words);
    }
}

/* On a thread of the pool: the page and its reader are this visit's alone meanwhile. */
static int rewrite(struct save *save)
{
    struct page *page = weft_owner(save, struct page, save);
    struct reader *reader = page->reader;
    struct weft_text document = offline_original(page), moved, added = weft_text(NULL, 0);
    moved = weft_text(reader->moved.data, reader->moved.size);
    reader->rewritten.size = 0;
    if (page->ours) { /* somebody may have added something */
        added = weft_text(document.data + page->line.end, document.size - page->line.end);
        document.size = page->line.begin;
    }
    if (reader->moved.failed || !swaps_write(&reader->swaps, document, &reader->rewritten))
        return UV_ENOMEM;
    put_encoding(page, document, &reader->rewritten);
    offline_put_line(page->crawl, page->url.href, moved, is_css(page), &reader->rewritten);
    if (added.size > 0)
        out_text(&reader->rewritten, added);
    save->data = reader->rewritten.data;
    save->size = reader->rewritten.size;
    return reader->rewritten.failed ? UV_ENOMEM : 0;
}

static void write_rewritten(struct page *page, weft_then_fn *then)
{
    struct weft_text document = offline_original(page);
    page->save.before = rewrite;
    page->save.work.crew = &page->crawl->crew;
    save_file(&page->crawl->op, &page->save, &page->crawl->folder, page->name, document.data,
              document.size, page->modified, then);
}

static void original_kept(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, save.work.op);
    if (op->status != 0)
        page->written(parent, op);
    else
        write_rewritten(page, page->written);
}

/* Beside it, under its name with .orig behind; if that is another page's, it is not kept. */
static bool keep_original(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct weft_text document = offline_original(page);
    size_t size = strlen(page->name);
    if (!crawl->settings->keep_originals || page->ours || size + sizeof ".orig" > NAME_SIZE)
        return false;
    memcpy(page->original, page->name, size);
    memcpy(page->original + size, ".orig", sizeof ".orig");
    if (!weft_crawl_claim(&crawl->state, weft_text_of(page->original), page->id))
        return false;
    page->save.before = NULL;
    page->save.work.crew = &crawl->crew;
    save_file(&crawl->op, &page->save, &crawl->folder, page->original, document.data, document.size,
              page->modified, original_kept);
    return true;
}

static void write_page(struct page *page, weft_then_fn *then)
{
    page->written = then;
    if (!keep_original(page))
        write_rewritten(page, then);
}

static void kept(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, save.work.op);
    if (op->status != 0)
        keep_failed(page, op->status);
    else
        keep_finish(page);
}

void offline_keep(struct page *page)
{
    write_page(page, kept);
}

bool offline_is_too_much(const struct page *page)
{
    if (page->reader->swaps.full)
        complain("%s: its links stay as they came: they are too many, and would be too long",
                 page->name);
    return page->reader->swaps.full;
}

/* ---- mending -------------------------------------------------------------------------------- */

static void mended(struct page *page)
{
    struct crawl *crawl = page->crawl;
    crawl->offline.mending--;
    page_leave(page);
}

static void rewritten(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = weft_owner(op, struct page, save.work.op);
    if (op->status != 0 && !page->crawl->aborted)
        crawl_no_output(page->crawl, op->status, page->name);
    else
        page->crawl->offline.mended++;
    mended(page);
}

static int mend_link(void *context, const struct weft_link *link, struct memo_way *way)
{
    struct page *page = context;
    if (link->kind == WEFT_LINK_BASE && !page->ours) {
        int err = follow_base(page, link->url);
        if (err != 0)
            return err;
    }
    return offline_link(page, link, way);
}

static int mend_pieces(struct page *page, struct weft_text document)
{
    size_t at = 0, size;
    int err = 0;
    do {
        size = document.size - at < READER_KEPT ? document.size - at : READER_KEPT;
        err = reader_scan(page->reader, document.data + at, size);
        if (err == 0)
            err = reader_follow(page->reader, &page->crawl->memo, mend_link, page);
        at += size;
    } while (err == 0 && size > 0);
    return err;
}

/* Its links as they are now; 1: they are to be written; 0: it is fine as it is; or a status. */
static int decide_anew(struct page *page)
{
    struct weft_crawl_result result;
    char media[MEDIA_MAX];
    struct weft_text charset, document = offline_original(page);
    int err = weft_crawl_result(&page->crawl->state, page->id, &result);
    if (err != 0)
        return err;
    snprintf(media, sizeof media, "%.*s", WEFT_TEXT_ARGS(result.media_type));
    if (!reader_type_of(weft_text_of(media), weft_text_of(page->name), document, &page->type,
                        &charset, &page->untold))
        return 0;
    page->ours = offline_find_line(page->crawl, page->url.href, document, &page->line);
    err = page_read_begin(page);
    if (err != 0)
        return err;
    offline_begin(page);
    page->reader->places = true;
    err = reader_links(page->reader, page->type, charset);
    if (err == 0)
        err = mend_pieces(page, document);
    if (err != 0 || !page->reader->links.ranges || offline_is_too_much(page))
        return err;
    return !page->ours || swaps_differ(&page->reader->swaps, document);
}

/* Somebody may have removed it; what else keeps it from being read is worth a word. */
static void complain_unread(const struct page *page, int status)
{
    if (status == UV_EFBIG)
        complain("%s: its links stay as they came: it has more than %d MB", page->name,
                 READ_MAX >> 20);
    else if (status != UV_ENOENT)
        complain("%s: its links stay as they are: %s", page->name, weft_strerror(status));
}

static void read_again(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct page *page = page_of(op);
    struct crawl *crawl = page->crawl;
    bool limited = crawl->stop == CRAWL_LIMIT && !crawl->aborted;
    if (weft_cancelled(op) != 0 && limited)
        offline_want(crawl, page->id); /* it was only sent away */
    else if (weft_cancelled(op) == 0 && op->status != 0)
        complain_unread(page, op->status);
    int todo = op->status == 0 ? decide_anew(page) : 0;
    if (todo < 0 && todo != UV_ENOSYS) /* an encoding that nobody here can read stays as it is */
        crawl_no_output(crawl, todo, "the state");
    if (todo > 0 && !crawl->aborted) {
        page->modified = page->read.modified;
        write_page(page, rewritten);
    } else {
        mended(page);
    }
}

static void begin_read(struct weft_op *op)
{
    struct page *page = page_of(op);
    save_read(op, &page->read, &page->crawl->folder, page->name, READ_MAX, weft_pass);
}

static void mend(struct crawl *crawl, weft_crawl_id id)
{
    struct weft_crawl_result result;
    struct page *page = page_new(crawl, NULL, id);
    int err = page != NULL ? weft_crawl_result(&crawl->state, id, &result) : UV_ENOMEM;
    if (err != 0) {
        if (page != NULL)
            page_free(page);
        crawl_no_output(crawl, err, "the state");
        return;
    }
    if ((result.what != WEFT_CRAWL_DONE && result.what != WEFT_CRAWL_AGAIN) ||
        result.file.size == 0 || result.file.size >= sizeof page->name) {
        page_free(page);
        return;
    }
    snprintf(page->name, sizeof page->name, "%.*s", WEFT_TEXT_ARGS(result.file));
    crawl->offline.mending++;
    if (result.size >= LARGE)
        weft_lane_push(&crawl->large, &crawl->op, &page->op, begin_read, read_again);
    else
        weft_queue_push(&crawl->disk, &crawl->op, &page->op, begin_read, read_again);
}

/* ---- who ------------------------------------------------------------------------------------ */

void offline_want(struct crawl *crawl, weft_crawl_id id)
{
    struct offline *offline = &crawl->offline;
    size_t byte = id / 8, bit = 1u << id % 8;
    if (byte >= offline->wanted_size) {
        size_t size = (byte + 1) * 2;
        unsigned char *wanted = weft_realloc(offline->wanted, size);
        if (wanted == NULL) {
            offline->all = true;
            return;
        }
        memset(wanted + offline->wanted_size, 0, size - offline->wanted_size);
        offline->wanted = wanted;
        offline->wanted_size = size;
    }
    if (offline->wanted[byte] & bit)
        return;
    if (offline->mends_count == offline->mends_room) {
        size_t room = offline->mends_room > 0 ? offline->mends_room * 2 : 256;
        weft_crawl_id *mends = weft_realloc(offline->mends, room * sizeof *mends);
        if (mends == NULL) {
            offline->all = true;
            return;
        }
        offline->mends = mends;
        offline->mends_room = room;
    }
    offline->wanted[byte] |= (unsigned char)bit;
    offline->mends[offline->mends_count++] = id;
}

static void want(void *context, uint32_t page)
{
    offline_want(context, page);
}

/* Of what an update finds somebody may have known before it was part of the crawl. */
void offline_settles(struct crawl *crawl, weft_crawl_id id, const struct weft_crawl_result *result)
{
    struct offline *offline = &crawl->offline;
    struct weft_crawl_result before;
    offline->former[0] = '\0';
    if (id > offline->known && crawl->update.since == 0)
        return;
    int err = weft_crawl_result(&crawl->state, id, &before);
    bool renamed = err != 0 || !weft_text_equal(before.file, result->file);
    offline->all |= renamed || before.redirect != result->redirect;
    if (err == 0 && renamed && before.file.size < sizeof offline->former)
        snprintf(offline->former, sizeof offline->former, "%.*s", WEFT_TEXT_ARGS(before.file));
}

void offline_keep_former(struct crawl *crawl, weft_crawl_id id)
{
    struct offline *offline = &crawl->offline;
    int err = 0;
    if (offline->former[0] != '\0')
        err = offline_was_called(crawl, id, weft_text_of(offline->former));
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
}

/* That a page comes as it was expected costs nothing but to see that. */
void offline_settled(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url,
                     const struct weft_crawl_result *result)
{
    struct offline *offline = &crawl->offline;
    struct waits *waits = &offline->waits;
    bool there = result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN;
    struct weft_text name = there ? offline_expected(crawl, id, url) : weft_text(NULL, 0);
    bool expected = name.size > 0;
    bool renamed = there && !(expected && weft_text_equal(name, result->file));
    struct weft_text href = url != NULL ? url->href : crawl->other.href;
    if (renamed)
        waits_renamed(waits, id);
    if (expected && waits->far.count > 0 && waits_came(waits, offline_hash(crawl, href)))
        offline->turned++;
    offline->turned += !there || renamed;
}

/* ---- when ----------------------------------------------------------------------------------- */

static bool goes_on(const struct crawl *crawl)
{
    return crawl->settings->convert && !crawl->aborted &&
           (crawl->stop == CRAWL_GOES_ON || crawl->stop == CRAWL_LIMIT);
}

bool offline_is_busy(const struct crawl *crawl)
{
    const struct offline *offline = &crawl->offline;
    return offline->mending > 0 ||
           (goes_on(crawl) && (!offline->ended || offline->mends_count > 0));
}

static bool is_there(const struct weft_crawl_result *result)
{
    return result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN;
}

static int want_all(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
                    const struct weft_crawl_result *result, void *context)
{
    enum weft_links_type type;
    struct weft_text charset;
    (void)state, (void)url;
    if (is_there(result) && (reader_type(result->media_type, result->file, &type, &charset) ||
                             reader_is_unknown(result->media_type, result->file)))
        offline_want(context, id);
    return 0;
}

/* Who was wrong? last: nothing more will come. */
static void collect(struct crawl *crawl, bool last)
{
    struct offline *offline = &crawl->offline;
    offline->turned = 0;
    offline->mended_at = weft_now(weft_loop_of(&crawl->op));
    waits_collect(&offline->waits, last, offline_look, want, crawl);
}

static void end_waiting(struct crawl *crawl)
{
    struct offline *offline = &crawl->offline;
    offline->ended = true;
    collect(crawl, true);
    int err = 0;
    if (offline->all || offline->waits.lost) {
        memo_free(&crawl->memo); /* what was decided before all was known does not count */
        err = weft_crawl_each(&crawl->state, want_all, crawl);
    }
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
}

void offline_feed(struct crawl *crawl, bool last)
{
    struct offline *offline = &crawl->offline;
    uint64_t now = weft_now(weft_loop_of(&crawl->op));
    if (!goes_on(crawl))
        return;
    if (last && !offline->ended)
        end_waiting(crawl);
    else if (offline->turned >= OFFLINE_TURNED && now - offline->mended_at >= OFFLINE_EVERY_MS)
        collect(crawl, false);
    while (offline->mends_count > 0 && offline->mending < 2 * (size_t)CRAWL_DISK) {
        weft_crawl_id id = offline->mends[--offline->mends_count];
        offline->wanted[id / 8] &= (unsigned char)~(1u << id % 8);
        mend(crawl, id);
    }
}

/* ---- beginning and end ---------------------------------------------------------------------- */

/* So that it is the original of the file that it belongs to; there may be none. */
static void rename_original(struct crawl *crawl, weft_crawl_id id, const char *before,
                            const char *name)
{
    char from[NAME_SIZE + 8], to[NAME_SIZE + 8];
    snprintf(from, sizeof from, "%s.orig", before);
    snprintf(to, sizeof to, "%s.orig", name);
    if (weft_crawl_named(&crawl->state, weft_text_of(to)) != 0 ||
        save_rename(&crawl->folder, from, to, false) != 0)
        return;
    weft_crawl_claim(&crawl->state, weft_text_of(to), id);
}

/* One that was saved without -k: its name has to say now what it is. If that cannot be done it stays as it
 * is. One that an update has not asked for again yet waits on. */
static int rename_page(struct crawl *crawl, weft_crawl_id id,
                       const struct weft_crawl_result *result)
{
    struct weft_crawl_result renamed = *result;
    char before[NAME_SIZE], name[NAME_SIZE];
    if (archive_has_name(result->file) || result->file.size >= sizeof before ||
        page_claim_name(crawl, id, &crawl->other, result->media_type, name) != 0)
        return 0;
    snprintf(before, sizeof before, "%.*s", WEFT_TEXT_ARGS(result->file));
    if (save_rename(&crawl->folder, before, name, true) != 0)
        return 0;
    rename_original(crawl, id, before, name);
    renamed.file = weft_text_of(name);
    if (renamed.what == WEFT_CRAWL_WAITING)
        renamed.what = WEFT_CRAWL_DONE;
    int err = weft_crawl_settle(&crawl->state, id, &renamed);
    if (err == 0)
        err = weft_crawl_set(&crawl->state, id, result->what);
    return err == 0 ? offline_was_called(crawl, id, weft_text_of(before)) : err;
}

/* wget's name may be in another one than ours. */
static bool is_in_folder_of(const char *one, const char *other)
{
    const char *slash = strrchr(one, '/');
    size_t size = slash != NULL ? (size_t)(slash - one) + 1 : 0;
    return strncmp(one, other, size) == 0 && strchr(other + size, '/') == NULL;
}

/* It is there, as it came from a site: once it is settled, it is looked at. A file that has the name it should have
 * may be that of a URL that is not seen yet. */
void offline_adopt(struct page *page)
{
    char name[NAME_SIZE];
    struct weft_text type = page_content_type(page);
    if (!page->reader->linked)
        return;
    if (local_ending(weft_text_of(page->name), type) != NULL &&
        page_claim_name(page->crawl, page->id, &page->url, type, name) == 0 &&
        is_in_folder_of(page->name, name) &&
        save_rename(&page->crawl->folder, page->name, name, false) == 0)
        memcpy(page->name, name, sizeof name);
    offline_want(page->crawl, page->id);
}

static int see_again(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
                     const struct weft_crawl_result *result, void *context)
{
    struct crawl *crawl = context;
    (void)state, (void)result;
    if (weft_url_parse(&crawl->other, url, NULL) == 0)
        offline_seen(crawl, id, &crawl->other);
    return 0;
}

static int rename_again(struct crawl *crawl, weft_crawl_id id)
{
    struct weft_crawl_result result;
    size_t size;
    int err = weft_crawl_result(&crawl->state, id, &result);
    bool there = err == 0 && result.file.size > 0 &&
                 (is_there(&result) || result.what == WEFT_CRAWL_WAITING);
    if (!there || local_ending(result.file, result.media_type) == NULL)
        return err;
    err = weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL);
    if (err == 0 && weft_url_parse(&crawl->other, weft_text(crawl->text, size), NULL) == 0)
        err = rename_page(crawl, id, &result);
    return err;
}

/* Only when all have the names that they are expected to have. */
static int rename_all(struct crawl *crawl)
{
    int err = 0;
    for (weft_crawl_id id = 1; err == 0 && id <= crawl->state.known; id++)
        err = rename_again(crawl, id);
    return err;
}

/* Pages of a copy speak of files by their names, also of those that are still to come: those stay promised, also
 * in a run that writes no copy. */
static int promise_names(struct crawl *crawl)
{
    crawl->offline.promised = true;
    int err = offline_claim_former(crawl);
    if (err == 0)
        err = weft_crawl_each(&crawl->state, see_again, crawl);
    return err == 0 && crawl->offline.all ? rename_all(crawl) : err;
}

/* Who waits for whom is in memory only: after a crawl that did not come to its end, and if something of what is
 * there was made without -k, all pages are looked at once. */
int offline_load(struct crawl *crawl)
{
    struct weft_text value;
    bool convert = crawl->settings->convert;
    int err = weft_crawl_get(&crawl->state, weft_text_of(key_offline), &value);
    if (err != 0 || (!convert && value.data == NULL))
        return err;
    crawl->offline.known = crawl->state.known;
    crawl->offline.all = convert && crawl->state.known > 0 && !weft_text_is(value, all_done);
    err = promise_names(crawl);
    if (err != 0)
        return err;
    return weft_crawl_put(&crawl->state, weft_text_of(key_offline), weft_text_of(still_open));
}

/* After a limit there is more to come, and nobody would know who waits for it. */
int offline_close(struct crawl *crawl)
{
    if (!goes_on(crawl) || crawl->stop == CRAWL_LIMIT)
        return 0;
    return weft_crawl_put(&crawl->state, weft_text_of(key_offline), weft_text_of(all_done));
}

void offline_free(struct offline *offline)
{
    waits_free(&offline->waits);
    weft_free(offline->mends);
    weft_free(offline->wanted);
    weft_url_free(&offline->url);
    out_free(&offline->text);
    out_free(&offline->link);
    out_free(&offline->part);
}
