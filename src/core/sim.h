#ifndef WEFT_CORE_SIM_H
#define WEFT_CORE_SIM_H

#include "weft/sim.h"

uint64_t weft__random(uint64_t *state);
/* From the simulation's seed if there is one. */
uint64_t weft__loop_random(struct weft_loop *loop);

#endif
