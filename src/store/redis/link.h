/* A link: one connection to a server at a time, made again whenever it is lost.
 *
 * It is part of a long-lived op, the handle (a client, a subscription), whose only child of ours is the
 * connection that there is or the pause before the next one. */
#ifndef WEFT_STORE_REDIS_LINK_H
#define WEFT_STORE_REDIS_LINK_H

#include "bytes.h"
#include "reply.h"
#include "url.h"
#include "weft/stream.h"

enum { REDIS_INPUT = 64 * 1024 };

struct redis_link;

/* What a connection needs to know; weft_redis and weft_redis_subscription have the same among their own. */
struct redis_settings {
    const char *url, *user, *password;
    unsigned database;
    uint64_t connect_ms, backoff_ms, backoff_max_ms;
    size_t reply_max;
};
#define REDIS_SETTINGS(handle)                                                                     \
    ((struct redis_settings){(handle)->url, (handle)->user, (handle)->password,                    \
                             (handle)->database, (handle)->connect_ms, (handle)->backoff_ms,       \
                             (handle)->backoff_max_ms, (handle)->reply_max})

/* What a link tells its handle. None is called once the link is closing. */
struct redis_link_events {
    /* The server has answered, and who we are is settled. */
    void (*up)(struct redis_link *link);
    /* A connection that was up is lost, or an attempt at one has failed: link->status, link->why. */
    void (*down)(struct redis_link *link);
    /* While it is up: a reply, which is the handle's to free. */
    void (*reply)(struct redis_link *link, struct weft_redis_reply *reply);
    /* The last word: nothing of the link is under way any more. The handle frees it. */
    void (*closed)(struct redis_link *link);
};

struct redis_link {
    struct weft_op *handle;
    const struct redis_link_events *events;
    struct redis_settings at;
    struct redis_place place;
    uint64_t connects, failures;
    int status;
    char *why; /* WEFT_REDIS_WHY bytes of the handle's */
    bool up, closing;

    bool failed;       /* this connection is on its way out */
    unsigned expected; /* answers that are still to come before it is up */
    unsigned tries;    /* failures in a row; the handle sets it to 0 when it has what it wants */
    struct weft_op connection;
    struct weft_stream stream;
    struct weft_connect connect;
    struct weft_read read;
    struct weft_write write;
    bool writing;
    struct weft_sleep pause;
    struct weft_timer patience;
    struct redis_replies replies;
    struct redis_bytes filling, going; /* what collects, and what is being written */
    char input[REDIS_INPUT];
};

/* link is zeroed but for handle, events, at and why. UV_EINVAL, UV_ENAMETOOLONG: the url. Nothing is under
 * way yet. */
int weft__redis_link_init(struct redis_link *link);
/* The first attempt, under the handle. */
void weft__redis_link_start(struct redis_link *link);
/* The handle was told to end: its children are being cancelled, closed follows. */
void weft__redis_link_close(struct redis_link *link);

/* Send a command. The errors of weft__redis_bytes_command. */
int weft__redis_link_send(struct redis_link *link, const struct weft_text *args, size_t count);
/* Send what link->filling holds. */
void weft__redis_link_flush(struct redis_link *link);
/* Give this connection up: down is called, and the next one is made after a pause. */
void weft__redis_link_fail(struct redis_link *link, int status, struct weft_text why);

#endif
