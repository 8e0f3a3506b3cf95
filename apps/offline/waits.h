/* apps/offline/waits.h: who speaks of what is not there yet.
 *
 * A page is written before all that it links to is there, with links as they will probably be. Each pair of a page
 * and what it speaks of is noted, eight bytes behind the others; that what was expected comes true costs
 * nothing. Now and then, and in the end, all are looked through: who was wrong is told, who cannot be wrong any
 * more is forgotten.
 *
 * Two kinds: what the state knows has a number. What it does not know, because nobody wanted to go that far,
 * has a hash; it comes true if somebody else leads there after all.
 *
 * At most WAITS_MOST of each kind; then `lost` says that nobody knows, and all pages have to be looked at in the
 * end. */
#ifndef WEFT_OFFLINE_WAITS_H
#define WEFT_OFFLINE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAITS_MOST = 8 * 1000 * 1000 };

struct waits_pair {
    uint32_t what,
        page; /* page: its lowest bit says that it was written as if the file were there */
};
struct waits_list {
    struct waits_pair *pairs;
    size_t count, room;
};
/* A set of numbers, a bit each; or of hashes, by their lowest bits: then it may say yes to others, too. */
struct waits_set {
    unsigned char *bits;
    size_t size; /* bytes */
    size_t count;
};

/* Zeroed before its first use. */
struct waits {
    struct waits_list known, far;
    struct waits_set renamed; /* numbers: saved under another name than was expected */
    struct waits_set asked;   /* hashes of far */
    struct waits_set came;    /* those of them that are there now */
    bool lost;
};

/* page was written with a link to number id, to its file (there) or to the network, before that was
 * settled. */
void waits_for(struct waits *waits, uint32_t id, uint32_t page, bool there);
/* The same with a link to a URL that has no number, to the network. */
void waits_for_far(struct waits *waits, uint64_t hash, uint32_t page);

/* Number id was saved under another name than was expected. */
void waits_renamed(struct waits *waits, uint32_t id);
bool waits_is_renamed(const struct waits *waits, uint32_t id);
/* The URL with this hash was saved. true: somebody may have waited for it. */
bool waits_came(struct waits *waits, uint64_t hash);

/* What is known of number id. */
enum waits_state { WAITS_OPEN, WAITS_THERE, WAITS_NOT_THERE };
typedef enum waits_state waits_look_fn(void *context, uint32_t id);
typedef void waits_tell_fn(void *context, uint32_t page);
/* Look through all of them: tell of each page that is wrong. last: what is open now stays so. */
void waits_collect(struct waits *waits, bool last, waits_look_fn *look, waits_tell_fn *tell,
                   void *context);
void waits_free(struct waits *waits);

#endif
