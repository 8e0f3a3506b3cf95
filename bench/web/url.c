/* URLs beside libcurl's URL API: nanoseconds a URL.
 * links: curl
 *
 *     url-parse     absolute URLs: those that the links below lead to, and as many with a query, as
 *                   shops and forums have them. Theirs is curl_url_set; ours has the serialised URL
 *                   already.
 *     url-resolve   the links of PostgreSQL's manual, resolved against the page they stand in, to
 *                   the whole URL as text. Ours has the page parsed once. libcurl's handle becomes
 *                   what was resolved, so the page has to be put there for each link: parsed again
 *                   or by curl_url_dup, and of these two the faster counts.
 *
 * Both reuse their memory as far as they can, and get their input as they take it: ours with its
 * length, theirs with a NUL. mailto: is left out, since libcurl does not know it.
 * Before measuring, both have to agree on every one, but for links within a page ("#here"), which
 * libcurl 7.88 takes for links to the folder of the page. */
#include "../bench.h"
#include <curl/curl.h>
#include <dirent.h>
#include <string.h>
#include <weft/url.h>

enum { MOST = 6000, MOST_A_PAGE = 40, REPEATS = 10, LINE = 512 };

static const char manual[] = "/usr/share/doc/postgresql-doc-15/html";
static const char site[] = "https://www.postgresql.org/docs/15/";

struct page {
    char *text;
    struct weft_url ours;
    CURLU *theirs;
};

struct link {
    struct page *page;
    char *text;
    size_t size;
};

static struct page pages[MOST];
static struct link links[MOST];
static struct weft_text absolute[2 * MOST]; /* with a NUL behind each */
static size_t page_count, link_count, absolute_count;

/* ---- the list ------------------------------------------------------------------------------- */

static char *copy_of(const char *text, size_t size)
{
    char *copy = strndup(text, size);
    bench_check(copy != NULL, "no memory");
    return copy;
}

static struct page *start_page(const char *name)
{
    char text[LINE];
    int size = snprintf(text, sizeof text, "%s%s", site, name);
    bench_check(page_count < MOST && size < LINE, "too much");
    struct page *page = &pages[page_count++];
    page->text = copy_of(text, (size_t)size);
    return page;
}

static void add_link(struct page *page, const char *text, size_t size)
{
    if (link_count == MOST || size == 0)
        return;
    links[link_count++] = (struct link){page, copy_of(text, size), size};
}

static void add_links_of(struct page *page, const char *text)
{
    static const char before[] = "href=\"";
    for (int i = 0; i < MOST_A_PAGE && (text = strstr(text, before)) != NULL; i++) {
        text += sizeof before - 1;
        if (strncmp(text, "mailto:", 7) != 0)
            add_link(page, text, strcspn(text, "\""));
    }
}

