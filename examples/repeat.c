/* repeat: again and again, as long as something is so.
 *
 * A round is like a step of a series: it starts what it likes, and is over when all of that is. Here
 * a guess is made in each round until it is right. Nothing is nested, and no round waits on the
 * stack for the next: a loop of a year would do no harm. */
#include <weft.h>

enum { SECRET = 71 };

static struct weft_op app;
static struct weft_repeat guessing;
static struct weft_sleep thinking;
static int low = 1, high = 100, guess;

static bool is_right(struct weft_op *op)
{
    (void)op;
    return guess == SECRET;
}

static void thought(struct weft_op *op, struct weft_op *sleep)
{
    (void)op, (void)sleep;
    guess = (low + high) / 2;
    printf("%d%s\n", guess, guess < SECRET ? ": more" : guess > SECRET ? ": less" : "!");
    if (guess < SECRET)
        low = guess + 1;
    else
        high = guess - 1;
}

static void make_a_guess(struct weft_op *op)
{
    weft_sleep(op, &thinking, 1, thought);
}

static void begin(struct weft_op *op)
{
    weft_until(op, &guessing, is_right, make_a_guess, weft_pass);
}

int main(void)
{
    int status = weft_go(&app, begin);
    printf("in %llu guesses\n", (unsigned long long)guessing.rounds);
    return status != 0;
}
