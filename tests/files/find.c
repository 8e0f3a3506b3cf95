/* What a search finds.
 * ctest: labels=threads,valgrind timeout=120 */
#include "files/find/find.h"
#include "find_kit.h"
#include "nobody.h"

static void fresh(void)
{
    scratch_empty();
    search_reset();
    make_folder("tree");
}

static void find(enum weft_find_what what, const char *one, const char *other)
{
    struct weft_text keywords[2] = {weft_text_of(one)};
    if (other != NULL)
        keywords[1] = weft_text_of(other);
    search.find.what = what;
    assert_int_equal(search_for("tree", keywords, other != NULL ? 2 : 1), 0);
}

static void find_again(enum weft_find_what what, const char *one, const char *other)
{
    bool ignore_case = search.find.ignore_case, all = search.find.all;
    search_reset();
    search.find.ignore_case = ignore_case;
    search.find.all = all;
    find(what, one, other);
}

/* ---- keywords ------------------------------------------------------------------------------- */

static int refused(const struct weft_text *keywords, size_t count)
{
    search_reset();
    int status = search_for("tree", keywords, count);
    assert_int_equal(search.count, 0);
    return status;
}

TEST(keywords_that_cannot_be_searched_for_are_refused)
{
    static char text[WEFT_FIND_KEYWORD_SIZE + 1];
    static struct weft_text many[WEFT_FIND_KEYWORDS + 1];
    fresh();
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i <= WEFT_FIND_KEYWORDS; i++)
        many[i] = weft_text(text, 1);
    assert_int_equal(refused(NULL, 0), UV_EINVAL);
    assert_int_equal(refused(NULL, 1), UV_EINVAL);
    assert_int_equal(refused(many, 0), UV_EINVAL);
    assert_int_equal(refused(many, WEFT_FIND_KEYWORDS), 0);
    assert_int_equal(refused(many, WEFT_FIND_KEYWORDS + 1), UV_E2BIG);
    many[1] = weft_text(text, 0);
    assert_int_equal(refused(many, 2), UV_EINVAL);
    many[1] = weft_text(text, WEFT_FIND_KEYWORD_SIZE);
    assert_int_equal(refused(many, 2), 0);
    many[1] = weft_text(text, WEFT_FIND_KEYWORD_SIZE + 1);
    assert_int_equal(refused(many, 2), UV_E2BIG);
    for (size_t i = 0; i < 65; i++)
        many[i] = weft_text(text, WEFT_FIND_KEYWORD_SIZE);
    assert_int_equal(refused(many, 64), 0);
    assert_int_equal(refused(many, 65), UV_E2BIG);
    search_reset();
    search.find.what = (enum weft_find_what)3;
    assert_int_equal(search_for("tree", many, 1), UV_EINVAL);
}

