/* lazy: a component that has to be connected first, used as if it always were.
 *
 * Calls go through a lazy. Before the connection is there they wait in line; when it is they are
 * begun in their order; from then on each goes straight through. The first connection fails: all who
 * wait are told, and the next call tries again. Two ask for the connection itself: there is one. */
#include <weft.h>
#include <weft/sim.h>

struct db {
    struct weft_lazy lazy;
    struct weft_sleep handshake;
    int attempts;
};
struct query {
    struct weft_op op;
    struct weft_sleep work;
    const char *type;
};
static struct weft_op app;
static struct db db;
static struct weft_lazy_init inits[2];
static struct weft_sleep pauses[2];
static struct query queries[] = {{.type = "books"}, {.type = "games"}, {.type = "songs"}};

#define say(op, ...) (printf("%3u ms: ", (unsigned)weft_now(weft_loop_of(op))), printf(__VA_ARGS__))

static void connected(struct weft_op *op, struct weft_op *handshake)
{
    int status = handshake->status == 0 && db.attempts == 1 ? UV_ECONNREFUSED : handshake->status;
    say(op, "attempt %d: %s\n", db.attempts, status == 0 ? "connected" : weft_strerror(status));
    weft_finish(op, status);
}

static void connect_db(struct weft_op *op)
{
    db.attempts++;
    weft_sleep(op, &db.handshake, 100, connected);
}

static void find(struct weft_op *op)
{
    struct query *query = weft_owner(op, struct query, op);
    say(op, "finding %s\n", query->type);
    weft_sleep(op, &query->work, 5, weft_pass);
}

static void found(struct weft_op *op, struct weft_op *child)
{
    struct query *query = weft_owner(child, struct query, op);
    say(op, "%s: %s\n", query->type, child->status == 0 ? "found" : weft_strerror(child->status));
}

static void is_up(struct weft_op *op, struct weft_op *init)
{
    say(op, "somebody is told that it is up: %s\n", init->status == 0 ? "yes" : "no");
}

static void ask_all(struct weft_op *op, const char *when)
{
    say(op, "three ask, %s\n", when);
    for (int i = 0; i < 3; i++)
        weft_lazy_run(op, &queries[i].op, &db.lazy, find, found);
}

static void ask_when_it_is_up(struct weft_op *op, struct weft_op *pause)
{
    (void)pause;
    ask_all(op, "and find it ready");
}

static void ask_again(struct weft_op *op, struct weft_op *pause)
{
    (void)pause;
    for (int i = 0; i < 2; i++)
        weft_lazy_init(op, &inits[i], &db.lazy, is_up);
    ask_all(op, "too early again");
    weft_sleep(op, &pauses[1], 200, ask_when_it_is_up);
}

static void begin(struct weft_op *op)
{
    db.lazy = (struct weft_lazy){.owner = op, .begin = connect_db};
    weft_lazy_open(&db.lazy);
    ask_all(op, "too early");
    weft_sleep(op, &pauses[0], 200, ask_again);
    weft_join(op);
}

int main(void)
{
    int status = weft_sim_go(&app, begin, 0);
    return status != 0 || weft_lazy_close(&db.lazy) != 0;
}
