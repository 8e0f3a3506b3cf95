/* weft/redis.h: Redis commands and messages as operations. In libweft-redis.
 *
 *     struct job { struct weft_op op; struct weft_redis redis; struct weft_redis_command get; };
 *
 *     static void got(struct weft_op *op, struct weft_op *get)
 *     {
 *         struct job *job = weft_owner(op, struct job, op);
 *         if (get->status == 0 && job->get.reply->type == WEFT_REDIS_STRING)
 *             printf("%.*s\n", WEFT_TEXT_ARGS(job->get.reply->text));
 *         else
 *             printf("%s %s\n", weft_strerror(get->status), job->redis.why);
 *         weft_redis_command_free(&job->get);
 *         weft_redis_close(&job->redis);
 *     }
 *
 *     static void job_begin(struct weft_op *op)
 *     {
 *         static const struct weft_text get[] = {WEFT_REDIS_ARG("GET"), WEFT_REDIS_ARG("colour")};
 *         struct job *job = weft_owner(op, struct job, op);
 *         job->redis.url = "redis://:secret@127.0.0.1:6379/0";
 *         weft_redis(op, &job->redis, NULL);
 *         weft_redis_command(op, &job->get, &job->redis, get, 2, got);
 *         weft_join(op);
 *     }
 *
 * A client is an op that runs until it is ended. It keeps one connection, and makes a new one whenever
 * that is lost, after a pause that doubles from backoff_ms to backoff_max_ms and is shortened by up to a
 * half at random. Commands go out in the order in which they are begun, without waiting for one another,
 * and answers come in the same order. So an answer that does not come in time takes the connection with
 * it: nobody could tell the next answer from it.
 *
 * Streams and names are weft's own, the reading of what the server says is hiredis'. What comes from the
 * server is not trusted: the size and the number of parts of a reply are bounded, and a reply that nobody
 * asked for, or that is none, is UV_EPROTO and a new connection. */
#ifndef WEFT_REDIS_H
#define WEFT_REDIS_H

#include "hook.h"
#include "text.h"
#include "timer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_REDIS_CONNECT_MS = 5000,              /* the default of connect_ms */
    WEFT_REDIS_COMMAND_MS = 1000,              /* the default of command_ms */
    WEFT_REDIS_BACKOFF_MS = 100,               /* the default of backoff_ms */
    WEFT_REDIS_BACKOFF_MAX_MS = 5000,          /* the default of backoff_max_ms */
    WEFT_REDIS_ALIVE_MS = 5000,                /* the default of alive_ms */
    WEFT_REDIS_LIMIT = 1024,                   /* the default of limit */
    WEFT_REDIS_REPLY_MAX = 16 * 1024 * 1024,   /* the default of reply_max */
    WEFT_REDIS_REQUEST_MAX = 64 * 1024 * 1024, /* bytes that may wait to be sent */
    WEFT_REDIS_WHY = 160                       /* room for an explanation, with its NUL */
};

struct weft_redis_engine; /* the library's */
struct weft_redis_feed;   /* the library's */

/* Is this the URL of a server? 0, or UV_EINVAL or UV_ENAMETOOLONG, and why, if it is not NULL, says what
 * is wrong with it, and quotes that if it is no part of a login. A password is never repeated.
 *     redis://host          port 6379, database 0; the host is a name, an IPv4 address or [IPv6]
 *     redis://user:password@host:6379/2
 *     redis://:password@host
 *     unix:/run/redis.sock  a Unix socket; unix:@name for an abstract one
 * Bytes that are not letters, digits or -._~!$&'()*+,;= are written as %XX in user and password; a ':' in
 * the password may stand for itself. TLS (rediss:) is not supported. */
WEFT_API int weft_redis_url_check(const char *url, char why[WEFT_REDIS_WHY]);

/* ---- the client ----------------------------------------------------------------------------- */

