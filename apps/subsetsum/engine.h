/* apps/subsetsum/engine.h: which of N numbers have the sum S?
 *
 * All subsets of at least one number, by index: two equal numbers at different places are two
 * numbers. Everything here is plain computing, without a loop, a thread or a global: an iterator that
 * does a bounded piece of work a call, so that whoever drives it may slice, hold, cancel or move it.
 *
 *     struct subset_problem problem = {0};
 *     struct subset_search search;
 *     char why[SUBSET_WHY];
 *     uint64_t masks[256];
 *     int err = subset_parse_values(&problem, weft_text_of("[1,2,-4,5,-3]"), why);
 *     problem.sum = 0;
 *     if (err == 0)
 *         err = subset_search_init(&search, &problem, SUBSET_AUTO, 0, 1);
 *     while (err == 0 && search.state == SUBSET_MORE) {
 *         size_t count = subset_search_next(&search, masks, 256, 100000);
 *         for (size_t i = 0; i < count; i++)
 *             ... bit k of masks[i]: the number values[k] is in ...
 *     }
 *     subset_search_free(&search);
 *
 * Exact: sums are as wide as they have to be. With P the sum of the positive numbers and M that of
 * the negative ones, P - M below 2^32 is computed in 32 bits, below 2^64 in 64, and everything else
 * in 128; nothing is refused and nothing wraps.
 *
 * Parts: a search or a count is cut into any number of independent parts up to SUBSET_PARTS_MAX,
 * which together find each subset exactly once. Their work is similar; how many matches a part has
 * depends on the numbers. Above 42 numbers each part looks at its share of the sums: n parts are
 * together hardly more work than the whole. Below that, and where sums have to repeat because the
 * numbers are small, each has a share of the subsets: one of 2^k parts is a search for k numbers less,
 * which takes 2^(k/2) times less time. If there are very many parts some have nothing to do. The part
 * of a count is not the share of that part of a search; only the sums of all are the same.
 *
 * Errors are libuv's numbers. */
#ifndef WEFT_SUBSETSUM_ENGINE_H
#define WEFT_SUBSETSUM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>
#include <weft/text.h>

enum {
    SUBSET_MAX = 64,         /* numbers: a subset is the bits of a uint64_t */
    SUBSET_PARTS_MAX = 4096, /* parts of one problem */
    SUBSET_WHY = 160,        /* room for a sentence that says what is wrong */
    SUBSET_TEXT_MAX = 1408,  /* room for any subset as text */
    SUBSET_SUM_MAX = 40,     /* and for any sum */
};

__extension__ typedef __int128 subset_wide;

/* Zeroed is a problem without numbers, which has no subsets, also none with the sum 0. */
struct subset_problem {
    int64_t values[SUBSET_MAX];
    unsigned count;
    subset_wide sum; /* beyond 64 bits too: 64 numbers can reach that */
};

/* ---- reading and writing -------------------------------------------------------------------- */

/* A JSON array of integers: values and count. Strict: whole numbers of RFC 8259 without fraction or
 * exponent, each within 64 bits. -0 is 0. UV_EINVAL, or UV_E2BIG for more than SUBSET_MAX numbers: a
 * sentence in why, with the byte it is about (counted from 1); the problem is unchanged then. */
int subset_parse_values(struct subset_problem *problem, struct weft_text text,
                        char why[SUBSET_WHY]);
/* One such integer, within 128 bits: the sum. Blanks around it are no part of it: UV_EINVAL. */
int subset_parse_sum(struct subset_problem *problem, struct weft_text text, char why[SUBSET_WHY]);

/* Subsets as JSON.stringify writes arrays: [1,2,-3], the numbers in the order of their indexes. The
 * numbers are written once, here, and copied for each subset. */
