/* The front, the chapters and their pages, 20 pages a chapter; and the sitemap, which lists them.
 *
 * Page n stands in chapter (n - 1) / 20 + 1. It links to its chapter, to the pages before and after
 * it, to pages 2n and 2n + 1, so that all are within reach in few steps, and to three others that
 * the seed chooses. Its name and the way in which a link to it is written change from page to page:
 * all of those ways lead to the same URL. */
#include "site.h"
#include <stdio.h>

enum { PER_CHAPTER = 20, PER_LIST = 10, CROSS_LINKS = 3, SITEMAP_MAX = 50000, NAME_SIZE = 64 };

static unsigned pages_of(const struct visit *visit)
{
    return (unsigned)site_of(visit)->options.pages;
}

static unsigned chapter_of(unsigned number)
{
    return (number - 1) / PER_CHAPTER + 1;
}

/* ---- names and links ------------------------------------------------------------------------ */

/* As it is requested; or as people write it, for whoever reads the link to put in the escapes. */
static void name_page(char name[NAME_SIZE], unsigned number, bool escaped)
{
    const char *format = "page-%u.html";
    if (number % 10 == 0)
        format = escaped ? "page%%20%u.html" : "page %u.html";
    else if (number % 10 == 3)
        format = "page-%u";
    else if (number % 10 == 5)
        format = escaped ? "caf%%C3%%A9-%u.html" : "café-%u.html";
    else if (number % 10 == 8)
        format = "show?id=%u&view=full";
    snprintf(name, NAME_SIZE, format, number);
}

static void add_escaped(struct page *page, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            page_addf(page, "&amp;");
        else
            page_add(page, text, 1);
    }
}

enum style {
    RELATIVE,
    FROM_ROOT,
    ABSOLUTE,
    WITH_FRAGMENT,
    WITH_DOTS,
    WITH_BLANKS,
    WITHOUT_SCHEME,
    STYLES
};

/* What stands before the name. All of it is written on a page of a chapter: two folders deep. */
static void add_folder(struct visit *visit, unsigned chapter, enum style style)
{
    struct page *page = &visit->page;
    size_t begin = page->size;
    if (style == ABSOLUTE || style == WITHOUT_SCHEME)
        visit_add_origin(visit);
    if (style == WITHOUT_SCHEME && page->size > begin) {
        memmove(page->data + begin, page->data + begin + strlen("http:"),
                page->size - begin - strlen("http:"));
        page->size -= strlen("http:");
    }
    if (style == RELATIVE || style == WITH_FRAGMENT)
        page_addf(page, "../%u/", chapter);
    else if (style == WITH_DOTS)
        page_addf(page, "./../../chapter/./%u/", chapter);
    else if (style == WITH_BLANKS)
        page_addf(page, "\n   /chapter/%u/", chapter);
    else
        page_addf(page, "/chapter/%u/", chapter);
}

