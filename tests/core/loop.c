/* The loop: made, run, stuck, closed, and shared with others on one uv_loop_t.
 * ctest: labels=valgrind */
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/post.h>
#include <weft/queue.h>
#include <weft/timer.h>

/* ---- init ----------------------------------------------------------------------------------- */

TEST(a_loop_needs_a_uv_loop)
{
    struct weft_loop loop;
    uv_loop_t uv;
    assert_int_equal(uv_loop_init(&uv), 0);
    assert_int_equal(weft_loop_init(&loop, NULL), UV_EINVAL);
    assert_int_equal(weft_loop_init(NULL, &uv), UV_EINVAL);
    assert_int_equal(uv_loop_close(&uv), 0);
}

static int init_with(struct weft_abi abi)
{
    struct weft_loop loop;
    uv_loop_t uv;
    assert_int_equal(uv_loop_init(&uv), 0);
    int status = weft_loop_init_as(&abi, &loop, &uv);
    if (status == 0) {
        assert_int_equal(weft_loop_close(&loop), 0);
        uv_run(&uv, UV_RUN_DEFAULT);
    }
    assert_int_equal(uv_loop_close(&uv), 0); /* a loop that was refused leaves nothing there */
    return status;
}

TEST(a_header_that_does_not_fit_the_library_is_refused)
{
    const struct weft_abi ours = *WEFT_ABI;
    assert_int_equal(init_with(ours), 0);
    for (int field = 0; field < 5; field++) {
        struct weft_abi theirs = ours;
        uint32_t *fields[] = {&theirs.version, &theirs.op, &theirs.loop, &theirs.uv_poll,
                              &theirs.uv_process};
        *fields[field] += field == 0 ? 0x100 : 8;
        assert_int_equal(init_with(theirs), WEFT_EABI);
        *fields[field] -= field == 0 ? 0x10100 : 16;
        assert_int_equal(init_with(theirs), WEFT_EABI);
    }
    assert_int_equal(weft_loop_init_as(NULL, NULL, NULL), WEFT_EABI);
}

TEST(a_header_of_another_patch_version_fits)
{
    struct weft_abi theirs = *WEFT_ABI;
    theirs.version ^= 1;
    assert_int_equal(init_with(theirs), 0);
}

TEST(an_abi_says_what_the_program_was_compiled_with)
{
    assert_int_equal(WEFT_ABI->version, WEFT_VERSION);
    assert_int_equal(WEFT_ABI->op, sizeof(struct weft_op));
    assert_int_equal(WEFT_ABI->loop, sizeof(struct weft_loop));
    assert_int_equal(WEFT_ABI->uv_poll, sizeof(uv_poll_t));
    assert_int_equal(WEFT_ABI->uv_process, sizeof(uv_process_t));
}

TEST(a_loop_that_has_nothing_to_do_returns)
{
    struct world w;
    world_up(&w);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    world_down(&w);
}

TEST(a_loop_may_be_run_again)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    for (unsigned i = 1; i <= 3; i++) {
        weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
        assert_int_equal(weft_loop_run(&w.loop), 0);
        assert_int_equal(seen.calls, i);
    }
    world_down(&w);
}

TEST(the_environment_may_shuffle_the_order)
{
    char *kept = getenv("WEFT_SHUFFLE") != NULL ? strdup(getenv("WEFT_SHUFFLE")) : NULL;
    struct world w;
    setenv("WEFT_SHUFFLE", "0x10", 1);
    world_up(&w);
    assert_int_equal(w.loop.shuffle_, 16);
    world_down(&w);
    unsetenv("WEFT_SHUFFLE");
    world_up(&w);
    assert_int_equal(w.loop.shuffle_, 0);
    world_down(&w);
    if (kept != NULL)
        setenv("WEFT_SHUFFLE", kept, 1);
    free(kept);
}

/* ---- stuck ---------------------------------------------------------------------------------- */

static const struct weft_site at_shop = {"shop.c", "open", "shop", 3, WEFT_USER};
static const struct weft_site at_sale = {"shop.c", "sell", "sale", 42, WEFT_USER};

TEST(a_loop_with_an_op_that_nothing_can_finish_returns_and_names_it)
{
    struct world w;
    world_up(&w);
    w.loop.stuck_to = tmpfile();
    assert_non_null(w.loop.stuck_to);
    struct weft_op shop = {0}, sale = {0};
    weft_run_at(&at_shop, weft_root(&w.loop), &shop, NULL, noted);
    weft_run_at(&at_sale, &shop, &sale, NULL, noted);
    assert_int_equal(weft_loop_run(&w.loop), WEFT_ESTUCK);
    char *text = text_of(w.loop.stuck_to);
    assert_non_null(
        strstr(text, "nothing can finish these:\nopen: 2 operations, 1 under the root"));
    assert_non_null(strstr(text, "\n  shop [waiting for its children"));
    assert_non_null(strstr(text, "] begun at shop.c:3 open()\n    sale [waits for"));
    assert_non_null(strstr(text, "] begun at shop.c:42 sell()\n"));
    free(text);
    fclose(w.loop.stuck_to);
    weft_finish(&sale, 0);
    weft_join(&shop);
    world_down(&w);
}