TEST(a_search_needs_a_folder_and_somebody_to_tell)
{
    struct world w;
    struct weft_text word = weft_text_of("x");
    world_up(&w);
    search_reset();
    search_start(weft_root(&w.loop), NULL, &word, 1, noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    search_start(weft_root(&w.loop), "", &word, 1, noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    search_start(weft_root(&w.loop), "/nonexistent/weft", &word, 1, noted);
    world_run(&w);
    assert_int_equal(seen.status, UV_ENOENT);
    search.find.on_found = NULL;
    weft_find(weft_root(&w.loop), &search.find, "/", &word, 1, noted);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINVAL);
    assert_int_equal(seen.calls, 4);
}

TEST(a_file_holds_any_of_the_keywords_or_all)
{
    fresh();
    make_file("tree/neither", "nothing here\n");
    make_file("tree/one", "a one\n");
    make_file("tree/two", "a two\n");
    make_file("tree/both", "two\nsome\none\nneither\none two\n");
    find(WEFT_FIND_FILES, "one", "two");
    matches_exactly("both\none\ntwo\n");
    search.find.all = true;
    find_again(WEFT_FIND_FILES, "one", "two");
    matches_exactly("both\n");
    find_again(WEFT_FIND_LINES, "one", "two");
    matches_exactly("both:1:0:0 two\nboth:3:9:0 one\nboth:5:21:0 one two\n");
    find_again(WEFT_FIND_COUNTS, "one", "two");
    matches_exactly("both:3\n");
    find_again(WEFT_FIND_FILES, "one", NULL);
    matches_exactly("both\none\n");
    find_again(WEFT_FIND_FILES, "one", "one");
    matches_exactly("both\none\n");
}

TEST(case_is_that_of_unicode)
{
    fresh();
    make_file("tree/kelvin", "300 \xe2\x84\xaa\n");        /* the Kelvin sign */
    make_file("tree/long", "ma\xc5\xbft\n");               /* ſ */
    make_file("tree/sigma", "\xce\xa3\xcf\x83\xcf\x82\n"); /* Σσς */
    make_file("tree/sharp", "STRA\xe1\xba\x9e"
                            "E\n"); /* ẞ */
    make_file("tree/double", "STRASSE\n");
    search.find.ignore_case = true;
    find(WEFT_FIND_FILES, "300 K", NULL);
    matches_exactly("kelvin\n");
    find_again(WEFT_FIND_FILES, "MAST", NULL);
    matches_exactly("long\n");
    find_again(WEFT_FIND_LINES, "\xcf\x82\xce\xa3", NULL);
    matches_exactly("sigma:1:0:0 \xce\xa3\xcf\x83\xcf\x82\n");
    find_again(WEFT_FIND_FILES,
               "stra\xc3\x9f"
               "e",
               NULL);
    matches_exactly("sharp\n");
    search.find.ignore_case = false;
    find_again(WEFT_FIND_FILES, "300 K", "MAST");
    matches_exactly("");
}

/* ---- where in a file ------------------------------------------------------------------------ */

TEST(a_keyword_is_found_at_both_ends_of_a_file)
{
    fresh();
    make_file("tree/a-only", "key");
    make_file("tree/b-begin", "key and\n");
    make_file("tree/c-end", "and\nkey");
    make_file("tree/d-empty", "");
    make_file("tree/e-newlines", "\n\n\n");
    make_file("tree/f-part", "ke");
    make_file("tree/g-crlf", "a\r\nkey\r\n");
    find(WEFT_FIND_FILES, "key", NULL);
    matches_exactly("a-only\nb-begin\nc-end\ng-crlf\n");
    assert_int_equal(search.find.files, 7);
    assert_int_equal(search.find.bytes, 3 + 8 + 7 + 0 + 3 + 2 + 8);
    assert_int_equal(search.find.binary, 0);
    find_again(WEFT_FIND_LINES, "key", NULL);
    matches_exactly("a-only:1:0:0 key\nb-begin:1:0:0 key and\nc-end:2:4:0 key\n"
                    "g-crlf:2:3:0 key\r\n");
    find_again(WEFT_FIND_COUNTS, "key", NULL);
    matches_exactly("a-only:1\nb-begin:1\nc-end:1\ng-crlf:1\n");
}

static char *big;
static const size_t big_size = 3 * SEARCH_PIECE;

static char *make_big(char fill)
{
    if (big == NULL)
        big = malloc(big_size + 1000);
    assert_non_null(big);
    memset(big, fill, big_size);
    for (size_t i = 99; i < big_size; i += 100)
        big[i] = '\n';
    return big;
}

TEST(a_keyword_is_found_across_the_edges_of_what_is_read_at_a_time)
{
    static const char key[] = "a keyword of some length";
    enum { KEY = sizeof key - 1 };
    char expected[400];
    for (size_t edge = SEARCH_PIECE; edge < big_size; edge += SEARCH_PIECE) {
        for (size_t back = 0; back <= KEY + 1; back += back < 2 || back > KEY - 2 ? 1 : 5) {
            fresh();
            char *text = make_big('.');
            size_t at = edge + 1 - back;
            memcpy(text + at, key, KEY);
            make_bytes("tree/big", text, big_size);
            size_t begin = at, lines = 1;
            while (begin > 0 && text[begin - 1] != '\n')
                begin--;
            size_t end = at;
            while (text[end] != '\n')
                end++;
            for (size_t i = 0; i < begin; i++)
                lines += text[i] == '\n';
            snprintf(expected, sizeof expected, "big:%zu:%zu:%zu %.*s\n", lines, begin, at - begin,
                     (int)(end - begin), text + begin);
            find(WEFT_FIND_LINES, key, NULL);
            matches_exactly(expected);
            find_again(WEFT_FIND_FILES, key, NULL);
            matches_exactly("big\n");
            find_again(WEFT_FIND_COUNTS, key, "missing");
            matches_exactly("big:1\n");
            search.find.all = true;
            find_again(WEFT_FIND_COUNTS, key, "length");
            matches_exactly("big:1\n");
        }
    }
}

TEST(files_of_about_the_size_that_is_read_at_a_time_are_read_to_their_end)
{
    for (int more = -3; more <= 3; more++) {
        fresh();
        char *text = make_big('.');
        size_t size = (size_t)(SEARCH_PIECE + more);
        memcpy(text + size - 3, "end", 3);
        make_bytes("tree/big", text, size);
        find(WEFT_FIND_LINES, "end", NULL);
        assert_int_equal(search.count, 1);
        assert_int_equal(search.lines[0].offset + search.lines[0].at, size - 3);
        assert_false(search.lines[0].cut);
        assert_int_equal(search.find.bytes, size);
    }
}

/* ---- binary --------------------------------------------------------------------------------- */

TEST(a_nul_among_the_first_bytes_makes_a_file_binary)
{
    fresh();
    char *text = make_big('.');
    memcpy(text, "key", 3);
    text[WEFT_FIND_TEXT_SIZE - 1] = '\0';
    make_bytes("tree/binary", text, big_size);
    make_bytes("tree/end", text, WEFT_FIND_TEXT_SIZE);
    text[WEFT_FIND_TEXT_SIZE - 1] = '.';
    text[WEFT_FIND_TEXT_SIZE] = '\0';
    make_bytes("tree/text", text, big_size);
    make_bytes("tree/utf-16", "k\0e\0y\0", 6);
    find(WEFT_FIND_FILES, "key", NULL);
    matches_exactly("text\n");
    assert_int_equal(search.find.binary, 3);
    assert_int_equal(search.find.files, 4);
    find_again(WEFT_FIND_LINES, "key", NULL);
    assert_int_equal(search.count, 1);
}

TEST(a_keyword_may_hold_any_byte)
{
    fresh();
    char *text = make_big('.');
    memcpy(text + SEARCH_PIECE - 2, "\0x\0y", 4);
    make_bytes("tree/nul", text, big_size);
    struct weft_text nul = weft_text("\0x\0y", 4);
    assert_int_equal(search_for("tree", &nul, 1), 0);
    matches_exactly("nul\n");
}

/* ---- lines ---------------------------------------------------------------------------------- */

TEST(a_line_is_told_once_however_many_keywords_it_holds)
{
    fresh();
    make_file("tree/f", "x\none two one\n\ntwo\nthree one");
    find(WEFT_FIND_LINES, "two", "one");
    matches_exactly("f:2:2:0 one two one\nf:4:15:0 two\nf:5:19:6 three one\n");
}

TEST(a_match_over_the_end_of_a_line_belongs_to_the_one_that_it_begins_in)
{
    fresh();
    make_file("tree/f", "ab\ncd\nab\ncd\n\nab\n");
    find(WEFT_FIND_LINES, "b\nc", NULL);
    matches_exactly("f:1:0:1 ab\nf:3:6:1 ab\n");
    find_again(WEFT_FIND_LINES, "\n", NULL);
    matches_exactly("f:1:0:2 ab\nf:2:3:2 cd\nf:3:6:2 ab\nf:4:9:2 cd\nf:5:12:0 \nf:6:13:2 ab\n");
    find_again(WEFT_FIND_COUNTS, "\n\n", NULL);
    matches_exactly("f:1\n");
}

/* One line of size bytes with a keyword in it, behind a short one. */
static const struct find_line *find_in_long_line(size_t size, size_t at)
{
    fresh();
    char *text = make_big('.');
    memset(text, '.', big_size);
    memcpy(text, "first\n", 6);
    memcpy(text + 6 + at, "key", 3);
    text[6 + size] = '\n';
    memcpy(text + 6 + size + 1, "key last\n", 9);
    make_bytes("tree/long", text, 6 + size + 10);
    find(WEFT_FIND_LINES, "key", NULL);
    assert_int_equal(search.count, 2);
    assert_int_equal(search.lines[0].line, 2);
    assert_int_equal(search.lines[0].offset, 6);
    assert_memory_equal(search.lines[0].text + search.lines[0].at, "key", 3);
    assert_int_equal(search.lines[1].line, 3);
    assert_string_equal(search.lines[1].text, "key last");
    assert_int_equal(search.lines[1].offset, 6 + size + 1);
    assert_false(search.lines[1].cut);
    return &search.lines[0];
}

TEST(a_line_that_is_not_too_long_is_told_whole_wherever_it_lies)
{
    static const size_t sizes[] = {10, 1000, WEFT_FIND_LINE_SIZE - 1, WEFT_FIND_LINE_SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t places[] = {0, sizes[i] / 2, sizes[i] - 3};
        for (size_t j = 0; j < 3; j++) {
            const struct find_line *line = find_in_long_line(sizes[i], places[j]);
            assert_false(line->cut);
            assert_int_equal(line->size, sizes[i]);
            assert_int_equal(line->at, places[j]);
        }
    }
}

/* A line that begins some way before the end of a piece, with its keyword behind it. */
TEST(a_line_is_whole_also_if_its_keyword_comes_in_the_next_piece)
{
    static const size_t befores[] = {4, WEFT_FIND_LINE_SIZE / 2 + 1, WEFT_FIND_LINE_SIZE - 20};
    for (size_t i = 0; i < sizeof befores / sizeof *befores; i++) {
        for (size_t back = 0; back < 8; back++) {
            fresh();
            char *text = make_big('.');
            size_t begin = SEARCH_PIECE - befores[i], end = begin + WEFT_FIND_LINE_SIZE;
            memset(text + begin, '.', WEFT_FIND_LINE_SIZE);
            text[begin - 1] = text[end] = '\n';
            memcpy(text + SEARCH_PIECE + 4 - back, "key", 3);
            make_bytes("tree/f", text, big_size);
            find(WEFT_FIND_LINES, "key", NULL);
            assert_int_equal(search.count, 1);
            assert_false(search.lines[0].cut);
            assert_int_equal(search.lines[0].size, WEFT_FIND_LINE_SIZE);
            assert_int_equal(search.lines[0].offset, begin);
            assert_int_equal(search.lines[0].at, befores[i] + 4 - back);
        }
    }
}

/* Characters of four bytes all along, so that each cut would go through one but for a few. */
TEST(a_line_is_cut_between_characters)
{
    static const char smile[] = "\xf0\x9f\x99\x82";
    for (size_t shift = 0; shift < 4; shift++) {
        for (size_t at = 0; at < 2 * SEARCH_PIECE; at += SEARCH_PIECE / 2 + 4) {
            fresh();
            char *text = make_big('.');
            for (size_t i = shift; i + 4 <= big_size; i += 4)
                memcpy(text + i, smile, 4);
            memset(text, '.', shift);
            memcpy(text + shift + at, "key.", 4);
            make_bytes("tree/f", text, big_size);
            find(WEFT_FIND_LINES, "key", NULL);
            assert_int_equal(search.count, 1);
            const struct find_line *line = &search.lines[0];
            assert_true(line->cut);
            assert_in_range(line->size, WEFT_FIND_LINE_SIZE - 6, WEFT_FIND_LINE_SIZE);
            assert_memory_equal(line->text + line->at, "key.", 4);
            size_t odd = line->at == shift + at ? shift : 0; /* it begins with the line */
            assert_int_equal((line->size - odd) % 4, 0);
            assert_int_equal((line->at - odd) % 4, 0);
        }
    }
}

TEST(a_line_that_is_too_long_is_told_in_part)
{
    static const size_t sizes[] = {WEFT_FIND_LINE_SIZE + 1, 2 * WEFT_FIND_LINE_SIZE, SEARCH_PIECE,
                                   2 * SEARCH_PIECE + 77};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t places[] = {0,
                           40000,
                           sizes[i] / 2,
                           sizes[i] - 3,
                           SEARCH_PIECE - 7,
                           SEARCH_PIECE - 6,
                           SEARCH_PIECE + 40000};
        for (size_t j = 0; j < 7 && places[j] + 3 <= sizes[i]; j++) {
            const struct find_line *line = find_in_long_line(sizes[i], places[j]);
            assert_true(line->cut);
            assert_in_range(line->size, 3, WEFT_FIND_LINE_SIZE);
            assert_true(line->size >= WEFT_FIND_LINE_SIZE / 2);
            assert_true(line->at <= places[j]);
        }
    }
}

