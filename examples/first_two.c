/* first_two: five are asked, and the first two answers are enough.
 *
 * A race of which two are wanted. weft_race_any counts only who succeeds: the quickest of all fails
 * and wins nothing. When the second has come in the others are cancelled. (weft_sim_go is weft_go
 * on a virtual clock, so that who is quick does not depend on your machine.) */
#include <weft.h>
#include <weft/sim.h>

enum { SERVERS = 5, WANTED = 2 };

struct server {
    struct weft_op op;
    struct weft_sleep work;
    const char *name;
    uint64_t ms;
    bool broken;
};
static struct server servers[SERVERS] = {{.name = "Oslo", .ms = 3600 * 1000},
                                         {.name = "Rome", .ms = 80},
                                         {.name = "Bonn", .ms = 5, .broken = true},
                                         {.name = "Nice", .ms = 20},
                                         {.name = "Cork", .ms = 3600 * 1000}};

static void answered(struct weft_op *op, struct weft_op *work)
{
    bool broken = weft_owner(op, struct server, op)->broken;
    weft_finish(op, work->status == 0 && broken ? UV_EIO : work->status);
}

static void ask(struct weft_op *op)
{
    struct server *server = weft_owner(op, struct server, op);
    weft_sleep(op, &server->work, server->ms, answered);
}

static void ask_all(struct weft_op *race)
{
    for (int i = 0; i < SERVERS; i++)
        weft_run(race, &servers[i].op, ask, weft_race_any);
}

int main(void)
{
    struct weft_race race = {.starters = ask_all, .wanted = WANTED};
    int status = weft_sim_go(&race.op, weft_race_begin, 0);
    printf("%u of %d came in\n", race.places, SERVERS);
    for (int i = 0; i < SERVERS; i++) {
        struct weft_op *op = &servers[i].op;
        if (op->status == 0)
            printf("%s: number %zu\n", servers[i].name, weft_index(op) + 1);
        else
            printf("%s: %s\n", servers[i].name, weft_strerror(op->status));
    }
    return status != 0;
}
