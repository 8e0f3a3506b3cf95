/* Reading CSV and JSON Lines: what is a sale, what is not, and where reading goes on. Everything is read
 * several times, in pieces of different sizes. */
#include "check.h"
#include "fault.h"
#include "sales/intake.h"
#include <stdlib.h>
#include <uv.h>

enum { NOW = 77 };

struct feed {
    struct weft_text left;
    size_t piece;
};

static int feed_piece(void *context, char *buffer, size_t size)
{
    struct feed *feed = context;
    size_t part = feed->left.size < feed->piece ? feed->left.size : feed->piece;
    part = part < size ? part : size;
    if (part > 0)
        memcpy(buffer, feed->left.data, part);
    feed->left = weft_text(feed->left.data + part, feed->left.size - part);
    return (int)part;
}

/* What comes out, as a line each: "item=amount@time", "12: problem", "end" or "failed 1: problem". */
static char *told(intake_next_fn *next, struct weft_text text, size_t piece)
{
    struct feed feed = {text, piece};
    struct intake intake = {.lines = {.fill = feed_piece, .context = &feed}, .now_s = NOW};
    char *out;
    size_t size;
    FILE *to = open_memstream(&out, &size);
    enum intake_got got;
    do {
        got = next(&intake);
        if (got == INTAKE_SALE)
            fprintf(to, "%.*s=%lld@%lld\n", WEFT_TEXT_ARGS(intake.item), (long long)intake.amount,
                    (long long)intake.time_s);
        else if (got == INTAKE_BAD)
            fprintf(to, "%llu: %s\n", (unsigned long long)intake.line, intake.problem);
    } while (got == INTAKE_SALE || got == INTAKE_BAD);
    if (got == INTAKE_FAILED)
        fprintf(to, "failed %llu: %s\n", (unsigned long long)intake.line,
                intake.problem != NULL ? intake.problem : uv_err_name(intake.status));
    fclose(to);
    intake_free(&intake);
    return out;
}

static void require(intake_next_fn *next, struct weft_text text, const char *expected)
{
    static const size_t pieces[] = {1, 2, 7, 65536, SIZE_MAX};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        char *out = told(next, text, pieces[i]);
        assert_string_equal(out, expected);
        free(out);
    }
}

static void csv(const char *text, const char *expected)
{
    require(csv_next, weft_text_of(text), expected);
}

