/* Making the automaton. The keywords, as symbols, are sorted; then the keywords that begin with what
 * a node stands for lie side by side, and its children divide that span among them. Nodes are made in
 * the order of their depth, which has three uses: the array of nodes is the queue of those still to
 * be looked at; the children of a node follow each other, so that a child is found by memchr; and
 * what a node's links lead to, being shorter, is done before it. */
#include "automaton.h"
#include "symbol.h"
#include "weft/alloc.h"
#include <uv.h>

struct key {
    struct weft_text symbols;
    uint32_t keyword;
};

/* The keys that begin with what a node stands for: first .. end. */
struct span {
    uint32_t first, end;
};

struct making {
    struct automaton *automaton;
    struct key *keys;
    struct span *spans; /* of all nodes */
    uint32_t node_count;
};

static size_t count_symbols(const struct weft_text *keywords, size_t count, bool folds)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t at = 0; at < keywords[i].size;) {
            struct symbols symbols =
                symbols_read(keywords[i].data + at, keywords[i].size - at, folds);
            total += symbols.count;
            at += symbols.size;
        }
    }
    return total;
}

static struct weft_text write_symbols(char *to, struct weft_text keyword, bool folds)
{
    size_t size = 0;
    for (size_t at = 0; at < keyword.size;) {
        struct symbols symbols = symbols_read(keyword.data + at, keyword.size - at, folds);
        at += symbols.size;
        while (symbols.count > 0)
            to[size++] = (char)symbols_take(&symbols);
    }
    return weft_text(to, size);
}

static bool is_before(const struct key *one, const struct key *other)
{
    size_t size = one->symbols.size < other->symbols.size ? one->symbols.size : other->symbols.size;
    int order = memcmp(one->symbols.data, other->symbols.data, size);
    return order != 0 ? order < 0 : one->symbols.size < other->symbols.size;
}

/* Equal ones keep their order: the one that was given first comes first. They are a thousand at
 * most, so that the simplest sort will do. */
static void sort_in(struct key *keys, size_t count, struct key key)
{
    for (; count > 0 && is_before(&key, &keys[count - 1]); count--)
        keys[count] = keys[count - 1];
    keys[count] = key;
}

static void add_child(struct making *making, uint32_t parent, unsigned char label, uint32_t first)
{
    struct automaton *automaton = making->automaton;
    struct node *from = &automaton->nodes[parent];
    uint32_t node = making->node_count++;
    if (from->child_count++ == 0)
        from->children = node;
    automaton->labels[node] = label;
    automaton->nodes[node].depth = from->depth + 1;
    making->spans[node].first = first;
}

static void add_children(struct making *making, uint32_t node)
{
    uint32_t depth = making->automaton->nodes[node].depth;
    struct span span = making->spans[node];
    uint32_t last = 0; /* the child made last; the root is nobody's */
    for (uint32_t i = span.first; i < span.end; i++) {
        if (making->keys[i].symbols.size == depth)
            continue;
        unsigned char label = (unsigned char)making->keys[i].symbols.data[depth];
        if (last == 0 || making->automaton->labels[last] != label) {
            last = making->node_count;
            add_child(making, node, label, i);
        }
        making->spans[last].end = i + 1;
    }
}

/* Of a node that is not the root. Its keys that end here come first in its span. */
static void link_up(struct making *making, uint32_t parent, uint32_t node)
{
    struct node *nodes = making->automaton->nodes, *here = &nodes[node];
    const struct key *key = &making->keys[making->spans[node].first];
    here->fail = parent == 0 ? 0
                             : weft__automaton_step(making->automaton, nodes[parent].fail,
                                                    making->automaton->labels[node]);
    here->ending = nodes[here->fail].ending;
    if (key->symbols.size == here->depth) {
        here->ending = node;
        here->keyword = key->keyword;
    }
}

static void set_tail(struct making *making, uint32_t node)
{
    struct node *here = &making->automaton->nodes[node];
    struct span span = making->spans[node];
    const struct key *key = &making->keys[span.first];
    if (span.end - span.first > 1 || key->symbols.size == here->depth)
        return;
    here->keyword = key->keyword;
    here->tail = (uint32_t)(key->symbols.data - (char *)making->automaton->tails) + here->depth;
    here->tail_size = (uint32_t)key->symbols.size - here->depth;
}

static void grow(struct making *making, uint32_t count)
{
    struct automaton *automaton = making->automaton;
    making->spans[0] = (struct span){0, count};
    making->node_count = 1;
    for (uint32_t node = 0; node < making->node_count; node++) {
        add_children(making, node);
        set_tail(making, node);
        const struct node *here = &automaton->nodes[node];
        for (uint32_t i = 0; i < here->child_count; i++)
            link_up(making, node, here->children + i);
    }
}

static void free_making(struct making *making)
{
    weft_free(making->keys);
    weft_free(making->spans);
}

int weft__automaton_make(struct automaton *automaton, const struct weft_text *keywords,
                         size_t count, bool folds)
{
    size_t size = count_symbols(keywords, count, folds), written = 0;
    struct making making = {.automaton = automaton,
                            .keys = weft_calloc(count, sizeof *making.keys),
                            .spans = weft_calloc(size + 1, sizeof *making.spans)};
    *automaton = (struct automaton){.nodes = weft_calloc(size + 1, sizeof *automaton->nodes),
                                    .labels = weft_calloc(size + 1, 1),
                                    .tails = weft_alloc(size),
                                    .folds = folds};
    bool got = making.keys != NULL && making.spans != NULL && automaton->nodes != NULL &&
               automaton->labels != NULL && automaton->tails != NULL;
    for (uint32_t i = 0; got && i < count; i++) {
        struct key key = {write_symbols((char *)automaton->tails + written, keywords[i], folds), i};
        written += key.symbols.size;
        sort_in(making.keys, i, key);
    }
    if (got)
        grow(&making, (uint32_t)count);
    else
        weft__automaton_close(automaton);
    free_making(&making);
    return got ? 0 : UV_ENOMEM;
}

void weft__automaton_close(struct automaton *automaton)
{
    weft_free(automaton->nodes);
    weft_free(automaton->labels);
    weft_free(automaton->tails);
    *automaton = (struct automaton){0};
}
