/* One remark each time it changes.
 *
 * Where nothing fails without Redis nobody would notice that it is not there, refuses the password or was
 * lost; where something does, nobody would know why. Now and then its state is looked at; what is said
 * depends on what was said last, so a Redis that is not there is told of once, and so is each other reason
 * that it gives from then on. */
#include "serving/redis.h"
#include "command.h"

enum { LOOK_MS = 200 };

enum change { NOTHING, MISSING, THERE, AGAIN };

static enum change changed(struct redis_watch *watch)
{
    const struct weft_redis *redis = watch->redis;
    enum change change = NOTHING;
    if (!redis->connected) {
        if (redis->failures > 0 && (!watch->missing || redis->status != watch->status))
            change = MISSING;
        watch->missing = redis->failures > 0;
        watch->status = redis->status;
        return change;
    }
    if (watch->missing)
        change = THERE;
    else if (watch->connects > 0 && redis->connects != watch->connects)
        change = AGAIN;
    watch->missing = false;
    watch->connects = redis->connects;
    return change;
}

static void look(struct weft_op *op)
{
    struct redis_watch *watch = weft_owner(op, struct redis_watch, ticker.op);
    switch (changed(watch)) {
    case MISSING:
        complain("Redis cannot be used, %s: %s", watch->without, watch->redis->why);
        break;
    case THERE:
        complain("Redis is there");
        break;
    case AGAIN:
        complain("Redis was lost, and is there again");
        break;
    case NOTHING:
        break;
    }
}

void redis_watch(struct weft_op *op, struct redis_watch *watch, const struct weft_redis *redis,
                 const char *without)
{
    watch->redis = redis;
    watch->without = without;
    weft_ticker(op, &watch->ticker, LOOK_MS, look, NULL);
}
