/* A dump on a signal, also of a loop that does not turn.
 *
 *     signal ─► any thread ─► answer ─┬─ a loop of this thread: what runs now, by write(2);
 *                                     │  then wake it up ─► its next turn ─► weft_dump
 *                                     └─ a loop of another thread: send the signal on, once
 *
 * What runs now is read from the loop's frames. These lie on the stack of the loop's thread, and
 * change under nobody's lock: only a handler that has interrupted that very thread may look at them.
 * That is why the signal is sent on; `asked` tells the one that was from a new one, so that it does
 * not go round for ever.
 *
 * In the handler: no lock, no allocation, no stdio. uv_async_send is made for that. So a function is
 * told there by where it is, and by its name when the loop turns again.
 *
 * The handler of before is called too, and put back with the last watch, unless somebody has set one
 * on top of ours since: that one may call ours, which must stay then. */
#include "handles.h"
#include "report.h"
#include "weft/alloc.h"
#include "weft/dump.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct weft_signal_watch {
    uv_async_t turn;
    struct weft_loop *loop;
    const char *thread; /* whose loop it is, to be compared */
    struct weft_thread_id thread_id;
    int signum, fd;
    FILE *to;
    struct weft_code *code;         /* NULL: there was no memory */
    _Atomic(weft_entry_fn *) found; /* what the handler found running */
    atomic_bool asked;
};

enum { SIGNALS = 65 };

/* Per signal, under the lock of the loops. */
static unsigned watched[SIGNALS];
static struct sigaction before[SIGNALS];
static bool taken[SIGNALS];
static atomic_bool leaving; /* the process exits: loops that nobody closed may be gone */

/* ---- in the handler ------------------------------------------------------------------------- */

static void say_callback(struct weft_words *words, const struct weft_signal_watch *watch,
                         const struct weft_frame *frame)
{
    weft__say(words, ": a callback has been running for ");
    weft__say_time(words, (uv_hrtime() - frame->since_ns_) / 1000000);
    weft__say(words, ": of ");
    weft__say(words, frame->site_->type);
    weft__say_site(words, frame->site_);
    if (frame->entry_ == NULL)
        return;
    weft__say(words, ", in ");
    weft__say_code(words, watch->code, frame->entry_);
}

static void say_what_runs(const struct weft_signal_watch *watch)
{
    enum { CHAIN = 16 };
    char line[512];
    struct weft_words words = WORDS_TO_FD(line, watch->fd);
    const struct weft_loop *loop = watch->loop;
    const struct weft_frame *frame = loop->frame_;
    const struct weft_op *current = current_op(loop);
    if (frame == NULL && current == NULL)
        return;
    weft__say(&words, "weft: signal ");
    weft__say_number(&words, (uint64_t)watch->signum);
    if (frame != NULL && frame->site_ != NULL) {
        say_callback(&words, watch, frame);
    } else {
        weft__say(&words, ": a callback is running; the loop turned last ");
        uint64_t now = uv_hrtime() / 1000000, turned = uv_now(loop->uv);
        weft__say_time(&words, now > turned ? now - turned : 0);
        weft__say(&words, " ago");
    }
    weft__say_end(&words);
    weft__say_chain(&words, current, CHAIN, false);
}

static struct weft_signal_watch *watch_of(const struct weft_report *report, int signum)
{
    struct weft_signal_watch *watch = __atomic_load_n(&report->watch, __ATOMIC_ACQUIRE);
    return watch != NULL && watch->signum == signum ? watch : NULL;
}

static struct weft_report *first_report(void)
{
    return __atomic_load_n(&weft__loops, __ATOMIC_ACQUIRE);
}

static struct weft_report *next_report(const struct weft_report *report)
{
    return __atomic_load_n(&report->next, __ATOMIC_ACQUIRE);
}

/* Was this one sent on to us? */
static bool take_asked(int signum)
{
    bool asked = false;
    for (struct weft_report *at = first_report(); at != NULL; at = next_report(at)) {
        struct weft_signal_watch *watch = watch_of(at, signum);
        if (watch != NULL && watch->thread == &weft__thread)
            asked = atomic_exchange(&watch->asked, false) || asked;
    }
    return asked;
}

static void answer_all(int signum, bool send_on)
{
    for (struct weft_report *at = first_report(); at != NULL; at = next_report(at)) {
        struct weft_signal_watch *watch = watch_of(at, signum);
        if (watch == NULL)
            continue;
        if (watch->thread == &weft__thread) {
            if (watch->loop->frame_ != NULL)
                atomic_store(&watch->found, watch->loop->frame_->entry_);
            say_what_runs(watch);
            uv_async_send(&watch->turn);
        } else if (send_on && !atomic_exchange(&watch->asked, true)) {
            weft__thread_kill(watch->thread_id, signum);
        }
    }
}

static void call_the_one_before(int signum, siginfo_t *info, void *context)
{
    const struct sigaction *its = &before[signum];
    if (its->sa_flags & SA_SIGINFO)
        its->sa_sigaction(signum, info, context);
    else if (its->sa_handler != SIG_DFL && its->sa_handler != SIG_IGN)
        its->sa_handler(signum);
}

static void answer(int signum, siginfo_t *info, void *context)
{
    int kept = errno;
    weft__loops_read();
    bool sent_on = take_asked(signum);
    if (!atomic_load(&leaving))
        answer_all(signum, !sent_on);
    weft__loops_read_end();
    if (!sent_on)
        call_the_one_before(signum, info, context);
    errno = kept;
}

