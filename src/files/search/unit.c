/* UTF-8, strictly: no longer forms, no surrogates, nothing above U+10FFFF. What begins like a
 * character and does not end as one is a stray byte, and its followers are looked at on their own;
 * therefore where units begin can be told from the three bytes before a place and those at it. */
#include "unit.h"

/* How many bytes a character with this lead has, 1 also for what leads nothing; the second of them
 * is within *low to *high, narrower than others where there would be a shorter form, a surrogate or
 * too large a number. */
static unsigned size_by_lead(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead < 0xC2 || lead > 0xF4)
        return 1;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

struct unit weft__unit_read(const char *data, size_t size)
{
    unsigned char low, high, lead = (unsigned char)data[0];
    struct unit stray = {UNIT_STRAY + lead, 1}, unit = {lead, 1};
    if (lead < 0x80)
        return unit;
    unit.size = size_by_lead(lead, &low, &high);
    if (unit.size == 1 || unit.size > size)
        return stray;
    unit.code = lead & (0x7Fu >> unit.size);
    for (unsigned i = 1; i < unit.size; i++) {
        unsigned char byte = (unsigned char)data[i];
        if (byte < low || byte > high)
            return stray;
        unit.code = unit.code << 6 | (byte & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    return unit;
}

bool weft__unit_begins(const char *data, size_t size, size_t at)
{
    if (((unsigned char)data[at] & 0xC0) != 0x80)
        return true;
    for (size_t back = 1; back < UNIT_SIZE_MAX && back <= at; back++) {
        if (weft__unit_read(data + at - back, size - at + back).size > back)
            return false;
    }
    return true;
}

unsigned weft__unit_write(uint32_t code, char bytes[UNIT_SIZE_MAX])
{
    unsigned size = code < 0x80 || code >= UNIT_STRAY ? 1
                    : code < 0x800                    ? 2
                    : code < 0x10000                  ? 3
                                                      : 4;
    if (size == 1) {
        bytes[0] = (char)(code >= UNIT_STRAY ? code - UNIT_STRAY : code);
        return size;
    }
    for (unsigned i = size - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)((0xF00u >> size & 0xFF) | code);
    return size;
}
