/* What text is made of when case does not matter: units. A unit is a character in well-formed UTF-8,
 * or one byte that belongs to none; such a byte is the same as nothing but itself. */
#ifndef WEFT_FILES_SEARCH_UNIT_H
#define WEFT_FILES_SEARCH_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UNIT_STRAY = 0x110000, /* added to a byte that is in no character: behind all code points */
    UNIT_SIZE_MAX = 4
};

struct unit {
    uint32_t code;
    unsigned size; /* how many bytes it takes in the text */
};

/* The unit at data[0]; size is at least 1. */
struct unit weft__unit_read(const char *data, size_t size);

/* Whether a unit begins at data[at]: false within a character. */
bool weft__unit_begins(const char *data, size_t size, size_t at);

/* The bytes of a unit as text has them; how many. */
unsigned weft__unit_write(uint32_t code, char bytes[UNIT_SIZE_MAX]);

#endif
