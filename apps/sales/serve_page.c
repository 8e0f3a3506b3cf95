/* GET / for people: the page. The files of apps/sales/page/ and the figures in them, once as text
 * that needs no script, once as JSON for the one it has, which then asks for /stats.json every
 * second.
 *
 * It loads nothing from anywhere. The policy that says so to the browser also names what may run:
 * the script and the style that bear this answer's own number, which nobody could guess. */
#include "embedded.h"
#include "sales/serve.h"
#include "template.h"
#include <inttypes.h>
#include <stdio.h>

enum { NONCE = 16 };

struct page {
    const struct sales_server *server;
    const struct totals_overview *overview;
    char nonce[2 * NONCE + 1];
};

/* ---- what is in it -------------------------------------------------------------------------- */

/* 1234567 as people read it: 1,234,567. */
static void write_number(struct out *out, int64_t number)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%" PRId64, number);
    for (int i = 0; i < size; i++) {
        out_text(out, weft_text(digits + i, 1));
        if ((size - i) % 3 == 1 && i + 1 < size && digits[i] != '-')
            out_string(out, ",");
    }
}

static void write_row(struct out *out, int64_t sum, uint64_t sales, int64_t most)
{
    double part = most > 0 && sum > 0 ? 100.0 * (double)sum / (double)most : 0;
    out_string(out, "</th><td>");
    write_number(out, sum);
    out_string(out, "</td><td>");
    write_number(out, (int64_t)sales);
    out_format(out,
               "</td><td class=\"bar\"><svg role=\"presentation\"><rect width=\"%.1f%%\" "
               "height=\"100%%\" rx=\"3\"/></svg></td></tr>\n",
               part < 100 ? part : 100);
}

static void write_rows(struct out *out, const struct totals_overview *overview)
{
    int64_t most = overview->count > 0 ? overview->items[0].sum : 0;
    for (size_t i = 0; i < overview->count; i++) {
        const struct ledger_item *item = &overview->items[i];
        out_string(out, "<tr><th scope=\"row\">");
        show_html(out, weft_text(item->name, item->size));
        write_row(out, item->sum, item->sales, most);
    }
    if (overview->count == 0)
        out_string(out, "<tr class=\"other\"><th scope=\"row\">nothing was sold yet</th></tr>\n");
    if (overview->other_sales > 0) {
        out_string(out, "<tr class=\"other\"><th scope=\"row\">all others");
        write_row(out, overview->other_sum, overview->other_sales, most);
    }
}

static void write_part(const void *context, struct weft_text name, struct out *out)
{
    const struct page *page = context;
    if (weft_text_is(name, "nonce"))
        out_string(out, page->nonce);
    else if (weft_text_is(name, "mode"))
        out_string(out, totals_mode_names[page->server->mode]);
    else if (weft_text_is(name, "total"))
        write_number(out, page->overview->sum);
    else if (weft_text_is(name, "sales"))
        write_number(out, (int64_t)page->overview->sales);
    else if (weft_text_is(name, "rows"))
        write_rows(out, page->overview);
    else if (weft_text_is(name, "stats"))
        figures_write_stats(out, page->server, page->overview);
}

/* ---- the answer ----------------------------------------------------------------------------- */

static int make_nonce(struct page *page)
{
    unsigned char bytes[NONCE];
    int err = uv_random(NULL, NULL, bytes, sizeof bytes, 0, NULL);
    for (size_t i = 0; err == 0 && i < sizeof bytes; i++)
        snprintf(page->nonce + 2 * i, 3, "%02x", bytes[i]);
    return err;
}

static int set_policy(struct visit *visit, const struct page *page)
{
    return weft_http_setf(&visit->request, "Content-Security-Policy",
                          "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; "
                          "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                          "frame-ancestors 'none'",
                          page->nonce, page->nonce);
}

static void overview_there(struct weft_op *op, struct weft_op *get)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    struct page page = {.server = server_of(visit)};
    struct out out = {0};
    int err = get->status != 0 ? get->status : make_nonce(&page);
    if (err == 0)
        err = set_policy(visit, &page);
    if (err != 0) {
        visit_fail(visit, "the totals cannot be found", err);
        return;
    }
    page.overview = (const void *)visit->by.overview.value.data;
    template_write(&out, sales_page, "page.html", write_part, &page);
    visit_answer(visit, "text/html; charset=utf-8", &out);
}

void serve_page(struct weft_op *op)
{
    struct visit *visit = weft_owner(op, struct visit, request.op);
    weft_cache_get(op, &visit->by.overview, &server_of(visit)->totals.overview, weft_text(NULL, 0),
                   overview_there);
}
