/* apps/spider/columns.h: text of others on a terminal: how wide it is, where it is cut, and nothing in
 * it that a terminal would obey. */
#ifndef WEFT_SPIDER_COLUMNS_H
#define WEFT_SPIDER_COLUMNS_H

#include <stddef.h>

/* The columns that text takes when it was copied by columns_cut without being cut. */
unsigned columns_of(const char *text, size_t size);

/* Copy as much of text to `to` as fits into `columns` columns and `room` bytes, of which one is for the
 * NUL. If that is not all of it, its end says so: mark, which is one column wide. Controls, marks that
 * turn the direction of writing, and bytes that are no UTF-8 become '?'. Returns the columns; *bytes,
 * if bytes is not NULL, becomes the length. room 0: nothing is written. */
unsigned columns_cut(char *to, size_t room, const char *text, size_t size, unsigned columns,
                     const char *mark, size_t *bytes);

/* The same for a line that may be as long as it is, up to room bytes: '~' stands for what is cut. room is
 * not 0. Returns to. */
const char *columns_plain(char *to, size_t room, const char *text, size_t size);

#endif
