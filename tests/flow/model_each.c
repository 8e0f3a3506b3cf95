/* The collections in input order, searched, picked from and settled, against one model of them all,
 * under thousands of seeded schedules.
 *
 * The model knows of each item whether it was begun, is over, and was handed over, and has three
 * rules: the outcome is what was decided first; in order, an item is handed over when all before
 * it are over, otherwise at once; what is handed over while the outcome is open counts.
 * What the loop is about to deliver is looked up, because an error decides without calling anybody.
 * ctest: labels=model timeout=120 shuffle=no */
#include "model.h"
#include "core/op.h"
#include <string.h>
#include <weft/flow.h>

enum { ITEMS = 20, SLOTS = 5, SCHEDULES = 30000 };

enum kind { REDUCE, SEARCH, PICK, SETTLE, KINDS };

struct item {
    bool begun, over, taken, passes;
    int status;
    int64_t key;
};

static struct world w;
static struct dice dice;

static struct herd {
    union {
        struct weft_each each;
        struct weft_search search;
        struct weft_pick pick;
        struct weft_settle settle;
    } run;
    struct job slots[SLOTS];
    struct weft_picked list[ITEMS];
    int statuses[ITEMS];

    /* what is drawn */
    enum kind kind;
    size_t items, slots_used, capacity;
    bool ordered, backwards, counted, flipped; /* flipped: every, or reject */
    bool by_key, by_test;
    size_t next_ends_at, item_ends_at;
    int ends_with;
    uint64_t cancel_at;

    /* what the model says */
    struct item item[ITEMS + 1]; /* by its place in the order of beginning */
    size_t begun, over, turn;    /* turn: the place of the next that is handed over in order */
    bool dry, told;
    bool decided;
    int status, reason; /* reason: of the cancel that came before the decision */
    size_t found, picked, failed;
    struct weft_picked picks[ITEMS];
} herd;

/* ---- the model ------------------------------------------------------------------------------ */

static bool is_open(void)
{
    return !herd.decided && herd.reason == 0;
}

/* The first word stands; a cancel before it makes a success incomplete. */
static void decide(int status)
{
    if (herd.decided)
        return;
    herd.decided = true;
    herd.status = status != 0 ? status : herd.reason;
}

static size_t place_of(size_t index)
{
    return herd.backwards ? herd.items - 1 - index : index;
}

static bool is_kept(const struct item *item)
{
    return !herd.by_test || item->passes != herd.flipped;
}

/* Into its place: by key, and then by index. */
static void keep(size_t index, int64_t key)
{
    size_t at = herd.picked++;
    for (; at > 0 && (herd.picks[at - 1].key > key ||
                      (herd.picks[at - 1].key == key && herd.picks[at - 1].index > index));
         at--)
        herd.picks[at] = herd.picks[at - 1];
    herd.picks[at] = (struct weft_picked){index, key};
}

/* What failed is handed over without anybody being called. */
static void skip_failed(void)
{
    while (herd.turn < herd.begun && herd.item[herd.turn].over && herd.item[herd.turn].status != 0)
        herd.turn++;
}

/* An item that succeeded is handed over. */
static void take(struct weft_op *each, struct weft_op *slot)
{
    size_t index = weft_index(slot), place = place_of(index);
    struct item *item = &herd.item[place];
    agree(each == &herd.run.each.op && slot->parent == each && slot->status == 0);
    agree(place < herd.begun && item->over && item->status == 0 && !item->taken);
    skip_failed();
    agree(!herd.ordered || place == herd.turn);
    item->taken = true;
    herd.turn++;
    bool was_open = is_open();
    if (index == herd.item_ends_at) {
        decide(herd.ends_with);
        weft_end(each, herd.ends_with);
    }
    if (herd.kind == SEARCH && is_open() && item->passes != herd.flipped) {
        herd.found = index;
        decide(0);
    }
    if (herd.kind == PICK && was_open && is_kept(item)) {
        if (herd.picked < herd.capacity)
            keep(index, herd.by_key ? item->key : 0);
        else if (herd.decided && herd.status == 0)
            herd.status = UV_ENOBUFS; /* its own end was no success */
        else
            decide(UV_ENOBUFS);
    }
}

/* ---- what the collections call -------------------------------------------------------------- */