struct subset_writer {
    char numbers_[SUBSET_MAX][24]; /* with a comma in front; 21 bytes at most */
    unsigned char sizes_[SUBSET_MAX];
};
void subset_writer_init(struct subset_writer *writer, const struct subset_problem *problem);
/* The size of what was written; there is no '\0'. All of the buffer may be written to. Bits without
 * a number are ignored. */
size_t subset_write(const struct subset_writer *writer, uint64_t mask,
                    char buffer[SUBSET_TEXT_MAX]);

/* The sum, as subset_parse_sum reads it; its size, without a '\0'. With subset_write of all bits the
 * problem can be sent to somebody else. */
size_t subset_write_sum(const struct subset_problem *problem, char buffer[SUBSET_SUM_MAX]);

/* ---- finding -------------------------------------------------------------------------------- */

enum subset_method {
    SUBSET_AUTO,       /* the fastest for its size */
    SUBSET_GRAY,       /* all 2^N, 64 at once: to 13 numbers */
    SUBSET_MEET,       /* two sorted lists of 2^(N/2) sums: to 42; SUBSET_MEET_MAX if asked for */
    SUBSET_SCHROEPPEL, /* four lists of about 2^(N/4) sums and two heaps: beyond, in 30 MB at most */
};
enum { SUBSET_MEET_MAX = 50 };

/* SUBSET_DONE: there are no more matches. It is known only when they were looked for: the call that
 * delivers the last one may still say SUBSET_MORE. */
enum subset_state { SUBSET_MORE, SUBSET_DONE };

struct subset_search {
    enum subset_state state;
    enum subset_method method; /* what is used; never SUBSET_AUTO */
    uint64_t found;            /* matches that were delivered */
    struct subset_work *work_;
};

/* Part `part` of `parts` (0 and 1: all). The problem is copied. All memory is taken here: UV_ENOMEM
 * comes now or never. UV_EINVAL: a NULL, no such part or method. UV_E2BIG: more than SUBSET_MAX
 * numbers, or more than SUBSET_MEET_MAX (without those that the parts decide) for SUBSET_MEET. After
 * an error there is nothing to free; freeing is harmless. */
int subset_search_init(struct subset_search *search, const struct subset_problem *problem,
                       enum subset_method method, unsigned part, unsigned parts);
/* Up to room matches into masks; how many. It returns when there is no more room, after about so many
 * steps, or at the end. A step takes one to some tens of nanoseconds: 10,000 are a good slice of a
 * loop's turn. Where it is cut makes no difference. */
size_t subset_search_next(struct subset_search *search, uint64_t *masks, size_t room,
                          uint64_t steps);
/* Do not deliver the next count matches: for one that goes on where another, of the same problem,
 * method and part, has stopped. The order is always the same. Costs the search, but not the
 * enumeration: a billion matches of one sum are skipped at once. Takes effect in the calls that
 * follow; adds up. */
void subset_search_skip(struct subset_search *search, uint64_t count);
void subset_search_free(struct subset_search *search); /* also zeroed, also twice */
/* The bytes that init takes for the largest part; 0 if it would refuse. */
uint64_t subset_search_memory(const struct subset_problem *problem, enum subset_method method,
                              unsigned parts);

/* ---- counting ------------------------------------------------------------------------------- */

/* How many there are, without enumerating them. total fits always: 64 numbers have 2^64 - 1 subsets
 * that are not empty. */
struct subset_count {
    enum subset_state state;
    uint64_t total; /* right when state is SUBSET_DONE; parts are added up */
    struct subset_search search_;
    struct subset_tally *tally_;
};

/* As subset_search_init. */
int subset_count_init(struct subset_count *count, const struct subset_problem *problem,
                      unsigned part, unsigned parts);
/* About so many steps; the state. */
enum subset_state subset_count_run(struct subset_count *count, uint64_t steps);
void subset_count_free(struct subset_count *count); /* also zeroed, also twice; total stays */
uint64_t subset_count_memory(const struct subset_problem *problem, unsigned parts);

#endif
