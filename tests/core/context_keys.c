/* Keys belong to the process, and there are WEFT_KEYS of them: in a program of their own, because
 * it uses them up. The tests run in this order, the second after the first.
 * ctest: labels=threads,valgrind-long shuffle=no */
#include "loop.h"
#include <stdlib.h>
#include <weft/context.h>

enum { THREADS = 4 };

static struct weft_key keys[WEFT_KEYS + 1];
static int numbers[WEFT_KEYS + 1];

static void release_none(void *value)
{
    (void)value;
    fail_msg("what was refused is not released");
}

/* Threads with a loop each number the same keys at the same time: whoever is first, all agree. */
static void number_keys(void *argument)
{
    uv_loop_t uv;
    struct weft_loop loop;
    int *wrong = argument;
    if (uv_loop_init(&uv) != 0 || weft_loop_init(&loop, &uv) != 0)
        abort();
    for (int i = 0; i < WEFT_KEYS / 8; i++)
        *wrong += weft_context_set(weft_root(&loop), &keys[i], &numbers[i]) != 0;
    for (int i = 0; i < WEFT_KEYS / 8; i++)
        *wrong += weft_context_get(weft_root(&loop), &keys[i]) != &numbers[i];
    if (weft_loop_close(&loop) != 0)
        abort();
    uv_run(&uv, UV_RUN_DEFAULT);
    uv_loop_close(&uv);
}

TEST(threads_may_set_the_same_keys_for_the_first_time)
{
    uv_thread_t threads[THREADS];
    int wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(uv_thread_create(&threads[i], number_keys, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        uv_thread_join(&threads[i]);
        assert_int_equal(wrong[i], 0);
    }
}

TEST(there_are_so_many_keys_and_no_more)
{
    struct world w;
    struct weft_op op = {0};
    world_up(&w);
    weft_run(weft_root(&w.loop), &op, NULL, noted);
    for (int i = 0; i < WEFT_KEYS; i++) {
        numbers[i] = i;
        assert_int_equal(weft_context_set(&op, &keys[i], &numbers[i]), 0);
    }
    keys[WEFT_KEYS].release = release_none;
    for (int i = 0; i < 3; i++) { /* and that stays so */
        assert_int_equal(weft_context_set(&op, &keys[WEFT_KEYS], &numbers[WEFT_KEYS]), UV_ENOSPC);
        assert_null(weft_context_get(&op, &keys[WEFT_KEYS]));
    }
    for (int i = 0; i < WEFT_KEYS; i++)
        assert_ptr_equal(weft_context_get(&op, &keys[i]), &numbers[i]);
    weft_finish(&op, 0);
    world_down(&w);
}
