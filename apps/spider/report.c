/* What the user is told: a line for each failure, a summary at the end; what is shown meanwhile is
 * progress.c's.
 *
 * The summary is a table where people look (on a terminal, and in a log), and a sentence where
 * programs do. */
#include "spider/crawl.h"
#include "command.h"
#include "units.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    RESTED_MS = 3000,   /* a rest that is worth a word, */
    DELAYED_MS = 10000, /* and a gap between two requests that is */
    LINE_SIZE = 8192,   /* what is read of a line */
    URL_SHOWN = 300     /* bytes of a URL that may be endless */
};

static void print(struct crawl *crawl, const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    if (!crawl->progress.shares) {
        vprintf(format, arguments);
        putchar('\n');
        return;
    }
    int wanted = vsnprintf(line, sizeof line - 1, format, arguments);
    size_t size = wanted < 0 ? 0 : (size_t)wanted;
    size = size < sizeof line - 2 ? size : sizeof line - 2;
    line[size++] = '\n';
    screen_say(&crawl->progress.screen, line, size);
}

void report_out(struct crawl *crawl, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(crawl, format, arguments);
    va_end(arguments);
}

void report_line(struct crawl *crawl, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (crawl->settings->verbose)
        print(crawl, format, arguments);
    va_end(arguments);
}

void report_failure(struct crawl *crawl, weft_crawl_id id, const char *url, const char *note)
{
    weft_crawl_id from = 0;
    size_t size;
    if (crawl->settings->check && !page_is_start(crawl, id))
        return; /* in the end, with all who link to it */
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
    complain("%s is left alone for %s", host->origin, units_show_time(ms, time));
}

void report_delay(const struct host *host, uint64_t ms)
{
    char time[UNITS_TIME_MAX];
    if (ms <= DELAYED_MS || host->crawl->settings->quiet)
        return;
    complain("%s is asked every %s only, because its robots.txt says so (Crawl-delay; --no-robots "
             "does not heed it)",
             host->origin, units_show_time(ms, time));
}

void report_left_out(struct crawl *crawl, const char *url, enum trap_kind kind, bool first)
{
    const char *dots = strlen(url) > URL_SHOWN ? "..." : "";
    report_line(crawl, "left out %.*s%s: %s (%s)", URL_SHOWN, url, dots, trap_reason(kind),
                trap_option(kind));
    if (!first || crawl->settings->quiet)
        return;
    complain("%.*s%s, and more like it, are left out: %s (%s)", URL_SHOWN, url, dots,
             trap_reason(kind), trap_option(kind));
}

/* ---- the end -------------------------------------------------------------------------------- */

const char *report_why_it_ended(const struct crawl *crawl)
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
    for (size_t i = 0; i < crawl->starts_count && crawl->starts_count <= 10; i++) {
        struct weft_crawl_result result = {0};
        weft_crawl_id id = crawl->starts[i].id;
        for (unsigned hops = 0; hops <= CRAWL_REDIRECTS; hops++) {
            if (weft_crawl_result(&crawl->state, id, &result) != 0 ||
                result.what != WEFT_CRAWL_MOVED || result.redirect == 0)
                break;
            id = result.redirect;
        }
        if (result.what != WEFT_CRAWL_DONE && result.what != WEFT_CRAWL_AGAIN)
            continue;
        bool now =
            result.http_status != 0 && !crawl->starts[i].there && !update_start_is_same(crawl, id);
        if (archive_has_name(result.file)) {
            printf("%s: in the archive\n", now ? "downloaded" : "already there");
            continue;
        }
        printf("%s: %s/%.*s\n", now ? "downloaded" : "already there", crawl->folder_path,
               WEFT_TEXT_ARGS(result.file));
    }
}

static void tell_traps(const struct trap *trap)
{
    for (enum trap_kind kind = TRAP_NONE; kind < TRAP_KINDS; kind++) {
        if (trap->left_out[kind] > 0)
            printf("%s left out: %llu, because %s (%s)\n",
                   kind == TRAP_SAME ? "pages whose links were" : "links",
                   (unsigned long long)trap->left_out[kind], trap_reason(kind), trap_option(kind));
    }
}

