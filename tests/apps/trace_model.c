/* Trace files into the model: what a file of ours gives, what is odd, what is refused, and that
 * nothing in a hostile file gets through.
 * ctest: shuffle=no */
#include "check.h"
#include "fault.h"
#include "trace/model.h"
#include "trace/number.h"
#include "trace_feed.h"
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>
#include <weft/alloc.h>

static struct trace trace;

static void load(const char *text)
{
    struct feed feed = feed_of(text);
    int status = trace_load(&trace, feed_fill, &feed);
    if (status != 0)
        fail_msg("%s at %d:%d", trace.problem, (int)trace.line, (int)trace.column);
}

static void is_refused(const char *text, const char *problem, uint64_t line, uint64_t column)
{
    struct feed feed = feed_of(text);
    assert_int_equal(trace_load(&trace, feed_fill, &feed), UV_EINVAL);
    assert_string_equal(trace.problem, problem);
    assert_int_equal(trace.line, line);
    assert_int_equal(trace.column, column);
    trace_free(&trace);
}

static void is_text(uint32_t number, const char *expected)
{
    struct weft_text text = trace_text(&trace, number);
    if (!weft_text_is(text, expected))
        fail_msg("'%.*s' instead of '%s'", WEFT_TEXT_ARGS(text), expected);
}

static const char ours[] =
    "{\"displayTimeUnit\":\"ns\",\n"
    "\"otherData\":{\"weft\":\"0.1.0\",\"command\":\"weft x\",\"events\":7,\"lost\":2,"
    "\"unfinished\":1,\"unrecorded\":1},\n"
    "\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":77,\"tid\":77,\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":"
    "\"loop\"}},\n"
    "{\"ph\":\"b\",\"pid\":77,\"tid\":77,\"ts\":10.000,\"cat\":\"user\",\"name\":\"page\",\"id\":"
    "\"0x1000001\",\"args\":{\"parent\":\"0x0\",\"site\":\"x.c:1 begin\"}},\n"
    "{\"ph\":\"b\",\"pid\":77,\"tid\":77,\"ts\":12.345,\"cat\":\"dns\",\"name\":\"dns_lookup\","
    "\"id\":\"0x1000003\",\"args\":{\"parent\":\"0x1000001\",\"site\":\"src/x.c:41 "
    "page_begin\"}},\n"
    "{\"ph\":\"s\",\"pid\":77,\"tid\":77,\"ts\":12.345,\"cat\":\"cause\",\"name\":\"begun\",\"id\":"
    "\"0x1000003\"},\n"
    "{\"ph\":\"X\",\"pid\":77,\"tid\":77,\"ts\":300.1,\"dur\":4.2,\"cat\":\"dns\",\"name\":"
    "\"dns_lookup\",\"args\":{\"id\":\"0x1000003\",\"entry\":\"page_resolved\",\"status\":"
    "\"ETIMEDOUT\",\"outcome\":0}},\n"
    "{\"ph\":\"f\",\"bp\":\"e\",\"pid\":77,\"tid\":77,\"ts\":300.1,\"cat\":\"cause\",\"name\":"
    "\"begun\",\"id\":\"0x1000003\"},\n"
    "{\"ph\":\"e\",\"pid\":77,\"tid\":77,\"ts\":304.3,\"cat\":\"dns\",\"name\":\"dns_lookup\","
    "\"id\":\"0x1000003\",\"args\":{\"status\":\"ETIMEDOUT\"}}\n"
    "]}\n";

TEST(a_trace_of_ours_is_read_completely)
{
    load(ours);
    assert_int_equal(trace.events, 7);
    assert_int_equal(trace.foreign, 0);
    assert_int_equal(trace.odd, 0);
    assert_int_equal(trace.lost, 2);
    assert_int_equal(trace.unrecorded, 1);
    is_text(trace.weft, "0.1.0");
    is_text(trace.command, "weft x");
    assert_int_equal(trace.span, 294300);
    assert_int_equal(trace.op_count, 2);
    const struct trace_op *page = &trace.ops[0], *lookup = &trace.ops[1];
    assert_true(weft_text_is(trace_type_name(&trace, lookup->type), "dns_lookup"));
    assert_true(weft_text_is(trace_group_name(&trace, lookup->type), "dns"));
    is_text(lookup->site, "src/x.c:41 page_begin");
    is_text(lookup->status, "ETIMEDOUT");
    assert_int_equal(lookup->parent, 0);
    assert_int_equal(lookup->begin, 2345);
    assert_int_equal(lookup->end, 294300);
    assert_int_equal(lookup->back, 290100);
    assert_int_equal(lookup->running, 4200);
    assert_int_equal(lookup->calls, 1);
    assert_true(lookup->ended);
    assert_int_equal(page->parent, TRACE_NONE);
    assert_false(page->ended);
    assert_int_equal(page->end, trace.span);
    assert_int_equal(trace.call_count, 1);
    assert_int_equal(trace.calls[0].op, 1);
    is_text(trace.calls[0].entry, "page_resolved");
    is_text(trace.calls[0].outcome, "");
    assert_int_equal(trace.thread_count, 1);
    is_text(trace.threads[0].name, "loop");
    trace_free(&trace);
}