static void add_link(struct visit *visit, unsigned from, unsigned to, const char *text)
{
    struct page *page = &visit->page;
    uint64_t random = mixed((uint64_t)from << 32 | to);
    enum style style = (enum style)(random % STYLES);
    bool escaped = random / STYLES % 2 == 0;
    char name[NAME_SIZE];
    name_page(name, to, escaped);
    page_addf(page, "<li><a href=\"");
    add_folder(visit, chapter_of(to), style);
    if (escaped)
        add_escaped(page, name);
    else
        page_addf(page, "%s", name); /* with a bare &: as it is found everywhere */
    page_addf(page, "%s\">%s %u</a></li>\n",
              style == WITH_FRAGMENT ? "#part"
              : style == WITH_BLANKS ? "\t\n"
                                     : "",
              text, to);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void add_page_links(struct visit *visit, unsigned number)
{
    unsigned pages = pages_of(visit);
    uint64_t random = mixed(site_of(visit)->options.seed ^ (uint64_t)number << 32);
    page_addf(&visit->page,
              "<ul>\n<li><a href=\"./\">up</a></li>\n<li><a href=\"/\">home</a></li>\n"
              "<li><a href=\"#part\">down</a></li>\n");
    if (number > 1)
        add_link(visit, number, number - 1, "before");
    if (number < pages)
        add_link(visit, number, number + 1, "after");
    for (unsigned child = 2 * number; child <= 2 * number + 1 && child <= pages; child++)
        add_link(visit, number, child, "below");
    for (unsigned i = 0; i < CROSS_LINKS; i++) {
        random = mixed(random);
        add_link(visit, number, 1 + (unsigned)(random % pages), "see also");
    }
    page_addf(&visit->page, "</ul>\n");
}

static void answer_page(struct visit *visit, unsigned number)
{
    enum { IMAGES = 8, LEAST = 500, SPREAD = 2000 };
    uint64_t seed = mixed(site_of(visit)->options.seed + number);
    char title[NAME_SIZE];
    snprintf(title, sizeof title, "Page %u", number);
    page_begin_html(&visit->page, title,
                    "<link rel=\"stylesheet\" href=\"/static/main.css\">\n"
                    "<script src=\"/static/script.js\" defer></script>\n");
    page_addf(&visit->page, "<img src=\"../../image/%u.png\" alt=\"\">\n", 1 + number % IMAGES);
    page_add_prose(&visit->page, seed, LEAST + seed % SPREAD);
    page_addf(&visit->page, "<h2 id=\"part\">From here</h2>\n");
    add_page_links(visit, number);
    page_end_html(&visit->page);
    visit_answer_html(visit);
}

/* The name, with the query if there is one: they follow each other in the head. */
static struct weft_text asked_name(const struct weft_http_request *request)
{
    struct weft_text name = request->params[1];
    if (request->head.query.data != NULL)
        name.size = (size_t)(request->head.query.data + request->head.query.size - name.data);
    return name;
}

void serve_page(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    struct weft_text asked = asked_name(&visit->request);
    unsigned chapter, pages = pages_of(visit);
    if (number_read(visit->request.params[0], chapter_of(pages), &chapter) && chapter > 0) {
        unsigned first = (chapter - 1) * PER_CHAPTER + 1;
        for (unsigned n = first; n < first + PER_CHAPTER && n <= pages; n++) {
            char name[NAME_SIZE];
            name_page(name, n, true);
            if (weft_text_is(asked, name)) {
                answer_page(visit, n);
                return;
            }
        }
    }
    visit_answer_missing(visit);
}

/* ---- chapters ------------------------------------------------------------------------------- */

struct list {
    unsigned page;
    bool descending;
};

/* Only these, so that nobody is led on without end. */
static bool read_list(struct weft_text query, struct list *list)
{
    static const char *const queries[] = {"page=1&sort=asc", "page=2&sort=asc", "page=1&sort=desc",
                                          "page=2&sort=desc"};
    *list = (struct list){.page = 1};
    if (query.data == NULL)
        return true;
    for (unsigned i = 0; i < 4; i++) {
        *list = (struct list){.page = 1 + i % 2, .descending = i >= 2};
        if (weft_text_is(query, queries[i]))
            return true;
    }
    return false;
}

static void answer_chapter(struct visit *visit, unsigned chapter, const struct list *list)
{
    struct page *page = &visit->page;
    unsigned pages = pages_of(visit), first = (chapter - 1) * PER_CHAPTER + 1;
    char title[NAME_SIZE];
    snprintf(title, sizeof title, "Chapter %u", chapter);
    page_begin_html(page, title, "<link rel=\"stylesheet\" href=\"../../static/main.css\">\n");
    page_addf(page, "<ul>\n");
    for (unsigned i = 0; i < PER_LIST; i++) {
        unsigned place = (list->page - 1) * PER_LIST + i;
        unsigned n = first + (list->descending ? PER_CHAPTER - 1 - place : place);
        if (n <= pages)
            add_link(visit, 0, n, "page");
    }
    page_addf(page, "</ul>\n<p><a href=\"?page=2&amp;sort=asc\">more</a> "
                    "<a href=\"?page=1&sort=desc\">from the end</a> "
                    "<a href=\"./?page=2&amp;sort=desc#top\">more from the end</a> "
                    "<a href=\"../../\">home</a>");
    if (chapter > 1)
        page_addf(page, " <a rel=\"prev\" href=\"../%u/\">before</a>", chapter - 1);
    if (chapter < chapter_of(pages))
        page_addf(page, " <a rel=\"next\" href=\"/chapter/%u/\">after</a>", chapter + 1);
    page_addf(page, "</p>\n");
    page_end_html(page);
    visit_answer_html(visit);
}

void serve_chapter(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    struct list list;
    unsigned chapter;
    if (number_read(visit->request.params[0], chapter_of(pages_of(visit)), &chapter) &&
        chapter > 0 && read_list(visit->request.head.query, &list))
        answer_chapter(visit, chapter, &list);
    else
        visit_answer_missing(visit);
}

/* ---- the front and the sitemap -------------------------------------------------------------- */

static void answer_front(struct visit *visit)
{
    struct page *page = &visit->page;
    page_begin_html(page, "A site made of numbers",
                    "<link rel=\"stylesheet\" href=\"static/main.css\">\n"
                    "<link rel=\"icon\" href=\"/image/1.svg\">\n");
    page_addf(page, "<p><a href=\"kinds/\">Every kind of link</a>, "
                    "<a href=\"/short/0\">a short way and a long one</a>, "
                    "<a href=\"#top\">this page</a>, "
                    "<a href=\"http://other.invalid/\">another site</a>.</p>\n<ol>\n");
    for (unsigned chapter = 1; chapter <= chapter_of(pages_of(visit)); chapter++)
        page_addf(page, "<li><a href=\"chapter/%u/\">Chapter %u</a></li>\n", chapter, chapter);
    page_addf(page, "</ol>\n");
    page_end_html(page);
    visit_answer_html(visit);
}

void serve_front(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    if (site_of(visit)->options.plain)
        plain_answer(visit, 0);
    else
        answer_front(visit);
}

static void add_location(struct visit *visit, const char *format, unsigned number, const char *name)
{
    char path[1024];
    page_addf(&visit->page, "<url><loc>");
    visit_add_origin(visit);
    snprintf(path, sizeof path, format, number, name);
    add_escaped(&visit->page, path);
    page_addf(&visit->page, "</loc></url>\n");
}

void serve_sitemap(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    unsigned pages = pages_of(visit) < SITEMAP_MAX ? pages_of(visit) : SITEMAP_MAX;
    const char *path;
    if (site_of(visit)->options.plain) {
        visit_answer_missing(visit);
        return;
    }
    page_addf(&visit->page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (unsigned n = 1; n <= pages; n++) {
        char name[NAME_SIZE];
        name_page(name, n, true);
        add_location(visit, "/chapter/%u/%s", chapter_of(n), name);
    }
    for (size_t at = 0; (path = fixed_listed(&at)) != NULL;)
        add_location(visit, "%.0u%s", 0, path);
    page_addf(&visit->page, "</urlset>\n");
    visit_answer(visit, 200, "application/xml");
}
