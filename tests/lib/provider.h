/* tests/lib/provider.h: the conformance suite of weft/provider.h as an assertion. */
#ifndef TESTS_PROVIDER_H
#define TESTS_PROVIDER_H

#include "check.h"
#include <weft/provider.h>

/* Put it through the whole suite; longer under `make torture`. */
void provider_check(const struct weft_provider *provider);

#endif
