/* Random files and keywords, searched in pieces and by a plain search over the whole: both find the
 * same.
 * ctest: labels=model,threads timeout=120 */
#include "files/find/find.h"
#include "find_kit.h"
#include "model.h"

static char *text;
static size_t text_size;

/* ---- files and keywords --------------------------------------------------------------------- */

/* Few letters and many newlines, so that keywords are nearly everywhere; of about a piece, or two. */
static void draw_text(struct dice *dice)
{
    size_t around = chance(dice, 3) ? 2 * (size_t)SEARCH_PIECE : (size_t)SEARCH_PIECE;
    size_t size = chance(dice, 2) ? (size_t)roll(dice, 400) : around - 200 + roll(dice, 400);
    unsigned newlines = 1 + (unsigned)roll(dice, 200), letters = 1 + (unsigned)roll(dice, 4);
    free(text);
    text = malloc(size + 1);
    assert_non_null(text);
    text_size = size;
    uint64_t state = roll(dice, UINT32_MAX) * 2 + 1;
    for (size_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned drawn = (unsigned)(state >> 33);
        text[i] = drawn % newlines == 0 ? '\n' : (char)('a' + drawn / newlines % letters);
    }
}

static struct weft_text keywords[4];
static char letters[4][64];
static size_t keyword_count;

static void draw_keywords(struct dice *dice)
{
    keyword_count = 1 + (size_t)roll(dice, 4);
    for (size_t i = 0; i < keyword_count; i++) {
        size_t size = 1 + (size_t)roll(dice, chance(dice, 2) ? 40 : 8);
        if (text_size > size && chance(dice, 2)) { /* from the text, mostly near the edge */
            size_t from = text_size > SEARCH_PIECE + 50 && chance(dice, 2)
                              ? SEARCH_PIECE - 25 + roll(dice, 50)
                              : roll(dice, text_size - size);
            memcpy(letters[i], text + from, size < text_size - from ? size : text_size - from);
        } else {
            for (size_t j = 0; j < size; j++)
                letters[i][j] = "abcde\n"[roll(dice, 6)];
        }
        keywords[i] = weft_text(letters[i], size);
    }
}

/* ---- the plain search ----------------------------------------------------------------------- */

/* Does a keyword begin at from? */
static bool begins(size_t from, size_t keyword)
{
    size_t size = keywords[keyword].size;
    return size <= text_size - from && memcmp(text + from, letters[keyword], size) == 0;
}

static bool any_begins(size_t from)
{
    for (size_t i = 0; i < keyword_count; i++) {
        if (begins(from, i))
            return true;
    }
    return false;
}

static bool is_in(size_t keyword)
{
    for (size_t at = 0; at < text_size; at++) {
        if (begins(at, keyword))
            return true;
    }
    return false;
}

static bool is_asked_for(bool all)
{
    size_t found = 0;
    for (size_t i = 0; i < keyword_count; i++)
        found += is_in(i);
    return all ? found == keyword_count : found > 0;
}

/* The next line is the one that begins at from: where in it a keyword begins, or SIZE_MAX. */
static size_t line_matches(size_t from, size_t *end)
{
    size_t at = SIZE_MAX, i = from;
    for (; i < text_size; i++) {
        if (at == SIZE_MAX && any_begins(i))
            at = i - from;
        if (text[i] == '\n')
            break;
    }
    *end = i;
    return at;
}

static void check_lines(uint64_t seed)
{
    size_t told = 0, line = 1, end;
    for (size_t from = 0; from < text_size; from = end + 1, line++) {
        size_t at = line_matches(from, &end);
        if (at == SIZE_MAX)
            continue;
        if (search.find.what == WEFT_FIND_LINES) {
            const struct find_line *it = told < search.count ? &search.lines[told] : NULL;
            bool same = it != NULL && it->line == line && it->offset == from &&
                        (it->cut || (it->at == at && it->size == end - from));
            if (!same)
                print_error("seed %llu, line %zu\n", (unsigned long long)seed, line);
            assert_true(same);
            assert_memory_equal(it->text + it->at, text + from + at, it->size - it->at);
        }
        told++;
    }
    if (search.find.what == WEFT_FIND_LINES)
        assert_int_equal(search.count, told);
    else
        assert_int_equal(search.lines[0].line, told);
}

TEST(random_files_are_searched_as_a_plain_search_does)
{
    unsigned long count = check_scale(60);
    for (unsigned long i = 0; i < count; i++) {
        uint64_t seed = check_seed() + i;
        struct dice dice = {seed};
        scratch_empty();
        make_folder("tree");
        draw_text(&dice);
        make_bytes("tree/f", text, text_size);
        draw_keywords(&dice);
        for (int j = 0; j < 6; j++) {
            search_reset();
            search.find.what = (enum weft_find_what)(j % 3);
            search.find.all = j >= 3;
            search.find.tree.limit = 1 + (unsigned)roll(&dice, 3);
            assert_int_equal(search_for("tree", keywords, keyword_count), 0);
            if (!is_asked_for(j >= 3)) {
                assert_int_equal(search.count, 0);
            } else if (search.find.what == WEFT_FIND_FILES) {
                assert_int_equal(search.count, 1);
            } else {
                assert_true(search.count >= 1);
                check_lines(seed);
            }
        }
    }
    search_reset();
    free(text);
    text = NULL;
}
