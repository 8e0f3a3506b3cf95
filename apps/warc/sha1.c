/* SHA-1 (RFC 3174): whole blocks of 64 bytes by the fastest way that the machine has, and the ends in
 * between.
 *
 * Each page is hashed twice, its body and all of its record: so this is most of what an archive that
 * is not packed costs, and worth two ways. The plain one keeps the last sixteen words only. */
#include "warc/sha1.h"
#include <string.h>

/* ---- blocks --------------------------------------------------------------------------------- */

static uint32_t rotated(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

static uint32_t big_endian(const unsigned char *data)
{
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

static uint32_t next_word(uint32_t w[16], unsigned i)
{
    uint32_t word = w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15];
    return w[i & 15] = rotated(word, 1);
}

static uint32_t mixed(unsigned i, uint32_t b, uint32_t c, uint32_t d)
{
    if (i < 20)
        return (d ^ (b & (c ^ d))) + 0x5a827999;
    if (i < 40)
        return (b ^ c ^ d) + 0x6ed9eba1;
    if (i < 60)
        return ((b & c) | (d & (b | c))) + 0x8f1bbcdc;
    return (b ^ c ^ d) + 0xca62c1d6;
}

static void one_block(uint32_t state[5], const unsigned char *data)
{
    uint32_t w[16], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (unsigned i = 0; i < 16; i++)
        w[i] = big_endian(data + 4 * (size_t)i);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t word = i < 16 ? w[i] : next_word(w, i);
        uint32_t next = rotated(a, 5) + mixed(i, b, c, d) + e + word;
        e = d;
        d = c;
        c = rotated(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

static void blocks(uint32_t state[5], const unsigned char *data, size_t count)
{
    if (count == 0 || sha1_blocks_x86(state, data, count))
        return;
    for (; count > 0; count--, data += 64)
        one_block(state, data);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

void sha1_begin(struct sha1 *sha1)
{
    static const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    memcpy(sha1->state, start, sizeof start);
    sha1->size = 0;
}

void sha1_add(struct sha1 *sha1, const void *data, size_t size)
{
    const unsigned char *at = data;
    size_t used = sha1->size & 63, room = 64 - used;
    if (size == 0)
        return; /* data may be NULL */
    sha1->size += size;
    if (used > 0 && size >= room) {
        memcpy(sha1->block + used, at, room);
        blocks(sha1->state, sha1->block, 1);
        at += room;
        size -= room;
        used = 0;
    }
    if (used == 0) {
        blocks(sha1->state, at, size / 64);
        at += size & ~(size_t)63;
        size &= 63;
    }
    if (size > 0)
        memcpy(sha1->block + used, at, size);
}

void sha1_end(struct sha1 *sha1, unsigned char digest[SHA1_SIZE])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char)(sha1->size * 8 >> (56 - 8 * i));
    sha1_add(sha1, padding, 1 + ((119 - (sha1->size & 63)) & 63));
    sha1_add(sha1, length, sizeof length);
    for (unsigned i = 0; i < SHA1_SIZE; i++)
        digest[i] = (unsigned char)(sha1->state[i / 4] >> (24 - 8 * (i & 3)));
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", prefix[] = "sha1:";

/* Five bytes are eight letters. */
void sha1_show(const unsigned char digest[SHA1_SIZE], char text[SHA1_TEXT])
{
    memcpy(text, prefix, 5);
    text += 5;
    for (unsigned i = 0; i < SHA1_SIZE; i += 5) {
        uint64_t five = 0;
        for (unsigned k = 0; k < 5; k++)
            five = five << 8 | digest[i + k];
        for (unsigned k = 0; k < 8; k++)
            *text++ = letters[five >> (35 - 5 * k) & 31];
    }
    *text = '\0';
}

bool sha1_read(const char *text, size_t size, unsigned char digest[SHA1_SIZE])
{
    if (size != SHA1_TEXT - 1 || memcmp(text, prefix, 5) != 0)
        return false;
    text += 5;
    for (unsigned i = 0; i < SHA1_SIZE; i += 5) {
        uint64_t five = 0;
        for (unsigned k = 0; k < 8; k++) {
            const char *letter = *text != '\0' ? strchr(letters, *text++) : NULL;
            if (letter == NULL)
                return false;
            five = five << 5 | (uint64_t)(letter - letters);
        }
        for (unsigned k = 0; k < 5; k++)
            digest[i + k] = (unsigned char)(five >> (32 - 8 * k));
    }
    return true;
}
