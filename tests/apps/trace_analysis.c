/* What is made of a trace: figures a type, chains, blocking callbacks, what is open; and what is
 * written down of it.
 * ctest: labels=valgrind shuffle=no */
#include "check.h"
#include "fault.h"
#include "trace/page.h"
#include "trace_feed.h"
#include "json.h"
#include <stdio.h>
#include <uv.h>
#include <weft/alloc.h>

/* ---- traces in a shorter form --------------------------------------------------------------- */

/* One line an event, times in milliseconds:
 *     b ID TYPE PARENT BEGIN [h | PROMISE]     n ID TIME     e ID END     x ID BEGIN END [pool | inside]
 * pool: work there; inside: a callback there, of a loop that runs inside of work. */
static struct trace trace;
static struct analysis analysis;

static void put_event(struct out *out, const char *line)
{
    char type[32] = "", word[32] = "";
    unsigned id = 0, parent = 0;
    double begin = 0, end = 0;
    out_json_comma(out);
    int got = sscanf(line, "b %u %31s %u %lf %31s", &id, type, &parent, &begin, word);
    bool awaits = word[0] >= '0' && word[0] <= '9';
    if (got >= 4)
        out_format(out,
                   "{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"cat\":\"user\",\"name\":\"%s\","
                   "\"id\":\"0x%x\",\"args\":{\"parent\":\"0x%x\",\"site\":\"%s.c:1\",\"handle\":%"
                   "s%s%s%s}}",
                   begin * 1000, type, id, parent, type, word[0] == 'h' ? "true" : "false",
                   awaits ? ",\"for\":\"" : "", awaits ? word : "", awaits ? "\"" : "");
    else if (sscanf(line, "n %u %lf", &id, &begin) == 2)
        out_format(out,
                   "{\"ph\":\"n\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"id\":\"0x%x\","
                   "\"args\":{\"queue\":\"0x0\"}}",
                   begin * 1000, id);
    else if (sscanf(line, "e %u %lf", &id, &end) == 2)
        out_format(out, "{\"ph\":\"e\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"id\":\"0x%x\"}",
                   end * 1000, id);
    else if (sscanf(line, "x %u %lf %lf %31s", &id, &begin, &end, word) >= 3)
        out_format(out,
                   "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"cat\":\"%s\","
                   "\"args\":{\"id\":\"0x%x\",\"entry\":\"done_%u\"%s}}",
                   word[0] != '\0' ? 2 : 1, begin * 1000, (end - begin) * 1000,
                   word[0] == 'p' ? "thread" : "user", id, id,
                   word[0] == 'p' ? ",\"work\":true" : "");
    else
        fail_msg("no event: %s", line);
}

static void load_lines(const char *const *lines)
{
    struct out out = {0};
    out_string(&out, "[");
    for (; *lines != NULL; lines++)
        put_event(&out, *lines);
    out_string(&out, "]");
    struct feed feed = {weft_text(out.data, out.size), 1 << 16, 0};
    assert_int_equal(trace_load(&trace, feed_fill, &feed), 0);
    out_free(&out);
}

static void analyse_lines(const char *const *lines, int64_t limit_ms, size_t top)
{
    load_lines(lines);
    analysis = (struct analysis){.limit = limit_ms * 1000000, .top = top};
    assert_int_equal(analysis_make(&analysis, &trace), 0);
}
#define analyse(...) analyse_lines((const char *const[]){__VA_ARGS__, NULL}, 10, 10)

static void done(void)
{
    analysis_free(&analysis);
    trace_free(&trace);
}

static const struct analysis_type *type_of(const char *name)
{
    for (size_t i = 0; i < analysis.type_count; i++) {
        if (weft_text_is(trace_type_name(&trace, analysis.types[i].type), name))
            return &analysis.types[i];
    }
    fail_msg("no type %s", name);
    return NULL;
}

