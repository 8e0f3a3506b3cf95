/* How often memory is allocated for a million tasks: counted twice, at weft's own allocator and at
 * malloc itself, so that nothing can pass below. Prints the line; fails if it was more than never.
 *
 * malloc is replaced in this program alone, which is why it is not a mode of the one that measures
 * time. The names with __libc_ are glibc's own, for just that. */
#include "../bench.h"
#include <weft/alloc.h>
#include <weft/queue.h>

#ifndef __GLIBC__
#error "this program counts glibc's malloc"
#endif

enum { PLACES = 4, POOL = 64, COUNT = 1000000 };

static size_t weft_calls, malloc_calls;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    malloc_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    malloc_calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    malloc_calls++;
    return __libc_realloc(block, size);
}

static void *count_alloc(size_t size, void *context)
{
    (void)context;
    weft_calls++;
    return malloc(size);
}

static void *count_resize(void *block, size_t size, void *context)
{
    (void)context;
    weft_calls++;
    return realloc(block, size);
}

static void release(void *block, void *context)
{
    (void)context;
    free(block);
}

static struct weft_loop loop;
static struct weft_queue queue;
static struct weft_op pool[POOL];
static size_t pushed;

static void finish_at_once(struct weft_op *op)
{
    weft_finish(op, 0);
}

static void over(struct weft_op *root, struct weft_op *op)
{
    if (pushed == COUNT)
        return;
    pushed++;
    weft_queue_push(&queue, root, op, finish_at_once, over);
}

int main(void)
{
    const struct weft_allocator counting = {count_alloc, count_resize, release, NULL};
    bench_check(weft_set_allocator(&counting) == 0, "no allocator");
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    bench_check(weft_calls > 0 && malloc_calls > weft_calls, "the counting does not work");

    weft_calls = malloc_calls = 0;
    bench_check(weft_queue_init(&queue, &loop, PLACES) == 0, "no queue");
    for (pushed = 0; pushed < POOL; pushed++)
        weft_queue_push(&queue, weft_root(&loop), &pool[pushed], finish_at_once, over);
    bench_check(weft_loop_run(&loop) == 0 && queue.stats.done == COUNT, "not every task was done");
    size_t at_weft = weft_calls, at_malloc = malloc_calls;

    printf("bench queue/allocations tasks=%d weft_alloc=%zu malloc=%zu\n", COUNT, at_weft,
           at_malloc);
    bench_check(at_weft == 0 && at_malloc == 0, "the queue allocates");
    return 0;
}
