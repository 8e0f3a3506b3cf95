/* What the user is told: a line of progress on a terminal, a line for each failure, a summary.
 *
 * The line of progress is rewritten in place and never in the way: everything else that is said
 * wipes it first, and the next beat brings it back. */
#include "spider/crawl.h"
#include "command.h"
#include "units.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { RESTED_MS = 3000 }; /* a rest that is worth a word */

static bool line_stands;

static void wipe(void)
{
    if (line_stands)
        fputs("\r\033[K", stderr);
    line_stands = false;
}

static uint64_t elapsed_ms(const struct crawl *crawl)
{
    return weft_now(weft_loop_of(&crawl->op)) - crawl->begun_at;
}

void report_progress(const struct crawl *crawl, bool last)
{
    static int on_terminal = -1;
    const struct settings *settings = crawl->settings;
    if (on_terminal < 0)
        on_terminal = isatty(STDERR_FILENO);
    if (last)
        wipe();
    if (last || !on_terminal || settings->quiet || settings->verbose)
        return;
    char size[UNITS_SIZE_MAX], time[UNITS_TIME_MAX];
    uint64_t ms = elapsed_ms(crawl);
    wipe();
    fprintf(stderr, "%llu saved (%s), %u waiting, %u under way, %llu failed; %llu a second; %s",
            (unsigned long long)crawl->saved, units_show_size(crawl->bytes, size),
            crawl->state.counts[WEFT_CRAWL_WAITING], crawl->queue.running,
            (unsigned long long)crawl->failed,
            (unsigned long long)(ms > 0 ? crawl->saved * 1000 / ms : 0), units_show_time(ms, time));
    fflush(stderr);
    line_stands = true;
}

void report_line(const struct crawl *crawl, const char *format, ...)
{
    if (!crawl->settings->verbose)
        return;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

void report_failure(struct crawl *crawl, weft_crawl_id id, const char *url, const char *note)
{
    weft_crawl_id from = 0;
    size_t size;
    wipe();
    int err = weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, &from);
    if (err == 0 && from != 0)
        err = weft_crawl_url(&crawl->state, from, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL);
    if (err == 0 && from != 0)
        complain("%s: %s (linked from %s)", url, note, crawl->text);
    else
        complain("%s: %s", url, note);
}

void report_rest(struct host *host, uint64_t ms)
{
    char time[UNITS_TIME_MAX];
    if (host->rest_until_ms == host->pace.rest_until_ms || ms < RESTED_MS ||
        host->crawl->settings->quiet)
        return;
    host->rest_until_ms = host->pace.rest_until_ms;
    wipe();
    complain("%s is left alone for %s", host->origin, units_show_time(ms, time));
}

/* ---- the end -------------------------------------------------------------------------------- */

static const char *why_it_ended(const struct crawl *crawl)
{
    if (crawl->output_error != 0)
        return "stopped, because the output cannot be written";
    switch (crawl->stop) {
    case CRAWL_LIMIT:
        return "stopped at the limit";
    case CRAWL_INTERRUPTED:
        return "interrupted";
    default:
        return "done";
    }
}

/* Start URLs are named one by one if they are few: that is what was asked for. */
static void tell_starts(struct crawl *crawl)
{
    struct weft_crawl_result result;
    for (size_t i = 0; i < crawl->starts_count && crawl->starts_count <= 10; i++) {
        weft_crawl_id id = crawl->starts[i].id;
        for (unsigned hops = 0; hops <= CRAWL_REDIRECTS; hops++) {
            if (weft_crawl_result(&crawl->state, id, &result) != 0 ||
                result.what != WEFT_CRAWL_MOVED || result.redirect == 0)
                break;
            id = result.redirect;
        }
        if (result.what != WEFT_CRAWL_DONE && result.what != WEFT_CRAWL_AGAIN)
            continue;
        bool now = result.http_status != 0 && !crawl->starts[i].there;
        printf("%s: %s/%.*s\n", now ? "downloaded" : "already there", crawl->folder_path,
               WEFT_TEXT_ARGS(result.file));
    }
}

void report_summary(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    const uint32_t *counts = crawl->state.counts;
    char size[UNITS_SIZE_MAX], time[UNITS_TIME_MAX];
    uint64_t ms = elapsed_ms(crawl);
    report_progress(crawl, true);
    if (settings->quiet || settings_dry(settings))
        return;
    if (crawl->fetched == 0 && crawl->found == 0 && crawl->failed == 0 &&
        crawl->stop == CRAWL_GOES_ON) {
        tell_starts(crawl);
        printf("nothing to do: %u pages are there already, below %s", counts[WEFT_CRAWL_DONE],
               crawl->folder_path);
        if (counts[WEFT_CRAWL_FAILED] > 0)
            printf("; %u failed for good", counts[WEFT_CRAWL_FAILED]);
        putchar('\n');
        return;
    }
    tell_starts(crawl);
    printf(
        "%s: %llu saved (%s) in %s, %llu a second; %llu were there, %llu moved, %llu skipped, "
        "%llu failed; all below %s\n",
        why_it_ended(crawl), (unsigned long long)crawl->saved, units_show_size(crawl->bytes, size),
        units_show_time(ms, time), (unsigned long long)(ms > 0 ? crawl->saved * 1000 / ms : 0),
        (unsigned long long)crawl->found, (unsigned long long)crawl->moved,
        (unsigned long long)crawl->skipped, (unsigned long long)crawl->failed, crawl->folder_path);
    if (crawl->stop != CRAWL_GOES_ON)
        printf("%u URLs wait: run the same command again to go on\n",
               counts[WEFT_CRAWL_WAITING] + counts[WEFT_CRAWL_AGAIN]);
}
