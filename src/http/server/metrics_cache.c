/* The figures of caches, for Prometheus.
 *
 * The format wants all samples of a name together, below one HELP and one TYPE. So the caches of a
 * process are written at once, a table of figures leads, and each of its rows has a line for each of
 * them. */
#include "metrics_text.h"
#include "weft/http_metrics.h"
#include <inttypes.h>

#define FIGURE(member) offsetof(struct weft_cache_stats, member)

static const struct figure {
    const char *name, *help;
    size_t at; /* in the stats */
} figures[] = {
    {"hits_total", "Gets that found a fresh entry.", FIGURE(hits)},
    {"stale_total", "Gets that were served an old entry.", FIGURE(stale)},
    {"misses_total", "Gets that began a load.", FIGURE(misses)},
    {"joined_total", "Gets that joined a load.", FIGURE(joined)},
    {"failed_total", "Gets that were refused.", FIGURE(failed)},
    {"loads_total", "Loads that were begun.", FIGURE(loads)},
    {"refreshes_total", "Loads that nobody waited for.", FIGURE(refreshes)},
    {"errors_total", "Loads that failed or were cancelled.", FIGURE(errors)},
    {"rescued_total", "Failed loads that an old entry stood for.", FIGURE(rescued)},
    {"stored_total", "Entries that came in.", FIGURE(stored)},
    {"replaced_total", "Entries that a newer one replaced.", FIGURE(replaced)},
    {"evicted_total", "Entries that gave way.", FIGURE(evicted)},
    {"expired_total", "Entries whose time had passed.", FIGURE(expired)},
    {"forgotten_total", "Entries that were forgotten.", FIGURE(forgotten)},
    {"discarded_total", "Answers that were not stored.", FIGURE(discarded)},
};

/* What all lines are made of. */
struct families {
    struct metrics_text to;
    const char *prefix;
    const struct weft_http_metrics_cache *caches;
    size_t count;
};

static void put_head(struct families *all, const char *name, const char *type, const char *help)
{
    metrics_put(&all->to, "# HELP %s_cache_%s %s\n# TYPE %s_cache_%s %s\n", all->prefix, name, help,
                all->prefix, name, type);
}

static void put_escaped(struct metrics_text *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            metrics_put(to, "\\n");
        else
            metrics_put(to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
}

static void put_sample(struct families *all, const char *name, const char *label, uint64_t number)
{
    metrics_put(&all->to, "%s_cache_%s", all->prefix, name);
    if (label != NULL) {
        metrics_put(&all->to, "{cache=\"");
        put_escaped(&all->to, label);
        metrics_put(&all->to, "\"}");
    }
    metrics_put(&all->to, " %" PRIu64 "\n", number);
}

static void put_counter(struct families *all, const struct figure *figure)
{
    put_head(all, figure->name, "counter", figure->help);
    for (size_t i = 0; i < all->count; i++) {
        const char *stats = (const char *)&all->caches[i].cache->stats;
        put_sample(all, figure->name, all->caches[i].name,
                   *(const uint64_t *)(const void *)(stats + figure->at));
    }
}

static void put_gauges(struct families *all)
{
    put_head(all, "entries", "gauge", "Entries there are.");
    for (size_t i = 0; i < all->count; i++)
        put_sample(all, "entries", all->caches[i].name, all->caches[i].cache->entries);
    put_head(all, "bytes", "gauge", "What the entries count for.");
    for (size_t i = 0; i < all->count; i++)
        put_sample(all, "bytes", all->caches[i].name, all->caches[i].cache->bytes);
}

/* As the format has it, in any locale. */
static bool is_name(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:",
                      digits[] = "0123456789";
    if (text == NULL || text[0] == '\0' || strchr(letters, text[0]) == NULL)
        return false;
    for (; *text != '\0'; text++) {
        if (strchr(letters, *text) == NULL && strchr(digits, *text) == NULL)
            return false;
    }
    return true;
}

/* Several samples of one name are told apart by their labels. */
static bool are_named(const struct weft_http_metrics_cache *caches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (caches[i].cache == NULL || (count > 1 && caches[i].name == NULL))
            return false;
    }
    return true;
}

int weft_http_metrics_caches_format(const char *prefix,
                                    const struct weft_http_metrics_cache *caches, size_t count,
                                    char *text, size_t size)
{
    struct families all = {{text, size, 0}, prefix, caches, count};
    if (size > 0)
        text[0] = '\0';
    if (!is_name(prefix) || !are_named(caches, count))
        return UV_EINVAL;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        put_counter(&all, &figures[i]);
    put_gauges(&all);
    return metrics_end(&all.to, text);
}
