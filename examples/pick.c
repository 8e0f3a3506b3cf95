/* pick: filter, sort_by and group_by: some of the items, in some order.
 *
 * Each town is asked how many people live there, three at a time. What comes of it is a list of
 * numbers of towns: the list of towns stays as it is, and nothing is copied or allocated. */
#include <weft.h>

enum { TOWNS = 6, AT_ONCE = 3, SMALL = 0, MIDDLING, LARGE };

static const struct {
    const char *name;
    int thousands; /* pretend that only the town knows */
} towns[TOWNS] = {{"Oslo", 710},  {"Nice", 350}, {"Bonn", 330},
                  {"Rome", 2750}, {"Cork", 220}, {"Riga", 610}};
static const char *const kinds[] = {"small", "middling", "large"};
struct question {
    struct weft_op op;
    struct weft_sleep way;
    int answer;
};
static struct weft_op app;
static struct weft_pick pick;
static struct question slots[AT_ONCE];
static struct weft_picked picked[TOWNS];

static void ask(struct weft_op *op)
{
    struct question *question = weft_owner(op, struct question, op);
    question->answer = towns[weft_index(op)].thousands;
    weft_sleep(op, &question->way, TOWNS - weft_index(op), weft_pass);
}

static int64_t people(struct weft_op *slot)
{
    return weft_owner(slot, struct question, op)->answer;
}

static bool is_large(struct weft_op *slot)
{
    return people(slot) >= 500;
}

static int64_t kind(struct weft_op *slot)
{
    return people(slot) < 300 ? SMALL : people(slot) < 500 ? MIDDLING : LARGE;
}

static void filter(struct weft_op *op)
{
    weft_filter(op, &pick, WEFT_SLOTS(slots, op), TOWNS, ask, is_large, WEFT_PICKS(picked),
                weft_pass);
}

static void sort(struct weft_op *op)
{
    weft_sort_by(op, &pick, WEFT_SLOTS(slots, op), TOWNS, ask, people, WEFT_PICKS(picked),
                 weft_pass);
}

static void group(struct weft_op *op)
{
    weft_group_by(op, &pick, WEFT_SLOTS(slots, op), TOWNS, ask, kind, WEFT_PICKS(picked),
                  weft_pass);
}

static void tell(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        printf(" %s", towns[picked[i].index].name);
    printf("\n");
}

int main(void)
{
    int failed = weft_go(&app, filter);
    printf("500,000 or more:");
    tell(0, pick.count);
    failed |= weft_go(&app, sort);
    printf("smallest first:");
    tell(0, pick.count);
    failed |= weft_go(&app, group);
    for (size_t from = 0, to; from < pick.count; from = to) {
        to = weft_group_end(&pick, from);
        printf("%s:", kinds[picked[from].key]);
        tell(from, to);
    }
    return failed != 0;
}
