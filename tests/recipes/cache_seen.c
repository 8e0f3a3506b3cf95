/* What a load knows of the request it is for, and what hooks see.
 * ctest: labels=valgrind-long */
#include "cache_kit.h"
#include "hook_log.h"
#include <weft/context.h>

/* ---- context and hooks ---------------------------------------------------------------------- */

static struct weft_key request = {.name = "request"};
static const char *in_load;

static void load_of_request(struct weft_op *op)
{
    in_load = weft_context_get(op, &request);
    load_begin(op);
}

static void ask_as(struct weft_op *op, const char *who, int which)
{
    weft_run(weft_root(&w.loop), op, NULL, weft_ignore);
    assert_int_equal(weft_context_set(op, &request, (void *)(uintptr_t)who), 0);
    weft_cache_get(op, &askers[which].get, &cache, key("a"), asker_told);
}

TEST(a_load_has_the_context_of_who_began_it)
{
    struct weft_op first = {0}, second = {0};
    up();
    cache.load = load_of_request;
    cache.ttl_ms = 100;
    cache.stale_ms = 100;
    open_cache();
    ask_as(&first, "first", 0);
    ask_as(&second, "second", 1);
    assert_string_equal(in_load, "first");
    pass(5);
    weft_end(&first, 0);
    weft_end(&second, 0);
    settle();
    pass(100);
    ask_as(&second, "second", 1); /* a refresh, behind its back */
    assert_string_equal(in_load, "second");
    weft_end(&second, 0);
    pass(5);
    down();
}

static struct hook_log hook_log;

TEST(hooks_see_the_cache_its_gets_and_its_loads)
{
    needs_hooks();
    model_up_seeded(&w, 0);
    prepare();
    hook_log_init(&hook_log);
    assert_int_equal(weft_hook_enable(&w.loop, &hook_log.hook), 0);
    cache.load = answer_nothing;
    open_cache();
    ask(0, "a");
    settle();
    ask(0, "a");
    settle();
    assert_ptr_equal(hook_log_find(&hook_log, "cache")->resource, &cache);
    assert_int_equal(weft_cache_close(&cache), 0);
    told(&hook_log, "init:cache<NULL init:cache_get<loop init:cache load<NULL pre:cache load "
                    "post:cache load destroy:cache load pre:cache_get post:cache_get "
                    "destroy:cache_get init:cache_get2<loop pre:cache_get2 post:cache_get2 "
                    "destroy:cache_get2 destroy:cache ");
    assert_ptr_equal((void *)(uintptr_t)hook_log.entry, (void *)(uintptr_t)asker_told);
    weft_end(&owner, 0);
    world_down(&w);
}