/* The piece ends exactly where the longest line that is told whole does: its newline comes next. */
TEST(the_longest_line_is_whole_also_if_a_piece_ends_with_it)
{
    fresh();
    char *text = make_big('.');
    size_t begin = SEARCH_PIECE - WEFT_FIND_LINE_SIZE;
    memset(text + begin, '.', WEFT_FIND_LINE_SIZE);
    text[begin - 1] = '\n';
    text[SEARCH_PIECE] = '\n';
    memcpy(text + begin, "key", 3);
    make_bytes("tree/f", text, big_size);
    find(WEFT_FIND_LINES, "key", NULL);
    assert_int_equal(search.count, 1);
    assert_int_equal(search.lines[0].size, WEFT_FIND_LINE_SIZE);
    assert_false(search.lines[0].cut);
}

TEST(more_lines_than_fit_into_a_block_are_all_told_in_their_order)
{
    enum { LINES = 20000 };
    for (int how = 0; how < 3; how++) {
        fresh();
        char path[SCRATCH_PATH];
        FILE *file = fopen(scratch_path(path, "tree/f"), "w");
        assert_non_null(file);
        for (int i = 0; i < LINES; i++)
            fprintf(file, "line %d with a key\n%s", i, i % 7 == 0 ? "none here\n" : "");
        fclose(file);
        search.find.tree.limit = how == 0 ? 1 : 4;
        search.find.all = how == 1;
        search.pausing = how == 2;
        find(WEFT_FIND_LINES, "key", how == 1 ? "none" : NULL);
        size_t expected = how == 1 ? LINES + (LINES + 6) / 7 : LINES;
        assert_int_equal(search.count, expected);
        for (size_t i = 0; i < search.count; i++) {
            assert_int_equal(search.lines[i].number, i);
            if (how != 1)
                assert_int_equal(search.lines[i].line, i + 1 + (i + 6) / 7);
        }
    }
}

