/* The conformance suite: every scenario on a loop in real time, then all of them again in a
 * simulation; and both once more with a hook on the loop. */
#include "stage.h"

static void whole_suite(void)
{
    weft__test_alone();
    weft__test_cancelled();
    weft__test_storage();
    weft__test_company();
    weft__test_memory();
}

/* Without these there is nothing to put through anything. */
static bool is_described(const struct weft_provider *provider)
{
    return provider != NULL && provider->name != NULL && provider->begin != NULL &&
           provider->good != NULL && provider->size >= sizeof(struct weft_op) &&
           provider->op_at <= provider->size - sizeof(struct weft_op);
}

int weft_provider_check(const struct weft_provider *provider, FILE *to)
{
    if (!is_described(provider)) {
        fprintf(to, "provider: name, begin, good or an op that fits into size is missing\n");
        return -1;
    }
    at = (struct stage){.provider = provider, .to = to, .descriptors = -1};
    if (setjmp(at.failed) != 0)
        return -1;
    weft__test_alone(); /* opens what libuv and libc keep open from then on */
    at.descriptors = open_descriptors();
    for (int round = 0; round < 4; round++) {
        at.simulated = round & 1;
        at.hooked = round & 2;
        whole_suite();
    }
    return 0;
}
