/* Looking resources up from another thread while their loop works.
 * ctest: labels=threads,stress needs=hooks */
#include "hook_world.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <weft/timer.h>

/* The loop's thread leaves the ids it has given here; the others look them up. */
enum { RECENT = 64, LOOKERS = 2 };
static _Atomic uint64_t recent[RECENT];
static _Atomic bool done;
static _Atomic unsigned long hits, misses;

static const struct weft_site *tick_site;
static unsigned long left;
static struct weft_op working[RECENT];

static void publish(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                    uint64_t parent, void *resource)
{
    (void)hook, (void)parent;
    tick_site = site;
    atomic_store(&recent[(struct weft_op *)resource - working], id);
}

static void again(struct weft_op *parent, struct weft_op *op)
{
    if (left > 0 && --left > 0)
        weft_tick(parent, op, again);
}

static void look_around(void *unused)
{
    struct weft_resource found;
    (void)unused;
    while (!atomic_load(&done)) {
        for (int i = 0; i < RECENT; i++) {
            uint64_t id = atomic_load(&recent[i]);
            if (id == 0)
                continue;
            if (weft_resource_by_id(id, &found) != 0) {
                misses++;
                continue;
            }
            hits++;
            if (found.id != id || found.resource != NULL || found.site == NULL ||
                found.site->group != WEFT_USER || found.parent == 0 ||
                (found.state != WEFT_OPEN && found.state != WEFT_INCOMPLETE))
                abort();
        }
    }
}

TEST(other_threads_may_look_while_the_loop_works)
{
    struct weft_hook hook = {.init = publish, .groups = WEFT_USER};
    uv_thread_t lookers[LOOKERS];
    done = false;
    for (int i = 0; i < LOOKERS; i++)
        assert_int_equal(uv_thread_create(&lookers[i], look_around, NULL), 0);
    for (int round = 0; round < 20; round++) { /* the slots of a closed loop go, new ones come */
        up_real();
        memset(working, 0, sizeof working);
        assert_int_equal(weft_hook_enable(&w.loop, &hook), 0);
        left = check_scale(20000);
        for (int i = 0; i < RECENT; i++)
            weft_tick(root(), &working[i], again);
        assert_int_equal(weft_loop_run(&w.loop), 0);
        world_down(&w);
    }
    atomic_store(&done, true);
    for (int i = 0; i < LOOKERS; i++)
        uv_thread_join(&lookers[i]);
    assert_true(misses > 0);
}

static uint64_t shown;
static struct weft_resource snapshot;
static int status;
static void look_once(void *unused)
{
    (void)unused;
    status = weft_resource_by_id(shown, &snapshot);
}

static void on_another_thread(void (*body)(void *unused))
{
    uv_thread_t thread;
    assert_int_equal(uv_thread_create(&thread, body, NULL), 0);
    uv_thread_join(&thread);
}

TEST(on_another_thread_there_is_a_snapshot_without_the_resource)
{
    up_real();
    enable(&one);
    weft_run(root(), &ops[0], a, noted);
    shown = weft_id(&ops[0]);
    on_another_thread(look_once);
    assert_int_equal(status, 0);
    assert_int_equal(snapshot.id, shown);
    assert_int_equal(snapshot.parent, weft_id(root()));
    assert_string_equal(snapshot.site->type, "a");
    assert_int_equal(snapshot.state, WEFT_OPEN);
    assert_null(snapshot.resource);
    assert_true(snapshot.age_ms < 60000);
    finish(&ops[0]);
    on_another_thread(look_once);
    assert_int_equal(status, UV_ENOENT);
    world_down(&w);
    on_another_thread(look_once);
    assert_int_equal(status, UV_ENOENT);
}

static struct weft_hook foreign;
static void enable_foreign(void)
{
    weft_hook_enable(&w.loop, &foreign);
}
static void in_a_thread(void *body)
{
    (*(void (**)(void))body)();
}
static void enable_on_another_thread(void)
{
    void (*body)(void) = enable_foreign;
    uv_thread_t thread;
    up_real();
    uv_thread_create(&thread, in_a_thread, &body);
    uv_thread_join(&thread);
}

TEST(a_hook_belongs_to_the_loops_thread)
{
    dies(enable_on_another_thread, "rule 7");
}
