/* The matcher beside its model, in every way that this processor can go.
 * ctest: shuffle=no timeout=120 */
#include "check.h"
#include "fault.h"
#include "files/search/automaton.h"
#include "matcher_model.h"
#include "weft/alloc.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define EACH_WAY(way)                                                                              \
    (enum matcher_way way = MATCHER_PLAIN; way <= MATCHER_AVX2; way++) if (weft__matcher_can(way))

static struct matcher *make(const struct weft_text *keywords, size_t count, bool ignore_case,
                            enum matcher_way way)
{
    struct matcher *matcher;
    assert_int_equal(weft__matcher_make_way(&matcher, keywords, count, ignore_case, way), 0);
    return matcher;
}

/* ---- what is found --------------------------------------------------------------------------- */

/* The way out of what is slow, by itself: normally few data get there. */
static void check_automaton(const struct weft_text *keywords, size_t count, bool ignore_case,
                            struct weft_text data, const struct match *expected)
{
    struct automaton automaton;
    struct found found;
    assert_int_equal(weft__automaton_make(&automaton, keywords, count, ignore_case), 0);
    bool is = weft__automaton_find(&automaton, data, 0, &found);
    assert_int_equal(is, expected->at != NULL);
    if (is) {
        assert_ptr_equal(data.data + found.start, expected->at);
        assert_int_equal(found.end - found.start, expected->size);
        assert_int_equal(found.keyword, expected->keyword);
    }
    weft__automaton_close(&automaton);
}

/* Requires that all ways find what the model finds, and says what that is. */
static bool agreed(const struct weft_text *keywords, size_t count, bool ignore_case,
                   struct weft_text data, struct match *match)
{
    struct match expected = {0};
    bool is = model_find(keywords, count, ignore_case, data, &expected);
    for
        EACH_WAY(way)
        {
            struct match found = {0};
            struct matcher *matcher = make(keywords, count, ignore_case, way);
            assert_int_equal(weft__matcher_find(matcher, data.data, data.size, &found), is);
            assert_ptr_equal(found.at, expected.at);
            assert_int_equal(found.size, expected.size);
            assert_int_equal(found.keyword, expected.keyword);
            assert_true(found.size <= weft__matcher_reach(matcher));
            weft__matcher_free(matcher);
        }
    check_automaton(keywords, count, ignore_case, data, &expected);
    *match = expected;
    return is;
}

/* Where the keyword is found in the text, -1 if it is not. */
static long find(const char *keyword, const char *text, bool ignore_case)
{
    struct match match;
    struct weft_text keywords[] = {weft_text_of(keyword)};
    if (!agreed(keywords, 1, ignore_case, weft_text_of(text), &match))
        return -1;
    return (long)(match.at - text);
}

/* How many bytes are found, without regard to case; 0: nothing. */
static size_t size_of(const char *keyword, const char *text)
{
    struct match match = {0};
    struct weft_text keywords[] = {weft_text_of(keyword)};
    agreed(keywords, 1, true, weft_text_of(text), &match);
    return match.size;
}

TEST(a_keyword_is_found_where_it_stands_first)
{
    assert_int_equal(find("needle", "hay needle needle", false), 4);
    assert_int_equal(find("needle", "needle", false), 0);
    assert_int_equal(find("needle", "needl eneedl", false), -1);
    assert_int_equal(find("n", "hay needle", false), 4);
    assert_int_equal(find("aab", "aaaaab", false), 3);
    assert_int_equal(find("Needle", "a needle", false), -1);
}

TEST(nothing_is_found_in_nothing_and_in_less_than_the_keyword)
{
    struct weft_text several[] = {weft_text_of("needle"), weft_text_of("x")};
    struct match match;
    assert_int_equal(find("needle", "", false), -1);
    assert_int_equal(find("needle", "needl", false), -1);
    assert_int_equal(find("needle", "", true), -1);
    assert_int_equal(find("needle", "NEEDL", true), -1);
    assert_false(agreed(several, 2, false, weft_text(NULL, 0), &match));
    assert_false(agreed(several, 1, false, weft_text(NULL, 0), &match));
}

