/* What one item costs in each kind of flow: nanoseconds.
 *
 *     flow at-once KIND COUNT      an item is finished by its begin
 *     flow immediate KIND COUNT    an item is over after the loop has looked for I/O
 *     flow once KIND COUNT         as at-once, but a single run, for counting its instructions
 *
 * COUNT items are done in ten runs after a warm-up, and the best run counts: it was disturbed least.
 * The items do nothing: what is counted is the library and the smallest begin and then that a
 * caller can write. An item is
 *     each         one of COUNT items, four at once
 *     series       one step of four, one after the other; each step starts one op
 *     parallel     one step of four, all at once; each step starts one op
 *     parallel-8   the same with eight
 *     race         a whole race: a runner that wins, and one that only waits and is cancelled
 *     waterfall    one step of four, each of which hands on its value and one more */
#include "../bench.h"
#include <string.h>
#include <weft/flow.h>

enum { SLOTS = 4, STEPS = 4, EIGHT = 8, WARM_UP = 100000, RUNS = 10 };

struct slot {
    struct weft_op op, later;
};

static struct weft_loop loop;
static size_t count, done;
static bool immediately;
static struct weft_op ops[EIGHT], loser;
static struct slot slots[SLOTS];
static struct weft_each each;
static struct weft_series series;
static struct weft_parallel parallel;
static struct weft_race race;
static struct weft_waterfall waterfall;

static void finish_now(struct weft_op *op)
{
    weft_finish(op, 0);
}

/* What all but each are made of: something that is over now, or after a look for I/O. */
static void start(struct weft_op *parent, struct weft_op *op, weft_then_fn *then)
{
    if (immediately)
        weft_immediate(parent, op, then);
    else
        weft_run(parent, op, finish_now, then);
}

/* ---- each ----------------------------------------------------------------------------------- */

static bool next_item(struct weft_op *slot)
{
    return weft_index(slot) < count;
}

static void polled(struct weft_op *op, struct weft_op *later)
{
    weft_finish(op, later->status);
}

static void item_begin(struct weft_op *op)
{
    if (immediately)
        weft_immediate(op, &weft_owner(op, struct slot, op)->later, polled);
    else
        weft_finish(op, 0);
}

static void one_done(struct weft_op *op, struct weft_op *item)
{
    (void)op;
    (void)item;
    done++;
}

static void start_each(struct weft_op *root)
{
    weft_each(root, &each, WEFT_SLOTS(slots, op), next_item, item_begin, one_done, NULL);
}

/* ---- series and parallel -------------------------------------------------------------------- */

/* In a series only one runs at a time; in parallel each needs an op of its own. */
static void step(struct weft_op *op)
{
    start(op, &ops[weft_running(op)], one_done);
}

static void series_over(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    if (done < count)
        weft_series(root, &series, series_over, step, step, step, step);
}

static void start_series(struct weft_op *root)
{
    series_over(root, NULL);
}

static void parallel_over(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    if (done < count)
        weft_parallel(root, &parallel, parallel_over, step, step, step, step);
}

static void start_parallel(struct weft_op *root)
{
    parallel_over(root, NULL);
}

static void parallel_8_over(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    if (done < count)
        weft_parallel(root, &parallel, parallel_8_over, step, step, step, step, step, step, step,
                      step);
}

static void start_parallel_8(struct weft_op *root)
{
    parallel_8_over(root, NULL);
}

/* ---- race ----------------------------------------------------------------------------------- */

static void wait_for_ever(struct weft_op *op)
{
    weft_on_cancel(op, weft_finish);
}

static void start_runners(struct weft_op *op)
{
    start(op, &ops[0], weft_race_first);
    weft_run(op, &loser, wait_for_ever, weft_race_first);
}

static void race_over(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    bench_check(race.winner == &ops[0] && loser.status == UV_ECANCELED, "the wrong runner won");
    if (++done < count)
        weft_race(root, &race, start_runners, race_over);
}

static void start_race(struct weft_op *root)
{
    weft_race(root, &race, start_runners, race_over);
}

/* ---- waterfall ------------------------------------------------------------------------------ */

static size_t places[STEPS + 1], *place; /* what the steps hand on: the next place */

static void hand_on(struct weft_op *op, struct weft_op *item)
{
    (void)item;
    done++;
    weft_hand_on(op, place);
}

static void fall(struct weft_op *op, void *value)
{
    place = (size_t *)value + 1;
    start(op, &ops[0], hand_on);
}

static void waterfall_over(struct weft_op *root, struct weft_op *op)
{
    bench_check(op == NULL || waterfall.result == &places[STEPS], "the value was lost");
    if (done < count)
        weft_waterfall(root, &waterfall, places, waterfall_over, fall, fall, fall, fall);
}

static void start_waterfall(struct weft_op *root)
{
    waterfall_over(root, NULL);
}

/* ---- measuring ------------------------------------------------------------------------------ */

static const struct kind {
    const char *name;
    void (*start)(struct weft_op *root);
} kinds[] = {
    {"each", start_each},         {"series", start_series},
    {"parallel", start_parallel}, {"parallel-8", start_parallel_8},
    {"race", start_race},         {"waterfall", start_waterfall},
};
static const struct kind *kind;

static uint64_t work(size_t items)
{
    count = items;
    done = 0;
    uint64_t begun = uv_hrtime();
    kind->start(weft_root(&loop));
    int err = weft_loop_run(&loop);
    uint64_t took = uv_hrtime() - begun;
    bench_check(err == 0 && done == items, "not every item was done");
    return took;
}

static void measure(size_t items)
{
    double best = 0;
    work(WARM_UP); /* as the peer does, whose compiler needs it */
    for (int run = 0; run < RUNS; run++)
        bench_keep_best(&best, work(items), items);
    printf("%.2f\n", best);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(argv[2], kinds[i].name) == 0)
            kind = &kinds[i];
    }
    size_t items = kind != NULL ? strtoull(argv[3], NULL, 10) : 0;
    if (items == 0 || items % (EIGHT * RUNS) != 0) {
        fprintf(stderr, "usage: flow at-once|immediate|once KIND COUNT; KIND is each, series, "
                        "parallel, parallel-8, race or waterfall; COUNT is a multiple of 80\n");
        return 2;
    }
    bench_check(weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    immediately = strcmp(argv[1], "immediate") == 0;
    if (strcmp(argv[1], "once") == 0)
        work(items);
    else
        measure(items / RUNS);
    return 0;
}
