/* The life of a worker.
 *
 *              READY frame        told to end (its line is empty)
 *   STARTING ──────────────► READY ──────────────► ENDING
 *      │ ready_ms              │ hung, garbage, a job's time    │ grace_ms
 *      └──────────► DYING ◄────┴────────────────────────────────┘
 *                     │ reaped (from any state: a worker may exit whenever it likes)
 *                     ▼
 *                   GONE ──► libuv has closed its handles ──► freed
 *
 * Its exit is seen by its pidfd, so also when something it has left behind keeps the channel open;
 * and the end of the channel is not its exit: it may have closed it and live on, so it is given
 * grace_ms.
 *
 * A process is signalled by its number, and its group by the same: both are its own as long as it
 * is not reaped, which happens here and nowhere else. So its group is killed before it is
 * reaped. */
#include "procs.h"
#include "memory.h"
#include "procs_env.h"
#include "weft/alloc.h"
#include "weft/dump.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ASK_MS = 5 /* where there is no pidfd */ };

/* ---- counting ------------------------------------------------------------------------------- */

static bool goes_on_by_itself(const struct weft_worker *worker)
{
    switch (worker->state) {
    case WORKER_STARTING:
    case WORKER_DYING:
        return true;
    case WORKER_READY:
        return worker->count > 0 && !worker->paused && line_at(worker, 0)->job != NULL;
    default:
        return false;
    }
}

void weft__worker_settle(struct weft_worker *worker)
{
    bool awaited = goes_on_by_itself(worker);
    if (awaited == worker->awaited)
        return;
    worker->awaited = awaited;
    if (awaited)
        worker->engine->loop->awaited_++;
    else
        worker->engine->loop->awaited_--;
}

/* The one place that sets a state. */
static void enter(struct weft_worker *worker, enum worker_state state)
{
    struct weft_procs_engine *engine = worker->engine;
    if (worker->state == WORKER_STARTING && state != WORKER_STARTING)
        engine->procs->starting--;
    if (worker->state == WORKER_ENDING || worker->state == WORKER_DYING)
        engine->leaving--;
    worker->state = state;
    if (state == WORKER_ENDING || state == WORKER_DYING)
        engine->leaving++;
    weft__worker_settle(worker);
}

void weft__worker_unidle(struct weft_worker *worker)
{
    if (worker->idle_link == NULL)
        return;
    *worker->idle_link = worker->idle_next;
    if (worker->idle_next != NULL)
        worker->idle_next->idle_link = worker->idle_link;
    worker->idle_link = NULL;
    worker->engine->procs->idle--;
    weft_timer_stop(worker->engine->loop, &worker->timer);
}

/* The one that worked last is taken first: its memory is still warm, and the others may end. */
static void put_among_idle(struct weft_worker *worker)
{
    struct weft_procs_engine *engine = worker->engine;
    worker->idle_next = engine->idle;
    worker->idle_link = &engine->idle;
    if (worker->idle_next != NULL)
        worker->idle_next->idle_link = &worker->idle_next;
    engine->idle = worker;
    engine->procs->idle++;
}

