/* tests/lib/fault.h: ladders of failing allocations, on weft/fault.h.
 *
 *     static void save_a_file(unsigned long n)   // n: only for messages
 *     {
 *         ... weft_loop_init, run, close; every failure has to be a clear error ...
 *     }
 *
 *     TEST(saving_survives_running_out_of_memory)
 *     {
 *         fault_ladder(save_a_file);
 *     }
 *
 * The ladder fails allocation 1, then 2, then 3 ... until a run in which nothing was failed, and
 * after each run asserts that no block is left. */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <weft/fault.h>

/* weft_fault_remove; asserts that nothing is alive. */
void fault_remove(void);

typedef void fault_scenario_fn(unsigned long n);
void fault_ladder_at(const char *file, int line, const char *name, fault_scenario_fn *scenario);
#define fault_ladder(scenario) fault_ladder_at(__FILE__, __LINE__, #scenario, scenario)
/* How many allocations the last ladder climbed. */
unsigned long fault_ladder_height(void);

#endif
