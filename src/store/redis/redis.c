/* The client: a link whose replies go to a line of commands.
 *
 *     url.c       where the server is
 *     link.c      a connection, and the next one when it is lost
 *     bytes.c     commands on their way out
 *     reply.c     replies on their way in, read by hiredis
 *     redis.c     the client
 *     line.c      commands that were sent
 *     command.c   a command, from its begin to its end
 *     subscription.c   a link whose replies are messages
 *     shared*.c   the cache that is made of all this
 *
 * The engine lives from the begin of the client's op to the link's last word, and is lent to commands as
 * long as redis->engine_ points to it: that is taken away as soon as the client is told to end. */
#include "engine.h"
#include "weft/alloc.h"

static struct weft_redis_engine *engine_of(struct redis_link *link)
{
    return weft_owner(link, struct weft_redis_engine, link);
}

static void tell(struct weft_redis *redis, void (*fn)(struct weft_redis *redis))
{
    struct weft_frame frame;
    if (fn == NULL)
        return;
    weft_enter(&frame, &redis->op, (weft_entry_fn *)fn);
    fn(redis);
    weft_leave(&frame);
}

static void show(struct weft_redis_engine *engine)
{
    struct weft_redis *redis = engine->redis;
    redis->connected = engine->link.up;
    redis->status = engine->link.status;
    redis->connects = engine->link.connects;
    redis->failures = engine->link.failures;
}

static void up(struct redis_link *link)
{
    struct weft_redis_engine *engine = engine_of(link);
    link->tries = 0;
    show(engine);
    weft__redis_waiting_send(engine);
    tell(engine->redis, engine->redis->on_up);
}

static void down(struct redis_link *link)
{
    struct weft_redis_engine *engine = engine_of(link);
    show(engine);
    weft__redis_line_lost(engine, link->status);
    weft__redis_waiting_failed(engine);
    tell(engine->redis, engine->redis->on_down);
}

static void reply_came(struct redis_link *link, struct weft_redis_reply *reply)
{
    weft__redis_line_answer(engine_of(link), reply);
}

static void closed(struct redis_link *link)
{
    struct weft_redis_engine *engine = engine_of(link);
    weft_free(engine->slots);
    weft_free(engine);
}

static const struct redis_link_events events = {up, down, reply_came, closed};

static void redis_cancel(struct weft_op *op, int reason)
{
    struct weft_redis *redis = weft_owner(op, struct weft_redis, op);
    struct weft_redis_engine *engine = redis->engine_;
    weft__redis_link_close(&engine->link);
    weft__redis_line_lost(engine, reason);
    weft__redis_waiting_lost(engine, reason);
    redis->connected = false;
    redis->engine_ = NULL;
    weft_join(op);
}

static int open_engine(struct weft_redis *redis)
{
    struct weft_redis_engine *engine = weft_calloc(1, sizeof *engine);
    if (engine == NULL)
        return UV_ENOMEM;
    engine->redis = redis;
    engine->waiting_tail = &engine->waiting;
    engine->link.handle = &redis->op;
    engine->link.events = &events;
    engine->link.at = REDIS_SETTINGS(redis);
    engine->link.why = redis->why;
    int status = weft__redis_link_init(&engine->link);
    if (status == 0)
        status = weft__redis_line_init(engine);
    if (status != 0)
        closed(&engine->link);
    else
        redis->engine_ = engine;
    return status;
}

void weft_redis_begin(struct weft_op *op)
{
    struct weft_redis *redis = weft_owner(op, struct weft_redis, op);
    redis->connected = false;
    redis->running = 0;
    redis->why[0] = '\0';
    redis->status = open_engine(redis);
    if (redis->status != 0) {
        weft_finish(op, redis->status);
        return;
    }
    weft__redis_link_start(&redis->engine_->link);
    weft_on_cancel(op, redis_cancel);
}

void weft_redis_close(struct weft_redis *redis)
{
    if (redis->engine_ != NULL)
        weft_end(&redis->op, 0);
}

/* Now, however deep the stack is: commands may begin when this returns. */
void weft_redis_at(const struct weft_site *site, struct weft_op *parent, struct weft_redis *redis,
                   weft_then_fn *then)
{
    weft_run_now_at(site, parent, &redis->op, weft_redis_begin, then);
}