TEST(a_bare_array_is_a_trace)
{
    load("[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\"}]");
    assert_int_equal(trace.call_count, 1);
    assert_int_equal(trace.calls[0].op, TRACE_NONE);
    assert_int_equal(trace.op_count, 0);
    trace_free(&trace);
    load("[]");
    assert_int_equal(trace.events, 0);
    assert_int_equal(trace.span, 0);
    trace_free(&trace);
}

TEST(unknown_members_phases_and_values_are_passed_over)
{
    load("{\"x\":[{\"y\":1}],\"traceEvents\":[{\"ph\":\"C\",\"args\":{\"deep\":[[{}]]}},{},"
         "{\"ph\":[1],\"name\":{\"a\":1},\"ts\":\"soon\"},{\"ph\":\"XY\"}],\"otherData\":7}");
    assert_int_equal(trace.events, 4);
    assert_int_equal(trace.foreign, 4);
    assert_int_equal(trace.odd, 0);
    trace_free(&trace);
}

TEST(the_order_of_events_does_not_matter)
{
    load("[{\"ph\":\"e\",\"ts\":9,\"id\":2},"
         "{\"ph\":\"X\",\"ts\":8,\"dur\":1,\"args\":{\"id\":2}},"
         "{\"ph\":\"b\",\"ts\":5,\"id\":2,\"args\":{\"parent\":1}},"
         "{\"ph\":\"b\",\"ts\":3,\"id\":1}]");
    assert_int_equal(trace.op_count, 2);
    assert_int_equal(trace.ops[1].parent, 0);
    assert_int_equal(trace.ops[1].begin, 2000);
    assert_int_equal(trace.ops[1].end, 6000);
    assert_int_equal(trace.ops[1].calls, 1);
    trace_free(&trace);
}

TEST(ids_of_64_bits_and_ids_of_text_are_told_apart)
{
    char buffer[TRACE_ID_SIZE];
    load("[{\"ph\":\"b\",\"ts\":1,\"id\":\"0xffffffffffffffff\"},"
         "{\"ph\":\"b\",\"ts\":2,\"id\":\"0xfffffffffffffffe\"},"
         "{\"ph\":\"b\",\"ts\":3,\"id\":\"local-1\"},"
         "{\"ph\":\"b\",\"ts\":4,\"id\":\"0x1ffffffffffffffff\"},"
         "{\"ph\":\"b\",\"pid\":9,\"ts\":5,\"id\":\"0xffffffffffffffff\"},"
         "{\"ph\":\"e\",\"ts\":6,\"id\":\"0xfffffffffffffffe\"},"
         "{\"ph\":\"e\",\"ts\":7,\"id\":\"local-1\"}]");
    assert_int_equal(trace.op_count, 5);
    static const bool ended[] = {false, true, true, false, false};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(trace.ops[i].ended, ended[i]);
    assert_true(weft_text_is(trace_show_id(&trace, trace.ops[0].id, buffer), "0xffffffffffffffff"));
    assert_true(weft_text_is(trace_show_id(&trace, trace.ops[2].id, buffer), "local-1"));
    trace_free(&trace);
}

TEST(of_two_with_one_id_the_later_is_meant)
{
    load("[{\"ph\":\"b\",\"ts\":1,\"id\":1},{\"ph\":\"b\",\"ts\":2,\"id\":1},"
         "{\"ph\":\"e\",\"ts\":3,\"id\":1},{\"ph\":\"e\",\"ts\":4,\"id\":1}]");
    assert_false(trace.ops[0].ended);
    assert_true(trace.ops[1].ended);
    assert_int_equal(trace.ops[1].end, 2000);
    trace_free(&trace);
}

