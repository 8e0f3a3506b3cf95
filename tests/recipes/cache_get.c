/* Asking the cache: what is there, what has to be loaded, what fails, who leaves.
 * ctest: labels=valgrind-long */
#include "cache_kit.h"

/* ---- hits and misses ------------------------------------------------------------------------ */

TEST(the_first_one_to_ask_loads_and_the_next_one_finds)
{
    up_with_ttl(0);
    struct asker *first = ask(0, "a");
    pass(4);
    assert_int_equal(first->told, 0);
    pass(1);
    assert_got(first, WEFT_CACHE_MISS, "a#1");
    struct asker *second = ask(1, "a");
    assert_int_equal(second->told, 0); /* never at once */
    settle();
    assert_got(second, WEFT_CACHE_HIT, "a#1");
    assert_true(has("a", "a#1"));
    assert_int_equal(load_count, 1);
    assert_int_equal(cache.stats.misses, 1);
    assert_int_equal(cache.stats.loads, 1);
    assert_int_equal(cache.stats.hits, 2);
    down();
}

TEST(all_who_ask_meanwhile_join_one_load)
{
    up_with_ttl(0);
    for (int i = 0; i < 10; i++)
        ask(i, "a");
    struct asker *other = ask(10, "b");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#1");
    for (int i = 1; i < 10; i++)
        assert_got(&askers[i], WEFT_CACHE_JOINED, "a#1");
    assert_got(other, WEFT_CACHE_MISS, "b#2");
    assert_int_equal(cache.stats.joined, 9);
    assert_int_equal(cache.stats.loads, 2);
    assert_int_equal(cache.entries, 2);
    down();
}

TEST(a_load_may_answer_at_once_and_is_told_later)
{
    up_with_ttl(0);
    next_job.ms = 0;
    struct asker *asker = ask(0, "a");
    assert_int_equal(asker->told, 0);
    settle();
    assert_got(asker, WEFT_CACHE_MISS, "a#1");
    assert_true(has("a", "a#1"));
    down();
}

TEST(an_empty_answer_is_kept)
{
    up();
    cache.load = answer_nothing;
    open_cache();
    struct asker *first = ask(0, "a");
    settle();
    assert_got(first, WEFT_CACHE_MISS, "");
    struct asker *second = ask(1, "a");
    settle();
    assert_got(second, WEFT_CACHE_HIT, "");
    assert_int_equal(load_count, 1);
    down();
}

static void forget_to_answer(struct weft_op *op)
{
    load_count++;
    weft_finish(op, 0);
}

TEST(no_answer_is_an_error_and_not_kept)
{
    up();
    cache.load = forget_to_answer;
    cache.ttl_ms = 1000;
    open_cache();
    struct asker *first = ask(0, "a"), *second = ask(1, "a");
    settle();
    assert_failed(first, WEFT_ENOANSWER);
    assert_failed(second, WEFT_ENOANSWER);
    assert_true(has_not("a"));
    ask(0, "a");
    settle();
    assert_failed(first, WEFT_ENOANSWER);
    assert_int_equal(load_count, 2);
    assert_int_equal(cache.stats.errors, 2);
    down();
}

TEST(an_answer_that_was_found_stays_until_its_then_has_returned)
{
    up_with_ttl(0);
    put("a", "1");
    struct asker *asker = ask(0, "a");
    assert_int_equal(weft_cache_forget(&cache, key("a")), 1);
    put("a", "2");
    settle();
    assert_got(asker, WEFT_CACHE_HIT, "1");
    down();
}

TEST(a_load_may_say_how_long_its_answer_is_good)
{
    up_with_ttl(100);
    next_ttl_ms = 7;
    have("a");
    pass(6);
    assert_true(has("a", "a#1"));
    pass(1);
    assert_true(has_not("a"));
    down();
}

TEST(an_answer_that_is_too_large_is_told_and_not_kept)
{
    up();
    cache.bytes_limit = weft_cache_cost(1, 1) - 1;
    open_cache();
    struct asker *asker = ask(0, "a");
    pass(5);
    assert_got(asker, WEFT_CACHE_MISS, "a#1");
    assert_int_equal(cache.entries, 0);
    assert_int_equal(cache.stats.discarded, 1);
    down();
}

/* ---- refused -------------------------------------------------------------------------------- */

static void refused(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct asker *asker = weft_owner(op, struct asker, get.await.op);
    asker->told++;
    asker->status = op->status;
}