static void stop_timers(struct weft_worker *worker)
{
    struct weft_loop *loop = worker->engine->loop;
    weft_timer_stop(loop, &worker->timer);
    weft_timer_stop(loop, &worker->late);
    weft_timer_stop(loop, &worker->beat);
    weft_timer_stop(loop, &worker->peek);
    weft_timer_stop(loop, &worker->again);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void worker_free(struct weft_worker *worker)
{
    struct weft_procs_engine *engine = worker->engine;
    *worker->link = worker->next;
    if (worker->next != NULL)
        worker->next->link = worker->link;
    for (struct weft_worker **at = &engine->dirty; worker->dirty && *at != NULL;
         at = &(*at)->dirty_next) {
        if (*at == worker) {
            *at = worker->dirty_next;
            break;
        }
    }
    weft__channel_free(worker);
    if (worker->page != NULL)
        munmap(worker->page, sizeof *worker->page);
    weft_free(worker->line);
    weft_free(worker);
}

static void handle_closed(struct weft_worker *worker)
{
    struct weft_procs_engine *engine = worker->engine;
    if (--worker->handles > 0)
        return;
    worker_free(worker);
    weft__procs_pump(engine);
}

static void channel_closed(uv_handle_t *handle)
{
    handle_closed(weft_owner((uv_poll_t *)handle, struct weft_worker, channel.poll_));
}

static void exit_closed(uv_handle_t *handle)
{
    handle_closed(weft_owner((uv_poll_t *)handle, struct weft_worker, exit.poll_));
}

static void ask_closed(uv_handle_t *handle)
{
    handle_closed(weft_owner((uv_timer_t *)handle, struct weft_worker, ask));
}

static void close_handles(struct weft_worker *worker)
{
    weft__watch_close(&worker->channel, false, channel_closed);
    if (worker->process.pidfd >= 0)
        weft__watch_close(&worker->exit, false, exit_closed);
    else
        uv_close((uv_handle_t *)&worker->ask, ask_closed);
}

void weft__worker_explain(const struct weft_worker *worker, char why[WEFT_PROCS_WHY])
{
    if (worker->cause_why != NULL)
        snprintf(why, WEFT_PROCS_WHY, "%s", worker->cause_why);
    else if (worker->term_signal != 0)
        snprintf(why, WEFT_PROCS_WHY, "killed by signal %d (%s)", worker->term_signal,
                 strsignal(worker->term_signal));
    else
        snprintf(why, WEFT_PROCS_WHY, "exit code %d", worker->exit_code);
}

/* A worker that has done something and goes while it has nothing to do has not failed. */
static bool has_failed(const struct weft_worker *worker, enum worker_state state)
{
    if (state == WORKER_ENDING || (state == WORKER_DYING && worker->cause == 0))
        return false;
    return worker->count > 0 || worker->done == 0 || worker->cause != 0;
}

void weft__worker_bury(struct weft_worker *worker)
{
    struct weft_procs_engine *engine = worker->engine;
    enum worker_state state = worker->state;
    char why[WEFT_PROCS_WHY];
    if (state == WORKER_GONE)
        return;
    weft__worker_unidle(worker);
    worker->deaf = false; /* replies to earlier jobs may be in the page all the same */
    weft__channel_peek(worker);
    stop_timers(worker);
    bool failed = has_failed(worker, state);
    enter(worker, WORKER_GONE);
    if (state != WORKER_DYING && state != WORKER_ENDING)
        engine->procs->died++;
    weft__line_settle(worker);
    if (worker->holder != NULL) {
        worker->holder->alive = false;
        worker->holder->worker_ = NULL;
        worker->holder = NULL;
    }
    engine->procs->workers--;
    engine->trials -= worker->trial;
    weft_handle_close(&worker->handle);
    close_handles(worker);
    if (failed) {
        weft__worker_explain(worker, why);
        weft__procs_failed(engine, worker->cause != 0 ? worker->cause : WEFT_ECRASHED, why);
    }
    weft__procs_pump(engine);
}

/* It has exited. What it said before that counts, however late it is read. */
static void exited(struct weft_worker *worker, int status)
{
    worker->process.pid = 0;
    worker->term_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    worker->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (worker->process.pidfd >= 0)
        weft__watch_change(&worker->exit, 0, NULL);
    else
        uv_timer_stop(&worker->ask);
    weft_timer_stop(worker->engine->loop, &worker->beat);
    weft_timer_stop(worker->engine->loop, &worker->timer); /* it has ended: no grace */
    worker->mute = true;
    weft__channel_read(worker); /* buries it, unless its job's owner wants no more for now */
}

static void look_whether_it_exited(struct weft_worker *worker)
{
    siginfo_t info = {0};
    int status = 0, pid = worker->process.pid;
    if (pid == 0)
        return;
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
        return;
    if (info.si_pid == pid) /* else it was reaped by somebody else, and the number is not its own */
        kill(-pid, SIGKILL); /* what it has started; before it is reaped */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    exited(worker, status);
}

static void exit_polled(uv_poll_t *poll, int status, int events)
{
    struct weft_worker *worker = weft_owner(poll, struct weft_worker, exit.poll_);
    (void)status;
    (void)events;
    loop_polled(worker->engine->loop);
    look_whether_it_exited(worker);
}

static void asked(uv_timer_t *timer)
{
    look_whether_it_exited(weft_owner(timer, struct weft_worker, ask));
}

void weft__worker_kill(struct weft_worker *worker, int cause, const char *why)
{
    if (worker->state == WORKER_DYING || worker->state == WORKER_GONE)
        return;
    weft__worker_unidle(worker);
    stop_timers(worker);
    if (cause != 0) {
        worker->cause = cause;
        worker->cause_why = why;
    }
    if (!worker->engine->killed && worker->state != WORKER_ENDING)
        worker->engine->procs->killed++;
    enter(worker, WORKER_DYING);
    if (worker->process.pid != 0)
        kill(-worker->process.pid, SIGKILL);
    else
        weft__worker_bury(
            worker); /* it has exited before, and somebody did not want its last words */
}

/* ---- time ----------------------------------------------------------------------------------- */

static void ready_over(struct weft_timer *timer)
{
    weft__worker_kill(weft_owner(timer, struct weft_worker, timer), UV_ETIMEDOUT,
                      "it did not become ready in time");
}

static void idle_over(struct weft_timer *timer)
{
    struct weft_worker *worker = weft_owner(timer, struct weft_worker, timer);
    weft__worker_rest(worker);
}

static void grace_over(struct weft_timer *timer)
{
    struct weft_worker *worker = weft_owner(timer, struct weft_worker, timer);
    if (worker->state == WORKER_ENDING)
        weft__worker_kill(worker, 0, NULL);
    else if (worker->mute)
        weft__worker_kill(worker, WEFT_ECRASHED, "it closed its channel and did not end");
    else
        weft__line_grace_over(worker);
}

static void start_timer(struct weft_worker *worker, struct weft_timer *timer, uint64_t ms,
                        weft_fire_fn *fire)
{
    if (ms != UINT64_MAX)
        weft__timer_start(worker->engine->loop, timer, ms, fire);
}

void weft__worker_grace(struct weft_worker *worker)
{
    start_timer(worker, &worker->timer,
                or_default(worker->engine->procs->grace_ms, WEFT_PROCS_GRACE_MS), grace_over);
}

/* Is it still there? Not asked while nobody reads what it says. */
static void beat_over(struct weft_timer *timer)
{
    struct weft_worker *worker = weft_owner(timer, struct weft_worker, beat);
    struct weft_loop *loop = worker->engine->loop;
    static const struct frame ping = {.type = FRAME_PING};
    uint64_t beat = worker->engine->procs->beat_ms, silent = weft_now(loop) - worker->heard;
    if (worker->state != WORKER_READY)
        return;
    if (worker->paused || silent < beat) {
        start_timer(worker, timer, worker->paused ? beat : beat - silent, beat_over);
    } else if (worker->asked) {
        weft__channel_read(worker); /* this loop may have been the one that was late */
        if (worker->state == WORKER_READY && worker->asked)
            weft__worker_kill(worker, UV_ETIMEDOUT, "it hangs: no sign of life");
        else if (worker->state == WORKER_READY)
            start_timer(worker, timer, beat, beat_over);
    } else {
        worker->asked = weft__channel_put(worker, &ping, NULL, -1) == 0;
        start_timer(worker, timer, beat, beat_over);
    }
}

void weft__worker_heard(struct weft_worker *worker)
{
    worker->heard = weft_now(worker->engine->loop);
    worker->asked = false;
}

/* ---- between jobs ---------------------------------------------------------------------------- */

void weft__worker_ready(struct weft_worker *worker, bool gated)
{
    uint64_t beat = worker->engine->procs->beat_ms;
    worker->gated = gated;
    weft_timer_stop(worker->engine->loop, &worker->timer);
    enter(worker, WORKER_READY);
    if (beat != 0)
        start_timer(worker, &worker->beat, beat, beat_over);
    weft__worker_rest(worker);
}

void weft__worker_tell_to_end(struct weft_worker *worker)
{
    weft__worker_unidle(worker);
    weft_timer_stop(worker->engine->loop, &worker->beat);
    enter(worker, WORKER_ENDING);
    weft__channel_flush(worker);
    shutdown(worker->channel.fd_, SHUT_WR);
    worker->mute = true;
    weft__worker_grace(worker);
}

/* Resident bytes, as /proc has them; 0: not known. */
static uint64_t resident(const struct weft_worker *worker)
{
    char path[64], text[64];
    unsigned long long size, pages;
    snprintf(path, sizeof path, "/proc/%d/statm", worker->process.pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "%llu %llu", &size, &pages) != 2)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t age(const struct weft_worker *worker)
{
    return weft_now(worker->engine->loop) - worker->born;
}

static bool is_worn(const struct weft_worker *worker)
{
    const struct weft_procs *procs = worker->engine->procs;
    return (procs->max_jobs != 0 && worker->done >= procs->max_jobs) ||
           (procs->max_age_ms != 0 && age(worker) >= procs->max_age_ms) ||
           (procs->max_rss != 0 && worker->done > 0 && resident(worker) > procs->max_rss);
}

/* It is asked again when its idle time is over, or its life. */
static uint64_t rest_ms(const struct weft_worker *worker)
{
    const struct weft_procs *procs = worker->engine->procs;
    uint64_t ms = or_default(procs->idle_ms, WEFT_PROCS_IDLE_MS);
    if (staying(worker->engine) <= procs->min)
        ms = UINT64_MAX;
    if (procs->max_age_ms != 0 && procs->max_age_ms - age(worker) < ms)
        ms = procs->max_age_ms - age(worker);
    return ms;
}

void weft__worker_rest(struct weft_worker *worker)
{
    struct weft_procs_engine *engine = worker->engine;
    bool rested = worker->idle_link != NULL; /* its time is over, and nobody has wanted it */
    if (worker->mute || worker->state != WORKER_READY)
        return;
    if (is_worn(worker) || (rested && staying(engine) > engine->procs->min)) {
        weft__worker_tell_to_end(worker);
    } else {
        if (!rested)
            put_among_idle(worker);
        start_timer(worker, &worker->timer, rest_ms(worker), idle_over);
    }
    weft__procs_pump(engine);
}

void weft__worker_ended(struct weft_worker *worker)
{
    worker->mute = true;
    if (worker->process.pid == 0) {
        weft__worker_bury(worker);
        return;
    }
    weft__worker_unidle(worker);
    weft__channel_watch(worker);
    if (worker->state != WORKER_DYING)
        weft__worker_grace(worker);
}

/* ---- the beginning -------------------------------------------------------------------------- */

/* What is below the numbers that the child gets would be overwritten there. */
static int lift(int fd)
{
    if (fd < 0 || fd >= SPAWN_FDS)
        return fd;
    int lifted = fcntl(fd, F_DUPFD_CLOEXEC, SPAWN_FDS);
    close(fd);
    return lifted;
}

static int copy_of(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, SPAWN_FDS);
}

