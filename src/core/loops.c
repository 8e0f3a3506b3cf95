/* All loops of the process, newest first: for signal handlers, debuggers, and the end.
 *
 * The list is changed under a lock and read without one, since a signal handler may interrupt
 * whoever holds it. So a link is one atomic store, and who takes a loop out waits until no handler
 * is on its way through the list before the storage goes. A handler that interrupts that waiting
 * comes to its end first. */
#include "handles.h"
#include "locks.h"
#include "report.h"
#include "weft/dump.h"
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct weft_report *weft__loops;
static atomic_uint readers;

struct weft_report *weft__report_of(const struct weft_loop *loop)
{
    return &loop->handles_->report;
}

void weft__loops_lock(void)
{
    weft__lock(LOCK_LOOPS);
}

void weft__loops_unlock(void)
{
    weft__unlock(LOCK_LOOPS);
}

void weft__loops_read(void)
{
    atomic_fetch_add(&readers, 1);
}

void weft__loops_read_end(void)
{
    atomic_fetch_sub(&readers, 1);
}

void weft__loops_settle(void)
{
    while (atomic_load(&readers) != 0)
        uv_sleep(0);
}

/* Handlers on other threads are not on their way here. */
void weft__loops_forked(void)
{
    atomic_store(&readers, 0);
}

/* ---- what the environment asks for ---------------------------------------------------------- */

static void no_sense(const char *name, const char *value, const char *wanted)
{
    fprintf(stderr, "weft: %s=%s makes no sense here: %s\n", name, value, wanted);
}

static int signal_named(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"QUIT", SIGQUIT}, {"HUP", SIGHUP},
                 {"INT", SIGINT},   {"TERM", SIGTERM}, {"1", SIGUSR2}};
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    if (name[0] >= '0' && name[0] <= '9' && *end == '\0' && number > 1)
        return number < INT_MAX ? (int)number : INT_MAX;
    name += strncmp(name, "SIG", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0)
            return known[i].number;
    }
    return 0;
}

static void ask_for_dumps(struct weft_loop *loop)
{
    const char *value = getenv("WEFT_DUMP");
    if (value == NULL || value[0] == '\0' || strcmp(value, "0") == 0)
        return;
    int signum = signal_named(value);
    if (signum == 0 || weft_dump_on_signal(loop, signum, stderr) == UV_EINVAL)
        no_sense("WEFT_DUMP", value,
                 "a signal by name or number, SIGUSR2 for instance; 1 stands for SIGUSR2");
}

static void ask_for_stacks(struct weft_loop *loop)
{
    char *end;
    const char *value = getenv("WEFT_STACKS");
    if (value == NULL || value[0] == '\0')
        return;
    unsigned long every = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || every > UINT32_MAX)
        no_sense("WEFT_STACKS", value, "a number, 100 for every 100th operation");
    else if (every != 0)
        weft_stacks_sample(loop, (unsigned)every);
}

static void tell_leaks(void)
{
    weft_leaks(stderr);
}

static void at_exit(void)
{
    atexit(tell_leaks);
}

static void ask_for_leaks(struct weft_loop *loop)
{
    static uv_once_t once = UV_ONCE_INIT;
    const char *value = getenv("WEFT_LEAKS");
    if (value == NULL || value[0] == '\0' || strcmp(value, "0") == 0)
        return;
    if (weft_leaks_watch(loop) == 0)
        uv_once(&once, at_exit);
}

/* ---- open and close ------------------------------------------------------------------------- */

void weft__reports_open(struct weft_loop *loop)
{
    struct weft_report *report = weft__report_of(loop);
    report->loop = loop;
    report->pid = (int)getpid();
    weft__loops_lock();
    report->next = weft__loops;
    __atomic_store_n(&weft__loops, report, __ATOMIC_RELEASE);
    weft__loops_unlock();
    ask_for_dumps(loop);
    ask_for_stacks(loop);
    ask_for_leaks(loop);
}

void weft__reports_close(struct weft_loop *loop)
{
    struct weft_report *report = weft__report_of(loop), **link = &weft__loops;
    weft_dump_on_signal(loop, 0, NULL);
    weft_stacks_sample(loop, 0);
    weft__loops_lock();
    while (*link != report)
        link = &(*link)->next;
    __atomic_store_n(link, report->next, __ATOMIC_RELEASE);
    weft__loops_unlock();
    weft__loops_settle();
    weft__leaks_close(report);
}
