/* Numbers with units.
 *
 * Everything is done in whole numbers: "1.5G" is 1 times the unit and 500000 millionths of it. Six
 * digits behind the point are few enough that millionths times the largest unit (2^40) still fit,
 * and what is left over counts as one more: nobody who asks for a limit of "0.1" bytes gets 0, which
 * often means none. */
#include "units.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FRACTION_DIGITS = 6, MILLION = 1000 * 1000 };

struct unit {
    const char *name;
    uint64_t factor;
};

struct number {
    uint64_t whole;
    uint64_t millionths;
};

/* ---- reading -------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads "12", "12.5" or ".5"; returns what follows, NULL: it is no number. */
static const char *read_number(const char *text, struct number *number)
{
    *number = (struct number){0, 0};
    if (!is_digit(text[0]) && !(text[0] == '.' && is_digit(text[1])))
        return NULL;
    for (; is_digit(*text); text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (number->whole > (UINT64_MAX - digit) / 10)
            return NULL;
        number->whole = number->whole * 10 + digit;
    }
    if (*text != '.')
        return text;
    text++;
    if (!is_digit(*text))
        return NULL;
    for (int i = 0; i < FRACTION_DIGITS; i++) {
        number->millionths *= 10;
        if (is_digit(*text))
            number->millionths += (uint64_t)(*text++ - '0');
    }
    return text;
}

/* False: it does not fit. */
static bool multiply(struct number number, uint64_t factor, uint64_t *result)
{
    uint64_t part = (number.millionths * factor + MILLION - 1) / MILLION;
    if (number.whole > (UINT64_MAX - part) / factor)
        return false;
    *result = number.whole * factor + part;
    return true;
}

bool units_duration(const char *text, uint64_t *ms)
{
    enum { S = 1000, M = 60 * S, H = 60 * M, D = 24 * H };
    static const struct unit units[] = {{"", S}, {"ms", 1}, {"s", S}, {"m", M}, {"h", H}, {"d", D}};
    struct number number;
    text = read_number(text, &number);
    if (text == NULL)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text, units[i].name) == 0)
            return multiply(number, units[i].factor, ms);
    }
    return false;
}

static const char steps[] = "kMGTPE";

/* Only as far as T: beyond it millionths would not fit. */
enum { STEPS_READ = 4 };

bool units_size(const char *text, uint64_t *bytes)
{
    struct number number;
    uint64_t factor = 1;
    text = read_number(text, &number);
    if (text == NULL)
        return false;
    for (int i = 0; i < STEPS_READ; i++) {
        if (strncasecmp(text, &steps[i], 1) == 0)
            factor = UINT64_C(1) << (10 * (i + 1));
    }
    if (factor > 1 && strcasecmp(++text, "iB") == 0)
        text += 2;
    else if (strcasecmp(text, "B") == 0)
        text += 1;
    return *text == '\0' && multiply(number, factor, bytes);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* The largest unit that leaves nothing over. Zero has no unit that says more than another. */
static void write_whole(uint64_t number, const struct unit *units, size_t count, char *buffer,
                        size_t size)
{
    size_t best = 0;
    for (size_t i = 1; i < count && number > 0; i++) {
        if (number % units[i].factor == 0)
            best = i;
    }
    snprintf(buffer, size, "%" PRIu64 "%s", number / units[best].factor, units[best].name);
}

void units_write_duration(uint64_t ms, char *buffer, size_t size)
{
    static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    write_whole(ms, units, sizeof units / sizeof units[0], buffer, size);
}

void units_write_size(uint64_t bytes, char *buffer, size_t size)
{
    static const struct unit units[] = {
        {"", 1}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", UINT64_C(1) << 40}};
    write_whole(bytes, units, sizeof units / sizeof units[0], buffer, size);
}

/* ---- showing -------------------------------------------------------------------------------- */

char *units_show_size(uint64_t bytes, char buffer[UNITS_SIZE_MAX])
{
    if (bytes < 1024) {
        snprintf(buffer, UNITS_SIZE_MAX, "%" PRIu64 " B", bytes);
        return buffer;
    }
    /* The step is taken before rounding would make "1024 kB" of it. */
    int step = 0;
    uint64_t unit = 1024;
    while (steps[step + 1] != '\0' && bytes >= unit * 1024 - unit / 2) {
        unit *= 1024;
        step++;
    }
    uint64_t whole = bytes / unit, rest = bytes % unit;
    uint64_t tenths = whole * 10 + (rest * 10 + unit / 2) / unit;
    if (tenths < 1000)
        snprintf(buffer, UNITS_SIZE_MAX, "%u.%u %cB", (unsigned)(tenths / 10),
                 (unsigned)(tenths % 10), steps[step]);
    else
        snprintf(buffer, UNITS_SIZE_MAX, "%u %cB", (unsigned)(whole + (rest >= unit / 2)),
                 steps[step]);
    return buffer;
}

char *units_show_time(uint64_t ms, char buffer[UNITS_TIME_MAX])
{
    uint64_t s = ms / 1000, min = s / 60;
    if (s < 60)
        snprintf(buffer, UNITS_TIME_MAX, "%u.%u s", (unsigned)s, (unsigned)(ms % 1000 / 100));
    else if (min < 60)
        snprintf(buffer, UNITS_TIME_MAX, "%u min %u s", (unsigned)min, (unsigned)(s % 60));
    else
        snprintf(buffer, UNITS_TIME_MAX, "%" PRIu64 " h %u min", min / 60, (unsigned)(min % 60));
    return buffer;
}
