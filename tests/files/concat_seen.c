/* Concatenation as hooks see it, and whose context its threads have. The call to stat goes through
 * here, so that there is something of ours on the thread.
 * ctest: labels=threads,valgrind-long needs=hooks */
#include "hook_log.h"
#include "scratch.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <weft/concat.h>
#include <weft/context.h>

static struct weft_key key = {.name = "whose"};
static _Atomic(void *) found;
static atomic_uint_fast64_t on_thread;

int stat(const char *path, struct stat *st)
{
    static int (*known)(const char *, struct stat *);
    int (*real)(const char *, struct stat *) = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (real == NULL) { /* several threads may be the first to ask */
        *(void **)&real = dlsym(RTLD_NEXT, "stat");
        __atomic_store_n(&known, real, __ATOMIC_RELEASE);
    }
    if (weft_current() != NULL && strstr(path, "seen-source") != NULL) {
        found = weft_context_get(weft_current(), &key);
        on_thread = weft_current_id();
    }
    return real(path, st);
}

static struct world w;
static struct hook_log log_;
static struct weft_file_concat concat;

static void begin_concat(struct weft_op *op)
{
    static char source[SCRATCH_PATH], dest[SCRATCH_PATH];
    static const char *const sources[] = {source, source};
    scratch_file(source, "seen-source", "x");
    assert_int_equal(weft_context_set(op, &key, &w), 0);
    weft_file_concat(op, &concat, sources, 2, scratch_path(dest, "dest"), weft_pass);
}

TEST(a_hook_sees_the_operation_and_its_threads_below_it)
{
    struct weft_op op = {0};
    world_up(&w);
    hook_log_init(&log_);
    assert_int_equal(weft_hook_enable(&w.loop, &log_.hook), 0);
    weft_run(weft_root(&w.loop), &op, begin_concat, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    const struct hook_log_resource *whole = hook_log_find(&log_, "file_concat");
    assert_ptr_equal(whole->resource, &concat);
    assert_int_equal(whole->site->group, WEFT_FS);
    assert_int_equal(whole->parent, hook_log_find(&log_, "begin_concat")->id);
    const struct hook_log_resource *looks = hook_log_find(&log_, "look at sources");
    assert_int_equal(looks->parent, whole->id);
    assert_int_equal(looks->id, on_thread);
    assert_int_equal(hook_log_find(&log_, "carry sources")->parent, whole->id);
    hook_log_check_over(&log_);
}

TEST(the_threads_have_the_context_of_who_began_it)
{
    struct weft_op op = {0};
    found = NULL;
    world_up(&w);
    weft_run(weft_root(&w.loop), &op, begin_concat, noted);
    world_down(&w);
    assert_int_equal(seen.status, 0);
    assert_ptr_equal(found, &w);
}
