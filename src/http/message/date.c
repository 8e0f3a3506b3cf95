/* Dates: one form is written, three are read (RFC 9110, 5.6.7).
 *
 *     Sun, 06 Nov 1994 08:49:37 GMT     the one that everybody should send
 *     Sunday, 06-Nov-94 08:49:37 GMT    RFC 850: the century has to be guessed
 *     Sun Nov  6 08:49:37 1994          asctime()
 *
 * No gmtime, timegm or strptime: they know locales and time zones, and this is twenty lines of
 * arithmetic. Days are counted in years that begin in March, so that the leap day is the last one
 * and months follow a pattern. A reader walks through the text with a cursor that once wrong stays
 * wrong, so only the end has to be looked at. */
#include "scan.h"

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};

enum { DAY_S = 24 * 60 * 60 };
static const int64_t last_time = INT64_C(253402300799); /* the last second of 9999 */

struct civil {
    int64_t year;
    int month, day; /* from 0; from 1 */
    int hour, minute, second;
};

/* Days from 1970-01-01. 400 years have 146097 days; day 0 of the count is 0000-03-01. */
static int64_t days_of(int64_t year, int month, int day)
{
    int from_march = (month + 10) % 12;
    if (month < 2)
        year--;
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * from_march + 2) / 5 + day - 1 -
           719468;
}

static struct civil civil_of(int64_t time)
{
    struct civil civil;
    int64_t days = time / DAY_S + 719468, rest = time % DAY_S;
    int64_t era = days / 146097, of_era = days % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    civil.day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    civil.month = (int)((from_march + 2) % 12);
    civil.year = year + era * 400 + (civil.month < 2 ? 1 : 0);
    civil.hour = (int)(rest / 3600);
    civil.minute = (int)(rest / 60 % 60);
    civil.second = (int)(rest % 60);
    return civil;
}

/* 1970 began on a Thursday. */
static int weekday_of(int64_t days)
{
    return (int)((days + 4) % 7);
}

/* ---- writing -------------------------------------------------------------------------------- */

static char *put_text(char *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    return at + size;
}

static char *put_two(char *at, int number, char behind)
{
    at[0] = (char)('0' + number / 10);
    at[1] = (char)('0' + number % 10);
    at[2] = behind;
    return at + 3;
}

