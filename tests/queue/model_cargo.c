/* Cargo against a model of it, under thousands of seeded schedules.
 * ctest: labels=model timeout=120 shuffle=no
 *
 * The model knows each item as a record with a state, and each load as one with a number: at each
 * begin it is asked which items come next, at each end of a load what its items are told, after
 * each cancel whether anybody still waits for the load. Pushes, cancels and answers come from
 * outside, from workers and from thens.
 *
 * Looked up in the loop is which op it delivers next: a load that is over tells its items then, and
 * a turn under a cancelled owner refuses those that wait, and nobody is called. */
#include "model.h"
#include "core/op.h"
#include <string.h>
#include <weft/cargo.h>

enum { ITEMS = 40, LOADS = 3, PARENTS = 2, SCHEDULES = 8000 };

enum state { UNUSED, WAITING, TRAVELLING, TOLD, OVER };

struct item {
    struct weft_item item;
    struct weft_deadline deadline;
    /* what the model knows; they are pushed in the order of the array */
    enum state state;
    int parent, load, expected, reason;
    uint64_t due; /* of its deadline; 0: none */
    uint64_t turn;
    unsigned reports;
};

struct load {
    struct weft_load load;
    struct weft_timer timer;
    /* what it will do */
    uint64_t ms;
    int status;
    bool by_hand, slow; /* slow: a cancelled one takes a millisecond more */
    /* what the model knows */
    enum { FREE, RUNNING, FINISHED } state;
    int expected;
    bool unwanted; /* a cancel left nobody who waits for it */
};

static struct model {
    struct dice dice;
    struct weft_cargo cargo;
    struct weft_op owner, parents[PARENTS];
    int owner_reason, parent_reason[PARENTS];
    struct item items[ITEMS];
    struct load loads[LOADS];
    size_t most;
    int used, load_count;
    uint64_t turn; /* the number of the step under way */
    bool pushing;
} m;

static struct world w;

/* ---- the model ------------------------------------------------------------------------------ */

static size_t count_in(enum state state)
{
    size_t count = 0;
    for (int i = 0; i < m.used; i++)
        count += m.items[i].state == state;
    return count;
}

static unsigned loads_under_way(void)
{
    unsigned count = 0;
    for (int i = 0; i < m.load_count; i++)
        count += m.loads[i].state != FREE;
    return count;
}

static void model_told(struct item *item, int status)
{
    item->state = TOLD;
    item->expected = item->reason != 0 ? item->reason : status;
}

static void model_cancelled(struct item *item, int reason)
{
    if (item->state == WAITING) {
        model_told(item, reason);
    } else if (item->state == TRAVELLING && item->reason == 0) {
        size_t wanted = 0;
        item->reason = reason;
        for (int i = 0; i < m.used; i++)
            wanted += m.items[i].state == TRAVELLING && m.items[i].load == item->load &&
                      m.items[i].reason == 0;
        if (wanted == 0)
            m.loads[item->load].unwanted = true;
    }
}

/* The first that wait are on the load, in their order, and no others. */
static void model_begun(struct load *load)
{
    const struct weft_item *real = load->load.first;
    size_t count = 0;
    agree(load->state == FREE && !m.pushing && m.owner_reason == 0);
    for (int i = 0; i < m.used && count < m.most; i++) {
        struct item *item = &m.items[i];
        if (item->state != WAITING)
            continue;
        agree(real == &item->item && item->turn < m.turn);
        item->state = TRAVELLING;
        item->load = (int)(load - m.loads);
        real = weft_item_next(real);
        count++;
    }
    agree(real == NULL && count > 0 && load->load.count == count);
    load->state = RUNNING;
    load->unwanted = false;
}

static void model_load_over(struct load *load)
{
    for (int i = 0; i < m.used; i++) {
        struct item *item = &m.items[i];
        if (item->state == TRAVELLING && item->load == load - m.loads)
            model_told(item, load->expected);
    }
    load->state = FREE;
}

static void model_refused(void)
{
    for (int i = 0; i < m.used; i++) {
        if (m.items[i].state == WAITING)
            model_told(&m.items[i], m.owner_reason);
    }
}

/* ---- workers -------------------------------------------------------------------------------- */

static void act(int how_often);

static struct load *load_of(struct weft_op *op)
{
    return weft_owner(op, struct load, load.op);
}

/* Some of the items get an answer of their own. A deadline that has just passed may have come
 * before it. */
