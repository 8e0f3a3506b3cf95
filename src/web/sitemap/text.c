/* A sitemap that is a text: one URL a line. What is no URL of the web is passed over, so that an
 * answer that is no sitemap at all yields nothing. */
#include "sitemap.h"

static bool starts_with(struct weft_text text, const char *start)
{
    size_t size = strlen(start);
    return text.size > size && weft_text_same(weft_text(text.data, size), weft_text_of(start));
}

static void end_line(struct weft__sitemap *reader)
{
    struct weft_text line = weft__sitemap_field_text(&reader->loc);
    if (starts_with(line, "http://") || starts_with(line, "https://"))
        weft__sitemap_report(reader);
    else
        weft__sitemap_field_clear(&reader->loc);
}

void weft__sitemap_text(struct weft__sitemap *reader, const char *data, size_t size)
{
    const char *end = data + size;
    while (data < end && reader->sitemap->status_ == 0) {
        const char *line = data;
        while (data < end && *data != '\n' && *data != '\r')
            data++;
        weft__sitemap_field_put(&reader->loc, line, (size_t)(data - line));
        if (data < end) {
            end_line(reader);
            data++;
        }
    }
}

void weft__sitemap_text_end(struct weft__sitemap *reader)
{
    end_line(reader);
}