/* A chain as "page fetch dns". */
static void is_chain(size_t number, const char *expected)
{
    char got[512] = "";
    assert_true(number < analysis.chain_count);
    const struct analysis_chain *chain = &analysis.chains[number];
    for (size_t i = 0; i < chain->count; i++) {
        struct weft_text name = trace_type_name(&trace, trace.ops[chain->ops[i]].type);
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%.*s", i > 0 ? " " : "", WEFT_TEXT_ARGS(name));
    }
    assert_string_equal(got, expected);
}

/* ---- types ---------------------------------------------------------------------------------- */

TEST(waiting_is_living_less_running)
{
    analyse("b 1 read 0 0", "x 1 7 9", "e 1 10");
    const struct analysis_type *read = type_of("read");
    assert_int_equal(read->count, 1);
    assert_int_equal(read->total, 10000000);
    assert_int_equal(read->waiting.p50, 8000000);
    assert_int_equal(read->running.p99, 2000000);
    assert_int_equal(read->calls, 1);
    done();
}

TEST(percentiles_are_of_the_nearest_rank)
{
    static char lines[400][48];
    const char *list[401] = {NULL};
    for (unsigned i = 0; i < 200; i++) {
        snprintf(lines[2 * i], sizeof lines[0], "b %u op 0 0", i + 1);
        snprintf(lines[2 * i + 1], sizeof lines[0], "e %u %u", i + 1, 200 - i);
        list[2 * i] = lines[2 * i];
        list[2 * i + 1] = lines[2 * i + 1];
    }
    analyse_lines(list, 10, 10);
    const struct analysis_type *op = type_of("op");
    assert_int_equal(op->waiting.p50, 100 * 1000000);
    assert_int_equal(op->waiting.p99, 198 * 1000000);
    assert_int_equal(op->waiting.most, 200 * 1000000);
    assert_int_equal(op->total, 20100 * (int64_t)1000000);
    done();
}

TEST(what_has_not_ended_is_open_and_has_no_length)
{
    analyse("b 1 op 0 0", "b 2 op 0 0", "e 1 4", "x 9 99 100");
    const struct analysis_type *op = type_of("op");
    assert_int_equal(op->count, 2);
    assert_int_equal(op->open, 1);
    assert_int_equal(op->total, 4000000);
    assert_int_equal(op->waiting.most, 4000000);
    done();
}

TEST(more_running_than_living_is_no_negative_waiting)
{
    analyse("b 1 op 0 0", "x 1 0 5", "x 1 1 9 pool", "e 1 6");
    assert_int_equal(type_of("op")->waiting.total, 0);
    assert_int_equal(type_of("op")->running.total, 13000000);
    done();
}

TEST(types_come_by_their_total_and_what_lives_long_last)
{
    analyse("b 9 queue 0 0 h", "e 9 100", "b 1 slow 0 0", "e 1 50", "b 2 quick 0 0", "e 2 10");
    static const char *const order[] = {"slow", "quick", "queue"};
    for (size_t i = 0; i < 3; i++)
        assert_true(weft_text_is(trace_type_name(&trace, analysis.types[i].type), order[i]));
    done();
}

/* ---- chains --------------------------------------------------------------------------------- */

TEST(a_page_is_slow_because_of_a_lookup_that_came_first)
{
    analyse("b 1 page 0 0", "b 2 fetch 1 0", "b 3 dns 2 0", "x 3 300 300.2", "e 3 300.2",
            "b 4 connect 2 300.1", "x 4 302 302.2", "e 4 302.2", "b 5 read 2 302.1", "x 5 308 309",
            "e 5 309", "x 2 309 309.5", "e 2 309.5", "x 1 309.5 310", "e 1 310");
    is_chain(0, "page fetch dns");
    assert_int_equal(analysis_length(&trace.ops[analysis.chains[0].ops[0]]), 310 * 1000000);
    done();
}

/* The next is begun in the callback of the one before, which is destroyed only after that. */
TEST(what_was_begun_in_a_callback_came_after_it)
{
    analyse("b 1 fetch 0 0", "b 2 dns 1 0", "x 2 300 300.2", "b 3 read 1 300.1", "e 2 300.2",
            "x 3 308 309", "e 3 309", "e 1 309");
    is_chain(0, "fetch dns");
    done();
}

