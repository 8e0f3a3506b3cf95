/* Each, map and race against models of them, under thousands of seeded schedules.
 *
 * A model is a few counters and one rule: the outcome is what was decided first. What the loop is
 * about to deliver is looked up, because an error without a then decides without calling anybody.
 * ctest: labels=model timeout=120 shuffle=no */
#include "model.h"
#include "core/op.h"
#include <string.h>
#include <weft/flow.h>

enum { ITEMS = 24, SLOTS = 5, RUNNERS = 6, SCHEDULES = 15000 };

static struct world w;
static struct dice dice;

/* What was decided, and how. */
static struct outcome {
    bool decided, told;
    int status, reason; /* reason: of the cancel, if there was one */
} outcome;

/* The first word stands; a cancel before it makes a success incomplete. */
static void decide(int status)
{
    if (outcome.decided)
        return;
    outcome.decided = true;
    outcome.status = status != 0 ? status : outcome.reason;
}

static int expected_status(void)
{
    return outcome.decided ? outcome.status : outcome.reason;
}

/* A job of a random kind. Slots keep their timer, so the rest is filled in. */
static void draw(struct job *job)
{
    job->ms = chance(&dice, 3) ? 0 : roll(&dice, 6);
    job->linger_ms = chance(&dice, 3) ? roll(&dice, 4) : 0;
    job->status = chance(&dice, 8) ? UV_EIO : 0;
}

static void schedule_up(const char *model, uint64_t seed)
{
    model_begin(model, seed);
    dice.state = seed;
    outcome = (struct outcome){0};
    jobs = (struct jobs){0};
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
}

