/* What producers and workers have in common: a client, a subscription, and calls of the script. */
#ifndef WEFT_STORE_JOBS_HUB_H
#define WEFT_STORE_JOBS_HUB_H

#include "wire.h"

struct jobs_hub;

/* What a hub tells its handle. */
struct jobs_hub_events {
    void (*up)(struct jobs_hub *hub);                              /* Redis can be called */
    void (*heard)(struct jobs_hub *hub, struct weft_text message); /* from the channel */
    void (*listening)(struct jobs_hub *hub, bool so);
    void (*over)(struct jobs_hub *hub, int status); /* the last word: it may be freed */
};

enum { JOBS_SUM = 40 };

struct jobs_hub {
    struct weft_op op;
    struct weft_redis *redis; /* the handle's */
    const struct jobs_hub_events *events;
    struct weft_redis_subscription subscription;
    struct weft_redis_command lesson;
    bool teaching, taught;
    bool is_over;
    uint64_t up_since;
    struct weft_text channel, parts; /* names: the channel's, that of the stream of parts */
    char sum[JOBS_SUM];
    char names[2 * (WEFT_JOBS_QUEUE_MAX + 32)];
};

/* Is the handle's queue a good one, and its server? 0, or an error and redis->why. */
int weft__jobs_check(struct weft_redis *redis, const char *queue);
int weft__jobs_wrong(struct weft_redis *redis, int status, const char *why);

/* hub is zeroed but for redis and events. channel: how the channel's name goes on behind the prefix; id: and on.
 * Under loop's root. */
void weft__jobs_hub_open(struct jobs_hub *hub, struct weft_loop *loop, const char *queue,
                         const char *channel, const char *id);
/* Cancels what is under way; over follows, later. */
void weft__jobs_hub_close(struct jobs_hub *hub);
static inline uint64_t jobs_command_ms(const struct jobs_hub *hub)
{
    return hub->redis->command_ms != 0 ? hub->redis->command_ms : WEFT_REDIS_COMMAND_MS;
}
/* Has there been a connection for so long? */
bool weft__jobs_hub_steady(const struct jobs_hub *hub, uint64_t ms);
/* The settings of redis for another client of the same server. */
void weft__jobs_copy_settings(struct weft_redis *other, const struct weft_redis *redis);

/* ---- calls of the script -------------------------------------------------------------------- */

extern const char weft__jobs_script[];

enum { JOBS_ARGS = 16, JOBS_NUMBERS = 4, JOBS_NUMBER = 24 };

/* An op under the hub: one call, repeated until there is an answer. */
struct jobs_call {
    struct weft_op op;
    struct jobs_hub *hub;
    struct weft_text *args; /* few, or the caller's */
    size_t count;
    struct weft_text few[JOBS_ARGS];
    struct weft_redis_command command; /* its reply */
    struct weft_sleep pause;
    unsigned tries;
    bool busy;    /* under way; false from weft__jobs_call_over on */
    bool pausing; /* before the next try */
    bool last;    /* there is none */
    bool by_text; /* Redis does not know the script */
    size_t numbers_used;
    char numbers[JOBS_NUMBERS][JOBS_NUMBER];
};

/* A call that is not busy. args: where its arguments go; NULL: into few. They stay until it is over. */
void weft__jobs_call_init(struct jobs_call *call, struct jobs_hub *hub, const char *verb,
                          struct weft_text *args);
void weft__jobs_call_text(struct jobs_call *call, struct weft_text text);
void weft__jobs_call_string(struct jobs_call *call, const char *string);
void weft__jobs_call_number(struct jobs_call *call, uint64_t number);
/* Only while the hub is not over. The status: 0 and an answer; WEFT_ESTATUS: Redis refuses, for good;
 * UV_EFBIG; a cancel's reason. */
void weft__jobs_call_run(struct jobs_call *call, weft_then_fn *then);
/* First in its then. */
void weft__jobs_call_over(struct jobs_call *call);
/* Last in its then. */
static inline void jobs_call_free(struct jobs_call *call)
{
    weft_redis_command_free(&call->command);
}
/* The words of a refusal, into why. */
void weft__jobs_call_why(const struct jobs_call *call, char why[WEFT_REDIS_WHY]);
/* No more tries: it ends with the answer to the one that is under way, or without one. Busy. */
void weft__jobs_call_last(struct jobs_call *call);
/* Stop it; its then follows. Safe on one that is not busy. */
static inline void jobs_call_cancel(struct jobs_call *call)
{
    if (call->busy)
        weft_cancel(&call->op, UV_ECANCELED);
}

#endif
