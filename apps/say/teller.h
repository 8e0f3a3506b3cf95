/* apps/say/teller.h: a module that takes its time to initialise, and then tells the time.
 *
 * It stands for a database: asked too early it has nothing to say, and says so. It knows nothing of
 * whoever would rather wait: see say.c. */
#ifndef WEFT_SAY_TELLER_H
#define WEFT_SAY_TELLER_H

#include <weft.h>

/* Zeroed, it is not initialised. */
struct teller {
    bool initialized; /* read only */
};

/* Initialise it, which takes delay_ms. Once. */
struct teller_init {
    struct weft_op op;
    struct teller *teller;
    uint64_t delay_ms;
    struct weft_sleep sleep_;
};
void teller_init_begin(struct weft_op *op);

/* Have it tell something: text, when it succeeds. UV_EAGAIN: it is not initialised. In both cases on
 * a later turn. */
enum { TELL_TEXT = 96 };
struct tell {
    struct weft_op op;
    struct teller *teller;
    char text[TELL_TEXT]; /* what it has to say, or why not: the whole sentence */
    struct weft_op tick_;
};
void tell_begin(struct weft_op *op);

#endif
