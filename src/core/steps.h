/* The loop's side of weft/steps.h. */
#ifndef WEFT_CORE_STEPS_H
#define WEFT_CORE_STEPS_H

#include "weft/loop.h"

/* The first in line, of which there is one, does a slice. */
void weft__steps_turn(struct weft_loop *loop);

#endif
