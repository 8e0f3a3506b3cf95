/* weft/fault.h: memory that runs out when a test says so, and that is counted. In libweft-test.
 *
 * Every allocation of weft goes through one allocator (weft/alloc.h). This one fails the n-th of
 * them and counts what is alive, whoever allocates, on any thread. A ladder of these, one run for
 * each n until a run in which nothing was failed, shows that a program survives running out of
 * memory everywhere:
 *
 *     for (unsigned long n = 1;; n++) {
 *         weft_fault_install();
 *         weft_fault_fail_at(n);
 *         run_it_all();                        // every failure has to be a clear error
 *         assert(weft_fault_live() == 0);      // and nothing is left
 *         weft_fault_remove();
 *         if (!weft_fault_hit())
 *             break;
 *     }
 */
#ifndef WEFT_FAULT_H
#define WEFT_FAULT_H

#include "version.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Put the counting allocator in place (idempotent) and begin to count from zero. Before the first
 * loop is made: blocks that are alive then are not ours. A block that is released twice, or that is
 * another allocator's, ends the process with a text. */
WEFT_API void weft_fault_install(void);
/* malloc and free again. Blocks that are still alive may not be released any more. */
WEFT_API void weft_fault_remove(void);

/* Fail the n-th allocation from now on, counting from 1; 0: none. A resize counts too. */
WEFT_API void weft_fault_fail_at(unsigned long n);
/* Was it reached? */
WEFT_API bool weft_fault_hit(void);

WEFT_API unsigned long weft_fault_allocations(void); /* since install or fail_at; failed ones too */
WEFT_API unsigned long weft_fault_live(void);        /* blocks that were not yet released */
WEFT_API unsigned long weft_fault_live_bytes(void);

#ifdef __cplusplus
}
#endif
#endif
