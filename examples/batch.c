/* batch: requests that ask for the same thing at the same time share one load.
 *
 * Ten requests ask for the total sales of books, one each 200 ms. To answer, all sales have to be
 * looked through. The first one to ask starts that; whoever asks for the same item while it is under
 * way joins, and all of them are told together, on a later turn.
 *
 * The slower the scan, the more join it; a fast one is joined by nobody. Nothing is kept when it is
 * over: for that there is the cache. */
#include <weft.h>
#include <weft/sim.h>

enum { REQUESTS = 10, EACH_MS = 200 };

struct total { /* one load; the library makes it, with the key in flight.key */
    struct weft_flight flight;
    struct weft_sleep scan;
};
struct request {
    struct weft_op op;
    struct weft_sleep before;
    struct weft_batch_ask ask;
};
static struct weft_batch totals;
static struct request requests[REQUESTS];
static uint64_t scan_ms, waited_ms;

static void scanned(struct weft_op *op, struct weft_op *scan)
{
    struct total *total = weft_owner(op, struct total, flight.promise.op);
    int sum = 1230;
    (void)scan;
    weft_flight_answer(&total->flight, &sum, sizeof sum); /* copied; any bytes will do */
}

static void total_begin(struct weft_op *op) /* once, however many ask */
{
    weft_sleep(op, &weft_owner(op, struct total, flight.promise.op)->scan, scan_ms, scanned);
}

static void answered(struct weft_op *op, struct weft_op *ask)
{
    struct request *request = weft_owner(op, struct request, op);
    int sum = 0;
    if (ask->status == 0)
        memcpy(&sum, request->ask.value.data, sizeof sum);
    waited_ms += weft_now(weft_loop_of(op)) - (uint64_t)(request - requests) * EACH_MS;
    weft_finish(op, sum == 1230 ? ask->status : UV_EPROTO);
}

static void ask(struct weft_op *op, struct weft_op *before)
{
    struct request *request = weft_owner(op, struct request, op);
    (void)before;
    weft_batch_ask(op, &request->ask, &totals, weft_text_of("book"), answered);
}

static void request_begin(struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, op);
    weft_sleep(op, &request->before, (uint64_t)(request - requests) * EACH_MS, ask);
}

static void begin(struct weft_op *op)
{
    totals = (struct weft_batch){
        .owner = op, .load = total_begin, .flight_size = WEFT_FLIGHT(struct total, flight)};
    int err = weft_batch_open(&totals);
    for (int i = 0; err == 0 && i < REQUESTS; i++)
        weft_run(op, &requests[i].op, request_begin, NULL);
    if (err != 0)
        weft_finish(op, err);
    else
        weft_join(op);
}

int main(void)
{
    static const uint64_t times[] = {2000, 1000, 500, 250, 150};
    printf("a scan takes   scans   joined   mean answer\n");
    for (int i = 0; i < 5; i++) {
        struct weft_op app = {0};
        scan_ms = times[i];
        waited_ms = 0;
        if (weft_sim_go(&app, begin, 0) != 0 || weft_batch_close(&totals) != 0)
            return 1; /* on a virtual clock */
        printf("%9d ms %7d %8d %10d ms\n", (int)scan_ms, (int)totals.loads, (int)totals.joined,
               (int)waited_ms / REQUESTS);
    }
    return 0;
}
