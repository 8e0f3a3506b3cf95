/* Which of some keywords stands in these bytes, and where. */
#ifndef WEFT_FILES_SEARCH_MATCHER_H
#define WEFT_FILES_SEARCH_MATCHER_H

#include "weft/text.h"

enum {
    MATCHER_KEYWORDS_MAX = 1000,
    MATCHER_KEYWORD_SIZE_MAX = 4096,
    MATCHER_SIZE_MAX = 256 * 1024 /* of all keywords together */
};

/* Does not change once it is made: any number of threads use one. */
struct matcher;

struct match {
    const char *at;
    size_t size; /* when case does not matter, not always that of the keyword */
    size_t keyword;
};

/* Keywords are bytes, no patterns, any bytes; they are copied.
 *
 * ignore_case: letters are the same as those that Unicode folds to the same one, simply: K and k and
 * the Kelvin sign, Σ and σ and ς; not ß and ss. Keywords and data are read as UTF-8 then, and a byte
 * that belongs to no character is the same as nothing but itself, and not found within a character.
 *
 * UV_EINVAL: no keywords, or one is empty. UV_E2BIG: too many, one too long, or all together.
 * UV_ENOMEM. On an error *matcher is NULL. */
int weft__matcher_make(struct matcher **matcher, const struct weft_text *keywords, size_t count,
                       bool ignore_case);
void weft__matcher_free(struct matcher *matcher); /* takes NULL */

/* How many bytes the longest match can have: who searches in pieces lets them overlap by one less.
 * (Only a keyword that is no UTF-8 itself can be found, where case does not matter, in what is left of
 * a character that the edge of a piece cuts.) */
size_t weft__matcher_reach(const struct matcher *matcher);

/* The leftmost match in data; of those that begin at one place, the keyword that was given first.
 * Reads nothing outside of data and allocates nothing. The time is linear in size whatever keywords
 * and data are; what lies behind a match may have been read up to its reach. match is only written
 * when there is one. */
bool weft__matcher_find(const struct matcher *matcher, const char *data, size_t size,
                        struct match *match);

/* How it is done: normally the best way that this processor has. Tests take them all. */
enum matcher_way {
    MATCHER_PLAIN,
    MATCHER_SSSE3, /* 16 bytes at once; on x86-64 */
    MATCHER_AVX2   /* 32 */
};
bool weft__matcher_can(enum matcher_way way);
/* As weft__matcher_make; UV_ENOTSUP: this processor cannot. */
int weft__matcher_make_way(struct matcher **matcher, const struct weft_text *keywords, size_t count,
                           bool ignore_case, enum matcher_way way);

#endif
