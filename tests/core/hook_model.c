/* Hooks against a model of what they are told, under many thousands of seeded programs: trees of ops,
 * sleeps, series, collections, races, queues, promises, deadlines, tickers and bare timers that begin
 * one another, are cancelled, and at any moment enable, disable, scope, cut and remove one of three
 * hooks.
 * ctest: labels=model timeout=120 shuffle=no needs=hooks
 *
 * The model is the header's text. Each begin has a record with a set of hooks that have captured it
 * and one of hooks it was cut off from; both are found from the parent's and from who is enabled,
 * before the library is called. Whatever a hook is told is compared with that at once; after each
 * step of the loop, whether it was told all it had to be: init before all, destroy once and last, one
 * pair for a request, pairs nested, parents known, ids new, and nothing of what it has not captured. */
#include "model.h"
#include "core/op.h"
#include <string.h>
#include <weft/each.h>
#include <weft/hook.h>
#include <weft/promise.h>
#include <weft/queue.h>
#include <weft/race.h>
#include <weft/series.h>
#include <weft/timer.h>

enum { SCHEDULES = 100000, HOOKS = 3, NODES = 60, RECORDS = 240, SLOTS = 2, DEPTH = 128 };

static struct world w;
static struct dice dice;

/* ---- the model ------------------------------------------------------------------------------ */

/* One begin of something. */
struct record {
    const void *resource;  /* as init will show it */
    struct record *parent; /* NULL: the root */
    struct weft_op *op;    /* NULL: a bare timer, a deadline */
    unsigned group;
    bool handle, over;
    bool by_hook;           /* a hook's function has begun it, or what follows from that */
    unsigned captured, cut; /* sets of hooks */
    uint64_t id;            /* 0: no hook was told */
    unsigned told_init, told_destroy, pairs[HOOKS];
};

static struct model {
    struct record records[RECORDS];
    unsigned count;
    struct record root;
    struct record *beginning; /* the library is called to begin this */
    bool hiding;              /* in the then of what a hook has begun */
    struct watcher {
        struct weft_hook hook;
        bool on, enabled, scoped, busy;
        struct record *running[DEPTH];
        unsigned depth;
    } hooks[HOOKS];
    unsigned begun_by_hooks;
} model;

static bool wants(const struct watcher *watcher, const struct record *record)
{
    return watcher->hook.groups == 0 || watcher->hook.groups & record->group;
}

static bool sees(unsigned k, const struct record *record)
{
    return record->captured & 1U << k && wants(&model.hooks[k], record);
}

/* Something is about to be begun under parent. */
static struct record *expect(struct record *parent, struct weft_op *op, const void *resource,
                             unsigned group)
{
    agree(model.count < RECORDS);
    struct record *record = &model.records[model.count++];
    *record = (struct record){.resource = resource,
                              .parent = parent,
                              .op = op,
                              .group = group & ~(unsigned)WEFT_HANDLE,
                              .handle = group & WEFT_HANDLE,
                              .cut = parent->cut,
                              .by_hook = parent->by_hook || model.hiding};
    for (unsigned k = 0; k < HOOKS && !record->by_hook; k++) {
        if ((model.hooks[k].enabled || parent->captured & 1U << k) && !(parent->cut & 1U << k))
            record->captured |= 1U << k;
    }
    model.beginning = record;
    return record;
}

/* It was begun: every hook that has captured it knows. */
static void check_begun(const struct record *record)
{
    for (unsigned k = 0; k < HOOKS; k++)
        agree(!sees(k, record) || record->told_init & 1U << k);
    agree(!record->by_hook || record->told_init == 0);
}

/* A timer is only reached through the op that began it. When that is over, and the timer fires, its
 * callback is the root's. */
static bool is_below(const struct record *record, const struct record *top)
{
    if (record->op == NULL && record->parent->over)
        return record->over && top == &model.root;
    while (record != NULL && record != top)
        record = record->parent;
    return record != NULL;
}

/* No post either for what runs now. */
static void forget_running(struct watcher *watcher, const struct record *record)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < watcher->depth; i++) {
        if (watcher->running[i] != record)
            watcher->running[kept++] = watcher->running[i];
    }
    watcher->depth = kept;
}

static void cut(unsigned k, struct record *top)
{
    for (unsigned i = 0; i < model.count; i++) {
        struct record *record = &model.records[i];
        if (!is_below(record, top))
            continue;
        record->captured &= ~(1U << k);
        record->cut |= 1U << k;
        forget_running(&model.hooks[k], record);
    }
    top->cut |= 1U << k;
}

