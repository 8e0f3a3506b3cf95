/* The cache is changed while a load is under way, also by the load itself.
 * ctest: labels=valgrind-long */
#include "cache_kit.h"

/* ---- forget and put while a load is under way ------------------------------------------------ */

static void forget_one(void)
{
    assert_int_equal(weft_cache_forget(&cache, key("a")), 0);
}

static void forget_prefix(void)
{
    assert_int_equal(weft_cache_forget_prefix(&cache, key("a")), 0);
}

static void forget_all(void)
{
    assert_int_equal(weft_cache_forget_all(&cache), 0);
}

TEST(what_is_forgotten_while_it_loads_is_told_to_those_who_wait_and_never_stored)
{
    void (*const ways[])(void) = {forget_one, forget_prefix, forget_all};
    for (int i = 0; i < 3; i++) {
        up_with_ttl(0);
        ask(0, "a");
        pass(2);
        ways[i]();
        ask(1, "a");
        assert_int_equal(load_count, 2); /* who asks from now on starts a new one */
        pass(3);
        assert_got(&askers[0], WEFT_CACHE_MISS, "a#1");
        assert_true(has_not("a"));
        assert_int_equal(cache.stats.discarded, 1);
        pass(2);
        assert_got(&askers[1], WEFT_CACHE_MISS, "a#2");
        assert_true(has("a", "a#2"));
        down();
    }
}

TEST(a_forgotten_load_that_is_late_does_not_overwrite_a_newer_one)
{
    up_with_ttl(0);
    next_job.ms = 20;
    ask(0, "a");
    weft_cache_forget(&cache, key("a"));
    next_job.ms = 5;
    ask(1, "a");
    pass(5);
    assert_true(has("a", "a#2"));
    pass(15);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#1");
    assert_true(has("a", "a#2"));
    down();
}

TEST(what_is_put_while_it_loads_is_newer_than_the_load)
{
    up_with_ttl(0);
    ask(0, "a");
    put("a", "put");
    ask(1, "a");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#1");
    assert_got(&askers[1], WEFT_CACHE_HIT, "put");
    assert_true(has("a", "put"));
    assert_int_equal(cache.stats.discarded, 1);
    down();
}

/* ---- what a load does to its own cache ------------------------------------------------------- */

static struct weft_cache_get inner;

static void inner_there(struct weft_op *op, struct weft_op *got)
{
    struct weft_flight *flight = weft_owner(op, struct weft_flight, promise.op);
    char value[VALUE_SIZE];
    int size = snprintf(value, sizeof value, "<%.*s>", WEFT_TEXT_ARGS(inner.value));
    if (got->status != 0)
        weft_end(op, got->status);
    else
        weft_flight_answer(flight, value, (size_t)size);
}

static void ask_for_another(struct weft_op *op)
{
    const struct weft_flight *flight = weft_owner(op, struct weft_flight, promise.op);
    if (!weft_text_is(flight->key, "outer")) {
        load_begin(op);
        return;
    }
    weft_cache_get(op, &inner, &cache, key("inner"), inner_there);
}

TEST(a_load_may_ask_the_same_cache_for_another_key)
{
    up();
    cache.load = ask_for_another;
    open_cache();
    ask(0, "outer");
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "<inner#1>");
    assert_int_equal(cache.entries, 2);
    down();
}

static void ask_for_itself(struct weft_op *op)
{
    weft_cache_get(op, &inner, &cache, key("a"), inner_there);
}

TEST(a_load_that_asks_for_its_own_key_is_told_so)
{
    up();
    cache.load = ask_for_itself;
    open_cache();
    ask(0, "a");
    settle();
    assert_failed(&askers[0], WEFT_ECYCLE);
    assert_int_equal(cache.stats.failed, 1);
    assert_int_equal(cache.stats.misses, 1);
    down();
}

static void change_everything(struct weft_op *op)
{
    char name[16];
    assert_int_equal(weft_cache_close(&cache), UV_EBUSY);
    weft_cache_forget_all(&cache);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%d", i);
        put(name, "x");
    }
    load_begin(op);
}

TEST(a_load_may_change_the_cache_in_its_begin)
{
    up();
    cache.load = change_everything;
    cache.ttl_ms = 100;
    cache.stale_ms = 100;
    cache.bytes_limit = 4 * weft_cache_cost(2, 3);
    open_cache();
    ask(0, "a"); /* forgotten by its own load */
    pass(5);
    assert_got(&askers[0], WEFT_CACHE_MISS, "a#1");
    assert_int_equal(cache.stats.discarded, 1);
    put("b", "1");
    pass(100);
    ask(0, "b"); /* stale: its entry is dropped by its refresh's begin */
    settle();
    assert_got(&askers[0], WEFT_CACHE_STALE, "1");
    down();
}

static void cancel_asker(struct weft_op *op)
{
    weft_cancel(&askers[0].get.await.op, UV_EINTR);
    load_begin(op);
}

TEST(a_load_may_cancel_who_asked_in_its_begin)
{
    up();
    cache.load = cancel_asker;
    cache.ttl_ms = 100;
    cache.stale_ms = 100;
    open_cache();
    ask(0, "a");
    settle();
    assert_failed(&askers[0], UV_EINTR);
    assert_int_equal(jobs.cancelled, 1);
    put("a", "1");
    pass(100);
    ask(0, "a");
    settle();
    assert_failed(&askers[0], UV_EINTR);
    pass(5);
    assert_true(has("a", "a#2"));
    down();
}

static void end_asker(struct weft_op *op)
{
    weft_end(&askers[0].get.await.op, UV_EIO);
    load_begin(op);
}

TEST(a_load_may_end_who_asked_in_its_begin)
{
    up();
    cache.load = end_asker;
    cache.ttl_ms = 100;
    cache.stale_ms = 100;
    open_cache();
    put("a", "1");
    pass(100);
    ask(0, "a");
    settle();
    assert_failed(&askers[0], UV_EIO);
    down();
}
