/* Owners that do not run. The rule is the same as for a parent; but the one who asks and the one who
 * forgot to start the owner, or let it end, are not the same: so both places are told. */
#include "owner.h"
#include <stdio.h>

void weft__owner_is_idle(const struct weft_site *site, const struct weft_op *teller)
{
    char text[512];
    snprintf(text, sizeof text, "the owner of the %s of %s:%d %s() is not running", site->type,
             site->file, site->line, site->func);
    weft__broken(2, teller, text);
}
