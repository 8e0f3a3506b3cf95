/* What people are told: the chain above an op, the tree of all that are open, a broken rule.
 *
 * A broken rule is reported from wherever it broke, perhaps with little memory and stack left, so
 * its text is put together in a fixed buffer. A chain longer than fits is cut in the middle of
 * nothing: it simply ends. */
#include "op.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *state_name(const struct weft_op *op)
{
    switch (op->state_) {
    case OP_IDLE:
        return "over";
    case OP_STARTING:
        return "starting";
    case OP_RUNNING:
        return op->running_ != 0 ? "waiting for its children" : "running";
    case OP_READY:
        return "finished, not reported yet";
    case OP_QUEUED:
        return "queued";
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

/* One op as a line: type [state, cancelled with what, age] begun at file:line function(). */
static int describe(char *text, size_t size, const struct weft_op *op)
{
    char cancelled[48] = "", age[32] = "", place[256] = "";
    if (!op_state_known(op->state_)) /* none of its pointers leads anywhere */
        return snprintf(text, size, "? [%s]\n", state_name(op));
    if (op->reason_ != 0 && op->state_ != OP_IDLE)
        snprintf(cancelled, sizeof cancelled, ", cancelled (%s)", weft_error_name(op->reason_));
    if (op->parent != NULL && op->state_ != OP_IDLE && !(op->flags_ & OP_REFUSED))
        snprintf(age, sizeof age, ", %" PRIu32 " ms", op->loop_->now_ms_ - op->since_ms_);
    if (op->site_ != NULL)
        snprintf(place, sizeof place, " begun at %s:%d %s()", op->site_->file, op->site_->line,
                 op->site_->func);
    return snprintf(text, size, "%s [%s%s%s]%s\n", weft__op_type(op), state_name(op), cancelled,
                    age, place);
}

/* An op that is over may not lead anywhere any more: its parent may be gone. */
static const struct weft_op *above(const struct weft_op *op)
{
    return op->state_ == OP_IDLE || !op_state_known(op->state_) ? NULL : op->parent;
}

void weft_stack(const struct weft_op *op, FILE *to)
{
    char line[512];
    for (; op != NULL; op = above(op)) {
        describe(line, sizeof line, op);
        fprintf(to, "  %s", line);
    }
}

void weft_dump(const struct weft_loop *loop, FILE *to)
{
    char line[512];
    fprintf(to,
            "open: %" PRIu32 " under the root, %" PRIu32 " detached, %" PRIu32 " posts expected\n",
            loop->root.running_, loop->detached_, loop->expected_);
    int depth = 1;
    for (const struct weft_op *op = loop->root.child_; op != NULL;) {
        describe(line, sizeof line, op);
        fprintf(to, "%*s%s", 2 * (depth < 40 ? depth : 40), "", line);
        if (op->child_ != NULL) {
            op = op->child_;
            depth++;
            continue;
        }
        while (op->sibling_ == NULL && op->parent != &loop->root) {
            op = op->parent;
            depth--;
        }
        op = op->sibling_;
    }
}

int weft__stuck(const struct weft_loop *loop)
{
    if (loop->stuck_to != NULL) {
        fputs("weft: nothing can finish these:\n", loop->stuck_to);
        weft_dump(loop, loop->stuck_to);
    }
    return WEFT_ESTUCK;
}

/* ---- broken rules --------------------------------------------------------------------------- */

static weft_fatal_fn *on_fatal;

weft_fatal_fn *weft_on_fatal(weft_fatal_fn *fn)
{
    weft_fatal_fn *before = on_fatal;
    on_fatal = fn;
    return before;
}

struct text {
    char chars[4096];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof text->chars - text->length;
    int length = vsnprintf(text->chars + text->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void add_chain(struct text *text, const struct weft_op *op)
{
    char line[512];
    for (; op != NULL; op = above(op)) {
        describe(line, sizeof line, op);
        add(text, "  %s", line);
    }
}

/* What runs below op, newest first, if that is more than the reader can guess: the root has all. */
static void add_children(struct text *text, const struct weft_op *op)
{
    enum { SOME = 4 };
    char line[512];
    int shown = 0;
    if (op == NULL || op->state_ != OP_RUNNING || op->parent == NULL)
        return;
    for (const struct weft_op *child = op->child_; child != NULL; child = child->sibling_) {
        if (child->flags_ & OP_ATTENDANT)
            continue;
        if (shown++ == SOME) {
            add(text, "    …\n");
            return;
        }
        describe(line, sizeof line, child);
        add(text, "    below it: %s", line);
    }
}

__attribute__((noreturn)) static void die(const struct text *text)
{
    if (on_fatal != NULL) {
        on_fatal(text->chars);
    } else {
        fputs(text->chars, stderr);
        fflush(stderr);
    }
    abort();
}

static const char *const rule_names[] = {
    "",       "storage",       "once",       "fresh stack",    "one path",
    "cancel", "no allocation", "one thread", "no silent loss", "everything can be seen",
};

void weft__broken(int rule, const struct weft_op *op, const char *what)
{
    struct text text = {.length = 0};
    add(&text, "weft: rule %d (%s) broken: %s\n", rule, rule_names[rule], what);
    add_children(&text, op);
    add_chain(&text, op);
    die(&text);
}

void weft__uncaught(const struct weft_op *op, int status)
{
    struct text text = {.length = 0};
    add(&text, "weft: rule 8 (%s) broken: nobody handled an error: %s (%s)\n", rule_names[8],
        weft_strerror(status), weft_error_name(status));
    add_chain(&text, op);
    die(&text);
}

void weft__unheard(const char *emitter)
{
    struct text text = {.length = 0};
    add(&text, "weft: rule 8 (%s) broken: %s emitted an error and nobody listens\n", rule_names[8],
        emitter);
    die(&text);
}
