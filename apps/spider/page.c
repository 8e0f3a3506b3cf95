/* A page on its way: out of its host's line, into the queue, fetched, read as it comes.
 *
 * The body goes to a reader. A small one is kept in memory, and read and saved when it is complete; of
 * a large one every READER_KEPT bytes are read, and spilled to a file that has no name yet, and the
 * server has to wait meanwhile. So the op of a page ends
 * when its fetch and the spill have ended; what becomes of it then is outcome.c's. */
#include "offline/local.h"
#include "spider/crawl.h"
#include <string.h>
#include <time.h>
#include <weft/http_message.h>

/* ---- memory --------------------------------------------------------------------------------- */

static struct page *page_of(struct weft_op *op)
{
    return weft_owner(op, struct page, op);
}

static struct page *take_spare(struct crawl *crawl)
{
    struct page *page = crawl->spare_pages;
    if (page == NULL)
        return weft_calloc(1, sizeof *page);
    struct weft_url url = page->url; /* its buffer is used again */
    crawl->spare_pages = page->next_spare;
    memset(page, 0, offsetof(struct page, name));
    page->url = url;
    return page;
}

struct page *page_new(struct crawl *crawl, struct host *host, weft_crawl_id id)
{
    struct page *page = take_spare(crawl);
    if (page == NULL)
        return NULL;
    size_t size;
    page->crawl = crawl;
    page->host = host;
    page->id = id;
    page->depth = weft_crawl_depth(&crawl->state, id);
    crawl->pages++;
    if (host != NULL)
        host->pages++;
    page->next_here = crawl->here;
    page->link_here = &crawl->here;
    if (crawl->here != NULL)
        crawl->here->link_here = &page->next_here;
    crawl->here = page;
    int err = weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL);
    if (err == 0)
        err = weft_url_parse(&page->url, weft_text(crawl->text, size), NULL);
    if (err != 0) {
        page_free(page);
        return NULL;
    }
    if (host != NULL) /* it is going to be asked for */
        update_recall(page);
    return page;
}

struct page *page_here(const struct crawl *crawl, weft_crawl_id id)
{
    struct page *page = crawl->here;
    while (page != NULL && page->id != id)
        page = page->next_here;
    return page;
}

void page_read_end(struct page *page)
{
    if (page->reader == NULL)
        return;
    reader_rest(page->reader);
    page->reader->next_spare = page->crawl->spare_readers;
    page->crawl->spare_readers = page->reader;
    page->reader = NULL;
}

static void ask_for(struct crawl *crawl, weft_crawl_id id)
{
    bool goes_on = crawl->stop == CRAWL_GOES_ON && !crawl->closing && !crawl->aborted;
    int err = goes_on ? follow_fetch(crawl, id) : 0; /* or the next run finds that it is left */
    if (err != 0)
        crawl_no_output(crawl, err, "the state");
}

void page_free(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct host *host = page->host;
    page_read_end(page);
    weft_http_fetch_free(&page->fetch);
    save_read_free(&page->read);
    save_abandon(&page->stream);
    *page->link_here = page->next_here;
    if (page->next_here != NULL)
        page->next_here->link_here = page->link_here;
    page->next_spare = crawl->spare_pages;
    crawl->spare_pages = page;
    crawl->pages--;
    if (host != NULL) {
        host->pages--;
        crawl->parked -= host->resting;
        host_hungry(host);
    }
    if (page->reached)
        ask_for(crawl, page->id);
}

void pages_free(struct crawl *crawl)
{
    while (crawl->spare_pages != NULL) {
        struct page *page = crawl->spare_pages;
        crawl->spare_pages = page->next_spare;
        weft_url_free(&page->url);
        weft_free(page);
    }
    while (crawl->spare_readers != NULL) {
        struct reader *reader = crawl->spare_readers;
        crawl->spare_readers = reader->next_spare;
        reader_free(reader);
    }
}

int page_read_begin(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct reader *reader = crawl->spare_readers;
    if (reader != NULL)
        crawl->spare_readers = reader->next_spare;
    else
        reader = weft_calloc(1, sizeof *reader);
    if (reader == NULL)
        return UV_ENOMEM;
    page->reader = reader;
    return reader_begin(reader, &crawl->state, &page->url);
}

/* ---- its name ------------------------------------------------------------------------------- */

