/* What becomes of Redis, for people: one remark each time it changes.
 *
 * Nothing fails without Redis, so nobody would notice that it is not there, refuses the password or was
 * lost. Now and then its state is looked at; what is said depends on what was said last, so a Redis that
 * is not there is told of once, and so is each other reason that it gives from then on. */
#include "sales/serve.h"

enum { LOOK_MS = 200 };

/* A sentence for people, or NULL if nothing has changed. */
static const char *change(struct redis_watch *watch, const struct weft_redis *redis)
{
    const char *says = NULL;
    if (!redis->connected) {
        if (redis->failures > 0 && (!watch->missing || redis->status != watch->status))
            says = "Redis cannot be used, nothing is shared";
        watch->missing = redis->failures > 0;
        watch->status = redis->status;
        return says;
    }
    if (watch->missing)
        says = "Redis is there";
    else if (watch->connects > 0 && redis->connects != watch->connects)
        says = "Redis was lost, and is there again";
    watch->missing = false;
    watch->connects = redis->connects;
    return says;
}

static void look(struct weft_op *op)
{
    struct sales_server *server = weft_owner(op, struct sales_server, redis.ticker.op);
    const struct weft_redis *redis = &server->totals.shared.redis;
    const char *says = change(&server->redis, redis);
    if (says != NULL && server->redis.missing)
        complain("%s: %s", says, redis->why);
    else if (says != NULL)
        complain("%s", says);
}

void redis_watch(struct weft_op *op, struct sales_server *server)
{
    weft_ticker(op, &server->redis.ticker, LOOK_MS, look, NULL);
}