TEST(of_children_side_by_side_the_one_that_came_last_was_waited_for)
{
    analyse("b 1 all 0 0", "b 2 long 1 0", "b 3 late 1 20", "e 2 90", "e 3 100", "e 1 100");
    is_chain(0, "all late");
    is_chain(1, "long");
    done();
}

/* A lookup that belongs to the client: in its callback the fetch begins to connect. */
TEST(what_somebody_else_has_begun_is_waited_for_too)
{
    analyse("b 1 page 0 0", "b 2 fetch 1 1", "b 3 client 0 0 h", "b 4 dns 3 2", "x 4 300 302",
            "b 5 connection 2 301 h", "e 4 302", "e 5 309", "x 2 309 310", "e 2 310", "e 1 311");
    is_chain(0, "page fetch dns");
    assert_int_equal(analysis.chain_count, 1);
    done();
}

TEST(an_operation_whose_callback_runs_inside_anothers_has_waited_for_that)
{
    analyse("b 1 fetch 0 1", "b 2 dns 0 2", "x 2 300 310", "x 1 305 306", "e 1 306", "e 2 310");
    is_chain(0, "dns");
    is_chain(1, "fetch dns");
    done();
}

TEST(somebody_else_who_took_less_than_half_of_the_time_was_not_waited_for)
{
    analyse("b 1 page 0 0", "b 2 save 0 60", "x 2 100 101", "b 3 fetch 1 100", "e 2 101", "e 3 110",
            "e 1 110");
    is_chain(0, "page fetch");
    done();
}

TEST(those_who_stand_in_one_line_did_not_wait_for_each_other)
{
    analyse("b 1 page 0 0", "b 2 page 0 0", "x 1 100 101", "b 3 fetch 2 100", "e 1 101", "e 3 110",
            "e 2 110");
    is_chain(0, "page fetch");
    done();
}

TEST(two_who_waited_for_each_other_are_no_circle)
{
    analyse("b 1 a 0 0", "b 2 b 0 0", "x 1 60 61", "b 3 c 2 60 h", "x 2 70 71", "b 4 d 1 70 h",
            "e 1 80", "e 2 90");
    is_chain(0, "b a");
    assert_int_equal(analysis.chain_count, 1);
    done();
}

TEST(long_lived_things_are_not_waited_for)
{
    analyse("b 9 loop 0 0 h", "b 1 page 9 0", "b 2 stream 1 0 h", "b 3 read 1 1", "e 3 90",
            "e 2 100", "e 1 100");
    is_chain(0, "page read");
    assert_int_equal(analysis.chain_count, 1);
    done();
}

TEST(an_await_has_waited_for_its_promise_and_that_for_its_own_work)
{
    analyse("b 1 request 0 0", "b 5 token_fetch 9 0 h", "b 6 lookup 5 1", "b 2 await 1 2 0x5",
            "x 6 298 299", "e 6 299", "e 5 300", "x 2 300 301", "e 2 301", "e 1 301");
    is_chain(0, "request await token_fetch lookup");
    done();
}

/* What people read. */
static void shows(const char *part)
{
    struct out out = {0};
    struct view view = {&trace, &analysis, weft_text_of("a"), &out, false};
    show_people(&view);
    out_text(&out, weft_text("", 1));
    assert_false(out.failed);
    if (strstr(out.data, part) == NULL)
        fail_msg("no '%s' in\n%s", part, out.data);
    out_free(&out);
}

TEST(an_await_names_its_promise)
{
    analyse("b 5 token_fetch 9 0 h", "b 2 await 1 2 0x5", "e 5 300", "e 2 301");
    shows("await  await.c:1, for token_fetch  token_fetch.c:1\n");
    done();
}

