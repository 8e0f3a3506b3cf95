/* What a shared cache has while it runs, and the calls it makes to Redis. */
#ifndef WEFT_STORE_REDIS_SHARED_H
#define WEFT_STORE_REDIS_SHARED_H

#include "shared_wire.h"
#include "weft/shared.h"

struct shared_flight; /* in shared_load.c */

struct weft_shared_engine {
    struct weft_shared *shared;
    struct weft_redis_subscription subscription;
    struct weft_batch batch; /* the caller's loads */
    struct weft_text channel;
    size_t prefix_size;
    char id[SHARED_TOKEN]; /* of this process: it knows its own messages */
    uint64_t owed, paid;   /* words to forget that Redis has not confirmed; those made up for */
    bool paying;
    bool leaving;                    /* told to close, but there are flights or errands left */
    struct shared_flight *flights;   /* under way */
    size_t errands;                  /* under way */
    struct weft_shared_errand *late; /* leases to give back when there is a connection */
    struct weft_timer payer;
    struct weft_timer closer;
    unsigned asked; /* how often the closer has looked in vain */
    char names[WEFT_SHARED_PREFIX_MAX + 1];
};

/* The local part of forgetting. */
void weft__shared_forget_here(struct weft_shared_engine *engine, struct weft_text key);
void weft__shared_flush(struct weft_shared_engine *engine);

/* A flight or an errand is over: if it was the last that a close waits for, end. */
void weft__shared_leave(struct weft_shared_engine *engine);

/* The begin of a load of the local cache, and the size of its flight; in shared_load.c. */
void weft__shared_load_begin(struct weft_op *op);
size_t weft__shared_flight_size(void);
/* Cancel all that are under way; they give their leases back. */
void weft__shared_loads_cancel(struct weft_shared_engine *engine);

/* ---- calls of a script; in shared_call.c ---------------------------------------------------- */

enum shared_script { SHARED_TAKE, SHARED_SETTLE, SHARED_FORGET };

enum { SHARED_ARGS = 6 + 6 /* what every call has, and the most that one adds */ };

/* An op: one call, by the script's name or, if Redis does not know that, by its text. It takes no longer than
 * command_ms. */
struct shared_call {
    struct weft_op op;
    struct weft_shared_engine *engine;
    enum shared_script script;
    struct weft_text args[SHARED_ARGS];
    size_t count;
    struct weft_redis_command command; /* its reply; free it */
    uint64_t due_ms;
    struct weft_timer timer;
    char *names;
};

/* call is zeroed. UV_ENOMEM. After it, weft__shared_call_free is due. */
int weft__shared_call_init(struct shared_call *call, struct weft_shared_engine *engine,
                           enum shared_script script, struct weft_text key);
/* The bytes stay until the call is over. */
void weft__shared_call_arg(struct shared_call *call, const void *data, size_t size);
void weft__shared_call_begin(struct weft_op *op);
void weft__shared_call_free(struct shared_call *call);
/* There is a new connection: have Redis know the scripts. */
void weft__shared_teach(struct weft_shared_engine *engine);

/* ---- errands: calls that nobody waits for, or may leave; in shared_errand.c ----------------- */

/* Store what cell holds, whose load has the lease of key; or, with NULL, only give the lease back. Without
 * a connection nothing is stored, and the lease is given back when there is one. */
void weft__shared_settle(struct weft_shared_engine *engine, struct weft_text key,
                         const struct shared_lease *lease, struct weft_cell *cell,
                         const struct shared_time *time);
void weft__shared_settle_late(struct weft_shared_engine *engine);
void weft__shared_late_free(struct weft_shared_engine *engine);
/* Have Redis and the others forget key, or all; forget, unless it is NULL, is told how it went. The errors
 * of weft__shared_call_init. */
int weft__shared_tell(struct weft_shared_engine *engine, struct weft_text key, bool all,
                      struct weft_shared_forget *forget);
/* Is there anything that Redis was not told? Then what it has may be old. */
static inline bool shared_owes(const struct weft_shared_engine *engine)
{
    return engine->owed != engine->paid;
}
/* Make up for it, if it can be done now. */
void weft__shared_pay(struct weft_shared_engine *engine);

#endif
