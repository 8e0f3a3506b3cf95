/* The life of a link:
 *
 *     start ─► connecting ─► greeting ─► up ──────────┐
 *                  ▲  │          │       │ fail       │
 *                  │  └── fail ──┴───────┤            │ close
 *                  └───── pause ◄────────┘            ▼
 *                           └───────────────────► closed
 *
 * Greeting: the password, the database and a PING go out together. Only when all of them are answered well
 * is the link up; a server that listens and says nothing, that is still loading its data or that wants a
 * password is never taken for one that works.
 *
 * A connection is an op with the stream and all that is done on it below: it was joined when it began, so
 * it lives as long as the stream is open, and ends with everything else let go, however that comes about.
 * Its then is where the next one is thought of.
 *
 * Invariants:
 *   - the handle has one child of ours: the connection or the pause. The then of that one is where a
 *     closing link says its last word, so nothing of it is used after;
 *   - fail counts once for each connection. up is false from there on, and nobody sends;
 *   - at most one read and one write are under way. What is sent meanwhile collects, and leaves in one. */
#include "link.h"
#include "random.h"
#include <stdio.h>

static void connection_begin(struct weft_op *op);
static void connection_over(struct weft_op *handle, struct weft_op *op);

static uint64_t setting(uint64_t value, uint64_t standard)
{
    return value != 0 ? value : standard;
}

/* ---- connections, one after the other ------------------------------------------------------- */

static void say_why(struct redis_link *link, int status, struct weft_text why)
{
    size_t size = why.size < WEFT_REDIS_WHY - 1 ? why.size : WEFT_REDIS_WHY - 1;
    if (size > 0)
        memcpy(link->why, why.data, size);
    link->why[size] = '\0';
    link->status = status;
}

void weft__redis_link_start(struct redis_link *link)
{
    weft_run_at(WEFT_HERE("redis connection", WEFT_NET | WEFT_HANDLE), link->handle,
                &link->connection, connection_begin, connection_over);
}

static void close_now(struct redis_link *link)
{
    weft__redis_replies_close(&link->replies);
    weft__redis_bytes_free(&link->filling);
    weft__redis_bytes_free(&link->going);
    memset(link->place.password, 0, sizeof link->place.password);
    link->events->closed(link);
}

static void paused(struct weft_op *handle, struct weft_op *op)
{
    struct redis_link *link = weft_owner(op, struct redis_link, pause.op);
    (void)handle;
    if (link->closing)
        close_now(link);
    else
        weft__redis_link_start(link);
}

/* Doubled with every failure; up to a half less, so that those who lost the same server do not all come
 * back at once. */
static uint64_t pause_ms(const struct redis_link *link)
{
    uint64_t most = setting(link->at.backoff_max_ms, WEFT_REDIS_BACKOFF_MAX_MS);
    uint64_t ms = setting(link->at.backoff_ms, WEFT_REDIS_BACKOFF_MS);
    for (unsigned i = 1; i < link->tries && ms < most; i++)
        ms *= 2;
    if (ms > most)
        ms = most;
    return ms - weft__redis_random() % (ms / 2 + 1);
}

static void count_failure(struct redis_link *link, int status, struct weft_text why)
{
    link->failed = true;
    link->up = false;
    link->failures++;
    link->tries++;
    say_why(link, status, why.size > 0 ? why : weft_text_of(weft_strerror(status)));
}

/* One that could not even begin has told nobody yet. */
static void connection_over(struct weft_op *handle, struct weft_op *op)
{
    struct redis_link *link = weft_owner(op, struct redis_link, connection);
    weft_timer_stop(weft_loop_of(handle), &link->patience);
    weft__redis_replies_close(&link->replies);
    link->filling.size = link->going.size = 0;
    if (!link->failed && !link->closing) {
        count_failure(link, op->status, weft_text(NULL, 0));
        link->events->down(link);
    }
    if (link->closing)
        close_now(link);
    else
        weft_sleep(handle, &link->pause, pause_ms(link), paused);
}

void weft__redis_link_fail(struct redis_link *link, int status, struct weft_text why)
{
    if (link->failed || link->closing)
        return;
    count_failure(link, status, why);
    weft_end(&link->connection, status);
    link->events->down(link);
}

static void fail(struct redis_link *link, int status)
{
    weft__redis_link_fail(link, status, weft_text(NULL, 0));
}

void weft__redis_link_close(struct redis_link *link)
{
    link->closing = true;
    link->up = false;
    weft_timer_stop(weft_loop_of(link->handle), &link->patience);
}

/* ---- sending -------------------------------------------------------------------------------- */

enum { KEPT = 1024 * 1024 /* a block that once was larger than this is not kept */ };

static void written(struct weft_op *connection, struct weft_op *op)
{
    struct redis_link *link = weft_owner(connection, struct redis_link, connection);
    link->writing = false;
    link->going.size = 0;
    if (link->going.room > KEPT)
        weft__redis_bytes_free(&link->going);
    if (op->status != 0)
        fail(link, op->status == UV_EPIPE ? UV_ECONNRESET : op->status);
    else
        weft__redis_link_flush(link);
}

void weft__redis_link_flush(struct redis_link *link)
{
    if (link->writing || link->failed || link->closing || link->filling.size == 0)
        return;
    struct redis_bytes full = link->filling;
    link->filling = link->going;
    link->going = full;
    link->writing = true;
    weft_write(&link->connection, &link->write, &link->stream, link->going.data, link->going.size,
               written);
}

int weft__redis_link_send(struct redis_link *link, const struct weft_text *args, size_t count)
{
    int status = weft__redis_bytes_command(&link->filling, args, count);
    if (status == 0)
        weft__redis_link_flush(link);
    return status;
}

