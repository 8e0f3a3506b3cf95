/* The entry that is put together, and its report. */
#include "sitemap.h"
#include <uv.h>

bool weft__sitemap_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void weft__sitemap_field_clear(struct sitemap_field *field)
{
    field->size = 0;
    field->too_long = false;
}

void weft__sitemap_field_put(struct sitemap_field *field, const char *data, size_t size)
{
    while (field->size == 0 && size > 0 && weft__sitemap_is_space(*data)) {
        data++;
        size--;
    }
    if (size > field->room - field->size)
        field->too_long = true;
    if (field->too_long || size == 0)
        return;
    memcpy(field->text + field->size, data, size);
    field->size += size;
}

struct weft_text weft__sitemap_field_text(const struct sitemap_field *field)
{
    size_t size = field->too_long ? 0 : field->size;
    while (size > 0 && weft__sitemap_is_space(field->text[size - 1]))
        size--;
    return weft_text(field->text, size);
}

static uint64_t entries_max(const struct weft_sitemap *sitemap)
{
    return sitemap->entries_max > 0 ? sitemap->entries_max : WEFT_SITEMAP_ENTRIES_MAX;
}

void weft__sitemap_report(struct weft__sitemap *reader)
{
    struct weft_sitemap *sitemap = reader->sitemap;
    struct weft_sitemap_entry entry = {
        .loc = weft__sitemap_field_text(&reader->loc),
        .index = reader->index,
        .lastmod = weft__sitemap_field_text(&reader->lastmod),
    };
    weft__sitemap_field_clear(&reader->loc);
    weft__sitemap_field_clear(&reader->lastmod);
    if (entry.loc.size == 0 || sitemap->status_ != 0)
        return;
    if (reader->entries >= entries_max(sitemap)) {
        sitemap->status_ = UV_EFBIG;
        return;
    }
    reader->entries++;
    if (sitemap->on_entry != NULL)
        sitemap->on_entry(sitemap, &entry, sitemap->context);
}
