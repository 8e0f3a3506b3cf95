/* What is open, told as a tree; why the loop stays alive; the caller's own uv handles.
 * ctest: labels=valgrind */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/dump.h>
#include <weft/hook.h>
#include <weft/post.h>
#include <weft/queue.h>
#include <weft/timer.h>
#include <weft/work.h>

static const struct weft_site at_shop = {"shop.c", "open", "shop", 3, WEFT_USER};
static const struct weft_site at_sale = {"shop.c", "sell", "sale", 42, WEFT_USER};
static const struct weft_site at_talk = {"shop.c", "talk", "talk", 50, WEFT_USER};

static struct world w;

static char *dump(void)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_dump(&w.loop, file);
    char *text = text_of(file);
    fclose(file);
    return text;
}

#define dump_has(part)                                                                             \
    do {                                                                                           \
        char *text_ = dump();                                                                      \
        if (strstr(text_, part) == NULL)                                                           \
            fail_msg("the dump does not say: %s\n%s", part, text_);                                \
        free(text_);                                                                               \
    } while (0)

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void ignore_timer(struct weft_timer *timer)
{
    (void)timer;
}

/* ---- the tree ------------------------------------------------------------------------------- */

#define BY_HAND "waits for somebody's weft_finish"

TEST(of_siblings_that_are_alike_some_are_shown_and_the_rest_is_counted)
{
    enum { MANY = 10 };
    world_up_sim(&w, 0);
    struct weft_op shop = {0}, sales[MANY] = {{0}}, talks[MANY] = {{0}};
    weft_run_at(&at_shop, weft_root(&w.loop), &shop, NULL, noted);
    for (int i = 0; i < MANY; i++) {
        weft_run_at(&at_sale, &shop, &sales[i], NULL, noted);
        weft_run_at(&at_talk, &sales[i], &talks[i], NULL, noted);
    }
    char *text = dump();
    assert_string_equal(text,
                        "open: 21 operations, 1 under the root\n"
                        "  shop [waiting for its children, 0 ms] begun at shop.c:3 open()\n"
                        "    sale [waiting for its children, 0 ms] begun at shop.c:42 sell()\n"
                        "      talk [" BY_HAND ", 0 ms] begun at shop.c:50 talk()\n"
                        "    sale [waiting for its children, 0 ms] begun at shop.c:42 sell()\n"
                        "      talk [" BY_HAND ", 0 ms] begun at shop.c:50 talk()\n"
                        "    sale [waiting for its children, 0 ms] begun at shop.c:42 sell()\n"
                        "      talk [" BY_HAND ", 0 ms] begun at shop.c:50 talk()\n"
                        "    sale [waiting for its children, 0 ms] begun at shop.c:42 sell()\n"
                        "      talk [" BY_HAND ", 0 ms] begun at shop.c:50 talk()\n"
                        "    … 6 more like that, with 6 below them\n"
                        "nothing keeps the loop alive\n");
    free(text);
    for (int i = 0; i < MANY; i++) {
        weft_finish(&talks[i], 0);
        weft_join(&sales[i]);
    }
    weft_join(&shop);
    world_down(&w);
}

TEST(siblings_in_another_state_or_of_another_place_are_not_alike)
{
    enum { MANY = 6 };
    world_up(&w);
    struct weft_op sales[MANY] = {{0}}, talk = {0}, more[MANY] = {{0}};
    for (int i = 0; i < MANY; i++)
        weft_run_at(&at_sale, weft_root(&w.loop), &sales[i], NULL, noted);
    weft_run_at(&at_talk, weft_root(&w.loop), &talk, NULL, noted);
    for (int i = 0; i < MANY; i++)
        weft_run_at(&at_sale, weft_root(&w.loop), &more[i], NULL, noted);
    weft_finish(&more[0], 0);
    char *text = dump();
    /* newest first: five that wait, one that is finished, the talk, six that wait */
    const char *at = strstr(text, "… 1 more like that\n  sale [finished");
    assert_non_null(at);
    at = strstr(at, "\n  talk [waits");
    assert_non_null(at);
    assert_non_null(strstr(at, "… 2 more like that\nthe loop stays alive for:\n"));
    free(text);
    for (int i = 0; i < MANY; i++)
        weft_finish(&sales[i], 0);
    for (int i = 1; i < MANY; i++)
        weft_finish(&more[i], 0);
    weft_finish(&talk, 0);
    world_down(&w);
}

enum { CROWD = 300000 };

