/* The table at the end.
 *
 * Three columns: what, how many, how large. Parts of which there is nothing to say are left out; of
 * what there may be many, the first few are shown. */
#include "spider/columns.h"
#include "spider/crawl.h"
#include "units.h"
#include <inttypes.h>
#include <string.h>

enum { NAMES = 32, FEW = 5 }; /* columns of the first column, rows of a part */

static void row(FILE *file, const char *what, uint64_t count, const char *size)
{
    char name[NAMES * 4 + 1];
    unsigned width = columns_cut(name, sizeof name, what, strlen(what), NAMES, "~", NULL);
    fprintf(file, "  %s%*s %10" PRIu64, name, (int)(NAMES - width), "", count);
    if (size != NULL)
        fprintf(file, " %10s", size);
    fputc('\n', file);
}

/* Those that did not happen are worth no row, but what was asked for is. */
static void print_outcomes(FILE *file, const struct crawl *crawl)
{
    char size[UNITS_SIZE_MAX];
    uint64_t same = crawl->update.same;
    row(file, settings_dry(crawl->settings) ? "read" : "saved", crawl->saved,
        units_show_size(crawl->bytes, size));
    if (same > 0)
        row(file, "the same", same, NULL);
    if (crawl->found > same)
        row(file, "were there", crawl->found - same, NULL);
    if (crawl->moved > 0)
        row(file, "moved", crawl->moved, NULL);
    if (crawl->skipped > 0)
        row(file, "skipped", crawl->skipped, NULL);
    row(file, "failed", crawl->failed, NULL);
}

static void print_speed(FILE *file, const struct crawl *crawl, uint64_t ms)
{
    char time[UNITS_TIME_MAX], size[UNITS_SIZE_MAX];
    uint64_t tenths = ms > 0 ? (crawl->saved + crawl->found) * 10000 / ms : 0;
    uint64_t bytes = ms > 0 ? (uint64_t)((double)crawl->bytes * 1000 / (double)ms) : 0;
    fprintf(file, "  in %s: %" PRIu64 ".%" PRIu64 " pages/s, %s/s\n", units_show_time(ms, time),
            tenths / 10, tenths % 10, units_show_size(bytes, size));
}

static bool was_asked(const struct harvest *harvest)
{
    uint64_t requests = 0;
    for (size_t i = 0; i < HARVEST_CLASSES; i++)
        requests += harvest->classes[i];
    return requests > 0;
}

static void print_classes(FILE *file, const struct harvest *harvest)
{
    static const char *const names[HARVEST_CLASSES] = {"no answer", "1xx", "2xx",   "3xx",
                                                       "4xx",       "5xx", "others"};
    if (!was_asked(harvest))
        return;
    fputs("\n  by status\n", file);
    for (size_t i = 1; i <= HARVEST_CLASSES; i++) {
        size_t class = i % HARVEST_CLASSES; /* no answer comes last */
        if (harvest->classes[class] > 0)
            row(file, names[class], harvest->classes[class], NULL);
    }
}

static void print_types(FILE *file, struct harvest *harvest)
{
    char size[UNITS_SIZE_MAX];
    struct harvest_type others = {.name = "others"};
    if (harvest->types_count == 0)
        return;
    harvest_sort(harvest);
    fputs("\n  by type, unpacked\n", file);
    for (size_t i = 0; i < harvest->types_count; i++) {
        const struct harvest_type *type = &harvest->types[i];
        if (i < FEW) {
            row(file, type->name, type->count, units_show_size(type->bytes, size));
            continue;
        }
        others.count += type->count;
        others.bytes += type->bytes;
    }
    if (others.count > 0)
        row(file, others.name, others.count, units_show_size(others.bytes, size));
}

/* The few with the most, in their order. */
static size_t choose_hosts(const struct crawl *crawl, const struct host *hosts[FEW])
{
    size_t count = 0;
    for (size_t i = 0; i < crawl->hosts_room; i++) {
        for (const struct host *host = crawl->hosts[i]; host != NULL; host = host->next_same) {
            size_t at = count;
            while (at > 0 && hosts[at - 1]->failed < host->failed)
                at--;
            if (host->failed == 0 || at == FEW)
                continue;
            count += count < FEW;
            for (size_t last = count - 1; last > at; last--)
                hosts[last] = hosts[last - 1];
            hosts[at] = host;
        }
    }
    return count;
}

static void print_hosts(FILE *file, const struct crawl *crawl)
{
    const struct host *hosts[FEW];
    size_t count = choose_hosts(crawl, hosts);
    if (count > 0)
        fputs("\n  failed at\n", file);
    for (size_t i = 0; i < count; i++)
        row(file, hosts[i]->origin, hosts[i]->failed, NULL);
}

void summary_print(FILE *file, struct crawl *crawl, uint64_t ms)
{
    fflush(stdout); /* which may be the same terminal, or the same log */
    print_outcomes(file, crawl);
    print_speed(file, crawl, ms);
    print_classes(file, &crawl->harvest);
    print_types(file, &crawl->harvest);
    print_hosts(file, crawl);
    fputc('\n', file);
    fflush(file);
}
