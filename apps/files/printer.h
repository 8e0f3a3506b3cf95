/* apps/files/printer.h: standard output, or standard error, without waiting on the loop for whoever reads it.
 *
 *     out_string(&printer->text, "…");
 *     if (!printer_go(printer))
 *         … enough for now: printer->ready is called when there is room again …
 *
 * What is in text is written by a thread while more is put there. A pipe that nobody empties, or a terminal
 * that was stopped, holds up the thread, and a cancel still ends it at once. */
#ifndef WEFT_FILES_PRINTER_H
#define WEFT_FILES_PRINTER_H

#include "trace/output.h"
#include <weft.h>

/* So many bytes are held before somebody has to wait: at most twice as many, and what was put there last. */
enum { PRINTER_ROOM = 64 * 1024 };

struct printer;
typedef void printer_fn(struct printer *printer);

struct printer {
    struct weft_op *op; /* whose it is: the writes are its children */
    bool eager;         /* people look at it: what is there goes out as soon as it can */
    bool forgiving;     /* what cannot be written is dropped; otherwise op ends */
    printer_fn *ready;  /* after a printer_go that said false: there is room again */
    printer_fn *empty;  /* after printer_end: all was written */
    struct out text;    /* put it here */
    int status;         /* why it could not be written; 0: it could */
    struct out writing_;
    size_t written_, chunk_;
    int fd_;
    bool owns_fd_, busy_, waited_for_, ending_;
    struct weft_work work_;
};

/* op, the switches and the two functions are set, the rest is zero. fd stays as it is. */
void printer_open(struct printer *printer, int fd);
/* Write text if there is enough of it. false: put no more there until ready. */
bool printer_go(struct printer *printer);
/* That was all: write what is left, then call empty, at once if there is nothing. */
void printer_end(struct printer *printer);
/* When op is over, and without a loop: what was not written any more. Only as much as goes without waiting,
 * or all of it. */
void printer_flush(struct printer *printer, bool wait);
void printer_close(struct printer *printer);

#endif
