/* Lanes of AVX2: 32 bytes, each worked on by itself. The same names as in lanes_ssse3.h, so that a
 * search is written once (pair_lanes.h, window_lanes.h) and compiled for both. */
#ifndef WEFT_FILES_SEARCH_LANES_AVX2_H
#define WEFT_FILES_SEARCH_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define LANES_TARGET __attribute__((target("avx2")))
#define LANES_NAME(name) name##_avx2
typedef __m256i lanes;
enum { LANES = sizeof(lanes) };
#define LANES_ALL UINT32_MAX /* bits */

LANES_TARGET static inline lanes lanes_load(const char *data)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)data);
}

LANES_TARGET static inline lanes lanes_of(char byte)
{
    return _mm256_set1_epi8(byte);
}

LANES_TARGET static inline lanes lanes_and(lanes one, lanes other)
{
    return _mm256_and_si256(one, other);
}

LANES_TARGET static inline lanes lanes_or(lanes one, lanes other)
{
    return _mm256_or_si256(one, other);
}

LANES_TARGET static inline lanes lanes_equal(lanes one, lanes other)
{
    return _mm256_cmpeq_epi8(one, other);
}

/* One bit a lane, the first is the lowest: whether it is not 0. Lanes are 0 or 0xFF. */
LANES_TARGET static inline uint32_t lanes_bits(lanes bits)
{
    return (uint32_t)_mm256_movemask_epi8(bits);
}

/* A table of 16 bytes for lanes_choose. */
LANES_TARGET static inline lanes lanes_table(const unsigned char table[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}

/* For each lane the entry of the table with the number in its lower half; the upper is 0. */
LANES_TARGET static inline lanes lanes_choose(lanes table, lanes numbers)
{
    return _mm256_shuffle_epi8(table, numbers);
}

LANES_TARGET static inline lanes lanes_lower_half(lanes bytes)
{
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}

LANES_TARGET static inline lanes lanes_upper_half(lanes bytes)
{
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
}

#endif
