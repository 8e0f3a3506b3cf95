/* The plain pages, which are all there is with --no-extras: for tests of speed, and of crawls that
 * are ended by force.
 *
 * Number 0 is the front. Page n links to 8n + 1 up to 8n + 8, to the page that links to it so, and
 * to others up to ten links. */
#include "site.h"
#include <stdio.h>

enum { LINKS = 10, CHILDREN = 8 };

static void add_plain_link(struct page *page, uint64_t to)
{
    if (to == 0)
        page_addf(page, "<li><a href=\"/\">page 0</a></li>\n");
    else
        page_addf(page, "<li><a href=\"/p/%llu.html\">page %llu</a></li>\n", (unsigned long long)to,
                  (unsigned long long)to);
}

void plain_answer(struct visit *visit, unsigned number)
{
    enum { LEAST = 1500, SPREAD = 1500 };
    struct page *page = &visit->page;
    unsigned links = 0, pages = (unsigned)site_of(visit)->options.pages;
    uint64_t seed = mixed(site_of(visit)->options.seed + number), random = seed;
    char title[32];
    snprintf(title, sizeof title, "Page %u", number);
    page_begin_html(page, title, "");
    page_add_prose(page, seed, LEAST + seed % SPREAD);
    page_addf(page, "<ul>\n");
    for (uint64_t child = (uint64_t)number * CHILDREN + 1; links < CHILDREN && child < pages;
         child++, links++)
        add_plain_link(page, child);
    if (number > 0) {
        add_plain_link(page, (number - 1) / CHILDREN);
        links++;
    }
    for (; links < LINKS; links++) {
        random = mixed(random);
        add_plain_link(page, random % pages);
    }
    page_addf(page, "</ul>\n");
    page_end_html(page);
    visit_answer_html(visit);
}

void serve_plain(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    struct weft_text name = visit->request.params[0];
    unsigned number;
    if (name.size > 5 && weft_text_is(weft_text(name.data + name.size - 5, 5), ".html"))
        name.size -= 5;
    else
        name.size = 0;
    if (number_read(name, (unsigned)site_of(visit)->options.pages - 1, &number) && number > 0)
        plain_answer(visit, number);
    else
        visit_answer_missing(visit);
}
