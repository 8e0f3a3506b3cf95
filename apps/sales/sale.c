/* Reading a sale. Both forms are strict: a member that is not known may be a misspelled one, and a
 * sale that is not what was meant cannot be taken back.
 *
 * The bytes of a form are taken as they are. JSON is text: what is no UTF-8 is refused rather than
 * repaired, because the item would have another name then. */
#include "sales/sale.h"
#include "sales/sales.h"
#include "trace/json.h"
#include "trace/utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <weft/http_message.h>

struct reading {
    struct sale *sale;
    char *why;
    bool item, amount; /* there was one */
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct reading *reading,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reading->why, SALE_WHY, format, arguments);
    va_end(arguments);
    return UV_EINVAL;
}

static int take_item(struct reading *reading, struct weft_text item)
{
    if (reading->item)
        return refuse(reading, "there is more than one item");
    if (item.size == 0 || item.size > LEDGER_ITEM_MAX)
        return refuse(reading, "the name of an item has 1 to %d bytes", LEDGER_ITEM_MAX);
    reading->item = true;
    reading->sale->size = item.size;
    memcpy(reading->sale->item, item.data, item.size);
    return 0;
}

static int take_amount(struct reading *reading, struct weft_text digits)
{
    int64_t amount;
    if (reading->amount)
        return refuse(reading, "there is more than one amount");
    if (!sales_amount(digits, &amount))
        return refuse(reading, SALES_AMOUNT_RULE);
    reading->amount = true;
    reading->sale->amount = amount;
    return 0;
}

static int finish(const struct reading *reading)
{
    if (!reading->item)
        return refuse(reading, "there is no item");
    return reading->amount ? 0 : refuse(reading, "there is no amount");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* The name was read; its value comes next. */
static int read_member(struct reading *reading, struct json_reader *reader)
{
    bool is_item = weft_text_is(reader->text, "item");
    if (!is_item && !weft_text_is(reader->text, "amount"))
        return refuse(reading, "a sale has an item and an amount, and nothing else");
    enum json_token token = json_reader_next(reader);
    if (token == JSON_TOKEN_ERROR)
        return 0; /* the next token says so again */
    if (is_item && token != JSON_TOKEN_STRING)
        return refuse(reading, "the item is a string");
    if (is_item && !sales_is_whole(reader->text))
        return refuse(reading, "the name of the item has half a character");
    if (is_item)
        return take_item(reading, reader->text);
    return token == JSON_TOKEN_NUMBER ? take_amount(reading, reader->text)
                                      : refuse(reading, "the amount is a number");
}

static int read_object(struct reading *reading, struct json_reader *reader)
{
    enum json_token token = json_reader_next(reader);
    int err = 0;
    if (token != JSON_TOKEN_OBJECT && token != JSON_TOKEN_ERROR)
        return refuse(reading, "a sale is an object");
    while (err == 0 && token != JSON_TOKEN_END && token != JSON_TOKEN_ERROR) {
        token = json_reader_next(reader);
        if (token == JSON_TOKEN_NAME)
            err = read_member(reading, reader);
    }
    if (err == 0 && token == JSON_TOKEN_ERROR)
        err = refuse(reading, "this is no JSON: %s, at byte %llu", reader->problem,
                     (unsigned long long)reader->offset);
    return err != 0 ? err : finish(reading);
}

int sale_read_json(struct sale *sale, struct weft_text body, char why[SALE_WHY])
{
    struct reading reading = {.sale = sale};
    struct json_reader reader;
    reading.why = why;
    if (!utf8_is_text(body))
        return refuse(&reading, "this is no JSON: it is not in UTF-8");
    int err = json_reader_open(&reader, json_fill_text, &body);
    if (err != 0)
        return err;
    err = read_object(&reading, &reader);
    json_reader_close(&reader);
    return err;
}

/* ---- a form --------------------------------------------------------------------------------- */

static int take_field(struct reading *reading, struct weft_text name, struct weft_text value)
{
    char buffer[LEDGER_ITEM_MAX + 1];
    struct weft_text decoded;
    bool is_item = weft_http_form_is(name, "item");
    if (!is_item && !weft_http_form_is(name, "amount"))
        return refuse(reading, "a sale has an item and an amount, and nothing else");
    int err = weft_http_form_decode(value, buffer, sizeof buffer, &decoded);
    if (err == UV_EINVAL)
        return refuse(reading, "there is a %% without two hex digits");
    if (err == UV_ENOBUFS) /* too long; whose fault it is they know themselves */
        decoded = weft_text(NULL, 0);
    return is_item ? take_item(reading, decoded) : take_amount(reading, decoded);
}

int sale_read_form(struct sale *sale, struct weft_text body, char why[SALE_WHY])
{
    struct reading reading = {.sale = sale};
    struct weft_text name, value;
    reading.why = why;
    while (weft_http_form_next(&body, &name, &value) == 1) {
        int err = take_field(&reading, name, value);
        if (err != 0)
            return err;
    }
    return finish(&reading);
}
