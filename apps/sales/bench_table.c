/* What is told: a table that grows line by line, or all of it at the end as JSON. */
#include "progress.h"
#include "sales/bench.h"
#include "sales/sales.h"
#include <inttypes.h>

static double milliseconds(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double rate(const struct bench_load *load)
{
    return load->took_ns > 0 ? (double)load->requests * 1e9 / (double)load->took_ns : 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

void bench_show_head(const struct bench *bench, const struct bench_run *run)
{
    progress_end();
    if (run == bench->runs)
        printf("%s\n", run->load.answer);
    if (run->test == BENCH_PACED)
        printf("\nrequests: %" PRIu64 ", one each %" PRIu64 " ms\n", bench->requests,
               bench->every_ms);
    else
        printf("\nclients: %" PRIu64 ", each asks again at once, for %g s\n", bench->clients,
               (double)bench->for_ms / 1e3);
    printf("%-8s %9s %10s %9s %9s %9s %9s %9s\n", "mode", "requests", "req/s", "p50 ms", "p99 ms",
           "scans", "joined", "hits");
}

void bench_show_run(const struct bench_run *run)
{
    const struct bench_load *load = &run->load;
    progress_end();
    printf("%-8s %9" PRIu64 " %10.1f %9.3f %9.3f %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n",
           totals_mode_names[run->mode], load->requests, rate(load),
           milliseconds(latency_at(&load->latency, 500)),
           milliseconds(latency_at(&load->latency, 990)), run->figures.scans, run->figures.joined,
           run->figures.hits);
    fflush(stdout);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void show_json_run(const struct bench_run *run)
{
    const struct bench_load *load = &run->load;
    printf("{\"test\":\"%s\",\"mode\":\"%s\",\"requests\":%" PRIu64 ",\"seconds\":%.6f,"
           "\"rate\":%.3f,\"p50_ms\":%.6f,\"p99_ms\":%.6f,\"scans\":%" PRIu64 ",\"joined\":%" PRIu64
           ",\"hits\":%" PRIu64 "}",
           run->test == BENCH_PACED ? "paced" : "closed", totals_mode_names[run->mode],
           load->requests, milliseconds(load->took_ns) / 1e3, rate(load),
           milliseconds(latency_at(&load->latency, 500)),
           milliseconds(latency_at(&load->latency, 990)), run->figures.scans, run->figures.joined,
           run->figures.hits);
}

/* No text in it needs to be escaped. */
void bench_show_json(const struct bench *bench)
{
    progress_end();
    printf("{\"clients\":%" PRIu64 ",\"seconds\":%g,\"requests\":%" PRIu64 ",\"every_ms\":%" PRIu64
           ",\"scan_delay_ms\":%" PRIu64 ",\"runs\":[",
           bench->clients, (double)bench->for_ms / 1e3, bench->requests, bench->every_ms,
           bench->scan_delay_ms);
    for (size_t i = 0; i < bench->over; i++) {
        if (i > 0)
            putchar(',');
        show_json_run(&bench->runs[i]);
    }
    puts("]}");
}
