/* apps/spider/memo.h: links that were followed a moment ago, as they are written.
 *
 * The pages of a site have most of their links in common. A link that was followed from the same
 * folder before, at this depth or nearer, leads to nothing new: it need not be resolved, looked at
 * by the rules and searched for once more. Only a help: what is forgotten is done again.
 *
 * A link is recognised by its text, and its folder by the keyed hash that the state recognises URLs
 * by, half of it: nobody can make two that are taken for one. */
#ifndef WEFT_SPIDER_MEMO_H
#define WEFT_SPIDER_MEMO_H

#include <weft/crawl.h>
#include <weft/url.h>

enum {
    MEMO_LINKS = 1 << 14, /* a power of two */
    MEMO_LINE = 64,       /* bytes of a cache line: a link is one */
    MEMO_TEXT = 48        /* longer ones are not kept */
};

struct memo {
    struct memo_link {
        uint64_t folder;
        uint32_t round; /* of the scope */
        uint16_t depth; /* one more than it was; 0: an empty place */
        uint8_t size, kind;
        char text[MEMO_TEXT];
    } * links;   /* allocated with the first link; without memory nothing is kept */
    void *block; /* where they lie */
};

/* What relative links are relative to: made once for each base. */
struct memo_key {
    uint64_t folder;
};

void memo_key_begin(struct memo_key *key, const struct weft_crawl *state,
                    const struct weft_url *base);

/* One link of a page: how deep what it leads to would be, in which round of the scope. */
struct memo_way {
    struct weft_text link;
    bool requisite;
    unsigned depth, round;
};

/* Was it followed at this depth, or nearer, in this round? */
bool memo_has(const struct memo *memo, const struct memo_key *key, const struct memo_way *way);
void memo_keep(struct memo *memo, const struct memo_key *key, const struct memo_way *way);
void memo_free(struct memo *memo);

#endif
