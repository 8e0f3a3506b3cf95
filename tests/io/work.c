/* Work on the pool, alone and in a crew. The pool has one thread here, and it does what the test
 * says.
 * ctest: labels=threads,valgrind */
#include "loop.h"
#include "provider.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <weft/work.h>

__attribute__((constructor)) static void one_thread(void)
{
    setenv("UV_THREADPOOL_SIZE", "1", 1);
}

struct sum {
    struct weft_work work;
    int a, b, result;
};

static int add(struct weft_work *work)
{
    struct sum *sum = weft_owner(work, struct sum, work);
    if (sum->a < 0)
        return UV_ERANGE;
    sum->result = sum->a + sum->b;
    return 0;
}

/* ---- the contract --------------------------------------------------------------------------- */

static struct weft_crew crew;

static void good(void *storage)
{
    struct sum *sum = storage;
    sum->work.function = add;
    sum->a = 2;
    sum->b = 3;
}

static void bad(void *storage)
{
    good(storage);
    ((struct sum *)storage)->a = -1;
}

static void good_in_crew(void *storage)
{
    good(storage);
    ((struct sum *)storage)->work.crew = &crew;
}

static void bad_in_crew(void *storage)
{
    bad(storage);
    ((struct sum *)storage)->work.crew = &crew;
}

static void is_five(void *storage)
{
    assert_int_equal(((struct sum *)storage)->result, 5);
}

static void crew_is_idle(struct weft_loop *loop)
{
    (void)loop;
    assert_int_equal(crew.visits, 0);
    assert_int_equal(crew.waiting, 0);
}

TEST(work_conforms)
{
    static const struct weft_provider alone = {
        .name = "work",
        WEFT_PROVIDER_OP(struct sum, work.op),
        .begin = weft_work_begin,
        .good = good,
        .bad = bad,
        .bad_status = UV_ERANGE,
        .nothing_status = UV_EINVAL,
        .verify = is_five,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&alone);
}

TEST(work_in_a_crew_conforms)
{
    static const struct weft_provider together = {
        .name = "work in a crew",
        WEFT_PROVIDER_OP(struct sum, work.op),
        .begin = weft_work_begin,
        .down = crew_is_idle,
        .good = good_in_crew,
        .bad = bad_in_crew,
        .bad_status = UV_ERANGE,
        .nothing_status = UV_EINVAL,
        .verify = is_five,
        .flags = WEFT_PROVIDER_AWAITS,
    };
    provider_check(&together);
}

/* ---- a crew --------------------------------------------------------------------------------- */

enum { MANY = (WEFT_CREW_VISITS + 1) * WEFT_CREW_WORKS };

static sem_t begun, go_on;
static atomic_int worked;

static int wait_there(struct weft_work *work)
{
    sem_post(&begun);
    sem_wait(&go_on);
    atomic_fetch_add(&worked, 1);
    return weft_work_stopped(work) ? UV_ECANCELED : 0;
}

static int count_there(struct weft_work *work)
{
    (void)work;
    atomic_fetch_add(&worked, 1);
    return 0;
}

static void crew_up(struct world *w)
{
    world_up(w);
    crew = (struct weft_crew){0};
    sem_init(&begun, 0, 0);
    sem_init(&go_on, 0, 0);
    atomic_store(&worked, 0);
}

static void begin_some(struct world *w, struct weft_work *works, int count)
{
    for (int i = 0; i < count; i++) {
        works[i].crew = &crew;
        weft_work(weft_root(&w->loop), &works[i], count_there, noted);
    }
}

TEST(works_that_are_begun_together_go_together)
{
    struct world w;
    static struct weft_work works[WEFT_CREW_WORKS];
    crew_up(&w);
    works[0].crew = &crew;
    weft_work(weft_root(&w.loop), &works[0], wait_there, noted);
    begin_some(&w, works + 1, WEFT_CREW_WORKS - 1);
    assert_int_equal(crew.waiting, WEFT_CREW_WORKS);
    assert_int_equal(crew.visits, 0); /* not before this turn is over */
    while (crew.waiting > 0)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(crew.visits, 1);
    sem_post(&go_on);
    world_down(&w);
    assert_int_equal(atomic_load(&worked), WEFT_CREW_WORKS);
    assert_int_equal(seen.calls, WEFT_CREW_WORKS);
}

