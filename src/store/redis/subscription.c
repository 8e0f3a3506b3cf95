/* A subscription: a link whose replies are messages.
 *
 * The channels are asked for as soon as the link is up, and when all are confirmed nothing is missed any
 * more: that is on_back, not the connection.
 *
 * Somebody who only listens does not notice that the other end is gone without a word (a cable, a power
 * failure). So when nothing has come for a while it asks, and when nothing comes of that either the
 * connection is given up. */
#include "link.h"
#include "weft/alloc.h"

struct weft_redis_feed {
    struct weft_redis_subscription *subscription;
    struct redis_link link;
    struct weft_text *args; /* SUBSCRIBE and the channels */
    size_t confirmed;
    struct weft_timer alive;
    uint64_t heard_ms; /* when something came */
    bool asked;        /* since then */
};

static struct weft_redis_feed *feed_of(struct redis_link *link)
{
    return weft_owner(link, struct weft_redis_feed, link);
}

typedef void subscription_fn(struct weft_redis_subscription *subscription);

static void tell(struct weft_redis_subscription *subscription, subscription_fn *fn)
{
    struct weft_frame frame;
    if (fn == NULL)
        return;
    weft_enter(&frame, &subscription->op, (weft_entry_fn *)fn);
    fn(subscription);
    weft_leave(&frame);
}

static void show(struct weft_redis_feed *feed)
{
    struct weft_redis_subscription *subscription = feed->subscription;
    subscription->status = feed->link.status;
    subscription->connects = feed->link.connects;
    subscription->failures = feed->link.failures;
}

/* ---- a sign of life ------------------------------------------------------------------------- */

static void look_if_alive(struct weft_timer *timer);

static uint64_t alive_ms(const struct weft_redis_feed *feed)
{
    return feed->subscription->alive_ms != 0 ? feed->subscription->alive_ms : WEFT_REDIS_ALIVE_MS;
}

static void heard_something(struct weft_redis_feed *feed)
{
    feed->heard_ms = weft_now(weft_loop_of(&feed->subscription->op));
    feed->asked = false;
}

static void listen_on(struct weft_redis_feed *feed, uint64_t ms)
{
    weft_timer_start(weft_loop_of(&feed->subscription->op), &feed->alive, ms, look_if_alive);
}

static void look_if_alive(struct weft_timer *timer)
{
    static const struct weft_text ping[] = {WEFT_REDIS_ARG("PING")};
    struct weft_redis_feed *feed = weft_owner(timer, struct weft_redis_feed, alive);
    uint64_t ms = alive_ms(feed);
    uint64_t quiet = weft_now(weft_loop_of(&feed->subscription->op)) - feed->heard_ms;
    if (quiet < ms) {
        listen_on(feed, ms - quiet);
        return;
    }
    int status = feed->asked ? UV_ETIMEDOUT : weft__redis_link_send(&feed->link, ping, 1);
    feed->asked = true;
    if (status == 0)
        listen_on(feed, ms);
    else
        weft__redis_link_fail(&feed->link, status, weft_text(NULL, 0));
}

/* ---- the link ------------------------------------------------------------------------------- */

static void up(struct redis_link *link)
{
    struct weft_redis_feed *feed = feed_of(link);
    show(feed);
    feed->confirmed = 0;
    heard_something(feed);
    int status = weft__redis_link_send(link, feed->args, feed->subscription->count + 1);
    if (status == 0)
        listen_on(feed, alive_ms(feed));
    else
        weft__redis_link_fail(link, status, weft_text(NULL, 0));
}

static void down(struct redis_link *link)
{
    struct weft_redis_feed *feed = feed_of(link);
    struct weft_redis_subscription *subscription = feed->subscription;
    bool was = subscription->connected;
    weft_timer_stop(weft_loop_of(&subscription->op), &feed->alive);
    show(feed);
    subscription->connected = false;
    if (was)
        tell(subscription, subscription->on_lost);
}

static void confirm(struct weft_redis_feed *feed)
{
    struct weft_redis_subscription *subscription = feed->subscription;
    if (++feed->confirmed != subscription->count)
        return;
    subscription->connected = true;
    feed->link.tries = 0;
    tell(subscription, subscription->on_back);
}

static void pass_on(struct weft_redis_subscription *subscription, struct weft_text channel,
                    struct weft_text message)
{
    struct weft_frame frame;
    subscription->messages++;
    if (subscription->on_message == NULL)
        return;
    weft_enter(&frame, &subscription->op, (weft_entry_fn *)subscription->on_message);
    subscription->on_message(subscription, channel, message);
    weft_leave(&frame);
}

