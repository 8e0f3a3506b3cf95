/* iterate: one item after the other, over a list and over a source without end.
 *
 * A weft_each with one slot is a sequential iteration: `next` puts the next item into the slot, and
 * is asked only when the item before it is over. So the source may be a list, a file, or endless,
 * as here the second time: whoever has enough says weft_end(each, 0), which is no error. */
#include <weft.h>

struct visit {
    struct weft_op op;
    struct weft_sleep work;
    unsigned number;
};
struct tour {
    struct weft_op op;
    struct weft_each each;
    struct visit slot[1];
};

static struct visit *visit_of(struct weft_op *op)
{
    return weft_owner(op, struct visit, op);
}

static void visit(struct weft_op *op)
{
    weft_sleep(op, &visit_of(op)->work, 1, weft_pass);
}

static void visited(struct weft_op *each, struct weft_op *slot)
{
    printf(" %u", visit_of(slot)->number);
    if (visit_of(slot)->number > 100)
        weft_end(each, 0); /* enough */
}

static bool next_in_list(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    static const unsigned list[] = {3, 1, 4, 1, 5, 9};
    if (index == sizeof list / sizeof list[0])
        return false;
    visit_of(slot)->number = list[index];
    return true;
}

static void iterate_list(struct weft_op *op)
{
    struct tour *tour = weft_owner(op, struct tour, op);
    weft_each(op, &tour->each, WEFT_SLOTS(tour->slot, op), next_in_list, visit, visited, weft_pass);
}

static bool next_power(struct weft_op *slot)
{
    visit_of(slot)->number = 1u << weft_index(slot);
    return true;
}

static void iterate_powers(struct weft_op *op)
{
    struct tour *tour = weft_owner(op, struct tour, op);
    weft_each(op, &tour->each, WEFT_SLOTS(tour->slot, op), next_power, visit, visited, weft_pass);
}

int main(void)
{
    struct tour tour = {0};
    printf("a list:");
    int status = weft_go(&tour.op, iterate_list);
    printf("\npowers of two, the first above 100 is enough:");
    status = status != 0 ? status : weft_go(&tour.op, iterate_powers);
    printf("\n");
    return status != 0;
}
