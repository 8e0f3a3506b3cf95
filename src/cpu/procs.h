/* The inside of a pool of processes. procs.c tells the whole.
 *
 *     procs.c          the pool: who waits, who is started, when it is broken, its end
 *     procs_worker.c   the life of a worker: start, ready, told to end, killed, reaped
 *     procs_channel.c  bytes and descriptors to and from it
 *     procs_line.c     the jobs in it: frames become events and ends
 *     procs_job.c, procs_acquire.c    the operations */
#ifndef WEFT_CPU_PROCS_H
#define WEFT_CPU_PROCS_H

#include "core/op.h"
#include "frames.h"
#include "io/stream.h"
#include "page.h"
#include "spawn.h"
#include "weft/procs.h"

/* A round trip that is shorter than this is waited for, on both sides, rather than slept through. */
enum { PROCS_BRISK_NS = 20 * 1000 };
enum { PROCS_IN = 2 * (FRAME_HEAD + FRAME_INLINE), PROCS_IN_FDS = 4, PROCS_PEEK_MS = 3 };

enum worker_state {
    WORKER_STARTING, /* it has not said that it is ready */
    WORKER_READY,    /* it can have jobs */
    WORKER_ENDING,   /* it was told to end: its channel is shut on our side, its line is empty */
    WORKER_DYING,    /* it was killed */
    WORKER_GONE      /* it was reaped; libuv has to let go of its handles */
};

/* A job in a worker. The first one of the line is the one the worker is at; the others lie in its
 * socket. job is NULL once it is over for its owner (cancelled, too late): the worker has to let go
 * of it. */
struct entry {
    struct weft_job *job;
    uint64_t id, sent_at; /* it was sent when so many bytes were */
    uint32_t attempt;
};

struct out_fd {
    uint64_t at; /* the byte of all output that it goes with */
    int fd;
};

struct weft_worker {
    struct weft_procs_engine *engine;
    struct weft_worker *next, **link; /* of all */
    struct weft_worker *idle_next,
        **idle_link;                /* of those with nothing to do; link NULL: not among them */
    struct weft_worker *dirty_next; /* of those with something to send */
    enum worker_state state;
    struct weft_handle handle;
    struct spawned process;
    struct weft_watch channel, exit;
    uv_timer_t ask; /* where there is no pidfd */
    unsigned handles;
    struct page *page;
    bool gated; /* it keeps the page up to date */
    struct entry *line;
    unsigned first, count, room;
    struct weft_acquire *holder;
    struct weft_timer timer; /* ready, idle, grace: whatever it waits for */
    struct weft_timer late, beat, peek, again;
    uint64_t born, heard, sent, done; /* jobs that were sent and done */
    char *in;
    size_t in_at, in_end;
    int in_fds[PROCS_IN_FDS];
    unsigned in_fd_count;
    char *out;
    size_t out_at, out_end, out_room;
    uint64_t out_done; /* bytes before out_at, in all its life */
    struct out_fd *out_fds;
    unsigned out_fd_first, out_fd_count;
    bool dirty, reading, paused, asked, awaited, peeking, peeks, resumed, trial;
    bool ended;       /* there is nothing more to read */
    bool mute;        /* it does not read any more */
    bool deaf;        /* it is not listened to any more: what it says makes no sense */
    uint64_t spoiled; /* the job that something is missing of: an end of it does not count */
    int cause;        /* why it was killed; 0: it was not, or for a job's sake */
    const char *cause_why;
    int exit_code, term_signal;
};

struct procs_lane {
    struct weft_procs_wait *first, **tail;
};

enum breaker { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_TRYING };

struct weft_procs_engine {
    struct weft_procs *procs;
    struct weft_loop *loop;
    struct weft_worker *workers, *idle, *dirty;
    struct procs_lane lanes[WEFT_PROCS_RANKS];
    uint64_t jobs; /* ids given */
    char **env;
    struct weft_timer timer; /* the pause before the next start, or of the breaker */
    bool pausing, closing, killed, turning, pumping, pump_again;
    unsigned failures; /* in a row */
    unsigned leaving;  /* workers that were told to end or killed, and are not reaped yet */
    enum breaker breaker;
    unsigned trials;  /* workers that were started to try */
    uint64_t lone_ns; /* when a job was sent that is the only one; 0: there is none */
    bool brisk;       /* the last of those was over very soon */
};

static inline uint64_t or_default(uint64_t set, uint64_t otherwise)
{
    return set != 0 ? set : otherwise;
}

static inline struct weft_job *job_of(struct weft_procs_wait *wait)
{
    return weft_owner(wait, struct weft_job, wait_);
}

static inline struct weft_acquire *acquire_of(struct weft_procs_wait *wait)
{
    return weft_owner(wait, struct weft_acquire, wait_);
}