static void forget(unsigned k)
{
    struct watcher *watcher = &model.hooks[k];
    for (unsigned i = 0; i < model.count; i++) {
        model.records[i].captured &= ~(1U << k);
        model.records[i].cut &= ~(1U << k);
    }
    model.root.cut &= ~(1U << k);
    watcher->on = watcher->enabled = watcher->scoped = false;
    watcher->depth = 0;
}

static void end_scopes(void)
{
    for (unsigned k = 0; k < HOOKS; k++) {
        if (model.hooks[k].scoped)
            model.hooks[k].enabled = model.hooks[k].scoped = false;
    }
}

/* ---- what hooks are told -------------------------------------------------------------------- */

static struct record *record_of(uint64_t id)
{
    for (unsigned i = model.count; i-- > 0;) {
        if (model.records[i].id == id)
            return &model.records[i];
    }
    return NULL;
}

static unsigned number_of(struct weft_hook *hook)
{
    return (unsigned)(weft_owner(hook, struct watcher, hook) - model.hooks);
}

/* The queue begins a pump of its own when it likes, and the loop is a resource too: of these only the
 * order is known. */
static bool is_a_stranger(const struct weft_site *site)
{
    return site->group & (WEFT_LOOP | WEFT_QUEUE);
}

static void sometimes_begin(struct watcher *watcher);

static void told_init(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                      uint64_t parent, void *resource)
{
    unsigned k = number_of(hook);
    struct weft_resource found;
    agree(model.hooks[k].on && id != 0);
    agree(weft_resource_by_id(id, &found) == 0);
    agree(found.parent == parent && found.resource == resource && found.site == site);
    if (is_a_stranger(site))
        return;
    struct record *record = model.beginning;
    model_tell("hook %u: init of %s, record %u", k, site->type, model.count - 1);
    agree(record != NULL && record->resource == resource && sees(k, record));
    agree(found.state == WEFT_INCOMPLETE && !(record->told_init & 1U << k));
    agree(record->id == 0 ? record_of(id) == NULL : record->id == id);
    record->id = id;
    record->told_init |= 1U << k;
    agree(parent == weft_id(record->parent->op));
    agree(record->parent->id == 0 || parent == record->parent->id);
    agree(!sees(k, record->parent) || record->parent->told_init & 1U << k);
    sometimes_begin(&model.hooks[k]);
}

static void told_pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    unsigned k = number_of(hook);
    struct watcher *watcher = &model.hooks[k];
    struct record *record = record_of(id);
    (void)entry;
    if (record == NULL)
        return; /* a stranger: its site is not told here */
    model_tell("hook %u: pre of record %d", k, (int)(record - model.records));
    agree(watcher->on && sees(k, record) && record->told_init & 1U << k);
    agree(!(record->told_destroy & 1U << k) && weft_current_id() == id);
    agree(record->handle || record->pairs[k] == 0);
    record->pairs[k]++;
    agree(watcher->depth < DEPTH);
    watcher->running[watcher->depth++] = record;
    sometimes_begin(watcher);
}

static void told_post(struct weft_hook *hook, uint64_t id, int outcome)
{
    unsigned k = number_of(hook);
    struct watcher *watcher = &model.hooks[k];
    struct record *record = record_of(id);
    if (record == NULL)
        return;
    model_tell("hook %u: post of record %d", k, (int)(record - model.records));
    agree(watcher->on && sees(k, record) && outcome == 0);
    agree(watcher->depth > 0 && watcher->running[watcher->depth - 1] == record);
    watcher->depth--;
    sometimes_begin(watcher);
}

static void told_destroy(struct weft_hook *hook, uint64_t id)
{
    unsigned k = number_of(hook);
    struct watcher *watcher = &model.hooks[k];
    struct record *record = record_of(id);
    struct weft_resource found;
    agree(weft_resource_by_id(id, &found) == 0 && found.state == WEFT_INCOMPLETE);
    if (record == NULL)
        return;
    model_tell("hook %u: destroy of record %d", k, (int)(record - model.records));
    agree(watcher->on && sees(k, record) && !(record->told_destroy & 1U << k));
    for (unsigned i = 0; i < watcher->depth; i++)
        agree(watcher->running[i] != record);
    record->told_destroy |= 1U << k;
    sometimes_begin(watcher);
}