static int make_channel(int *ours, int *theirs)
{
    int ends[2];
#ifdef SOCK_CLOEXEC
    int kind = SOCK_STREAM | SOCK_CLOEXEC;
#else
    int kind = SOCK_STREAM;
#endif
    if (socketpair(AF_UNIX, kind, 0, ends) != 0)
        return uv_translate_sys_error(errno);
    *ours = ends[0];
    *theirs = lift(ends[1]);
    if (*theirs < 0 || fcntl(*ours, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(*ours, F_SETFD, FD_CLOEXEC) != 0)
        return uv_translate_sys_error(errno);
    return 0;
}

static int make_page(struct weft_worker *worker, int *fd)
{
    *fd = lift(weft__memory_make(sizeof(struct page)));
    if (*fd < 0)
        return *fd == -1 ? uv_translate_sys_error(errno) : *fd;
    void *at = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (at == MAP_FAILED)
        return uv_translate_sys_error(errno);
    worker->page = at;
    return 0;
}

static int spawn(struct weft_worker *worker, struct spawn_plan *plan, char *file)
{
    const struct weft_procs *procs = worker->engine->procs;
    int err = weft__env_find(worker->engine->env, procs->args[0], file);
    if (err != 0)
        return err;
    plan->fds[0] = lift(open("/dev/null", O_RDWR | O_CLOEXEC));
    plan->fds[1] = copy_of(procs->out != 0 ? procs->out : 1);
    plan->fds[2] = copy_of(procs->err != 0 ? procs->err : 2);
    for (int i = 1; i < 3; i++) { /* this process may have none itself */
        if (plan->fds[i] < 0 && (i == 1 ? procs->out : procs->err) == 0)
            plan->fds[i] = copy_of(plan->fds[0]);
    }
    for (int i = 0; i < 3; i++) {
        if (plan->fds[i] < 0)
            return uv_translate_sys_error(errno);
    }
    plan->file = file;
    plan->args = (char *const *)(uintptr_t)procs->args;
    plan->env = worker->engine->env;
    plan->cwd = procs->cwd;
    plan->limits = procs->limits;
    plan->nice = procs->nice;
    plan->affinity = procs->affinity;
    return weft__spawn(plan, &worker->process);
}

static int watch_exit(struct weft_worker *worker)
{
    uv_loop_t *uv = worker->engine->loop->uv;
    if (worker->process.pidfd >= 0) {
        int err = weft__watch_open(&worker->exit, uv, worker->process.pidfd);
        if (err != 0)
            return err;
        watch_set(&worker->exit, UV_READABLE, true, exit_polled);
        return 0;
    }
    uv_timer_init(uv, &worker->ask);
    weft_dump_belongs((uv_handle_t *)&worker->ask);
    return uv_timer_start(&worker->ask, asked, ASK_MS, ASK_MS);
}

/* It runs and cannot be watched: away with it. */
static void undo_spawn(struct weft_worker *worker)
{
    kill(-worker->process.pid, SIGKILL);
    while (waitpid(worker->process.pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (worker->process.pidfd >= 0)
        close(worker->process.pidfd);
}

static void link_worker(struct weft_worker *worker)
{
    struct weft_procs_engine *engine = worker->engine;
    worker->next = engine->workers;
    worker->link = &engine->workers;
    if (worker->next != NULL)
        worker->next->link = &worker->next;
    engine->workers = worker;
}

static void worker_begins(struct weft_worker *worker)
{
    struct weft_procs *procs = worker->engine->procs;
    link_worker(worker);
    worker->handles = 2;
    worker->born = worker->heard = weft_now(worker->engine->loop);
    procs->workers++;
    procs->starting++;
    procs->started++;
    worker->trial = worker->engine->breaker == BREAKER_TRYING;
    worker->engine->trials += worker->trial;
    enter(worker, WORKER_STARTING);
    weft_handle_open(&procs->op, &worker->handle, 0, "worker", WEFT_PROCESS, worker);
    weft__channel_watch(worker);
    start_timer(worker, &worker->timer, or_default(procs->ready_ms, WEFT_PROCS_READY_MS),
                ready_over);
}

static struct weft_worker *worker_make(struct weft_procs_engine *engine)
{
    struct weft_worker *worker = weft_calloc(1, sizeof *worker);
    if (worker == NULL)
        return NULL;
    worker->engine = engine;
    worker->room = engine->procs->ahead + 1;
    worker->line = weft_calloc(worker->room, sizeof *worker->line);
    worker->channel.fd_ = worker->exit.fd_ = -1;
    worker->exit_code = -1;
    if (worker->line != NULL)
        return worker;
    weft_free(worker);
    return NULL;
}

/* What was made before an error goes the same way back. */
static void worker_unmake(struct weft_worker *worker)
{
    weft__channel_free(worker);
    if (worker->page != NULL)
        munmap(worker->page, sizeof *worker->page);
    weft_free(worker->line);
    weft_free(worker);
}

static void unmade(uv_handle_t *handle)
{
    struct weft_worker *worker = weft_owner((uv_poll_t *)handle, struct weft_worker, channel.poll_);
    worker_unmake(worker);
}

static int start(struct weft_worker *worker, struct spawn_plan *plan)
{
    char file[ENV_PATH];
    int ours = -1;
    int err = make_channel(&ours, &plan->fds[SPAWN_CHANNEL]);
    if (err == 0)
        err = make_page(worker, &plan->fds[SPAWN_PAGE]);
    if (err == 0)
        err = weft__channel_open(worker, ours);
    if (err != 0) {
        if (ours >= 0)
            close(ours);
        return err;
    }
    err = spawn(worker, plan, file);
    plan->file = NULL;
    if (err != 0)
        return err;
    err = watch_exit(worker);
    if (err != 0)
        undo_spawn(worker);
    return err;
}

int weft__worker_start(struct weft_procs_engine *engine)
{
    struct spawn_plan plan = {.fds = {-1, -1, -1, -1, -1}};
    struct weft_worker *worker = worker_make(engine);
    if (worker == NULL)
        return UV_ENOMEM;
    int err = start(worker, &plan);
    for (int i = 0; i < SPAWN_FDS; i++) {
        if (plan.fds[i] >= 0)
            close(plan.fds[i]);
    }
    if (err == 0)
        worker_begins(worker);
    else if (worker->channel.open_)
        weft__watch_close(&worker->channel, false, unmade);
    else
        worker_unmake(worker);
    return err;
}
