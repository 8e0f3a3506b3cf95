/* One mode under load: a server is started, kept busy and asked how it does, and ended.
 *
 *     begin ─► server says where it is ─► all clients ask … ─► the time is over ─► over
 *
 * Whoever has his search asks for the next, so that three are under way all the time: with two workers
 * two of them run and the third waits, from the beginning to the end. Whatever goes wrong ends the
 * trial, and that ends the server and the workers: they are children of the trial, which is not over
 * before they are reaped. */
#include "subsetsum/bench.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <weft/error.h>

enum {
    ALIVE_AFTER_MS = 50, /* by then the searches are under way, */
    SMALL_AFTER_MS = 100,
    SMALL_PAUSE_MS = 50,
    DEAF_MS = 100 /* a server in mode sync does not hear that it should go */
};
#define BENCH_QUEUE "weft-subsetsum-bench"

static struct trial *trial_of(struct weft_op *op)
{
    return weft_owner(op, struct trial, op);
}

/* The first reason stands; that something ends because the trial does is none. */
__attribute__((format(printf, 3, 4))) static void fail(struct trial *trial, int status,
                                                       const char *format, ...)
{
    if (!trial->decided && weft_cancelled(&trial->op) == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(trial->why, sizeof trial->why, format, arguments);
        va_end(arguments);
    }
    trial->decided = true;
    weft_end(&trial->op, status);
}

/* ---- the clients ---------------------------------------------------------------------------- */

static void note(struct trial_client *client, uint64_t ns)
{
    latency_add(&client->latency, ns);
    client->most_ns = ns > client->most_ns ? ns : client->most_ns;
}

static struct trial_client *client_of(struct bench_client *client)
{
    return weft_owner(client, struct trial_client, client);
}

static bool take(struct bench_client *client)
{
    struct trial_client *taker = client_of(client);
    if (client->status != 200 || client->body.size == 0)
        return false; /* client_over says so */
    taker->answers++;
    note(taker, client->took_ns);
    return true;
}

static void client_over(struct weft_op *op, struct weft_op *child)
{
    struct bench_client *client = weft_owner(child, struct bench_client, op);
    struct weft_text body = client->body, line = weft_text_cut(&body, '\n');
    if (child->status != 0)
        fail(trial_of(op), child->status, "%s", weft_strerror(child->status));
    else if (client->status != 200)
        fail(trial_of(op), WEFT_ESTATUS, "an answer is %d: %.*s", client->status,
             WEFT_TEXT_ARGS(line));
    else
        fail(trial_of(op), WEFT_ESTATUS, "an answer is empty");
}

static void ask(struct trial *trial, struct trial_client *client, const char *request,
                uint64_t delay_ms, uint64_t pause_ms)
{
    client->client.server = &trial->server.address;
    client->client.request = weft_text_of(request);
    client->client.delay_ms = delay_ms;
    client->client.pause_ms = pause_ms;
    client->client.buffer = client->buffer;
    client->client.capacity = sizeof client->buffer;
    client->client.answered = take;
    bench_client(&trial->op, &client->client, client_over);
}

/* What was not answered has taken that long at least. */
static void note_unanswered(struct trial_client *client)
{
    uint64_t asked_ns = client->client.asked_ns, now_ns = uv_hrtime();
    if (asked_ns > 0 && now_ns - asked_ns > client->most_ns)
        note(client, now_ns - asked_ns);
}

static void time_over(struct weft_op *op, struct weft_op *sleep)
{
    struct trial *trial = trial_of(op);
    if (sleep->status != 0 || trial->decided)
        return;
    note_unanswered(&trial->alive);
    note_unanswered(&trial->small);
    trial->decided = true;
    weft_end(op, 0);
}

static void begin_load(struct bench_server *server)
{
    static const char alive[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const char small[] = "GET /subsetSum?data=[1,2,-4,5,-3]&sum=0 HTTP/1.1\r\n"
                                "Host: localhost\r\n\r\n";
    struct trial *trial = weft_owner(server, struct trial, server);
    for (unsigned i = 0; i < TRIAL_SEARCHES; i++)
        ask(trial, &trial->searches[i], trial->bench->request, 0, 0);
    ask(trial, &trial->alive, alive, ALIVE_AFTER_MS, TRIAL_PAUSE_MS);
    ask(trial, &trial->small, small, SMALL_AFTER_MS, SMALL_PAUSE_MS);
    weft_sleep(&trial->op, &trial->sleep, trial->bench->for_ms, time_over);
}

/* ---- the children --------------------------------------------------------------------------- */

static void server_over(struct weft_op *op, struct weft_op *server)
{
    struct trial *trial = trial_of(op);
    fail(trial, server->status, "%s", trial->server.why);
}

static void worker_over(struct weft_op *op, struct weft_op *worker)
{
    char text[128];
    weft_process_explain(weft_owner(worker, struct weft_process, op), text, sizeof text);
    fail(trial_of(op), worker->status != 0 ? worker->status : WEFT_EEXIT, "a worker has ended: %s",
         text);
}

/* The first one says so if Redis is not there, or is lost. */
static void start_worker(struct trial *trial, unsigned index)
{
    struct weft_process *process = &trial->workers[index];
    const char *quiet = index > 0 ? "--quiet" : NULL;
    const char *const options[] = {
        "--redis", trial->bench->redis, "--queue", BENCH_QUEUE, "--threads", "1", quiet, NULL};
    bench_words(&trial->words[index], trial->bench->program, "subsetsum", TRIAL_WORKER, options);
    process->group = true;
    process->err = (struct weft_stdio){.kind = WEFT_STDIO_INHERIT};
    weft_process(&trial->op, process, trial->words[index].words, worker_over);
}

static void start_server(struct trial *trial)
{
    bool pool = trial->mode == FINDING_THREADS || trial->mode == FINDING_PROCS;
    bool redis = trial->mode == FINDING_REDIS;
    const char *const options[] = {
        "--quiet", "--host", "127.0.0.1", "--port", "0", "--mode", finding_mode_names[trial->mode],
        "--numbers", trial->numbers, "--time", "1h",
        /* What only some of them take; elsewhere this is the end. */
        pool    ? "--workers"
        : redis ? "--redis"
                : NULL,
        pool ? trial->count : trial->bench->redis, redis ? "--queue" : NULL, BENCH_QUEUE, NULL};
    snprintf(trial->count, sizeof trial->count, "%d", TRIAL_WORKERS);
    snprintf(trial->numbers, sizeof trial->numbers, "%" PRIu64, trial->bench->numbers);
    bench_words(&trial->server.words, trial->bench->program, "subsetsum", BENCH_SERVER, options);
    trial->server.ready = begin_load;
    trial->server.grace_ms = trial->mode == FINDING_SYNC ? DEAF_MS : 0;
    bench_server(&trial->op, &trial->server, server_over);
}

void trial_begin(struct weft_op *op)
{
    struct trial *trial = trial_of(op);
    for (unsigned i = 0; i < TRIAL_WORKERS && trial->mode == FINDING_REDIS; i++)
        start_worker(trial, i);
    start_server(trial);
}
