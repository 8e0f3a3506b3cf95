/* Is a file one that LMDB can be given without fear? See pages.c. */
#ifndef WEFT_STORE_CRAWL_PAGES_H
#define WEFT_STORE_CRAWL_PAGES_H

#include <stddef.h>

/* Look at every page that is in use. WEFT_EDAMAGED; UV_ENOTSUP: of another version of LMDB;
 * UV_ENOMEM and errors of the system. *trouble: what is wrong, static storage, or NULL. */
int weft__crawl_pages_check(int fd, const char **trouble);
/* The same of a file that is in memory. */
int weft__crawl_pages_look(const char *file, size_t size, const char **trouble);

#endif
