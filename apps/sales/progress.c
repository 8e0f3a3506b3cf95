/* A line on the terminal that is written over, at most ten times a second. */
#include "sales/sales.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static bool line_stands;
static uint64_t last_ns;

static bool is_time(void)
{
    static int on_terminal = -1;
    if (on_terminal < 0)
        on_terminal = isatty(STDERR_FILENO);
    uint64_t now_ns = uv_hrtime();
    if (!on_terminal || now_ns - last_ns < 100000000)
        return false;
    last_ns = now_ns;
    return true;
}

void sales_progress(const char *what, uint64_t count, uint64_t of)
{
    if (!is_time())
        return;
    fprintf(stderr, "\r\033[K%s %" PRIu64, what, count);
    if (of > 0)
        fprintf(stderr, " of %" PRIu64 " (%" PRIu64 " %%)", of,
                (uint64_t)(100.0 * (double)count / (double)of));
    fflush(stderr);
    line_stands = true;
}

void sales_progress_end(void)
{
    if (line_stands)
        fputs("\r\033[K", stderr);
    line_stands = false;
}
