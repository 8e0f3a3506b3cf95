/* A byte of flags, keywords that each have their size before them, and data: all ways find what the
 * model finds, one match after the other. */
#include "../files/matcher_model.h"
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "matcher.c:%d: %s\n", __LINE__, #holds);                               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { KEYWORDS_MAX = 15, MATCHES_MAX = 8 };

struct asked {
    struct weft_text keywords[KEYWORDS_MAX + 1];
    size_t count;
    bool ignore_case;
    struct weft_text data;
};

/* The lowest bit of the flags is that for case, the others say how many keywords there are. */
static bool read_input(struct asked *asked, const uint8_t *input, size_t size)
{
    if (size == 0)
        return false;
    asked->ignore_case = input[0] & 1;
    size_t count = 1 + (input[0] >> 1) % KEYWORDS_MAX, at = 1;
    for (asked->count = 0; asked->count < count && at < size; asked->count++) {
        size_t length = input[at++];
        length = length < size - at ? length : size - at;
        asked->keywords[asked->count] = weft_text((const char *)input + at, length);
        at += length;
    }
    asked->data = weft_text((const char *)input + at, size - at);
    return true;
}

/* One after the other, each search beginning where the last match ends. The last has no place. */
static void find_matches(const struct asked *asked, struct match matches[MATCHES_MAX])
{
    struct weft_text rest = asked->data;
    for (size_t i = 0; i < MATCHES_MAX; i++) {
        matches[i] = (struct match){0};
        if (!model_find(asked->keywords, asked->count, asked->ignore_case, rest, &matches[i]))
            return;
        const char *end = matches[i].at + matches[i].size;
        rest = weft_text(end, (size_t)(asked->data.data + asked->data.size - end));
    }
}

static void check_matches(const struct asked *asked, const struct match *expected,
                          const struct matcher *matcher)
{
    struct weft_text rest = asked->data;
    for (size_t i = 0; i < MATCHES_MAX; i++) {
        struct match found = {0};
        bool is = weft__matcher_find(matcher, rest.data, rest.size, &found);
        CHECK(is == (expected[i].at != NULL));
        CHECK(found.at == expected[i].at && found.size == expected[i].size);
        CHECK(found.keyword == expected[i].keyword && found.size <= weft__matcher_reach(matcher));
        if (!is)
            return;
        size_t used = (size_t)(found.at - rest.data) + found.size;
        rest = weft_text(rest.data + used, rest.size - used);
    }
}

static void check_ways(const struct asked *asked)
{
    struct match matches[MATCHES_MAX];
    find_matches(asked, matches);
    for (enum matcher_way way = MATCHER_PLAIN; way <= MATCHER_AVX2; way++) {
        struct matcher *matcher;
        int status = weft__matcher_make_way(&matcher, asked->keywords, asked->count,
                                            asked->ignore_case, way);
        if (status == 0)
            check_matches(asked, matches, matcher);
        else
            CHECK(status == UV_EINVAL || status == UV_ENOTSUP);
        weft__matcher_free(matcher);
    }
}

/* What is written apart from all of this, and used by everybody, says the same of one keyword. */
static void check_memmem(const struct asked *asked)
{
    struct weft_text keyword = asked->keywords[0], data = asked->data;
    struct matcher *matcher;
    struct match found = {0};
    if (asked->count == 0 || keyword.size == 0 ||
        weft__matcher_make(&matcher, &keyword, 1, false) != 0)
        return;
    bool is = weft__matcher_find(matcher, data.data, data.size, &found);
    const char *expected = memmem(data.data, data.size, keyword.data, keyword.size);
    CHECK(is == (expected != NULL) && (!is || found.at == expected));
    weft__matcher_free(matcher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct asked asked;
    if (!read_input(&asked, data, size))
        return 0;
    /* A copy of its exact size, so that whatever is read beside it is noticed. */
    char *copy = malloc(asked.data.size > 0 ? asked.data.size : 1);
    CHECK(copy != NULL);
    memcpy(copy, asked.data.data, asked.data.size);
    asked.data.data = copy;
    check_ways(&asked);
    check_memmem(&asked);
    free(copy);
    return 0;
}
