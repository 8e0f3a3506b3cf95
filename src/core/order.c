/* The order of the ready queue. Any order is legal (rule 3), so a test may ask for a bad one: under
 * a seed an op joins at either end, and the queue turns a few places now and then. From these two
 * every order can come out. */
#include "op.h"
#include "sim.h"

uint64_t weft__random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15U; /* splitmix64: any state will do, also 0 */
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

uint64_t weft__loop_random(struct weft_loop *loop)
{
    return weft__random(loop->sim_ != NULL ? &loop->sim_->random_ : &loop->random_);
}

static void put_front(struct weft_loop *loop, struct weft_op *op)
{
    op->wait_ = loop->ready_;
    if (op->wait_ == NULL)
        loop->ready_tail_ = &op->wait_;
    loop->ready_ = op;
}

static void put_shuffled(struct weft_loop *loop, struct weft_op *op)
{
    uint64_t dice = weft__random(&loop->shuffle_);
    if (loop->shuffle_ == 0)
        loop->shuffle_ = 1; /* 0 would mean "not shuffled" */
    if (dice & 1)
        put_front(loop, op);
    else
        ready_append(loop, op);
    for (unsigned turns = (dice >> 1) & 3; turns > 0 && loop->ready_->wait_ != NULL; turns--) {
        struct weft_op *first = loop->ready_;
        loop->ready_ = first->wait_;
        ready_append(loop, first);
    }
}

void weft__ready_put_rarely(struct weft_loop *loop, struct weft_op *op)
{
    if (loop->shuffle_ != 0)
        put_shuffled(loop, op);
    else
        ready_append(loop, op);
    if (!loop->awake_)
        weft__wake(loop);
}

void weft_loop_shuffle(struct weft_loop *loop, uint64_t seed)
{
    loop->shuffle_ = seed;
}
