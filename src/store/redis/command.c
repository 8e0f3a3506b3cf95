/* A command: in the line of those that were sent, or, if it may wait, in the list of those for which there is
 * no connection yet. One in the list has its bytes with it and a timer of its own; link_ tells the two apart.
 * All may wait for the first attempt at a connection: nobody could know better before. Once that has failed
 * only those wait that were told to, and for a password that is refused none does.
 * The caller's args are not looked at after the begin. */
#include "engine.h"
#include "weft/alloc.h"

void weft__redis_command_over(struct weft_redis_command *command, int status)
{
    if (status != 0)
        command->redis->errors++;
    weft_finish(&command->op, status);
}

/* ---- waiting for a connection --------------------------------------------------------------- */

static void leave_list(struct weft_redis_engine *engine, struct weft_redis_command *command)
{
    *command->link_ = command->next_;
    if (command->next_ != NULL)
        command->next_->link_ = command->link_;
    else
        engine->waiting_tail = command->link_;
    command->link_ = NULL;
    weft_free(command->bytes_);
    command->bytes_ = NULL;
    weft_timer_stop(weft_loop_of(&command->op), &command->timer_);
}

static void give_up(struct weft_redis_engine *engine, struct weft_redis_command *command,
                    int status)
{
    engine->redis->running--;
    leave_list(engine, command);
    weft__redis_command_over(command, status);
}

/* Why there is no connection, for a command that was not sent: nothing that would speak of its answer. */
static int reason(const struct redis_link *link)
{
    switch (link->status) {
    case 0:
        return UV_ETIMEDOUT;
    case WEFT_ESTATUS:
    case UV_ECONNRESET:
    case UV_EPROTO:
    case UV_EFBIG:
        return UV_ENOTCONN;
    default:
        return link->status;
    }
}

static void waited_too_long(struct weft_timer *timer)
{
    struct weft_redis_command *command = weft_owner(timer, struct weft_redis_command, timer_);
    struct weft_redis_engine *engine = command->redis->engine_;
    give_up(engine, command, reason(&engine->link));
}

static int wait_for_connection(struct weft_redis_engine *engine, struct weft_redis_command *command)
{
    struct redis_bytes bytes = {0};
    uint64_t ms =
        engine->redis->command_ms != 0 ? engine->redis->command_ms : WEFT_REDIS_COMMAND_MS;
    int status = weft__redis_bytes_command(&bytes, command->args, command->count);
    if (status != 0)
        return status;
    command->bytes_ = bytes.data;
    command->size_ = bytes.size;
    command->next_ = NULL;
    command->link_ = engine->waiting_tail;
    *engine->waiting_tail = command;
    engine->waiting_tail = &command->next_;
    weft_timer_start(weft_loop_of(&command->op), &command->timer_, ms, waited_too_long);
    return 0;
}

void weft__redis_waiting_send(struct weft_redis_engine *engine)
{
    while (engine->waiting != NULL) {
        struct weft_redis_command *command = engine->waiting;
        int status =
            weft__redis_bytes_append(&engine->link.filling, command->bytes_, command->size_);
        if (status != 0) {
            give_up(engine, command, status);
            continue;
        }
        leave_list(engine, command);
        weft__redis_line_push(engine, command);
    }
    weft__redis_link_flush(&engine->link);
}

void weft__redis_waiting_lost(struct weft_redis_engine *engine, int status)
{
    while (engine->waiting != NULL)
        give_up(engine, engine->waiting, status);
}

void weft__redis_waiting_failed(struct weft_redis_engine *engine)
{
    struct weft_redis_command *next;
    for (struct weft_redis_command *command = engine->waiting; command != NULL; command = next) {
        next = command->next_;
        if (!command->wait || engine->link.status == UV_EACCES)
            give_up(engine, command, reason(&engine->link));
    }
}

/* ---- the op --------------------------------------------------------------------------------- */

static void command_cancel(struct weft_op *op, int reason)
{
    struct weft_redis_command *command = weft_owner(op, struct weft_redis_command, op);
    struct weft_redis_engine *engine = command->redis->engine_;
    if (command->link_ != NULL) {
        give_up(engine, command, reason);
    } else {
        weft__redis_line_cancel(engine, command);
        weft__redis_command_over(command, reason);
    }
}

static bool args_ok(const struct weft_redis_command *command)
{
    if (command->args == NULL || command->count == 0 || command->count > INT32_MAX)
        return false;
    for (size_t i = 0; i < command->count; i++) {
        if (command->args[i].data == NULL && command->args[i].size > 0)
            return false;
    }
    return true;
}

/* What is answered more than once or not at all, or has the server speak in another way: with it the answers
 * of everybody else would go astray. */
static bool ruins_the_line(const struct weft_redis_command *command)
{
    static const char *const names[] = {
        "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE",
        "MONITOR",   "SYNC",       "PSYNC",      "HELLO",       "RESET",        "QUIT",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (weft_text_same(command->args[0], weft_text_of(names[i])))
            return true;
    }
    return command->count > 1 && weft_text_same(command->args[0], weft_text_of("CLIENT")) &&
           weft_text_same(command->args[1], weft_text_of("REPLY"));
}

static int start(struct weft_redis_engine *engine, struct weft_redis_command *command)
{
    struct weft_redis *redis = engine->redis;
    if (weft__redis_command_size(command->args, command->count) == 0)
        return UV_E2BIG;
    if (!engine->link.up && engine->link.failures > 0 && !command->wait)
        return UV_ENOTCONN;
    if (!engine->link.up && engine->link.status == UV_EACCES)
        return UV_EACCES;
    if (redis->running >= engine->limit)
        return UV_ENOBUFS;
    int status = engine->link.up
                     ? weft__redis_link_send(&engine->link, command->args, command->count)
                     : wait_for_connection(engine, command);
    if (status == 0)
        redis->running++;
    if (status == 0 && engine->link.up)
        weft__redis_line_push(engine, command);
    return status;
}

void weft_redis_command_begin(struct weft_op *op)
{
    struct weft_redis_command *command = weft_owner(op, struct weft_redis_command, op);
    struct weft_redis *redis = command->redis;
    command->reply = NULL;
    command->link_ = NULL;
    if (redis == NULL || redis->engine_ == NULL || !args_ok(command) || ruins_the_line(command) ||
        weft_loop_of(&redis->op) != weft_loop_of(op)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    redis->commands++;
    int status = weft_cancelled(op) != 0 ? weft_cancelled(op) : start(redis->engine_, command);
    if (status != 0)
        weft__redis_command_over(command, status);
    else
        weft_on_cancel(op, command_cancel);
}

/* Now, however deep the stack is: commands go out in the order in which they are begun. */
void weft_redis_command_at(const struct weft_site *site, struct weft_op *parent,
                           struct weft_redis_command *command, struct weft_redis *redis,
                           const struct weft_text *args, size_t count, weft_then_fn *then)
{
    command->redis = redis;
    command->args = args;
    command->count = count;
    command->reply = NULL;
    weft_run_now_at(site, parent, &command->op, weft_redis_command_begin, then);
}

void weft_redis_command_free(struct weft_redis_command *command)
{
    weft__redis_reply_free(command->reply);
    command->reply = NULL;
}
