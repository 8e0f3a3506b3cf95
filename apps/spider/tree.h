/* apps/spider/tree.h: a site as a tree: hosts, folders, pages. Of a bounded size: what does not fit is
 * summed up in the folder that it would be in. */
#ifndef WEFT_SPIDER_TREE_H
#define WEFT_SPIDER_TREE_H

#include "trace/output.h"
#include "trace/table.h"
#include <weft/crawl.h>
#include <weft/url.h>

enum {
    TREE_NODES = 4000,
    TREE_CHILDREN = 250, /* of one node */
    TREE_DEPTH = 40,     /* folders in folders */
    TREE_NAME = 120,     /* bytes of a name that are kept */
    TREE_NONE = UINT32_MAX
};

struct tree_sum {
    uint32_t urls, saved, failed;
    uint64_t bytes;
};

struct tree_node {
    uint32_t parent; /* TREE_NONE: a host */
    uint32_t children;
    uint32_t name, name_size;  /* in names */
    struct tree_sum all;       /* of it and what is below */
    struct tree_sum rest;      /* of what is below and has no node */
    enum weft_crawl_what what; /* of the URL that ends here; 0: none does */
    int http_status;
};

/* Zeroed before its first use. */
struct tree {
    struct tree_node *nodes; /* a parent stands before its children */
    size_t count, room;
    struct out names;
    struct table places;
};

/* state is only for its hash. UV_ENOMEM. */
int tree_add(struct tree *tree, const struct weft_crawl *state, const struct weft_url *url,
             const struct weft_crawl_result *result);
static inline struct weft_text tree_name(const struct tree *tree, const struct tree_node *node)
{
    return weft_text(tree->names.data + node->name, node->name_size);
}
void tree_free(struct tree *tree);

#endif
