/* CSV, as RFC 4180 has it and no other way: a field is in quotes as a whole or not at all, a quote in
 * it is doubled, a line has as many fields as the first one. Anything goes in a field in quotes, also
 * the end of a line; then the next line belongs to it too. */
#include "sales/intake.h"
#include <stdio.h>

static const char unclosed[] = "a quote is not closed";

struct field {
    struct weft_text raw; /* without the quotes around it, those inside still doubled */
    bool quoted;
};

/* The end of a field in quotes, which begins behind the first one: its last quote. NULL: it has none. */
static const char *closing_quote(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 == end || at[1] != '"')
            return at;
        at++;
    }
    return NULL;
}

static const char *quoted_field(const char **at, const char *end, struct field *field)
{
    const char *begin = *at + 1, *quote = closing_quote(begin, end);
    if (quote == NULL)
        return unclosed;
    *field = (struct field){weft_text(begin, (size_t)(quote - begin)), true};
    *at = quote + 1;
    return *at == end || **at == ',' ? NULL : "something stands behind a closing quote";
}

static const char *plain_field(const char **at, const char *end, struct field *field)
{
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    const char *stop = comma != NULL ? comma : end;
    *field = (struct field){weft_text(*at, (size_t)(stop - *at)), false};
    *at = stop;
    if (field->raw.size == 0)
        return NULL;
    if (memchr(field->raw.data, '"', field->raw.size) != NULL)
        return "a quote stands in a field without quotes";
    if (memchr(field->raw.data, '\r', field->raw.size) != NULL)
        return "a carriage return stands alone";
    return NULL;
}

/* Cut text into fields; what is wrong with it, or NULL. All are counted, at most COLUMNS are kept. */
static const char *split(struct weft_text text, struct field fields[COLUMNS], int *count)
{
    const char *at = text.data, *end = text.data + text.size;
    for (*count = 0;; at++) {
        struct field extra, *field = *count < COLUMNS ? &fields[*count] : &extra;
        (*count)++;
        const char *problem =
            at < end && *at == '"' ? quoted_field(&at, end, field) : plain_field(&at, end, field);
        if (problem != NULL || at == end)
            return problem;
    }
}

static bool is_odd_in_quotes(struct weft_text text)
{
    bool odd = false;
    for (size_t i = 0; i < text.size; i++)
        odd ^= text.data[i] == '"';
    return odd;
}

/* The lines that a quote which is not closed goes on for: up to one where it is. Inside of quotes all
 * others are doubled, so that line has an odd number of them. False: it cannot be read. */
static bool read_on(struct intake *intake)
{
    for (;;) {
        size_t before = intake->lines.text.size;
        enum lines_got more = lines_more(&intake->lines);
        struct weft_text text = intake->lines.text;
        if (more != LINES_LINE)
            return more != LINES_FAILED;
        if (is_odd_in_quotes(weft_text(text.data + before, text.size - before)))
            return true;
    }
}

/* A record, of as many lines as it takes. False: what to return is in *got. */
static bool next_record(struct intake *intake, struct field fields[COLUMNS], int *count,
                        enum intake_got *got)
{
    if (!intake_line(intake, got))
        return false;
    const char *problem = split(intake->lines.text, fields, count);
    if (problem == unclosed) {
        if (!read_on(intake)) {
            intake->status = intake->lines.status;
            *got = INTAKE_FAILED;
            return false;
        }
        problem = split(intake->lines.text, fields, count);
    }
    if (problem == NULL)
        return true;
    lines_back(&intake->lines); /* what looked like a part of it may be in order by itself */
    *got = intake_bad(intake, problem);
    return false;
}

/* What the field says, into buffer if its quotes have to be undone. Longer than any name may be: cut. */
static struct weft_text value_of(const struct field *field, char buffer[LEDGER_ITEM_MAX + 1])
{
    size_t size = 0;
    if (!field->quoted)
        return field->raw;
    for (size_t i = 0; i < field->raw.size && size <= LEDGER_ITEM_MAX; i++) {
        buffer[size++] = field->raw.data[i];
        if (field->raw.data[i] == '"')
            i++;
    }
    return weft_text(buffer, size);
}

/* ---- the first line ------------------------------------------------------------------------- */

static const char other_names[] = "the names in the first line can only be item, amount and time";

static const char *name_column(struct intake *intake, struct weft_text name, int place)
{
    for (int i = 0; i < COLUMNS; i++) {
        if (!weft_text_same(name, weft_text_of(intake_columns[i])))
            continue;
        if (intake->columns_[i] >= 0)
            return "a name stands twice in the first line";
        intake->columns_[i] = place;
        return NULL;
    }
    return other_names;
}

static enum intake_got read_names(struct intake *intake)
{
    struct field fields[COLUMNS];
    char buffer[LEDGER_ITEM_MAX + 1];
    enum intake_got got;
    int count;
    for (int i = 0; i < COLUMNS; i++)
        intake->columns_[i] = -1;
    if (!next_record(intake, fields, &count, &got)) {
        if (got == INTAKE_END)
            intake_bad(intake, "there is not even a line of names");
        return INTAKE_FAILED;
    }
    const char *problem = count > COLUMNS ? other_names : NULL;
    for (int i = 0; i < count && problem == NULL; i++)
        problem = name_column(intake, value_of(&fields[i], buffer), i);
    if (problem == NULL &&
        (intake->columns_[COLUMN_ITEM] < 0 || intake->columns_[COLUMN_AMOUNT] < 0))
        problem = "the first line has to name item and amount";
    intake->problem = problem;
    intake->column_count_ = count;
    return problem == NULL ? INTAKE_SALE : INTAKE_FAILED;
}

/* ---- the others ----------------------------------------------------------------------------- */

static const char *read_time(struct intake *intake, const struct field fields[COLUMNS])
{
    char buffer[LEDGER_ITEM_MAX + 1];
    int place = intake->columns_[COLUMN_TIME];
    intake->time_s = intake->now_s;
    if (place < 0)
        return NULL;
    struct weft_text text = value_of(&fields[place], buffer);
    return text.size == 0 ? NULL : intake_time(intake, text);
}

static const char *read_sale(struct intake *intake, const struct field fields[COLUMNS], int count)
{
    char buffer[LEDGER_ITEM_MAX + 1];
    if (count != intake->column_count_) {
        snprintf(intake->counted_, sizeof intake->counted_, "%d fields expected, %d found",
                 intake->column_count_, count);
        return intake->counted_;
    }
    const char *problem =
        intake_item(intake, value_of(&fields[intake->columns_[COLUMN_ITEM]], buffer));
    if (problem == NULL)
        problem = intake_amount(intake, value_of(&fields[intake->columns_[COLUMN_AMOUNT]], buffer));
    return problem != NULL ? problem : read_time(intake, fields);
}

enum intake_got csv_next(struct intake *intake)
{
    struct field fields[COLUMNS];
    enum intake_got got;
    int count;
    if (intake->column_count_ == 0) {
        got = read_names(intake);
        if (got != INTAKE_SALE)
            return got;
    }
    if (!next_record(intake, fields, &count, &got))
        return got;
    const char *problem = read_sale(intake, fields, count);
    return problem == NULL ? INTAKE_SALE : intake_bad(intake, problem);
}
