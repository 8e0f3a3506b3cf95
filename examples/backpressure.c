/* backpressure: producers that wait while the consumers are slow.
 *
 * Two producers have a hundred parcels each, two consumers carry them away, and between them is a
 * queue that counts as full when ten wait. A producer waits for room before each parcel, so none
 * runs ahead: the parcels that exist at a time are few, however many there will be. (One more than
 * ten: both producers may see the last free place.) */
#include <stdlib.h>
#include <weft.h>

enum { PRODUCERS = 2, PARCELS = 100, CONSUMERS = 2, STORE = 10 };

struct parcel {
    struct weft_op op;
    struct weft_sleep way;
};
struct producer {
    struct weft_op op;
    struct weft_queue_wait room;
    int made;
};
static struct weft_op app;
static struct weft_queue store;
static struct producer producers[PRODUCERS];
static size_t carried, most;

static void carry(struct weft_op *op)
{
    weft_sleep(op, &weft_owner(op, struct parcel, op)->way, 0, weft_pass);
}

static void parcel_over(struct weft_op *op, struct weft_op *parcel)
{
    (void)op;
    carried += parcel->status == 0;
    free(weft_owner(parcel, struct parcel, op));
}

static void produce(struct weft_op *op, struct weft_op *room)
{
    struct producer *producer = weft_owner(op, struct producer, op);
    struct parcel *parcel = room->status == 0 ? calloc(1, sizeof *parcel) : NULL;
    if (parcel == NULL) {
        weft_end(op, room->status != 0 ? room->status : UV_ENOMEM);
        return;
    }
    weft_queue_push(&store, op, &parcel->op, carry, parcel_over);
    if (store.waiting > most)
        most = store.waiting;
    if (++producer->made < PARCELS)
        weft_queue_room(op, &producer->room, &store, produce);
}

static void produce_all(struct weft_op *op)
{
    weft_queue_room(op, &weft_owner(op, struct producer, op)->room, &store, produce);
    weft_join(op); /* over when the last parcel is */
}

static void begin(struct weft_op *op)
{
    weft_queue_init(&store, weft_loop_of(op), CONSUMERS);
    weft_queue_high_water(&store, STORE);
    for (int i = 0; i < PRODUCERS; i++)
        weft_run(op, &producers[i].op, produce_all, NULL);
    weft_join(op);
}

int main(void)
{
    int status = weft_go(&app, begin);
    printf("%zu parcels carried, never more than %zu in store\n", carried, most);
    return status != 0;
}
