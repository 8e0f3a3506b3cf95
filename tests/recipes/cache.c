/* The cache without its loads: put, look, forget, how long, and what gives way.
 * ctest: labels=valgrind */
#include "cache_kit.h"
#include "fault.h"

static size_t cost_of_two(const char *name, const char *value)
{
    return weft_cache_cost(strlen(name), strlen(value));
}

/* ---- open and close ------------------------------------------------------------------------- */

TEST(a_cache_that_makes_no_sense_is_not_opened)
{
    up();
    assert_int_equal(weft_cache_open((struct weft_cache *)NULL), UV_EINVAL);
    cache.jitter_percent = 101;
    assert_int_equal(weft_cache_open(&cache), UV_EINVAL);
    cache.jitter_percent = 100;
    cache.policy = (enum weft_cache_policy)7;
    assert_int_equal(weft_cache_open(&cache), UV_EINVAL);
    cache.policy = WEFT_LRU;
    cache.flight_size = 1;
    assert_int_equal(weft_cache_open(&cache), UV_EINVAL);
    cache.flight_size = WEFT_FLIGHT(struct loading, flight);
    cache.owner = NULL;
    assert_int_equal(weft_cache_open(&cache), UV_EINVAL);
    cache.owner = &owner;
    open_cache();
    assert_int_equal(weft_cache_open(&cache), UV_EINVAL); /* it is open */
    assert_int_equal(cache.bytes_limit, WEFT_CACHE_BYTES);
    down();
}

TEST(a_cache_that_is_not_open_has_nothing_and_takes_nothing)
{
    up();
    assert_false(weft_cache_look(&cache, key("a"), NULL));
    assert_null(weft_cache_look_cell(&cache, key("a")));
    assert_int_equal(weft_cache_put(&cache, key("a"), "1", 1, 0), UV_EINVAL);
    assert_int_equal(weft_cache_forget(&cache, key("a")), 0);
    assert_int_equal(weft_cache_forget_all(&cache), 0);
    assert_int_equal(weft_cache_close(&cache), 0);
    open_cache();
    assert_int_equal(put("a", "1"), 0);
    assert_int_equal(weft_cache_close(&cache), 0);
    assert_int_equal(weft_cache_close(&cache), 0);
    assert_int_equal(cache.entries, 0);
    assert_int_equal(cache.bytes, 0);
    open_cache(); /* again, and empty */
    assert_true(has_not("a"));
    down();
}

TEST(a_cache_without_a_load_can_be_put_into)
{
    up();
    cache.load = NULL;
    cache.flight_size = 0;
    open_cache();
    assert_int_equal(put("a", "1"), 0);
    assert_true(has("a", "1"));
    assert_int_equal(weft_cache_forget(&cache, key("a")), 1);
    assert_int_equal(weft_cache_forget_prefix(&cache, key("")), 0);
    down();
}

/* ---- put and look --------------------------------------------------------------------------- */

TEST(what_was_put_is_found)
{
    up_with_ttl(0);
    assert_true(has_not("a"));
    assert_int_equal(put("a", "1"), 0);
    assert_int_equal(put("b", "2"), 0);
    assert_true(has("a", "1"));
    assert_true(has("b", "2"));
    assert_true(has_not("c"));
    assert_int_equal(cache.entries, 2);
    assert_int_equal(cache.bytes, 2 * weft_cache_cost(1, 1));
    assert_int_equal(cache.stats.hits, 2);
    assert_int_equal(cache.stats.misses, 2);
    assert_int_equal(cache.stats.stored, 2);
    assert_int_equal(load_count, 0);
    down();
}

TEST(an_empty_value_and_an_empty_key_are_there)
{
    up_with_ttl(0);
    assert_int_equal(weft_cache_put(&cache, key("zero"), NULL, 0, 0), 0);
    assert_int_equal(weft_cache_put(&cache, weft_text(NULL, 0), "x", 1, 0), 0);
    struct weft_text value = key("before");
    assert_true(weft_cache_look(&cache, key("zero"), &value));
    assert_int_equal(value.size, 0);
    assert_true(has("", "x"));
    assert_int_equal(cache.stats.hits, 2);
    assert_int_equal(weft_cache_put(&cache, key("bad"), NULL, 1, 0), UV_EINVAL);
    down();
}

