/* How an op is told: one line, in plain words.
 *
 *     page_begin [waiting for its children, 12 ms] begun at spider.c:88 follow()
 *
 * The same words are used in a signal handler, where nothing may be called that allocates or locks.
 * So they are put together here by hand. An op that is reported may be in any state, also one that
 * was never zeroed: before its state is known to be one of ours none of its pointers is followed. */
#include "report.h"
#include "weft/batch.h"
#include "weft/lazy.h"
#include "weft/queue.h"
#include "weft/sim.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- words ---------------------------------------------------------------------------------- */

void weft__say(struct weft_words *words, const char *text)
{
    for (; *text != '\0' && words->length + 1 < words->room; text++)
        words->chars[words->length++] = *text;
    words->chars[words->length] = '\0';
}

static void say_in_base(struct weft_words *words, uint64_t number, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    weft__say(words, digits + at);
}

void weft__say_number(struct weft_words *words, uint64_t number)
{
    say_in_base(words, number, 10);
}

void weft__say_hex(struct weft_words *words, uint64_t number)
{
    weft__say(words, "0x");
    say_in_base(words, number, 16);
}

void weft__say_time(struct weft_words *words, uint64_t ms)
{
    const uint64_t second = 1000, minute = 60 * second, hour = 60 * minute;
    if (ms < 10 * second) {
        weft__say_number(words, ms);
        weft__say(words, " ms");
    } else if (ms < 10 * minute) {
        weft__say_number(words, ms / second);
        weft__say(words, ".");
        weft__say_number(words, ms % second / 100);
        weft__say(words, " s");
    } else {
        bool hours = ms >= 10 * hour;
        weft__say_number(words, ms / (hours ? hour : minute));
        weft__say(words, hours ? " h" : " min");
    }
}

void weft__say_count(struct weft_words *words, uint64_t count, const char *one, const char *many)
{
    weft__say_number(words, count);
    weft__say(words, " ");
    weft__say(words, count == 1 ? one : many);
}

void weft__say_blanks(struct weft_words *words, size_t count)
{
    while (count-- > 0)
        weft__say(words, " ");
}

/* A line of a file or of a descriptor is written whole, so that those of others do not come between
 * its words. */
void weft__say_end(struct weft_words *words)
{
    if (words->length + 1 >= words->room) /* full: what is there ends as a line does */
        words->length = words->room - 2;
    weft__say(words, "\n");
    if (words->file == NULL && words->fd < 0)
        return;
    if (words->file != NULL) {
        fwrite(words->chars, 1, words->length, words->file);
    } else {
        ssize_t written = write(words->fd, words->chars, words->length);
        (void)written; /* there is nobody to tell */
    }
    words->length = 0;
}

/* ---- an op ---------------------------------------------------------------------------------- */

uint64_t weft__now_ms(const struct weft_loop *loop)
{
    return loop->sim_ != NULL ? loop->sim_->now_ : uv_hrtime() / 1000000;
}

/* Of an op of the user's with nothing below it that runs, and no work of its own: it ends when
 * somebody finishes it, and if nobody does that was forgotten. */
static bool is_finished_by_hand(const struct weft_op *op)
{
    return op->parent != NULL && !(op->flags_ & (OP_WORKS | OP_ATTENDANT)) && op->site_ != NULL &&
           op->site_->group & WEFT_USER;
}

static const char *state_name(const struct weft_op *op)
{
    switch (op->state_) {
    case OP_IDLE:
        return "over";
    case OP_STARTING:
        return "starting";
    case OP_RUNNING:
        if (current_op(op->loop_) == op)
            return "running";
        if (op->running_ != 0)
            return "waiting for its children";
        return is_finished_by_hand(op) ? "waits for somebody's weft_finish" : "waiting";
    case OP_READY:
        return "finished, not reported yet";
    case OP_QUEUED:
        return "queued";
    case OP_EARLY:
        return "too early";
    default:
        return "garbage";
    }
}

const char *weft__op_type(const struct weft_op *op)
{
    if (op->site_ != NULL)
        return op->site_->type;
    return op->loop_ != NULL && op == &op->loop_->root ? "loop" : "?";
}

static void say_site(struct weft_words *words, const char *before, const struct weft_site *site)
{
    if (site == NULL || site->file[0] == '\0')
        return;
    weft__say(words, before);
    weft__say(words, site->file);
    weft__say(words, ":");
    weft__say_number(words, (uint64_t)(site->line > 0 ? site->line : 0));
    weft__say(words, " ");
    weft__say(words, site->func);
    weft__say(words, "()");
}

