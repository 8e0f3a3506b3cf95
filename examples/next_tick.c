/* next_tick: a resource is not complete when it begins: look it up on the next tick.
 *
 * A hook's init comes while the thing is still being made: a listener has no address yet. Its id
 * is enough to find it again. On the next tick it is whole, or it is over and there is nothing to
 * find; an id is never used twice, so it cannot lead to anything else. What a hook begins is seen
 * by no hook: the tick below does not ask for another one. */
#include <weft.h>
#include <weft/hook.h>

enum { LOOKS = 8 };
static struct look {
    struct weft_op op;
    uint64_t id;
} looks[LOOKS];
static int count;

static void show(const char *when, uint64_t id)
{
    struct weft_resource found;
    if (weft_resource_by_id(id, &found) != 0) {
        printf("%s: it is over\n", when);
        return;
    }
    const struct weft_listen *listen =
        weft_owner((struct weft_op *)found.resource, struct weft_listen, op);
    printf("%s: a %s, %s, %s\n", when, found.site->type,
           found.state == WEFT_INCOMPLETE ? "incomplete" : "open",
           weft_address_port(&listen->address) == 0 ? "without a port" : "with a port");
}

static void next_tick(struct weft_op *root, struct weft_op *tick)
{
    (void)root;
    show("on the next tick", weft_owner(tick, struct look, op)->id);
}

static void init(struct weft_hook *hook, uint64_t id, const struct weft_site *site, uint64_t parent,
                 void *resource)
{
    struct look *look = &looks[count++];
    (void)site, (void)parent, (void)resource;
    show("in init", id);
    look->id = id;
    weft_tick(weft_root(hook->context), &look->op, next_tick);
}

static struct weft_hook hook = {.init = init, .groups = WEFT_NET};
static struct weft_listen listener;
static struct weft_sleep rest;

static void rested(struct weft_op *op, struct weft_op *child)
{
    (void)op, (void)child;
    weft_listen_close(&listener);
}

static void begin(struct weft_op *op)
{
    struct weft_address address;
    weft_address_parse(&address, "127.0.0.1:0");
    hook.context = weft_loop_of(op);
    weft_hook_enable(hook.context, &hook);
    weft_listen(op, &listener, &address, NULL);
    weft_sleep(op, &rest, 5, rested);
    weft_join(op);
}

int main(void)
{
    struct weft_op app = {0};
    int status = weft_go(&app, begin);
    show("at the end", looks[0].id);
    return status != 0;
}
