/* happy: addresses of IPv6 and IPv4 race for a connection, and the losers leave no socket behind.
 *
 * The host is this program. It listens on 127.0.0.1 only; its other addresses refuse, or are not
 * there. An attempt is an op of its own with its stream below it: weft_end closes the stream,
 * whether it won or lost. All go through the lane of the host. With a place for each, all are tried
 * at once. With one place they are tried in turn: the race is over when one is connected, the next
 * in line has just begun and is cancelled, and the others never begin.
 * (weft_connect does this for a name. This is how to build what it does not do.) */
#include <weft.h>

static const char *const addresses[] = {"[::1]:0", "127.0.0.1:0", "127.0.0.2:0", "127.0.0.3:0"};
enum { ADDRESSES = sizeof addresses / sizeof addresses[0] };

struct attempt {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_connect connect;
    struct weft_address to;
    bool begun;
};

struct app {
    struct weft_op op;
    struct weft_listen server;
    struct weft_series rounds;
    struct weft_queue queue;
    struct weft_lane lane; /* of the host; who asks many hosts has one for each */
    struct weft_race race;
    struct attempt attempts[ADDRESSES];
};

static void connected(struct weft_op *op, struct weft_op *connect)
{
    weft_end(op, connect->status); /* weft_finish would leave the stream open: rule 2 */
}

static void attempt(struct weft_op *op)
{
    struct attempt *a = weft_owner(op, struct attempt, op);
    a->begun = true;
    weft_stream_open(op, &a->stream, NULL);
    weft_connect_address(op, &a->connect, &a->stream, &a->to, connected);
}

static void line_up(struct weft_op *race)
{
    struct app *app = weft_owner(race, struct app, race.op);
    for (int i = 0; i < ADDRESSES; i++) {
        struct attempt *a = &app->attempts[i];
        a->begun = false;
        weft_address_parse(&a->to, addresses[i]);
        weft_address_set_port(&a->to, weft_address_port(&app->server.address));
        weft_lane_push(&app->lane, race, &a->op, attempt, weft_race_any);
    }
}

static void over(struct weft_op *rounds, struct weft_op *race)
{
    struct app *app = weft_owner(rounds, struct app, rounds.op);
    struct attempt *won =
        race->status == 0 ? weft_owner(app->race.winner, struct attempt, op) : NULL;
    bool reached = won != NULL && weft_address_equal(&won->to, &app->server.address);
    int begun = 0;
    for (int i = 0; i < ADDRESSES; i++)
        begun += app->attempts[i].begun;
    printf("%u at once: %s, %d tried, %d never begun\n", app->lane.limit,
           reached ? "127.0.0.1 is connected" : weft_strerror(race->status), begun,
           ADDRESSES - begun);
}

static void all_at_once(struct weft_op *rounds)
{
    weft_race(rounds, &weft_owner(rounds, struct app, rounds.op)->race, line_up, over);
}

static void in_turn(struct weft_op *rounds)
{
    weft_lane_limit(&weft_owner(rounds, struct app, rounds.op)->lane, 1);
    all_at_once(rounds);
}

static void begin(struct weft_op *op)
{
    struct app *app = weft_owner(op, struct app, op);
    weft_address_parse(&app->server.address, "127.0.0.1:0");
    weft_listen(op, &app->server, &app->server.address, NULL); /* the kernel chooses the port */
    weft_queue_init(&app->queue, weft_loop_of(op), 16);
    weft_lane_init(&app->lane, &app->queue, ADDRESSES, WEFT_RANK_NORMAL);
    weft_series(op, &app->rounds, weft_pass, all_at_once, in_turn);
}

int main(void)
{
    static struct app app;
    return weft_go(&app.op, begin) != 0;
}