static bool is_kind(const struct weft_redis_reply *reply, const char *kind, size_t count)
{
    return reply->type == WEFT_REDIS_ARRAY && reply->count == count &&
           reply->elements[0].type == WEFT_REDIS_STRING &&
           weft_text_is(reply->elements[0].text, kind);
}

static void take(struct weft_redis_feed *feed, const struct weft_redis_reply *reply)
{
    const struct weft_redis_reply *elements = reply->elements;
    heard_something(feed);
    if (is_kind(reply, "message", 3) && elements[1].type == WEFT_REDIS_STRING &&
        elements[2].type == WEFT_REDIS_STRING)
        pass_on(feed->subscription, elements[1].text, elements[2].text);
    else if (is_kind(reply, "subscribe", 3))
        confirm(feed);
    else if (reply->type == WEFT_REDIS_ERROR)
        weft__redis_link_fail(&feed->link, WEFT_ESTATUS, reply->text);
    else if (!is_kind(reply, "pong", 2))
        weft__redis_link_fail(&feed->link, UV_EPROTO, weft_text_of("that is no message"));
}

static void reply_came(struct redis_link *link, struct weft_redis_reply *reply)
{
    take(feed_of(link), reply);
    weft__redis_reply_free(reply);
}

static void closed(struct redis_link *link)
{
    struct weft_redis_feed *feed = feed_of(link);
    weft_free(feed->args);
    weft_free(feed);
}

static const struct redis_link_events events = {up, down, reply_came, closed};

/* ---- the op --------------------------------------------------------------------------------- */

static void subscription_cancel(struct weft_op *op, int reason)
{
    struct weft_redis_subscription *subscription =
        weft_owner(op, struct weft_redis_subscription, op);
    struct weft_redis_feed *feed = subscription->feed_;
    (void)reason;
    weft_timer_stop(weft_loop_of(op), &feed->alive);
    weft__redis_link_close(&feed->link);
    subscription->connected = false;
    subscription->feed_ = NULL;
    weft_join(op);
}

static bool channels_ok(const struct weft_redis_subscription *subscription)
{
    if (subscription->channels == NULL || subscription->count == 0 ||
        subscription->count > INT32_MAX - 1)
        return false;
    for (size_t i = 0; i < subscription->count; i++) {
        if (subscription->channels[i].data == NULL)
            return false;
    }
    return true;
}

static int prepare_args(struct weft_redis_feed *feed)
{
    static const struct weft_text subscribe = WEFT_REDIS_ARG("SUBSCRIBE");
    size_t count = feed->subscription->count;
    feed->args = weft_calloc(count + 1, sizeof *feed->args);
    if (feed->args == NULL)
        return UV_ENOMEM;
    feed->args[0] = subscribe;
    memcpy(feed->args + 1, feed->subscription->channels, count * sizeof *feed->args);
    return weft__redis_command_size(feed->args, count + 1) > 0 ? 0 : UV_E2BIG;
}

static int open_feed(struct weft_redis_subscription *subscription)
{
    if (!channels_ok(subscription))
        return UV_EINVAL;
    struct weft_redis_feed *feed = weft_calloc(1, sizeof *feed);
    if (feed == NULL)
        return UV_ENOMEM;
    feed->subscription = subscription;
    feed->link.handle = &subscription->op;
    feed->link.events = &events;
    feed->link.at = REDIS_SETTINGS(subscription);
    feed->link.why = subscription->why;
    int status = weft__redis_link_init(&feed->link);
    if (status == 0)
        status = prepare_args(feed);
    if (status != 0)
        closed(&feed->link);
    else
        subscription->feed_ = feed;
    return status;
}

void weft_redis_subscription_begin(struct weft_op *op)
{
    struct weft_redis_subscription *subscription =
        weft_owner(op, struct weft_redis_subscription, op);
    subscription->connected = false;
    subscription->why[0] = '\0';
    subscription->status = open_feed(subscription);
    if (subscription->status != 0) {
        weft_finish(op, subscription->status);
        return;
    }
    weft__redis_link_start(&subscription->feed_->link);
    weft_on_cancel(op, subscription_cancel);
}

void weft_redis_unsubscribe(struct weft_redis_subscription *subscription)
{
    if (subscription->feed_ != NULL)
        weft_end(&subscription->op, 0);
}

void weft_redis_subscribe_at(const struct weft_site *site, struct weft_op *parent,
                             struct weft_redis_subscription *subscription,
                             const struct weft_text *channels, size_t count, weft_then_fn *then)
{
    subscription->channels = channels;
    subscription->count = count;
    weft_run_now_at(site, parent, &subscription->op, weft_redis_subscription_begin, then);
}