/* ---- which files ---------------------------------------------------------------------------- */

TEST(only_files_are_looked_into)
{
    char path[SCRATCH_PATH];
    fresh();
    make_folder("tree/key");
    make_file("tree/key/file", "key");
    make_link("key/file", "tree/link");
    make_link("missing", "tree/nowhere");
    make_pipe("tree/pipe");
    make_socket("tree/socket");
    scratch_device(path, "tree/device");
    find(WEFT_FIND_FILES, "key", NULL);
    matches_exactly("file\n");
    assert_int_equal(search.find.files, 1);
    search_reset();
    search.find.tree.follow = true;
    find(WEFT_FIND_FILES, "key", NULL);
    matches_exactly("file\nlink\n");
    assert_int_equal(search.errors, 0);
}

static unsigned not_those_with_a_dot(const struct weft_tree *its,
                                     const struct weft_tree_entry *entry)
{
    (void)its;
    return entry->path[entry->name] == '.' ? WEFT_TREE_SKIP : WEFT_TREE_TAKE | WEFT_TREE_ENTER;
}

TEST(one_file_can_be_excepted)
{
    struct stat st;
    char path[SCRATCH_PATH];
    fresh();
    make_file("tree/one", "key");
    make_file("tree/two", "key");
    assert_int_equal(stat(scratch_path(path, "tree/one"), &st), 0);
    search.find.except_dev = st.st_dev;
    search.find.except_ino = st.st_ino;
    find(WEFT_FIND_FILES, "key", NULL);
    matches_exactly("two\n");
}

