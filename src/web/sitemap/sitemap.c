/* A sitemap from begin to end: the limits, and which format it is.
 *
 * Everything is in one block that is made at the first byte, so that a struct weft_sitemap in a
 * caller's struct is small. The first byte of the content that is neither blank nor part of a byte
 * order mark says what it is: a '<' begins XML. */
#include "sitemap.h"
#include <uv.h>
#include <weft/alloc.h>

enum { UNKNOWN, XML, TEXT };

static uint64_t size_max(const struct weft_sitemap *sitemap)
{
    return sitemap->size_max > 0 ? sitemap->size_max : WEFT_SITEMAP_SIZE_MAX;
}

static struct weft__sitemap *reader_new(struct weft_sitemap *sitemap)
{
    struct weft__sitemap *reader = weft_calloc(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    reader->sitemap = sitemap;
    reader->loc = (struct sitemap_field){.text = reader->loc_text, .room = WEFT_SITEMAP_LOC_MAX};
    reader->lastmod =
        (struct sitemap_field){.text = reader->lastmod_text, .room = SITEMAP_SMALL_MAX};
    reader->xml.rel = (struct sitemap_field){.text = reader->rel_text, .room = SITEMAP_SMALL_MAX};
    return reader;
}

static bool is_before_content(char c)
{
    return weft__sitemap_is_space(c) || c == '\xef' || c == '\xbb' || c == '\xbf';
}

static void parse(struct weft__sitemap *reader, const char *data, size_t size)
{
    while (reader->format == UNKNOWN && size > 0) {
        if (!is_before_content(*data)) {
            reader->format = *data == '<' ? XML : TEXT;
            break;
        }
        data++;
        size--;
    }
    if (reader->format == XML)
        weft__sitemap_xml(reader, data, size);
    else if (reader->format == TEXT)
        weft__sitemap_text(reader, data, size);
}

void weft__sitemap_content(struct weft__sitemap *reader, const char *data, size_t size)
{
    uint64_t room = size_max(reader->sitemap) - reader->size;
    bool beyond = size > room;
    if (beyond)
        size = (size_t)room;
    reader->size += size;
    parse(reader, data, size);
    if (beyond && reader->sitemap->status_ == 0)
        reader->sitemap->status_ = UV_EFBIG;
}

void weft_sitemap_begin(struct weft_sitemap *sitemap)
{
    weft_sitemap_free(sitemap);
    sitemap->status_ = 0;
}

int weft_sitemap_feed(struct weft_sitemap *sitemap, const void *data, size_t size)
{
    if (size == 0 || sitemap->status_ != 0)
        return sitemap->status_;
    if (sitemap->reader_ == NULL)
        sitemap->reader_ = reader_new(sitemap);
    if (sitemap->reader_ == NULL)
        return sitemap->status_ = UV_ENOMEM;
    weft__sitemap_unpack(sitemap->reader_, data, size);
    return sitemap->status_;
}

/* A line of a text ends with the file, unless there should have been more of it. */
static void finish(struct weft__sitemap *reader)
{
    int status = weft__sitemap_unpack_end(reader);
    if (reader->sitemap->status_ == 0 && reader->format == XML)
        weft__sitemap_xml_end(reader);
    if (reader->sitemap->status_ == 0 && reader->format == TEXT && status == 0)
        weft__sitemap_text_end(reader);
    if (reader->sitemap->status_ == 0)
        reader->sitemap->status_ = status;
}

int weft_sitemap_end(struct weft_sitemap *sitemap)
{
    if (sitemap->status_ == 0 && sitemap->reader_ != NULL)
        finish(sitemap->reader_);
    return sitemap->status_;
}

void weft_sitemap_free(struct weft_sitemap *sitemap)
{
    if (sitemap->reader_ == NULL)
        return;
    weft__sitemap_unpack_free(sitemap->reader_);
    weft_free(sitemap->reader_);
    sitemap->reader_ = NULL;
}
