/* From what is found to standard output, and from what cannot be read to standard error.
 *
 * As it comes: lines go to the printer, and the walk pauses when that has had enough. Sorted: they are
 * gathered, and when the walk is over they go the same way, in their order. Either way it ends with
 * printer_end, and then with the walk's status. Complaints have a printer of their own, and who does not read
 * them makes the walk pause as well. */
#include "files/teller.h"
#include "command.h"
#include "leave.h"
#include "trace/utf8.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct teller *teller_of(struct weft_op *op)
{
    return weft_owner(op, struct teller, op);
}

/* ---- lines ---------------------------------------------------------------------------------- */

struct out *teller_line(struct teller *teller, struct weft_text path)
{
    if (!teller->sort)
        return &teller->printer.text;
    struct out *out = sorted_add(&teller->sorted, path);
    if (out == NULL)
        weft_end(&teller->op, UV_ENOMEM);
    return out;
}

bool teller_told(struct teller *teller)
{
    if (!teller->sort)
        return printer_go(&teller->printer);
    if (teller->sorted.text.failed) /* it may have been the last one: nobody else would find out */
        weft_end(&teller->op, UV_ENOMEM);
    return true;
}

static void put(const struct teller *teller, struct out *out, struct weft_text text, bool tabs)
{
    size_t before = out->size;
    out_text(out, text);
    if (teller->terminal && !out->failed && text.size > 0)
        out->size = before + utf8_make_harmless(out->data + before, text.size, tabs);
}

void teller_path(const struct teller *teller, struct out *out, struct weft_text path)
{
    put(teller, out, path, false);
}

void teller_text(const struct teller *teller, struct out *out, struct weft_text text)
{
    put(teller, out, text, true);
}

void teller_end_line(const struct teller *teller, struct out *out)
{
    out_text(out, weft_text(teller->null ? "\0" : "\n", 1));
}

void teller_json(struct out *out, const char *name, struct weft_text bytes)
{
    if (utf8_is_text(bytes)) {
        out_json_member(out, name, bytes);
        return;
    }
    char longer[64];
    snprintf(longer, sizeof longer, "%s_base64", name);
    out_json_name(out, longer);
    struct out raw = {.data = (char *)(uintptr_t)bytes.data, .size = bytes.size};
    out_string(out, "\"");
    out_base64(out, &raw);
    out_string(out, "\"");
}

static void hear_complaint(const char *line, size_t size, void *context)
{
    out_text(&((struct teller *)context)->complaints.text, weft_text(line, size));
}

bool teller_complain(struct teller *teller, const char *path, int status)
{
    bool loop = status == UV_ELOOP; /* a link: of links to links the walk knows nothing */
    complain("%s: %s", path,
             loop ? "it leads back to a folder that it lies in" : weft_strerror(status));
    return printer_go(&teller->complaints);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void print_sorted(struct teller *teller)
{
    struct weft_text line;
    while (sorted_take(&teller->sorted, &line)) {
        out_text(&teller->printer.text, line);
        if (!printer_go(&teller->printer))
            return;
    }
    printer_end(&teller->printer);
}

static int sort(struct weft_work *work)
{
    return sorted_sort(&weft_owner(work, struct teller, sorting)->sorted, work);
}

static void sorted(struct weft_op *op, struct weft_op *work)
{
    struct teller *teller = teller_of(op);
    if (work->status != 0) {
        weft_end(op, work->status);
        return;
    }
    teller->resume = print_sorted;
    print_sorted(teller);
}

void teller_over(struct teller *teller, const char *path, int status)
{
    if (status != 0) {
        if (weft_cancelled(&teller->op) == 0)
            teller->failed = path;
        weft_end(&teller->op, status);
        return;
    }
    if (teller->sort)
        weft_work(&teller->op, &teller->sorting, sort, sorted);
    else
        printer_end(&teller->printer);
}

static void ready(struct printer *printer)
{
    struct teller *teller = teller_of(printer->op);
    teller->resume(teller);
}

static void all_is_said(struct printer *complaints)
{
    weft_end(complaints->op, 0);
}

static void all_is_told(struct printer *printer)
{
    printer_end(&teller_of(printer->op)->complaints);
}

/* ---- the run -------------------------------------------------------------------------------- */

/* There is nothing to put away, so nobody has to wait for a file system that does not answer. */
static void interrupted(struct weft_op *op, int reason)
{
    const struct teller *teller = teller_of(op->parent);
    if (reason == UV_EINTR)
        leave_soon(128 + teller->interruptible.caught);
    weft_finish(op, reason);
}

static void wait_for_interrupt(struct weft_op *op)
{
    weft_on_cancel(op, interrupted);
}

static void begin(struct weft_op *op)
{
    struct teller *teller = teller_of(op);
    weft_run(op, &teller->interrupt, wait_for_interrupt, weft_ignore);
    teller->begin(teller);
}

static void open_printers(struct teller *teller)
{
    teller->terminal = isatty(STDOUT_FILENO) && !teller->json && !teller->null;
    teller->printer = (struct printer){.op = &teller->op,
                                       .eager = isatty(STDOUT_FILENO) != 0,
                                       .ready = ready,
                                       .empty = all_is_told};
    teller->complaints = (struct printer){
        .op = &teller->op, .eager = true, .forgiving = true, .ready = ready, .empty = all_is_said};
    printer_open(&teller->printer, STDOUT_FILENO);
    printer_open(&teller->complaints, STDERR_FILENO);
}

static void close_printers(struct teller *teller)
{
    printer_flush(&teller->complaints, teller->interruptible.caught == 0);
    printer_close(&teller->complaints);
    printer_close(&teller->printer);
}

int teller_run(struct teller *teller)
{
    open_printers(teller);
    complain_to(hear_complaint, teller);
    teller->interruptible = (struct weft_interruptible){.task = &teller->op, .begin = begin};
    int status = weft_go(&teller->interruptible.op, weft_interruptible_begin);
    complain_to(NULL, NULL);
    close_printers(teller);
    sorted_free(&teller->sorted);
    if (teller->interruptible.caught != 0 && status != 0) /* otherwise it came when all was told */
        return 128 + teller->interruptible.caught;
    if (teller->printer.status != 0)
        complain("cannot write to standard output: %s", weft_strerror(status));
    else if (teller->failed != NULL)
        complain("%s: %s", teller->failed, weft_strerror(status));
    else if (status != 0)
        complain("%s", weft_strerror(status));
    return status != 0 ? EXIT_FAILED : EXIT_OK;
}
