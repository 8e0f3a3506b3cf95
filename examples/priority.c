/* priority: the most urgent task first, whenever it came.
 *
 * A weft_priority is a lane of a queue like any other, but its line is sorted: the smallest number
 * first, equals in the order in which they came. What is under way is not interrupted. */
#include <weft.h>

enum { PATIENTS = 6 };

struct patient {
    struct weft_urgent task;
    struct weft_sleep treatment;
    const char *name;
    int64_t can_wait; /* minutes */
};
static struct weft_op app;
static struct weft_queue clinic;
static struct weft_priority waiting_room;
static struct patient patients[PATIENTS] = {
    {.name = "a cough", .can_wait = 60},     {.name = "a broken arm", .can_wait = 20},
    {.name = "a sprain", .can_wait = 60},    {.name = "a heart attack", .can_wait = 0},
    {.name = "a check-up", .can_wait = 240}, {.name = "a burn", .can_wait = 20}};

static void treat(struct weft_op *op)
{
    struct patient *patient = weft_owner(op, struct patient, task.op);
    printf("%s\n", patient->name);
    weft_sleep(op, &patient->treatment, 1, weft_pass);
}

static void begin(struct weft_op *op)
{
    weft_queue_init(&clinic, weft_loop_of(op), 1);
    weft_priority_init(&waiting_room, &clinic, 1, WEFT_RANK_NORMAL);
    for (int i = 0; i < PATIENTS; i++)
        weft_priority_push(&waiting_room, op, &patients[i].task, patients[i].can_wait, treat, NULL);
    weft_join(op);
}

int main(void)
{
    return weft_go(&app, begin) != 0;
}
