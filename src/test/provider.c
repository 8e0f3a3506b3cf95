/* The conformance suite: every scenario on a loop in real time, then all of them again in a
 * simulation. */
#include "stage.h"

static void whole_suite(void)
{
    weft__test_alone();
    weft__test_cancelled();
    weft__test_storage();
    weft__test_company();
    weft__test_memory();
}

int weft_provider_check(const struct weft_provider *provider, FILE *to)
{
    at = (struct stage){.provider = provider, .to = to, .descriptors = -1};
    if (setjmp(at.failed) != 0)
        return -1;
    weft__test_alone(); /* opens what libuv and libc keep open from then on */
    at.descriptors = open_descriptors();
    whole_suite();
    at.simulated = true;
    whole_suite();
    return 0;
}
