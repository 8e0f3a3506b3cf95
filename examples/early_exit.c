/* early_exit: stop when the answer is known, without an error.
 *
 * Which of these numbers are prime? detect, some and every look at the items until the answer is
 * clear; what is under way then is cancelled, the rest is not begun, and the status is 0. One slot:
 * the first in the list is found; with more of them, whichever is found first. */
#include <weft.h>

enum { NUMBERS = 6 };

struct check {
    struct weft_op op;
    struct weft_sleep work;
    unsigned divisors;
};
static const unsigned numbers[NUMBERS] = {9, 15, 23, 27, 31, 33};
static struct weft_op app;
static struct weft_search search;
static struct check slot[1];

static void count_divisors(struct weft_op *op)
{
    struct check *check = weft_owner(op, struct check, op);
    unsigned number = numbers[weft_index(op)];
    printf(" %u", number);
    check->divisors = 0;
    for (unsigned i = 1; i <= number; i++)
        check->divisors += number % i == 0;
    weft_sleep(op, &check->work, 1, weft_pass); /* as if it took long */
}

static bool is_prime(struct weft_op *op)
{
    return weft_owner(op, struct check, op)->divisors == 2;
}

static void detect_prime(struct weft_op *op)
{
    printf("detect:");
    weft_detect(op, &search, WEFT_SLOTS(slot, op), NUMBERS, count_divisors, is_prime, weft_pass);
}

static void some_prime(struct weft_op *op)
{
    printf("some:");
    weft_some(op, &search, WEFT_SLOTS(slot, op), NUMBERS, count_divisors, is_prime, weft_pass);
}

static void every_prime(struct weft_op *op)
{
    printf("every:");
    weft_every(op, &search, WEFT_SLOTS(slot, op), NUMBERS, count_divisors, is_prime, weft_pass);
}

int main(void)
{
    int failed = weft_go(&app, detect_prime);
    printf(" -> %u is prime\n", numbers[search.found]);
    failed |= weft_go(&app, some_prime);
    printf(" -> is there a prime? %s\n", search.yes ? "yes" : "no");
    failed |= weft_go(&app, every_prime);
    printf(" -> are all of them prime? %s\n", search.yes ? "yes" : "no");
    return failed != 0;
}
