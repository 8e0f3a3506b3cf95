/* apps/files/teller.h: what `weft list` and `weft find` share: a walk whose finds are written to standard
 * output, as they come or sorted, until it is over or somebody presses Ctrl-C.
 *
 *     walk ──► teller_line, … ──► teller_told ──────────────► printer
 *       │                              └── --sort ──► sorted ───┘  (when all are there)
 *       └────► teller_complain ─────────────────────────────► complaints */
#ifndef WEFT_FILES_TELLER_H
#define WEFT_FILES_TELLER_H

#include "files/printer.h"
#include "files/sorted.h"

struct teller {
    /* Set before teller_run; the rest is zero. */
    bool sort, null, json;
    void (*begin)(struct teller *teller);  /* start the walk, under op */
    void (*resume)(struct teller *teller); /* it was told to pause: go on */

    struct weft_op op;
    bool terminal;      /* people look at it: names must not drive it */
    const char *failed; /* the path whose walk has failed as op did */
    struct printer printer, complaints;
    struct sorted sorted;
    struct weft_work sorting;
    struct weft_interruptible interruptible;
    struct weft_op interrupt; /* hears of it */
};

/* The exit status. 0; EXIT_FAILED: it was said what failed; 128 and the signal's number. */
int teller_run(struct teller *teller);

/* A line about path: where to write it, with its end. NULL: no memory, and the walk is over. */
struct out *teller_line(struct teller *teller, struct weft_text path);
/* The line is complete. false: pause the walk. */
bool teller_told(struct teller *teller);
/* The walk of path has ended: write what is left, then end as it did. */
void teller_over(struct teller *teller, const char *path, int status);

/* Something could not be read: for on_error. false: pause the walk. */
bool teller_complain(struct teller *teller, const char *path, int status);

/* A path, or a text that may have tabs, as it is; for a terminal with '?' for what would drive it. And
 * what ends a path. */
void teller_path(const struct teller *teller, struct out *out, struct weft_text path);
void teller_text(const struct teller *teller, struct out *out, struct weft_text text);
void teller_end_line(const struct teller *teller, struct out *out);
/* A member of a JSON object: "name":"…", or "name_base64":"…" if it is no UTF-8. */
void teller_json(struct out *out, const char *name, struct weft_text bytes);

#endif
