/* What a link becomes.
 *
 *     in the file of a page:   to a file        the way there, and its fragment
 *                              to the network   the whole URL
 *                              a base           nothing: what is relative is so to the file now
 *                              a guard          a name that means nothing (swaps.c)
 *
 * Pages of a site have most of their links in common, and what was decided for one of them holds for the next
 * one in the same folder: it is kept beside where the link leads to (memo.h). Fragments are not: they stay as
 * they are, behind whatever the link becomes; one that has none gets that of a redirect. */
#include "spider/crawl.h"
#include "offline/local.h"
#include <stdio.h>
#include <string.h>

/* ---- what was decided ----------------------------------------------------------------------- */

/* What a link leads to, as far as it is known. */
struct target {
    weft_crawl_id id;    /* of what it leads to in the end; 0: nothing that is known */
    weft_crawl_id moved; /* what it leads to at first, if that is redirected; or 0 */
    bool there;          /* it is written as if the file were there */
    bool settled;        /* it will stay like that */
};

enum waits_state offline_look(void *context, uint32_t id)
{
    const struct crawl *crawl = context;
    switch (weft_crawl_what(&crawl->state, id)) {
    case WEFT_CRAWL_WAITING:
        return WAITS_OPEN;
    case WEFT_CRAWL_DONE:
    case WEFT_CRAWL_AGAIN:
        return WAITS_THERE;
    default:
        return WAITS_NOT_THERE;
    }
}

/* How links are written depends on where the page's file is; what they mean, on whether they are its own. */
void offline_begin(struct page *page)
{
    const char *slash = strrchr(page->name, '/');
    size_t size = slash != NULL ? (size_t)(slash - page->name) : 0;
    memo_key_add(&page->reader->memo, name_hash(weft_text(page->name, size)) + page->ours);
    swaps_begin(&page->reader->swaps, offline_original(page).size);
}

/* Was it decided, and did that not turn out otherwise? */
static bool is_decided(struct crawl *crawl, struct memo_link *place)
{
    if (place == NULL || !place->decided)
        return false;
    if (place->settled)
        return true;
    if (place->target == 0 || crawl->offline.ended)
        return false;
    enum waits_state state = offline_look(crawl, place->target);
    if (state == WAITS_OPEN)
        return true;
    bool there = state == WAITS_THERE && !waits_is_renamed(&crawl->offline.waits, place->target);
    place->settled = there == place->there;
    return place->settled;
}

/* It becomes what is in offline->text. What is redirected is a matter of each page's last line. A link to the page
 * itself is settled for that page only: it may still fail to be written. */
static void keep_decided(struct page *page, struct memo_way *way, const struct target *target)
{
    if (target->moved != 0 || target->id == page->id)
        return;
    struct crawl *crawl = page->crawl;
    struct weft_text swap = weft_text(crawl->offline.text.data, crawl->offline.text.size);
    if (!memo_decide(&crawl->memo, &page->reader->memo, way, swap))
        return;
    way->place->target = target->id;
    way->place->there = target->there;
    way->place->settled = target->settled;
}

/* ---- names that files had --------------------------------------------------------------------- */

/* Pages of a copy may speak of a file by a name that it had before. Such names stay its URL's: they are kept with
 * the number, one a line, the latest first, and claimed again when a crawl begins. */
enum { FORMER_KEY = 32, FORMER_MOST = 4096 };

static const char key_former[] = "crawl/former"; /* is there any? */

static struct weft_text former_key(weft_crawl_id id, char key[FORMER_KEY])
{
    snprintf(key, FORMER_KEY, "%s/%lu", key_former, (unsigned long)id);
    return weft_text_of(key);
}

/* Into crawl->offline.link, with name before them. */
static int former_names(struct crawl *crawl, struct weft_text key, struct weft_text name)
{
    struct out *out = &crawl->offline.link;
    struct weft_text before;
    out->size = 0;
    out_text(out, name);
    out_string(out, "\n");
    int err = weft_crawl_get(&crawl->state, key, &before);
    while (err == 0 && before.size > 0) {
        struct weft_text line = weft_text_cut(&before, '\n');
        if (line.size > 0 && !weft_text_equal(line, name) && out->size + line.size < FORMER_MOST) {
            out_text(out, line);
            out_string(out, "\n");
        }
    }
    return err == 0 && out->failed ? UV_ENOMEM : err;
}

