/* weft/emitter.h: events with any number of listeners.
 *
 * Event 0 is WEFT_ERROR in every emitter: emitting it with no listener breaks rule 8, because an
 * error that nobody hears would be lost. Listeners are embedded in the struct that listens and
 * find it with weft_owner. Nothing is allocated. */
#ifndef WEFT_EMITTER_H
#define WEFT_EMITTER_H

#include "op.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_ERROR = 0 };

struct weft_listener;
struct weft_emitter;
struct weft_emission;
/* about is what the event is about; its type is the event's, and is named where that is. */
typedef void weft_listener_fn(struct weft_listener *listener, void *about);

/* Zeroed storage is a listener that does not listen. */
struct weft_listener {
    struct weft_emitter *emitter_;
    struct weft_listener *next_, **link_;
    weft_listener_fn *fn_;
    uint64_t since_;
    int event_;
    bool once_;
};

struct weft_emitter {
    const char *name;
    struct weft_listener *first_, **tail_;
    struct weft_emission *emitting_;
    uint64_t added_;
};

/* name is kept, not copied: it appears in the text of a broken rule. */
WEFT_API void weft_emitter_init(struct weft_emitter *emitter, const char *name);
/* Takes every listener off, also from inside one of them: none is called any more, and the storage
 * is yours at once. */
WEFT_API void weft_emitter_close(struct weft_emitter *emitter);

/* Listen. A listener that listens already is moved. event is 0 or more; fn is not NULL. */
WEFT_API void weft_on(struct weft_emitter *emitter, int event, struct weft_listener *listener,
                      weft_listener_fn *fn);
/* The same, for one time: it is off before fn runs. */
WEFT_API void weft_once(struct weft_emitter *emitter, int event, struct weft_listener *listener,
                        weft_listener_fn *fn);
/* Stop listening, also from inside any listener: once off, it is not called any more. Safe on one
 * that does not listen; its storage is yours at once. */
WEFT_API void weft_off(struct weft_listener *listener);

/* Call the listeners of event now, in the order in which they came. Those added meanwhile wait for
 * the next time. Returns how many were called. */
WEFT_API unsigned weft_emit(struct weft_emitter *emitter, int event, void *about);
/* Does anybody listen to event? */
WEFT_API bool weft_heard(const struct weft_emitter *emitter, int event);

#ifdef __cplusplus
}
#endif
#endif
