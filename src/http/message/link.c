/* Links in a field (RFC 8288): <target>; rel="next", <target>; rel=last. The target is taken first,
 * because commas and semicolons mean nothing within <>; then what follows it up to a comma that
 * stands in no quotes. A link that is malformed is taken with all that belongs to it, so that the
 * next one can be read. */
#include "scan.h"

/* target and parameters; what could not be read up to the next comma is taken as well. */
static bool scan_link(struct weft_text *rest, struct weft_http_link *link)
{
    bool begun = scan_char(rest, '<'), ended = false;
    if (begun) {
        struct weft_text behind = *rest;
        link->target = weft_text_trim(weft_text_cut(&behind, '>'));
        ended = behind.data != NULL;
        *rest = ended ? behind : weft_text(NULL, 0);
    }
    link->parameters = weft_text(rest->data, weft__http_scan_until(*rest, ','));
    scan_skip(rest, link->parameters.size);
    scan_char(rest, ',');
    link->parameters = weft_text_trim(link->parameters);
    return ended && (link->parameters.size == 0 || link->parameters.data[0] == ';');
}

static bool read_rel(struct weft_http_link *link)
{
    struct weft_text parameters = link->parameters;
    struct weft_http_parameter parameter;
    int found;
    while ((found = weft_http_parameter_next(&parameters, &parameter)) == 1) {
        if (link->rel.data == NULL && weft_text_same(parameter.name, weft_text_of("rel")))
            link->rel = parameter.value;
    }
    return found == 0;
}

int weft_http_link_next(struct weft_text *rest, struct weft_http_link *link)
{
    *link = (struct weft_http_link){.target = {NULL, 0}};
    do
        scan_blanks(rest);
    while (scan_char(rest, ','));
    if (rest->size == 0)
        return 0;
    if (scan_link(rest, link) && read_rel(link))
        return 1;
    *link = (struct weft_http_link){.target = {NULL, 0}};
    return UV_EINVAL;
}

bool weft_http_link_is(const struct weft_http_link *link, const char *rel)
{
    struct weft_text words = link->rel;
    while (words.data != NULL) {
        struct weft_text word = weft_text_cut(&words, ' ');
        if (word.size > 0 && weft_text_same(word, weft_text_of(rel)))
            return true;
    }
    return false;
}