TEST(any_bytes_can_be_keywords)
{
    struct match match;
    char data[300];
    memset(data, 'x', sizeof data);
    memcpy(data + 200, "a\0\n\xFF", 4);
    struct weft_text nul = weft_text("\0", 1), mixed = weft_text("a\0\n\xFF", 4);
    assert_true(agreed(&nul, 1, false, weft_text(data, sizeof data), &match));
    assert_ptr_equal(match.at, data + 201);
    assert_true(agreed(&mixed, 1, false, weft_text(data, sizeof data), &match));
    assert_ptr_equal(match.at, data + 200);
    assert_true(agreed(&mixed, 1, true, weft_text(data, sizeof data), &match));
    assert_ptr_equal(match.at, data + 200);
}

TEST(of_several_keywords_the_leftmost_is_found_and_then_the_one_given_first)
{
    struct match match;
    struct weft_text data = weft_text_of("an abcde");
    struct weft_text inner[] = {weft_text_of("bc"), weft_text_of("abcd")};
    assert_true(agreed(inner, 2, false, data, &match));
    assert_int_equal(match.keyword, 1);
    struct weft_text longer[] = {weft_text_of("x"), weft_text_of("abcde"), weft_text_of("abc")};
    assert_true(agreed(longer, 3, false, data, &match));
    assert_int_equal(match.keyword, 1);
    struct weft_text shorter[] = {weft_text_of("x"), weft_text_of("abc"), weft_text_of("abcde")};
    assert_true(agreed(shorter, 3, false, data, &match));
    assert_int_equal(match.keyword, 1);
    assert_int_equal(match.size, 3);
    struct weft_text twice[] = {weft_text_of("z"), weft_text_of("abc"), weft_text_of("abc")};
    assert_true(agreed(twice, 3, false, data, &match));
    assert_int_equal(match.keyword, 1);
}

TEST(a_thousand_keywords_are_each_found)
{
    static char words[MATCHER_KEYWORDS_MAX][16];
    struct weft_text keywords[MATCHER_KEYWORDS_MAX];
    for (unsigned i = 0; i < MATCHER_KEYWORDS_MAX; i++) {
        snprintf(words[i], sizeof words[i], "%x-word-%u", i * 2654435761u, i);
        keywords[i] = weft_text_of(words[i]);
    }
    for
        EACH_WAY(way)
        {
            for (int ignore_case = 0; ignore_case < 2; ignore_case++) {
                struct matcher *matcher = make(keywords, MATCHER_KEYWORDS_MAX, ignore_case, way);
                for (unsigned i = 0; i < MATCHER_KEYWORDS_MAX; i++) {
                    char data[256];
                    struct match match;
                    int size = snprintf(data, sizeof data, "%0*d -wo %s-tail", (int)(i % 100), 0,
                                        words[i]);
                    assert_true(weft__matcher_find(matcher, data, (size_t)size, &match));
                    assert_int_equal(match.keyword, i);
                    assert_true(weft_text_equal(weft_text(match.at, match.size), keywords[i]));
                }
                weft__matcher_free(matcher);
            }
        }
}

/* ---- case ------------------------------------------------------------------------------------ */

TEST(case_does_not_matter_when_it_is_ignored)
{
    assert_int_equal(find("needle", "a NeEdLe", true), 2);
    assert_int_equal(find("NEEDLE", "a needle", true), 2);
    assert_int_equal(find("grüße", "GRÜßE", true), 0);
    assert_int_equal(find("ЛЕВ", "и лев", true), 3);
    assert_int_equal(find("[x]", "{X} [X]", true), 4);
    assert_int_equal(find("@", "`", true), -1);
}

TEST(spellings_of_a_letter_differ_in_size)
{
    assert_int_equal(size_of("kelvin", "KELVIN"), 6);
    assert_int_equal(size_of("kelvin", "in \u212AELVIN"), 8);
    assert_int_equal(size_of("\u212A", "k"), 1);
    assert_int_equal(size_of("mass", "MA\u017F\u017F"), 6);
    assert_int_equal(size_of("\u023A", "\u2C65"), 3);
}

