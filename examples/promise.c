/* promise: one piece of work that many wait for, also those who come late.
 *
 * The forecast takes a second and is made once. Who asks while it is being made is told when it is
 * there; who asks a minute later is told, too, on a later turn, and it looks the same from where
 * she stands. Who loses patience leaves alone: the work would end only if nobody else waited. */
#include <weft.h>
#include <weft/sim.h>

struct forecast { /* what was promised stays in the struct around the promise */
    struct weft_promise promise;
    struct weft_sleep thinking;
    int degrees;
};
struct person {
    struct weft_op op;
    struct weft_sleep way;
    struct weft_await await;
    struct weft_deadline deadline;
    const char *name;
    uint64_t comes_ms, patience_ms;
};
static struct weft_op app;
static struct forecast forecast;
static struct person people[] = {{.name = "Ann", .comes_ms = 10, .patience_ms = 5000},
                                 {.name = "Ben", .comes_ms = 20, .patience_ms = 300},
                                 {.name = "Eve", .comes_ms = 60 * 1000, .patience_ms = 300}};

static void thought(struct weft_op *op, struct weft_op *thinking)
{
    forecast.degrees = 21;
    weft_finish(op, thinking->status);
}

static void think(struct weft_op *op)
{
    weft_sleep(op, &forecast.thinking, 1000, thought);
}

static void told(struct weft_op *op, struct weft_op *await)
{
    struct person *person = weft_owner(op, struct person, op);
    printf("%5u ms, %s: ", (unsigned)weft_now(weft_loop_of(op)), person->name);
    if (await->status == 0)
        printf("%d degrees\n", forecast.degrees);
    else
        printf("%s\n", weft_strerror(await->status));
    weft_finish(op, 0);
}

static void ask(struct weft_op *op, struct weft_op *way)
{
    struct person *person = weft_owner(op, struct person, op);
    (void)way;
    weft_await(op, &person->await, &forecast.promise, told);
    weft_deadline(&person->await.op, &person->deadline, person->patience_ms);
}

static void come(struct weft_op *op)
{
    struct person *person = weft_owner(op, struct person, op);
    weft_sleep(op, &person->way, person->comes_ms, ask);
}

static void begin(struct weft_op *op)
{
    weft_promise(op, &forecast.promise, think);
    for (int i = 0; i < 3; i++)
        weft_run(op, &people[i].op, come, NULL);
    weft_join(op);
}

int main(void)
{
    int status = weft_sim_go(&app, begin, 0); /* on a virtual clock: the minute takes no time */
    return status != 0 || weft_promise_close(&forecast.promise) != 0;
}