/* A callback of record's has begun. */
static void check_entered(const struct record *record)
{
    bool watched = false;
    for (unsigned k = 0; k < HOOKS; k++) {
        const struct watcher *watcher = &model.hooks[k];
        const struct record *top = watcher->depth > 0 ? watcher->running[watcher->depth - 1] : NULL;
        agree(sees(k, record) == (top == record));
        watched = watched || record->captured & 1U << k;
    }
    if (watched && record->id != 0) {
        agree(weft_current_id() == record->id);
        agree(weft_trigger_id() == weft_id(record->parent->op) || record->parent->over);
    }
}

/* ---- nodes: what programs are made of ------------------------------------------------------- */

enum kind { TICK, BRANCH, SLEEP, SERIES, EACH, RACE, TASK, PROMISE, AWAIT, TICKER, TIMER, KINDS };

struct node {
    enum kind kind;
    struct record *record; /* of its last begin; NULL: it is free */
    union {
        struct weft_op op;
        struct weft_sleep sleep;
        struct weft_series series;
        struct weft_each each;
        struct weft_race race;
        struct weft_await await;
        struct weft_ticker ticker;
    };
    struct weft_promise promise;
    struct weft_timer timer;
    struct weft_deadline deadline;
    struct record *deadline_record;
    struct slot {
        struct weft_op op;
        struct record *record;
    } slots[SLOTS];
    unsigned items, again;
};

static struct node nodes[NODES];
static unsigned node_count, budget;
static struct weft_queue queue;

static struct weft_op *op_of(struct node *node)
{
    return node->kind == PROMISE ? &node->promise.op : &node->op;
}

static void act(struct record *here, struct weft_op *under);

static struct node *node_of(struct weft_op *op)
{
    return weft_owner(op, struct node, op);
}

static void then(struct weft_op *parent, struct weft_op *op)
{
    struct node *node = node_of(op);
    struct record *record = node->record;
    agree(weft_current() == parent && parent == record->parent->op);
    record->over = true;
    check_entered(record);
    bool hid = model.hiding;
    model.hiding = record->by_hook;
    if (node->kind == TICK && node->again > 0 && parent->state_ == OP_RUNNING) {
        node->again--; /* with the same storage, in its own then */
        node->record = expect(record->parent, op, op, WEFT_USER);
        weft_tick(parent, op, then);
        check_begun(node->record);
    } else {
        node->record = NULL;
    }
    act(record, NULL);
    model.hiding = hid;
}

/* The next item is begun in the same then, after this: what a hook has begun hides that too. */
static void slot_done(struct weft_op *parent, struct weft_op *op)
{
    struct slot *slot = weft_owner(op, struct slot, op);
    struct record *record = slot->record;
    agree(weft_current() == parent);
    record->over = true;
    check_entered(record);
    model.hiding = record->by_hook;
    act(record, NULL);
    slot->record = NULL;
}

static void runner_done(struct weft_op *parent, struct weft_op *op)
{
    slot_done(parent, op);
    weft_race_first(parent, op);
}

/* Begins: what is begun in one is told inside the callback that has begun it. */
static void branch_begin(struct weft_op *op)
{
    agree(weft_current() == op);
    check_begun(node_of(op)->record);
    act(node_of(op)->record, op);
    act(node_of(op)->record, op);
    weft_join(op);
}

static void step(struct weft_op *op)
{
    agree(weft_current() == op);
    check_begun(node_of(op)->record);
    act(node_of(op)->record, op);
}

static struct node *node_of_slot(const struct slot *slot)
{
    size_t at = (size_t)((const char *)slot - (const char *)nodes);
    return &nodes[at / sizeof *nodes];
}

static bool next_item(struct weft_op *op)
{
    struct slot *slot = weft_owner(op, struct slot, op);
    struct node *node = node_of_slot(slot);
    if (node->items == 0)
        return false;
    node->items--;
    slot->record = expect(node->record, op, op, WEFT_USER);
    return true;
}

static void item_begin(struct weft_op *op)
{
    struct slot *slot = weft_owner(op, struct slot, op);
    agree(weft_current() == op);
    check_begun(slot->record);
    act(slot->record, op);
    weft_join(op);
}

static void start_runners(struct weft_op *op)
{
    struct node *node = node_of(op);
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *slot = &node->slots[i];
        slot->record = expect(node->record, &slot->op, &slot->op, WEFT_USER);
        weft_run(op, &slot->op, item_begin, runner_done);
        check_begun(slot->record);
    }
}

