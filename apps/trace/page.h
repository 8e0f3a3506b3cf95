/* apps/trace/page.h: a trace as one page that needs nothing else. */
#ifndef WEFT_TRACE_PAGE_H
#define WEFT_TRACE_PAGE_H

#include "trace/show.h"

/* The whole page into view->out. */
void page_write(const struct view *view);

#endif
