/* What a crawl looks like: columns of text, rates, and the display at every size. */
#include "check.h"
#include "spider/columns.h"
#include "spider/display.h"
#include "spider/screen.h"
#include "spider/harvest.h"
#include <poll.h>
#include <sys/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- columns -------------------------------------------------------------------------------- */

static void cuts(const char *text, unsigned columns, const char *expected, unsigned width)
{
    char buffer[256];
    size_t bytes = 0;
    unsigned got = columns_cut(buffer, sizeof buffer, text, strlen(text), columns, "…", &bytes);
    assert_string_equal(buffer, expected);
    assert_int_equal(bytes, strlen(expected));
    assert_int_equal(got, width);
}

TEST(a_text_is_cut_by_columns_and_says_so)
{
    cuts("hello", 5, "hello", 5);
    cuts("hello", 4, "hel…", 4);
    cuts("hello", 1, "…", 1);
    cuts("hello", 0, "", 0);
    cuts("", 3, "", 0);
    cuts("größe", 5, "größe", 5);
    cuts("größe", 4, "grö…", 4);
}

TEST(wide_characters_take_two_columns_and_marks_take_none)
{
    assert_int_equal(columns_of("日本語", strlen("日本語")), 6);
    cuts("日本語", 6, "日本語", 6);
    cuts("日本語", 5, "日本…", 5);
    cuts("日本語", 4, "日…", 3);
    cuts("日本語", 2, "…", 1);
    cuts("e\u0301a", 2, "e\u0301a", 2);
    assert_int_equal(columns_of("🕷", strlen("🕷")), 2);
}

TEST(nothing_that_a_terminal_obeys_gets_through)
{
    cuts("a\033[2Jb\r\n\t\x7f", 20, "a?[2Jb????", 10);
    cuts("\xc2\x9b"
         "31m",
         20, "?31m", 4); /* CSI in one */
    cuts("\u202etxt.exe", 20, "?txt.exe", 8);
    cuts("\u200b\ufeff", 20, "??", 2);
}

TEST(bytes_that_are_no_utf8_become_question_marks)
{
    cuts("a\xff\xfe", 9, "a??", 3);
    cuts("\xc3", 9, "?", 1);
    cuts("\xc0\xaf", 9, "??", 2);          /* longer than needed */
    cuts("\xed\xa0\x80", 9, "?", 1);       /* half of a pair */
    cuts("\xf4\x90\x80\x80x", 9, "?x", 2); /* beyond the last */
    cuts("\xe6\x97", 9, "??", 2);          /* cut off */
}

TEST(a_text_never_leaves_its_buffer_however_it_is_made)
{
    static const char letters[] = "a\xc3\xa4\xe6\x97\xa5\xcc\x81\033\xff";
    uint64_t seed = check_seed();
    for (int round = 0; round < 20000; round++) {
        char text[24], buffer[40];
        size_t size = 0, bytes;
        for (; size < sizeof text; size++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[size] = letters[(seed >> 33) % (sizeof letters - 1)];
        }
        size_t room = (size_t)((seed >> 40) % sizeof buffer);
        unsigned columns = (unsigned)((seed >> 50) % 30);
        memset(buffer, '#', sizeof buffer);
        unsigned width = columns_cut(buffer, room, text, size, columns, "…", &bytes);
        assert_true(width <= columns);
        assert_true(room == 0 || (bytes < room && buffer[bytes] == '\0'));
        assert_int_equal(columns_of(buffer, room == 0 ? 0 : bytes), width);
        for (size_t i = room; i < sizeof buffer; i++)
            assert_int_equal(buffer[i], '#');
    }
}

TEST(a_line_is_made_harmless_and_cut_only_where_there_is_no_room)
{
    char line[12];
    assert_string_equal(columns_plain(line, sizeof line,
                                      "a\xc2\x9b"
                                      "b\xe2\x80\xae"
                                      "c\xff",
                                      9),
                        "a?b?c?");
    assert_string_equal(columns_plain(line, sizeof line, "eleven char", 11), "eleven char");
    assert_string_equal(columns_plain(line, sizeof line, "twelve chars", 12), "twelve cha~");
    assert_string_equal(columns_plain(line, sizeof line, NULL, 0), "");
}

/* ---- rates ---------------------------------------------------------------------------------- */

