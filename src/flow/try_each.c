/* Try each: one way after the other, each in the same op, until one of them succeeds. The op's
 * index says which way it is on. */
#include "steps.h"

static void attempt_over(struct weft_op *op, struct weft_op *attempt);

static void try_way(struct weft_try_each *ways, size_t number)
{
    const struct weft_site *site =
        ways->attempt_site_ != NULL ? ways->attempt_site_ : ways->op.site_;
    ways->attempt.place_.index = number;
    weft_run_at(site, &ways->op, &ways->attempt, ways->ways.list[number], attempt_over);
}

static void attempt_over(struct weft_op *op, struct weft_op *attempt)
{
    struct weft_try_each *ways = weft_owner(op, struct weft_try_each, op);
    size_t number = weft_index(attempt);
    bool last = attempt->status == 0 || number + 1 == ways->ways.count;
    if (!last && !weft_cancelled(op)) {
        try_way(ways, number + 1);
        return;
    }
    if (attempt->status == 0 && !weft_cancelled(op))
        ways->won = number;
    weft_end(op, last ? attempt->status : op->reason_);
}

void weft_try_each_begin(struct weft_op *op)
{
    struct weft_try_each *ways = weft_owner(op, struct weft_try_each, op);
    ways->won = WEFT_NONE;
    if (ways->ways.count == 0 || !weft__steps_valid(&ways->ways)) {
        weft_finish(op, UV_EINVAL);
        return;
    }
    try_way(ways, 0);
}

void weft_try_each_at(const struct weft_site *site, const struct weft_site *attempt_site,
                      struct weft_op *parent, struct weft_try_each *try_each,
                      struct weft_step_list ways, weft_then_fn *then)
{
    op_check_start(parent, &try_each->op);
    try_each->ways = ways;
    try_each->won = WEFT_NONE;
    try_each->attempt_site_ = attempt_site;
    weft_run_at(site, parent, &try_each->op, weft_try_each_begin, then);
}
