/* limited: seven tasks, never more than two at once, results in input order.
 *
 * The slots are the limit: there is no number to keep in step with them. With one slot it is a
 * series, with seven all run at once. weft_times needs no source: a task finds its number with
 * weft_index. */
#include <weft.h>

enum { TASKS = 7, AT_ONCE = 2 };

struct task {
    struct weft_op op;
    struct weft_sleep work;
};
static struct weft_op app;
static struct weft_each each;
static struct task slots[AT_ONCE];
static size_t squares[TASKS];
static unsigned most;

static void square(struct weft_op *op)
{
    struct task *task = weft_owner(op, struct task, op);
    if (weft_running(op->parent) > most)
        most = weft_running(op->parent);
    weft_sleep(op, &task->work, TASKS - weft_index(op), weft_pass); /* the last is the quickest */
}

static void keep(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    squares[index] = index * index;
}

static void begin(struct weft_op *op)
{
    weft_times(op, &each, WEFT_SLOTS(slots, op), TASKS, square, keep, weft_pass);
}

int main(void)
{
    int status = weft_go(&app, begin);
    for (size_t i = 0; i < TASKS; i++)
        printf("%zu%s", squares[i], i + 1 < TASKS ? " " : "\n");
    printf("never more than %u at once\n", most);
    return status != 0;
}