TEST(what_cannot_be_asked_is_refused)
{
    static const char zeros[WEFT_KEY_MAX + 1];
    up();
    struct asker *asker = &askers[0];
    weft_cache_get(weft_root(&w.loop), &asker->get, &cache, key("a"), refused);
    settle();
    assert_failed(asker, UV_EINVAL); /* it is not open */
    cache.load = NULL;
    cache.flight_size = 0;
    open_cache();
    ask(0, "a");
    settle();
    assert_failed(asker, UV_EINVAL); /* there is nothing to load with */
    weft_cache_get(weft_root(&w.loop), &asker->get, &cache, weft_text(zeros, sizeof zeros),
                   asker_told);
    settle();
    assert_failed(asker, UV_EINVAL);
    assert_int_equal(weft_cache_close(&cache), 0);
    cache.load = load_begin;
    open_cache();
    weft_cache_get(weft_root(&w.loop), &asker->get, &cache, weft_text(zeros, sizeof zeros),
                   asker_told);
    settle();
    assert_failed(asker, UV_ENAMETOOLONG);
    assert_int_equal(cache.stats.failed, 1);
    down();
}

TEST(more_loads_than_the_limit_are_refused)
{
    up();
    cache.loads_limit = 1;
    open_cache();
    ask(0, "a");
    struct asker *refused = ask(1, "b"), *joined = ask(2, "a");
    settle();
    assert_failed(refused, UV_ENOBUFS);
    pass(5);
    assert_got(joined, WEFT_CACHE_JOINED, "a#1");
    assert_int_equal(cache.stats.failed, 1);
    down();
}

TEST(an_owner_that_was_cancelled_loads_nothing_but_hits_go_on)
{
    up_with_ttl(0);
    put("a", "1");
    weft_cancel(&owner, UV_EINTR);
    struct asker *hit = ask(0, "a"), *miss = ask(1, "b");
    settle();
    assert_got(hit, WEFT_CACHE_HIT, "1");
    assert_failed(miss, UV_EINTR);
    down();
}

/* ---- errors --------------------------------------------------------------------------------- */

TEST(an_error_reaches_all_and_is_not_kept)
{
    up_with_ttl(0);
    next_job.status = UV_EIO;
    ask(0, "a");
    ask(1, "a");
    pass(5);
    assert_failed(&askers[0], UV_EIO);
    assert_failed(&askers[1], UV_EIO);
    assert_int_equal(cache.entries, 0);
    next_job.status = 0;
    ask(0, "a");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#2");
    assert_int_equal(cache.stats.errors, 1);
    assert_int_equal(cache.stats.misses, 2);
    down();
}

TEST(an_error_may_be_remembered_for_a_while)
{
    up();
    cache.error_ttl_ms = 10;
    open_cache();
    next_job.status = UV_EIO;
    ask(0, "a");
    pass(5);
    assert_failed(&askers[0], UV_EIO);
    assert_true(has_not("a"));
    next_job.status = 0;
    ask(0, "a");
    assert_int_equal(askers[0].told, 0);
    settle();
    assert_failed(&askers[0], UV_EIO);
    assert_int_equal(load_count, 1);
    assert_int_equal(cache.stats.failed, 1);
    pass(10);
    ask(0, "a");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#2");
    down();
}

TEST(a_remembered_error_can_be_forgotten_and_replaced)
{
    up();
    cache.error_ttl_ms = WEFT_CACHE_FOREVER;
    open_cache();
    next_job.status = UV_EIO;
    ask(0, "a");
    ask(1, "b");
    pass(5);
    assert_failed(&askers[0], UV_EIO);
    assert_failed(&askers[1], UV_EIO);
    assert_true(has_not("a"));
    assert_int_equal(weft_cache_forget(&cache, key("a")), 1);
    assert_int_equal(put("b", "1"), 0);
    assert_true(has("b", "1"));
    next_job.status = 0;
    ask(0, "a");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#3");
    down();
}

TEST(a_load_that_takes_too_long_is_an_error_that_can_be_remembered)
{
    up();
    cache.load_ms = 20;
    cache.error_ttl_ms = 10;
    open_cache();
    next_job.ms = BY_HAND;
    ask(0, "a");
    pass(20);
    assert_failed(&askers[0], UV_ETIMEDOUT);
    ask(0, "a");
    settle();
    assert_failed(&askers[0], UV_ETIMEDOUT);
    assert_int_equal(load_count, 1);
    down();
}

