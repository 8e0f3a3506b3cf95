/* injected: a component that has to be connected first, and is handed over when it is.
 *
 * Nobody checks anything: the rest of the program is begun by the then of the connection, and what
 * needs the database is given one that is connected. Who begins what, and when, has moved one level
 * up; with ten components it is a level of its own. And until then nothing is served at all. */
#include <weft.h>
#include <weft/sim.h>

struct db {
    struct weft_op op;
    struct weft_sleep handshake;
    int port;
};
struct finder { /* works with a database that is connected, and knows no other */
    struct weft_op op;
    struct weft_sleep work;
    const struct db *db;
    const char *type;
};
static struct weft_op app;
static struct db db = {.port = 5432};
static struct finder finders[] = {{.type = "books"}, {.type = "games"}};

static void found(struct weft_op *op, struct weft_op *work)
{
    struct finder *finder = weft_owner(op, struct finder, op);
    printf("%3u ms: all %s are found, on port %d\n", (unsigned)weft_now(weft_loop_of(op)),
           finder->type, finder->db->port);
    weft_finish(op, work->status);
}

static void find_all(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct finder, op)->work, 5, found);
}

static void start_the_rest(struct weft_op *op, struct weft_op *connection)
{
    if (connection->status != 0) {
        weft_finish(op, connection->status);
        return;
    }
    printf("%3u ms: connected, the rest can start\n", (unsigned)weft_now(weft_loop_of(op)));
    for (int i = 0; i < 2; i++) {
        finders[i].db = weft_owner(connection, struct db, op);
        weft_run(op, &finders[i].op, find_all, NULL);
    }
    weft_join(op);
}

static void connect_db(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct db, op)->handshake, 100, weft_pass);
}

static void begin(struct weft_op *op)
{
    puts("  0 ms: connecting");
    weft_run(op, &db.op, connect_db, start_the_rest);
}

int main(void)
{
    return weft_sim_go(&app, begin, 0) != 0;
}
