/* Replies: hiredis reads, and what it reads becomes a tree of ours. */
#ifndef WEFT_STORE_REDIS_REPLY_H
#define WEFT_STORE_REDIS_REPLY_H

#include "weft/redis.h"

/* hiredis' reader with its limit. It has its own malloc; the tree has ours. */
struct redis_replies {
    struct redisReader *reader;
    size_t max;  /* bytes of a reply: what is kept of it, and what of it has come */
    size_t used; /* of the reply that is being read */
    bool full;   /* it would be more than max */
    char why[WEFT_REDIS_WHY];
};

/* UV_ENOMEM */
int weft__redis_replies_open(struct redis_replies *replies, size_t max);
/* Safe on one that is not open. */
void weft__redis_replies_close(struct redis_replies *replies);

/* Bytes have come. UV_ENOMEM, UV_EPROTO after an earlier error. */
int weft__redis_replies_feed(struct redis_replies *replies, const char *data, size_t size);
/* The next reply, which is the caller's, or NULL: more bytes are needed. UV_EPROTO: what came is no
 * reply; why says more. UV_EFBIG: it is larger than max. UV_ENOMEM. After an error there is no going on. */
int weft__redis_replies_next(struct redis_replies *replies, struct weft_redis_reply **reply);

/* Takes NULL. */
void weft__redis_reply_free(struct weft_redis_reply *reply);

#endif
