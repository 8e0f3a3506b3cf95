/* Random numbers that nobody can guess. */
#ifndef WEFT_STORE_REDIS_RANDOM_H
#define WEFT_STORE_REDIS_RANDOM_H

#include <stdint.h>

uint64_t weft__redis_random(void);

#endif
