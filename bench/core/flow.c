/* What one operation costs, alone and in each kind of flow.
 *
 *     flow size              bytes in an op
 *     flow best MODE COUNT   nanoseconds an item: the best of several runs over COUNT items
 *     flow once MODE COUNT   a single run, for counting its instructions
 *
 * The items do nothing: what is counted is the library and the smallest begin and then that a
 * caller can write. An item is
 *     run, tick    one op: begun, finished at once, reported; its then begins it again
 *     each, map    one item through one of four slots; map stores its index as well
 *     series       one step of a series of eight; each step starts one op
 *     parallel     one step of eight at once; each step starts one op
 *     race         one race: a runner that wins at once and one that waits and is cancelled */
#include "../bench.h"
#include <string.h>
#include <weft/flow.h>

enum { SLOTS = 4, STEPS = 8 };

struct slot {
    struct weft_op op;
};

static struct weft_loop loop;
static size_t count, reported;
static size_t *results;
static struct weft_op single, step_ops[STEPS], loser;
static struct slot slots[SLOTS];
static struct weft_each each;
static struct weft_series series;
static struct weft_parallel parallel;
static struct weft_race race;

static void noop(struct weft_op *op)
{
    weft_finish(op, 0);
}

/* ---- run and tick --------------------------------------------------------------------------- */

static void run_over(struct weft_op *root, struct weft_op *op)
{
    if (++reported < count)
        weft_run(root, op, noop, run_over);
}

static void start_run(struct weft_op *root)
{
    weft_run(root, &single, noop, run_over);
}

static void tick_over(struct weft_op *root, struct weft_op *op)
{
    if (++reported < count)
        weft_tick(root, op, tick_over);
}

static void start_tick(struct weft_op *root)
{
    weft_tick(root, &single, tick_over);
}

/* ---- each and map --------------------------------------------------------------------------- */

static bool next_item(struct weft_op *slot)
{
    return weft_index(slot) < count;
}

static void item_over(struct weft_op *op, struct weft_op *slot)
{
    (void)op;
    (void)slot;
    reported++;
}

static void start_each(struct weft_op *root)
{
    weft_each(root, &each, WEFT_SLOTS(slots, op), next_item, noop, item_over, NULL);
}

static void store_item(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    results[index] = index;
    reported++;
}

static void start_map(struct weft_op *root)
{
    weft_map(root, &each, WEFT_SLOTS(slots, op), next_item, noop, store_item, NULL);
}

/* ---- series and parallel -------------------------------------------------------------------- */

static void step_over(struct weft_op *op, struct weft_op *step)
{
    (void)op;
    (void)step;
    reported++;
}

/* A step is known by its place in the eight: in a series only one runs at a time. */
static void step(struct weft_op *op)
{
    weft_run(op, &step_ops[weft_running(op)], noop, step_over);
}

static void series_over(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    if (reported < count)
        weft_series(root, &series, series_over, step, step, step, step, step, step, step, step);
}

static void start_series(struct weft_op *root)
{
    series_over(root, NULL);
}

static void parallel_over(struct weft_op *root, struct weft_op *op)
{
    (void)op;
    if (reported < count)
        weft_parallel(root, &parallel, parallel_over, step, step, step, step, step, step, step,
                      step);
}

static void start_parallel(struct weft_op *root)
{
    parallel_over(root, NULL);
}

/* ---- race ----------------------------------------------------------------------------------- */

static void stop_waiting(struct weft_op *op, int reason)
{
    weft_finish(op, reason);
}

static void wait_for_ever(struct weft_op *op)
{
    weft_on_cancel(op, stop_waiting);
}

static void start_runners(struct weft_op *op)
{
    weft_run(op, &single, noop, weft_race_first);
    weft_run(op, &loser, wait_for_ever, weft_race_first);
}

static void race_over(struct weft_op *root, struct weft_op *op)
{
    bench_check(race.winner == &single && loser.status == UV_ECANCELED, "the wrong runner won");
    (void)op;
    if (++reported < count)
        weft_race(root, &race, start_runners, race_over);
}

static void start_race(struct weft_op *root)
{
    weft_race(root, &race, start_runners, race_over);
}

/* ---- measuring ------------------------------------------------------------------------------ */

static const struct mode {
    const char *name;
    void (*start)(struct weft_op *root);
} modes[] = {
    {"run", start_run},   {"tick", start_tick},     {"each", start_each},
    {"map", start_map},   {"series", start_series}, {"parallel", start_parallel},
    {"race", start_race},
};
enum { MODES = sizeof modes / sizeof modes[0] };
static const struct mode *mode;

static uint64_t work(size_t items)
{
    count = items;
    reported = 0;
    uint64_t begun = uv_hrtime();
    mode->start(weft_root(&loop));
    int err = weft_loop_run(&loop);
    uint64_t took = uv_hrtime() - begun;
    bench_check(err == 0 && reported == items, "not every item was done");
    return took;
}

static int usage(void)
{
    fprintf(stderr, "usage: flow size | flow best|once MODE COUNT\nmodes:");
    for (size_t i = 0; i < MODES; i++)
        fprintf(stderr, " %s", modes[i].name);
    fprintf(stderr, "\nCOUNT is a multiple of %d\n", STEPS);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "size") == 0) {
        printf("%zu\n", sizeof(struct weft_op));
        return 0;
    }
    if (argc != 4)
        return usage();
    for (size_t i = 0; i < MODES; i++) {
        if (strcmp(argv[2], modes[i].name) == 0)
            mode = &modes[i];
    }
    size_t items = strtoull(argv[3], NULL, 10);
    if (mode == NULL || items == 0 || items % STEPS != 0)
        return usage();
    results = calloc(items, sizeof *results);
    bench_check(results != NULL && weft_loop_init(&loop, uv_default_loop()) == 0, "no loop");
    if (strcmp(argv[1], "once") == 0)
        work(items);
    else
        printf("%.1f\n", bench_best(work, items));
    free(results);
    return 0;
}
