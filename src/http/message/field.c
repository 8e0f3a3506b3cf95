/* What a field is made of: a name that is a token, a value without control characters, and often a
 * list with commas. Whoever writes a message asks the first two; so nothing that is given to us
 * can end a line and begin another. */
#include "scan.h"

bool weft_http_name_ok(struct weft_text name)
{
    size_t size = name.size;
    return size > 0 && scan_token(&name).size == size;
}

bool weft_http_value_ok(struct weft_text value)
{
    size_t size = value.size;
    return scan_while(&value, is_value).size == size;
}

/* A quoted string that does not end reaches to the end of the text. */
size_t weft__http_scan_until(struct weft_text text, char separator)
{
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted && c == '\\')
            i++;
        else if (!quoted && c == separator)
            return i;
    }
    return text.size;
}

int weft_http_list_next(struct weft_text *rest, struct weft_text *element)
{
    while (rest->size > 0) {
        *element = weft_text(rest->data, weft__http_scan_until(*rest, ','));
        scan_skip(rest, element->size);
        scan_char(rest, ',');
        *element = weft_text_trim(*element);
        if (element->size > 0)
            return 1;
    }
    *element = weft_text(NULL, 0);
    return 0;
}