/* From second to second, four times each: so many pages a second, and what waits then. */
static void go(struct rates *rates, struct rates_sample *sample, int seconds, unsigned pages,
               int waiting)
{
    for (int i = 0; i < seconds * 4; i++) {
        sample->ms += 250;
        sample->pages += pages / 4;
        sample->settled += pages / 4;
        sample->there += pages / 4;
        sample->bytes += pages / 4 * 1000;
        sample->waiting = (uint64_t)((int64_t)sample->waiting + waiting / 4);
        rates_add(rates, sample);
    }
}

static const struct rates_limits no_limits = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

static int64_t left_ms(const struct rates *rates)
{
    return rates_left_ms(rates, &no_limits, false);
}

TEST(a_rate_is_that_of_the_last_seconds)
{
    struct rates rates = {0};
    struct rates_sample sample = {0};
    assert_int_equal(rates_pages(&rates), 0);
    assert_int_equal(rates_bytes(&rates), 0);
    assert_int_equal(left_ms(&rates), 0);
    rates_add(&rates, &sample);
    assert_int_equal(rates_pages(&rates), 0);
    go(&rates, &sample, 1, 40, 0); /* from the first look on */
    assert_int_equal(rates_pages(&rates), 40 * 1000);
    go(&rates, &sample, 20, 40, 0);
    assert_int_equal(rates_pages(&rates), 40 * 1000);
    assert_int_equal(rates_bytes(&rates), 40 * 1000);
    go(&rates, &sample, 6, 8, 0);
    assert_int_equal(rates_pages(&rates), 8 * 1000);
    go(&rates, &sample, 6, 0, 0);
    assert_int_equal(rates_pages(&rates), 0);
}

TEST(a_look_that_comes_too_early_does_not_push_out_the_others)
{
    struct rates rates = {0};
    struct rates_sample sample = {0};
    for (int i = 0; i < 5000; i++) {
        sample.ms++;
        sample.pages++;
        rates_add(&rates, &sample);
    }
    assert_int_equal(rates_pages(&rates), 1000 * 1000);
    sample.ms = 3; /* a clock that goes back is not believed */
    rates_add(&rates, &sample);
    assert_int_equal(rates_pages(&rates), 1000 * 1000);
}

TEST(an_end_is_seen_when_what_waits_has_not_grown_for_a_while)
{
    struct rates rates = {0};
    struct rates_sample sample = {.waiting = 1000};
    rates_add(&rates, &sample);
    go(&rates, &sample, 10, 40, 80);
    assert_int_equal(left_ms(&rates), -1); /* more and more */
    go(&rates, &sample, 2, 40, -40);
    assert_int_equal(left_ms(&rates), -1); /* not for long enough */
    go(&rates, &sample, 5, 40, -40);
    assert_int_equal(sample.waiting, 1520);
    assert_int_equal(left_ms(&rates), 1520 * 1000 / 40);
    go(&rates, &sample, 6, 0, 0);
    assert_int_equal(left_ms(&rates), -1); /* nothing happens */
    sample.waiting = 0;
    go(&rates, &sample, 1, 40, 0);
    assert_int_equal(left_ms(&rates), 0);
}

TEST(no_end_is_seen_as_long_as_each_page_leads_to_another)
{
    struct rates rates = {0};
    struct rates_sample sample = {.waiting = 4};
    rates_add(&rates, &sample);
    go(&rates, &sample, 60, 40, 0);
    assert_int_equal(left_ms(&rates), -1);
    sample.waiting = 1000; /* a page that has many */
    go(&rates, &sample, 1, 40, -40);
    assert_int_equal(left_ms(&rates), -1);
    go(&rates, &sample, 5, 40, -40);
    assert_int_equal(left_ms(&rates), 760 * 1000 / 40);
}

TEST(a_limit_is_an_end_if_it_is_reached_before_what_waits_now)
{
    struct rates rates = {0};
    struct rates_sample sample = {.waiting = 1000};
    struct rates_limits limits = no_limits;
    rates_add(&rates, &sample);
    go(&rates, &sample, 2, 40, 80);
    limits.pages = 400;
    assert_int_equal(rates_left_ms(&rates, &limits, false), -1); /* too early */
    go(&rates, &sample, 8, 40, 80);
    assert_int_equal(sample.waiting, 1800); /* for 45 seconds, and more and more */
    assert_int_equal(rates_left_ms(&rates, &limits, false), 400 * 1000 / 40);
    limits.bytes = 100 * 1000;
    assert_int_equal(rates_left_ms(&rates, &limits, true), 2500);
    limits.ms = 777;
    assert_int_equal(rates_left_ms(&rates, &limits, false), 777);
    limits = no_limits;
    limits.pages = 1801;
    assert_int_equal(rates_left_ms(&rates, &limits, false),
                     -1); /* it may end before that, or not */
    go(&rates, &sample, 10, 40, -40);
    assert_int_equal(rates_left_ms(&rates, &limits, false), 1400 * 1000 / 40);
    assert_int_equal(rates_left_ms(&rates, &limits, true), -1); /* some of it will never come */
}