TEST(keys_and_values_of_all_sizes_are_told_apart)
{
    enum { MOST = 70 };
    char text[MOST];
    up_with_ttl(0);
    for (size_t i = 0; i < MOST; i++)
        text[i] = (char)(i % 5 == 0 ? '\0' : 'a' + i);
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(weft_cache_put(&cache, weft_text(text, i), text, MOST - i, 0), 0);
    for (size_t i = 0; i < MOST; i++) {
        struct weft_text value;
        assert_true(weft_cache_look(&cache, weft_text(text, i), &value));
        assert_int_equal(value.size, MOST - i);
        assert_memory_equal(value.data, text, value.size);
        assert_int_equal((uintptr_t)value.data % 16, 0);
        assert_int_equal(value.data[value.size], '\0');
        for (size_t at = 0; at < i; at++) { /* one bit of it changed: another key */
            text[at] ^= 0x40;
            assert_false(weft_cache_look(&cache, weft_text(text, i), NULL));
            text[at] ^= 0x40;
        }
    }
    down();
}

TEST(a_newer_value_takes_the_place_of_the_old_one)
{
    up_with_ttl(0);
    put("a", "1");
    struct weft_cell *old = weft_cell_hold(weft_cache_look_cell(&cache, key("a")));
    put("a", "a longer one, by far");
    assert_true(has("a", "a longer one, by far"));
    assert_int_equal(cache.entries, 1);
    assert_int_equal(cache.stats.replaced, 1);
    assert_int_equal(cache.stats.stored, 2);
    assert_true(weft_text_is(weft_cell_value(old), "1")); /* who holds it has it */
    weft_cell_drop(old);
    down();
}

TEST(ten_thousand_entries_are_found_again)
{
    enum { COUNT = 10000 };
    char name[16];
    up_with_ttl(0);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(weft_cache_put(&cache, key(name), &i, sizeof i, 0), 0);
    }
    check_cache();
    for (int i = 0; i < COUNT; i++) {
        struct weft_text value;
        snprintf(name, sizeof name, "%d", i);
        assert_true(weft_cache_look(&cache, key(name), &value));
        assert_memory_equal(value.data, &i, sizeof i);
        if (i % 2 == 0)
            assert_int_equal(weft_cache_forget(&cache, key(name)), 1);
    }
    check_cache();
    assert_int_equal(cache.entries, COUNT / 2);
    assert_true(has_not("0"));
    assert_int_equal(weft_cache_forget_all(&cache), COUNT / 2);
    down();
}

TEST(what_is_held_stays_when_the_cache_is_closed)
{
    up_with_ttl(0);
    put("a", "1");
    struct weft_cell *held = weft_cell_hold(weft_cache_look_cell(&cache, key("a")));
    assert_int_equal(weft_cache_close(&cache), 0);
    assert_true(weft_text_is(weft_cell_key(held), "a"));
    assert_true(weft_text_is(weft_cell_value(held), "1"));
    weft_cell_drop(held);
    open_cache();
    down();
}

/* ---- how long ------------------------------------------------------------------------------- */

TEST(an_answer_is_there_until_its_time_has_passed)
{
    up_with_ttl(10);
    put("a", "1");
    pass(9);
    assert_true(has("a", "1"));
    pass(1);
    assert_int_equal(cache.entries, 1); /* nobody has looked */
    assert_true(has_not("a"));
    assert_int_equal(cache.entries, 0);
    assert_int_equal(cache.stats.expired, 1);
    down();
}

TEST(the_time_of_an_old_entry_does_not_end_a_newer_one)
{
    up_with_ttl(10);
    put("a", "1");
    pass(7);
    put("a", "2");
    pass(7); /* the old one's end is past */
    assert_true(has("a", "2"));
    pass(3);
    assert_true(has_not("a"));
    assert_int_equal(cache.stats.expired, 1);
    down();
}

TEST(a_put_may_have_a_time_of_its_own)
{
    up_with_ttl(10);
    weft_cache_put(&cache, key("short"), "1", 1, 2);
    weft_cache_put(&cache, key("long"), "1", 1, 100);
    weft_cache_put(&cache, key("for ever"), "1", 1, WEFT_CACHE_FOREVER);
    weft_cache_put(&cache, key("nearly"), "1", 1, WEFT_CACHE_FOREVER - 1);
    pass(2);
    assert_true(has_not("short"));
    pass(90);
    assert_true(has("long", "1"));
    pass(1000000);
    assert_true(has_not("long"));
    assert_true(has("for ever", "1"));
    assert_true(has("nearly", "1"));
    down();
}