int weft_http_date_format(char text[WEFT_HTTP_DATE_SIZE], int64_t time)
{
    text[0] = '\0';
    if (time < 0 || time > last_time)
        return UV_EINVAL;
    struct civil civil = civil_of(time);
    char *at = put_text(text, weekdays[weekday_of(time / DAY_S)], 3);
    at = put_text(at, ", ", 2);
    at = put_two(at, civil.day, ' ');
    at = put_text(at, months[civil.month], 3);
    *at++ = ' ';
    at = put_two(at, (int)(civil.year / 100), ' ') - 1;
    at = put_two(at, (int)(civil.year % 100), ' ');
    at = put_two(at, civil.hour, ':');
    at = put_two(at, civil.minute, ':');
    at = put_two(at, civil.second, ' ');
    put_text(at, "GMT", sizeof "GMT");
    return 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

struct cursor {
    struct weft_text rest;
    bool wrong;
};

static void take(struct cursor *cursor, const char *literal)
{
    if (weft_text_starts(cursor->rest, literal))
        scan_skip(&cursor->rest, strlen(literal));
    else
        cursor->wrong = true;
}

static int take_number(struct cursor *cursor, size_t digits)
{
    uint64_t number = 0;
    if (cursor->rest.size < digits ||
        number_parse(weft_text(cursor->rest.data, digits), 9999, &number) != 0) {
        cursor->wrong = true;
        return 0;
    }
    scan_skip(&cursor->rest, digits);
    return (int)number;
}

/* Which of the names it is; only its first letters, unless size is 0. */
static int take_name(struct cursor *cursor, const char *const *names, int count, size_t size)
{
    for (int i = 0; i < count; i++) {
        size_t length = size > 0 ? size : strlen(names[i]);
        if (cursor->rest.size >= length && memcmp(cursor->rest.data, names[i], length) == 0) {
            scan_skip(&cursor->rest, length);
            return i;
        }
    }
    cursor->wrong = true;
    return 0;
}

static int take_month(struct cursor *cursor)
{
    return take_name(cursor, months, 12, 3);
}

static void take_clock(struct cursor *cursor, struct civil *civil)
{
    civil->hour = take_number(cursor, 2);
    take(cursor, ":");
    civil->minute = take_number(cursor, 2);
    take(cursor, ":");
    civil->second = take_number(cursor, 2);
}

static int read_fixdate(struct cursor *cursor, struct civil *civil)
{
    int weekday = take_name(cursor, weekdays, 7, 3);
    take(cursor, ", ");
    civil->day = take_number(cursor, 2);
    take(cursor, " ");
    civil->month = take_month(cursor);
    take(cursor, " ");
    civil->year = take_number(cursor, 4);
    take(cursor, " ");
    take_clock(cursor, civil);
    take(cursor, " GMT");
    return weekday;
}

static int read_asctime(struct cursor *cursor, struct civil *civil)
{
    int weekday = take_name(cursor, weekdays, 7, 3);
    take(cursor, " ");
    civil->month = take_month(cursor);
    take(cursor, " ");
    civil->day = take_number(cursor, scan_char(&cursor->rest, ' ') ? 1 : 2);
    take(cursor, " ");
    take_clock(cursor, civil);
    take(cursor, " ");
    civil->year = take_number(cursor, 4);
    return weekday;
}

/* The moment within its year, for comparing. */
static int64_t within_year(const struct civil *civil)
{
    int64_t day = civil->month * 31 + civil->day;
    return ((day * 24 + civil->hour) * 60 + civil->minute) * 60 + civil->second;
}

/* The last year with these two digits that does not lie more than 50 years ahead. */
static int64_t full_year(const struct civil *civil, int64_t now)
{
    struct civil today = civil_of(now < 0 ? 0 : now > last_time ? last_time : now);
    int64_t limit = today.year + 50 < 9999 ? today.year + 50 : 9999;
    int64_t year = limit - limit % 100 + civil->year;
    if (year > limit || (year == today.year + 50 && within_year(civil) > within_year(&today)))
        year -= 100;
    return year;
}

static int read_rfc850(struct cursor *cursor, struct civil *civil, int64_t now)
{
    int weekday = take_name(cursor, weekdays, 7, 0);
    take(cursor, ", ");
    civil->day = take_number(cursor, 2);
    take(cursor, "-");
    civil->month = take_month(cursor);
    take(cursor, "-");
    civil->year = take_number(cursor, 2);
    take(cursor, " ");
    take_clock(cursor, civil);
    take(cursor, " GMT");
    civil->year = full_year(civil, now);
    return weekday;
}

/* A leap second, at the end of a day only, is taken as the second before. */
static bool clock_ok(struct civil *civil)
{
    if (civil->second == 60 && civil->minute == 59 && civil->hour == 23)
        civil->second = 59;
    return civil->hour < 24 && civil->minute < 60 && civil->second < 60;
}

/* A day that does not exist comes back as another. */
static bool day_ok(const struct civil *civil, int weekday, int64_t days)
{
    struct civil back = civil_of(days * DAY_S);
    return back.day == civil->day && back.month == civil->month && weekday == weekday_of(days);
}

int weft_http_date_parse(struct weft_text text, int64_t now, int64_t *time)
{
    struct cursor cursor = {.rest = text};
    struct civil civil;
    int weekday;
    *time = WEFT_HTTP_NO_TIME;
    if (text.size < 24)
        return UV_EINVAL;
    if (text.data[3] == ',')
        weekday = read_fixdate(&cursor, &civil);
    else if (text.data[3] == ' ')
        weekday = read_asctime(&cursor, &civil);
    else
        weekday = read_rfc850(&cursor, &civil, now);
    if (cursor.wrong || cursor.rest.size > 0 || civil.year < 1970 || !clock_ok(&civil))
        return UV_EINVAL;
    int64_t days = days_of(civil.year, civil.month, civil.day);
    if (days < 0 || !day_ok(&civil, weekday, days))
        return UV_EINVAL;
    int second = (civil.hour * 60 + civil.minute) * 60 + civil.second;
    *time = days * DAY_S + second;
    return 0;
}