TEST(parents_in_a_circle_are_cut_apart)
{
    load("[{\"ph\":\"b\",\"ts\":1,\"id\":1,\"args\":{\"parent\":3}},"
         "{\"ph\":\"b\",\"ts\":2,\"id\":2,\"args\":{\"parent\":1}},"
         "{\"ph\":\"b\",\"ts\":3,\"id\":3,\"args\":{\"parent\":2}},"
         "{\"ph\":\"b\",\"ts\":4,\"id\":4,\"args\":{\"parent\":4}},"
         "{\"ph\":\"b\",\"ts\":5,\"id\":5,\"args\":{\"parent\":2}}]");
    for (uint32_t i = 0; i < 5; i++) {
        unsigned steps = 0;
        for (uint32_t at = i; at != TRACE_NONE; at = trace.ops[at].parent)
            assert_true(steps++ < 5);
    }
    assert_int_equal(trace.ops[4].parent, 1);
    assert_int_equal(trace.ops[3].parent, TRACE_NONE);
    trace_free(&trace);
}

TEST(an_event_that_makes_no_sense_is_counted_and_left_out)
{
    static const struct {
        const char *event, *reason;
    } odd[] = {
        {"{\"ph\":\"X\",\"dur\":1}", "an event without a time"},
        {"{\"ph\":\"b\",\"ts\":1}", "an operation without an id"},
        {"{\"ph\":\"X\",\"ts\":1,\"dur\":-2}", "a callback that ends before it begins"},
        {"{\"ph\":\"X\",\"ts\":1e300,\"dur\":1}", "a time that cannot be"},
        {"{\"ph\":\"X\",\"ts\":\"1\",\"dur\":1}", "a time that is no number"},
        {"{\"ph\":\"e\",\"ts\":-1e18,\"id\":1}", "a time that cannot be"},
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "[{\"ph\":\"X\",\"ts\":1,\"dur\":1},\n%s]", odd[i].event);
        load(text);
        assert_int_equal(trace.odd, 1);
        assert_string_equal(trace.odd_reason, odd[i].reason);
        assert_int_equal(trace.odd_line, 2);
        assert_int_equal(trace.call_count, 1);
        assert_int_equal(trace.op_count, 0);
        trace_free(&trace);
    }
}

TEST(negative_times_and_ends_before_begins_are_straightened)
{
    load("[{\"ph\":\"b\",\"ts\":-5,\"id\":1},{\"ph\":\"e\",\"ts\":-7.5,\"id\":1}]");
    assert_int_equal(trace.ops[0].begin, 2500);
    assert_int_equal(trace.ops[0].end, 2500);
    assert_int_equal(trace.span, 2500);
    trace_free(&trace);
}

TEST(what_is_no_trace_is_refused)
{
    is_refused("", "an empty file", 1, 1);
    is_refused("hello", "it is no JSON", 1, 1);
    is_refused("7", "this is no trace: it holds no events", 1, 1);
    is_refused("{\"a\":1}", "this is no trace: it holds no traceEvents", 1, 7);
    is_refused("{\"traceEvents\":{}}", "traceEvents should be an array", 1, 16);
    is_refused("[{},\n 7]", "an event should stand here", 2, 2);
    is_refused("[{}] x", "something stands behind the end", 1, 6);
    is_refused("[{\"ph\":\"b\",\"args\":{\"site\":\"x", "it ends too early: the file is cut off", 1,
               29);
}

TEST(every_beginning_of_a_trace_is_refused)
{
    for (size_t size = 1; size < sizeof ours - 2; size++) {
        struct feed feed = {weft_text(ours, size), 7, 0};
        assert_int_equal(trace_load(&trace, feed_fill, &feed), UV_EINVAL);
        assert_string_equal(trace.problem, "it ends too early: the file is cut off");
        trace_free(&trace);
    }
}

