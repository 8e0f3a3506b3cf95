/* global_limit: why a limit for each list is no limit for all of them.
 *
 * Two lists of six tasks, each with two slots: two at once, twice, are four. With a list for every
 * page of a site, as a spider has, it grows with the site. One queue with two places is a limit for
 * everything that goes through it, whoever pushes: the same twelve tasks, never more than two. */
#include <weft.h>

enum { LISTS = 2, TASKS = 6, AT_ONCE = 2 };

struct task {
    struct weft_op op;
    struct weft_sleep work;
};
static struct weft_op app;
static struct weft_queue queue;
static struct list {
    struct weft_each each;
    struct task slots[AT_ONCE];
    struct task tasks[TASKS];
} lists[LISTS];
static unsigned running, most, done;

static void work_over(struct weft_op *op, struct weft_op *work)
{
    running--;
    done++;
    weft_finish(op, work->status);
}

static void work(struct weft_op *op)
{
    if (++running > most)
        most = running;
    weft_sleep(op, &weft_owner(op, struct task, op)->work, 1, work_over);
}

static void limit_each_list(struct weft_op *op)
{
    for (struct list *list = lists; list < lists + LISTS; list++)
        weft_times(op, &list->each, WEFT_SLOTS(list->slots, op), TASKS, work, NULL, NULL);
    weft_join(op);
}

static void limit_all(struct weft_op *op)
{
    weft_queue_init(&queue, weft_loop_of(op), AT_ONCE);
    for (struct list *list = lists; list < lists + LISTS; list++)
        for (int i = 0; i < TASKS; i++)
            weft_queue_push(&queue, op, &list->tasks[i].op, work, NULL);
    weft_join(op);
}

static int tell(const char *how, weft_begin_fn *begin)
{
    most = done = 0;
    int status = weft_go(&app, begin);
    printf("%s: %u tasks, up to %u at once\n", how, done, most);
    return status;
}

int main(void)
{
    return tell("two for each of two lists", limit_each_list) != 0 ||
           tell("two places in one queue", limit_all) != 0;
}
