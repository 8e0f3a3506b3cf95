/* apps/embedded.h: files of the source that a command carries with it (cmake/Embed.cmake). */
#ifndef WEFT_APPS_EMBEDDED_H
#define WEFT_APPS_EMBEDDED_H

#include <stddef.h>

/* A table ends with a NULL name. */
struct embedded {
    const char *name; /* without its folder */
    const char *data; /* a NUL stands behind it */
    size_t size;
};

/* apps/trace/report/: the page of `weft trace report`. */
extern const struct embedded trace_page[];
/* apps/sales/page/: the page of `weft sales serve`. */
extern const struct embedded sales_page[];
/* apps/spider/page/: the page of `weft spider --report`. */
extern const struct embedded spider_page[];

#endif
