#ifndef WEFT_FLOW_STEPS_H
#define WEFT_FLOW_STEPS_H

#include "weft/flow.h"

/* No step is NULL. */
bool weft__steps_valid(const struct weft_steps *steps);

#endif