/* What is written to stderr while fn runs. */
static char *stderr_during(void (*fn)(struct weft_loop *loop), struct weft_loop *loop)
{
    FILE *capture = tmpfile();
    assert_non_null(capture);
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    dup2(fileno(capture), STDERR_FILENO);
    fn(loop);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    fseek(capture, 0, SEEK_END);
    char *text = text_of(capture);
    fclose(capture);
    return text;
}

static void run_to_be_stuck(struct weft_loop *loop)
{
    assert_int_equal(weft_loop_run(loop), WEFT_ESTUCK);
}

TEST(what_is_stuck_goes_to_stderr_or_nowhere)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run_at(&at_sale, weft_root(&w.loop), &op, NULL, noted);
    assert_ptr_equal(w.loop.stuck_to, stderr);
    char *text = stderr_during(run_to_be_stuck, &w.loop);
    assert_non_null(strstr(text, "sale [waits"));
    free(text);
    w.loop.stuck_to = NULL;
    text = stderr_during(run_to_be_stuck, &w.loop);
    assert_string_equal(text, "");
    free(text);
    weft_finish(&op, 0);
    world_down(&w);
}

TEST(a_dump_shows_every_state)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_queue queue;
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1), 0);
    struct weft_op shop = {0}, task = {0}, finished = {0}, asked = {0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_run_at(&at_shop, weft_root(&w.loop), &shop, NULL, noted);
    weft_queue_push(&queue, &shop, &task, finish_at_once, noted);
    weft_run(&shop, &finished, finish_at_once, noted);
    weft_run(&shop, &asked, NULL, noted);
    weft_cancel(&asked, UV_ETIMEDOUT);
    weft_deadline(&asked, &deadline, 1000);
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_dump(&w.loop, file);
    char *text = text_of(file);
    assert_non_null(strstr(text, "\n  shop [waiting for its children, 0 ms]"));
    assert_non_null(
        strstr(text, "\n    finish_at_once [queued, 0 ms: 0 of 1 running in the queue made at "));
    assert_non_null(strstr(text, "\n    finish_at_once [finished, not reported yet, 0 ms]"));
    assert_non_null(strstr(text, "\n    NULL [waits for somebody's weft_finish, "
                                 "cancelled (ETIMEDOUT), 0 ms]"));
    assert_non_null(strstr(text, "\n      deadline [waiting, 0 ms]"));
    free(text);
    fclose(file);
    weft_finish(&asked, 0);
    weft_join(&shop);
    world_down(&w);
    assert_int_equal(weft_queue_close(&queue), 0);
}

TEST(a_stack_goes_from_the_op_up_to_the_root)
{
    struct world w;
    world_up_sim(&w, 0);
    struct weft_op shop = {0}, sale = {0};
    weft_run_at(&at_shop, weft_root(&w.loop), &shop, NULL, noted);
    weft_run_at(&at_sale, &shop, &sale, NULL, noted);
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_stack(&sale, file);
    char *text = text_of(file);
    assert_string_equal(text, "  sale [waits for somebody's weft_finish, 0 ms] begun at shop.c:42 "
                              "sell()\n"
                              "  shop [waiting for its children, 0 ms] begun at shop.c:3 open()\n"
                              "  loop [waiting for its children]\n");
    free(text);
    fclose(file);
    weft_finish(&sale, 0);
    weft_join(&shop);
    world_down(&w);
}

struct link {
    struct weft_op op;
    struct link *next;
};

static void nest(struct weft_op *op)
{
    struct link *link = weft_owner(op, struct link, op);
    if (link->next != NULL)
        weft_run(op, &link->next->op, nest, NULL);
    weft_join(op);
}

TEST(a_dump_shows_what_is_about_to_start)
{
    struct world w;
    world_up_sim(&w, 0);
    struct link links[60];
    memset(links, 0, sizeof links);
    for (int i = 0; i < 59; i++)
        links[i].next = &links[i + 1];
    weft_run(weft_root(&w.loop), &links[0].op, nest, NULL);
    FILE *file = tmpfile();
    assert_non_null(file);
    weft_dump(&w.loop, file);
    char *text = text_of(file);
    assert_non_null(strstr(text, "\n  nest [waiting for its children"));
    assert_non_null(strstr(text, " nest [starting, 0 ms]"));
    free(text);
    fclose(file);
    world_down(&w);
}

