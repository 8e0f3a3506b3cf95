/* From a place in a value back to the document: the changes are in order, so that the one in
 * question is found by halving. */
#include "tokenizer.h"

size_t weft__html_changes_before(const struct weft_html_attribute *attribute, size_t at)
{
    size_t low = 0, high = attribute->change_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (attribute->changes[middle].at + attribute->changes[middle].size <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The bytes that one byte of the value stands for. */
static void source_of(const struct weft_html_attribute *attribute, size_t at, uint64_t *start,
                      uint64_t *end)
{
    size_t before = weft__html_changes_before(attribute, at);
    const struct weft_html_change *changes = attribute->changes;
    if (before < attribute->change_count && changes[before].at <= at) {
        *start = changes[before].start;
        *end = changes[before].end;
        return;
    }
    *start = attribute->start + at;
    if (before > 0)
        *start = changes[before - 1].end + (at - changes[before - 1].at - changes[before - 1].size);
    *end = *start + 1;
}

void weft_html_source(const struct weft_html_attribute *attribute, size_t at, size_t size,
                      uint64_t *start, uint64_t *end)
{
    uint64_t ignored;
    if (attribute->change_count == 0) {
        *start = attribute->start + at;
        *end = *start + size;
        return;
    }
    source_of(attribute, at, start, end);
    if (size == 0)
        *end = *start;
    else
        source_of(attribute, at + size - 1, &ignored, end);
}
