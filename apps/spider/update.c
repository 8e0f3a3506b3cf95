/* Asking again. See update.h. */
#include "spider/crawl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <weft/http_message.h>

static const char key_update[] = "crawl/update";

/* ---- beginning and end ---------------------------------------------------------------------- */

static int find_latest(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
                       const struct weft_crawl_result *result, void *context)
{
    int64_t *latest = context;
    (void)state, (void)id, (void)url;
    if (result->fetched > *latest)
        *latest = result->fetched;
    return 0;
}

int64_t update_now(const struct crawl *crawl)
{
    int64_t now = time(NULL);
    return now > crawl->update.since ? now : crawl->update.since;
}

static bool has_limit(const struct settings *settings)
{
    return settings->max_pages > 0 || settings->max_bytes > 0 || settings->max_ms > 0;
}

static int make_known(struct crawl *crawl)
{
    struct update *update = &crawl->update;
    update->last = crawl->state.known;
    update->holds = has_limit(crawl->settings);
    update->known = weft_calloc((size_t)update->last + 1, 1);
    return update->known != NULL ? 0 : UV_ENOMEM;
}

/* A second may be long, and clocks are set back: it begins after all that was asked for before. */
int update_load(struct crawl *crawl)
{
    struct weft_text value;
    char text[24];
    int err = weft_crawl_get(&crawl->state, weft_text_of(key_update), &value);
    if (err != 0)
        return err;
    if (value.data != NULL) { /* one was interrupted; what had come nearer by then is not known */
        crawl->update.since = strtoll(value.data, NULL, 10);
        crawl->update.look_through = true;
        return make_known(crawl);
    }
    if (!crawl->settings->update)
        return 0;
    int64_t latest = 0;
    err = weft_crawl_each(&crawl->state, find_latest, &latest);
    if (err == 0)
        err = make_known(crawl);
    if (err != 0)
        return err;
    crawl->update.since = time(NULL) > latest ? time(NULL) : latest + 1;
    int size = snprintf(text, sizeof text, "%lld", (long long)crawl->update.since);
    return weft_crawl_put(&crawl->state, weft_text_of(key_update),
                          weft_text(text, (size_t)size + 1));
}

/* What is new and waits is none of its business: a limit that leaves something out would have no end. */
int update_close(struct crawl *crawl)
{
    struct update *update = &crawl->update;
    bool through = !update->beyond || crawl->state.counts[WEFT_CRAWL_AGAIN] == 0;
    bool limited = crawl->stop == CRAWL_LIMIT && update->due == 0 && through;
    if (update->since == 0 || (crawl->stop != CRAWL_GOES_ON && !limited) || crawl->aborted)
        return 0;
    update->ended = true;
    return weft_crawl_put(&crawl->state, weft_text_of(key_update), weft_text(NULL, 0));
}

void update_free(struct update *update)
{
    weft_free(update->known);
    update->known = NULL;
}

bool update_is_done(const struct crawl *crawl, const struct weft_crawl_result *result)
{
    return crawl->update.since == 0 || result->fetched >= crawl->update.since;
}

/* ---- what is known -------------------------------------------------------------------------- */

/* Of one that failed the file may be there, because it is gone. 0: it was there before its crawl. */
static bool was_page(int http_status)
{
    return http_status == 0 || (http_status >= 200 && http_status < 300);
}

void update_waits(struct crawl *crawl, weft_crawl_id id, const struct weft_crawl_result *result,
                  bool due)
{
    struct update *update = &crawl->update;
    bool file = result->file.size > 0 && was_page(result->http_status);
    bool moved = result->http_status >= 300 && result->http_status < 400;
    if (update_is_done(crawl, result) || id > update->last)
        return;
    if (file)
        update->known[id] |= UPDATE_FILE;
    if (due && (result->file.size > 0 || moved))
        update->known[id] |= UPDATE_DUE;
    update->files += file;
    update->due += (update->known[id] & UPDATE_DUE) != 0;
}

/* One that is looked through, or mended, at this moment is asked for when that is over. */
bool update_reaches(struct crawl *crawl, weft_crawl_id id)
{
    struct update *update = &crawl->update;
    struct weft_crawl_result result;
    if (!update->beyond || id > update->last || (update->known[id] & UPDATE_DUE) != 0)
        return false;
    enum weft_crawl_what what = weft_crawl_what(&crawl->state, id);
    if (what == WEFT_CRAWL_WAITING || what == WEFT_CRAWL_SKIPPED ||
        weft_crawl_result(&crawl->state, id, &result) != 0 || update_is_done(crawl, &result))
        return false;
    struct page *page = page_here(crawl, id);
    update_waits(crawl, id, &result, true);
    if (page != NULL)
        page->reached = true;
    return page == NULL;
}

void update_settled(struct crawl *crawl, weft_crawl_id id)
{
    struct update *update = &crawl->update;
    if (update->since == 0 || id > update->last)
        return;
    update->files -= (update->known[id] & UPDATE_FILE) != 0;
    update->due -= (update->known[id] & UPDATE_DUE) != 0;
    update->known[id] = 0;
}

bool update_holds(const struct crawl *crawl, weft_crawl_id id)
{
    const struct update *update = &crawl->update;
    return update->holds && (id > update->last || update->known[id] == 0);
}

/* ---- a page --------------------------------------------------------------------------------- */

