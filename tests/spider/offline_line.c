/* The last line of a file of a copy: what is written is found again, and nobody else can write it.
 * ctest: shuffle=no */
#include "check.h"
#include "scratch.h"
#include "spider/crawl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct crawl crawl;
static struct out file;
static const char url[] = "http://h.test/*a--b";

static void up(void)
{
    char folder[SCRATCH_PATH];
    scratch_empty();
    crawl = (struct crawl){0};
    file.size = 0;
    mkdir(scratch_path(folder, "site"), 0777);
    assert_int_equal(weft_crawl_open(&crawl.state, folder, NULL), 0);
}

static void down(void)
{
    weft_crawl_close(&crawl.state);
    out_free(&file);
    file = (struct out){0};
}

/* A file that holds this, and its last line with these behind the sign. */
static void write_file(const char *text, const char *moved, bool css)
{
    file.size = 0;
    out_string(&file, text);
    offline_put_line(&crawl, weft_text_of(url), weft_text_of(moved), css, &file);
}

static bool find(struct offline_line *line)
{
    return offline_find_line(&crawl, weft_text_of(url), weft_text(file.data, file.size), line);
}

TEST(a_line_says_where_a_file_is_from_and_where_it_begins)
{
    struct offline_line line;
    up();
    for (int css = 0; css < 2; css++) {
        write_file("body", "", css);
        assert_true(find(&line));
        assert_int_equal(line.begin, 4);
        assert_int_equal(line.moved.size, 0);
        assert_true(offline_is_copy(weft_text(file.data, file.size)));
        const char *wanted = css ? "\n/* weft: taken from http://h.test/%2Aa-%2Db ["
                                 : "\n<!-- weft: taken from http://h.test/%2Aa-%2Db [";
        assert_memory_equal(file.data + 4, wanted, strlen(wanted));
        const char *end = css ? "] */\n" : "] -->\n";
        assert_memory_equal(file.data + file.size - strlen(end), end, strlen(end));
    }
    down();
}

TEST(a_long_url_is_cut_and_its_file_is_known_all_the_same)
{
    static char text[60000];
    struct offline_line line;
    up();
    memset(text, '*', sizeof text - 1); /* each is three bytes in a comment */
    memcpy(text, "http://h.test/", 14);
    out_string(&file, "body");
    offline_put_line(&crawl, weft_text_of(text), weft_text_of(" 1:2:3"), false, &file);
    out_string(&file, "and more");
    assert_true(
        offline_find_line(&crawl, weft_text_of(text), weft_text(file.data, file.size), &line));
    assert_int_equal(line.begin, 4);
    assert_int_equal(line.end, file.size - strlen("and more"));
    assert_int_equal(offline_before_moved(&line, 1, 3), 2);
    down();
}

TEST(what_another_crawl_or_a_site_has_written_is_not_ours)
{
    struct offline_line line;
    up();
    write_file("body", " 1:2:3", false);
    assert_false(offline_find_line(&crawl, weft_text_of("http://h.test/other"),
                                   weft_text(file.data, file.size), &line));
    assert_int_equal(line.begin, file.size);
    down();
    up(); /* with another key */
    out_string(&file, "body\n<!-- weft: taken from http://h.test/ [0123456789abcdef 1:2:3] -->\n");
    assert_false(find(&line));
    assert_true(offline_is_copy(weft_text(file.data, file.size)));
    file.size = 0;
    assert_false(find(&line));
    assert_false(offline_is_copy(weft_text(NULL, 0)));
    down();
}

TEST(a_sign_that_somebody_has_put_into_the_page_is_not_its_last_line)
{
    struct offline_line line;
    up();
    write_file("body", " 1:2:3", false);
    char *copied = strndup(file.data, file.size); /* as it is published */
    assert_non_null(copied);
    write_file(copied, " 4:5:6", false);
    assert_true(find(&line));
    assert_int_equal(line.begin, strlen(copied));
    assert_int_equal(line.end, file.size);
    assert_int_equal(offline_before_moved(&line, 4, 6), 5);
    free(copied);
    down();
}

TEST(links_that_were_moved_are_found_in_their_order)
{
    struct offline_line line;
    struct out moved = {0};
    up();
    offline_note_moved(&moved, 4, 17, 42, false);
    offline_note_moved(&moved, 9, 18, 43, true);
    offline_note_moved(&moved, 10, 4294967295, 1, false);
    file.size = 0;
    out_string(&file, "body");
    offline_put_line(&crawl, weft_text_of(url), weft_text(moved.data, moved.size), false, &file);
    assert_true(find(&line));
    assert_false(offline_was_moved(&line, 1));
    assert_int_equal(offline_before_moved(&line, 3, 42), 42);
    assert_true(offline_was_moved(&line, 4));
    assert_int_equal(offline_before_moved(&line, 4, 42), 17);
    assert_false(offline_part_is_moved(&line, 4));
    assert_int_equal(offline_before_moved(&line, 4, 42), 17); /* as often as one likes */
    assert_int_equal(offline_before_moved(&line, 9, 42), 42); /* somebody has changed it */
    assert_int_equal(offline_before_moved(&line, 9, 43), 18);
    assert_true(offline_part_is_moved(&line, 9));
    assert_int_equal(offline_before_moved(&line, 10, 1), 4294967295);
    assert_false(offline_was_moved(&line, 11));
    assert_false(offline_was_moved(&line, 4)); /* it was passed by */
    out_free(&moved);
    down();
}

TEST(notes_that_are_none_are_passed_over)
{
    static const char *const bad[] = {
        " 4",        " 4:17",    " 4:17:", " :17:42", " 4:x:42", "  ", " 4:17:99999999999",
        " -4:17:42", " 4:17:42x"};
    struct offline_line line;
    char text[100];
    up();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "%s 5:6:7", bad[i]);
        write_file("body", text, false);
        assert_true(find(&line));
        assert_false(offline_was_moved(&line, 4));
        assert_int_equal(offline_before_moved(&line, 5, 7), 6);
    }
    write_file("body", " 4:17:42", false);
    file.size -= strlen("] -->\n"); /* cut off */
    assert_false(find(&line));
    down();
}

TEST(too_many_notes_are_not_kept_and_what_is_kept_is_found)
{
    struct offline_line line;
    struct out moved = {0};
    up();
    for (unsigned i = 1; i <= 20000; i++)
        offline_note_moved(&moved, i, i, i + 1, i % 2 == 0);
    assert_true(moved.size < 40000);
    file.size = 0;
    out_string(&file, "body");
    offline_put_line(&crawl, weft_text_of(url), weft_text(moved.data, moved.size), false, &file);
    assert_true(find(&line));
    assert_int_equal(line.begin, 4);
    assert_int_equal(offline_before_moved(&line, 1000, 1001), 1000);
    assert_int_equal(offline_before_moved(&line, 20000, 20001), 20001);
    out_free(&moved);
    down();
}
