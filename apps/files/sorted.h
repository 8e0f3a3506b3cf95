/* apps/files/sorted.h: lines that wait until all are there, and then come out sorted by their paths.
 *
 * By the bytes of names, and what is in a folder directly behind it: a slash is smaller than all other
 * bytes. Lines of one path stay in the order in which they came. */
#ifndef WEFT_FILES_SORTED_H
#define WEFT_FILES_SORTED_H

#include "trace/output.h"
#include <weft/work.h>

/* At most so many bytes: whoever has more is better off without sorting. */
#define SORTED_MOST ((size_t)4 << 30)

struct sorted_line;
struct sorted {
    struct out text;
    struct sorted_line *lines;
    size_t count, capacity, next; /* next: to be taken */
};

/* Where to put a line for path: it ends where the next one begins. NULL: no memory, or too many. */
struct out *sorted_add(struct sorted *sorted, struct weft_text path);
/* All are there: on a thread, for a million of them take a second. UV_ENOMEM; UV_ECANCELED: work was
 * stopped, and they are in no order. */
int sorted_sort(struct sorted *sorted, const struct weft_work *work);
/* The next line; false: that was the last. */
bool sorted_take(struct sorted *sorted, struct weft_text *line);
void sorted_free(struct sorted *sorted);

#endif