/* ---- what keeps it alive -------------------------------------------------------------------- */

static unsigned fired;

static void count_fire(struct weft_timer *timer)
{
    (void)timer;
    fired++;
}

TEST(a_timer_keeps_the_loop_alive_until_it_fires)
{
    struct world w;
    world_up(&w);
    fired = 0;
    struct weft_timer timer = {.fire_ = NULL};
    weft_timer_start(&w.loop, &timer, 2, count_fire);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(fired, 1);
    world_down(&w);
}

TEST(a_timer_that_was_stopped_does_not_keep_the_loop_alive)
{
    struct world w;
    world_up(&w);
    fired = 0;
    struct weft_timer timer = {.fire_ = NULL};
    weft_timer_start(&w.loop, &timer, UINT64_MAX, count_fire);
    weft_timer_stop(&w.loop, &timer);
    assert_int_equal(uv_loop_alive(&w.uv), 0);
    world_down(&w);
    assert_int_equal(fired, 0);
}

TEST(a_ready_op_keeps_the_loop_alive_and_a_waiting_one_does_not)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    assert_int_equal(uv_loop_alive(&w.uv), 0);
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    assert_int_equal(uv_loop_alive(&w.uv), 0);
    weft_finish(&op, 0);
    assert_int_not_equal(uv_loop_alive(&w.uv), 0);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(uv_loop_alive(&w.uv), 0);
    world_down(&w);
}

TEST(an_immediate_keeps_the_loop_alive)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_immediate(weft_root(&w.loop), &op, noted);
    assert_int_not_equal(uv_loop_alive(&w.uv), 0);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
}

static void ignore_post(struct weft_post *post)
{
    (void)post;
}

TEST(an_expected_post_keeps_the_loop_alive)
{
    struct world w;
    world_up(&w);
    struct weft_post post;
    weft_post_init(&w.loop, &post, ignore_post);
    assert_int_not_equal(uv_loop_alive(&w.uv), 0);
    weft_post(&post);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(uv_loop_alive(&w.uv), 0);
    world_down(&w);
}

/* ---- beside others on one uv_loop_t --------------------------------------------------------- */

struct foreign {
    uv_timer_t timer;
    struct weft_loop *loop;
    struct weft_op op;
    unsigned ticks;
};

static void foreign_closed(uv_handle_t *handle)
{
    struct foreign *f = handle->data;
    weft_finish(&f->op, 0);
}

static void foreign_tick(uv_timer_t *timer)
{
    struct foreign *f = timer->data;
    if (f->ticks++ == 0)
        weft_run(weft_root(f->loop), &f->op, NULL, noted);
    else if (f->ticks == 3)
        uv_close((uv_handle_t *)timer, foreign_closed);
}

TEST(handles_of_others_work_beside_it_and_may_start_and_finish_ops)
{
    struct world w;
    world_up(&w);
    struct foreign f = {.loop = &w.loop, .op = {0}};
    uv_timer_init(&w.uv, &f.timer);
    f.timer.data = &f;
    uv_timer_start(&f.timer, foreign_tick, 1, 1);
    world_down(&w);
    assert_int_equal(f.ticks, 3);
    assert_int_equal(seen.calls, 1);
}

TEST(whoever_runs_the_uv_loop_runs_the_ops)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    uv_run(&w.uv, UV_RUN_DEFAULT);
    assert_int_equal(seen.calls, 1);
    world_down(&w);
}

TEST(every_way_to_run_the_uv_loop_will_do)
{
    static const uv_run_mode modes[] = {UV_RUN_DEFAULT, UV_RUN_ONCE, UV_RUN_NOWAIT};
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_up(&w);
        struct weft_op ops[2] = {0};
        struct weft_sleep naps[2] = {{.ms = 0}, {.ms = 0}};
        weft_tick(weft_root(&w.loop), &ops[0], noted);
        weft_immediate(weft_root(&w.loop), &ops[1], noted);
        weft_sleep(weft_root(&w.loop), &naps[0], 0, noted);
        weft_sleep(weft_root(&w.loop), &naps[1], 2, noted);
        while (uv_run(&w.uv, modes[i]) != 0)
            continue;
        assert_int_equal(seen.calls, 4);
        world_down(&w);
    }
}

