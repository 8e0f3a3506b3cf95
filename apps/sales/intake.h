/* apps/sales/intake.h: sales from a file, CSV or JSON Lines. What is in it is not trusted. */
#ifndef WEFT_SALES_INTAKE_H
#define WEFT_SALES_INTAKE_H

#include "sales/ledger.h"
#include "sales/lines.h"

enum intake_got {
    INTAKE_SALE,
    INTAKE_BAD, /* one that is not in order: see problem and line; the next one may be */
    INTAKE_END,
    INTAKE_FAILED /* no more can be read: see problem and line, or status if problem is NULL */
};

enum intake_column { COLUMN_ITEM, COLUMN_AMOUNT, COLUMN_TIME, COLUMNS };
extern const char *const intake_columns[COLUMNS]; /* their names */

/* Set lines.fill, lines.context and now_s, zero the rest. */
struct intake {
    struct lines lines;
    int64_t now_s; /* of a sale without a time */

    /* Read only: of a sale */
    struct weft_text item; /* lies in name */
    int64_t amount, time_s;
    char name[LEDGER_ITEM_MAX];
    /* and of what is wrong */
    const char *problem; /* until the next one is read */
    uint64_t line;       /* where it begins, from 1; also of a sale */
    int status;

    int columns_[COLUMNS]; /* of a CSV: in which place it stands; -1: it is missing */
    int column_count_;     /* 0: the line of names was not read yet */
    char counted_[64];     /* room for a problem with numbers in it */
};

/* The next sale. Empty lines are passed over. */
typedef enum intake_got intake_next_fn(struct intake *intake);
/* RFC 4180, with LF or CRLF, and names in the first line. A field in quotes may have line ends in it.
 * A quote that is never closed is the fault of the line it stands in: reading goes on with the next. */
enum intake_got csv_next(struct intake *intake);
/* A JSON object in each line: {"item": "book", "amount": 5, "time": "2024-01-31T12:00:00Z"}. */
enum intake_got jsonl_next(struct intake *intake);
void intake_free(struct intake *intake);

/* For the two of them: a line that has something in it, or what to return instead of a sale. */
bool intake_line(struct intake *intake, enum intake_got *got);
enum intake_got intake_bad(struct intake *intake, const char *problem);
/* Take a field's text; what is wrong with it, or NULL. An item is copied to name. */
const char *intake_item(struct intake *intake, struct weft_text text);
const char *intake_amount(struct intake *intake, struct weft_text text);
const char *intake_time(struct intake *intake, struct weft_text text);

#endif
