/* Every provider of the core and of the thread pool, through the conformance suite.
 * ctest: labels=threads,valgrind timeout=120 */
#include "provider.h"
#include <weft/timer.h>

static void good_sleep(void *storage)
{
    ((struct weft_sleep *)storage)->ms = 1;
}

static const struct provider sleeping = {
    .name = "sleep",
    PROVIDER_OP(struct weft_sleep, op),
    .begin = weft_sleep_begin,
    .good = good_sleep,
};

TEST(sleep_conforms)
{
    provider_check(&sleeping);
}

static void good_op(void *storage)
{
    (void)storage;
}

static const struct provider ticking = {
    .name = "tick",
    .size = sizeof(struct weft_op),
    .begin = weft_tick_begin,
    .good = good_op,
};

TEST(tick_conforms)
{
    provider_check(&ticking);
}

static const struct provider immediately = {
    .name = "immediate",
    .size = sizeof(struct weft_op),
    .begin = weft_immediate_begin,
    .good = good_op,
};

TEST(immediate_conforms)
{
    provider_check(&immediately);
}
