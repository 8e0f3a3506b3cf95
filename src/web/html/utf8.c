/* UTF-8 into code points, as the Encoding Standard has it: what cannot go on is one U+FFFD for all
 * of it that could have, and the byte that does not fit begins anew. */
#include "extract.h"

/* How many bytes have to follow; -1: nothing begins so. The first of them is within *low to *high,
 * narrower than others where there would be a shorter form, a surrogate, or too large a number. */
static int following(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead < 0x80)
        return 0;
    if (lead < 0xC2 || lead > 0xF4)
        return -1;
    return lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
}

uint32_t weft__html_utf8_next(struct weft_text *rest, bool *valid)
{
    unsigned char low, high, lead = (unsigned char)*rest->data;
    int left = following(lead, &low, &high);
    uint32_t code = left > 0 ? lead & (0x3Fu >> left) : lead;
    *rest = weft_text(rest->data + 1, rest->size - 1);
    for (; left > 0 && rest->size > 0; left--) {
        unsigned char byte = (unsigned char)*rest->data;
        if (byte < low || byte > high)
            break;
        code = code << 6 | (byte & 0x3F);
        low = 0x80;
        high = 0xBF;
        *rest = weft_text(rest->data + 1, rest->size - 1);
    }
    if (left == 0)
        return code;
    *valid = false;
    return 0xFFFD;
}
