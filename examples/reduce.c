/* reduce: many results become one, in input order.
 *
 * The words of a line come from six places, three at a time, and some of them are slow. `fold` gets
 * them in the order of the list, whichever comes first: a word that is early waits in its slot.
 * With a single slot each word would be fetched when the one before it has been folded. */
#include <weft.h>
#include <weft/sim.h>

enum { WORDS = 6, AT_ONCE = 3 };

static const struct {
    const char *word;
    unsigned seconds; /* how far away it is */
} places[WORDS] = {{"the", 9}, {"weft", 2}, {"goes", 4}, {"to", 7}, {"and", 1}, {"fro", 3}};
struct fetch {
    struct weft_op op;
    struct weft_sleep way;
    const char *word;
};
static struct weft_op app;
static struct weft_each reduce;
static struct fetch slots[AT_ONCE];
static char line[64];

static void fetched(struct weft_op *op, struct weft_op *way)
{
    struct fetch *fetch = weft_owner(op, struct fetch, op);
    fetch->word = places[weft_index(op)].word;
    printf("%2u s: %s\n", (unsigned)(weft_now(weft_loop_of(op)) / 1000), fetch->word);
    weft_finish(op, way->status);
}

static void fetch_word(struct weft_op *op)
{
    struct fetch *fetch = weft_owner(op, struct fetch, op);
    weft_sleep(op, &fetch->way, places[weft_index(op)].seconds * 1000, fetched);
}

static void fold(struct weft_op *slot)
{
    if (weft_index(slot) > 0)
        strcat(line, " ");
    strcat(line, weft_owner(slot, struct fetch, op)->word);
}

static void begin(struct weft_op *op)
{
    weft_reduce(op, &reduce, WEFT_SLOTS(slots, op), WORDS, fetch_word, fold, weft_pass);
}

int main(void)
{
    int status = weft_sim_go(&app, begin, 0); /* weft_go on a virtual clock */
    printf("together: %s\n", line);
    return status != 0;
}
