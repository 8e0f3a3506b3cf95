/* Content-Type: type/subtype and parameters. A client meets all kinds of them, so only the type has
 * to be right; a parameter that is not is as if it was not there. */
#include "scan.h"

/* The first one counts. */
static void keep(struct weft_text *kept, const struct weft_http_parameter *parameter,
                 const char *name)
{
    if (kept->data == NULL && !parameter->escaped &&
        weft_text_same(parameter->name, weft_text_of(name)))
        *kept = parameter->value;
}

int weft_http_content_type_parse(struct weft_text value, struct weft_http_content_type *parsed)
{
    struct weft_http_parameter parameter;
    int found;
    *parsed = (struct weft_http_content_type){.type = {NULL, 0}};
    value = weft_text_trim(value);
    struct weft_text type = scan_token(&value);
    bool slash = scan_char(&value, '/');
    struct weft_text subtype = scan_token(&value);
    scan_blanks(&value);
    if (type.size == 0 || !slash || subtype.size == 0 || (value.size > 0 && value.data[0] != ';'))
        return UV_EINVAL;
    parsed->type = type;
    parsed->subtype = subtype;
    parsed->parameters = value;
    while ((found = weft_http_parameter_next(&value, &parameter)) != 0) {
        if (found < 0)
            continue;
        keep(&parsed->charset, &parameter, "charset");
        keep(&parsed->boundary, &parameter, "boundary");
    }
    return 0;
}

bool weft_http_content_type_is(const struct weft_http_content_type *parsed, const char *type)
{
    struct weft_text subtype = weft_text_of(type);
    struct weft_text first = weft_text_cut(&subtype, '/');
    return parsed->type.size > 0 && weft_text_same(parsed->type, first) &&
           weft_text_same(parsed->subtype, subtype);
}
