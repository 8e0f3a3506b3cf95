#include "fault.h"
#include "check.h"

enum { NO_LADDER_IS_HIGHER = 100000 };

static unsigned long height;

void fault_remove(void)
{
    assert_int_equal(weft_fault_live(), 0);
    weft_fault_remove();
}

unsigned long fault_ladder_height(void)
{
    return height;
}

void fault_ladder_at(const char *file, int line, const char *name, fault_scenario_fn *scenario)
{
    weft_fault_install();
    for (unsigned long n = 1;; n++) {
        weft_fault_fail_at(n);
        scenario(n);
        if (weft_fault_live() != 0 || n == NO_LADDER_IS_HIGHER) {
            print_error("%s with allocation %lu failed: %lu blocks, %lu bytes are left\n", name, n,
                        weft_fault_live(), weft_fault_live_bytes());
            _fail(file, line);
        }
        if (!weft_fault_hit()) {
            height = n - 1;
            break;
        }
    }
    weft_fault_fail_at(0);
    fault_remove();
}
