/* An array of integers, as strict as RFC 8259: what others would read as something else (1.0, 1e3,
 * 010, +5, a trailing comma) is refused, and the refusal says what stands where. A number that does
 * not fit is refused too: the nearest one that fits would have other subsets. */
#include "subsetsum/inside.h"
#include <stdarg.h>
#include <stdio.h>

struct reader {
    const char *begin, *at, *end;
    char *why;
    int status;
};

/* Always false. */
__attribute__((format(printf, 3, 4))) static bool refuse(struct reader *reader, const char *where,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(reader->why, SUBSET_WHY, format, arguments);
    va_end(arguments);
    if (size >= 0 && size < SUBSET_WHY)
        snprintf(reader->why + size, (size_t)(SUBSET_WHY - size), ", at byte %zu",
                 (size_t)(where - reader->begin) + 1);
    reader->status = UV_EINVAL;
    return false;
}

static void pass_blanks(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' ||
                                        *reader->at == '\n' || *reader->at == '\r'))
        reader->at++;
}

static bool next_is(struct reader *reader, char wanted)
{
    return reader->at < reader->end && *reader->at == wanted;
}

static bool take(struct reader *reader, char wanted)
{
    bool is = next_is(reader, wanted);
    if (is)
        reader->at++;
    return is;
}

/* ---- one integer ---------------------------------------------------------------------------- */

/* What stands where an integer should begin. */
static bool no_integer(struct reader *reader)
{
    if (reader->at == reader->end)
        return refuse(reader, reader->at, "the text ends where an integer should stand");
    switch (*reader->at) {
    case '[':
    case '{':
        return refuse(reader, reader->at, "an array or object stands where an integer should");
    case '"':
        return refuse(reader, reader->at, "a string stands where an integer should");
    case '+':
        return refuse(reader, reader->at, "a plus sign is no part of an integer");
    default:
        return refuse(reader, reader->at, "this is no integer");
    }
}

static bool is_digit(const struct reader *reader)
{
    return reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
}

/* From -most - 1 to most. range: how to call that. */
static bool read_integer(struct reader *reader, subset_wide most, const char *range,
                         subset_wide *value)
{
    const char *begin = reader->at;
    bool negative = take(reader, '-');
    subset_size number = 0, limit = (subset_size)most + negative;
    if (!is_digit(reader))
        return negative ? refuse(reader, reader->at, "no digit stands behind a minus sign")
                        : no_integer(reader);
    const char *first = reader->at;
    for (; is_digit(reader); reader->at++) {
        subset_size digit = (subset_size)(*reader->at - '0');
        if (number > (limit - digit) / 10)
            return refuse(reader, begin, "an integer is beyond %s", range);
        number = number * 10 + digit;
    }
    if (*first == '0' && reader->at > first + 1)
        return refuse(reader, first, "an integer begins with a zero");
    if (next_is(reader, '.') || next_is(reader, 'e') || next_is(reader, 'E'))
        return refuse(reader, begin, "a number is written with a fraction or an exponent");
    *value = (subset_wide)(negative ? 0 - number : number);
    return true;
}

/* ---- the array ------------------------------------------------------------------------------ */

static bool read_element(struct reader *reader, struct subset_problem *problem)
{
    subset_wide value = 0;
    const char *begin = reader->at;
    if (next_is(reader, ']'))
        return refuse(reader, begin, "a comma stands behind the last integer");
    if (next_is(reader, ','))
        return refuse(reader, begin, "an integer is missing before a comma");
    if (!read_integer(reader, INT64_MAX, "the range of 64 bits", &value))
        return false;
    if (problem->count == SUBSET_MAX) {
        refuse(reader, begin, "there are more than %d integers", SUBSET_MAX);
        reader->status = UV_E2BIG;
        return false;
    }
    problem->values[problem->count++] = (int64_t)value;
    return true;
}

static bool read_array(struct reader *reader, struct subset_problem *problem)
{
    pass_blanks(reader);
    if (!take(reader, '['))
        return refuse(reader, reader->at, "an array of integers begins with '['");
    pass_blanks(reader);
    bool ended = take(reader, ']');
    while (!ended) {
        pass_blanks(reader);
        if (!read_element(reader, problem))
            return false;
        pass_blanks(reader);
        ended = take(reader, ']');
        if (!ended && !take(reader, ','))
            return refuse(reader, reader->at, "a comma or ']' is missing");
    }
    pass_blanks(reader);
    return reader->at == reader->end ||
           refuse(reader, reader->at, "something stands behind the array");
}

int subset_parse_values(struct subset_problem *problem, struct weft_text text, char why[SUBSET_WHY])
{
    struct subset_problem read = {.count = 0};
    struct reader reader = {.begin = text.data, .at = text.data, .end = text.data};
    reader.why = why;
    if (text.size > 0)
        reader.end += text.size;
    if (!read_array(&reader, &read))
        return reader.status;
    read.sum = problem->sum;
    *problem = read;
    return 0;
}

int subset_parse_sum(struct subset_problem *problem, struct weft_text text, char why[SUBSET_WHY])
{
    static const subset_wide most = (subset_wide)(~(subset_size)0 >> 1);
    struct reader reader = {.begin = text.data, .at = text.data, .end = text.data};
    subset_wide sum = 0;
    reader.why = why;
    if (text.size > 0)
        reader.end += text.size;
    if (!read_integer(&reader, most, "the range of 128 bits", &sum))
        return reader.status;
    if (reader.at < reader.end) {
        refuse(&reader, reader.at, "something stands behind the integer");
        return reader.status;
    }
    problem->sum = sum;
    return 0;
}