TEST(all_letters_that_fold_to_the_same_are_the_same)
{
    assert_int_equal(size_of("Σίσυφος", "σίσυφοσ"), 14);
    assert_int_equal(size_of("ς", "Σ"), 2);
    assert_int_equal(size_of("ß", "ẞ"), 3);
    assert_int_equal(size_of("ß", "ss"), 0);
    assert_int_equal(size_of("i", "İ"), 0);
    assert_int_equal(size_of("İ", "İ"), 2);
    assert_int_equal(size_of("ı", "I"), 0);
    assert_int_equal(size_of("\u00B5", "\u039C"), 2);
}

TEST(bytes_that_are_no_character_are_the_same_as_themselves_only)
{
    assert_int_equal(find("\xC3", "a\xC3", true), 1);
    assert_int_equal(find("k\xE2\x84", "K\xE2\x84", true), 0);
    assert_int_equal(find("\xC0\xCB", "\xC0\xEB\xC0\xCB", true), 2);
    assert_int_equal(find("\xED\xA0\x80", "\xED\xA0\x80", true), 0);
}

TEST(a_stray_byte_is_not_found_within_a_character_unless_case_matters)
{
    assert_int_equal(find("\xA9", "\u00E9", true), -1);
    assert_int_equal(find("\xC3", "\u00E9", true), -1);
    assert_int_equal(find("\xA9", "\u00E9\xA9", true), 2);
    assert_int_equal(find("\xA9", "\u00E9", false), 1);
    assert_int_equal(find("\xC3", "\u00E9", false), 0);
}

TEST(the_reach_is_that_of_the_longest_spelling)
{
    struct matcher *matcher;
    struct weft_text keywords[] = {weft_text_of("longer"), weft_text_of("kiss")};
    assert_int_equal(weft__matcher_make(&matcher, keywords, 2, false), 0);
    assert_int_equal(weft__matcher_reach(matcher), 6);
    weft__matcher_free(matcher);
    assert_int_equal(weft__matcher_make(&matcher, keywords, 2, true), 0);
    assert_int_equal(weft__matcher_reach(matcher), 3 + 1 + 2 + 2);
    weft__matcher_free(matcher);
    struct weft_text digits = weft_text_of("12");
    assert_int_equal(weft__matcher_make(&matcher, &digits, 1, true), 0);
    assert_int_equal(weft__matcher_reach(matcher), 2);
    weft__matcher_free(matcher);
}

/* ---- at the edges of memory ------------------------------------------------------------------ */

/* A page with none before and none behind it. */
static char *island(size_t *size)
{
    *size = (size_t)sysconf(_SC_PAGESIZE);
    char *sea = mmap(NULL, 3 * *size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(sea != MAP_FAILED);
    assert_int_equal(mprotect(sea + *size, *size, PROT_READ | PROT_WRITE), 0);
    return sea + *size;
}

static void leave(char *page, size_t size)
{
    munmap(page - size, 3 * size);
}

static const char alphabet[] = "kqvzwxjybpg0123456789-KQVZWXJYBPG_abcdefghilmnoprstuADEFHIMNORSTU";

/* The keyword at every place of data that lie against one edge, and then nowhere. */
static void check_places(const struct matcher *matcher, struct weft_text keyword, char *data,
                         size_t size)
{
    struct match match;
    memset(data, '.', size);
    assert_false(weft__matcher_find(matcher, data, size, &match));
    for (size_t at = 0; at + keyword.size <= size; at++) {
        memset(data, '.', size);
        memcpy(data + at, keyword.data, keyword.size);
        assert_true(weft__matcher_find(matcher, data, size, &match));
        assert_ptr_equal(match.at, data + at);
        assert_int_equal(match.size, keyword.size);
        data[at + keyword.size - 1] = '.';
        assert_false(weft__matcher_find(matcher, data, size, &match));
    }
}

static void check_edges(const struct weft_text *keywords, size_t count, bool ignore_case)
{
    size_t page;
    char *data = island(&page);
    for
        EACH_WAY(way)
        {
            struct matcher *matcher = make(keywords, count, ignore_case, way);
            for (size_t size = 1; size < 150; size += size < 72 ? 1 : 7) {
                check_places(matcher, keywords[0], data, size);
                check_places(matcher, keywords[0], data + page - size, size);
            }
            weft__matcher_free(matcher);
        }
    leave(data, page);
}

TEST(every_size_is_found_everywhere_and_nothing_outside_is_read)
{
    for (size_t size = 1; size <= 64; size += size < 36 ? 1 : 9) {
        struct weft_text keywords[] = {weft_text(alphabet, size), weft_text_of("#!another")};
        check_edges(keywords, 1, false);
        check_edges(keywords, 1, true);
        check_edges(keywords, 2, false);
    }
}

TEST(a_character_that_the_end_of_data_cuts_is_not_read_on)
{
    size_t page;
    char *data = island(&page);
    struct weft_text keyword = weft_text_of("a\u212A\U00010400");
    for
        EACH_WAY(way)
        {
            struct matcher *matcher = make(&keyword, 1, true, way);
            for (size_t size = 1; size < keyword.size; size++) {
                struct match match;
                memcpy(data + page - size, keyword.data, size);
                assert_false(weft__matcher_find(matcher, data + page - size, size, &match));
            }
            weft__matcher_free(matcher);
        }
    leave(data, page);
}

/* ---- seeded ---------------------------------------------------------------------------------- */

static uint64_t state;

static size_t below(size_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 16) % bound;
}

