/* What is told: a table that grows line by line, or all of it at the end as JSON. */
#include "subsetsum/bench.h"
#include <inttypes.h>

/* A quantile is the middle of a bucket, which may lie above the longest time in it. */
static double quantile(const struct trial_client *client, unsigned per_mille)
{
    uint64_t ns = latency_at(&client->latency, per_mille);
    return (double)(ns < client->most_ns ? ns : client->most_ns) / 1e6;
}

struct trial_figures trial_figures(const struct trial *trial)
{
    const struct trial_client *alive = &trial->alive, *small = &trial->small;
    struct trial_figures figures = {.requests = alive->latency.count,
                                    .answered = alive->answers,
                                    .p50_ms = quantile(alive, 500),
                                    .p99_ms = quantile(alive, 990),
                                    .most_ms = (double)alive->most_ns / 1e6,
                                    .smalls = small->answers};
    for (unsigned i = 0; i < TRIAL_SEARCHES; i++)
        figures.searches += trial->searches[i].answers;
    snprintf(figures.p50, sizeof figures.p50, "%.3f", figures.p50_ms);
    snprintf(figures.p99, sizeof figures.p99, "%.3f", figures.p99_ms);
    snprintf(figures.most, sizeof figures.most, "%.3f", figures.most_ms);
    snprintf(figures.small, sizeof figures.small, "%.3f", quantile(small, 500));
    return figures;
}

void trial_head(const struct subset_bench *bench, char text[TRIAL_TEXT])
{
    snprintf(text, TRIAL_TEXT,
             "%d searches at a time among %" PRIu64 " integers, for %g s; %d workers where there "
             "are any",
             TRIAL_SEARCHES, bench->numbers, (double)bench->for_ms / 1e3, TRIAL_WORKERS);
}

bool trial_note(const struct trial *trial, char text[TRIAL_TEXT])
{
    struct trial_figures figures = trial_figures(trial);
    snprintf(text, TRIAL_TEXT,
             "%s: the last request was not answered in that time; it counts with what it waited",
             finding_mode_names[trial->mode]);
    return figures.requests > figures.answered;
}

/* ---- the table ------------------------------------------------------------------------------- */

void trial_show_head(const struct subset_bench *bench)
{
    char text[TRIAL_TEXT];
    trial_head(bench, text);
    printf("%s\n%-8s %9s %10s %10s %10s %9s %10s\n", text, "mode", "requests", "p50 ms", "p99 ms",
           "max ms", "searches", "small ms");
}

void trial_show(const struct trial *trial)
{
    struct trial_figures figures = trial_figures(trial);
    printf("%-8s %9" PRIu64 " %10s %10s %10s %9" PRIu64 " %10s\n", finding_mode_names[trial->mode],
           figures.requests, figures.p50, figures.p99, figures.most, figures.searches,
           figures.small);
    fflush(stdout);
}

/* JSON says it with figures. */
void trial_show_end(const struct subset_bench *bench)
{
    char note[TRIAL_TEXT];
    for (size_t i = 0; i < bench->over; i++) {
        if (trial_note(&bench->trials[i], note))
            puts(note);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void show_json(const struct trial *trial)
{
    struct trial_figures figures = trial_figures(trial);
    printf("{\"mode\":\"%s\",\"requests\":%" PRIu64 ",\"answered\":%" PRIu64
           ",\"p50_ms\":%s,\"p99_ms\":%s,\"max_ms\":%s,\"searches\":%" PRIu64 ",\"small\":%" PRIu64
           ",\"small_ms\":%s}",
           finding_mode_names[trial->mode], figures.requests, figures.answered, figures.p50,
           figures.p99, figures.most, figures.searches, figures.smalls, figures.small);
}

/* No text in it needs to be escaped. */
void trial_show_json(const struct subset_bench *bench)
{
    printf("{\"searches\":%d,\"workers\":%d,\"numbers\":%" PRIu64 ",\"seconds\":%g,\"pause_ms\":%d,"
           "\"modes\":[",
           TRIAL_SEARCHES, TRIAL_WORKERS, bench->numbers, (double)bench->for_ms / 1e3,
           TRIAL_PAUSE_MS);
    for (size_t i = 0; i < bench->over; i++) {
        if (i > 0)
            putchar(',');
        show_json(&bench->trials[i]);
    }
    puts("]}");
}
