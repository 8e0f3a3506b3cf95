/* apps/spider/sheet.h: the page of --report: one file that needs nothing else. */
#ifndef WEFT_SPIDER_SHEET_H
#define WEFT_SPIDER_SHEET_H

#include "trace/output.h"

struct crawl;

enum { SHEET_URL = 1000 }; /* bytes of a URL that are on the page; of a longer one its beginning */

/* The page about a crawl that is over, its state still open, into out. 0, or why not. */
int sheet_write(struct crawl *crawl, struct out *out);

#endif
