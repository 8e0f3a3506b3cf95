/* A listing as an operation: pauses, ends, cancels, queues.
 * ctest: labels=threads,valgrind-long timeout=120 */
#include "tree_kit.h"
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <weft/queue.h>
#include <weft/timer.h>

enum { FILES = 20, FOLDERS = 30 };

/* FOLDERS folders with FILES files each: enough for several explorers, and for one or two blocks. */
static void make_tree(void)
{
    char name[64];
    scratch_empty();
    tree_reset();
    make_folder("tree");
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(name, sizeof name, "tree/%d", i);
        make_folder(name);
        for (int j = 0; j < FILES; j++) {
            snprintf(name, sizeof name, "tree/%d/%d", i, j);
            make_file(name, "");
        }
    }
}

enum { ALL = FOLDERS * (FILES + 1) };

static struct world w;
static char root[SCRATCH_PATH];

static void begin_list(void)
{
    world_up(&w);
    tree_start(weft_root(&w.loop), scratch_path(root, "tree"), noted);
}

/* ---- pausing -------------------------------------------------------------------------------- */

static unsigned pauses;

static bool enough(const struct weft_tree_entry *entry)
{
    (void)entry;
    pauses++;
    return false;
}

static void resume_until_it_is_over(void)
{
    w.loop.stuck_to = NULL;
    while (world_run(&w) == WEFT_ESTUCK)
        weft_list_resume(&tree.list);
    world_close(&w);
}

TEST(a_listing_that_is_paused_at_every_entry_tells_all_of_them)
{
    for (unsigned limit = 1; limit <= 4; limit++) {
        make_tree();
        pauses = 0;
        tree.on_each = enough;
        tree.list.tree.limit = limit;
        begin_list();
        resume_until_it_is_over();
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.status, 0);
        assert_int_equal(tree.count, ALL);
        assert_int_equal(pauses, ALL);
        assert_null(tree.list.walk_);
    }
}

static bool enough_of_errors(struct weft_list *list, const char *path, int status)
{
    pauses++;
    tree_failed(list, path, status);
    return false;
}

TEST(a_listing_is_paused_by_errors_as_well)
{
    enum { LOOPS = 20 };
    make_tree();
    for (int i = 0; i < LOOPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree/loop%d", i);
        make_link(".", name);
    }
    pauses = 0;
    tree.list.tree.follow = true;
    begin_list();
    tree.list.on_error = enough_of_errors;
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(tree.errors, 1);
    resume_until_it_is_over();
    assert_int_equal(seen.status, 0);
    assert_int_equal(tree.errors, LOOPS);
    assert_int_equal(pauses, LOOPS);
}

static bool enough_at_the_last(const struct weft_tree_entry *entry)
{
    (void)entry;
    return tree.count < ALL;
}

TEST(a_pause_at_the_very_last_entry_holds_up_the_end)
{
    make_tree();
    tree.on_each = enough_at_the_last;
    begin_list();
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    assert_int_equal(tree.count, ALL);
    assert_int_equal(seen.calls, 0);
    weft_list_resume(&tree.list);
    weft_list_resume(&tree.list); /* once is enough */
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
}

TEST(a_resume_is_never_told_anything_on_the_stack_of_its_caller)
{
    make_tree();
    tree.on_each = enough;
    begin_list();
    w.loop.stuck_to = NULL;
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    size_t before = tree.count;
    weft_list_resume(&tree.list);
    assert_int_equal(tree.count, before);
    weft_cancel(&tree.list.op, UV_ECANCELED);
    world_down(&w);
}

static bool resumed_inside(const struct weft_tree_entry *entry)
{
    (void)entry;
    weft_list_resume(&tree.list);
    return true;
}

TEST(a_resume_without_a_pause_does_nothing)
{
    make_tree();
    weft_list_resume(&tree.list); /* not begun yet */
    tree.on_each = resumed_inside;
    begin_list();
    weft_list_resume(&tree.list);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_int_equal(tree.count, ALL);
    weft_list_resume(&tree.list); /* over */
}

