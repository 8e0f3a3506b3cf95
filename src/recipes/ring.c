/* Rings: a load that would wait for itself.
 *
 *     load of a ─asks─► flight of b ◄─is─ load of b ─asks─► flight of a ◄─is─ load of a
 *
 * Whoever asks stands below something. If that is a load, all who wait for that load would wait for
 * the answer too; and they may stand below loads themselves. So from the asker up, from each load that
 * is met there to those who wait for it, and up from them: if that leads to the load that is asked for,
 * nothing would ever end it. Which keys ask for which is often in the data, so it is an error and not a
 * broken rule.
 *
 * Requests stand below no load, and then there is nothing to search. A flight knows whether anybody
 * below a load has ever joined it; the others' lists, which may be long, are not walked. */
#include "flight.h"

struct search {
    uint64_t number; /* what a flight has in searched_ if it was met */
    struct weft_flight *met;
};

static bool look_above(struct search *search, const struct weft_op *op)
{
    bool any = false;
    for (const struct weft_op *at = op->parent; at != NULL; at = at->parent) {
        struct weft_flight *flight = weft__flight_of(at);
        any = any || flight != NULL;
        if (flight == NULL || flight->searched_ == search->number)
            continue;
        flight->searched_ = search->number;
        flight->to_search_ = search->met;
        search->met = flight;
    }
    return any;
}

bool weft__flight_ring(struct weft_flight *flight, const struct weft_op *asker)
{
    static _Thread_local uint64_t searches;
    struct search search = {.number = ++searches};
    if (!look_above(&search, asker))
        return false;
    while (search.met != NULL) {
        const struct weft_flight *at = search.met;
        search.met = at->to_search_;
        if (at == flight)
            return true;
        const struct weft_op *waiter = at->nested_ ? at->promise.waiters_ : NULL;
        for (; waiter != NULL; waiter = waiter->wait_)
            look_above(&search, waiter);
    }
    flight->nested_ = true;
    return false;
}