static void tell_nothing_to_do(const struct crawl *crawl)
{
    const uint32_t *counts = crawl->state.counts;
    printf("nothing to do: %u pages are there already, below %s", counts[WEFT_CRAWL_DONE],
           crawl->folder_path);
    if (counts[WEFT_CRAWL_FAILED] > 0)
        printf("; %u failed for good", counts[WEFT_CRAWL_FAILED]);
    putchar('\n');
}

static void tell_all(const struct crawl *crawl, uint64_t ms)
{
    char size[UNITS_SIZE_MAX], time[UNITS_TIME_MAX];
    const struct settings *settings = crawl->settings;
    printf("%s: %llu saved (%s) in %s, %llu a second; %llu were there, %llu moved, %llu skipped, "
           "%llu failed; all %s %s\n",
           report_why_it_ended(crawl), (unsigned long long)crawl->saved,
           units_show_size(crawl->bytes, size), units_show_time(ms, time),
           (unsigned long long)(ms > 0 ? crawl->saved * 1000 / ms : 0),
           (unsigned long long)crawl->found, (unsigned long long)crawl->moved,
           (unsigned long long)crawl->skipped, (unsigned long long)crawl->failed,
           settings->warc_only ? "in" : "below",
           settings->warc_only ? settings->warc : crawl->folder_path);
}

static void tell_update(const struct crawl *crawl)
{
    const struct update *update = &crawl->update;
    if (update->since == 0)
        return;
    printf("%s: %llu new, %llu changed, %llu gone, %llu the same\n",
           update->ended ? "updated" : "updated in part", (unsigned long long)update->fresh,
           (unsigned long long)update->changed, (unsigned long long)update->gone,
           (unsigned long long)update->same);
}

/* The same command goes on only if it would not stop at once, and not begin anew. */
static void tell_left(const struct crawl *crawl)
{
    bool limited = crawl->stop == CRAWL_LIMIT;
    if (crawl->stop == CRAWL_GOES_ON || crawl_left(crawl) == 0)
        return;
    printf("%u URLs wait: ", crawl_left(crawl));
    if (limited && strcmp(crawl->story.limit, "max-pages") == 0)
        printf("a larger --max-pages goes on\n");
    else if (limited && crawl->update.ended)
        printf("run it without --update to go on\n");
    else
        printf("run the same command again to go on\n");
}

void report_summary(struct crawl *crawl)
{
    const struct settings *settings = crawl->settings;
    bool for_people = isatty(STDOUT_FILENO) == 1 && settings->progress != PROGRESS_NONE;
    uint64_t ms = weft_now(weft_loop_of(&crawl->op)) - crawl->begun_at;
    if (settings->check) {
        check_report(crawl);
        tell_traps(&crawl->trap);
    }
    if (settings_dry(settings) && settings->progress == PROGRESS_PLAIN && !settings->quiet)
        summary_print(stderr, crawl, ms);
    if (settings->quiet || settings_dry(settings) || settings_output_taken(settings))
        return;
    tell_update(crawl);
    if (crawl->fetched == 0 && crawl->found == 0 && crawl->failed == 0 &&
        crawl->stop == CRAWL_GOES_ON) {
        tell_starts(crawl);
        tell_nothing_to_do(crawl);
        return;
    }
    tell_starts(crawl);
    if (for_people)
        summary_print(stdout, crawl, ms);
    else if (settings->progress == PROGRESS_PLAIN)
        summary_print(stderr, crawl, ms);
    if (for_people)
        printf("%s: all %s %s\n", report_why_it_ended(crawl), settings->warc_only ? "in" : "below",
               settings->warc_only ? settings->warc : crawl->folder_path);
    else
        tell_all(crawl, ms);
    tell_traps(&crawl->trap);
    tell_left(crawl);
}
