/* Which path is made by what. What is in no pattern is in the table of fixed.c, or missing. */
#include "site.h"
#include <stdio.h>

static const struct weft_http_route routes[] = {
    {WEFT_HTTP_GET, "/", serve_front},
    {WEFT_HTTP_GET, "/_stats", serve_stats},
    {WEFT_HTTP_GET, "/robots.txt", serve_robots},
    {WEFT_HTTP_GET, "/sitemap.xml", serve_sitemap},
    {WEFT_HTTP_GET, "/p/:name", serve_plain},
    {WEFT_HTTP_GET, "/chapter/:number/", serve_chapter},
    {WEFT_HTTP_GET, "/chapter/:number/:name", serve_page},
    {WEFT_HTTP_GET, "/kinds/", serve_kinds},
    {WEFT_HTTP_GET, "/image/:name", serve_image},
    {WEFT_HTTP_GET, "/media/tone.wav", serve_tone},
    {WEFT_HTTP_GET, "/static/font.woff2", serve_font},
    {WEFT_HTTP_GET, "/flaky/:name", serve_flaky},
    {WEFT_HTTP_GET, "/short/:name", serve_short},
    {WEFT_HTTP_GET, "/hang", serve_hang},
    {WEFT_HTTP_GET, "/big.bin", serve_big},
    {WEFT_HTTP_GET, "/*rest", serve_fixed},
};

void visit_route(struct weft_op *op)
{
    weft_http_route(&visit_of(op)->request, routes, sizeof routes / sizeof *routes);
}

bool number_read(struct weft_text text, unsigned most, unsigned *number)
{
    char again[16];
    *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || i > 8)
            return false;
        *number = *number * 10 + (unsigned)(text.data[i] - '0');
    }
    snprintf(again, sizeof again, "%u", *number);
    return weft_text_is(text, again) && *number <= most;
}
