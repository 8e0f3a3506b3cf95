/* parallel: all at once, and one of them fails.
 *
 * Nobody handles the error of the second step, so it ends the whole: the first and the third are
 * cancelled, and the whole is over when they have let go. It is told once, with the first error:
 * that of the fourth step, which fails while it is being stopped, is no news any more. */
#include <weft.h>

static struct weft_op app, stubborn;
static struct weft_parallel all;
static struct weft_sleep an_hour, a_day;
static struct weft_file_read missing;

static void sleep_an_hour(struct weft_op *op)
{
    weft_sleep(op, &an_hour, 3600 * 1000, NULL); /* NULL: an error ends op */
}

static void read_missing(struct weft_op *op)
{
    weft_file_read(op, &missing, "no such file.txt", NULL);
}

static void sleep_a_day(struct weft_op *op)
{
    weft_sleep(op, &a_day, 24 * 3600 * 1000, NULL);
}

static void fail_too(struct weft_op *op, int reason)
{
    (void)reason;
    weft_finish(op, UV_EIO);
}

static void be_stubborn(struct weft_op *op)
{
    weft_run(op, &stubborn, NULL, NULL); /* NULL: it is over when somebody finishes it */
    weft_on_cancel(&stubborn, fail_too);
}

static void all_over(struct weft_op *op, struct weft_op *parallel)
{
    printf("it is over: %s\n", weft_strerror(parallel->status));
    weft_finish(op, 0);
}

static void begin(struct weft_op *op)
{
    weft_parallel(op, &all, all_over, sleep_an_hour, read_missing, sleep_a_day, be_stubborn);
}

int main(void)
{
    int status = weft_go(&app, begin);
    printf("the hour:      %s\n", weft_strerror(an_hour.op.status));
    printf("the file:      %s\n", weft_strerror(missing.op.status));
    printf("the day:       %s\n", weft_strerror(a_day.op.status));
    printf("the stubborn:  %s\n", weft_strerror(stubborn.status));
    return status != 0;
}