/* Some pieces of a short list, so that much repeats. */
static struct weft_text draw(char *to, size_t most, const char *const *pieces, size_t count)
{
    size_t size = 0, end = below(most) + 1;
    do {
        const char *piece = pieces[below(count)];
        size_t length = strlen(piece);
        for (size_t times = below(8) == 0 ? below(40) : 1; times > 0 && size < end; times--) {
            memcpy(to + size, piece, length);
            size += length;
        }
    } while (size < end && below(40) != 0);
    return weft_text(to, size > 0 ? size : 1);
}

static void compare(const char *const *pieces, size_t piece_count, bool ignore_case)
{
    char storage[12][400] = {{0}}, data[4000] = {0};
    struct weft_text keywords[12];
    size_t count = below(3) == 0 ? 1 + below(12) : 1;
    struct match match;
    for (size_t i = 0; i < count; i++)
        keywords[i] = draw(storage[i], below(4) == 0 ? 300 : 8, pieces, piece_count);
    struct weft_text text = draw(data, 3000, pieces, piece_count);
    if (below(2) == 0) { /* a keyword whose last byte is another is nearly there everywhere */
        for (size_t at = keywords[0].size; at < text.size; at += 1 + below(2 * keywords[0].size))
            memcpy(data + at - keywords[0].size, keywords[0].data, keywords[0].size - 1);
    }
    if (!ignore_case && count == 1) {
        struct matcher *matcher = make(keywords, 1, false, MATCHER_PLAIN);
        bool is = weft__matcher_find(matcher, text.data, text.size, &match);
        assert_ptr_equal(is ? match.at : NULL,
                         memmem(text.data, text.size, keywords[0].data, keywords[0].size));
        weft__matcher_free(matcher);
    }
    agreed(keywords, count, ignore_case, text, &match);
}

static void compare_many(const char *const *pieces, size_t count, bool ignore_case)
{
    state = check_seed() * 0x9E3779B97F4A7C15u;
    for (unsigned long i = 0; i < check_scale(1200); i++)
        compare(pieces, count, ignore_case);
}

TEST(random_keywords_are_found_as_the_model_finds_them)
{
    static const char *const two[] = {"a", "b"};
    static const char *const many[] = {"a", "ab", "\n", "xyz", "e", " ", "\xC3\xA9", "\xFF"};
    compare_many(two, 2, false);
    compare_many(many, 8, false);
}

TEST(random_keywords_are_found_as_the_model_finds_them_without_case)
{
    static const char *const few[] = {"k", "K", "\u212A", "a"};
    static const char *const many[] = {"k",      "K",      "\u212A", "s",    "\u017F", "S",
                                       "\u03C3", "\u03A3", "\u03C2", "\xCF", "\x83",   "\xE2",
                                       "\x84",   "1",      "\u0130", "\xFF"};
    compare_many(few, 4, true);
    compare_many(many, 16, true);
}

