/* What the two kinds of files have in common: lines, and the fields of a sale. */
#include "sales/intake.h"
#include "sales/sales.h"

const char *const intake_columns[COLUMNS] = {"item", "amount", "time"};

enum intake_got intake_bad(struct intake *intake, const char *problem)
{
    intake->problem = problem;
    return INTAKE_BAD;
}

bool intake_line(struct intake *intake, enum intake_got *got)
{
    enum lines_got line;
    do {
        line = lines_next(&intake->lines);
    } while (line == LINES_LINE && intake->lines.text.size == 0);
    intake->line = intake->lines.number;
    intake->problem = NULL;
    switch (line) {
    case LINES_LINE:
        return true;
    case LINES_LONG:
        *got = intake_bad(intake, "the line is too long");
        return false;
    case LINES_END:
        *got = INTAKE_END;
        return false;
    case LINES_FAILED:
        break;
    }
    intake->status = intake->lines.status;
    *got = INTAKE_FAILED;
    return false;
}

const char *intake_item(struct intake *intake, struct weft_text text)
{
    if (text.size == 0)
        return "the item has no name";
    if (text.size > LEDGER_ITEM_MAX)
        return "the name of the item is too long";
    memcpy(intake->name, text.data, text.size);
    intake->item = weft_text(intake->name, text.size);
    return NULL;
}

const char *intake_amount(struct intake *intake, struct weft_text text)
{
    if (text.size == 0)
        return "there is no amount";
    return sales_amount(text, &intake->amount) ? NULL : SALES_AMOUNT_RULE;
}

const char *intake_time(struct intake *intake, struct weft_text text)
{
    return sales_time(text, &intake->time_s) ? NULL : "the time is neither RFC 3339 nor seconds";
}

void intake_free(struct intake *intake)
{
    lines_free(&intake->lines);
}
