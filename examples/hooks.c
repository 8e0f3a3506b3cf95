/* hooks: what runs, how often and for how long, by type.
 *
 * A hook is told when something asynchronous is begun, before and after its callback, and when it
 * is over. It need not know the program: here is a whole profile in three small functions, which
 * are told of the program's own operations and of timers. A page's time is what it waited in the
 * queue as well: six pages of 25 ms, two at once. A function that is about to run has a name. */
#include <weft.h>
#include <weft/hook.h>
#include <weft/sim.h>

enum { TYPES = 16, RUNNING = 64, PAGES = 6 };

/* ---- the profile ---------------------------------------------------------------------------- */

static struct row {
    const char *type;
    int count, ms;
} rows[TYPES];
static struct {
    uint64_t id, since;
    struct row *row;
} running[RUNNING];
static struct weft_loop *loop;
static weft_entry_fn *first;

static void begun(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                  uint64_t parent, void *resource)
{
    int row = 0, place = 0;
    (void)hook, (void)parent, (void)resource;
    while (rows[row].type != NULL && strcmp(rows[row].type, site->type) != 0)
        row++;
    while (running[place].id != 0)
        place++;
    rows[row].type = site->type;
    rows[row].count++;
    running[place].id = id;
    running[place].row = &rows[row];
    running[place].since = weft_now(loop);
}

static void over(struct weft_hook *hook, uint64_t id)
{
    int place = 0;
    (void)hook;
    while (running[place].id != id)
        place++;
    running[place].row->ms += (int)(weft_now(loop) - running[place].since);
    running[place].id = 0;
}

static void runs(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    (void)hook, (void)id;
    first = first != NULL ? first : entry;
}

static struct weft_hook profile = {
    .init = begun, .pre = runs, .destroy = over, .groups = WEFT_USER | WEFT_TIMER};

/* ---- the program ---------------------------------------------------------------------------- */

static struct page {
    struct weft_op op;
    struct weft_sleep download, parse;
} pages[PAGES];
static struct weft_queue queue;

static void parse(struct weft_op *op, struct weft_op *download)
{
    (void)download;
    weft_sleep(op, &weft_owner(op, struct page, op)->parse, 5, weft_pass);
}

static void page(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct page, op)->download, 20, parse);
}

static void begin(struct weft_op *op)
{
    loop = weft_loop_of(op);
    weft_hook_enable(loop, &profile);
    weft_queue_init(&queue, loop, 2);
    for (int i = 0; i < PAGES; i++)
        weft_queue_push(&queue, op, &pages[i].op, page, NULL);
    weft_join(op);
}

int main(void)
{
    struct weft_op app = {0};
    int status = weft_sim_go(&app, begin, 0);
    char name[64];
    for (int row = 0; rows[row].type != NULL; row++)
        printf("%-6s %2d, %3d ms in all\n", rows[row].type, rows[row].count, rows[row].ms);
    printf("%s() ran first\n", weft_function_name(first, name, sizeof name));
    return status != 0;
}