/* ---- on the loop ---------------------------------------------------------------------------- */

static void say_what_ran(struct weft_signal_watch *watch)
{
    weft_entry_fn *found = atomic_exchange(&watch->found, NULL);
    char line[512];
    struct weft_words words = WORDS_TO_FILE(line, watch->to);
    if (found == NULL)
        return;
    weft__say(&words, "weft: signal ");
    weft__say_number(&words, (uint64_t)watch->signum);
    weft__say(&words, ": what ran was ");
    weft__say_function(&words, found);
    weft__say_end(&words);
}

static void turned(uv_async_t *turn)
{
    struct weft_signal_watch *watch = weft_owner(turn, struct weft_signal_watch, turn);
    say_what_ran(watch);
    fprintf(watch->to, "weft: signal %d: what loop %p waits for\n", watch->signum,
            (void *)watch->loop);
    weft_dump(watch->loop, watch->to);
    fflush(watch->to);
}

static void watch_closed(uv_handle_t *turn)
{
    struct weft_signal_watch *watch =
        weft_owner((uv_async_t *)turn, struct weft_signal_watch, turn);
    weft_free(watch->code);
    weft_free(watch);
}

/* ---- on and off ----------------------------------------------------------------------------- */

static void leave(void)
{
    atomic_store(&leaving, true);
}

static void set_atexit(void)
{
    atexit(leave);
}

static int signal_take(int signum)
{
    static uv_once_t once = UV_ONCE_INIT;
    struct sigaction ours, old;
    if (taken[signum]) {
        watched[signum]++;
        return 0;
    }
    uv_once(&once, set_atexit);
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = answer;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    if (sigaction(signum, NULL, &old) != 0)
        return UV_EINVAL;
    before[signum] = old; /* ours may be called at once */
    if (sigaction(signum, &ours, NULL) != 0)
        return UV_EINVAL;
    taken[signum] = true;
    watched[signum]++;
    return 0;
}

static void signal_give_back(int signum)
{
    struct sigaction now;
    if (--watched[signum] != 0 || sigaction(signum, NULL, &now) != 0)
        return;
    if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == answer) {
        sigaction(signum, &before[signum], NULL);
        taken[signum] = false;
    }
}

/* Frames that were there before nobody had asked for their time. */
static void note_times(struct weft_loop *loop)
{
    if (loop->watch_ & WATCH_TIME)
        return;
    for (struct weft_frame *frame = loop->frame_; frame != NULL; frame = frame->outer_)
        frame->since_ns_ = uv_hrtime();
    weft__watch(loop, loop->watch_ | WATCH_TIME);
}

/* watch in place of the one there is; NULL: none. The new one's signal is taken before the old one's
 * is given back, which may be the same: there is no moment in which it would end the process. If it
 * cannot be taken, all stays as it was. */
static int exchange(struct weft_loop *loop, struct weft_signal_watch *watch)
{
    struct weft_report *report = weft__report_of(loop);
    weft__loops_lock();
    int err = watch != NULL ? signal_take(watch->signum) : 0;
    struct weft_signal_watch *gone = err == 0 ? report->watch : watch;
    if (err == 0) {
        __atomic_store_n(&report->watch, watch, __ATOMIC_RELEASE);
        if (gone != NULL)
            signal_give_back(gone->signum);
    }
    weft__loops_unlock();
    weft__loops_settle();
    if (gone != NULL)
        uv_close((uv_handle_t *)&gone->turn, watch_closed);
    return err;
}

static void unwatch(struct weft_loop *loop)
{
    if (weft__report_of(loop)->watch == NULL)
        return;
    exchange(loop, NULL);
    weft__watch(loop, loop->watch_ & ~(uint32_t)WATCH_TIME);
}

static int watch_make(struct weft_loop *loop, int signum, FILE *to, struct weft_signal_watch **made)
{
    struct weft_signal_watch *watch = weft_calloc(1, sizeof *watch);
    if (watch == NULL)
        return UV_ENOMEM;
    int err = uv_async_init(loop->uv, &watch->turn, turned);
    if (err != 0) {
        weft_free(watch);
        return err;
    }
    uv_unref((uv_handle_t *)&watch->turn);
    weft_dump_belongs((uv_handle_t *)&watch->turn);
    watch->loop = loop;
    watch->thread = &weft__thread;
    watch->thread_id = weft__thread_self();
    watch->signum = signum;
    watch->to = to;
    watch->fd = fileno(to);
    watch->code = weft__code_look();
    *made = watch;
    return 0;
}

int weft_dump_on_signal(struct weft_loop *loop, int signum, FILE *to)
{
    struct weft_signal_watch *watch;
    if (loop == NULL || loop->handles_ == NULL)
        return UV_EINVAL;
    RULE_THREAD(loop, &loop->root);
    if (signum == 0) {
        unwatch(loop);
        return 0;
    }
    if (signum < 0 || signum >= SIGNALS || signum == SIGKILL || signum == SIGSTOP || to == NULL ||
        fileno(to) < 0)
        return UV_EINVAL;
    int err = watch_make(loop, signum, to, &watch);
    if (err == 0)
        err = exchange(loop, watch);
    if (err == 0)
        note_times(loop);
    return err;
}