int offline_was_called(struct crawl *crawl, weft_crawl_id id, struct weft_text name)
{
    char text[FORMER_KEY];
    struct weft_text key = former_key(id, text);
    int err = former_names(crawl, key, name);
    struct weft_text names = weft_text(crawl->offline.link.data, crawl->offline.link.size);
    if (err == 0)
        err = weft_crawl_put(&crawl->state, key, names);
    if (err == 0)
        err = weft_crawl_put(&crawl->state, weft_text_of(key_former), weft_text_of("yes"));
    return err;
}

int offline_claim_former(struct crawl *crawl)
{
    struct weft_text value;
    char text[FORMER_KEY];
    int err = weft_crawl_get(&crawl->state, weft_text_of(key_former), &value);
    if (err != 0 || value.data == NULL)
        return err;
    for (weft_crawl_id id = 1; err == 0 && id <= crawl->state.known; id++) {
        err = weft_crawl_get(&crawl->state, former_key(id, text), &value);
        while (err == 0 && value.size > 0) {
            struct weft_text name = weft_text_cut(&value, '\n');
            if (name.size > 0)
                weft_crawl_claim(&crawl->state, name, id);
        }
    }
    return err;
}

/* ---- where it leads to ---------------------------------------------------------------------- */

uint64_t offline_hash(const struct crawl *crawl, struct weft_text url)
{
    struct weft_crawl_hash hash;
    uint64_t out[2];
    weft_crawl_hash_begin(&crawl->state, &hash);
    weft_crawl_hash_add(&hash, url.data, url.size);
    weft_crawl_hash_end(&hash, out);
    return out[0];
}

static struct weft_text without_fragment(const struct weft_url *url)
{
    struct weft_text rest = url->href;
    return weft_text_cut(&rest, '#');
}

/* Of number id into crawl->text and crawl->other. */
static bool recall_url(struct crawl *crawl, weft_crawl_id id)
{
    size_t size;
    return weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL) ==
               0 &&
           weft_url_parse(&crawl->other, weft_text(crawl->text, size), NULL) == 0;
}

/* What has the name of a program is expected to be a page. */
static int make_name(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url)
{
    struct offline *offline = &crawl->offline;
    const char *type = local_is_program(weft_url_pathname(url)) ? "text/html" : "";
    offline->named = 0;
    int err = page_claim_name(crawl, id, url, weft_text_of(type), offline->name);
    if (err == 0)
        offline->named = id;
    return err;
}

struct weft_text offline_expected(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url)
{
    struct offline *offline = &crawl->offline;
    if (url == NULL && recall_url(crawl, id))
        url = &crawl->other;
    if (url == NULL || (offline->named != id && make_name(crawl, id, url) != 0))
        return weft_text(NULL, 0);
    return weft_text_of(offline->name);
}

void offline_seen(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url)
{
    make_name(crawl, id, url);
}

/* Can links lead to it? Not if it is in an archive. */
static bool is_file(struct weft_text name)
{
    return name.size > 0 && name.size < NAME_SIZE && !archive_has_name(name);
}

/* Of one that waits: an update has not asked for it yet, and it is there; or it will be. url: its own, or NULL if it
 * has to be looked up. */
static struct weft_text expect_file(struct crawl *crawl, weft_crawl_id id,
                                    const struct weft_url *url, bool requisite)
{
    struct weft_crawl_result result;
    if (crawl->update.since != 0 && weft_crawl_result(&crawl->state, id, &result) == 0 &&
        is_file(result.file))
        return result.file;
    if (crawl->offline.ended ||
        !follow_is_near(crawl, weft_crawl_depth(&crawl->state, id), requisite))
        return weft_text(NULL, 0);
    return offline_expected(crawl, id, url);
}

/* Of several redirects that have a fragment the last one counts. */
static void keep_part(struct offline *offline, struct weft_text fragment)
{
    if (fragment.size == 0)
        return;
    offline->part.size = 0;
    out_text(&offline->part, fragment);
}

/* The file that target->id, whose URL is in offline.url, is in or will be, valid for a moment; nothing: it will
 * not. Follows redirects: it becomes the last. */
