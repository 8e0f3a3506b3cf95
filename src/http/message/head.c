/* Looking for a field: the list is short, so it is walked. */
#include "weft/http_head.h"

const struct weft_http_field *weft_http_head_next(const struct weft_http_head *head,
                                                  const char *name, size_t *at)
{
    struct weft_text wanted = weft_text_of(name);
    while (*at < head->count) {
        const struct weft_http_field *field = &head->fields[(*at)++];
        if (weft_text_same(field->name, wanted))
            return field;
    }
    return NULL;
}

struct weft_text weft_http_head_get(const struct weft_http_head *head, const char *name)
{
    size_t at = 0;
    const struct weft_http_field *field = weft_http_head_next(head, name, &at);
    return field != NULL ? field->value : weft_text(NULL, 0);
}
