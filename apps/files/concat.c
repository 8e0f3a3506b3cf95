/* weft concat: several files as one.
 *
 * The operation (weft/concat.h) does all of it; here are the command line, a line that shows how far it
 * is, and what to say when it fails. Ctrl-C cancels it, and waits until the temporary file is gone. */
#include "command.h"
#include "files/names.h"
#include "options.h"
#include "progress.h"
#include "units.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft.h>

const char concat_usage[] =
    "concat SRC... -o DEST [OPTION...]\n"
    "\n"
    "Puts the bytes of all sources, in their order, in the place of DEST: in one step, when all "
    "of\n"
    "them are there. After an error DEST is as it was. '-' is standard input.\n"
    "\n"
    "  -o, --output DEST         the file to make or to replace; it may not be a source\n"
    "      --files-from FILE     more sources, one a line, behind those of the command line;\n"
    "                            '-' is standard input; it may be given several times\n"
    "  -0, --null                they end with a NUL instead, as find -print0 writes them\n"
    "      --max SIZE            fail if it would be more than this: 500M, 2G\n"
    "      --sync                be on the disk, with its name, before this ends\n"
    "  -q, --quiet               no line that shows how far it is, on a terminal\n";

struct app {
    struct weft_interruptible interruptible;
    struct weft_op op;
    struct weft_file_concat concat;
    struct weft_ticker ticker;
    struct files_names sources;
    struct option_list lists;
    const char *dest;
    uint64_t max;
    bool null, sync, quiet;
    bool made; /* DEST is the new file, whatever signal came meanwhile */
};

/* ---- at work -------------------------------------------------------------------------------- */

static void show(struct weft_op *ticker)
{
    struct app *app = weft_owner(ticker, struct app, ticker.op);
    struct weft_file_concat_progress progress = weft_file_concat_progress(&app->concat);
    progress_size("copying", progress.done, progress.total);
}

static void concat_over(struct weft_op *op, struct weft_op *concat)
{
    weft_owner(op, struct app, op)->made = concat->status == 0;
    weft_end(op, concat->status);
}

static void app_begin(struct weft_op *op)
{
    struct app *app = weft_owner(op, struct app, op);
    app->concat.durable = app->sync;
    app->concat.max = app->max;
    weft_file_concat(op, &app->concat, app->sources.names, app->sources.count, app->dest,
                     concat_over);
    if (!app->quiet && progress_is_seen())
        weft_ticker(op, &app->ticker, PROGRESS_EVERY_MS, show, weft_ignore);
}

/* ---- what to say ---------------------------------------------------------------------------- */

static bool is_dash(const char *name)
{
    return strcmp(name, "-") == 0;
}

/* A device or a file of the kernel's says UV_EINVAL for reasons of its own. */
static bool is_dest(const struct app *app, const char *source)
{
    struct stat from, to;
    if ((is_dash(source) ? fstat(STDIN_FILENO, &from) : stat(source, &from)) != 0)
        return false;
    return stat(app->dest, &to) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

static void complain_of_source(const struct app *app, int status)
{
    const char *name = app->sources.names[app->concat.failed];
    bool same = status == UV_EINVAL && is_dest(app, name);
    if (is_dash(name))
        name = "standard input";
    if (same)
        complain("%s: it is the same file as %s", name, app->dest);
    else
        complain("%s: %s", name, weft_strerror(status));
}

static bool leads_nowhere(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && stat(path, &st) != 0;
}

static int report(const struct app *app, int status)
{
    int caught = app->interruptible.caught;
    if (app->made)
        return EXIT_OK;
    if (caught != 0 && status == UV_EINTR)
        return 128 + caught;
    if (app->concat.failed != WEFT_NONE)
        complain_of_source(app, status);
    else if (status == UV_EINVAL)
        complain("%s: it is not a file that could be replaced", app->dest);
    else if (status == UV_ENOENT && leads_nowhere(app->dest))
        complain("%s: it is a link to what is not there", app->dest);
    else if (app->concat.exceeded)
        complain("%s: it would be larger than --max says", app->dest);
    else
        complain("%s: %s", app->dest, weft_strerror(status));
    return EXIT_FAILED;
}

/* ---- the command line ----------------------------------------------------------------------- */

/* How many of the lists are standard input. */
static size_t input_lists(const struct app *app)
{
    size_t count = 0;
    for (size_t i = 0; i < app->lists.count; i++)
        count += is_dash(app->lists.items[i]);
    return count;
}

static int take_words(struct app *app, int argc, char **argv)
{
    int err = 0;
    for (int i = 1; i < argc && err == 0; i++) {
        if (argv[i][0] == '\0')
            return misused("concat", "the name of a source is empty");
        if (is_dash(argv[i]) && input_lists(app) > 0)
            return misused("concat", "standard input is the list already");
        err = files_names_add(&app->sources, argv[i]);
    }
    if (err == 0)
        return EXIT_OK;
    complain("sources: %s", weft_strerror(err));
    return EXIT_FAILED;
}

static int take_list(struct app *app, const char *list)
{
    size_t before = app->sources.count;
    int err = files_names_read(&app->sources, list, app->null ? '\0' : '\n');
    if (err == UV_EILSEQ)
        complain("%s: there is a NUL in it; --null is for those", list);
    else if (err != 0)
        complain("%s: %s", list, weft_strerror(err));
    for (size_t i = before; err == 0 && i < app->sources.count; i++) {
        if (is_dash(app->sources.names[i]) && input_lists(app) > 0) {
            complain("%s: there is a '-' in it, but standard input is the list already", list);
            return EXIT_FAILED;
        }
    }
    return err == 0 ? EXIT_OK : EXIT_FAILED;
}

static int take_sources(struct app *app, int argc, char **argv)
{
    int status = take_words(app, argc, argv);
    for (size_t i = 0; i < app->lists.count && status == EXIT_OK; i++)
        status = take_list(app, app->lists.items[i]);
    return status;
}

static int read_command_line(struct app *app, int argc, char **argv)
{
    const struct option options[] = {
        {.name = "output", .letter = 'o', .text = &app->dest},
        {.name = "files-from", .list = &app->lists},
        {.name = "null", .letter = '0', .flag = &app->null},
        {.name = "max",
         .number = &app->max,
         .least = 1,
         .parse = units_size,
         .example = "500M or 2G"},
        {.name = "sync", .flag = &app->sync},
        {.name = "quiet", .letter = 'q', .flag = &app->quiet},
        {.name = NULL},
    };
    int status = options_read("concat", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (app->dest == NULL)
        return misused("concat", "say where to: -o DEST");
    if (is_dash(app->dest))
        return misused("concat", "-o takes a file; for standard output there is cat");
    if (app->null && app->lists.count == 0)
        return misused("concat", "--null says how the names of --files-from end");
    if (argc < 2 && app->lists.count == 0)
        return misused("concat", "say which files");
    if (input_lists(app) > 1)
        return misused("concat", "standard input can be one list only");
    return take_sources(app, argc, argv);
}

int concat_run(int argc, char **argv)
{
    struct app app = {.interruptible = {.task = &app.op, .begin = app_begin}};
    int status = read_command_line(&app, argc, argv);
    if (status == EXIT_OK) {
        int err = weft_go(&app.interruptible.op, weft_interruptible_begin);
        progress_end();
        status = report(&app, err);
    }
    files_names_free(&app.sources);
    return status;
}