TEST(texts_that_could_do_harm_are_made_harmless)
{
    load("[{\"ph\":\"X\",\"ts\":1,\"name\":\"a\\u001b[31m\\u0000\\u009b\\u202eb\\u00e4\"}]");
    is_text(trace.types[0].name, "a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                                 "b\xc3\xa4");
    trace_free(&trace);
}

TEST(a_text_that_is_too_long_is_cut_between_two_characters)
{
    char text[4000] = "[{\"ph\":\"X\",\"ts\":1,\"name\":\"";
    for (size_t i = 0; i < 1000; i++)
        strcat(text, "\xc3\xa4");
    strcat(text, "\"}]");
    load(text);
    struct weft_text name = trace_text(&trace, trace.types[0].name);
    assert_true(name.size <= TEXTS_LONGEST);
    assert_true(name.size > TEXTS_LONGEST - 16);
    assert_memory_equal(name.data + name.size - 3, "\xe2\x80\xa6", 3);
    assert_int_equal((name.size - 3) % 2, 0);
    trace_free(&trace);
}

TEST(callbacks_inside_of_one_another_are_taken_off)
{
    load("[{\"ph\":\"b\",\"ts\":0,\"id\":1},{\"ph\":\"b\",\"ts\":0,\"id\":2},"
         "{\"ph\":\"X\",\"tid\":1,\"ts\":10,\"dur\":10,\"args\":{\"id\":1}},"
         "{\"ph\":\"X\",\"tid\":1,\"ts\":12,\"dur\":3,\"args\":{\"id\":2}},"
         "{\"ph\":\"X\",\"tid\":1,\"ts\":16,\"dur\":1,\"args\":{\"id\":2}},"
         "{\"ph\":\"X\",\"tid\":2,\"ts\":11,\"dur\":5,\"args\":{\"id\":2}},"
         "{\"ph\":\"X\",\"tid\":1,\"ts\":20,\"dur\":2,\"args\":{\"id\":1}}]");
    assert_int_equal(trace.ops[0].running, 8000);
    assert_int_equal(trace.ops[1].running, 9000);
    assert_int_equal(trace.calls[0].self, 6000);
    assert_int_equal(trace.calls[0].longest, 3000);
    trace_free(&trace);
}

/* ---- numbers -------------------------------------------------------------------------------- */

TEST(times_are_read_exactly)
{
    static const struct {
        const char *text;
        int64_t ns;
    } times[] = {
        {"0", 0},
        {"-0", 0},
        {"12.345", 12345},
        {"0.001", 1},
        {"0.0019", 1},
        {"1e3", 1000000},
        {"1.5e-3", 1},
        {"-2.5", -2500},
        {"1e-400", 0},
        {"0e999999999", 0},
        {"0.000000001e9", 1000},
        {"9007199254740.993", 9007199254740993},
        {"315576000000000", NUMBER_TIME_MOST},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        int64_t ns = -7;
        assert_true(number_time(weft_text_of(times[i].text), &ns));
        assert_int_equal(ns, times[i].ns);
    }
    int64_t ns = -7;
    assert_false(number_time(weft_text_of("315576000000000.001"), &ns));
    assert_false(number_time(weft_text_of("1e300"), &ns));
    assert_false(number_time(weft_text_of("-99999999999999999999999"), &ns));
    assert_int_equal(ns, -7);
}

TEST(ids_are_decimal_or_hexadecimal)
{
    uint64_t value = 0;
    assert_true(number_id(weft_text_of("0xFFffFFffFFffFFff"), &value));
    assert_true(value == UINT64_MAX);
    assert_true(number_id(weft_text_of("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    assert_false(number_id(weft_text_of("18446744073709551616"), &value));
    assert_false(number_id(weft_text_of(""), &value));
    assert_false(number_id(weft_text_of("0x"), &value));
    assert_false(number_id(weft_text_of("1f"), &value));
    assert_false(number_id(weft_text_of("-1"), &value));
}

/* ---- much ----------------------------------------------------------------------------------- */

/* Operations, each the parent of the next, as deep as that goes. */
TEST(a_hundred_thousand_generations_are_no_problem)
{
    enum { COUNT = 100000, LINE = 96 };
    char *text = malloc(COUNT * LINE + 8);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "[{\"ph\":\"M\"}");
    for (int i = 1; i <= COUNT; i++)
        size += (size_t)sprintf(text + size,
                                ",{\"ph\":\"b\",\"ts\":%d,\"id\":%d,\"args\":{\"parent\":%d}}", i,
                                i, i + 1);
    sprintf(text + size, "]");
    load(text);
    assert_int_equal(trace.op_count, COUNT);
    assert_int_equal(trace.ops[0].parent, 1);
    trace_free(&trace);
    free(text);
}

static void load_ours(unsigned long n)
{
    struct trace loaded;
    struct feed feed = feed_of(ours);
    (void)n;
    int status = trace_load(&loaded, feed_fill, &feed);
    assert_true(status == 0 || status == UV_ENOMEM);
    trace_free(&loaded);
}

TEST(loading_survives_running_out_of_memory)
{
    fault_ladder(load_ours);
    assert_true(fault_ladder_height() > 10);
}
