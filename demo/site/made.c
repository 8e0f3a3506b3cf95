/* Bytes that are no text: pictures, a tone, a font, and gzip. All are real files of their kind, but
 * the font, which has only the beginning of one.
 *
 * Deflate has blocks that are stored as they are: they make correct PNG and gzip files without a
 * compressor. A picture's number chooses its kind and its colour. */
#include "site.h"
#include <stdio.h>

enum { IMAGES = 32, STORED_MAX = 65535 };

/* ---- check sums and stored blocks ----------------------------------------------------------- */

static uint32_t crc32_of(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint32_t adler32_of(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void add_stored(struct page *page, const char *data, size_t size)
{
    do {
        size_t piece = size < STORED_MAX ? size : STORED_MAX;
        unsigned char head[] = {piece == size, (unsigned char)piece, (unsigned char)(piece >> 8),
                                (unsigned char)~piece, (unsigned char)(~piece >> 8)};
        page_add(page, head, sizeof head);
        page_add(page, data, piece);
        data += piece;
        size -= piece;
    } while (size > 0);
}

void page_gzip(struct page *page)
{
    static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    struct page packed = {.err = page->err};
    page_add(&packed, head, sizeof head);
    add_stored(&packed, page->data, page->size);
    page_add_little(&packed, crc32_of(page->data, page->size));
    page_add_little(&packed, (uint32_t)page->size);
    page_free(page);
    *page = packed;
}

/* ---- pictures ------------------------------------------------------------------------------- */

static void add_chunk(struct page *page, const char *type, const void *data, size_t size)
{
    page_add_big(page, (uint32_t)size);
    size_t begin = page->size;
    page_add(page, type, 4);
    page_add(page, data, size);
    if (page->err == 0)
        page_add_big(page, crc32_of(page->data + begin, page->size - begin));
}

/* 8 x 8 pixels of one colour. */
static void add_png(struct page *page, uint64_t colour)
{
    enum { SIDE = 8, ROW = 1 + 3 * SIDE };
    static const unsigned char head[] = {0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 2, 0, 0, 0};
    struct page pixels = {0};
    char rows[SIDE * ROW] = {0}; /* each begins with its filter: none */
    for (size_t i = 0; i < sizeof rows; i++) {
        if (i % ROW != 0)
            rows[i] = (char)(colour >> (8 * (i % ROW % 3)));
    }
    page_add(page, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(page, "IHDR", head, sizeof head);
    page_add(&pixels, "\x78\x01", 2);
    add_stored(&pixels, rows, sizeof rows);
    page_add_big(&pixels, adler32_of(rows, sizeof rows));
    if (pixels.err != 0)
        page->err = pixels.err;
    add_chunk(page, "IDAT", pixels.data, pixels.size);
    add_chunk(page, "IEND", NULL, 0);
    page_free(&pixels);
}

/* One pixel, of the first of two colours. */
static void add_gif(struct page *page, uint64_t colour)
{
    page_add(page, "GIF89a\1\0\1\0\x80\0\0", 13);
    for (int i = 0; i < 3; i++) {
        unsigned char part = (unsigned char)(colour >> (8 * i));
        page_add(page, &part, 1);
    }
    page_add(page, "\377\377\377,\0\0\0\0\1\0\1\0\0\2\2D\1\0;", 19);
}

static void add_svg(struct page *page, uint64_t colour)
{
    page_addf(page,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\">"
              "<rect width=\"16\" height=\"16\" fill=\"#%06x\"/></svg>\n",
              (unsigned)(colour & 0xffffff));
}

static const struct image_kind {
    const char *ending, *type;
    void (*add)(struct page *page, uint64_t colour);
} image_kinds[] = {
    {"png", "image/png", add_png},
    {"gif", "image/gif", add_gif},
    {"svg", "image/svg+xml", add_svg},
};

/* A picture is there in each kind: /image/1.png and /image/1.gif. */
void serve_image(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    for (unsigned number = 1; number <= IMAGES; number++) {
        for (size_t i = 0; i < sizeof image_kinds / sizeof *image_kinds; i++) {
            char name[32];
            snprintf(name, sizeof name, "%u.%s", number, image_kinds[i].ending);
            if (weft_text_is(visit->request.params[0], name)) {
                image_kinds[i].add(&visit->page, mixed(number));
                visit_answer(visit, 200, image_kinds[i].type);
                return;
            }
        }
    }
    visit_answer_missing(visit);
}

/* ---- others --------------------------------------------------------------------------------- */

/* A tenth of a second, 8,000 samples a second of 8 bits. */
void serve_tone(struct weft_op *op)
{
    enum { SAMPLES = 800, RATE = 8000 };
    struct visit *visit = visit_of(op);
    struct page *page = &visit->page;
    page_add(page, "RIFF", 4);
    page_add_little(page, 36 + SAMPLES);
    page_add(page, "WAVEfmt \20\0\0\0\1\0\1\0", 16);
    page_add_little(page, RATE);
    page_add_little(page, RATE);
    page_add(page, "\1\0\10\0data", 8);
    page_add_little(page, SAMPLES);
    for (int i = 0; i < SAMPLES; i++)
        page_add(page, i / 9 % 2 == 0 ? "\x60" : "\xa0", 1);
    visit_answer(visit, 200, "audio/wav");
}

void serve_font(struct weft_op *op)
{
    enum { FONT = 1000 };
    struct visit *visit = visit_of(op);
    page_add(&visit->page, "wOF2\0\1\0\0", 8);
    for (uint32_t i = 0; i < FONT / 4; i++)
        page_add_big(&visit->page, (uint32_t)mixed(i));
    visit_answer(visit, 200, "font/woff2");
}
