/* apps/warc/seen.h: what an archive has, by its digest, and where: bodies, and URLs. It is bounded: 8 MB,
 * for a quarter of a million of them. After that older ones are forgotten: then another copy of a body is
 * kept in the archive, and of an answer that says that nothing has changed it is not known since when;
 * that is all. */
#ifndef WEFT_APPS_WARC_SEEN_H
#define WEFT_APPS_WARC_SEEN_H

#include "warc/sha1.h"

enum { SEEN_WAYS = 4, SEEN_SETS_MAX = 1 << 16 };

struct seen_entry {
    unsigned char digest[SHA1_SIZE];
    uint64_t place; /* and 1; 0: nothing is here */
};

/* Zeroed storage is an empty one. */
struct warc_seen {
    struct seen_entry *entries; /* sets of SEEN_WAYS, the newest first */
    size_t sets;
};

/* Where is a record of this digest? Of several, the last one of the archive. */
bool seen_find(const struct warc_seen *seen, const unsigned char digest[SHA1_SIZE],
               uint64_t *place);
/* Without memory it is forgotten at once. */
void seen_add(struct warc_seen *seen, const unsigned char digest[SHA1_SIZE], uint64_t place);
void seen_free(struct warc_seen *seen);

#endif