TEST(waiting_in_a_queue_is_told)
{
    analyse("b 1 request 0 0", "b 2 load_item 1 0", "n 2 300", "b 3 file_read 2 300", "e 3 300.2",
            "e 2 301", "e 1 301");
    is_chain(0, "request load_item file_read");
    assert_int_equal(type_of("load_item")->queued, 300 * 1000000);
    assert_int_equal(type_of("request")->queued, 0);
    shows("301 ms  load_item  load_item.c:1  (300 ms of it queued)\n");
    done();
}

TEST(an_instant_of_somebody_else_is_no_queue)
{
    struct feed feed = feed_of("[{\"ph\":\"b\",\"ts\":1,\"id\":1},{\"ph\":\"n\",\"ts\":5,\"id\":1},"
                               "{\"ph\":\"e\",\"ts\":9,\"id\":1}]");
    assert_int_equal(trace_load(&trace, feed_fill, &feed), 0);
    assert_int_equal(trace.ops[0].queued, 0);
    assert_int_equal(trace.foreign, 1);
    done();
}

TEST(who_waits_for_a_client_comes_last)
{
    analyse("b 1 loop 0 0 h", "b 2 main 1 0", "b 3 connection 2 0 h", "b 4 accept 3 0",
            "b 5 read 3 100", "b 6 http_request 3 700", "b 7 file_read 6 701", "e 5 700", "e 7 709",
            "e 6 710", "e 4 990", "x 2 999 1000", "e 2 1000");
    assert_int_equal(analysis.chain_count, 4);
    is_chain(0, "http_request file_read");
    is_chain(1, "main");
    is_chain(2, "accept");
    is_chain(3, "read");
    assert_true(!analysis.chains[0].idle && analysis.chains[1].idle && analysis.chains[3].idle);
    shows(
        "\nidle: waited for a client or a signal, or is what the program runs in\n   1.00 s  main");
    done();
}

TEST(a_program_that_waited_for_its_own_work_is_not_idle)
{
    analyse("b 1 loop 0 0 h", "b 2 main 1 0", "b 3 lookup 2 0", "e 3 300", "x 2 309 310",
            "e 2 310");
    is_chain(0, "main lookup");
    assert_false(analysis.chains[0].idle);
    shows("   310 ms  main  main.c:1\n      └ 300 ms  lookup  lookup.c:1\n");
    done();
}

TEST(work_on_the_pool_has_no_row_of_its_own)
{
    analyse("b 1 file_read 0 0", "x 1 1 2 pool", "e 1 3");
    assert_int_equal(analysis.type_count, 1);
    assert_int_equal(type_of("file_read")->count, 1);
    done();
}

TEST(many_from_one_place_are_one_chain)
{
    analyse("b 1 page 0 0", "e 1 10", "b 2 page 0 0", "e 2 30", "b 3 page 0 0", "e 3 20");
    assert_int_equal(analysis.chain_count, 1);
    assert_int_equal(analysis.chains[0].like, 3);
    assert_int_equal(trace.ops[analysis.chains[0].ops[0]].id.value, 2);
    done();
}

TEST(the_slowest_is_shown_also_when_a_fast_one_is_in_another_chain)
{
    analyse("b 1 crawl 0 0", "b 2 page 1 0", "e 2 97", "b 3 page 1 95", "e 3 100", "b 4 page 1 70",
            "e 4 96", "e 1 100");
    is_chain(0, "crawl page");
    assert_int_equal(analysis.chain_count, 2);
    is_chain(1, "page");
    assert_int_equal(trace.ops[analysis.chains[1].ops[0]].id.value, 2);
    done();
}

TEST(a_chain_has_an_end_however_deep_it_goes)
{
    static char lines[400][48];
    const char *list[401] = {NULL};
    for (unsigned i = 0; i < 200; i++) {
        snprintf(lines[2 * i], sizeof lines[0], "b %u op%u %u 0", i + 1, i, i);
        snprintf(lines[2 * i + 1], sizeof lines[0], "e %u 100", i + 1);
        list[2 * i] = lines[2 * i];
        list[2 * i + 1] = lines[2 * i + 1];
    }
    analyse_lines(list, 10, 1);
    assert_int_equal(analysis.chain_count, 1);
    assert_int_equal(analysis.chains[0].count, CHAIN_LONGEST);
    done();
}

