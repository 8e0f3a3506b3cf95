/* JSON Lines: each line is an object by itself, with the members of a sale and no others. */
#include "sales/intake.h"
#include "sales/sales.h"
#include "trace/json.h"
#include "trace/utf8.h"

static const char *read_item(struct intake *intake, struct json_reader *json, enum json_token token)
{
    if (token != JSON_TOKEN_STRING)
        return "the item is no string";
    if (!sales_is_whole(json->text))
        return "the name of the item has half a character";
    return intake_item(intake, json->text);
}

static const char *read_member(struct intake *intake, struct json_reader *json,
                               enum intake_column column)
{
    enum json_token token = json_reader_next(json);
    if (token == JSON_TOKEN_ERROR)
        return json->problem;
    switch (column) {
    case COLUMN_ITEM:
        return read_item(intake, json, token);
    case COLUMN_AMOUNT:
        return token == JSON_TOKEN_NUMBER ? intake_amount(intake, json->text)
                                          : "the amount is no number";
    case COLUMN_TIME:
    case COLUMNS:
        break;
    }
    return token == JSON_TOKEN_NUMBER || token == JSON_TOKEN_STRING
               ? intake_time(intake, json->text)
               : "the time is neither a string nor a number";
}

static enum intake_column column_of(struct weft_text name)
{
    int i = 0;
    while (i < COLUMNS && !weft_text_is(name, intake_columns[i]))
        i++;
    return (enum intake_column)i;
}

static const char *read_members(struct intake *intake, struct json_reader *json)
{
    bool seen[COLUMNS] = {false};
    enum json_token token;
    while ((token = json_reader_next(json)) == JSON_TOKEN_NAME) {
        enum intake_column column = column_of(json->text);
        if (column == COLUMNS)
            return "its members can only be item, amount and time";
        if (seen[column])
            return "a member stands twice";
        seen[column] = true;
        const char *problem = read_member(intake, json, column);
        if (problem != NULL)
            return problem;
    }
    if (token == JSON_TOKEN_OBJECT_END)
        token = json_reader_next(json);
    if (token != JSON_TOKEN_END)
        return json->problem;
    return seen[COLUMN_ITEM] && seen[COLUMN_AMOUNT] ? NULL : "it has no item or no amount";
}

static const char *read_line(struct intake *intake, struct json_reader *json)
{
    enum json_token token = json_reader_next(json);
    if (token == JSON_TOKEN_ERROR)
        return json->problem;
    return token == JSON_TOKEN_OBJECT ? read_members(intake, json) : "it is no JSON object";
}

static bool is_blank(struct weft_text line)
{
    size_t blanks = 0;
    while (blanks < line.size && (line.data[blanks] == ' ' || line.data[blanks] == '\t'))
        blanks++;
    return blanks == line.size;
}

enum intake_got jsonl_next(struct intake *intake)
{
    struct json_reader json;
    enum intake_got got;
    if (!intake_line(intake, &got))
        return got;
    intake->time_s = intake->now_s;
    if (is_blank(intake->lines.text))
        return intake_bad(intake, "there is nothing but blanks in it");
    if (!utf8_is_text(intake->lines.text))
        return intake_bad(intake, "it is not UTF-8");
    struct weft_text left = intake->lines.text;
    int err = json_reader_open(&json, json_fill_text, &left);
    if (err != 0) {
        intake->status = err;
        return INTAKE_FAILED;
    }
    const char *problem = read_line(intake, &json);
    json_reader_close(&json);
    return problem == NULL ? INTAKE_SALE : intake_bad(intake, problem);
}
