/* The hop itself: where a cancel meets it on its way there and back. The pool has one thread here,
 * and it does what the test says.
 * ctest: labels=threads,valgrind */
#include "io/hop.h"
#include "fault.h"
#include "loop.h"
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <weft/timer.h>

__attribute__((constructor)) static void one_thread(void)
{
    setenv("UV_THREADPOOL_SIZE", "1", 1);
}

/* The thread says that it has begun, and goes on when it may. */
static sem_t begun, go_on;
static atomic_int worked;
static int given, dropped, result;
static char path_seen[32];

static int work(struct weft_hop *hop)
{
    sem_post(&begun);
    sem_wait(&go_on);
    atomic_fetch_add(&worked, 1);
    strncpy(path_seen, hop->path, sizeof path_seen - 1);
    return hop_stopped(hop) ? result : 0;
}

static void give(struct weft_hop *hop, struct weft_op *op)
{
    (void)hop;
    (void)op;
    given++;
}

static void drop(struct weft_hop *hop)
{
    (void)hop;
    dropped++;
}

#define KIND(is_awaited)                                                                           \
    {                                                                                              \
        .size = sizeof(struct weft_hop), .paths = 1, .awaited = (is_awaited), .work = work,        \
        .give = give, .drop = drop                                                                 \
    }
static const struct hop_kind looking = KIND(false), changing = KIND(true);

static void begin_with(struct weft_op *op, const struct hop_kind *kind)
{
    char path[] = "a path that goes";
    struct weft_hop *hop = weft__hop_make(op, kind, path, NULL);
    memset(path, 'x', sizeof path - 1);
    if (hop != NULL)
        weft__hop_go(hop);
}

static void look(struct weft_op *op)
{
    begin_with(op, &looking);
}

static void change(struct weft_op *op)
{
    begin_with(op, &changing);
}

static struct world w;

static void up(void)
{
    weft_fault_install();
    world_up(&w);
    assert_int_equal(sem_init(&begun, 0, 0), 0);
    assert_int_equal(sem_init(&go_on, 0, 0), 0);
    atomic_store(&worked, 0);
    given = dropped = result = 0;
    memset(path_seen, 0, sizeof path_seen);
}

static void down(void)
{
    world_down(&w);
    sem_destroy(&begun);
    sem_destroy(&go_on);
    fault_remove();
}

TEST(a_hop_goes_there_and_back_with_a_copy_of_its_path)
{
    up();
    struct hopper hopper = {0};
    sem_post(&go_on);
    weft_run(weft_root(&w.loop), &hopper.op, look, noted);
    assert_int_equal(seen.calls, 0);
    down();
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(given, 1);
    assert_int_equal(dropped, 1);
    assert_string_equal(path_seen, "a path that goes");
    assert_null(hopper.hop_);
}

/* Put a hop of begin into the pool's only thread, and one behind it. */
static void two(struct hopper *running, struct hopper *queued, weft_begin_fn *begin)
{
    weft_run(weft_root(&w.loop), &running->op, begin, noted);
    sem_wait(&begun);
    weft_run(weft_root(&w.loop), &queued->op, begin, noted);
}

TEST(what_no_thread_has_begun_is_never_begun_after_a_cancel)
{
    weft_begin_fn *const begins[] = {look, change};
    for (int i = 0; i < 2; i++) {
        up();
        struct hopper running = {0}, queued = {0};
        two(&running, &queued, begins[i]);
        weft_cancel(&queued.op, UV_ETIMEDOUT);
        while (seen.calls == 0)
            uv_run(&w.uv, UV_RUN_ONCE);
        assert_ptr_equal(seen.op, &queued.op);
        assert_int_equal(seen.status, UV_ETIMEDOUT);
        sem_post(&go_on);
        down();
        assert_int_equal(seen.calls, 2);
        assert_int_equal(seen.status, 0);
        assert_int_equal(atomic_load(&worked), 1);
        assert_int_equal(given, 1);
        assert_int_equal(dropped, 2);
    }
}

