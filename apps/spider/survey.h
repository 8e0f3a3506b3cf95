/* apps/spider/survey.h: what the state knows, after all runs: types, large files, what is broken and
 * who links to it, and the site as a tree. For the report. */
#ifndef WEFT_SPIDER_SURVEY_H
#define WEFT_SPIDER_SURVEY_H

#include "spider/edges.h"
#include "spider/tally.h"
#include "spider/tree.h"

enum {
    SURVEY_TYPES = 40,     /* the last one is all the others */
    SURVEY_TYPE = 64,      /* bytes of a type's name */
    SURVEY_BROKEN = 65536, /* links that are looked at */
    SURVEY_SHOWN = 5000    /* and of these, those that are shown */
};

struct crawl;

/* Zeroed before its first use. */
struct survey {
    struct survey_type {
        char name[SURVEY_TYPE];
        uint32_t files;
        uint64_t bytes;
    } types[SURVEY_TYPES];
    unsigned types_count;
    struct tally_top largest;
    struct tree tree;
    /* Links to what has failed, each once, by who has them; from 0: nobody does, it was given. */
    struct edge *broken;
    size_t broken_count, broken_room;
    bool broken_more; /* there were too many */
    uint8_t *failed_; /* a bit for each number */
};

/* Reads all of the state and the edges. 0, or why not. */
int survey_take(struct survey *survey, struct crawl *crawl);
void survey_free(struct survey *survey);

#endif
