/* apps/spider/edges.h: who links to whom: a file of pairs of numbers, FOLDER/.weft/edges.
 *
 * The state knows of each URL who linked to it first; here is everybody. A pair is two numbers of
 * the state, from and to, four bytes each in the machine's order. Pairs are only added; the same one
 * may stand there more than once. When a page is read again its links are others: what stands there of
 * it before does not count any more, and goes when there is much of that.
 *
 *     struct edges edges = {0};
 *     int err = edges_open(&edges, "site", state.known);
 *     edges_tidy(&edges, "site");
 *     edges_anew(&edges, page);                 // it is read again
 *     edges_add(&edges, page, target);          // in memory, written by the batch
 *     edges_flush(&edges);                      // before the state is: what it calls done is here
 *     edges_each(&edges, see, context);
 *     edges_close(&edges);
 *
 * All of it is for the loop's thread. Functions return 0 or a status; on one that is not open they
 * do nothing and return 0. */
#ifndef WEFT_SPIDER_EDGES_H
#define WEFT_SPIDER_EDGES_H

#include <weft/crawl.h>

enum {
    EDGES_FEW = 1024,   /* pairs of which none are worth being cleared away */
    EDGES_BATCH = 4096, /* pairs that are written at once */
    EDGES_RECENT = 1024 /* pairs that are remembered, so that they are not added again at once */
};

struct edge {
    weft_crawl_id from, to;
};

/* Zeroed before its first use; all fields are its own. */
struct edges {
    bool open_;
    bool anew_; /* some page was read again */
    int fd_;
    uint64_t size_; /* bytes of the file that are good */
    size_t used_;   /* of the batch */
    struct edge *batch_, *recent_;
};

/* Is there such a file in folder? */
bool edges_exist(const char *folder);

/* Open the file in folder, which has a .weft, or make it. What a crash has left is cut off: half a
 * pair, and everything from the first number on that the state, which knows `known` URLs, has not
 * given to anybody. UV_EINVAL: it is open; UV_ENOMEM, and errors of the disk: nothing is open. */
int edges_open(struct edges *edges, const char *folder, weft_crawl_id known);

/* from links to to; a pair with a 0 in it is none. An error is that of a batch that could not be
 * written; the pair is not added then. */
int edges_add(struct edges *edges, weft_crawl_id from, weft_crawl_id to);

/* What was added for from does not count any more. Errors are those of edges_add. */
int edges_anew(struct edges *edges, weft_crawl_id from);

/* If most of the file does not count any more, write it without that. One that cannot be written stays as
 * it is. */
void edges_tidy(struct edges *edges, const char *folder);

/* Write what is in memory. After an error it still is, and the next call tries again. */
int edges_flush(struct edges *edges);

/* Each pair that counts, in the order in which they were added, until see returns other than 0, which is
 * then returned. Flushes first. see must not add any. UV_ENOMEM. */
typedef int edges_each_fn(struct edge edge, void *context);
int edges_each(struct edges *edges, edges_each_fn *see, void *context);

/* Flushes, as far as that is possible, and forgets. Safe on one that is not open. */
void edges_close(struct edges *edges);

#endif