static bool file_is_there(const struct crawl *crawl, struct weft_text file, struct stat *info)
{
    char name[NAME_SIZE];
    if (file.size == 0 || file.size >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", WEFT_TEXT_ARGS(file));
    return fstatat(crawl->folder.fd, name, info, 0) == 0;
}

static void put_field(char *to, size_t size, const char *name, struct weft_text value, size_t most)
{
    to[0] = '\0';
    if (value.size > 0 && value.size <= most)
        snprintf(to, size, "%s: %.*s", name, WEFT_TEXT_ARGS(value));
}

static bool is_gone(int http_status)
{
    return http_status == 404 || http_status == 410;
}

void update_recall(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct weft_crawl_result result;
    struct update_fields *ask = &page->ask;
    struct stat info;
    char date[WEFT_HTTP_DATE_SIZE];
    page->before = (struct update_before){0};
    if (crawl->update.since == 0 || weft_crawl_result(&crawl->state, page->id, &result) != 0)
        return;
    page->before.known = result.fetched != 0;
    if (!was_page(result.http_status) || !file_is_there(crawl, result.file, &info))
        return;
    if (result.http_status == 0 && weft_http_date_format(date, info.st_mtime) == 0)
        result.last_modified = weft_text_of(date); /* it was on the disk before the state */
    page->before.there = true;
    memcpy(page->before.hash, result.hash, sizeof result.hash);
    put_field(ask->etag, sizeof ask->etag, "If-None-Match", result.etag, UPDATE_ETAG);
    put_field(ask->date, sizeof ask->date, "If-Modified-Since", result.last_modified, UPDATE_DATE);
}

size_t update_ask(struct page *page, const char **list)
{
    size_t count = 0;
    if (!page->before.there)
        return 0;
    if (page->ask.etag[0] != '\0')
        list[count++] = page->ask.etag;
    if (page->ask.date[0] != '\0')
        list[count++] = page->ask.date;
    return count;
}

/* The same bytes mean something else if they are of another type, or in another encoding. Where nobody said what
 * it is, it is what it was. */
static bool is_of_same_type(const struct page *page)
{
    struct weft_crawl_result before;
    struct weft_http_content_type was, is;
    struct weft_text now = weft_http_fetch_get(&page->fetch, "Content-Type");
    if (weft_crawl_result(&page->crawl->state, page->id, &before) != 0)
        return false;
    if (before.media_type.size == 0 || weft_http_content_type_parse(before.media_type, &was) != 0 ||
        weft_http_content_type_parse(now, &is) != 0)
        return true;
    return weft_text_same(was.type, is.type) && weft_text_same(was.subtype, is.subtype) &&
           weft_text_same(was.charset, is.charset);
}

bool update_is_same(const struct page *page)
{
    return page->before.there && memcmp(page->before.hash, page->hash, sizeof page->hash) == 0 &&
           is_of_same_type(page);
}

/* What the server says of it now is what it will be asked with the next time. */
static void take_validators(const struct weft_http_fetch *fetch, struct weft_crawl_result *result)
{
    struct weft_text etag = weft_http_fetch_get(fetch, "ETag"),
                     date = weft_http_fetch_get(fetch, "Last-Modified");
    if (etag.size > 0)
        result->etag = etag;
    if (date.size > 0)
        result->last_modified = date;
}

void update_same(struct page *page)
{
    struct crawl *crawl = page->crawl;
    struct weft_crawl_result result;
    int err = weft_crawl_result(&crawl->state, page->id, &result);
    if (err != 0) {
        settle_failed(page, err, weft_strerror(err));
        return;
    }
    take_validators(&page->fetch, &result);
    crawl->update.same++;
    if (page_is_start(crawl, page->id) && crawl->update.starts_count < UPDATE_STARTS)
        crawl->update.starts[crawl->update.starts_count++] = page->id;
    report_line(crawl, "same     %s", page->url.href.data);
    settle_same(page, &result);
}

/* ---- what is told --------------------------------------------------------------------------- */

bool update_start_is_same(const struct crawl *crawl, weft_crawl_id id)
{
    for (size_t i = 0; i < crawl->update.starts_count; i++) {
        if (crawl->update.starts[i] == id)
            return true;
    }
    return false;
}

bool update_is_gone(const struct page *page)
{
    return page->before.there && is_gone(page->fetch.status);
}

void update_keep_file(const struct page *page, struct weft_crawl_result *result,
                      char name[NAME_SIZE])
{
    struct weft_crawl_result before;
    struct stat info;
    if (weft_crawl_result(&page->crawl->state, page->id, &before) != 0 ||
        !file_is_there(page->crawl, before.file, &info))
        return;
    snprintf(name, NAME_SIZE, "%.*s", WEFT_TEXT_ARGS(before.file));
    result->file = weft_text_of(name);
}

const char *update_word(const struct page *page, const struct weft_crawl_result *result)
{
    if (page->crawl->update.since == 0 || page->fetch.status == 0)
        return NULL;
    if (result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN)
        return page->before.there ? "changed" : "new";
    if (result->what == WEFT_CRAWL_MOVED)
        return page->before.there ? "changed" : NULL;
    return result->what == WEFT_CRAWL_FAILED && update_is_gone(page) ? "gone" : NULL;
}

static void tell(const struct page *page, const char *what)
{
    const struct settings *settings = page->crawl->settings;
    if (!settings->quiet && !settings_output_taken(settings))
        report_out(page->crawl, "%-8s %s", what, page->url.href.data);
}

void update_saved(struct page *page)
{
    struct update *update = &page->crawl->update;
    if (update->since == 0)
        return;
    if (page->before.there)
        update->changed++;
    else
        update->fresh++;
    tell(page, page->before.there ? "changed" : "new");
}

void update_gone(struct page *page)
{
    page->crawl->update.gone++;
    tell(page, "gone");
}
