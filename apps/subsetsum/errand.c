/* Errands as text. */
#include "subsetsum/errand.h"
#include <stdio.h>

size_t errand_write(const struct errand *errand, char text[ERRAND_TEXT])
{
    struct subset_writer writer;
    int head = snprintf(text, ERRAND_TEXT, "%u %u ", errand->part, errand->parts);
    size_t size = (size_t)head + subset_write_sum(&errand->problem, text + head);
    text[size++] = ' ';
    subset_writer_init(&writer, &errand->problem);
    return size + subset_write(&writer, UINT64_MAX, text + size);
}

static bool read_part(struct weft_text text, unsigned *number)
{
    *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || i == 4)
            return false;
        *number = *number * 10 + (unsigned)(text.data[i] - '0');
    }
    return text.size > 0;
}

int errand_read(struct errand *errand, struct weft_text text, char why[SUBSET_WHY])
{
    struct weft_text part = weft_text_cut(&text, ' '), parts = weft_text_cut(&text, ' '),
                     sum = weft_text_cut(&text, ' ');
    if (!read_part(part, &errand->part) || !read_part(parts, &errand->parts) ||
        errand->part >= errand->parts || errand->parts > SUBSET_PARTS_MAX) {
        snprintf(why, SUBSET_WHY, "it does not begin with a part of so many parts");
        return UV_EINVAL;
    }
    int err = subset_parse_values(&errand->problem, text, why);
    return err != 0 ? err : subset_parse_sum(&errand->problem, sum, why);
}
