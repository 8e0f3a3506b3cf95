/* A simulated program that cannot even begin. */
#include "fault.h"
#include "loop.h"
#include <weft/op.h>

static struct weft_op op;
static unsigned begun;

static void begin_and_count(struct weft_op *job)
{
    begun++;
    weft_finish(job, UV_ENOENT);
}

static void go_once(unsigned long n)
{
    (void)n;
    begun = 0;
    int status = weft_sim_go(&op, begin_and_count, 0);
    assert_int_equal(status, weft_fault_hit() ? UV_ENOMEM : UV_ENOENT);
    assert_int_equal(begun, !weft_fault_hit());
}

TEST(a_simulation_without_memory_for_its_loop_begins_nothing)
{
    fault_ladder(go_once);
    assert_int_equal(fault_ladder_height(), 1);
}
