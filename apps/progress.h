/* apps/progress.h: how far it is, in a line on standard error that is written over at most ten times a
 * second. Where that is no terminal, or belongs to another job, nothing is shown. */
#ifndef WEFT_APPS_PROGRESS_H
#define WEFT_APPS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_EVERY_MS = 100 };

/* Is there somebody who could see it? */
bool progress_is_seen(void);
/* "reading line 1000 of 5000 (20 %)". of 0: it is not known. */
void progress_count(const char *what, uint64_t count, uint64_t of);
/* The same for bytes: "copying 1.5 GB of 2 GB (75 %)". */
void progress_size(const char *what, uint64_t bytes, uint64_t of);
/* Take the line away, if it stands: before anything else is said, and at the end. */
void progress_end(void);

#endif
