/* weft subsetsum bench: how long a server takes to say that it is alive while it searches, in each
 * mode, as a table and as a drawing.
 *
 * Every mode has a server of its own, and they follow one another, so that none disturbs the other. */
#include "subsetsum/bench.h"
#include "subsetsum/sample.h"
#include "subsetsum/subsetsum.h"
#include "units.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <weft.h>
#include <weft/http_message.h>

enum {
    NUMBERS = 48, /* about a second of searching */
    NUMBERS_LEAST = 20,
    NUMBERS_MOST = 56,
    FOR_MS = 3000,
    FOR_MS_LEAST = 200,
    FOR_MS_MOST = 10 * 60 * 1000
};

/* ---- one mode after the other --------------------------------------------------------------- */

static void start_next(struct subset_bench *bench);

static struct subset_bench *bench_of(struct weft_op *op)
{
    return weft_owner(op, struct subset_bench, op);
}

/* False: nobody can read it. main() will say so. */
static bool tell(struct subset_bench *bench, const struct trial *trial)
{
    if (bench->json)
        return true;
    if (trial == bench->trials)
        trial_show_head(bench);
    trial_show(trial);
    bench->told = ferror(stdout) != 0;
    return !bench->told;
}

static void trial_over(struct weft_op *op, struct weft_op *child)
{
    struct subset_bench *bench = bench_of(op);
    struct trial *trial = weft_owner(child, struct trial, op);
    if (child->status != 0) {
        if (trial->why[0] != '\0')
            complain("%s: %s", finding_mode_names[trial->mode], trial->why);
        bench->told = trial->why[0] != '\0';
        weft_end(op, child->status);
        return;
    }
    bench->over++;
    if (tell(bench, trial))
        start_next(bench);
    else
        weft_end(op, UV_EIO);
}

static void start_next(struct subset_bench *bench)
{
    if (bench->over == bench->count)
        weft_end(&bench->op, 0);
    else
        trial(&bench->op, &bench->trials[bench->over], trial_over);
}

static void begin(struct weft_op *op)
{
    start_next(bench_of(op));
}

/* ---- what is asked -------------------------------------------------------------------------- */

static void make_request(struct subset_bench *bench)
{
    char data[SUBSET_TEXT_MAX], escaped[3 * SUBSET_TEXT_MAX];
    struct subset_problem problem = subset_sample((unsigned)bench->numbers);
    struct subset_writer writer;
    struct weft_text text;
    subset_writer_init(&writer, &problem);
    text = weft_text(data, subset_write(&writer, UINT64_MAX, data));
    weft_http_percent_encode(text, WEFT_HTTP_ESCAPE_QUERY, escaped, sizeof escaped, &text);
    snprintf(bench->request, sizeof bench->request,
             "GET /subsetSum?data=%.*s&sum=%" PRId64 " HTTP/1.1\r\nHost: localhost\r\n\r\n",
             WEFT_TEXT_ARGS(text), (int64_t)problem.sum);
}

static bool make_trials(struct subset_bench *bench)
{
    bench->trials = weft_calloc(FINDING_MODES, sizeof *bench->trials);
    for (unsigned mode = 0; mode < FINDING_MODES && bench->trials != NULL; mode++) {
        if (bench->modes[mode]) {
            struct trial *trial = &bench->trials[bench->count++];
            trial->bench = bench;
            trial->mode = (enum finding_mode)mode;
        }
    }
    return bench->trials != NULL;
}

/* ---- the command line ----------------------------------------------------------------------- */

static bool read_mode(struct subset_bench *bench, struct weft_text word)
{
    for (unsigned mode = 0; mode < FINDING_MODES; mode++) {
        if (weft_text_is(word, finding_mode_names[mode]))
            return bench->modes[mode] = true;
    }
    return false;
}

static int read_modes(struct subset_bench *bench, const char *list)
{
    struct weft_text rest = weft_text_of(list);
    while (rest.data != NULL) {
        struct weft_text word = weft_text_cut(&rest, ',');
        if (!read_mode(bench, word))
            return misused("subsetsum",
                           "--modes takes some of sync, steps, threads, procs and redis with "
                           "commas between them, not '%.*s'",
                           WEFT_TEXT_ARGS(word));
    }
    return EXIT_OK;
}

