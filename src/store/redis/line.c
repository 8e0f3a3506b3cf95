/* The line of commands that were sent and not answered yet. Answers have no names: the first one that comes
 * is that of the first command. So a command that is cancelled leaves its place behind, without a name.
 *
 * All have the same time for their answer, so the head is always the first to be late, and one timer will
 * do. It is not moved with every answer: when it fires it looks at who is the head by then. */
#include "engine.h"
#include "weft/alloc.h"
#include <stdio.h>

enum { LIMIT_MAX = 1 << 24 };

static struct redis_slot *slot_of(struct weft_redis_engine *engine, uint64_t number)
{
    return &engine->slots[number & engine->mask];
}

int weft__redis_line_init(struct weft_redis_engine *engine)
{
    size_t room = 16;
    engine->limit = engine->redis->limit != 0 ? engine->redis->limit : WEFT_REDIS_LIMIT;
    if (engine->limit > LIMIT_MAX) {
        snprintf(engine->redis->why, WEFT_REDIS_WHY, "the limit is above %d", LIMIT_MAX);
        return UV_EINVAL;
    }
    while (room < engine->limit)
        room *= 2;
    engine->mask = room - 1;
    engine->slots = weft_calloc(room, sizeof *engine->slots);
    return engine->slots != NULL ? 0 : UV_ENOMEM;
}

static void look_if_late(struct weft_timer *timer);

static void watch(struct weft_redis_engine *engine, uint64_t ms)
{
    engine->watching = true;
    weft_timer_start(weft_loop_of(&engine->redis->op), &engine->late, ms, look_if_late);
}

static void look_if_late(struct weft_timer *timer)
{
    struct weft_redis_engine *engine = weft_owner(timer, struct weft_redis_engine, late);
    uint64_t now = weft_now(weft_loop_of(&engine->redis->op));
    engine->watching = false;
    if (engine->head == engine->tail)
        return;
    uint64_t due = slot_of(engine, engine->head)->due;
    if (due > now)
        watch(engine, due - now);
    else
        weft__redis_link_fail(&engine->link, UV_ETIMEDOUT,
                              weft_text_of("an answer did not come in time"));
}

void weft__redis_line_push(struct weft_redis_engine *engine, struct weft_redis_command *command)
{
    uint64_t ms =
        engine->redis->command_ms != 0 ? engine->redis->command_ms : WEFT_REDIS_COMMAND_MS;
    command->number_ = engine->tail++;
    *slot_of(engine, command->number_) =
        (struct redis_slot){command, weft_now(weft_loop_of(&engine->redis->op)) + ms};
    if (!engine->watching)
        watch(engine, ms);
}

static struct weft_redis_command *pop(struct weft_redis_engine *engine)
{
    engine->redis->running--;
    return slot_of(engine, engine->head++)->command;
}

void weft__redis_line_answer(struct weft_redis_engine *engine, struct weft_redis_reply *reply)
{
    if (engine->head == engine->tail) {
        weft__redis_reply_free(reply);
        weft__redis_link_fail(&engine->link, UV_EPROTO,
                              weft_text_of("a reply that nobody asked for"));
        return;
    }
    struct weft_redis_command *command = pop(engine);
    if (command == NULL) {
        weft__redis_reply_free(reply);
        return;
    }
    command->reply = reply;
    weft__redis_command_over(command, reply->type == WEFT_REDIS_ERROR ? WEFT_ESTATUS : 0);
}

void weft__redis_line_lost(struct weft_redis_engine *engine, int status)
{
    weft_timer_stop(weft_loop_of(&engine->redis->op), &engine->late);
    engine->watching = false;
    while (engine->head != engine->tail) {
        struct weft_redis_command *command = pop(engine);
        if (command != NULL)
            weft__redis_command_over(command, status);
    }
}

void weft__redis_line_cancel(struct weft_redis_engine *engine, struct weft_redis_command *command)
{
    slot_of(engine, command->number_)->command = NULL;
}