/* ---- blocking, open ------------------------------------------------------------------------- */

TEST(the_innermost_callback_that_is_too_long_is_to_blame)
{
    analyse("b 1 a 0 0", "b 2 b 0 0", "x 1 10 60", "x 2 15 55", "x 1 70 81", "x 1 90 99");
    assert_int_equal(analysis.blocked, 2);
    assert_int_equal(trace.calls[analysis.blocking[0]].end, 55 * 1000000);
    assert_int_equal(trace.calls[analysis.blocking[1]].end, 81 * 1000000);
    done();
}

TEST(an_outer_callback_is_to_blame_for_its_own_time)
{
    analyse("x 1 10 60", "x 2 15 35");
    assert_int_equal(analysis.blocked, 2);
    done();
    analyse("x 1 10 30", "x 2 11 17", "x 3 17 23", "x 4 23 29");
    assert_int_equal(analysis.blocked, 1);
    done();
}

TEST(work_on_the_pool_blocks_no_loop)
{
    analyse("b 1 work 0 0", "x 1 1 90 pool", "x 1 91 92", "e 1 92");
    assert_int_equal(analysis.blocked, 0);
    done();
}

TEST(a_loop_inside_of_work_is_blocked_by_its_own_callbacks_only)
{
    analyse("b 1 work 0 0", "b 2 op 0 2", "x 1 1 90 pool", "x 2 2 30 inside", "e 2 30", "e 1 92");
    assert_int_equal(analysis.blocked, 1);
    assert_int_equal(trace.calls[analysis.blocking[0]].id.value, 2);
    done();
}

TEST(all_are_counted_and_the_longest_kept)
{
    static const char *const lines[] = {"x 1 0 20", "x 1 30 55", "x 1 60 90", NULL};
    analyse_lines(lines, 10, 2);
    assert_int_equal(analysis.blocked, 3);
    assert_int_equal(analysis.blocking_count, 2);
    assert_int_equal(trace.calls[analysis.blocking[0]].begin, 60 * 1000000);
    done();
    analyse_lines(lines, 25, 0);
    assert_int_equal(analysis.blocked, 1);
    done();
}

TEST(what_was_never_destroyed_is_counted_by_place)
{
    analyse("b 9 loop 0 0 h", "b 1 stream 9 10 h", "b 2 stream 9 20 h", "b 3 read 9 30",
            "b 4 read 9 30", "e 4 40", "x 3 99 100");
    assert_int_equal(analysis.open, 3);
    assert_int_equal(analysis.open_site_count, 2);
    assert_int_equal(analysis.sites[0].open, 2);
    assert_true(analysis.sites[0].handle);
    assert_int_equal(analysis.sites[0].oldest, 90 * 1000000);
    assert_int_equal(analysis.sites[1].open, 1);
    done();
}

TEST(nothing_gives_nothing)
{
    load_lines((const char *const[]){NULL});
    analysis = (struct analysis){.limit = 1, .top = 0};
    assert_int_equal(analysis_make(&analysis, &trace), 0);
    assert_int_equal(analysis.type_count + analysis.chain_count + analysis.blocked + analysis.open,
                     0);
    done();
}

/* ---- written down --------------------------------------------------------------------------- */

static struct out shown;

static void show(void (*how)(const struct view *view))
{
    struct view view = {&trace, &analysis, weft_text_of("a.json"), &shown, false};
    how(&view);
    assert_false(shown.failed);
    out_text(&shown, weft_text("", 1));
}