TEST(numbers_that_are_huge_make_no_nonsense)
{
    struct rates rates = {0};
    struct rates_sample sample = {.waiting = UINT64_MAX / 2};
    rates_add(&rates, &sample);
    sample = (struct rates_sample){.ms = 4000,
                                   .pages = UINT64_MAX,
                                   .settled = UINT64_MAX,
                                   .bytes = UINT64_MAX,
                                   .waiting = UINT64_MAX / 2};
    rates_add(&rates, &sample);
    assert_true(rates_pages(&rates) > UINT64_MAX / 4 / 1000);
    assert_int_equal(rates_bytes(&rates), UINT64_MAX / 4000 * 1000);
    assert_int_equal(left_ms(&rates), -1);
    sample.ms = UINT64_MAX;
    rates_add(&rates, &sample);
    assert_int_equal(rates_pages(&rates), 0);
}

TEST(bars_are_pages_a_second_the_newest_last)
{
    struct rates rates = {0};
    struct rates_sample sample = {0};
    for (unsigned second = 0; second < 30; second++) {
        sample.ms = second * 1000 + 500;
        sample.pages += second;
        rates_add(&rates, &sample);
    }
    for (unsigned i = 0; i < RATES_BARS; i++)
        assert_int_equal(rates.bars[i], 30 - RATES_BARS + i);
    sample.ms += 2000;
    sample.pages += 7;
    rates_add(&rates, &sample);
    assert_int_equal(rates.bars[RATES_BARS - 1], 7);
    assert_int_equal(rates.bars[RATES_BARS - 2], 0);
    assert_int_equal(rates.bars[RATES_BARS - 3], 29);
    sample.ms += 1000 * 1000;
    rates_add(&rates, &sample);
    for (unsigned i = 0; i < RATES_BARS; i++)
        assert_int_equal(rates.bars[i], 0);
}

/* ---- the display ---------------------------------------------------------------------------- */

static struct display_view a_view(bool colour, bool ascii)
{
    struct display_view view = {.colour = colour,
                                .ascii = ascii,
                                .saved = 1234,
                                .moved = 5,
                                .skipped = 3,
                                .failed = 2,
                                .bytes = 47500000,
                                .waiting = 567,
                                .running = 8,
                                .elapsed_ms = 72000,
                                .pages_rate = 124000,
                                .bytes_rate = 3355443,
                                .left_ms = 40100};
    for (unsigned i = 0; i < RATES_BARS; i++)
        view.bars[i] = i * i;
    view.hosts_count = DISPLAY_HOSTS;
    view.hosts[0] = (struct display_host){
        .origin = "http://127.0.0.1:8080", .running = 8, .waiting = 560, .gap_ms = 100};
    view.hosts[1] = (struct display_host){
        .origin = "https://slow.example", .state = DISPLAY_RESTS, .waiting = 7, .rest_ms = 12000};
    view.hosts[2] = (struct display_host){.origin = "https://gone.example", .state = DISPLAY_GONE};
    view.hosts[3] =
        (struct display_host){.origin = "https://new.example", .state = DISPLAY_READING_ROBOTS};
    for (view.urls_count = 0; view.urls_count < DISPLAY_URLS; view.urls_count++)
        view.urls[view.urls_count] = (struct display_url){
            .url = "http://127.0.0.1:8080/a/page/with/日本語/\033[2J/in/it.html",
            .age_ms = 2100,
            .bytes = 123456};
    return view;
}

/* The columns of a line, colours aside; nothing else in it may begin with an escape. */
static unsigned width_of(const char *line)
{
    char bare[DISPLAY_BYTES];
    size_t used = 0;
    while (*line != '\0') {
        if (*line == '\033') {
            assert_int_equal(line[1], '[');
            line += 2 + strspn(line + 2, "0123456789");
            assert_int_equal(*line++, 'm');
            continue;
        }
        assert_true((unsigned char)*line >= ' ' && *line != 0x7f);
        bare[used++] = *line++;
    }
    return columns_of(bare, used);
}

