/* The sum may be wider than printf knows. */
#include "subsetsum/errand.h"
#include <stdio.h>

static size_t write_wide(subset_wide number, char text[48])
{
    char digits[48];
    size_t count = 0, size = 0;
    bool negative = number < 0;
    do { /* towards 0, from either side */
        int digit = (int)(number % 10);
        digits[count++] = (char)('0' + (digit < 0 ? -digit : digit));
        number /= 10;
    } while (number != 0);
    if (negative)
        text[size++] = '-';
    while (count > 0)
        text[size++] = digits[--count];
    return size;
}

size_t errand_write(const struct errand *errand, char text[ERRAND_TEXT])
{
    struct subset_writer writer;
    int head = snprintf(text, ERRAND_TEXT, "%u %u ", errand->part, errand->parts);
    size_t size = (size_t)head + write_wide(errand->problem.sum, text + head);
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