/* ---- receiving ------------------------------------------------------------------------------ */

static bool is_about_passwords(struct weft_text error)
{
    return weft_text_starts(error, "WRONGPASS") || weft_text_starts(error, "NOAUTH") ||
           weft_text_starts(error, "ERR invalid password") || weft_text_starts(error, "ERR AUTH") ||
           weft_text_starts(error, "ERR Client sent AUTH") || weft_text_starts(error, "NOPERM");
}

static void greeted(struct redis_link *link, struct weft_redis_reply *reply)
{
    if (reply->type == WEFT_REDIS_ERROR) {
        weft__redis_link_fail(link, is_about_passwords(reply->text) ? UV_EACCES : WEFT_ESTATUS,
                              reply->text);
    } else if (reply->type != WEFT_REDIS_STATUS) {
        weft__redis_link_fail(link, UV_EPROTO, weft_text_of("that is no answer to PING"));
    } else if (--link->expected == 0) {
        weft_timer_stop(weft_loop_of(link->handle), &link->patience);
        link->connects++;
        link->up = true;
        say_why(link, 0, weft_text(NULL, 0));
        link->events->up(link);
    }
}

static void take(struct redis_link *link, struct weft_redis_reply *reply)
{
    if (link->up) {
        link->events->reply(link, reply);
        return;
    }
    greeted(link, reply);
    weft__redis_reply_free(reply);
}

/* All replies that have come. A callback may end the handle: then there are no more. */
static void take_all(struct redis_link *link)
{
    struct weft_redis_reply *reply;
    int status = weft__redis_replies_feed(&link->replies, link->input, link->read.size);
    while (status == 0 && !link->failed && !link->closing) {
        status = weft__redis_replies_next(&link->replies, &reply);
        if (status == 0 && reply == NULL)
            return;
        if (status == 0)
            take(link, reply);
    }
    if (status != 0)
        weft__redis_link_fail(link, status, weft_text_of(link->replies.why));
}

static void received(struct weft_op *connection, struct weft_op *op)
{
    struct redis_link *link = weft_owner(connection, struct redis_link, connection);
    if (link->failed || link->closing)
        return;
    if (op->status == 0)
        take_all(link);
    else if (op->status == UV_EOF)
        weft__redis_link_fail(link, UV_ECONNRESET, weft_text_of("the server ended the connection"));
    else
        fail(link, op->status);
    if (!link->failed && !link->closing)
        weft_read(connection, &link->read, &link->stream, link->input, sizeof link->input,
                  received);
}

/* ---- connecting ----------------------------------------------------------------------------- */

static int greet_with(struct redis_link *link, const struct weft_text *args, size_t count)
{
    link->expected++;
    return weft__redis_bytes_command(&link->filling, args, count);
}

static int greet_password(struct redis_link *link)
{
    const struct redis_place *place = &link->place;
    const char *password = place->has_password ? place->password : link->at.password;
    const char *user = place->has_password ? (place->has_user ? place->user : NULL) : link->at.user;
    struct weft_text args[3] = {WEFT_REDIS_ARG("AUTH"), weft_text_of(user), weft_text_of(password)};
    if (password == NULL)
        return 0;
    if (user != NULL)
        return greet_with(link, args, 3);
    args[1] = args[2];
    return greet_with(link, args, 2);
}

static int greet(struct redis_link *link)
{
    static const struct weft_text ping[] = {WEFT_REDIS_ARG("PING")};
    char number[16];
    unsigned database = link->place.has_database ? link->place.database : link->at.database;
    snprintf(number, sizeof number, "%u", database);
    const struct weft_text select[] = {WEFT_REDIS_ARG("SELECT"), weft_text_of(number)};
    link->expected = 0;
    int status = greet_password(link);
    if (status == 0 && database != 0)
        status = greet_with(link, select, 2);
    return status == 0 ? greet_with(link, ping, 1) : status;
}

static void connected(struct weft_op *connection, struct weft_op *op)
{
    struct redis_link *link = weft_owner(connection, struct redis_link, connection);
    if (link->failed || link->closing)
        return;
    int status = op->status == 0 ? greet(link) : op->status;
    if (status != 0) {
        fail(link, status);
        return;
    }
    weft_read(connection, &link->read, &link->stream, link->input, sizeof link->input, received);
    weft__redis_link_flush(link);
}

static void too_late(struct weft_timer *timer)
{
    struct redis_link *link = weft_owner(timer, struct redis_link, patience);
    weft__redis_link_fail(link, UV_ETIMEDOUT,
                          weft_text_of("there was no connection, or no answer to PING, in time"));
}

static void connection_begin(struct weft_op *op)
{
    struct redis_link *link = weft_owner(op, struct redis_link, connection);
    size_t reply_max = link->at.reply_max != 0 ? link->at.reply_max : WEFT_REDIS_REPLY_MAX;
    link->failed = link->writing = false;
    if (weft__redis_replies_open(&link->replies, reply_max) != 0) {
        weft_finish(op, UV_ENOMEM);
        return;
    }
    link->connect.tcp.keepalive_s = 15;
    weft_stream_open(op, &link->stream, weft_ignore);
    if (link->place.host[0] != '\0')
        weft_connect(op, &link->connect, &link->stream, link->place.host, link->place.port,
                     connected);
    else
        weft_connect_address(op, &link->connect, &link->stream, &link->place.local, connected);
    weft_join(op);
    weft_timer_start(weft_loop_of(op), &link->patience,
                     setting(link->at.connect_ms, WEFT_REDIS_CONNECT_MS), too_late);
}

int weft__redis_link_init(struct redis_link *link)
{
    return weft__redis_url_read(link->at.url, &link->place, link->why);
}