static bool has_line(const struct display_frame *frame, const char *part)
{
    for (unsigned i = 0; i < frame->count; i++) {
        if (strstr(frame->line[i], part) != NULL)
            return true;
    }
    return false;
}

TEST(it_is_never_wider_and_never_taller_than_there_is_room)
{
    static struct display_frame frame;
    for (unsigned columns = 1; columns <= 300; columns++) {
        for (unsigned lines = 0; lines <= 50; lines++) {
            struct display_view view = a_view((columns + lines) % 2 == 0, lines % 3 == 0);
            display_draw(&view, columns, lines, &frame);
            assert_true(frame.count <= lines && frame.count <= DISPLAY_LINES);
            for (unsigned i = 0; i < frame.count; i++)
                assert_true(width_of(frame.line[i]) <= columns);
        }
    }
}

TEST(without_columns_there_is_nothing)
{
    static struct display_frame frame;
    struct display_view view = a_view(true, false);
    display_draw(&view, 0, 20, &frame);
    assert_int_equal(frame.count, 0);
}

TEST(what_matters_most_is_there_when_there_is_little_room)
{
    static struct display_frame frame;
    struct display_view view = a_view(false, false);
    display_draw(&view, 20, 1, &frame);
    assert_int_equal(frame.count, 1);
    assert_string_equal(frame.line[0], " 1234 saved  45.3 MB");
    display_draw(&view, 80, 2, &frame);
    assert_true(has_line(&frame, "124 pages/s  3.2 MB/s  1 min 12 s  about 41 s left"));
}

TEST(everything_is_there_when_there_is_room)
{
    static struct display_frame frame;
    struct display_view view = a_view(false, false);
    display_draw(&view, 120, DISPLAY_LINES, &frame);
    assert_int_equal(frame.count, DISPLAY_LINES);
    assert_true(has_line(&frame, "──  1 min 12 s  about 41 s left  ───"));
    assert_true(
        has_line(&frame, "1234 saved  45.3 MB  567 waiting  8 under way  2 failed  3 skipped"));
    assert_true(has_line(&frame, "▁▁▁▁▁▁"));
    assert_true(
        has_line(&frame, " http://127.0.0.1:8080    8 under way     560 waiting  one each 100ms"));
    assert_true(has_line(
        &frame, " https://slow.example     0 under way       7 waiting  rests for 12.0 s"));
    assert_true(has_line(&frame, "given up"));
    assert_true(has_line(&frame, "robots.txt first"));
    assert_true(
        has_line(&frame, "   2.1 s    121 kB  http://127.0.0.1:8080/a/page/with/日本語/?[2J/"));
}

TEST(where_utf8_is_not_spoken_there_is_none_of_ours)
{
    static struct display_frame frame;
    struct display_view view = a_view(false, true);
    view.urls_count = 0;
    display_draw(&view, 70, DISPLAY_LINES, &frame);
    for (unsigned i = 0; i < frame.count; i++) {
        for (const char *c = frame.line[i]; *c != '\0'; c++)
            assert_true((unsigned char)*c < 0x80);
    }
}

TEST(an_end_that_is_not_known_is_not_told)
{
    static struct display_frame frame;
    struct display_view view = a_view(false, false);
    char line[512];
    view.left_ms = -1;
    display_draw(&view, 120, DISPLAY_LINES, &frame);
    assert_false(has_line(&frame, "left"));
    assert_null(strstr(display_sentence(&view, line, sizeof line), "left"));
    view.stopping = true;
    display_draw(&view, 120, DISPLAY_LINES, &frame);
    assert_true(has_line(&frame, "finishing what is under way"));
}

TEST(a_log_gets_the_same_in_a_sentence)
{
    char line[512], brief[10];
    struct display_view view = a_view(true, false);
    assert_string_equal(display_sentence(&view, line, sizeof line),
                        "1 min 12 s: 1234 saved (45.3 MB), 567 waiting, 8 under way, 2 failed, "
                        "3 skipped; 124 pages/s, 3.2 MB/s; about 41 s left");
    display_sentence(&view, brief, sizeof brief);
    assert_string_equal(brief, "1 min 12 ");
}

/* ---- the screen ----------------------------------------------------------------------------- */

