/* weft sales bench: the same questions to a server in each mode, as a table.
 *
 * Two tests: the paced one (20 requests, one each 200 ms), where one sees what a mode saves; and the
 * closed loop, where one sees how much a mode can take. Every run has a server of its own, which
 * knows nothing yet, and they follow one another, so that none disturbs the other. */
#include "progress.h"
#include "sales/bench.h"
#include "sales/sales.h"
#include "units.h"
#include <inttypes.h>
#include <signal.h>
#include <weft.h>
#include <weft/http_message.h>

enum {
    CLIENTS_MOST = 1000,
    REQUESTS_MOST = 1000,
    FOR_MS_MOST = 3600 * 1000,
    EVERY_MS_MOST = 60 * 1000,
    DELAY_MS_MOST = 60 * 1000,
    PROGRESS_MS = 200
};

/* ---- one run after the other ----------------------------------------------------------------- */

static void start_next(struct bench *bench);

static struct bench *bench_of(struct weft_op *op)
{
    return weft_owner(op, struct bench, op);
}

/* False: nobody can read it. main() will say so. */
static bool tell(struct bench *bench, const struct bench_run *run)
{
    if (bench->json)
        return true;
    if (run == bench->runs || run->test != run[-1].test)
        bench_show_head(bench, run);
    bench_show_run(run);
    bench->told = ferror(stdout) != 0;
    return !bench->told;
}

static void run_over(struct weft_op *op, struct weft_op *child)
{
    struct bench *bench = bench_of(op);
    struct bench_run *run = weft_owner(child, struct bench_run, op);
    weft_free(run->answer);
    run->answer = NULL;
    if (child->status != 0) {
        progress_end();
        if (run->why[0] != '\0')
            complain("%s: %s", totals_mode_names[run->mode], run->why);
        bench->told = run->why[0] != '\0';
        weft_end(op, child->status);
        return;
    }
    bench->over++;
    if (tell(bench, run))
        start_next(bench);
    else
        weft_end(op, UV_EIO);
}

static void start_next(struct bench *bench)
{
    if (bench->over == bench->count) {
        progress_end();
        weft_end(&bench->op, 0);
        return;
    }
    weft_run(&bench->op, &bench->runs[bench->over].op, bench_run_begin, run_over);
}

static void show_progress(struct weft_op *op)
{
    const struct bench *bench = weft_owner(op, struct bench, ticker.op);
    const struct bench_run *run = &bench->runs[bench->over];
    char text[64];
    if (bench->over == bench->count)
        return;
    snprintf(text, sizeof text, "run %zu of %zu, mode %s: requests", bench->over + 1, bench->count,
             totals_mode_names[run->mode]);
    progress_count(text, run->load.requests, run->test == BENCH_PACED ? bench->requests : 0);
}

static void filled(struct weft_op *op, struct weft_op *process)
{
    struct bench *bench = bench_of(op);
    char text[128];
    if (process->status == 0) {
        start_next(bench);
        return;
    }
    if (weft_cancelled(op) == 0) {
        weft_process_explain(&bench->temporary.process, text, sizeof text);
        complain("no sales were loaded: %s", text);
        bench->told = true;
    }
    weft_end(op, process->status);
}

