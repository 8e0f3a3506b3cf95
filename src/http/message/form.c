/* Queries and forms: name=value&name=value. They are walked through as they stand, and only what is
 * asked for is decoded; names are compared while they are decoded, so no buffer limits them. */
#include "percent.h"

int weft_http_form_next(struct weft_text *rest, struct weft_text *name, struct weft_text *value)
{
    while (rest->size > 0) {
        *value = weft_text_cut(rest, '&');
        if (value->size == 0)
            continue;
        *name = weft_text_cut(value, '=');
        return 1;
    }
    *name = *value = weft_text(NULL, 0);
    return 0;
}

bool weft_http_form_is(struct weft_text name, const char *plain)
{
    for (; name.size > 0 && *plain != '\0'; plain++) {
        if (percent_take(&name, true) != (unsigned char)*plain)
            return false;
    }
    return name.size == 0 && *plain == '\0';
}

static bool find(struct weft_text form, const char *name, struct weft_text *value)
{
    struct weft_text next;
    while (weft_http_form_next(&form, &next, value) == 1) {
        if (weft_http_form_is(next, name))
            return true;
    }
    return false;
}

int weft_http_form_get(struct weft_text form, const char *name, char *buffer, size_t size,
                       struct weft_text *value)
{
    struct weft_text raw;
    bool found = find(form, name, &raw);
    int err = weft_http_form_decode(raw, buffer, size, value);
    return found ? err : UV_ENOENT;
}

/* With an optional '-'; the most negative number has no positive. */
static int read_number(struct weft_text text, int64_t *number)
{
    uint64_t value;
    bool negative = scan_char(&text, '-');
    int err = number_parse(text, (uint64_t)INT64_MAX + (negative ? 1 : 0), &value);
    if (err == 0)
        *number = negative ? (int64_t)(0 - value) : (int64_t)value;
    return err;
}

int weft_http_form_number(struct weft_text form, const char *name, int64_t least, int64_t most,
                          int64_t *number)
{
    char digits[64]; /* more than any number has, so what does not fit is none that we take */
    struct weft_text text;
    int64_t value;
    int err = weft_http_form_get(form, name, digits, sizeof digits, &text);
    if (err == 0)
        err = read_number(text, &value);
    if (err != 0)
        return err == UV_ENOENT || err == UV_ERANGE ? err : UV_EINVAL;
    if (value < least || value > most)
        return UV_ERANGE;
    *number = value;
    return 0;
}