/* What was written to it, through a pipe: a terminal that says nothing about its size. */
static char *written(int fd)
{
    static char text[64 * 1024];
    struct pollfd any = {.fd = fd, .events = POLLIN};
    ssize_t size = poll(&any, 1, 0) > 0 ? read(fd, text, sizeof text - 1) : 0;
    text[size > 0 ? size : 0] = '\0';
    return text;
}

static void set_line(struct display_frame *frame, unsigned i, const char *text)
{
    snprintf(frame->line[i], DISPLAY_BYTES, "%s", text);
    frame->count = frame->count > i ? frame->count : i + 1;
}

#define ROOM_FOR_3 "\033D\033D\033[2A"
#define BLOCK(lines) "\0337\033[?7l\033[K" lines "\033[J\033[?7h\0338"
#define NEXT "\r\033[B\033[K"

TEST(what_is_the_same_and_what_was_there_is_shown_beside_what_is_saved)
{
    static struct display_frame frame;
    struct display_view view = a_view(false, false);
    char line[512];
    view.found = 70;
    view.same = 60;
    display_draw(&view, 140, DISPLAY_LINES, &frame);
    assert_true(has_line(&frame, "1234 saved  45.3 MB  60 the same  567 waiting"));
    assert_true(has_line(&frame, "10 were there"));
    assert_non_null(strstr(display_sentence(&view, line, sizeof line),
                           "1234 saved (45.3 MB), 60 the same, 567 waiting"));
    view.checks = true;
    display_draw(&view, 140, DISPLAY_LINES, &frame);
    assert_true(has_line(&frame, "1234 read  45.3 MB"));
    assert_non_null(strstr(display_sentence(&view, line, sizeof line), "1234 read (45.3 MB)"));
}

TEST(a_block_has_a_third_of_the_rows_or_half_of_few)
{
    static const unsigned lines[][2] = {{1, 0},  {2, 1},  {9, 4},   {10, 5},   {15, 5},
                                        {18, 6}, {24, 8}, {48, 16}, {1000, 16}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct screen screen = {.columns = 80, .rows = lines[i][0]};
        assert_int_equal(screen_lines(&screen), lines[i][1]);
        screen.columns = 1;
        assert_int_equal(screen_lines(&screen), 0);
    }
}

TEST(a_frame_is_drawn_from_the_cursor_on_and_leaves_it_there)
{
    static struct screen screen;
    static struct display_frame frame;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    screen.fd = ends[1];
    screen_look(&screen);
    assert_int_equal(screen_width(&screen), 73);
    assert_int_equal(screen_lines(&screen), 8);
    set_line(&frame, 0, "one");
    set_line(&frame, 1, "two");
    set_line(&frame, 2, "three");
    screen_draw(&screen, &frame);
    assert_string_equal(written(ends[0]), "\r" ROOM_FOR_3 BLOCK("one" NEXT "two" NEXT "three"));
    screen_draw(&screen, &frame);
    assert_string_equal(written(ends[0]), "\r" BLOCK("one" NEXT "two" NEXT "three"));
    frame.count = 1;
    screen_draw(&screen, &frame);
    assert_string_equal(written(ends[0]), "\r" BLOCK("one"));
    frame.count = 3;
    screen.rows--; /* another size than it will have at the next look */
    screen_look(&screen);
    screen_draw(&screen, &frame);
    assert_string_equal(written(ends[0]), "\r" ROOM_FOR_3 BLOCK("one" NEXT "two" NEXT "three"));
    close(ends[0]);
    close(ends[1]);
}

/* A resize may come between two writes: then the cursor has to be at the beginning of the block, and each of them
 * has to be small enough for the kernel not to be taken apart. */
TEST(a_large_frame_goes_out_in_pieces_that_bring_the_cursor_back)
{
    static struct screen screen;
    static struct display_frame frame;
    static const char begin[] = "\0337\033[?7l", end[] = "\033[?7h\0338";
    char line[DISPLAY_BYTES], *piece;
    int ends[2];
    unsigned pieces = 0, lines = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    screen.fd = ends[1];
    screen_look(&screen);
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    for (unsigned i = 0; i < 12; i++)
        set_line(&frame, i, line + (i % 2 == 0 ? 0 : 700));
    screen_draw(&screen, &frame);
    while (*(piece = written(ends[0])) != '\0') {
        size_t size = strlen(piece);
        assert_true(size <= 1792);
        assert_non_null(strstr(piece, begin));
        assert_string_equal(piece + size - strlen(end), end);
        if (pieces++ > 0) { /* it goes on where the one before has ended */
            unsigned first;
            assert_int_equal(sscanf(piece + strlen(begin), "\033[%uB", &first), 1);
            assert_int_equal(first, lines);
        }
        for (char *at = piece; (at = strstr(at, "\033[K")) != NULL; at++)
            lines++;
    }
    assert_true(pieces > 1);
    assert_int_equal(lines, 12);
    close(ends[0]);
    close(ends[1]);
}

