/* Loads that are under way, as the batch and the cache see them. */
#ifndef WEFT_RECIPES_FLIGHT_H
#define WEFT_RECIPES_FLIGHT_H

#include "cell.h"
#include "core/op.h"

static inline bool key_begins_with(struct weft_text key, struct weft_text prefix)
{
    return key.size >= prefix.size && weft_text_equal(weft_text(key.data, prefix.size), prefix);
}

/* weft_batch_open_at without the handle: a cache has one of its own. */
int weft__batch_open(const struct weft_site *load_site, struct weft_batch *batch);

/* The one that whoever asks for key now would join; NULL: none. */
struct weft_flight *weft__flight_find(const struct weft_batch *batch, struct weft_text key,
                                      uint64_t hash);

/* Begin one, on behalf of asker, whose context it gets. keep: it goes on without anybody who waits.
 * NULL, and *err says why: UV_ENOBUFS, UV_ENOMEM, the owner's reason. */
struct weft_flight *weft__flight_begin(struct weft_batch *batch, struct weft_text key,
                                       uint64_t hash, const struct weft_op *asker, bool keep,
                                       int *err);

/* await, which is in its begin, waits for flight; answered is put in front of its then, if it has
 * one, and has to end in weft__flight_leave after that has been called. *then becomes the user's.
 * 0; or an error, and await has finished: the begin of the load, if that was begun for it, has cancelled
 * or ended it; WEFT_ECYCLE. A load that nobody else waits for is cancelled then. */
int weft__flight_join(struct weft_flight *flight, struct weft_await *await, weft_then_fn *answered,
                      weft_then_fn **then);
void weft__flight_leave(struct weft_flight *flight);

/* Nobody finds it any more. */
void weft__flight_forget(struct weft_flight *flight);
/* The same for all of key: the one that is found, and those that were cancelled and are not over. */
void weft__flight_forget_key(const struct weft_batch *batch, struct weft_text key, uint64_t hash);

/* Would flight wait for itself if asker did (ring.c)? If not, it remembers that asker is below a load. */
bool weft__flight_ring(struct weft_flight *flight, const struct weft_op *asker);

#endif
