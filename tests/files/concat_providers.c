/* Concatenation through the conformance suite, and without memory.
 * ctest: labels=threads,valgrind-long timeout=120 */
#include "fault.h"
#include "loop.h"
#include "provider.h"
#include "scratch.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/concat.h>

/* Its paths live behind the op: they have to stay until then, and no longer. */
struct concat_run {
    struct weft_file_concat concat;
    const char *sources[3];
    char path[SCRATCH_PATH];
};

static char source[SCRATCH_PATH];
static int ends[2];

static void make_source(struct weft_loop *loop)
{
    (void)loop;
    scratch_file(source, "source", "the quick brown fox\n");
}

static void empty_scratch(struct weft_loop *loop)
{
    (void)loop;
    assert_int_equal(scratch_count(scratch_dir()) > 0, 1);
    scratch_empty();
}

static void good(void *storage)
{
    struct concat_run *run = storage;
    run->sources[0] = run->sources[1] = source;
    run->sources[2] = "/dev/null";
    run->concat.sources = run->sources;
    run->concat.count = 3;
    run->concat.dest = scratch_new_path(run->path, "made");
}

static void bad(void *storage)
{
    struct concat_run *run = storage;
    good(storage);
    run->sources[1] = "/nonexistent/weft";
}

static void is_complete(void *storage)
{
    struct concat_run *run = storage;
    scratch_equals(run->path, "the quick brown fox\nthe quick brown fox\n");
    assert_int_equal(run->concat.size, 40);
}

static const struct weft_provider concat = {
    .name = "file_concat",
    WEFT_PROVIDER_OP(struct concat_run, concat.op),
    .begin = weft_file_concat_begin,
    .up = make_source,
    .down = empty_scratch,
    .good = good,
    .bad = bad,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .verify = is_complete,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_concat_conforms)
{
    provider_check(&concat);
}

/* One that waits for its input for ever, unless something is written to it. */
static void make_pipe(struct weft_loop *loop)
{
    make_source(loop);
    assert_int_equal(pipe(ends), 0);
}

static void close_pipe(struct weft_loop *loop)
{
    empty_scratch(loop);
    close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
}

static void good_with_input(void *storage)
{
    struct concat_run *run = storage;
    good(storage);
    run->sources[1] = "-";
    run->concat.input = ends[0];
}

static void end_input(void *storage)
{
    (void)storage;
    if (ends[1] >= 0)
        close(ends[1]);
    ends[1] = -1;
}

static const struct weft_provider concat_waiting = {
    .name = "file_concat that waits",
    WEFT_PROVIDER_OP(struct concat_run, concat.op),
    .begin = weft_file_concat_begin,
    .up = make_pipe,
    .down = close_pipe,
    .good = good_with_input,
    .bad = bad,
    .bad_status = UV_ENOENT,
    .nothing_status = UV_EINVAL,
    .nudge = end_input,
    .flags = WEFT_PROVIDER_AWAITS,
};

TEST(file_concat_that_waits_conforms)
{
    provider_check(&concat_waiting);
}

/* Both ways of copying, small files and large ones. */
static void concat_with_little_memory(unsigned long n)
{
    struct world w;
    struct weft_file_concat it = {.durable = false};
    char large[SCRATCH_PATH], dest[SCRATCH_PATH];
    scratch_empty();
    make_source(NULL);
    scratch_file(large, "large", "x");
    assert_int_equal(truncate(large, 1000000), 0);
    scratch_file(dest, "dest", "kept");
    const char *const sources[] = {source, large, "/proc/self/stat", source};
    weft_fault_fail_at(0);
    world_up(&w);
    weft_fault_fail_at(n);
    weft_file_concat(weft_root(&w.loop), &it, sources, 4, dest, noted);
    world_down(&w);
    assert_int_equal(seen.status, weft_fault_hit() ? UV_ENOMEM : 0);
    if (seen.status != 0) {
        assert_int_equal(it.failed, WEFT_NONE);
        scratch_equals(dest, "kept");
    }
    assert_int_equal(scratch_count(scratch_dir()), 3);
}

TEST(running_out_of_memory_leaves_the_destination_alone)
{
    fault_ladder(concat_with_little_memory);
    assert_true(fault_ladder_height() >= 3);
    scratch_empty();
}