/* ---- hostile input --------------------------------------------------------------------------- */

enum { HOSTILE_SIZE = 1 << 18 };

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The best of some, of the processor's time. */
static double time_to_find(const struct matcher *matcher, const char *data, size_t size)
{
    double best = 0;
    for (int round = 0; round < 5; round++) {
        struct match match;
        double begun = seconds();
        assert_false(weft__matcher_find(matcher, data, size, &match));
        double took = seconds() - begun;
        best = round == 0 || took < best ? took : best;
    }
    return best;
}

/* A comparison at each place that goes on for the whole keyword would take a thousand times as long as
 * reading does; what is asked for is far below that and far above what it should take. */
static void check_linear(const struct weft_text *keywords, size_t count, bool ignore_case,
                         const char *data)
{
    struct weft_text harmless[] = {weft_text_of("\1\2\3\4"), weft_text_of("\2\3\4\5")};
    for
        EACH_WAY(way)
        {
            struct matcher *reading = make(harmless, 2, false, MATCHER_PLAIN);
            struct matcher *matcher = make(keywords, count, ignore_case, way);
            double unit = time_to_find(reading, data, HOSTILE_SIZE);
            assert_true(time_to_find(matcher, data, HOSTILE_SIZE) < 100 * unit + 0.001);
            weft__matcher_free(matcher);
            weft__matcher_free(reading);
        }
}

/* Again and again the same; whole ones only. */
static void repeat(char *to, size_t size, const char *piece)
{
    size_t length = strlen(piece);
    for (size_t at = 0; at + length <= size; at += length)
        memcpy(to + at, piece, length);
}

TEST(data_made_to_be_slow_take_time_that_is_linear)
{
    char *data = malloc(HOSTILE_SIZE), keyword[MATCHER_KEYWORD_SIZE_MAX] = "";
    struct weft_text whole = weft_text(keyword, sizeof keyword), several[60];
    assert_non_null(data);
    repeat(data, HOSTILE_SIZE, "a");
    for (size_t other = 0; other < 3; other++) { /* at the end, in the middle, at the beginning */
        repeat(keyword, sizeof keyword, "a");
        keyword[(sizeof keyword - 1) * (2 - other) / 2] = 'b';
        check_linear(&whole, 1, false, data);
        check_linear(&whole, 1, true, data);
    }
    repeat(keyword, sizeof keyword, "a");
    keyword[sizeof keyword - 1] = 'b';
    for (size_t i = 0; i < 60; i++)
        several[i] = weft_text(keyword + i, sizeof keyword - i);
    check_linear(several, 60, true, data);
    check_linear(several, 60, false, data);
    repeat(keyword, sizeof keyword, "zq"); /* its rarest bytes are all there is */
    keyword[sizeof keyword - 1] = 'a';
    repeat(data, HOSTILE_SIZE, "zq");
    check_linear(&whole, 1, false, data);
    check_linear(&whole, 1, true, data);
    free(data);
}

/* Behind data that are made of piece until it is read in the way that is never slow. */
static void check_behind(const char *keyword, const char *other, const char *piece,
                         bool ignore_case)
{
    char data[6001];
    struct match match;
    struct weft_text keywords[] = {weft_text_of(keyword), weft_text_of(other)};
    memset(data, '.', sizeof data);
    repeat(data, 5000, piece);
    memcpy(data + 5500, keyword, strlen(keyword));
    for (size_t count = 1; count <= 2; count++) {
        assert_true(agreed(keywords, count, ignore_case, weft_text(data, sizeof data), &match));
        assert_ptr_equal(match.at, data + 5500);
        assert_int_equal(match.keyword, 0);
    }
}

