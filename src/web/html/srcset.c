/* srcset: candidates with commas between them, where a URL may have commas in it, and descriptors
 * may have brackets with commas in them. The standard's way: blanks and commas, then a URL up to a
 * blank; commas at its end belong to the list. Otherwise descriptors follow, up to a comma outside
 * of brackets. */
#include "chars.h"
#include <weft/links.h>

static const char *skip_descriptors(const char *at, const char *end)
{
    bool in_brackets = false;
    for (; at < end; at++) {
        if (*at == ',' && !in_brackets)
            return at + 1;
        if (*at == '(')
            in_brackets = true;
        else if (*at == ')')
            in_brackets = false;
    }
    return end;
}

int weft_links_srcset_next(struct weft_text *rest, struct weft_text *url)
{
    const char *at = rest->data, *end = rest->data + rest->size;
    while (at < end && (html_char(*at, HTML_SPACE) || *at == ','))
        at++;
    const char *begin = at;
    at = html_find(at, end, HTML_SPACE);
    const char *behind = at;
    while (behind > begin && behind[-1] == ',')
        behind--;
    if (behind == at)
        at = skip_descriptors(at, end);
    *url = weft_text(begin, (size_t)(behind - begin));
    *rest = weft_text(at, (size_t)(end - at));
    return begin < end ? 1 : 0;
}