TEST(without_a_ttl_an_answer_stays_for_ever)
{
    up_with_ttl(0);
    put("a", "1");
    pass((uint64_t)1000 * 60 * 60 * 24 * 365);
    assert_true(has("a", "1"));
    down();
}

TEST(a_stale_entry_is_not_looked_at_but_stays)
{
    up();
    cache.ttl_ms = 10;
    cache.stale_ms = 10;
    open_cache();
    put("a", "1");
    pass(10);
    assert_true(has_not("a"));
    assert_int_equal(cache.entries, 1);
    pass(10);
    assert_true(has_not("a"));
    assert_int_equal(cache.entries, 0);
    down();
}

TEST(entries_nobody_looks_for_any_more_are_swept_out_by_others)
{
    char name[16];
    up_with_ttl(10);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "old %d", i);
        put(name, "1");
    }
    pass(10);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "new %d", i % 4);
        put(name, "2");
    }
    assert_int_equal(cache.entries, 4);
    assert_int_equal(cache.stats.expired, 1000);
    assert_int_equal(cache.stats.evicted, 0);
    down();
}

TEST(jitter_shortens_each_ttl_by_another_part)
{
    enum { COUNT = 200 };
    char name[16];
    bool ends[1001] = {false};
    unsigned different = 0;
    up();
    cache.ttl_ms = 1000;
    cache.jitter_percent = 20;
    open_cache();
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "%d", i);
        put(name, "1");
        uint64_t until = weft_cache_look_cell(&cache, key(name))->fresh_until_ms;
        assert_in_range(until, 800, 1000);
        different += !ends[until];
        ends[until] = true;
    }
    assert_true(different > COUNT / 4);
    down();
}

TEST(a_simulation_with_the_same_seed_has_the_same_jitter)
{
    uint64_t ends[2][20];
    char name[16];
    for (int run = 0; run < 2; run++) {
        model_up_seeded(&w, 7);
        prepare();
        cache.ttl_ms = 1000000;
        cache.jitter_percent = 100;
        open_cache();
        for (int i = 0; i < 20; i++) {
            snprintf(name, sizeof name, "%d", i);
            put(name, "1");
            ends[run][i] = weft_cache_look_cell(&cache, key(name))->fresh_until_ms;
        }
        down();
    }
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
}

/* ---- forget --------------------------------------------------------------------------------- */

TEST(one_key_is_forgotten)
{
    up_with_ttl(0);
    put("a", "1");
    put("b", "2");
    assert_int_equal(weft_cache_forget(&cache, key("a")), 1);
    assert_int_equal(weft_cache_forget(&cache, key("a")), 0);
    assert_true(has_not("a"));
    assert_true(has("b", "2"));
    assert_int_equal(cache.stats.forgotten, 1);
    down();
}

TEST(all_keys_that_begin_alike_are_forgotten)
{
    up_with_ttl(0);
    put("user:1", "1");
    put("user:2", "2");
    put("use", "3");
    put("item:1", "4");
    assert_int_equal(weft_cache_forget_prefix(&cache, key("user:")), 2);
    assert_true(has_not("user:1") && has_not("user:2"));
    assert_true(has("use", "3") && has("item:1", "4"));
    assert_int_equal(weft_cache_forget_all(&cache), 2);
    assert_int_equal(cache.entries, 0);
    assert_int_equal(cache.stats.forgotten, 4);
    down();
}

TEST(a_prefix_may_be_the_key_of_an_entry_that_it_forgets)
{
    char name[16];
    up_with_ttl(0);
    put("a", "x");
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "a%d", i);
        put(name, "x");
    }
    put("b", "x");
    struct weft_text prefix = weft_cell_key(weft_cache_look_cell(&cache, key("a")));
    assert_int_equal(weft_cache_forget_prefix(&cache, prefix), 41);
    assert_true(has("b", "x"));
    down();
}

TEST(what_has_expired_was_not_forgotten)
{
    up_with_ttl(10);
    put("a", "1");
    put("b", "1");
    pass(10);
    assert_int_equal(weft_cache_forget(&cache, key("a")), 0);
    assert_int_equal(weft_cache_forget_all(&cache), 0);
    assert_int_equal(cache.entries, 0);
    assert_int_equal(cache.stats.expired, 2);
    assert_int_equal(cache.stats.forgotten, 0);
    down();
}

/* ---- what gives way ------------------------------------------------------------------------- */

/* With room for so many entries of "0" and "x". */
static void up_for(size_t entries, enum weft_cache_policy policy)
{
    up();
    cache.policy = policy;
    cache.bytes_limit = entries * weft_cache_cost(1, 1);
    open_cache();
}

