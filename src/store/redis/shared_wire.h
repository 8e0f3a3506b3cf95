/* What the processes leave for each other in Redis, as bytes. Everything that comes from there is looked at
 * as if a stranger had written it. */
#ifndef WEFT_STORE_REDIS_SHARED_WIRE_H
#define WEFT_STORE_REDIS_SHARED_WIRE_H

#include "weft/cache.h"
#include "weft/redis.h"

enum {
    SHARED_TOKEN = 16, /* hexadecimal digits of a token, an id, a generation */
    SHARED_LIFE = 14,  /* the same, of how long a value is to live */
    SHARED_HEAD = 2 + SHARED_TOKEN + SHARED_LIFE /* before a value: version, generation, life */
};

/* More than Redis counts to, or nearly: a time that is longer has no end. */
#define SHARED_MS_MAX ((uint64_t)1 << 53)

/* The version: its second byte counts on when the form of values changes. */
#define SHARED_VERSION "W1"

/* What is needed to store under a lease. */
struct shared_lease {
    char token[SHARED_TOKEN];
    char generation[SHARED_TOKEN];
};

void weft__shared_token(char token[SHARED_TOKEN]);

/* How long a value is to live. One that does so by the settings is too old for those whose settings give
 * it less; what its load has chosen holds for all. */
struct shared_time {
    uint64_t ttl_ms; /* 0: for ever */
    bool chosen;
};
/* With a NUL behind. */
void weft__shared_life(char life[SHARED_LIFE + 1], const struct shared_time *time);

/* ---- the answer to SHARED_TAKE -------------------------------------------------------------- */

enum shared_found {
    SHARED_NONSENSE, /* it is no answer of ours */
    SHARED_VALUE,
    SHARED_LEASE,
    SHARED_BUSY
};

struct shared_taken {
    enum shared_found found;
    struct weft_text value; /* points into the reply */
    uint64_t ttl_ms;        /* as a flight's: WEFT_CACHE_FOREVER, and never 0 */
    bool replaces_garbage;
    char generation[SHARED_TOKEN]; /* with a lease */
};

void weft__shared_read_taken(const struct weft_redis_reply *reply, struct shared_taken *taken);

/* ---- messages ------------------------------------------------------------------------------- */

enum shared_news {
    SHARED_ODD, /* it is no message of ours */
    SHARED_OWN,
    SHARED_KEY,
    SHARED_ALL
};

/* What a message says to the process with this id; key points into message. */
enum shared_news weft__shared_read_message(struct weft_text message, const char id[SHARED_TOKEN],
                                           struct weft_text *key);
enum { SHARED_MESSAGE_HEAD = SHARED_TOKEN + 1 };
/* What stands before the key. */
void weft__shared_message_head(char head[SHARED_MESSAGE_HEAD], const char id[SHARED_TOKEN],
                               bool all);

#endif
