/* Subsets as text. There may be billions of them, and of each number there is only one: it is turned
 * into digits once, and a subset is a few copies of fixed size, each over the unused end of the one
 * before. */
#include "subsetsum/inside.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void subset_writer_init(struct subset_writer *writer, const struct subset_problem *problem)
{
    memset(writer, 0, sizeof *writer);
    for (unsigned i = 0; i < problem->count && i < SUBSET_MAX; i++)
        writer->sizes_[i] = (unsigned char)snprintf(writer->numbers_[i], sizeof writer->numbers_[i],
                                                    ",%" PRId64, problem->values[i]);
}

size_t subset_write(const struct subset_writer *writer, uint64_t mask, char buffer[SUBSET_TEXT_MAX])
{
    size_t size = 0;
    for (; mask != 0; mask &= mask - 1) {
        int i = __builtin_ctzll(mask);
        memcpy(buffer + size, writer->numbers_[i], sizeof writer->numbers_[i]);
        size += writer->sizes_[i];
    }
    size += size == 0;
    buffer[0] = '['; /* the first comma */
    buffer[size++] = ']';
    return size;
}

/* printf knows no integers of 128 bits. */
size_t subset_write_sum(const struct subset_problem *problem, char buffer[SUBSET_SUM_MAX])
{
    const bool negative = problem->sum < 0;
    subset_size left = (subset_size)problem->sum;
    char digits[SUBSET_SUM_MAX], *first = digits + sizeof digits;
    left = negative ? 0 - left : left;
    do {
        *--first = (char)('0' + (int)(left % 10));
        left /= 10;
    } while (left > 0);
    if (negative)
        *--first = '-';
    size_t size = (size_t)(digits + sizeof digits - first);
    memcpy(buffer, first, size);
    return size;
}