static int check(const struct subset_bench *bench)
{
    char why[WEFT_REDIS_WHY];
    if (bench->for_ms < FOR_MS_LEAST || bench->for_ms > FOR_MS_MOST)
        return misused("subsetsum", "--seconds takes 0.2 to 600");
    if (bench->modes[FINDING_REDIS] != (bench->redis != NULL))
        return misused("subsetsum", bench->redis == NULL ? "mode redis needs --redis URL"
                                                         : "--redis is for mode redis");
    if (bench->redis != NULL && weft_redis_url_check(bench->redis, why) != 0)
        return misused("subsetsum", "--redis: %s", why);
    return EXIT_OK;
}

static int read_command_line(struct subset_bench *bench, int argc, char **argv)
{
    const char *modes = NULL;
    const struct option options[] = {
        {.name = "modes", .text = &modes},
        {.name = "seconds",
         .number = &bench->for_ms,
         .parse = units_duration,
         .example = "3, 0.5 or 500ms"},
        {.name = "numbers",
         .number = &bench->numbers,
         .least = NUMBERS_LEAST,
         .most = NUMBERS_MOST},
        {.name = "redis", .text = &bench->redis},
        {.name = "json", .flag = &bench->json},
        {.name = "svg", .text = &bench->svg},
        {.name = NULL},
    };
    int status = options_read("subsetsum", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc > 1)
        return misused("subsetsum", "bench takes options only, not '%s'", argv[1]);
    if (modes == NULL)
        modes =
            bench->redis == NULL ? "sync,steps,threads,procs" : "sync,steps,threads,procs,redis";
    status = read_modes(bench, modes);
    return status == EXIT_OK ? check(bench) : status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool draw(const struct subset_bench *bench)
{
    FILE *file = fopen(bench->svg, "w");
    bool drawn = false;
    if (file != NULL) {
        trial_plot(bench, file);
        drawn = !ferror(file);
        drawn = fclose(file) == 0 && drawn;
    }
    if (!drawn)
        complain("cannot write '%s': %s", bench->svg, strerror(errno));
    return drawn;
}

static int exit_status(const struct subset_bench *bench, int status, int caught)
{
    if (bench->json && (status == 0 || bench->over > 0))
        trial_show_json(bench);
    else if (!bench->json && !bench->told)
        trial_show_end(bench);
    if (caught != 0 && status != 0)
        return 128 + caught;
    if (status != 0 && !bench->told)
        complain("the bench has failed: %s", weft_strerror(status));
    if (status != 0)
        return EXIT_FAILED;
    return bench->svg == NULL || draw(bench) ? EXIT_OK : EXIT_FAILED;
}

static int run_all(struct subset_bench *bench)
{
    struct weft_interruptible app = {.task = &bench->op, .begin = begin};
    static char program[4096];
    size_t size = sizeof program;
    int err = uv_exepath(program, &size);
    if (err != 0 || !make_trials(bench)) {
        complain("%s", weft_strerror(err != 0 ? err : UV_ENOMEM));
        return EXIT_FAILED;
    }
    bench->program = program;
    make_request(bench);
    signal(SIGPIPE, SIG_IGN); /* whoever reads the table may go; the server must not stay */
    err = weft_go(&app.op, weft_interruptible_begin);
    return exit_status(bench, err, app.caught);
}

int subsetsum_bench_run(int argc, char **argv)
{
    static struct subset_bench bench = {.for_ms = FOR_MS, .numbers = NUMBERS};
    if (bench_is_child(argc, argv, BENCH_SERVER))
        return bench_be_child(argc, argv, subsetsum_serve_run);
    if (bench_is_child(argc, argv, TRIAL_WORKER))
        return bench_be_child(argc, argv, subsetsum_worker_run);
    int status = read_command_line(&bench, argc, argv);
    if (status == EXIT_OK)
        status = run_all(&bench);
    weft_free(bench.trials);
    return status;
}
