/* A server of the test's own that is or is not like Redis: on the loop of the test, so that what it says is
 * there in virtual time too. */
#ifndef TESTS_STORE_FAKE_REDIS_H
#define TESTS_STORE_FAKE_REDIS_H

#include "check.h"
#include "core/op.h"
#include "loop.h"
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>
#include <weft/stream.h>

enum { FAKE_PEERS = 32, FAKE_INPUT = 4096 };

struct fake;

struct fake_peer {
    struct fake *fake;
    struct weft_stream stream;
    struct weft_accept accept;
    struct weft_read read;
    redisReader *commands; /* a command looks like a reply */
    char input[FAKE_INPUT];
    bool subscribed;
};

/* Answers a command, by fake_say, or not at all. */
typedef void fake_fn(struct fake_peer *peer, const redisReply *command);

struct fake {
    struct weft_op op;
    struct weft_listen listen;
    struct fake_peer peers[FAKE_PEERS];
    fake_fn *answer;
    const char *hello; /* said to who connects; NULL: nothing */
    bool mute;         /* reads nothing */
    unsigned connections, commands;
    char url[64];
};

/* ---- saying --------------------------------------------------------------------------------- */

struct fake_words {
    struct weft_write write;
    char data[];
};

static inline void fake_said(struct weft_op *parent, struct weft_op *op)
{
    (void)parent;
    free(weft_owner(op, struct fake_words, write.op));
}

static inline void fake_say(struct fake_peer *peer, const void *data, size_t size)
{
    struct fake_words *words = calloc(1, sizeof *words + size);
    assert_non_null(words);
    memcpy(words->data, data, size);
    weft_write(&peer->fake->op, &words->write, &peer->stream, words->data, size, fake_said);
}

static inline void fake_line(struct fake_peer *peer, const char *text)
{
    fake_say(peer, text, strlen(text));
}

static inline bool fake_asked(const redisReply *command, const char *name)
{
    return command->elements > 0 && strcmp(command->element[0]->str, name) == 0;
}

static inline void fake_confirm(struct fake_peer *peer, const char *channel)
{
    char text[256];
    int size = snprintf(text, sizeof text, "*3\r\n$9\r\nsubscribe\r\n$%zu\r\n%s\r\n:1\r\n",
                        strlen(channel), channel);
    peer->subscribed = true;
    fake_say(peer, text, (size_t)size);
}

/* What a good server says: +PONG, subscriptions, +OK to all else. */
static inline void fake_good(struct fake_peer *peer, const redisReply *command)
{
    if (fake_asked(command, "SUBSCRIBE")) {
        for (size_t i = 1; i < command->elements; i++)
            fake_confirm(peer, command->element[i]->str);
    } else if (fake_asked(command, "PING")) {
        fake_line(peer, peer->subscribed ? "*2\r\n$4\r\npong\r\n$0\r\n\r\n" : "+PONG\r\n");
    } else {
        fake_line(peer, "+OK\r\n");
    }
}

/* ---- listening ------------------------------------------------------------------------------ */

static inline void fake_wait(struct fake_peer *peer);

static inline void fake_over(struct weft_op *op, struct weft_op *stream)
{
    struct fake_peer *peer = weft_owner(stream, struct fake_peer, stream.op);
    redisReaderFree(peer->commands);
    peer->subscribed = false;
    if (weft_cancelled(op) == 0 && stream->status == 0)
        fake_wait(peer);
}

static inline void fake_read(struct weft_op *op, struct weft_op *read)
{
    struct fake_peer *peer = weft_owner(read, struct fake_peer, read.op);
    void *command = NULL;
    if (read->status != 0) {
        weft_stream_close(&peer->stream);
        return;
    }
    assert_int_equal(redisReaderFeed(peer->commands, peer->input, peer->read.size), REDIS_OK);
    while (redisReaderGetReply(peer->commands, &command) == REDIS_OK && command != NULL) {
        peer->fake->commands++;
        if (weft_stream_connected(&peer->stream))
            peer->fake->answer(peer, command);
        freeReplyObject(command);
    }
    if (weft_stream_connected(&peer->stream))
        weft_read(op, &peer->read, &peer->stream, peer->input, sizeof peer->input, fake_read);
}

static inline void fake_came(struct weft_op *op, struct weft_op *accept)
{
    struct fake_peer *peer = weft_owner(accept, struct fake_peer, accept.op);
    if (accept->status != 0)
        return;
    peer->fake->connections++;
    if (peer->fake->hello != NULL)
        fake_line(peer, peer->fake->hello);
    if (!peer->fake->mute)
        weft_read(op, &peer->read, &peer->stream, peer->input, sizeof peer->input, fake_read);
}

static inline void fake_wait(struct fake_peer *peer)
{
    peer->commands = redisReaderCreate();
    assert_non_null(peer->commands);
    weft_stream_open(&peer->fake->op, &peer->stream, fake_over);
    weft_accept(&peer->fake->op, &peer->accept, &peer->fake->listen, &peer->stream, fake_came);
}

static inline void fake_begin(struct weft_op *op)
{
    struct fake *fake = weft_owner(op, struct fake, op);
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    weft_listen(op, &fake->listen, &address, weft_ignore);
    snprintf(fake->url, sizeof fake->url, "redis://127.0.0.1:%u",
             weft_address_port(&fake->listen.address));
    for (size_t i = 0; i < FAKE_PEERS; i++) {
        fake->peers[i].fake = fake;
        fake_wait(&fake->peers[i]);
    }
}

static inline void fake_up(struct weft_loop *loop, struct fake *fake, fake_fn *answer)
{
    memset(fake, 0, sizeof *fake);
    fake->answer = answer != NULL ? answer : fake_good;
    weft_run(weft_root(loop), &fake->op, fake_begin, weft_ignore);
}

static inline void fake_down(struct fake *fake)
{
    if (fake->op.state_ != OP_IDLE)
        weft_end(&fake->op, 0);
}

#endif
