/* A call of the script.
 *
 * It is repeated until there is an answer, however long Redis is away, because everything the script does is
 * safe to repeat. Only what Redis refuses for good, and a cancel, end it without one. An answer that is too
 * large takes those of the calls behind it with it, so it is asked for a few times more before it is believed. */
#include "hub.h"
#include <inttypes.h>
#include <stdio.h>

enum { BY_SUM_OR_TEXT = 1, PAUSE_MS = 5, PAUSE_DOUBLINGS = 8, TOO_LARGE_TRIES = 3 };

/* ---- its arguments -------------------------------------------------------------------------- */

void weft__jobs_call_init(struct jobs_call *call, struct jobs_hub *hub, const char *verb,
                          struct weft_text *args)
{
    call->hub = hub;
    call->args = args != NULL ? args : call->few;
    call->count = 2;
    call->numbers_used = 0;
    weft__jobs_call_text(call, weft_text("1", 1));
    weft__jobs_call_text(call, hub->parts);
    weft__jobs_call_string(call, verb);
}

void weft__jobs_call_text(struct jobs_call *call, struct weft_text text)
{
    if (text.data == NULL)
        text = weft_text("", 0);
    call->args[call->count++] = text;
}

void weft__jobs_call_string(struct jobs_call *call, const char *string)
{
    weft__jobs_call_text(call, weft_text_of(string));
}

void weft__jobs_call_number(struct jobs_call *call, uint64_t number)
{
    char *text = call->numbers[call->numbers_used++];
    snprintf(text, JOBS_NUMBER, "%" PRIu64, number);
    weft__jobs_call_string(call, text);
}

/* ---- the op --------------------------------------------------------------------------------- */

static void call_send(struct jobs_call *call);

static bool refusal_starts(const struct jobs_call *call, const char *word)
{
    return call->command.op.status == WEFT_ESTATUS && call->command.reply != NULL &&
           weft_text_starts(call->command.reply->text, word);
}

/* What a server says that will say something else later: it loads its data, it is full, it is no master, its
 * disk makes trouble, the password is being changed. */
static bool may_pass(const struct jobs_call *call)
{
    static const char *const words[] = {"LOADING",  "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN",
                                        "READONLY", "OOM",  "MISCONF",  "NOREPLICAS",  "NOAUTH"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (refusal_starts(call, words[i]))
            return true;
    }
    return false;
}

static bool is_final(const struct jobs_call *call)
{
    switch (call->command.op.status) {
    case 0:
    case UV_EINVAL:
    case UV_E2BIG:
        return true;
    case WEFT_ESTATUS:
        return !may_pass(call);
    case UV_EFBIG:
        return call->tries >= TOO_LARGE_TRIES;
    default:
        return false;
    }
}

static void paused(struct weft_op *op, struct weft_op *pause)
{
    struct jobs_call *call = weft_owner(op, struct jobs_call, op);
    call->pausing = false;
    if (weft_cancelled(op) != 0)
        weft_finish(op, pause->status != 0 ? pause->status : weft_cancelled(op));
    else
        call_send(call);
}

static void called(struct weft_op *op, struct weft_op *command)
{
    struct jobs_call *call = weft_owner(op, struct jobs_call, op);
    if (weft_cancelled(op) != 0) {
        weft_finish(op, weft_cancelled(op));
        return;
    }
    bool unknown = refusal_starts(call, "NOSCRIPT") && !call->by_text;
    if (!unknown && (is_final(call) || call->last)) {
        weft_finish(op, command->status);
        return;
    }
    weft_redis_command_free(&call->command);
    if (unknown) {
        call->by_text = true;
        call_send(call);
        return;
    }
    unsigned doublings = call->tries < PAUSE_DOUBLINGS ? call->tries : PAUSE_DOUBLINGS;
    call->tries++;
    call->pausing = true;
    weft_sleep(op, &call->pause, (uint64_t)PAUSE_MS << doublings, paused);
}

static void call_send(struct jobs_call *call)
{
    bool by_text = call->by_text || !call->hub->taught;
    call->args[0] = weft_text_of(by_text ? "EVAL" : "EVALSHA");
    call->args[BY_SUM_OR_TEXT] =
        by_text ? weft_text_of(weft__jobs_script) : weft_text(call->hub->sum, JOBS_SUM);
    call->command.wait = true;
    weft_redis_command(&call->op, &call->command, call->hub->redis, call->args, call->count,
                       called);
}

static void call_begin(struct weft_op *op)
{
    call_send(weft_owner(op, struct jobs_call, op));
}

/* Now, however deep the stack is: calls go out in the order in which they are begun. */
void weft__jobs_call_run(struct jobs_call *call, weft_then_fn *then)
{
    call->tries = 0;
    call->by_text = call->pausing = call->last = false;
    call->busy = true;
    weft_run_now_at(WEFT_HERE("jobs call", WEFT_QUEUE), &call->hub->op, &call->op, call_begin,
                    then);
}

void weft__jobs_call_last(struct jobs_call *call)
{
    call->last = true;
    if (call->pausing)
        weft_cancel(&call->op, UV_ECANCELED);
}

void weft__jobs_call_over(struct jobs_call *call)
{
    call->busy = false;
}

void weft__jobs_call_why(const struct jobs_call *call, char why[WEFT_REDIS_WHY])
{
    const struct weft_redis_reply *reply = call->command.reply;
    if (reply != NULL && reply->type == WEFT_REDIS_ERROR)
        snprintf(why, WEFT_REDIS_WHY, "%.*s",
                 reply->text.size < WEFT_REDIS_WHY ? (int)reply->text.size : WEFT_REDIS_WHY - 1,
                 reply->text.data);
    else
        snprintf(why, WEFT_REDIS_WHY, "%s", weft_strerror(call->op.status));
}
