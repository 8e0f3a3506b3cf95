/* ctest: labels=stress timeout=120 shuffle=no */
/* A writer is killed a hundred times, at any moment. It tells each sale that was acknowledged; whoever
 * opens the ledger afterwards finds all of them, and nothing that is half of one.
 *
 * The sale with the id n has an amount of n, so a sum says which ones are there. Several adds are
 * always under way, so that commits are shared. */
#include "kit.h"
#include <signal.h>
#include <sys/wait.h>

enum { LIVES = 100, AT_ONCE = 7 };

static struct ledger ledger;
static int report;

/* ---- the one who is killed ------------------------------------------------------------------ */

struct writer {
    struct weft_op op;
    struct ledger_add adds[AT_ONCE];
    int64_t next;
};

static void add_next(struct writer *writer, struct ledger_add *add);

static void acknowledged(struct weft_op *op, struct weft_op *over)
{
    struct ledger_add *add = weft_owner(over, struct ledger_add, op);
    if (over->status != 0 || (int64_t)add->id != add->amount)
        _exit(2);
    if (write(report, &add->id, sizeof add->id) != sizeof add->id)
        _exit(3);
    add_next(weft_owner(op, struct writer, op), add);
}

static void add_next(struct writer *writer, struct ledger_add *add)
{
    *add = (struct ledger_add){.ledger = &ledger, .item = T("book"), .amount = writer->next++};
    ledger_add(&writer->op, add, acknowledged);
}

static void write_on(struct weft_op *op)
{
    struct writer *writer = weft_owner(op, struct writer, op);
    for (unsigned i = 0; i < AT_ONCE; i++)
        add_next(writer, &writer->adds[i]);
}

static void live(const char *folder, uint64_t known)
{
    struct writer writer = {.next = (int64_t)known + 1};
    ledger = (struct ledger){0};
    if (ledger_open(&ledger, folder, LEDGER_WRITE, NULL) != 0)
        _exit(1);
    weft_go(&writer.op, write_on);
    _exit(4);
}

/* ---- the one who kills ---------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* The last id that was told. The writer is killed soon after it has told one more than limit. */
static uint64_t listen_and_kill(int pipe, pid_t child, uint64_t limit, useconds_t delay_us)
{
    uint64_t ids[64], last = 0, told = 0;
    size_t have = 0;
    bool killed = false;
    for (;;) {
        ssize_t got = read(pipe, (char *)ids + have, sizeof ids - have);
        if (got <= 0)
            return last;
        have += (size_t)got;
        for (size_t i = 0; i < have / sizeof ids[0]; i++)
            last = ids[i] > last ? ids[i] : last;
        told += have / sizeof ids[0];
        memmove(ids, (char *)ids + have / 8 * 8, have % 8);
        have %= 8;
        if (told > limit && !killed) {
            usleep(delay_us);
            kill(child, SIGKILL);
            killed = true;
        }
    }
}

static uint64_t live_and_die(const char *folder, uint64_t known, uint64_t *seed)
{
    int ends[2], status;
    uint64_t limit = draw(seed, 60);
    useconds_t delay_us = (useconds_t)draw(seed, 800);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        report = ends[1];
        live(folder, known);
    }
    close(ends[1]);
    uint64_t last = listen_and_kill(ends[0], child, limit, delay_us);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return last;
}

TEST(a_writer_that_is_killed_a_hundred_times_loses_nothing_that_was_acknowledged)
{
    char folder[SCRATCH_PATH];
    uint64_t seed = check_seed(), known = 0;
    scratch_new_path(folder, "ledger");
    for (unsigned long i = 0; i < check_scale(LIVES); i++) {
        uint64_t last = live_and_die(folder, known, &seed);
        ledger = (struct ledger){0};
        kit_open(&ledger, folder, LEDGER_READ);
        uint64_t there = kit_count(&ledger);
        assert_true(there >= last && there >= known);
        assert_true(there <= (last > known ? last : known) + (uint64_t)2 * AT_ONCE);
        assert_int_equal(kit_total(&ledger, "book"), there * (there + 1) / 2);
        kit_close(&ledger);
        known = there;
    }
    assert_true(known > 100);
    scratch_empty();
}
