/* A byte that says what it is, then a page or a style sheet: with other links written into it, links of the
 * kinds that a copy on the disk has, just those are found in it. */
#include "offline/swaps.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "offline.c:%d: %s\n", __LINE__, #holds);                               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Ways between files, and URLs with all that the standard leaves in them. */
static const char *const targets[] = {
    "a.html",
    "../b/index.html#it's",
    ",comma,.png,",
    "%2520.html#,",
    "http://h.test/it's/(1)/?a=b&lt=c\\d`e#f\\g'h&copy",
    "..",
    "http://h.test/,",
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

struct look {
    struct swaps swaps;
    unsigned count;
    bool again; /* the document has them already */
};

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The next byte of a link, which may be encoded; a '\0' at the end. */
static char next(struct weft_text *link)
{
    char c = link->size > 0 ? link->data[0] : '\0';
    size_t size = link->size > 0;
    if (c == '%' && link->size > 2 && hex(link->data[1]) >= 0 && hex(link->data[2]) >= 0) {
        c = (char)(hex(link->data[1]) * 16 + hex(link->data[2]));
        size = 3;
    }
    *link = weft_text(link->data + size, link->size - size);
    return c;
}

static bool is_same(struct weft_text one, struct weft_text other)
{
    while (one.size > 0 || other.size > 0) {
        if (next(&one) != next(&other))
            return false;
    }
    return true;
}

static int on_link(struct weft_links *links, const struct weft_link *link)
{
    struct look *look = links->context;
    if (link->kind == WEFT_LINK_BASE || link->kind == WEFT_LINK_GUARD) {
        CHECK(!look->again || link->kind == WEFT_LINK_GUARD); /* one that is there twice */
        CHECK(look->again || swaps_add(&look->swaps, link, weft_text(NULL, 0)));
        return 0;
    }
    struct weft_text target = weft_text_of(targets[look->count++ % TARGETS]);
    CHECK(!look->again || is_same(link->url, target));
    CHECK(swaps_add(&look->swaps, link, target));
    return 0;
}

static bool scan(struct look *look, enum weft_links_type type, struct weft_text document)
{
    struct weft_links links = {.on_link = on_link, .context = look, .guards = true};
    swaps_begin(&look->swaps, document.size);
    CHECK(weft_links_scan(&links, type, weft_text_of("utf-8"), document.data, document.size) == 0);
    bool ranges = links.ranges;
    weft_links_free(&links);
    return ranges;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct look first = {.count = 0}, second = {.again = true};
    struct out written = {0};
    if (size == 0)
        return 0;
    enum weft_links_type type = data[0] % 2 == 0 ? WEFT_LINKS_HTML : WEFT_LINKS_CSS;
    if (data[0] % 2 == 0 && data[0] >= 0xc0)
        type = WEFT_LINKS_XHTML;
    first.count = second.count = data[0] / 2 % TARGETS;
    struct weft_text document = weft_text((const char *)data + 1, size - 1);
    if (scan(&first, type, document) && !first.swaps.full) {
        CHECK(swaps_write(&first.swaps, document, &written));
        document = weft_text(written.size > 0 ? written.data : "", written.size);
        scan(&second, type, document);
        CHECK(second.count == first.count);
    }
    swaps_free(&first.swaps);
    swaps_free(&second.swaps);
    out_free(&written);
    return 0;
}