TEST(works_begun_during_a_visit_wait_for_its_end_or_until_they_are_many)
{
    struct world w;
    static struct weft_work first, works[WEFT_CREW_WORKS];
    crew_up(&w);
    first.crew = &crew;
    weft_work(weft_root(&w.loop), &first, wait_there, noted);
    while (sem_trywait(&begun) != 0)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    begin_some(&w, works, WEFT_CREW_WORKS - 1);
    for (int i = 0; i < 10; i++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(crew.visits, 1);
    assert_int_equal(crew.waiting, WEFT_CREW_WORKS - 1);
    begin_some(&w, works + WEFT_CREW_WORKS - 1, 1);
    while (crew.waiting > 0)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(crew.visits, 2);
    sem_post(&go_on);
    world_down(&w);
    assert_int_equal(seen.calls, 1 + WEFT_CREW_WORKS);
}

TEST(a_crew_has_a_bounded_number_of_visits)
{
    struct world w;
    static struct weft_work first, works[MANY];
    crew_up(&w);
    first.crew = &crew;
    weft_work(weft_root(&w.loop), &first, wait_there, noted);
    while (sem_trywait(&begun) != 0)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    begin_some(&w, works, MANY);
    while (crew.visits < WEFT_CREW_VISITS)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    for (int i = 0; i < 10; i++)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    assert_int_equal(crew.visits, WEFT_CREW_VISITS);
    assert_int_equal(crew.waiting, MANY - (WEFT_CREW_VISITS - 1) * WEFT_CREW_WORKS);
    sem_post(&go_on);
    world_down(&w);
    assert_int_equal(seen.calls, 1 + MANY);
}

TEST(a_work_that_waits_in_a_crew_is_cancelled_at_once_and_the_others_go)
{
    struct world w;
    static struct weft_work works[3];
    crew_up(&w);
    begin_some(&w, works, 3);
    weft_cancel(&works[1].op, UV_ETIMEDOUT);
    assert_int_equal(crew.waiting, 2);
    weft_cancel(&works[2].op, UV_ETIMEDOUT); /* the last of the line */
    assert_int_equal(crew.waiting, 1);
    static struct weft_work late;
    late.crew = &crew;
    weft_work(weft_root(&w.loop), &late, count_there, noted);
    world_down(&w);
    assert_int_equal(works[0].op.status, 0);
    assert_int_equal(works[1].op.status, UV_ETIMEDOUT);
    assert_int_equal(works[2].op.status, UV_ETIMEDOUT);
    assert_int_equal(late.op.status, 0);
    assert_int_equal(atomic_load(&worked), 2);
}

TEST(a_work_that_is_cancelled_on_its_visit_before_its_turn_is_not_done)
{
    struct world w;
    static struct weft_work first, second;
    crew_up(&w);
    first.crew = second.crew = &crew;
    weft_work(weft_root(&w.loop), &first, wait_there, noted);
    weft_work(weft_root(&w.loop), &second, count_there, noted);
    while (sem_trywait(&begun) != 0)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    weft_cancel(&second.op, UV_ECANCELED);
    weft_cancel(&first.op, UV_ETIMEDOUT);
    sem_post(&go_on);
    world_down(&w);
    assert_int_equal(first.op.status, UV_ETIMEDOUT); /* it looked, and stopped */
    assert_int_equal(second.op.status, UV_ECANCELED);
    assert_int_equal(atomic_load(&worked), 1);
}

TEST(a_crew_does_more_works_than_fit_into_its_visits)
{
    struct world w;
    static struct weft_work works[MANY];
    crew_up(&w);
    for (int round = 0; round < 3; round++) {
        begin_some(&w, works, MANY);
        assert_int_equal(world_run(&w), 0);
    }
    world_down(&w);
    assert_int_equal(atomic_load(&worked), 3 * MANY);
}
