/* A link on its way out: trimmed as the URL standard does it, left out if nobody could fetch it,
 * found in the document, converted, reported. All but a few URLs are plain ASCII and go out as they
 * came in. */
#include "extract.h"
#include <uv.h>

/* Blanks and control characters around a URL do not count. */
static struct weft_text trim(struct weft_text text)
{
    while (text.size > 0 && (unsigned char)text.data[0] <= ' ') {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && (unsigned char)text.data[text.size - 1] <= ' ')
        text.size--;
    return text;
}

/* Tabs and newlines anywhere in a URL do not count either. */
static bool has_scheme(struct weft_text url, const char *scheme)
{
    for (size_t i = 0; i < url.size && *scheme != '\0'; i++) {
        char c = url.data[i];
        if (c == '\t' || c == '\n' || c == '\r')
            continue;
        if (weft_text_lower(c) != *scheme)
            return false;
        scheme++;
    }
    return *scheme == '\0';
}

/* A fragment alone is a place in this page, unless a base says that it is one in another; in a style and in what
 * SVG uses it is in any case. */
static bool leads_nowhere(const struct weft_links_state *state, enum weft_link_from from,
                          struct weft_text url)
{
    bool stays = from == WEFT_LINK_CSS_URL || from == WEFT_LINK_SVG_USE;
    if (url.size == 0 || url.data[0] == '#')
        return url.size == 0 || !state->has_base || stays;
    switch (url.data[0] | 0x20) {
    case 'j':
        return has_scheme(url, "javascript:");
    case 'd':
        return has_scheme(url, "data:");
    case 'm':
        return has_scheme(url, "mailto:");
    case 't':
        return has_scheme(url, "tel:");
    default:
        return false;
    }
}

static bool is_ascii(struct weft_text text)
{
    unsigned char all = 0;
    for (size_t i = 0; i < text.size; i++)
        all |= (unsigned char)text.data[i];
    return all < 0x80;
}

static void locate(const struct weft_links_state *state, const struct link_found *found,
                   struct weft_link *link)
{
    link->start = found->start;
    link->end = found->end;
    const struct weft_html_attribute *attribute = found->attribute;
    if (attribute != NULL)
        weft_html_source(attribute, (size_t)(found->text.data - attribute->value.data),
                         found->text.size, &link->start, &link->end);
    link->start += state->shift;
    link->end += state->shift;
    if (!state->links->ranges)
        link->start = link->end = 0;
    if (attribute == NULL)
        attribute = state->attribute;
    link->in_attribute = attribute != NULL;
    link->quote = attribute != NULL ? attribute->quote : '\0';
}

static bool convert(struct weft_links_state *state, const struct link_found *found,
                    struct weft_text *url)
{
    *url = found->text;
    if (is_ascii(*url))
        return true;
    bool guess = state->links->encoding_from == WEFT_LINKS_FROM_DEFAULT;
    int status = weft__html_convert_url(&state->converter, state->encoding, guess, found, url);
    if (status != 0)
        state->status = status;
    return status == 0;
}

/* Was it cut off, so that this is only how it begins? */
static bool is_cut(const struct link_found *found)
{
    const struct weft_html_attribute *attribute = found->attribute;
    return attribute != NULL && attribute->cut &&
           found->text.data + found->text.size == attribute->value.data + attribute->value.size;
}

void weft__links_report(struct weft_links_state *state, const struct link_found *as_found)
{
    struct link_found found = *as_found;
    if (state->status != 0 || is_cut(&found))
        return;
    struct weft_text trimmed = trim(found.text);
    if (leads_nowhere(state, found.from, trimmed))
        return;
    /* In a style sheet, as it is written there: escapes make it longer, but for that of a NUL. */
    if (found.attribute == NULL && found.end - found.start == found.text.size &&
        is_ascii(found.text)) {
        found.start += (uint64_t)(trimmed.data - found.text.data);
        found.end = found.start + trimmed.size;
    }
    found.text = trimmed;
    struct weft_link link = {.kind = found.kind, .from = found.from};
    link.nofollow = found.nofollow || state->links->nofollow;
    locate(state, &found, &link);
    if (!convert(state, &found, &link.url))
        return;
    int status = state->links->on_link(state->links, &link);
    if (status < 0)
        state->status = status;
}

void weft__links_report_guard(struct weft_links_state *state, const struct link_found *found)
{
    struct weft_link link = {.url = found->text, .kind = found->kind, .from = found->from};
    if (state->status != 0)
        return;
    locate(state, found, &link);
    int status = state->links->on_link(state->links, &link);
    if (status < 0)
        state->status = status;
}
