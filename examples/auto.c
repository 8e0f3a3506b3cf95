/* auto: tasks that wait for one another.
 *
 * The table says what each task needs. What can run at the same time does, and nobody writes down
 * an order. A circle in the table is found before anything begins. (The minutes are virtual, see
 * weft_sim_go: dinner takes no time.) */
#include <weft.h>
#include <weft/sim.h>

enum { SHOP, HEAT, KNEAD, BAKE, LAY, EAT, TASKS, MINUTE = 60 * 1000 };

static const struct {
    const char *name;
    unsigned minutes;
} jobs[TASKS] = {{"shop", 30}, {"heat the oven", 20}, {"knead", 40},
                 {"bake", 60}, {"lay the table", 5},  {"eat", 30}};
static struct weft_sleep work[TASKS];

static void task(struct weft_op *op)
{
    size_t number = weft_index(op);
    uint64_t now = weft_now(weft_loop_of(op));
    printf("%3u minutes: %s\n", (unsigned)(now / MINUTE), jobs[number].name);
    weft_sleep(op, &work[number], jobs[number].minutes * MINUTE, weft_pass);
}

static const struct weft_auto_task dinner[TASKS] = {
    [SHOP] = {.begin = task}, /* these two need nothing */
    [HEAT] = {.begin = task},
    [KNEAD] = {.begin = task, WEFT_AFTER(SHOP)},
    [BAKE] = {.begin = task, WEFT_AFTER(KNEAD, HEAT)},
    [LAY] = {.begin = task, WEFT_AFTER(SHOP)},
    [EAT] = {.begin = task, WEFT_AFTER(BAKE, LAY)},
};
static const struct weft_auto_task impossible[] = {
    [SHOP] = {.begin = task, WEFT_AFTER(BAKE)}, /* bread first */
    [HEAT] = {.begin = task},
    [KNEAD] = {.begin = task, WEFT_AFTER(SHOP)},
    [BAKE] = {.begin = task, WEFT_AFTER(KNEAD, HEAT)},
};
static struct weft_op app;
static struct weft_auto graph;
static struct weft_auto_node nodes[TASKS];

static void dine(struct weft_op *op)
{
    weft_auto(op, &graph, dinner, nodes, UINT_MAX, weft_pass);
}

static void try_the_impossible(struct weft_op *op)
{
    weft_auto(op, &graph, impossible, nodes, UINT_MAX, weft_pass);
}

int main(void)
{
    int status = weft_sim_go(&app, dine, 0);
    int refused = weft_sim_go(&app, try_the_impossible, 0);
    printf("and the other: %s, one is \"%s\"\n", weft_strerror(refused), jobs[graph.culprit].name);
    return status != 0 || refused != WEFT_ECYCLE;
}
