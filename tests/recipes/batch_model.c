/* The batch against a model of it, and rings of loads, under thousands of seeded schedules.
 *
 * The model knows of each load for which key it is, whether somebody who asks would find it, who waits
 * for it and what they are going to be told. That it settles is seen on the loop's ready queue before it
 * is delivered.
 * ctest: labels=model timeout=120 shuffle=no */
#include "core/op.h"
#include "invariant.h"
#include "model.h"
#include <string.h>
#include <weft/batch.h>

enum { SCHEDULES = 10000, ACTIONS = 60, ASKS = 10, KEYS = 4, LOADS = 2000 };

static struct world w;
static struct dice dice;
static struct weft_batch batch;
static struct weft_op owner;
static const char *const keys[KEYS] = {"a", "ab", "b", ""};

static void schedule_up(const char *model, uint64_t seed)
{
    model_begin(model, seed);
    dice.state = seed;
    jobs = (struct jobs){0};
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
    owner = (struct weft_op){0};
    weft_run(weft_root(&w.loop), &owner, NULL, noted);
}

static void schedule_down(void)
{
    agree(batch.running == 0 && batch.alive_ == 0);
    agree(weft_batch_close(&batch) == 0);
    weft_end(&owner, 0);
    assert_int_equal(weft_sim_run(&w.sim), 0);
    agree(jobs.running == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

/* ---- the model ------------------------------------------------------------------------------ */

struct loading {
    struct weft_flight flight;
    struct job job;
    size_t number;
    bool silent; /* forgets to answer */
};

static struct shadow {
    struct loading *loading; /* while it is pending */
    int key, status;
    bool pending, decided, forgotten, cancelled; /* cancelled: before it was decided */
    unsigned waiting, not_told;                  /* not_told: also those whose then runs */
} loads[LOADS];
static size_t load_count;

static struct ask {
    struct weft_batch_ask it;
    struct shadow *of; /* NULL: it was refused */
    int expected;
    bool open, waits;
} asks[ASKS];
static uint64_t joined, errors;

static bool is_cancelled(const struct shadow *shadow)
{
    return shadow->decided ? shadow->cancelled
                           : weft_cancelled(&shadow->loading->flight.promise.op) != 0;
}

static struct shadow *find(int key)
{
    struct shadow *found = NULL;
    for (size_t i = 0; i < load_count; i++) {
        struct shadow *shadow = &loads[i];
        if (shadow->key != key || !shadow->pending || shadow->forgotten || is_cancelled(shadow))
            continue;
        agree(found == NULL); /* one at a time */
        found = shadow;
    }
    return found;
}

static size_t count_pending(void)
{
    size_t count = 0;
    for (size_t i = 0; i < load_count; i++)
        count += loads[i].pending;
    return count;
}

static size_t count_alive(void)
{
    size_t count = 0;
    for (size_t i = 0; i < load_count; i++)
        count += loads[i].pending || loads[i].not_told != 0;
    return count;
}

/* ---- loads ---------------------------------------------------------------------------------- */

static int key_wanted;

static void decide(struct shadow *shadow, int status)
{
    int reason = weft_cancelled(&shadow->loading->flight.promise.op);
    shadow->status = status != 0 ? status : reason;
    shadow->decided = true;
    shadow->cancelled = reason != 0;
}

static void give_answer(struct loading *loading)
{
    weft_flight_answer(&loading->flight, &loading->number, sizeof loading->number);
}

static void loaded(struct weft_op *op, struct weft_op *job)
{
    struct loading *loading = weft_owner(op, struct loading, flight.promise.op);
    bool silent = job->status == 0 && loading->silent;
    decide(&loads[loading->number],
           silent && weft_cancelled(op) == 0 ? WEFT_ENOANSWER : job->status);
    if (job->status != 0)
        weft_end(op, job->status);
    else if (silent)
        weft_finish(op, 0);
    else
        give_answer(loading);
}

static void load(struct weft_op *op)
{
    struct loading *loading = weft_owner(op, struct loading, flight.promise.op);
    agree(load_count < LOADS);
    agree(weft_text_is(loading->flight.key, keys[key_wanted]));
    loading->number = load_count++;
    loads[loading->number] =
        (struct shadow){.loading = loading, .key = key_wanted, .pending = true};
    loading->job.ms = roll(&dice, 8);
    loading->job.linger_ms = chance(&dice, 3) ? roll(&dice, 4) : 0;
    loading->job.status = chance(&dice, 4) ? UV_EIO : 0;
    loading->silent = chance(&dice, 6);
    if (chance(&dice, 6)) {
        decide(&loads[loading->number], 0);
        give_answer(loading);
    } else {
        weft_run(op, &loading->job.op, job_begin, loaded);
    }
}

/* ---- what happens --------------------------------------------------------------------------- */

static void told(struct weft_op *parent, struct weft_op *op);

static void make_ask(struct ask *ask)
{
    if (ask->open)
        return;
    int key = (int)roll(&dice, KEYS);
    struct shadow *found = find(key);
    size_t before = load_count;
    int refusal = weft_cancelled(&owner) != 0      ? weft_cancelled(&owner)
                  : count_pending() >= batch.limit ? UV_ENOBUFS
                                                   : 0;
    key_wanted = key;
    ask->open = true;
    weft_batch_ask(weft_root(&w.loop), &ask->it, &batch, weft_text_of(keys[key]), told);
    agree(load_count == before + (found == NULL && refusal == 0));
    agree(ask->it.joined == (found != NULL));
    joined += found != NULL;
    ask->of = found != NULL ? found : refusal == 0 ? &loads[before] : NULL;
    ask->expected = refusal;
    ask->waits = ask->of != NULL;
    if (ask->waits) {
        ask->of->waiting++;
        ask->of->not_told++;
    }
}

static void cancel_ask(struct ask *ask)
{
    struct shadow *shadow = ask->of;
    bool last = ask->waits && --shadow->waiting == 0;
    if (ask->waits)
        ask->expected = UV_EINTR;
    bool unwanted = last && !shadow->decided;
    bool waited = ask->waits;
    ask->waits = false;
    int before = waited ? weft_cancelled(&shadow->loading->flight.promise.op) : 0;
    weft_cancel(&ask->it.await.op, UV_EINTR);
    if (waited && shadow->pending) {
        int reason = weft_cancelled(&shadow->loading->flight.promise.op);
        agree(reason == (before == 0 && unwanted ? UV_ECANCELED : before));
    }
}

static void forget(void)
{
    int key = (int)roll(&dice, KEYS);
    bool prefix = chance(&dice, 2);
    struct weft_text bytes = weft_text_of(keys[key]);
    if (prefix)
        weft_batch_forget_prefix(&batch, bytes);
    else
        weft_batch_forget(&batch, bytes);
    for (size_t i = 0; i < load_count; i++) {
        if (prefix ? strncmp(keys[loads[i].key], keys[key], bytes.size) == 0 : loads[i].key == key)
            loads[i].forgotten = true;
    }
}

static void close_and_open(void)
{
    bool busy = count_alive() != 0;
    agree(weft_batch_close(&batch) == (busy ? UV_EBUSY : 0));
    if (!busy)
        agree(weft_batch_open(&batch) == 0);
}

static void act(void)
{
    switch (roll(&dice, 14)) {
    case 0:
    case 1:
    case 2:
        cancel_ask(&asks[roll(&dice, ASKS)]);
        break;
    case 3:
        forget();
        break;
    case 4:
        close_and_open();
        break;
    case 5:
        if (chance(&dice, 20) && weft_cancelled(&owner) == 0)
            weft_cancel(&owner, UV_ESHUTDOWN);
        break;
    default:
        make_ask(&asks[roll(&dice, ASKS)]);
    }
}

static void told(struct weft_op *parent, struct weft_op *op)
{
    struct ask *ask = weft_owner(op, struct ask, it.await.op);
    struct shadow *shadow = ask->of;
    agree(parent == weft_root(&w.loop) && ask->open && !ask->waits);
    agree(op->status == ask->expected);
    agree((ask->it.cell != NULL) == (op->status == 0));
    size_t number;
    if (op->status == 0) {
        memcpy(&number, ask->it.value.data, sizeof number);
        agree(shadow == &loads[number]);
        agree(weft_text_is(weft_cell_key(ask->it.cell), keys[shadow->key]));
    }
    ask->open = false;
    for (uint64_t acts = roll(&dice, 3); acts > 0; acts--)
        act();
    if (shadow != NULL)
        shadow->not_told--;
}

/* A load settles: all who wait will be told. */
static void before_step(const struct weft_op *next)
{
    for (size_t i = 0; i < load_count; i++) {
        struct shadow *shadow = &loads[i];
        if (!shadow->pending || next != &shadow->loading->flight.promise.op)
            continue;
        agree(shadow->decided);
        shadow->pending = false;
        shadow->waiting = 0;
        errors += shadow->status != 0;
        for (int k = 0; k < ASKS; k++) {
            if (asks[k].waits && asks[k].of == shadow) {
                asks[k].waits = false;
                asks[k].expected = shadow->status;
            }
        }
    }
}

static void compare(void)
{
    agree(batch.running == count_pending());
    agree(batch.alive_ == count_alive());
    agree(batch.loads == load_count && batch.joined == joined && batch.errors == errors);
    agree(invariant_broken(&w.loop) == NULL);
}

static bool step(void)
{
    const struct weft_op *next = w.loop.ready_;
    if (next != NULL && next->state_ == OP_READY)
        before_step(next);
    model_tell_next(&w);
    if (!weft_sim_step(&w.sim))
        return false;
    schedule.steps++;
    compare();
    agree(schedule.steps < 100000);
    return true;
}

static void one_batch(uint64_t seed)
{
    schedule_up("batch", seed);
    memset(asks, 0, sizeof asks);
    load_count = 0;
    joined = errors = 0;
    batch = (struct weft_batch){.owner = &owner,
                                .load = load,
                                .flight_size = WEFT_FLIGHT(struct loading, flight),
                                .limit = 1 + roll(&dice, 6),
                                .load_ms = chance(&dice, 2) ? 1 + roll(&dice, 8) : 0};
    agree(weft_batch_open(&batch) == 0);
    for (int i = 0; i < ACTIONS; i++) {
        if (chance(&dice, 2)) {
            step();
        } else {
            act();
            compare();
        }
    }
    while (step())
        ;
    for (int i = 0; i < ASKS; i++)
        agree(!asks[i].open);
    schedule_down();
}

TEST(the_batch_agrees_with_its_model)
{
    model_schedules(&w, one_batch, SCHEDULES);
}

/* ---- rings ---------------------------------------------------------------------------------- */

/* Loads ask for each other, as a random graph says. What leads into a ring ends with WEFT_ECYCLE, what does
 * not succeeds, and nothing waits for ever. */
enum { NODES = 6, REQUESTS = 6 };

static bool edges[NODES][NODES], leads_to[NODES][NODES];
static uint64_t pauses[NODES]; /* before a load asks; 0: in its begin */

struct node {
    struct weft_flight flight;
    struct weft_sleep pause;
    struct weft_batch_ask asks[NODES];
    int number;
};

static struct request {
    struct weft_op op;
    struct weft_sleep pause;
    struct weft_batch_ask ask;
    struct weft_deadline deadline;
    uint64_t comes_ms, leaves_ms;
    int node;
    bool over;
} requests[REQUESTS];

static struct weft_text name_of(int node)
{
    return weft_text(&"012345"[node], 1);
}

static void node_got(struct weft_op *op, struct weft_op *ask)
{
    if (ask->status != 0)
        weft_end(op, ask->status);
    else if (weft_running(op) == 0)
        weft_flight_answer(&weft_owner(op, struct node, flight.promise.op)->flight, "x", 1);
}

static void node_ask(struct weft_op *op, struct weft_op *pause)
{
    struct node *node = weft_owner(op, struct node, flight.promise.op);
    (void)pause;
    bool any = false;
    for (int i = 0; i < NODES; i++) {
        any = any || edges[node->number][i];
        if (edges[node->number][i])
            weft_batch_ask(op, &node->asks[i], &batch, name_of(i), node_got);
    }
    if (!any)
        weft_flight_answer(&node->flight, NULL, 0);
}

static void node_begin(struct weft_op *op)
{
    struct node *node = weft_owner(op, struct node, flight.promise.op);
    node->number = node->flight.key.data[0] - '0';
    if (pauses[node->number] == 0)
        node_ask(op, NULL);
    else
        weft_sleep(op, &node->pause, pauses[node->number], node_ask);
}

static void request_told(struct weft_op *op, struct weft_op *ask)
{
    struct request *request = weft_owner(op, struct request, op);
    bool in_ring = false;
    for (int i = 0; i < NODES; i++)
        in_ring = in_ring || (leads_to[i][i] && (i == request->node || leads_to[request->node][i]));
    request->over = true;
    agree(ask->status == (in_ring ? WEFT_ECYCLE : 0) || ask->status == UV_ETIMEDOUT);
    agree(ask->status != UV_ETIMEDOUT || request->leaves_ms != 0);
    weft_finish(op, 0);
}

static void request_ask(struct weft_op *op, struct weft_op *pause)
{
    struct request *request = weft_owner(op, struct request, op);
    (void)pause;
    weft_batch_ask(op, &request->ask, &batch, name_of(request->node), request_told);
    if (request->leaves_ms != 0)
        weft_deadline(&request->ask.await.op, &request->deadline, request->leaves_ms);
}

static void request_begin(struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, op);
    weft_sleep(op, &request->pause, request->comes_ms, request_ask);
}

static void draw_graph(void)
{
    unsigned sparse = (unsigned)between(&dice, 3, 12);
    for (int i = 0; i < NODES; i++) {
        pauses[i] = chance(&dice, 2) ? 0 : roll(&dice, 5);
        for (int k = 0; k < NODES; k++)
            edges[i][k] = leads_to[i][k] = chance(&dice, sparse);
    }
    for (int by = 0; by < NODES; by++) {
        for (int i = 0; i < NODES; i++) {
            for (int k = 0; k < NODES; k++)
                leads_to[i][k] = leads_to[i][k] || (leads_to[i][by] && leads_to[by][k]);
        }
    }
}

static void one_ring(uint64_t seed)
{
    schedule_up("ring", seed);
    draw_graph();
    batch = (struct weft_batch){
        .owner = &owner, .load = node_begin, .flight_size = WEFT_FLIGHT(struct node, flight)};
    agree(weft_batch_open(&batch) == 0);
    for (int i = 0; i < REQUESTS; i++) {
        struct request *request = &requests[i];
        *request = (struct request){.node = (int)roll(&dice, NODES), .comes_ms = roll(&dice, 10)};
        request->leaves_ms = chance(&dice, 3) ? 1 + roll(&dice, 6) : 0;
        weft_run(weft_root(&w.loop), &request->op, request_begin, noted);
    }
    while (weft_sim_step(&w.sim)) {
        schedule.steps++;
        agree(invariant_broken(&w.loop) == NULL);
    }
    for (int i = 0; i < REQUESTS; i++)
        agree(requests[i].over); /* nobody waits for ever */
    schedule_down();
}

TEST(no_ring_of_loads_waits_for_ever)
{
    model_schedules(&w, one_ring, SCHEDULES);
}