TEST(what_is_said_stands_above_and_at_the_end_nothing_else_does)
{
    static struct screen screen;
    static struct display_frame frame;
    static const char said[] = "said \033[2J\nmore\n";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    screen.fd = ends[1];
    screen_look(&screen);
    set_line(&frame, 0, "one");
    screen_draw(&screen, &frame);
    written(ends[0]);
    screen_say(&screen, said, sizeof said - 1);
    screen_draw(&screen, &frame);
    assert_string_equal(written(ends[0]),
                        "\r\033[K \033[J\r\033[Ksaid ?[2J\r\nmore\r\n\r" BLOCK("one"));
    screen_say(&screen, "last\n", 5);
    screen_wipe(&screen);
    assert_string_equal(written(ends[0]), "\r\033[K \033[J\r\033[Klast\r\n");
    screen_wipe(&screen);
    assert_string_equal(written(ends[0]), "");
    close(ends[0]);
    close(ends[1]);
}

TEST(much_that_is_said_is_not_lost)
{
    static struct screen screen;
    char line[1000];
    int ends[2];
    size_t seen = 0;
    assert_int_equal(pipe(ends), 0);
    screen.fd = ends[1];
    screen_look(&screen);
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 40; i++)
        screen_say(&screen, line, sizeof line);
    screen_wipe(&screen);
    for (const char *c = written(ends[0]); *c != '\0'; c++)
        seen += *c == '\n';
    assert_int_equal(seen, 40);
    close(ends[0]);
    close(ends[1]);
}

/* ---- the harvest ------------------------------------------------------------------------------ */

TEST(types_are_counted_by_their_names_alone)
{
    static struct harvest harvest;
    harvest_saved(&harvest, weft_text_of("image/png"), 7);
    harvest_saved(&harvest, weft_text_of("Text/HTML; charset=utf-8"), 10);
    harvest_saved(&harvest, weft_text_of("text/html"), 20);
    harvest_saved(&harvest, weft_text_of(""), 1);
    harvest_saved(&harvest, weft_text_of("a\033[2Jb"), 1);
    harvest_sort(&harvest);
    assert_int_equal(harvest.types_count, 4);
    assert_string_equal(harvest.types[0].name, "text/html");
    assert_int_equal(harvest.types[0].count, 2);
    assert_int_equal(harvest.types[0].bytes, 30);
    assert_string_equal(harvest.types[1].name, "a[2jb");
    assert_string_equal(harvest.types[3].name, "no type");
}

TEST(a_server_that_makes_up_types_fills_one_row)
{
    static struct harvest harvest;
    uint64_t sum = 0;
    for (int i = 0; i < 1000; i++) {
        char name[200];
        memset(name, 'x', sizeof name);
        snprintf(name, sizeof name, "made/up-%d", i);
        harvest_saved(&harvest, weft_text(name, i % 2 == 0 ? strlen(name) : sizeof name), 1);
    }
    assert_int_equal(harvest.types_count, HARVEST_TYPES);
    harvest_sort(&harvest);
    assert_string_equal(harvest.types[0].name, "others");
    for (size_t i = 0; i < harvest.types_count; i++)
        sum += harvest.types[i].count;
    assert_int_equal(sum, 1000);
}

TEST(answers_are_counted_by_class)
{
    static struct harvest harvest;
    static const int statuses[] = {200, 206, 301, 404, 410, 503, 0, 999, 600, 99, -1};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        harvest_answer(&harvest, statuses[i]);
    assert_int_equal(harvest.classes[2], 2);
    assert_int_equal(harvest.classes[3], 1);
    assert_int_equal(harvest.classes[4], 2);
    assert_int_equal(harvest.classes[5], 1);
    assert_int_equal(harvest.classes[0], 2);
    assert_int_equal(harvest.classes[HARVEST_OTHER_CLASSES], 3);
}
