/* The stage of the conformance suite.
 *
 * One scenario after the other, each between open_stage and shut_stage: a fresh loop, the counting
 * allocator below it, a watchdog beside it. What a scenario begins goes through begin_watched and
 * ends in run_over, which check what is true of every run (not synchronous, exactly once, the
 * status is one of those expected), then overwrite the storage and free it: whoever still holds a
 * pointer into it is caught by the sanitizers, or by the pattern.
 *
 * The stage is one static struct, because begin and then have no room for a context of ours: the
 * op they are given belongs to the provider. A broken promise leaves by longjmp: there is no way to
 * go on with an op that does not keep to the contract. */
#include "stage.h"
#include "weft/fault.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { WATCHDOG_MS = 30000, ANY = WEFT_PROVIDER_ANY_ERROR };

struct stage at;

/* ---- what has to be ------------------------------------------------------------------------- */

void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(at.to, "provider %s, %s, step %lu, %s loop%s: %s\n", at.provider->name, at.scenario,
            at.step_number, at.simulated ? "simulated" : "real", at.hooked ? " with a hook" : "",
            what);
    if (at.opened)
        weft_dump(&at.loop, at.to);
    fflush(at.to);
    longjmp(at.failed, 1);
}

void require_status(int status)
{
    for (int i = 0; i < EXPECTED; i++) {
        int expected = at.expected[i];
        if (status == expected || (expected == ANY && status < 0))
            return;
    }
    char text[200];
    int length = snprintf(text, sizeof text, "ended with %s, expected", weft_error_name(status));
    for (int i = 0; i < EXPECTED; i++) {
        if (i == 0 || at.expected[i] != at.expected[i - 1])
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "%s %s", i > 0 ? " or" : "",
                         at.expected[i] == ANY ? "any error" : weft_error_name(at.expected[i]));
    }
    require(false, text);
}

void expect(int status)
{
    for (int i = 0; i < EXPECTED; i++)
        at.expected[i] = status;
}

void or_expect(int status)
{
    for (int i = EXPECTED - 1; i > 0; i--)
        at.expected[i] = at.expected[i - 1];
    at.expected[0] = status;
}

/* A run that is cancelled with reason while it runs. */
void expect_cancel(int reason)
{
    expect(reason);
    if (at.provider->flags & WEFT_PROVIDER_AWAITS)
        or_expect(0);
}

static void too_long(uv_timer_t *timer)
{
    (void)timer;
    require(false, "nothing has happened for half a minute");
}

/* -1 where it cannot be known. */
int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL)
        return -1;
    int count = 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

/* ---- the stage ------------------------------------------------------------------------------ */

static uint64_t shuffle_seed(void)
{
    const char *text = getenv("WEFT_SHUFFLE");
    return text != NULL ? strtoull(text, NULL, 0) : 0;
}

void open_stage(const char *scenario)
{
    at.scenario = scenario;
    at.begun = at.over = 0;
    at.calling = 0;
    at.nudging = true;
    at.keep = at.starving = false;
    expect(0);
    weft_fault_install();
    require(uv_loop_init(&at.uv) == 0, "no loop of libuv's");
    require(weft_loop_init(&at.loop, &at.uv) == 0, "no loop");
    at.opened = true;
    told_open();
    uv_timer_init(&at.uv, &at.watchdog);
    uv_timer_start(&at.watchdog, too_long, WATCHDOG_MS, 0);
    uv_unref((uv_handle_t *)&at.watchdog);
    if (at.simulated)
        require(weft_sim_init(&at.sim, &at.loop, shuffle_seed()) == 0, "no simulation");
    if (at.provider->up != NULL)
        at.provider->up(&at.loop);
}

/* One step; false: there is nothing left to do. */
bool step(void)
{
    if (at.simulated)
        return weft_sim_step(&at.sim);
    return uv_run(&at.uv, UV_RUN_NOWAIT) != 0;
}

/* Until count runs are over. */
void drive(unsigned count)
{
    while (at.over < count) {
        bool more = at.simulated ? weft_sim_step(&at.sim) : uv_run(&at.uv, UV_RUN_ONCE) != 0;
        require(more || at.over >= count, "the loop is dry and the op has not ended");
    }
    require(at.over == count, "then was called more often than the op was begun");
}

void shut_stage(void)
{
    if (at.provider->down != NULL)
        at.provider->down(&at.loop);
    unsigned over = at.over;
    int stuck = at.simulated ? weft_sim_run(&at.sim) : weft_loop_run(&at.loop);
    require(stuck == 0, "something is stuck");
    require(at.over == over, "then was called again later");
    require(at.loop.detached_ == 0, "a request is still detached");
    if (at.simulated)
        require(weft_sim_close(&at.sim) == 0, "a timer is still armed");
    told_dry();
    require(weft_loop_close(&at.loop) == 0, "the loop does not close");
    at.opened = false;
    told_shut();
    uv_close((uv_handle_t *)&at.watchdog, NULL);
    uv_run(&at.uv, UV_RUN_DEFAULT);
    require(uv_loop_close(&at.uv) == 0, "libuv's loop does not close");
    require(weft_fault_live() == 0, "memory is left");
    weft_fault_remove();
    require(at.descriptors < 0 || open_descriptors() <= at.descriptors,
            "a descriptor is left open");
}
