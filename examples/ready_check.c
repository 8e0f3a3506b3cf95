/* ready_check: a component that has to be connected first, and a check at each call.
 *
 * A database can be asked when it is connected, which takes a while. Here everybody who asks looks
 * first: if it is connected the query runs, otherwise the connection is awaited and the query runs
 * then. It works, and it is the same few lines in front of every query there will ever be: forget
 * them once, and it fails only if somebody asks early. See lazy for those lines written once. */
#include <weft.h>
#include <weft/sim.h>

struct db {
    struct weft_promise connection;
    struct weft_sleep handshake;
    bool connected;
};
struct query {
    struct weft_op op;
    struct weft_sleep before, work;
    struct weft_await await;
    const char *type;
    uint64_t comes_ms;
};
static struct weft_op app;
static struct db db;
static struct query queries[] = {{.type = "books", .comes_ms = 10},
                                 {.type = "games", .comes_ms = 20},
                                 {.type = "songs", .comes_ms = 500}};

static void connected(struct weft_op *op, struct weft_op *handshake)
{
    db.connected = handshake->status == 0;
    weft_finish(op, handshake->status);
}

static void connect_db(struct weft_op *op)
{
    weft_sleep(op, &db.handshake, 100, connected);
}

static void found(struct weft_op *op, struct weft_op *work)
{
    struct query *query = weft_owner(op, struct query, op);
    printf("%3u ms: all %s are found\n", (unsigned)weft_now(weft_loop_of(op)), query->type);
    weft_finish(op, work->status);
}

static void find(struct query *query)
{
    weft_sleep(&query->op, &query->work, 5, found);
}

static void ready(struct weft_op *op, struct weft_op *await)
{
    if (await->status != 0)
        weft_finish(op, await->status);
    else
        find(weft_owner(op, struct query, op));
}

static void find_all(struct weft_op *op, struct weft_op *before)
{
    struct query *query = weft_owner(op, struct query, op);
    (void)before;
    printf("%3u ms: somebody asks for %s\n", (unsigned)weft_now(weft_loop_of(op)), query->type);
    if (db.connected)
        find(query);
    else
        weft_await(op, &query->await, &db.connection, ready);
}

static void come(struct weft_op *op)
{
    struct query *query = weft_owner(op, struct query, op);
    weft_sleep(op, &query->before, query->comes_ms, find_all);
}

static void begin(struct weft_op *op)
{
    weft_promise(op, &db.connection, connect_db);
    for (int i = 0; i < 3; i++)
        weft_run(op, &queries[i].op, come, NULL);
    weft_join(op);
}

int main(void)
{
    int status = weft_sim_go(&app, begin, 0);
    return status != 0 || weft_promise_close(&db.connection) != 0;
}