static void promise_begin(struct weft_op *op)
{
    struct node *node = weft_owner(op, struct node, promise.op);
    agree(weft_current() == op);
    check_begun(node->record);
    act(node->record, op);
    weft_join(op);
}

static void tick(struct weft_op *op)
{
    struct node *node = node_of(op);
    end_scopes();
    agree(weft_current() == op);
    check_entered(node->record);
    act(node->record, op);
    if (node->items-- == 0)
        weft_join(op);
}

static void fire(struct weft_timer *timer)
{
    struct node *node = weft_owner(timer, struct node, timer);
    struct record *record = node->record;
    end_scopes();
    record->over = true;
    check_entered(record);
    node->record = NULL;
    act(record, NULL);
}

/* ---- what a program does -------------------------------------------------------------------- */

/* An op that something may be begun under: one that waits for its children. */
static struct record *draw_parent(void)
{
    unsigned at = (unsigned)roll(&dice, model.count + 1);
    struct record *record = at == 0 ? &model.root : &model.records[at - 1];
    if (record->op == NULL || record->over || record->op->state_ != OP_RUNNING ||
        !(record->op->flags_ & OP_JOIN) || record->op->flags_ & OP_DECIDED)
        return &model.root;
    return record;
}

static struct record *draw_running(void)
{
    unsigned at = (unsigned)roll(&dice, model.count + 1);
    struct record *record = at == 0 ? &model.root : &model.records[at - 1];
    bool runs = record->op != NULL && !record->over && record->op->state_ != OP_IDLE;
    return runs && record != &model.root ? record : NULL;
}

static bool in_a_task(const struct weft_op *op)
{
    for (; op != NULL; op = op->parent) {
        if (op->flags_ & OP_GATED || op->state_ == OP_QUEUED)
            return true;
    }
    return false;
}

static struct node *new_node(enum kind kind)
{
    struct node *node = &nodes[node_count++];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    return node;
}

static void begin_timer(struct node *node)
{
    struct weft_op *current = weft_current();
    struct record *branch = &model.root;
    for (unsigned i = 0; i < model.count; i++) {
        if (current != NULL && model.records[i].op == current && !model.records[i].over)
            branch = &model.records[i];
    }
    node->record = expect(branch, NULL, &node->timer, WEFT_TIMER | WEFT_HANDLE);
    weft_timer_start(&w.loop, &node->timer, roll(&dice, 4), fire);
    check_begun(node->record);
}

/* A promise that has settled by now, or one that has not. */
static struct node *draw_promise(void)
{
    struct node *node = &nodes[roll(&dice, node_count + 1)];
    return node->kind == PROMISE && node < nodes + node_count ? node : NULL;
}

/* At times as if 32 begins were on the stack: then it is begun from the ready queue. */
static void run_deep(struct node *node, struct weft_op *under)
{
    uint32_t depth = w.loop.depth_;
    if (chance(&dice, 4))
        w.loop.depth_ = OP_DEPTH;
    weft_run(under, &node->op, branch_begin, then);
    w.loop.depth_ = depth;
}

static void begin_kind(struct node *node, struct record *parent, struct weft_op *under)
{
    static const unsigned groups[KINDS] = {
        [TICK] = WEFT_USER,     [BRANCH] = WEFT_USER,
        [SLEEP] = WEFT_TIMER,   [SERIES] = WEFT_FLOW,
        [EACH] = WEFT_FLOW,     [RACE] = WEFT_FLOW,
        [TASK] = WEFT_USER,     [PROMISE] = WEFT_PROMISE | WEFT_HANDLE,
        [AWAIT] = WEFT_PROMISE, [TICKER] = WEFT_TIMER | WEFT_HANDLE};
    struct record *record = expect(parent, op_of(node), op_of(node), groups[node->kind]);
    struct node *promise;
    node->record = record;
    switch (node->kind) {
    case TICK:
        node->again = (unsigned)roll(&dice, 3);
        weft_tick(under, &node->op, then);
        break;
    case BRANCH:
        run_deep(node, under);
        break;
    case SLEEP:
        weft_sleep(under, &node->sleep, roll(&dice, 4), then);
        break;
    case SERIES:
        weft_series(under, &node->series, then, step, step, step);
        break;
    case EACH:
        node->items = (unsigned)roll(&dice, 4);
        weft_each(under, &node->each, WEFT_SLOTS(node->slots, op), next_item, item_begin, slot_done,
                  then);
        break;
    case RACE:
        weft_race(under, &node->race, start_runners, then);
        break;
    case TASK:
        weft_queue_push(&queue, under, &node->op, branch_begin, then);
        break;
    case PROMISE:
        weft_promise(under, &node->promise, promise_begin);
        break;
    case AWAIT:
        promise = draw_promise();
        weft_await(under, &node->await, promise != NULL ? &promise->promise : NULL, then);
        break;
    default:
        node->items = (unsigned)roll(&dice, 3);
        weft_ticker(under, &node->ticker, 1 + roll(&dice, 3), tick, then);
        break;
    }
    check_begun(record);
}