static void jsonl(const char *text, const char *expected)
{
    require(jsonl_next, weft_text_of(text), expected);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

TEST(csv_has_its_columns_in_any_order)
{
    csv("item,amount,time\nbook,5,9\n", "book=5@9\n");
    csv("TIME,Item,amount\r\n9,book,-5\r\n", "book=-5@9\n");
    csv("amount,item\n5,book", "book=5@77\n");
    csv("amount,time,item\n5,,book\n", "book=5@77\n");
    csv("\xEF\xBB\xBFitem,amount\nbook,5\n", "book=5@77\n");
    csv("\n\nitem,amount\n\nbook,5\n\n\n", "book=5@77\n");
    csv("\"item\",\"amount\"\n\"book\",\"5\"\n", "book=5@77\n");
}

TEST(csv_fields_in_quotes_may_have_anything_in_them)
{
    csv("item,amount\n\"a,b\",1\n", "a,b=1@77\n");
    csv("item,amount\n\"a \"\"b\"\"\",1\n", "a \"b\"=1@77\n");
    csv("item,amount\n\"\"\"\",1\n", "\"=1@77\n");
    csv("item,amount\n\"a\nb\r\n\nc\",1\nbook,2\n", "a\nb\r\n\nc=1@77\nbook=2@77\n");
    csv("item,amount\n a ,1\n", " a =1@77\n");
}

TEST(csv_that_is_not_in_order_is_told_with_its_line)
{
    csv("item,amount\nbook\n", "2: 2 fields expected, 1 found\n");
    csv("item,amount\nbook,1,2\n", "2: 2 fields expected, 3 found\n");
    csv("item,amount,time\na,1\n", "2: 3 fields expected, 2 found\n");
    csv("item,amount\na,1,2,3\n", "2: 2 fields expected, 4 found\n");
    csv("item,amount\n,1\n", "2: the item has no name\n");
    csv("item,amount\na,\n", "2: there is no amount\n");
    csv("item,amount\na,1.5\n", "2: an amount is a whole number from -10^12 to 10^12, but not 0\n");
    csv("item,amount\na,0\nb,-1\n",
        "2: an amount is a whole number from -10^12 to 10^12, but not 0\nb=-1@77\n");
    csv("item,amount,time\na,1,noon\n", "2: the time is neither RFC 3339 nor seconds\n");
    csv("item,amount\na\"b,1\n", "2: a quote stands in a field without quotes\n");
    csv("item,amount\n\"a\"b,1\n", "2: something stands behind a closing quote\n");
    csv("item,amount\na\rb,1\n", "2: a carriage return stands alone\n");
    csv("item,amount\n\nbad\n\"a\nb\",1\nbad\n", "3: 2 fields expected, 1 found\na\nb=1@77\n"
                                                 "6: 2 fields expected, 1 found\n");
}

TEST(a_quote_that_is_not_closed_does_not_swallow_what_follows)
{
    csv("item,amount\n\"a,1\nbook,2\ngame,3\n", "2: a quote is not closed\nbook=2@77\ngame=3@77\n");
    csv("item,amount\n\"a,1\nbook,2\n\"b\",3\n",
        "2: something stands behind a closing quote\nbook=2@77\nb=3@77\n");
}

TEST(a_record_that_can_be_cut_into_fields_is_refused_as_a_whole)
{
    csv("item,amount\n\"a\nbook,7\n\",1,2,3,4\ngame,2\n",
        "2: 2 fields expected, 5 found\ngame=2@77\n");
    csv("item,amount\n\"a\nbook,7\n\",x\ngame,2\n",
        "2: an amount is a whole number from -10^12 to 10^12, but not 0\ngame=2@77\n");
}

TEST(csv_without_a_good_line_of_names_cannot_be_read)
{
    csv("", "failed 1: there is not even a line of names\n");
    csv("book,5\n", "failed 1: the names in the first line can only be item, amount and time\n");
    csv("item,item\n", "failed 1: a name stands twice in the first line\n");
    csv("item,time\n", "failed 1: the first line has to name item and amount\n");
    csv("item,amount,time,more\n",
        "failed 1: the names in the first line can only be item, amount and time\n");
    csv("\"item,amount\n", "failed 1: a quote is not closed\n");
}

/* ---- JSON Lines ----------------------------------------------------------------------------- */

TEST(json_has_an_object_in_each_line)
{
    jsonl("{\"item\":\"book\",\"amount\":5}\n", "book=5@77\n");
    jsonl("\xEF\xBB\xBF { \"time\": 9, \"amount\": -5, \"item\": \"b\\u00f6\\n\" } \r\n\r\n",
          "b\xC3\xB6\n=-5@9\n");
    jsonl("{\"item\":\"a\",\"amount\":1,\"time\":\"1970-01-01T00:00:09Z\"}\n"
          "{\"item\":\"b\",\"amount\":2}",
          "a=1@9\nb=2@77\n");
    jsonl("", "");
}

TEST(json_that_is_not_in_order_is_told_with_its_line)
{
    jsonl("[]\n\n{}\n", "1: it is no JSON object\n3: it has no item or no amount\n");
    jsonl("  \t\n \r\n",
          "1: there is nothing but blanks in it\n2: there is nothing but blanks in it\n");
    jsonl("{\"item\":\"a\",\"amount\":0}\n",
          "1: an amount is a whole number from -10^12 to 10^12, but not 0\n");
    jsonl("{\"item\":\"a\"}\n", "1: it has no item or no amount\n");
    jsonl("{\"item\":1,\"amount\":1}\n", "1: the item is no string\n");
    jsonl("{\"item\":\"\",\"amount\":1}\n", "1: the item has no name\n");
    jsonl("{\"item\":\"a\",\"amount\":\"1\"}\n", "1: the amount is no number\n");
    jsonl("{\"item\":\"a\",\"amount\":1.0}\n",
          "1: an amount is a whole number from -10^12 to 10^12, but not 0\n");
    jsonl("{\"item\":\"a\",\"amount\":1,\"time\":null}\n",
          "1: the time is neither a string nor a number\n");
    jsonl("{\"item\":\"a\",\"item\":\"b\",\"amount\":1}\n", "1: a member stands twice\n");
    jsonl("{\"item\":\"a\",\"amount\":1,\"price\":1}\n",
          "1: its members can only be item, amount and time\n");
    jsonl("{\"item\":\"\\ud800\",\"amount\":1}\n",
          "1: the name of the item has half a character\n");
    jsonl("{\"item\":\"\xFF\",\"amount\":1}\n", "1: it is not UTF-8\n");
    jsonl("{\"item\":\"a\",\"amount\":1\xC3\n", "1: it is not UTF-8\n");
}

/* What the reader of JSON says is its own; that it says something, and goes on, is ours. */
TEST(json_that_is_broken_off_is_told_and_the_next_line_is_read)
{
    static const char *const texts[] = {"{",
                                        "{\"item\":\"a\",\"amount\":1",
                                        "{\"item\":\"a\",\"amount\":1}}",
                                        "{\"item\":\"a\",\"amount\":1} {}",
                                        "{\"item\":\"a\" \"amount\":1}",
                                        "book"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s\n{\"item\":\"b\",\"amount\":2}\n", texts[i]);
        char *out = told(jsonl_next, weft_text_of(text), SIZE_MAX);
        assert_memory_equal(out, "1: ", 3);
        assert_string_equal(strchr(out, '\n'), "\nb=2@77\n");
        free(out);
    }
}

/* ---- both ----------------------------------------------------------------------------------- */

/* A name, and a line, that are as long as they may be; and longer by one byte. */
static char *with_run(const char *before, size_t run, const char *after)
{
    size_t size = strlen(before) + run + strlen(after) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%s", before);
    memset(text + strlen(before), 'x', run);
    snprintf(text + strlen(before) + run, size - strlen(before) - run, "%s", after);
    return text;
}

TEST(names_and_lines_have_a_limit)
{
    char *text = with_run("item,amount\n", LEDGER_ITEM_MAX + 1, ",1\nbook,2\n");
    csv(text, "2: the name of the item is too long\nbook=2@77\n");
    free(text);
    text = with_run("item,amount\n\"", LEDGER_ITEM_MAX + 1, "\",1\nbook,2\n");
    csv(text, "2: the name of the item is too long\nbook=2@77\n");
    free(text);
    text = with_run("item,amount\n", LINES_MAX - 2, ",1\r\nbook,2\n");
    csv(text, "2: the name of the item is too long\nbook=2@77\n");
    free(text);
    text = with_run("item,amount\n", LINES_MAX - 1, ",1\nbook,2\n");
    csv(text, "2: the line is too long\nbook=2@77\n");
    free(text);
    text = with_run("item,amount\n", 10 * LINES_MAX, ",1\nbook,2\n");
    csv(text, "2: the line is too long\nbook=2@77\n");
    free(text);
    text = with_run("item,amount\n", 10 * LINES_MAX, "");
    csv(text, "2: the line is too long\n");
    free(text);
    text = with_run("item,amount\n\"", LINES_MAX / 2, "\n\n\nbook,2\n");
    csv(text, "2: a quote is not closed\nbook=2@77\n");
    free(text);
    text = with_run("{\"item\":\"", 3 * LINES_MAX, "\"}\n{\"item\":\"b\",\"amount\":2}\n");
    jsonl(text, "1: the line is too long\nb=2@77\n");
    free(text);
}

static int fill_fails(void *context, char *buffer, size_t size)
{
    unsigned *calls = context;
    if ((*calls)++ > 0)
        return UV_EIO;
    return snprintf(buffer, size, "item,amount\nbook,1\ngame,");
}

TEST(a_file_that_cannot_be_read_on_is_an_error_and_no_end)
{
    unsigned calls = 0;
    struct intake intake = {.lines = {.fill = fill_fails, .context = &calls}};
    assert_int_equal(csv_next(&intake), INTAKE_SALE);
    assert_int_equal(csv_next(&intake), INTAKE_FAILED);
    assert_int_equal(intake.status, UV_EIO);
    assert_null(intake.problem);
    assert_int_equal(csv_next(&intake), INTAKE_FAILED);
    intake_free(&intake);
}

static void read_poorly(unsigned long n)
{
    (void)n;
    for (int i = 0; i < 2; i++) {
        struct feed feed = {weft_text_of("{\"item\":\"book\",\"amount\":5}\n"), SIZE_MAX};
        struct intake intake = {.lines = {.fill = feed_piece, .context = &feed}, .now_s = NOW};
        enum intake_got got = jsonl_next(&intake);
        assert_true(got == INTAKE_SALE || (got == INTAKE_FAILED && intake.status == UV_ENOMEM));
        intake_free(&intake);
    }
}

TEST(readers_survive_running_out_of_memory)
{
    fault_ladder(read_poorly);
    assert_int_equal(fault_ladder_height(), 4);
}