TEST(files_that_are_not_taken_are_not_looked_into)
{
    fresh();
    make_file("tree/.hidden", "key");
    make_file("tree/shown", "key");
    search.find.tree.choose = not_those_with_a_dot;
    find(WEFT_FIND_FILES, "key", NULL);
    matches_exactly("shown\n");
    assert_int_equal(search.find.files, 1);
}

TEST(a_file_that_may_not_be_read_is_told_of_and_the_rest_goes_on)
{
    char path[SCRATCH_PATH], root[SCRATCH_PATH];
    struct weft_text key = weft_text_of("key");
    struct world w;
    fresh();
    make_file("tree/secret", "key");
    make_file("tree/open", "key");
    assert_int_equal(chmod(scratch_path(path, "tree/secret"), 0), 0);
    scratch_path(root, "tree");
    nobody_begin(scratch_dir());
    world_up(&w);
    search_start(weft_root(&w.loop), root, &key, 1, noted);
    int stuck = world_run(&w);
    nobody_end();
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(seen.status, 0);
    matches_exactly("open\n");
    assert_int_equal(search.errors, 1);
    assert_int_equal(search.error, UV_EACCES);
    assert_string_equal(search.error_path, path);
    assert_int_equal(search.find.stats.errors, 1);
}

TEST(it_ends_once_for_folders_that_are_empty_missing_or_unreadable)
{
    char path[SCRATCH_PATH];
    struct weft_text key = weft_text_of("key");
    struct world w;
    fresh();
    find(WEFT_FIND_FILES, "key", NULL);
    matches_exactly("");
    assert_int_equal(search_for("missing", &key, 1), UV_ENOENT);
    assert_int_equal(chmod(scratch_path(path, "tree"), 0), 0);
    nobody_begin(scratch_dir());
    world_up(&w);
    search_start(weft_root(&w.loop), path, &key, 1, noted);
    int stuck = world_run(&w);
    nobody_end();
    chmod(path, 0755);
    assert_int_equal(stuck, 0);
    world_close(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, UV_EACCES);
}