/* ---- cancel --------------------------------------------------------------------------------- */

TEST(one_who_leaves_disturbs_nobody)
{
    up_with_ttl(0);
    ask(0, "a");
    ask(1, "a");
    weft_cancel(&askers[0].get.await.op, UV_EINTR);
    settle();
    assert_failed(&askers[0], UV_EINTR);
    pass(5);
    assert_got(&askers[1], WEFT_CACHE_JOINED, "a#1");
    assert_int_equal(cache.stats.errors, 0);
    down();
}

TEST(the_last_one_who_leaves_cancels_the_load_which_is_an_error_that_is_not_remembered)
{
    up();
    cache.error_ttl_ms = 1000;
    open_cache();
    next_job.linger_ms = 3;
    ask(0, "a");
    weft_cancel(&askers[0].get.await.op, UV_EINTR);
    settle();
    assert_failed(&askers[0], UV_EINTR);
    assert_int_equal(jobs.cancelled, 1);
    ask(1, "a"); /* while the first one lets go: nobody gets somebody else's cancel */
    pass(5);
    assert_got(&askers[1], WEFT_CACHE_MISS, "a#2");
    assert_int_equal(cache.stats.errors, 1);
    assert_int_equal(cache.stats.loads, 2);
    assert_true(has("a", "a#2"));
    down();
}

TEST(a_load_that_timed_out_and_lingers_leaves_nothing_behind_for_a_newer_one)
{
    up();
    cache.load_ms = 10;
    cache.error_ttl_ms = 1000;
    open_cache();
    next_job = (struct job){.ms = BY_HAND, .linger_ms = 20};
    ask(0, "a");
    pass(10);
    next_job = (struct job){.ms = 5};
    ask(1, "a");
    pass(5);
    assert_got(&askers[1], WEFT_CACHE_MISS, "a#2");
    pass(20);
    assert_got(&askers[0], WEFT_CACHE_STALE, "a#2"); /* what there is by then stands for it */
    assert_true(has("a", "a#2"));
    down();
}

TEST(a_forgotten_key_is_not_remembered_as_an_error_by_a_load_that_lingers)
{
    up();
    cache.load_ms = 10;
    cache.error_ttl_ms = 1000;
    open_cache();
    next_job = (struct job){.ms = BY_HAND, .linger_ms = 20};
    ask(0, "a");
    pass(10);
    weft_cache_forget(&cache, key("a"));
    pass(20);
    assert_failed(&askers[0], UV_ETIMEDOUT);
    assert_int_equal(cache.entries, 0);
    down();
}

/* ---- close ---------------------------------------------------------------------------------- */

static void close_busy(struct weft_op *parent, struct weft_op *op)
{
    assert_int_equal(weft_cache_close(&cache), UV_EBUSY);
    asker_told(parent, op);
}

TEST(a_cache_is_busy_until_everybody_was_told)
{
    up_with_ttl(0);
    weft_cache_get(weft_root(&w.loop), &askers[0].get, &cache, key("a"), close_busy);
    assert_int_equal(weft_cache_close(&cache), UV_EBUSY);
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#1");
    weft_cache_get(weft_root(&w.loop), &askers[0].get, &cache, key("a"), close_busy);
    assert_int_equal(weft_cache_close(&cache), UV_EBUSY);
    settle();
    assert_got(&askers[0], WEFT_CACHE_HIT, "a#1");
    assert_int_equal(cache.entries, 1); /* nothing was dropped meanwhile */
    assert_int_equal(weft_cache_close(&cache), 0);
    weft_end(&owner, 0);
    world_down(&w);
}

TEST(who_asks_without_a_then_only_makes_it_be_there)
{
    up_with_ttl(0);
    struct weft_cache_get get = {0};
    weft_cache_get(&owner, &get, &cache, key("a"), (weft_then_fn *)NULL);
    pass(5);
    assert_true(has("a", "a#1"));
    weft_cache_get(&owner, &get, &cache, key("a"), (weft_then_fn *)NULL);
    settle();
    assert_int_equal(cache.stats.hits, 2);
    down();
}

static void free_it(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    struct weft_cache_get *get = weft_owner(op, struct weft_cache_get, await.op);
    assert_int_equal(op->status, 0);
    memset(get, 0xdd, sizeof *get);
    free(get);
    seen.calls++;
}

