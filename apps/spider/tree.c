/* A site as a tree, one URL after the other.
 *
 * "http://h/a/b?q" is the host "http://h", below it "a/", below that "b?q"; "/a/" is what "a/" itself
 * stands for. Who comes first gets a node, and URLs come in the order in which they were found: so
 * what is near the start is in, and of a folder with a million pages the first few. Every URL counts
 * on its whole way, whether it has a node or not. */
#include "spider/tree.h"
#include <weft.h>

static uint64_t hash_of(const struct weft_crawl *state, struct weft_text text)
{
    struct weft_crawl_hash hash;
    uint64_t out[2];
    weft_crawl_hash_begin(state, &hash);
    weft_crawl_hash_add(&hash, text.data, text.size);
    weft_crawl_hash_end(&hash, out);
    return out[0];
}

static void count(struct tree_sum *sum, const struct weft_crawl_result *result)
{
    bool saved = result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN;
    sum->urls++;
    sum->saved += saved;
    sum->failed += result->what == WEFT_CRAWL_FAILED;
    sum->bytes += saved ? result->size : 0;
}

static bool is_full(const struct tree *tree, uint32_t parent)
{
    return tree->count >= TREE_NODES ||
           (parent != TREE_NONE && tree->nodes[parent].children >= TREE_CHILDREN);
}

static int make(struct tree *tree, uint32_t parent, struct weft_text name, uint32_t *place)
{
    struct tree_node *nodes = grow(tree->nodes, tree->count, &tree->room, sizeof *nodes);
    if (nodes == NULL)
        return UV_ENOMEM;
    tree->nodes = nodes;
    size_t size = name.size < TREE_NAME ? name.size : TREE_NAME;
    nodes[tree->count] = (struct tree_node){
        .parent = parent, .name = (uint32_t)tree->names.size, .name_size = (uint32_t)size};
    out_text(&tree->names, weft_text(name.data, size));
    if (tree->names.failed)
        return UV_ENOMEM;
    if (parent != TREE_NONE)
        nodes[parent].children++;
    *place = (uint32_t)tree->count++;
    return 0;
}

/* The child of this name, perhaps a new one; TREE_NONE: there is no room for it. */
static int enter(struct tree *tree, const struct weft_crawl *state, uint32_t parent,
                 struct weft_text name, uint32_t *child)
{
    uint64_t hash = hash_of(state, name);
    *child = table_get(&tree->places, parent, hash);
    if (*child != TABLE_NONE)
        return 0;
    *child = TREE_NONE;
    if (is_full(tree, parent))
        return 0;
    uint32_t *place = table_put(&tree->places, parent, hash);
    if (place == NULL)
        return UV_ENOMEM;
    int err = make(tree, parent, name, child);
    *place = err == 0 ? *child : TABLE_NONE;
    return err;
}

/* The next part of the way: a folder with its slash, or what is left. */
static struct weft_text next_part(struct weft_text *way)
{
    const char *slash = memchr(way->data, '/', way->size);
    const char *mark = memchr(way->data, '?', way->size);
    size_t size = slash != NULL && (mark == NULL || slash < mark) ? (size_t)(slash + 1 - way->data)
                                                                  : way->size;
    struct weft_text part = weft_text(way->data, size);
    *way = weft_text(way->data + size, way->size - size);
    return part;
}

int tree_add(struct tree *tree, const struct weft_crawl *state, const struct weft_url *url,
             const struct weft_crawl_result *result)
{
    struct weft_text part = weft_text(url->href.data, url->path_begin);
    struct weft_text way = weft_text(part.data + part.size, url->href.size - part.size);
    uint32_t node = TREE_NONE, child;
    next_part(&way); /* the first slash is the host's */
    for (unsigned depth = 0; depth <= TREE_DEPTH; depth++) {
        int err = enter(tree, state, node, part, &child);
        if (err != 0)
            return err;
        if (child == TREE_NONE)
            break;
        node = child;
        count(&tree->nodes[node].all, result);
        if (way.size == 0) {
            tree->nodes[node].what = result->what;
            tree->nodes[node].http_status = result->http_status;
            return 0;
        }
        part = next_part(&way);
    }
    if (node != TREE_NONE)
        count(&tree->nodes[node].rest, result);
    return 0;
}

void tree_free(struct tree *tree)
{
    weft_free(tree->nodes);
    out_free(&tree->names);
    table_free(&tree->places);
    *tree = (struct tree){0};
}
