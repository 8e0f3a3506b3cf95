/* Matches as lines, and errands as text: what leaves one process and is read in another.
 * ctest: labels=valgrind */
#include "fault.h"
#include "kit.h"
#include "subsetsum/errand.h"
#include "subsetsum/scribe.h"

enum { TEXT_MAX = 1 << 20 };

/* All that is left of a search, by so many steps and so much room a call. */
static size_t all_lines(struct scribe *scribe, char *text, size_t room, uint64_t steps)
{
    size_t size = 0;
    while (!scribe_done(scribe)) {
        size_t more = scribe_write(scribe, text + size, room, steps);
        assert_true(more <= room && (more == 0 || text[size + more - 1] == '\n'));
        size += more;
        assert_true(size + SCRIBE_TEXT < TEXT_MAX);
    }
    assert_int_equal(scribe_write(scribe, text + size, room, steps), 0);
    text[size] = '\0';
    scribe_close(scribe);
    return size;
}

static struct subset_problem many(void)
{
    static const int64_t values[] = {1, 2, -4, 5, -3, 7, -8, 0, 3, -1, 6, -2};
    return kit_problem(values, sizeof values / sizeof values[0], 0);
}

static char one[TEXT_MAX], other[TEXT_MAX];

TEST(matches_are_lines_as_the_books_print_them)
{
    static const int64_t values[] = {1, 2, -4, 5, -3};
    struct subset_problem problem = kit_problem(values, 5, 0);
    struct scribe scribe;
    assert_int_equal(scribe_open(&scribe, &problem, 0, 1, 0), 0);
    all_lines(&scribe, one, SCRIBE_TEXT, 1000);
    assert_string_equal(one, "Match: [1,2,-3]\nMatch: [2,-4,5,-3]\n");
    assert_int_equal(scribe.written, 2);
}

TEST(where_it_is_cut_makes_no_difference)
{
    static const size_t rooms[] = {SCRIBE_LINE_MAX, SCRIBE_LINE_MAX + 100, SCRIBE_TEXT};
    static const uint64_t steps[] = {1, 100, 1000000};
    struct subset_problem problem = many();
    struct scribe scribe;
    assert_int_equal(scribe_open(&scribe, &problem, 0, 1, 0), 0);
    size_t size = all_lines(&scribe, one, SCRIBE_TEXT, UINT64_MAX);
    assert_true(size > 1000);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(scribe_open(&scribe, &problem, 0, 1, 0), 0);
        assert_int_equal(all_lines(&scribe, other, rooms[i / 3], steps[i % 3]), size);
        assert_string_equal(one, other);
    }
}

TEST(one_that_takes_over_goes_on_behind_what_was_written)
{
    struct subset_problem problem = many();
    struct scribe scribe;
    assert_int_equal(scribe_open(&scribe, &problem, 1, 4, 0), 0);
    size_t size = all_lines(&scribe, one, SCRIBE_TEXT, UINT64_MAX);
    uint64_t matches = scribe.written;
    assert_true(matches > 10);
    assert_int_equal(scribe_open(&scribe, &problem, 1, 4, 0), 0);
    size_t begun = scribe_write(&scribe, other, SCRIBE_LINE_MAX + 20, 1000000);
    uint64_t written = scribe.written;
    scribe_close(&scribe);
    assert_true(written > 0 && written < matches);
    assert_int_equal(scribe_open(&scribe, &problem, 1, 4, written), 0);
    assert_int_equal(all_lines(&scribe, other + begun, SCRIBE_TEXT, 1000) + begun, size);
    assert_string_equal(one, other);
    assert_int_equal(scribe.written, matches);
}

static void write_poorly(unsigned long n)
{
    struct subset_problem problem = many();
    struct scribe scribe = {0};
    (void)n;
    if (scribe_open(&scribe, &problem, 0, 1, 0) == 0)
        all_lines(&scribe, one, SCRIBE_TEXT, 1000);
}

TEST(a_scribe_survives_running_out_of_memory)
{
    fault_ladder(write_poorly);
}

/* ---- errands -------------------------------------------------------------------------------- */

static void require_same(const struct errand *errand)
{
    char text[ERRAND_TEXT], why[SUBSET_WHY];
    struct errand read;
    size_t size = errand_write(errand, text);
    assert_true(size <= sizeof text);
    assert_int_equal(errand_read(&read, weft_text(text, size), why), 0);
    assert_int_equal(read.part, errand->part);
    assert_int_equal(read.parts, errand->parts);
    assert_int_equal(read.problem.count, errand->problem.count);
    assert_true(read.problem.sum == errand->problem.sum);
    assert_memory_equal(read.problem.values, errand->problem.values,
                        errand->problem.count * sizeof read.problem.values[0]);
}

TEST(an_errand_reads_as_it_was_written)
{
    uint64_t seed = check_seed();
    struct errand errand = {.part = 0, .parts = 1};
    require_same(&errand);
    for (int i = 0; i < 1000; i++) {
        errand.problem.count = (unsigned)(kit_draw(&seed) % (SUBSET_MAX + 1));
        for (unsigned k = 0; k < errand.problem.count; k++)
            errand.problem.values[k] = kit_value(&seed, (unsigned)(kit_draw(&seed) % KIT_KINDS));
        errand.problem.sum = (subset_wide)(int64_t)kit_draw(&seed) * (int64_t)kit_draw(&seed);
        errand.parts = 1 + (unsigned)(kit_draw(&seed) % SUBSET_PARTS_MAX);
        errand.part = (unsigned)(kit_draw(&seed) % errand.parts);
        require_same(&errand);
    }
}

TEST(what_is_no_errand_is_refused_with_a_sentence)
{
    static const char *const texts[] = {
        "",           "0",           "0 1",          "0 1 0",        "1 1 0 [1]",   "0 0 0 [1]",
        "-1 1 0 [1]", "0 4097 0 []", "0 1 x [1]",    "0 1 0 [1",     "0 1 0 [1] ]", "0 1  [1]",
        " 0 1 0 [1]", "0 1 0  [1,]", "00000 1 0 []", "0 99999 0 []", "0 1 0 [1.5]", "0 1 0 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char why[SUBSET_WHY] = "";
        struct errand errand;
        assert_int_equal(errand_read(&errand, weft_text_of(texts[i]), why), UV_EINVAL);
        assert_true(strlen(why) > 5);
    }
}
