/* SHA-1 by the instructions that x86 processors have had for it since 2016, three times as fast as
 * without. Elsewhere, and on older ones, it says that it cannot.
 *
 * Four rounds are one instruction. Four registers hold the last sixteen words; each group of four
 * rounds takes one of them, and makes its successor of all four. */
#include "warc/sha1.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static bool has_instructions(void)
{
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0 || (c & bit_SSSE3) == 0)
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

/* The rounds are known when this is compiled: the instruction wants it so. */
#define ROUNDS(kind)                                                                               \
    do {                                                                                           \
        __m128i before = abcd;                                                                     \
        e = group == 0 ? _mm_add_epi32(e, w[0]) : _mm_sha1nexte_epu32(e, w[group & 3]);            \
        abcd = _mm_sha1rnds4_epu32(abcd, e, kind);                                                 \
        e = before;                                                                                \
        w[group & 3] =                                                                             \
            _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w[group & 3], w[(group + 1) & 3]), \
                                             w[(group + 2) & 3]),                                  \
                               w[(group + 3) & 3]);                                                \
    } while (0)

__attribute__((target("sha,sse4.1"))) static void work(uint32_t state[5], const unsigned char *data,
                                                       size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const void *)state), 0x1b);
    __m128i e = _mm_set_epi32((int)state[4], 0, 0, 0), w[4];
    for (; count > 0; count--, data += 64) {
        __m128i abcd_before = abcd, e_before = e;
        unsigned group = 0;
        for (unsigned i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(data + 16 * (size_t)i)), swap);
#pragma GCC unroll 5
        for (; group < 5; group++)
            ROUNDS(0);
#pragma GCC unroll 5
        for (; group < 10; group++)
            ROUNDS(1);
#pragma GCC unroll 5
        for (; group < 15; group++)
            ROUNDS(2);
#pragma GCC unroll 5
        for (; group < 20; group++)
            ROUNDS(3);
        e = _mm_sha1nexte_epu32(e, e_before);
        abcd = _mm_add_epi32(abcd, abcd_before);
    }
    _mm_storeu_si128((void *)state, _mm_shuffle_epi32(abcd, 0x1b));
    state[4] = (uint32_t)_mm_extract_epi32(e, 3);
}

bool sha1_blocks_x86(uint32_t state[5], const unsigned char *data, size_t count)
{
    static int able = -1;
    int known = __atomic_load_n(&able, __ATOMIC_RELAXED);
    if (known < 0) {
        known = has_instructions();
        __atomic_store_n(&able, known, __ATOMIC_RELAXED);
    }
    if (known != 0)
        work(state, data, count);
    return known != 0;
}

#else

bool sha1_blocks_x86(uint32_t state[5], const unsigned char *data, size_t count)
{
    (void)state, (void)data, (void)count;
    return false;
}

#endif
