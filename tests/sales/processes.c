/* ctest: shuffle=no */
/* Several processes with the same ledger. */
#include "kit.h"
#include <sys/wait.h>

static char folder[SCRATCH_PATH];
static struct ledger ledger;

static void down(void)
{
    kit_close(&ledger);
    scratch_empty();
}

/* The child writes more than the parent has mapped. */
TEST(a_process_follows_when_another_one_makes_the_file_larger)
{
    int status;
    kit_new(&ledger, folder);
    kit_add(&ledger, "3", 1);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ledger own = {0};
        if (ledger_open(&own, folder, LEDGER_WRITE, NULL) != 0)
            _exit(1);
        kit_fill(&own, 200000);
        _exit(ledger_close(&own) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(kit_count(&ledger), 200001);
    assert_int_equal(kit_add(&ledger, "3", 1), 200002);
    assert_int_equal(kit_total(&ledger, "3"), 20002);
    down();
}

TEST(two_processes_add_and_count_at_the_same_time)
{
    enum { EACH = 200 };
    int status;
    kit_new(&ledger, folder);
    kit_close(&ledger);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ledger own = {0};
        if (ledger_open(&own, folder, LEDGER_WRITE, NULL) != 0)
            _exit(1);
        for (int i = 0; i < EACH; i++)
            kit_add(&own, "child", 1);
        _exit(ledger_close(&own) != 0);
    }
    kit_open(&ledger, folder, LEDGER_WRITE);
    int64_t before = 0;
    for (int i = 0; i < EACH; i++) {
        kit_add(&ledger, "parent", 1);
        int64_t now = kit_total(&ledger, "child");
        assert_true(now >= before);
        assert_int_equal(kit_total(&ledger, "parent"), i + 1);
        before = now;
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(kit_count(&ledger), 2 * EACH);
    assert_int_equal(kit_total(&ledger, "child"), EACH);
    down();
}

/* All of them find no ledger, and make it. */
TEST(processes_that_make_a_ledger_at_the_same_time_get_the_same_one)
{
    enum { CHILDREN = 6 };
    pid_t children[CHILDREN];
    int status;
    scratch_new_path(folder, "shared");
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            struct ledger own = {0};
            if (ledger_open(&own, folder, LEDGER_WRITE, NULL) != 0)
                _exit(1);
            kit_add(&own, "book", 1);
            _exit(ledger_close(&own) != 0);
        }
    }
    for (int i = 0; i < CHILDREN; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    ledger = (struct ledger){0};
    kit_open(&ledger, folder, LEDGER_READ);
    assert_int_equal(kit_total(&ledger, "book"), CHILDREN);
    down();
}

/* While one commits as fast as it can, the other opens the ledger again and again. */
TEST(a_ledger_can_be_opened_while_another_process_writes)
{
    int status;
    kit_new(&ledger, folder);
    kit_close(&ledger);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ledger own = {0};
        if (ledger_open(&own, folder, LEDGER_WRITE, NULL) != 0)
            _exit(1);
        for (int i = 0; i < 400; i++)
            kit_add(&own, "a name of some length, so that there are many blocks", 1);
        _exit(ledger_close(&own) != 0);
    }
    uint64_t before = 0;
    do {
        kit_open(&ledger, folder, LEDGER_READ);
        uint64_t now = kit_count(&ledger);
        assert_true(now >= before);
        before = now;
        kit_close(&ledger);
    } while (waitpid(child, &status, WNOHANG) == 0);
    assert_int_equal(status, 0);
    kit_open(&ledger, folder, LEDGER_READ);
    assert_int_equal(kit_count(&ledger), 400);
    down();
}
