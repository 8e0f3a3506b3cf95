/* weft subsetsum solve and count: here and now, in this process. A match is written as soon as it is
 * found; who reads slowly slows the search down, and who goes away ends it. */
#include "subsetsum/subsetsum.h"
#include <inttypes.h>
#include <stdio.h>
#include <weft/error.h>

enum { AT_ONCE = 256 };
/* Some milliseconds: then what was found goes out, if nothing more is found for long. */
#define SLICE UINT64_C(1000000)

static const char *const method_words[] = {"auto", "gray", "meet", "schroeppel", NULL};

static int failed(int err)
{
    complain("%s",
             err == UV_E2BIG ? "these are too many numbers for that method" : weft_strerror(err));
    return EXIT_FAILED;
}

static bool write_matches(const struct subset_writer *writer, const uint64_t *masks, size_t count)
{
    char text[SUBSET_TEXT_MAX + 1];
    for (size_t i = 0; i < count; i++) {
        size_t size = subset_write(writer, masks[i], text);
        text[size++] = '\n';
        fwrite(text, 1, size, stdout);
    }
    return !ferror(stdout);
}

static void solve(struct subset_search *search, const struct subset_problem *problem,
                  uint64_t first)
{
    struct subset_writer writer;
    uint64_t masks[AT_ONCE];
    bool taken = true;
    subset_writer_init(&writer, problem);
    while (taken && search->state == SUBSET_MORE && search->found < first) {
        uint64_t left = first - search->found;
        size_t count =
            subset_search_next(search, masks, left < AT_ONCE ? (size_t)left : AT_ONCE, SLICE);
        taken = write_matches(&writer, masks, count) && (count == AT_ONCE || fflush(stdout) == 0);
    }
}

int subsetsum_solve_run(int argc, char **argv)
{
    const char *data = NULL, *sum = NULL;
    uint64_t first = UINT64_MAX;
    unsigned method = SUBSET_AUTO;
    const struct option options[] = {
        {.name = "data", .text = &data},
        {.name = "sum", .text = &sum},
        {.name = "first", .number = &first, .least = 1, .most = UINT64_MAX},
        {.name = "method", .words = method_words, .word = &method},
        {.name = NULL},
    };
    struct subset_problem problem;
    struct subset_search search;
    int status = options_read("subsetsum", options, &argc, argv);
    if (status == EXIT_OK)
        status = subsetsum_problem("solve", data, sum, argc, argv, &problem);
    if (status != EXIT_OK)
        return status;
    int err = subset_search_init(&search, &problem, (enum subset_method)method, 0, 1);
    if (err != 0)
        return failed(err);
    solve(&search, &problem, first);
    subset_search_free(&search);
    return EXIT_OK;
}

int subsetsum_count_run(int argc, char **argv)
{
    const char *data = NULL, *sum = NULL;
    const struct option options[] = {
        {.name = "data", .text = &data},
        {.name = "sum", .text = &sum},
        {.name = NULL},
    };
    struct subset_problem problem;
    struct subset_count count;
    int status = options_read("subsetsum", options, &argc, argv);
    if (status == EXIT_OK)
        status = subsetsum_problem("count", data, sum, argc, argv, &problem);
    if (status != EXIT_OK)
        return status;
    int err = subset_count_init(&count, &problem, 0, 1);
    if (err != 0)
        return failed(err);
    while (subset_count_run(&count, UINT64_MAX) == SUBSET_MORE)
        continue;
    subset_count_free(&count);
    printf("%" PRIu64 "\n", count.total);
    return EXIT_OK;
}