static void schedule_down(void)
{
    agree(outcome.told);
    agree(jobs.running == 0);
    agree(w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

/* Step to the end; after cancel_at steps, op is cancelled. */
static void run_to_the_end(struct weft_op *op, uint64_t cancel_at, void (*look_ahead)(void),
                           void (*compare)(void))
{
    for (;;) {
        if (schedule.steps == cancel_at && op->state_ == OP_RUNNING) {
            if (!outcome.decided && outcome.reason == 0)
                outcome.reason = UV_ETIMEDOUT;
            weft_cancel(op, UV_ETIMEDOUT);
        }
        look_ahead();
        model_tell_next(&w);
        if (!weft_sim_step(&w.sim))
            return;
        schedule.steps++;
        compare();
        agree(schedule.steps < 100000);
    }
}

/* Half of the schedules are never cancelled. */
static uint64_t draw_cancel(void)
{
    return chance(&dice, 2) ? UINT64_MAX : roll(&dice, 40);
}

/* ---- each and map --------------------------------------------------------------------------- */

enum mode { WITH_DONE, WITHOUT_DONE, MAP };

static struct herd {
    struct weft_each each;
    struct job slots[SLOTS];
    enum mode mode;
    size_t items, slots_used;
    size_t next_stops_at, done_stops_at;
    int stops_with;
    size_t asked, begun, reported, stored;
    bool dry;
    bool was_begun[ITEMS], was_done[ITEMS], was_stored[ITEMS];
} herd;

static bool next_item(struct weft_op *slot)
{
    struct weft_op *op = slot->parent;
    size_t index = weft_index(slot);
    agree(op == &herd.each.op);
    agree(!herd.dry && !outcome.decided && outcome.reason == 0);
    agree(index == herd.asked && index == herd.begun);
    agree(herd.begun - herd.reported < herd.slots_used);
    herd.asked++;
    if (index == herd.next_stops_at) {
        decide(herd.stops_with);
        weft_end(op, herd.stops_with);
        return chance(&dice, 2);
    }
    if (index == herd.items) {
        herd.dry = true;
        return false;
    }
    draw(job_of(slot));
    job_of(slot)->id = (int)index;
    return true;
}

static void item_begin(struct weft_op *op)
{
    size_t index = weft_index(op);
    agree(!outcome.decided && outcome.reason == 0);
    agree(index == herd.begun && (size_t)job_of(op)->id == index && !herd.was_begun[index]);
    herd.was_begun[index] = true;
    herd.begun++;
    agree(herd.begun - herd.reported <= herd.slots_used);
    job_begin(op);
}

static void item_done(struct weft_op *op, struct weft_op *slot)
{
    size_t index = weft_index(slot);
    agree(herd.was_begun[index] && !herd.was_done[index]);
    herd.was_done[index] = true;
    if (index == herd.done_stops_at) {
        decide(herd.stops_with);
        weft_end(op, herd.stops_with);
    }
}

static void store_item(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    agree(slot->status == 0 && index == weft_index(slot));
    agree(herd.was_begun[index] && !herd.was_stored[index]);
    herd.was_stored[index] = true;
    herd.stored++;
}

static void each_over(struct weft_op *parent, struct weft_op *op)
{
    agree(parent == weft_root(&w.loop) && op == &herd.each.op && !outcome.told);
    outcome.told = true;
    agree(op->status == expected_status());
    agree(herd.begun == herd.reported && jobs.running == 0);
    if (op->status == 0 && !outcome.decided)
        agree(herd.dry && herd.begun == herd.items);
}

/* A slot is about to be delivered. */
static void look_ahead_in_each(void)
{
    const struct weft_op *next = w.loop.ready_;
    for (size_t i = 0; i < herd.slots_used; i++) {
        if (&herd.slots[i].op != next || next->state_ != OP_READY)
            continue;
        herd.reported++;
        if (herd.mode != WITH_DONE && next->status != 0)
            decide(next->status);
    }
}

static void compare_each(void)
{
    agree(herd.begun - herd.reported <= herd.slots_used);
    agree(jobs.most <= herd.slots_used);
    if (!outcome.told)
        agree(weft_running(&herd.each.op) == herd.begun - herd.reported);
    /* No slot is left empty while there is something to do. */
    if (!outcome.told && !outcome.decided && outcome.reason == 0 && !herd.dry)
        agree(herd.begun - herd.reported == herd.slots_used);
}

static void one_each(uint64_t seed)
{
    schedule_up("each", seed);
    memset(&herd, 0, sizeof herd);
    herd.mode = (enum mode)roll(&dice, 3);
    herd.items = roll(&dice, ITEMS);
    herd.slots_used = 1 + roll(&dice, SLOTS);
    herd.next_stops_at = chance(&dice, 5) ? roll(&dice, ITEMS) : SIZE_MAX;
    herd.done_stops_at = chance(&dice, 3) ? roll(&dice, ITEMS) : SIZE_MAX;
    herd.stops_with = chance(&dice, 2) ? 0 : UV_EACCES;
    struct weft_slots slots = weft_slots(&herd.slots[0].op, sizeof(struct job), herd.slots_used);
    if (herd.mode == MAP)
        weft_map(weft_root(&w.loop), &herd.each, slots, next_item, item_begin, store_item,
                 each_over);
    else
        weft_each(weft_root(&w.loop), &herd.each, slots, next_item, item_begin,
                  herd.mode == WITH_DONE ? item_done : NULL, each_over);
    run_to_the_end(&herd.each.op, draw_cancel(), look_ahead_in_each, compare_each);
    for (size_t i = 0; i < herd.begun; i++)
        agree(herd.was_begun[i] && (herd.mode != WITH_DONE || herd.was_done[i]));
    if (herd.mode == MAP && herd.each.op.status == 0 && !outcome.decided)
        agree(herd.stored == herd.items);
    schedule_down();
}

/* ---- race ----------------------------------------------------------------------------------- */

static struct heat {
    struct weft_race race;
    struct job runners[RUNNERS];
    bool any[RUNNERS], started[RUNNERS], reported[RUNNERS];
    struct weft_sleep stagger;
    size_t count, late; /* late: started by the sleep's then; RUNNERS: none */
    bool sleeping, late_starts;
    unsigned wanted, places;
    size_t place[RUNNERS];
    const struct weft_op *winner;
    int failure; /* of the last one that failed in an any */
} heat;

static void start_runner(struct weft_op *op, size_t i)
{
    heat.started[i] = true;
    weft_run(op, &heat.runners[i].op, job_begin, heat.any[i] ? weft_race_any : weft_race_first);
}

static void start_late(struct weft_op *op, struct weft_op *sleep)
{
    (void)sleep;
    if (heat.late_starts)
        start_runner(op, heat.late);
}

static void start_all(struct weft_op *op)
{
    for (size_t i = 0; i < heat.count; i++) {
        if (i != heat.late)
            start_runner(op, i);
    }
    if (heat.late < heat.count) {
        heat.sleeping = true;
        weft_sleep(op, &heat.stagger, roll(&dice, 6), start_late);
    }
}

static size_t under_way(void)
{
    size_t count = heat.sleeping;
    for (size_t i = 0; i < heat.count; i++)
        count += heat.started[i] && !heat.reported[i];
    return count;
}

static void race_over(struct weft_op *parent, struct weft_op *op)
{
    agree(parent == weft_root(&w.loop) && op == &heat.race.op && !outcome.told);
    outcome.told = true;
    agree(under_way() == 0 && jobs.running == 0);
    agree(outcome.decided && op->status == outcome.status);
    agree(heat.race.winner == heat.winner && heat.race.places == heat.places);
    agree(heat.wanted > 1 || heat.winner == NULL || heat.winner->status == op->status);
    for (size_t i = 0; i < heat.count; i++)
        agree(!heat.started[i] || weft_index(&heat.runners[i].op) == heat.place[i]);
}

/* Too few have run: it is told when there are too few at the start, or when nobody is left, with
 * the last failure if somebody failed. */
static void decide_too_few(void)
{
    int why = heat.failure != 0 ? heat.failure : UV_EINVAL;
    decide(outcome.reason != 0 ? outcome.reason : why);
}

static void runner_comes(size_t i)
{
    const struct weft_op *runner = &heat.runners[i].op;
    bool comes_in = !heat.any[i] || runner->status == 0;
    bool in_time = comes_in && !outcome.decided && outcome.reason == 0;
    heat.reported[i] = true;
    if (!comes_in)
        heat.failure = runner->status;
    heat.place[i] = in_time ? heat.places++ : WEFT_NONE;
    if (heat.place[i] == 0)
        heat.winner = runner;
    if (comes_in ? !in_time || heat.places == heat.wanted : heat.places + under_way() < heat.wanted)
        decide(runner->status);
}

static void look_ahead_in_race(void)
{
    const struct weft_op *next = w.loop.ready_;
    if (next == NULL || next->state_ != OP_READY || outcome.told)
        return;
    bool sleep = next == &heat.stagger.op;
    if (sleep)
        heat.sleeping = false;
    for (size_t i = 0; i < heat.count; i++) {
        if (&heat.runners[i].op == next && !heat.reported[i])
            runner_comes(i);
    }
    if (under_way() == 0 && !(sleep && heat.late_starts))
        decide_too_few();
}

static void compare_race(void)
{
    if (!outcome.told)
        agree(weft_running(&heat.race.op) == under_way());
    agree(!outcome.decided || outcome.told || heat.race.op.state_ != OP_RUNNING ||
          weft_cancelled(&heat.race.op) != 0);
}

static void one_race(uint64_t seed)
{
    schedule_up("race", seed);
    memset(&heat, 0, sizeof heat);
    heat.count = roll(&dice, RUNNERS + 1);
    heat.late = heat.count > 0 && chance(&dice, 4) ? roll(&dice, heat.count) : RUNNERS;
    heat.late_starts = !chance(&dice, 4);
    heat.wanted = chance(&dice, 2) ? 1 : 1 + (unsigned)roll(&dice, heat.count + 1);
    bool mixed = chance(&dice, 5), any = chance(&dice, 2);
    for (size_t i = 0; i < heat.count; i++) {
        draw(&heat.runners[i]);
        heat.runners[i].id = (int)i;
        if (chance(&dice, 2))
            heat.runners[i].status = UV_ENOENT - (int)roll(&dice, 3);
        heat.any[i] = mixed ? chance(&dice, 2) : any;
    }
    weft_race_of(weft_root(&w.loop), &heat.race, heat.wanted, start_all, race_over);
    if (under_way() < heat.wanted)
        decide_too_few();
    run_to_the_end(&heat.race.op, draw_cancel(), look_ahead_in_race, compare_race);
    schedule_down();
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void many(void (*one)(uint64_t seed))
{
    model_schedules(&w, one, SCHEDULES);
}

TEST(each_and_map_agree_with_their_model)
{
    many(one_each);
}

TEST(race_agrees_with_its_model)
{
    many(one_race);
}
