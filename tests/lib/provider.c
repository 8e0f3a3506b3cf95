#include "provider.h"

void provider_check(const struct weft_provider *provider)
{
    struct weft_provider tried = *provider;
    tried.rounds = (unsigned)check_scale(1);
    if (weft_provider_check(&tried, stderr) != 0)
        fail();
}
