/* cargo: many small tasks, carried in loads.
 *
 * Ten letters are written, and a postman carries up to four at a time: what has come together while
 * he was away goes with the next load. Whoever wrote one is told when it has arrived. */
#include <weft.h>

enum { LETTERS = 10, MOST = 4 };

struct letter {
    struct weft_item item;
    int number;
};
struct postman {
    struct weft_load load;
    struct weft_sleep way;
};
static struct weft_op app;
static struct weft_cargo cargo;
static struct letter letters[LETTERS];
static struct postman postman[1];
static int arrived;

static void carry(struct weft_op *op)
{
    struct postman *man = weft_owner(op, struct postman, load.op);
    printf("the postman takes");
    for (struct weft_item *item = man->load.first; item != NULL; item = weft_item_next(item))
        printf(" %d", weft_owner(item, struct letter, item)->number);
    printf("\n");
    weft_sleep(op, &man->way, 10, weft_pass); /* each item gets the status of its load */
}

static void letter_arrived(struct weft_op *op, struct weft_op *item)
{
    (void)op;
    arrived += item->status == 0;
}

static void begin(struct weft_op *op)
{
    weft_cargo_init(&cargo, op, WEFT_SLOTS(postman, load.op), MOST, carry);
    for (int i = 0; i < LETTERS; i++) {
        letters[i].number = i + 1;
        weft_cargo_push(&cargo, op, &letters[i].item, letter_arrived);
    }
    weft_join(op);
}

int main(void)
{
    int status = weft_go(&app, begin);
    printf("%d letters have arrived\n", arrived);
    return status != 0 || weft_cargo_close(&cargo) != 0;
}