int page_claim_name(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url,
                    struct weft_text content_type, char name[NAME_SIZE])
{
    struct weft_text rest = url->href, whole = weft_text_cut(&rest, '#');
    int err =
        name_of(weft_url_host(url), weft_url_pathname(url), weft_url_query(url), name, NAME_SIZE);
    const char *ending = err == 0 ? local_ending(weft_text_of(name), content_type) : NULL;
    if (ending != NULL && !local_end_with(name, ending, name, NAME_SIZE))
        err = UV_ENOBUFS;
    if (err != 0)
        return err;
    if (weft_crawl_claim(&crawl->state, weft_text_of(name), id))
        return 0;
    /* Another URL has it. The hash of ours is nobody else's, but for a chance in four billion. */
    char plain[NAME_SIZE];
    memcpy(plain, name, sizeof plain);
    for (uint64_t i = 0; i < 8; i++) {
        err = name_again(plain, name_hash(whole) + i, name, NAME_SIZE);
        if (err != 0 || weft_crawl_claim(&crawl->state, weft_text_of(name), id))
            return err;
    }
    return UV_ENOMEM;
}

struct weft_text page_content_type(const struct page *page)
{
    return page->untold ? weft_text_of("text/html")
                        : weft_http_fetch_get(&page->fetch, "Content-Type");
}

int page_name(struct page *page)
{
    if (page->named)
        return 0;
    struct weft_text type = weft_text(NULL, 0);
    if (page->crawl->settings->convert)
        type = page_content_type(page);
    int err = page_claim_name(page->crawl, page->id, &page->url, type, page->name);
    page->named = err == 0;
    return err;
}

/* ---- the body ------------------------------------------------------------------------------- */

static bool is_good(int status)
{
    return status >= 200 && status < 300 && status != 206;
}

/* Its own callbacks say no: the fetch ends, and outcome.c finds out why. */
static int refuse(struct page *page, int status)
{
    page->refused = status;
    return status;
}

/* A server may say beforehand how much it will be. A number that is too large to be read is that of
 * a file that is too large to be wanted. */
static uint64_t announced(const struct page *page)
{
    struct weft_text length = weft_http_fetch_get(&page->fetch, "Content-Length");
    uint64_t size = 0;
    for (size_t i = 0; i < length.size && size < UINT64_MAX / 100; i++)
        size = size * 10 + (uint64_t)(length.data[i] - '0');
    return size;
}

/* An answer that says no is worth its bytes to an archive. */
static int read_for_archive(struct page *page)
{
    int err = page_read_begin(page);
    return err == 0 ? 0 : refuse(page, err);
}

static int begin_links(struct page *page, enum weft_links_type type, struct weft_text charset)
{
    page->type = type;
    page->reader->places = page->crawl->settings->convert;
    return reader_links(page->reader, type, charset);
}

/* In a dry run only what has links is worth its bytes. */
static int on_head(struct weft_http_fetch *fetch)
{
    struct page *page = weft_owner(fetch, struct page, fetch);
    const struct settings *settings = page->crawl->settings;
    page->good = is_good(fetch->status);
    if (page->by_head)
        return 0;
    if (!page->good)
        return page->crawl->warc.open ? read_for_archive(page) : 0;
    enum weft_links_type type;
    struct weft_text charset, told = weft_http_fetch_get(fetch, "Content-Type");
    struct weft_text path = weft_url_pathname(&page->url);
    bool linked = reader_type(told, path, &type, &charset);
    page->unknown = !linked && reader_is_unknown(told, path);
    uint64_t size = announced(page), most = settings->max_file;
    if (most > 0 && size > most)
        return refuse(page, UV_EFBIG);
    page->nofollow = !settings->no_robots && fields_nofollow(page);
    if ((!linked && !page->unknown && settings_dry(settings)) ||
        check_only_looks(page, linked ? type : WEFT_LINKS_HTML))
        return refuse(page, UV_ENOTSUP);
    int err = page_read_begin(page);
    if (err == 0)
        err = reader_expect(page->reader, size);
    if (err == 0 && linked)
        err = begin_links(page, type, charset);
    return err == 0 ? 0 : refuse(page, err);
}

static void spilled(struct weft_op *op, struct weft_op *step)
{
    struct page *page = page_of(op);
    page->spilling = false;
    if (step->status != 0) {
        page->unsaved = true;
        page->refused = step->status;
        weft_cancel(&page->fetch.op, step->status);
        return;
    }
    reader_empty(page->reader);
    weft_http_fetch_resume(&page->fetch);
}

static void opened(struct weft_op *op, struct weft_op *step)
{
    struct page *page = page_of(op);
    if (step->status != 0) {
        spilled(op, step);
        return;
    }
    page->streamed = true;
    save_write(op, &page->stream, page->reader->body.data, page->reader->body.used, spilled);
}

/* What is not going to be a file gets no name, and takes none away from others. */
static bool becomes_file(const struct page *page)
{
    return page->good && !page->crawl->settings->warc_only;
}

