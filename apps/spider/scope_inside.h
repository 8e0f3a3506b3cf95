/* apps/spider/scope_inside.h: what the scope's sources share. */
#ifndef WEFT_SPIDER_SCOPE_INSIDE_H
#define WEFT_SPIDER_SCOPE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* A host of the list, as URLs have it. */
struct scope_place {
    char name[256];
    int32_t port; /* -1: the default */
    bool below;   /* "*.name" */
};

/* UV_EINVAL: it is no host; UV_ENOMEM. */
int scope_place_read(struct scope_place *place, const char *text);

#endif