static void begin(struct weft_op *op)
{
    struct bench *bench = bench_of(op);
    weft_ticker(op, &bench->ticker, PROGRESS_MS, show_progress, NULL);
    if (bench->temporary.folder[0] != '\0')
        bench_temporary_fill(op, &bench->temporary, bench->command, filled);
    else
        start_next(bench);
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* False: the item's name is too long. */
static bool make_request(struct bench *bench)
{
    char buffer[LEDGER_ITEM_MAX * 3 + 1];
    struct weft_text item = weft_text_of(bench->item);
    if (item.size > LEDGER_ITEM_MAX ||
        weft_http_percent_encode(item, WEFT_HTTP_ESCAPE_QUERY, buffer, sizeof buffer, &item) != 0)
        return false;
    int size = snprintf(bench->text, sizeof bench->text,
                        "GET /?item=%.*s HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n\r\n",
                        WEFT_TEXT_ARGS(item));
    bench->request = weft_text(bench->text, (size_t)size);
    return true;
}

static bool make_runs(struct bench *bench)
{
    bench->runs = weft_calloc(BENCH_RUNS, sizeof *bench->runs);
    if (bench->runs == NULL)
        return false;
    for (unsigned test = 0; test < BENCH_TESTS; test++) {
        if ((test == BENCH_PACED ? bench->requests : bench->for_ms) == 0)
            continue;
        for (unsigned mode = 0; mode < TOTALS_MODES; mode++) {
            if (!bench->modes[mode])
                continue;
            struct bench_run *run = &bench->runs[bench->count++];
            run->bench = bench;
            run->test = (enum bench_test)test;
            run->mode = mode;
        }
    }
    return true;
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool read_mode(struct bench *bench, struct weft_text word)
{
    for (unsigned mode = 0; mode < TOTALS_MODES; mode++) {
        if (weft_text_is(word, totals_mode_names[mode]))
            return bench->modes[mode] = true;
    }
    return false;
}

static int read_modes(struct bench *bench, const char *list)
{
    struct weft_text rest = weft_text_of(list);
    while (rest.data != NULL) {
        struct weft_text word = weft_text_cut(&rest, ',');
        if (!read_mode(bench, word))
            return misused("sales",
                           "--modes takes some of plain, batch, cache and promise with "
                           "commas between them, not '%.*s'",
                           WEFT_TEXT_ARGS(word));
    }
    return EXIT_OK;
}

static int read_command_line(struct bench *bench, int argc, char **argv)
{
    const char *modes = "plain,batch,cache,promise";
    const struct option options[] = {
        {.name = "db", .text = &bench->db},
        {.name = "item", .text = &bench->item},
        {.name = "modes", .text = &modes},
        {.name = "requests", .number = &bench->requests, .most = REQUESTS_MOST},
        {.name = "every", .number = &bench->every_ms, .least = 1, .most = EVERY_MS_MOST},
        {.name = "clients", .number = &bench->clients, .least = 1, .most = CLIENTS_MOST},
        {.name = "seconds",
         .number = &bench->for_ms,
         .parse = units_duration,
         .example = "2, 0.5 or 500ms"},
        {.name = "scan-delay", .number = &bench->scan_delay_ms, .most = DELAY_MS_MOST},
        {.name = "json", .flag = &bench->json},
        {.name = NULL},
    };
    int status = options_read("sales", options, &argc, argv);
    if (status == EXIT_OK)
        status = read_modes(bench, modes);
    if (status != EXIT_OK)
        return status;
    if (argc > 1)
        return misused("sales", "unexpected '%s'", argv[1]);
    if (bench->for_ms > FOR_MS_MOST)
        return misused("sales", "--seconds takes an hour at most");
    if (!make_request(bench))
        return misused("sales", "the name of an item has at most %d bytes", LEDGER_ITEM_MAX);
    return EXIT_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int exit_status(const struct bench *bench, int status, int caught)
{
    if (bench->json && (status == 0 || bench->over > 0))
        bench_show_json(bench);
    if (caught != 0 && status != 0)
        return 128 + caught;
    if (status != 0 && !bench->told)
        complain("the bench has failed: %s", weft_strerror(status));
    return status == 0 ? EXIT_OK : EXIT_FAILED;
}

/* The servers would make one where there is none, and find nothing in it. */
static bool is_ledger(const char *folder)
{
    struct ledger ledger = {0};
    const char *why;
    int err = ledger_open(&ledger, folder, LEDGER_READ, &why);
    if (err != 0)
        complain("%s", why);
    ledger_close(&ledger);
    return err == 0;
}

static int run_all(struct bench *bench)
{
    struct weft_interruptible app = {.task = &bench->op, .begin = begin};
    if (!make_runs(bench)) {
        complain("%s", weft_strerror(UV_ENOMEM));
        return EXIT_FAILED;
    }
    if (bench->count == 0)
        return exit_status(bench, 0, 0);
    if (bench->db == NULL ? !bench_temporary_make(&bench->temporary) : !is_ledger(bench->db))
        return EXIT_FAILED;
    if (bench->db == NULL)
        bench->db = bench->temporary.folder;
    signal(SIGPIPE, SIG_IGN); /* whoever reads the table may go; the folder must not stay */
    int status = weft_go(&app.op, weft_interruptible_begin);
    bench_temporary_remove(&bench->temporary);
    return exit_status(bench, status, app.caught);
}

int sales_bench_run(int argc, char **argv)
{
    static struct bench bench = {
        .item = "book", .requests = 20, .every_ms = 200, .clients = 20, .for_ms = 2000};
    static char command[4096];
    size_t size = sizeof command;
    if (bench_is_child(argc, argv, BENCH_SERVER))
        return bench_be_child(argc, argv, sales_serve_run);
    int status = read_command_line(&bench, argc, argv);
    if (status != EXIT_OK)
        return status;
    int err = uv_exepath(command, &size);
    if (err != 0) {
        complain("cannot find this program: %s", weft_strerror(err));
        return EXIT_FAILED;
    }
    bench.command = command;
    status = run_all(&bench);
    weft_free(bench.runs);
    return status;
}
