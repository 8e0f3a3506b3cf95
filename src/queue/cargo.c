/* Cargo: items come together and travel in loads.
 *
 *     push ──► first_ … (items that wait) ──► turn: a free load takes up to most_ ──► its worker
 *                                              ▲                                         │
 *                                              └──── load over: its items are told ◄─────┘
 *
 * Only the turn begins loads, from an op of its own on the ready queue, and one each time: so what
 * a worker pushes in its begin does not travel before another turn, and nothing is begun from
 * inside a push. While items wait, a turn is scheduled or every load is under way; a load that is
 * over schedules the next turn.
 *
 * An item is on one of two lists, both linked by next_ and link_: it waits (load_ is NULL), or it
 * travels. A cancel takes it off the first at once. On a load it stays, because the worker may be
 * anywhere in the list and reads the item's fields; wanted_ counts those that stay and were not
 * cancelled.
 *
 * When the owner was cancelled no load can begin any more: the turn tells the items that wait,
 * rather than having one load after the other refused. */
#include "weft/cargo.h"
#include "queue.h"

static const struct weft_site turn_site = {__FILE__, "weft_cargo", "cargo turn", __LINE__,
                                           WEFT_QUEUE | WEFT_HANDLE};

static void turn(struct weft_op *root, struct weft_op *op);

static struct weft_load *load_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_load, op);
}

static struct weft_item *item_of(struct weft_op *op)
{
    return weft_owner(op, struct weft_item, op);
}

static void schedule_turn(struct weft_cargo *cargo)
{
    if (cargo->scheduled_ || cargo->first_ == NULL || cargo->free_ == NULL)
        return;
    cargo->scheduled_ = true;
    weft__queue_call(&turn_site, cargo->owner_->loop_, &cargo->turn_, turn);
}

/* ---- lists of items ------------------------------------------------------------------------- */

static void append(struct weft_item *item, struct weft_item ***tail)
{
    item->next_ = NULL;
    item->link_ = *tail;
    **tail = item;
    *tail = &item->next_;
}

static void stop_waiting(struct weft_cargo *cargo, struct weft_item *item)
{
    *item->link_ = item->next_;
    if (item->next_ != NULL)
        item->next_->link_ = item->link_;
    else
        cargo->tail_ = item->link_;
    cargo->waiting--;
}

/* A load has no tail: it grows only before its worker begins. */
static void get_off(struct weft_item *item)
{
    *item->link_ = item->next_;
    if (item->next_ != NULL)
        item->next_->link_ = item->link_;
}

/* The end of an item that has travelled. */
static void tell(struct weft_item *item, int status)
{
    get_off(item);
    weft_finish(&item->op, item->op.reason_ != 0 ? item->op.reason_ : status);
}

/* ---- loads ---------------------------------------------------------------------------------- */

static void load_over(struct weft_op *owner, struct weft_op *op)
{
    struct weft_load *load = load_of(op);
    struct weft_cargo *cargo = load->cargo_;
    (void)owner;
    while (load->first != NULL)
        tell(load->first, op->status);
    load->next_free_ = cargo->free_;
    cargo->free_ = load;
    cargo->running--;
    schedule_turn(cargo);
}

static void fill(struct weft_cargo *cargo, struct weft_load *load)
{
    struct weft_item **tail = &load->first;
    load->first = NULL;
    load->count = 0;
    while (load->count < cargo->most_ && cargo->first_ != NULL) {
        struct weft_item *item = cargo->first_;
        stop_waiting(cargo, item);
        append(item, &tail);
        item->load_ = load;
        load->count++;
    }
    load->wanted_ = load->count;
}

static void refuse_all(struct weft_cargo *cargo, int reason)
{
    while (cargo->first_ != NULL) {
        struct weft_item *item = cargo->first_;
        stop_waiting(cargo, item);
        weft_finish(&item->op, reason);
    }
}

static void turn(struct weft_op *root, struct weft_op *op)
{
    struct weft_cargo *cargo = weft_owner(op, struct weft_cargo, turn_);
    (void)root;
    cargo->scheduled_ = false;
    if (cargo->owner_->flags_ & OP_REFUSE)
        refuse_all(cargo, cargo->owner_->reason_);
    if (cargo->first_ == NULL)
        return; /* they were all cancelled */
    struct weft_load *load = cargo->free_;
    cargo->free_ = load->next_free_;
    cargo->running++;
    fill(cargo, load);
    schedule_turn(cargo);
    weft_run_at(cargo->site_, cargo->owner_, &load->op, cargo->begin_, load_over);
}

