/* Two bytes that say how to cut, then a document: its links and its tokens are the same whole, cut
 * into random pieces and byte by byte. Ranges of links lie within the document and increase; a
 * link's URL is never empty. The first byte also chooses HTML or CSS and a charset. */
#include "../web/html_record.h"
#include "../web/links_record.h"

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "html.c:%d: %s\n", __LINE__, #holds);                                  \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct cuts {
    uint64_t random; /* 0: one piece */
    size_t most;
};

static size_t next_piece(struct cuts *cuts, size_t left)
{
    if (cuts->random == 0)
        return left;
    cuts->random ^= cuts->random << 13;
    cuts->random ^= cuts->random >> 7;
    cuts->random ^= cuts->random << 17;
    size_t piece = 1 + cuts->random % cuts->most;
    return piece < left ? piece : left;
}

/* ---- links ----------------------------------------------------------------------------------- */

static int on_link(struct weft_links *links, const struct weft_link *link)
{
    CHECK(link->url.size > 0);
    CHECK(links->encoding[0] != '\0');
    return links_record_on_link(links, link);
}

static void read_links(struct links_record *record, unsigned how, const char *data, size_t size,
                       struct cuts cuts)
{
    static const char *const charsets[] = {"",         "utf-8",       "latin1",  "shift_jis",
                                           "utf-16le", "iso-2022-jp", "gb18030", "hz-gb-2312"};
    static struct weft_links links; /* kept: what one document leaves must not matter to the next */
    links_record_free(record);
    *record = (struct links_record){.document = data, .document_size = size, .with_ranges = true};
    links.on_link = on_link;
    links.context = record;
    enum weft_links_type type = how & 8 ? WEFT_LINKS_CSS : WEFT_LINKS_HTML;
    CHECK(weft_links_begin(&links, type, weft_text_of(charsets[how & 7])) == 0);
    for (size_t at = 0; at < size;) {
        size_t piece = next_piece(&cuts, size - at);
        CHECK(weft_links_feed(&links, data + at, piece) == 0);
        at += piece;
    }
    CHECK(weft_links_end(&links) == 0);
    char results[64];
    int length = snprintf(results, sizeof results, "%d %d %s %d", links.nofollow, links.noindex,
                          links.encoding, (int)links.encoding_from);
    links_record_put(record, results, (size_t)length);
    CHECK(!record->wrong_range);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static int on_token(struct weft_html *html, const struct weft_html_token *token)
{
    CHECK(token->type != WEFT_HTML_TEXT || token->text.size > 0);
    for (size_t i = 0; i < token->attribute_count; i++)
        CHECK(token->attributes[i].start <= token->attributes[i].end);
    record_token(html->context, token);
    return 0;
}

static void read_tokens(struct record *record, unsigned how, const char *data, size_t size,
                        struct cuts cuts)
{
    static struct weft_html html = {.on_token = on_token};
    html.context = record;
    html.wants = WEFT_HTML_WANTS_ALL;
    html.elements = how & 16;
    html.cdata = how & 32;
    html.raw_text = how & 64;
    record_clear(record);
    CHECK(weft_html_begin(&html) == 0);
    for (size_t at = 0; at < size;) {
        size_t piece = next_piece(&cuts, size - at);
        CHECK(weft_html_feed(&html, data + at, piece) == 0);
        at += piece;
    }
    CHECK(weft_html_end(&html) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct links_record links_whole, links_cut;
    static struct record whole, cut;
    if (size < 2 || size > 1 << 16)
        return 0;
    const unsigned how = data[0];
    const struct cuts all[] = {{0, 0}, {1, 1}, {data[1] + 1u, 2 + data[1] % 64u}};
    const char *document = (const char *)data + 2;
    size -= 2;
    read_links(&links_whole, how, document, size, all[0]);
    read_tokens(&whole, how, document, size, all[0]);
    for (int i = 1; i < 3; i++) {
        read_links(&links_cut, how, document, size, all[i]);
        CHECK(links_record_same(&links_cut, &links_whole));
        read_tokens(&cut, how, document, size, all[i]);
        CHECK(record_same(&cut, &whole));
    }
    return 0;
}