TEST(a_listing_that_is_cancelled_while_it_is_paused_ends)
{
    for (int resumed_too = 0; resumed_too < 2; resumed_too++) {
        make_tree();
        pauses = 0;
        int before = descriptors();
        tree.on_each = enough;
        begin_list();
        w.loop.stuck_to = NULL;
        assert_int_equal(world_run(&w), WEFT_ESTUCK);
        if (resumed_too)
            weft_list_resume(&tree.list);
        weft_cancel(&tree.list.op, UV_ETIMEDOUT);
        weft_list_resume(&tree.list);
        world_down(&w);
        assert_int_equal(seen.status, UV_ETIMEDOUT);
        assert_int_equal(tree.count, 1);
        assert_int_equal(descriptors(), before);
    }
}

TEST(a_pause_for_ever_is_named)
{
    make_tree();
    tree.on_each = enough;
    begin_list();
    w.loop.stuck_to = tmpfile();
    assert_non_null(w.loop.stuck_to);
    assert_int_equal(world_run(&w), WEFT_ESTUCK);
    char *text = text_of(w.loop.stuck_to);
    assert_non_null(strstr(text, "list"));
    assert_non_null(strstr(text, "tree_pause"));
    free(text);
    fclose(w.loop.stuck_to);
    w.loop.stuck_to = NULL;
    weft_end(&tree.list.op, 0);
    world_down(&w);
    assert_int_equal(seen.status, 0);
}

/* ---- ends ----------------------------------------------------------------------------------- */

static bool that_was_enough(const struct weft_tree_entry *entry)
{
    (void)entry;
    if (tree.count == 5)
        weft_end(&tree.list.op, 0);
    return true;
}

TEST(an_early_exit_is_no_error_and_nothing_is_told_after_it)
{
    make_tree();
    int before = descriptors();
    tree.on_each = that_was_enough;
    begin_list();
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.status, 0);
    assert_int_equal(tree.count, 5);
    assert_int_equal(descriptors(), before);
}

static bool that_was_enough_and_a_pause(const struct weft_tree_entry *entry)
{
    (void)entry;
    weft_end(&tree.list.op, UV_EFBIG);
    return false;
}

TEST(an_end_and_a_pause_at_once_are_an_end)
{
    make_tree();
    tree.on_each = that_was_enough_and_a_pause;
    begin_list();
    world_down(&w);
    assert_int_equal(seen.status, UV_EFBIG);
    assert_int_equal(tree.count, 1);
}

static bool cancelled_inside(const struct weft_tree_entry *entry)
{
    (void)entry;
    weft_cancel(&tree.list.op, UV_EINTR);
    return true;
}

TEST(a_cancel_from_on_found_is_the_last_that_is_told)
{
    make_tree();
    tree.on_each = cancelled_inside;
    begin_list();
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(tree.count, 1);
}

static bool cancelled_by_an_error(struct weft_list *list, const char *path, int status)
{
    tree_failed(list, path, status);
    weft_cancel(&list->op, UV_EINTR);
    return true;
}

TEST(a_cancel_from_on_error_is_the_last_that_is_told)
{
    make_tree();
    make_link(".", "tree/one");
    make_link(".", "tree/two");
    tree.list.tree.follow = true;
    tree.list.tree.limit = 1;
    begin_list();
    tree.list.on_error = cancelled_by_an_error;
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(tree.errors, 1);
}

TEST(a_listing_under_a_parent_that_was_cancelled_never_begins)
{
    struct weft_op parent = {0};
    make_tree();
    world_up(&w);
    weft_run(weft_root(&w.loop), &parent, NULL, weft_ignore);
    weft_cancel(&parent, UV_EINTR);
    tree_start(&parent, scratch_path(root, "tree"), noted);
    weft_join(&parent);
    world_down(&w);
    assert_int_equal(seen.status, UV_EINTR);
    assert_int_equal(tree.count, 0);
}

