/* apps/spider/memo.h: links that were followed a moment ago, as they are written.
 *
 * The pages of a site have most of their links in common. A link that was followed from the same
 * folder before, at this depth or nearer, leads to nothing new: it need not be resolved, looked at
 * by the rules and searched for once more. And if pages are written with other links, what it became
 * in the one before is what it becomes in the next (offline.c). Only a help: what is forgotten is done
 * again.
 *
 * A link is recognised by its text, without its fragment, and its folder by the keyed hash that the
 * state recognises URLs by, half of it: nobody can make two that are taken for one. */
#ifndef WEFT_SPIDER_MEMO_H
#define WEFT_SPIDER_MEMO_H

#include <weft/crawl.h>
#include <weft/url.h>

enum {
    MEMO_LINKS = 1 << 15, /* at most; a power of two */
    MEMO_NEAR = 4,        /* places that a link may be in */
    MEMO_LINE = 64,       /* bytes of a cache line: a link is one */
    MEMO_TEXT = 40,       /* longer ones are not kept */
    MEMO_SWAP = 64        /* nor what they become */
};

struct memo_link {
    uint64_t folder;
    char text[MEMO_TEXT];
    uint8_t size, kind; /* size 0: an empty place */
    /* It was followed: */
    uint16_t depth;   /* one more than it was; 0: it was not */
    weft_crawl_id to; /* what it leads to */
    uint16_t round;   /* of the scope */
    /* It was decided what it becomes, see offline.c: */
    bool decided : 1, same : 1; /* same: what it is */
    bool there : 1, settled : 1;
    uint8_t swap_size;
    weft_crawl_id target;
};

/* Zeroed before its first use. Without memory nothing is kept. */
struct memo {
    struct memo_link *links;  /* allocated with the first link, */
    void *block;              /* here, */
    size_t room;              /* so many; a power of two */
    size_t taken;             /* of these */
    char (*swaps)[MEMO_SWAP]; /* what long ones become; allocated with the first of these */
};

/* What relative links are relative to: made once for each base. */
struct memo_key {
    uint64_t folder;
    uint64_t file; /* a hash of what else matters; 0: nothing does */
};

/* key->file is set before. */
void memo_key_begin(struct memo_key *key, const struct weft_crawl *state,
                    const struct weft_url *base);
/* From now on that matters, too. */
static inline void memo_key_add(struct memo_key *key, uint64_t file)
{
    key->file ^= file;
    key->folder ^= file;
}

/* One link of a page, without its fragment: how deep what it leads to would be, in which round of the
 * scope; and what that is, 0 if it is outside of the scope. */
struct memo_way {
    struct weft_text link;
    uint64_t hash; /* memo_hash of it */
    bool requisite, form;
    unsigned depth, round;
    weft_crawl_id to;
    struct memo_link *place; /* where it is kept, until another one is; NULL: nowhere yet */
};

/* On any thread. */
uint64_t memo_hash(struct weft_text link);
/* A link with this hash will be looked for in a moment: its place comes nearer to the processor meanwhile. */
void memo_soon(const struct memo *memo, const struct memo_key *key, uint64_t hash);

/* Set way->place, if it is kept. */
void memo_find(const struct memo *memo, const struct memo_key *key, struct memo_way *way);
/* The same; was it followed at this depth, or nearer, in this round? Then way->to is what was kept. */
bool memo_has(const struct memo *memo, const struct memo_key *key, struct memo_way *way);
/* It was followed. After memo_has, or memo_find, has looked for it. */
void memo_keep(struct memo *memo, const struct memo_key *key, struct memo_way *way);
/* It becomes swap. false: that is not kept. After memo_has, or memo_find; way->place is set. */
bool memo_decide(struct memo *memo, const struct memo_key *key, struct memo_way *way,
                 struct weft_text swap);
/* That again, of one that was decided; as long as it is kept. */
struct weft_text memo_swap(const struct memo *memo, struct memo_link *place);
void memo_free(struct memo *memo);

#endif
