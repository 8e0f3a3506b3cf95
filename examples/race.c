/* race: two ways to an answer, and a deadline over both.
 *
 * The first to succeed wins and the loser is cancelled: its sleep of an hour ends with the race.
 * Then the same race between two slow ones, under a deadline of 200 ms. All on a virtual clock. */
#include <weft.h>
#include <weft/sim.h>

struct question {
    struct weft_race race;
    struct weft_sleep fast, slow;
    struct weft_deadline deadline;
    uint64_t fast_ms;
};

static void ask_both(struct weft_op *op)
{
    struct question *question = weft_owner(op, struct question, race.op);
    weft_sleep(op, &question->fast, question->fast_ms, weft_race_any);
    weft_sleep(op, &question->slow, 3600 * 1000, weft_race_any);
    weft_deadline(op, &question->deadline, 200);
}

static void ask(uint64_t fast_ms)
{
    struct question question = {.race.starters = ask_both, .fast_ms = fast_ms};
    int status = weft_sim_go(&question.race.op, weft_race_begin, 0);
    if (question.race.winner == &question.fast.op)
        printf("the fast one won; the slow one: %s\n", weft_strerror(question.slow.op.status));
    else
        printf("nobody won: %s\n", weft_strerror(status));
}

int main(void)
{
    ask(5);
    ask(3600 * 1000);
    return 0;
}