/* Set before the begin, texts stay until the end; zero will do for all but url. */
struct weft_redis {
    struct weft_op op;
    const char *url;
    const char *user, *password; /* count if url has none, as with unix: */
    unsigned database;           /* the same */
    uint64_t connect_ms;         /* for lookup, connection and password together */
    uint64_t backoff_ms, backoff_max_ms;
    uint64_t command_ms; /* how long a command may take, once it is sent */
    size_t reply_max;    /* bytes of a reply, what it costs to keep its parts included */
    size_t limit;        /* so many commands under way; 0: WEFT_REDIS_LIMIT */
    /* The connection is there: the server has answered. It is lost: redis->status and redis->why say
     * how. Neither is called for the end. Both may be NULL, and may begin commands or end redis. */
    void (*on_up)(struct weft_redis *redis);
    void (*on_down)(struct weft_redis *redis);

    bool connected;           /* read only */
    int status;               /* read only: why there is no connection, or why the last one ended */
    char why[WEFT_REDIS_WHY]; /* read only: the same in words, the server's own if it gave any */
    uint64_t connects;        /* read only: connections that came to be */
    uint64_t failures;        /* read only: attempts and connections that failed */
    uint64_t commands, errors; /* read only: begun; of them, those that did not end with 0 */
    size_t running;            /* read only: commands that wait for an answer or to be sent */
    struct weft_redis_engine *engine_;
};

/* Begin it; commands may begin as soon as this returns. It ends when it is told to (a close, a cancel),
 * and all commands under way have finished before: with the cancel's reason, UV_ECANCELED for a close.
 * It keeps the loop alive as long as it runs. That a server is not there, or refuses the password, does
 * not end it: it goes on trying, and says so in status and why: UV_ECONNREFUSED, UV_EAI_NONAME and the
 * like; UV_EACCES: the server wants another password or user; WEFT_ESTATUS: it answers, but with an
 * error; UV_EPROTO: it does not speak Redis; UV_ETIMEDOUT; UV_ECONNRESET.
 * UV_EINVAL, UV_ENAMETOOLONG: what weft_redis_url_check says of the url; UV_EINVAL: limit is above 2^24;
 * both with why. UV_ENOMEM. */
#define weft_redis(parent, redis, then)                                                            \
    weft_redis_at(WEFT_HERE("redis", WEFT_NET | WEFT_HANDLE), parent, redis, then)
WEFT_API void weft_redis_at(const struct weft_site *site, struct weft_op *parent,
                            struct weft_redis *redis, weft_then_fn *then);
WEFT_API void weft_redis_begin(struct weft_op *op);
/* End it with 0. No effect on one that is not open. */
WEFT_API void weft_redis_close(struct weft_redis *redis);

/* ---- replies -------------------------------------------------------------------------------- */

enum weft_redis_type {
    WEFT_REDIS_NIL,
    WEFT_REDIS_STATUS, /* text: "OK" */
    WEFT_REDIS_ERROR,  /* text: "ERR unknown command …" */
    WEFT_REDIS_INTEGER,
    WEFT_REDIS_STRING, /* text: any bytes */
    WEFT_REDIS_ARRAY
};

struct weft_redis_reply {
    enum weft_redis_type type;
    int64_t integer;
    struct weft_text text; /* with a NUL behind */
    struct weft_redis_reply *elements;
    size_t count; /* of elements */
};

/* ---- a command ------------------------------------------------------------------------------ */

/* One part of a command, from a string literal; for others weft_text and weft_text_of. */
#define WEFT_REDIS_ARG(literal)                                                                    \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* args and the bytes they point to are copied by the begin. The status is 0 if there is an answer that
 * is no error. Free the reply with weft_redis_command_free after any outcome.
 *   WEFT_ESTATUS     the answer is an error: it is the reply
 *   UV_ENOTCONN      there is no connection, and it was not sent
 *   UV_EACCES, UV_ECONNREFUSED and the like, as in redis->status: the same, for one that has waited
 *   UV_ETIMEDOUT     the answer, or the connection, did not come in time
 *   UV_ECONNRESET    the connection was lost; whether the server has obeyed is not known
 *   UV_EPROTO, UV_EFBIG   the answer to this command, or to one before it, was no reply or too large
 *   UV_ENOBUFS       limit commands are under way, or too many bytes wait to be sent
 *   UV_EINVAL        redis is not open or of another loop, count is 0 or above INT32_MAX, a part is NULL,
 *                    or it is one that may not be sent (see below)
 *   UV_E2BIG         the command is larger than WEFT_REDIS_REQUEST_MAX
 *   UV_ENOMEM
 * Waiting. One that is begun before the first attempt at a connection is decided waits for that. Later,
 * without a connection, it fails at once, or with wait set waits for the next one. Either lasts up to
 * command_ms, and once it is sent it has command_ms again. While the server refuses the password nobody
 * waits: UV_EACCES.
 * A cancel is answered at once; the server may obey all the same, and its answer is thrown away.
 * The connection is everybody's. What would ruin it is refused: SUBSCRIBE, UNSUBSCRIBE and the like,
 * MONITOR, SYNC, PSYNC, HELLO, RESET, QUIT, CLIENT REPLY. What changes it (SELECT, AUTH, MULTI, WATCH) does so
 * for all, and while one waits in the server (BLPOP) so do those behind it. */