TEST(a_then_may_free_what_was_asked_with)
{
    up_with_ttl(0);
    for (int i = 0; i < 2; i++) {
        struct weft_cache_get *get = calloc(1, sizeof *get);
        weft_cache_get(weft_root(&w.loop), get, &cache, key("a"), free_it);
        pass(5);
    }
    assert_int_equal(seen.calls, 2);
    down();
}

/* ---- one who fails -------------------------------------------------------------------------- */

static unsigned escaped;

static void caught(struct weft_loop *loop, struct weft_op *op, int err, const char *text)
{
    (void)loop;
    (void)op;
    (void)text;
    assert_int_equal(err, UV_EIO);
    escaped++;
}

static void throwing(struct weft_op *parent, struct weft_op *op)
{
    asker_told(parent, op);
    weft_throw(UV_EIO, "a waiter that fails");
}

TEST(one_who_fails_when_told_starves_nobody)
{
    up_with_ttl(0);
    w.loop.on_uncaught = caught;
    escaped = 0;
    for (int i = 0; i < 6; i++)
        weft_cache_get(weft_root(&w.loop), &askers[i].get, &cache, key("a"),
                       i % 2 == 0 ? throwing : asker_told);
    pass(5);
    weft_cache_get(weft_root(&w.loop), &askers[6].get, &cache, key("a"), throwing);
    settle();
    assert_int_equal(escaped, 4);
    for (int i = 0; i < 7; i++)
        assert_int_equal(askers[i].told, 1);
    down();
}

/* ---- an owner that does not run ------------------------------------------------------------- */

static void open_too_early(void)
{
    up();
    static struct weft_op not_run;
    cache.owner = &not_run;
    open_cache();
}

static void open_too_early_without_a_load(void)
{
    up();
    static struct weft_op not_run;
    cache = (struct weft_cache){.owner = &not_run};
    open_cache();
}

static void ask_when_the_owner_is_over(void)
{
    up();
    open_cache();
    weft_finish(&owner, 0);
    settle();
    ask(0, "a");
}

TEST(the_owner_of_a_cache_runs)
{
    dies(open_too_early, "rule 2", "the owner of the cache of ", "open_cache() is not running");
    dies(open_too_early_without_a_load, "rule 2", "is not running");
    dies(ask_when_the_owner_is_over, "rule 2", "the owner of the cache load of ",
         "open_cache() is not running", "cache_get", "ask()");
}

/* ---- how to close --------------------------------------------------------------------------- */

static struct weft_op house; /* the owner, and all who ask are below it */
static int closed;

static void house_over(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    (void)op;
    closed = weft_cache_close(&cache);
}

static void ask_in_house(int which, const char *name)
{
    weft_cache_get(&house, &askers[which].get, &cache, key(name), asker_told);
}

TEST(in_the_then_of_an_owner_above_all_who_ask_a_cache_can_be_closed)
{
    up();
    house = (struct weft_op){0};
    closed = 1;
    weft_run(weft_root(&w.loop), &house, NULL, house_over);
    cache.owner = &house;
    open_cache();
    assert_int_equal(put("here", "1"), 0);
    next_job.linger_ms = 3;
    ask_in_house(0, "a");
    ask_in_house(1, "a");
    ask_in_house(2, "b");
    pass(1);
    ask_in_house(3, "here");
    weft_cancel(&house, UV_ECANCELED);
    weft_join(&house);
    pass(10);
    assert_int_equal(closed, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(askers[i].told, 1);
    weft_end(&owner, 0);
    world_down(&w);
}

static void begin_house(struct weft_op *op)
{
    cache = (struct weft_cache){
        .owner = op, .load = load_begin, .flight_size = WEFT_FLIGHT(struct loading, flight)};
    cache.ttl_ms = 1000;
    open_cache();
    ask_in_house(0, "a");
    weft_join(op);
}

TEST(a_cache_can_be_closed_when_its_loop_is_gone)
{
    memset(askers, 0, sizeof askers);
    load_count = 0;
    next_job = (struct job){.ms = 5};
    next_ttl_ms = 0;
    house = (struct weft_op){0};
    assert_int_equal(weft_sim_go(&house, begin_house, 0), 0);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#1");
    assert_int_equal(cache.entries, 1);
    assert_int_equal(weft_cache_close(&cache), 0);
}
