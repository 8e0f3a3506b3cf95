/* Parameters: name=value, or name="value" with escapes.
 *
 * Nothing is unescaped in place: the texts are not ours. A value tells whether it has escapes, so
 * that the many that have none are used as they stand. Each call takes what it has looked at, also
 * what is malformed, so a walk is linear whatever comes. */
#include "scan.h"

/* More than a token: type=text/html is written without quotes by many. */
static bool is_bare(char c)
{
    return is_value(c) && !is_blank(c) && c != '"' && c != ';' && c != ',';
}

/* rest begins behind the opening quote. */
static bool scan_quoted(struct weft_text *rest, struct weft_http_parameter *parameter)
{
    size_t size = 0;
    while (size < rest->size && rest->data[size] != '"') {
        bool escape = rest->data[size] == '\\';
        parameter->escaped = parameter->escaped || escape;
        size += escape && size + 1 < rest->size ? 2 : 1;
    }
    parameter->quoted = true;
    parameter->value = weft_text(rest->data, size);
    scan_skip(rest, size);
    return scan_char(rest, '"') && weft_http_value_ok(parameter->value);
}

bool weft__http_scan_parameter(struct weft_text *rest, struct weft_http_parameter *parameter)
{
    *parameter = (struct weft_http_parameter){.name = scan_token(rest)};
    if (parameter->name.size == 0)
        return false;
    scan_blanks(rest);
    if (!scan_char(rest, '='))
        return true;
    scan_blanks(rest);
    if (scan_char(rest, '"'))
        return scan_quoted(rest, parameter);
    parameter->value = scan_while(rest, is_bare);
    return true;
}

/* Only what is between two separators is given up, unless a quoted string does not end. */
int weft_http_parameter_next(struct weft_text *rest, struct weft_http_parameter *parameter)
{
    do
        scan_blanks(rest);
    while (scan_char(rest, ';'));
    if (rest->size == 0) {
        *parameter = (struct weft_http_parameter){.name = {NULL, 0}};
        return 0;
    }
    bool found = weft__http_scan_parameter(rest, parameter);
    scan_blanks(rest);
    if (found && (rest->size == 0 || rest->data[0] == ';'))
        return 1;
    scan_skip(rest, weft__http_scan_until(*rest, ';'));
    *parameter = (struct weft_http_parameter){.name = {NULL, 0}};
    return UV_EINVAL;
}

int weft_http_directive_next(struct weft_text *rest, struct weft_http_parameter *directive)
{
    struct weft_text element;
    int found = weft_http_list_next(rest, &element);
    *directive = (struct weft_http_parameter){.name = {NULL, 0}};
    if (found == 0)
        return 0;
    if (weft__http_scan_parameter(&element, directive) && element.size == 0)
        return 1;
    *directive = (struct weft_http_parameter){.name = {NULL, 0}};
    return UV_EINVAL;
}

int weft_http_unescape(const struct weft_http_parameter *parameter, char *buffer, size_t size,
                       struct weft_text *plain)
{
    struct weft_text value = parameter->value;
    size_t length = 0;
    for (size_t i = 0; i < value.size; i++, length++) {
        if (parameter->quoted && value.data[i] == '\\' && i + 1 < value.size)
            i++;
        if (length + 1 < size)
            buffer[length] = value.data[i];
    }
    bool fits = length < size;
    if (size > 0)
        buffer[fits ? length : 0] = '\0';
    if (plain != NULL)
        *plain = weft_text(buffer, fits ? length : 0);
    return fits ? 0 : UV_ENOBUFS;
}

/* ---- weights -------------------------------------------------------------------------------- */

/* "0", "0.5", "1.000" as thousandths. */
static bool read_quality(struct weft_text text, unsigned *quality)
{
    uint64_t whole, part = 0, scale = 1000;
    struct weft_text digits = weft_text_cut(&text, '.');
    if (digits.size != 1 || number_parse(digits, 1, &whole) != 0 || text.size > 3 ||
        (text.size > 0 && number_parse(text, 999, &part) != 0))
        return false;
    for (size_t i = 0; i < text.size; i++)
        scale /= 10;
    *quality = (unsigned)(whole * 1000 + part * scale);
    return *quality <= 1000;
}

bool weft__http_scan_weight(struct weft_text parameters, unsigned *quality)
{
    struct weft_http_parameter parameter;
    int found;
    *quality = 1000;
    while ((found = weft_http_parameter_next(&parameters, &parameter)) == 1) {
        if (weft_text_same(parameter.name, weft_text_of("q")) &&
            !read_quality(parameter.value, quality))
            return false;
    }
    return found == 0;
}
