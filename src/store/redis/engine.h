/* What a client has while it runs: the link, and the line of commands. */
#ifndef WEFT_STORE_REDIS_ENGINE_H
#define WEFT_STORE_REDIS_ENGINE_H

#include "link.h"

/* The place of a command that was sent. The command is NULL when it was cancelled: its answer comes all
 * the same, and has to be counted. */
struct redis_slot {
    struct weft_redis_command *command;
    uint64_t due;
};

struct weft_redis_engine {
    struct weft_redis *redis;
    struct redis_link link;
    struct redis_slot *slots; /* a ring; numbers count on, and are masked */
    size_t mask, limit;
    uint64_t head, tail;
    struct weft_redis_command *waiting, **waiting_tail; /* for a connection */
    struct weft_timer late;                             /* for the answer to the head */
    bool watching;
};

/* The line of commands; in line.c. */
int weft__redis_line_init(struct weft_redis_engine *engine);
/* Put a command that is being sent at its end. There is room. */
void weft__redis_line_push(struct weft_redis_engine *engine, struct weft_redis_command *command);
/* The answer to its head has come; it is taken over. */
void weft__redis_line_answer(struct weft_redis_engine *engine, struct weft_redis_reply *reply);
/* Those that were sent will not be answered. */
void weft__redis_line_lost(struct weft_redis_engine *engine, int status);
/* A command leaves: in whatever way, this is the end of it. */
void weft__redis_line_cancel(struct weft_redis_engine *engine, struct weft_redis_command *command);

/* Those that wait for a connection; in command.c. */
void weft__redis_waiting_send(struct weft_redis_engine *engine);
/* An attempt has failed: those leave that do not wait for another one. */
void weft__redis_waiting_failed(struct weft_redis_engine *engine);
void weft__redis_waiting_lost(struct weft_redis_engine *engine, int status);

/* Finish a command; its place is given up already. */
void weft__redis_command_over(struct weft_redis_command *command, int status);

#endif
