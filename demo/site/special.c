/* Pages that behave: one that fails the first time, one that never answers, one that is reached by
 * a short and a long way, and a big file.
 *
 * The two ways, for tests of nesting: /short/0 links to /short/slow, which takes its time and links
 * to /short/goal, and to /short/1, which leads there by /short/2 and /short/3 without a delay.
 * /short/goal leads to /short/end-1, and that to /short/end-2. Who meets the goal first by the long
 * way, with less nesting left, has to go on from it again when the short way arrives. */
#include "site.h"
#include <stdio.h>

/* ---- robots.txt ----------------------------------------------------------------------------- */

/* The two characters \n are a line end. */
static void add_lines(struct page *page, const char *text)
{
    const char *end;
    while ((end = strstr(text, "\\n")) != NULL) {
        page_addf(page, "%.*s\n", (int)(end - text), text);
        text = end + 2;
    }
    page_addf(page, "%s", text);
}

void serve_robots(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    const struct options *options = &site_of(visit)->options;
    struct page *page = &visit->page;
    if (options->robots != NULL) {
        add_lines(page, options->robots);
    } else if (options->plain) {
        page_addf(page, "User-agent: *\nDisallow:\n");
    } else {
        page_addf(page, "# Everything but one folder, of which one page is open.\n"
                        "User-agent: *\nDisallow: /private/\nAllow: /private/open.html\n\n"
                        "Sitemap: ");
        visit_add_origin(visit);
        page_addf(page, "/sitemap.xml\n");
    }
    visit_answer(visit, (int)options->robots_status, "text/plain");
}

/* ---- trouble -------------------------------------------------------------------------------- */

void serve_flaky(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    bool fails = visit->count == 1;
    page_begin_html(&visit->page, fails ? "Not this time" : "The second time is better", "");
    page_addf(&visit->page, "<p><a href=\"/kinds/\">all kinds</a></p>\n");
    page_end_html(&visit->page);
    visit_answer(visit, fails ? 500 : 200, "text/html; charset=utf-8");
}

void serve_hang(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    if (site_of(visit)->options.hang)
        visit_hang(visit);
    else
        visit_answer_missing(visit);
}

/* ---- two ways ------------------------------------------------------------------------------- */

static const char *const ways[][3] = {
    {"0", "slow", "1"},  {"slow", "goal", NULL},  {"1", "2", NULL},         {"2", "3", NULL},
    {"3", "goal", NULL}, {"goal", "end-1", NULL}, {"end-1", "end-2", NULL}, {"end-2", NULL, NULL},
};

static const char *const *way_of(struct weft_text name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (weft_text_is(name, ways[i][0]))
            return ways[i];
    }
    return NULL;
}

void serve_short(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    const char *const *way = way_of(visit->request.params[0]);
    if (way == NULL) {
        visit_answer_missing(visit);
        return;
    }
    page_begin_html(&visit->page, "A short way and a long one", "");
    for (size_t i = 1; i < 3 && way[i] != NULL; i++)
        page_addf(&visit->page, "<p><a href=\"%s\">to %s</a></p>\n", way[i], way[i]);
    page_end_html(&visit->page);
    visit_answer_html(visit);
}

/* ---- the big file --------------------------------------------------------------------------- */

static const unsigned char *big_piece(void)
{
    static unsigned char bytes[SITE_PIECE];
    static bool made;
    for (size_t i = 0; i < sizeof bytes && !made; i++)
        bytes[i] = (unsigned char)mixed(i);
    made = true;
    return bytes;
}

static void write_piece(struct visit *visit);

static void piece_written(struct weft_op *op, struct weft_op *piece)
{
    struct visit *visit = visit_of(op);
    if (piece->status != 0) {
        weft_end(op, piece->status);
        return;
    }
    visit->left -= visit->piece.size;
    if (visit->left > 0)
        write_piece(visit);
    else
        weft_http_end(&visit->request);
}

static void write_piece(struct visit *visit)
{
    size_t size = visit->left < SITE_PIECE ? (size_t)visit->left : SITE_PIECE;
    weft_http_write(&visit->request.op, &visit->piece, &visit->request, big_piece(), size,
                    piece_written);
}

void serve_big(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    visit->left = site_of(visit)->options.big;
    int err = weft_http_start(&visit->request, 200, "application/octet-stream", visit->left);
    if (err != 0)
        weft_end(op, err);
    else
        write_piece(visit);
}