TEST(a_cancel_from_outside_ends_it_wherever_it_is)
{
    make_tree();
    int before = descriptors();
    for (int turns = 0; turns < 12; turns++) {
        tree_reset();
        begin_list();
        for (int i = 0; i < turns; i++)
            uv_run(&w.uv, UV_RUN_NOWAIT);
        weft_cancel(&tree.list.op, UV_EINTR);
        size_t told = tree.count;
        world_down(&w);
        assert_int_equal(seen.calls, 1);
        assert_true(seen.status == UV_EINTR || tree.count == ALL);
        assert_int_equal(tree.count, told);
        assert_int_equal(descriptors(), before);
    }
}

static struct weft_op chain[40];

/* So many begins on the stack that the walk's own has to wait for its turn. */
static void begin_deep(struct weft_op *op)
{
    size_t at = (size_t)(op - chain), last = tree.list.tree.limit;
    if (at < last)
        weft_run(op, op + 1, begin_deep, NULL);
    else
        tree_start(op, scratch_path(root, "tree"), noted);
    weft_join(op);
}

TEST(a_cancel_before_the_walk_itself_has_begun_ends_it)
{
    make_tree();
    for (unsigned levels = 25; levels < 36; levels++) {
        memset(chain, 0, sizeof chain);
        tree_reset();
        tree.list.tree.limit = levels;
        world_up(&w);
        weft_run(weft_root(&w.loop), &chain[0], begin_deep, weft_ignore);
        weft_cancel(&chain[0], UV_EINTR);
        world_down(&w);
        if (seen.calls > 0) /* on the deepest levels the listing has not begun either */
            assert_int_equal(seen.status, UV_EINTR);
        assert_int_equal(tree.count, 0);
    }
}

static sem_t entered, go;

static unsigned slow_choice(const struct weft_tree *its, const struct weft_tree_entry *entry)
{
    (void)its;
    (void)entry;
    sem_post(&entered);
    sem_wait(&go);
    return WEFT_TREE_TAKE;
}

/* The thread is in the middle of a folder: it is awaited, and goes no further. */
TEST(a_deadline_ends_a_listing_and_its_threads_are_awaited)
{
    struct weft_deadline deadline = {0};
    make_tree();
    int before = descriptors();
    sem_init(&entered, 0, 0);
    sem_init(&go, 0, 0);
    tree.list.tree.choose = slow_choice;
    begin_list();
    while (sem_trywait(&entered) != 0)
        uv_run(&w.uv, UV_RUN_NOWAIT);
    weft_deadline(&tree.list.op, &deadline, 1);
    while (weft_cancelled(&tree.list.op) == 0)
        uv_run(&w.uv, UV_RUN_NOWAIT); /* after the cancel nothing would wake the loop */
    assert_int_equal(seen.calls, 0);
    sem_post(&go);
    world_down(&w);
    assert_int_equal(seen.status, UV_ETIMEDOUT);
    assert_int_equal(tree.count, 0);
    assert_int_equal(tree.list.stats.entries, 1);
    assert_int_equal(descriptors(), before);
    sem_destroy(&entered);
    sem_destroy(&go);
}

/* ---- queues --------------------------------------------------------------------------------- */

static atomic_uint inside, most_inside;

static unsigned counted_choice(const struct weft_tree *its, const struct weft_tree_entry *entry)
{
    (void)its;
    (void)entry;
    unsigned now = atomic_fetch_add(&inside, 1) + 1, most = atomic_load(&most_inside);
    while (now > most && !atomic_compare_exchange_weak(&most_inside, &most, now))
        ;
    sched_yield();
    atomic_fetch_sub(&inside, 1);
    return WEFT_TREE_TAKE | WEFT_TREE_ENTER;
}

static struct weft_list lists[3];
static unsigned told;

