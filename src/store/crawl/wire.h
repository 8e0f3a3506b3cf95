/* Numbers in bytes, the lowest byte first, wherever they lie. */
#ifndef WEFT_STORE_CRAWL_WIRE_H
#define WEFT_STORE_CRAWL_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void wire_put(char *at, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (char)(unsigned char)(number >> (8 * i));
}

static inline uint64_t wire_get(const char *at, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return number;
}

static inline uint16_t wire_get16(const char *at)
{
    return (uint16_t)wire_get(at, 2);
}

static inline uint32_t wire_get32(const char *at)
{
    return (uint32_t)wire_get(at, 4);
}

static inline uint64_t wire_get64(const char *at)
{
    uint64_t number; /* in one piece: this is what hashing a body is made of */
    memcpy(&number, at, sizeof number);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = __builtin_bswap64(number);
#endif
    return number;
}

#endif
