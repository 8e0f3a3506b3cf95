/* Two bytes that say where to cut, then a style sheet: whole, cut there and byte by byte the same
 * links are found. Each stands where it says: with all of them replaced by an x, all are an x. */
#include "../web/css_dump.h"
#include <stdint.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "css.c:%d: %s\n", __LINE__, #holds);                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct rewriting {
    const char *sheet;
    size_t size, done;
    struct dump out;
    unsigned count;
};

static void replace(struct weft_css *css, const struct weft_css_url *url, void *context)
{
    struct rewriting *rewriting = context;
    (void)css;
    CHECK(url->url.size > 0 && url->url.size <= WEFT_CSS_URL_MAX);
    CHECK(rewriting->done <= url->start && url->start < url->end && url->end <= rewriting->size);
    dump_bytes(&rewriting->out, rewriting->sheet + rewriting->done, url->start - rewriting->done);
    dump_bytes(&rewriting->out, "x", 1);
    rewriting->done = url->end;
    rewriting->count++;
}

static void expect_x(struct weft_css *css, const struct weft_css_url *url, void *context)
{
    unsigned *count = context;
    (void)css;
    CHECK(url->url.size == 1 && url->url.data[0] == 'x' && url->end - url->start == 1);
    ++*count;
}

static void scan(const char *sheet, size_t size, weft_css_fn *on_url, void *context)
{
    struct weft_css css = {.on_url = on_url, .context = context};
    weft_css_begin(&css);
    CHECK(weft_css_feed(&css, sheet, size) == 0);
    CHECK(weft_css_end(&css) == 0);
    weft_css_free(&css);
}

static void check_places(const char *sheet, size_t size)
{
    struct rewriting rewriting = {.sheet = sheet, .size = size};
    unsigned again = 0;
    scan(sheet, size, replace, &rewriting);
    dump_bytes(&rewriting.out, sheet + rewriting.done, size - rewriting.done);
    scan(rewriting.out.text, rewriting.out.size, expect_x, &again);
    CHECK(again == rewriting.count);
    dump_free(&rewriting.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dump whole = {0}, pieces = {0};
    if (size < 2)
        return 0;
    size_t first = data[0], step = data[1];
    const char *sheet = (const char *)data + 2;
    size -= 2;
    CHECK(css_dump(&whole, sheet, size, size, 0) == 0);
    CHECK(css_dump(&pieces, sheet, size, first, step) == 0);
    CHECK(dump_equal(&whole, &pieces));
    CHECK(css_dump(&pieces, sheet, size, 1, 1) == 0);
    CHECK(dump_equal(&whole, &pieces));
    check_places(sheet, size);
    dump_free(&whole);
    dump_free(&pieces);
    return 0;
}
