/* Times are decimal text with three digits behind the point: read as integers they stay exact,
 * where a double would lose nanoseconds after 104 days, and ids of 64 bits at once. */
#include "trace/number.h"

/* ---- times ---------------------------------------------------------------------------------- */

/* digits * 10^exponent, without the point: "1.25e2" is 125 and 0. */
struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits beyond the 18th only move the point. */
static void decimal_add(struct decimal *decimal, char digit, bool behind_point)
{
    if (decimal->digits < (uint64_t)100000000000000000) {
        decimal->digits = decimal->digits * 10 + (uint64_t)(digit - '0');
        decimal->exponent -= behind_point;
    } else {
        decimal->exponent += !behind_point;
    }
}

static int64_t read_exponent(const char *at, const char *end)
{
    bool negative = at < end && *at == '-';
    int64_t exponent = 0;
    if (at < end && !is_digit(*at))
        at++;
    for (; at < end && exponent < 100000; at++)
        exponent = exponent * 10 + (*at - '0');
    return negative ? -exponent : exponent;
}

static struct decimal read_decimal(struct weft_text text)
{
    struct decimal decimal = {0};
    const char *at = text.data, *end = text.data + text.size;
    bool behind_point = false;
    if (at < end && *at == '-') {
        decimal.negative = true;
        at++;
    }
    for (; at < end && (is_digit(*at) || *at == '.'); at++) {
        if (*at == '.')
            behind_point = true;
        else
            decimal_add(&decimal, *at, behind_point);
    }
    if (at < end)
        decimal.exponent += read_exponent(at + 1, end);
    return decimal;
}

bool number_time(struct weft_text text, int64_t *ns)
{
    struct decimal decimal = read_decimal(text);
    uint64_t value = decimal.digits;
    decimal.exponent += 3; /* micro to nano */
    for (; decimal.exponent < 0 && value > 0; decimal.exponent++)
        value /= 10;
    for (; decimal.exponent > 0 && value > 0 && value <= NUMBER_TIME_MOST; decimal.exponent--)
        value *= 10;
    if (value > NUMBER_TIME_MOST)
        return false;
    *ns = decimal.negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* ---- ids ------------------------------------------------------------------------------------ */

static unsigned digit_of(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    c = weft_text_lower(c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool number_id(struct weft_text text, uint64_t *value)
{
    unsigned base = 10;
    uint64_t sum = 0;
    if (text.size > 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x') {
        base = 16;
        text = weft_text(text.data + 2, text.size - 2);
    }
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = digit_of(text.data[i]);
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    *value = sum;
    return text.size > 0;
}