/* In turns of two places, so that no two in a row are alike. */
static void dump_a_crowd(void)
{
    world_up(&w);
    struct weft_op *ops = calloc(CROWD, sizeof *ops);
    assert_non_null(ops);
    for (size_t i = 0; i < CROWD; i++)
        weft_run_at(i % 2 != 0 ? &at_sale : &at_talk, weft_root(&w.loop), &ops[i], NULL, noted);
    char *text = dump();
    assert_non_null(strstr(text, "open: 300000 operations, 300000 under the root\n"));
    assert_non_null(strstr(text, "\n  … and 299000 operations more\n"));
    assert_true(count_lines(text) < 1010);
    free(text);
    for (size_t i = 0; i < CROWD; i++)
        weft_finish(&ops[i], 0);
    world_down(&w);
    free(ops);
}

TEST(a_crowd_is_told_in_a_thousand_lines_on_a_small_stack)
{
    on_a_small_stack(dump_a_crowd);
}

static void dump_a_deep_tree(void)
{
    world_up(&w);
    struct weft_op *ops = calloc(CROWD, sizeof *ops);
    assert_non_null(ops);
    for (size_t i = 0; i < CROWD; i++)
        weft_run_at(&at_sale, i == 0 ? weft_root(&w.loop) : &ops[i - 1], &ops[i], NULL, noted);
    char *text = dump();
    assert_non_null(strstr(text, "open: 300000 operations, 1 under the root\n"));
    assert_non_null(strstr(text, "\n  … and 299000 operations more\n"));
    free(text);
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_stack(&ops[CROWD - 1], file);
    text = text_of(file);
    assert_int_equal(count_lines(text), 101);
    assert_non_null(strstr(text, "\n  … 299901 between these …\n"));
    assert_non_null(strstr(text, "\n  loop [waiting for its children]\n"));
    free(text);
    fclose(file);
    for (size_t i = CROWD; i-- > 0;)
        weft_join(&ops[i]);
    world_down(&w);
    free(ops);
}

TEST(a_deep_tree_and_a_long_chain_are_told_on_a_small_stack)
{
    on_a_small_stack(dump_a_deep_tree);
}

static void look_inside(struct weft_op *op)
{
    dump_has("look_inside [running, ");
    weft_finish(op, 0);
}

static void look_afterwards(struct weft_op *parent, struct weft_op *op)
{
    (void)op;
    dump_has("shop [running, ");
    weft_join(parent);
}

TEST(an_op_whose_callback_runs_is_running)
{
    needs_hooks();
    world_up(&w);
    struct weft_op shop = {0}, sale = {0};
    weft_run_at(&at_shop, weft_root(&w.loop), &shop, NULL, noted);
    weft_run(&shop, &sale, look_inside, look_afterwards);
    dump_has("shop [waiting for its children, ");
    world_down(&w);
}

TEST(ages_are_told_in_words_for_people)
{
    static const struct {
        uint64_t after;
        const char *words;
    } ages[] = {{9999, "9999 ms"},     {12500, "12.5 s"},  {599999, "599.9 s"}, {1020000, "17 min"},
                {35999999, "599 min"}, {36000000, "10 h"}, {108000000, "30 h"}};
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
        char wanted[64];
        world_up_sim(&w, 0);
        struct weft_op op = {0};
        struct weft_sleep nap = {.ms = 0};
        weft_run_at(&at_sale, weft_root(&w.loop), &op, NULL, noted);
        weft_sleep(weft_root(&w.loop), &nap, ages[i].after, noted);
        assert_true(weft_sim_step(&w.sim));
        snprintf(wanted, sizeof wanted, "sale [" BY_HAND ", %s]", ages[i].words);
        dump_has(wanted);
        weft_finish(&op, 0);
        world_down(&w);
    }
}

/* What stands between "<before>" and " ms" in a dump. */
static long ms_behind(const char *before)
{
    char *text = dump(), *at = strstr(text, before);
    if (at == NULL)
        fail_msg("the dump does not say: %s\n%s", before, text);
    long ms = strtol(at + strlen(before), NULL, 10);
    free(text);
    return ms;
}