TEST(two_loops_may_share_a_uv_loop)
{
    struct world w;
    world_up(&w);
    struct weft_loop second;
    assert_int_equal(weft_loop_init(&second, &w.uv), 0);
    struct weft_sleep naps[2] = {{.ms = 0}, {.ms = 0}};
    weft_sleep(weft_root(&w.loop), &naps[0], 2, noted);
    weft_sleep(weft_root(&second), &naps[1], 1, noted);
    assert_int_equal(weft_loop_run(&second), 0);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(weft_loop_close(&second), 0);
    world_down(&w);
}

static uint64_t clock_before;
static bool clock_went_back;

static void look_at_the_clock(struct weft_op *parent, struct weft_op *op)
{
    uint64_t now = weft_now(weft_loop_of(op));
    clock_went_back = clock_went_back || now < clock_before;
    clock_before = now;
    if (++seen.calls < 20)
        weft_sleep(parent, weft_owner(op, struct weft_sleep, op), 1, look_at_the_clock);
}

TEST(the_clock_does_not_go_back)
{
    struct world w;
    world_up(&w);
    struct weft_sleep nap = {.ms = 0};
    clock_before = weft_now(&w.loop);
    clock_went_back = false;
    uint64_t begun = clock_before;
    weft_sleep(weft_root(&w.loop), &nap, 1, look_at_the_clock);
    world_down(&w);
    assert_false(clock_went_back);
    assert_true(clock_before >= begun + 20);
}

/* ---- close ---------------------------------------------------------------------------------- */

TEST(a_loop_closes_twice)
{
    struct world w;
    world_up(&w);
    assert_int_equal(weft_loop_close(&w.loop), 0);
    assert_int_equal(weft_loop_close(&w.loop), 0);
    world_close(&w);
}

TEST(a_loop_is_yours_again_as_soon_as_it_is_closed)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, finish_at_once, noted);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(weft_loop_close(&w.loop), 0);
    memset(&w.loop, 0xa5, sizeof w.loop);
    uv_run(&w.uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w.uv), 0);
}

TEST(a_loop_with_an_op_that_is_not_over_is_busy)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    weft_finish(&op, 0);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY); /* not reported yet */
    world_down(&w);
    assert_int_equal(seen.calls, 1);
}

TEST(a_loop_with_an_expected_post_is_busy)
{
    struct world w;
    world_up(&w);
    struct weft_post post;
    weft_post_init(&w.loop, &post, ignore_post);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    weft_post(&post);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    world_down(&w);
}

TEST(a_loop_with_a_timer_is_busy)
{
    struct world w;
    world_up(&w);
    struct weft_timer timer = {.fire_ = NULL};
    weft_timer_start(&w.loop, &timer, 1000, count_fire);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    weft_timer_stop(&w.loop, &timer);
    world_down(&w);
}

TEST(a_loop_with_a_request_that_outlives_its_cancel_is_busy)
{
    struct world w;
    world_up(&w);
    w.loop.detached_++;
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    w.loop.detached_--;
    world_down(&w);
}

TEST(a_simulated_loop_is_busy)
{
    struct world w;
    world_up_sim(&w, 0);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    world_down(&w);
}

static int close_status;

static void close_in_then(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    close_status = weft_loop_close(weft_loop_of(op));
}

TEST(a_loop_is_busy_inside_a_then)
{
    struct world w;
    world_up(&w);
    struct weft_op op = {0};
    close_status = 0;
    weft_run(weft_root(&w.loop), &op, finish_at_once, close_in_then);
    world_down(&w);
    assert_int_equal(close_status, UV_EBUSY);
}

static void stop_the_loop(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    uv_stop(root->loop_->uv);
}

TEST(a_run_that_uv_stop_has_ended_says_so_and_goes_on_when_run_again)
{
    struct world w;
    struct weft_op first = {0};
    struct weft_sleep nap = {0};
    world_up(&w);
    w.loop.stuck_to = NULL;
    weft_tick(weft_root(&w.loop), &first, stop_the_loop);
    weft_sleep(weft_root(&w.loop), &nap, 3600000, noted);
    assert_int_equal(weft_loop_run(&w.loop), UV_EINTR);
    assert_int_equal(seen.calls, 0);
    weft_cancel(&nap.op, UV_ECANCELED);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(seen.status, UV_ECANCELED);
    world_down(&w);
}

TEST(running_a_simulated_loop_runs_the_simulation)
{
    struct world w;
    struct weft_sleep nap = {0};
    world_up_sim(&w, 0);
    weft_sleep(weft_root(&w.loop), &nap, 1000000, noted);
    assert_int_equal(weft_loop_run(&w.loop), 0);
    assert_int_equal(seen.calls, 1);
    assert_true(weft_now(&w.loop) == 1000000);
    world_down(&w);
}
