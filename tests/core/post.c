/* Posts: the only way from another thread into a loop.
 * ctest: labels=threads,valgrind,stress */
#include "core/handles.h"
#include "loop.h"
#include <stdlib.h>
#include <string.h>
#include <weft/post.h>
#include <weft/timer.h>

struct letter {
    struct weft_post post;
    unsigned number, from;
    int words; /* written by the sender before it sends */
};

static unsigned arrived, in_order, last_of[8];

static void count_letter(struct weft_post *post)
{
    struct letter *letter = weft_owner(post, struct letter, post);
    arrived++;
    in_order += letter->number == last_of[letter->from]++;
    assert_int_equal(letter->words, (int)letter->number + 1);
}

static void forget_letters(void)
{
    arrived = in_order = 0;
    memset(last_of, 0, sizeof last_of);
}

TEST(a_post_arrives_from_the_loop_and_not_at_once)
{
    struct world w;
    world_up(&w);
    forget_letters();
    struct letter letter = {.words = 1};
    weft_post_init(&w.loop, &letter.post, count_letter);
    weft_post(&letter.post);
    assert_int_equal(arrived, 0);
    world_down(&w);
    assert_int_equal(arrived, 1);
}

TEST(posts_of_one_thread_arrive_in_the_order_in_which_they_were_sent)
{
    struct world w;
    world_up(&w);
    forget_letters();
    struct letter letters[50];
    memset(letters, 0, sizeof letters);
    for (unsigned i = 0; i < 50; i++)
        weft_post_init(&w.loop, &letters[i].post, count_letter);
    for (unsigned i = 0; i < 50; i++) { /* prepared in one order, sent in another */
        struct letter *letter = &letters[i % 2 ? i - 1 : (i + 1) % 50];
        letter->number = i;
        letter->words = (int)i + 1;
        weft_post(&letter->post);
    }
    world_down(&w);
    assert_int_equal(arrived, 50);
    assert_int_equal(in_order, 50);
}

struct returning {
    struct weft_loop *loop;
    struct weft_post post;
    unsigned times;
};

static void send_again(struct weft_post *post)
{
    struct returning *r = weft_owner(post, struct returning, post);
    if (++r->times == 5)
        return;
    weft_post_init(r->loop, post, send_again);
    weft_post(post);
}

TEST(a_post_may_be_used_again_when_it_arrives)
{
    struct world w;
    world_up(&w);
    struct returning r = {.loop = &w.loop};
    weft_post_init(&w.loop, &r.post, send_again);
    weft_post(&r.post);
    world_down(&w);
    assert_int_equal(r.times, 5);
}

static void free_letter(struct weft_post *post)
{
    struct letter *letter = weft_owner(post, struct letter, post);
    arrived++;
    memset(letter, 0xa5, sizeof *letter);
    free(letter);
}

TEST(a_post_may_be_freed_when_it_arrives)
{
    struct world w;
    world_up(&w);
    forget_letters();
    for (int i = 0; i < 3; i++) {
        struct letter *letter = calloc(1, sizeof *letter);
        weft_post_init(&w.loop, &letter->post, free_letter);
        weft_post(&letter->post);
    }
    world_down(&w);
    assert_int_equal(arrived, 3);
}

/* ---- from other threads --------------------------------------------------------------------- */

/* An op that a thread works for. */
struct errand {
    struct weft_op op;
    struct weft_post post;
    uv_thread_t thread;
    uv_sem_t go;
    int answer;
};

static void errand_done(struct weft_post *post)
{
    weft_finish(&weft_owner(post, struct errand, post)->op, 0);
}

static void run_errand(void *errand)
{
    struct errand *e = errand;
    uv_sem_wait(&e->go);
    e->answer = 42;
    weft_post(&e->post);
}

static void errand_begin(struct weft_op *op)
{
    struct errand *e = weft_owner(op, struct errand, op);
    assert_int_equal(uv_sem_init(&e->go, 0), 0);
    weft_post_init(weft_loop_of(op), &e->post, errand_done);
    assert_int_equal(uv_thread_create(&e->thread, run_errand, e), 0);
}

static void errand_down(struct errand *e)
{
    uv_thread_join(&e->thread);
    uv_sem_destroy(&e->go);
}

static void let_go(uv_timer_t *timer)
{
    uv_sem_post(&((struct errand *)timer->data)->go);
    uv_close((uv_handle_t *)timer, NULL);
}

TEST(the_loop_stays_alive_until_an_expected_post_has_arrived)
{
    struct world w;
    world_up(&w);
    struct errand e = {.answer = 0};
    uv_timer_t timer;
    weft_run(weft_root(&w.loop), &e.op, errand_begin, noted);
    timer.data = &e;
    uv_timer_init(&w.uv, &timer);
    uv_timer_start(&timer, let_go, 2, 0);
    world_down(&w);
    errand_down(&e);
    assert_int_equal(e.answer, 42);
    assert_int_equal(seen.calls, 1);
}

TEST(virtual_time_stands_still_while_a_post_is_expected)
{
    struct world w;
    world_up_sim(&w, 3);
    struct errand e = {.answer = 0};
    struct weft_deadline deadline = {.op_ = {0}};
    weft_run(weft_root(&w.loop), &e.op, errand_begin, noted);
    weft_deadline(&e.op, &deadline, 1); /* the errand takes longer, but not in virtual time */
    uv_sem_post(&e.go);
    world_down(&w);
    errand_down(&e);
    assert_int_equal(seen.status, 0);
    assert_int_equal(w.sim.now_, 0);
}