TEST(what_is_too_large_for_the_whole_cache_is_refused_and_the_old_value_goes)
{
    up_for(3, WEFT_S3FIFO);
    char large[1000] = {0};
    put("a", "1");
    put("b", "1");
    assert_int_equal(weft_cache_put(&cache, key("a"), large, sizeof large, 0), UV_EFBIG);
    assert_true(has_not("a"));
    assert_true(has("b", "1"));
    assert_int_equal(weft_cache_put(&cache, key("b"), large, SIZE_MAX, 0), UV_EFBIG);
    assert_int_equal(cache.entries, 0);
    assert_int_equal(weft_cache_cost(1, SIZE_MAX), SIZE_MAX);
    down();
}

TEST(a_key_may_not_be_too_long)
{
    static const char zeros[WEFT_KEY_MAX + 1];
    up_with_ttl(0);
    assert_int_equal(weft_cache_put(&cache, weft_text(zeros, sizeof zeros), "1", 1, 0),
                     UV_ENAMETOOLONG);
    assert_int_equal(weft_cache_put(&cache, weft_text(zeros, WEFT_KEY_MAX), "1", 1, 0), 0);
    assert_true(weft_cache_look(&cache, weft_text(zeros, WEFT_KEY_MAX), NULL));
    assert_false(weft_cache_look(&cache, weft_text(zeros, sizeof zeros), NULL));
    assert_int_equal(weft_cache_forget(&cache, weft_text(zeros, sizeof zeros)), 0);
    down();
}

TEST(of_lru_the_one_not_used_for_longest_gives_way)
{
    up_for(3, WEFT_LRU);
    put("a", "1");
    put("b", "1");
    put("c", "1");
    assert_int_equal(cache.bytes, cache.bytes_limit);
    assert_true(has("a", "1"));
    put("d", "1");
    assert_true(has_not("b"));
    assert_true(has("a", "1") && has("c", "1") && has("d", "1"));
    put("a", "2"); /* to put it is to use it */
    put("e", "1");
    assert_true(has_not("c"));
    assert_true(has("a", "2"));
    assert_int_equal(cache.stats.evicted, 2);
    down();
}

TEST(one_large_entry_drives_out_as_many_as_it_takes_and_no_more)
{
    up_for(10, WEFT_LRU);
    for (int i = 0; i < 10; i++)
        put((char[]){(char)('0' + i), 0}, "x");
    char large[256] = {0};
    memset(large, 'y', sizeof large - 1);
    size_t cost = cost_of_two("A", large);
    assert_int_equal(put("A", large), 0);
    size_t gone = (cost + weft_cache_cost(1, 1) - 1) / weft_cache_cost(1, 1);
    assert_int_equal(cache.stats.evicted, gone);
    assert_int_equal(cache.entries, 11 - gone);
    assert_true(has("9", "x"));
    down();
}

TEST(a_value_that_grows_drives_out_others_and_not_itself)
{
    for (int policy = WEFT_S3FIFO; policy <= WEFT_LRU; policy++) {
        up_for(4, (enum weft_cache_policy)policy);
        put("a", "1");
        assert_true(has("a", "1"));
        put("b", "1");
        put("c", "1");
        put("d", "1");
        char large[256] = {0};
        memset(large, 'y', sizeof large - 1);
        assert_int_equal(put("a", large), 0);
        assert_true(has("a", large));
        down();
    }
}

TEST(a_scan_does_not_wash_out_what_is_used)
{
    char name[16];
    up_for(100, WEFT_S3FIFO);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 50; i++) {
            snprintf(name, sizeof name, "%d", i);
            if (!weft_cache_look(&cache, key(name), NULL))
                put(name, "x");
        }
    }
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "once %d", i);
        put(name, "x");
    }
    unsigned left = 0;
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "%d", i);
        left += weft_cache_look(&cache, key(name), NULL);
    }
    assert_int_equal(left, 50);
    down();
}

TEST(what_comes_back_soon_after_it_went_is_kept)
{
    char name[16];
    up_for(100, WEFT_S3FIFO);
    for (int i = 0; i < 150; i++) { /* one of the first has gone by now */
        snprintf(name, sizeof name, "%d", i);
        put(name, "x");
    }
    assert_true(has_not("3"));
    put("3", "x");
    assert_int_equal(weft_cache_look_cell(&cache, key("3"))->queue, QUEUE_MAIN);
    for (int i = 1000; i < 1500; i++) {
        snprintf(name, sizeof name, "%d", i);
        put(name, "x");
    }
    assert_true(has("3", "x"));
    down();
}