static struct weft_text find_file(struct page *page, struct target *target, bool requisite)
{
    static const struct weft_text none;
    struct crawl *crawl = page->crawl;
    struct weft_crawl_result result;
    for (unsigned hops = 0; hops <= CRAWL_REDIRECTS; hops++) {
        enum weft_crawl_what what = weft_crawl_what(&crawl->state, target->id);
        if (target->id == page->id) {
            target->settled = true; /* a page that is written is there */
            return weft_text_of(page->name);
        }
        if (what == WEFT_CRAWL_WAITING) {
            const struct weft_url *url = hops == 0 ? &crawl->offline.url : NULL;
            return expect_file(crawl, target->id, url, requisite);
        }
        if (weft_crawl_result(&crawl->state, target->id, &result) != 0)
            return none;
        if (what == WEFT_CRAWL_MOVED && result.redirect != 0) {
            if (target->moved == 0)
                target->moved = target->id;
            keep_part(&crawl->offline, result.note);
            target->id = result.redirect;
            continue;
        }
        target->settled = true; /* one that is gone may have left its file */
        return is_file(result.file) ? result.file : none;
    }
    target->settled = true; /* too many redirects */
    return none;
}

/* The link, whose URL is in offline->url, into offline->text, but for its fragment. */
static void decide(struct page *page, const struct weft_link *link, struct target *target)
{
    struct crawl *crawl = page->crawl;
    struct offline *offline = &crawl->offline;
    const struct weft_url *url = &offline->url;
    struct weft_text name = weft_text(NULL, 0);
    offline->part.size = 0;
    *target = (struct target){.id = weft_crawl_find(&crawl->state, without_fragment(url))};
    if (link->from == WEFT_LINK_FORM)
        target->settled = true;
    else if (target->id != 0)
        name = find_file(page, target, link->kind == WEFT_LINK_REQUISITE);
    target->there = name.size > 0;
    offline->text.size = 0;
    if (target->there)
        local_way(&offline->text, weft_text_of(page->name), name);
    else
        out_text(&offline->text, without_fragment(url));
}

/* What is not settled may turn out otherwise. What is unknown can only come if it is of this crawl. */
static void wait_for(struct page *page, const struct weft_link *link, struct target *target)
{
    struct crawl *crawl = page->crawl;
    struct offline *offline = &crawl->offline;
    if (target->settled || offline->ended)
        return;
    if (target->id != 0)
        waits_for(&offline->waits, target->id, page->id, target->there);
    else if (scope_check(&crawl->scope, &offline->url, link->kind == WEFT_LINK_REQUISITE) ==
             SCOPE_IN)
        waits_for_far(&offline->waits, offline_hash(crawl, without_fragment(&offline->url)),
                      page->id);
    else
        target->settled = true;
}

/* ---- a link --------------------------------------------------------------------------------- */

/* What is known is known without them (follow.c). A link to the network keeps what it has. */
static int drop_credentials(struct crawl *crawl)
{
    struct weft_url *url = &crawl->offline.url, *plain = &crawl->other;
    if (weft_url_username(url).size + weft_url_password(url).size == 0)
        return 0;
    int err = weft_url_copy(plain, url);
    if (err != 0)
        return err;
    weft_url_drop_credentials(plain);
    if (weft_crawl_find(&crawl->state, without_fragment(plain)) != 0)
        weft_url_drop_credentials(url);
    return 0;
}

/* 0: its URL is in offline->url; 1: it is nothing that we could write otherwise; or UV_ENOMEM. */
static int resolve(struct page *page, const struct weft_link *link)
{
    struct offline *offline = &page->crawl->offline;
    struct weft_text text = link->url;
    int err = 0;
    if (page->ours && !offline_url(page, link->url, &text)) {
        err = weft_url_parse(&offline->url, link->url, NULL); /* what is no file is whole */
    } else if (page->ours) {
        err = weft_url_parse(&offline->url, text, NULL);
        const char *fragment = memchr(link->url.data, '#', link->url.size);
        if (offline_part_is_moved(&page->line, page->reader->number))
            fragment = NULL; /* it is the redirect's */
        if (err == 0 && fragment != NULL) {
            size_t size = link->url.size - (size_t)(fragment - link->url.data);
            err = weft_url_copy(&page->crawl->other, &offline->url);
            if (err == 0)
                err = weft_url_parse(&offline->url, weft_text(fragment, size), &page->crawl->other);
        }
    } else {
        err = weft_url_parse(&offline->url, text, &page->reader->base);
    }
    if (err == UV_ENOMEM)
        return err;
    if (err != 0 || !weft_url_is_http(&offline->url))
        return 1;
    return drop_credentials(page->crawl);
}

