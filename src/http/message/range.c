/* Ranges of bytes (RFC 9110, 14).
 *
 * What cannot be understood is ignored, as the RFC wants it: the whole is always a right answer.
 * So is what costs more than it is worth. Two bounds do: a number of ranges, and that together they
 * are no more than the whole, so no one can have a file sent a hundred times with one request. */
#include "scan.h"
#include <inttypes.h>
#include <stdio.h>

enum spec { MALFORMED, OUTSIDE, INSIDE };

/* "-500": the last bytes. */
static enum spec parse_suffix(struct weft_text digits, uint64_t size, struct weft_http_range *range)
{
    uint64_t count;
    if (number_parse(digits, UINT64_MAX, &count) == UV_EINVAL)
        return MALFORMED;
    range->size = count < size ? count : size;
    range->first = size - range->size;
    return count > 0 ? INSIDE : OUTSIDE;
}

/* "500-999" or "500-". */
static enum spec parse_spec(struct weft_text spec, uint64_t size, struct weft_http_range *range)
{
    uint64_t first, last = UINT64_MAX;
    struct weft_text from = weft_text_cut(&spec, '-');
    if (spec.data == NULL)
        return MALFORMED;
    if (from.size == 0)
        return parse_suffix(spec, size, range);
    if (number_parse(from, UINT64_MAX, &first) == UV_EINVAL ||
        (spec.size > 0 && number_parse(spec, UINT64_MAX, &last) == UV_EINVAL) || last < first)
        return MALFORMED;
    if (first >= size)
        return OUTSIDE;
    range->first = first;
    range->size = (last < size ? last : size - 1) - first + 1;
    return INSIDE;
}

static enum weft_http_part parse_list(struct weft_text list, uint64_t size,
                                      struct weft_http_ranges *ranges)
{
    struct weft_text element;
    struct weft_http_range range;
    size_t seen = 0;
    uint64_t left = size;
    while (weft_http_list_next(&list, &element) == 1) {
        enum spec spec = parse_spec(element, size, &range);
        if (spec == MALFORMED || ++seen > WEFT_HTTP_RANGES)
            return WEFT_HTTP_WHOLE;
        if (spec == OUTSIDE)
            continue;
        if (range.size == 0 || range.size > left) /* the end of what is empty; or too much */
            return WEFT_HTTP_WHOLE;
        left -= range.size;
        ranges->range[ranges->count++] = range;
    }
    if (ranges->count > 0)
        return WEFT_HTTP_PARTIAL;
    return seen > 0 ? WEFT_HTTP_UNSATISFIABLE : WEFT_HTTP_WHOLE;
}

enum weft_http_part weft_http_range_parse(struct weft_text value, uint64_t size,
                                          struct weft_http_ranges *ranges)
{
    struct weft_text unit = weft_text_cut(&value, '=');
    ranges->count = 0;
    if (!weft_text_same(unit, weft_text_of("bytes")))
        return WEFT_HTTP_WHOLE;
    enum weft_http_part part = parse_list(value, size, ranges);
    if (part != WEFT_HTTP_PARTIAL)
        ranges->count = 0;
    return part;
}

void weft_http_content_range_format(char text[WEFT_HTTP_CONTENT_RANGE_SIZE],
                                    const struct weft_http_range *range, uint64_t size)
{
    if (range == NULL)
        snprintf(text, WEFT_HTTP_CONTENT_RANGE_SIZE, "bytes */%" PRIu64, size);
    else
        snprintf(text, WEFT_HTTP_CONTENT_RANGE_SIZE, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
                 range->first, range->first + range->size - 1, size);
}
