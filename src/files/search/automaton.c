/* Reading with the automaton, in two ways.
 *
 * To look whether a keyword begins at one place is a walk down the tree, as long as there are
 * children that fit: all keywords are tried at once, and the work is at most the longest of them.
 * Most nodes are on the way to a single keyword; at the first of those its rest is compared instead.
 *
 * To find the leftmost from a place on without ever going back, the links are used: the node after
 * each symbol is the longest end of what was read that a keyword begins with, so nothing that began
 * before it is still going on. A match is kept while something that began no later than it is still
 * going on; that may turn out to be the leftmost, or to be the one that was given first.
 *
 * Keywords begin and end where units do, so it is enough to look at the node behind each unit. Places
 * in text and in symbols differ where case does not matter: the search counts symbols, and where in
 * the text the match began is found by reading up to there again. */
#include "automaton.h"
#include "symbol.h"

enum { TAIL_BYTES_A_STEP = 16 }; /* that memcmp does in the time of a step down the tree */

/* The child of node that byte leads to; 0, that is nobody's child: there is none. */
static uint32_t child(const struct automaton *automaton, uint32_t node, unsigned char byte)
{
    const struct node *from = &automaton->nodes[node];
    const unsigned char *labels = automaton->labels + from->children;
    if (from->child_count == 1)
        return labels[0] == byte ? from->children : 0;
    const unsigned char *label = memchr(labels, byte, from->child_count);
    return label != NULL ? (uint32_t)(label - automaton->labels) : 0;
}

uint32_t weft__automaton_step(const struct automaton *automaton, uint32_t node, unsigned char byte)
{
    uint32_t next;
    while ((next = child(automaton, node, byte)) == 0 && node != 0)
        node = automaton->nodes[node].fail;
    return next;
}

/* ---- at one place ---------------------------------------------------------------------------- */

/* The node that all of the symbols lead to, 0 if there is none. */
static uint32_t descend(const struct automaton *automaton, uint32_t node, struct symbols symbols)
{
    do
        node = child(automaton, node, symbols_take(&symbols));
    while (symbols.count > 0 && node != 0);
    return node;
}

/* Where the tail .. end stops that begins at data[at], when case does not matter; 0: it is not there. */
static size_t compare_folded(const unsigned char *tail, const unsigned char *end,
                             struct weft_text data, size_t at, size_t *spent)
{
    for (; tail < end && at < data.size; ++*spent) {
        struct symbols symbols = symbols_read(data.data + at, data.size - at, true);
        at += symbols.size;
        do {
            if (*tail++ != symbols_take(&symbols))
                return 0;
        } while (symbols.count > 0 && tail < end);
    }
    return tail == end ? at : 0;
}

static size_t compare_tail(const struct automaton *automaton, const struct node *node,
                           struct weft_text data, size_t at, size_t *spent)
{
    const unsigned char *tail = automaton->tails + node->tail;
    if (automaton->folds)
        return compare_folded(tail, tail + node->tail_size, data, at, spent);
    *spent += 1 + node->tail_size / TAIL_BYTES_A_STEP;
    if (data.size - at < node->tail_size || memcmp(data.data + at, tail, node->tail_size) != 0)
        return 0;
    return at + node->tail_size;
}

bool weft__automaton_match(const struct automaton *automaton, struct weft_text data, size_t at,
                           struct found *found, size_t *spent)
{
    const struct node *node = automaton->nodes;
    size_t end = at;
    bool is = false;
    for (; node->tail_size == 0 && end < data.size; ++*spent) {
        struct symbols symbols = symbols_read(data.data + end, data.size - end, automaton->folds);
        uint32_t next = descend(automaton, (uint32_t)(node - automaton->nodes), symbols);
        if (next == 0)
            return is;
        node = &automaton->nodes[next];
        end += symbols.size;
        if (node->ending == next && (!is || node->keyword < found->keyword)) {
            *found = (struct found){at, end, node->keyword};
            is = true;
        }
    }
    if (node->tail_size == 0 || (is && found->keyword < node->keyword))
        return is;
    if ((end = compare_tail(automaton, node, data, end, spent)) == 0)
        return is;
    *found = (struct found){at, end, node->keyword};
    return true;
}

/* ---- from a place on ------------------------------------------------------------------------- */

/* Where in the text the symbol with this number, counted from at, is. */
static size_t place_of(struct weft_text data, size_t at, size_t number)
{
    for (size_t read = 0; read < number;) {
        struct symbols symbols = symbols_read(data.data + at, data.size - at, true);
        read += symbols.count;
        at += symbols.size;
    }
    return at;
}

bool weft__automaton_find(const struct automaton *automaton, struct weft_text data, size_t at,
                          struct found *found)
{
    size_t read = 0; /* symbols; so is found->start, until the end */
    uint32_t node = 0;
    bool is = false;
    for (size_t end = at; end < data.size;) {
        struct symbols symbols = symbols_read(data.data + end, data.size - end, automaton->folds);
        end += symbols.size;
        read += symbols.count;
        while (symbols.count > 0)
            node = weft__automaton_step(automaton, node, symbols_take(&symbols));
        if (is && read - automaton->nodes[node].depth > found->start)
            break;
        const struct node *ending = &automaton->nodes[automaton->nodes[node].ending];
        size_t start = read - ending->depth;
        if (ending->depth > 0 && (!is || start < found->start ||
                                  (start == found->start && ending->keyword < found->keyword))) {
            *found = (struct found){start, end, ending->keyword};
            is = true;
        }
    }
    if (is)
        found->start = automaton->folds ? place_of(data, at, found->start) : at + found->start;
    return is;
}
