/* A sum, the end of a line, and an array of integers. Either is refused with a sentence, or what was
 * read is written and read again as the same; of few numbers every method finds the same subsets as
 * the plainest loop. Without the end of a line it is an errand, of which the same holds. */
#include "subsetsum/engine.h"
#include "subsetsum/errand.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "subsetsum.c:%d: %s\n", __LINE__, #holds);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { FEW = 10, INPUT_MAX = 64 * 1024 };

static void check_written(const struct subset_problem *problem)
{
    struct subset_problem again = {.sum = problem->sum};
    struct subset_writer writer;
    char text[SUBSET_TEXT_MAX], why[SUBSET_WHY];
    subset_writer_init(&writer, problem);
    size_t size = subset_write(&writer, UINT64_MAX, text);
    CHECK(size <= sizeof text);
    CHECK(subset_parse_values(&again, weft_text(text, size), why) == 0);
    CHECK(subset_parse_sum(&again, weft_text(text, subset_write_sum(problem, text)), why) == 0);
    CHECK(again.sum == problem->sum);
    CHECK(again.count == problem->count);
    CHECK(memcmp(again.values, problem->values, sizeof again.values) == 0);
}

static subset_wide sum_of(const struct subset_problem *problem, uint64_t mask)
{
    subset_wide sum = 0;
    for (unsigned i = 0; i < problem->count; i++)
        sum += mask >> i & 1 ? problem->values[i] : 0;
    return sum;
}

static void check_method(const struct subset_problem *problem, enum subset_method method,
                         unsigned parts, uint64_t expected)
{
    bool seen[1 << FEW] = {false};
    uint64_t masks[7], found = 0, counted = 0;
    for (unsigned part = 0; part < parts; part++) {
        struct subset_search search;
        struct subset_count count;
        CHECK(subset_search_init(&search, problem, method, part, parts) == 0);
        while (search.state == SUBSET_MORE) {
            size_t made = subset_search_next(&search, masks, 7, 100);
            for (size_t i = 0; i < made; i++, found++) {
                CHECK(masks[i] > 0 && masks[i] < UINT64_C(1) << problem->count);
                CHECK(!seen[masks[i]] && sum_of(problem, masks[i]) == problem->sum);
                seen[masks[i]] = true;
            }
        }
        subset_search_free(&search);
        CHECK(subset_count_init(&count, problem, part, parts) == 0);
        while (subset_count_run(&count, 100) == SUBSET_MORE)
            continue;
        counted += count.total;
        subset_count_free(&count);
    }
    CHECK(found == expected && counted == expected);
}

static void check_found(const struct subset_problem *problem)
{
    uint64_t expected = 0;
    for (uint64_t mask = 1; mask < UINT64_C(1) << problem->count; mask++)
        expected += sum_of(problem, mask) == problem->sum;
    for (enum subset_method method = SUBSET_AUTO; method <= SUBSET_SCHROEPPEL; method++) {
        check_method(problem, method, 1, expected);
        check_method(problem, method, 3, expected);
    }
}

static void check_errand(struct weft_text input)
{
    char why[SUBSET_WHY] = "", text[ERRAND_TEXT], again[ERRAND_TEXT];
    struct errand errand, second;
    int err = errand_read(&errand, input, why);
    CHECK((err != 0) == (why[0] != '\0'));
    CHECK(strnlen(why, sizeof why) < sizeof why);
    if (err != 0)
        return;
    CHECK(errand.part < errand.parts && errand.parts <= SUBSET_PARTS_MAX);
    size_t size = errand_write(&errand, text);
    CHECK(size <= sizeof text && errand_read(&second, weft_text(text, size), why) == 0);
    CHECK(errand_write(&second, again) == size && memcmp(text, again, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct subset_problem problem = {.count = 0};
    char why[SUBSET_WHY] = "";
    const char *text = (const char *)data, *line = size > 0 ? memchr(data, '\n', size) : NULL;
    if (size > INPUT_MAX)
        return 0;
    if (line == NULL) {
        check_errand(weft_text(text, size));
        return 0;
    }
    int err = subset_parse_sum(&problem, weft_text(text, (size_t)(line - text)), why);
    CHECK((err != 0) == (why[0] != '\0'));
    why[0] = '\0';
    err = subset_parse_values(&problem, weft_text(line + 1, size - (size_t)(line + 1 - text)), why);
    CHECK((err != 0) == (why[0] != '\0'));
    CHECK(strnlen(why, sizeof why) < sizeof why);
    check_written(&problem);
    if (err == 0 && problem.count <= FEW)
        check_found(&problem);
    return 0;
}