static void begin_node(struct record *parent, struct weft_op *under)
{
    if (node_count == NODES || model.count + 2 * SLOTS + 8 > RECORDS)
        return;
    enum kind kind = (enum kind)roll(&dice, KINDS);
    if (kind == TASK && in_a_task(under))
        kind = BRANCH;
    struct node *node = new_node(kind);
    model_tell("begin of kind %d", (int)kind);
    if (kind == TIMER)
        begin_timer(node);
    else
        begin_kind(node, parent, under);
}

static void set_deadline(struct record *record)
{
    if (record == NULL || record->op->state_ == OP_READY || node_count == NODES ||
        model.count + 1 > RECORDS - SLOTS)
        return;
    struct node *node = new_node(KINDS);
    node->deadline_record = expect(record, NULL, &node->deadline.op_, WEFT_TIMER | WEFT_HANDLE);
    weft_deadline(record->op, &node->deadline, roll(&dice, 4));
    check_begun(node->deadline_record);
}

static void switch_hook(void)
{
    unsigned k = (unsigned)roll(&dice, HOOKS);
    struct watcher *watcher = &model.hooks[k];
    struct record *record;
    switch (roll(&dice, 6)) {
    case 0:
        watcher->on = watcher->enabled = true;
        watcher->scoped = false;
        agree(weft_hook_enable(&w.loop, &watcher->hook) == 0);
        break;
    case 1:
        watcher->enabled = watcher->scoped = false;
        weft_hook_disable(&watcher->hook);
        break;
    case 2:
        watcher->scoped = watcher->scoped || !watcher->enabled;
        watcher->on = watcher->enabled = true;
        agree(weft_hook_scope(&w.loop, &watcher->hook) == 0);
        break;
    case 3:
        forget(k);
        weft_hook_remove(&watcher->hook);
        break;
    default:
        record = chance(&dice, 30) ? &model.root : draw_running();
        if (record == NULL || !watcher->on)
            break;
        cut(k, record);
        weft_hook_cut(&watcher->hook, record->op);
        break;
    }
    model_tell("hook %u: %s%s", k, watcher->on ? "on" : "off", watcher->enabled ? " enabled" : "");
}

/* In a callback of here's; under: the op that runs and may get children, or NULL. */
static void act(struct record *here, struct weft_op *under)
{
    for (unsigned times = (unsigned)roll(&dice, 4); times > 0 && budget > 0; times--) {
        budget--;
        struct record *record;
        switch (roll(&dice, 9)) {
        case 0:
        case 1:
            switch_hook();
            break;
        case 2:
            record = draw_running();
            if (record != NULL)
                weft_cancel(record->op, UV_ECANCELED);
            break;
        case 3:
            set_deadline(draw_running());
            break;
        case 4:
            record = draw_parent();
            begin_node(record, record->op);
            break;
        default:
            if (under != NULL && under->state_ == OP_RUNNING)
                begin_node(here, under);
            else
                begin_node(&model.root, weft_root(&w.loop));
            break;
        }
    }
}

/* A hook may begin ops of its own; none is told of them. */
static void sometimes_begin(struct watcher *watcher)
{
    if (watcher->busy || model.begun_by_hooks == 0 || node_count == NODES ||
        model.count + 2 * SLOTS + 8 > RECORDS || !chance(&dice, 12))
        return;
    struct record *outer = model.beginning;
    bool hid = model.hiding;
    watcher->busy = model.hiding = true;
    model.begun_by_hooks--;
    struct node *node = new_node(TICK);
    node->record = expect(&model.root, &node->op, &node->op, WEFT_USER);
    weft_tick(weft_root(&w.loop), &node->op, then);
    check_begun(node->record);
    model.beginning = outer;
    model.hiding = hid;
    watcher->busy = false;
}

/* ---- a schedule ----------------------------------------------------------------------------- */