TEST(ages_and_times_are_those_of_now_and_not_of_the_loops_last_turn)
{
    needs_hooks();
    world_up(&w);
    struct weft_hook hook = {.groups = 0};
    struct weft_op sale = {0};
    struct weft_handle till;
    struct weft_timer timer;
    memset(&timer, 0, sizeof timer);
    assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    weft_run_at(&at_sale, weft_root(&w.loop), &sale, wait_for_cancel, noted);
    weft_handle_open(weft_root(&w.loop), &till, 0, "till", WEFT_USER, NULL);
    weft_timer_start(&w.loop, &timer, 5000, ignore_timer);
    uv_sleep(50);
    assert_in_range(ms_behind("sale [waiting, "), 50, 9000);
    assert_in_range(ms_behind("till ["), 50, 9000);
    assert_in_range(ms_behind("timer, due in "), 1, 4955);
    weft_timer_stop(&w.loop, &timer);
    weft_handle_close(&till);
    weft_cancel(&sale, UV_ECANCELED);
    world_down(&w);
}

/* ---- what it waits for ---------------------------------------------------------------------- */

TEST(an_op_that_only_a_finish_can_end_says_so)
{
    world_up_sim(&w, 0);
    struct weft_op sale = {0}, obeys = {0};
    struct weft_sleep nap = {.ms = 0};
    weft_run_at(&at_sale, weft_root(&w.loop), &sale, NULL, noted);
    weft_run_at(&at_talk, weft_root(&w.loop), &obeys, wait_for_cancel, noted);
    weft_sleep(weft_root(&w.loop), &nap, 10, noted);
    dump_has("sale [" BY_HAND ", 0 ms] begun at shop.c:42 sell()\n");
    dump_has("talk [waiting, 0 ms]");
    dump_has("sleep [waiting, 0 ms]");
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_stack(&sale, file);
    char *text = text_of(file);
    assert_non_null(strstr(text, "  sale [" BY_HAND ", 0 ms] begun at shop.c:42 sell()\n"));
    free(text);
    fclose(file);
    weft_finish(&sale, 0);
    weft_cancel(&obeys, UV_ECANCELED);
    world_down(&w);
}

TEST(an_op_of_a_librarys_own_that_is_open_just_waits)
{
    static const struct weft_site at_door = {"door.c", "open", "door", 9, WEFT_NET | WEFT_HANDLE};
    world_up_sim(&w, 0);
    struct weft_op door = {0};
    weft_run_at(&at_door, weft_root(&w.loop), &door, NULL, noted);
    dump_has("door [waiting, 0 ms]");
    weft_finish(&door, 0);
    world_down(&w);
}

static const struct weft_site at_line = {"line.c", "make", "queue", 5, WEFT_QUEUE | WEFT_HANDLE};

TEST(a_task_that_is_queued_says_how_full_its_queue_is_and_which_it_is)
{
    struct weft_queue queue;
    struct weft_op tasks[3] = {{0}};
    world_up_sim(&w, 0);
    assert_int_equal(weft_queue_init_at(&at_line, &queue, &w.loop, 1), 0);
    for (int i = 0; i < 3; i++)
        weft_lane_push_at(&at_sale, &queue.main, weft_root(&w.loop), &tasks[i], begin_counted,
                          noted);
    while (seen.begun == 0)
        assert_true(weft_sim_step(&w.sim));
    weft_sim_advance(&w.sim, 253);
    dump_has("sale [queued, 253 ms: 1 of 1 running in the queue made at line.c:5 make()] begun at "
             "shop.c:42 sell()\n");
    weft_queue_pause(&queue);
    dump_has("sale [queued, 253 ms: paused, 1 of 1 running in the queue made at line.c:5");
    weft_queue_resume(&queue);
    for (unsigned i = 0; i < 3; i++) {
        while (seen.begun == i)
            assert_true(weft_sim_step(&w.sim));
        weft_finish(&tasks[i], 0);
    }
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

TEST(a_task_whose_lane_is_full_says_that_too)
{
    struct weft_queue queue;
    struct weft_lane lane;
    struct weft_op tasks[2] = {{0}};
    world_up_sim(&w, 0);
    assert_int_equal(weft_queue_init_at(&at_line, &queue, &w.loop, 8), 0);
    assert_int_equal(weft_lane_init(&lane, &queue, 1, 0), 0);
    for (int i = 0; i < 2; i++)
        weft_lane_push_at(&at_sale, &lane, weft_root(&w.loop), &tasks[i], begin_counted, noted);
    while (seen.begun == 0)
        assert_true(weft_sim_step(&w.sim));
    dump_has("sale [queued, 0 ms: 1 of 1 running in its lane, 1 of 8 in the queue made at "
             "line.c:5 make()]");
    weft_finish(&tasks[0], 0);
    while (seen.begun == 1)
        assert_true(weft_sim_step(&w.sim));
    weft_finish(&tasks[1], 0);
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_queue_close(&queue), 0);
    world_down(&w);
}