static void draw_job(struct job *job)
{
    job->ms = chance(&dice, 3) ? 0 : roll(&dice, 6);
    job->linger_ms = chance(&dice, 3) ? roll(&dice, 4) : 0;
    job->status = chance(&dice, herd.kind == SETTLE ? 2 : 30) ? UV_EIO : 0;
}

static bool next_item(struct weft_op *slot)
{
    struct weft_op *each = slot->parent;
    size_t index = weft_index(slot);
    agree(each == &herd.run.each.op && is_open() && !herd.dry);
    agree(place_of(index) == herd.begun);
    skip_failed();
    agree(herd.begun - (herd.ordered ? herd.turn : herd.over) < herd.slots_used);
    if (index == herd.next_ends_at) {
        decide(herd.ends_with);
        weft_end(each, herd.ends_with);
        return chance(&dice, 2);
    }
    if (index == herd.items) {
        herd.dry = true;
        return false;
    }
    if (herd.kind == SETTLE && index >= herd.capacity)
        decide(UV_ENOBUFS);
    draw_job(job_of(slot));
    return true;
}

static void item_begin(struct weft_op *op)
{
    agree(is_open() && herd.begun < herd.items);
    struct item *item = &herd.item[herd.begun];
    agree(place_of(weft_index(op)) == herd.begun && !item->begun);
    item->begun = true;
    herd.begun++;
    if (herd.counted) {
        herd.dry = herd.begun == herd.items;
        draw_job(job_of(op));
    }
    job_begin(op);
}

static void fold(struct weft_op *slot)
{
    take(slot->parent, slot);
}

static bool test(struct weft_op *slot)
{
    bool passes = herd.item[place_of(weft_index(slot))].passes;
    if (herd.kind == SEARCH || !herd.by_key || passes == herd.flipped)
        take(slot->parent, slot); /* otherwise in key */
    return passes;
}

