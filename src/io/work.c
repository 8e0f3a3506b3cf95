/* Work on the thread pool: a function of the caller's there, its status back.
 *
 * Always awaited: the thread works in the caller's struct, which is given back only when the thread
 * is through with it. That is also why nothing is allocated. (A hop, which may be left behind, is
 * the other way: see hop.c.)
 *
 * A visit is a list of works: one, or those of a crew that go together. The first one's request
 * takes all of them there and back. A work is in exactly one list from its begin to its finish: the
 * crew's, while it waits (link_ is set), or that of its visit.
 *
 *     begin ──► wait ──tick, or a visit is back──► there: function, function, … ──► back ──► finish
 *                └── cancel: finish */
#include "weft/work.h"
#include "core/observe.h"
#include "trace/brackets.h"
#include "weft/loop.h"

static struct weft_work *work_of(uv_work_t *request)
{
    return weft_owner(request, struct weft_work, request_);
}

bool weft_work_stopped(const struct weft_work *work)
{
    return __atomic_load_n(&work->stop_, __ATOMIC_RELAXED) != 0;
}

static void send_crew(struct weft_crew *crew);

/* ---- a visit -------------------------------------------------------------------------------- */

static int call(struct weft_work *work)
{
    const uint64_t *id = work->request_.data;
    if (likely(!trace_on() || id == NULL))
        return work->function(work);
    weft__trace_work(*id, (weft_entry_fn *)work->function);
    int status = work->function(work);
    weft__trace_worked(*id);
    return status;
}

/* The thread gets the context of the op's begin along: the op's own the loop may change meanwhile. */
static int call_in_context(struct weft_work *work)
{
    const uint64_t *id = work->request_.data;
    weft__visit = (struct weft_visit){&work->op, id != NULL ? *id : 0, work->context_};
    int status = call(work);
    weft__visit = (struct weft_visit){0};
    return status;
}

static void let_go_of_context(struct weft_work *work)
{
    if (unlikely(work->context_ != NULL))
        weft__context_drop(work->context_);
    work->context_ = NULL;
}

static void there(uv_work_t *request)
{
    for (struct weft_work *work = work_of(request); work != NULL; work = work->next_)
        work->status_ = weft_work_stopped(work) ? UV_ECANCELED : call_in_context(work);
}

static void finish(struct weft_work *work, int status)
{
    let_go_of_context(work);
    if (status == UV_ECANCELED && weft_cancelled(&work->op) != 0)
        status = weft_cancelled(&work->op);
    weft_finish(&work->op, status);
}

static void back(uv_work_t *request, int err)
{
    struct weft_work *work = work_of(request), *next;
    struct weft_crew *crew = work->crew;
    for (; work != NULL; work = next) {
        next = work->next_; /* what is finished is the caller's */
        finish(work, err != 0 ? err : work->status_);
    }
    if (crew == NULL)
        return;
    crew->visits--;
    send_crew(crew);
}

/* From here on every work of the list finishes. */
static void visit(struct weft_work *first)
{
    int err = uv_queue_work(first->op.loop_->uv, &first->request_, there, back);
    if (err == 0)
        return;
    for (struct weft_work *work = first; work != NULL; work = work->next_)
        work->status_ = err;
    back(&first->request_, 0);
}

/* ---- a crew --------------------------------------------------------------------------------- */

static void wait(struct weft_crew *crew, struct weft_work *work)
{
    if (crew->first_ == NULL)
        crew->tail_ = &crew->first_;
    work->link_ = crew->tail_;
    *crew->tail_ = work;
    crew->tail_ = &work->next_;
    crew->waiting++;
}

static void leave(struct weft_crew *crew, struct weft_work *work)
{
    *work->link_ = work->next_;
    if (work->next_ != NULL)
        work->next_->link_ = work->link_;
    else
        crew->tail_ = work->link_;
    work->link_ = NULL;
    work->next_ = NULL;
    crew->waiting--;
}

/* Cut off the first works of the line. */
static struct weft_work *take_some(struct weft_crew *crew)
{
    struct weft_work *first = crew->first_, *last = first;
    for (int count = 1;; count++) {
        last->link_ = NULL;
        crew->waiting--;
        if (count == WEFT_CREW_WORKS || last->next_ == NULL)
            break;
        last = last->next_;
    }
    crew->first_ = last->next_;
    if (crew->first_ != NULL)
        crew->first_->link_ = &crew->first_;
    last->next_ = NULL;
    return first;
}

static bool may_visit(const struct weft_crew *crew)
{
    if (crew->visits == 0)
        return crew->waiting > 0;
    return crew->visits < WEFT_CREW_VISITS && crew->waiting >= WEFT_CREW_WORKS;
}

static void send_crew(struct weft_crew *crew)
{
    while (may_visit(crew)) {
        crew->visits++;
        visit(take_some(crew));
    }
}

static void ticked(struct weft_op *parent, struct weft_op *tick)
{
    (void)parent;
    struct weft_crew *crew = weft_owner(tick, struct weft_crew, tick_);
    crew->ticking_ = false;
    send_crew(crew);
}

/* On the next turn, so that what is begun in this one goes together. */
static void join_crew(struct weft_crew *crew, struct weft_work *work)
{
    wait(crew, work);
    if (crew->ticking_)
        return;
    crew->ticking_ = true;
    weft_tick(weft_root(work->op.loop_), &crew->tick_, ticked);
}

/* ---- the op --------------------------------------------------------------------------------- */

static void work_cancel(struct weft_op *op, int reason)
{
    struct weft_work *work = weft_owner(op, struct weft_work, op);
    if (work->link_ != NULL) {
        leave(work->crew, work);
        finish(work, reason);
        return;
    }
    __atomic_store_n(&work->stop_, 1, __ATOMIC_RELAXED);
    if (work->crew == NULL)
        uv_cancel((uv_req_t *)&work->request_); /* back comes later in either case */
}

void weft_work_begin(struct weft_op *op)
{
    struct weft_work *work = weft_owner(op, struct weft_work, op);
    work->stop_ = 0;
    work->next_ = NULL;
    work->link_ = NULL;
    /* For the thread: one that has its id now keeps it. */
    work->request_.data = op->flags_ & OP_NAMED ? &op->id_ : NULL;
    if (work->function == NULL || weft_cancelled(op) != 0) {
        weft_finish(op, work->function == NULL ? UV_EINVAL : weft_cancelled(op));
        return;
    }
    work->context_ = weft__context_hold(op);
    weft_on_cancel(op, work_cancel);
    if (work->crew != NULL)
        join_crew(work->crew, work);
    else
        visit(work);
}

void weft_work_at(const struct weft_site *site, struct weft_op *parent, struct weft_work *work,
                  weft_work_fn *function, weft_then_fn *then)
{
    op_check_start(parent, &work->op);
    work->function = function;
    weft_run_at(site, parent, &work->op, weft_work_begin, then);
}