TEST(files_below_paths_that_are_too_long_are_looked_into)
{
    enum { LEVELS = 600 };
    char path[SCRATCH_PATH];
    fresh();
    make_deep("tree/deep", "ten bytes.", LEVELS, true);
    int at = open(scratch_path(path, "tree/deep"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < LEVELS; i++) {
        int file = openat(at, "f", O_WRONLY | O_CLOEXEC), next = -1;
        assert_int_equal(write(file, "key\n", 4), 4);
        close(file);
        next = openat(at, "ten bytes.", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
    }
    close(at);
    for (unsigned limit = 1; limit <= 4; limit++) {
        search_reset();
        search.find.tree.limit = limit;
        find(WEFT_FIND_FILES, "key", NULL);
        assert_int_equal(search.count, LEVELS);
        assert_int_equal(search.errors, 0);
    }
}

/* ---- its end -------------------------------------------------------------------------------- */

static void end_it(void)
{
    weft_end(&search.find.op, 0);
}

TEST(an_early_exit_ends_it)
{
    fresh();
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree/%d", i);
        make_file(name, "key\nkey\nkey\n");
    }
    search.on_each = end_it;
    find(WEFT_FIND_LINES, "key", NULL);
    assert_int_equal(search.count, 1);
}

/* By more links than the kernel follows in one path: whoever opens a file by its whole path, because it was
 * found by somebody else, finds it, too. */
TEST(a_long_chain_of_links_is_followed_by_however_many)
{
    enum { FOLDERS = 50, FILES = 20 };
    struct weft_text key = weft_text_of("key");
    char name[64], to[32];
    scratch_empty();
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(name, sizeof name, "%d", i);
        make_folder(name);
        for (int k = 0; k < FILES; k++) {
            snprintf(name, sizeof name, "%d/%d", i, k);
            make_file(name, "key");
        }
        snprintf(name, sizeof name, "%d/l", i);
        snprintf(to, sizeof to, "../%d", i + 1);
        if (i < FOLDERS - 1)
            make_link(to, name);
    }
    for (unsigned limit = 1; limit <= 8; limit *= 2) {
        search_reset();
        search.find.tree.follow = true;
        search.find.tree.limit = limit;
        assert_int_equal(search_for("0", &key, 1), 0);
        assert_int_equal(search.errors, 0);
        assert_int_equal(search.count, FOLDERS * FILES);
    }
}
