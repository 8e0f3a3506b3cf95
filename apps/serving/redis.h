/* apps/serving/redis.h: what becomes of Redis, for people. */
#ifndef WEFT_APPS_SERVING_REDIS_H
#define WEFT_APPS_SERVING_REDIS_H

#include <weft.h>
#include <weft/redis.h>

/* What was seen of Redis when it was last looked at. */
struct redis_watch {
    struct weft_ticker ticker;
    const struct weft_redis *redis;
    const char *without;
    bool missing; /* and it was said why */
    int status;
    uint64_t connects;
};

/* Say below op, from now on, what becomes of redis; without: what follows from it if it is not there. */
void redis_watch(struct weft_op *op, struct redis_watch *watch, const struct weft_redis *redis,
                 const char *without);

#endif
