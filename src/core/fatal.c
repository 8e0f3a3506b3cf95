/* Broken rules, and errors that nobody took: the last words of a process.
 *
 * They are said from wherever it went wrong, perhaps with little memory and stack left, so they are
 * put together in a fixed buffer; of a chain that does not fit, both ends are shown. */
#include "report.h"
#include <stdlib.h>

enum { CHAIN = 24, ROOM = 6144 };

static weft_fatal_fn *on_fatal;

weft_fatal_fn *weft_on_fatal(weft_fatal_fn *fn)
{
    weft_fatal_fn *before = on_fatal;
    on_fatal = fn;
    return before;
}

/* What runs below op, newest first, if that is more than the reader can guess: the root has all. */
static void say_children(struct weft_words *words, const struct weft_op *op)
{
    enum { SOME = 4 };
    int shown = 0;
    if (op == NULL || op->state_ != OP_RUNNING || op->parent == NULL)
        return;
    for (const struct weft_op *child = op->child_; child != NULL; child = child->sibling_) {
        if (child->flags_ & OP_ATTENDANT)
            continue;
        if (shown++ == SOME) {
            weft__say(words, "    …\n");
            return;
        }
        weft__say(words, "    below it: ");
        weft__say_op(words, child);
    }
}

static void tell(const struct weft_words *words)
{
    if (on_fatal != NULL) {
        on_fatal(words->chars);
    } else {
        fputs(words->chars, stderr);
        fflush(stderr);
    }
}

__attribute__((noreturn)) static void die(const struct weft_words *words)
{
    tell(words);
    abort();
}

static const char *const rule_names[] = {
    "",       "storage",       "once",       "fresh stack",    "one path",
    "cancel", "no allocation", "one thread", "no silent loss", "everything can be seen",
};

static void say_rule(struct weft_words *words, int rule)
{
    weft__say(words, "weft: rule ");
    weft__say_number(words, (uint64_t)rule);
    weft__say(words, " (");
    weft__say(words, rule_names[rule]);
    weft__say(words, ") broken: ");
}

static void say_error(struct weft_words *words, int err)
{
    weft__say(words, weft_strerror(err));
    weft__say(words, " (");
    weft__say(words, weft_error_name(err));
    weft__say(words, ")\n");
}

void weft__broken(int rule, const struct weft_op *op, const char *what)
{
    char storage[ROOM];
    struct weft_words words = WORDS_KEPT(storage);
    say_rule(&words, rule);
    weft__say(&words, what);
    weft__say_end(&words);
    say_children(&words, op);
    weft__say_chain(&words, op, CHAIN, true);
    die(&words);
}

static void say_place(struct weft_words *words, const struct weft_site *site)
{
    weft__say(words, site->file);
    weft__say(words, ":");
    weft__say_number(words, (uint64_t)site->line);
    weft__say(words, " ");
    weft__say(words, site->func);
    weft__say(words, "()");
}

/* Whose callback it was: that may be a handle, which no chain of ops names. */
static void say_callback(struct weft_words *words, const struct weft_site *site)
{
    weft__say(words, "  in a callback of ");
    weft__say(words, site->type);
    if (site->file[0] != '\0') {
        weft__say(words, " begun at ");
        say_place(words, site);
    }
    weft__say(words, "\n");
}

/* A program's own error, not a broken rule: it ends as a program does, unless a core is wanted. */
void weft__thrown(const struct weft_site *site, const struct weft_op *op, int err, const char *text)
{
    char storage[ROOM];
    struct weft_words words = WORDS_KEPT(storage);
    const struct weft_loop *loop = weft__loop;
    bool hook = loop != NULL && loop->observers_->hidden & TELLING;
    weft__say(&words, hook ? "weft: a hook has thrown an error, which nobody may catch: "
                           : "weft: nobody caught an error: ");
    if (text != NULL) {
        weft__say(&words, text);
        weft__say(&words, ": ");
    }
    say_error(&words, err);
    weft__say(&words, "  thrown at ");
    say_place(&words, site);
    weft__say(&words, "\n");
    if (loop != NULL && loop->frame_ != NULL)
        say_callback(&words, loop->frame_->site_);
    weft__say_chain(&words, op, CHAIN, true);
    tell(&words);
    if (getenv("WEFT_ABORT") != NULL || weft__visit.op != NULL)
        abort(); /* libuv waits for its threads at exit: one of those cannot call it */
    exit(EXIT_FAILURE);
}

void weft__uncaught(struct weft_op *op, int status)
{
    if (weft__caught(op->loop_, op, status, NULL))
        return;
    char storage[ROOM];
    struct weft_words words = WORDS_KEPT(storage);
    say_rule(&words, 8);
    weft__say(&words, "nobody handled an error: ");
    say_error(&words, status);
    weft__say_chain(&words, op, CHAIN, true);
    die(&words);
}

void weft__unheard(const char *emitter)
{
    char storage[ROOM];
    struct weft_words words = WORDS_KEPT(storage);
    say_rule(&words, 8);
    weft__say(&words, emitter);
    weft__say(&words, " emitted an error and nobody listens\n");
    die(&words);
}
