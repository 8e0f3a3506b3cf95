/* How fast is a keyword found that is not there? Text of a quarter of a megabyte, which fits into a
 * processor's second cache, is searched again and again: the C library's memmem beside the matcher
 * under `weft find`, which for several keywords and for other case does more than memmem can; there
 * the peer searches for each keyword in its turn, and for lower case only.
 * Bars: 1 time memmem, wherever. */
#include "../../src/files/search/matcher.h"
#include "../bench.h"
#include <string.h>

enum { TEXT_SIZE = 256 * 1024, KEYWORDS = 8 };

static char text[TEXT_SIZE];
static struct weft_text keywords[KEYWORDS];
static size_t keyword_count;
static struct matcher *matcher;

/* Sentences that look like words: letters as common as they are in English. */
static void write_text(void)
{
    static const char letters[] =
        "      eeeeeetttttaaaaooooiiiinnnnsssshhhrrrddlllcuumwfgypbvk.,\n";
    uint32_t state = 1;
    for (size_t i = 0; i < TEXT_SIZE; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = letters[(state >> 16) % (sizeof letters - 1)];
    }
}

static uint64_t ours(size_t count)
{
    struct match match;
    uint64_t begun = uv_hrtime();
    for (size_t i = 0; i < count; i++)
        bench_check(!weft__matcher_find(matcher, text, TEXT_SIZE, &match), "found it");
    return uv_hrtime() - begun;
}

static uint64_t theirs(size_t count)
{
    uint64_t begun = uv_hrtime();
    for (size_t i = 0; i < count * keyword_count; i++) {
        struct weft_text keyword = keywords[i % keyword_count];
        bench_check(memmem(text, TEXT_SIZE, keyword.data, keyword.size) == NULL, "found it");
    }
    return uv_hrtime() - begun;
}

/* Of the words, up to the first that is NULL. */
static void compare(const char *name, bool ignore_case, const char *const *words)
{
    char line[64];
    for (keyword_count = 0; words[keyword_count] != NULL; keyword_count++)
        keywords[keyword_count] = weft_text_of(words[keyword_count]);
    bench_check(weft__matcher_make(&matcher, keywords, keyword_count, ignore_case) == 0, "making");
    snprintf(line, sizeof line, "files/matcher-%s", name);
    bench_compare(line, "memmem", ours, theirs, 200);
    weft__matcher_free(matcher);
}

int main(void)
{
    write_text();
    compare("rare", false, (const char *const[]){"Zebra_crossing", NULL});
    compare("common", false, (const char *const[]){"these toaster", NULL});
    compare("short", false, (const char *const[]){"Qt", NULL});
    compare("eight", false,
            (const char *const[]){"Error", "Warning", "fatality", "panicked", "Aborted", "killed_",
                                  "timeout_", "refused!", NULL});
    compare("any-case", true, (const char *const[]){"toaster_oven", NULL});
    compare("any-case-eight", true,
            (const char *const[]){"error_", "warning", "fatality", "panicked", "aborted", "killed_",
                                  "timeout_", "refused!", NULL});
    return 0;
}
