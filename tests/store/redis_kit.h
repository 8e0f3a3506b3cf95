/* What the tests of Redis share: waiting for something to be so, and commands from words. */
#ifndef TESTS_STORE_REDIS_KIT_H
#define TESTS_STORE_REDIS_KIT_H

#include "check.h"
#include "core/op.h"
#include "loop.h"
#include "redis.h"
#include <string.h>
#include <weft/redis.h>

enum { PATIENCE_MS = 20000, WORDS = 8 };

static inline void wake(struct weft_timer *timer)
{
    (void)timer;
}

/* Let the loop run until holds is true, or the patience is over. */
#define until(w, holds)                                                                            \
    do {                                                                                           \
        uint64_t end_ = weft_now(&(w)->loop) + PATIENCE_MS;                                        \
        struct weft_timer alarm_ = {0};                                                            \
        while (!(holds)) {                                                                         \
            weft_timer_start(&(w)->loop, &alarm_, 50, wake);                                       \
            bool more_ =                                                                           \
                (w)->simulated ? weft_sim_step(&(w)->sim) : uv_run(&(w)->uv, UV_RUN_ONCE) != 0;    \
            if (!more_ || weft_now(&(w)->loop) > end_) {                                           \
                weft_dump(&(w)->loop, stderr);                                                     \
                fail_msg("it never came about that %s", #holds);                                   \
            }                                                                                      \
        }                                                                                          \
        weft_timer_stop(&(w)->loop, &alarm_);                                                      \
    } while (0)

/* Let it run for a while, for what may not happen. */
static inline void run_for(struct world *w, uint64_t ms)
{
    uint64_t end = weft_now(&w->loop) + ms;
    struct weft_timer bell = {0};
    weft_timer_start(&w->loop, &bell, ms, wake);
    until(w, weft_now(&w->loop) >= end);
    weft_timer_stop(&w->loop, &bell);
}

static inline bool is_over(const struct weft_op *op)
{
    return op->state_ == OP_IDLE;
}

/* Begin a command of words with one space between them. */
static inline void ask(struct weft_op *parent, struct weft_redis_command *command,
                       struct weft_redis *redis, const char *line, weft_then_fn *then)
{
    struct weft_text words[WORDS], rest = weft_text_of(line);
    size_t count = 0;
    while (rest.data != NULL && count < WORDS)
        words[count++] = weft_text_cut(&rest, ' ');
    weft_redis_command(parent, command, redis, words, count, then);
}

/* The same, and wait for its end: the status. */
static inline int ask_and_wait(struct world *w, struct weft_redis_command *command,
                               struct weft_redis *redis, const char *line)
{
    ask(weft_root(&w->loop), command, redis, line, weft_ignore);
    until(w, is_over(&command->op));
    return command->op.status;
}

static inline void text_is(struct weft_text text, const char *expected)
{
    if (!weft_text_is(text, expected))
        fail_msg("\"%.*s\" is not \"%s\"", WEFT_TEXT_ARGS(text), expected);
}

#endif
