/* tests/lib/fault.h: memory that runs out when the test says so, and that is counted.
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
 * after each run asserts that no block is left. Blocks are counted whoever allocates them, on any
 * thread. */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Put the counting allocator in place (idempotent) and begin to count from zero. The blocks that
 * are alive then are not ours: do it before the first loop is made. */
void fault_install(void);
/* malloc and free again. Asserts that nothing is alive. */
void fault_remove(void);

/* Fail the n-th allocation from now on, counting from 1; 0: none. A resize counts too. */
void fault_fail_at(unsigned long n);
/* Was it reached? */
bool fault_hit(void);

unsigned long fault_allocations(void); /* since install or fault_fail_at; failed ones count */
unsigned long fault_live(void);        /* blocks that were not yet released */
unsigned long fault_live_bytes(void);

typedef void fault_scenario_fn(unsigned long n);
void fault_ladder_at(const char *file, int line, const char *name, fault_scenario_fn *scenario);
#define fault_ladder(scenario) fault_ladder_at(__FILE__, __LINE__, #scenario, scenario)
/* How many allocations the last ladder climbed. */
unsigned long fault_ladder_height(void);

#endif
