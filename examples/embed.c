/* embed: what a foreign library does is seen, too.
 *
 * "bell" stands for a library of somebody else's that calls back whenever it likes. A handle in the
 * struct around it makes it a resource, with an id, a type and a parent; weft_handle_enter and
 * weft_leave around the callback say when it runs and on whose behalf. Six lines, and hooks, traces
 * and long stacks know of it. While no hook is enabled they cost a test each. */
#include <weft.h>
#include <weft/hook.h>

/* ---- the foreign library: it knows nothing of weft ------------------------------------------ */

struct bell {
    uv_timer_t timer;
    void (*ring)(struct bell *bell);
};

static void bell_due(uv_timer_t *timer)
{
    struct bell *bell = timer->data;
    bell->ring(bell);
}
static void bell_open(struct bell *bell, uv_loop_t *uv, void (*ring)(struct bell *bell))
{
    bell->ring = ring;
    uv_timer_init(uv, &bell->timer);
    bell->timer.data = bell;
    uv_timer_start(&bell->timer, bell_due, 1, 1);
}

/* ---- the wrapping --------------------------------------------------------------------------- */

struct house {
    struct weft_op op;
    struct bell bell;
    struct weft_handle handle;
    struct weft_op visits[2];
    int rings;
};

static void house_closed(uv_handle_t *timer)
{
    weft_join(&weft_owner((uv_timer_t *)timer, struct house, bell.timer)->op);
}

static void open_the_door(struct house *house)
{
    weft_tick(&house->op, &house->visits[house->rings++], NULL);
    if (house->rings == 2) {
        uv_close((uv_handle_t *)&house->bell.timer, house_closed);
        weft_handle_close(&house->handle);
    }
}

static void house_rings(struct bell *bell)
{
    struct house *house = weft_owner(bell, struct house, bell);
    struct weft_frame frame;
    weft_handle_enter(&frame, &house->handle, (weft_entry_fn *)open_the_door);
    open_the_door(house);
    weft_leave(&frame);
}

/* ---- somebody looks ------------------------------------------------------------------------- */

static uint64_t bell_id;
static void init(struct weft_hook *hook, uint64_t id, const struct weft_site *site, uint64_t parent,
                 void *resource)
{
    (void)hook, (void)parent, (void)resource;
    if (site->group & WEFT_HANDLE)
        bell_id = id;
    printf("%s begins%s\n", site->type, weft_current_id() == bell_id ? ", by the bell" : "");
}
static void pre(struct weft_hook *hook, uint64_t id, weft_entry_fn *entry)
{
    (void)hook;
    if (entry == (weft_entry_fn *)open_the_door)
        printf("%s rings\n", id == bell_id ? "the bell" : "something");
}
static void destroy(struct weft_hook *hook, uint64_t id)
{
    (void)hook;
    printf("%s", id == bell_id ? "the bell is gone\n" : "");
}
static struct weft_hook hook = {.init = init, .pre = pre, .destroy = destroy, .groups = WEFT_USER};

static void begin(struct weft_op *op)
{
    struct house *house = weft_owner(op, struct house, op);
    weft_hook_enable(weft_loop_of(op), &hook);
    weft_handle_open(op, &house->handle, 0, "bell", WEFT_USER, &house->bell);
    bell_open(&house->bell, weft_loop_of(op)->uv, house_rings);
}

int main(void)
{
    static struct house house;
    return weft_go(&house.op, begin) != 0;
}
