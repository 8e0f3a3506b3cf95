/* apps/spider/why.h: --why URL: why a URL was fetched, or was not, from what the state knows. */
#ifndef WEFT_SPIDER_WHY_H
#define WEFT_SPIDER_WHY_H

struct settings;

enum { WHY_SAVED = 0, WHY_NOT = 1, WHY_USAGE = 2, WHY_NO_STATE = 5 };

/* Tells it on standard output. WHY_SAVED: it is saved, or what it is redirected to; WHY_NOT: it is
 * not; WHY_USAGE, WHY_NO_STATE: it was said on standard error what is wrong. */
int why_run(const struct settings *settings);

#endif
