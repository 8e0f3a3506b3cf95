/* All keywords as one tree of bytes, with the links that make an automaton of it (Aho and Corasick). */
#ifndef WEFT_FILES_SEARCH_AUTOMATON_H
#define WEFT_FILES_SEARCH_AUTOMATON_H

#include "weft/text.h"
#include <stdint.h>

struct node {
    uint32_t children;    /* the first of them; the others follow it */
    uint32_t child_count; /* 0 to 256 */
    uint32_t depth;
    uint32_t fail;   /* the longest other node that is an end of this one */
    uint32_t ending; /* the longest node where a keyword ends that is an end of this one, or this */
    uint32_t keyword; /* if ending is this node: the first of those that end here */
    /* Where only one keyword goes on and none ends: that keyword is the above, its rest is in tails. */
    uint32_t tail, tail_size; /* 0: not so */
};

struct automaton {
    struct node *nodes;    /* in order of depth; 0 is the root */
    unsigned char *labels; /* of each node: the byte that leads to it */
    unsigned char *tails;  /* all keywords, as symbols */
    bool folds;            /* case does not matter */
};

/* What was found: data[start .. end). */
struct found {
    size_t start, end, keyword;
};

/* Needs a close only when it returns 0. UV_ENOMEM. */
int weft__automaton_make(struct automaton *automaton, const struct weft_text *keywords,
                         size_t count, bool folds);
void weft__automaton_close(struct automaton *automaton);

/* Whether a keyword begins at data[at], where a unit begins; the one that was given first. Adds
 * what it took to *spent, in steps that take about the same time. */
bool weft__automaton_match(const struct automaton *automaton, struct weft_text data, size_t at,
                           struct found *found, size_t *spent);

/* The leftmost from at on, where a unit begins; linear. */
bool weft__automaton_find(const struct automaton *automaton, struct weft_text data, size_t at,
                          struct found *found);

/* Where a byte leads from a node, by way of its links if need be. */
uint32_t weft__automaton_step(const struct automaton *automaton, uint32_t node, unsigned char byte);

#endif