static int64_t key(struct weft_op *slot)
{
    take(slot->parent, slot);
    return herd.item[place_of(weft_index(slot))].key;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static void compare_results(int status)
{
    switch (herd.kind) {
    case SEARCH:
        agree(herd.run.search.found == herd.found);
        agree((herd.run.search.slot != NULL) == (herd.found != WEFT_NONE));
        agree(herd.found == WEFT_NONE || weft_index(herd.run.search.slot) == herd.found);
        agree(herd.run.search.yes ==
              (status == 0 && (herd.flipped ? !herd.decided : herd.found != WEFT_NONE)));
        break;
    case PICK:
        agree(herd.run.pick.count == herd.picked);
        for (size_t i = 0; i < herd.picked; i++)
            agree(herd.list[i].index == herd.picks[i].index &&
                  herd.list[i].key == herd.picks[i].key);
        break;
    case SETTLE:
        agree(herd.run.settle.count == herd.begun && herd.run.settle.failed == herd.failed);
        for (size_t i = 0; i < herd.begun; i++)
            agree(herd.statuses[herd.backwards ? herd.items - 1 - i : i] == herd.item[i].status);
        break;
    default:
        break;
    }
}

static void run_over(struct weft_op *parent, struct weft_op *op)
{
    agree(parent == weft_root(&w.loop) && op == &herd.run.each.op && !herd.told);
    herd.told = true;
    agree(op->status == (herd.decided ? herd.status : herd.reason));
    agree(herd.begun == herd.over && jobs.running == 0);
    agree(herd.decided || herd.reason != 0 || (herd.dry && herd.begun == herd.items));
    compare_results(op->status);
}

/* A slot is about to be delivered. */
static void look_ahead(void)
{
    struct weft_op *next = w.loop.ready_;
    for (size_t i = 0; i < herd.slots_used; i++) {
        if (&herd.slots[i].op != next || next->state_ != OP_READY)
            continue;
        struct item *item = &herd.item[place_of(weft_index(next))];
        agree(item->begun && !item->over);
        item->over = true;
        item->status = next->status;
        herd.over++;
        herd.failed += item->status != 0;
        if (herd.kind != SETTLE && item->status != 0)
            decide(item->status);
    }
}

static void compare(void)
{
    skip_failed();
    bool all_over = true;
    for (size_t i = 0; i < herd.begun; i++) {
        const struct item *item = &herd.item[i];
        all_over = all_over && item->over;
        bool due = herd.ordered ? all_over : item->over;
        agree(item->taken == (due && item->status == 0));
    }
    if (herd.told)
        return;
    agree(weft_running(&herd.run.each.op) == herd.begun - herd.over);
    /* No slot is left empty while there is something to do. */
    if (is_open() && !herd.dry)
        agree(herd.begun - (herd.ordered ? herd.turn : herd.over) == herd.slots_used);
}

/* ---- a schedule ----------------------------------------------------------------------------- */

static void draw_herd(void)
{
    memset(&herd, 0, sizeof herd);
    herd.kind = (enum kind)roll(&dice, KINDS);
    herd.items = roll(&dice, ITEMS + 1);
    herd.slots_used = 1 + roll(&dice, SLOTS);
    herd.capacity = chance(&dice, 4) ? roll(&dice, ITEMS) : ITEMS;
    herd.backwards = chance(&dice, 3);
    herd.ordered = herd.backwards || herd.kind == REDUCE || chance(&dice, 3);
    herd.counted = herd.backwards || chance(&dice, 4);
    if (herd.counted && herd.kind == SETTLE)
        herd.capacity = ITEMS; /* nobody is asked who could see that it is full */
    herd.flipped = chance(&dice, 2);
    herd.by_key = chance(&dice, 2);
    herd.by_test = !herd.by_key || chance(&dice, 2);
    herd.next_ends_at = chance(&dice, 8) ? roll(&dice, ITEMS) : SIZE_MAX;
    herd.item_ends_at = chance(&dice, 6) ? roll(&dice, ITEMS) : SIZE_MAX;
    herd.ends_with = chance(&dice, 2) ? 0 : UV_EACCES;
    herd.cancel_at = chance(&dice, 2) ? UINT64_MAX : roll(&dice, 50);
    herd.found = WEFT_NONE;
    for (size_t i = 0; i < ITEMS; i++) {
        herd.item[i].passes = chance(&dice, herd.kind == SEARCH ? 12 : 2) != herd.flipped;
        herd.item[i].key = between(&dice, -2, 2);
    }
}

/* By hand: so all of them can be counted, backwards and in order. */
static void begin_herd(void)
{
    static weft_begin_fn *const begins[KINDS] = {weft_each_begin, weft_search_begin,
                                                 weft_pick_begin, weft_settle_begin};
    struct weft_each *each = &herd.run.each;
    each->slots = weft_slots(&herd.slots[0].op, sizeof(struct job), herd.slots_used);
    each->source = herd.counted ? weft_source_of(herd.items) : weft_source_from(next_item);
    each->begin = item_begin;
    each->order = herd.backwards ? WEFT_BACKWARDS
                  : herd.ordered ? WEFT_IN_ORDER
                                 : WEFT_AS_THEY_COME;
    if (herd.counted && herd.items == 0)
        herd.dry = true;
    if (herd.kind == REDUCE) {
        each->store = fold;
    } else if (herd.kind == SEARCH) {
        herd.run.search.test = test;
        herd.run.search.every = herd.flipped;
    } else if (herd.kind == PICK) {
        herd.run.pick.test = herd.by_test ? test : NULL;
        herd.run.pick.key = herd.by_key ? key : NULL;
        herd.run.pick.reject = herd.flipped;
        herd.run.pick.picks = weft_picks(herd.list, herd.capacity);
    } else {
        herd.run.settle.store = fold;
        herd.run.settle.statuses = herd.statuses;
        herd.run.settle.capacity = herd.capacity;
    }
    weft_run(weft_root(&w.loop), &each->op, begins[herd.kind], run_over);
}

static void one_schedule(uint64_t seed)
{
    model_begin("collection", seed);
    dice.state = seed;
    jobs = (struct jobs){0};
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
    draw_herd();
    begin_herd();
    do {
        schedule.steps++;
        agree(schedule.steps < 100000);
        compare();
        if (schedule.steps == herd.cancel_at && herd.run.each.op.state_ == OP_RUNNING) {
            if (is_open())
                herd.reason = UV_ETIMEDOUT;
            weft_cancel(&herd.run.each.op, UV_ETIMEDOUT);
        }
        look_ahead();
        model_tell_next(&w);
    } while (weft_sim_step(&w.sim));
    agree(herd.told && w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(the_collections_agree_with_their_model)
{
    model_schedules(&w, one_schedule, SCHEDULES);
}