/* ---- a closed loop -------------------------------------------------------------------------- */

TEST(a_closed_loop_says_so)
{
    world_up(&w);
    world_down(&w);
    dump_has("the loop is closed\n");
}

/* ---- why it stays alive --------------------------------------------------------------------- */

static int idle_work(struct weft_work *work)
{
    (void)work;
    return 0;
}

static void ignore_post(struct weft_post *post)
{
    (void)post;
}

TEST(ready_operations_keep_it_alive)
{
    world_up(&w);
    struct weft_op some[3] = {{0}};
    weft_run(weft_root(&w.loop), &some[0], finish_at_once, noted);
    dump_has("\nthe loop stays alive for:\n  1 operation that is ready\n");
    weft_run(weft_root(&w.loop), &some[1], finish_at_once, noted);
    weft_immediate(weft_root(&w.loop), &some[2], noted);
    dump_has("\nthe loop stays alive for:\n  3 operations that are ready\n");
    world_down(&w);
    assert_int_equal(seen.calls, 3);
}

TEST(timers_keep_it_alive_and_the_next_one_is_told)
{
    world_up_sim(&w, 0);
    struct weft_timer timers[20];
    memset(timers, 0, sizeof timers);
    weft_timer_start(&w.loop, &timers[0], 700, ignore_timer);
    dump_has("\n  1 timer, due in 700 ms\n");
    for (size_t i = 1; i < 20; i++)
        weft_timer_start(&w.loop, &timers[i], i * 37 % 20 + 30, ignore_timer);
    dump_has("\n  20 timers, the next is due in 31 ms\n");
    for (int i = 0; i < 5; i++)
        weft_sim_step(&w.sim);
    dump_has("\n  15 timers, the next is due in 1 ms\n");
    weft_timer_start(&w.loop, &timers[0], 0, ignore_timer);
    dump_has("\n  15 timers, the next is due now\n");
    world_down(&w);
}

TEST(requests_and_expected_posts_keep_it_alive)
{
    world_up(&w);
    struct weft_work work = {.op = {0}};
    struct weft_post post;
    memset(&post, 0, sizeof post);
    weft_work(weft_root(&w.loop), &work, idle_work, noted);
    dump_has("\n  1 request of libuv's\n");
    weft_post_init(&w.loop, &post, ignore_post);
    dump_has("\n  1 post that is expected\n");
    weft_post(&post);
    world_down(&w);
}

TEST(nothing_is_said_plainly)
{
    world_up(&w);
    char *text = dump();
    assert_string_equal(text, "open: 0 operations, 0 under the root\n"
                              "nothing keeps the loop alive\n");
    free(text);
    world_down(&w);
}

/* ---- uv handles ----------------------------------------------------------------------------- */

static void ignore_uv_timer(uv_timer_t *timer)
{
    (void)timer;
}

static void ignore_uv_poll(uv_poll_t *poll, int status, int events)
{
    (void)poll;
    (void)status;
    (void)events;
}

TEST(the_callers_uv_handles_are_listed_with_what_is_known_of_them)
{
    char wanted[128];
    int fds[2];
    world_up(&w);
    uv_timer_t timer;
    uv_poll_t poll;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(uv_timer_init(&w.uv, &timer), 0);
    assert_int_equal(uv_poll_init(&w.uv, &poll, fds[0]), 0);
    timer.data = poll.data = NULL;
    snprintf(wanted, sizeof wanted, "\n  uv_timer [not active] of yours, at 0x%jx\n",
             (uintmax_t)(uintptr_t)&timer);
    dump_has(wanted);
    dump_has("nothing keeps the loop alive\n");
    uv_timer_start(&timer, ignore_uv_timer, 100000, 0);
    uv_poll_start(&poll, UV_READABLE, ignore_uv_poll);
    dump_has("\nthe loop stays alive for:\n  2 uv handles of yours\n");
    uv_unref((uv_handle_t *)&timer);
    dump_has("  1 uv handle of yours\n");
    dump_has("uv_timer [active, unreferenced] of yours");
    snprintf(wanted, sizeof wanted, "uv_poll [active, fd %d] of yours", fds[0]);
    dump_has(wanted);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_close((uv_handle_t *)&poll, NULL);
    dump_has("uv_poll [closing");
    dump_has("  2 uv handles that are closing\n");
    world_down(&w);
    close(fds[0]);
    close(fds[1]);
}

