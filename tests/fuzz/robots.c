/* A path up to the first NUL, then a robots.txt: it is read without harm for any agent, and the
 * answer does not depend on how lines end, nor on what stands in comments. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/robots.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "robots.c:%d: %s\n", __LINE__, #holds);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { BODY_MAX = 64 * 1024 };

struct answer {
    bool allowed;
    uint32_t delay_ms;
    size_t sitemaps;
};

static struct answer ask(struct weft_text body, const char *agent, struct weft_text path)
{
    struct weft_robots robots = {0};
    CHECK(weft_robots_parse(&robots, body, weft_text_of(agent)) == 0);
    struct answer answer = {weft_robots_allows(&robots, path), robots.crawl_delay_ms,
                            robots.sitemap_count};
    for (size_t i = 0; i < robots.sitemap_count; i++) {
        CHECK(robots.sitemaps[i].size > 0);
        CHECK(robots.sitemaps[i].data[robots.sitemaps[i].size] == 0);
    }
    CHECK(weft_robots_allows(&robots, weft_text_of("/robots.txt")));
    CHECK(answer.delay_ms == WEFT_ROBOTS_NO_DELAY || answer.delay_ms <= WEFT_ROBOTS_DELAY_MAX_MS);
    weft_robots_free(&robots);
    return answer;
}

/* The same with a comment and CRLF at each line's end. */
static struct weft_text decorate(struct weft_text body)
{
    static const char end[] = {' ', '#', ':', '\r', '\n'};
    char *text = malloc(body.size * sizeof end + 1);
    size_t size = 0;
    CHECK(text != NULL);
    for (size_t i = 0; i < body.size; i++) {
        if (body.data[i] != '\n' && body.data[i] != '\r') {
            text[size++] = body.data[i];
            continue;
        }
        memcpy(text + size, end, sizeof end);
        size += sizeof end;
    }
    return weft_text(text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const agents[] = {"weft", "a", ""};
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    if (nul == NULL || size > BODY_MAX)
        return 0;
    struct weft_text path = weft_text((const char *)data, (size_t)(nul - data));
    struct weft_text body = weft_text((const char *)nul + 1, size - path.size - 1);
    struct weft_text decorated = decorate(body);
    for (size_t i = 0; i < 3; i++) {
        struct answer one = ask(body, agents[i], path), other = ask(decorated, agents[i], path);
        CHECK(one.allowed == other.allowed && one.delay_ms == other.delay_ms);
        CHECK(one.sitemaps == other.sitemaps);
    }
    free((char *)(uintptr_t)decorated.data);
    uint32_t age = weft_robots_max_age_s(path);
    CHECK(age >= WEFT_ROBOTS_AGE_MIN_S && age <= WEFT_ROBOTS_AGE_MAX_S);
    return 0;
}
