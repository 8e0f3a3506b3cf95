/* Context against a model of it, under thousands of seeded schedules: trees of ops in which values
 * are set, taken away and inherited at any time, and ops end in any order.
 *
 * The model is the definition: an op has a copy of what its parent had when it was begun, but for
 * what was set on it since. A value is released, once, when no op is left that has it.
 * ctest: labels=model timeout=120 shuffle=no */
#include "core/op.h"
#include "model.h"
#include <string.h>
#include <weft/context.h>

enum { SCHEDULES = 3000, ACTIONS = 60, NODES = 12, KEYS = 3, ROOT = NODES };

static struct world w;
static struct dice dice;

/* Value number n is &tokens[n]; 0: none. */
static struct token {
    unsigned released;
} tokens[ACTIONS + 1];
static int issued;

static struct node {
    struct weft_op op;
    bool open, told; /* told: its then runs, so that it holds what it had, and shows nothing */
    int values[KEYS];
} nodes[NODES + 1]; /* the last one stands for the root */

static void token_release(void *value)
{
    ((struct token *)value)->released++;
}

static struct weft_key keys[KEYS] = {{.name = "a", .release = token_release},
                                     {.name = "b", .release = token_release},
                                     {.name = "c", .release = token_release}};

static struct weft_op *op_of(int node)
{
    return node == ROOT ? weft_root(&w.loop) : &nodes[node].op;
}

/* ---- do the two agree? ---------------------------------------------------------------------- */

static int holders_of(int token)
{
    int holders = 0;
    for (int node = 0; node <= NODES; node++) {
        for (int key = 0; key < KEYS; key++)
            holders += nodes[node].open && nodes[node].values[key] == token;
    }
    return holders;
}

static void compare(void)
{
    for (int node = 0; node <= NODES; node++) {
        for (int key = 0; nodes[node].open && key < KEYS; key++) {
            int value = nodes[node].told ? 0 : nodes[node].values[key];
            agree(weft_context_get(op_of(node), &keys[key]) == (value ? &tokens[value] : NULL));
        }
    }
    for (int token = 1; token <= issued; token++)
        agree(tokens[token].released == (holders_of(token) == 0));
}

/* ---- what happens --------------------------------------------------------------------------- */

static void node_over(struct weft_op *parent, struct weft_op *op)
{
    struct node *node = weft_owner(op, struct node, op);
    (void)parent;
    node->told = true;
    compare(); /* what it had is held until this returns */
    node->told = node->open = false;
}

static void node_stops(struct weft_op *op, int reason)
{
    (void)reason;
    weft_join(op);
}

static void node_begin(struct weft_op *op)
{
    weft_on_cancel(op, node_stops);
}

/* One that is open, or the root. */
static int draw_open(void)
{
    int node = (int)roll(&dice, NODES + 1);
    return nodes[node].open ? node : ROOT;
}

static bool running(int node)
{
    return op_of(node)->state_ == weft_root(&w.loop)->state_;
}

static void begin_one(void)
{
    int node = (int)roll(&dice, NODES), parent = draw_open();
    if (nodes[node].open || !running(parent))
        return;
    nodes[node].open = true;
    memcpy(nodes[node].values, nodes[parent].values, sizeof nodes[node].values);
    weft_run(op_of(parent), &nodes[node].op, node_begin, node_over);
}

static void set_one(void)
{
    int node = draw_open(), key = (int)roll(&dice, KEYS);
    if (op_of(node)->state_ == OP_READY) { /* it has finished, and is open until its then */
        agree(weft_context_set(op_of(node), &keys[key], &tokens[0]) == UV_EINVAL);
        return;
    }
    int token = chance(&dice, 4) ? 0 : ++issued;
    nodes[node].values[key] = token;
    agree(weft_context_set(op_of(node), &keys[key], token ? &tokens[token] : NULL) == 0);
}

static void end_one(void)
{
    int node = draw_open();
    if (node == ROOT)
        return;
    if (chance(&dice, 2))
        weft_cancel(op_of(node), UV_ECANCELED);
    else if (weft_running(op_of(node)) == 0 && running(node))
        weft_finish(op_of(node), 0);
}

static void act(void)
{
    static void (*const actions[])(void) = {begin_one, begin_one, set_one, end_one};
    actions[roll(&dice, 4)]();
    compare();
}

static bool step(void)
{
    model_tell_next(&w);
    if (!weft_sim_step(&w.sim))
        return false;
    schedule.steps++;
    compare();
    return true;
}

static void one_schedule(uint64_t seed)
{
    model_begin("context", seed);
    dice.state = seed;
    memset(nodes, 0, sizeof nodes);
    memset(tokens, 0, sizeof tokens);
    issued = 0;
    nodes[ROOT].open = true;
    assert_int_equal(weft_sim_init(&w.sim, &w.loop, seed | 1), 0);
    for (int i = 0; i < ACTIONS; i++) {
        act();
        while (chance(&dice, 2) && step()) {
        }
    }
    for (int node = 0; node < NODES; node++)
        weft_cancel(op_of(node), UV_ECANCELED);
    while (step()) {
    }
    for (int key = 0; key < KEYS; key++) {
        nodes[ROOT].values[key] = 0;
        agree(weft_context_set(weft_root(&w.loop), &keys[key], NULL) == 0);
    }
    compare();
    for (int node = 0; node < NODES; node++)
        agree(!nodes[node].open);
    assert_int_equal(weft_sim_close(&w.sim), 0);
}

TEST(context_agrees_with_its_model)
{
    model_schedules(&w, one_schedule, SCHEDULES);
}
