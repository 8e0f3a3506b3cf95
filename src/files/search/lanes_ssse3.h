/* Lanes of SSSE3: 16 bytes, each worked on by itself. The same names as in lanes_avx2.h, so that a
 * search is written once (pair_lanes.h, window_lanes.h) and compiled for both. */
#ifndef WEFT_FILES_SEARCH_LANES_SSSE3_H
#define WEFT_FILES_SEARCH_LANES_SSSE3_H

#include <immintrin.h>
#include <stdint.h>

#define LANES_TARGET __attribute__((target("ssse3")))
#define LANES_NAME(name) name##_ssse3
typedef __m128i lanes;
enum { LANES = sizeof(lanes) };
#define LANES_ALL UINT16_MAX /* bits */

LANES_TARGET static inline lanes lanes_load(const char *data)
{
    return _mm_loadu_si128((const __m128i *)(const void *)data);
}

LANES_TARGET static inline lanes lanes_of(char byte)
{
    return _mm_set1_epi8(byte);
}

LANES_TARGET static inline lanes lanes_and(lanes one, lanes other)
{
    return _mm_and_si128(one, other);
}

LANES_TARGET static inline lanes lanes_or(lanes one, lanes other)
{
    return _mm_or_si128(one, other);
}

LANES_TARGET static inline lanes lanes_equal(lanes one, lanes other)
{
    return _mm_cmpeq_epi8(one, other);
}

/* One bit a lane, the first is the lowest: whether it is not 0. Lanes are 0 or 0xFF. */
LANES_TARGET static inline uint32_t lanes_bits(lanes bits)
{
    return (uint32_t)_mm_movemask_epi8(bits);
}

/* A table of 16 bytes for lanes_choose. */
LANES_TARGET static inline lanes lanes_table(const unsigned char table[16])
{
    return _mm_loadu_si128((const __m128i *)(const void *)table);
}

/* For each lane the entry of the table with the number in its lower half; the upper is 0. */
LANES_TARGET static inline lanes lanes_choose(lanes table, lanes numbers)
{
    return _mm_shuffle_epi8(table, numbers);
}

LANES_TARGET static inline lanes lanes_lower_half(lanes bytes)
{
    return _mm_and_si128(bytes, _mm_set1_epi8(15));
}

LANES_TARGET static inline lanes lanes_upper_half(lanes bytes)
{
    return _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
}

#endif
