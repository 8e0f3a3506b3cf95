/* Flow and queue allocate nothing: counted at weft's own allocator and, where that can be done, at
 * malloc itself. */
#include "tasks.h"
#include "fault.h"
#include <stdlib.h>
#include <weft/cargo.h>
#include <weft/flow.h>
#include <weft/priority.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_MALLOC 0
#endif
#endif
#if !defined(OWN_MALLOC) && defined(__GLIBC__)
#define OWN_MALLOC 1
#endif

static unsigned long mallocs;

#if OWN_MALLOC
/* glibc's own names for its functions; ours take the places of the public ones. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    mallocs++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    mallocs++;
    return __libc_realloc(block, size);
}

void free(void *block)
{
    __libc_free(block);
}
#endif

static unsigned long mallocs_before;

static void counting_up(unsigned limit)
{
    weft_fault_install();
    up(limit);
    weft_fault_fail_at(0); /* counts from here */
    mallocs_before = mallocs;
}

static void counting_down(void)
{
    assert_int_equal(world_run(&w), 0);
    assert_int_equal(weft_fault_allocations(), 0);
    assert_int_equal(mallocs, mallocs_before);
    down();
    fault_remove();
}

TEST(malloc_is_counted)
{
#if OWN_MALLOC
    unsigned long before = mallocs;
    void *volatile block = malloc(10);
    free(block);
    assert_int_equal(mallocs, before + 1);
#else
    print_message("malloc is the sanitizer's: only weft's own allocator is counted\n");
    skip();
#endif
}

static unsigned left;

static void again(struct weft_op *parent, struct weft_op *op)
{
    if (left > 0) {
        left--;
        weft_queue_push(&queue, parent, op, job_begin, again);
    }
}

TEST(a_hundred_thousand_tasks_allocate_nothing)
{
    counting_up(4);
    left = 100000;
    for (int id = 0; id < 8; id++) {
        tasks[id].ms = (uint64_t)id % 3;
        weft_queue_push(&queue, weft_root(&w.loop), &tasks[id].op, job_begin, again);
    }
    counting_down();
    assert_int_equal(left, 0);
}

TEST(lanes_rates_waiters_deadlines_events_and_kills_allocate_nothing)
{
    static struct weft_lane lanes[3];
    static struct weft_queue_wait room, idle;
    static struct weft_deadline deadline;
    counting_up(2);
    listen_to(WEFT_QUEUE_EMPTY);
    listen_to(WEFT_QUEUE_ERROR);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(weft_lane_init(&lanes[i], &queue, 1 + i, i), 0);
    weft_queue_high_water(&queue, 2);
    weft_queue_rate(&queue, 1, 2, 2);
    weft_lane_rate(&lanes[1], 1, 5, 1);
    for (int id = 0; id < 20; id++) {
        tasks[id] = (struct job){.id = id, .ms = (uint64_t)id % 4, .status = id == 7 ? UV_EIO : 0};
        push_to(&lanes[id % 3], id);
    }
    weft_deadline(&tasks[19].op, &deadline, 3);
    weft_queue_room(weft_root(&w.loop), &room, &queue, noted);
    weft_queue_idle(weft_root(&w.loop), &idle, &queue, noted);
    let_pass(15);
    weft_queue_limit(&queue, 5);
    weft_queue_kill(&queue, UV_ECANCELED);
    counting_down();
    assert_int_equal(jobs.reported, 20);
}

TEST(priorities_allocate_nothing)
{
    static struct weft_priority lane;
    static struct weft_urgent urgents[20];
    counting_up(2);
    assert_int_equal(weft_priority_init(&lane, &queue, 2, 0), 0);
    for (int i = 0; i < 20; i++)
        weft_priority_push(&lane, weft_root(&w.loop), &urgents[i], i * 7 % 5, finish_at_once,
                           noted);
    assert_int_equal(weft_priority_change(&urgents[3], 9), 0);
    weft_cancel(&urgents[4].op, UV_ECANCELED);
    counting_down();
    assert_int_equal(seen.calls, 20);
}

TEST(cargo_allocates_nothing)
{
    static struct weft_cargo cargo;
    static struct weft_load loads[2];
    static struct weft_item items[20];
    counting_up(1);
    assert_int_equal(
        weft_cargo_init(&cargo, weft_root(&w.loop), WEFT_SLOTS(loads, op), 3, finish_at_once), 0);
    for (int i = 0; i < 20; i++)
        weft_cargo_push(&cargo, weft_root(&w.loop), &items[i], noted);
    weft_cancel(&items[4].op, UV_ECANCELED);
    counting_down();
    assert_int_equal(seen.calls, 20);
    assert_int_equal(weft_cargo_close(&cargo), 0);
}

static struct weft_series series;
static struct weft_parallel parallel;
static struct weft_each each;
static struct weft_race race;
static struct weft_retry retry;
static struct weft_timeout timeout;

static void run_one(struct weft_op *op)
{
    weft_run(op, &tasks[0].op, job_begin, NULL);
}

static void run_another(struct weft_op *op)
{
    weft_run(op, &tasks[1].op, job_begin, NULL);
}

static void runners(struct weft_op *op)
{
    weft_run(op, &tasks[2].op, job_begin, weft_race_any);
    weft_run(op, &tasks[3].op, job_begin, weft_race_any);
}

static bool next_of_thousand(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    job_of(slot)->ms = index % 2;
    return index < 1000;
}

TEST(series_parallel_each_race_retry_and_timeout_allocate_nothing)
{
    counting_up(1);
    tasks[3] = (struct job){.ms = 1, .status = UV_EIO};
    tasks[8] = (struct job){.ms = 1, .status = UV_EIO};
    tasks[9] = (struct job){.ms = 50};
    weft_series(weft_root(&w.loop), &series, noted, run_one, run_one);
    weft_parallel(weft_root(&w.loop), &parallel, noted, run_another);
    weft_race(weft_root(&w.loop), &race, runners, noted);
    weft_each(weft_root(&w.loop), &each, weft_slots(&tasks[4].op, sizeof(struct job), 4),
              next_of_thousand, job_begin, NULL, noted);
    weft_retry(weft_root(&w.loop), &retry, &tasks[8].op, job_begin, 5, 1, noted);
    weft_timeout(weft_root(&w.loop), &timeout, &tasks[9].op, job_begin, 10, noted);
    counting_down();
    assert_int_equal(seen.calls, 6);
}
