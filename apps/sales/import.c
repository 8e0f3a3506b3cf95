/* weft sales import: sales from a file.
 *
 * All of it is read before anything is written: whether a line is bad is known then, and the ledger is
 * in use only for as long as the writing takes. */
#include "progress.h"
#include "sales/intake.h"
#include "sales/sales.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAD_SHOWN = 20, PROGRESS_EVERY = 1024 };
enum bad { BAD_REFUSE, BAD_SKIP };
enum format { FORMAT_CSV, FORMAT_JSONL, FORMAT_BY_NAME };

static const char *const bad_words[] = {"refuse", "skip", NULL};
static const char *const format_words[] = {"csv", "jsonl", NULL};

struct import {
    const char *db, *file;
    unsigned bad, format;
    intake_next_fn *next;
    struct intake intake;
    struct ledger_bulk bulk;
    uint64_t bad_lines;
};

/* ---- the file ------------------------------------------------------------------------------- */

static int fill(void *context, char *buffer, size_t size)
{
    const int *fd = context;
    ssize_t got;
    do {
        got = read(*fd, buffer, size);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? uv_translate_sys_error(errno) : (int)got;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t size = strlen(name), end = strlen(ending);
    return size > end && weft_text_same(weft_text_of(name + size - end), weft_text_of(ending));
}

static int choose_format(struct import *import)
{
    if (import->format == FORMAT_BY_NAME && ends_with(import->file, ".csv"))
        import->format = FORMAT_CSV;
    if (import->format == FORMAT_BY_NAME &&
        (ends_with(import->file, ".jsonl") || ends_with(import->file, ".ndjson")))
        import->format = FORMAT_JSONL;
    if (import->format == FORMAT_BY_NAME)
        return misused("sales", "say what '%s' is: --format csv or --format jsonl", import->file);
    import->next = import->format == FORMAT_CSV ? csv_next : jsonl_next;
    return EXIT_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static void note_bad(struct import *import)
{
    if (import->bad_lines++ >= BAD_SHOWN)
        return;
    progress_end();
    complain("%s:%" PRIu64 ": %s", import->file, import->intake.line, import->intake.problem);
}

/* A sale of a file that will be refused is not kept. */
static int note_sale(struct import *import)
{
    const struct intake *intake = &import->intake;
    if (import->bad_lines > 0 && import->bad == BAD_REFUSE)
        return 0;
    return ledger_bulk_add(&import->bulk, intake->item, intake->amount, intake->time_s);
}

static int complain_of_reader(const struct import *import)
{
    const struct intake *intake = &import->intake;
    if (intake->problem != NULL)
        complain("%s:%" PRIu64 ": %s", import->file, intake->line, intake->problem);
    else
        complain("%s: %s", import->file, weft_strerror(intake->status));
    return EXIT_FAILED;
}

static int read_all(struct import *import)
{
    enum intake_got got;
    while ((got = import->next(&import->intake)) == INTAKE_SALE || got == INTAKE_BAD) {
        int err = 0;
        if (got == INTAKE_BAD)
            note_bad(import);
        else
            err = note_sale(import);
        if (err != 0) {
            complain("%s: %s", import->db, weft_strerror(err));
            return EXIT_FAILED;
        }
        if (import->intake.line % PROGRESS_EVERY == 0)
            progress_count("reading line", import->intake.line, 0);
    }
    progress_end();
    return got == INTAKE_END ? EXIT_OK : complain_of_reader(import);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void tell_written(struct ledger_bulk *bulk, uint64_t written)
{
    progress_count("writing", written, bulk->count);
}

static const char *lines_word(uint64_t count)
{
    return count == 1 ? "line" : "lines";
}

static int write_all(struct import *import)
{
    uint64_t bad = import->bad_lines;
    if (bad > BAD_SHOWN)
        complain("and %" PRIu64 " more", bad - BAD_SHOWN);
    if (bad > 0 && import->bad == BAD_REFUSE) {
        complain("%" PRIu64 " bad %s; --bad skip leaves them out", bad, lines_word(bad));
        return EXIT_FAILED;
    }
    int err = ledger_bulk_commit(&import->bulk);
    progress_end();
    if (err != 0) {
        complain("%s: %s", import->db, weft_strerror(err));
        return EXIT_FAILED;
    }
    printf("imported %" PRIu64 " %s", import->bulk.count,
           import->bulk.count == 1 ? "sale" : "sales");
    if (bad > 0)
        printf(", left out %" PRIu64 " bad %s", bad, lines_word(bad));
    putchar('\n');
    return EXIT_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int import_from(struct import *import, int fd)
{
    struct ledger ledger = {0};
    const char *why;
    if (ledger_open(&ledger, import->db, LEDGER_WRITE, &why) != 0) {
        complain("%s", why);
        return EXIT_FAILED;
    }
    import->intake.lines.fill = fill;
    import->intake.lines.context = &fd;
    import->intake.now_s = (int64_t)time(NULL);
    import->bulk.ledger = &ledger;
    import->bulk.progress = tell_written;
    int status = read_all(import);
    if (status == EXIT_OK)
        status = write_all(import);
    if (status != EXIT_OK)
        complain("nothing was imported");
    intake_free(&import->intake);
    ledger_bulk_free(&import->bulk);
    ledger_close(&ledger);
    return status;
}

int sales_import_run(int argc, char **argv)
{
    struct import import = {.db = SALES_DB, .format = FORMAT_BY_NAME};
    const struct option options[] = {
        {.name = "db", .text = &import.db},
        {.name = "bad", .words = bad_words, .word = &import.bad},
        {.name = "format", .words = format_words, .word = &import.format},
        {.name = NULL},
    };
    int status = options_read("sales", options, &argc, argv);
    if (status != EXIT_OK)
        return status;
    if (argc != 2)
        return misused("sales", "import takes one file");
    import.file = argv[1];
    status = choose_format(&import);
    if (status != EXIT_OK)
        return status;
    bool standard = strcmp(import.file, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(import.file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        complain("%s: %s", import.file, strerror(errno));
        return EXIT_FAILED;
    }
    status = import_from(&import, fd);
    if (!standard)
        close(fd);
    return status;
}
