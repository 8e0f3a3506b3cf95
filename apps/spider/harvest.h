/* apps/spider/harvest.h: what came in, by status and by kind. All zero is a beginning. */
#ifndef WEFT_SPIDER_HARVEST_H
#define WEFT_SPIDER_HARVEST_H

#include <stddef.h>
#include <stdint.h>
#include <weft/text.h>

enum {
    HARVEST_CLASSES = 7,       /* [2] is 2xx; [0] is no answer, */
    HARVEST_OTHER_CLASSES = 6, /* and here are those that HTTP does not know: 999 */
    HARVEST_TYPES = 24,        /* more are one: "others" */
    HARVEST_NAME = 40
};

struct harvest_type {
    char name[HARVEST_NAME]; /* "text/html" */
    uint64_t count, bytes;
};

struct harvest {
    uint64_t classes[HARVEST_CLASSES];
    struct harvest_type types[HARVEST_TYPES];
    size_t types_count;
};

/* A request for a page is over; http_status 0: without a status line. */
void harvest_answer(struct harvest *harvest, int http_status);
/* A page was saved; its Content-Type may be empty, and anything. */
void harvest_saved(struct harvest *harvest, struct weft_text content_type, uint64_t bytes);
/* The types with the most pages first. */
void harvest_sort(struct harvest *harvest);

#endif