static int spill(struct page *page)
{
    if (page->spilling)
        return WEFT_FETCH_PAUSE;
    int err = becomes_file(page) ? page_name(page) : 0;
    if (err == 0)
        err = reader_digest(page->reader);
    /* With a limit it may still become too large: then none of its links counts. But who has that
     * many cannot have them all held back. */
    bool later = page->crawl->settings->max_file > 0;
    if (err == 0 && (!later || page->reader->found.used > READER_FOUND))
        err = follow_found(page);
    if (err != 0)
        return refuse(page, err);
    page->spilling = true;
    if (page->streamed)
        save_write(&page->op, &page->stream, page->reader->body.data, page->reader->body.used,
                   spilled);
    else
        save_stream(&page->op, &page->stream, &page->crawl->folder,
                    becomes_file(page) ? page->name : "nowhere/none.bin", opened);
    return WEFT_FETCH_PAUSE;
}

/* What it says is in its head. The rest of its body is not waited for, which may have no end; an archive
 * has the beginning. */
static int end_early(struct page *page)
{
    page->enough = page->cut = true;
    return UV_EFBIG;
}

bool page_has_answer(const struct page *page)
{
    return page->fetch.op.status == 0 || (page->enough && page->refused == 0);
}

/* What it is stands in its first bytes, if nowhere else; as long as they are blank, in those that follow. */
static int look_at_first(struct page *page, const char *data, size_t size)
{
    enum reader_look look = reader_look(data, size);
    page->unknown = look == READER_BLANK;
    page->untold = look == READER_PAGE;
    if (page->untold)
        return begin_links(page, WEFT_LINKS_HTML, weft_text(NULL, 0));
    return !page->unknown && settings_dry(page->crawl->settings) ? UV_ENOTSUP : 0;
}

static int on_body(struct weft_http_fetch *fetch, const char *data, size_t size)
{
    struct page *page = weft_owner(fetch, struct page, fetch);
    struct reader *reader = page->reader;
    uint64_t most = page->crawl->settings->max_file;
    crawl_count(page->crawl, size);
    if (!page->good && fetch->received + size > CRAWL_NO)
        return end_early(page);
    if (reader == NULL)
        return WEFT_FETCH_TAKEN; /* of an answer that says no: nobody keeps it */
    page->cut |= most > 0 && reader->size + size > most;
    if (page->cut)
        return page->good ? refuse(page, UV_EFBIG) : WEFT_FETCH_TAKEN;
    if (page->spilling || !reader_has_room(reader, size))
        return spill(page);
    int err = page->unknown ? look_at_first(page, data, size) : 0;
    if (err == 0)
        err = reader_take(reader, data, size);
    return err == 0 ? WEFT_FETCH_TAKEN : refuse(page, err);
}

/* ---- the request ---------------------------------------------------------------------------- */

static unsigned rate_seconds(uint64_t ms)
{
    return ms == 0 ? 0 : ms < 1000 ? 1 : ms > 3600000 ? 3600 : (unsigned)(ms / 1000);
}

/* What names the sender goes to hosts within the scope only. */
void page_request(struct page *page)
{
    struct crawl *crawl = page->crawl;
    const struct settings *settings = crawl->settings;
    struct weft_http_fetch *fetch = &page->fetch;
    memset(fetch, 0, sizeof *fetch);
    fetch->accept_encoding = crawl->warc.open ? "identity" : "";
    fetch->keep_heads = crawl->warc.open;
    fetch->total_ms = settings->page_ms;
    fetch->unpack_max = CRAWL_UNPACK;
    fetch->rate_min =
        settings->min_rate; /* silence in the middle: no longer than at the beginning */
    fetch->rate_s = rate_seconds(settings->answer_ms);
    fetch->fields = page->fields;
    fetch->fields_count = update_ask(page, page->fields);
    if (!page->host->ours)
        return;
    for (size_t i = 0; i < settings->headers.count; i++)
        page->fields[fetch->fields_count++] = settings->headers.items[i];
    if (settings->user != NULL) {
        fetch->user = settings->user;
        fetch->password = crawl->password;
    }
}

static void answered(struct weft_op *op, struct weft_op *fetch)
{
    (void)fetch;
    outcome_heard(page_of(op)); /* while the place is still ours: who gets it next has to obey */
    weft_join(op);              /* a spill may still be under way */
}

static void begin(struct weft_op *op)
{
    struct page *page = page_of(op);
    page->begun = true;
    page->begun_at = weft_now(weft_loop_of(op));
    page->asked_at = time(NULL);
    page->refused = 0;
    page->good = page->cut = page->enough = page->unknown = page->untold = false;
    page_request(page);
    page->by_head = check_by_head(page);
    if (page->by_head)
        page->fetch.method = "HEAD";
    page->fetch.on_head = on_head;
    page->fetch.on_body = on_body;
    weft_http_fetch(op, &page->fetch, &page->crawl->client, page->url.href.data, answered);
}

void page_queue(struct page *page)
{
    page->begun = false;
    weft_lane_push(&page->host->lane, &page->crawl->op, &page->op, begin, outcome_fetched);
}

void page_queue_first(struct page *page)
{
    page->begun = false;
    weft_lane_push_front(&page->host->lane, &page->crawl->op, &page->op, begin, outcome_fetched);
}
