/* Amounts, times and names: strict, and the same in every locale. */
#include "sales/sales.h"
#include "trace/utf8.h"

/* ---- whole numbers -------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Perhaps with a '-' before it. */
static bool read_number(struct weft_text text, int64_t *result)
{
    bool negative = text.size > 0 && text.data[0] == '-';
    int64_t number = 0;
    if (text.size == (size_t)negative)
        return false;
    for (size_t i = negative; i < text.size; i++) {
        int digit = text.data[i] - '0';
        if (!is_digit(text.data[i]) || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, negative ? -digit : digit, &number))
            return false;
    }
    *result = number;
    return true;
}

bool sales_amount(struct weft_text text, int64_t *amount)
{
    return read_number(text, amount) && *amount != 0 && *amount >= -SALES_AMOUNT_MAX &&
           *amount <= SALES_AMOUNT_MAX;
}

/* ---- RFC 3339 ------------------------------------------------------------------------------- */

/* Exactly so many digits, and then the separator; 0: none. Cuts them off. */
static bool take(struct weft_text *text, size_t digits, char separator, int *number)
{
    size_t size = digits + (separator != '\0');
    if (text->size < size)
        return false;
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!is_digit(text->data[i]))
            return false;
        *number = *number * 10 + (text->data[i] - '0');
    }
    if (separator != '\0' && weft_text_lower(text->data[digits]) != separator)
        return false;
    *text = weft_text(text->data + size, text->size - size);
    return true;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01: years begin with March here, so that a leap day is the last. */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    int64_t era_years = y + 400; /* the year 0 in January is the year before */
    return era_years * 365 + era_years / 4 - era_years / 100 + era_years / 400 + (153 * m + 2) / 5 +
           day - 1 - 719468 - 146097;
}

static bool skip_fraction(struct weft_text *text)
{
    size_t digits = 1;
    if (text->size == 0 || text->data[0] != '.')
        return true;
    while (digits < text->size && is_digit(text->data[digits]))
        digits++;
    *text = weft_text(text->data + digits, text->size - digits);
    return digits > 1;
}

/* "Z", "+01:00", "-00:30": what has to be taken away, in seconds. */
static bool take_zone(struct weft_text text, int64_t *offset_s)
{
    int hours, minutes;
    *offset_s = 0;
    if (text.size == 1)
        return weft_text_lower(text.data[0]) == 'z';
    if (text.size != 6 || (text.data[0] != '+' && text.data[0] != '-'))
        return false;
    bool west = text.data[0] == '-';
    text = weft_text(text.data + 1, 5);
    if (!take(&text, 2, ':', &hours) || !take(&text, 2, '\0', &minutes) || hours > 23 ||
        minutes > 59)
        return false;
    *offset_s = (int64_t)(west ? -60 : 60) * (hours * 60 + minutes);
    return true;
}

static bool read_date(struct weft_text text, int64_t *time_s)
{
    int year, month, day, hour, minute, second;
    int64_t offset_s;
    if (!take(&text, 4, '-', &year) || !take(&text, 2, '-', &month) || !take(&text, 2, 't', &day) ||
        !take(&text, 2, ':', &hour) || !take(&text, 2, ':', &minute) ||
        !take(&text, 2, '\0', &second))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in(year, month) || hour > 23 ||
        minute > 59 || second > 60) /* 60: a leap second */
        return false;
    if (!skip_fraction(&text) || !take_zone(text, &offset_s))
        return false;
    *time_s = days_of(year, month, day) * 86400 + hour * INT64_C(3600) + minute * INT64_C(60) +
              second - offset_s;
    return true;
}

bool sales_time(struct weft_text text, int64_t *time_s)
{
    return read_number(text, time_s) || read_date(text, time_s);
}

/* ---- names ---------------------------------------------------------------------------------- */

bool sales_is_whole(struct weft_text item)
{
    for (size_t i = 0; i + 3 <= item.size; i++) {
        if (memcmp(item.data + i, "\xEF\xBF\xBD", 3) == 0)
            return false;
    }
    return true;
}

static size_t put(char *clean, size_t size, uint32_t code)
{
    return size + utf8_write(code, clean + size);
}

size_t sales_clean(struct weft_text item, char clean[SALES_CLEAN_MAX])
{
    struct utf8_state state = {0};
    size_t size = 0, limit = item.size < LEDGER_ITEM_MAX ? item.size : LEDGER_ITEM_MAX;
    bool inside = false; /* of a character that is not complete */
    for (size_t i = 0; i < limit;) {
        enum utf8_step step = utf8_step(&state, (unsigned char)item.data[i]);
        if (step != UTF8_BROKEN_BEFORE)
            i++;
        inside = step == UTF8_MORE;
        if (inside)
            continue;
        size = put(clean, size, step == UTF8_DONE ? state.code : UTF8_REPLACEMENT);
        state = (struct utf8_state){0};
    }
    if (inside)
        size = put(clean, size, UTF8_REPLACEMENT);
    clean[size] = '\0';
    return size;
}