static bool count_it(struct weft_list *list, const struct weft_tree_entry *entry)
{
    (void)list;
    (void)entry;
    told++;
    return true;
}

TEST(listings_share_a_queue_and_its_limit)
{
    make_tree();
    for (unsigned limit = 1; limit <= 2; limit++) {
        struct weft_queue queue;
        told = 0;
        atomic_store(&most_inside, 0);
        world_up(&w);
        assert_int_equal(weft_queue_init(&queue, &w.loop, limit), 0);
        memset(lists, 0, sizeof lists);
        for (int i = 0; i < 3; i++) {
            lists[i].tree.queue = &queue;
            lists[i].tree.limit = (unsigned)i; /* 0: as many as the queue has places */
            lists[i].tree.choose = counted_choice;
            lists[i].on_found = count_it;
            weft_list(weft_root(&w.loop), &lists[i], scratch_path(root, "tree"), noted);
        }
        world_down(&w);
        assert_int_equal(seen.calls, 3);
        assert_int_equal(seen.status, 0);
        assert_int_equal(told, 3 * ALL);
        assert_in_range(atomic_load(&most_inside), 1, limit);
        assert_true(queue.stats.done >= 3);
        assert_int_equal(weft_queue_close(&queue), 0);
    }
}

TEST(a_limit_is_kept)
{
    for (unsigned limit = 1; limit <= 3; limit++) {
        make_tree();
        atomic_store(&most_inside, 0);
        tree.list.tree.limit = limit;
        tree.list.tree.choose = counted_choice;
        assert_int_equal(list_tree("tree"), 0);
        assert_int_equal(tree.count, ALL);
        assert_in_range(atomic_load(&most_inside), 1, limit);
    }
}

TEST(a_limit_that_is_too_large_is_as_good_as_the_largest)
{
    make_tree();
    tree.list.tree.limit = UINT32_MAX;
    assert_int_equal(list_tree("tree"), 0);
    assert_int_equal(tree.count, ALL);
}

TEST(a_queue_that_was_stopped_refuses_it)
{
    struct weft_queue queue;
    make_tree();
    world_up(&w);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 2), 0);
    weft_queue_stop(&queue);
    tree.list.tree.queue = &queue;
    tree_start(weft_root(&w.loop), scratch_path(root, "tree"), noted);
    world_down(&w);
    assert_int_equal(seen.status, WEFT_ESTOPPED);
    assert_int_equal(tree.count, 0);
}

static struct weft_queue stopping;

static bool stop_the_queue(const struct weft_tree_entry *entry)
{
    (void)entry;
    weft_queue_stop(&stopping);
    return true;
}

TEST(a_queue_that_is_stopped_in_the_middle_ends_it)
{
    make_tree();
    int before = descriptors();
    world_up(&w);
    assert_int_equal(weft_queue_init(&stopping, &w.loop, 1), 0);
    tree.list.tree.queue = &stopping;
    tree.list.tree.limit = 4;
    tree.on_each = stop_the_queue;
    tree_start(weft_root(&w.loop), scratch_path(root, "tree"), noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_true(seen.status == WEFT_ESTOPPED || tree.count == ALL);
    assert_int_equal(descriptors(), before);
}

/* ---- again ---------------------------------------------------------------------------------- */

static unsigned rounds;

static void once_more(struct weft_op *parent, struct weft_op *op)
{
    assert_int_equal(op->status, 0);
    assert_int_equal(tree.list.stats.entries, ALL);
    if (++rounds < 3)
        weft_list(parent, &tree.list, root, once_more);
}

TEST(the_same_storage_lists_again_in_its_then)
{
    make_tree();
    rounds = 0;
    world_up(&w);
    tree_start(weft_root(&w.loop), scratch_path(root, "tree"), once_more);
    world_down(&w);
    assert_int_equal(rounds, 3);
    assert_int_equal(tree.count, 3 * ALL);
}