/* Asks for each of count keys of this generation, one after the other, and puts what is not there. */
static unsigned hits_of_a_round(int generation, int count)
{
    char name[32];
    unsigned hits = 0;
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%d of %d", i, generation);
        bool is_there = weft_cache_look(&cache, key(name), NULL);
        hits += is_there;
        if (!is_there)
            put(name, "x");
    }
    return hits;
}

TEST(a_cache_of_a_few_entries_follows_what_is_asked_for_now)
{
    for (int entries = 3; entries < 20; entries++) {
        up_for((size_t)entries, WEFT_S3FIFO);
        for (int generation = 0; generation < 3; generation++) {
            for (int round = 0; round < 20; round++)
                hits_of_a_round(generation, entries / 2);
            assert_int_equal(hits_of_a_round(generation, entries / 2), entries / 2);
        }
        down();
    }
}

TEST(a_hot_key_stays_hot_when_it_is_replaced)
{
    char name[16];
    up_for(100, WEFT_S3FIFO);
    put("hot", "1");
    assert_true(has("hot", "1"));
    put("hot", "2");
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "once %d", i);
        put(name, "x");
    }
    assert_true(has("hot", "2"));
    down();
}

TEST(something_gives_way_also_if_all_there_is_was_used)
{
    static const char large[8192];
    up_for(40, WEFT_S3FIFO);
    put("a", "1");
    put("b", "1");
    assert_true(has("a", "1") && has("b", "1"));
    size_t size = cache.bytes_limit - weft_cache_cost(1, 16);
    assert_int_equal(weft_cache_put(&cache, key("c"), large, size, 0), 0);
    check_cache();
    assert_int_equal(cache.stats.evicted, 2);
    down();
}

TEST(a_cache_for_one_entry_holds_one)
{
    for (int policy = WEFT_S3FIFO; policy <= WEFT_LRU; policy++) {
        up_for(1, (enum weft_cache_policy)policy);
        for (int i = 0; i < 50; i++) {
            char name[2] = {(char)('A' + i % 7), 0};
            assert_int_equal(put(name, "1"), 0);
            assert_true(has(name, "1"));
            assert_int_equal(cache.entries, 1);
        }
        down();
    }
}

/* ---- one thread ----------------------------------------------------------------------------- */

static void from_another_thread(uv_thread_cb work)
{
    uv_thread_t thread;
    up();
    open_cache();
    assert_int_equal(uv_thread_create(&thread, work, NULL), 0);
    uv_thread_join(&thread);
}

static void do_put(void *unused)
{
    (void)unused;
    weft_cache_put(&cache, key("a"), "1", 1, 0);
}

static void do_forget(void *unused)
{
    (void)unused;
    weft_cache_forget(&cache, key("a"));
}

static void do_forget_all(void *unused)
{
    (void)unused;
    weft_cache_forget_all(&cache);
}

static void put_elsewhere(void)
{
    from_another_thread(do_put);
}

static void forget_elsewhere(void)
{
    from_another_thread(do_forget);
}

static void forget_all_elsewhere(void)
{
    from_another_thread(do_forget_all);
}

TEST(a_cache_belongs_to_its_loops_thread)
{
    dies(put_elsewhere, "rule 7");
    dies(forget_elsewhere, "rule 7");
    dies(forget_all_elsewhere, "rule 7");
}

/* ---- memory --------------------------------------------------------------------------------- */

static void fill_and_look(unsigned long n)
{
    (void)n;
    char name[16];
    if (!up_if_possible())
        return;
    cache.bytes_limit = 60 * weft_cache_cost(2, 1);
    if (weft_cache_open(&cache) == 0) {
        for (int i = 0; i < 99; i++) {
            snprintf(name, sizeof name, "%d", i);
            int err = put(name, "1");
            assert_true(err == 0 || err == UV_ENOMEM);
            assert_int_equal(weft_cache_look(&cache, key(name), NULL), err == 0);
        }
        if (put("98", "2") != 0)
            assert_true(has_not("98"));
        assert_int_equal(weft_cache_close(&cache), 0);
    }
    weft_end(&owner, 0);
    world_down(&w);
}

TEST(what_there_is_no_memory_for_is_not_stored)
{
    fault_ladder(fill_and_look);
}
