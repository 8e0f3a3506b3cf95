/* A line on the terminal that is written over, at most ten times a second. */
#include "progress.h"
#include "terminal.h"
#include "units.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <uv.h>

static bool line_stands;
static uint64_t last_ns;

bool progress_is_seen(void)
{
    static int on_terminal = -1;
    if (on_terminal < 0)
        on_terminal = isatty(STDERR_FILENO);
    return on_terminal != 0;
}

static bool is_time(void)
{
    uint64_t now_ns = uv_hrtime();
    if (!progress_is_seen() || now_ns - last_ns < PROGRESS_EVERY_MS * UINT64_C(1000000))
        return false;
    last_ns = now_ns;
    bool ours = !terminal_is_anothers(STDERR_FILENO);
    line_stands &= ours;
    return ours;
}

static void show(const char *what, const char *count, const char *of, double part)
{
    fprintf(stderr, "\r\033[K%s %s", what, count);
    if (of != NULL)
        fprintf(stderr, " of %s (%d %%)", of, (int)(100.0 * part));
    fflush(stderr);
    line_stands = true;
}

void progress_count(const char *what, uint64_t count, uint64_t of)
{
    char counted[24], all[24];
    if (!is_time())
        return;
    snprintf(counted, sizeof counted, "%" PRIu64, count);
    snprintf(all, sizeof all, "%" PRIu64, of);
    show(what, counted, of > 0 ? all : NULL, (double)count / (double)of);
}

void progress_size(const char *what, uint64_t bytes, uint64_t of)
{
    char counted[UNITS_SIZE_MAX], all[UNITS_SIZE_MAX];
    if (!is_time())
        return;
    units_show_size(bytes, counted);
    units_show_size(of, all);
    show(what, counted, of > 0 ? all : NULL, (double)bytes / (double)of);
}

void progress_end(void)
{
    if (line_stands)
        fputs("\r\033[K", stderr);
    line_stands = false;
}
