/* The hub: the connections of a producer or a worker.
 *
 * It is an op of its own under the loop's root, and not under its handle, because it has to outlive a cancel
 * of that: the parts of a worker that is cancelled are given back, a producer's jobs are cancelled
 * everywhere, and only then, or when Redis takes too long, the handle closes the hub and ends itself. What is
 * called through it (call.c) runs below it. */
#include "hub.h"
#include <stdio.h>

static struct jobs_hub *hub_of(struct weft_redis_subscription *subscription)
{
    return weft_owner(subscription, struct jobs_hub, subscription);
}

/* ---- the script ----------------------------------------------------------------------------- */

static void taught(struct weft_op *op, struct weft_op *lesson)
{
    struct jobs_hub *hub = weft_owner(op, struct jobs_hub, op);
    const struct weft_redis_reply *reply = hub->lesson.reply;
    hub->teaching = false;
    if (lesson->status == 0 && reply->type == WEFT_REDIS_STRING && reply->text.size == JOBS_SUM) {
        memcpy(hub->sum, reply->text.data, JOBS_SUM);
        hub->taught = true;
    }
    weft_redis_command_free(&hub->lesson);
}

/* At every connection, for Redis may be a new one. From then on it is called by its sum; until then, and should
 * Redis have forgotten it, by its text. */
static void teach(struct jobs_hub *hub)
{
    const struct weft_text args[] = {WEFT_REDIS_ARG("SCRIPT"), WEFT_REDIS_ARG("LOAD"),
                                     weft_text_of(weft__jobs_script)};
    if (hub->teaching)
        return;
    hub->teaching = true;
    weft_redis_command(&hub->op, &hub->lesson, hub->redis, args, 3, taught);
}

static void client_up(struct weft_redis *redis)
{
    struct jobs_hub *hub = weft_owner(redis->op.parent, struct jobs_hub, op);
    hub->up_since = weft_now(weft_loop_of(&redis->op));
    teach(hub);
    hub->events->up(hub);
}

bool weft__jobs_hub_steady(const struct jobs_hub *hub, uint64_t ms)
{
    return hub->redis->connected && weft_now(weft_loop_of(&hub->op)) - hub->up_since >= ms;
}

/* ---- the channel ---------------------------------------------------------------------------- */

static void heard(struct weft_redis_subscription *subscription, struct weft_text channel,
                  struct weft_text message)
{
    (void)channel;
    hub_of(subscription)->events->heard(hub_of(subscription), message);
}

static void back(struct weft_redis_subscription *subscription)
{
    hub_of(subscription)->events->listening(hub_of(subscription), true);
}

static void lost(struct weft_redis_subscription *subscription)
{
    hub_of(subscription)->events->listening(hub_of(subscription), false);
}

static void subscribe(struct jobs_hub *hub)
{
    struct weft_redis_subscription *subscription = &hub->subscription;
    const struct weft_redis *redis = hub->redis;
    subscription->url = redis->url;
    subscription->user = redis->user;
    subscription->password = redis->password;
    subscription->database = redis->database;
    subscription->connect_ms = redis->connect_ms;
    subscription->backoff_ms = redis->backoff_ms;
    subscription->backoff_max_ms = redis->backoff_max_ms;
    subscription->on_message = heard;
    subscription->on_back = back;
    subscription->on_lost = lost;
    weft_redis_subscribe(&hub->op, subscription, &hub->channel, 1, NULL);
}

/* ---- opening and closing -------------------------------------------------------------------- */

int weft__jobs_wrong(struct weft_redis *redis, int status, const char *why)
{
    snprintf(redis->why, sizeof redis->why, "%s", why);
    return status;
}

int weft__jobs_check(struct weft_redis *redis, const char *queue)
{
    redis->why[0] = '\0';
    if (queue == NULL || queue[0] == '\0')
        return weft__jobs_wrong(redis, UV_EINVAL, "the queue has no name");
    if (strlen(queue) > WEFT_JOBS_QUEUE_MAX)
        return weft__jobs_wrong(redis, UV_ENAMETOOLONG, "the queue's name is too long");
    if (strpbrk(queue, "{}") != NULL)
        return weft__jobs_wrong(redis, UV_EINVAL, "the queue's name has a '{' or a '}'");
    return weft_redis_url_check(redis->url, redis->why);
}

void weft__jobs_copy_settings(struct weft_redis *other, const struct weft_redis *redis)
{
    other->url = redis->url;
    other->user = redis->user;
    other->password = redis->password;
    other->database = redis->database;
    other->connect_ms = redis->connect_ms;
    other->backoff_ms = redis->backoff_ms;
    other->backoff_max_ms = redis->backoff_max_ms;
}

static void hub_over(struct weft_op *root, struct weft_op *op)
{
    struct jobs_hub *hub = weft_owner(op, struct jobs_hub, op);
    (void)root;
    hub->is_over = true;
    hub->events->over(hub, op->status);
}

/* Should one of them not begin (no memory), the other gets a cancel and the hub its error. */
static void hub_begin(struct weft_op *op)
{
    struct jobs_hub *hub = weft_owner(op, struct jobs_hub, op);
    hub->redis->on_up = client_up;
    hub->redis->on_down = NULL;
    weft_redis(op, hub->redis, NULL);
    subscribe(hub);
}

void weft__jobs_hub_open(struct jobs_hub *hub, struct weft_loop *loop, const char *queue,
                         const char *channel, const char *id)
{
    int size = snprintf(hub->names, sizeof hub->names, "{%s}:parts", queue);
    char *second = hub->names + size + 1;
    hub->parts = weft_text(hub->names, (size_t)size);
    size = snprintf(second, sizeof hub->names / 2, "{%s}:%s%s", queue, channel, id);
    hub->channel = weft_text(second, (size_t)size);
    weft_run_now_at(WEFT_HERE("jobs hub", WEFT_QUEUE), weft_root(loop), &hub->op, hub_begin,
                    hub_over);
}

void weft__jobs_hub_close(struct jobs_hub *hub)
{
    if (!hub->is_over)
        weft_end(&hub->op, 0);
}
