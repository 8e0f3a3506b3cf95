/* apps/spider/why.h: --why URL: why a URL was fetched, or was not, from what the state knows. */
#ifndef WEFT_SPIDER_WHY_H
#define WEFT_SPIDER_WHY_H

struct crawl;
struct settings;

enum { WHY_SAVED = 0, WHY_NOT = 1, WHY_USAGE = 2, WHY_NO_STATE = 5 };
enum { WHY_TRAPS = 256 }; /* bytes of what they say */

/* Tells it on standard output. WHY_SAVED: it is saved, or what it is redirected to; WHY_NOT: it is
 * not; WHY_USAGE, WHY_NO_STATE: it was said on standard error what is wrong. */
int why_run(const struct settings *settings);

/* why_traps.c: what the limits of trap.h would say about a link to crawl->link, which is not known. An error
 * is one of the state, or UV_ENOMEM. */
int why_traps(struct crawl *crawl, char text[WHY_TRAPS]);

#endif