TEST(the_json_is_json_and_says_the_same)
{
    analyse("b 1 page 0 0", "b 2 dns 1 0", "x 2 30 55", "e 2 55", "e 1 60", "b 3 left 0 5");
    show(show_machine);
    struct json *json = json_parse(weft_text(shown.data, shown.size - 1), NULL);
    assert_non_null(json);
    assert_true(json_get(json, "operations")->number == 3);
    assert_true(json_get(json, "span")->number == 60e6);
    const struct json *chain = json_at(json_get(json, "chains"), 0);
    assert_true(json_get(chain, "length")->number == 60e6);
    assert_true(weft_text_is(json_text(json_at(json_get(chain, "links"), 1), "type"), "dns"));
    assert_true(json_get(json_get(json, "blocking"), "count")->number == 1);
    assert_true(json_get(json_get(json, "open"), "count")->number == 1);
    assert_int_equal(json_get(json, "types")->count, analysis.type_count);
    json_free(json);
    out_free(&shown);
    done();
}

static void load_name(const char *name)
{
    char text[512];
    snprintf(text, sizeof text, "[{\"ph\":\"b\",\"ts\":1,\"id\":1,\"name\":\"%s\"}]", name);
    struct feed feed = feed_of(text);
    assert_int_equal(trace_load(&trace, feed_fill, &feed), 0);
    analysis = (struct analysis){.limit = 1, .top = 10};
    assert_int_equal(analysis_make(&analysis, &trace), 0);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

TEST(nothing_in_a_trace_gets_out_of_its_script)
{
    load_name("plain");
    show(page_write);
    size_t scripts = count_of(shown.data, "</script"), comments = count_of(shown.data, "<!--");
    out_free(&shown);
    done();
    load_name("</script><script>alert(1)</script><!-- {{ops}} ]]>&quot;");
    show(page_write);
    assert_int_equal(count_of(shown.data, "</script"), scripts);
    assert_int_equal(count_of(shown.data, "<!--"), comments);
    assert_int_equal(count_of(shown.data, "alert(1)<"), 0);
    assert_int_equal(count_of(shown.data, "{{ops}}"), 3); /* a text, a type, and open */
    out_free(&shown);
    done();
}

TEST(times_are_shown_with_three_digits)
{
    static const struct {
        int64_t ns;
        const char *text;
    } times[] = {{0, "0 ns"},
                 {999, "999 ns"},
                 {1000, "1.00 us"},
                 {9994, "9.99 us"},
                 {9996, "10.0 us"},
                 {99940, "99.9 us"},
                 {99960, "100 us"},
                 {999499, "999 us"},
                 {999500, "1.00 ms"},
                 {310000000, "310 ms"},
                 {1234567890, "1.23 s"},
                 {100000000000, "100 s"},
                 {3600000000000, "3600 s"}};
    char buffer[OUT_TIME_SIZE];
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        assert_string_equal(out_show_time(times[i].ns, buffer), times[i].text);
}

static void everything(unsigned long n)
{
    struct trace loaded;
    struct analysis made = {.limit = 1, .top = 10};
    struct feed feed = feed_of("[{\"ph\":\"b\",\"ts\":1,\"id\":1,\"name\":\"a\"},"
                               "{\"ph\":\"b\",\"ts\":2,\"id\":2,\"args\":{\"parent\":1}},"
                               "{\"ph\":\"X\",\"ts\":3,\"dur\":5,\"args\":{\"id\":2}},"
                               "{\"ph\":\"e\",\"ts\":9,\"id\":2}]");
    (void)n;
    int status = trace_load(&loaded, feed_fill, &feed);
    if (status == 0)
        status = analysis_make(&made, &loaded);
    if (status == 0) {
        struct out out = {0};
        struct view view = {&loaded, &made, weft_text_of("a"), &out, false};
        show_people(&view);
        page_write(&view);
        assert_true(out.failed || out.size > 1000);
        out_free(&out);
    } else {
        assert_int_equal(status, UV_ENOMEM);
    }
    analysis_free(&made);
    trace_free(&loaded);
}

TEST(everything_survives_running_out_of_memory)
{
    fault_ladder(everything);
    assert_true(fault_ladder_height() > 30);
}
