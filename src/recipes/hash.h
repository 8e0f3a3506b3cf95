/* A hash of keys that come from outside: seeded, so that nobody can choose keys that collide, and quick
 * on short ones. Each 16 bytes are folded into the state by one multiplication of 64 by 64 bits.
 *
 * Both factors of a multiplication hide what nobody outside knows: were one of them a word of the key
 * and a constant, a word could be chosen that makes it 0, and then the rest would not matter. */
#ifndef WEFT_RECIPES_HASH_H
#define WEFT_RECIPES_HASH_H

#include "weft/text.h"
#include <stdint.h>

#ifdef __SIZEOF_INT128__
static inline uint64_t hash_fold(uint64_t one, uint64_t other)
{
    __uint128_t product = (__uint128_t)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
/* The same in halves. */
static inline uint64_t hash_fold(uint64_t one, uint64_t other)
{
    uint64_t low = (one & UINT32_MAX) * (other & UINT32_MAX);
    uint64_t mixed = (one >> 32) * (other & UINT32_MAX) + (low >> 32);
    uint64_t rest = (one & UINT32_MAX) * (other >> 32) + (mixed & UINT32_MAX);
    uint64_t high = (one >> 32) * (other >> 32) + (mixed >> 32) + (rest >> 32);
    return (rest << 32 | (low & UINT32_MAX)) ^ high;
}
#endif

static inline uint64_t hash_read(const char *at, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, at, size);
    return word;
}

/* Up to 16 bytes, as two words that together have all of them; those of 4 and more may overlap. */
static inline void hash_read_short(const char *at, size_t size, uint64_t words[2])
{
    if (size >= 8) {
        words[0] = hash_read(at, 8);
        words[1] = hash_read(at + size - 8, 8);
    } else if (size >= 4) {
        words[0] = hash_read(at, 4);
        words[1] = hash_read(at + size - 4, 4);
    } else {
        words[0] = size > 0 ? (uint64_t)(unsigned char)at[0] << 16 |
                                  (uint64_t)(unsigned char)at[size >> 1] << 8 |
                                  (uint64_t)(unsigned char)at[size - 1]
                            : 0;
        words[1] = 0;
    }
}

static inline uint64_t hash_key(struct weft_text key, uint64_t seed)
{
    uint64_t secret = (seed << 32 | seed >> 32) ^ 0xd6e8feb86659fd93U;
    uint64_t state = seed ^ 0x9e3779b97f4a7c15U, words[2];
    const char *at = key.data;
    size_t left = key.size;
    for (; left > 16; left -= 16, at += 16)
        state = hash_fold(hash_read(at, 8) ^ secret, hash_read(at + 8, 8) ^ state);
    hash_read_short(at, left, words);
    state = hash_fold(words[0] ^ secret, words[1] ^ state);
    return hash_fold(state ^ seed, (uint64_t)key.size ^ secret);
}

/* A seed that nobody outside knows. */
uint64_t weft__hash_seed(void);

#endif
