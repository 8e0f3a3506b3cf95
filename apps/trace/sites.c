/* Operations by what they are and where they were begun: how many, how many of them were never
 * destroyed, and the slowest. The loop is left out of what is open: it lives as long as the
 * program. */
#include "trace/analysis_inside.h"
#include <stdlib.h>
#include <uv.h>
#include <weft/alloc.h>

static int by_open(const void *one, const void *other)
{
    const struct analysis_site *a = one, *b = other;
    if (a->open != b->open)
        return a->open < b->open ? 1 : -1;
    if (a->oldest != b->oldest)
        return a->oldest < b->oldest ? 1 : -1;
    if (a->type != b->type)
        return a->type > b->type ? 1 : -1;
    return (a->site > b->site) - (a->site < b->site);
}

static void count(struct analysis *analysis, struct analysis_site *site, const struct trace *trace,
                  uint32_t number)
{
    const struct trace_op *op = &trace->ops[number];
    int64_t length = analysis_length(op);
    site->count++;
    site->handle = site->handle || op->handle;
    if (!op->ended) {
        if (trace_is_loop(trace, op))
            return;
        site->open++;
        analysis->open++;
        if (length > site->oldest)
            site->oldest = length;
    } else if (site->slowest == TRACE_NONE ||
               length > analysis_length(&trace->ops[site->slowest])) {
        site->slowest = number;
    }
}

/* The place for an operation, a new one if it is the first of its kind. NULL: no memory. */
static struct analysis_site *place(struct analysis *analysis, struct table *table, size_t *capacity,
                                   const struct trace_op *op)
{
    uint32_t *number = table_put(table, op->type, op->site);
    if (number == NULL)
        return NULL;
    if (*number == TABLE_NONE) {
        struct analysis_site *sites =
            grow(analysis->sites, analysis->site_count, capacity, sizeof *sites);
        if (sites == NULL)
            return NULL;
        analysis->sites = sites;
        sites[analysis->site_count] =
            (struct analysis_site){.type = op->type, .site = op->site, .slowest = TRACE_NONE};
        *number = (uint32_t)analysis->site_count++;
    }
    return &analysis->sites[*number];
}

int analysis_sites(struct analysis *analysis, const struct trace *trace)
{
    struct table table = {0};
    size_t capacity = 0;
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < trace->op_count; i++) {
        struct analysis_site *site = place(analysis, &table, &capacity, &trace->ops[i]);
        if (site == NULL)
            status = UV_ENOMEM;
        else
            count(analysis, site, trace, i);
    }
    table_free(&table);
    if (status != 0 || analysis->site_count == 0)
        return status;
    qsort(analysis->sites, analysis->site_count, sizeof *analysis->sites, by_open);
    while (analysis->open_site_count < analysis->site_count &&
           analysis->sites[analysis->open_site_count].open > 0)
        analysis->open_site_count++;
    return 0;
}