static inline struct entry *line_at(const struct weft_worker *worker, unsigned index)
{
    return &worker->line[(worker->first + index) % worker->room];
}

/* Workers that are here to stay. */
static inline unsigned staying(const struct weft_procs_engine *engine)
{
    return engine->procs->workers - engine->leaving;
}

/* How many jobs it may have. */
static inline unsigned line_room(const struct weft_worker *worker)
{
    return worker->gated ? worker->room : 1;
}

/* ---- the pool (procs.c) --------------------------------------------------------------------- */

/* May somebody who begins now wait here? 0, or the refusal; why is told of it. */
int weft__procs_admit(struct weft_procs *procs, const struct weft_op *op, unsigned rank,
                      char why[WEFT_PROCS_WHY]);
void weft__procs_wait(struct weft_procs_engine *engine, struct weft_procs_wait *wait, bool first);
void weft__procs_unwait(struct weft_procs_engine *engine, struct weft_procs_wait *wait);
/* Something has changed: bring workers and those who wait together. */
void weft__procs_pump(struct weft_procs_engine *engine);
/* worker has something to send: in this turn, together with what else there is. */
void weft__procs_send_soon(struct weft_worker *worker);
/* A worker died, or could not be started, through its program's fault. */
void weft__procs_failed(struct weft_procs_engine *engine, int status, const char *why);
/* A job was done. */
void weft__procs_worked(struct weft_procs_engine *engine);

/* ---- a worker (procs_worker.c) ----------------------------------------------------------------- */

int weft__worker_start(struct weft_procs_engine *engine);
void weft__worker_ready(struct weft_worker *worker, bool gated);
/* Its line is empty and nobody holds it: it is idle, or is told to end. */
void weft__worker_rest(struct weft_worker *worker);
void weft__worker_tell_to_end(struct weft_worker *worker);
void weft__worker_unidle(struct weft_worker *worker);
/* cause: UV_ETIMEDOUT, WEFT_ECRASHED: it is to blame; 0: for the sake of a job. why is static. */
void weft__worker_kill(struct weft_worker *worker, int cause, const char *why);
/* Its channel is at its end: it has to exit soon. */
void weft__worker_ended(struct weft_worker *worker);
/* Of what it died. */
void weft__worker_explain(const struct weft_worker *worker, char why[WEFT_PROCS_WHY]);
/* It was heard. */
void weft__worker_heard(struct weft_worker *worker);
/* It has exited, and nothing more can be read from it now. */
void weft__worker_bury(struct weft_worker *worker);
/* Is it something that will go on by itself, so that virtual time waits for it? */
void weft__worker_settle(struct weft_worker *worker);
/* It has grace_ms from now on. */
void weft__worker_grace(struct weft_worker *worker);

/* ---- its channel (procs_channel.c) -------------------------------------------------------------- */

int weft__channel_open(struct weft_worker *worker, int fd);
/* Add a frame. fd: the payload is in it, and it is the channel's from then on; -1: data. */
int weft__channel_put(struct weft_worker *worker, const struct frame *frame, const void *data,
                      int fd);
void weft__channel_flush(struct weft_worker *worker);
/* Read what is there. */
void weft__channel_read(struct weft_worker *worker);
/* Take in what was read and not taken yet. */
void weft__channel_take(struct weft_worker *worker);
/* Take in what lies in the page: the worker is dead, or silent. */
void weft__channel_peek(struct weft_worker *worker);
/* Is there nothing in it that was not taken in? */
bool weft__channel_is_read_out(const struct weft_worker *worker);
void weft__channel_watch(struct weft_worker *worker);
void weft__channel_free(struct weft_worker *worker);
/* What it says makes no sense: it is killed. why is static. */
void weft__channel_broken(struct weft_worker *worker, const char *why);
int weft__channel_take_fd(struct weft_worker *worker);

/* ---- its jobs (procs_line.c) -------------------------------------------------------------------- */

/* Give it a job: 0, or why that is not possible; then nothing has happened. */
int weft__line_give(struct weft_worker *worker, struct weft_job *job);
/* A whole frame has come. */
void weft__line_frame(struct weft_worker *worker, const struct frame *frame);
/* The job is over for its owner. */
void weft__line_forget(struct weft_worker *worker, struct weft_job *job);
/* The worker is dead: what becomes of its jobs? */
void weft__line_settle(struct weft_worker *worker);
/* All jobs are over, with reason. */
void weft__line_abandon(struct weft_worker *worker, int reason);
/* The first one has let the time for its end pass. */
void weft__line_grace_over(struct weft_worker *worker);
/* Something for the first one. */
int weft__line_send(struct weft_worker *worker, struct weft_job *job, uint32_t kind,
                    const void *data, size_t size);

/* ---- a job (procs_job.c) ------------------------------------------------------------------------ */

void weft__job_over(struct weft_job *job, int status, const char *why);

#endif