static void answer_some(struct load *load)
{
    for (struct weft_item *real = load->load.first, *next; real != NULL; real = next) {
        struct item *item = weft_owner(real, struct item, item);
        next = weft_item_next(real);
        agree(item->state == TRAVELLING && item->load == load - m.loads);
        if (!chance(&m.dice, 3))
            continue;
        bool late = item->reason == 0 && weft_cancelled(&real->op) != 0;
        agree(!late || (item->due != 0 && item->due <= weft_now(&w.loop)));
        if (late)
            item->reason = UV_ETIMEDOUT;
        int status = chance(&m.dice, 2) ? 0 : UV_ENOENT;
        model_told(item, status);
        weft_item_answer(real, status);
    }
}

static void finish_load(struct load *load, int status)
{
    agree(load->state == RUNNING);
    load->state = FINISHED;
    load->expected = status;
    weft_finish(&load->load.op, status);
}

static void work_due(struct weft_timer *timer)
{
    struct load *load = weft_owner(timer, struct load, timer);
    int reason = weft_cancelled(&load->load.op);
    answer_some(load);
    finish_load(load, reason != 0 ? reason : load->status);
}

static void work_cancel(struct weft_op *op, int reason)
{
    struct load *load = load_of(op);
    weft_timer_stop(&w.loop, &load->timer);
    if (load->slow)
        weft_timer_start(&w.loop, &load->timer, 1, work_due);
    else
        finish_load(load, reason);
}

static void work(struct weft_op *op)
{
    struct load *load = load_of(op);
    model_begun(load);
    load->ms = roll(&m.dice, 3) * roll(&m.dice, 4);
    load->status = chance(&m.dice, 4) ? UV_EIO : 0;
    load->by_hand = chance(&m.dice, 6);
    load->slow = chance(&m.dice, 4);
    if (chance(&m.dice, 3))
        answer_some(load);
    if (chance(&m.dice, 3))
        act(2);
    if (weft_cancelled(op) != 0) {
        finish_load(load, weft_cancelled(op));
        return;
    }
    if (load->ms == 0 && !load->by_hand) {
        finish_load(load, load->status);
        return;
    }
    if (!load->by_hand)
        weft_timer_start(&w.loop, &load->timer, load->ms, work_due);
    weft_on_cancel(op, work_cancel);
}

/* ---- what happens --------------------------------------------------------------------------- */

static void item_over(struct weft_op *parent, struct weft_op *op)
{
    struct item *item = weft_owner(op, struct item, item.op);
    agree(parent == (item->parent < 0 ? weft_root(&w.loop) : &m.parents[item->parent]));
    agree(item->state == TOLD && op->status == item->expected);
    agree(++item->reports == 1);
    item->state = OVER;
    if (chance(&m.dice, 3))
        act(2);
}

static void push_one(void)
{
    if (m.used == ITEMS)
        return;
    struct item *item = &m.items[m.used++];
    int parent = (int)between(&m.dice, -1, PARENTS - 1);
    if (parent >= 0 && m.parents[parent].state_ != OP_RUNNING)
        parent = -1;
    *item = (struct item){.state = WAITING, .parent = parent, .turn = m.turn};
    if (parent >= 0 && m.parent_reason[parent] != 0)
        model_told(item, m.parent_reason[parent]);
    m.pushing = true;
    bool room = weft_cargo_push(&m.cargo, parent < 0 ? weft_root(&w.loop) : &m.parents[parent],
                                &item->item, item_over);
    m.pushing = false;
    agree(room == (count_in(WAITING) < m.cargo.high_water));
    if (chance(&m.dice, 5) && item->state == WAITING) {
        uint64_t ms = (uint64_t)between(&m.dice, 1, 12);
        item->due = weft_now(&w.loop) + ms;
        weft_deadline(&item->item.op, &item->deadline, ms);
    }
}

static void cancel_one(void)
{
    if (m.used == 0)
        return;
    struct item *item = &m.items[roll(&m.dice, (uint64_t)m.used)];
    model_cancelled(item, UV_ECANCELED);
    weft_cancel(&item->item.op, UV_ECANCELED);
}

static void cancel_parent(int parent)
{
    if (m.parents[parent].state_ != OP_RUNNING || m.parent_reason[parent] != 0)
        return;
    m.parent_reason[parent] = UV_EINTR;
    for (int i = 0; i < m.used; i++) {
        if (m.items[i].parent == parent)
            model_cancelled(&m.items[i], UV_EINTR);
    }
    weft_cancel(&m.parents[parent], UV_EINTR);
}

static void cancel_owner(void)
{
    if (m.owner_reason == 0)
        m.owner_reason = UV_EACCES;
    weft_cancel(&m.owner, UV_EACCES);
}

static void finish_by_hand(void)
{
    for (int i = 0; i < m.load_count; i++) {
        struct load *load = &m.loads[i];
        /* One that is still in its begin has no cancel function yet. */
        if (load->state == RUNNING && load->by_hand && load->load.op.flags_ & OP_CANCEL) {
            weft_on_cancel(&load->load.op, NULL);
            finish_load(load, load->status);
            return;
        }
    }
}

