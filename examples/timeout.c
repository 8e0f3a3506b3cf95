/* timeout: a job of three steps with a deadline, and one that is called off.
 *
 * No step knows of either. A deadline is a cancel that comes by itself: it goes down into the step
 * that is under way, those behind it are not begun, and the job's then is told why, once. (The
 * minutes are virtual: weft_sim_go is weft_go with a clock that jumps to where something happens.) */
#include <weft.h>
#include <weft/sim.h>

enum { MINUTE = 60 * 1000 };

struct dinner {
    struct weft_op op;
    struct weft_series steps;
    struct weft_sleep work, phone;
    struct weft_deadline deadline;
    unsigned cooking, patience, phone_rings; /* minutes */
};

static struct dinner *dinner_of(struct weft_op *steps)
{
    return weft_owner(steps, struct dinner, steps.op);
}

static void shop(struct weft_op *op)
{
    printf("shop, ");
    weft_sleep(op, &dinner_of(op)->work, 10 * MINUTE, NULL);
}

static void cook(struct weft_op *op)
{
    printf("cook, ");
    weft_sleep(op, &dinner_of(op)->work, dinner_of(op)->cooking * MINUTE, NULL);
}

static void eat(struct weft_op *op)
{
    printf("eat, ");
    weft_sleep(op, &dinner_of(op)->work, 10 * MINUTE, NULL);
}

static void dinner_over(struct weft_op *op, struct weft_op *steps)
{
    unsigned minutes = (unsigned)(weft_now(weft_loop_of(op)) / MINUTE);
    printf("over after %u minutes: %s\n", minutes, weft_strerror(steps->status));
    weft_end(op, 0); /* the phone need not ring any more */
}

static void call_off(struct weft_op *op, struct weft_op *phone)
{
    if (phone->status == 0)
        weft_cancel(&weft_owner(op, struct dinner, op)->steps.op, UV_ECANCELED);
}

static void dine(struct weft_op *op)
{
    struct dinner *dinner = weft_owner(op, struct dinner, op);
    weft_series(op, &dinner->steps, dinner_over, shop, cook, eat);
    weft_deadline(&dinner->steps.op, &dinner->deadline, dinner->patience * MINUTE);
    weft_sleep(op, &dinner->phone, dinner->phone_rings * MINUTE, call_off);
}

int main(void)
{
    struct dinner good = {.cooking = 60, .patience = 120, .phone_rings = 180};
    struct dinner slow = {.cooking = 120, .patience = 60, .phone_rings = 180};
    struct dinner short_one = {.cooking = 60, .patience = 120, .phone_rings = 30};
    return weft_sim_go(&good.op, dine, 0) != 0 || weft_sim_go(&slow.op, dine, 0) != 0 ||
           weft_sim_go(&short_one.op, dine, 0) != 0;
}