TEST(a_uv_handle_that_belongs_to_an_op_is_not_listed_as_the_callers)
{
    world_up(&w);
    uv_timer_t timer;
    uv_timer_init(&w.uv, &timer);
    weft_dump_belongs((uv_handle_t *)&timer);
    weft_dump_belongs(NULL);
    uv_timer_start(&timer, ignore_uv_timer, 100000, 0);
    char *text = dump();
    assert_null(strstr(text, "of yours"));
    assert_non_null(strstr(text, "\n  1 uv handle of an operation\n"));
    free(text);
    uv_close((uv_handle_t *)&timer, NULL);
    world_down(&w);
}

/* Whose data is its own, as libraries have it that know nothing of weft's. */
TEST(a_uv_handle_that_is_the_resource_of_an_open_handle_belongs_to_that)
{
    needs_hooks();
    world_up(&w);
    struct weft_hook hook = {.groups = 0};
    struct weft_handle door;
    uv_timer_t timer;
    assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    uv_timer_init(&w.uv, &timer);
    timer.data = &door;
    uv_timer_start(&timer, ignore_uv_timer, 100000, 0);
    dump_has("\n  1 uv handle of yours\n");
    weft_handle_open(weft_root(&w.loop), &door, 0, "door", WEFT_USER, &timer);
    char *text = dump();
    assert_null(strstr(text, "of yours"));
    assert_non_null(strstr(text, "\n  1 uv handle of an operation\n"));
    free(text);
    weft_handle_close(&door);
    dump_has("\n  1 uv handle of yours\n");
    uv_close((uv_handle_t *)&timer, NULL);
    world_down(&w);
}

TEST(many_uv_handles_of_the_caller_are_counted)
{
    enum { MANY = 130 };
    world_up(&w);
    uv_timer_t timers[MANY];
    for (int i = 0; i < MANY; i++) {
        uv_timer_init(&w.uv, &timers[i]);
        timers[i].data = NULL;
    }
    dump_has("\n  30 more of yours\n");
    for (int i = 0; i < MANY; i++)
        uv_close((uv_handle_t *)&timers[i], NULL);
    world_down(&w);
}

/* ---- handles that are no ops ---------------------------------------------------------------- */

TEST(handles_that_a_hook_saw_are_told_by_place)
{
    needs_hooks();
    world_up_sim(&w, 0);
    struct weft_hook hook = {.groups = 0};
    struct weft_handle tills[3], door;
    struct weft_op shop = {0};
    struct weft_timer timer;
    memset(&timer, 0, sizeof timer);
    assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    weft_run_at(&at_shop, weft_root(&w.loop), &shop, NULL, noted);
    for (int i = 0; i < 3; i++)
        weft_handle_open(&shop, &tills[i], 0, "till", WEFT_USER, &tills[i]);
    weft_handle_open(&shop, &door, 0, "door", WEFT_USER, NULL);
    weft_timer_start(&w.loop, &timer, 1000000, ignore_timer);
    dump_has("\n  till [3 of them, the oldest 0 ms] begun at ");
    dump_has("\n  door [0 ms] begun at ");
    dump_has("\n  timer [0 ms] begun at ");
    char *text = dump();
    assert_null(strstr(strstr(text, "shop") + 4, "shop [")); /* an op is in the tree alone */
    assert_null(strstr(text, "\n  loop ["));
    free(text);
    for (int i = 0; i < 3; i++)
        weft_handle_close(&tills[i]);
    weft_handle_close(&door);
    weft_timer_stop(&w.loop, &timer);
    text = dump();
    assert_null(strstr(text, "till"));
    assert_null(strstr(text, "timer"));
    free(text);
    weft_finish(&shop, 0);
    world_down(&w);
}

TEST(handles_at_very_many_places_are_counted)
{
    enum { MANY = 100, TOLD = 64 };
    static struct weft_site sites[MANY];
    static struct weft_handle tills[MANY];
    struct weft_hook hook = {.init = NULL};
    needs_hooks();
    world_up(&w);
    assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
    for (int i = 0; i < MANY; i++) {
        sites[i] = (struct weft_site){"shop.c", "open", "till", i, WEFT_USER | WEFT_HANDLE};
        weft_handle_open_at(&sites[i], weft_root(&w.loop), &tills[i], 0, NULL);
    }
    char *text = dump(), *rest = strstr(text, "  … and 36 more at other places\n");
    assert_non_null(rest);
    *rest = '\0';
    assert_int_equal(count_lines(text), 1 + TOLD);
    free(text);
    for (int i = 0; i < MANY; i++)
        weft_handle_close(&tills[i]);
    world_down(&w);
}