TEST(what_stands_behind_data_made_to_be_slow_is_found)
{
    char keyword[101] = "", other[101] = "";
    repeat(keyword, 100, "zq");
    memcpy(other, keyword, sizeof other);
    keyword[99] = 'a';
    other[99] = 'b';
    check_behind(keyword, other, "zq", false);
    check_behind(keyword, other, "zQ", true);
    repeat(keyword, 99, "\u212A");
    memcpy(other, keyword, sizeof other);
    other[99] = 'b';
    check_behind(keyword, other, "k", true);
    check_behind(keyword, other, "\u212A", true);
}

/* ---- bad input and memory -------------------------------------------------------------------- */

TEST(what_cannot_be_a_matcher_is_refused)
{
    static const char large[MATCHER_KEYWORD_SIZE_MAX + 1];
    static struct weft_text many[MATCHER_KEYWORDS_MAX + 1];
    struct weft_text empty[] = {weft_text_of("a"), weft_text_of("")};
    struct matcher *matcher;
    assert_int_equal(weft__matcher_make(&matcher, NULL, 0, false), UV_EINVAL);
    assert_null(matcher);
    assert_int_equal(weft__matcher_make(&matcher, empty, 0, false), UV_EINVAL);
    assert_int_equal(weft__matcher_make(&matcher, empty, 2, false), UV_EINVAL);
    struct weft_text long_one = weft_text(large, sizeof large);
    assert_int_equal(weft__matcher_make(&matcher, &long_one, 1, false), UV_E2BIG);
    for (size_t i = 0; i <= MATCHER_KEYWORDS_MAX; i++)
        many[i] = weft_text_of("x");
    assert_int_equal(weft__matcher_make(&matcher, many, MATCHER_KEYWORDS_MAX + 1, false), UV_E2BIG);
    for (size_t i = 0; i < MATCHER_KEYWORDS_MAX; i++)
        many[i] = weft_text(large, MATCHER_SIZE_MAX / MATCHER_KEYWORDS_MAX + 1);
    assert_int_equal(weft__matcher_make(&matcher, many, MATCHER_KEYWORDS_MAX, false), UV_E2BIG);
    assert_null(matcher);
    weft__matcher_free(NULL);
}

TEST(the_largest_that_is_allowed_can_be_made)
{
    static char large[MATCHER_KEYWORD_SIZE_MAX];
    struct weft_text keywords[MATCHER_SIZE_MAX / MATCHER_KEYWORD_SIZE_MAX];
    size_t count = sizeof keywords / sizeof keywords[0];
    memset(large, 0x80, sizeof large);
    for (size_t i = 0; i < count; i++)
        keywords[i] = weft_text(large, sizeof large);
    struct matcher *matcher;
    struct match match;
    assert_int_equal(weft__matcher_make(&matcher, keywords, count, true), 0);
    assert_true(weft__matcher_find(matcher, large, sizeof large, &match));
    assert_int_equal(match.size, sizeof large);
    weft__matcher_free(matcher);
}

TEST(keywords_are_copied)
{
    char one[] = "needle", other[] = "second";
    struct weft_text keywords[] = {weft_text_of(one), weft_text_of(other)};
    for (size_t count = 1; count <= 2; count++) {
        struct matcher *matcher;
        struct match match;
        memcpy(one, "needle", 6);
        assert_int_equal(weft__matcher_make(&matcher, keywords, count, false), 0);
        memcpy(one, "XXXXXX", 6);
        assert_true(weft__matcher_find(matcher, "a needle", 8, &match));
        weft__matcher_free(matcher);
    }
}

static void make_all_kinds(unsigned long n)
{
    struct weft_text keywords[] = {weft_text_of("needle"), weft_text_of("second")};
    (void)n;
    for (unsigned kind = 0; kind < 4; kind++) {
        struct matcher *matcher;
        struct match match;
        int status = weft__matcher_make(&matcher, keywords, 1 + kind / 2, kind % 2);
        assert_true(status == UV_ENOMEM || status == 0);
        assert_int_equal(matcher != NULL, status == 0);
        if (status == 0)
            assert_true(weft__matcher_find(matcher, "a needle", 8, &match));
        weft__matcher_free(matcher);
    }
}

TEST(making_survives_running_out_of_memory)
{
    fault_ladder(make_all_kinds);
}