void weft__say_site(struct weft_words *words, const struct weft_site *site)
{
    say_site(words, " begun at ", site);
}

static void say_places(struct weft_words *words, unsigned running, unsigned limit)
{
    weft__say_number(words, running);
    weft__say(words, " of ");
    weft__say_number(words, limit);
}

/* Why a task is not begun: who has the places, and where those are. */
static void say_queue(struct weft_words *words, const struct weft_lane *lane)
{
    const struct weft_queue *queue = lane->queue;
    bool its_own = lane->limit != UINT_MAX;
    weft__say(words, lane->paused_ || queue->paused_ ? ": paused, " : ": ");
    if (its_own) {
        say_places(words, lane->running, lane->limit);
        weft__say(words, " running in its lane, ");
    }
    say_places(words, queue->running, queue->limit);
    weft__say(words, its_own ? " in the queue" : " running in the queue");
    say_site(words, " made at ", queue->handle_.site_);
}

/* Why a call is not begun: what has to be ready first, and whether anybody is at it. */
static void say_lazy(struct weft_words *words, const struct weft_lazy *lazy)
{
    bool pending = lazy->promise.op.state_ != OP_IDLE;
    weft__say(words, lazy->initialized ? ": is begun in its turn"
                     : pending         ? ": being initialised"
                                       : ": nobody initialises it");
    say_site(words, ", lazy made at ", lazy->handle_.site_);
}

/* What is loaded. A key may be any bytes, from anywhere: no more than a few, and only what is plain. */
static void say_key(struct weft_words *words, struct weft_text key)
{
    enum { MOST = 40 };
    weft__say(words, ", key \"");
    for (size_t i = 0; i < key.size && i < MOST; i++) {
        bool plain = key.data[i] >= ' ' && key.data[i] <= '~';
        weft__say(words, (const char[]){plain ? key.data[i] : '?', '\0'});
    }
    weft__say(words, key.size > MOST ? "…\"" : "\"");
}

static void say_load(struct weft_words *words, const struct weft_op *op)
{
    const struct weft_flight *flight = weft__flight_of(op);
    if (flight != NULL)
        say_key(words, flight->key);
}

static bool has_age(const struct weft_op *op)
{
    return op->parent != NULL && op->state_ != OP_IDLE && !(op->flags_ & OP_REFUSED);
}

void weft__say_op(struct weft_words *words, const struct weft_op *op)
{
    bool known = op_state_known(op->state_);
    weft__say(words, known ? weft__op_type(op) : "?");
    weft__say(words, " [");
    weft__say(words, state_name(op));
    if (known && op->reason_ != 0 && op->state_ != OP_IDLE) {
        weft__say(words, ", cancelled (");
        weft__say(words, weft_error_name(op->reason_));
        weft__say(words, ")");
    }
    if (known && has_age(op)) {
        weft__say(words, ", ");
        weft__say_time(words, (uint32_t)weft__now_ms(op->loop_) - op->since_ms_);
    }
    if (op->state_ == OP_QUEUED)
        say_queue(words, op->place_.lane);
    if (op->state_ == OP_EARLY)
        say_lazy(words, op->place_.lazy);
    if (known && op->state_ != OP_IDLE)
        say_load(words, op);
    weft__say(words, "]");
    if (known)
        weft__say_site(words, op->site_);
    weft__say_end(words);
}

/* ---- those above it ------------------------------------------------------------------------- */

/* An op that is over may not lead anywhere any more: its parent may be gone. */
static const struct weft_op *above(const struct weft_op *op)
{
    return op->state_ == OP_IDLE || !op_state_known(op->state_) ? NULL : op->parent;
}

void weft__say_chain(struct weft_words *words, const struct weft_op *op, size_t most, bool c_stacks)
{
    enum { OUTERMOST = 4 };
    size_t length = 0, at = 0;
    for (const struct weft_op *link = op; link != NULL; link = above(link))
        length++;
    for (; op != NULL; op = above(op), at++) {
        if (length > most && at >= most - OUTERMOST && at < length - OUTERMOST) {
            if (at == most - OUTERMOST) {
                weft__say(words, "  … ");
                weft__say_number(words, length - most);
                weft__say(words, " between these …");
                weft__say_end(words);
            }
            continue;
        }
        weft__say(words, "  ");
        weft__say_op(words, op);
        if (c_stacks && op_state_known(op->state_) && op->flags_ & OP_NAMED)
            weft__say_sample(words, op->loop_, op->id_, 6);
    }
}
