/* The module: a flag, and a clock. */
#include "say/teller.h"
#include <stdio.h>
#include <time.h>

static void initialised(struct weft_op *op, struct weft_op *sleep)
{
    if (sleep->status == 0)
        weft_owner(op, struct teller_init, op)->teller->initialized = true;
    weft_finish(op, sleep->status);
}

void teller_init_begin(struct weft_op *op)
{
    struct teller_init *init = weft_owner(op, struct teller_init, op);
    weft_sleep(op, &init->sleep_, init->delay_ms, initialised);
}

/* As JavaScript writes a date. */
static void write_time(char *text, size_t size)
{
    char date[64] = "unknown";
    struct tm local;
    time_t now = time(NULL);
    if (localtime_r(&now, &local) != NULL)
        strftime(date, sizeof date, "%a %b %d %Y %H:%M:%S GMT%z (%Z)", &local);
    snprintf(text, size, "Current time is: %s", date);
}

static void turn_came(struct weft_op *op, struct weft_op *tick)
{
    struct tell *tell = weft_owner(op, struct tell, op);
    if (tick->status != 0) {
        weft_finish(op, tick->status);
    } else if (!tell->teller->initialized) {
        snprintf(tell->text, sizeof tell->text, "I don't have anything to say right now");
        weft_finish(op, UV_EAGAIN);
    } else {
        write_time(tell->text, sizeof tell->text);
        weft_finish(op, 0);
    }
}

void tell_begin(struct weft_op *op)
{
    weft_tick(op, &weft_owner(op, struct tell, op)->tick_, turn_came);
}
