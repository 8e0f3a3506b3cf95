/* What the fields of an answer say about links: Link, Refresh, and X-Robots-Tag, which forbids to
 * follow any.
 *
 * A file does not have them. So they are kept in the state, for the time when the page is looked
 * through again from the disk: lines of "Link: …" and "Refresh: …", and "nofollow". Few pages have
 * any of it. */
#include "spider/crawl.h"
#include <stdio.h>
#include <string.h>
#include <weft/http_message.h>

enum { FIELDS_MAX = 16 * 1024, KEY_SIZE = 32 };

static const char nofollow_line[] = "nofollow";

/* ---- links ---------------------------------------------------------------------------------- */

static bool is_requisite(const struct weft_http_link *link)
{
    return weft_http_link_is(link, "stylesheet") || weft_http_link_is(link, "icon") ||
           weft_http_link_is(link, "preload") || weft_http_link_is(link, "modulepreload") ||
           weft_http_link_is(link, "manifest");
}

static bool is_no_page(const struct weft_http_link *link)
{
    return weft_http_link_is(link, "preconnect") || weft_http_link_is(link, "dns-prefetch") ||
           weft_http_link_is(link, "nofollow");
}

static void follow_links(struct page *page, struct weft_text rest)
{
    struct weft_http_link link;
    int more;
    while ((more = weft_http_link_next(&rest, &link)) != 0) {
        if (more > 0 && !is_no_page(&link) && (is_requisite(&link) || !page->nofollow))
            follow_url(page, link.target, is_requisite(&link));
    }
}

static void follow_refresh(struct page *page, struct weft_text value)
{
    struct weft_text url;
    uint32_t seconds;
    if (weft_links_refresh(value, &url, &seconds) == 0 && url.size > 0 && !page->nofollow)
        follow_url(page, url, false);
}

static void follow_field(struct page *page, struct weft_text name, struct weft_text value)
{
    if (weft_text_same(name, weft_text_of("Link")))
        follow_links(page, value);
    else if (weft_text_same(name, weft_text_of("Refresh")))
        follow_refresh(page, value);
}

/* ---- nofollow ------------------------------------------------------------------------------- */

/* "nofollow" in an X-Robots-Tag, for everybody or for a robot that we are not: to be safe. */
static bool forbids(struct weft_text rest)
{
    while (rest.data != NULL) {
        struct weft_text word = weft_text_trim(weft_text_cut(&rest, ','));
        const char *colon = word.size > 0 ? memchr(word.data, ':', word.size) : NULL;
        if (colon != NULL)
            word =
                weft_text_trim(weft_text(colon + 1, word.size - (size_t)(colon + 1 - word.data)));
        if (weft_text_same(word, weft_text_of(nofollow_line)) ||
            weft_text_same(word, weft_text_of("none")))
            return true;
    }
    return false;
}

bool fields_nofollow(const struct page *page)
{
    const struct weft_http_field *field;
    size_t at = 0;
    while ((field = weft_http_fetch_next(&page->fetch, "X-Robots-Tag", &at)) != NULL) {
        if (forbids(field->value))
            return true;
    }
    return false;
}

/* ---- kept ----------------------------------------------------------------------------------- */

static struct weft_text key_of(const struct page *page, char buffer[KEY_SIZE])
{
    int size = snprintf(buffer, KEY_SIZE, "page/%u/fields", page->id);
    return weft_text(buffer, (size_t)size);
}

static bool matters(struct weft_text name)
{
    return weft_text_same(name, weft_text_of("Link")) ||
           weft_text_same(name, weft_text_of("Refresh"));
}

/* What does not fit is left out: then it is followed only now. */
static size_t write_lines(const struct page *page, char *lines)
{
    size_t used = 0;
    if (page->nofollow)
        used = (size_t)snprintf(lines, FIELDS_MAX, "%s\n", nofollow_line);
    for (size_t i = 0; i < page->fetch.answer_count; i++) {
        const struct weft_http_field *field = &page->fetch.answer[i];
        if (!matters(field->name) || field->name.size + field->value.size + 4 > FIELDS_MAX - used)
            continue;
        used += (size_t)snprintf(lines + used, FIELDS_MAX - used, "%.*s: %.*s\n",
                                 WEFT_TEXT_ARGS(field->name), WEFT_TEXT_ARGS(field->value));
    }
    return used;
}

/* An update may find that a page has none any more. */
static bool has_kept(struct page *page)
{
    char key[KEY_SIZE];
    struct weft_text value;
    return page->crawl->update.since != 0 &&
           weft_crawl_get(&page->crawl->state, key_of(page, key), &value) == 0 &&
           value.data != NULL;
}

static void keep(struct page *page)
{
    char lines[FIELDS_MAX], key[KEY_SIZE];
    size_t size = write_lines(page, lines);
    if (size == 0 && !has_kept(page))
        return;
    int err = weft_crawl_put(&page->crawl->state, key_of(page, key), weft_text(lines, size));
    if (err != 0)
        crawl_no_output(page->crawl, err, "the state");
}

void fields_follow(struct page *page)
{
    for (size_t i = 0; i < page->fetch.answer_count; i++)
        follow_field(page, page->fetch.answer[i].name, page->fetch.answer[i].value);
    keep(page);
}

int fields_recall(struct page *page, char **lines)
{
    char key[KEY_SIZE];
    struct weft_text value;
    *lines = NULL;
    int err = weft_crawl_get(&page->crawl->state, key_of(page, key), &value);
    if (err != 0 || value.size == 0)
        return err;
    *lines = weft_alloc(value.size + 1); /* a copy: following links asks the state, too */
    if (*lines == NULL)
        return UV_ENOMEM;
    memcpy(*lines, value.data, value.size);
    (*lines)[value.size] = '\0';
    page->nofollow = !page->crawl->settings->no_robots &&
                     strncmp(*lines, nofollow_line, sizeof nofollow_line - 1) == 0;
    return 0;
}

void fields_follow_lines(struct page *page, const char *lines)
{
    struct weft_text rest = weft_text_of(lines);
    while (rest.size > 0) {
        struct weft_text value = weft_text_cut(&rest, '\n');
        struct weft_text name = weft_text_cut(&value, ':');
        follow_field(page, name, weft_text_trim(value));
    }
}
