/* Emitter: one list of listeners, in the order in which they came.
 *
 * The list may change while it is walked, by the very functions it calls, and emissions may nest.
 * Each emission keeps the listener it goes to next in a cursor on its own stack, and weft_off moves
 * every cursor that points at what it takes away. What was added after an emission began is told by
 * its number. A close tells the emissions under way that the emitter is not theirs any more: its
 * storage may be gone when the listener returns. */
#include "op.h"
#include "weft/emitter.h"

struct weft_emission {
    struct weft_emitter *emitter;
    struct weft_listener *next;
    struct weft_emission *outer;
};

void weft_emitter_init(struct weft_emitter *emitter, const char *name)
{
    *emitter = (struct weft_emitter){.name = name != NULL ? name : "emitter"};
    emitter->tail_ = &emitter->first_;
}

void weft_emitter_close(struct weft_emitter *emitter)
{
    while (emitter->first_ != NULL)
        weft_off(emitter->first_);
    for (struct weft_emission *e = emitter->emitting_; e != NULL; e = e->outer)
        e->emitter = NULL;
    emitter->emitting_ = NULL;
}

static void add(struct weft_emitter *emitter, int event, struct weft_listener *listener,
                weft_listener_fn *fn, bool once)
{
    RULE(4, fn != NULL, NULL, "a listener has nothing to call");
    weft_off(listener);
    *listener = (struct weft_listener){.emitter_ = emitter,
                                       .event_ = event,
                                       .fn_ = fn,
                                       .once_ = once,
                                       .since_ = emitter->added_++};
    listener->link_ = emitter->tail_;
    *emitter->tail_ = listener;
    emitter->tail_ = &listener->next_;
}

void weft_on(struct weft_emitter *emitter, int event, struct weft_listener *listener,
             weft_listener_fn *fn)
{
    add(emitter, event, listener, fn, false);
}

void weft_once(struct weft_emitter *emitter, int event, struct weft_listener *listener,
               weft_listener_fn *fn)
{
    add(emitter, event, listener, fn, true);
}

void weft_off(struct weft_listener *listener)
{
    struct weft_emitter *emitter = listener->emitter_;
    if (emitter == NULL)
        return;
    for (struct weft_emission *e = emitter->emitting_; e != NULL; e = e->outer) {
        if (e->next == listener)
            e->next = listener->next_;
    }
    *listener->link_ = listener->next_;
    if (listener->next_ != NULL)
        listener->next_->link_ = listener->link_;
    else
        emitter->tail_ = listener->link_;
    listener->emitter_ = NULL;
}

/* Goes through the listeners; returns how many it called. */
static unsigned walk(struct weft_emission *emission, uint64_t end, int event, void *about)
{
    unsigned called = 0;
    while (emission->next != NULL && emission->next->since_ < end) {
        struct weft_listener *listener = emission->next;
        emission->next = listener->next_;
        if (listener->event_ != event)
            continue;
        called++;
        weft_listener_fn *fn = listener->fn_;
        if (listener->once_)
            weft_off(listener);
        fn(listener, about);
    }
    return called;
}

unsigned weft_emit(struct weft_emitter *emitter, int event, void *about)
{
    struct weft_emission emission = {emitter, emitter->first_, emitter->emitting_};
    emitter->emitting_ = &emission;
    unsigned called = walk(&emission, emitter->added_, event, about);
    emitter = emission.emitter; /* NULL: closed, perhaps freed */
    if (emitter == NULL)
        return called;
    emitter->emitting_ = emission.outer;
    if (called == 0 && event == WEFT_ERROR)
        weft__unheard(emitter->name);
    return called;
}

bool weft_heard(const struct weft_emitter *emitter, int event)
{
    for (const struct weft_listener *l = emitter->first_; l != NULL; l = l->next_) {
        if (l->event_ == event)
            return true;
    }
    return false;
}