static void answer_midway(void)
{
    struct load *load = &m.loads[roll(&m.dice, (uint64_t)m.load_count)];
    if (load->state == RUNNING)
        answer_some(load);
}

static void open_cargo(void)
{
    struct weft_slots loads =
        weft_slots(&m.loads[0].load.op, sizeof m.loads[0], (size_t)m.load_count);
    agree(weft_cargo_init(&m.cargo, &m.owner, loads, m.most, work) == 0);
}

static void close_and_open(void)
{
    bool busy = count_in(WAITING) > 0 || loads_under_way() > 0;
    agree(weft_cargo_close(&m.cargo) == (busy ? UV_EBUSY : 0));
    if (!busy)
        open_cargo();
}

static void act(int how_often)
{
    for (int i = 0; i < how_often; i++) {
        uint64_t dice = roll(&m.dice, 200);
        if (dice < 110)
            push_one();
        else if (dice < 150)
            cancel_one();
        else if (dice < 160)
            answer_midway();
        else if (dice < 185)
            finish_by_hand();
        else if (dice < 192)
            m.cargo.high_water = (size_t)between(&m.dice, 1, 6);
        else if (dice < 196)
            cancel_parent((int)roll(&m.dice, PARENTS));
        else if (dice < 198)
            close_and_open();
        else if (dice < 199)
            cancel_owner();
    }
}

/* ---- a schedule ----------------------------------------------------------------------------- */

static void look_ahead(void)
{
    const struct weft_op *next = w.loop.ready_;
    for (int i = 0; i < m.load_count; i++) {
        if (&m.loads[i].load.op == next && m.loads[i].state == FINISHED)
            model_load_over(&m.loads[i]);
    }
    if (next == &m.cargo.turn_ && m.owner_reason != 0)
        model_refused();
}

/* Deadlines that have passed: nobody was called. */
static void notice_deadlines(void)
{
    uint64_t now = weft_now(&w.loop);
    for (int i = 0; i < m.used; i++) {
        if (m.items[i].due != 0 && m.items[i].due <= now)
            model_cancelled(&m.items[i], UV_ETIMEDOUT);
    }
}

static void compare(void)
{
    agree(m.cargo.waiting == count_in(WAITING));
    agree(m.cargo.running == loads_under_way());
    for (int i = 0; i < m.load_count; i++) {
        const struct load *load = &m.loads[i];
        if (load->state == RUNNING)
            agree((weft_cancelled(&load->load.op) != 0) == (load->unwanted || m.owner_reason != 0));
    }
    /* Nothing that waits is forgotten. */
    if (m.cargo.waiting > 0 && loads_under_way() < (unsigned)m.load_count)
        agree(m.cargo.scheduled_);
}

static bool step(void)
{
    m.turn++;
    look_ahead();
    model_tell_next(&w);
    bool went_on = weft_sim_step(&w.sim);
    schedule.steps++;
    notice_deadlines();
    compare();
    return went_on;
}

static void set_up(uint64_t seed)
{
    memset(&m, 0, sizeof m);
    m.dice.state = seed;
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&m.dice, 4) ? 0 : seed | 1), 0);
    m.load_count = (int)between(&m.dice, 1, LOADS);
    m.most = (size_t)between(&m.dice, 1, 5);
    weft_run(weft_root(&w.loop), &m.owner, NULL, noted);
    for (int i = 0; i < PARENTS; i++)
        weft_run(weft_root(&w.loop), &m.parents[i], NULL, noted);
    open_cargo();
}

static void let_all_run(void)
{
    for (int i = 0; i < PARENTS; i++)
        weft_join(&m.parents[i]);
    for (bool held = true; step() || held;) {
        held = loads_under_way() > 0;
        finish_by_hand();
        agree(schedule.steps < 100000);
    }
}

static void one_schedule(uint64_t seed)
{
    model_begin("cargo", seed);
    set_up(seed);
    int rounds = (int)between(&m.dice, 1, 60);
    for (int i = 0; i < rounds; i++) {
        act((int)roll(&m.dice, 4));
        compare();
        for (uint64_t steps = roll(&m.dice, 5); steps > 0 && step(); steps--)
            continue;
    }
    let_all_run();
    for (int i = 0; i < m.used; i++)
        agree(m.items[i].reports == 1);
    for (int i = 0; i < PARENTS; i++)
        agree(m.parents[i].status == m.parent_reason[i]);
    agree(weft_cargo_close(&m.cargo) == 0);
    weft_join(&m.owner);
    while (step())
        continue;
    agree(m.owner.status == m.owner_reason);
    agree(w.loop.root.running_ == 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(cargo_agrees_with_its_model)
{
    model_schedules(&w, one_schedule, SCHEDULES);
}
