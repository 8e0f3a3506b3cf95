/* cached: answers that are kept for a while.
 *
 * A total of sales is fresh for a second (ttl_ms). For half a second more it is served although it is
 * old, and loaded again behind the back of whoever asked (stale_ms): nobody waits for that.
 *
 * When something is sold the total should be forgotten. A load that is under way at that moment has
 * seen the old sales: who waits for it gets it, but it is never stored, and who asks later starts
 * another. */
#include <weft.h>
#include <weft/sim.h>

struct total {
    struct weft_flight flight;
    struct weft_sleep scan;
};
static const struct plan {
    uint64_t at_ms;
    int sold; /* 0: somebody asks for the total */
    bool forget;
    const char *text;
} plans[] = {
    {0, 0, false, "nothing is there yet"},
    {50, 0, false, "a load is under way"},
    {200, 0, false, "zero is a value, too"},
    {300, 5, false, "are sold, and nobody tells the cache"},
    {400, 0, false, "so the old total is good"},
    {1200, 0, false, "too old: refreshed behind our back"},
    {1400, 0, false, "the new one"},
    {1500, 2, true, "are sold, and the total is forgotten"},
    {1600, 0, false, "asked before the next sale"},
    {1650, 1, true, "is sold, in the middle of that load"},
    {1660, 0, false, "asked after it: a load of its own"},
    {1800, 0, false, "the 7 was never stored"},
};
enum { EVENTS = sizeof plans / sizeof plans[0] };
static struct event {
    struct weft_sleep before;
    struct weft_cache_get get;
} events[EVENTS];
static struct weft_cache cache;
static int sales;

static void total_begin(struct weft_op *op)
{
    struct total *total = weft_owner(op, struct total, flight.promise.op);
    /* What is sold from now on is not in it. It counts when the scan is over. */
    int err = weft_flight_set(&total->flight, &sales, sizeof sales);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_sleep(op, &total->scan, 100, weft_pass);
}

static void got(struct weft_op *op, struct weft_op *get)
{
    static const char *const hows[] = {"hit", "stale", "miss", "joined"};
    struct event *event = weft_owner(get, struct event, get.await.op);
    const struct plan *plan = &plans[event - events];
    int sum = -1;
    if (get->status == 0)
        memcpy(&sum, event->get.value.data, sizeof sum);
    printf("%4d ms, answer at %4d ms: %d (%s) %s\n", (int)plan->at_ms,
           (int)weft_now(weft_loop_of(op)), sum, hows[event->get.how], plan->text);
}

static void happen(struct weft_op *op, struct weft_op *before)
{
    struct event *event = weft_owner(before, struct event, before.op);
    const struct plan *plan = &plans[event - events];
    if (plan->sold == 0) {
        weft_cache_get(op, &event->get, &cache, weft_text_of("book"), got);
    } else {
        sales += plan->sold;
        if (plan->forget)
            weft_cache_forget(&cache, weft_text_of("book"));
        printf("%4d ms: %d %s\n", (int)plan->at_ms, plan->sold, plan->text);
    }
}

static void begin(struct weft_op *op)
{
    cache = (struct weft_cache){.owner = op, .load = total_begin, .ttl_ms = 1000, .stale_ms = 500};
    cache.flight_size = WEFT_FLIGHT(struct total, flight);
    int err = weft_cache_open(&cache);
    for (int i = 0; err == 0 && i < EVENTS; i++)
        weft_sleep(op, &events[i].before, plans[i].at_ms, happen);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_join(op);
}

int main(void)
{
    struct weft_op app = {0};
    int status = weft_sim_go(&app, begin, 0);
    /* All who asked ran below its owner, the app: so nothing of it is under way when that is over. */
    return status != 0 || weft_cache_close(&cache) != 0;
}
