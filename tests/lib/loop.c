/* The fixture of tests that need a loop. Everything is asserted on the way down: an op that is
 * left, a handle that libuv still knows, a request that outlived its cancel. */
#include "loop.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_A_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_A_SANITIZER 1
#endif
#endif

#ifdef UNDER_A_SANITIZER
enum { SMALL_STACK = 512 * 1024 };
#else
enum { SMALL_STACK = 64 * 1024 };
#endif

struct seen seen;

void world_up(struct world *w)
{
    memset(w, 0, sizeof *w);
    seen = (struct seen){.status = 1};
    assert_int_equal(uv_loop_init(&w->uv), 0);
    assert_int_equal(weft_loop_init(&w->loop, &w->uv), 0);
}

void world_up_in_order(struct world *w)
{
    world_up(w);
    weft_loop_shuffle(&w->loop, 0);
}

void world_up_sim(struct world *w, uint64_t seed)
{
    world_up(w);
    assert_int_equal(weft_sim_init(&w->sim, &w->loop, seed), 0);
    w->simulated = true;
}

int world_run(struct world *w)
{
    return w->simulated ? weft_sim_run(&w->sim) : weft_loop_run(&w->loop);
}

void world_close(struct world *w)
{
    if (w->simulated)
        assert_int_equal(weft_sim_close(&w->sim), 0);
    assert_int_equal(weft_loop_close(&w->loop), 0);
    uv_run(&w->uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->uv), 0);
}

void world_down(struct world *w)
{
    assert_int_equal(world_run(w), 0);
    world_close(w);
}

void noted(struct weft_op *parent, struct weft_op *op)
{
    seen.calls++;
    seen.status = op->status;
    seen.op = op;
    seen.parent = parent;
}

void finish_at_once(struct weft_op *op)
{
    weft_finish(op, 0);
}

void fail_at_once(struct weft_op *op)
{
    weft_finish(op, UV_EIO);
}

void join_at_once(struct weft_op *op)
{
    weft_join(op);
}

void begin_counted(struct weft_op *op)
{
    (void)op;
    seen.begun++;
}

static void finish_with_reason(struct weft_op *op, int reason)
{
    weft_finish(op, reason);
}

void wait_for_cancel(struct weft_op *op)
{
    weft_on_cancel(op, finish_with_reason);
}

static void *call(void *body)
{
    (*(void (**)(void))body)();
    return NULL;
}

void on_a_small_stack(void (*body)(void))
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    /* cmocka would jump out of this thread into the main one. */
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    assert_int_equal(pthread_create(&thread, &attributes, call, &body), 0);
    pthread_join(thread, NULL);
    unsetenv("CMOCKA_TEST_ABORT");
    pthread_attr_destroy(&attributes);
}

char *text_of(FILE *file)
{
    fflush(file);
    long size = ftell(file);
    assert_true(size >= 0);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    return text;
}
