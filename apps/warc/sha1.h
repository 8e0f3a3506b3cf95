/* apps/warc/sha1.h: SHA-1, as archives of the web name what they hold.
 *
 * Not for secrets: two texts with the same digest can be made by who wants to. An archive says with it
 * that nothing was changed by accident, and that a page is the same as an earlier one. */
#ifndef WEFT_APPS_WARC_SHA1_H
#define WEFT_APPS_WARC_SHA1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHA1_SIZE = 20,
    SHA1_TEXT = 38 /* "sha1:", 32 letters of base32, a NUL */
};

struct sha1 {
    uint32_t state[5];
    uint64_t size;
    unsigned char block[64];
};

void sha1_begin(struct sha1 *sha1);
void sha1_add(struct sha1 *sha1, const void *data, size_t size);
void sha1_end(struct sha1 *sha1, unsigned char digest[SHA1_SIZE]);

/* "sha1:" and base32 (RFC 4648) without padding: twenty bytes need none. */
void sha1_show(const unsigned char digest[SHA1_SIZE], char text[SHA1_TEXT]);
/* And back; text is not terminated. false: it is none. */
bool sha1_read(const char *text, size_t size, unsigned char digest[SHA1_SIZE]);

/* sha1_x86.c: whole blocks by the processor's own instructions. false: it has none, and nothing was
 * done. */
bool sha1_blocks_x86(uint32_t state[5], const unsigned char *data, size_t count);

#endif