/* ---- items ---------------------------------------------------------------------------------- */

static void item_cancel(struct weft_op *op, int reason)
{
    struct weft_item *item = item_of(op);
    struct weft_load *load = item->load_;
    if (load == NULL) {
        stop_waiting(item->cargo, item);
        weft_finish(op, reason);
        return;
    }
    load->wanted_--;
    if (load->wanted_ == 0)
        weft_cancel(&load->op, reason);
}

static bool is_load_of(const struct weft_cargo *cargo, const struct weft_op *op)
{
    const struct weft_slots *loads = &cargo->loads_;
    uintptr_t offset = (uintptr_t)op - (uintptr_t)loads->first;
    return offset < loads->stride * loads->count && offset % loads->stride == 0;
}

/* A load that waits for an item of its own cargo would hold a worker and wait for one. */
static void check_no_self_wait(const struct weft_cargo *cargo, const struct weft_op *parent)
{
    for (; parent != NULL; parent = parent->parent)
        RULE(2, !is_load_of(cargo, parent), parent,
             "a load would wait for its own cargo; push under the load's parent");
}

void weft_item_begin(struct weft_op *op)
{
    struct weft_item *item = item_of(op);
    struct weft_cargo *cargo = item->cargo;
    item->load_ = NULL;
    if (cargo == NULL || cargo->owner_ == NULL) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    RULE(1, cargo->owner_->loop_ == op->loop_, op, "an item was put on another loop's cargo");
    check_no_self_wait(cargo, op->parent);
    append(item, &cargo->tail_);
    cargo->waiting++;
    weft_on_cancel(op, item_cancel);
    schedule_turn(cargo);
}

bool weft_cargo_push_at(const struct weft_site *site, struct weft_cargo *cargo,
                        struct weft_op *parent, struct weft_item *item, weft_then_fn *then)
{
    op_check_start(parent, &item->op);
    item->cargo = cargo;
    weft_run_now_at(site, parent, &item->op, weft_item_begin, then);
    return cargo != NULL && cargo->waiting < cargo->high_water;
}

void weft_item_answer(struct weft_item *item, int status)
{
    RULE(2, item->op.state_ == OP_RUNNING && item->load_ != NULL, &item->op,
         "an item that is on no load was answered (twice?)");
    if (item->op.reason_ == 0)
        item->load_->wanted_--;
    tell(item, status);
}

/* ---- init and close ------------------------------------------------------------------------- */

int weft_cargo_init_at(const struct weft_site *site, const struct weft_site *load_site,
                       struct weft_cargo *cargo, struct weft_op *owner, struct weft_slots loads,
                       size_t most, weft_begin_fn *begin)
{
    if (cargo == NULL || owner == NULL || begin == NULL || most == 0 || loads.first == NULL ||
        loads.count == 0)
        return UV_EINVAL;
    *cargo = (struct weft_cargo){.high_water = SIZE_MAX,
                                 .owner_ = owner,
                                 .site_ = load_site,
                                 .loads_ = loads,
                                 .most_ = most,
                                 .begin_ = begin};
    cargo->tail_ = &cargo->first_;
    for (size_t i = loads.count; i-- > 0;) {
        struct weft_load *load = (struct weft_load *)((char *)loads.first + i * loads.stride);
        load->cargo_ = cargo;
        load->first = NULL;
        load->count = 0;
        load->next_free_ = cargo->free_;
        cargo->free_ = load;
    }
    weft_handle_open_at(site, owner, &cargo->handle_, 0, cargo);
    return 0;
}

int weft_cargo_close(struct weft_cargo *cargo)
{
    if (cargo->owner_ == NULL)
        return 0;
    if (cargo->waiting != 0 || cargo->running != 0)
        return UV_EBUSY;
    if (cargo->scheduled_) /* for items that were cancelled since */
        weft__queue_call_off(&cargo->turn_);
    cargo->scheduled_ = false;
    weft_handle_close(&cargo->handle_);
    cargo->owner_ = NULL;
    return 0;
}