/* Promises and deadlines have no callback of ours: their end is seen in their storage. */
static void look_for_ends(void)
{
    for (unsigned i = 0; i < node_count; i++) {
        struct node *node = &nodes[i];
        if (node->kind == PROMISE && node->record != NULL && node->promise.settled) {
            node->record->over = true;
            node->record = NULL;
        }
        if (node->deadline_record != NULL && node->deadline.op_.state_ == OP_IDLE) {
            node->deadline_record->over = true;
            node->deadline_record = NULL;
        }
    }
}

/* Between two steps no callback runs, and what is over was told to its end. */
static void compare(void)
{
    look_for_ends();
    end_scopes();
    model.hiding = false;
    for (unsigned k = 0; k < HOOKS; k++)
        agree(model.hooks[k].depth == 0);
    for (unsigned i = 0; i < model.count; i++) {
        struct record *record = &model.records[i];
        for (unsigned k = 0; k < HOOKS; k++) {
            if (!sees(k, record))
                continue;
            agree(record->told_init & 1U << k);
            agree(!record->over == !(record->told_destroy & 1U << k));
            agree(record->handle || record->pairs[k] == record->over);
        }
        struct weft_resource found;
        if (record->id != 0)
            agree(weft_resource_by_id(record->id, &found) == (record->over ? UV_ENOENT : 0));
    }
    agree(weft_current() == NULL && weft_current_id() == 0 && weft_trigger_id() == 0);
}

static void draw_hooks(void)
{
    static const unsigned groups[] = {0, WEFT_USER, WEFT_USER | WEFT_TIMER, WEFT_FLOW | WEFT_USER};
    for (unsigned k = 0; k < HOOKS; k++) {
        model.hooks[k].hook = (struct weft_hook){.init = told_init,
                                                 .pre = told_pre,
                                                 .post = told_post,
                                                 .destroy = told_destroy,
                                                 .groups = groups[roll(&dice, 4)]};
        if (model.hooks[k].hook.groups != 0 && chance(&dice, 4))
            model.hooks[k].hook.groups |= WEFT_PROMISE;
    }
}

static void set_up(uint64_t seed)
{
    for (unsigned i = 0; i < model.count; i++)
        memset(&model.records[i], 0, sizeof model.records[i]);
    memset(model.hooks, 0, sizeof model.hooks);
    model.root = (struct record){.op = weft_root(&w.loop), .group = WEFT_LOOP, .handle = true};
    model.count = node_count = 0;
    model.hiding = false;
    model.beginning = NULL;
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, chance(&dice, 4) ? 0 : seed | 1), 0);
    assert_int_equal(weft_queue_init(&queue, &w.loop, 1 + (unsigned)roll(&dice, 2)), 0);
    draw_hooks();
    model.begun_by_hooks = (unsigned)roll(&dice, 3);
    budget = 4 + (unsigned)roll(&dice, 60);
}

static void tear_down(void)
{
    for (unsigned k = 0; k < HOOKS; k++)
        weft_hook_remove(&model.hooks[k].hook);
    for (unsigned i = 0; i < node_count; i++) {
        if (nodes[i].kind == PROMISE) {
            nodes[i].promise.awaited_ = true;
            assert_int_equal(weft_promise_close(&nodes[i].promise), 0);
        }
    }
    assert_int_equal(weft_queue_close(&queue), 0);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

/* Promises may await one another in a circle: nothing but a cancel ends that. Nothing has run, so
 * what was scoped outside of the loop still is. */
static bool break_circles(void)
{
    bool any = false;
    for (unsigned k = 0; k < HOOKS; k++) {
        if (!model.hooks[k].enabled)
            weft_hook_disable(&model.hooks[k].hook);
    }
    for (unsigned i = 0; i < node_count; i++) {
        if (nodes[i].kind != PROMISE || nodes[i].record == NULL)
            continue;
        any = true;
        weft_cancel(&nodes[i].promise.op, UV_ECANCELED);
    }
    return any;
}

static void one_program(uint64_t seed)
{
    model_begin("hooks", seed);
    dice.state = seed;
    set_up(seed);
    switch_hook();
    for (;;) {
        act(&model.root, NULL); /* outside of the loop */
        look_for_ends();
        model_tell_next(&w);
        end_scopes();
        if (weft_sim_step(&w.sim))
            compare();
        else if (!break_circles())
            break;
        agree(schedule.steps++ < 100000);
    }
    agree(w.loop.root.running_ == 0);
    tear_down();
}

TEST(hooks_are_told_what_the_model_says)
{
    model_schedules(&w, one_program, SCHEDULES);
}
