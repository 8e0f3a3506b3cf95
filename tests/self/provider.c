/* The conformance suite itself: providers that break a promise each, and the words it finds.
 * ctest: shuffle=no */
#include "provider.h"
#include "core/op.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/alloc.h>
#include <weft/timer.h>

/* A sleep, with a fault that can be chosen. */
enum fault {
    NO_FAULT,
    IGNORES_CANCEL,
    FORGETS_A_CANCEL_INSIDE_BEGIN,
    INVENTS_A_REASON,
    LEAKS_MEMORY_WHEN_CANCELLED,
    LEAKS_A_DESCRIPTOR,
    NEVER_ENDS,
    FAILS_WITH_SOMETHING_ELSE,
    TAKES_NOTHING_FOR_SOMETHING,
    CRASHES_WITHOUT_MEMORY,
    REMEMBERS_ITS_LAST_RUN
};

struct faulty {
    struct weft_op op;
    bool given, bad;
    unsigned runs;
    int reason;
    struct weft_timer timer;
    char *block;
};

static enum fault fault;

static struct faulty *of(struct weft_op *op)
{
    return weft_owner(op, struct faulty, op);
}

static void due(struct weft_timer *timer)
{
    struct faulty *faulty = weft_owner(timer, struct faulty, timer);
    weft_free(faulty->block);
    int status = faulty->reason;
    if (faulty->bad)
        status = fault == FAILS_WITH_SOMETHING_ELSE ? UV_EPERM : UV_EIO;
    if (fault == REMEMBERS_ITS_LAST_RUN && faulty->runs > 1)
        status = UV_EALREADY;
    weft_finish(&faulty->op, status);
}

static void cancelled(struct weft_op *op, int reason)
{
    struct faulty *faulty = of(op);
    if (fault == IGNORES_CANCEL)
        return;
    if (fault == INVENTS_A_REASON)
        reason = UV_EAGAIN;
    weft_timer_stop(weft_loop_of(op), &faulty->timer);
    if (fault != LEAKS_MEMORY_WHEN_CANCELLED)
        weft_free(faulty->block);
    weft_finish(op, reason);
}

static void begin(struct weft_op *op)
{
    struct faulty *faulty = of(op);
    struct weft_loop *loop = weft_loop_of(op);
    faulty->runs++;
    if (!faulty->given && fault != TAKES_NOTHING_FOR_SOMETHING) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    faulty->block = weft_alloc(10);
    if (faulty->block == NULL && fault != CRASHES_WITHOUT_MEMORY) {
        weft_finish(op, UV_ENOMEM);
        return;
    }
    strcpy(faulty->block, "block");
    if (fault == LEAKS_A_DESCRIPTOR)
        assert_true(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
    if (fault != NEVER_ENDS)
        weft_timer_start(loop, &faulty->timer, 1, due);
    if (fault != FORGETS_A_CANCEL_INSIDE_BEGIN || weft_cancelled(op) == 0)
        weft_on_cancel(op, cancelled);
}

static void good(void *storage)
{
    ((struct faulty *)storage)->given = true;
}

static void bad(void *storage)
{
    good(storage);
    ((struct faulty *)storage)->bad = true;
}

static const struct weft_provider provider = {
    .name = "faulty",
    WEFT_PROVIDER_OP(struct faulty, op),
    .begin = begin,
    .good = good,
    .bad = bad,
    .bad_status = UV_EIO,
    .nothing_status = UV_EINVAL,
};

TEST(a_provider_without_a_fault_passes)
{
    fault = NO_FAULT;
    provider_check(&provider);
}

static void check_it(void)
{
    provider_check(&provider);
}

static void found(enum fault chosen, const char *words)
{
    fault = chosen;
    dies(check_it, "provider faulty", words);
}

TEST(a_cancel_that_is_ignored_is_found)
{
    found(IGNORES_CANCEL, "ended with OK, expected ECANCELED");
}

TEST(a_cancel_that_is_lost_inside_begin_is_found)
{
    found(FORGETS_A_CANCEL_INSIDE_BEGIN, "cancelled inside begin");
}

TEST(another_reason_than_that_of_the_cancel_is_found)
{
    found(INVENTS_A_REASON, "ended with EAGAIN");
}

TEST(memory_that_is_left_is_found)
{
    found(LEAKS_MEMORY_WHEN_CANCELLED, "memory is left");
}

TEST(a_descriptor_that_is_left_is_found)
{
    found(LEAKS_A_DESCRIPTOR, "a descriptor is left open");
}

TEST(an_op_that_never_ends_is_found)
{
    found(NEVER_ENDS, "the loop is dry and the op has not ended");
}

TEST(another_error_than_the_expected_is_found)
{
    found(FAILS_WITH_SOMETHING_ELSE, "ended with EPERM, expected EIO");
}

TEST(a_run_with_nothing_that_looks_well_is_found)
{
    found(TAKES_NOTHING_FOR_SOMETHING, "a run that is given nothing");
}

TEST(a_run_that_remembers_the_last_one_is_found)
{
    found(REMEMBERS_ITS_LAST_RUN, "ended with EALREADY");
}

/* It ends in a crash, or in a sanitizer's report, but not in words of ours. */
TEST(a_provider_that_takes_memory_for_granted_is_found)
{
    fault = CRASHES_WITHOUT_MEMORY;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        FILE *nowhere = freopen("/dev/null", "w", stderr);
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        if (nowhere != NULL)
            check_it();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_not_equal(status, 0);
}

static void described_badly(const struct weft_provider *half)
{
    char words[200] = "";
    FILE *to = fmemopen(words, sizeof words, "w");
    assert_non_null(to);
    assert_int_equal(weft_provider_check(half, to), -1);
    fclose(to);
    assert_non_null(strstr(words, "missing"));
}

static void do_nothing(void *storage)
{
    (void)storage;
}

TEST(a_provider_that_is_not_described_is_told_and_not_begun)
{
    struct weft_provider half = {
        .name = "half", WEFT_PROVIDER_OP(struct faulty, op), .begin = begin};
    described_badly(NULL);
    described_badly(&half);
    half.good = do_nothing;
    half.op_at = half.size;
    described_badly(&half);
    half.size = 0;
    described_badly(&half);
}