static void add_page(const char *name)
{
    static char text[1 << 20];
    char path[LINE];
    if (strstr(name, ".html") == NULL ||
        snprintf(path, sizeof path, "%s/%s", manual, name) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    add_links_of(start_page(name), text);
}

/* Without the manual: pages that lead to each other, up and down. */
static void make_links(void)
{
    static const char *shapes[] = {"chapter-%d.html", "#section-%d", "../up/%d.html", "/root/%d/",
                                   "https://other.example/%d"};
    struct page *page = start_page("part/index.html");
    for (int i = 0; link_count < MOST / 2; i++) {
        char text[LINE];
        int size = snprintf(text, sizeof text, shapes[i % 5], i);
        add_link(page, text, (size_t)size);
    }
}

static void collect_links(void)
{
    DIR *folder = opendir(manual);
    if (folder != NULL) {
        for (struct dirent *entry; link_count < MOST && (entry = readdir(folder)) != NULL;)
            add_page(entry->d_name);
        closedir(folder);
    }
    if (link_count > 0)
        return;
    printf("# web/url: no %s; the links are made up\n", manual);
    make_links();
}

static void add_absolute(const char *text)
{
    size_t size = strlen(text);
    absolute[absolute_count++] = weft_text(copy_of(text, size), size);
}

static void add_query(size_t i)
{
    char text[LINE];
    snprintf(text, sizeof text,
             "https://shop%zu.example.com/catalogue/items/%zu/view.php"
             "?category=books&sort=price%%20asc&page=%zu&session=%08zx%s",
             i % 97, i * 7, i % 50, i * 2654435761U % 0xffffffff, i % 3 == 0 ? "#reviews" : "");
    add_absolute(text);
}

/* ---- what both do --------------------------------------------------------------------------- */

static struct weft_url url;
static CURLU *handle;

static uint64_t our_parse(size_t count)
{
    uint64_t begun = uv_hrtime();
    size_t done = 0;
    while (done < count) {
        for (size_t i = 0; i < absolute_count; i++)
            done += weft_url_parse(&url, absolute[i], NULL) == 0;
    }
    return uv_hrtime() - begun;
}

static uint64_t their_parse(size_t count)
{
    uint64_t begun = uv_hrtime();
    size_t done = 0;
    while (done < count) {
        for (size_t i = 0; i < absolute_count; i++)
            done += curl_url_set(handle, CURLUPART_URL, absolute[i].data, 0) == CURLUE_OK;
    }
    return uv_hrtime() - begun;
}

static int resolve(const struct link *link)
{
    return weft_url_parse(&url, weft_text(link->text, link->size), &link->page->ours);
}

static uint64_t our_resolve(size_t count)
{
    uint64_t begun = uv_hrtime();
    size_t done = 0;
    while (done < count) {
        for (size_t i = 0; i < link_count; i++)
            done += resolve(&links[i]) == 0;
    }
    return uv_hrtime() - begun;
}

static char *curl_resolve(CURLU *at, const char *text)
{
    char *whole = NULL;
    bench_check(curl_url_set(at, CURLUPART_URL, text, 0) == CURLUE_OK &&
                    curl_url_get(at, CURLUPART_URL, &whole, 0) == CURLUE_OK,
                "libcurl does not resolve a link");
    return whole;
}

static uint64_t their_resolve_parsing(size_t count)
{
    uint64_t begun = uv_hrtime();
    for (size_t done = 0; done < count; done += link_count) {
        for (size_t i = 0; i < link_count; i++) {
            curl_url_set(handle, CURLUPART_URL, links[i].page->text, 0);
            curl_free(curl_resolve(handle, links[i].text));
        }
    }
    return uv_hrtime() - begun;
}

static uint64_t their_resolve_copying(size_t count)
{
    uint64_t begun = uv_hrtime();
    for (size_t done = 0; done < count; done += link_count) {
        for (size_t i = 0; i < link_count; i++) {
            CURLU *copy = curl_url_dup(links[i].page->theirs);
            curl_free(curl_resolve(copy, links[i].text));
            curl_url_cleanup(copy);
        }
    }
    return uv_hrtime() - begun;
}

static uint64_t their_resolve(size_t count)
{
    uint64_t parsing = their_resolve_parsing(count), copying = their_resolve_copying(count);
    return parsing < copying ? parsing : copying;
}

/* ---- before and after ----------------------------------------------------------------------- */

static void prepare_page(struct page *page)
{
    page->theirs = curl_url();
    bench_check(page->theirs != NULL, "no memory");
    bench_check(weft_url_parse(&page->ours, weft_text_of(page->text), NULL) == 0, "no page");
    bench_check(curl_url_set(page->theirs, CURLUPART_URL, page->text, 0) == CURLUE_OK, "no page");
}

/* Both have to see the same in it. */
static void prepare_link(const struct link *link, size_t i)
{
    bench_check(resolve(link) == 0, "no link");
    curl_url_set(handle, CURLUPART_URL, link->page->text, 0);
    char *whole = curl_resolve(handle, link->text);
    if (link->text[0] != '#' && strcmp(whole, url.href.data) != 0) {
        fprintf(stderr, "%s in %s: %s, but %s\n", link->text, link->page->text, url.href.data,
                whole);
        exit(1);
    }
    curl_free(whole);
    add_absolute(url.href.data);
    add_query(i);
}

static void prepare(void)
{
    handle = curl_url();
    bench_check(handle != NULL, "no memory");
    collect_links();
    for (size_t i = 0; i < page_count; i++)
        prepare_page(&pages[i]);
    for (size_t i = 0; i < link_count; i++)
        prepare_link(&links[i], i);
}

static void clear(void)
{
    for (size_t i = 0; i < page_count; i++) {
        weft_url_free(&pages[i].ours);
        curl_url_cleanup(pages[i].theirs);
        free(pages[i].text);
    }
    for (size_t i = 0; i < link_count; i++)
        free(links[i].text);
    for (size_t i = 0; i < absolute_count; i++)
        free((char *)(uintptr_t)absolute[i].data);
    weft_url_free(&url);
    curl_url_cleanup(handle);
}

int main(void)
{
    prepare();
    printf("# web/url: %zu links on %zu pages, %zu absolute; libcurl %s\n", link_count, page_count,
           absolute_count, curl_version_info(CURLVERSION_NOW)->version);
    bench_compare("web/url-parse", "curl-url", our_parse, their_parse, absolute_count * REPEATS);
    bench_compare("web/url-resolve", "curl-url", our_resolve, their_resolve, link_count * REPEATS);
    clear();
    return 0;
}
