/* apps/spider/memo.h: links that were followed a moment ago, as they are written.
 *
 * The pages of a site have most of their links in common. A link that was followed from the same
 * folder before, at this depth or nearer, leads to nothing new: it need not be resolved, looked at
 * by the rules and searched for once more. Only a help: what is forgotten is done again.
 *
 * Links are recognised by the keyed 128-bit hash that the state recognises URLs by. */
#ifndef WEFT_SPIDER_MEMO_H
#define WEFT_SPIDER_MEMO_H

#include <weft/crawl.h>
#include <weft/url.h>

enum { MEMO_LINKS = 1 << 14 }; /* a power of two */

struct memo {
    struct memo_link {
        uint64_t hash[2];
        uint32_t round; /* of the scope */
        uint32_t depth; /* one more than it was; 0: an empty place */
    } * links;          /* allocated with the first link; without memory nothing is kept */
};

/* One link of a page: made once for each base, and then for each link from that. */
struct memo_key {
    struct weft_crawl_hash folder; /* what relative links are relative to */
};

void memo_key_begin(struct memo_key *key, const struct weft_crawl *state,
                    const struct weft_url *base);

/* Was it followed at this depth, or nearer, in this round? If not, *hash is for memo_keep. */
bool memo_has(const struct memo *memo, const struct memo_key *key, struct weft_text link,
              bool requisite, unsigned depth, unsigned round, uint64_t hash[2]);
void memo_keep(struct memo *memo, const uint64_t hash[2], unsigned depth, unsigned round);
void memo_free(struct memo *memo);

#endif