struct weft_redis_command {
    struct weft_op op;
    struct weft_redis *redis;
    const struct weft_text *args;
    size_t count;
    bool wait;
    struct weft_redis_reply *reply; /* NULL unless the status is 0 or WEFT_ESTATUS */
    uint64_t number_;
    char *bytes_;
    size_t size_;
    struct weft_redis_command *next_, **link_;
    struct weft_timer timer_;
};
#define weft_redis_command(parent, command, redis, args, count, then)                              \
    weft_redis_command_at(WEFT_HERE("redis_command", WEFT_NET), parent, command, redis, args,      \
                          count, then)
WEFT_API void weft_redis_command_at(const struct weft_site *site, struct weft_op *parent,
                                    struct weft_redis_command *command, struct weft_redis *redis,
                                    const struct weft_text *args, size_t count, weft_then_fn *then);
WEFT_API void weft_redis_command_begin(struct weft_op *op);
/* Safe after any outcome, and twice. */
WEFT_API void weft_redis_command_free(struct weft_redis_command *command);

/* ---- messages ------------------------------------------------------------------------------- */

/* Listen to channels, over a connection of its own, until it is ended. What was published while there
 * was no connection is lost: on_lost says that this may happen from now on, on_back that it is over.
 * on_back comes also after the first connection, on_lost only after an on_back. A connection on which
 * nothing comes for alive_ms is asked for a sign of life, and given up after alive_ms more.
 * The texts of on_message are there until it returns. All functions may be NULL and may end it.
 * The statuses and errors are those of weft_redis. UV_EINVAL: no channels, or a NULL one. UV_E2BIG: they
 * are more than WEFT_REDIS_REQUEST_MAX. The channels stay until the end. */
struct weft_redis_subscription {
    struct weft_op op;
    const char *url; /* this and what follows as in weft_redis */
    const char *user, *password;
    unsigned database;
    uint64_t connect_ms, backoff_ms, backoff_max_ms;
    size_t reply_max;
    const struct weft_text *channels;
    size_t count;
    uint64_t alive_ms;
    void (*on_message)(struct weft_redis_subscription *subscription, struct weft_text channel,
                       struct weft_text message);
    void (*on_back)(struct weft_redis_subscription *subscription);
    void (*on_lost)(struct weft_redis_subscription *subscription);

    bool connected;                        /* read only: between on_back and on_lost */
    int status;                            /* read only, as in weft_redis */
    char why[WEFT_REDIS_WHY];              /* read only */
    uint64_t connects, failures, messages; /* read only */
    struct weft_redis_feed *feed_;
};
#define weft_redis_subscribe(parent, subscription, channels, count, then)                          \
    weft_redis_subscribe_at(WEFT_HERE("redis_subscription", WEFT_NET | WEFT_HANDLE), parent,       \
                            subscription, channels, count, then)
WEFT_API void weft_redis_subscribe_at(const struct weft_site *site, struct weft_op *parent,
                                      struct weft_redis_subscription *subscription,
                                      const struct weft_text *channels, size_t count,
                                      weft_then_fn *then);
WEFT_API void weft_redis_subscription_begin(struct weft_op *op);
/* End it with 0. No effect on one that is not open. */
WEFT_API void weft_redis_unsubscribe(struct weft_redis_subscription *subscription);

#ifdef __cplusplus
}
#endif
#endif