TEST(a_hop_that_only_looks_is_left_behind_by_a_cancel)
{
    up();
    struct hopper *hopper = calloc(1, sizeof *hopper);
    assert_non_null(hopper);
    weft_run(weft_root(&w.loop), &hopper->op, look, noted);
    sem_wait(&begun);
    weft_cancel(&hopper->op, UV_EINTR);
    assert_int_equal(seen.calls, 0);
    while (seen.calls == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    assert_int_equal(seen.status, UV_EINTR);
    memset(hopper, 0xdd, sizeof *hopper);
    free(hopper);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    assert_int_equal(dropped, 0);
    sem_post(&go_on);
    down();
    assert_int_equal(seen.calls, 1);
    assert_int_equal(given, 0);
    assert_int_equal(dropped, 1);
}

TEST(storage_can_hop_again_while_its_last_hop_is_still_on_its_way)
{
    up();
    struct hopper hopper = {0};
    weft_run(weft_root(&w.loop), &hopper.op, look, noted);
    sem_wait(&begun);
    weft_cancel(&hopper.op, UV_EINTR);
    while (seen.calls == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    weft_run(weft_root(&w.loop), &hopper.op, look, noted);
    sem_post(&go_on);
    sem_post(&go_on);
    down();
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, 0);
    assert_int_equal(given, 1);
    assert_int_equal(dropped, 2);
}

TEST(a_hop_that_changes_something_is_awaited_and_tells_the_truth)
{
    static const struct {
        int result, status;
    } cases[] = {{0, 0}, {UV_EIO, UV_EIO}, {UV_ECANCELED, UV_ETIMEDOUT}};
    for (size_t i = 0; i < 3; i++) {
        up();
        result = cases[i].result;
        struct hopper hopper = {0};
        weft_run(weft_root(&w.loop), &hopper.op, change, noted);
        sem_wait(&begun);
        weft_cancel(&hopper.op, UV_ETIMEDOUT);
        for (int turn = 0; turn < 10; turn++)
            uv_run(&w.uv, UV_RUN_NOWAIT);
        assert_int_equal(seen.calls, 0);
        sem_post(&go_on);
        down();
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, cases[i].status);
        assert_int_equal(given, cases[i].result == 0);
        assert_int_equal(dropped, 1);
    }
}

TEST(an_awaited_hop_that_is_ended_awaits_its_thread)
{
    up();
    struct hopper hopper = {0};
    weft_run(weft_root(&w.loop), &hopper.op, change, noted);
    sem_wait(&begun);
    weft_end(&hopper.op, UV_EPIPE);
    for (int turn = 0; turn < 10; turn++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(seen.calls, 0);
    sem_post(&go_on);
    down();
    assert_int_equal(seen.status, UV_EPIPE);
}

TEST(a_hop_cancelled_before_it_was_made_takes_no_memory_and_no_thread)
{
    up();
    struct hopper hopper = {0};
    struct weft_op parent = {0};
    weft_run(weft_root(&w.loop), &parent, NULL, noted);
    weft_run(&parent, &hopper.op, NULL, noted);
    weft_cancel(&parent, UV_EINTR);
    unsigned long allocations = weft_fault_allocations();
    change(&hopper.op);
    assert_int_equal(weft_fault_allocations(), allocations);
    weft_join(&parent);
    down();
    assert_int_equal(seen.calls, 2);
    assert_int_equal(hopper.op.status, UV_EINTR);
    assert_int_equal(atomic_load(&worked), 0);
}

TEST(a_hop_has_a_deadline_and_time_spent_in_line_counts)
{
    up();
    struct hopper running = {0}, queued = {0};
    struct weft_deadline deadline = {0};
    two(&running, &queued, look);
    weft_deadline(&queued.op, &deadline, 1);
    while (seen.calls == 0)
        uv_run(&w.uv, UV_RUN_ONCE);
    assert_ptr_equal(seen.op, &queued.op);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    sem_post(&go_on);
    down();
    assert_int_equal(atomic_load(&worked), 1);
}

/* Every mixture of hops that look and change, some cancelled, some twice, in whatever order. */
TEST(many_hops_cancelled_at_random_end_once_each)
{
    enum { MANY = 40 };
    uint64_t random = check_seed();
    for (unsigned long round = 0; round < check_scale(20); round++) {
        up();
        struct hopper hoppers[MANY];
        memset(hoppers, 0, sizeof hoppers);
        for (int i = 0; i < MANY; i++)
            sem_post(&go_on);
        for (int i = 0; i < MANY; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            unsigned dice = (unsigned)(random >> 33);
            weft_run(weft_root(&w.loop), &hoppers[i].op, dice & 1 ? look : change, noted);
            if (dice & 2)
                weft_cancel(&hoppers[(dice >> 4) % (unsigned)(i + 1)].op, UV_EINTR);
            if (dice & 4)
                uv_run(&w.uv, UV_RUN_NOWAIT);
        }
        down();
        assert_int_equal(seen.calls, MANY);
        assert_int_equal(dropped, MANY);
        assert_true(given <= atomic_load(&worked));
    }
}
