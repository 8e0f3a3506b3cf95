/* steps: a long computation that lets others in.
 *
 * Two searches for the longest Collatz chain, in slices, beside a server that answers a question in each
 * iteration of the loop. Usually a slice ends by time, after two milliseconds; here it ends after 2,000
 * steps, so that the output is always the same. In each iteration one of the two has its turn. */
#include <inttypes.h>
#include <weft.h>

enum { SLICE = 2000, QUESTIONS = 5 };

struct search {
    struct weft_steps steps;
    const char *name;
    uint64_t next, at, length, longest, start;
};
static struct weft_op app, question;
static struct search even = {.name = "even", .next = 2, .at = 2};
static struct search odd = {.name = "odd", .next = 1, .at = 1};
static int answered;

/* One link of one chain; or the next chain. */
static int link_on(struct weft_steps *steps)
{
    struct search *search = weft_owner(steps, struct search, steps);
    if (search->at != 1) {
        search->at = search->at % 2 == 0 ? search->at / 2 : 3 * search->at + 1;
        search->length++;
        return WEFT_MORE;
    }
    if (search->length > search->longest) {
        search->longest = search->length;
        search->start = search->next;
    }
    search->length = 0;
    search->next += 2;
    search->at = search->next;
    steps->done++;
    return steps->done < steps->total ? WEFT_MORE : 0;
}

static void found(struct weft_op *op, struct weft_op *steps)
{
    const struct search *s =
        weft_owner(weft_owner(steps, struct weft_steps, op), struct search, steps);
    (void)op;
    printf("%s: the longest chain of %" PRIu64 " begins at %" PRIu64 " and has %" PRIu64 " links\n",
           s->name, s->steps.total, s->start, s->longest);
    printf("%s: %" PRIu64 " steps in %" PRIu64 " slices\n", s->name, s->steps.steps,
           s->steps.slices);
}

static void answer(struct weft_op *op, struct weft_op *asked)
{
    printf("how far? even %" PRIu64 ", odd %" PRIu64 "\n", even.steps.done, odd.steps.done);
    if (++answered < QUESTIONS)
        weft_immediate(op, asked, answer);
}

static void search(struct weft_op *op, struct search *s, uint64_t chains)
{
    s->steps.total = chains;
    s->steps.every = SLICE;
    weft_steps(op, &s->steps, link_on, found);
}

static void begin(struct weft_op *op)
{
    search(op, &even, 5000);
    search(op, &odd, 2000);
    weft_immediate(op, &question, answer);
    weft_join(op);
}

int main(void)
{
    return weft_go(&app, begin) != 0;
}
