/* Several threads: each loop and each thread of the pool writes for itself, and one of them ends the
 * recording whatever the others do.
 * ctest: labels=threads timeout=120 needs=hooks */
#include "loop.h"
#include "scratch.h"
#include "valid.h"
#include <pthread.h>
#include <stdatomic.h>
#include <weft/post.h>
#include <weft/trace.h>
#include <weft/work.h>

enum { THREADS = 4, WORKS = 40 };

static char path[SCRATCH_PATH];
static atomic_bool enough;
static pthread_barrier_t together;

static void start(void)
{
    scratch_new_path(path, "trace.json");
    assert_int_equal(weft_trace_start(&(struct weft_trace_options){.path = path, .events = 5000}),
                     0);
}

static int nothing(struct weft_work *work)
{
    (void)work;
    return 0;
}

struct busy {
    struct world w;
    struct weft_op op;
    struct weft_work works[WORKS];
    unsigned long rounds; /* 0: until it is enough */
};

static void again(struct weft_op *root, struct weft_op *op)
{
    struct busy *busy = weft_owner(op, struct busy, op);
    if (busy->rounds == 0 ? !atomic_load(&enough) : --busy->rounds > 0)
        weft_run(root, op, finish_at_once, again);
}

/* On the calling thread. cmocka's assertions are for the main one: what is wrong here is seen in
 * the file. */
static void work(struct busy *busy)
{
    weft_run(weft_root(&busy->w.loop), &busy->op, finish_at_once, again);
    for (int i = 0; i < WORKS; i++)
        weft_work(weft_root(&busy->w.loop), &busy->works[i], nothing, weft_ignore);
    weft_loop_run(&busy->w.loop);
}

/* ---- a loop inside of work ------------------------------------------------------------------- */

static int run_a_loop(struct weft_work *it)
{
    struct weft_op op = {0};
    (void)it;
    return weft_go(&op, finish_at_once);
}

TEST(a_pool_thread_is_one_also_when_a_loop_runs_inside_its_work)
{
    static struct weft_work it;
    struct world w;
    start();
    world_up(&w);
    weft_work(weft_root(&w.loop), &it, run_a_loop, noted);
    assert_int_equal(world_run(&w), 0);
    world_close(&w);
    assert_int_equal(weft_trace_stop(), 0);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->work, 1);
    int loops = 0, pools = 0;
    for (const struct json *at = valid->events->first; at != NULL; at = at->next) {
        struct weft_text name = json_text(json_get(at, "args"), "name");
        if (!weft_text_is(json_text(at, "name"), "thread_name"))
            continue;
        loops += weft_text_is(name, "loop");
        pools += weft_text_is(name, "pool 1");
    }
    assert_true(loops == 1 && pools == 1);
    valid_free(valid);
}

/* ---- many ------------------------------------------------------------------------------------ */

static void loop_up(struct busy *busy)
{
    uv_loop_init(&busy->w.uv);
    weft_loop_init(&busy->w.loop, &busy->w.uv);
}

static void loop_down(struct busy *busy)
{
    weft_loop_close(&busy->w.loop);
    uv_run(&busy->w.uv, UV_RUN_DEFAULT);
    uv_loop_close(&busy->w.uv);
}

static void *life(void *context)
{
    struct busy *busy = context;
    loop_up(busy);
    pthread_barrier_wait(&together);
    work(busy);
    loop_down(busy);
    return NULL;
}

static void begin_threads(pthread_t threads[], struct busy *busies, unsigned long rounds)
{
    atomic_store(&enough, false);
    pthread_barrier_init(&together, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        memset(&busies[i], 0, sizeof busies[i]);
        busies[i].rounds = rounds;
        assert_int_equal(pthread_create(&threads[i], NULL, life, &busies[i]), 0);
    }
    pthread_barrier_wait(&together);
}

static void join_threads(pthread_t threads[])
{
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
}

/* ---- */

static struct busy busies[THREADS];

TEST(each_thread_has_its_own_line)
{
    pthread_t threads[THREADS];
    start();
    begin_threads(threads, busies, 100);
    join_threads(threads);
    assert_int_equal(weft_trace_stop(), 0);
    struct valid *valid = valid_trace(path);
    assert_int_equal(valid->lost, 0);
    assert_int_equal(valid->work, THREADS * WORKS);
    assert_int_equal(valid->begins, THREADS * (1 + 100 + WORKS));
    assert_int_equal(valid->unfinished, 0);
    assert_true(valid->lane_count > THREADS);
    valid_free(valid);
}

TEST(a_recording_ends_while_others_work)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < 20; i++) {
        start();
        begin_threads(threads, busies, 0);
        assert_int_equal(weft_trace_stop(), 0);
        struct valid *valid = valid_trace(path);
        assert_true(valid->begins + valid->lost >= THREADS);
        valid_free(valid);
        atomic_store(&enough, true);
        join_threads(threads);
    }
}

TEST(recordings_follow_each_other_while_others_work)
{
    pthread_t threads[THREADS];
    start();
    begin_threads(threads, busies, 0);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(weft_trace_stop(), 0);
        valid_free(valid_trace(path));
        start();
    }
    atomic_store(&enough, true);
    join_threads(threads);
    assert_int_equal(weft_trace_stop(), 0);
    struct valid *valid = valid_trace(path);
    assert_null(valid_find(valid, "b", "finish_at_once")); /* their loops were made before */
    valid_free(valid);
}

static void *one_life(void *context)
{
    struct busy *busy = context;
    loop_up(busy);
    work(busy);
    loop_down(busy);
    return NULL;
}

TEST(threads_that_come_and_go_are_all_there)
{
    enum { LIVES = 100 };
    start();
    for (int i = 0; i < LIVES; i++) {
        pthread_t thread;
        busies[0].rounds = 1;
        memset(&busies[0].works, 0, sizeof busies[0].works);
        assert_int_equal(pthread_create(&thread, NULL, one_life, &busies[0]), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(weft_trace_stop(), 0);
    struct valid *valid = valid_trace(path);
    size_t per_life = 2 + 4 + 4 * WORKS; /* of the loop; of the op; of each work */
    assert_int_equal(valid->kept + valid->lost, LIVES * (per_life + 2 * WORKS));
    valid_free(valid);
}