enum { THREADS = 4, LETTERS = 10000 };

struct sender {
    uv_thread_t thread;
    struct letter *letters;
    unsigned long count;
};

static void send_all(void *sender)
{
    struct sender *s = sender;
    for (unsigned i = 0; i < s->count; i++) {
        s->letters[i].words = (int)i + 1;
        weft_post(&s->letters[i].post);
    }
}

TEST(four_threads_may_post_at_once)
{
    struct world w;
    world_up(&w);
    forget_letters();
    struct sender senders[THREADS];
    unsigned long count = check_scale(LETTERS);
    for (unsigned t = 0; t < THREADS; t++) {
        senders[t].count = count;
        senders[t].letters = calloc(count, sizeof *senders[t].letters);
        for (unsigned i = 0; i < count; i++) {
            senders[t].letters[i].number = i;
            senders[t].letters[i].from = t;
            weft_post_init(&w.loop, &senders[t].letters[i].post, count_letter);
        }
    }
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(uv_thread_create(&senders[t].thread, send_all, &senders[t]), 0);
    world_down(&w);
    for (unsigned t = 0; t < THREADS; t++) {
        uv_thread_join(&senders[t].thread);
        free(senders[t].letters);
    }
    assert_int_equal(arrived, THREADS * count);
    assert_int_equal(in_order, THREADS * count);
}

TEST(a_post_that_is_withdrawn_does_not_keep_the_loop_alive_and_may_be_expected_again)
{
    struct world w;
    struct letter letter = {.words = 1};
    world_up(&w);
    forget_letters();
    weft__post_expect(&w.loop, &letter.post, count_letter);
    assert_int_equal(weft_loop_close(&w.loop), UV_EBUSY);
    weft__post_withdraw(&letter.post);
    assert_int_equal(world_run(&w), 0);
    weft__post_expect(&w.loop, &letter.post, count_letter);
    weft_post(&letter.post);
    world_down(&w);
    assert_int_equal(arrived, 1);
}

/* The loop hears of a post when another sender wakes it up: the first may still be on its way out
 * of weft_post when the loop, and its handles, are long gone. */
TEST(a_loop_may_be_closed_as_soon_as_the_last_post_has_arrived)
{
    for (unsigned long round = 0; round < check_scale(300); round++) {
        struct world w;
        world_up(&w);
        forget_letters();
        struct letter letters[THREADS];
        struct sender senders[THREADS];
        memset(letters, 0, sizeof letters);
        for (unsigned t = 0; t < THREADS; t++) {
            letters[t].from = t;
            weft_post_init(&w.loop, &letters[t].post, count_letter);
        }
        for (unsigned t = 0; t < THREADS; t++) {
            senders[t] = (struct sender){.letters = &letters[t], .count = 1};
            assert_int_equal(uv_thread_create(&senders[t].thread, send_all, &senders[t]), 0);
        }
        world_down(&w);
        memset(&w, 0xa5, sizeof w);
        assert_int_equal(arrived, THREADS);
        for (unsigned t = 0; t < THREADS; t++)
            uv_thread_join(&senders[t].thread);
    }
}

/* ---- loops on threads of their own ---------------------------------------------------------- */

/* All loops are open before the first one is closed: libuv closes descriptors in a way that
 * ThreadSanitizer does not see, and a number that comes back in another thread looks like a
 * race. */
static uv_barrier_t all_open;

struct worker {
    uv_thread_t thread;
    unsigned calls;
    int status;
};

struct nap {
    struct weft_sleep sleep;
    struct worker *worker;
    unsigned left;
};

static void nap_again(struct weft_op *root, struct weft_op *op)
{
    struct nap *nap = weft_owner(op, struct nap, sleep.op);
    nap->worker->calls++;
    if (nap->left-- > 0)
        weft_sleep(root, &nap->sleep, 0, nap_again);
}

static void work(void *worker)
{
    uv_loop_t uv;
    struct weft_loop loop;
    struct worker *me = worker;
    struct nap naps[3];
    memset(naps, 0, sizeof naps);
    me->status = uv_loop_init(&uv);
    if (me->status == 0)
        me->status = weft_loop_init(&loop, &uv);
    uv_barrier_wait(&all_open);
    for (int i = 0; i < 3; i++) {
        naps[i].worker = me;
        naps[i].left = 20;
        weft_sleep(weft_root(&loop), &naps[i].sleep, 0, nap_again);
    }
    if (me->status == 0)
        me->status = weft_loop_run(&loop);
    if (me->status == 0)
        me->status = weft_loop_close(&loop);
    uv_run(&uv, UV_RUN_DEFAULT);
    if (me->status == 0)
        me->status = uv_loop_close(&uv);
}

TEST(two_threads_have_a_loop_each)
{
    struct worker workers[2] = {{.calls = 0}, {.calls = 0}};
    assert_int_equal(uv_barrier_init(&all_open, 2), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(uv_thread_create(&workers[i].thread, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++)
        uv_thread_join(&workers[i].thread);
    uv_barrier_destroy(&all_open);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(workers[i].status, 0);
        assert_int_equal(workers[i].calls, 63);
    }
}
