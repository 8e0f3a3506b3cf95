/* even_odd: hello, task queue.
 *
 * A hundred numbers are sorted into even and odd by tasks in a queue, at most four at once. A task
 * is an op like any other; `push` puts it in line, and the queue tells when it has run empty. */
#include <weft.h>

enum { NUMBERS = 100, AT_ONCE = 4 };

struct number {
    struct weft_op op;
    struct weft_sleep work;
    int value;
};

struct sorter {
    struct weft_op op;
    struct weft_queue queue;
    struct weft_listener empty;
    struct number numbers[NUMBERS];
    int even, odd, most;
};

static void classify(struct weft_op *op)
{
    struct number *number = weft_owner(op, struct number, op);
    struct sorter *sorter = weft_owner(op->parent, struct sorter, op);
    if (number->value % 2 == 0)
        sorter->even++;
    else
        sorter->odd++;
    if ((int)sorter->queue.running > sorter->most)
        sorter->most = (int)sorter->queue.running;
    weft_sleep(op, &number->work, 1, weft_pass);
}

static void queue_empty(struct weft_listener *listener, void *about)
{
    (void)about;
    struct sorter *sorter = weft_owner(listener, struct sorter, empty);
    printf("empty: %d even, %d odd, never more than %d at once\n", sorter->even, sorter->odd,
           sorter->most);
}

static void sort(struct weft_op *op)
{
    struct sorter *sorter = weft_owner(op, struct sorter, op);
    weft_queue_init(&sorter->queue, weft_loop_of(op), AT_ONCE);
    weft_on(&sorter->queue.events, WEFT_QUEUE_EMPTY, &sorter->empty, queue_empty);
    for (int i = 0; i < NUMBERS; i++) {
        sorter->numbers[i].value = i;
        weft_queue_push(&sorter->queue, op, &sorter->numbers[i].op, classify, NULL);
    }
    printf("pushed %zu, begun %u\n", sorter->queue.waiting, sorter->queue.running);
    weft_join(op);
}

int main(void)
{
    static struct sorter sorter;
    return weft_go(&sorter.op, sort) != 0;
}
