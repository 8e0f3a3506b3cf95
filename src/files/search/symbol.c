/* The symbols of what is not ASCII. They are kept in one number, as what is read next is most often
 * ASCII and then never leaves its register. */
#include "symbol.h"
#include "fold.h"
#include "unit.h"

struct symbols weft__symbols_fold(const char *data, size_t size)
{
    struct unit unit = weft__unit_read(data, size);
    struct symbols symbols = {.size = unit.size};
    char bytes[UNIT_SIZE_MAX];
    if (unit.code >= UNIT_STRAY)
        return (struct symbols){0xFFu | (uint32_t)(unsigned char)data[0] << 8, 2, 1};
    symbols.count = weft__unit_write(weft__fold(unit.code), bytes);
    for (unsigned i = 0; i < symbols.count; i++)
        symbols.bytes |= (uint32_t)(unsigned char)bytes[i] << 8 * i;
    return symbols;
}