/* Nothing of it is escaped where it stands. */
static bool is_written_plainly(const struct weft_link *link)
{
    return link->end - link->start == link->url.size;
}

/* Would a URL's parser leave it alone? */
static bool is_plain(struct weft_text fragment)
{
    for (size_t i = 0; i < fragment.size; i++) {
        char c = fragment.data[i];
        if (c <= ' ' || c > '~' || c == '"' || c == '<' || c == '>' || c == '`')
            return false;
    }
    return true;
}

static int add_swap(struct page *page, const struct weft_link *link, struct weft_text text)
{
    return swaps_add(&page->reader->swaps, link, text) ? 0 : UV_ENOMEM;
}

/* What is in offline->text, with a fragment behind it. */
static int add_text(struct page *page, const struct weft_link *link, struct weft_text fragment)
{
    struct out *text = &page->crawl->offline.text;
    out_text(text, fragment);
    return text->failed ? UV_ENOMEM : add_swap(page, link, weft_text(text->data, text->size));
}

/* As it was decided before. */
static int swap_again(struct page *page, const struct weft_link *link, struct memo_link *place,
                      struct weft_text fragment)
{
    struct crawl *crawl = page->crawl;
    if (!place->settled)
        waits_for(&crawl->offline.waits, place->target, page->id, place->there);
    if (place->same && is_written_plainly(link))
        return 0;
    struct weft_text swap = memo_swap(&crawl->memo, place);
    if (fragment.size == 0)
        return add_swap(page, link, swap);
    crawl->offline.text.size = 0;
    out_text(&crawl->offline.text, swap);
    return add_text(page, link, fragment);
}

/* noted: the link is not what it says, by the note on it. */
static int swap_new(struct page *page, const struct weft_link *link, struct memo_way *way,
                    bool noted)
{
    struct offline *offline = &page->crawl->offline;
    struct target target;
    int other = resolve(page, link);
    if (other != 0)
        return other < 0 ? other : 0;
    decide(page, link, &target);
    if (offline->text.failed || offline->part.failed)
        return UV_ENOMEM;
    wait_for(page, link, &target);
    if (!noted)
        keep_decided(page, way, &target);
    struct weft_text whole = offline->url.href, rest = without_fragment(&offline->url);
    struct weft_text fragment = weft_text(whole.data + rest.size, whole.size - rest.size);
    /* What is absolute is redirected by the server. */
    bool part = fragment.size == 0 && target.there && offline->part.size > 0;
    if (part)
        fragment = weft_text(offline->part.data, offline->part.size);
    if (target.moved != 0 && target.there)
        offline_note_moved(&page->reader->moved, page->reader->number, target.moved, target.id,
                           part);
    return add_text(page, link, fragment);
}

int offline_link(struct page *page, const struct weft_link *link, struct memo_way *way)
{
    if (link->kind == WEFT_LINK_BASE || link->kind == WEFT_LINK_GUARD)
        return page->ours ? 0 : add_swap(page, link, weft_text(NULL, 0));
    if (way->place == NULL)
        memo_find(&page->crawl->memo, &page->reader->memo, way);
    size_t size = way->link.size;
    struct weft_text fragment = weft_text(link->url.data + size, link->url.size - size);
    bool moved = page->ours && offline_was_moved(&page->line, page->reader->number) != 0;
    if (!moved && is_decided(page->crawl, way->place) && is_plain(fragment))
        return swap_again(page, link, way->place, fragment);
    return swap_new(page, link, way, moved);
}

bool offline_url(struct page *page, struct weft_text link, struct weft_text *url)
{
    struct crawl *crawl = page->crawl;
    char name[NAME_SIZE];
    size_t size;
    if (!local_name(weft_text_of(page->name), link, name, sizeof name))
        return false;
    weft_crawl_id id = weft_crawl_named(&crawl->state, weft_text_of(name));
    id = offline_before_moved(&page->line, page->reader->number, id);
    if (id == 0 ||
        weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL) != 0)
        return false;
    crawl->offline.link.size = 0;
    out_text(&crawl->offline.link, weft_text(crawl->text, size));
    *url = weft_text(crawl->offline.link.data, crawl->offline.link.size);
    return !crawl->offline.link.failed;
}
